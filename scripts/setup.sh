#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what firn needs and this machine lacks, on Debian and its relatives.
#
#   scripts/setup.sh [build] [test] [lint] [asan] [tsan] [valgrind] [mutation] [viewers] [film]
#                                                                         (default: build test)
#
# viewers (1 GB) is for the tests that open exports in ParaView and Blender, film for
# `firn render -o film.mp4`; firn builds and works without them. It also does without OpenVDB, which
# belongs to build: where that cannot be installed, the script says so and goes on.
#
# Says what is missing and what for. As root, or with a sudo that asks no password, it installs
# the packages by itself; otherwise it prints the command to run and exits with 1. When nothing is
# missing it is silent and touches nothing.
set -eu
export LC_ALL=C

packages="" # Debian packages to install
wishes=""   # those that firn can do without
reasons=""  # a line for each

# need PACKAGE WHY CHECK...: the package is missing when the check fails.
need() {
  package=$1 why=$2
  shift 2
  if ! "$@" >/dev/null 2>&1; then
    packages="$packages $package"
    reasons="$reasons$(printf '  %-18s %s' "$package" "$why")
"
  fi
}

# The same for what firn can do without.
want() {
  must=$packages
  need "$@"
  wishes="$wishes${packages#"$must"}"
  packages=$must
}

# The compiler is asked, rather than the package database, so that any origin will do.
compiles() { printf '#include <%s>\n' "$2" | "$1" -fopenmp -fsyntax-only -x c -; }
has_header() { ls "/usr/include/$1" || ls "/usr/local/include/$1"; }
has_cmake() {
  cmake --version | awk 'NR == 1 { split($3, v, "."); ok = v[1] * 100 + v[2] >= 325 }
                         END { exit !ok }'
}
links_tsan() { echo 'int main(void){return 0;}' | clang -fsanitize=thread -x c -o /dev/null -; }

check_build() {
  need gcc "the C compiler, with OpenMP" command -v gcc
  need libc6-dev "headers of the C library" compiles cc stdlib.h
  need make "runs the targets" command -v make
  need cmake "configures the build (3.25 or later)" has_cmake
  need ninja-build "runs the build" command -v ninja
  need pkg-config "finds the libraries" command -v pkg-config
  need libyaml-dev "reads scene files" pkg-config --exists yaml-0.1
  need libhdf5-dev "writes the frames of a run" sh -c \
    'pkg-config --exists hdf5-serial || pkg-config --exists hdf5'
  need libpng-dev "writes pictures" pkg-config --exists libpng
  need libopenexr-dev "pictures and environment maps in high dynamic range" sh -c \
    'pkg-config --exists "OpenEXR >= 3.1"'
  need libembree-dev "rays that meet bodies, in pictures" compiles cc embree3/rtcore.h
  need libcmocka-dev "the test framework" pkg-config --exists cmocka
  want g++ "the compiler of OpenVDB's headers" command -v g++
  want libopenvdb-dev "writes vdb files" has_header openvdb/openvdb.h
  want libboost-dev "OpenVDB's headers want it" has_header boost/version.hpp
  want libboost-iostreams-dev "the same" has_header boost/iostreams/copy.hpp
  need help2man "makes the manual pages" command -v help2man
}

check_test() { # cmocka is needed to configure, so it is above
  need python3-jsonschema "checks the JSON Schema of scenes" python3 -c 'import jsonschema'
  need python3-yaml "reads scenes beside firn" python3 -c 'import yaml'
  need mandoc "reads the manual pages" command -v mandoc
}

check_lint() {
  need git "lists the files to look at" command -v git
  need python3 "runs the include-order check" command -v python3
  need clang-format "checks the layout of the code" command -v clang-format
  need clang-tidy "static analysis" command -v clang-tidy
  need cppcheck "static analysis" command -v cppcheck
  need shellcheck "checks the scripts" command -v shellcheck
  need libomp-dev "OpenMP as clang-tidy parses it" sh -c 'ls /usr/lib/llvm-*/lib/libomp.so'
}

check_tsan() {
  need clang "the compiler for ThreadSanitizer" command -v clang
  need libclang-rt-dev "the runtime of ThreadSanitizer" links_tsan
  need libomp-dev "an OpenMP runtime that it understands" compiles clang omp.h
}

links_asan() { # with libFuzzer, whose targets are part of that build
  echo 'int LLVMFuzzerTestOneInput(void){return 0;}' |
    clang -fsanitize=fuzzer,address -x c -o /dev/null -
}
check_asan() {
  need clang "the compiler for AddressSanitizer" command -v clang
  need libclang-rt-dev "the runtimes of AddressSanitizer and libFuzzer" links_asan
  need libomp-dev "an OpenMP runtime for clang" compiles clang omp.h
}

check_valgrind() { need valgrind "memory checker" command -v valgrind; }

check_mutation() {
  need git "lists the files to copy" command -v git
  need python3 "edits, builds and runs them" command -v python3
}

check_viewers() {
  need paraview "opens frames and series" command -v pvpython
  need python3-paraview "its scripts" sh -c 'ls -d /usr/lib/python3*/dist-packages/paraview'
  need blender "opens vdb files and surfaces" command -v blender
}

check_film() { need ffmpeg "makes films of pictures" command -v ffmpeg; }

check() {
  packages="" wishes="" reasons=""
  for group; do
    case $group in
    build | test | lint | asan | tsan | valgrind | mutation | viewers | film) "check_$group" ;;
    *)
      echo "setup: unknown group '$group' (build, test, lint, asan, tsan, valgrind, mutation," \
        "viewers, film)" >&2
      exit 2
      ;;
    esac
  done
}

[ $# -gt 0 ] || set -- build test
check "$@"
[ -n "$packages$wishes" ] || exit 0

echo "setup: missing on this machine:"
printf '%s' "$reasons"
install="apt-get install -y --no-install-recommends$packages$wishes"
without="setup: going on without$wishes: this firn will not write vdb files"

# give_up REASON HINT: an end, unless all that is missing is a wish.
give_up() {
  echo "setup: $1" >&2
  [ -z "$2" ] || echo "$2" >&2
  [ -n "$packages" ] && exit 1
  echo "$without"
  exit 0
}

if ! command -v apt-get >/dev/null 2>&1; then
  give_up "no apt-get here. Please install the above with your system's package manager (the names \
are Debian's) and try again." ""
fi
if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root='sudo -n'
else
  give_up "cannot become root without a password. Please run" \
    "    sudo apt-get update && sudo $install
and try again."
fi

# Another apt may be at work (unattended upgrades on a fresh machine): wait for it.
apt() {
  $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -o DPkg::Lock::Timeout=120 \
    -o Dpkg::Use-Pty=0 "$@" </dev/null
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "setup: ${as_root:+$as_root }$install"
# A failed update (one dead mirror of several) is not fatal: the install decides.
apt update >"$log" 2>&1 || tail -n 5 "$log" >&2
# shellcheck disable=SC2086 # the lists are to be split
if ! apt install -y --no-install-recommends $packages $wishes >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  # Once more without what may be missing in an archive.
  if [ -z "$wishes" ] ||
    { [ -n "$packages" ] && ! apt install -y --no-install-recommends $packages >"$log" 2>&1; }; then
    echo "setup: the installation failed; the command was: $install" >&2
    exit 1
  fi
fi

check "$@"
if [ -n "$packages" ]; then
  echo "setup: still missing after the installation:$packages" >&2
  exit 1
fi
if [ -n "$wishes" ]; then
  echo "$without"
else
  echo "setup: done"
fi
