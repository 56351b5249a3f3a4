#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 60
# processors: 2
# firn run --from: a run goes on from a checkpoint of another, with other numbers, into a folder of
# its own.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

cat >scene.yaml <<'YAML'
firn: 1
h: 4 cm
fps: 50
frames: 8
materials: {soft: {young: 50 kPa}}
snow: [{shape: {sphere: {center: [0, 0.2, 0], radius: 0.16}}, velocity: [0, -3, 0], material: soft}]
colliders:
  - {name: ground, shape: {half_space: {}}, friction: 0.4}
  - {name: plate, shape: {box: {center: [0, 0.6, 0], size: [1, 0.1, 1]}}, motion: {velocity: [0, -0.5, 0]}}
forces:
  - {name: moon, attractor: {center: [0, 1, 0], strength: 1}}
  - {name: breeze, drag: {rate: 0.1, velocity: [1, 0, 0], gust: {strength: 10 %}}}
YAML
run 0 run scene.yaml -o whole --quiet
run 0 run scene.yaml -o trunk --frames 0:4 --quiet

# Without changes the branch is the run itself, byte by byte.
run 0 run scene.yaml -o same --from trunk:4
expect "$err" "going on after frame 4"
for i in 0 4 5 8; do
  cmp whole/frame_0000$i.hdf same/frame_0000$i.hdf || die "frame $i of a branch without changes"
done
cmp <(columns whole/stats.csv) <(columns same/stats.csv) || die "rows of a branch without changes"
cmp whole/colliders.csv same/colliders.csv || die "rows of colliders"
run 0 info --verify same
grep -q '"from": "trunk"' same/log.jsonl || die "the log does not say where it branched off"

# A trunk that is whole keeps what it is to branch from.
run 0 run scene.yaml -o keeps --set output.keep_checkpoints=-1 --quiet
[[ $(echo keeps/checkpoint_*.hdf | wc -w) == 9 ]] || die "not all checkpoints are there"
run 0 run scene.yaml -o same2 --from keeps:4 --quiet
cmp whole/frame_00008.hdf same2/frame_00008.hdf ||
  die "a branch of a trunk that keeps its checkpoints"
run 0 run scene.yaml -o keeps --overwrite --set output.keep_checkpoints=3 --quiet
[[ $(cd keeps && echo checkpoint_*.hdf) == "checkpoint_00006.hdf checkpoint_00007.hdf checkpoint_00008.hdf" ]] ||
  die "keeps $(ls keeps)"

# Each number that may change does, from the frame after on, and none before.
check() { # NAME SETTING...: it is another run after frame 4, and the trunk before
  local name=$1
  shift
  run 0 run scene.yaml -o "$name" --from trunk:4 "$@" --quiet
  cmp trunk/frame_00004.hdf "$name/frame_00004.hdf" || die "$name: frame 4 is not the trunk's"
  cmp <(columns trunk/stats.csv) <(columns "$name/stats.csv" | head -6) ||
    die "$name: rows up to frame 4"
  cmp -s whole/frame_00008.hdf "$name/frame_00008.hdf" && die "$name: nothing has changed"
  run 0 info --verify "$name"
}
further() { [[ -n ${FIRN_SANITIZE:-} ]] || check "$@"; } # the same code with other numbers
check young --set materials.soft.young=400kPa
check gravity --set 'gravity=[0, 0, 0]'
further friction --set colliders.ground.friction=0
further motion --set 'colliders.plate.motion={velocity: [0, -2, 0]}'
check step --set mpm.dt_max=0.1ms
further sticky --set colliders.ground.sticky=true
further strength --set 'forces.moon.attractor.strength={keys: [[0 s, 1], [0.12 s, 50]]}'
further center --set 'forces.moon.attractor.center=[1, 1, 0]'
check rate --set forces.breeze.drag.rate=5
check bounds --set 'materials.soft.jp_range=[0.95, 1.05]' # particles get a field that those of the trunk lack
grep -q 'young: 400000' young/scene.yaml || die "the scene of a branch is not its own"

# Stopped, a branch goes on as any run does.
run 0 run scene.yaml -o step2 --from trunk:4 --set mpm.dt_max=0.1ms --frames 0:6 --quiet
run 0 run scene.yaml -o step2 --from trunk:4 --set mpm.dt_max=0.1ms --resume --quiet
for i in 5 8; do
  cmp step/frame_0000$i.hdf step2/frame_0000$i.hdf || die "frame $i of a branch that was resumed"
