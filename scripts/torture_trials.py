# SPDX-License-Identifier: Apache-2.0
"""Commands that are disturbed, and what must hold afterwards. See torture.py."""
import collections, errno, os, shutil, signal

import torture_damage as damage
import torture_list
from torture_base import (BOARD, BRANCH, CALLS, FOREIGN, SOLVERS, Wrong, check_end, compare,
                          essence, first_change, fresh, put, refused, same, snapshot)

ERRORS = {"open": ["EMFILE", "EACCES"], "create": ["ENOSPC", "EROFS"], "mkdir": ["ENOSPC"],
          "write": ["ENOSPC", "EIO", "EINTR"], "fsync": ["EIO", "ENOSPC"],
          "rename": ["EIO", "ENOSPC"], "unlink": ["EPERM", "EIO"], "truncate": ["EIO", "EFBIG"],
          "close": ["EIO"], "read": ["EIO", "EINTR"], "list": ["EMFILE"], "memory": ["ENOMEM"]}
LIBRARIES = ("libfirn", "libyaml", "libhdf5")  # whose memory runs out
# How many trials at most: kills, fails of a call by an error, of memory of firn's and of other
# libraries, full disks.
Share = collections.namedtuple("Share", "kill fail own memory full")
LARGE, MIDDLE = Share(1000, 100, 250, 80, 60), Share(1000, 25, 80, 20, 30)
SMALL, KILLS = Share(300, 12, 40, 8, 20), Share(300, 0, 0, 0, 0)


