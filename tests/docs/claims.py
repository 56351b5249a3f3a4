#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# timeout: 30
# What the pages name is there: links, files, headers, functions, keys, scenes, verbs with their
# options, and the cases of the verification catalogue with the tests that hold them.
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support"))
import pages  # noqa: E402
from pages import BUILD, SOURCE  # noqa: E402

# Named though not there, and why.
ABSENT = {
    "src/solver/ballistic/ballistic.c": "what add-a-solver.md makes",
    "src/material/neohooke.h": "what add-a-law.md makes",
}
FOLDERS = r"src|tests|scripts|include|docs|examples|cli|cmake|scenes|bench|\.ci"
wrong = pages.Findings()
count = 0


def claim(holds, place, message):
    global count
    count += 1
    if not holds:
        wrong.add(place, message)


def same(place, shown, there, what):
    """Two sets of names must be one."""
    claim(not shown - there, place, f"no such {what}: {', '.join(sorted(shown - there))}")
    claim(not there - shown, place, f"{what} not on the page: {', '.join(sorted(there - shown))}")


def anchors(page):
    headings = re.findall(r"^#+ (.*)$", pages.prose(page), re.M)
    slugs = {re.sub(r"[^\w -]", "", re.sub("<[^>]*>", "", h).lower()).strip().replace(" ", "-")
             for h in headings}
    return slugs | set(re.findall(r'<a name="([^"]*)"', pages.text(page)))