done
run 0 run scene.yaml -o rate2 --from trunk:4 --set forces.breeze.drag.rate=5 --frames 0:6 --quiet
run 0 run scene.yaml -o rate2 --from trunk:4 --set forces.breeze.drag.rate=5 --resume --quiet
cmp rate/frame_00008.hdf rate2/frame_00008.hdf || die "a force of a branch that was resumed"
# Another origin than it had is refused, by whatever name the folder goes.
run 0 run scene.yaml -o step2 --from ./trunk --set mpm.dt_max=0.1ms --resume --quiet
run 2 run scene.yaml -o step2 --from trunk:3 --set mpm.dt_max=0.1ms --resume
expect "$err" "the run in step2 branched off from $PWD/trunk:4, and not from trunk:3"
run 2 run scene.yaml -o step2 --from whole --set mpm.dt_max=0.1ms --resume
expect "$err" "and not from whole"
run 2 run scene.yaml -o whole --from trunk:4 --resume
expect "$err" "the run in whole did not branch off"

# A source that is not whole is refused before anything is written or taken away.
cp -r trunk headless
rm headless/stats.csv
old=$(sums young)
run 2 run scene.yaml -o young --from headless:4 --overwrite
expect "$err" "headless/stats.csv"
[[ $(sums young) == "$old" ]] || die "an old run was changed for a branch that cannot be"
run 2 run scene.yaml -o unborn --from headless:4
[[ ! -e unborn/scene.yaml ]] || die "a branch that cannot be has begun"
cp -r trunk blind
rm blind/frame_00002.hdf && ln -s nothing blind/frame_00002.hdf
run 1 run scene.yaml -o young --from blind:4 --overwrite
expect "$err" "blind/frame_00002.hdf"
[[ $(sums young) == "$old" ]] || die "an old run was changed for a branch without a frame"

# So is one whose frames or rows are not what its run wrote: a branch would sum them anew.
flip() { # a bit in the middle of a file
  python3 - "$1" <<'PYTHON'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[len(data) // 2] ^= 1
open(sys.argv[1], "wb").write(data)
PYTHON
}
damaged() { # WORDS...: of the folder bad
  local words
  for words in "$@"; do
    run 2 run scene.yaml -o young --from bad:4 --overwrite
    expect "$err" "$words"
    run 2 run scene.yaml -o unborn --from bad:4
    expect "$err" "$words"
  done
  [[ $(sums young) == "$old" && ! -e unborn ]] || die "a branch of a damaged run: refused, and changed"
  rm -rf bad && cp -r trunk bad
}
cp -r trunk bad
flip bad/frame_00001.hdf &&
  damaged "cannot branch off from frame 4 of bad" "bad/frame_00001.hdf is damaged"
rm bad/frame_00003.hdf && damaged "bad/frame_00003.hdf is missing"
cp bad/frame_00001.hdf bad/frame_00002.hdf && damaged "bad/frame_00002.hdf holds frame 1"
sed -i '3s/,[^,]*$/,7/' bad/colliders.csv &&
  damaged "bad/colliders.csv: up to frame 4 it does not hold what was written"
sed -i '4s/^\(2,[^,]*,[0-9]*\)/\11/' bad/stats.csv &&
  damaged "bad/stats.csv: up to frame 4 it does not hold"
sed -i 's/^title:.*/title: other/' bad/scene.yaml && damaged "bad/scene.yaml"
flip bad/checkpoint_00004.hdf &&
  damaged "cannot branch off from frame 4 of bad" "bad/checkpoint_00004.hdf is damaged"
cp trunk/frame_00001.hdf bad/frame_00000.hdf.part && flip bad/checkpoint_00003.hdf &&
  rm bad/log.jsonl
run 0 run scene.yaml -o young --from bad:4 --overwrite --set materials.soft.young=400kPa --quiet # all that it needs is whole
rm -rf bad

# Where the newest checkpoint is gone, an older one is taken only if it is named: the branch would
# begin earlier.
cp -r trunk bad && rm bad/checkpoint_00004.hdf
run 2 run scene.yaml -o unborn --from bad
expect "$err" "bad lists a checkpoint of frame 4 (firn-files.txt), which is gone. --from bad:3"
[[ ! -e unborn ]] || die "a branch of a run whose newest checkpoint is gone has begun"
run 0 run scene.yaml -o earlier --from bad:3 --quiet
cmp whole/frame_00008.hdf earlier/frame_00008.hdf || die "a branch from the older checkpoint"
rm -rf bad earlier

# Stopped before it has a checkpoint, a branch goes on as one: what it begins with is written down
# first. Here the frames cannot be copied.
rm -rf stopped && mkdir stopped
(ulimit -f 8 && exec "$FIRN" run scene.yaml -o stopped --from trunk:4 --set \
  materials.soft.young=400kPa --quiet 2>.err) &&
  die "a branch fits into 8 kB"
grep -q "^next 4 $PWD/trunk\$" stopped/firn-files.txt || die "the origin is not written down: $(cat stopped/firn-files.txt)"
run 2 run scene.yaml -o stopped --from whole --set materials.soft.young=400kPa --resume
expect "$err" "branched off from $PWD/trunk:4, and not from whole"
run 0 run scene.yaml -o stopped --set materials.soft.young=400kPa --resume
expect "$err" "going on after frame 4"
for i in 0 1 2 3 4 5 6 7 8; do
  cmp "young/frame_0000$i.hdf" "stopped/frame_0000$i.hdf" ||
    die "frame $i of a branch that was stopped at its beginning"
done
cmp young/colliders.csv stopped/colliders.csv ||
  die "rows of a branch that was stopped at its beginning"
run 0 info --verify stopped

# Stopped while it wrote that down, it is not gone on with as another run, from time 0.
mkdir half && printf 'firn run\nnext 4 /ho' >half/firn-files.txt.part
before=$(sums half)
run 2 run scene.yaml -o half --set materials.soft.young=400kPa --resume
expect "$err" "give --from again"
[[ $(sums half) == "$before" ]] || die "half of a list: refused, and changed"
run 0 run scene.yaml -o half --from trunk:4 --set materials.soft.young=400kPa --frames 0:5 --resume \
  --quiet
cmp young/frame_00005.hdf half/frame_00005.hdf || die "frame 5 of a branch stopped as it began"

# Under steady forces snow that sleeps does so in the branch as well: nothing has changed, nobody is
# woken.
cat >steady.yaml <<'YAML'
firn: 1
h: 4 cm
fps: 10
frames: 8
snow: [{shape: {box: {center: [0, 0.1, 0], size: [0.4, 0.2, 0.4]}}, settled: true}]
colliders: [{name: ground, shape: {half_space: {}}, sticky: true}]
forces:
  - {name: shove, steady: true, uniform: {acceleration: [1 mm/s^2, 0, 0]}}
  - {name: draw, steady: true, attractor: {center: [3, 1, 2], axis: [1, 2, 3], strength: 1 mm/s^2}}
  - {name: breeze, steady: true, drag: {rate: {keys: [[0 s, 0.02], [9 s, 0.02]]}, velocity: [0.1, 0, 0]}}
YAML
run 0 run steady.yaml -o resting --quiet
run 0 run steady.yaml -o rested --frames 0:6 --quiet
run 0 run steady.yaml -o asleep --from rested:6 --quiet
awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "asleep") k = i} NR > 1 && $1 >= 6 && !($k > 100) {exit 1}' \
  resting/stats.csv || die "nothing sleeps, so nothing is shown"