class Scenario:
    """A command, undisturbed but for its first call, in a folder of its own."""

    start = {}  # folders that are there before: their place, and which of the base's
    out = "run"  # what the command writes
    lists = True  # whether it lists its files there
    trunk = None  # what it branches off
    share = SMALL

    def __init__(self, base, solver, verb):
        self.base, self.solver, self.verb = base, solver, verb
        self.name, self.kept, self.older = f"{solver}/{verb}", {}, {}

    def words(self, folder):
        """The command that is disturbed."""
        raise NotImplementedError

    def again(self, folder):
        """The command that goes on."""
        return self.words(folder)

    def begin(self, folder):
        fresh(folder)
        for place, name in self.start.items():
            shutil.copytree(self.base.path(name), os.path.join(folder, place))
        out = os.path.join(folder, self.out)
        if os.path.isdir(out):
            put(out, FOREIGN)

    def found(self, folder):
        """What the command has written. What is not its own is as it was."""
        out = os.path.join(folder, self.out)
        all_files = snapshot(folder)
        all_files.pop("board", None)
        inside, beside = {}, {}
        for name, data in all_files.items():
            rest = os.path.relpath(name, self.out)
            if rest.startswith("..") or rest == ".":
                beside[name] = data
            else:
                inside[rest] = data
        beside.pop(self.out, None)  # an empty folder
        for place, name in self.start.items():
            if place == self.out:
                continue
            wanted = {os.path.join(place, n): d for n, d in self.base.files[name].items()}
            there = {n: beside.pop(n) for n in list(beside) if n.startswith(place + "/")}
            wrong = first_change(wanted, there) or next(iter(set(there) - set(wanted)), None)
            if wrong:
                raise Wrong(f"{wrong} is not its own, and is changed")
        beside = [n for n in beside if not self.out.startswith(n + "/")]
        if beside:
            raise Wrong(f"left {beside} beside {self.out}")
        if self.out in self.start:
            wrong = first_change(FOREIGN, inside)
            if wrong:
                raise Wrong(f"{wrong} is the user's, and is changed or gone")
            for name in FOREIGN:
                del inside[name]
        return inside

    def call(self, folder, plan):
        board = os.path.join(folder, "board")
        damage.write(board, bytes(BOARD.size))
        environment = {"LD_PRELOAD": self.base.shim, "TORTURE_ROOT": self.base.scratch,
                       "TORTURE_BOARD": board, **plan}
        code, said = self.base.call(self.words(folder), environment)
        return code, said, BOARD.unpack(damage.read(board))

    def count(self, folder):
        """How many calls of each kind there are, how many of them change files, and how many bytes
        are written."""
        counts = {}
        for memory in LIBRARIES if self.share.own else LIBRARIES[:1]:
            self.begin(folder)
            code, said, board = self.call(folder, {"TORTURE_MEMORY": memory})
            if code:
                raise SystemExit(f"torture: {self.name} under the shim ends with {code}: {said}")
            counts = {**counts, **dict(zip(CALLS, board)), memory: board[CALLS.index("memory")]}
            counts["change"], counts["bytes"] = board[len(CALLS):len(CALLS) + 2]
        self.counted(folder)
        return counts

    # ------------------------------------------------------------------------------ what must hold

    def counted(self, folder):
        """An undisturbed folder: what is wanted, where the base does not have it."""

    def check_kept(self, found):
        """Good frames stay good, whatever happens to the run that was to go on after them."""
        for name, data in self.kept.items():
            if name.startswith("frame_") and found.get(name) != data:
                raise Wrong(f"{name} was whole, and is lost")

    def check_failed(self, found, killed, plan):
        """What a command may leave that did not end well."""

    def check_whole(self, found):
        compare(found, self.wanted, self.older, trunk=self.trunk)

    def go_on(self, folder):
        code, said = self.base.call(self.again(folder))
        check_end(code, said)
        if code:
            raise Wrong(f"cannot be gone on with: {said[-300:]}")
        self.check_whole(self.found(folder))

    def disturb(self, folder, plan):
        self.begin(folder)
        code, said, board = self.call(folder, plan)
        may_die = []
        killed = plan["TORTURE_ACT"] == "kill" and board[-1]
        if killed:
            may_die = [signal.SIGKILL]
        # HDF5 1.10 frees twice, uses what it has freed, or calls exit(-1), where its own memory
        # runs out. That is as good as being killed: nothing may be lost by it.
        if plan.get("TORTURE_MEMORY") == "libhdf5":
            may_die = [signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS]
            killed = code < 0 or code == 255
        check_end(code, said, may_die)
        found = self.found(folder)
        self.check_kept(found)
        if code == 0:
            self.check_whole(found)
        else:
            unlisted = self.lists and torture_list.unlisted(found)
            if unlisted:
                raise Wrong(f"{'was killed' if killed else 'failed'}, and {unlisted}")
            self.check_failed(found, killed, plan)
            self.go_on(folder)


class Run(Scenario):
    """Into a new folder, on from half of a run, over another one, or over one that wrote more kinds of
    files."""

    def __init__(self, base, solver, verb):
        super().__init__(base, solver, verb)
        self.replaces = verb in ("overwrite", "bare")
        start = "part" if verb == "resume" else "old" if self.replaces else None
        self.start = {"run": f"{solver}-{start}"} if start else {}
        self.scene = base.scene(solver, "bare" if verb == "bare" else "scene")
        self.wanted = base.files[f"{solver}-{verb if verb in ('pictures', 'bare') else 'whole'}"]
        self.older = base.files[f"{solver}-{'bare-part' if verb == 'bare' else 'part'}"]
        self.kept = base.files[f"{solver}-part"] if verb == "resume" else {}
        some = LARGE if solver == "mpm" else MIDDLE
        self.share = KILLS if verb in ("pictures", "bare") else some

    def words(self, folder, how=None):
        if how is None:
            how = ["--overwrite"] if self.replaces else ["--resume"] if self.verb == "resume" else []
        more = ["--pictures"] if self.verb == "pictures" else []
        return ["run", self.scene, "-o", os.path.join(folder, "run"), "-q", "-j1", *more, *how]

    def again(self, folder):
        return self.words(folder, ["--resume"])

    def go_on(self, folder):
        """A run after that goes on and ends well; or, over another run, it may refuse and change
        nothing."""
        before = self.found(folder)
        code, said = self.base.call(self.again(folder))
        check_end(code, said)
        if code:
            refused(before, self.found(folder))
            if not self.replaces or not any(name.endswith(".hdf") for name in before):
                raise Wrong(f"cannot be gone on with: {said[-300:]}")
            code, said = self.base.call(self.words(folder, ["--overwrite"]))
            if code:
                raise Wrong(f"cannot be replaced: {said[-300:]}")
        self.check_whole(self.found(folder))


