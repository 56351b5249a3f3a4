# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of the installed firn share: a prefix of their own, with all in it.
#   installed NAME: sets PREFIX, LIBDIR and DOC; changes into an empty folder
set -euo pipefail

if [[ -n $FIRN_SANITIZE ]]; then
  echo "a sanitized library needs a sanitized program"
  exit 77
fi

installed() {
  local root=$FIRN_BUILD_DIR/install-test/$1
  export PREFIX=$root/usr LIBDIR DOC=$root/usr/share/doc/firn
  rm -rf "$root"
  mkdir -p "$root/work"
  "$CMAKE" --install "$FIRN_BUILD_DIR" --prefix "$PREFIX" >"$root/install.log"
  cd "$root/work"
  LIBDIR=$(cd "$(dirname "$(find "$PREFIX" -name firn.pc)")/.." && pwd)
}

# runs PROGRAM NAME: an example says something and does not fail.
runs() {
  LD_LIBRARY_PATH=$LIBDIR OMP_NUM_THREADS=2 "$1" >"$2"
  if [[ ! -s $2 ]]; then
    echo "$1 says nothing"
    exit 1
  fi
}
