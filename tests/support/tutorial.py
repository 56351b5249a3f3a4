#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the code out of a tutorial of docs/ and builds firn with it.

    build = tutorial.Build("docs/add-a-solver.md", folder)   # folder: an empty one
    build.run("run", "scene.yaml", "-o", "out")              # the program, with the tutorial in it

or tests/support/tutorial.py PAGE FOLDER. A comment in the page says what the next block of code is:

    <!-- file: src/solver/ballistic/ballistic.c -->   a file of its own; later blocks of the same
                                                      name follow at its end
    <!-- replace: src/solver/list.h: LINE -->         comes in place of LINE, which the file has
                                                      once; blanks at both ends and a
                                                      backslash do not count
    <!-- after: src/solver/list.h: LINE -->           comes behind it

Files that are not under src/ or include/ (a scene) are written to the folder and nothing else. The
tree stays as it is: what the page changes lies in FOLDER/tree, before the tree in the compiler's
search path, and only what includes it is compiled again, without optimisation. The rest are objects
of the build in $FIRN_BUILD_DIR, and so is the program where no public header has changed.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("FIRN_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
BUILD = pathlib.Path(os.environ.get("FIRN_BUILD_DIR", SOURCE / "build/release"))
DIRECTIVE = re.compile(r"<!-- (file|replace|after): (\S+?)(?:: (.*))? -->$")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)


def fail(message):
    sys.exit(f"tutorial: {message}")


def bare(line):
    return line.strip().rstrip("\\").rstrip()


def extract(page, tree):
    """Writes what the page changes below tree; returns the paths, relative to it."""
    lines = (SOURCE / page).read_text().split("\n")
    made = {}
    for i, line in enumerate(lines):
        match = DIRECTIVE.match(line.strip())
        if not match:
            continue
        how, path, old = match.groups()
        start = next(k for k in range(i, len(lines)) if lines[k].startswith("```"))
        end = next(k for k in range(start + 1, len(lines)) if lines[k].startswith("```"))
        block = lines[start + 1:end]
        if how == "file":
            made[path] = made.get(path, []) + block
            continue
        text = made.get(path) or (SOURCE / path).read_text().split("\n")
        at = [k for k, have in enumerate(text) if bare(have) == bare(old or "")]
        if len(at) != 1:
            fail(f"{page}:{i + 1}: {path} has the line '{old}' {len(at)} times")
        made[path] = text[:at[0] + (how == "after")] + block + text[at[0] + 1:]
    if not made:
        fail(f"{page} holds no code")
    for path, text in made.items():
        to = tree / path
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text("\n".join(text).rstrip("\n") + "\n")
    return list(made)


class Build:
    def __init__(self, page, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.tree = self.folder / "tree"
        self.changed = {p for p in extract(page, self.tree) if p.startswith(("src/", "include/"))}
        self.seen = {}
        self.commands = {}
        for entry in json.loads((BUILD / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            self.commands[words[words.index("-o") + 1]] = (entry["file"], words)
        self.env = dict(os.environ, LD_LIBRARY_PATH=str(self.folder))
        self.program = self.link("firn", self.link("libfirn.so", None))

    def depends(self, path):
        """Whether a file of the tree is changed or includes one that is."""
        if path in self.seen:
            return self.seen[path]
        self.seen[path] = path in self.changed
        where = (self.tree if path in self.changed else SOURCE) / path
        if not where.is_file():
            return False
        for name in INCLUDE.findall(where.read_text(errors="replace")):
            for below in ("src/", "include/", os.path.dirname(path) + "/"):
                self.seen[path] = self.depends(below + name) or self.seen[path]
        return self.seen[path]

    def compile(self, words, source, output):
        words = [w for w in words if not re.match(r"-(O\d|g\d?)$", w)]
        words[words.index("-o") + 1] = str(output)
        words[words.index("-c") + 1] = str(source)
        output.parent.mkdir(parents=True, exist_ok=True)
        search = [f"-I{self.tree}/src", f"-I{self.tree}/include"]
        done = subprocess.run(words[:1] + search + ["-O1"] + words[1:], cwd=BUILD,
                              capture_output=True, text=True, check=False)
        if done.returncode:
            fail(f"{source} does not compile:\n{done.stderr}")
        return str(output)

    def link(self, target, library):
        """Links a target of the build again, from its objects and what has to be compiled."""
        lines = subprocess.run(["ninja", "-t", "commands", target], cwd=BUILD, check=True,
                               capture_output=True, text=True).stdout.splitlines()
        words = next(w for w in map(shlex.split, reversed(lines))
                     if "-o" in w and w[w.index("-o") + 1].startswith(target))
        words = words[words.index("&&") + 1:] if "&&" in words else words
        if "&&" in words:
            words = words[:words.index("&&")]
        objects = [w for w in words if w in self.commands]
        again = {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for o in objects:
                file, command = self.commands[o]
                path = os.path.relpath(file, SOURCE)
                if self.depends(path):
                    where = (self.tree if path in self.changed else SOURCE) / path
                    again[o] = pool.submit(self.compile, command, where, self.folder / "o" / o)
            if not library:  # new files, as src/base/context.c is compiled
                plain = next(o for o in objects if o.endswith("src/base/context.c.o"))
                for path in sorted(p for p in self.changed if p.endswith(".c")):
                    if not (SOURCE / path).exists():
                        again[path] = pool.submit(self.compile, self.commands[plain][1],
                                                  self.tree / path, self.folder / "o" / f"{path}.o")
        if library and not again:
            return BUILD / target
        words = [again[w].result() if w in again else w for w in words]
        words += [again[p].result() for p in again if p not in objects]
        soname = next((w.split(",")[-1] for w in words if w.startswith("-Wl,-soname,")), target)
        output = self.folder / soname
        words[words.index("-o") + 1] = str(output)
        words = [str(library) if library and w.startswith("libfirn.so") else w for w in words]
        done = subprocess.run(words, cwd=BUILD, capture_output=True, text=True, check=False)
        if done.returncode:
            fail(f"{target} does not link:\n{done.stderr}")
        return output

    def run(self, *arguments, check=True):
        """Runs the program in the folder; fails where it does, unless check is False."""
        done = subprocess.run([str(self.program), *map(str, arguments)], cwd=self.folder,
                              env=self.env, capture_output=True, text=True, check=False)
        if check and done.returncode:
            fail(f"firn {' '.join(map(str, arguments))}: {done.stdout}{done.stderr}")
        return done


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    built = Build(sys.argv[1], sys.argv[2])
    print(f"LD_LIBRARY_PATH={built.folder} {built.program}")
