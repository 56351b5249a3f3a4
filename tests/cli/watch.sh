#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 120
# A run warns, once, where 0.1 % of the snow is denser than ice, or quicker than bodies and gravity
# make it.
source "${BASH_SOURCE[0]%/*}/common.bash"
err="" # what run hears

# A box of snow whose lid comes down to a quarter of its height.
cat >press.yaml <<'SCENE'
firn: 1
h: 10 cm
frames: 8
materials: {snow: {density: 400}}
snow: [{shape: {box: {center: [0, 20 cm, 0], size: [40 cm, 40 cm, 40 cm]}}}]
colliders:
  - {name: ground, shape: {half_space: {}}}
  - {name: left, shape: {half_space: {point: [-20 cm, 0, 0], normal: [1, 0, 0]}}}
  - {name: right, shape: {half_space: {point: [20 cm, 0, 0], normal: [-1, 0, 0]}}}
  - {name: front, shape: {half_space: {point: [0, 0, -20 cm], normal: [0, 0, 1]}}}
  - {name: back, shape: {half_space: {point: [0, 0, 20 cm], normal: [0, 0, -1]}}}
  - name: lid
    shape: {box: {center: [0, 70 cm, 0], size: [80 cm, 50 cm, 80 cm]}}
    motion: {translation: {keys: [[0 s, [0, 0, 0]], [0.3 s, [0, -35 cm, 0]]]}}
SCENE
run 0 run press.yaml -o pressed --quiet
expect "$err" "of the snow is packed denser than ice (917 kg/m^3), up to "
[[ $(grep -c "denser than ice" .err) == 1 ]] || die "ice was warned of more than once: $err"
refuse "$err" "faster than"
# Before that it hears of nothing but the gap, which contact at nodes presses too little, once.
run 0 run press.yaml -o halfway --quiet --frames 0:3
expect "$err" "cells apart and touch the snow"
[[ $(grep -c "warning" .err) == 1 ]] || die "more than one warning: $err"

# The demo does not begin with a warning.
run 0 run demo -o calm --quiet --set quality=0.5 --frames 0:2
[[ -z $err ]] || die "the demo warns: $err"
# Of a few particles, here less than 0.1 % of the mass, a run says nothing.
cat >burst.yaml <<'SCENE'
firn: 1
spacing: 3.6 mm
frames: 2
fps: 120 Hz
mpm: {integrator: explicit}
materials: {packed: {theta_c: 2 %, theta_s: 0.45 %, jp_range: [0.75, 4]}}
snow:
  - shape: {sphere: {center: [0, 11 cm, 0], radius: 10 cm}}
    material: packed
    velocity: [3.2 m/s, -8 m/s, 0]
    variation: [{of: [theta_c, theta_s], amplitude: 95 %, wavelength: 3.5 cm, octaves: 3, seed: 3}]
colliders: [{shape: {half_space: {}}, friction: 0.5}]
SCENE
run 0 run burst.yaml -o quick --quiet --set quality=0.5
[[ -z $err ]] || die "a few quick particles are warned of: $err"
run 0 run burst.yaml -o dense --quiet --set quality=0.6 --frames 0:1
[[ -z $err ]] || die "a few dense particles are warned of: $err"
most() { # FOLDER COLUMN: ten times the greatest value
  awk -F, -v name="$2" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == name) k = i}
  NR > 1 && $k > most {most = $k} END {print int(10 * most)}' "$1/stats.csv"; }
[[ $(most quick speed_max) -gt 174 ]] || die "none above twice 8.7 m/s: $(most quick speed_max)"
[[ $(most dense density_max) -gt 9170 ]] || die "none is denser than ice: $(most dense density_max)"

# A ball that is thrown over a fence, without a ground: said once it is below the fence, and not
# where there is one.
cat >fence.yaml <<'SCENE'
firn: 1
h: 4 cm
frames: 24
snow: [{shape: {sphere: {center: [-60 cm, 50 cm, 0], radius: 10 cm}}, velocity: [3, 1, 0]}]
colliders:
  - {name: fence, shape: {box: {center: [0, 20 cm, 3 m], size: [10 cm, 40 cm, 2 m]}}}
  - {name: gate, shape: {box: {center: [0, 20 cm, -3 m], size: [10 cm, 40 cm, 1 m]}}, spin: [0, 1, 0]}
SCENE
run 0 run fence.yaml -o fence --quiet
expect "$err" "all snow has fallen below every collider"
[[ $(grep -c "fallen below" .err) == 1 ]] || die "the fall was warned of more than once: $err"
run 0 run fence.yaml -o early --quiet --frames 0:8
refuse "$err" "fallen below"
sed 's/^  - {name: fence/  - {name: ground, shape: {half_space: {}}}\n&/' fence.yaml >ground.yaml
run 0 run ground.yaml -o grounded --quiet
refuse "$err" "fallen below"

# A sticky body that grazes sticky ground crushes the snow between, as printed.
cat >truck.yaml <<'SCENE'
firn: 1
h: 15 cm
frames: 6
materials: {snow: {density: 200}}
snow: [{shape: {box: {center: [0, 15 cm, 0], size: [2.4 m, 30 cm, 0.8 m]}}, settled: true}]
colliders:
  - {name: ground, sticky: true, shape: {half_space: {}}}
  - name: truck
    sticky: true
    shape: {box: {center: [-1.9 m, 45 cm, 0], size: [1.2 m, 80 cm, 60 cm]}}
    motion: {translation: {keys: [[0 s, [0, 0, 0]], [0.4 s, [3.2 m, 0, 0]]]}}
SCENE
printed=(--set mpm.sticky_transfer=blend --set 'materials.snow.jp_range=[0, .inf]')
run 0 run truck.yaml -o crushed --quiet "${printed[@]}"
expect "$err" "% of the snow moves at up to "
expect "$err" "faster than its start, bodies of at most 8 m/s and gravity can give it"
[[ $(grep -c "faster than" .err) == 1 ]] || die "speed was warned of more than once: $err"
run 0 check truck.yaml --no-time
expect "$err" "jp_range: [0.6, .inf] is chosen for snow"
expect "$err" "materials.snow.jp_range: [0, .inf] is the printed form"
[[ $(grep -c "is chosen" .err) == 1 ]] || die "the range was told more than once: $err"
sed 's/^snow:.*/emitters: [{snowfall: 1 mm\/s, shape: {box: {center: [0, 1, 0], size: [1, 0.1, 1]}}}]/' \
  truck.yaml >sky.yaml
run 0 check sky.yaml --no-time
expect "$err" "mpm.hardening: density is chosen for all snow"
[[ $(grep -c "hardening" .err) == 1 ]] || die "the hardening was told more than once: $err"
for set in mpm.hardening=jp mpm.hardening=density solver=sph materials.snow.law=sand; do
  run 0 check sky.yaml --no-time --set $set
  refuse "$err" "hardening"
done
run 0 run truck.yaml -o held --quiet
refuse "$err" "faster than"
run 0 run truck.yaml -o slid --quiet --set colliders.0.sticky=false --set colliders.1.sticky=false
refuse "$err" "faster than"
