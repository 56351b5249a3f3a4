#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 60
# processors: 2
# firn sweep: all combinations, a summary, a contact sheet; goes on where it was stopped.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

cat >ball.yaml <<'SCENE'
firn: 1
h: 2 cm
mpm: {dt_max: 0.5 ms}
frames: 2
fps: 500 Hz
snow:
  - shape: {sphere: {center: [0, 8 cm, 0], radius: 6 cm}}
    velocity: [0, -5 m/s, 0]
colliders:
  - {name: ground, shape: {half_space: {}}}
SCENE

vary=(--vary 'mpm.flip=0,0.95' --vary 'gravity=[0, -9.81, 0],[0, 0, 0],[5, 0, 0]')
run 0 sweep ball.yaml "${vary[@]}" --list
[[ $(wc -l <.out) == 6 ]] || die "six runs: $out"
expect "$out" "001-flip=0_gravity=0,-9.81,0"
expect "$out" "006-flip=0.95_gravity=5,0,0"

# The list is checked: a value that cannot be, and a shape that cannot be built.
run 2 sweep ball.yaml --vary mpm.flip=0,2,1 --list
expect "$out" "001-flip=0"
expect "$out" "003-flip=1"
expect "$err" "mpm.flip: 2 is out of range"
expect "$err" "002-flip=2 cannot be made"
refuse "$out" "002"
run 2 sweep ball.yaml --vary \
  'snow.0.shape={sphere: {center: [0, 0, 0], radius: 5 cm}},{mesh: {file: no.obj}}' --list
expect "$out" "001-"
refuse "$out" "002-"
expect "$err" "no.obj"
run 2 sweep ball.yaml --vary mpm.dt_min=1e-9,0.9 --set mpm.dt_max=1 --list
expect "$err" "below dt_min = 0.9 s"

run 0 sweep ball.yaml "${vary[@]}" -o study
expect "$out" "[4/6] flip = 0.95, gravity = [0, -9.81, 0]"
expect "$out" "6 done, 0 were there already, 0 failed"
[[ -z $err ]] || die "said to stderr: $err"
for run in study/00?-*/; do
  [[ -s $run/frame_00002.hdf && -s $run/preview.png ]] || die "$run is not whole"
done
[[ $(head -c 8 study/sheet.png | od -An -tx1 | tr -d ' \n') == 89504e470d0a1a0a ]] ||
  die "sheet.png is not a PNG"
python3 - <<'PYTHON' || die "summary.csv: $(cat study/summary.csv)"
import csv
rows = list(csv.DictReader(open("study/summary.csv")))
assert len(rows) == 6, rows
assert [r["mpm.flip"] for r in rows] == ["0"] * 3 + ["0.95"] * 3
assert rows[2]["gravity"] == "[5, 0, 0]"
assert all(r["state"] == "done" and int(r["frame"]) == 2 for r in rows)
# 4 ms at 5 m/s^2 from rest: x grows by 4e-5 m.
shift = float(rows[5]["com_x"]) - float(rows[4]["com_x"])
assert 3.5e-5 < shift < 4.5e-5, shift
assert all(int(r["pieces"]) == 1 for r in rows)
PYTHON
[[ $(grep -c '^| \[' study/summary.md) == 6 ]] || die "summary.md: $(cat study/summary.md)"

# What is finished is passed over; what is not goes on.
before=$(stat -c %Y.%i study/001-*/frame_00002.hdf)
cp study/004-*/frame_00002.hdf frame
rm study/004-*/frame_00002.hdf study/005-*/preview.png
run 0 sweep ball.yaml "${vary[@]}" -o study
expect "$out" "2 done, 4 were there already, 0 failed"
[[ $(stat -c %Y.%i study/001-*/frame_00002.hdf) == "$before" ]] || die "run 1 was run again"
cmp frame study/004-*/frame_00002.hdf || die "run 4 came out otherwise"
[[ -s $(echo study/005-*/preview.png) ]] || die "run 5 has no picture"

# Other values under the names of these do not replace them, unless they shall.
run 2 sweep ball.yaml "${vary[@]}" -o study --set 'frames=2' --set h=3cm --quiet
expect "$err" "cannot resume"
[[ $(stat -c %Y.%i study/001-*/frame_00002.hdf) == "$before" ]] || die "run 1 was replaced"
run 0 sweep ball.yaml --vary mpm.flip=0 -o study2 --quiet
run 0 sweep ball.yaml --vary mpm.flip=0 -o study2 --set h=3cm --overwrite
expect "$out" "1 done, 0 were there already, 0 failed"

