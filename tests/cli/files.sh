#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 120
# processors: 2
# Where files cannot or must not be written: links, full disks, limits. Nothing is written through a
# link, and nothing ends with 0 that did not say all it had to say.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

cat >scene.yaml <<'END'
firn: 1
h: 2 cm
frames: 2
snow: [{shape: {sphere: {center: [0, 10 cm, 0], radius: 5 cm}}, velocity: [0, -1, 0]}]
colliders: [{shape: {half_space: {}}}]
END

# A link behind every name that a run is to write, in turn: the run fails with the name, and leaves
# it.
echo precious >victim
for name in frame_00000.hdf frame_00002.hdf checkpoint_00002.hdf scene.yaml stats.csv colliders.csv \
  frames.hdf.series log.jsonl firn-files.txt files.next; do
  for link in "$name" "$name.part"; do
    [[ $link == files.next.part ]] && continue
    rm -rf o && mkdir o && ln -s ../victim "o/$link"
    for how in "" --resume --overwrite; do
      # shellcheck disable=SC2086
      code=2 && [[ $link == log.jsonl ]] && code=1
      run "$code" run scene.yaml -o o --quiet $how
      expect "$err" "o/$link"
      [[ -L o/$link && $(ls -A o) == "$link" ]] || die "a link for $link: refused, and changed: $(ls o)"
    done
  done
done
[[ $(cat victim) == precious ]] || die "the run wrote through a link"
rm -rf o && run 0 run scene.yaml -o o --quiet
rm o/log.jsonl
ln -s ../victim o/log.jsonl
run 1 run scene.yaml -o o --resume --frames 0:3 --quiet
expect "$err" "log.jsonl: it is a link"
[[ $(cat victim) == precious ]] || die "the log was written through a link"
rm o/log.jsonl
mkdir o/png
ln -s ../victim o/p.png.part
ln -s ../victim o/plot.svg.part
ln -s ../victim o/csv.part
mkdir o/csv o/many
ln -s ../../victim o/csv/frame_00001.csv.part
ln -s ../../victim o/many/frame_00001.png.part
ln -s ../../victim o/many/render.txt
run 0 render o -o o/p.png --size 32x18 --spp 1 --quiet
run 0 render o -o o/many --size 32x18 --spp 1 --quiet
run 0 export o -f csv -o o/csv --quiet
run 0 plot o -o o/plot.svg
[[ $(cat victim) == precious ]] || die "something wrote through a link"
# The name itself may be a link: it is replaced.
ln -s ../victim o/q.png
run 0 render o -o o/q.png --size 32x18 --spp 1 --quiet
[[ $(cat victim) == precious && -f o/q.png && ! -L o/q.png ]] || die "q.png is still a link"
# A folder may be one.
mkdir far
ln -s far near
run 0 run scene.yaml -o near --frames 0:1 --quiet
[[ -s far/frame_00001.hdf ]] || die "nothing behind the link of a folder"

# An export that is refused leaves no folder.
run 2 export o -f obj --cell 100 -o none
[[ ! -e none ]] || die "a refused export left a folder"

# Whatever a verb prints must get out.
if [[ -w /dev/full ]]; then
  for words in "help" "version" "scenes" "scenes demo" "check scene.yaml" "run --help" \
    "check scene.yaml --resolved" "info o" "plot o -o x.svg" "bench --list" \
    "run scene.yaml -o p --frames 0:1" "render o -o r.png --size 32x18 --spp 1" "export o -f csv"; \
      do
    # shellcheck disable=SC2086
    "$FIRN" $words >/dev/full 2>.err
    code=$?
    [[ $code == 1 ]] || die "firn $words >/dev/full ends with $code"
    expect "$(cat .err)" "cannot write to standard output"
  done
  # Closed, it must not become the number of a file.
  "$FIRN" run scene.yaml -o closed --frames 0:1 >&- 2>.err && die "a closed stdout passes"
  expect "$(cat .err)" "cannot write to standard output"
  run 0 info closed
fi

# Beyond a limit on file sizes: a message, not a signal.
(ulimit -f 8 && exec "$FIRN" run scene.yaml -o limit --quiet 2>.err)
code=$?
[[ $code == 1 ]] || die "ulimit -f: ends with $code"
expect "$(cat .err)" "File too large"
# A picture that cannot be written is not made first: this one would take days.
(ulimit -f 8 && exec timeout 60 "$FIRN" render o -o big.png --size 4000x4000 --spp 4000 --quiet \
  2>.err)
code=$?
[[ $code == 1 ]] || die "render beyond the limit: ends with $code"
expect "$(cat .err)" "cannot write big.png: File too large"

# A mesh with a hole is told of once, and what to do.
cat >open.obj <<'END'
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 1 4 3
END
cat >open.yaml <<'END'
firn: 1
h: 10 cm
snow: [{shape: {mesh: {file: open.obj}}}]
END
run 2 check open.yaml
[[ $(cat .out .err | grep -o "open edges" | wc -l) == 1 ]] || die "the hole is told of: $out $err"
expect "$out$err" "holes: fill"

# A small file costs no memory.
printf '#?RADIANCE\n\n-Y 32768 +X 32768\n' >m.hdr
[[ -n ${FIRN_SANITIZE:-} ]] || ulimit -v 4000000 # a sanitizer maps more than any limit
run 2 render o -o m.png --size 32x18 --spp 1 --set render.sky.map=m.hdr
expect "$err" "announces 32768 x 32768 pixels"
# What is wrong with a map is wrong with the input: exit code 2.
echo text >text.hdr && mkdir -p folder.hdr && mkfifo pipe.hdr
for name in text folder pipe; do
  run 2 render o -o m.png --size 32x18 --spp 1 --set render.sky.map=$name.hdr
  expect "$err" "$name.hdr"
done
exit 0