class Branch(Run):
    """Off from half of a run, which stays as it is."""

    def __init__(self, base, solver, verb):
        super().__init__(base, solver, verb)
        self.wanted = base.files[f"{solver}-branch"]
        self.older = base.files[f"{solver}-trunk"]
        self.trunk = base.path(f"{solver}-trunk")
        self.share = SMALL

    def words(self, folder, how=None):
        return [*super().words(folder, how), *BRANCH, "--from", self.trunk]

    def again(self, folder):
        """The list of files names the trunk before anything is copied: with a list, a resume alone goes
        on. Where there is none yet, nothing was begun, and the trunk has to be given again."""
        words = super().again(folder)
        begun = os.path.exists(os.path.join(folder, self.out, "firn-files.txt"))
        return words[:words.index("--from")] if begun else words

    def go_on(self, folder):
        """What was killed as it wrote the list is not gone on with as another run, from time 0."""
        half = os.path.join(folder, self.out, torture_list.LIST + ".part")
        begun = os.path.exists(os.path.join(folder, self.out, torture_list.LIST))
        if not begun and os.path.exists(half) and b"\nnext " in damage.read(half):
            words, before = super().again(folder), self.found(folder)
            code, said = self.base.call(words[:words.index("--from")])
            check_end(code, said)
            if not code:
                raise Wrong("was to branch off, and began at time 0")
            refused(before, self.found(folder))
        super().go_on(folder)

    def check_kept(self, found):
        wrong = first_change(self.base.files[f"{self.solver}-trunk"], snapshot(self.trunk))
        if wrong:
            raise Wrong(f"{wrong} of the trunk is changed")

    def check_whole(self, found):
        super().check_whole(found)
        self.check_kept(found)


class Mixed(Run):
    """Begun by one instruction set, and gone on with by another. Each file and row is one of a run that
    changed after some frame."""

    def __init__(self, base, solver, way):
        super().__init__(base, solver, f"isa-{way}")
        self.first, self.then = base.isas[way]
        self.runs = [base.files[f"{solver}-{way}-{last}"] for last in range(5)]
        self.share = KILLS._replace(kill=100)

    def words(self, folder, how=None):
        return [*super().words(folder, how), "--isa", self.then if how else self.first]

    def check_whole(self, found):
        wanted = dict(self.runs[-1])
        for name, data in found.items():
            if name.endswith(".csv"):
                rows = {row for run in self.runs for row in essence(name, run[name]).splitlines()}
                if name in wanted and set(essence(name, data).splitlines()) <= rows and \
                        data.count(b"\n") == wanted[name].count(b"\n"):
                    wanted[name] = data
            elif any(name in run and same(name, run[name], data) for run in self.runs):
                wanted[name] = data
        compare(found, wanted, {name: data for name, data in found.items()
                                if any(run.get(name) == data for run in self.runs)})


class Writer(Scenario):
    """Writes files beside a run, each of them whole or not at all; the same command goes on."""

    share = SMALL

    def counted(self, folder):
        self.wanted = self.found(folder)

    def check_failed(self, found, killed, plan):
        for name, data in found.items():
            if name in self.wanted:
                grows = name in ("render.txt", "firn-files.txt") or name.endswith(".series")
                if not grows and not same(name, data, self.wanted[name]):
                    raise Wrong(f"{'was killed' if killed else 'failed'}, and {name} is cut")
            elif not killed and plan["TORTURE_CALL"] != "unlink":
                raise Wrong(f"failed, and left {name}")


