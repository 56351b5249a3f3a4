# SPDX-License-Identifier: Apache-2.0
"""Trials that damage the files of a run, or find the user's files in their way. See torture.py."""
import os, shutil

import torture_damage as damage
from torture_base import (SOLVERS, Wrong, check_end, compare, first_change, fresh, refused,
                          snapshot)


def sealed(files):
    return {name: data for name, data in files.items() if damage.is_sealed(name)}


def is_spare(name, files):
    """Whether it is a checkpoint, and not the newest one."""
    checkpoints = [other for other in files if other.startswith("checkpoint_")]
    return name.startswith("checkpoint_") and bool(checkpoints) and name < max(checkpoints)


def resume(base, solver, run):
    code, said = base.call(["run", base.scene(solver), "-o", run, "-q", "-j1", "--resume"])
    check_end(code, said)
    return code, said, snapshot(run)


def check_verify(base, run, name, how, before):
    """`firn info --verify` finds what is wrong with a sealed file, and changes nothing. Whether it found
    nothing at all."""
    code, said = base.call(["info", "--verify", run])
    check_end(code, said)
    if code == 0 and damage.is_sealed(name) and how != "gone":
        raise Wrong(f"firn info --verify finds nothing: {said[-300:]}")
    refused(before, snapshot(run))
    return code == 0


def mend(base, folder, solver, start, name, how, seed):
    """A damaged folder is gone on with and ends as if nothing had been, or, where damage.GOES_ON does not
    forbid it, is refused as it is."""
    run = os.path.join(folder, "run")
    fresh(folder)
    shutil.copytree(base.path(f"{solver}-{start}"), run)
    if not damage.apply(run, name, how, seed):
        return
    before = snapshot(run)
    nothing_wrong = check_verify(base, run, name, how, before)
    code, said, after = resume(base, solver, run)
    if code and nothing_wrong:
        raise Wrong(f"firn info --verify finds nothing, and a resume is refused: {said[-300:]}")
    wanted, part = base.files[f"{solver}-whole"], base.files[f"{solver}-part"]
    if code and how in damage.OBSTACLES and damage.is_sealed(name) and first_change(before, after):
        # What stands in the way of a file may be found when the file is to be written, and tables
        # have been cut. Once it is gone, the run goes on.
        if first_change(sealed(before), after):
            raise Wrong(f"failed, and {first_change(sealed(before), after)} is lost")
        damage.remove(os.path.join(run, name))
        code, said, after = resume(base, solver, run)
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
    compare(after, wanted, part, spare=name if spare else None)


def branch_off(base, folder, solver, name, how, seed):
    """A branch off a damaged trunk is refused, and leaves nothing; or it is that of a whole one. The trunk
    stays as it is."""
    trunk, run = os.path.join(folder, "trunk"), os.path.join(folder, "run")
    fresh(folder)
    shutil.copytree(base.path(f"{solver}-trunk"), trunk)
    if not damage.apply(trunk, name, how, seed):
        return
    before = snapshot(trunk)
    code, said = base.call(["run", base.scene(solver), "-o", run, "-q", "-j1", "--from", trunk,
                            *base.branch])
    check_end(code, said)
    refused(before, snapshot(trunk))
    if code == 0:
        compare(snapshot(run), base.files[f"{solver}-branch"], base.files[f"{solver}-trunk"], trunk=trunk)
    elif os.path.isdir(run):
        raise Wrong(f"refused, and left {sorted(snapshot(run))}")


def refine_again(base, folder, name, how, seed):
    """Fine particles with a damaged file are made whole by `firn refine --resume`; what stands in the place
    of a file may stop it, and everything stays then. The run stays in any case."""
    run = os.path.join(folder, "run")
    fine = os.path.join(run, "fine")
    fresh(folder)
    shutil.copytree(base.path("mpm-whole"), run)
    shutil.copytree(base.path("mpm-fine"), fine)
    if not damage.apply(fine, name, how, seed):
        return
    before = snapshot(run)
    check_verify(base, run, name, how, before)
    code, said = base.call(["refine", run, "--per", "3", "-q", "-j1", "--resume"])
    check_end(code, said)
    after = snapshot(run)
    wrong = first_change(base.files["mpm-whole"], after)
    if wrong:
        raise Wrong(f"{wrong} of the run is changed")
    if code:
        refused(before, after)
        if how not in damage.OBSTACLES:
            raise Wrong(f"refused, and must be gone on from: {said[-300:]}")
        return
    compare(snapshot(fine), base.files["mpm-fine"], {})


# ------------------------------------------------------------------------------------ the user's files

# Names that firn itself uses, of files that it has not written; a link leads to a file outside.
# What ends with .part is firn's in any case.
TAKEN = ("frame_00002.hdf", "frame_00009.hdf", "checkpoint_00004.hdf", "picture_00002.png",
         "picture_00009.png", "log.jsonl", "stats.csv", "colliders.csv", "probes.csv", "scene.yaml",
         "scene.next.yaml", "firn-files.txt", "frames.hdf.series", "files/block.obj", "files/sums.txt",
         "files.next/block.obj",
         "fine/frame_00001.hdf", "fine/notes.txt", "frame_00002.vtp", "frames.vtp.series",
         "frame_00002.png", "render.txt", "summary.csv", "summary.md", "sheet.png",
         "001-flip=0/frame_00002.hdf", "001-flip=0/preview.png")
