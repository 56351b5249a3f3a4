#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# labels: slow
# timeout: 180
# processors: 2
# The law of docs/add-a-law.md, built as the page says, obeys what every law must, and its number is
# read, varies, changes with time, is refused where it must be, and is in checkpoints.
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support"))
import tutorial  # noqa: E402
from tutorial import BUILD, fail  # noqa: E402


def run_test(build, name):
    """Compiles tests/material/NAME.c and what it has of the laws anew, and runs it."""
    program = next((o for o in build.commands if o.endswith(f"material/{name}.c.o")), None)
    if not program:
        sys.exit(77)  # a build without tests
    precision = re.search(r"_(f\d\d)\.dir/", program)[1]
    support = [o for o in build.commands
               if f"firn_support_{precision}." in o and "/law_kernels" in o]
    core = [o for o in build.commands if o.endswith(("src/material/preset.c.o",
                                                        "src/material/settings.c.o"))
            and (precision == "f64") == ("-DFIRN_DOUBLE" in build.commands[o][1])]
    objects = [build.compile(build.commands[o][1], build.commands[o][0], build.folder / "o" / o)
               for o in [program, *support, *core]]
    output = build.folder / name
    libraries = [BUILD / "tests" / f"libfirn_{kind}{precision}.a" for kind in ("support_", "")]
    subprocess.run([os.environ.get("CC", "cc"), "-o", output, *objects, *libraries, "-fopenmp",
                    "-lcmocka", "-lm"], check=True)
    done = subprocess.run([output], capture_output=True, text=True, check=False)
    if done.returncode:
        fail(f"{name}: {done.stdout}{done.stderr}")


def says(build, status, setting, *words):
    done = build.run("check", "tree/jelly.yaml", "--no-time", "--set", setting, check=False)
    for word in words:
        if done.returncode != status or word not in done.stdout + done.stderr:
            fail(f"--set {setting}: {done.returncode} {done.stdout}{done.stderr}")


def frame(build, out, *more):
    build.run("run", "tree/jelly.yaml", "-o", out, "--threads", "2", "--quiet", *more)
    return (build.folder / out / "frame_00004.hdf").read_bytes()


def main():
    with tempfile.TemporaryDirectory() as folder:
        build = tutorial.Build("docs/add-a-law.md", folder)
        for name in ("consistency", "oedometer"):
            run_test(build, name)

        says(build, 2, "materials.jelly.volume_power=11", "materials.jelly.volume_power", "at most 10")
        says(build, 0, "materials.jelly.law=snow", "volume_power is left out", "law neohooke")
        whole = frame(build, "whole")
        if frame(build, "other", "--set", "materials.jelly.volume_power=4") == whole:
            fail("volume_power does not change with time")
        if frame(build, "even", "--set", "snow.0.variation=[]") == whole:
            fail("volume_power does not vary")

        # Stopped after two frames and resumed: the same bytes, varied number and all.
        frame_2 = ["--frames", "0:2"]
        build.run("run", "tree/jelly.yaml", "-o", "parts", "--quiet", *frame_2)
        if frame(build, "parts", "--resume") != whole:
            fail("a resumed run differs")


if __name__ == "__main__":
    main()
