# SPDX-License-Identifier: Apache-2.0
# The tables "Where each equation is" of the theory pages: each row names a function and the file
# that defines it, and the comment right above the definition names the equation.
import os
import re
import sys

root = os.environ["FIRN_SOURCE_DIR"]
ROW = re.compile(r"^\| (Eq\. \d+|section [\d.]+) \| .* \| `(\w+)` \| \[\S+\]\((\S+)\) \|$")


def numbers(comment):
    """The equations and sections that a comment names: Eq. 9, Eqs. 7 to 9, Eqs. 7 and 8."""
    found = {"section " + n.rstrip(".") for n in re.findall(r"[Ss]ection ([\d.]+)", comment)}
    for first, word, last in re.findall(r"Eqs?\. (\d+)(?: (to|and) (\d+))?", comment):
        upto = range(int(first), int(last) + 1) if word == "to" else [int(first), int(last or first)]
        found.update("Eq. %d" % n for n in upto)
    return found


def comment_above(text, function):
    """The comment lines right above a function's definition; None where it has none or is missing."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if not re.match(r"(?!//)\S.*\b%s\(" % function, line) or line.rstrip().endswith(";"):
            continue
        first = i
        while first > 0 and lines[first - 1].startswith("//"):
            first -= 1
        if first < i:
            return " ".join(part.lstrip("/ ") for part in lines[first:i])
    return None


def check(page):
    folder, bad, rows = os.path.dirname(page), 0, 0
    for number, line in enumerate(open(page, encoding="utf-8"), 1):
        found = ROW.match(line.strip())
        if not found:
            continue
        rows += 1
        equation, function, link = found.groups()
        path = os.path.normpath(os.path.join(folder, link))
        comment = comment_above(open(path, encoding="utf-8").read(), function) \
            if os.path.exists(path) else None
        if comment is None:
            problem = "%s defines no %s with a comment above it" % (link, function)
        elif equation not in numbers(comment):
            problem = "the comment above %s names %s" % (
                function, ", ".join(sorted(numbers(comment))) or "no equation")
        else:
            continue
        print("%s:%d: %s: %s" % (os.path.relpath(page, root), number, equation, problem))
        bad += 1
    return rows, bad


rows = bad = 0
for name in sorted(os.listdir(os.path.join(root, "docs"))):
    if re.match(r"theory-\w+\.md$", name):
        more = check(os.path.join(root, "docs", name))
        rows, bad = rows + more[0], bad + more[1]
print("%d rows, %d wrong" % (rows, bad))
sys.exit(bad > 0 or rows < 10)