class Refine(Writer):
    out = "run/fine"

    def __init__(self, base, solver, verb):
        super().__init__(base, solver, verb)
        self.start = {"run": f"{solver}-whole"}
        self.share = SMALL if solver == "mpm" else KILLS

    def words(self, folder, how=()):
        return ["refine", os.path.join(folder, "run"), "--per", "3", "-q", "-j1", *how]

    def again(self, folder):
        return self.words(folder, ["--resume"])


class Export(Writer):
    out = "out"
    lists = False

    def words(self, folder):
        return ["export", self.base.path(f"{self.solver}-whole"), "--format",
                self.verb.partition("-")[2], "-o", os.path.join(folder, "out"), "-q", "-j1"]


class Render(Writer):
    out = "out"
    lists = False

    def words(self, folder):
        how = ["--preview", "--size", "64x36"] if self.verb == "render-preview" else \
            ["--size", "16x16", "--spp", "1", "--format", "exr", "--frames", "2:4"]
        return ["render", self.base.path(f"{self.solver}-whole"), *how,
                "-o", os.path.join(folder, "out"), "-q", "-j1"]


class Sweep(Scenario):
    out = "out"
    share = SMALL._replace(kill=200)

    def words(self, folder):
        return ["sweep", self.base.scene(self.solver, "bare"), "--vary", "mpm.flip=0,0.9",
                "-o", os.path.join(folder, "out"), "-q", "-j1"]

    def counted(self, folder):
        self.wanted = self.found(folder)
        self.older = {f"{run}/{name}": data for run in {n.partition("/")[0] for n in self.wanted}
                      for name, data in self.base.files[f"{self.solver}-bare-part"].items()}


def scenarios(base):
    for solver in SOLVERS:
        for verb in ("run", "resume", "overwrite", "bare", "pictures"):
            yield Run(base, solver, verb)
        yield Branch(base, solver, "branch")
        yield Refine(base, solver, "refine")
        for way in base.isas:
            yield Mixed(base, solver, way)
    formats = ["vtp", "ply", "bgeo", "csv", "obj"]
    code, said = base.call(["export", base.path("mpm-part"), "--format", "vdb", "-q",
                            "-o", base.path("vdb")])
    if code and "OpenVDB" in said:
        print(f"no vdb files: {said}")
    else:
        formats.append("vdb")
    for name in formats:
        yield Export(base, "mpm", f"export-{name}")
    yield Render(base, "mpm", "render-preview")
    yield Render(base, "mpm", "render-exr")
    yield Sweep(base, "mpm", "sweep")


# ------------------------------------------------------------------------------------------- trials


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
    return range(1, count + 1, max(1, -(-count // most))) if most else ()


def disturbances(scenario, counts):
    """Every trial that kills, fails or fills: its name, and what to do."""
    name, share = scenario.name, scenario.share

    def trial(plan):
        return lambda folder: scenario.disturb(folder, plan)

    for at in spaced(counts["change"], share.kill):
        yield f"kill/{name}/{at}", trial(plan_of("kill", "change", at))
    for call in CALLS[:-1] if share.fail else ():
        for error in ERRORS[call]:
            for at in spaced(counts[call], share.fail * (3 if error == "ENOSPC" else 1)):
                yield f"fail/{name}/{call}/{error}/{at}", trial(plan_of("fail", call, at, error))
                if error == "ENOSPC":  # and stays full
                    yield f"fail/{name}/{call}/for-ever/{at}", \
                        trial(plan_of("fail", call, at, error, 1 << 60))
    for memory in LIBRARIES if share.own else ():
        for at in spaced(counts[memory], share.own if memory == "libfirn" else share.memory):
            yield f"fail/{name}/{memory}/{at}", \
                trial(plan_of("fail", "memory", at, "ENOMEM", 1, memory))
    for part in range(share.full):
        limit = counts["bytes"] * part // share.full
        yield f"full/{name}/{part}", trial(plan_of("full", "none", limit))
