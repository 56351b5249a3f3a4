#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# labels: slow
# timeout: 180
# processors: 2
# Every command that a page shows is run, page by page and in order, in a folder of its own. What
# the page says stays; what is added makes it quick: few particles, frames, pixels and paths. Those
# of make, cmake and ctest are looked at without being carried out.
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support"))
import pages  # noqa: E402
from pages import BUILD, FIRN, SOURCE  # noqa: E402

# Not run at all, and why. An entry that no page shows any more is an error, too.
LEFT_OUT = {
    ".ci/run": "runs all tests, this one too",
    "scripts/setup.sh build": "installs packages",
    "scripts/setup.sh film": "installs packages",
    "firn run SCENE --solver ballistic": "the solver of the tutorial, which has a test of its own",
}

# What stands for something else: for any verb, and for one.
WORDS = {
    "SCENE": "scene.yaml",
    "FILE": "frame_00006.hdf",
    "FRAME.hdf": "frame_00006.hdf",
    "DIR|FILE": "DIR",
    "DIR|FILE|SCENE": "DIR",
    "DIR...": "DIR",
    "NAME": "demo",
    "OUT": "out.png",
    "VERB": "run",
    "PATH=A,B,C": "mpm.flip=0,0.5,1",
    "quality=Q": "quality=1",
    "quality=0.3,0.5,0.7,1": "quality=0.04,0.05",
    "quality=0.5,0.7,1": "quality=0.04,0.05",
    "F:F": "2:2",
    "0:F": "0:2",
    "S": "sph",
    "F": "vtp",
    "A:B": "0:1",
    "N": "2",
    "OPTION...": "--help",
}
WORDS_OF = {
    "check": {"FILE": "scene.yaml"},
    "run": {"FILE": "scene.yaml"},
    "plot": {"FILE": "curves.svg"},
    "bench": {"NAME...": "mpm"},
}

SIZE = ["--size", "32x18", "--spp", "1"]
QUALITY = ["--set", "quality=0.05"]
# Scenes so small that nothing would be left of them.
QUALITY_OF = {
    "loose-and-dense": ["--set", "quality=0.5"],
    "powder-on-ball": ["--set", "quality=0.2"],
}
SMALL = QUALITY + ["--set", "preview.width=64", "--set", "preview.height=36"]
DEMO = ["--set", "frames=1", "--set", "render.samples=1", "--set", "render.size=[32, 18]"]
QUICK = {
    "demo": SMALL + DEMO,
    "run": SMALL + ["--frames", "0:2"],
    "sweep": QUALITY + ["--set", "frames=1"],
    "check": QUALITY,
    "render": SIZE,
    "bench": ["--list"],
}

SCENE = """firn: 1
spacing: 1 mm
frames: 12
snow:
  - shape: {sphere: {center: [0, 30 cm, 0], radius: 10 cm}}
    velocity: [0, -2 m/s, 0]
colliders:
  - {name: ground, shape: {half_space: {}}}
  - {name: wheel, shape: {torus: {center: [0, 5 cm, 0], radius: 20 cm, tube: 4 cm}}}
output: {fields: [id, velocity, mass, density, jp, stress], every: 6}
"""

PROGRAMS = ("firn", "build/firn", "make", "cmake", "ctest", ".ci/run", "scripts/setup.sh")
wrong = pages.Findings()
seen = set()


def is_command(line):
    word = re.sub(r"^(\w+=\S* )+", "", line).split(" ")[0]
    return word in PROGRAMS or re.match(r"build/\w+/tests/test_", word)


def commands(page):
    """(line, command) in the order of the page."""
    found = []
    for first, _, block in pages.blocks(page):
        for match in re.finditer(r"^ *(?:\$ )?((?:.*\\\n)*.*)", block, re.M):
            line = re.sub(r"\\\n\s*", " ", match[1])
            if is_command(line):
                n = first + block.count("\n", 0, match.start())
                found.append((n, re.sub(r"\s+# .*", "", line)))
    for n, code in pages.inline(page):
        if is_command(code) and " " in code:
            found.append((n, code))
    return sorted(found)


def gallery():
    """(line, command) for each row of the gallery: the command above the rows, with their scene."""
    page = pages.text("docs/gallery.md").splitlines()
    for n, line in enumerate(page):
        row = re.search(r"\*\*([\w-]+)\*\*.*F = (\d+)(?:, `(.*)`)?", line)
        if row:
            yield n + 1, f"firn run {row[1]} -o DIR --frames {row[2]}:{row[2]} {row[3] or ''}"


def examples():
    """The examples of --help."""
    for verb in pages.verbs():
        shown = re.split(r"^Example.*?:", pages.firn("help", verb), flags=re.M)[1:]
        for line in re.findall(r"firn .*", "".join(shown)):
            yield f"firn help {verb}", line


