#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 120
# firn export: files, summary, JSON, and what it says when it cannot.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

run 0 run demo -o run --frames 0:2 --set quality=0.25 --quiet
[[ -f run/frames.hdf.series ]] || die "the run left no frames.hdf.series"
expect "$(cat run/frames.hdf.series)" '"name": "frame_00002.hdf"'

run 0 export run --format vtp
expect "$out" "frame 2  3/3"
expect "$out" "3 frames"
expect "$out" "run/vtp"
[[ -s run/vtp/frames.vtp.series && -s run/vtp/frame_00002.vtp ]] || die "vtp files are missing"

run 0 export run -f csv --frames 1:2 --fields jp -o elsewhere --quiet
[[ -z $out ]] || die "--quiet says: $out"
[[ ! -e elsewhere/frame_00000.csv ]] || die "frame 0 was not asked for"
[[ $(head -n 1 elsewhere/frame_00001.csv) == x,y,z,jp ]] || die "other columns"
# Replaced by the same bytes, and nothing else is left.
before=$(cat elsewhere/*)
run 0 export run -f csv --frames 1:2 --fields jp -o elsewhere --quiet
[[ $(cat elsewhere/*) == "$before" ]] || die "the second time differs"
[[ $(cd elsewhere && echo *) == "firn-files.txt frame_00001.csv frame_00002.csv" ]] || die "left: $(ls elsewhere)"

run 0 export run --format ply --surface --frames 0 --json
expect "$out" '"event": "frame", "frame": 0'
expect "$out" '"event": "end", "frames": 1'
expect "$out" '"file_bytes": '
refuse "$out" '"triangles": 0'
[[ -s run/ply-surface/frame_00000.ply ]] || die "no surface"
# One file, and the same surface at any number of threads.
run 0 export run/frame_00001.hdf -f obj -o one --threads 1 --quiet
run 0 export run/frame_00001.hdf -f obj -o three --threads 3 --quiet
cmp one/frame_00001.obj three/frame_00001.obj || die "threads change the surface"

run 2 export run
expect "$err" "which format"
run 2 export run --format vpt
expect "$err" "'vpt' is none of vtp, ply"
run 2 export run --format csv --fields speed
expect "$err" "velocity"
run 2 export run --format csv --frames 7:9
expect "$err" "frames 0 to 2"
run 2 export elsewhere --format csv
expect "$err" "no frames"
run 2 export nowhere --format csv
expect "$err" "nowhere: No such file"
run 2 export elsewhere/frame_00001.csv --format csv
expect "$err" "frame_00001.csv"
run 2 export run --format vtp --surface
expect "$err" "obj or ply"
run 2 export run --format obj --level -1
expect "$err" "--level"
run 2 export run --format obj --spray some
expect "$err" "--spray"
for shaping in "--spray 2" "--level 0.3" "--smooth 0"; do
  for format in vdb vtp ply; do
    # shellcheck disable=SC2086 # an option and its argument
    run 2 export run --format $format $shaping
    expect "$err" "${shaping% *} is about surfaces: obj, or ply with --surface"
  done
done
run 2 export run --format csv --set render.snow.detail=0
expect "$err" "only vdb has"

# Lone particles: the last frame of the demo has some.
run 0 run demo -o flying --set quality=0.25 --quiet
count() { grep -c '^f ' "$1/frame_00012.obj"; }
for size in none 0.5 1; do
  run 0 export flying -f obj --frames 12 --spray "$size" -o "spray-$size" --quiet
done
run 0 export flying -f obj --frames 12 -o spray --quiet
cmp spray/frame_00012.obj spray-1/frame_00012.obj || die "1 is not the default of --spray"
[[ $(count spray-none) -lt $(count spray-1) ]] || die "no spray"
[[ $(count spray-0.5) == "$(count spray-1)" ]] || die "the size of spray changes its number"

if [[ -e $FIRN_BUILD_DIR/firn-vdb.so ]]; then
  run 0 export run --format vdb --frames 1 --velocity vel --set render.snow.voxel=0.01 --quiet
  [[ -s run/vdb/frame_00001.vdb ]] || die "no vdb file"
  LC_ALL=C grep -qa 'vel' run/vdb/frame_00001.vdb || die "the velocity has another name"
  run 2 export run --format vdb --velocity density
  expect "$err" "a name of its own"
  run 2 export run --format vdb --set render.snow.detail=7
  expect "$err" "detail"
  run 2 export run/frame_00001.hdf --format vdb --cell 1e-5
  expect "$err" "cell is 1e-05 m"
  mkdir alone && cp run/frame_00001.hdf alone
  run 0 export alone --format vdb --quiet
  run 2 export alone --format vdb --set render.snow.detail=0
  expect "$err" "alone/scene.yaml is not there"
  # The library without its module, as where OpenVDB has gone since: it says what is missing.
  # A sanitizer loads modules in the name of the program, which finds it.
  if [[ -z ${FIRN_SANITIZE:-} ]]; then
    mkdir lonely && cp -L "$FIRN_BUILD_DIR"/libfirn.so.[0-9] lonely
    LD_LIBRARY_PATH=$PWD/lonely run 1 export run --format vdb -o never
    expect "$err" "the module for OpenVDB does not load"
    expect "$err" "firn-vdb.so"
    [[ ! -e never/frame_00000.vdb ]] || die "half a vdb file"
  fi
else
  run 1 export run --format vdb
  expect "$err" "made without OpenVDB"
  expect "$err" "libopenvdb-dev"
fi

head -c 3000 run/frame_00001.hdf >cut.hdf && mv cut.hdf run/frame_00001.hdf
run 1 export run --format csv
expect "$err" "frame_00001.hdf"
run 0 help export
expect "$out" "--surface"
exit 0
