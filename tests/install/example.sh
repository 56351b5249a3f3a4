#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 120
# A stranger's view: install into an empty folder, compile examples/drop.c with what pkg-config
# says, against the shared library and against the static one, and run both.
set -euo pipefail

example=$FIRN_SOURCE_DIR/examples/drop.c
if [[ ! -f $example ]]; then
  echo "examples/drop.c does not exist yet"
  exit 77
fi
if [[ -n $FIRN_SANITIZE ]]; then
  echo "a sanitized library needs a sanitized program"
  exit 77
fi

root=$FIRN_BUILD_DIR/install-test
rm -rf "$root"
mkdir -p "$root/work"
"$CMAKE" --install "$FIRN_BUILD_DIR" --prefix "$root/usr" >"$root/install.log"
cd "$root/work"
libdir=$(dirname "$(find "$root/usr" -name firn.pc)")/..
export PKG_CONFIG_PATH=$libdir/pkgconfig

# Whoever links it can tell its precision, as the program does.
precision=$(pkg-config --variable=precision firn)
if [[ $("$root/usr/bin/firn" --version) != *"($precision)"* ]]; then
  echo "firn.pc says '$precision', the program: $("$root/usr/bin/firn" --version)"
  exit 1
fi

# The flags of pkg-config are several words by design.
# shellcheck disable=SC2046
"$CC" -std=c17 -Wall -Wextra -Wpedantic -Werror "$example" -o drop \
  $(pkg-config --cflags --libs firn) -lm
LD_LIBRARY_PATH=$libdir ./drop >shared.txt
[[ -s shared.txt ]]

# Static: the archive by name, then what firn.pc says the archive needs.
private=$(pkg-config --static --libs firn | sed 's/-lfirn\b//')
# shellcheck disable=SC2046,SC2086
"$CC" -std=c17 "$example" -o drop-static $(pkg-config --cflags firn) "$libdir/libfirn.a" $private
./drop-static >static.txt
cmp shared.txt static.txt

# Hidden visibility: nothing leaves the library but what the public headers declare.
strays=$(nm -D --defined-only "$libdir/libfirn.so" | awk '$3 !~ /^firn_/ { print $3 }')
if [[ -n $strays ]]; then
  echo "libfirn.so exports: $strays"
  exit 1
fi
while read -r symbol; do
  if ! grep -rqw "$symbol" "$root/usr/include/firn"; then
    echo "libfirn.so exports $symbol, which no installed header declares"
    exit 1
  fi
done < <(nm -D --defined-only "$libdir/libfirn.so" | awk '{ print $3 }')
objdump -p "$libdir/libfirn.so" | grep -q 'SONAME *libfirn.so.1$'
if [[ -x $root/usr/bin/firn ]]; then "$root/usr/bin/firn" --help >/dev/null; fi
