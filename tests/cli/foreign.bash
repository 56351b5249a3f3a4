# SPDX-License-Identifier: Apache-2.0
# What the tests of files of the user's share: a small scene s.yaml, and `tree FOLDER`, all that is
# in a folder.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

cat >s.yaml <<'SCENE'
firn: 1
h: 4 cm
frames: 2
fps: 500 Hz
snow:
  - shape: {sphere: {center: [0, 14 cm, 0], radius: 12 cm}}
    velocity: [0, -5 m/s, 0]
colliders:
  - {name: ground, shape: {half_space: {}}, forces: true}
preview: {width: 64, height: 36}
SCENE
tree() {
  (cd "$1" && find . \( -type d -printf '%p/\n' \) -o -type l -printf '%p -> %l\n' \
    -o -type f -exec sha256sum {} + | sort)
}
