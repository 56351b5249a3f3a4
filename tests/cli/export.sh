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
[[ $(find elsewhere -type f | wc -l) == 2 ]] || die "more files than frames"

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
head -c 3000 run/frame_00001.hdf >cut.hdf && mv cut.hdf run/frame_00001.hdf
run 1 export run --format csv
expect "$err" "frame_00001.hdf"
run 0 help export
expect "$out" "--surface"
exit 0