for i in 7 8; do
  cmp resting/frame_0000$i.hdf asleep/frame_0000$i.hdf ||
    die "frame $i of a branch under steady forces"
done
cmp <(columns resting/stats.csv) <(columns asleep/stats.csv) ||
  die "rows of a branch under steady forces"
for change in forces.shove.uniform.acceleration='[3, 0, 0]' forces.draw.attractor.strength=4 \
  'forces.breeze.drag={rate: 3, velocity: [1, 0, 0], gust: {strength: 1}}'; do
  run 0 run steady.yaml -o shoved --from rested:6 --set "$change" --overwrite --quiet
  cmp resting/frame_00006.hdf shoved/frame_00006.hdf || die "$change: frame 6 is not the trunk's"
  cmp -s resting/frame_00008.hdf shoved/frame_00008.hdf && die "$change: nothing has changed"
done
run 2 run steady.yaml -o refused --from rested:6 --set \
  'forces.draw={vortex: {strength: 1}, steady: true}'
expect "$err" "forces[1]"

# A collider that was warm is so no more.
cat >warm.yaml <<'YAML'
firn: 1
h: 5 cm
fps: 50
frames: 3
solver: sph
materials: {soft: {conductivity: 1000 W/m/K}}
snow: [{shape: {box: {center: [0, 0.1, 0], size: [0.2, 0.2, 0.2]}}, material: soft, temperature: 260 K}]
colliders: [{name: plate, shape: {half_space: {}}, temperature: 300 K}]
output: {fields: [temperature]}
YAML
run 0 run warm.yaml -o warm --frames 0:2 --quiet
sed 's/, temperature: 300 K//' warm.yaml >cold.yaml
run 0 run warm.yaml -o warm2 --from warm:2 --quiet
run 0 run cold.yaml -o cold --from warm:2 --quiet
cmp -s warm2/frame_00003.hdf cold/frame_00003.hdf &&
  die "a collider keeps a temperature that is gone"
