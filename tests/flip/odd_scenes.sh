#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# labels: slow
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
scene crossed "$block\n" \
  '- {name: wall, shape: {box: {center: [-0.5, 0, 0], size: [0.1, 1, 1]}}, velocity: [100, 0, 0]}'
scene thin "$block\n" \
  '- {name: plate, shape: {box: {center: [0, 0.1, 0], size: [1, 0.001, 1]}}, velocity: [0, -1, 0]}'
scene crossed_at_once "$block\n" \
  '- {name: wall, shape: {box: {center: [-0.5, 0, 0], size: [0.1, 1, 1]}}, velocity: [200, 0, 0]}'
scene filled "$block\n" '- {name: all, shape: {half_space: {point: [0, 5, 0]}}}'
scene engulfed "$block\n" '- {name: all, shape: {box: {center: [0, 0, 0], size: [50, 50, 50]}}}'
closed='- {name: a, shape: {half_space: {point: [0.005, 0, 0], normal: [1, 0, 0]}}}
  - {name: b, shape: {half_space: {point: [0.045, 0, 0], normal: [-1, 0, 0]}}}
  - {name: c, shape: {half_space: {point: [0, 0, 0.005], normal: [0, 0, 1]}}}
  - {name: d, shape: {half_space: {point: [0, 0, 0.045], normal: [0, 0, -1]}}}
  - {name: lid, shape: {half_space: {point: [0, 0.045, 0], normal: [0, -1, 0]}}'
scene closed "$block\n" "$closed}"
scene squeezed "$block\n" "$closed, velocity: [0, -0.5, 0]}"
scene pinched "$block\n" \
  '- {name: lid, shape: {half_space: {point: [0, 0.05, 0], normal: [0, -1, 0]}}, velocity: [0, -0.3, 0]}'

# Nothing at first, one drop later.
sed -e '/^snow:/,/points/d' "$dir/alone.yaml" > "$dir/empty.yaml"
cat >> "$dir/empty.yaml" << END
emitters:
  - {shape: {sphere: {center: [0, 0.1, 0], radius: 0.03}}, particles: 300, start: 10 ms}
END

for name in alone corner coincident buried crossed crossed_at_once thin pinched filled engulfed \
  closed squeezed empty; do
  for way in 'snow sph' 'water bspline'; do
    read -r material kernel <<< "$way"
    out="$dir/$name-$material"
    if [ $name = empty ]; then body='emitters[0]'; else body='snow[0]'; fi
    if [ $name = crossed_at_once ]; then dt='5 ms'; else dt=0; fi
    "$FIRN" run "$dir/$name.yaml" --set "$body.material=$material" --set "flip.kernel=$kernel" \
      --set "flip.dt=$dt" --quiet -o "$out"
    "$FIRN" export "$out" --frames 4:4 --format csv -o "$out/points" > /dev/null
    if grep -il 'nan\|inf' "$out"/points/*.csv "$out"/*.csv; then
      echo "$name, $material, $kernel: not finite"
      exit 1
    fi
  done
done

# Snow that a collider is laid over comes out as it lies, not all onto its surface.
for way in filled-snow engulfed-water; do
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "density_max") c = i }
           NR == 2 { first = $c }
           END { exit !(first > 0 && $c < 1.5 * first) }' "$dir/$way/stats.csv"
done

# Bad numbers are told where they are.
refused() { # WORDS OPTION...
  words=$1
  shift
  if "$FIRN" check "$dir/alone.yaml" "$@" > "$dir/words" 2>&1; then exit 1; fi
  grep -q "$words" "$dir/words"
}
for b in -0.1 1.5; do
  sed -e "s/^snow:/materials:\n  m: {velocity_factor: $b}\nsnow:/" "$dir/alone.yaml" > \
    "$dir/share.yaml"
  if "$FIRN" check "$dir/share.yaml" > "$dir/words" 2>&1; then exit 1; fi
  grep -q "share.yaml:7:24: materials.m.velocity_factor: $b is out of range; expected .* 0 and at most 1" "$dir/words"
done
refused 'yield_angle' --set 'materials.m={yield_angle: 90 deg}' --set 'snow[0].material=m'
refused 'law' --set 'materials.m={law: elastic}' --set 'snow[0].material=m'
refused "mpm does not know the law 'water'" --set solver=mpm --set 'snow[0].material=water'
