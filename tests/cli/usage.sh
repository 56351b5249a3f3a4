#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 20
# Every verb explains itself; bad usage ends with 2 and a helpful word.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

run 0 --help
expect "$out" "firn demo"
run 0 help
expect "$out" "Exit status: 0 ok, 1 the run failed, 2 bad usage or input."
run 2
expect "$err" "Usage: firn VERB"

for verb in demo run sweep check scenes info export bench; do
  run 0 "$verb" --help
  expect "$out" "Usage: firn $verb"
  run 0 help "$verb"
  expect "$out" "Usage: firn $verb"
  run 2 "$verb" --no-such-option
  expect "$err" "firn $verb"
done
run 0 version --help
run 0 help --help

run 0 version
[[ $out =~ ^firn\ [0-9]+\.[0-9]+\.[0-9]+\ \((float|double)\)$ ]] || die "version: $out"
run 0 --version
run 2 version 3

run 2 chekc
expect "$err" "unknown verb 'chekc'; did you mean 'check'?"
run 2 benhc
expect "$err" "did you mean 'bench'?"
run 2 xyzzy
refuse "$err" "did you mean"
run 2 help xyzzy
run 2 run
expect "$err" "which scene?"
run 2 run a b
expect "$err" "more than one scene: 'b'"
run 2 sweep demo
expect "$err" "what varies?"
run 2 sweep demo --vary mpm.flip
expect "$err" "expected PATH=VALUE"
run 2 sweep demo --vary mpm.flip=0,,1
expect "$err" "a value is empty"
run 2 sweep demo --vary mpm.flp=0,1 -o nowhere
expect "$err" "did you mean 'flip'?"
[[ ! -e nowhere ]] || die "a misspelt path left a folder"
run 2 check
run 2 info
run 2 run demo --threads many
expect "$err" "--threads: 'many' is not a whole number"
run 2 run demo --isa sse9
expect "$err" "none of auto, scalar, avx2, avx512"
run 2 run demo --device cuda
expect "$err" "no cuda"
run 2 run demo --device abacus
expect "$err" "'abacus' is none of auto, cpu"
for verb in info export render plot; do
  run 2 "$verb"
  expect "$err" "which folder? Give one that"
  [[ $verb == plot ]] && continue # takes several
  run 2 "$verb" a b
  expect "$err" "more than one folder: 'b'"
done
run 2 scenes a b
expect "$err" "more than one name: 'b'"
for number in 0 -1 nan 1e99 2x ""; do
  run 2 bench --quality "$number"
  expect "$err" "--quality: '$number' is not a number above 0, and 100 at most"
done
run 2 render a --fps 0.05
expect "$err" "--fps: '0.05' is not a number from 0.1 to 1000"
run 2 render a --format jpg
expect "$err" "'jpg' is none of png, exr"
run 2 export a --format ply --up x
expect "$err" "'x' is none of y, z"
run 2 render a --map rainbow
expect "$err" "'rainbow' is none of deep, ember, grey, balance"
run 2 run demo --frames 5:2
expect "$err" "5 is after 2"
run 2 check snowball-drop --frames ""
expect "$err" "--frames: which?"
for frames in x 0-5 1:2:3; do
  run 2 run demo --frames "$frames"
  expect "$err" "--frames: '$frames' is not A:B"
done
run 2 check demo --no-time --quality none
expect "$out$err" "quality"
run 0 check demo --resolved --quality 0.25
expect "$out" "quality: 0.25"
run 2 bench mpm/spray --quality 0.1
expect "$err" "--quality is for paper/... alone"
run 0 check demo --no-time --frames 3
expect "$out" "frames     3 to 3 of those that are simulated, from 0 on"
expect "$out" "(1 frame of"
run 2 bench mpm/spry
expect "$err" "did you mean 'mpm/spray'?"
run 2 bench mpm nothing/here
expect "$err" "no case begins with 'nothing/here'"
expect "$err" "mpm/explicit-quadratic-apic"
run 0 bench --list
expect "$out" "mpm/cr-iteration"

