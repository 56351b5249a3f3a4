#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 180
# processors: 2
# Nothing that a run has left is lost: not to a second run, not to a resume that finds something
# wrong.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

cat >s.yaml <<'SCENE'
firn: 1
title: small
h: 2 cm
frames: 5
fps: 500 Hz
snow:
  - shape: {sphere: {center: [0, 7 cm, 0], radius: 6 cm}}
    velocity: [0, -5 m/s, 0]
colliders:
  - {name: ground, shape: {half_space: {}}, forces: true}
probes:
  - {name: low, box: {center: [0, 0, 0], size: [10 cm, 6 cm, 10 cm]}}
  - {name: nowhere, point: {center: [1, 1, 1], radius: 1 cm}}
SCENE
run 0 run s.yaml -o good --quiet --frames 0:4
run 0 run s.yaml -o whole --quiet

# A fresh copy of the run up to frame 4 as m.
fresh() { rm -rf m && cp -r good m; }

# Resuming m is refused with some words, and leaves m as it was.
refused() {
  local before
  before=$(sums m)
  run 2 run s.yaml -o m --resume --quiet
  for word in "$@"; do expect "$err" "$word"; done
  expect "$err" "--overwrite"
  [[ $(sums m) == "$before" ]] || die "a resume that was refused changed the folder: $err"
  run 1 info --verify m
  expect "$out" "wrong"
  [[ $(sums m) == "$before" ]] || die "info --verify changed the folder"
}

# Resuming m ends in the bytes of the run that nobody disturbed.
goes_on() {
  run 0 run s.yaml -o m --resume
  for word in "$@"; do expect "$err" "$word"; done
  for file in frame_0000{0,1,2,3,4,5}.hdf colliders.csv probes.csv frames.hdf.series scene.yaml; do
    cmp "whole/$file" "m/$file" || die "resumed, $file differs; said: $err"
  done
  diff <(columns whole/stats.csv) <(columns m/stats.csv) || die "resumed, stats.csv differs"
  run 0 info --verify m
  expect "$out" "nothing"
}

# ---- a table that somebody changed

# Rows that no checkpoint is old enough to make again.
fresh && sed -i '3s/^1,/0,/' m/stats.csv && refused "m/stats.csv:3: expected a row of frame 1"
fresh && sed -i '3d' m/stats.csv && refused "m/stats.csv:3: expected a row of frame 1"
fresh && : >m/stats.csv && refused "m/stats.csv is empty"
fresh && rm m/stats.csv && refused "m/stats.csv"
fresh && sed -i '2d' m/colliders.csv &&
  refused "m/colliders.csv:2: expected a row of frame 1 and 'ground'"
fresh && sed -i '3d' m/probes.csv &&
  refused "m/probes.csv:3: expected a row of frame 0 and 'nowhere'"
fresh && sed -i '2,$d' m/probes.csv && refused "m/probes.csv: rows of frame 0 are missing"
# A digit, which only the sums in the checkpoints know.
fresh && sed -i '3s/,[^,]*$/,7/' m/colliders.csv && refused "colliders.csv" "what was written"
# A digit of the scene that no state depends on.
fresh && sed -i 's/shear_tolerance: 0.001/shear_tolerance: 0.009/' m/scene.yaml &&
  refused "shear_tolerance" "0.009" "m/scene.yaml was changed after the run had begun"
# Rows after the last checkpoint but one: it is gone on from.
fresh && sed -i '6d' m/stats.csv &&
  goes_on "rows of frame 4 are missing" "after frame 3 is made again"
fresh && sed -i '6s/^\(4,0.008,[0-9]*\)/\11/' m/stats.csv && goes_on "going on after frame 3"

