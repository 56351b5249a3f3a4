# SPDX-License-Identifier: Apache-2.0
"""The pages of the documentation, taken apart for the tests in tests/docs."""
import glob
import os
import re
import subprocess
import sys

FIRN = os.environ["FIRN"]
SOURCE = os.environ["FIRN_SOURCE_DIR"]
BUILD = os.environ["FIRN_BUILD_DIR"]


def text(page):
    with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
        return file.read()


def pages():
    """Paths from the root, in the order a reader meets them."""
    found = sorted(glob.glob("docs/*.md", root_dir=SOURCE))
    return ["README.md", "CONTRIBUTING.md"] + found


def blocks(page):
    """(first line, language, text) of every fenced or indented block of code."""
    lines = text(page).splitlines()
    n = 0
    while n < len(lines):
        fence = re.match(r" *```(\w*)", lines[n])
        first = n
        if fence:
            n += 1
            while not lines[n].lstrip().startswith("```"):
                n += 1
            yield first + 2, fence[1], "\n".join(lines[first + 1 : n])
        elif re.match(r" {4,}\S", lines[n]) and (n == 0 or not lines[n - 1].strip()):
            while n < len(lines) and (lines[n].startswith("    ") or not lines[n].strip()):
                n += 1
            yield first + 1, "", "\n".join(lines[first:n])
            continue
        n += 1


def prose(page):
    """The page with its blocks of code made blank, line by line."""
    lines = text(page).splitlines()
    for first, _, block in blocks(page):
        for n in range(first - 1, first - 1 + block.count("\n") + 1):
            lines[n] = ""
    return "\n".join(lines)


def inline(page):
    """(line, text) of every piece of inline code."""
    body = prose(page).replace("```", "")
    for match in re.finditer(r"(?<!`)`([^`]+)`(?!`)", body):
        code = re.sub(r"\s*\n\s*", " ", match[1]).replace(r"\|", "|")
        yield body.count("\n", 0, match.start()) + 1, code


def firn(*arguments, status=0):
    """What the program prints."""
    done = subprocess.run([FIRN, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status, f"firn {' '.join(arguments)}: {done.stderr}"
    return done.stdout


def verbs():
    return re.findall(r"^  firn (\w+)", firn("--help"), re.M)


class Findings:
    """What is wrong, told as it is found; `end` says whether the test has failed."""

    def __init__(self):
        self.count = 0

    def add(self, place, message):
        self.count += 1
        print(f"{place}: {message}", flush=True)

    def end(self, checked):
        print(f"{checked}; {self.count} wrong")
        sys.exit(1 if self.count else 0)
