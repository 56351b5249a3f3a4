# SPDX-License-Identifier: Apache-2.0
# Shared by the tests of the program: `source common.bash`, then
#     run CODE ARGUMENTS...     runs firn, expects the exit code; $out and $err hold its output
#     expect TEXT WORDS         WORDS occur in TEXT
#     refuse TEXT WORDS         they do not
#     sums FOLDER               what is in a folder, by bytes: the log too, and links as such
#     stop_at WHERE COMMAND...  runs a command that raises SIGINT, or signal $STOP_SIGNAL, at a moment that
#                               tests/torture/stop.c finds; $code is how it ended
#     columns TABLE             all columns of stats.csv but the last, wall_seconds
# Any failure ends the test. $work is an empty folder that goes away at the end.
set -u
FIRN=${FIRN:?the path of the program}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# An AddressSanitizer that is not the first library complains.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0

die() {
  echo "FAILED: $*" >&2
  exit 1
}

run() {
  local wanted=$1 code
  shift
  "$FIRN" "$@" >"$work/.out" 2>"$work/.err" </dev/null
  code=$?
  out=$(cat "$work/.out")
  err=$(cat "$work/.err")
  [[ $code == "$wanted" ]] || die "firn $*: exit $code, expected $wanted; said: $out $err"
}

expect() {
  [[ $1 == *"$2"* ]] || die "expected '$2' in: $1"
}

refuse() {
  [[ $1 != *"$2"* ]] || die "did not expect '$2' in: $1"
}

sums() {
  (cd "$1" && find . -type f -exec sha256sum {} + | sort -k2 && find . -type l -printf '%p %l\n' | sort)
}

stop_at() {
  local where=$1
  shift
  env LD_PRELOAD="$FIRN_STOP" STOP_AT="$where" "$@"
  code=$?
}

columns() {
  sed 's/,[^,]*$//' "$1"
}
