#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# labels: slow
# timeout: 60
# processors: 2
# firn bench --json keeps its promises about fields. Numbers are not judged: machines differ.
source "$(dirname "$0")/common.bash"
out="" # what run hears

run 0 bench mpm/explicit --quick --json --threads 2
python3 - .out <<'PYTHON' || die "$out"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
names = ["mpm/explicit-quadratic-apic", "mpm/explicit-quadratic-flip", "mpm/explicit-cubic-flip"]
assert [r["name"] for r in rows] == names, rows
for r in rows:
    assert r["device"] == "cpu" and r["threads"] == 2 and r["isa"] in ("scalar", "avx2", "avx512")
    assert r["precision"] in ("float", "double")
    assert r["particles"] > 9e4 and r["steps"] == 50 and r["seconds"] > 0
    speed = r["particles"] * r["steps"] / r["seconds"]
    assert abs(speed / r["particle_steps_per_second"] - 1) < 1e-6, r
    assert r["yielded"] >= 0.3
    assert 50 < r["bytes_per_particle"] <= r["peak_bytes_per_particle"] < 2000
    assert abs(sum(r["phases"].values()) - 1) < 1e-3
    # Where other work comes and goes, the machine's best may be less than what came later.
    assert r["copy_bytes_per_second"] > 0 and r["peak_flops"] > 0
    assert r["bandwidth_fraction"] > 0 and r["flop_fraction"] > 0
PYTHON

run 0 bench sph --quick --json --threads 2
python3 - .out <<'PYTHON' || die "$out"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
names = ["sph/pressure-sweep", "sph/shear-operator", "sph/search"]
assert [(r["name"], r["variant"]) for r in rows] == [(n, v) for n in names for v in ("rest", "packed")]
for r in rows:
    assert r["seconds"] > 0 and r["particles"] == 13824 and r["bytes_per_particle"] > 100
    assert abs(r["neighbours"] - (28 if r["variant"] == "rest" else 61)) < 4, r
    assert r["ns_per_particle" if r["name"] == "sph/search" else "ns_per_interaction"] > 0
PYTHON

run 0 bench flip --quick --json --threads 2
python3 - .out <<'PYTHON' || die "$out"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
press = [r for r in rows if r["name"] == "flip/press-ball"]
assert [r["variant"] for r in press] == ["begin", "pressing", "pressed", "after"], rows
for r in press:
    assert r["particles"] > 1e4 and r["cells"] > 1e3 and r["seconds_per_step"] > 0
    assert abs(sum(r["stages"].values()) - 1) < 1e-3 and abs(sum(r["paper_stages"].values()) - 1) < 1e-9
    assert r["stages"].keys() == r["paper_stages"].keys()
solves = [r for r in rows if "poisson" in r["name"]]
assert len(solves) == 2
for r in solves:
    assert r["cells"] > 2e3 and 0 < r["residual"] <= 1e-6 and r["iterations_mean"] > 2
kernels = [(r["name"], r["variant"]) for r in rows if "ns_per_particle" in r]
assert kernels == [(n, k) for n in ("flip/to-grid", "flip/back") for k in ("sph", "bspline")]
PYTHON

run 0 bench refine --quick --json --threads 2
python3 - .out <<'PYTHON' || die "$out"
import json, sys
row, = [json.loads(line) for line in open(sys.argv[1])]
assert row["name"] == "refine/carry" and row["particles"] == 1.28e6 and row["steps"] == 7, row
assert row["slowest_window"] <= row["particle_steps_per_second"] <= row["quickest_window"], row
assert 60 < row["bytes_per_particle"] < 300, row
PYTHON