def see_links(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", pages.prose(page)):
        if re.match(r"\w+:", target):
            continue  # the world outside
        path, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        there = os.path.exists(os.path.join(SOURCE, path))
        claim(there and (not anchor or anchor in anchors(path)), page, f"link to {target}")
    for name, target in re.findall(r"`([\w>-]+)` in \[[^]]*\]\(([^)]+)\)", pages.prose(page)):
        path = os.path.normpath(os.path.join(os.path.dirname(page), target))
        claim(name in pages.text(path), page, f"no {name} in {target}")


def see_names(page, source, files, keys):
    shown = pages.text(page)
    for line, code in pages.inline(page):
        place = f"{page}:{line}"
        for name in re.findall(rf"(?<![\w/<])(?:{FOLDERS})/[\w./-]*", code):
            if "<" in code or "*" in code or name in ABSENT:
                continue
            claim(os.path.exists(os.path.join(SOURCE, name)), place, f"no file {name}")
        if re.fullmatch(r"[a-z][\w-]*\.[ch]", code):  # by its name alone
            claim(code in files, place, f"no file {code}")
        for name in re.findall(r"<(firn/\w+\.h)>", code):
            claim(os.path.exists(os.path.join(SOURCE, "include", name)), place, f"no header {name}")
        for name in re.findall(r"\b(?:firn|FIRN)_\w+\b(?![<\w]|_<)", code):
            own = re.search(rf"{name}\b[^`]*\n```", shown)  # made by the page's own code
            claim(own or name in source, place, f"no {name} in the source")
        key = re.match(r"(mpm|output|preview)\.(\w+)$", code)
        if key:
            claim(key[2] in keys[key[1]], place, f"no key {code}")


def reference_keys():
    """section -> its keys."""
    found = {}
    for part in re.split(r"^## ", pages.text("docs/scene-reference.md"), flags=re.M)[1:]:
        name = part.splitlines()[0].split("-")[0]
        found.setdefault(name, set(re.findall(r"^\| `(\w+)`", part, re.M)))
    return found


def see_verbs():
    """cli.md has every verb, and for each its options."""
    page = "docs/cli.md"
    verbs = set(pages.verbs())
    code = [text for p in pages.pages() for _, text in pages.inline(p)]
    named = set(re.findall(r"^firn ([a-z]+)", "\n".join(code), re.M))
    claim(named <= verbs, "docs", f"no such verb: {', '.join(sorted(named - verbs))}")
    same(page, set(re.findall(r"^\| `firn (\w+)", pages.text(page), re.M)), verbs, "verbs")
    shown = re.split(r"^## ", pages.text(page).split("\n## Options\n")[1], flags=re.M)[0]
    rows = {m[1]: set(re.findall(r"--[a-z]+", m[2]))
            for m in re.finditer(r"^\| ([a-z ,]+) \| (.*)", shown, re.M)}
    all_options = {"--help", "--usage", "--version"}
    for verb in sorted(verbs):
        there = set(re.findall(r"^ .{5}(--[a-z]+)", pages.firn(verb, "--help"), re.M))
        all_options |= there
        listed = {o for who, options in rows.items() if verb in who.split(", ") for o in options}
        same(f"{page}: firn {verb}", listed, there - {"--help", "--usage"}, "options")
    for p in ("README.md", "docs/cli.md", "docs/rendering.md", "docs/export.md"):
        for line, code in pages.inline(p):
            for option in re.findall(r"^--[a-z]+", code):
                claim(option in all_options, f"{p}:{line}", f"no verb has {option}")


def see_bench():
    """cli.md has every case of the benchmarks, and every number that they tell."""
    page = "docs/cli.md"
    there = set(re.findall(r"^(?!paper)(\S+)", pages.firn("bench", "--list"), re.M))
    named = {code for _, code in pages.inline(page)}
    kinds = r"(mpm|sph|flip|render|refine|cache)/[\w-]+$"
    shown = {code for code in named if re.match(kinds, code)}
    same(page, shown - {"mpm/explicit"}, there, "cases of firn bench")  # less the beginning of two
    told = set(re.findall(r'json_field\("(\w+)"', pages.text("cli/bench.c")))
    claim(told <= named, page, f"numbers of firn bench not on the page: {sorted(told - named)}")


def see_switches():
    """theory-mpm.md has the defaults of scenes, for every switch and limit that it lists."""
    page = "docs/theory-mpm.md"
    key = re.compile(r"^\| `(\w+)` \| .* \| `([^`|]*)` \|", re.M)
    section = pages.text("docs/scene-reference.md").split("\n## mpm-section")[1].split("\n## ")[0]
    defaults = dict(key.findall(section))
    body = pages.text(page)
    rows = re.findall(r"^\|[^|]*\| (`.*`) \| (\S.*?) \| (.*?) \|.*\|.*\|$", body, re.M)
    rows += [(row[0], "same", row[1]) for row in
             re.findall(r"^\| (`\w+`)[^`|]*(?:\\\|[^`|]*)* \| (\S+(?: \w?s)?) \|.*\|$", body, re.M)]
    claim(len(rows) > 18, page, f"only {len(rows)} rows of switches and limits were found")
    for c, scene, values in rows:
        for name, value in zip((c if scene == "same" else scene).split(", "), values.split(", ")):
            if value not in ("none", "never"):  # words for numbers that say so
                found = defaults.get(name.strip("`"))
                claim(found == value, page, f"{name} has the default {found}, and the page {value}")


def see_columns():
    """cache.md has the columns of the tables that a run writes, in their order."""
    page = "docs/cache.md"
    shown = pages.text(page)

    def listed(heading):
        part = shown.split(f"\n## {heading}")[1].split("\n## ")[0]
        return ",".join(re.findall(r"^\| ([a-z_, …]+) \|", part, re.M)[1:])

    stats, colliders = listed("stats.csv"), listed("colliders.csv")
    bounds = [f"bounds_{end}_{axis}" for end in ("min", "max") for axis in "xyz"]
    stats = stats.replace("bounds_min_x … bounds_max_z", ",".join(bounds))
    others = [code for _, code in pages.inline(page) if code.startswith("frame,time,")]
    columns_of = [re.sub(r"\s", "", columns) for columns in (stats, colliders, *others)]
    with tempfile.TemporaryDirectory() as folder:
        probe = "probes=[{name: a, box: {center: [0, 0, 0], size: [1, 1, 1]}}]"
        small = ["--set", "quality=0.1", "--set", probe, "--frames", "0:1", "--quiet"]
        pages.firn("run", "demo", "-o", folder, *small)
        for table, columns in zip(("stats.csv", "colliders.csv", "probes.csv"), columns_of):
            with open(os.path.join(folder, table), encoding="utf-8") as file:
                header = file.readline().strip()
            claim(columns == header, page, f"{table} has {header}, and the page {columns}")


def see_fields():
    """fields.md has every field."""
    page = "docs/fields.md"
    row = re.search(r"^\| `fields` \| a list of (.*?) \|", pages.text("docs/scene-reference.md"), re.M)
    there = set(re.findall(r"`(\w+)`", row[1])) | {"position"}
    names = re.findall(r"^\| (`.*?`) \|", pages.text(page), re.M)
    same(page, set(re.findall(r"`(\w+)`", " ".join(names))), there, "fields")


def see_cases():
    """verification.md has the cases that are labels of tests, with these tests."""
    page = "docs/verification.md"
    listing = subprocess.check_output(["ctest", "--test-dir", BUILD, "--show-only=json-v1"])
    there = {}
    for test in json.loads(listing)["tests"]:
        for p in test["properties"]:
            if p["name"] == "LABELS":
                for label in p["value"]:
                    if re.fullmatch(r"[MX]\d+[a-z]?", label):
                        name = re.sub(r"\.f(32|64)$", "", test["name"]).replace(".", "/")
                        there.setdefault(label, set()).add(name)
    shown = {}
    for case, where in re.findall(r"^\| ([MX]\d+[a-z]?)\S? \|(?:[^|]|\\\|)*\| ([\w/, ]+) \|",
                                  pages.text(page), re.M):
        names, room = set(), ""
        for name in where.split(", "):  # mpm/viscosity, blend
            room = name.split("/")[0] if "/" in name else room
            names.add(f"{room}/{name.split('/')[-1]}")
        shown[case] = names
    same(page, set(shown), set(there), "cases")
    for case in sorted(shown.keys() & there.keys()):
        same(f"{page}: {case}", shown[case], there[case], "tests")
    files = {re.sub(r"\.\w+$", "", f) for f in glob.glob("*/*", root_dir=f"{SOURCE}/tests")}
    for row in re.findall(r"^\|.*\| ([\w/, ]+) \|$", pages.text(page).split("## Beside")[1], re.M):
        for name in re.findall(r"\w+/\w+", row):
            claim(name in files, page, f"no test {name}")


def see_scenes(keys):
    """gallery.md has every scene that is built in, scenes.md every kind of shape."""
    there = set(re.findall(r"^([\w-]+)  ", pages.firn("scenes"), re.M))
    shown = set(re.findall(r"\*\*([\w-]+)\*\*", pages.text("docs/gallery.md")))
    same("docs/gallery.md", shown, there, "scenes")
    shown = set(re.findall(r"^shape: \{(\w+):", pages.text("docs/scenes.md"), re.M))
    same("docs/scenes.md", shown, keys["shape"] - {"scale", "rotate", "move"}, "kinds of shapes")


def main():
    paths = [path for folder in ("include", "src", "cli", "tests", "examples")
             for path in glob.glob(f"{folder}/**/*.[ch]", root_dir=SOURCE, recursive=True)]
    files = {os.path.basename(path) for path in paths}
    source = "".join(pages.text(path) for path in ["CMakeLists.txt", *paths])
    source = set(re.findall(r"\b(?:firn|FIRN)_\w+", source))
    keys = reference_keys()
    for page in pages.pages():
        see_links(page)
        see_names(page, source, files, keys)
    see_verbs()
    see_bench()
    see_switches()
    see_columns()
    see_fields()
    see_cases()
    see_scenes(keys)
    wrong.end(f"{count} claims")


if __name__ == "__main__":
    main()
