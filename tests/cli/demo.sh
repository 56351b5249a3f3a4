#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 60
# processors: 2
# firn demo writes frames and pictures. A few frames of a coarse ball are enough to see that.
source "$(dirname "$0")/common.bash"
out="" err="" # what run hears

run 0 demo -o out --set quality=0.3 --set frames=4 --set render.size=[64,36]
expect "$out" "The picture is out/demo.png"
expect "$out" "demo_*.png beside it show 2 moments"
[[ -s out/frame_00004.hdf ]] || die "no frames"
for picture in out/demo.png out/demo_00000.png; do
  [[ $(head -c 8 "$picture" | od -An -tx1 | tr -d ' \n') == 89504e470d0a1a0a ]] ||
    die "$picture is not a PNG"
done
cmp -s out/demo.png out/demo_00000.png && die "nothing moved"
# An earlier demo is replaced, whatever its quality; another run is not.
run 0 demo -o out --set quality=0.2 --set frames=1 --set render.size=[64,36]
[[ ! -e out/frame_00002.hdf ]] || die "frames of the earlier demo are left"
run 0 run snowball-drop -o other --frames 0:0 --set quality=0.1 --quiet
before=$(sha256sum other/*.hdf other/stats.csv)
run 2 demo -o other --set quality=0.2 --set frames=1 --set render.size=[64,36]
expect "$err" "other holds a run already"
[[ $(sha256sum other/*.hdf other/stats.csv) == "$before" ]] || die "demo took away another run"
run 0 demo -o other --set quality=0.2 --set frames=1 --set render.size=[64,36] --overwrite
# Nor is a run of the demo's scene: somebody's own, though the title is the same.
"$FIRN" scenes demo >mine.yaml
run 0 run mine.yaml -o other --overwrite --frames 0:0 --set quality=0.2 --quiet
run 2 demo -o other --set quality=0.2 --set frames=1 --set render.size=[64,36]
expect "$err" "other/demo.png is not of an earlier demo"
rm other/demo.png
run 2 demo -o other --set quality=0.2 --set frames=1 --set render.size=[64,36]
expect "$err" "other holds a run already"
# Of --quick and --set the later counts.
run 0 demo -o quick --quick --set quality=0.2 --set frames=1 --set render.size=[64,36]
expect "$out" "64 x 36 pixels, 16 paths each"
run 2 demo extra
run 2 demo --set quality=0
exit 0
