#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks the code in known ways, one at a time, and demands that a test notices.

    scripts/mutation.py                 all of scripts/mutations/
    scripts/mutation.py --room sph      those of scripts/mutations/sph.py; may be given again
    scripts/mutation.py --only NAME     some of them; NAME may hold * and ?, and be given again
    scripts/mutation.py --float         with the tests in single precision, not in double
    scripts/mutation.py --list          what there is, and who should notice
    scripts/mutation.py --check         only whether each text is still found once; part of make lint
    scripts/mutation.py --all           every test named for a mutation, not only the first to fail

Works on a copy of the tracked files, build/mutation/src, with one build directory beside it, so
that only what a mutation touches is compiled again. Without any mutation all tests must pass, or
the check is void. A mutation whose text is not found exactly once, or that does not compile, is an
error: the list must not rot. JOBS is the number of compilers at once; ccache is used where there is
one.

Exit status: 0 all caught, 1 something survived, 2 the check itself is broken.
"""
import argparse
import fnmatch
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from mutations import MUTATIONS, ROOMS  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutation"
SRC, BIN, TMP = WORK / "src", WORK / "build", WORK / "tmp"
JOBS = os.environ.get("JOBS") or str(os.cpu_count())
TIMEOUT = 300  # seconds for one test program
WIDTH = max(len(mutation.name) for mutation in MUTATIONS)


class Broken(Exception):
    """The check cannot say anything."""


def snapshot():
    """The tracked files as they are now: path -> bytes."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    paths = [os.fsdecode(name) for name in names.stdout.split(b"\0") if name]
    return {p: (ROOT / p).read_bytes() for p in paths if (ROOT / p).is_file()}


def copy(files):
    """Makes SRC the given files; those that are the same already keep their time stamps."""
    for old in [p for p in SRC.rglob("*") if p.is_file()]:
        if str(old.relative_to(SRC)) not in files:
            old.unlink()
    for path, content in files.items():
        to = SRC / path
        if to.is_file() and to.read_bytes() == content:
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(content)
        shutil.copymode(ROOT / path, to)


def mutate(files, mutation):
    """A copy of the files with the mutation's edits made."""
    changed = dict(files)
    for path, old, new in mutation.edits:
        if path not in changed:
            raise Broken(f"{mutation.name}: {path} is not a tracked file")
        text = changed[path].decode()
        if text.count(old) != 1:
            raise Broken(f"{mutation.name}: found {text.count(old)} times, not once, in {path}:\n"
                         f"{old}")
        changed[path] = text.replace(old, new).encode()
    return changed


