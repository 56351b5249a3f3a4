#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 60
# Snow at rest: the forces in colliders.csv balance its weight within 1 %, on level ground and on a
# slope that it does not slide on.
source "$(dirname "$0")/../cli/common.bash"

# 40 x 20 x 40 cm of 400 kg/m^3: 12.8 kg, 125.568 N. Pure PIC, so that it comes to rest soon.
cat >block.yaml <<'EOF'
firn: 1
h: 5 cm
frames: 14
fps: 20
variables: {angle: 0 deg}
gravity: ["9.81 * sin(${angle})", "-9.81 * cos(${angle})", 0]
mpm: {flip: 0}
snow:
  - shape: {box: {center: [0, 10 cm, 0], size: [40 cm, 20 cm, 40 cm]}}
    seeding: lattice
colliders:
  - {name: ground, shape: {half_space: {}}, friction: 0.5}
EOF

# balance FOLDER X Y: the mean over the last four frames is within 1 % of the weight of (X, Y) N.
balance() {
  awk -F, -v x="$2" -v y="$3" '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    $column["frame"] > 10 { fx += $column["force_x"]; fy += $column["force_y"]; n++ }
    END {
      if (n != 4) { print n " rows"; exit 1 }
      fx /= n; fy /= n; tolerance = 0.01 * sqrt(x * x + y * y)
      printf "force %.3f %.3f N, weight %.3f %.3f N\n", fx, fy, x, y
      exit !((fx - x) ^ 2 + (fy - y) ^ 2 < tolerance ^ 2)
    }' "$1/colliders.csv" || die "$1: the forces do not balance the weight"
}

run 0 run block.yaml -o level --quiet
balance level 0 -125.568
run 0 run block.yaml -o slope --quiet --set "variables.angle=20 deg"
balance slope 42.947 -117.995
# Both fell asleep on the way, and press as they did then. Awake it weighs as much.
run 0 run block.yaml -o awake --quiet --set mpm.sleep=false
balance awake 0 -125.568
exit 0
