#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 20
# firn check tells where and what; firn run refuses the same scenes.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

cat >good.yaml <<'SCENE'
firn: 1
h: 1 cm
frames: 3
snow:
  - shape: {box: {center: [0, 5 cm, 0], size: [8 cm, 8 cm, 8 cm]}}
    seeding: lattice
colliders:
  - {name: ground, shape: {half_space: {}}}
SCENE
run 0 check good.yaml
expect "$out" "good.yaml: ok"
expect "$out" "particles  4 096" # 8^3 cells of 8
expect "$out" "memory"
expect "$out" "disk       about"

cat >wrong.yaml <<'SCENE'
firn: 1
h: 5 kg
gravty: [0, -9.81, 0]
mpm: {flip: 2}
snow:
  - shape: {sphere: {center: [0, 1, 0], radius: .nan}}
SCENE
run 2 check wrong.yaml
[[ $(wc -l <.out) == 4 ]] || die "expected four messages: $out"
expect "$out" "wrong.yaml:2:4: h: '5 kg' is a mass; expected a length above 0 (unit m)"
expect "$out" "wrong.yaml:3:1: gravty: unknown key; did you mean 'gravity'?"
expect "$out" "wrong.yaml:4:13: mpm.flip: 2 is out of range; expected a number of at least 0 and at most 1"
expect "$out" "wrong.yaml:6:49: snow[0].shape.sphere.radius: .nan is not a usable number"
run 2 run wrong.yaml -o out
expect "$err" "wrong.yaml:3:1: gravty: unknown key; did you mean 'gravity'?"
[[ ! -e out ]] || die "a wrong scene left a folder"

run 2 check good.yaml --set mpm.flp=1
expect "$out" "--set mpm.flp=1: mpm.flp: unknown key; did you mean 'flip'?"
run 0 check good.yaml --set mpm.flip=1 --set 'snow.0.velocity=[0, -1 m/s, 0]'
run 2 check good.yaml --solver abacus
expect "$out" "solver: unknown choice 'abacus'"
run 2 check no-such-file.yaml
expect "$err" "no-such-file.yaml cannot be read: No such file"
mkdir folder
run 2 check ./folder
: >empty.yaml
run 2 check empty.yaml
expect "$out" "empty.yaml:1:1: found an empty file"
# A ball smaller than a cell may hold no particle: said when it is built, not before.
run 2 check good.yaml --set 'snow.0.shape.box.size=[1 mm, 1 mm, 1 mm]'
expect "$err" "holds no particle"
exit 0
