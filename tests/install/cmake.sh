#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 180
# A project of its own finds the installed library by find_package(firn), builds all examples and
# runs them.
source "$(dirname "$0")/common.bash"
installed cmake

"$CMAKE" -S "$DOC/examples" -B build -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_C_COMPILER="$CC" >configure.log
"$CMAKE" --build build >build.log
count=0
for example in "$DOC"/examples/*.c; do
  name=$(basename "$example" .c)
  runs "build/$name" "$name.txt"
  count=$((count + 1))
done
if [[ $count -lt 2 ]]; then
  echo "$count examples were installed"
  exit 1
fi
# It is the installed library that they were built against, and none of the build's own.
readelf -d build/drop | grep -q "RUNPATH.*$LIBDIR"

# Version and precision are told.
cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.16)
project(ask LANGUAGES C)
find_package(firn 0.1 REQUIRED)
message(STATUS "firn ${firn_VERSION} (${firn_PRECISION})")
EOF
"$CMAKE" -S . -B ask -DCMAKE_PREFIX_PATH="$PREFIX" >ask.log
grep -qF -- "-- $("$PREFIX/bin/firn" --version)" ask.log
