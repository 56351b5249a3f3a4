# SPDX-License-Identifier: Apache-2.0
# Shared by the tests of the program: `source common.bash`, then
#     run CODE ARGUMENTS...     runs firn, expects the exit code; $out and $err hold its output
#     expect TEXT WORDS         WORDS occur in TEXT
#     refuse TEXT WORDS         they do not
# Any failure ends the test. $work is an empty folder that goes away at the end.
set -u
FIRN=${FIRN:?the path of the program}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

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
