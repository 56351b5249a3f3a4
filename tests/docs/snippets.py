#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# labels: slow
# timeout: 60
# What the pages show of scene files, C and Python: every scene passes `firn check`, pieces of one
# within a small scene; C compiles against the public headers, Python runs.
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support"))
import pages  # noqa: E402
from pages import FIRN, SOURCE  # noqa: E402

# Their code is built and run by tests of their own.
TUTORIALS = ("docs/add-a-law.md", "docs/add-a-solver.md")

# What a piece of a scene is put into, key by key where it has none of its own.
AROUND = {
    "spacing": "spacing: 2 cm",
    "frames": "frames: 1",
    "snow": "snow:\n  - shape: {sphere: {center: [0, 1, 0], radius: 10 cm}}",
    "colliders": "colliders:\n  - {name: blade, shape: {half_space: {}}}",
}

# What C takes as given.
GIVEN = """
#include <stdio.h>
#include <string.h>
#include <firn/firn.h>
extern firn_context *context;
extern firn_sim *sim;
extern firn_fill_def fill;
extern firn_track_def swing, path;
extern firn_collider_def walker;
extern double center[3], half[3], size[3], hip[3], knee[3], ankle[3], times[3], places[9];
extern int id;
"""

wrong = pages.Findings()


def placeholders():
    """kind -> the first shape of that kind that scenes.md shows in full, for `{kind: ...}`."""
    found = {}
    for shape, kind in re.findall(r"^shape: (\{(\w+): .*\})", pages.text("docs/scenes.md"), re.M):
        if "..." not in shape:
            found.setdefault(kind, shape)
    return found


def put_files(folder):
    """What the scenes of the pages name."""
    mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    names = ["rabbit.obj"] + [f"cloth_{n:04d}.obj" for n in range(20)]
    files = {name: mesh.encode() for name in names}
    files["cloud.csv"] = b"x,y,z\n0,1,0\n0,1.1,0\n"

    def chunk(kind, data):
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    rows = zlib.compress(b"".join(b"\0" + bytes([0, 40, 80, 120]) for _ in range(4)))
    header = struct.pack(">IIBBBBB", 4, 4, 8, 0, 0, 0, 0)
    files["hills.png"] = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows)
                          + chunk(b"IEND", b""))
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


def scenes(block):
    """The scenes that a block of YAML stands for: itself, or each of its shapes as a collider."""
    if block.startswith("firn: 1"):
        return [block]
    shapes = re.findall(r"^shape: (.*)$", block, re.M)
    if shapes:
        return [around("colliders:\n  - name: a\n    shape: " + shape) for shape in shapes]
    return [around(block)]


def around(piece):
    own = re.findall(r"^(\w+):", piece, re.M)
    rest = [text for key, text in AROUND.items() if key not in own]
    return "\n".join(["firn: 1", *rest, piece, ""])


def check_scene(place, scene, folder):
    path = os.path.join(folder, "scene.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(scene)
    done = subprocess.run([FIRN, "check", path, "--no-time"], capture_output=True, text=True, check=False)
    if done.returncode:
        shown = "\n".join(f"  {n + 1:3} {line}" for n, line in enumerate(scene.splitlines()))
        wrong.add(place, f"{done.stdout}{done.stderr}{shown}")


def check_c(place, block, folder):
    includes = "\n".join(re.findall(r"^#include.*$", block, re.M))
    body = re.sub(r"^(#include.*|\.\.\.)$", "", block, flags=re.M)
    given = GIVEN if not includes else "#include <stdio.h>"
    if "int main" in body:
        program = f"{includes}\n{body}"
    elif body.lstrip().startswith("static "):  # functions
        program = f"{includes}\n{given}\n{body}"
    else:
        program = f"{includes}\n{given}\nint main(void) {{\n{body}\nreturn 0;\n}}\n"
    path = os.path.join(folder, "snippet.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program)
    done = subprocess.run(
        [os.environ.get("CC", "cc"), "-std=c17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
         "-Wno-unused", f"-I{SOURCE}/include", path], capture_output=True, text=True, check=False)
    if done.returncode:
        wrong.add(place, done.stderr)


def check_python(place, block, folder):
    code = compile(block, place, "exec")
    try:
        import h5py  # noqa: F401
    except ImportError:
        return
    os.chdir(folder)
    pages.firn("run", "demo", "-o", "out", "--quiet", "--set", "quality=0.1", "--frames", "0:12")
    exec(code, {})  # pylint: disable=exec-used


def main():
    count = 0
    whole = placeholders()
    with tempfile.TemporaryDirectory() as folder:
        put_files(folder)
        for page in pages.pages():
            if page in TUTORIALS:
                continue
            for line, language, block in pages.blocks(page):
                place = f"{page}:{line}"
                count += language in ("yaml", "c", "python")
                if language == "yaml":
                    block = re.sub(r"\{(\w+): \.\.\.\}", lambda m: whole[m[1]], block)
                    for scene in scenes(block):
                        check_scene(place, scene, folder)
                elif language == "c":
                    check_c(place, block, folder)
                elif language == "python":
                    check_python(place, block, folder)
    wrong.end(f"{count} snippets")


if __name__ == "__main__":
    main()