FORMS = ("file", "link", "folder-link")
COMMANDS = ("run", "overwrite", "over-old", "resume", "branch", "refine", "refine-overwrite",
            "export", "render", "sweep", "sweep-overwrite")


def command_of(base, what, out):
    """The command, and what is in its folder before."""
    scene = base.scene("mpm")
    whole = base.path("mpm-whole")
    run = ["run", scene, "-o", out, "-q", "-j1"]
    sweep = ["sweep", base.scene("mpm", "bare"), "--vary", "mpm.flip=0,0.9", "-o", out, "-q", "-j1"]
    return {
        "run": (run, None), "overwrite": ([*run, "--overwrite"], None),
        "over-old": ([*run, "--overwrite", "--pictures"], "mpm-old"),
        "resume": ([*run, "--resume", "--pictures"], "mpm-part"),
        "branch": ([*run, "--from", base.path("mpm-trunk"), *base.branch], None),
        "refine": (["refine", whole, "--per", "3", "-o", out, "-q", "-j1"], None),
        "refine-overwrite": (["refine", whole, "--per", "3", "-o", out, "-q", "-j1", "--overwrite"],
                             None),
        "export": (["export", whole, "--format", "vtp", "-o", out, "-q", "-j1"], None),
        "render": (["render", whole, "--preview", "--size", "64x36", "-o", out, "-q", "-j1"], None),
        "sweep": (sweep, None), "sweep-overwrite": ([*sweep, "--overwrite"], None),
    }[what]


def find_foreign(base, folder, what, name, form):
    """A file of the user's that stands in the way stays as it is, whether the command refuses or ends
    well."""
    out, mine = os.path.join(folder, "out"), os.path.join(folder, "mine")
    fresh(folder)
    words, start = command_of(base, what, out)
    if start:
        shutil.copytree(base.path(start), out)
    path = os.path.join(out, name)
    os.makedirs(mine)
    damage.write(os.path.join(mine, os.path.basename(name)), b"mine\n")
    if form == "folder-link":
        place = os.path.dirname(path)
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.symlink(mine, place)
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        damage.remove(path)
        if form == "link":
            os.symlink(os.path.join(mine, os.path.basename(name)), path)
        else:
            damage.write(path, b"mine\n")
    before = snapshot(out)
    code, said = base.call(words)
    check_end(code, said)
    if snapshot(mine) != {os.path.basename(name): b"mine\n"}:
        raise Wrong(f"wrote or removed by way of a link: {sorted(snapshot(mine))} (exit {code})")
    if form == "file":
        after = snapshot(out)
        if after.get(name) != b"mine\n":
            raise Wrong(f"{name} is the user's, and is {'changed' if name in after else 'gone'} "
                        f"(exit {code})")
    # Runs of a sweep that are not in the way go on.
    if code and form != "folder-link" and not start and not what.startswith("sweep"):
        left = sorted(set(snapshot(out)) - set(before))
        if left:
            raise Wrong(f"refused, and left {left}: {said[-200:]}")


# ------------------------------------------------------------------------------------------- trials


def ways(files, name):
    found = list(damage.changes(name))
    if damage.is_sealed(name):
        others = [n for n in files if n != name and n.startswith(name[:6])]
        found += [f"{way}:{n}" for n in others for way in ("swap", "copy")]
    return found


def damages(base, seed):
    """Every trial that damages a file of a run that is half done, or done, or that is branched off, and
    every one that finds a file of the user's."""
    for solver in SOLVERS:
        for start in ("part", "whole") if solver == "mpm" else ("part",):
            files = base.files[f"{solver}-{start}"]
            for name in files:
                for how in ways(files, name):
                    yield f"damage/{solver}/{start}/{name}/{how}", \
                        lambda folder, a=(solver, start, name, how): mend(base, folder, *a, seed)
    files = base.files["mpm-trunk"]
    for name in files:
        for how in ways(files, name):
            if how != "pipe":  # a reader of a pipe would wait
                yield f"damage/mpm/trunk/{name}/{how}", \
                    lambda folder, a=("mpm", name, how): branch_off(base, folder, *a, seed)
    files = base.files["mpm-fine"]
    for name in files:
        for how in ways(files, name):
            yield f"damage/mpm/fine/{name}/{how}", \
                lambda folder, a=(name, how): refine_again(base, folder, *a, seed)
    for what in COMMANDS:
        _, start = command_of(base, what, "")
        for name in TAKEN:
            if start and name in base.files[start]:
                continue  # that is a damage
            for form in FORMS if "/" in name and "=" not in name else FORMS[:2]:
                yield f"foreign/mpm/{what}/{name}/{form}", \
                    lambda folder, a=(what, name, form): find_foreign(base, folder, *a)