# One that is a link, which no row is added behind: known before the work, and by a check.
linked() {
  fresh && mv "m/$1" "$1.far" && ln -s "../$1.far" "m/$1"
  before=$(sums m)
  run 1 run s.yaml -o m --resume
  expect "$err" "m/$1: it is a link"
  refuse "$err" "after frame"
  [[ $(sums m) == "$before" ]] || die "a link for $1: refused, and the folder changed"
  run 1 info --verify m
  expect "$out" "m/$1 is a link"
  refuse "$out" "goes on"
}
for name in stats.csv colliders.csv probes.csv log.jsonl; do linked "$name"; done
# So for one that is no file at all.
obstructed() { # what a check says of m, which a resume refuses
  local before
  before=$(find m | sort)
  run 1 info --verify m
  expect "$out" "$1"
  refuse "$out" "goes on"
  refuse "$out" "begins"
  run 1 run s.yaml -o m --resume
  [[ $(find m | sort) == "$before" ]] || die "refused for $1, and the folder changed"
}
fresh && rm m/frames.hdf.series && mkdir m/frames.hdf.series &&
  obstructed "frames.hdf.series: Is a directory"
fresh && rm m/log.jsonl && mkdir m/log.jsonl && obstructed "m/log.jsonl is a folder"
fresh && rm m/log.jsonl && mkfifo m/log.jsonl && obstructed "m/log.jsonl is a device or a pipe"
rm -rf m && mkdir m m/log.jsonl && obstructed "m/log.jsonl is a folder"
rm -rf m && mkdir m m/probes.csv && obstructed "m/probes.csv: Is a directory"
# A folder in the place of a file that is to be replaced: nothing is taken away for that.
for name in probes.csv frames.hdf.series scene.next.yaml; do
  fresh && rm -f "m/$name" && mkdir "m/$name"
  before=$(sums m)
  run 1 run s.yaml -o m --overwrite
  expect "$err" "m/$name: Is a directory"
  [[ $(sums m) == "$before" ]] || die "a folder for $name: refused, and the old run changed"
done

