#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 120
# Scenes that no formula asks for, from the program: it goes on or says why not, and nothing that is
# not finite comes into a frame or a table.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

scene() { # NAME POINTS [COLLIDER]: particles from a list of points, above a floor
  { echo x,y,z; printf '%b' "$2"; } > "$dir/$1.csv"
  cat > "$dir/$1.yaml" << END
firn: 1
solver: sph
spacing: 1 cm
frames: 4
snow:
  - points: {file: $1.csv}
colliders:
  - {name: ground, shape: {half_space: {}}}
  ${3:-}
probes:
  - {name: all, box: {center: [0, 0, 0], size: [9, 9, 9]}}
END
}

sheet=$(for x in 0 1 2 3 4 5; do for z in 0 1 2 3 4 5; do echo "0.0$x,0.03,0.0$z"; done; done)
scene alone '0,0.5,0\n'
scene coincident '0,0.03,0\n0,0.03,0\n0.3,0.005,0\n0.3,0.005,0\n'
scene sheet "$sheet\n"
scene unsampled "$sheet\n" \
  '- {name: speck, shape: {sphere: {center: [2 cm, 2 cm, 2 cm], radius: 1e-6 m}}}'
scene long "$sheet\n"

for name in alone coincident sheet unsampled long; do
  for lists in exact short; do
    options=(--set "sph.lists=$lists" --quiet -o "$dir/$name-$lists")
    # 0.2 s are a hundred times what 0.25 sqrt(d / g), 8 ms, allows, and more than dt_max.
    if [ $name = long ]; then options+=(--set sph.dt=0.2 --set fps=1); fi
    if "$FIRN" run "$dir/$name.yaml" "${options[@]}" 2> "$dir/words"; then
      test -e "$dir/$name-$lists/frame_00004.hdf"
    else
      test "$name" = long
      grep -q "step\|domain" "$dir/words"
    fi
    "$FIRN" info --verify "$dir/$name-$lists" > /dev/null || test "$name" = long
    "$FIRN" export "$dir/$name-$lists" --format csv -o "$dir/$name-$lists/points" > /dev/null
    if grep -il 'nan\|inf' "$dir/$name-$lists"/points/*.csv "$dir/$name-$lists"/*.csv; then
      echo "$name, $lists: not finite"
      exit 1
    fi
  done
done
