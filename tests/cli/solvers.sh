#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# labels: slow
# One scene under each solver: their tables begin with the same columns, which mean the same.
source "$(dirname "$0")/common.bash"

for solver in mpm sph flip; do
  run 0 run snowball-drop --solver $solver -o $solver --frames 0:12 --set quality=0.12 --quiet
done

python3 - <<'PYTHON' || die "the tables differ"
import csv

g, tables = 9.81, {}
for solver in ("mpm", "sph", "flip"):
    with open(solver + "/stats.csv") as file:
        rows = list(csv.reader(file))
    tables[solver] = rows[0], [dict(zip(rows[0], row)) for row in rows[1:]]
common = tables["mpm"][0]
fall = 0.0
for solver, (names, rows) in tables.items():
    assert names[: len(common)] == common, (solver, names)
    first = rows[0]
    for row in rows:
        def number(name, of=row):
            return float(of[name])

        frame, t = int(row["frame"]), number("time")
        assert abs(t - frame / 24) < 1e-9, (solver, frame, t)
        for name in ("frame", "steps", "particles", "mass", "com_y", "momentum_y", "energy_kinetic",
                     "energy_gravity", "energy_lost", "speed_max", "density_max", "bytes", "wall_seconds"):
            assert row[name] or name == "density_max" and frame == 0, (solver, frame, name)
        mass = number("mass")
        assert row["mass"] == first["mass"], (solver, frame, mass)
        if frame > 9:
            continue  # it has landed
        # Steps of symplectic Euler fall g t dt/2 further.
        fall = g * t * t / 2
        late = g * t * (number("dt_mean") if frame else 0) / 2
        where = number("com_y", first) - number("com_y") - fall - late
        assert abs(where) < 1e-3 * fall + 1e-5, (solver, frame, where)
        assert abs(number("momentum_y") / mass + g * t) < 1e-4, (solver, frame)
        assert abs(number("energy_kinetic") - mass * (g * t) ** 2 / 2) < 1e-3 * mass, (solver, frame)
        height = number("energy_gravity") / (mass * g)
        assert abs(height - number("com_y")) < 1e-4, (solver, frame, height)
        assert abs(number("speed_max") - g * t) < 0.05, (solver, frame, number("speed_max"))
        total = sum(number(n) - number(n, first) for n in
                    ("energy_kinetic", "energy_gravity", "energy_elastic", "energy_lost"))
        assert abs(total) < 1e-3 * mass, (solver, frame, total)
    assert float(rows[12]["energy_lost"]) > 0.2 * float(rows[12]["mass"]) * g, solver
assert fall > 0.6
PYTHON
