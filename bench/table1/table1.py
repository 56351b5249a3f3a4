#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Iterations a step beside Table 1 of Gissler et al. 2020: means over the first 50 steps and the last 50,
with the printed solvers, and over the 50 after and before those, with the default ones.

    bench/table1/table1.py [-o DIR] [-j N] [NAME...]     NAME: a scene beside this file; none: all

A run that is in DIR already, or a part of one, is read as it is. FIRN is the program.
"""
import argparse
import csv
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).parent
PUBLISHED = {"snowballs": (2.7, 35.1), "tire": (3.2, 4.2)}


def mean(rows, column):
    values = [float(row[column]) for row in rows]
    return f"{sum(values) / len(values):.1f}" if values else "-"


def counts(rows):
    return " / ".join(mean(rows, f"{solve}_iterations") for solve in ("pressure", "shear"))


parser = argparse.ArgumentParser()
parser.add_argument("-o", default="table1")
parser.add_argument("-j", default="1")
parser.add_argument("name", nargs="*", default=sorted(PUBLISHED))
options = parser.parse_args()
print("| scene | particles | Table 1 | first 50, printed | next 50, default "
      "| 50 before the last, default | last 50, printed |\n|---|---|---|---|---|---|---|")
for name in options.name:
    folder = pathlib.Path(options.o) / name
    if not folder.exists():
        subprocess.run([os.environ.get("FIRN", "firn"), "run", HERE / f"{name}.yaml", "-o", folder,
                        "-j", options.j, "--quiet"], check=True)
    with open(folder / "stats.csv", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    steps = table[1:]
    last = [row for row in steps if int(row["frame"]) > (200 if name == "snowballs" else 250)]
    before = [row for row in steps if row not in last][-50:] if last else []
    print(f"| {name} | {table[0]['particles']} | {PUBLISHED[name][0]} / {PUBLISHED[name][1]} "
          f"| {counts(steps[:50])} | {counts(steps[50:100])} | {counts(before)} | {counts(last)} |")