# The newest checkpoint where no frame is given; the trunk is as it was.
before=$(sums trunk)
run 0 run scene.yaml -o newest --from trunk --quiet
cmp whole/frame_00008.hdf newest/frame_00008.hdf || die "from the newest checkpoint"
[[ $(sums trunk) == "$before" ]] || die "a branch changed the trunk"

# What may not change is named with its place, and nothing is written.
refused() { # WORDS SETTING...
  local words=$1
  shift
  run 2 run scene.yaml -o refused --from trunk:4 "$@"
  expect "$err" "$words"
  expect "$err" "A run that branches off may change numbers of materials"
  [[ ! -e refused ]] || die "something was written"
}
refused "--set h=3cm: h is 0.03 now, and was 0.04" --set h=3cm
refused "--set mpm.basis=quadratic: mpm.basis is quadratic now" --set mpm.basis=quadratic
refused "solver" --set solver=flip
refused "--set fps=25: fps" --set fps=25
refused "colliders[1].shape.box" --set 'colliders.plate.shape.box.size=[1, 1, 1]'
refused "materials.soft.law" --set materials.soft.law=elastic
refused "forces[0].vortex is new" --set 'forces.0={name: moon, vortex: {strength: 1}}'
# These would do nothing to snow that is there.
refused "--set materials.soft.density=300: materials.soft.density" --set materials.soft.density=300
refused "materials.soft.durability" --set materials.soft.durability=0.5
refused "mpm.volume" --set mpm.volume=nominal
refused "colliders[0].temperature is new" --set colliders.ground.temperature=300K
sed 's/radius: 0.16/radius: 0.17/' scene.yaml >other.yaml
run 2 run other.yaml -o refused --from trunk:4
expect "$err" "other.yaml:6:"
expect "$err" "snow[0].shape.sphere.radius is 0.17 now, and was 0.16"

# A folder that is not there, or is no run's, is bad input and no run that failed.
run 2 run scene.yaml -o refused --from nothere
expect "$err" "nothere: No such file or directory; a run branches off from the folder of another"
run 2 run scene.yaml -o refused --from scene.yaml
expect "$err" "scene.yaml is not the folder of a run"
mkdir empty
run 2 run scene.yaml -o refused --from empty:4
expect "$err" "empty is not the folder of a run: it has no scene.yaml"
[[ ! -e refused ]] || die "something was written"

# No checkpoint, no branch; a frame alone does not do.
run 2 run scene.yaml -o refused --from trunk:2
expect "$err" "trunk has no checkpoint of frame 2, but those of frame 3, 4"
expect "$err" "A frame alone does not do"
expect "$err" "--frames 0:2 leaves one"
run 2 run scene.yaml -o refused --from trunk:7
refuse "$err" "A frame alone"
run 2 run scene.yaml -o refused --from nowhere:2
expect "$err" "nowhere"
run 2 run scene.yaml -o trunk --from trunk:4 --overwrite
expect "$err" "needs a folder of its own"
[[ $(sums trunk) == "$before" ]] || die "a refused branch changed the trunk"
run 2 run scene.yaml -o same --from trunk:4
expect "$err" "holds a run already"
run 0 run scene.yaml -o same --from trunk:4 --overwrite --quiet
run 2 run scene.yaml -o refused --from trunk:4 --set frames=4
expect "$err" "nothing is left to do"
run 2 run scene.yaml -o refused --from :4
expect "$err" "is not as DIR or DIR:FRAME"
[[ ! -e refused ]] || die "a refused branch left a folder"

# Curves of runs over each other.
run 0 plot whole young gravity -o runs.svg
expect "$out" "runs.svg"
svg=$(cat runs.svg)
for word in ">whole<" ">young<" ">gravity<" "energy, kinetic" "center of mass, y" \
  "whole, young, gravity"; do
  expect "$svg" "$word"
done
run 0 plot whole young --columns com_y
expect "$out" "runs.svg"
[[ $(grep -c 'center of mass, y' runs.svg) == 1 ]] || die "one panel was asked for"
run 0 plot whole/colliders.csv young/colliders.csv --name plate --columns force_y -o plate.png \
  --quiet
[[ -s plate.png ]] || die "no plot"
mkdir deep
cp -r whole deep/young
run 0 plot young deep/young --columns com_y
expect "$(cat runs.svg)" ">deep/young<"
run 2 plot whole young --columns no_such
expect "$err" "no column 'no_such'"
run 2 plot whole whole whole whole whole whole whole whole whole
expect "$err" "9 runs in one plot; there is room for 1 to 8"
run 1 plot whole nowhere -o runs.svg
expect "$err" "nowhere"
exit 0
