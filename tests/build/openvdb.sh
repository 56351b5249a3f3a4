#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# labels: slow
# timeout: 120
# The configuration without OpenVDB: it goes on and says so, or ends where it was insisted on.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() {
  echo "FAILED: $*" >&2
  exit 1
}

# configure CODE OPTIONS...: what it says at the level of `make`.
configure() {
  local wanted=$1 code=0
  shift
  rm -rf "$work/build"
  said=$("$CMAKE" --log-level=NOTICE -S "$FIRN_SOURCE_DIR" -B "$work/build" -G Ninja \
    -DBUILD_TESTING=OFF "$@" 2>&1) || code=1
  [[ $code == "$wanted" ]] || die "cmake $*: $code, not $wanted: $said"
}

configure 0 -DFIRN_OPENVDB=OFF
[[ $said == *"without OpenVDB (FIRN_OPENVDB is OFF)"* ]] || die "OFF: $said"
# What stands for the library compiles.
ninja -C "$work/build" CMakeFiles/firn_core.dir/src/cache/export_volume.c.o >"$work/log" 2>&1 ||
  die "$(cat "$work/log")"

configure 0 -DOPENVDB_LIBRARY= -DOPENVDB_BOOST_INCLUDE=
[[ $said == *"without OpenVDB"*"OPENVDB_BOOST_INCLUDE, OPENVDB_LIBRARY not found"* ]] ||
  die "absent: $said"
[[ $said == *"scripts/setup.sh"* ]] || die "absent: $said"

configure 1 -DFIRN_OPENVDB=ON -DOPENVDB_LIBRARY=
[[ $said == *"FIRN_OPENVDB is on, but OPENVDB_LIBRARY was not found"* ]] || die "ON: $said"

# Where it is found nothing is said.
if [[ -e $FIRN_BUILD_DIR/firn-vdb.so ]]; then
  configure 0
  [[ $said != *OpenVDB* ]] || die "found: $said"
fi
exit 0
