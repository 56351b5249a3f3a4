#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 60
# processors: 2
# A run removes and replaces only files that it has written itself. The whole tree is compared
# before and after, in folders full of files of other programs and of other runs.
source "$(dirname "$0")/foreign.bash"
out="" err="" # what run hears

# ---- files with names that a run does not write

litter() { # a folder with other people's things, named as firn's are or nearly so
  mkdir -p "$1"/{fine,files,frames,empty,picture_00003.png,study}
  for name in notes.txt picture_00001.png demo_00000.png frame_1.hdf frame_00000.vtp frame_00000.hdf.bak \
    checkpoint.hdf stats.csv.old probes.txt scene.yml my-scene.yaml log.json frames.vtp.series sums.txt \
    fine/frame.hdf fine/notes.txt files/block.obj files/sums.txt study/stats.csv .hidden; do
    echo "mine: $name" >"$1/$name"
  done
  ln -s nowhere "$1/link"
}
litter o
before=$(tree o)
run 0 run s.yaml -o o --quiet
own=$(ls o)
run 0 run s.yaml -o o --quiet --overwrite
[[ $(ls o) == "$own" ]] || die "overwritten, other files are there: $(ls o)"
while read -r line; do [[ $(tree o) == *"$line"* ]] || die "gone or changed: $line"; done <<<"$before"
# Without the files of the run it is the folder as it was.
awk 'NR > 1 && $1 != "sum" && $1 != "of" {print $2}' o/firn-files.txt >list
[[ $(wc -l <list) -ge 8 ]] || die "the list: $(cat o/firn-files.txt)"
(cd o && xargs rm <../list && rm firn-files.txt)
[[ $(tree o) == "$before" ]] || die "not as it was: $(diff <(tree o) <(echo "$before"))"

# ---- names that it writes: each fails before anything is written

for name in frame_00000.hdf frame_00002.hdf frame_00077.hdf checkpoint_00002.hdf stats.csv colliders.csv probes.csv \
  frames.hdf.series log.jsonl scene.yaml scene.next.yaml firn-files.txt frame_00001.hdf.part; do
  rm -rf o && mkdir o && echo "mine: $name" >"o/$name"
  before=$(tree o)
  for how in "" --overwrite --resume; do
    # shellcheck disable=SC2086
    run 2 run s.yaml -o o --quiet $how
    expect "$err" "o/$name"
    [[ $(tree o) == "$before" ]] || die "$name $how: refused, and changed: $(ls o)"
  done
  expect "$err" "move it away, or choose another folder"
done
# Pictures only where the run draws them.
rm -rf o && mkdir o && echo mine >o/picture_00001.png
before=$(tree o)
for how in "" --overwrite --resume; do
  # shellcheck disable=SC2086
  run 2 run s.yaml -o o --quiet --pictures $how
  expect "$err" "o/picture_00001.png is not a file of this run"
  [[ $(tree o) == "$before" ]] || die "a picture: refused, and changed"
done
run 0 run s.yaml -o o --quiet
run 0 run s.yaml -o o --quiet --overwrite
[[ $(cat o/picture_00001.png) == mine ]] || die "a picture of the user is gone"

# ---- files of the run that something else has replaced since

rm o/picture_00001.png && run 0 run s.yaml -o o --quiet --overwrite --pictures
[[ $(cd o && echo picture_*) == "picture_00000.png picture_00001.png picture_00002.png" ]] || die "pictures: $(ls o)"
cp -r o kept
run 0 run s.yaml -o other --quiet --set 'snow[0].velocity=[0, -4 m/s, 0]'
replaced() { # NAME SOURCE: not removed, and refused as the run needs the name
  rm -rf o && cp -r kept o && cp "$2" "o/$1"
  local before
  before=$(tree o)
  run 2 run s.yaml -o o --quiet --overwrite --pictures
  expect "$err" "o/$1 is not a file of this run"
  [[ $(tree o) == "$before" ]] || die "$1 replaced by $2: refused, and changed"
}
replaced picture_00001.png s.yaml
replaced frame_00001.hdf other/frame_00001.hdf
replaced frame_00001.hdf s.yaml
replaced checkpoint_00002.hdf other/checkpoint_00002.hdf
replaced stats.csv s.yaml
replaced log.jsonl s.yaml
replaced scene.yaml s.yaml
# So does a resume, which would add to it or replace it.
for name in log.jsonl frames.hdf.series; do
  rm -rf o && cp -r kept o && echo mine >"o/$name"
  before=$(tree o)
  run 2 run s.yaml -o o --quiet --resume
  expect "$err" "o/$name is not a file of this run"
  [[ $(tree o) == "$before" ]] || die "$name replaced: a resume was refused, and changed"
done
# Damage is no other file: a run that cannot be gone on with is begun anew.
rm -rf o && cp -r kept o && truncate -s 100 o/frame_00001.hdf && : >o/stats.csv &&
  rm o/checkpoint_00001.hdf
run 0 run s.yaml -o o --quiet --overwrite --pictures
cmp kept/frame_00002.hdf o/frame_00002.hdf || die "begun anew, frame 2 differs"

# ---- other runs below, and beside

rm -rf o && run 0 run s.yaml -o o/fine --quiet && run 0 run s.yaml -o o/files --quiet &&
  run 0 run s.yaml -o o/a/b --quiet
before=$(tree o/fine; tree o/files; tree o/a)
run 0 run s.yaml -o o --quiet
[[ $(tree o/fine; tree o/files; tree o/a) == "$before" ]] || die "a run took away another one below it"
run 0 run s.yaml -o o --quiet --overwrite
[[ $(tree o/fine; tree o/files; tree o/a) == "$before" ]] || die "an overwrite took away another run below"
run 2 run s.yaml -o o --quiet
expect "$err" "o holds a run already"

# ---- a run of an older version, which left no list

rm -rf o && cp -r kept o && rm o/firn-files.txt o/picture_*
before=$(tree o)
run 2 run s.yaml -o o --quiet --overwrite
expect "$err" "older versions of firn"
expect "$err" "firn run SCENE -o o --resume"
[[ $(tree o) == "$before" ]] || die "an older run: refused, and changed"
run 0 info --verify o
run 0 run s.yaml -o o --quiet --resume
diff <(grep -v -e picture -e '^sum' kept/firn-files.txt) <(grep -v '^sum' o/firn-files.txt) ||
  die "the list is another"
run 0 run s.yaml -o o --quiet --overwrite
# A list that is damaged is known, and written again.
sed -i '2s/^./x/' o/firn-files.txt
run 1 info --verify o
expect "$out" "o/firn-files.txt is not as firn wrote it"
run 2 run s.yaml -o o --quiet --overwrite
run 0 run s.yaml -o o --quiet --resume
run 0 info --verify o
# A frame that is not listed is not the run's.
cp other/frame_00002.hdf o/frame_00009.hdf
before=$(tree o)
run 2 run s.yaml -o o --quiet --resume --frames 0:4
expect "$err" "o/frame_00009.hdf is not of this run"
[[ $(tree o) == "$before" ]] || die "a frame of another run: refused, and changed"
run 1 info --verify o
expect "$out" "o/frame_00009.hdf is not of this run"
exit 0
