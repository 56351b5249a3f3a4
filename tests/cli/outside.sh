#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# labels: scene
# The error of a file that a scene names gives its place and says what was expected there. It quotes
# no text of the file: a scene may name one that its author may not read.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

word=s3cret # stands wherever a reader may stumble over it
mkdir scenes others
tetrahedron='v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n'
ply='ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n'
faces='element face 1\nproperty list uchar int vertex_indices\nend_header\n'

# stumbles FILE TEXT EXPECTED: the file of another folder has that text, and the message of the
# scene that names it has EXPECTED and not the word.
stumbles() {
  local code=2 verb=(check scenes/a.yaml --no-time)
  # shellcheck disable=SC2059
  printf "$2" >"others/$1"
  case $1 in
    points*)
      echo "snow: [{points: {file: ../others/$1}}]"
      ;;
    wind*)
      echo "wind: {file: ../others/$1}"
      ;;
    *.png)
      echo "colliders: [{shape: {height_field: {image: ../others/$1, size: [1 m, 1 m], amplitude: 1 m}}}]"
      ;;
    *.hdr | *.exr)
      echo "render: {sky: {map: ../others/$1}}"
      verb=(render scenes/a.yaml -o a.png)
      ;;
    *)
      echo "colliders: [{shape: {mesh: {file: ../others/$1}}}]"
      ;;
  esac >scenes/a.yaml
  sed -i '1i firn: 1\nh: 2 cm\nframes: 1' scenes/a.yaml
  grep -q '^snow:' scenes/a.yaml ||
    echo 'snow: [{shape: {sphere: {center: [0, 3 m, 0], radius: 3 cm}}}]' >>scenes/a.yaml
  run $code "${verb[@]}"
  expect "$out$err" "$3"
  refuse "$out$err" "$word"
  refuse "$out$err" "${word:1}" # nor the rest of it
}

for kind in mesh points wind; do
  stumbles $kind.ply "$word\n" "$kind.ply:1: the file does not begin with 'ply'"
  stumbles $kind.ply "ply\n$word\n" \
    "$kind.ply:2: the line does not begin with a word of PLY headers"
  stumbles $kind.ply "ply\nformat $word 1.0\n" "$kind.ply:2: the format is neither"
  stumbles $kind.ply "ply\nformat ascii 1.0\nelement vertex $word\n" \
    "$kind.ply:3: expected a number"
  stumbles $kind.ply "ply\nformat ascii 1.0\nelement vertex 1\nproperty $word x\n" \
    "$kind.ply:4: expected a type"
done
stumbles mesh.ply "$ply${faces}0 $word 0\n" "mesh.ply:10: a word in vertex 0 is not a number"
stumbles mesh.ply "${ply}element $word 1\nproperty float a\n${faces}0 0 0\n" \
  "mesh.ply:13: the file ends in row 0 of 1"
stumbles mesh.ply "ply\nformat ascii 1.0\nelement $word 1\nproperty float $word\nend_header\n1\n" \
  "mesh.ply: the header"
stumbles points.ply "${ply}end_header\n0 $word 0\n" \
  "points.ply:8: a word in vertex 0 is not a number"
stumbles mesh.obj "$word\n" "mesh.obj: no faces in 2 lines"
stumbles mesh.obj "v 0 $word 0\n" "mesh.obj:1: y of a vertex is not a number"
stumbles mesh.obj "${tetrahedron}f 1 2 $word/1\n" \
  "mesh.obj:8: corner 3 of a face is not a vertex number"
stumbles mesh.stl "solid $word\nfacet\nvertex 0 0 $word\n" \
  "mesh.stl:3: z of a vertex is not a number"
stumbles mesh.stl "solid $word\n$word\n" "mesh.stl: no facets"
gltf='{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "accessors": [{"type": "VEC3",
"componentType": 5126, "count": 3, "bufferView": 0}], "bufferViews": [{"buffer": 0,
"byteLength": 36}], "buffers": [{"byteLength": 36, "uri": "%s"}]}'
# shellcheck disable=SC2059
stumbles mesh.gltf "$(printf "$gltf" "$word://a")" "mesh.gltf:4: the uri of a buffer is not a plain file name"
# shellcheck disable=SC2059
stumbles mesh.gltf "$(printf "$gltf" "data:;base64,$word!")" "mesh.gltf:4: the data of a buffer"
stumbles mesh.gltf "$word: [\n" "mesh.gltf:"
stumbles mesh.gltf "{\"asset\": {\"version\": \"$word\"}}" "mesh.gltf:1:"
stumbles points.csv "$word\n" "points.csv:1: there is no column 'x'"
stumbles points.csv "x,y,z,$word\n0,0\n" "points.csv:2: expected 4 numbers"
stumbles points.csv "x,y,z\n0,$word,0\n" "points.csv:2: column 2, y, is not a number"
stumbles points.csv "0,0,0,$word\n" "points.csv:1: column 4, mass, is not a number"
stumbles wind.csv "$word\n" "wind.csv:1: there is no column 'x'"
stumbles wind.csv "x,y,z,vx,vy,vz\n0,0,0,0,$word,0\n" "wind.csv:2: column 5, vy, is not a number"
stumbles map.hdr "$word\n" "map.hdr: neither an OpenEXR nor a Radiance"
stumbles map.hdr "#?$word\nFORMAT=$word\n" "map.hdr: the format is not"
stumbles map.hdr "#?RADIANCE\n$word\n\n$word\n" "map.hdr: the picture is stored in another order"
stumbles map.exr '\x76\x2f\x31\x01'"$word$word\n" "map.exr: "
stumbles ground.png "$word\n" "ground.png"
