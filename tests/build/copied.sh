#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A source tree that is copied or moved with its build folders builds here, and not where it came
# from.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() {
  echo "FAILED: $*" >&2
  exit 1
}

mkdir -p "$work/old/build/release" "$work/old/build/debug"
cp "$FIRN_SOURCE_DIR/Makefile" "$work/old"
for preset in release debug; do
  echo "CMAKE_CACHEFILE_DIR:INTERNAL=$work/old/build/$preset" \
    >"$work/old/build/$preset/CMakeCache.txt"
done
cp -r "$work/old" "$work/new"
cp "$work/new/build/debug/CMakeCache.txt" "$work/cache"
sed "s,/old/,/new/," "$work/cache" >"$work/new/build/debug/CMakeCache.txt"

said=$(make -C "$work/old" help 2>&1) || die "make help: $said"
[[ -d $work/old/build/release && -d $work/old/build/debug ]] ||
  die "the original lost a folder: $said"
said=$(make -C "$work/new" help 2>&1) || die "make help: $said"
[[ ! -e $work/new/build/release ]] || die "the copy would build the original: $said"
[[ -d $work/new/build/debug ]] || die "the copy lost a folder of its own: $said"
[[ $said == *"build/release/ was configured in $work/old/build/release"* ]] || die "it said $said"
exit 0
