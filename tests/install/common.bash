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

# runs PROGRAM NAME WORDS...: an example says something into NAME and does not fail.
runs() {
  local program=$1 said=$2
  shift 2
  if ! LD_LIBRARY_PATH=$LIBDIR "$program" "$@" >"$said" || [[ ! -s $said ]]; then
    echo "$program $* says nothing, or fails:"
    cat "$said"
    exit 1
  fi
}

# all_solvers PROGRAM NAME: the same under each, for examples that take its name.
all_solvers() {
  local solver
  for solver in mpm sph flip; do runs "$1" "$2-$solver.txt" "$solver"; done
}