# What a spreadsheet does on its own is mended.
fresh && sed -i 's/$/\r/' m/stats.csv m/probes.csv && goes_on "m/probes.csv" "mended"
fresh && sed -i 's/,/;/g' m/*.csv && goes_on "m/stats.csv" "mended" "going on after frame 4"
fresh && sed -i 's/,/;/g; s/\./,/g' m/stats.csv && goes_on "mended" "going on after frame 4"
fresh && sed -i '1s/^/\xef\xbb\xbf/; s/\([^,]*\)/"\1"/g' m/colliders.csv && goes_on "mended"
# So is a flipped bit in a header, since all rows are as the checkpoints say.
fresh && sed -i '1s/mass/masr/' m/probes.csv && goes_on "m/probes.csv" "mended"
# The finished run again: there is nothing to do, but to mend.
run 0 run s.yaml -o m --resume
cp m/stats.csv stats.csv && sed -i 's/$/\r/' m/stats.csv
run 1 info --verify m
expect "$out" "m/stats.csv: line ends"
expect "$out" "goes on after frame 5"
run 0 run s.yaml -o m --resume
expect "$out" "nothing to do"
cmp stats.csv m/stats.csv || die "stats.csv of a finished run was not mended"

# ---- frames and checkpoints

flip() { # a bit in the middle of a file
  python3 - "$1" <<'PYTHON'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[len(data) // 2] ^= 1
open(sys.argv[1], "wb").write(data)
PYTHON
}
fresh && : >m/frame_00001.hdf && refused "m/frame_00001.hdf"
fresh && flip m/frame_00002.hdf && refused "m/frame_00002.hdf is damaged"
fresh && mv m/frame_00001.hdf x && mv m/frame_00002.hdf m/frame_00001.hdf &&
  mv x m/frame_00002.hdf &&
  refused "m/frame_00001.hdf holds frame 2"
run 1 info --verify m
expect "$out" "m/frame_00002.hdf holds frame 1"
fresh && rm m/frame_00000.hdf && refused "m/frame_00000.hdf is missing"
fresh && flip m/frame_00004.hdf &&
  goes_on "m/frame_00004.hdf is damaged" "after frame 3 is made again"
fresh && rm m/frame_00004.hdf && goes_on "m/frame_00004.hdf is missing"
fresh && flip m/checkpoint_00004.hdf && goes_on "m/checkpoint_00004.hdf is damaged"
fresh && flip m/checkpoint_00003.hdf && run 1 info --verify m &&
  expect "$out" "m/checkpoint_00003.hdf is damaged" && goes_on
fresh && flip m/checkpoint_00004.hdf && flip m/checkpoint_00003.hdf &&
  refused "no checkpoint can be used"
# A name alone makes no frames.
fresh && cp m/checkpoint_00004.hdf m/checkpoint_00030.hdf && goes_on
[[ ! -e m/frame_00006.hdf ]] || die "a checkpoint's name is taken at its word"
# Without a checkpoint the frames may be whole, but the run is not what a resume can go on with.
fresh && rm m/checkpoint_0000?.hdf && refused "no checkpoint to go on from"
# Frames that were not asked for at first.
rm -rf m && run 0 run s.yaml -o m --quiet --frames 2:4
run 0 info --verify m
cp -r m n
for how in "" "--frames 2:5" "--frames :5"; do
  rm -rf m && cp -r n m
  # shellcheck disable=SC2086
  run 0 run s.yaml -o m --resume $how
  expect "$err" "going on after frame 4"
  [[ $how == *2* ]] || expect "$err" "2 frames up to 1 were not asked for"
  cmp whole/frame_00005.hdf m/frame_00005.hdf || die "resumed from frame 2 on, frame 5 differs"
  [[ $(cd m && echo frame_*) == "frame_00002.hdf frame_00003.hdf frame_00004.hdf frame_00005.hdf" ]] ||
    die "resumed from frame 2 on: $(ls m)"
  run 0 info --verify m
done
# One of those that were asked for is none the less missed; and who names frame 0 wants it.
rm -rf m && cp -r n m && rm m/frame_00002.hdf && refused "m/frame_00002.hdf is missing"
rm -rf m && cp -r n m && run 2 run s.yaml -o m --resume --frames 0:5
expect "$err" "m/frame_00000.hdf is missing: it was not asked for so far, and is now"
expect "$err" "--frames :B goes on without it"
[[ $err != *"put back"* ]] || die "asked to put back what was never there: $err"
rm -rf m && cp -r n m && flip m/frame_00004.hdf && run 2 run s.yaml -o m --resume --frames 0:5
expect "$err" "m/frame_00000.hdf is missing: it was not asked for so far, and is now"
[[ $err != *"put back"* ]] ||
  die "asked to put back what was never there, since another is damaged: $err"
# Frames that are there and fewer asked for: what was made is made again.
fresh && flip m/frame_00004.hdf && run 0 run s.yaml -o m --resume --frames 0:2
cmp good/frame_00004.hdf m/frame_00004.hdf || die "frame 4 is not made again"
cmp <(columns good/stats.csv) <(columns m/stats.csv) || die "rows are lost"

# ---- the scene

fresh && rm m/scene.yaml && refused "m/scene.yaml is missing"
fresh && echo nonsense >m/scene.yaml && refused "scene.yaml"
# Another one than the run's, though the scene that is given is the same or itself.
fresh && sed -i 's/title: "small"/title: "large"/' m/scene.yaml &&
  refused "m/scene.yaml" "checksum" "no longer fits"
before=$(sums m)
run 2 run m/scene.yaml -o m --resume
expect "$err" "m/scene.yaml is not the scene that began this folder"
sed -i '/^# sum/d' m/scene.yaml && before=$(sums m)
run 2 run m/scene.yaml -o m --resume
expect "$err" "is gone"
[[ $(sums m) == "$before" ]] || die "an edited scene.yaml: refused, and the folder changed"

# ---- a second run

fresh
before=$(sums m)
run 2 run s.yaml -o m
expect "$err" "--resume"
expect "$err" "--overwrite"
[[ $(sums m) == "$before" ]] || die "a run that was refused changed the folder"
run 2 run s.yaml -o m --resume --overwrite
expect "$err" "choose one"
[[ $(sums m) == "$before" ]] || die "a usage error changed the folder"
# A scene without colliders and probes leaves none of the old tables, and nothing half written. What
# firn has not begun itself stays.
touch m/{stats.csv,frame_00003.hdf,checkpoint_00003.hdf,scene.yaml,picture_00001.png,mine}.part
cat >bare.yaml <<'SCENE'
firn: 1
h: 2 cm
frames: 1
fps: 500 Hz
snow:
  - shape: {sphere: {center: [0, 7 cm, 0], radius: 3 cm}}
SCENE
run 0 run bare.yaml -o m --overwrite --quiet
[[ $(cd m && echo *) == "checkpoint_00000.hdf checkpoint_00001.hdf firn-files.txt frame_00000.hdf frame_00001.hdf \
frames.hdf.series log.jsonl mine.part picture_00001.png.part scene.yaml stats.csv" ]] || die "overwritten: $(ls m)"
run 0 info --verify m
touch m/frame_00001.hdf.part
run 0 run bare.yaml -o m --resume --quiet
[[ ! -e m/frame_00001.hdf.part ]] || die "a resume leaves what was half written"
# Killed while it replaced another scene's: nothing of use is left there, and a resume goes on.
run 0 run bare.yaml -o bare --quiet
fresh && cp bare/scene.yaml m/scene.next.yaml && rm m/checkpoint_* m/stats.csv
run 1 info --verify m
expect "$out" "was stopped while it replaced"
run 2 run s.yaml -o m --resume
expect "$err" "another scene"
run 0 run bare.yaml -o m --resume --quiet
[[ $(cd m && echo frame_*) == "frame_00000.hdf frame_00001.hdf" ]] || die "frames: $(ls m)"
# A scene to come that nothing has made room for takes nothing away, and is told of.
fresh && cp m/scene.yaml m/scene.next.yaml && run 1 info --verify m
expect "$out" "m/scene.next.yaml is left of a run"
expect "$out" "goes on after frame 4"
run 0 run s.yaml -o m --resume --quiet --frames 0:0
cmp good/frame_00004.hdf m/frame_00004.hdf || die "frames are gone for a scene.next.yaml"
cmp good/stats.csv m/stats.csv || die "rows are gone for a scene.next.yaml"
[[ ! -e m/scene.next.yaml ]] || die "scene.next.yaml is left"
goes_on
fresh && cp bare.yaml m/scene.next.yaml && run 2 run bare.yaml -o m --resume --quiet
cmp good/frame_00004.hdf m/frame_00004.hdf || die "frames are gone for another scene.next.yaml"
# Pictures of the old run go with it, but for one that was changed since. Others stay.
fresh && run 0 run s.yaml -o m --overwrite --quiet --frames 0:1 --pictures
: >m/picture_00003.png && : >m/picture_mine.png && mkdir m/picture_00009.png &&
  echo mine >>m/picture_00001.png
run 0 run s.yaml -o m --overwrite --quiet --frames 0:1
[[ $(cd m && echo picture_*) == "picture_00001.png picture_00003.png picture_00009.png picture_mine.png" ]] ||
  die "pictures of the old run: $(ls m)"
run 0 info --verify m
expect "$out" "2 frames, 2 checkpoints"
# Only the initial state is there, and no checkpoint: that is a beginning.
rm m/frame_00001.hdf m/checkpoint_*
# But not where there are rows of later frames.
refused "no checkpoint to go on from"
[[ $(wc -l <m/stats.csv) == 3 ]] || die "rows are lost"
sed -i 3d m/stats.csv && sed -i '4,$d' m/probes.csv && sed -i '2,$d' m/colliders.csv
run 0 info --verify m
expect "$out" "begins anew"
goes_on

# ---- a folder that holds something else

mkdir own && { echo "# mine" && cat s.yaml; } >own/scene.yaml
before=$(sums own)
keeps() { # words of firn run
  run 2 run "$@" -o own --quiet
  [[ $(sums own) == "$before" ]] || die "firn run $* changed what was there"
}
for how in "" --resume --overwrite; do
  # shellcheck disable=SC2086
  keeps own/scene.yaml $how
  expect "$err" "own/scene.yaml is the scene itself"
done
keeps s.yaml
expect "$err" "own/scene.yaml is not a file of this run"
expect "$err" "move it away"
keeps s.yaml --resume
keeps s.yaml --overwrite
rm own/scene.yaml && run 0 run s.yaml -o own --quiet --frames 0:1
run 0 run own/scene.yaml -o own --resume --quiet --frames 0:2
run 0 run own/scene.yaml -o own --overwrite --quiet --frames 0:1
run 0 run own/scene.yaml -o own --resume --quiet --set frames=2
grep -q '^frames: 2$' own/scene.yaml || die "frames: $(grep ^frames own/scene.yaml)"
# Remarks in the scene of a run stay.
echo "# mine" >>own/scene.yaml && run 0 run own/scene.yaml -o own --resume --quiet
[[ $(tail -1 own/scene.yaml) == "# mine" ]] || die "the remark is gone"
rm -rf own && mkdir own && printf 'time,probe\n1,2\n' >own/probes.csv
before=$(sums own)
keeps s.yaml
expect "$err" "own/probes.csv is not a file of this run"
keeps s.yaml --resume
keeps s.yaml --overwrite
# Rows are all that is left of a run: a resume of its scene begins anew, one of another does not.
fresh && rm m/frame_* m/checkpoint_*
run 2 run bare.yaml -o m --resume
expect "$err" "the scene differs from the one that began this folder"
run 2 run s.yaml -o m
goes_on

# ---- pictures

view=(--set preview.width=64 --set preview.height=36)
rm -rf m && run 0 run s.yaml -o m --pictures --quiet --frames 0:2 "${view[@]}"
cp m/picture_00002.png kept.png && rm m/picture_00002.png
run 0 run s.yaml -o m --pictures --quiet --frames 0:3 --resume "${view[@]}"
cmp kept.png m/picture_00002.png || die "the picture that was not drawn before is not drawn now"
# One that cannot be drawn, as something else has its name: known before the work.
mkdir m/picture_00004.png
before=$(sums m)
run 2 run s.yaml -o m --pictures --quiet --resume "${view[@]}"
expect "$err" "m/picture_00004.png is not a file of this run"
[[ $(sums m) == "$before" ]] || die "a picture in the way: refused, and the folder changed"
rmdir m/picture_00004.png
run 0 run s.yaml -o m --pictures --quiet --resume "${view[@]}"
[[ -s m/picture_00004.png && -s m/picture_00005.png ]] || die "pictures: $(ls m)"

# Of a finished run all that are missing are drawn, of the frames, and are the run's.
names() { (cd m && echo picture_* && sed 's/[^ ]* //' firn-files.txt | grep -v '^[0-9a-f]*$'); }
before=$(names)
rm m/picture_0000[0135].png
run 0 run s.yaml -o m --pictures --resume "${view[@]}"
expect "$out" "of frames that were there"
[[ $(names) == "$before" ]] || die "pictures that were missing: $(names), not $before"
rm m/picture_* && run 0 run s.yaml -o m --pictures=2 --quiet --resume "${view[@]}"
[[ $(cd m && echo picture_*) == "picture_00000.png picture_00002.png picture_00004.png" ]] || die "every second: $(ls m)"

# ---- more frames than the scene has

run 0 run s.yaml -o m --resume --quiet --set frames=2 "${view[@]}"
run 0 info m
expect "$out" "6 (0 to 5), more than the 3 of the scene"
refuse "$out" "of 3"
run 2 info --verify s.yaml
exit 0
