#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 60
# processors: 2
# firn run: frames, statistics, overrides, progress for people and programs, stop and resume.
source "$(dirname "$0")/common.bash"
out="" err="" code=0 # what run and stop_at hear

cat >ball.yaml <<'SCENE'
firn: 1
title: small
h: 2 cm
frames: 6
fps: 200 Hz
snow:
  - shape: {sphere: {center: [0, 11 cm, 0], radius: 10 cm}}
    velocity: [0, -5 m/s, 0]
colliders:
  - {name: ground, shape: {half_space: {}}}
SCENE

# A whole run.
run 0 run ball.yaml -o whole --threads 2
expect "$out" "frame 6/6"
[[ $(grep -c "left" .out) == 6 ]] || die "speed and time left from frame 1 on: $out"
expect "$out" "frame 0/6"
expect "$out" "done in"
for i in 0 1 2 3 4 5 6; do [[ -s whole/frame_0000$i.hdf ]] || die "frame $i is missing"; done
[[ $(wc -l <whole/stats.csv) == 8 ]] || die "stats.csv: $(wc -l <whole/stats.csv) lines"
[[ -s whole/scene.yaml && -s whole/log.jsonl ]] || die "scene.yaml or log.jsonl is missing"
head -1 whole/scene.yaml | grep -q '^firn: 1$' || die "scene.yaml begins with $(head -1 whole/scene.yaml)"
[[ -z $err ]] || die "said to stderr: $err"

# The resolved scene runs to the same bytes, on another number of threads.
run 0 run whole/scene.yaml -o again --threads 1 --quiet
[[ -z $out ]] || die "--quiet said $out"
for i in 0 3 6; do cmp whole/frame_0000$i.hdf again/frame_0000$i.hdf || die "frame $i differs"; done

# Stop on the way, and go on: the same bytes as without; a terminal that closes stops a run like
# Ctrl-C.
for signal in 2 1; do # SIGINT, SIGHUP
  rm -rf halves
  STOP_SIGNAL=$signal stop_at halves/frame_00001.hdf "$FIRN" run ball.yaml -o halves --threads 2 \
    >stop.out 2>stop.err
  [[ $code == 1 ]] || die "interrupted by signal $signal: exit $code: $(cat stop.out stop.err)"
  expect "$(cat stop.out)" "To go on with what is in"
  expect "$(cat stop.out)" "  $FIRN run -o halves --threads 2 ball.yaml --resume"
  [[ ! -e halves/frame_00006.hdf ]] || die "not interrupted"
  run 0 run ball.yaml -o halves --threads 2 --resume --quiet
  for i in 0 1 2 3 4 5 6; do
    cmp whole/frame_0000$i.hdf halves/frame_0000$i.hdf || die "resumed frame $i differs"
  done
  diff <(columns whole/stats.csv) <(columns halves/stats.csv) || die "resumed stats.csv differs"
done

# A part of the frames, then the rest.
run 0 run ball.yaml -o part --frames 0:2 --quiet
[[ -e part/frame_00002.hdf && ! -e part/frame_00003.hdf ]] || die "--frames 0:2"
run 0 run ball.yaml -o part --resume --quiet
cmp whole/frame_00006.hdf part/frame_00006.hdf || die "0:2 and the rest differ from the whole"

# Another scene must not be mixed in.
run 2 run ball.yaml -o part --resume --set mpm.flip=0.5
expect "$err" "cannot resume"
[[ -z $out ]] || die "a run that was refused has not begun: $out"
expect "$err" "mpm.flip is 0.5 now, and was 0.95"
# One that only looks otherwise, and writes other frames from here on, may go on.
run 0 run ball.yaml -o part --frames 0:2 --quiet --overwrite
run 0 run ball.yaml -o part --resume --set title=other --set preview.width=64 \
  --set 'output.fields=[velocity]' --set frames=4
expect "$err" "going on after frame 2"
[[ -e part/frame_00004.hdf && ! -e part/frame_00005.hdf ]] || die "resumed with frames=4"
cmp whole/frame_00002.hdf part/frame_00002.hdf || die "resuming changed an old frame"
cmp -s whole/frame_00004.hdf part/frame_00004.hdf && die "resuming did not follow output.fields"
grep -q '^title: "other"' part/scene.yaml || die "scene.yaml is the old one"

# Programs read JSON.
run 0 run ball.yaml -o json --json --set frames=2
python3 - .out <<'PYTHON' || die "--json: $out"
import json, sys
events = [json.loads(line) for line in open(sys.argv[1])]
assert [e["event"] for e in events] == ["start", "frame", "frame", "frame", "end"], events
assert events[0]["folder"] == "json" and events[0]["threads"] >= 1
assert events[3]["frame"] == events[3]["last_frame"] == 2 and events[3]["steps"] > 0
assert events[3]["particles"] > 1000
assert events[3]["memory_bytes"] > 1e5 and "bytes" not in events[3] # those of files are file_bytes
PYTHON

