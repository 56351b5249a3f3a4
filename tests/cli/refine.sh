#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 120
# firn refine: fine particles beside the frames, the same however they came about, and what it says
# when it cannot.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

# Snow that hits a ball, and comes and goes while it does.
cat >scene.yaml <<'END'
firn: 1
h: 40 mm
frames: 4
snow:
  - shape: {sphere: {center: [0, 0.5 m, 0], radius: 0.15 m}}
    velocity: [0, -5 m/s, 0]
emitters:
  - shape: {box: {center: [0.5 m, 0.5 m, 0], size: [0.2 m, 0.2 m, 0.2 m]}}
    velocity: [0, -2 m/s, 0]
    volume: 0.01 m^3/s
sinks:
  - shape: {box: {center: [0.5 m, 0.2 m, 0], size: [1 m, 0.35 m, 1 m]}}
colliders:
  - shape: {sphere: {center: [0, 0.2 m, 0], radius: 0.12 m}}
  - shape: {half_space: {}}
END
run 0 run scene.yaml -o run --quiet

# ---- what is made
run 0 refine run --per 7
expect "$out" "7 of each particle"
expect "$out" "5/5"
expect "$out" "run/fine"
run 0 info run
expect "$out" "fine         5 (0 to 4)"
run 0 info run/fine/frame_00002.hdf
expect "$out" radius

# Of each frame: as much mass as it is of, seven times as many, none inside the ball or below the
# ground, and their sizes differ, with the volume of a particle in the mean of its seven.
run 0 export run --format csv --fields mass -o coarse --quiet
run 0 export run/fine --format csv --fields mass,radius -o fine --quiet
for i in 0 1 2 3 4; do
  awk -F, 'FNR == 1 { file++; next }
    file == 1 { n++; m += $4 }
    file == 2 { k++; f += $4; v += 4.18879020478639 * $5 ^ 3; s += $5; q += $5 * $5
                if ($2 < -1e-6 || ($1 * $1 + ($2 - 0.2) ^ 2 + $3 * $3) < 0.1199 ^ 2) inside++ }
    END { mean = s / k; spread = sqrt(q / k - mean * mean) / mean
          if (k != 7 * n || (m - f) ^ 2 > (1e-6 * m) ^ 2 || (v / n / 8e-6 - 1) ^ 2 > 1e-10 ||
              spread < 0.2 || spread > 0.6 || inside) {
            print "FAILED:", n, k, m, f, v / n, spread, inside; exit 1 } }' \
    "coarse/frame_0000$i.csv" "fine/frame_0000$i.csv" || die "frame $i"
done
counts=$(wc -l coarse/frame_0000[1-4].csv | awk '{ print $1 }' | sort -u | wc -l)
((counts > 2)) || die "no particles have come or gone"

# ---- the same bytes
before=$(sums run/fine)
run 0 refine run --per 7 --threads 3 --overwrite --quiet
[[ -z $out && $(sums run/fine) == "$before" ]] || die "threads change fine particles"
rm run/fine/frame_0000[34].hdf
printf x >>run/fine/frame_00002.hdf
run 0 refine run --per 7 --resume
expect "$err" "made again"
expect "$out" "frame 2  3/5"
[[ $(sums run/fine) == "$before" ]] || die "a resume changes fine particles"
run 0 refine run --per 7 --resume
expect "$out" "already"
# In the middle and at the beginning, too.
truncate -s -9 run/fine/frame_00002.hdf
run 0 refine run --per 7 --resume
expect "$err" "made again"
expect "$out" "frame 4  5/5"
[[ $(sums run/fine) == "$before" ]] || die "a damaged frame is not made again"
rm run/fine/frame_0000[02].hdf
run 0 refine run --per 7 --resume --quiet
[[ $(sums run/fine) == "$before" ]] || die "missing frames are not made"
run 0 refine run --per 7 --set output.precision=16 -o small --quiet
rm small/frame_0000[34].hdf
cp -r small again
run 0 refine run --per 7 --set output.precision=16 -o small --resume --quiet
run 0 refine run --per 7 --set output.precision=16 -o again --overwrite --quiet
[[ $(sums small) == "$(sums again)" ]] || die "a resume of rounded frames goes on otherwise"
run 0 refine run --per 7 --seed 5 -o other --quiet
cmp -s run/fine/frame_00000.hdf other/frame_00000.hdf && die "the seed does nothing"
run 0 refine run --per 7 --mode printed -o printed --quiet --json
expect "$out" '"event": "end"'
cmp -s run/fine/frame_00004.hdf printed/frame_00004.hdf && die "the mode does nothing"