# A run that fails is noted, and the others go on.
run 1 sweep ball.yaml --vary mpm.dt_min=1e-9,0.9 --set mpm.dt_max=1 -o failing --quiet
grep -q '^1,.*,done,' failing/summary.csv || die "run 1: $(cat failing/summary.csv)"
grep -q '^2,.*,failed,' failing/summary.csv || die "run 2: $(cat failing/summary.csv)"
[[ -n $err && -s failing/sheet.png ]] || die "no message, or no sheet"

# One camera sees the ends of all runs: what flew left stands left on the sheet. One side of a ball
# is in shadow, so that the middle of what is bright is a little off.
pixels_module
cat >centers.py <<'PYTHON'
import sys

from pixels import rows

for path in sys.argv[1:]:  # the middle column of what is bright, as a share of the width
    picture = rows(path)
    width = len(picture[0]) // 3
    columns = [x for row in picture for x in range(width) if min(row[3 * x : 3 * x + 3]) > 200]
    print(round(100 * sum(columns) / len(columns) / width))
PYTHON
apart=(--set 'gravity=[0, 0, 0]' --set frames=1 --set fps=2 --set mpm.dt_max=0.1 --set colliders=[])
run 0 sweep ball.yaml --vary 'snow.0.velocity=[-1,0,0],[1,0,0]' "${apart[@]}" -o apart --quiet
read -r left right <<<"$(python3 centers.py apart/00[12]-*/preview.png | paste -sd ' ')"
((left < 35 && right > 65)) || die "the balls stand at $left % and $right % of their pictures"
run 0 sweep ball.yaml --vary 'snow.0.velocity=[-1,0,0]' "${apart[@]}" -o alone --quiet
center=$(python3 centers.py alone/001-*/preview.png)
((center > 35 && center < 65)) || die "alone the ball stands at $center %"

# Other runs do not go into the folder of a sweep, and its summary stays as it is.
run 0 sweep ball.yaml --vary mpm.flip=0.9,1 -o kept --quiet
before=$(sums kept)
run 2 sweep ball.yaml --vary mpm.flip=0.9,1 -o kept --quality 0.5 --quiet
expect "$err" "kept is left as it is"
[[ $(sums kept) == "$before" ]] || die "a refused sweep changed its folder"

# A sweep replaces only its own files: one of the user's, new or changed since, stops it before it
# changes anything, with --overwrite too. The same sweep goes on once the file is moved away.
keeps() { # FILE, and what is done to it
  local before
  run 0 sweep ball.yaml --vary mpm.flip=0.9,1 -o own --quiet
  "${@:2}" "own/$1"
  before=$(sums own)
  for how in --quiet --overwrite; do
    run 2 sweep ball.yaml --vary mpm.flip=0.9,1 -o own $how
    expect "$err" "own/$1 is not a file of this sweep"
    [[ $(sums own) == "$before" ]] || die "a sweep that $1 stops changed its folder"
  done
  mv "own/$1" mine
}
mine() { echo mine >"$1"; }
mine_too() { echo mine >>"$1"; }
mkdir own
echo notes >own/notes.txt
mine own/sheet.png
run 2 sweep ball.yaml --vary mpm.flip=0.9,1 -o own
expect "$err" "own/sheet.png is not a file of this sweep"
[[ $(ls own) == "notes.txt
sheet.png" ]] || die "a sweep that was refused left $(ls own)"
rm own/sheet.png
for file in summary.csv summary.md sheet.png 002-flip=1/preview.png; do
  keeps $file mine_too
done
keeps summary.csv mine
without_logs() { sums "$1" | grep -v ' .*/log.jsonl$'; }
before=$(without_logs 'own/001-flip=0.9')
run 0 sweep ball.yaml --vary mpm.flip=0.9,1 -o own
expect "$out" "0 done, 2 were there already, 0 failed"
[[ $(without_logs 'own/001-flip=0.9') == "$before" && $(cat own/notes.txt) == notes ]] || die "own is changed"
before=$(without_logs own)
run 0 sweep ball.yaml --vary mpm.flip=0.9,1 -o own --quiet
[[ $(without_logs own) == "$before" ]] ||
  die "a sweep with nothing to do changed $(diff <(echo "$before") <(without_logs own))"
run 0 sweep ball.yaml --vary mpm.flip=0.9,1 -o own --quiet --overwrite
[[ $(cat own/notes.txt) == notes ]] || die "--overwrite took notes.txt"
run 2 run ball.yaml -o own --overwrite --quiet
expect "$err" "own/firn-files.txt"

# For programs.
run 0 sweep ball.yaml --vary mpm.flip=1 -o json --json
python3 - .out <<'PYTHON' || die "--json: $out"
import json, sys
events = [json.loads(line)["event"] for line in open(sys.argv[1])]
assert events == ["run", "frame", "frame", "frame", "end"], events
PYTHON
exit 0
