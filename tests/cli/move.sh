#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 120
# processors: 2
# The folder of a run holds all that it needs: it may be moved, and what the scene was made of may
# go.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

mkdir -p src/a src/b
python3 - <<'PYTHON'
import json, struct, zlib
cube = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
def obj(path, scale, shift):
    with open(path, "w") as f:
        for p in cube:
            f.write("v %g %g %g\n" % tuple(scale * a + b for a, b in zip(p, shift)))
        for face in faces:
            f.write("f %d %d %d %d\n" % tuple(i + 1 for i in face))
obj("src/a/block.obj", 0.03, (0.2, 0.03, 0))    # two files of one name
obj("src/b/block.obj", 0.02, (-0.2, 0.02, 0))
for i in range(3):
    obj("src/walk_%03d.obj" % i, 0.02, (0, 0.02, 0.2 + 0.01 * i))
corners = b"".join(struct.pack("<3f", *(0.02 * a + b for a, b in zip(p, (0, 0.02, -0.2)))) for p in cube)
index = b"".join(struct.pack("<6H", a, b, c, a, c, d) for a, b, c, d in faces)
open("src/corners.bin", "wb").write(corners)
open("src/index.bin", "wb").write(index)
json.dump({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
  "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
  "buffers": [{"uri": "corners.bin", "byteLength": len(corners)}, {"uri": "index.bin", "byteLength": len(index)}],
  "bufferViews": [{"buffer": 0, "byteLength": len(corners)}, {"buffer": 1, "byteLength": len(index)}],
  "accessors": [{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3"},
                {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}]},
  open("src/thing.gltf", "w"))
with open("src/points.csv", "w") as f:
    f.write("x,y,z\n" + "".join("%g,%g,%g\n" % (0.01 * i, 0.3 + 0.01 * j, 0.01 * k)
                               for i in range(4) for j in range(4) for k in range(4)))
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = b"".join(b"\0" + bytes((40 * i + 20 * j) % 256 for j in range(4)) for i in range(4))
open("src/hills.png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", 4, 4, 8, 0, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
open("src/sky.hdr", "wb").write(b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 4\n" + bytes([90, 120, 200, 129]) * 8)
PYTHON
cat >src/s.yaml <<'SCENE'
firn: 1
title: parts
h: 2 cm
frames: 4
fps: 500 Hz
snow:
  - {shape: {sphere: {center: [0, 7 cm, 0], radius: 5 cm}}, velocity: [0, -5 m/s, 0]}
  - {points: {file: points.csv}}
colliders:
  - {name: first, shape: {mesh: {file: a/block.obj, voxel: 5 mm}}}
  - {name: second, shape: {mesh: {file: ./b/block.obj, voxel: 5 mm}}}
  - {name: third, shape: {mesh: {file: thing.gltf, voxel: 5 mm}}}
  - {name: fourth, sequence: {pattern: walk_###.obj, interval: 10 ms, voxel: 5 mm}}
  - {name: fifth, shape: {height_field: {center: [0, -1 cm, 0], size: [1, 1], image: hills.png, amplitude: 1 cm}}}
render: {sky: {map: sky.hdr}}
SCENE
small=(--size 32x18 --spp 1 --quiet)

run 0 run src/s.yaml -o whole --quiet
run 0 run src/s.yaml -o part --quiet --frames 0:2
[[ $(cd part/files && find . -type f | sort | tr '\n' ' ') == "./block-2.obj ./block.obj ./hills.png \
./points.csv ./sky.hdr ./sums.txt ./thing.gltf.d/corners.bin ./thing.gltf.d/index.bin \
./thing.gltf.d/thing.gltf ./walk_000.obj.d/walk_000.obj ./walk_000.obj.d/walk_001.obj \
./walk_000.obj.d/walk_002.obj " ]] || die "files: $(cd part/files && find . -type f | sort)"
grep -q "$PWD" part/scene.yaml && die "scene.yaml has a path of this place: $(grep "$PWD" part/scene.yaml)"
cmp src/b/block.obj part/files/block-2.obj || die "the second block is not the second"

# A resume from where it was begun compares equal.
cp -r part same && run 0 run src/s.yaml -o same --resume --quiet
cmp whole/scene.yaml same/scene.yaml || die "scene.yaml differs"

# Elsewhere, with all that it was made of gone: drawn, exported, looked at and gone on with.
run 0 render whole --frames 2 -o here.png "${small[@]}"
mkdir -p far/away && mv part far/away/run && mv src gone
run 0 render far/away/run --frames 2 -o there.png "${small[@]}"
cmp here.png there.png || die "the picture differs after a move"
run 0 render far/away/run/frame_00002.hdf -o alone.png "${small[@]}"
run 0 info far/away/run
run 0 info --verify far/away/run
run 0 export far/away/run -f ply -o points --quiet
run 0 run far/away/run/scene.yaml -o far/away/run --resume --quiet
for i in 0 1 2 3 4; do cmp whole/frame_0000$i.hdf far/away/run/frame_0000$i.hdf ||
  die "frame $i"; done
cmp whole/scene.yaml far/away/run/scene.yaml || die "scene.yaml differs after a move"
# And begun anew from its own files.
cp -r far/away/run again
run 0 run again/scene.yaml -o again --overwrite --quiet
cmp whole/frame_00004.hdf again/frame_00004.hdf || die "begun anew, frame 4 differs"
diff <(cd whole/files && sha256sum * 2>/dev/null) <(cd again/files && sha256sum * 2>/dev/null) ||
  die "begun anew, the files differ"

# ---- files that changed

mv gone src
before=$(sums same)
sed -i 's/0.03/0.04/' src/a/block.obj
run 2 run src/s.yaml -o same --resume
expect "$err" "src/a/block.obj is not what it was when the run began"
[[ $(sums same) == "$before" ]] || die "a refused resume changed files"
sed -i 's/0.04/0.03/' src/a/block.obj
# A copy that was damaged, or lost: made again from where it came, or named.
sed -i 's/^v 0.1/v 0.3/' same/files/block.obj && rm same/files/points.csv
cp -r same other
run 2 run same/scene.yaml -o same --resume
expect "$err" "points.csv"
cp whole/files/points.csv same/files/
run 2 run same/scene.yaml -o same --resume
expect "$err" "same/files/block.obj is not what the run began with"
run 1 info --verify same
expect "$out" "same/files/block.obj is not what the run began with"
run 0 run src/s.yaml -o other --resume
expect "$err" "copied into the folder again"
cmp src/a/block.obj other/files/block.obj || die "the copy is not mended"
cmp src/points.csv other/files/points.csv || die "the copy is not made again"
run 0 info --verify other
# The list of sums is lost: the files vouch for each other.
rm other/files/sums.txt && mkdir other/files/sums.txt
run 1 info --verify other
expect "$out" "sums.txt: Is a directory"
rmdir other/files/sums.txt && : >other/files/sums.txt
run 1 info --verify other
expect "$out" "other/files: the list of their sums"
run 0 run other/scene.yaml -o other --resume
expect "$err" "files/sums.txt, is written again"
refuse "$err" "copied"
cmp whole/files/sums.txt other/files/sums.txt || die "the sums are not written again"
# What is for pictures alone may change.
head -c -1 src/sky.hdr >x && printf '\x83' >>x && mv x src/sky.hdr
run 0 run src/s.yaml -o other --resume --quiet
cmp src/sky.hdr other/files/sky.hdr || die "the new map is not there"
cp other/files/sky.hdr x && printf '\x84' >>other/files/sky.hdr
run 1 info --verify other
expect "$out" "sky.hdr is not what the run began with"
mv x other/files/sky.hdr
# Who is refused, or fails before the old run is touched, leaves nothing that it has copied.
exec 9>>other/log.jsonl && flock -x 9
before=$(sums other)
run 2 run src/s.yaml -o other --overwrite
expect "$err" "another run is writing"
[[ ! -e other/files.next && $(sums other) == "$before" ]] || die "refused by the log's lock: $(ls other)"
exec 9>&-
mkdir other/scene.next.yaml.part
run 2 run src/s.yaml -o other --overwrite
expect "$err" "scene.next.yaml.part"
[[ $(sums other) == "$before" ]] || die "no scene.next.yaml: other is changed"
[[ ! -e other/files.next ]] || die "no scene.next.yaml: $(ls other)"
rmdir other/scene.next.yaml.part
run 0 run src/s.yaml -o other --resume --quiet
# ---- begun anew

# The old run is there until all that the new one needs is.
cp -r whole kept
before=$(sums kept)
stays() { # with a code and words
  local code=$1
  shift
  run "$code" run "$@" -o kept --overwrite --quiet
  [[ $(sums kept) == "$before" && ! -e kept/files.next ]] || die "refused ($err), and the old run is not as it was"
}
mkfifo src/pipe.hdr
stays 1 src/s.yaml --set render.sky.map=src/a
expect "$err" "Is a directory"
stays 1 src/s.yaml --set render.sky.map=src/pipe.hdr
expect "$err" "pipe.hdr: it is not a plain file"
mkdir kept/files/more.hdr
cp src/sky.hdr src/more.hdr
stays 1 src/s.yaml --set render.sky.map=src/more.hdr
expect "$err" "more.hdr: Is a directory"
rmdir kept/files/more.hdr
run 0 run snowball-drop -o plain --quiet --frames 0:0 --set quality=0.1
: >plain/files
run 1 run src/s.yaml -o plain --overwrite --quiet
[[ -s plain/frame_00000.hdf && -s plain/stats.csv ]] || die "a plain file called files: $(ls plain)"
# A file of the scene is in the place of a copy of another: nothing is written.
cat >swap.yaml <<'SCENE'
firn: 1
h: 2 cm
frames: 0
snow: [{shape: {sphere: {center: [0, 7 cm, 0], radius: 5 cm}}}]
colliders:
  - {shape: {mesh: {file: swap/files/deep/block.obj, voxel: 5 mm}}}
  - {shape: {mesh: {file: swap/files/block.obj, voxel: 5 mm}}}
SCENE
mkdir -p swap/files/deep && cp src/a/block.obj swap/files/deep/block.obj &&
  cp src/b/block.obj swap/files/block.obj
before=$(sums swap)
for how in "" --overwrite --resume; do
  # shellcheck disable=SC2086
  run 2 run swap.yaml -o swap --quiet $how
  expect "$err" "swap/files/block.obj is not a file of this run"
  [[ $(sums swap) == "$before" ]] || die "inputs below the folder: refused, and changed"
done
# In the folder of the scene itself, too.
mkdir -p here/meshes here/files && cp src/a/block.obj here/meshes/block.obj &&
  cp src/b/block.obj here/files/block.obj
sed 's|swap/files/deep/|meshes/|; s|swap/files/|files/|' swap.yaml >here/s.yaml
before=$(sums here)
(cd here && run 2 run s.yaml -o . --quiet &&
  expect "$err" "./files/block.obj is not a file of this run") || exit 1
[[ $(sums here) == "$before" ]] || die "-o . has changed an input: $(ls -R here)"
# One that the scene uses where it is stays the user's, also when another run takes the place of
# this one.
sed -i '/meshes/d' here/s.yaml
(cd here && run 0 run s.yaml -o . --quiet && run 0 run s.yaml -o . --quiet --resume) || exit 1
cmp src/b/block.obj here/files/block.obj || die "an input is changed"
(cd here && sed -i '/mesh/d; /^colliders/d' s.yaml && run 0 run s.yaml -o . --quiet --overwrite) ||
  exit 1
cmp src/b/block.obj here/files/block.obj || die "an input went with the run that used it"
[[ -s here/meshes/block.obj && -s here/s.yaml && ! -e here/files/sums.txt ]] || die "here: $(ls -R here)"
# Nothing is copied through a link.
mkdir linked elsewhere && echo mine >elsewhere/block.obj && ln -s ../elsewhere linked/files
run 2 run src/s.yaml -o linked --quiet
expect "$err" "linked/files is a link"
[[ $(ls linked) == files && $(ls elsewhere) == block.obj && $(cat elsewhere/block.obj) == mine ]] ||
  die "copies went through a link"
# A buffer that no mesh needs may be absent.
sed -i 's/"buffers": \[/"buffers": [{"uri": "none.bin", "byteLength": 4}, /; s/"buffer": 1/"buffer": 2/; s/"buffer": 0/"buffer": 1/' src/thing.gltf
run 0 run src/s.yaml -o absent --quiet --frames 0:2
run 0 run src/s.yaml -o absent --quiet --resume
run 0 info --verify absent
rm absent/files/thing.gltf.d/corners.bin
run 2 run absent/scene.yaml -o absent --resume
expect "$err" "corners.bin"

# ---- files that cannot go along

# Buffers above the folder of their file: they stay, and are known by their sums.
mkdir src/deep
sed 's/"uri": "/"uri": "..\//g; s/{"uri": "[^}]*none.bin"[^}]*}, //; s/"buffer": 1/"buffer": 0/; s/"buffer": 2/"buffer": 1/' \
  src/thing.gltf >src/deep/thing.gltf
cat >src/deep.yaml <<'SCENE'
firn: 1
h: 1 cm
frames: 3
fps: 500 Hz
snow:
  - {shape: {mesh: {file: deep/thing.gltf, voxel: 5 mm}}, velocity: [0, -1 m/s, 0]}
SCENE
run 0 run src/deep.yaml -o deep --quiet --frames 0:2
for file in deep/thing.gltf deep/../corners.bin deep/../index.bin; do
  grep -q "^[0-9a-f]* [0-9]* $PWD/src/$file\$" deep/files/sums.txt || die "no sum of $file: $(cat deep/files/sums.txt)"
done
cp -r deep deep-2 && run 0 run src/deep.yaml -o deep-2 --quiet --resume
run 0 info --verify deep-2
cp src/corners.bin kept.bin && printf '\x01' | dd of=src/corners.bin bs=1 conv=notrunc status=none
before=$(sums deep)
for scene in src/deep.yaml deep/scene.yaml; do
  run 2 run "$scene" -o deep --resume
  expect "$err" "src/deep/../corners.bin is not what it was when the run began"
done
[[ $(sums deep) == "$before" ]] || die "refused, and the folder changed"
run 1 info --verify deep
expect "$out" "corners.bin is not what it was when the run began"
mv kept.bin src/corners.bin
# Without the list nobody knows, but for what comes.
rm deep/files/sums.txt && run 0 run deep/scene.yaml -o deep --resume --quiet
cmp deep/files/sums.txt deep-2/files/sums.txt || die "the list is not written again"
cmp deep/frame_00003.hdf deep-2/frame_00003.hdf || die "frame 3 differs"
# The files of others stay when the run goes.
run 0 run src/s.yaml -o deep --overwrite --quiet --frames 0:0
[[ -s src/corners.bin && -s src/deep/thing.gltf ]] || die "files that were not copied are gone"

# A scene of fewer files leaves none of the old.
cat >src/bare.yaml <<'SCENE'
firn: 1
h: 2 cm
frames: 1
fps: 500 Hz
snow:
  - shape: {sphere: {center: [0, 7 cm, 0], radius: 3 cm}}
SCENE
run 0 run src/bare.yaml -o other --overwrite --quiet
[[ ! -e other/files ]] || die "files of the old run are left: $(ls -R other/files)"
exit 0