def run(place, command, arguments, folder):
    # What a `make test ARGS=...` hands on is not for the make below it.
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "ARGS", "OUT")}
    environment["PATH"] = f"{folder}/tools:{environment['PATH']}"
    done = subprocess.run(
        arguments, cwd=folder, env=environment, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()[-4:]
        wrong.add(place, f"{command}: exit status {done.returncode}\n  " + "\n  ".join(said))
    return done.stdout


def run_firn(place, command, folder):
    arguments = shlex.split(re.sub(r"(?<= )\[([A-Z-][^]]*)\]", r"\1", command))[1:]  # a synopsis
    verb = arguments[0]
    words = {**WORDS, **WORDS_OF.get(verb, {})}
    arguments = [words.get(a, a) for a in arguments]
    if len(arguments) == 1 and verb not in ("demo", "scenes", "bench"):  # only its name
        arguments.append("--help")
    if verb == "export" and "vdb" in arguments and not os.path.exists(f"{BUILD}/firn-vdb.so"):
        return  # tests/cli/export.sh has what it says then
    extra = QUICK.get(verb, [])
    if verb == "render" and not re.search(r"^--|\.hdf$", arguments[1]) and not os.path.isdir(
        f"{folder}/{arguments[1]}"
    ):  # a scene
        extra = extra + QUALITY
    if "--resume" in arguments:
        extra = SMALL + ["--frames", "0:3"]
    elif "--from" in arguments:  # of what has come so far
        extra = SMALL + ["--frames", "0:4", "--overwrite"]
    elif verb in ("demo", "run") and not place.startswith("README.md") and "--help" not in arguments:
        extra = extra + ["--overwrite"]  # pages run one scene after the other into one folder
    extra = extra + [o for a in arguments for o in QUALITY_OF.get(a, [])]
    said = run(place, command, [FIRN] + arguments + extra, folder)
    if verb == "bench":
        for name in arguments[1:]:
            if name[0] != "-" and not re.search(rf"^{re.escape(name)}", said, re.M):
                wrong.add(place, f"{command}: no case is called so")


def run_make(place, command, folder):
    """What make would do; what of it is firn is done."""
    said = run(place, command, ["make", "-n", "-C", SOURCE] + shlex.split(command)[1:], folder)
    for line in said.splitlines():
        if line.startswith("build/firn "):
            run_firn(f"{place}: {command}", line, folder)


def see_cmake(place, command):
    presets = [p["name"] for p in json.loads(pages.text("CMakePresets.json"))["configurePresets"]]
    for name in re.findall(r"--preset (\w+)|build/(\w+)", command):
        if "".join(name) not in presets:
            wrong.add(place, f"{command}: no preset '{''.join(name)}'")


def see_ctest(place, command):
    words = shlex.split(re.sub(r"build/\w+", shlex.quote(BUILD), command))
    done = subprocess.run(words + ["-N"], cwd=BUILD, capture_output=True, text=True, check=False)
    if done.returncode or "Total Tests: 0" in done.stdout:
        wrong.add(place, f"{command}: no such test\n{done.stderr}")


def follow(place, command, folder):
    if command in LEFT_OUT:
        seen.add(command)
        return
    test = re.search(r"build/\w+/tests/test_([a-z]+)_(\w+)_f(?:32|64)$", command)
    if test:
        if not os.path.exists(f"{SOURCE}/tests/{test[1]}/{test[2]}.c"):
            wrong.add(place, f"{command}: no such test")
    elif command.startswith("make"):
        run_make(place, command, folder)
    elif command.startswith("cmake"):
        see_cmake(place, command)
    elif command.startswith("ctest"):
        see_ctest(place, command)
    elif re.match(r"(build/)?firn ", command):
        run_firn(place, command, folder)
    else:
        wrong.add(place, f"{command}: neither run nor left out")


def main():
    count = 0
    with tempfile.TemporaryDirectory() as work:
        given = f"{work}/given"
        os.makedirs(f"{given}/tools")
        os.makedirs(f"{given}/build")
        for name in ("scene.yaml", "my-scene.yaml"):
            with open(f"{given}/{name}", "w", encoding="utf-8") as file:
                file.write(SCENE)
        # It may be missing here; what is made of the pictures is its own affair.
        with open(f"{given}/tools/ffmpeg", "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nfor last; do :; done\nexec cat >"${last#file:}"\n')
        os.chmod(f"{given}/tools/ffmpeg", 0o755)
        first = [FIRN, "run", "scene.yaml", "-o", "out", "--quiet", *QUALITY]
        subprocess.run(first, cwd=given, check=True)
        shutil.copytree(f"{given}/out", f"{given}/DIR")
        shutil.copy(f"{given}/out/frame_00006.hdf", given)

        shown = {page: commands(page) for page in pages.pages()}
        shown["docs/gallery.md"] += list(gallery())
        shown["--help"] = list(examples())
        for page, list_ in shown.items():
            folder = f"{work}/{page.replace('/', '-')}"
            shutil.copytree(given, folder)
            for line, command in list_ * (2 if page == "README.md" else 1):  # these work again
                place = line if page == "--help" else f"{page}:{line}"
                follow(place, command, folder)
                count += 1
    for command in LEFT_OUT.keys() - seen:
        wrong.add("LEFT_OUT", f"no page shows '{command}'")
    wrong.end(f"{count} commands")


if __name__ == "__main__":
    main()
