#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 60
# processors: 2
# On a terminal each verb says what it is doing before it has anything else to say; elsewhere, and
# with --quiet or --json, it does not.
source "$(dirname "$0")/common.bash"
err="" # what run hears
work=$PWD

cat >bed.yaml <<'SCENE'
firn: 1
h: 5 cm
frames: 2
fps: 100 Hz
snow:
  - {name: bed, shape: {box: {center: [0, 10 cm, 0], size: [40 cm, 20 cm, 40 cm]}}, settled: true}
colliders:
  - {name: ground, shape: {half_space: {}}}
  - {name: cube, shape: {mesh: {file: cube.obj}, scale: 0.1, move: [0, 50 cm, 0]}}
SCENE
cat >cube.obj <<'MESH'
v -1 -1 -1
v 1 -1 -1
v 1 1 -1
v -1 1 -1
v -1 -1 1
v 1 -1 1
v 1 1 1
v -1 1 1
f 4 3 2 1
f 5 6 7 8
f 1 2 6 5
f 3 4 8 7
f 2 3 7 6
f 4 1 5 8
MESH

# Runs firn with stderr on a terminal of 100 columns; $said is what came there.
cat >terminal.py <<'PY'
import fcntl, os, pty, struct, sys, termios
end, stderr = pty.openpty()
fcntl.ioctl(stderr, termios.TIOCSWINSZ, struct.pack("4H", 24, 100, 0, 0))
if os.fork() == 0:
    os.dup2(stderr, 2)
    os.dup2(os.open("stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
    os.execv(sys.argv[1], sys.argv[1:])
os.close(stderr)
said = b""
while True:
    try:
        more = os.read(end, 65536)
    except OSError:  # the other end was closed
        break
    if not more:
        break
    said += more
code = os.waitstatus_to_exitcode(os.wait()[1])
sys.stdout.write(said.decode())
sys.exit(code)
PY
on_terminal() {
  said=$(python3 terminal.py "$FIRN" "$@") || die "firn $*: $said"
}
said=""

on_terminal check bed.yaml --no-time
for words in "reading the scene ..." "reading $work/cube.obj ..." "distances to 12 triangles, 0 of 4 done ..." \
  "building snow[0] ..." "settled snow: " "iteration "; do
  expect "$said" "$words"
done
[[ $said == *$'\r\e[K' ]] || die "a line is left on the terminal: $said"
expect "$(cat stdout)" "bed.yaml: ok"

on_terminal run bed.yaml -o run
expect "$said" "settled snow: "
on_terminal run bed.yaml -o run --resume
expect "$said" "checking frames, 1 of 3 done ..."
expect "$said" "loading run/checkpoint_00002.hdf ..."
on_terminal info --verify run
expect "$said" "checking frames, 2 of 3 done ..."
on_terminal export run --format ply --surface
expect "$said" "exporting frames, 2 of 3 done ..."
on_terminal refine run --per 2
expect "$said" "refining frames, 1 of 3 done ..."
on_terminal render run --size 32x32 --spp 1
for words in "picture: reading " "picture: surfaces of bodies" "picture: density of the snow" \
  "picture: sky and lamps"; do
  expect "$said" "$words"
done
on_terminal plot run run
expect "$said" "plot: reading run, 1 of 2 done ..."
on_terminal sweep bed.yaml --vary mpm.flip=0,0.5 -o study --set frames=1
expect "$said" "reading the scenes ..."
expect "$said" "contact sheet: reading pictures, 1 of 2 done ..."

# A line that is wider than the window would stay: it is cut off.
long=$(printf 'x%.0s' {1..120}).obj
cp cube.obj "$long"
sed "s/cube.obj/$long/" bed.yaml >long.yaml
on_terminal check long.yaml --resolved
while read -rd $'\r' line; do
  [[ ${#line} -le 103 ]] || die "too wide: $line" # with the sequence that clears the rest
done <<<"$said"

# Nothing for programs, or where it would stay.
for quiet in "check bed.yaml --no-time --json" "run bed.yaml -o quiet --quiet" "run bed.yaml -o json --json" \
  "export run --format vtp --quiet" "export run --format vtp --json" "refine run --per 2 --overwrite --quiet" \
  "render run --size 32x32 --spp 1 --quiet" "render run --size 32x32 --spp 1 --json" "plot run --quiet" \
  "sweep bed.yaml --vary mpm.flip=0 -o other --set frames=1 --quiet"; do
  # shellcheck disable=SC2086
  on_terminal $quiet
  [[ -z $said ]] || die "firn $quiet: said $said"
done
run 0 check bed.yaml --no-time
[[ -z $err ]] || die "where there is no terminal it said $err"
