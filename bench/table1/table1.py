#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Iterations a step beside Table 1 of Gissler et al. 2020, pressure / shear: means over 50 steps with the printed
solvers and 50 with the default ones, after first contact and when packed (windows.yaml).

    bench/table1/table1.py [-o DIR] [-j N] [--set PATH=VALUE] [NAME...]

NAME is that of a scene beside this file; without one: all of them.

A run that is in DIR already, or a part of one, is read as it is. FIRN is the program. Of the moulds it tells
neighbours, time a step and memory, too, as the load comes and goes (Figs. 4 and 5 of the paper).
"""
import argparse
import csv
import os
import pathlib
import re
import subprocess
import time

HERE = pathlib.Path(__file__).parent
PUBLISHED = {
    "snowballs": "2.7 / 35.1",
    "compression": "5.1 / 1.0",
    "compression-140": "4.76 / 1.17",
    "compression-iisph": "8.93 / 1.0",
    "tire": "3.2 / 4.2",
    "oven": "1.9 / 16.9",
    "single-particles": "3.2 / 2.0",
    "snow-angel": "4.8 / 13.7",
    "city-street": "3.1 / 27.2",
    "shovel": "5.1 / 17.4",
    "shovel-split-2": "5.28 / 7.79",
    "shovel-combined": "16.86",
    "shovel-combined-2": "4.54",
    "loose-and-dense": "3.65 / 11.31",
    "density-comparison": "2.64 / 7.05",
    "car-snowfall": "3.6 / 1.9",
}
STAGES = {"no weight": 50, "weight": 1000, "force": 1800, "force gone": 2600} # of the moulds: steps where they begin


def resident(process):
    """Bytes of memory that it holds; 0 where the system does not tell."""
    try:
        pages = pathlib.Path(f"/proc/{process.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def run(name, folder, options):
    """Runs it, and notes its memory by the number of its steps, a few times a second, beside the folder."""
    command = [os.environ.get("FIRN", "firn"), "run", HERE / f"{name}.yaml", "-o", folder, "-j", options.j, "--quiet"]
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}-memory.csv", "w", encoding="ascii") as notes, \
            subprocess.Popen(command + [f"--set={change}" for change in options.set]) as process:
        print("step,bytes", file=notes, flush=True)
        while process.poll() is None:
            time.sleep(0.2)
            if (folder / "stats.csv").exists():
                lines = (folder / "stats.csv").read_bytes().count(b"\n") # a header, frame 0, and one a step
                print(f"{lines - 2},{resident(process)}", file=notes, flush=True)
    if process.returncode:
        raise SystemExit(f"{name}: stopped with {process.returncode}")


def read(path):
    if not path.exists():
        return []
    with open(path, encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if None not in row.values()] # the last may be half a row


def mean(rows, column, form=".1f", unit=1):
    values = [float(row[column] or 0) / unit for row in rows]
    return format(sum(values) / len(values), form) if values else "-"


def counts(name, rows):
    solves = ("shear",) if "combined" in name else ("pressure", "shear")
    told = " / ".join(mean(rows, f"{solve}_iterations") for solve in solves)
    return told if len(rows) in (0, 50) else f"{told} ({len(rows)} steps)"


def line(*cells):
    print("|", " | ".join(cells), "|", flush=True)


def table(head, rows):
    line(*head)
    line(*["---"] * len(head))
    for row in rows:
        line(*row)


def iterations(name, options):
    first, packed = map(int, re.search(r"first: (\d+), packed: (\d+)",
                                       (HERE / f"{name}.yaml").read_text(encoding="utf-8")).groups())
    folder = pathlib.Path(options.o) / name
    if not folder.exists():
        run(name, folder, options)
    steps = read(folder / "stats.csv")[1:]
    if any(row["steps"] != "1" for row in steps):
        raise SystemExit(f"{name}: a frame has more than one step")
    windows = [steps[begin:begin + 50] for begin in (first, first + 50, packed, packed + 50)]
    particles = max((int(row["particles"]) for window in windows for row in window), default=0)
    return (name, str(particles), PUBLISHED[name], *(counts(name, window) for window in windows),
            mean(windows[1], "neighbours_mean"), mean(windows[2], "neighbours_mean"))


def stages(name, options):
    steps = read(pathlib.Path(options.o) / name / "stats.csv")[1:]
    memory = read(pathlib.Path(options.o) / f"{name}-memory.csv")
    for stage, begin in STAGES.items():
        rows = steps[begin:begin + 50]
        held = [row for row in memory if begin <= int(row["step"]) < begin + 50]
        yield (name, stage, mean(rows, "neighbours_mean"), mean(rows, "wall_seconds", ".1f", 1e-3),
               mean(held, "bytes", ".0f", 1e6))


parser = argparse.ArgumentParser()
parser.add_argument("-o", default="table1")
parser.add_argument("-j", default="1")
parser.add_argument("--set", action="append", default=[])
parser.add_argument("name", nargs="*", default=list(PUBLISHED))
options = parser.parse_args()
table(("scene", "particles", "Table 1", "first contact, printed", "default", "packed, default", "printed",
       "neighbours at first", "packed"), (iterations(name, options) for name in options.name))
moulds = [name for name in options.name if name.startswith("compression")]
if moulds:
    print()
    table(("scene", "50 steps of", "neighbours", "ms a step", "MB"),
          (row for name in moulds for row in stages(name, options)))
