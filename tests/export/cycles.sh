#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# long
# timeout: 600
# processors: 2
# Blender's Cycles renders an exported grid, with the kernel and the grain that pictures have: the
# mean light of the snow is ours to 5 %, of which noise is a fifth at most. Thick white snow is as
# bright whatever its density, so it is also looked through at a hundredth of its extinction, where
# light goes with the density: there half of it is refused.
source "$(dirname "$0")/../cli/common.bash"

if ! command -v blender >/dev/null; then
  echo "skipped: there is no blender here; scripts/setup.sh viewers installs it"
  exit 77
fi
if [[ ! -e $FIRN_BUILD_DIR/firn-vdb.so ]]; then
  echo "skipped: this build writes no vdb files"
  exit 77
fi

# compare OPTIONS...: the line of numbers.
compare() {
  local said
  said=$(blender --background --factory-startup --python-exit-code 9 \
    --python "$FIRN_SOURCE_DIR/bench/cycles/compare.py" -- --firn "$FIRN" --work "$PWD/cycles" \
    --look --renders 3 --firn-spp 16 --cycles-spp 4 --step 1 --bounces 1024 "$@" 2>&1) ||
      die "blender: $said"
  grep '^{' <<<"$said"
}
# judge CODE NUMBERS: whether firn and Cycles agree.
judge() {
  local code=0
  python3 - "$2" <<'PY' || code=$?
import json
import sys

n = json.loads(sys.argv[1])
off = n["firn"] / n["cycles"] - 1
print(f"firn {n['firn']:.4f}, Cycles {n['cycles']:.4f}: {100 * off:+.2f} %, noise {100 * n['noise']:.2f} %")
assert n["noise"] < 0.01
sys.exit(0 if abs(off) < 0.05 else 3)
PY
  [[ $code == "$1" ]] || die "$code, not $1: $2"
}
judge 0 "$(compare)"
judge 0 "$(compare --extinction 0.0181)"
judge 3 "$(compare --extinction 0.0181 --density 800)"
exit 0
