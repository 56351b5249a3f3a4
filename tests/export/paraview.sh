#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# long
# timeout: 300
# ParaView reads frames, the series of a run and the exported series, with all fields and times, and
# a surface with its spray.
source "$(dirname "$0")/../cli/common.bash"

if ! command -v pvpython >/dev/null; then
  echo "skipped: there is no pvpython here; scripts/setup.sh viewers installs it"
  exit 77
fi

out="" # what run hears
run 0 run demo -o run --frames 0:3 --set quality=0.25 --quiet
run 0 export run --format vtp --quiet
run 0 export run --format csv --frames 2 --fields velocity --quiet
run 0 export run --format ply --surface --frames 3 --json
triangles=$(grep -o '"triangles": [0-9]*' <<<"$out" | grep -o '[0-9]*')

cat >look.py <<'PY'
import csv
import sys
from paraview.simple import OpenDataFile
from paraview import servermanager

FIELDS = {"id": 1, "velocity": 3, "mass": 1, "density": 1, "jp": 1}
rows = list(csv.DictReader(open("run/csv/frame_00002.csv")))


def look(path, times, with_position):
    reader = OpenDataFile(path)
    assert reader is not None, f"{path}: no reader"
    if times:
        known = list(reader.TimestepValues)
        assert len(known) == times, f"{path}: times {known}"
        assert all(b > a for a, b in zip(known, known[1:])), f"{path}: times {known}"
        step = known[1] - known[0]
        assert abs(known[2] - 2 * step) < 1e-6, f"{path}: times {known}"
        assert step < 0.1, f"{path}: frames are {step} s apart"
        reader.UpdatePipeline(known[2])
    else:
        reader.UpdatePipeline()
    data = servermanager.Fetch(reader)
    assert data.GetNumberOfPoints() == len(rows), f"{path}: {data.GetNumberOfPoints()} points"
    assert data.GetNumberOfCells() > 0
    fields = dict(FIELDS, position=3) if with_position else FIELDS
    for name, components in fields.items():
        array = data.GetPointData().GetArray(name)
        assert array, f"{path}: no field {name}"
        assert array.GetNumberOfComponents() == components, f"{path}: {name}"
        assert array.GetNumberOfTuples() == len(rows), f"{path}: {name}"
    velocity = data.GetPointData().GetArray("velocity")
    for i in (0, len(rows) // 2, len(rows) - 1):
        for c, axis in enumerate("xyz"):
            assert abs(data.GetPoint(i)[c] - float(rows[i][axis])) < 1e-6, f"{path}: point {i}"
            wanted = float(rows[i][f"velocity_{axis}"])
            assert abs(velocity.GetComponent(i, c) - wanted) < 1e-5, f"{path}: velocity {i}"
    print("ok", path)


look("run/frame_00002.hdf", 0, True)
look("run/frames.hdf.series", 4, True)
look("run/vtp/frame_00002.vtp", 0, False)
look("run/vtp/frames.vtp.series", 4, False)

surface = OpenDataFile("run/ply-surface/frame_00003.ply")
surface.UpdatePipeline()
data = servermanager.Fetch(surface)
assert data.GetNumberOfCells() == int(sys.argv[1]), data.GetNumberOfCells()
print("ok surface")
PY
said=$(pvpython look.py "$triangles" 2>&1) || die "pvpython: $said"
for file in frame_00002.hdf frames.hdf.series vtp/frame_00002.vtp vtp/frames.vtp.series; do
  expect "$said" "ok run/$file"
done
expect "$said" "ok surface"
exit 0
