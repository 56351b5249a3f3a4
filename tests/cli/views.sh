#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# labels: slow
# timeout: 60
# processors: 2
# firn render of a scene before it is run, cuts, turntables, colliders that are not shown, and the
# camera of pictures that a run takes.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears
small=(--size 48x27 --spp 2)
set=(--set quality=0.2)
TMPDIR=$PWD/tmp
export TMPDIR
mkdir tmp

# A scene looks as frame 0 of its run does, and leaves nothing else behind.
run 0 run demo -o run "${set[@]}" --set frames=2 --quiet
for how in --spp=2 --preview "--color=mass"; do
  run 0 render run --size 48x27 "$how" --frames 0 -o run.png --quiet
  run 0 render demo --size 48x27 "$how" "${set[@]}" -o scene.png
  cmp run.png scene.png || die "$how: a scene looks different from its first frame"
done
expect "$out" "scene.png"
[[ -z $(ls -A tmp) ]] || die "left in TMPDIR: $(ls tmp)"
run 0 scenes demo
printf '%s\n' "$out" >my.scene.yaml
run 0 render my.scene.yaml "${small[@]}" "${set[@]}"
expect "$out" "my.scene_render.png"
[[ -s my.scene_render.png ]] || die "no picture in the current folder"
run 0 render my.scene.yaml --preview --size 48x27 "${set[@]}" --quiet
[[ -s my.scene_preview.png ]] || die "no preview in the current folder"
# Numbered pictures of a scene are found again, unless the scene is another.
run 0 render my.scene.yaml --preview --size 48x27 "${set[@]}" --turntable 3 -o around
expect "$out" "around: 3 frames, 3 rendered now"
run 0 render my.scene.yaml --preview --size 48x27 "${set[@]}" --turntable 3 -o around
expect "$out" "around: 3 frames, 0 rendered now"
run 0 render my.scene.yaml --preview --size 48x27 --set quality=0.21 --turntable 3 -o around --force
expect "$out" "around: 3 frames, 3 rendered now"
# The folder of a run is meant, where there is one of the scene's name.
run 0 run demo -o demo "${set[@]}" --set frames=1 --quiet
run 0 render demo --preview --size 48x27
expect "$out" "demo/preview_00001.png"
# What is wrong with a scene has its place; what a scene has not is said.
printf 'firn: 1\nsnow:\n  - {shape: {sphere: {radius: -1}}}\n' >bad.yaml
run 2 render bad.yaml
expect "$err" "bad.yaml:3:"
run 2 render nowhere.yaml
expect "$err" "nowhere.yaml"
run 2 render my.scene.yaml --scene run/scene.yaml
expect "$err" "--scene is for the frames of a run"
[[ -z $(ls -A tmp) ]] || die "left in TMPDIR: $(ls tmp)"

# A turntable: one frame from all around; the first picture is that of the frame, and half a turn on
# it is seen from behind.
run 0 render run "${small[@]}" --turntable 4 -o turn
expect "$out" "turn: 4 frames, 4 rendered now"
cmp -s turn/frame_00000.png turn/frame_00002.png && die "it does not turn"
run 0 render run "${small[@]}" --camera 0,0.5,2:0.1,0,0 --turntable 4 --frames 1 -o arm --quiet
run 0 render run "${small[@]}" --camera 0,0.5,2:0.1,0,0 --frames 1 -o from.png --quiet
cmp arm/frame_00000.png from.png || die "a turntable does not begin where the camera stands"
run 0 render run "${small[@]}" --camera 0.2,0.5,-2:0.1,0,0 --frames 1 -o behind.png --quiet
cmp arm/frame_00002.png behind.png || die "half a turn does not end behind the target"
run 0 render run "${small[@]}" --turntable 3
expect "$out" "run/turntable: 3 frames"
run 2 render run --turntable 4 --frames 0:2 -o turn
expect "$err" "goes round one frame"
run 2 render run --turntable 4 --every 2 -o turn
expect "$err" "goes round one frame"
run 2 render run --turntable 4 -o turn.png
expect "$err" "4 pictures do not fit into turn.png"

# Cuts, path traced and quick; a cut of everything leaves what an empty frame shows.
for how in --spp=4 --preview; do
  run 0 render run --size 48x27 "$how" -o whole.png --quiet
  run 0 render run --size 48x27 "$how" --cut 'x>0' -o half.png --quiet
  run 0 render run --size 48x27 "$how" --cut 1,0,0,0 -o same.png --quiet
  run 0 render run --size 48x27 "$how" --cut 'x>0 & y>0.1&z>-1' -o corner.png --quiet
  run 0 render run --size 48x27 "$how" --cut 'x>0' --cut 'x<0.1' -o none.png --quiet
  run 0 render run --size 48x27 "$how" --cut 'y>-9' -o nothing.png --quiet
  cmp half.png same.png || die "$how: x>0 and 1,0,0,0 differ"
  cmp none.png nothing.png || die "$how: two cuts do not take what either takes"
  [[ $(md5sum whole.png half.png corner.png none.png | cut -d' ' -f1 | sort -u | wc -l) == 4 ]] ||
    die "$how: a cut changes nothing"
done
run 2 render run --cut 'x>0 & w' -o cut.png
expect "$err" "'w' is neither as 'x>0.1'"
run 2 render run --cut 'x>0&x>0&x>0&x>0&x>0&x>0&x>0' -o cut.png
expect "$err" "more than 6 planes"

# Colliders that are not shown; the run goes on with them as they are.
run 0 render run "${small[@]}" -o shown.png --quiet
run 0 render run "${small[@]}" -o hidden.png --set colliders.0.in_pictures=hidden --quiet
run 0 render run "${small[@]}" -o holdout.png --set colliders.0.in_pictures=holdout --quiet
[[ $(md5sum shown.png hidden.png holdout.png | cut -d' ' -f1 | sort -u | wc -l) == 3 ]] ||
  die "a collider looks the same, shown, hidden and held out"
run 0 run demo -o run "${set[@]}" --set frames=3 --set colliders.0.in_pictures=hidden --resume \
  --quiet

# A part of the sun's place will do.
run 0 render run "${small[@]}" -o low.png --set "render.sun.height=5 deg" --quiet
run 0 render run "${small[@]}" -o high.png --set "render.sun.height=80 deg" --quiet
cmp -s low.png high.png && die "the sun's height changes nothing"

# Pictures of a run have the camera of the scene, at their time: it stands at the one place at frame
# 0, and at the other at frame 2.
taken=(--set frames=2 --set 'preview={width: 64, height: 36}' --set \
  'render.sun={azimuth: 0, height: 1}' --quiet)
here="[0, 0.4, 2]" there="[2, 0.4, 0]"
for eye in "$here" "$there" "{keys: [[0, $here], [16 ms, $there]]}"; do
  run 0 run demo -o "seen${#eye}${eye:1:1}" "${set[@]}" "${taken[@]}" \
    --set "render.camera={eye: $eye, target: [0, 0.2, 0]}" --pictures
done
cmp seen110/picture_00000.png seen*k/picture_00000.png ||
  die "a run does not see its scene's camera"
cmp seen112/picture_00002.png seen*k/picture_00002.png || die "the camera does not follow its keys"
cmp -s seen110/picture_00002.png seen112/picture_00002.png && die "cameras change nothing"
exit 0
