#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 60
# processors: 2
# colliders.csv: where colliders are, how they move and what work they do, in a run and a resumed
# one; tables of before these columns are still drawn.
source "$(dirname "$0")/common.bash"
err="" # what run hears

# A plate pushes a block over a floor without friction, and a drum turns where nothing is.
cat >push.yaml <<'SCENE'
firn: 1
h: 2 cm
mpm: {dt_max: 0.5 ms}
frames: 6
fps: 100 Hz
gravity: [0, 0, 0]
materials: {hard: {young: 1 MPa}}
snow:
  - {shape: {box: {center: [0, 0, 0], size: [16 cm, 8 cm, 8 cm]}}, material: hard}
colliders:
  - name: plate
    shape: {half_space: {point: [-8 cm, 0, 0], normal: [1, 0, 0]}}
    friction: 0
    motion: {pivot: [-8 cm, 0, 0], translation: {keys: [[0 s, [0, 0, 0]], [1 s, [50 cm, 0, 0]]]}}
  - name: drum
    shape: {cylinder: {from: [0, 1, 0], to: [0, 1, 1], radius: 5 cm}}
    motion: {pivot: [0, 1 m, 0], axis: [0, 0, 1], angle: {keys: [[0 s, 0], [1 s, 25]]}}
SCENE
run 0 run push.yaml -o whole --quiet
python3 - whole <<'PYTHON' || die "colliders.csv does not add up"
import csv, math, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/colliders.csv")))
stats = list(csv.DictReader(open(sys.argv[1] + "/stats.csv")))
plate = [{k: v if k == "name" else float(v) for k, v in r.items()} for r in rows if r["name"] == "plate"]
drum = [{k: v if k == "name" else float(v) for k, v in r.items()} for r in rows if r["name"] == "drum"]
assert [r["frame"] for r in plate] == [1, 2, 3, 4, 5, 6], plate
work = 0
for r in plate:
    t = r["time"]
    assert abs(r["position_x"] - (-0.08 + 0.5 * t)) < 1e-9 and r["velocity_x"] == 0.5, r
    assert r["rotation_x"] == r["rotation_y"] == r["rotation_z"] == r["spin_z"] == 0, r
    # Force times way, frame by frame.
    work -= r["force_x"] * 0.5 * 0.01
    assert abs(r["work"] - work) < 1e-7 * abs(work), (r, work)
    assert abs(r["power"] + 0.5 * r["force_x"]) < 1e-7 * abs(r["force_x"]), r
    momentum = float(stats[int(r["frame"])]["momentum_x"])
    assert abs(r["work"] - 0.5 * momentum) < 1e-4 * r["work"], (r, momentum)
assert work > 0
# The plate's work is in the snow, or lost.
last = {k: float(v) for k, v in stats[-1].items() if v}
stored = last["energy_kinetic"] + last["energy_elastic"] + last["energy_lost"]
assert abs(stored - work) < 1e-6 * work, (last, work)
for r in drum:
    angle = 25 * r["time"]
    assert r["spin_z"] == 25 and r["work"] == r["power"] == 0, r
    assert abs(r["rotation_z"] - math.remainder(angle, 2 * math.pi)) < 1e-8, r
    assert r["position_y"] == 1 and r["velocity_x"] == 0, r
PYTHON

# Interrupted and gone on with, the table is the same: work goes on from where it was.
run 0 run push.yaml -o halves --frames 0:3 --quiet
run 0 run push.yaml -o halves --resume --quiet
cmp whole/colliders.csv halves/colliders.csv || die "resumed colliders.csv differs"
# So does what was lost; all columns but the last, wall_seconds.
diff <(columns whole/stats.csv) <(columns halves/stats.csv) ||
  die "resumed stats.csv differs"
run 0 run push.yaml -o alone --threads 1 --quiet
diff <(columns whole/stats.csv) <(columns alone/stats.csv) ||
  die "stats.csv depends on the number of threads"

# Drawn, by their names; of an old table what it has.
run 0 plot whole/colliders.csv --name plate -o new.svg
for words in "work on the snow" "power on the snow" "position of the pivot" "rad/s"; do
  expect "$(cat new.svg)" "$words"
done
cut -d, -f1-12 whole/colliders.csv >old.csv
run 0 plot old.csv --name plate -o old.svg
expect "$(cat old.svg)" "impulse"
refuse "$(cat old.svg)" "work"
run 2 plot old.csv --name plate --columns work -o old.svg
expect "$err" "no column 'work'"
