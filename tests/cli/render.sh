#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 120
# processors: 2
# firn render: pictures, folders that go on where they stopped, films, and what it says when it
# cannot.
source "$(dirname "$0")/common.bash"
out="" err="" code=0 # what run and stop_at hear

is_png() {
  [[ $(head -c 8 "$1" | od -An -tx1 | tr -d ' \n') == 89504e470d0a1a0a ]] || die "$1 is not a PNG"
}
small=(--size 48x27 --spp 2)

run 0 run demo -o run --set quality=0.2 --set frames=3 --quiet

# One picture: of the last frame, beside it, unless told otherwise.
run 0 render run "${small[@]}"
expect "$out" "run/render_00003.png"
is_png run/render_00003.png
run 0 render run "${small[@]}" -o one.png --frames 1 --quiet
[[ -z $out ]] || die "--quiet says: $out"
is_png one.png
cmp -s one.png run/render_00003.png && die "frames 1 and 3 look the same"
run 0 render run/frame_00001.hdf "${small[@]}" -o same.png --threads 1
cmp one.png same.png || die "a frame by itself, on one thread, looks different"
run 0 render run "${small[@]}" -o light.exr --set render.planes=true --json
expect "$out" '"event": "frame", "frame": 3'
[[ $(head -c 4 light.exr | od -An -tx1 | tr -d ' \n') == 762f3101 ]] || die "not an EXR file"

# The scene's settings, changed from outside.
run 0 render run "${small[@]}" -o dark.png --set render.exposure=-4 --quiet
run 0 render run "${small[@]}" -o bright.png --set render.exposure=4 --quiet
cmp -s dark.png bright.png && die "exposure changes nothing"
run 0 render run "${small[@]}" -o aside.png --camera 0,0.5,2:0.1,0,0:20 --quiet
run 0 render run "${small[@]}" -o top.png --view top --quiet
cmp -s aside.png top.png && die "cameras change nothing"
# Looks by name: of a folder that was run without them, and kept with one that was run with them. A
# name that the scene does not have is told.
red='render.looks.ground.albedo=[0.8, 0, 0]'
run 0 render run "${small[@]}" -o plain.png --frames 0 --quiet
run 0 render run "${small[@]}" -o red.png --frames 0 --set "$red" --quiet
cmp -s plain.png red.png && die "looks change nothing"
run 0 run demo -o looks --set quality=0.2 --set frames=0 --set "$red" --quiet
run 0 render looks "${small[@]}" -o kept.png --quiet
cmp red.png kept.png || die "a run does not keep its looks"
run 2 render run "${small[@]}" -o none.png --set 'render.looks.grund.albedo=[0.8, 0, 0]'
expect "$err" "render.looks.grund: no collider 'grund'; did you mean 'ground'?"
# A camera that sees no snow says so; one that sees a little of it does not.
for how in --spp=1 --preview; do
  run 0 render run --size 48x27 $how -o away.png --frames 2 --camera 0,1,5:0,1,9 --quiet
  expect "$err" "warning: no snow is in view in frame 2; try --view front or another --frames"
  run 0 render run --size 48x27 $how -o beside.png --frames 2 --camera 0,1,5:90,1,5 --quiet
  expect "$err" "no snow is in view in frame 2"
  run 0 render run --size 48x27 $how -o back.png --frames 2 --view back --quiet
  refuse "$err" "in view"
  run 0 render run --size 48x27 $how -o back.png --frames 2 --quiet
  refuse "$err" "in view"
done
# A frame without its scene: no bodies, but a picture.
cp run/frame_00002.hdf alone.hdf
run 0 render alone.hdf "${small[@]}" -o alone.png
is_png alone.png

# Quick pictures and colours.
run 0 render run --preview
expect "$out" "run/preview_00003.png"
is_png run/preview_00003.png
run 0 render run --color speed --size 320x180 -o speed.png --quiet
run 0 render run --color velocity.y --map balance --range=-3:3 --cut 'x>0' --size 320x180 -o y.png
cmp -s speed.png y.png && die "colours are the same"
run 0 render run --color jp --size 320x180 -o jp.png --threads 1 --quiet
run 0 render run --color jp --size 320x180 -o jp3.png --threads 3 --quiet
cmp jp.png jp3.png || die "threads change a preview"

