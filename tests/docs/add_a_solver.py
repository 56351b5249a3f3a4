#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# timeout: 120
# processors: 2
"""The solver of docs/add-a-solver.md builds, runs a scene with keyed values and a probe, and resumes
to the same bytes."""
import csv
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import tutorial  # noqa: E402

if os.environ.get("FIRN_SANITIZE"):
    sys.exit(77)  # libraries of two builds in one program are more than a sanitizer bears


def table(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


with tempfile.TemporaryDirectory() as folder:
    build = tutorial.Build("docs/add-a-solver.md", folder)
    at = build.folder
    scene = build.tree / "dust.yaml"

    # Whole, and what --json tells: a statistic of the solver's own.
    lines = build.run("run", scene, "-o", "whole", "--threads", "1", "--json").stdout.splitlines()
    hits = [json.loads(line)["stats"]["hits"] for line in lines if '"frame"' in line]
    assert hits[0] == 0 and hits[-1] > 0 and hits == sorted(hits), hits

    # Columns that dust cannot fill are empty, the others are not; the probe sees dust arrive.
    stats, probes = table(at / "whole/stats.csv"), table(at / "whole/probes.csv")
    assert len(stats) == len(probes) == 9
    for column in ("jp_min", "jp_mean", "density_max", "iterations_mean"):
        assert all(row[column] == "" for row in stats), column
    assert all(row["density"] == row["jp"] == row["stress_xx"] == "" for row in probes)
    assert int(probes[0]["count"]) == 0 and int(probes[-1]["count"]) > 0
    # Without drag a fall of dt takes -g dt^2 N (N + 1)/2; keyed drag makes it slower, and a keyed
    # gravity moves it along x.
    fall = float(stats[0]["com_y"]) - float(stats[4]["com_y"])
    time = float(stats[4]["time"])
    assert 0.5 * 9.81 * time ** 2 * 0.7 < fall < 0.5 * 9.81 * time ** 2 * 0.99, fall
    assert float(stats[-1]["com_x"]) > 1e-3

    # The column of its own is the last, and info shows it.
    assert list(stats[0])[-1] == "hits" and float(stats[-1]["hits"]) == hits[-1]
    assert "hits" in build.run("info", "whole").stdout
    build.run("plot", "whole", "--columns", "hits", "-o", "hits.svg")

    # A run that stops and goes on ends in the same bytes.
    build.run("run", scene, "-o", "half", "--threads", "2", "--frames", "0:3")
    build.run("run", scene, "-o", "half", "--threads", "2", "--resume")
    for name in sorted(p.name for p in (at / "whole").glob("frame_*.hdf")):
        assert (at / "whole" / name).read_bytes() == (at / "half" / name).read_bytes(), name
    strip = lambda rows: [{k: v for k, v in r.items() if k != "wall_seconds"} for r in rows]
    assert strip(table(at / "half/stats.csv")) == strip(stats)
    assert (at / "half/probes.csv").read_bytes() == (at / "whole/probes.csv").read_bytes()

    # The same snow under mpm, whose section was there all the time; and what a row forbids.
    build.run("run", scene, "-o", "snow", "--solver", "mpm", "--frames", "0:1")
    wrong = build.run("check", scene, "--set", "ballistic.drag=-1", check=False)
    assert wrong.returncode == 2 and "ballistic.drag" in wrong.stdout + wrong.stderr, wrong
    build.run("run", scene, "-o", "pictures", "--frames", "0:1", "--pictures")
print("add-a-solver.md is true")