def build(tests):
    """Builds the programs of these tests; the compiler's output if that fails."""
    targets = [f"test_{test.replace('.', '_')}" for test in tests]
    run = subprocess.run(["cmake", "--build", str(BIN), "-j", JOBS, "--target", *targets],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return None if run.returncode == 0 else run.stdout


def labels(test):
    """The cases a test holds, from the head of its source."""
    room, name, _ = test.split(".")
    head = (SRC / "tests" / room / f"{name}.c").read_text().splitlines()[:5]
    found = [re.match(r"// *labels: *(.*)", line) for line in head]
    return " ".join(match.group(1) for match in found if match)


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def check(test):
    """None if the test passes, otherwise what failed in it."""
    # The first failed assertion ends the program: what comes after it tells nothing new.
    environment = dict(os.environ, CMOCKA_TEST_ABORT="1", TMPDIR=str(TMP))
    program = BIN / "tests" / f"test_{test.replace('.', '_')}"
    try:
        run = subprocess.run([str(program)], env=environment, cwd=TMP, timeout=TIMEOUT,
                             preexec_fn=limits, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output, code = run.stdout, run.returncode
    except subprocess.TimeoutExpired as late:
        output, code = late.stdout or b"", None
    if code == 0:
        return None
    names = re.findall(r"\[ RUN      \] (\S+)", output.decode(errors="replace"))
    where = names[-1] if names else "start"
    if code is None:
        return f"{where} (still running after {TIMEOUT} s)"
    if code < 0 and code != -signal.SIGABRT:
        return f"{where} ({signal.Signals(-code).name})"
    return where


def baseline(selected):
    tests = sorted({test for mutation in selected for test in mutation.tests})
    start = time.monotonic()
    output = build(tests)
    if output:
        raise Broken(f"{output}\nthe unmutated code does not build")
    print(f"built     {len(tests)} tests  {time.monotonic() - start:.0f} s", flush=True)
    failed = []
    start = time.monotonic()
    for test in tests:
        where = check(test)
        if where:
            failed.append(test)
            print(f"FAILED    {test}: {where}, without any mutation", flush=True)
    if failed:
        raise Broken("the check is void: fix the tests first")
    print(f"baseline  {len(tests)} tests pass  {time.monotonic() - start:.0f} s", flush=True)


def judge(mutation, everything):
    """Prints a line; whether the mutation was caught."""
    start = time.monotonic()
    caught = []
    for test in mutation.tests:
        output = build([test])
        if output:
            raise Broken(f"{output}\n{mutation.name} does not compile")
        where = check(test)
        if where:
            cases = labels(test)
            caught.append(f"{test} ({cases}): {where}" if cases else f"{test}: {where}")
            if not everything:
                break
    spent = f"{time.monotonic() - start:.0f} s"
    if caught:
        print(f"caught    {mutation.name:<{WIDTH}} by {', '.join(caught)}  {spent}", flush=True)
    else:
        print(f"SURVIVED  {mutation.name:<{WIDTH}} {', '.join(mutation.tests)} passed  {spent}",
              flush=True)
    return bool(caught)


def cpu_has(isa):
    if isa is None:
        return True
    try:
        words = pathlib.Path("/proc/cpuinfo").read_text().split()
    except OSError:
        return False
    return {"avx2": "avx2", "avx512": "avx512f"}[isa] in words


def run(selected, everything):
    start = time.monotonic()
    files = snapshot()
    for mutation in selected:
        mutate(files, mutation)  # all of them fit, before the first is tried
    TMP.mkdir(parents=True, exist_ok=True)
    copy(files)
    # Most of what a mutation lets compile is compiled again, as it was, after it.
    ccache = shutil.which("ccache")
    launcher = [f"-DCMAKE_C_COMPILER_LAUNCHER={ccache}"] if ccache else []
    subprocess.run(["cmake", "--log-level=NOTICE", "-S", str(SRC), "-B", str(BIN), "-G", "Ninja",
                    "-DCMAKE_BUILD_TYPE=Release", "-DFIRN_WERROR=OFF", *launcher], check=True,
                   stdout=subprocess.DEVNULL)
    baseline(selected)
    survivors = skipped = 0
    for mutation in selected:
        if not cpu_has(mutation.isa):
            print(f"skipped   {mutation.name:<{WIDTH}} this CPU has no {mutation.isa}", flush=True)
            skipped += 1
            continue
        copy(mutate(files, mutation))
        survivors += not judge(mutation, everything)
    copy(files)
    shutil.rmtree(TMP)
    spent = time.monotonic() - start
    print(f"{len(selected) - survivors - skipped} caught, {survivors} survived, {skipped} skipped  "
          f"{spent:.0f} s")
    return 1 if survivors else 0


def fit(selected):
    """Prints each mutation whose text is not found once."""
    files, bad = snapshot(), 0
    for mutation in selected:
        try:
            mutate(files, mutation)
        except Broken as broken:
            print(broken)
            bad += 1
    return 2 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--room", choices=ROOMS, action="append", help="only these mutations")
    parser.add_argument("--only", metavar="NAME", action="append", help="only this mutation")
    parser.add_argument("--float", action="store_true", help="tests in single precision")
    parser.add_argument("--list", action="store_true", help="names, meanings and tests")
    parser.add_argument("--check", action="store_true", help="are the texts still there?")
    parser.add_argument("--all", action="store_true", help="do not stop at the first test to fail")
    options = parser.parse_args()
    names = [mutation.name for mutation in MUTATIONS]
    if len(set(names)) < len(names):
        raise Broken("two mutations have the same name")
    wanted = options.only or ["*"]
    those = [m for name in options.room or ROOMS for m in ROOMS[name].MUTATIONS]
    selected = [m for m in those if any(fnmatch.fnmatch(m.name, w) for w in wanted)]
    if options.float:
        for m in selected:
            m.tests = [re.sub(r"\.f64$", ".f32", test) for test in m.tests]
    if not selected:
        raise Broken(f"there is no mutation {' or '.join(wanted)}; --list names them")
    if options.list:
        for m in selected:
            print(f"{m.name:<{WIDTH}} {m.what}\n{'':<{WIDTH}} {', '.join(m.tests)}")
        return 0
    if options.check:
        return fit(selected)
    return run(selected, options.all)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Broken as broken:
        print(f"mutation: {broken}", file=sys.stderr)
        sys.exit(2)
