#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 60
# processors: 2
# The program in float and in double: each says which it is, what it computes in is what it says,
# and neither goes on with what the other began.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

if [[ -z ${FIRN_OTHER:-} ]]; then
  echo "the tests were built in one precision"
  exit 77
fi
run 0 --version
case $out in
*"(float)"*) float=$FIRN double=$FIRN_OTHER ;;
*) float=$FIRN_OTHER double=$FIRN ;;
esac
for precision in float double; do
  FIRN=${!precision}
  run 0 --version
  expect "$out" "($precision)"
done

# A ball in free flight, which no grid ever sees: the height after 0.2 s is that of the scheme, a
# sum of steps, to the rounding of positions, which are kept in cells of their block.
cat >ball.yaml <<'SCENE'
firn: 1
h: 2 cm
frames: 4
fps: 20 Hz
gravity: [0, -9.81, 0]
snow:
  - shape: {sphere: {center: [0, 1 m, 0], radius: 5 cm}}
    velocity: [0.3 m/s, 0, 0]
mpm: {integrator: explicit, dt: 0.5 ms}
SCENE
for precision in float double; do
  FIRN=${!precision}
  run 0 run ball.yaml -o $precision --quiet
  run 0 info $precision
  expect "$out" "precision    $precision"
  run 0 info $precision/frame_00004.hdf
  expect "$out" "precision    $precision"
  run 0 info $precision/checkpoint_00004.hdf
  expect "$out" "in $precision"
done
# Symplectic Euler: com_y falls by g dt^2 n (n + 1) / 2 after n = 400 steps; the table has nine
# digits, and the double program all of them. In float 400 additions lose some.
python3 - float/stats.csv double/stats.csv <<'PYTHON' || die "float and double are not what they say"
import csv, sys
fallen = []
for path in sys.argv[1:]:
    rows = list(csv.DictReader(open(path)))
    fallen.append(float(rows[0]["com_y"]) - float(rows[-1]["com_y"]))
exact = 9.81 * 0.0005 ** 2 * 400 * 401 / 2
print(fallen, exact)
assert abs(fallen[1] - exact) < 2e-9, fallen
assert 2e-9 < abs(fallen[0] - exact) < 1e-5, fallen
PYTHON

# Each reads the other's frames, and refuses its checkpoints with a reason, leaving them alone.
for precision in float double; do
  [[ $precision == float ]] && FIRN=$double other=double || { FIRN=$float && other=float; }
  cp -r $precision before
  run 2 run ball.yaml -o $precision --resume --set frames=5
  expect "$err" "its precision is $precision, and this build of firn computes in $other"
  expect "$err" "make build PRECISION=$precision"
  diff -r before $precision -x log.jsonl || die "a refused resume changed $precision"
  run 0 export $precision --format csv -o csv-$precision --quiet
  [[ -s csv-$precision/frame_00004.csv ]] || die "no export of $precision: $(ls csv-$precision)"
  rm -r before
done
echo "ok"
