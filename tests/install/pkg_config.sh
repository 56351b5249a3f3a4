#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 180
# A stranger's view: install into an empty folder, compile each of the examples with what pkg-config
# says, against the shared library and one against the static one, and run them.
source "$(dirname "$0")/common.bash"
installed pkg-config

# With nothing but our own file to be found: nobody needs the files of libraries that only we use.
PKG_CONFIG_LIBDIR=$LIBDIR/pkgconfig pkg-config --cflags --libs firn >alone.txt
export PKG_CONFIG_PATH=$LIBDIR/pkgconfig

# Whoever links it can tell its precision, as the program does.
precision=$(pkg-config --variable=precision firn)
if [[ $("$PREFIX/bin/firn" --version) != *"($precision)"* ]]; then
  echo "firn.pc says '$precision', the program: $("$PREFIX/bin/firn" --version)"
  exit 1
fi

# The flags of pkg-config are several words by design.
count=0
for example in "$DOC"/examples/*.c; do
  name=$(basename "$example" .c)
  # shellcheck disable=SC2046
  "$CC" -std=c17 -Wall -Wextra -Wpedantic -Werror "$example" -o "$name" \
    $(pkg-config --cflags --libs firn) -lm
  runs "./$name" "$name.txt"
  [[ $name == drop ]] || all_solvers "./$name" "$name"
  count=$((count + 1))
done
if [[ $count -lt 2 || ! -s drop.txt || ! -s ball.txt ]]; then
  echo "$count examples were installed"
  exit 1
fi

# Static: the archive by name, then what firn.pc says the archive needs.
private=$(pkg-config --static --libs firn | sed 's/-lfirn\b//')
# shellcheck disable=SC2046,SC2086
"$CC" -std=c17 "$DOC/examples/drop.c" -o drop-static $(pkg-config --cflags firn) \
  "$LIBDIR/libfirn.a" $private
./drop-static >static.txt
cmp drop.txt static.txt

# Hidden visibility: nothing leaves the library but what the public headers declare.
strays=$(nm -D --defined-only "$LIBDIR/libfirn.so" | awk '$3 !~ /^firn_/ { print $3 }')
if [[ -n $strays ]]; then
  echo "libfirn.so exports: $strays"
  exit 1
fi
cat "$PREFIX"/include/firn/*.h >headers.txt
while read -r symbol; do
  if ! grep -qw "$symbol" headers.txt; then
    echo "libfirn.so exports $symbol, which no installed header declares"
    exit 1
  fi
done < <(nm -D --defined-only "$LIBDIR/libfirn.so" | awk '{ print $3 }')
objdump -p "$LIBDIR/libfirn.so" | grep -q 'SONAME *libfirn.so.1$'
