#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# labels: slow
# timeout: 60
# firn bench paper/... goes on where it was cut off, and counts what it would have counted at one
# go.
source "$(dirname "$0")/common.bash"
err="" code=0 # what run and stop_at hear

small=(bench paper/castle --quality 0.1 --frames 24 --sleep on --json --threads 1)
env LD_PRELOAD="$FIRN_STOP" STOP_COUNT=looks "$FIRN" "${small[@]}" --state whole >whole.json ||
  die "the whole measurement"
[[ ! -e whole ]] || die "the state of what is done was left behind"

# At half of its looks at the clock, of which each step takes as many.
stop_at clock:$(($(<looks) / 2)) "$FIRN" "${small[@]}" --state deep/state >early.json 2>early.err
[[ $code != 0 ]] || die "not cut off"
expect "$(<early.err)" "the same command goes on from there"
[[ -e deep/state/castle-sleep.txt && -e deep/state/castle-sleep.0.hdf ]] || die "no state was kept"

# Of another quality nothing can be used, and nothing is lost by asking.
cp -r deep/state other
run 0 "${small[@]}" --quality 0.08 --frames 1 --state other
expect "$err" "is not of this measurement; begins again"

run 0 "${small[@]}" --state deep/state
expect "$err" "goes on after frame"
[[ ! -e deep/state ]] || die "the state was left behind"
python3 - whole.json .out early.json <<'PYTHON' || die "counts differ"
import json, sys
whole, later = [json.loads(open(f).read()) for f in sys.argv[1:3]]
for key in ("name", "variant", "particles", "steps", "frames", "iterations_mean", "implicit", "asleep"):
    assert whole[key] == later[key], (key, whole[key], later[key])
for r in whole, later:
    assert r["frames"] == 24 == len(r["frame_seconds"])
    assert abs(sum(r["frame_seconds"]) / r["seconds"] - 1) < 1e-3, r
    assert abs(sum(r["phases"].values()) - 1) < 1e-3, r
    assert r["step_equivalents_per_second"] > r["particle_steps_per_second"] * (1 - r["asleep"]), r
done = json.loads(open(sys.argv[3]).read())["frame_seconds"]
assert 0 < len(done) < 24 and later["frame_seconds"][:len(done)] == done, (done, later)
PYTHON
