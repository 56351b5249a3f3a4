# SPDX-License-Identifier: Apache-2.0
"""The program under torture, its scenes, and runs of it that nothing disturbed. See torture.py."""
import os, shutil, signal, struct, subprocess

import torture_damage as damage
import torture_list

SOLVERS = ("mpm", "sph", "flip")
BARE = """firn: 1
title: a small ball
spacing: 11 mm
frames: 4
fps: 200 Hz
snow:
  - shape: {sphere: {center: [0, 5 cm, 0], radius: 4 cm}}
    velocity: [0, -2 m/s, 0]
preview: {width: 64, height: 36}
"""
# With tables for what it meets and for what is looked at.
SCENE = BARE + """colliders:
  - name: ground
    shape: {half_space: {normal: [0, 1, 0]}}
    forces: true
  - name: block
    shape: {mesh: {file: block.obj, voxel: 1 cm}}
probes:
  - {name: low, box: {center: [0, 0, 0], size: [10 cm, 6 cm, 10 cm]}}
"""
# A file of the scene's own, and another run's.
BLOCK = """v 0.05 0 0
v 0.08 0 0
v 0.05 0.03 0
v 0.05 0 0.03
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""
OTHER = SCENE.replace("-2 m/s", "-1 m/s").replace("frames: 4", "frames: 6")
OTHER = OTHER.replace("block.obj", "other.obj")
# What a branch changes, of any solver.
BRANCH = ["--set", "gravity=[0, -9, 0]"]
# Files of the user's, in folders that firn writes into. It touches none.
FOREIGN = {"notes.txt": b"mine\n", "mine/frame_00000.hdf": b"mine\n",
           "frame_00001.hdf.bak": b"mine\n", "picture.png": b"mine\n"}
CALLS = "open create mkdir write fsync rename unlink truncate close read list memory".split()
BOARD = struct.Struct(f"={len(CALLS) + 3}Q")
TIMEOUT = 120


class Wrong(Exception):
    """Something was lost, or silently wrong."""


class Base:
    """The program, and runs of it that nothing disturbed."""

    def __init__(self, firn, shim, scratch):
        self.firn, self.shim, self.scratch = firn, shim, scratch
        self.folder = os.path.join(scratch, "base")
        self.environment = dict(os.environ, LC_ALL="C")
        self.files, self.branch = {}, BRANCH
        os.makedirs(self.folder)
        for solver in SOLVERS:
            for name, text in (("scene", SCENE), ("other", OTHER), ("bare", BARE)):
                text += f"solver: {solver}\n"
                damage.write(self.path(f"{solver}-{name}.yaml"), text.encode())
        damage.write(self.path("block.obj"), BLOCK.encode())
        damage.write(self.path("other.obj"), BLOCK.replace("0.03 0\n", "0.02 0\n").encode())
        for solver in SOLVERS:
            scene = self.scene(solver)
            self.run(f"{solver}-whole", scene)
            self.run(f"{solver}-part", scene, "--frames", "0:2")
            self.run(f"{solver}-pictures", scene, "--pictures")
            self.run(f"{solver}-old", self.scene(solver, "other"))
            self.run(f"{solver}-bare", self.scene(solver, "bare"))
            self.run(f"{solver}-bare-part", self.scene(solver, "bare"), "--frames", "0:2")
            self.run(f"{solver}-trunk", scene, "--frames", "0:2")
            self.run(f"{solver}-branch", scene, "--from", self.path(f"{solver}-trunk"), *BRANCH)
        self.make("mpm-fine", ["refine", self.path("mpm-whole"), "--per", "3", "-q", "-j1",
                               "-o", self.path("mpm-fine")])
        self.isas = self.run_mixed()

    def run_mixed(self):
        """Runs that change their instruction set after frame K, for every K."""
        if self.call(["run", self.scene("mpm"), "-o", self.path("none"), "-q", "--isa", "avx2",
                      "--frames", "0:0"])[0]:
            return {}
        isas = {"down": ("auto", "scalar"), "up": ("scalar", "auto")}
        for way, (first, then) in isas.items():
            for solver in SOLVERS:
                for last in range(4):
                    name = f"{solver}-{way}-{last}"
                    self.run(name, self.scene(solver), "--frames", f"0:{last}", "--isa", first)
                    self.run(name, self.scene(solver), "--resume", "--isa", then)
                self.run(f"{solver}-{way}-4", self.scene(solver), "--isa", first)
        return isas

    def path(self, name):
        return os.path.join(self.folder, name)

    def scene(self, solver, name="scene"):
        return self.path(f"{solver}-{name}.yaml")

    def make(self, name, words):
        """A folder that a command writes; its words hold -o."""
        code, said = self.call(words)
        if code:
            raise SystemExit(f"torture: undisturbed, firn {' '.join(words)} ends with {code}: {said}")
        self.files[name] = snapshot(self.path(name))
        return self.files[name]

    def run(self, name, scene, *words):
        return self.make(name, ["run", scene, "-o", self.path(name), "-q", "-j1", *words])

    def call(self, words, more=None):
        """Exit code, or minus the signal, and what was said."""
        try:
            done = subprocess.run([self.firn, *words], env=dict(self.environment, **(more or {})),
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            raise Wrong(f"still runs after {TIMEOUT} s: firn {' '.join(words)}")
        return done.returncode, done.stdout.decode(errors="replace").strip()


# ------------------------------------------------------------------------------------------ folders


def snapshot(folder):
    """The bytes of every file of a folder and below; None for what is no file."""
    found = {}
    for where, folders, names in os.walk(folder):
        for name in names + [n for n in folders if not os.listdir(os.path.join(where, n))]:
            path = os.path.join(where, name)
            plain = os.path.isfile(path)
            found[os.path.relpath(path, folder)] = damage.read(path) if plain else None
    return dict(sorted(found.items()))


def put(folder, files):
    for name, data in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        damage.write(path, data)


def without_column(data, name, mark=","):
    """A table without the column of a name."""
    rows = [line.split(mark) for line in data.decode(errors="replace").splitlines()]
    heads = [cell.strip() for cell in rows[0]] if rows else []
    at = heads.index(name) if name in heads else len(heads)
    return "\n".join(mark.join(row[:at] + row[at + 1:]) for row in rows)


def essence(name, data):
    """A file without what a clock or the place of a folder put into it; None: nothing else is in it."""
    name = os.path.basename(name)
    if name == "log.jsonl" or data is None:
        return None
    if name == torture_list.LIST:  # wrong_list() holds marks, order and checkpoints to the files
        content = torture_list.read_list(data)
        if not content:
            return data
        kind, origins, names = content
        return (kind, [line for line in origins if not line.startswith("from ")],
                [listed for listed in names if not listed.startswith("checkpoint_")])
    if name in ("stats.csv", "summary.csv"):
        return without_column(data, "wall_seconds")
    if name == "summary.md":  # the last cell of rows
        return "\n".join(line.rpartition(" | ")[0] for line in data.decode().splitlines())
    # A line cut by a kill ends with a question mark; a picture that was begun twice has two lines
    # "next".
    if name == "render.txt":
        return b"\n".join(line for line in data.splitlines()
                          if not line.startswith((b"frames of", b"next ")) and not line.endswith(b"?"))
    return data


def same(name, a, b):
    return a == b or essence(name, a) == essence(name, b)


def compare(found, wanted, older, spare=None, trunk=None):
    """Raises where a run that ended well did not leave what the undisturbed one left. A checkpoint
    of before, as it was in older, may be there still; spare is one that may be damaged. trunk: the folder
    that a branch must name."""
    for name, data in wanted.items():
        if os.path.basename(name) == "log.jsonl":
            continue
        if name not in found:
            raise Wrong(f"ended well, and {name} is missing")
        if not same(name, found[name], data):
            raise Wrong(f"ended well, and {name} differs")
    # A kill may leave the folder of copies behind, empty.
    more = {name for name in set(found) - set(wanted) - ({"files"} if not found.get("files") else set())
            if os.path.basename(name) != "log.jsonl" and found[name] != older.get(name, b"")}
    if more:
        raise Wrong(f"ended well, and left {sorted(more)}")
    wrong = torture_list.wrong_list(found, spare, trunk)
    if wrong:
        raise Wrong(f"ended well, and {wrong}")


def first_change(before, after):
    """The first file that was changed or removed; None: none was."""
    return next((name for name, data in before.items()
                 if name not in after or after[name] != data), None)


def refused(before, after):
    """Raises where a run that refused has changed something, be it the log."""
    name = first_change(before, after)
    if name:
        raise Wrong(f"refused, and {name} is {'changed' if name in after else 'gone'}")
    more = sorted(set(after) - set(before))
    if more:
        raise Wrong(f"refused, and left {more}")


def check_end(code, said, may_die=()):
    """A process ends by itself, and says why where it failed."""
    if code < 0 and -code not in may_die:
        raise Wrong(f"died of {signal.Signals(-code).name}: {said[-300:]}")
    if code > 0 and not said:
        raise Wrong(f"ended with {code} and said nothing")


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
