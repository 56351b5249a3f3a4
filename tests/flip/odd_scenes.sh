#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 120
# Scenes that no formula asks for, from the program: it goes on or says why not, and nothing that is not
# finite comes into a frame or a table.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

scene() { # NAME POINTS [COLLIDER]: particles from a list of points, above a floor
  { echo x,y,z; printf '%b' "$2"; } > "$dir/$1.csv"
  cat > "$dir/$1.yaml" << END
firn: 1
solver: flip
h: 2 cm
frames: 4
fps: 200
snow:
  - points: {file: $1.csv}
colliders:
  - {name: ground, shape: {half_space: {}}, friction: 0.4}
  ${3:-}
probes:
  - {name: all, box: {center: [0, 0, 0], size: [9, 9, 9]}}
END
}

block=$(for x in 1 2 3 4; do for y in 1 2 3 4; do for z in 1 2 3 4; do echo "0.0$x,0.0$y,0.0$z"; done; done; done)
scene alone '0,0.5,0\n'
scene corner '0.0001,0.5001,0.0001\n0.7,0.3,0.0199\n'
scene coincident '0,0.03,0\n0,0.03,0\n0.3,0.005,0\n0.3,0.005,0\n'
scene buried "$block\n" '- {name: rock, shape: {box: {center: [0, 0, 0], size: [2, 2, 2]}}}'
scene crossed "$block\n" '- {name: wall, shape: {box: {center: [-0.5, 0, 0], size: [0.1, 1, 1]}}, velocity: [100, 0, 0]}'
scene thin "$block\n" '- {name: plate, shape: {box: {center: [0, 0.1, 0], size: [1, 0.001, 1]}}, velocity: [0, -1, 0]}'
scene pinched "$block\n" '- {name: lid, shape: {half_space: {point: [0, 0.05, 0], normal: [0, -1, 0]}}, velocity: [0, -0.3, 0]}'

for name in alone corner coincident buried crossed thin pinched; do
  for way in 'snow sph' 'water bspline'; do
    read -r material kernel <<< "$way"
    out="$dir/$name-$material"
    "$FIRN" run "$dir/$name.yaml" --set "snow[0].material=$material" --set "flip.kernel=$kernel" \
      --quiet -o "$out"
    "$FIRN" export "$out" --frames 4:4 --format csv -o "$out/points" > /dev/null
    if grep -il 'nan\|inf' "$out"/points/*.csv "$out"/*.csv; then
      echo "$name, $material, $kernel: not finite"
      exit 1
    fi
  done
done

# Bad numbers are told where they are.
refused() { # WORDS OPTION...
  words=$1
  shift
  if "$FIRN" check "$dir/alone.yaml" "$@" > "$dir/words" 2>&1; then exit 1; fi
  grep -q "$words" "$dir/words"
}
refused 'velocity_factor' --set 'materials.m={velocity_factor: 1.5}' --set 'snow[0].material=m'
refused 'yield_angle' --set 'materials.m={yield_angle: 90 deg}' --set 'snow[0].material=m'
refused 'law' --set 'materials.m={law: elastic}' --set 'snow[0].material=m'
refused "mpm does not know the law 'water'" --set solver=mpm --set 'snow[0].material=water'