# What is nearly right gets a suggestion.
run 2 check demo --qualty 0.5
expect "$err" "firn check: unrecognized option '--qualty'; did you mean '--quality'?"
run 2 render castl
expect "$err" "did you mean the scene 'castle'?"
cat >plane.yaml <<'SCENE'
firn: 1
snow: [{shape: {sphere: {radius: 10 cm}}}]
colliders: [{shape: {plane: {}}}]
SCENE
run 2 check plane.yaml
expect "$out" "colliders[0].shape.plane: unknown key; did you mean 'half_space'?"

# What cannot be read is bad input, for every verb.
run 2 plot nowhere
run 2 plot plane.yaml
run 2 refine plane.yaml

# Text of others reaches no terminal as it is: neither an escape sequence nor a line of its own.
evil=$'a\e[2J\nfirn: ok \xff\xc2\x9b'
quiet() { # what was said has no such thing
  local said=$out$err
  [[ $said != *$'\e'* && $said != *$'\xff'* && $said != *$'\xc2\x9b'* &&
    $said != *$'\nfirn: ok'* ]] ||
    die "raw text of others: $said"
  expect "$said" 'a\x1b[2J\nfirn: ok'
}
printf 'firn: 1\nh: 2 cm\nframes: 1\nsnow:\n  - {name: "a\\e[2J\\nfirn: ok \\x9b", per: 1, shape: {sphere: {center: [0, 0, 0], radius: 3 cm}}}\n"a\\e[2J\\nfirn: ok": 1\n' >evil.yaml
run 2 check evil.yaml && quiet
run 2 check "$evil" && quiet
run 2 "$evil" && quiet
run 2 run demo --frames "$evil" && quiet
run 2 run demo --set "$evil=1" && quiet
run 2 run demo "--$evil" && quiet
printf 'firn: 1\nh: 2 cm\nframes: 1\nsnow: [{shape: {sphere: {center: [0, 0, 0], radius: 3 cm}}}]\n' >"$evil.yaml"
run 0 run "$evil.yaml" -o "$evil" && quiet
run 0 info "$evil" && quiet
run 0 run "$evil.yaml" -o "$evil" --overwrite --json
python3 -c 'import json, sys
for name in sys.argv[1:]:
    for line in open(name, "rb").read().decode("utf-8").splitlines(): json.loads(line)' \
  /dev/stdin "$evil/log.jsonl" <<<"$out" || die "no JSON: $out"

# A scene reads what lies below its folder alone, unless it is allowed more.
mkdir -p below/deeper
printf 'secret of another\n' >secret
printf 'firn: 1\ninclude: ../secret\n' >below/thief.yaml
run 2 check below/thief.yaml
expect "$out" "below/thief.yaml:2:10: include: below/../secret is not below the folder of below/thief.yaml"
expect "$out" "--allow-outside"
[[ $out$err != *"secret of"* ]] || die "a line of a file outside: $err"
ln -s ../secret below/link
printf 'firn: 1\ninclude: link\n' >below/thief.yaml
run 2 check below/thief.yaml
expect "$out" "include: below/link is not below"
printf 'h: 2 cm\nframes: 1\nsnow: [{shape: {sphere: {center: [0, 0, 0], radius: 3 cm}}}]\n' \
  >base.yaml
printf 'firn: 1\ninclude: ../base.yaml\n' >below/scene.yaml
run 2 check below/scene.yaml --no-time
run 0 check below/scene.yaml --no-time --allow-outside
cp base.yaml below/deeper
printf 'firn: 1\ninclude: deeper/base.yaml\n' >below/scene.yaml
run 0 check below/scene.yaml --no-time
(cd below/deeper && printf 'firn: 1\ninclude: base.yaml\n' >x.yaml &&
  "$FIRN" check x.yaml --no-time >/dev/null) ||
  die "beside it"
exit 0
