#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 120
# firn check tells where and what; firn run refuses the same scenes.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

cat >good.yaml <<'SCENE'
firn: 1
h: 1 cm
frames: 3
snow:
  - shape: {box: {center: [0, 5 cm, 0], size: [8 cm, 8 cm, 8 cm]}}
    seeding: lattice
colliders:
  - {name: ground, shape: {half_space: {}}}
SCENE
mkdir tmp
export TMPDIR=$PWD/tmp
run 0 check good.yaml
expect "$out" "good.yaml: ok"
expect "$out" "particles  4 096" # 8^3 cells of 8
expect "$out" "memory     about"
expect "$out" "time       about"
expect "$out" "later ones may be dearer"
expect "$out" "of them as long as mpm."
expect "$out" "disk       about"
refuse "$out" "warning"
[[ -z $err ]] || die "no progress is told where there is no terminal: $err"
[[ -z $(ls tmp) ]] || die "check left files: $(ls tmp)"
run 0 check good.yaml --no-time
expect "$out" "memory     about"
refuse "$out" "time  "

cat >wrong.yaml <<'SCENE'
firn: 1
h: 5 kg
gravty: [0, -9.81, 0]
mpm: {flip: 2}
snow:
  - shape: {sphere: {center: [0, 1, 0], radius: .nan}}
SCENE
run 2 check wrong.yaml
[[ $(wc -l <.out) == 4 ]] || die "expected four messages: $out"
expect "$out" "wrong.yaml:2:4: h: '5 kg' is a mass; expected a length above 0 (unit m)"
expect "$out" "wrong.yaml:3:1: gravty: unknown key; did you mean 'gravity'?"
expect "$out" "wrong.yaml:4:13: mpm.flip: 2 is out of range; expected a number of at least 0 and at most 1"
expect "$out" "wrong.yaml:6:49: snow[0].shape.sphere.radius: .nan is not a usable number"
run 2 run wrong.yaml -o out
expect "$err" "wrong.yaml:3:1: gravty: unknown key; did you mean 'gravity'?"
[[ ! -e out ]] || die "a wrong scene left a folder"

run 2 check good.yaml --set mpm.flp=1
expect "$out" "--set mpm.flp=1: mpm.flp: unknown key; did you mean 'flip'?"
run 0 check good.yaml --set mpm.flip=1 --set 'snow.0.velocity=[0, -1 m/s, 0]'
run 2 check good.yaml --solver abacus
expect "$out" "solver: unknown choice 'abacus'"
run 2 check no-such-file.yaml
expect "$err" "no-such-file.yaml cannot be read: No such file"
mkdir folder
run 2 check ./folder
: >empty.yaml
run 2 check empty.yaml
expect "$out" "empty.yaml:1:1: found an empty file"
# A ball smaller than a cell may hold no particle: said when it is built, not before.
run 2 check good.yaml --set 'snow.0.shape.box.size=[1 mm, 1 mm, 1 mm]'
expect "$out" "holds no particle"

# JSON: figures as a run has them. Of frames 2 to 10 every third one is a file: 3, 6, 9.
run 0 check good.yaml --json --no-time --set output.every=3 --frames 2:10
expect "$out" '"ok": true, "warnings": [], "particles": 4096,'
expect "$out" '"frames_written": 3,'
expect "$out" '"seconds_per_frame": null'
figure() { sed -E "s/.*\"$1\": ([0-9.e+-]+).*/\1/" .out; }
told=$(figure frame_file_bytes)
run 0 run good.yaml -o size --frames 0:0 --quiet
[[ $told == "$(stat -c %s size/frame_00000.hdf)" ]] || die "a frame has $told bytes, says check"
run 0 info size
expect "$out" "1 row;"
run 2 check wrong.yaml --json
expect "$out" '"ok": false, "message": "wrong.yaml:2:4: h:'
expect "$out" '{"file": "wrong.yaml", "line": 3, "column": 1, "message": "gravty: unknown key'
# What the cells are too coarse for: once for each kind, and as a note where it is nearly resolved.
cat >crust.yaml <<'SCENE'
firn: 1
h: 1 cm
frames: 3
snow:
  - shape: {box: {center: [0, 5 cm, 0], size: [8 cm, 8 cm, 8 cm]}}
    variation:
      - {of: young, depth: [0, 2 cm], factor: 3}
      - {of: density, depth: [0, 3 cm], factor: 1.2}
      - {of: young, amplitude: 50 %, wavelength: 3 cm}
colliders:
  - {name: ground, shape: {half_space: {}}}
