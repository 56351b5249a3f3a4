#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 60
# processors: 2
# The threads of a context under gcc's ThreadSanitizer. `make tsan` is clang's, whose loops another
# library runs, so nobody else watches team.c. Being code of ours, it is instrumented as all the
# rest.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

gcc=${FIRN_GCC:-gcc}
skip() {
  echo "skipped: $*"
  exit 77
}
command -v "$gcc" >/dev/null || skip "no gcc"
"$gcc" --version 2>/dev/null | grep -qi 'free software foundation' || skip "$gcc is not gcc"
[[ -z $FIRN_SANITIZE ]] || skip "the build is sanitized itself, by ${FIRN_SANITIZE}"
flags=(-std=gnu17 -O1 -g -fopenmp -fsanitize=thread)
echo 'int main(void) { return 0; }' >"$work/empty.c"
"$gcc" "${flags[@]}" "$work/empty.c" -o "$work/empty" 2>/dev/null ||
  skip "gcc has no runtime of tsan (libtsan)"
"$work/empty" || skip "a program under tsan does not start here"

build() { # NAME TEAM: the hosts with this team.c
  local base=$FIRN_SOURCE_DIR/src/base
  "$gcc" "${flags[@]}" -I "$FIRN_SOURCE_DIR/src" -I "$FIRN_SOURCE_DIR/include" \
    "$FIRN_SOURCE_DIR/tests/base/hosts.c" "$2" \
    "$base"/{context,def,escape,isa,memory,pages,status}.c -o "$work/$1"
}
runs() { # NAME ROUNDS
  TSAN_OPTIONS="halt_on_error=1 exitcode=66" "$work/$1" "$2" >"$work/$1.txt" 2>&1
}

build hosts "$FIRN_SOURCE_DIR/src/base/team.c"
if ! runs hosts 60; then
  cat "$work/hosts.txt"
  exit 1
fi

# It would see a race: a barrier that lets everybody through.
sed 's/^\(  if (__atomic_add_fetch(&team->arrived.is, 1, __ATOMIC_ACQ_REL) \)< (unsigned)team->count) {/\1== 0) {/' \
  "$FIRN_SOURCE_DIR/src/base/team.c" >"$work/broken.c"
if cmp -s "$FIRN_SOURCE_DIR/src/base/team.c" "$work/broken.c"; then
  echo "the barrier of team.c is written otherwise: nothing was broken"
  exit 1
fi
build broken "$work/broken.c"
for _ in 1 2 3; do
  if ! runs broken 60; then exit 0; fi
done
echo "a barrier that lets everybody through goes unnoticed"
exit 1