# A folder: numbered pictures, and the second call finds them.
run 0 render run --preview --size 64x36 -o film
expect "$out" "film: 4 frames, 4 rendered now"
is_png film/frame_00000.png
before=$(stat -c %Y.%i film/frame_00001.png)
rm film/frame_00002.png
run 0 render run --preview --size 64x36 -o film
expect "$out" "3 of 4 pictures are there already"
expect "$out" "film: 4 frames, 1 rendered now"
[[ $(stat -c %Y.%i film/frame_00001.png) == "$before" ]] || die "a whole picture was drawn again"
# Other settings begin anew when asked to; and what only looks like a picture of ours does not count.
before=$(stat -c %Y.%i film/*)
run 2 render run --preview --size 64x36 -o film --color density --range 100:500
expect "$err" "film has 4 pictures of other settings"
[[ $(stat -c %Y.%i film/*) == "$before" ]] || die "pictures of other settings were touched"
run 0 render run --preview --size 64x36 -o film --color density --range 100:500 --force
expect "$out" "4 rendered now"
run 0 render run --preview --size 64x36 -o film --color density --range 100:500 --frames 1:2
expect "$out" "2 frames, 0 rendered now"
run 0 render run --preview --size 64x36 -o film --color density --range 100:500 --force --quiet

# The same folder by another name; a line of render.txt that a power cut has left; a frame written
# anew.
run 0 render run --preview --size 64x36 -o again --quiet
run 0 render ./run/ --preview --size 64x36 -o again
expect "$out" "4 frames, 0 rendered now"
sed -i '/^done 2/d' again/render.txt
printf 'done 2' >>again/render.txt
run 0 render run --preview --size 64x36 -o again
expect "$out" "1 rendered now"
run 0 render run --preview --size 64x36 -o again
expect "$out" "0 rendered now"
touch run/frame_00001.hdf # within the same second
run 0 render run --preview --size 64x36 -o again
expect "$out" "1 rendered now"
run 0 render run --preview --size 66x36 -o again --force
expect "$out" "again has pictures of other settings; begins anew"
# No picture of other settings stays among the new ones; what is not of firn does.
cp again/frame_00001.png again/frame_00077.png
run 0 render run --preview --size 68x36 -o again --frames 2:2 --force
expect "$out" "again: 1 frame, 1 rendered now"
[[ $(cd again && echo *) == "frame_00002.png frame_00077.png render.txt" ]] || die "left: $(ls again)"
# --force makes those of its range once more, and forgets none of the others.
run 0 render run --preview --size 68x36 -o again --quiet
run 0 render run --preview --size 68x36 -o again --frames 1:2 --force
expect "$out" "again: 2 frames, 2 rendered now"
run 0 render run --preview --size 68x36 -o again
expect "$out" "again: 4 frames, 0 rendered now"
printf 'again 3\n' >>again/render.txt # as --force that was stopped leaves it
run 0 render run --preview --size 68x36 -o again
expect "$out" "again: 4 frames, 1 rendered now"
run 0 render run --preview --size 64x36 -o again --frames 0 --force --quiet
[[ $(cd again && echo *) == "frame_00000.png frame_00077.png render.txt" ]] || die "left: $(ls again)"
# An environment map that changes is another setting.
map() {
  printf '#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 2\n' >studio.hdr
  printf '%b' "$1$1$1$1" >>studio.hdr
}
map '\0200\0200\0200\0201'
lit=(--set render.sky.map=studio.hdr --size 32x18 --spp 1 -o lit)
run 0 render run "${lit[@]}" --quiet
before=$(md5sum <lit/frame_00003.png)
run 0 render run "${lit[@]}"
expect "$out" "0 rendered now"
map '\01\01\0200\0202'
run 2 render run "${lit[@]}"
expect "$err" "lit has 4 pictures of other settings, meshes or maps"
run 0 render run "${lit[@]}" --force
expect "$out" "4 rendered now"
[[ $(md5sum <lit/frame_00003.png) != "$before" ]] || die "another map, and the same picture"

# EXR files in a folder; PNG files of the same settings are others.
run 0 render run "${small[@]}" -o both --format exr --frames 0:1 --quiet
[[ $(head -c 4 both/frame_00001.exr | od -An -tx1 | tr -d ' \n') == 762f3101 ]] || die "no EXR file"
run 0 render run "${small[@]}" -o both --frames 0:1
expect "$out" "2 rendered now"
is_png both/frame_00001.png

# Ctrl-C: what is whole stays, and the same command goes on.
stop_at slow/frame_00001.png "$FIRN" render run --size 96x54 --spp 64 -o slow >slow.out 2>&1
[[ $code == 1 ]] || die "interrupted: exit $code: $(cat slow.out)"
expect "$(cat slow.out)" "the same command goes on"
is_png slow/frame_00000.png
lines=$(grep -c '^done' slow/render.txt)
((lines < 4)) || die "not interrupted"
run 0 render run --size 96x54 --spp 64 -o slow
expect "$out" "$lines of 4 pictures are there already"
expect "$out" "slow: 4 frames, $((4 - lines)) rendered now"

if command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null; then
  run 0 render run --preview --size 65x37 -o drop.mp4
  expect "$out" "drop.mp4: 4 frames"
  said=$(ffprobe -v error -count_frames -show_entries stream=nb_read_frames,width,height,r_frame_rate \
    -of default=nw=1 drop.mp4)
  expect "$said" "nb_read_frames=4"
  expect "$said" "width=66" # sizes are made even
  expect "$said" "r_frame_rate=120/1"
  run 0 render run --preview --size 65x37 -o drop.mp4
  expect "$out" "0 rendered now"
  # Half of the frames last twice as long, unless --fps says otherwise.
  rate_of() { ffprobe -v error -count_frames -show_entries stream=nb_read_frames,r_frame_rate -of \
    csv=p=0 "$1"; }
  run 0 render run --preview --size 64x36 -o half.mp4 --every 2 --quiet
  [[ $(rate_of half.mp4) == 60/1,2 ]] || die "every second frame: $(rate_of half.mp4)"
  run 0 render run --preview --size 64x36 -o slow.mp4 --frames 1:3 --fps 5 --quiet
  [[ $(rate_of slow.mp4) == 5/1,3 ]] || die "5 a second: $(rate_of slow.mp4)"
  run 0 render run --preview --size 64x36 -o 12:30.MP4 # neither a protocol nor a folder
  [[ -f 12:30.MP4 && ! -e 12:30.MP4.part ]] || die "no film"
fi
# Ctrl-C while the film is made: no half of it, and the pictures stay.
mkdir tools
printf '#!/bin/sh\ntrap "" INT\n: >started\nexec sleep 1000\n' >tools/ffmpeg
chmod +x tools/ffmpeg
PATH=$PWD/tools:$PATH "$FIRN" render run --preview --size 64x36 -o cut.mp4 >cut.out 2>&1 &
child=$!
until [[ -e started ]]; do sleep 0.1; done
kill -INT "$child"
wait "$child"
[[ $? == 1 ]] || die "a film that was stopped"
expect "$(cat cut.out)" "the same command makes the film"
is_png cut.frames/frame_00003.png
[[ ! -e cut.mp4 ]] || die "half a film"
# Without ffmpeg it says so before it renders, and how to go on; the film finds the pictures.
mkdir empty
PATH=empty "$FIRN" render run --preview --size 64x36 -o none.mp4 >none.out 2>&1
[[ $? == 1 ]] || die "a film of nothing: $(cat none.out)"
expect "$(cat none.out)" "apt install ffmpeg"
expect "$(cat none.out)" "-o none.frames makes the pictures without it"
[[ ! -e none.mp4 && ! -e none.frames ]] || die "half a film"
PATH=empty "$FIRN" render run --preview --size 64x36 -o none.frames --quiet || die "no pictures"
printf '#!/bin/sh\nfor last; do :; done\nexec cat >"${last#file:}"\n' >tools/ffmpeg
PATH=nowhere::$PWD/tools:$PATH "$FIRN" render run --preview --size 64x36 -o none.mp4 >none.out \
  2>&1 ||
  die "no film: $(cat none.out)"
expect "$(cat none.out)" "none.mp4: 4 frames, 0 rendered now"

# Wrong questions.
run 2 render run --color colour
expect "$err" "no 'colour' to colour by; it has density, id, jp, mass"
expect "$err" "velocity, and so speed."
run 2 render run --color "$(printf 'x%.0s' {1..9000})" --range 0:1 -o long
expect "$err" "xxx"
run 2 render run --color velocity.w
expect "$err" "velocity.x, .y or .z"
run 2 render run --set render.sampels=3
expect "$err" "samples"
run 2 render run --size 12
expect "$err" "1280x720"
run 2 render run --cut w
expect "$err" "'x>0.1'"
run 2 render run --frames 7:9
expect "$err" "frames 7 to 9 are missing; run has frames 0 to 3"
# Frames that are missing are named; the others are rendered.
mkdir gap
cp run/scene.yaml run/frame_0000[013].hdf gap
run 0 render gap --preview --size 64x36 -o gap.films --frames 1:5
expect "$err" "warning: frames 2, 4 and 5 are missing in gap; going on with the other 2"
expect "$out" "gap.films: 2 frames, 2 rendered now"
run 0 render gap --preview --size 64x36 -o gap.films
expect "$err" "warning: frame 2 is missing in gap; going on with the other 3"
run 2 render gap --preview -o gap.png --frames 2
expect "$err" "frame 2 is missing; gap has frames 0 to 3, not all of them"
run 0 render gap --preview --size 64x36 -o gap.films --frames 1: --every 2
refuse "$err" "missing"
mkdir even # as output.every leaves them
for i in 2 4 8; do cp run/frame_00001.hdf even/frame_0000$i.hdf; done
run 0 render even --preview --size 64x36 -o even.films --frames 1:9
expect "$err" "warning: frame 6 is missing in even; going on with the other 3"
run 2 render even --preview -o even.png --frames 5
expect "$err" "frame 5 is missing; even has frames 2 to 8, not all of them"
rm gap/frame_00000.hdf # nobody has asked for it by its number
run 0 render gap --preview --size 64x36 -o gap.late
expect "$err" "warning: frame 2 is missing in gap; going on with the other 2"
run 2 render run --frames 0:2 -o a.png
expect "$err" "do not fit into a.png"
run 2 render run -o a.jpg
expect "$err" "a.jpg: pictures are .png or .exr files, films .mp4"
[[ ! -e a.jpg ]] || die "a folder named a.jpg"
run 0 render run "${small[@]}" -o a.PNG
is_png a.PNG
run 1 render run "${small[@]}" -o nowhere/a.png
expect "$err" "nowhere/a.png"
run 2 render run -o a.png --camera 1,2,3
expect "$err" "EYE:TARGET"
run 2 render nowhere
expect "$err" "nowhere"
run 2 render empty
expect "$err" "holds no frames"
run 2 render
expect "$err" "which folder"
run 2 render alone.hdf --set render.samples=3
expect "$err" "--scene"
run 0 run demo -o thin --set quality=0.2 --set frames=0 --set 'output.fields=[velocity]' --quiet
run 2 render thin
expect "$err" "no field 'mass'"
run 0 render thin --preview --quiet
# Frames of 16 bits.
run 0 run demo -o compact --set quality=0.2 --set frames=1 --set output.precision=16 --quiet
run 0 render compact "${small[@]}" -o compact.png
is_png compact.png
head -c 3000 run/frame_00001.hdf >cut.hdf
run 2 render cut.hdf
expect "$err" "cut.hdf"
# A scene takes --quality; frames cannot be made again.
run 0 render demo --quality 0.2 --preview --quiet -o coarse.png
run 0 render demo --set quality=0.2 --preview --quiet -o coarser.png
cmp coarse.png coarser.png || die "--quality is not --set quality"
run 2 render run --quality 0.2
expect "$err" "run is no scene: --quality is for a scene"
run 0 help render
expect "$out" "--preview"
exit 0
