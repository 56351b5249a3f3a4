#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 60
# processors: 2
# firn render, firn plot and firn export replace only files that they have written themselves.
# The whole tree is compared before and after.
source "$(dirname "$0")/foreign.bash"
err="" # what run hears

run 0 run s.yaml -o run --quiet

# refused FOLDER/NAME ARGUMENTS...: a file of the user's of that name stays, and so does all else
refused() {
  local path=$1 before
  shift
  before=$(tree "${path%/*}")
  run 2 "$@"
  expect "$err" "$path is not a "
  expect "$err" "move it away"
  [[ $(tree "${path%/*}") == "$before" ]] || die "firn $*: refused, and changed: $(ls "${path%/*}")"
}
mine() { # a folder with one file of the user's
  rm -rf "${1%/*}" && mkdir "${1%/*}" && echo "mine: $1" >"$1"
}

# ---- pictures in a folder

animatic=(render s.yaml --frames 0:2 --size 48x27 --quiet)
preview=(render run --frames 0:1 --preview --size 48x27 --quiet)
mine a/frame_00001.png && refused a/frame_00001.png "${animatic[@]}" -o a
mine a/frame_00001.png.part && refused a/frame_00001.png.part "${animatic[@]}" -o a
mine s_animatic/frame_00002.png && refused s_animatic/frame_00002.png "${animatic[@]}"
mine a/frame_00001.png && refused a/frame_00001.png "${preview[@]}" -o a
refused a/frame_00001.png "${preview[@]}" -o a --force
mine a/render.txt && refused a/render.txt "${preview[@]}" -o a
mkdir run/preview && echo mine >run/preview/frame_00000.png
refused run/preview/frame_00000.png "${preview[@]}"
mine a/frame_00000.exr
refused a/frame_00000.exr render run --frames 0:1 --spp 1 --size 32x18 --format exr --quiet -o a
if command -v ffmpeg >/dev/null; then
  mine a.frames/frame_00000.png && refused a.frames/frame_00000.png "${preview[@]}" -o a.mp4
  [[ ! -e a.mp4 ]] || die "a film of it"
fi
# Other files stay, a picture of firn's that render.txt does not list too.
mine a/notes.txt && run 0 "${preview[@]}" -o a && cp a/frame_00000.png a/frame_00002.png
refused a/frame_00002.png render run --frames 0:2 --preview --size 48x27 --quiet -o a
rm a/frame_00002.png
# Its own are replaced: again, by others, by force, and after a kill before the picture was whole.
run 0 "${preview[@]}" -o a
run 0 "${preview[@]}" -o a --force
run 0 "${preview[@]}" -o a --color speed --force
before=$(tree a)
sed -i '/^done 1/d' a/render.txt && echo half >a/frame_00001.png.part
run 0 "${preview[@]}" -o a --color speed
[[ $(tree a | grep png) == "$(grep png <<<"$before")" ]] || die "gone on with, the pictures differ: $(ls a)"
for kind in png exr; do
  run 0 render run --frames 0:1 --spp 1 --size 32x18 --format $kind --quiet --force -o b
  run 0 render run --frames 0:1 --spp 2 --size 32x18 --format $kind --quiet --force -o b
done
[[ $(cd b && echo *) == "frame_00000.exr frame_00001.exr render.txt" ]] || die "left: $(ls b)"
# A listed picture that something else has replaced, or a text beside the pixels: not removed
# either.
cp -r a kept && echo mine >a/frame_00001.png
refused a/frame_00001.png "${preview[@]}" -o a --color speed
refused a/frame_00001.png "${preview[@]}" -o a
run 0 render run --frames 0 --preview --size 48x27 --quiet --force -o a
[[ $(cat a/frame_00001.png) == mine ]] || die "begun anew, and a picture of the user's is gone"
python3 - kept/frame_00001.png <<'PYTHON'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
chunk = b"tEXtComment\0retouched"
at = data.index(b"IDAT") - 4
data = data[:at] + struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) + data[at:]
open(sys.argv[1], "wb").write(data)
PYTHON
refused kept/frame_00001.png "${preview[@]}" -o kept

# ---- single files, by a name that was given or the default one

single=(render run --spp 1 --size 32x18 --quiet)
echo mine >run/render_00002.png
refused run/render_00002.png "${single[@]}"
refused run/render_00002.png "${single[@]}" -o run/render_00002.png
rm run/render_00002.png && echo mine >run/render_00002.png.part
refused run/render_00002.png.part "${single[@]}"
printf '\x89PNG\r\n\x1a\n' >run/render_00002.png.part # what a killed process leaves
run 0 "${single[@]}"
run 0 "${single[@]}" --spp 2 -o run/render_00002.png
mine a/x.exr && refused a/x.exr "${single[@]}" -o a/x.exr
rm a/x.exr && run 0 "${single[@]}" -o a/x.exr && run 0 "${single[@]}" -o a/x.exr
mine a/preview.png && refused a/preview.png render s.yaml --preview --size 48x27 -o a/preview.png
for kind in svg png; do
  mine a/x.$kind && refused a/x.$kind plot run -o a/x.$kind --quiet
  rm a/x.$kind && run 0 plot run -o a/x.$kind --quiet && run 0 plot run --log -o a/x.$kind --quiet
done
run 0 plot run --quiet && sed -i 's/#[0-9a-f]*/#123456/' run/stats.svg
refused run/stats.svg plot run --quiet
# A film by what stands for ffmpeg here.
mkdir tools
printf '#!/bin/sh\nfor last; do :; done\ncat >/dev/null\nprintf "\\0\\0\\0\\10ftyp" >"${last#file:}"\n' >tools/ffmpeg
chmod +x tools/ffmpeg
film() { PATH=$PWD/tools:$PATH "$@"; }
mine a/x.mp4 && film refused a/x.mp4 "${preview[@]}" -o a/x.mp4
[[ ! -e a/x.frames ]] || die "pictures of a film that was refused"
rm a/x.mp4 && film run 0 "${preview[@]}" -o a/x.mp4 &&
  film run 0 "${preview[@]}" --color speed --force -o a/x.mp4
printf 'mine' >>a/x.mp4
film refused a/x.mp4 "${preview[@]}" -o a/x.mp4

# ---- exports

formats=(csv vtp ply bgeo obj)
[[ ! -e $FIRN_BUILD_DIR/firn-vdb.so ]] || formats+=(vdb)
for format in "${formats[@]}"; do
  mine "e/frame_00001.$format" &&
    refused "e/frame_00001.$format" export run -f "$format" -o e --quiet
  mine "e/frame_00001.$format.part"
  refused "e/frame_00001.$format.part" export run -f "$format" -o e --quiet
  # Its own are replaced, beside files of the user's and of other formats.
  mine e/notes.txt && run 0 export run -f csv -o e --quiet &&
    run 0 export run -f "$format" -o e --quiet
  before=$(tree e)
  run 0 export run -f "$format" -o e --quiet
  [[ $(tree e) == "$before" ]] || die "$format again: $(diff <(tree e) <(echo "$before"))"
  echo mine >"e/frame_00001.$format"
  refused "e/frame_00001.$format" export run -f "$format" -o e --quiet
done
mine e/frames.vtp.series && refused e/frames.vtp.series export run -f vtp -o e --quiet
mkdir run/csv && echo mine >run/csv/frame_00000.csv
refused run/csv/frame_00000.csv export run -f csv --quiet
# A folder that another list is for, as that of a run: only free names, and its list stays.
before=$(cat run/firn-files.txt)
run 0 export run -f obj -o run --quiet
[[ $(cat run/firn-files.txt) == "$before" ]] || die "an export changed the list of a run"
refused run/frame_00000.obj export run -f obj -o run --quiet
# What was killed while it wrote is gone on with.
mine e/notes.txt && run 0 export run -f csv -o e --quiet && before=$(tree e)
echo half >e/frame_00001.csv.part
run 0 export run -f csv -o e --quiet
[[ $(tree e) == "$before" ]] || die "after a kill: $(diff <(tree e) <(echo "$before"))"
exit 0