# What a run warns of on the way stands in its log, and is an event for programs.
cat >hung.yaml <<'SCENE'
firn: 1
h: 2 cm
frames: 1
fps: 500 Hz
snow:
  - {shape: {sphere: {center: [0, 1, 0], radius: 10 cm}}, settled: true}
kill_box: {min: [-9, -9, -9], max: [9, 9, 9]}
SCENE
run 0 run hung.yaml -o hung --json
python3 - .out hung/log.jsonl <<'PYTHON' || die "warnings: $out; $(cat hung/log.jsonl)"
import json, sys
for name in sys.argv[1:]:
    events = [json.loads(line) for line in open(name)]
    said = [e["message"] for e in events if e["event"] == "warning"]
    assert len(said) == 1 and "nothing holds" in said[0], said
PYTHON
expect "$err" "warning: nothing holds"
run 0 run hung.yaml -o hung --quiet --overwrite
[[ $(grep -c '"event": "warning"' hung/log.jsonl) == 1 ]] || die "the log anew: $(cat hung/log.jsonl)"

# Compact frames of a few fields: small, and read by the same reader. The run is the same one.
run 0 run ball.yaml -o compact --quiet --set \
  'output={precision: 16, every: 3, fields: [velocity, jp]}'
[[ -e compact/frame_00003.hdf && ! -e compact/frame_00002.hdf ]] || die "every: 3"
run 0 info compact/frame_00006.hdf
expect "$out" "velocity"
refuse "$out" "density"
run 0 info compact
refuse "$out" "missing"
size=$(stat -c %s compact/frame_00006.hdf) full=$(stat -c %s whole/frame_00006.hdf)
((2 * size < full)) || die "compact frame of $size bytes, full one of $full"
diff <(cut -d, -f1-27 whole/stats.csv) <(cut -d, -f1-27 compact/stats.csv) ||
  die "stats.csv differs"
run 2 run ball.yaml -o compact --quiet --overwrite --set 'output={fields: [velocty]}'
expect "$err" "did you mean 'velocity'?"

# A damaged checkpoint is said, and does not matter.
run 0 run ball.yaml -o damaged --frames 0:3 --quiet
head -c 9000 damaged/checkpoint_00003.hdf >cut.hdf && mv cut.hdf damaged/checkpoint_00003.hdf
run 0 run ball.yaml -o damaged --resume
expect "$err" "warning"
expect "$err" "checkpoint_00003.hdf"
expect "$err" "going on after frame 2"
cmp whole/frame_00006.hdf damaged/frame_00006.hdf ||
  die "after a damaged checkpoint frame 6 differs"

# Pictures of every second frame that is written.
run 0 run ball.yaml -o drawn --frames 1:4 --pictures=2 --quiet \
  --set preview.width=64 --set preview.height=36
[[ "$(cd drawn && echo picture_*)" == "picture_00002.png picture_00004.png" ]] ||
  die "pictures: $(ls drawn)"

# What a run left behind.
run 0 info whole
expect "$out" "scene        small"
expect "$out" "7 (0 to 6) of 7,"
expect "$out" "time         0.03 s"
expect "$out" "7 rows"
expect "$out" "a particle"
run 0 info whole/frame_00003.hdf
expect "$out" "time         0.015 s"
expect "$out" "velocity     m/s"
expect "$out" "bytes a particle"
run 0 info whole/checkpoint_00006.hdf
expect "$out" "after frame  6"
head -c 5000 whole/frame_00003.hdf >cut.hdf
run 2 info cut.hdf
expect "$err" "cut.hdf"
run 2 info ball.yaml
run 2 info .
run 2 info nowhere

# Warnings that differ in their numbers are printed once, and counted.
sed 's/^h: .*/h: 2 cm\nmpm: {integrator: implicit, max_iterations: 1, tolerance: 1e-9}/' ball.yaml \
  >hard.yaml
run 0 run hard.yaml -o hard --frames :1 --quiet
[[ $(grep -c "warning: step .* the linear solve stopped after 1" <<<"$err") == 1 ]] || die "not once: $err"
expect "$err" "a larger max_iterations"
expect "$err" ' more like "step 0 at time 0 s: the linear solve stopped'

# A folder that cannot be made: the run fails, with its reason.
: >occupied
run 1 run ball.yaml -o occupied/out --quiet
expect "$err" "occupied"
exit 0
