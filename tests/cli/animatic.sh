#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 60
# processors: 2
# firn render SCENE --frames: bodies move, outlines show where snow comes from, and nothing is
# simulated.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

cat >plan.yaml <<'SCENE'
firn: 1
h: 5 cm
frames: 8
fps: 10 Hz
snow:
  - shape: {box: {center: [0, 20 cm, 0], size: [20 cm, 20 cm, 20 cm]}}
emitters:
  - {shape: {sphere: {center: [0, 1.5, 0], radius: 0.2}}, velocity: [0, -1, 0], start: 0.3 s, stop: 0.6 s}
colliders:
  - {name: ground, shape: {half_space: {}}}
  - {name: block, shape: {box: {center: [-1, 60 cm, 0], size: [20 cm, 20 cm, 20 cm]}}, motion: {velocity: [1, 0, 0]}}
SCENE
# Where the pixels of a kind stand, in pixels: their number, and the least and most of x and y.
pixels_module
cat >find.py <<'PYTHON'
import sys

from pixels import rows

kinds = {
    "orange": lambda r, g, b: (r, g, b) == (255, 140, 30),
    "grey": lambda r, g, b: (r, g, b) == (150, 160, 170),
    "body": lambda r, g, b: r > b + 15 and (r, g, b) != (255, 140, 30),
}
is_one = kinds[sys.argv[2]]
found = [
    (i // 3, y)
    for y, row in enumerate(rows(sys.argv[1]))
    for i in range(0, len(row), 3)
    if is_one(*row[i : i + 3])
]
xs, ys = [x for x, y in found] or [0], [y for x, y in found] or [0]
print(len(found), min(xs), max(xs) + 1, min(ys), max(ys) + 1)
PYTHON
within() { # WHAT VALUE EXPECTED PIXELS
  python3 -c "import sys; sys.exit(abs(($2) - ($3)) > $4)" || die "$1: $2, not $3"
}

# 180 rows see 2 tan(15 deg) 5 m = 2.679 m at the target: 67.2 pixels a metre.
view=(--camera "0,0.75,5:0,0.75,0:30" --size 320x180)
run 0 render plan.yaml --frames 0:8 "${view[@]}" -o plan
expect "$out" "9 frames, 9 rendered now"
[[ ! -e plan_animatic && $(find plan -name 'frame_*.png' | wc -l) == 9 ]] || die "pictures: $(ls plan)"

# The block of 0.2 m moves by 1 m/s. Its near face, 4.9 m away, is what is seen widest of it: 0.2 m
# are 13.7 pixels.
for frame in 0 4 8; do
  read -r count left right _ _ <<<"$(python3 find.py plan/frame_0000$frame.png body)"
  [[ $count -gt 50 ]] || die "no block in frame $frame"
  within "middle of the block in frame $frame" "($left + $right) / 2" \
    "160 + 67.2 * (-1 + 0.1 * $frame)" 4
done

# The emitter: a ring of radius 0.2 m, 0.75 m above the target, orange from 0.3 s until 0.6 s. A
# sphere is seen a little wider than its middle plane: tan(asin(0.2 / 5.056)) 5.056 = 0.2002 m.
for frame in 0 2 3 5 6 8; do
  on=grey off=orange
  ((frame >= 3 && frame < 6)) && on=orange off=grey
  read -r count left right top bottom <<<"$(python3 find.py plan/frame_0000$frame.png $on)"
  [[ $count -gt 25 ]] || die "frame $frame has no $on outline"
  within "width of the outline in frame $frame" "$right - $left" "2 * 0.2002 * 67.2" 2.5
  within "middle of the outline" "($top + $bottom) / 2" "90 - 0.75 * 67.2" 2.5
  read -r count _ <<<"$(python3 find.py plan/frame_0000$frame.png $off)"
  [[ $count == 0 ]] || die "frame $frame has $count pixels of an outline that is $off"
done

# The same command goes on; one frame is one picture; every other one; and without -o a folder of
# that name.
run 0 render plan.yaml --frames 0:8 "${view[@]}" -o plan
expect "$out" "9 frames, 0 rendered now"
run 0 render plan.yaml --frames 3 "${view[@]}" -o three.png
cmp three.png plan/frame_00003.png || die "frame 3 by itself differs"
run 0 render plan.yaml --frames 2: --every 3 --quality 0.5 --size 64x36
[[ $(find plan_animatic -name 'frame_*.png' -printf '%f\n' | sort | paste -sd ' ') == \
  "frame_00002.png frame_00005.png frame_00008.png" ]] || die "$(ls plan_animatic)"
# Where nothing else moves all pictures are the same: the snow does not fall.
run 0 render plan.yaml --frames 0:8 --every 4 --size 64x36 -o still --set emitters=[] --set \
  'colliders=[{shape: {half_space: {}}}]'
cmp still/frame_00000.png still/frame_00004.png || die "snow moves"
cmp still/frame_00000.png still/frame_00008.png || die "snow moves"
# A keyed camera moves with the frames.
run 0 render plan.yaml --frames 0:1 --size 64x36 -o moving --set emitters=[] --set 'colliders=[{shape: {half_space: {}}}]' \
  --set 'render.camera={eye: {keys: [[0 s, [0, 1, 3]], [1 s, [1, 1, 3]]]}, target: [0, 0, 0]}'
cmp -s moving/frame_00000.png moving/frame_00001.png && die "a keyed camera stands still"

if command -v ffmpeg >/dev/null; then
  run 0 render plan.yaml --frames 0:2 --quality 0.5 --size 64x36 -o plan.mp4
  [[ $(head -c 12 plan.mp4 | tail -c 8 | head -c 4) == ftyp && -s plan.frames/frame_00002.png ]] || die "no film"
fi

run 2 render plan.yaml --frames 9: -o none
expect "$err" "the scene ends with frame 8"
run 2 render plan.yaml --frames 0:3 --turntable 4
expect "$err" "leave out --frames"
run 2 render plan.yaml --frames 0:3 --format exr
expect "$err" "previews are PNG files"
run 2 render plan.yaml --scene plan.yaml
expect "$err" "--scene is for the frames of a run"
