#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much of a scene rests under sph, by what lets snow sleep under mpm: the share of particles in quiet
blocks, and of those with none but quiet blocks around, which might sleep; and iterations a step.

    bench/rest/rest.py [-o DIR] [--drift CELLS] SCENE SECONDS [PATH=VALUE...]

A block is 4 cells wide, a cell two spacings. It is quiet if from one frame to the next the mean of its
particles went less than drift (0.005) cells in each 0.1 s, and none does 10 cells/s. There are ten frames
a second, or as many as fps=... says; there must be snow in frame 0. A run that is in DIR already is read as
it is. FIRN is the program.
"""
import argparse
import collections
import csv
import glob
import itertools
import math
import os
import subprocess
import tempfile

FIRN = os.environ.get("FIRN", "firn")


def particles(folder, frame):
    """Rows of a frame by the particle's number."""
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([FIRN, "export", folder, "--format", "csv", "--frames", f"{frame}:{frame}",
                        "-o", out, "--quiet"], check=True)
        with open(glob.glob(f"{out}/*.csv")[0], encoding="utf-8") as file:
            return {row["id"]: {k: float(v) for k, v in row.items()} for row in csv.DictReader(file)}


def shares(before, after, cell, seconds, drift):
    """Of particles that were there before: in quiet blocks, and with none but quiet ones around."""
    blocks = collections.defaultdict(list)
    for number, row in after.items():
        blocks[tuple(math.floor(row[a] / (4 * cell)) for a in "xyz")].append(number)
    quiet = set()
    for at, members in blocks.items():
        if any(n not in before for n in members):
            continue
        way = math.hypot(*(sum(after[n][a] - before[n][a] for n in members) for a in "xyz"))
        speed = max(math.hypot(*(after[n][f"velocity_{a}"] for a in "xyz")) for n in members)
        if way / len(members) < drift * cell * seconds / 0.1 and speed < 10 * cell:
            quiet.add(at)
    steps = list(itertools.product((-1, 0, 1), repeat=3))
    around = {at: [tuple(x + s for x, s in zip(at, step)) for step in steps] for at in quiet}
    calm = [at for at in quiet if all(b in quiet or b not in blocks for b in around[at])]
    return [sum(len(blocks[at]) for at in some) / len(after) for some in (quiet, calm)]


parser = argparse.ArgumentParser()
parser.add_argument("-o", default="rest")
parser.add_argument("--drift", type=float, default=0.005)
parser.add_argument("scene")
parser.add_argument("seconds", type=float)
parser.add_argument("set", nargs="*")
options = parser.parse_args()
rate = float(next((s[4:] for s in options.set if s.startswith("fps=")), 10))
if not os.path.exists(options.o):
    words = [word for text in [f"fps={rate}", *options.set] for word in ("--set", text)]
    subprocess.run([FIRN, "run", options.scene, "--solver", "sph", *words, "-o", options.o, "--frames",
                    f"0:{round(options.seconds * rate)}", "--quiet"], check=True)
with open(f"{options.o}/stats.csv", encoding="utf-8") as file:
    stats = list(csv.DictReader(file))
print("| s | quiet | might sleep | iterations |\n|---|---|---|---|")
old = particles(options.o, 0)
cell = 2 * max((row["mass"] / row["density"]) ** (1 / 3) for row in old.values())
for line in stats[1:]:
    new = particles(options.o, int(line["frame"]))
    found = shares(old, new, cell, 1 / rate, options.drift)
    print(f"| {float(line['time']):.2f} | {found[0]:.2f} | {found[1]:.2f} "
          f"| {float(line['iterations_mean']):.1f} |", flush=True)
    old = new
