#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 60
# processors: 2
# firn sweep --measure: numbers against closed forms and against an own computation from the tables,
# whose files it writes, and what it says when it cannot.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

# A ball falls past a wall that nothing touches, and a smaller one lies still without gravity's
# help.
cat >ball.yaml <<'SCENE'
firn: 1
h: 2 cm
mpm: {dt_max: 0.5 ms}
frames: 4
fps: 100 Hz
snow:
  - shape: {sphere: {center: [0.013, 8 cm, 0.007], radius: 6 cm}}
    velocity: [1, -5 m/s, 0]
  - shape: {sphere: {center: [1.004, 0.502, 0.003], radius: 3 cm}}
colliders:
  - {name: ground, shape: {half_space: {}}}
  - {name: far-off, shape: {sphere: {center: [9, 9, 9], radius: 1}}}
SCENE
vary=(--vary 'quality=0.5,1,0.8')

# A study that was run without is measured without being run again.
run 0 sweep ball.yaml "${vary[@]}" -o study --quiet
before=$(sums study | grep -v 'log.jsonl\|firn-files.txt')
run 0 sweep ball.yaml "${vary[@]}" -o study --measure
expect "$out" "0 done, 3 were there already, 0 failed; summary.md, measures.md and sheet.png"
[[ -z $err ]] || die "said to stderr: $err"
now=$(sums study | grep -v 'log.jsonl\|firn-files.txt\|measures\.\|curves\.')
[[ $now == "$before" ]] || die "measuring changed $(diff <(echo "$before") <(echo "$now"))"
for file in measures.csv measures.md measures.svg curves.svg; do
  [[ -s study/$file ]] || die "there is no $file"
  grep -q " $file$" study/firn-files.txt || die "$file is not listed"
