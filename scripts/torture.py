#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills, fails and damages runs of firn: nothing may be lost, and nothing silently wrong.

    scripts/torture.py [--seconds S] [--seed N] [--only PATTERN] [--list] FIRN SHIM

FIRN is the program, SHIM what tests/torture/shim.c was built into. A trial is named KIND/SOLVER/VERB/...
Its verb is a command: a small run by one of the solvers (a ball on the ground, frames 0 to 4, a checkpoint
each) into a new folder, on from half of a run, over another one, with pictures, off from another run's
checkpoint (branch), or gone on with by another instruction set (isa-down, isa-up); refine, an export of
each format, render or sweep. Its kind is what happens to that:

    kill     it is killed at one of the operations that change files; of a write, half is done
    fail     one call of open, write, fsync, rename ... ends with an error, or there is no memory
    full     the disk is full after so many bytes
    damage   nothing, but a file of its folder is cut, emptied, swapped, mangled ... before
    foreign  nothing, but a file or link of the user's has a name in its folder that firn uses

Then the command goes on, undisturbed. Afterwards all files are, byte by byte, those of a command that
nothing disturbed, and firn-files.txt names them with their marks; or firn refused, said why, and has
neither deleted nor changed a file, nor made one.
After which damages it must not refuse, GOES_ON of torture_damage.py says. Frames that were whole stay
whole; what a failed export leaves is whole, too; files of the user's stay as they are; no process dies of
a signal but the one that killed it; and each that ends with a status other than 0 has said something.

Without --seconds all trials are made. With it their choice is spread over all kinds, by --seed,
until the time is over. --only takes trials by their name, in the manner of a shell
('kill/mpm/resume/*'), and --keep leaves the folders of those that failed. Exit status 0: all is well;
1: not.
"""
import argparse, collections, concurrent.futures, fnmatch, itertools, os, random, resource, shutil
import sys, tempfile, threading, time

import torture_base, torture_mend, torture_trials


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("firn")
    parser.add_argument("shim")
    parser.add_argument("--seconds", type=float, help="stop after so long")
    parser.add_argument("--seed", type=int, default=1, help="of the order, and of damages (1)")
    parser.add_argument("--only", action="append", help="trials of these names; may be given again")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="trials at a time")
    parser.add_argument("--keep", action="store_true", help="leave the folders of failed trials")
    parser.add_argument("--list", action="store_true", help="print the names of the trials")
    return parser.parse_args()


def kind_of(name):
    return "/".join(name.split("/")[:3])


def spread(found, seed):
    """All trials, at random within their kind, and the kinds by turns in proportion to the root of
    their number: a slice holds some of each."""
    kinds = collections.defaultdict(list)
    for name, what in found:
        kinds[kind_of(name)].append((name, what))
    order = []
    for kind, rows in sorted(kinds.items()):
        random.Random(f"{seed}/{kind}").shuffle(rows)
        order += [((i + 0.5) / len(rows) ** 0.5, name, what) for i, (name, what) in enumerate(rows)]
    return [(name, what) for _, name, what in sorted(order, key=lambda row: row[:2])]


def find_trials(base, scratch, seed):
    found = list(torture_mend.damages(base, seed))
    for scenario in torture_trials.scenarios(base):
        counts = scenario.count(os.path.join(scratch, "count"))
        found += torture_trials.disturbances(scenario, counts)
    return found


class Workers:
    """Makes trials, each worker in a folder of its own."""

    def __init__(self, scratch, deadline, keep):
        self.scratch, self.deadline, self.keep = scratch, deadline, keep
        self.lock, self.local, self.number = threading.Lock(), threading.local(), itertools.count()
        self.done, self.bad, self.wrong = collections.Counter(), collections.Counter(), []

    def make(self, row):
        name, what = row
        if self.deadline and time.monotonic() > self.deadline:
            return
        if not hasattr(self.local, "folder"):
            self.local.folder = os.path.join(self.scratch, f"worker-{next(self.number)}")
        reason = None
        try:
            what(self.local.folder)
        except torture_base.Wrong as wrong:
            reason = str(wrong)
        with self.lock:
            self.done[kind_of(name)] += 1
            made = sum(self.done.values())
            if made % 1000 == 0:
                print(f"{made} made, {len(self.wrong)} of them went wrong", flush=True)
            if reason:
                self.wrong.append(name)
                self.bad[kind_of(name)] += 1
                print(f"{name}: {reason}", flush=True)
                if self.keep:
                    kept = os.path.join(self.scratch, name.replace("/", "-"))
                    os.rename(self.local.folder, kept)


def summary(workers, all_rows, seconds):
    """A line for each kind, and one for all."""
    width = max([len(kind) for kind in workers.done] or [0])
    for kind, made in sorted(workers.done.items()):
        wrong = f", {workers.bad[kind]} WRONG" if workers.bad[kind] else ""
        print(f"{kind:{width}} {made:5}{wrong}")
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cores = sum(u.ru_utime + u.ru_stime for u in used)
    made = sum(workers.done.values())
    print(f"{made} of {all_rows} trials in {seconds:.0f} s, {cores:.0f} core seconds: "
          f"{len(workers.wrong)} went wrong")


def main():
    a = arguments()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    scratch = tempfile.mkdtemp(prefix="firn-torture-", dir=memory)
    start = time.monotonic()
    try:
        base = torture_base.Base(os.path.abspath(a.firn), os.path.abspath(a.shim), scratch)
        rows = spread(find_trials(base, scratch, a.seed), a.seed)
        rows = [row for row in rows if any(fnmatch.fnmatch(row[0], p) for p in a.only or ["*"])]
        if a.list:
            print("\n".join(name for name, _ in rows))
            return 0
        print(f"{len(rows)} trials, seed {a.seed}, {a.jobs} at a time", flush=True)
        workers = Workers(scratch, start + a.seconds if a.seconds else None, a.keep)
        with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
            list(pool.map(workers.make, rows))
        summary(workers, len(rows), time.monotonic() - start)
        if a.keep and workers.wrong:
            print(f"their folders are in {scratch}")
        return 1 if workers.wrong or not workers.done else 0
    finally:
        if not a.keep:
            shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