# ---- pictures, and a new run
run 0 render run --frames 4 --size 32x32 --spp 1 -o with.png --quiet
run 0 render run --frames 4 --size 32x32 --spp 1 -o without.png --no-fine --quiet
cmp -s with.png without.png && die "fine particles are in no picture"
printf x >>run/fine/frame_00001.hdf
run 1 info --verify run
expect "$err$out" "firn refine --resume"
cp -r run old
run 0 run scene.yaml -o old --overwrite --frames 0:1 --quiet
[[ ! -e old/fine ]] || die "fine particles of an old run are left"

cp -r run linked
mv linked/fine elsewhere
ln -s ../elsewhere linked/fine
(
  exec 9<elsewhere
  flock 9
  run 2 run scene.yaml -o linked --overwrite --quiet
  expect "$err" "linked/fine"
)
[[ -e linked/frame_00004.hdf && -e elsewhere/frame_00004.hdf ]] ||
  die "a refine at work is disturbed"
run 2 run scene.yaml -o linked --overwrite --quiet
expect "$err" "linked/fine is a link"
run 2 refine linked --per 7 --overwrite
expect "$err" "linked/fine is a link"
[[ -e linked/frame_00004.hdf && -e elsewhere/frame_00004.hdf ]] ||
  die "something was removed behind a link"
# Fine particles of another run, or that no list has, are not removed; nor is another run of that
# name.
run 0 run scene.yaml -o quick --frames 0:1 --set 'snow[0].velocity=[0, -6 m/s, 0]' --quiet
cp -r run mixed && rm -r mixed/fine && run 0 refine quick --per 3 -o mixed/fine --quiet
before=$(sums mixed)
run 2 run scene.yaml -o mixed --overwrite --quiet
expect "$err" "is not listed as fine particles of the run in mixed"
[[ $(sums mixed) == "$before" ]] || die "fine particles of another run: refused, and changed"
rm -r mixed && cp -r run mixed && rm -r mixed/fine && cp -r old mixed/fine
before=$(sums mixed/fine)
run 0 run scene.yaml -o mixed --overwrite --frames 0:1 --quiet
[[ $(sums mixed/fine) == "$before" ]] || die "a run in fine/ is changed"
run 0 info --verify mixed
rm -r mixed
# A frame of another number, or of another run.
cp run/fine/frame_00002.hdf kept.hdf && cp run/fine/frame_00003.hdf run/fine/frame_00002.hdf
run 1 info --verify run
expect "$out" "run/fine/frame_00002.hdf holds frame 3; \`firn refine --resume\` makes it again"
run 0 refine run --per 7 --resume
expect "$err" "run/fine/frame_00002.hdf holds frame 3; it is made again"
cmp kept.hdf run/fine/frame_00002.hdf || die "a frame of another number is not made again"
run 0 info --verify run
# Stopped while the list of frames was written: a resume that has nothing else to do writes it.
before=$(sums run/fine)
head -c 20 run/fine/frames.hdf.series >run/fine/frames.hdf.series.part &&
  rm run/fine/frames.hdf.series