SCENE
run 0 check crust.yaml --no-time
band="snow[0].variation[0].depth: a band of 2 cm has 2 cells of 1 cm; 4 resolve it: quality 2 or more, or 4 cm (the worst of 2 bands)"
wave="snow[0].variation[2].wavelength: a wave of noise of 3 cm has 3 cells of 1 cm; 4 resolve it: quality 1.4 or more, or 4 cm"
expect "$out" "crust.yaml:7:28: warning: $band"
expect "$out" "crust.yaml:9:50: note: $wave"
run 0 check crust.yaml --json --no-time
expect "$out" "\"warnings\": [{\"file\": \"crust.yaml\", \"line\": 7, \"column\": 28, \"message\": \"$band\"}], "
expect "$out" "\"notes\": [{\"file\": \"crust.yaml\", \"line\": 9, \"column\": 50, \"message\": \"$wave\"}]}"
# A run says the worst in one line, and notes not at all.
run 0 run crust.yaml -o crust --frames 0
[[ $err == "firn: warning: crust.yaml:7:28: $band" ]] || die "$err"
run 0 run crust.yaml -o crust --overwrite --frames 0 --set quality=0.9
expect "$err" "(the worst of 2 bands); firn check names 1 more kind of this"
[[ $(wc -l <<<"$err") == 1 ]] || die "$err"
run 0 run crust.yaml -o crust --overwrite --frames 0 --json
expect "$out" '{"event": "warning", "message": "crust.yaml:7:28: snow[0].variation[0].depth: a band of'
run 0 run crust.yaml -o crust --resume --frames 0
refuse "$err" "a band of"
run 0 run crust.yaml -o crust --overwrite --frames 0 --quiet
[[ -z $err ]] || die "a quiet run says $err"
# What the first steps warn of is among the warnings.
run 0 check good.yaml --json --no-time --set snow.0.settled=true \
  --set 'snow.0.shape.box.center=[0, 1, 0]'
expect "$out" '"ok": true, "warnings": [{"file": "good.yaml", "line": 0, "column": 0, '
expect "$out" '"message": "nothing holds 4096 particles of settled snow'
# Numbers beyond all computing are not ok, though a step that gives up its solve would end.
run 1 check good.yaml --no-time --set 'materials={w: {young: 1e30, density: 1e-30}}' \
  --set 'gravity=[0, -1e20, 0]' --set h=5cm
expect "$err" "the residual of the linear solve is not finite"
refuse "$out" "ok"
# A speed that no step is short enough for has its place.
run 2 check good.yaml --no-time --set 'snow.0.velocity=[3e8 m/s, 0, 0]'
expect "$out" "--set snow.0.velocity=[3e8 m/s, 0, 0]: snow[0].velocity: speeds of 3e+08 m/s"
sed 's|    seeding: lattice|    velocity: [3e8 m/s, 0, 0]|' good.yaml >fast.yaml
run 2 check fast.yaml --no-time --json
expect "$out" '"ok": false, "message": "fast.yaml:6:15: snow[0].velocity: speeds of 3e+08 m/s'
run 2 run fast.yaml -o fast --quiet
expect "$err" "fast.yaml:6:15: snow[0].velocity: speeds of 3e+08 m/s"
# Packed frames are as large as those of snow in motion, not as those of snow at rest.
run 0 check good.yaml --json --no-time
plain=$(figure frame_file_bytes)
run 0 check good.yaml --json --no-time --set output.precision=16
awk -v packed="$(figure frame_file_bytes)" -v plain="$plain" \
  'BEGIN { exit !(packed > 0.25 * plain && packed < 0.6 * plain) }' || die "packed frames: $out"

# What cannot be is not approved, and not begun: no memory holds it.
sed 's/box: .*}}/sphere: {center: [0, 0, 0], radius: 1 km}}/' good.yaml >huge.yaml
run 2 check huge.yaml
expect "$out" "huge.yaml:5:12: snow[0].shape: some 3.35e+16 particles need 5362 PB of memory, and "
refuse "$out" "ok"
run 2 run huge.yaml -o huge
expect "$err" "huge.yaml:5:12: snow[0].shape: some 3.35e+16 particles need 5362 PB of memory, and "
[[ ! -e huge ]] || die "a run that cannot be left a folder"
run 2 run huge.yaml -o huge --no-memory-check # the memory alone is not looked at
expect "$err" "huge.yaml:5:5: snow[0]: 8e+15 cells at 8 particles a cell are too many"
run 2 check good.yaml --set h=1e-300
expect "$out" "--set h=1e-300: h: makes cells of 1e-300 m"
run 2 check good.yaml --set quality=90
expect "$out" "--set quality=90: quality: some 2.99e+09 particles need"
run 2 check good.yaml --set 'snow.0.shape.box.size=[1e300, 1, 1]'
expect "$out" "need more than can be counted of memory"
# A mesh that was meant in centimetres.
cat >cube.obj <<'MESH'
v 0 0 0
v 0 0 40
v 0 40 0
v 0 40 40
v 40 0 0
v 40 0 40
v 40 40 0
v 40 40 40
f 1 2 4 3
f 5 7 8 6
f 1 5 6 2
f 3 4 8 7
f 1 3 7 5
f 2 6 8 4
MESH
sed 's/box: .*}}/mesh: {file: cube.obj, voxel: 1 m}}/' good.yaml >mesh.yaml
run 2 check mesh.yaml
expect "$out" "mesh.yaml:5:12: snow[0].shape: some 5.12e+11 particles need"
run 0 check mesh.yaml --no-time --set snow.0.shape.mesh.scale=0.002 --set \
  snow.0.shape.mesh.voxel=0.002
