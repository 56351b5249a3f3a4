#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# long
# timeout: 300
# Blender, without a window, loads the grids of a VDB file and the surface of an OBJ file, spray
# included.
source "$(dirname "$0")/../cli/common.bash"

if ! command -v blender >/dev/null; then
  echo "skipped: there is no blender here; scripts/setup.sh viewers installs it"
  exit 77
fi

run 0 run demo -o run --set quality=0.25 --quiet
run 0 export run --format obj --up z --quiet
run 0 export run --format obj --up z --spray none -o bare --quiet
grids=yes
"$FIRN" export run --format vdb --up z --quiet 2>vdb.txt || grids=no
if [[ $grids == no ]]; then
  expect "$(cat vdb.txt)" "OpenVDB"
  echo "this build writes no vdb files; looking at the surface only"
fi

cat >look.py <<'PY'
import os
import bpy

if os.environ["GRIDS"] == "yes":
    volume = bpy.data.volumes.new("snow")
    volume.filepath = os.path.abspath("run/vdb/frame_00012.vdb")
    assert volume.grids.load(), volume.grids.error_message
    kinds = {grid.name: grid.data_type for grid in volume.grids}
    assert kinds == {"density": "FLOAT", "velocity": "VECTOR_FLOAT"}, kinds
    for grid in volume.grids:
        assert grid.load(), grid.name
        # Metres, and no turn: a voxel is as long as the matrix says along each axis.
        m = grid.matrix_object
        assert 1e-3 < m[0][0] < 1 and m[0][0] == m[1][1] == m[2][2], m
    # By default this is the grid that blurs what moves.
    assert volume.velocity_grid == "velocity", volume.velocity_grid
    print("ok vdb", kinds)

before = set(bpy.data.objects)
if hasattr(bpy.ops.wm, "obj_import"):
    bpy.ops.wm.obj_import(filepath="run/obj/frame_00012.obj", up_axis="Z", forward_axis="Y")
else:
    bpy.ops.import_scene.obj(filepath="run/obj/frame_00012.obj", axis_up="Z", axis_forward="Y")
mesh = (set(bpy.data.objects) - before).pop().data
lines = [line.split()[0] for line in open("run/obj/frame_00012.obj") if line.strip()]
assert len(mesh.vertices) == lines.count("v"), len(mesh.vertices)
assert len(mesh.polygons) == lines.count("f"), len(mesh.polygons)
bare = sum(line.startswith("f ") for line in open("bare/frame_00012.obj"))
assert len(mesh.polygons) >= bare + 20 * 20, f"{len(mesh.polygons)} and {bare} polygons: where is the spray?"
assert (len(mesh.polygons) - bare) % 20 == 0
low = min(v.co.z for v in mesh.vertices)
assert low > -0.02, f"the snow is at {low} m: which way is up?"
print("ok obj", len(mesh.polygons))
PY
said=$(GRIDS=$grids blender --background --factory-startup --python-exit-code 9 --python look.py 2>&1) ||
  die "blender: $said"
[[ $grids == no ]] || expect "$said" "ok vdb"
expect "$said" "ok obj"
exit 0