run 0 refine run --per 7 --resume --quiet
[[ $(sums run/fine) == "$before" ]] || die "the list of frames is not written again: $(ls run/fine)"
# Foreign files stay, also with --overwrite.
echo mine >run/fine/notes.txt && : >run/fine/frame_00009.hdf
run 2 refine run --per 7 --overwrite
expect "$err" "frame_00009.hdf"
rm run/fine/frame_00009.hdf
run 0 refine run --per 7 --overwrite --quiet
[[ $(cat run/fine/notes.txt) == mine ]] || die "a file of the user is gone"
rm run/fine/notes.txt
# So does one of the name of its own list; a list that is damaged is written again from the frames.
mkdir lists && echo mine >lists/firn-files.txt
for how in "" --resume --overwrite; do
  # shellcheck disable=SC2086
  run 2 refine run --per 7 -o lists $how
  expect "$err" "lists/firn-files.txt is not a whole list of the files of a refinement"
  [[ $(ls lists) == firn-files.txt && $(cat lists/firn-files.txt) == mine ]] ||
    die "a list of the user is gone"
done
before=$(sums run/fine) && sed -i '3s/^./x/' run/fine/firn-files.txt
run 2 refine run --per 7 --overwrite
expect "$err" "--resume checks the frames"
run 0 refine run --per 7 --resume --quiet
[[ $(sums run/fine) == "$before" ]] || die "a damaged list of a refinement is not mended"

# ---- what it refuses
run 2 refine run
expect "$err" "--overwrite"
run 2 refine run --per 7 --seed 8 --resume
expect "$err" "other settings"
run 0 run scene.yaml -o faster --set 'snow[0].velocity=[0, -6 m/s, 0]' --quiet
cp -r small mixed
run 2 refine faster --per 7 --set output.precision=16 -o mixed --resume
expect "$err" "not of the run as it is now"
[[ $(sums mixed) == "$(sums small)" ]] || die "fine particles of another run are replaced"
# Frames of runs, and of others.
before=$(sums run; sums old)
run 2 refine run -o run/. --overwrite
expect "$err" "holds the frames that are to be refined"
run 2 refine run -o old --overwrite
expect "$err" "folder of a run"
mkdir frames
cp old/frame_00000.hdf frames/frame_00007.hdf
run 2 refine run -o frames --overwrite
expect "$err" "frame_00007.hdf is not of fine particles"
[[ -e frames/frame_00007.hdf && $(sums run; sums old) == "$before" ]] || die "frames of a run are taken away"
# What fails takes nothing away.
cp -r run bad
truncate -s -9 bad/frame_00000.hdf
before=$(sums bad/fine)
run 2 refine bad --per 7 --overwrite
[[ $(sums bad/fine) == "$before" ]] || die "fine particles are taken away before the run is looked at"
run 2 refine run --resume --overwrite
run 2 refine run --mode other
expect "$err" "ballistic"
sed 's/^h:.*/&\nrefine: {mode: balistic}/' scene.yaml >bad.yaml
run 2 check bad.yaml
expect "$out$err" "bad.yaml:3:16"
expect "$out$err" "ballistic"
run 2 refine nowhere
run 0 refine run --frames 2 -o one
expect "$err" "the only one"
cp -r old gap
run 0 run scene.yaml -o gap --overwrite --quiet
rm gap/frame_00002.hdf
run 2 refine gap
expect "$err" "frame 2 is missing"
truncate -s -9 gap/frame_00004.hdf
run 2 refine gap --frames 3:4
expect "$err" "frame_00004.hdf"
run 0 run scene.yaml -o still --frames 0:1 --set output.fields=[mass] --quiet
run 2 refine still
expect "$err" "no field velocity"
run 0 run scene.yaml -o round --frames 0:1 --set 'periodic=[1.6 m, 0, 0]' --quiet
run 1 refine round
expect "$err" "periodic"

# Powder of powder is not what anybody wants.
run 2 refine run/fine -o powder
expect "$err" "run/fine/frame_00000.hdf is of fine particles already; name the folder of the run"
