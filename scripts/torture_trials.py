# SPDX-License-Identifier: Apache-2.0
"""What is done to a run, and what must hold afterwards. See torture.py."""
import errno, os, shutil, signal, struct, subprocess

import torture_damage as damage

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
CALLS = "open create mkdir write fsync rename unlink truncate close read list memory".split()
BOARD = struct.Struct(f"={len(CALLS) + 3}Q")
ERRORS = {"open": ["EMFILE", "EACCES"], "create": ["ENOSPC", "EROFS"], "mkdir": ["ENOSPC"],
          "write": ["ENOSPC", "EIO", "EINTR"], "fsync": ["EIO", "ENOSPC"],
          "rename": ["EIO", "ENOSPC"], "unlink": ["EPERM", "EIO"], "truncate": ["EIO", "EFBIG"],
          "close": ["EIO"], "read": ["EIO", "EINTR"], "list": ["EMFILE"], "memory": ["ENOMEM"]}
LIBRARIES = ("libfirn", "libyaml", "libhdf5")  # whose memory runs out
TIMEOUT = 60


class Wrong(Exception):
    """Something was lost, or silently wrong."""


class Base:
    """The program, and runs of it that nobody disturbed."""

    def __init__(self, firn, shim, folder):
        self.firn, self.shim, self.folder = firn, shim, folder
        os.makedirs(folder)
        self.scene = self.path("scene.yaml")
        for name, text in (("scene", SCENE), ("other", OTHER), ("bare", BARE)):
            damage.write(self.path(name + ".yaml"), text.encode())
        damage.write(self.path("block.obj"), BLOCK.encode())
        damage.write(self.path("other.obj"), BLOCK.replace("0.03 0\n", "0.02 0\n").encode())
        self.environment = dict(os.environ, LC_ALL="C")
        words = subprocess.run([firn, "run", "--help"], capture_output=True, text=True).stdout
        self.overwrite = ["--overwrite"] if "--overwrite" in words else []
        words = subprocess.run([firn, "info", "--help"], capture_output=True, text=True).stdout
        self.can_verify = "--verify" in words
        self.make("whole", self.scene)
        self.make("part", self.scene, "--frames", "0:2")
        self.make("pictures", self.scene, "--pictures")
        self.make("old", self.path("other.yaml"))
        self.make("bare", self.path("bare.yaml"))
        self.make("bare-part", self.path("bare.yaml"), "--frames", "0:2")
        self.files = {name: snapshot(self.path(name))
                      for name in ("whole", "part", "pictures", "bare", "bare-part")}

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, name, scene, *words):
        code, said = self.call(["run", scene, "-o", self.path(name), "-q", "-j1", *words])
        if code:
            raise SystemExit(f"torture: the undisturbed run ends with {code}: {said}")

    def call(self, words, more=None):
        """Exit code, or minus the signal, and what was said."""
        try:
            done = subprocess.run([self.firn, *words], env=dict(self.environment, **(more or {})),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            raise Wrong(f"still runs after {TIMEOUT} s: firn {' '.join(words)}")
        return done.returncode, done.stdout.decode(errors="replace").strip()


def snapshot(folder):
    """The bytes of every file of a folder and below; None for what is no file."""
    found = {}
    for where, folders, names in os.walk(folder):
        for name in names + [n for n in folders if not os.listdir(os.path.join(where, n))]:
            path = os.path.join(where, name)
            plain = os.path.isfile(path)
            found[os.path.relpath(path, folder)] = damage.read(path) if plain else None
    return dict(sorted(found.items()))


def table_of(data):
    """stats.csv without its last column, the seconds it took."""
    return [line.rpartition(b",")[0] for line in data.splitlines()]


def compare(found, wanted, older):
    """Raises where a run that ended well did not leave what the undisturbed one left. A checkpoint
    of before, as it was in older, may be there still."""
    for name, data in wanted.items():
        if name == "log.jsonl":
            continue
        if name not in found:
            raise Wrong(f"ended well, and {name} is missing")
        same = found[name] == data
        if name == "stats.csv" and not same:
            same = table_of(found[name] or b"") == table_of(data)
        if not same:
            raise Wrong(f"ended well, and {name} differs")
    more = {name for name in set(found) - set(wanted) - {"log.jsonl"}
            if found[name] != older.get(name, b"")}
    if more:
        raise Wrong(f"ended well, and left {sorted(more)}")


def check_end(code, said, may_die=()):
    """A process ends by itself, and says why where it failed."""
    if code < 0 and -code not in may_die:
        raise Wrong(f"died of {signal.Signals(-code).name}: {said[-300:]}")
    if code > 0 and not said:
        raise Wrong(f"ended with {code} and said nothing")


class Scenario:
    """What runs: into a new folder, on from half of a run, over another one, or over one that wrote
    more kinds of files."""

    def __init__(self, base, name):
        self.base, self.name = base, name
        self.replaces = name in ("overwrite", "bare")
        self.start = "part" if name == "resume" else "old" if self.replaces else None
        self.scene = base.path("bare.yaml" if name == "bare" else "scene.yaml")
        self.wanted = base.files[name if name in ("pictures", "bare") else "whole"]
        self.older = base.files["bare-part" if name == "bare" else "part"]
        self.more = ["--pictures"] if name == "pictures" else []
        self.kept = base.files["part"] if name == "resume" else {}

    def words(self, folder, how):
        run = os.path.join(folder, "run")
        return ["run", self.scene, "-o", run, "-q", "-j1", *self.more, *how]

    def begin(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        if self.start:
            shutil.copytree(self.base.path(self.start), os.path.join(folder, "run"))

    def call(self, folder, plan):
        board = os.path.join(folder, "board")
        damage.write(board, bytes(BOARD.size))
        how = self.base.overwrite if self.replaces else []
        if self.name == "resume":
            how = ["--resume"]
        environment = {"LD_PRELOAD": self.base.shim, "TORTURE_ROOT": os.path.join(folder, "run"),
                       "TORTURE_BOARD": board, **plan}
        code, said = self.base.call(self.words(folder, how), environment)
        return code, said, BOARD.unpack(damage.read(board))

    def count(self, folder):
        """How many calls of each kind there are, how many of them change files, and how many bytes
        are written."""
        counts = {}
        for memory in LIBRARIES:
            self.begin(folder)
            code, said, board = self.call(folder, {"TORTURE_MEMORY": memory})
            if code:
                raise SystemExit(f"torture: {self.name} under the shim ends with {code}: {said}")
            counts = {**counts, **dict(zip(CALLS, board)), memory: board[CALLS.index("memory")]}
            counts["change"], counts["bytes"] = board[len(CALLS):len(CALLS) + 2]
        return counts

    # ------------------------------------------------------------------------------ what must hold

    def check_kept(self, run):
        """Good frames stay good, whatever happens to the run that was to go on after them."""
        for name, data in self.kept.items():
            if name.startswith("frame_") and (not os.path.isfile(os.path.join(run, name)) or
                                              damage.read(os.path.join(run, name)) != data):
                raise Wrong(f"{name} was whole, and is lost")

    def go_on(self, folder):
        """A run after that goes on and ends well; or, over another run, it may refuse and change
        nothing."""
        run = os.path.join(folder, "run")
        before = snapshot(run) if os.path.isdir(run) else {}
        code, said = self.base.call(self.words(folder, ["--resume"]))
        check_end(code, said)
        if code:
            after = snapshot(run) if os.path.isdir(run) else {}
            refused(before, after)
            held = [name for name in before if name.endswith(".hdf")]
            if not self.replaces or not held:
                raise Wrong(f"cannot be gone on with: {said[-300:]}")
            code, said = self.base.call(self.words(folder, self.base.overwrite))
            if code:
                raise Wrong(f"cannot be replaced: {said[-300:]}")
        compare(snapshot(run), self.wanted, self.older)

    def disturb(self, folder, plan):
        self.begin(folder)
        code, said, board = self.call(folder, plan)
        may_die = []
        if plan["TORTURE_ACT"] == "kill" and board[-1]:
            may_die = [signal.SIGKILL]
        # HDF5 1.10 frees twice, or uses what it has freed, where its own memory runs out. That is
        # as good as being killed: nothing may be lost by it.
        if plan.get("TORTURE_MEMORY") == "libhdf5":
            may_die = [signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS]
        check_end(code, said, may_die)
        run = os.path.join(folder, "run")
        self.check_kept(run)
        if code == 0:
            compare(snapshot(run), self.wanted, self.older)
        else:
            self.go_on(folder)


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


def plan_of(act, call, at, error=None, times=1, memory=None):
    plan = {"TORTURE_ACT": act, "TORTURE_CALL": call, "TORTURE_AT": str(at),
            "TORTURE_TIMES": str(times)}
    if error:
        plan["TORTURE_ERRNO"] = str(getattr(errno, error))
    if memory:
        plan["TORTURE_MEMORY"] = memory
    return plan


def spaced(count, most):
    """Numbers from 1 to count, at most so many of them."""
    step = max(1, -(-count // most))
    return range(1, count + 1, step)


def disturbances(scenario, counts):
    """Every trial that kills, fails or fills: its name, and what to do."""
    name = scenario.name

    def trial(plan):
        return lambda folder: scenario.disturb(folder, plan)

    for at in range(1, counts["change"] + 1):
        yield f"kill/{name}/{at}", trial(plan_of("kill", "change", at))
    if name in ("pictures", "bare"):
        return
    for call in CALLS[:-1]:
        for error in ERRORS[call]:
            for at in spaced(counts[call], 1000 if error == "ENOSPC" else 100):
                yield f"fail/{name}/{call}/{error}/{at}", trial(plan_of("fail", call, at, error))
                if error == "ENOSPC":  # and stays full
                    yield f"fail/{name}/{call}/for-ever/{at}", \
                        trial(plan_of("fail", call, at, error, 1 << 60))
    for memory in LIBRARIES:
        for at in spaced(counts[memory], 250 if memory == "libfirn" else 80):
            yield f"fail/{name}/{memory}/{at}", \
                trial(plan_of("fail", "memory", at, "ENOMEM", 1, memory))
    for part in range(60):
        limit = counts["bytes"] * part // 60
        yield f"full/{name}/{part}", trial(plan_of("full", "none", limit))


# ------------------------------------------------------------------------------------------ damage


def sealed(files):
    return {name: data for name, data in files.items() if damage.is_sealed(name)}


def is_spare(name, files):
    """Whether it is a checkpoint, and not the newest one."""
    checkpoints = [other for other in files if other.startswith("checkpoint_")]
    return name.startswith("checkpoint_") and bool(checkpoints) and name < max(checkpoints)


def resume(base, run):
    code, said = base.call(["run", base.scene, "-o", run, "-q", "-j1", "--resume"])
    check_end(code, said)
    return code, said, snapshot(run)


def check_verify(base, run, name, how, before):
    """`firn info --verify` finds what is wrong with a sealed file, and changes nothing. Whether it found
    nothing at all."""
    if not base.can_verify:
        return False
    code, said = base.call(["info", "--verify", run])
    check_end(code, said)
    if code == 0 and damage.is_sealed(name) and how != "gone":
        raise Wrong(f"firn info --verify finds nothing: {said[-300:]}")
    refused(before, snapshot(run))
    return code == 0


def mend(base, folder, start, name, how, seed):
    """A damaged folder is gone on with and ends as if nothing had been, or, where damage.GOES_ON does not
    forbid it, is refused as it is."""
    run = os.path.join(folder, "run")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    shutil.copytree(base.path(start), run)
    if not damage.apply(run, name, how, seed):
        return
    before = snapshot(run)
    nothing_wrong = check_verify(base, run, name, how, before)
    code, said, after = resume(base, run)
    if code and nothing_wrong:
        raise Wrong(f"firn info --verify finds nothing, and a resume is refused: {said[-300:]}")
    wanted, part = base.files["whole"], base.files["part"]
    if code and how in damage.OBSTACLES and damage.is_sealed(name) and first_change(before, after):
        # What stands in the way of a file may be found when the file is to be written, and tables
        # have been cut. Once it is gone, the run goes on.
        if first_change(sealed(before), after):
            raise Wrong(f"failed, and {first_change(sealed(before), after)} is lost")
        damage.remove(os.path.join(run, name))
        code, said, after = resume(base, run)
        if code:
            raise Wrong(f"cannot be gone on with: {said[-300:]}")
    if code:
        refused(before, after)
        if damage.must_go_on(name, how, before):
            raise Wrong(f"refused, and must be gone on from: {said[-300:]}")
        return
    # An older checkpoint is a spare one: what is wrong with it, firn info --verify tells.
    spare = is_spare(name, before)
    if spare and after.get(name) == before.get(name):
        wanted = {key: data for key, data in wanted.items() if key != name}
        part = {**part, name: after.get(name)}
    compare(after, wanted, part)


def damages(base, seed):
    """Every trial that damages a file of a run that is half done, or done."""
    for start in ("part", "whole"):
        names = list(base.files[start])
        for name in names:
            ways = damage.changes(name)
            if damage.is_sealed(name):
                kind = name[:6]
                others = [n for n in names if n != name and n.startswith(kind)]
                ways += [f"{way}:{n}" for n in others for way in ("swap", "copy")]
            for how in ways:
                yield f"damage/{start}/{name}/{how}", \
                    lambda folder, a=(start, name, how): mend(base, folder, *a, seed)