[[ -z $(ls tmp) ]] || die "check of a scene with a mesh left files: $(ls tmp)"
run 2 check good.yaml --no-time --frames 10:
expect "$err" "frames 10:3; they must ascend"
run 2 run good.yaml -o none --frames 10:
# Less than the machine has, where the user says so.
if [[ -z ${FIRN_SANITIZE:-} ]]; then # which maps more than any limit
  limited() { (ulimit -v 700000 && run "$@") || exit 1; }
  sed 's/8 cm, 8 cm, 8 cm/1.2 m, 0.9 m, 0.8 m/' good.yaml >large.yaml
  limited 2 check large.yaml --no-time -j 1
  expect "$(cat .out)" "and ulimit allows 717 MB"
  limited 2 run large.yaml -o large -j 1
  expect "$(cat .err)" "and ulimit allows 717 MB"
  [[ ! -e large ]] || die "a run that does not fit left a folder"
  # A signal while it is found out leaves nothing.
  code=$(ulimit -v 700000
    STOP_SIGNAL=15 stop_at /frame_00000.hdf "$FIRN" run large.yaml -o large -j 1 >.out 2>.err
    echo $code)
  [[ $code == 1 ]] || die "stopped while its size was tried: exit $code: $(cat .out .err)"
  expect "$(cat .err)" "stopped before the run began"
  [[ ! -e large && -z $(ls tmp) ]] || die "stopped while its size was tried, it left $(ls tmp)"
fi
# A temporary folder may have a long name.
long=$PWD/tmp/$(printf '%0200d' 0)/$(printf '%0200d' 1)
mkdir -p "$long"
TMPDIR=$long run 0 check good.yaml --json --no-time --set output.precision=16
expect "$out" '"frames_written": 4,'
awk -v bytes="$(figure frame_file_bytes)" 'BEGIN { exit !(bytes > 1000) }' || die "frames: $out"
[[ -z $(find tmp -name 'firn-check*') ]] || die "check left $(find tmp -name 'firn-check*')"
rm -r "tmp/$(printf '%0200d' 0)"
TMPDIR=$PWD/tmp/none run 1 check good.yaml --no-time
expect "$err" "no temporary folder can be made in $PWD/tmp/none: No such file"
# Nor by a disk that has no room.
run 2 check good.yaml --no-time -o /proc/out
expect "$out" "good.yaml: its frames need"
expect "$out" "of disk, and 0 B are free"

# Warnings do not keep a scene from being good.
run 0 check good.yaml --no-time --set 'snow.0.shape.box.center=[0, 0, 0]'
expect "$out" "good.yaml:5:12: warning: snow[0].shape: about"
expect "$out" "under the surface of 'ground'"

# What emitters add until the end is estimated, and counts for the disk: a shape that is kept full,
# a rate that ends in a kill box, one of few particles that grows and ends in a sink. Against a run:
# particles to 15 %, for the lattice that a projected area is counted by and for snow that finds no
# room; files to 30 %, as they need not grow evenly.
cat >spout.yaml <<'SCENE'
firn: 1
h: 4 cm
frames: 20
fps: 50 Hz
emitters:
  - {shape: {sphere: {center: [0, 1, 0], radius: 16 cm}}, velocity: [1.5 m/s, -2 m/s, 0]}
colliders:
  - {name: ground, shape: {half_space: {}}}
SCENE
cat >gone.yaml <<'SCENE'
firn: 1
h: 4 cm
frames: 40
fps: 50 Hz
emitters:
  - shape: {box: {center: [0, 1, 0], size: [20 cm, 20 cm, 20 cm]}}
    volume: 0.1 m^3/s
    velocity: [3 m/s, 0, 0]
  - shape: {box: {center: [0, 3, 0], size: [20 cm, 20 cm, 20 cm]}}
    particles: {keys: [[0 s, 0 Hz], [0.4 s, 10000 Hz]]}
    max_count: 3000
    velocity: [0, 0, -1 m/s]
sinks:
  - {shape: {box: {center: [0, 3, -2], size: [9, 9, 2]}}}
kill_box: {min: [-1, -1, -9], max: [1, 9, 9]}
SCENE
for scene in spout gone; do
  run 0 check $scene.yaml --no-time
  expect "$out" "at the end: an estimate, by the rates of the emitters"
  run 0 run $scene.yaml -o emitted --overwrite --quiet
  "$FIRN" check $scene.yaml --no-time --json | python3 -c "
import csv, glob, json, os, sys
said = json.load(sys.stdin)
count = float(list(csv.DictReader(open('emitted/stats.csv')))[-1]['particles'])
bytes = sum(os.path.getsize(f) for f in glob.glob('emitted/frame_*.hdf'))
disk = 0.5 * said['frames_written'] * (said['frame_file_bytes'] + said['frame_file_end_bytes'])
sys.exit(abs(said['particles_end'] / count - 1) > 0.15 or abs(disk / bytes - 1) > 0.3)" ||
    die "$scene: $("$FIRN" check $scene.yaml --no-time --json), $(tail -1 emitted/stats.csv)"
done
exit 0
