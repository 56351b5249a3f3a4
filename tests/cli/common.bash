# SPDX-License-Identifier: Apache-2.0
# Shared by the tests of the program: `source common.bash`, then
#     run CODE ARGUMENTS...     runs firn, expects the exit code; $out and $err hold its output
#     expect TEXT WORDS         WORDS occur in TEXT
#     refuse TEXT WORDS         they do not
#     sums FOLDER               what is in a folder, by bytes: the log too, and links as such
#     stop_at WHERE COMMAND...  runs a command that raises SIGINT, or signal $STOP_SIGNAL, at a moment that
#                               tests/torture/stop.c finds; $code is how it ended
#     pixels_module             writes pixels.py, whose rows(PATH) are the rows of a PNG picture of 8 bits, three
#                               numbers a pixel
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
  (cd "$1" && find . -type f -exec sha256sum {} + | sort -k2 &&
    find . -type l -printf '%p %l\n' | sort)
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

pixels_module() {
  cat >pixels.py <<'PYTHON'
import struct, zlib


def rows(path):
    data, at, packed = open(path, "rb").read(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    length, found = 3 * width, [bytearray(3 * width)]
    raw = zlib.decompress(packed)
    for y in range(height):
        at, before = y * (length + 1), found[-1]
        way, row = raw[at], bytearray(raw[at + 1 : at + 1 + length])
        for i in range(length):
            a, b, c = row[i - 3] if i >= 3 else 0, before[i], before[i - 3] if i >= 3 else 0
            p = [abs(b - c), abs(a - c), abs(a + b - 2 * c)]
            nearest = [a, b, c][p.index(min(p))]
            row[i] = (row[i] + [0, a, b, (a + b) // 2, nearest][way]) % 256
        found.append(row)
    return found[1:]
PYTHON
}