done
for svg in study/*.svg; do
  python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$svg" || die "$svg is not XML"
done
expect "$(cat study/measures.svg)" ">0.04 s<"
expect "$(cat study/measures.svg)" ">quality<"
expect "$(cat study/measures.md)" "2: quality = 1, reference"
expect "$(cat study/measures.md)" "0 in all runs:"
expect "$(cat study/measures.md)" "force on far-off"
before=$(sums study | grep -v 'log.jsonl')
run 0 sweep ball.yaml "${vary[@]}" -o study --measure --quiet
[[ $(sums study | grep -v 'log.jsonl') == "$before" ]] || die "the second time differs"

for run in study/00?-*; do
  run 0 export "$run" --format csv -o "$run/points" --fields velocity,mass --quiet
done
cat >check.py <<'PYTHON'
import csv, glob, math, sys

folder = sys.argv[1]
rows = list(csv.DictReader(open(folder + "/measures.csv")))
found = {(int(r["run"]), float(r["time"]), r["measure"], r["name"]): r for r in rows}
times = sorted({float(r["time"]) for r in rows})


def near(a, b, by, what):
    assert abs(a - b) <= by, (what, a, b)


def value(run, time, name, of=""):
    row = found[run, time, name, of]
    assert row["value"], row
    return float(row["value"])


def between(points, axis):
    """Where 0.5 % of the mass is passed, from below and from above."""
    whole, ends = sum(p["mass"] for p in points), []
    for down in (False, True):
        below = 0
        for p in sorted(points, key=lambda p: p[axis], reverse=down):
            below += p["mass"]
            if below > 0.005 * whole:
                break
        ends.append(p[axis])
    return ends


def pieces(points, cell, least):
    """Masses of all pieces, by a search from cell to cell."""
    cells = {}
    for p in points:
        key = tuple(math.floor(p[a] / cell) for a in "xyz")
        cells[key] = cells.get(key, 0) + p["mass"]
    todo = {k for k, m in cells.items() if m >= least}
    while todo:
        heap, mass = [todo.pop()], 0
        while heap:
            x, y, z = heap.pop()
            mass += cells[x, y, z]
            for n in range(27):
                key = (x + n // 9 - 1, y + n // 3 % 3 - 1, z + n % 3 - 1)
                if key in todo:
                    todo.remove(key)
                    heap.append(key)
        yield mass


def points_of(name):
    for row in csv.DictReader(open(name)):
        row = {k.split(" ")[0]: v for k, v in row.items()}
        yield {
            **{a: float(row["position_" + a] if "position_" + a in row else row[a]) for a in "xyz"},
            **{"v" + a: float(row["velocity_" + a]) for a in "xyz"},
            "mass": float(row["mass"]),
        }


frames = {}
for run in (1, 2, 3):
    base = glob.glob(f"{folder}/00{run}-*")[0]
    frames[run] = [list(points_of(n)) for n in sorted(glob.glob(base + "/points/*.csv"))]
    frames[run, "forces"] = list(csv.DictReader(open(base + "/colliders.csv")))
assert times == [0.01, 0.02, 0.03, 0.04], times
# Half a particle of the coarsest run, in its cells of 4 cm.
cell, least = 0.04, 0.5 * min(p["mass"] for p in frames[1][0])
for run in (1, 2, 3):
    for time in times:
        k = round(100 * time)
        points = frames[run][k]
        assert found[run, time, "mass", ""]["reference"] == "2"
        mass = sum(p["mass"] for p in points)
        # Frames hold floats: 24 bits of every number.
        near(value(run, time, "mass"), mass, 1e-6 * mass, "mass")
        for a in "xyz":
            low, high = between(points, a)
            near(value(run, time, "extent_" + a), high - low, 1e-7, "extent")
            p = sum(p["mass"] * p["v" + a] for p in points)
            near(value(run, time, "momentum_" + a), p, 1e-5 * mass * 6, "momentum")
            com = sum(p["mass"] * p[a] for p in points) / mass
            near(value(run, time, "com_" + a), com, 1e-6, "com")
        near(value(run, time, "top"), between(points, "y")[1], 1e-7, "top")
        kinetic = sum(0.5 * p["mass"] * sum(p["v" + a] ** 2 for a in "xyz") for p in points)
        near(value(run, time, "energy_kinetic"), kinetic, 1e-5 * kinetic, "kinetic energy")
        large = [m for m in pieces(points, cell, least) if m >= 0.01 * mass]
        assert value(run, time, "pieces") == len(large), (time, large)
        near(value(run, time, "pieces_mass"), sum(large), 1e-6 * mass, "mass in pieces")
        near(value(run, time, "piece_largest"), max(large), 1e-6 * mass, "largest piece")
        # Windows are a frame wide, half of it before and half after, but at the end.
        for a in "xyz":
            forces = [float(r["force_" + a]) for r in frames[run, "forces"] if r["name"] == "ground"]
            mean = 0.5 * (forces[k - 1] + forces[k]) if k < 4 else forces[3]
            size = max(abs(f) for f in forces)
            near(value(run, time, "force_" + a, "ground"), mean, 1e-6 * size + 1e-9, "force")
            near(value(run, time, "impulse_" + a, "ground"), 0.01 * sum(forces[:k]),
                 1e-6 * size + 1e-9, "impulse")
        # The second ball alone moves as gravity says, the first is thrown and meets the ground:
        # between them, what came in by gravity and the ground is all.
        gained = value(run, time, "impulse_y", "ground") + 9.81 * mass * time
        start = sum(p["mass"] * p["vy"] for p in frames[run][0])
        near(start - value(run, time, "momentum_y"), gained, 2e-3 * abs(start), "momentum's balance")
        ours, theirs = value(run, time, "energy_kinetic"), value(2, time, "energy_kinetic")
        near(float(found[run, time, "energy_kinetic", ""]["difference"]), ours / theirs - 1, 1e-6,
             "difference")
        scale = math.sqrt(2 * value(2, time, "mass") * theirs)
        near(float(found[run, time, "momentum_z", ""]["difference"]),
             (value(run, time, "momentum_z") - value(2, time, "momentum_z")) / scale, 1e-6, "share")
PYTHON
python3 check.py study || die "measures.csv: $(head -30 study/measures.csv)"

# Times, frames, reference and window of one's own.
value() { # RUN TIME MEASURE COLUMN
  python3 - "$@" <<'PYTHON'
import csv, sys
run, time, measure, column = sys.argv[1:]
for r in csv.DictReader(open("study/measures.csv")):
    if [r["run"], r["time"], r["measure"]] == [run, time, measure] and r["name"] in ("", "ground"):
        print(r[column])
PYTHON
}
run 0 sweep ball.yaml "${vary[@]}" -o study --measure='40 ms,0.012s' --reference 3 --window 20ms --quiet
[[ $(value 1 0.012 com_y frame) == 1 && $(value 1 0.012 com_y measured_at) == 0.01 ]] ||
  die "the nearest frame is $(value 1 0.012 com_y frame)"
[[ $(value 1 0.012 com_y reference) == 3 ]] || die "the reference is $(value 1 0.012 com_y reference)"
[[ -z $(value 1 0.02 com_y value) ]] || die "0.02 s was not wanted"
expect "$(cat study/measures.md)" "run 1 has no frame at this time; frame 1, at 0.01 s, is measured"
expect "$(cat study/measures.md)" "Forces are means from 0.03 s to 0.04 s."
run 0 sweep ball.yaml "${vary[@]}" -o study --at 3,1 --quiet
[[ $(value 1 0.03 com_y frame) == 3 && $(value 2 0.01 com_y frame) == 1 ]] || die "frames 1 and 3"

# With two values that vary, each run is compared with the one of its own other value. Frames that
# are not written are not made up.
run 0 sweep ball.yaml --vary quality=0.5,0.6 --vary mpm.flip=0,0.9 --set 'output={every: 3}' \
  --set frames=3 -o two --at 2,3 --quiet
python3 - <<'PYTHON' || die "two: $(cat two/measures.md)"
import csv
rows = list(csv.DictReader(open("two/measures.csv")))
assert {(r["run"], r["reference"]) for r in rows} == {("1", "3"), ("2", "4"), ("3", "3"), ("4", "4")}
for r in rows:
    gone = r["time"] == "0.02" and r["measure"] in (
        "extent_x", "extent_y", "extent_z", "top", "pieces", "pieces_mass", "piece_largest")
    assert bool(r["value"]) != gone, r
    assert (r["message"] == "the frame was not written") == gone, r
PYTHON
expect "$(cat two/measures.md)" "extent, x; extent, y; extent, z; top; pieces; mass in pieces"

# A solver without J_P, and a run that fails.
run 0 sweep ball.yaml --vary solver=mpm,flip --set quality=0.5 --set frames=1 -o solvers --measure --quiet
grep -q '^2,.*,jp_mean,,,1,.*flip' solvers/measures.csv || die "$(grep jp_ solvers/measures.csv)"
run 1 sweep ball.yaml --vary mpm.dt_min=1e-9,0.9 --set mpm.dt_max=1 --set frames=1 -o failing --quiet --measure
expect "$(cat failing/measures.md)" "- run 2: the run failed: "
grep -q '^2,.*,energy_kinetic,,,J,.*the run failed' failing/measures.csv || die "$(cat failing/measures.csv)"
refuse "$(cat failing/measures.csv)" ",nan"

# Only its own files, also those of a study that is made anew.
echo mine >>study/measures.md
for how in --measure --overwrite; do
  run 2 sweep ball.yaml "${vary[@]}" -o study $how --quiet
  expect "$err" "study/measures.md is not a file of this sweep"
done
[[ $(tail -n 1 study/measures.md) == mine ]] || die "measures.md was replaced"
run 0 sweep ball.yaml "${vary[@]}" -o study --quiet
rm study/measures.md
run 0 sweep ball.yaml --vary quality=0.5 -o other --measure --quiet
run 0 sweep ball.yaml --vary quality=0.5 -o other --overwrite --set h=3cm --quiet
[[ ! -e other/measures.csv && ! -e other/curves.svg ]] || die "measures of runs that are gone"
refuse "$(cat other/firn-files.txt)" "measures"

# What it cannot do is said before anything runs.
run 2 sweep ball.yaml "${vary[@]}" -o bad --measure=1h
expect "$err" "'1h' is not a time, as 0.1s or 40ms"
run 2 sweep ball.yaml "${vary[@]}" -o bad --measure=0.01,
expect "$err" "'' is not a time"
run 2 sweep ball.yaml "${vary[@]}" -o bad --measure=-1s
run 2 sweep ball.yaml "${vary[@]}" -o bad --window 0
expect "$err" "--window: '0' is not a time above 0"
run 2 sweep ball.yaml "${vary[@]}" -o bad --at 1,x
expect "$err" "'x' is not a whole number"
run 2 sweep ball.yaml "${vary[@]}" -o bad --reference 0
run 2 sweep ball.yaml "${vary[@]}" -o bad --reference 4
expect "$err" "--reference: there is no run 4; there are 3"
run 2 sweep ball.yaml "${vary[@]}" -o bad --measure=50ms
expect "$err" "--measure: 0.05 s is after the end of all runs, at 0.04 s"
run 2 sweep ball.yaml "${vary[@]}" -o bad --at 5
expect "$err" "--at: 0.05 s is after"
[[ ! -e bad ]] || die "bad is there"
exit 0
