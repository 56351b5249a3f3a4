#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# firn plot: files that hold what was asked for, and what it says when it cannot.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

mkdir run
cat >run/stats.csv <<'CSV'
frame,time,steps,iterations_mean,particles,com_x,com_y,energy_kinetic,energy_elastic,energy_gravity,wall_seconds
0,0,0,,1000,0,1.5,0,0,1500,0.1
1,0.04,10,7.5,1000,0.1,1.4,100,5,1400,0.2
2,0.08,20,8.5,1000,0.2,1.2,290,10,1200,0.4
3,0.12,20,nonsense
CSV
printf '4,0.16,20' >>run/stats.csv # half a row: somebody is writing it

run 0 plot run
expect "$out" "run/stats.svg"
svg=$(cat run/stats.svg)
expect "$svg" "energy [kJ]"
expect "$svg" "center of mass [m]"
expect "$svg" "iterations of a solve"
expect "$svg" "wall time of a step"
expect "$svg" "time [s]"
expect "$svg" ">total<"
refuse "$svg" "particles" # they stay as many as they are
python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' run/stats.svg || die "not XML"

# Stages of a step are in the log; of a frame that was made again the last counts, and half a line
# does not.
cat >run/log.jsonl <<'LOG'
{"event": "begin", "at": "2026-01-01T00:00:00Z", "scene": "\"event\": \"frame\", \"seconds_scene\": 1"}
{"event": "frame", "frame": 0, "seconds_grid": 0, "seconds_solve": 0}
{"event": "frame", "frame": 1, "seconds_grid": 7000, "seconds_solve": 0.5}
{"event": "frame", "frame": 1, "seconds_grid": 0.25, "seconds_solve": 0.5}
{"event": "frame", "frame": 2, "seconds_grid": 0.25, "seconds_solve": 0.75}
LOG
printf '{"event": "frame", "frame": 2, "seconds_grid": 70' >>run/log.jsonl
run 0 plot run -o stages.svg
svg=$(cat stages.svg)
expect "$svg" "stages of a frame [s]"
expect "$svg" ">solve<"
refuse "$svg" ">scene<"
run 0 plot run --columns seconds_grid -o grid.svg
expect "$(cat grid.svg)" "stages of a frame, grid [s]"
run 2 plot run --columns seconds_nothing
rm run/log.jsonl

run 0 plot run///
[[ $out == run/stats.svg ]] || die "written to $out"
cd run || exit 1
run 0 plot .
expect "$(cat stats.svg)" ">run</text>"
cd .. || exit 1

# Two columns of one kind share a panel; others get their own.
run 0 plot run --columns com_x,com_y,wall_per_step -o two.svg --title 'a < b & c' --quiet
[[ -z $out ]] || die "--quiet says: $out"
svg=$(cat two.svg)
expect "$svg" "a &lt; b &amp; c"
[[ $(grep -c 'center of mass' two.svg) == 1 ]] || die "panels of the same quantity"
refuse "$svg" "energy"
# 0.02 s a step in each frame: 20 ms is the only label near the line.
expect "$svg" "wall time of a step [ms]"

run 0 plot run -o curves.png
[[ $(head -c 8 curves.png | od -An -tx1 | tr -d ' \n') == 89504e470d0a1a0a ]] || die "not a PNG"
before=$(md5sum <curves.png)
run 0 plot run -o curves.png
[[ $(md5sum <curves.png) == "$before" ]] || die "the second time differs"

cat >run/colliders.csv <<'CSV'
frame,time,name,force_x,force_y
0,0,floor,0,-1
0,0,"a, ""b""",0,-20000
1,0.04,floor,0,-2
1,0.04,"a, ""b""",0,-30000
CSV
run 0 plot run/colliders.csv --name floor
expect "$out" "run/colliders.svg"
expect "$(cat run/colliders.svg)" "force [N]"
expect "$(cat run/colliders.svg)" ">run: colliders, floor</text>"

# Every column of the other tables has its unit, those of a component share a panel.
cat >run/probes.csv <<'CSV'
frame,time,name,count,mass,center_x,center_y,velocity_x,density,jp,strain_rate_xx,strain_rate_yy,affine_xy
0,0,tip,10,2,1,2,3,400,0.9,1,2,3
1,0.04,tip,11,3,2,3,4,401,0.8,2,3,4
CSV
run 0 plot run/probes.csv
svg=$(cat run/probes.svg)
for words in ">run: probes</text>" "particles" "mass [kg]" "center of mass [m]" "velocity, x [m/s]" \
  "density [kg/m^3]" "plastic volume J_P" "strain_rate [1/s]" "affine, xy [1/s]"; do
  expect "$svg" "$words"
done
run 0 plot run/colliders.csv --name 'a, "b"' -o b.svg
expect "$(cat b.svg)" "force [kN]"
run 2 plot run/colliders.csv --name wheel
expect "$err" "no row has the name 'wheel'; there are floor, a, \"b\""
run 2 plot run/colliders.csv # a curve that jumps between them says nothing
expect "$err" "rows of which name? It has floor, a, \"b\"; choose with --name"

run 0 plot run --columns com_y --x com_x -o path.svg
expect "$(cat path.svg)" "com_x [m]"
run 0 plot run --columns com_y --x frame -o frame.svg
expect "$(cat frame.svg)" ">frame<"
run 2 plot run --x com_q
expect "$err" "no column 'com_q'; there are frame, time"
run 2 plot run --columns com_q
expect "$err" "no column 'com_q'; there are frame, time"
run 2 plot run -o curves.jpg
expect "$err" "curves.jpg ends in neither .svg nor .png"
run 2 plot nowhere
expect "$err" "nowhere"
run 2 plot
expect "$err" "which folder"
: >empty.csv
run 2 plot empty.csv
expect "$err" "empty.csv"
printf 'frame,time,com_x\n' >none.csv
run 2 plot none.csv
expect "$err" "nothing to plot"
run 0 help plot
expect "$out" "--columns"
