#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 120
# A built-in scene under --solver sph, from the program: frames, tables, and going on after a stop.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
options=(--solver sph --set quality=0.15 --set fps=500 --quiet)

"$FIRN" run demo "${options[@]}" --frames 0:4 -o "$dir/whole"
"$FIRN" run demo "${options[@]}" --frames 0:2 -o "$dir/parts"
"$FIRN" run demo "${options[@]}" --frames 0:4 -o "$dir/parts" --resume
for frame in 3 4; do
  cmp "$dir/whole/frame_0000$frame.hdf" "$dir/parts/frame_0000$frame.hdf"
done

column() { # NAME: its last value in stats.csv
  awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } END { print $c }' \
    "$dir/whole/stats.csv"
}
holds() { # VALUE LEAST MOST
  awk -v x="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(x != "" && x >= a && x <= b) }' ||
    { echo "$1 is not within $2 and $3"; exit 1; }
}
holds "$(column neighbours_mean)" 20 60
holds "$(column pressure_iterations)" 1 200
holds "$(column iterations_mean)" 1 200
holds "$(column density_max)" 400 8000
# On a lattice, no two particles are nearer than a spacing at the beginning.
"$FIRN" export "$dir/whole" --format csv --frames 0:0 -o "$dir/points" > /dev/null
test "$(cut -d, -f2 "$dir"/points/*.csv | sort -u | wc -l)" -lt 40

# What it does not know is named.
if "$FIRN" run sand-column "${options[@]}" --frames 0:1 -o "$dir/sand" 2> "$dir/words"; then exit \
  1; fi
grep -q "sand-column:[0-9]*:[0-9]*: snow\[0\].material: .*law" "$dir/words"
