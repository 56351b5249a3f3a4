# SPDX-License-Identifier: Apache-2.0
"""Runs of scenes and their particles, for tests that look at whole scenes."""
import csv
import glob
import os
import subprocess
import tempfile

FIRN = os.environ["FIRN"]
failed = False  # some claim does not hold


def claim(what, value, least, most):
    """Tells a figure, and whether it lies where it should."""
    global failed
    good = least <= value <= most
    failed = failed or not good
    print(f"{what}: {value:.4g}, {'within' if good else 'NOT within'} {least:.4g} and {most:.4g}")


def run(scene, folder, settings, last):
    """Simulates a scene up to a frame; settings are texts path=value."""
    words = [word for text in settings for word in ("--set", text)]
    subprocess.run([FIRN, "run", scene, *words, "--frames", f"0:{last}", "-o", folder, "--quiet"],
                   check=True)


def particles(folder, frame):
    """Rows of a frame, by name of the column, in the order in which particles were added."""
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([FIRN, "export", folder, "--format", "csv", "--frames", f"{frame}:{frame}",
                        "-o", out, "--quiet"], check=True)
        with open(glob.glob(f"{out}/*.csv")[0], encoding="utf-8") as file:
            rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]
    return sorted(rows, key=lambda row: row["id"])
