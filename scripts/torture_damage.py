# SPDX-License-Identifier: Apache-2.0
"""Ways to damage the files of a run, each a function of the file's bytes or of the folder."""
import os, random


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def flip(share):
    def change(data, rng):
        at = min(int(share * len(data)) + rng.randrange(64), len(data) - 1)
        return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1:]
    return change


def cut(share):
    return lambda data, rng: data[:int(share * len(data))]


def lines_of(data):
    return data.splitlines(keepends=True)


def without_line(which):
    def change(data, rng):
        lines = lines_of(data)
        at = which if which >= 0 else len(lines) + which
        return b"".join(lines[:at] + lines[at + 1:])
    return change


def line_twice(data, rng):
    lines = lines_of(data)
    at = rng.randrange(1, len(lines)) if len(lines) > 1 else 0
    return b"".join(lines[:at + 1] + lines[at:])


def lines_swapped(data, rng):
    lines = lines_of(data)
    if len(lines) > 2:
        lines[1], lines[-1] = lines[-1], lines[1]
    return b"".join(lines)


# Of any file.
ANY = {
    "empty": lambda data, rng: b"",
    "half": cut(0.5),
    "end-cut": lambda data, rng: data[:-1],
    "tail-cut": lambda data, rng: data[:-40],
    "longer": lambda data, rng: data + b"rubbish\n",
    "zeros": lambda data, rng: bytes(len(data)),
    "head-flip": flip(0),
    "flip-1/4": flip(0.25),
    "flip-1/2": flip(0.5),
    "flip-3/4": flip(0.75),
    "end-flip": flip(1),
}
# Of text.
TEXT = {
    "crlf": lambda data, rng: data.replace(b"\n", b"\r\n"),
    "semicolons": lambda data, rng: data.replace(b",", b";"),
    "header-gone": without_line(0),
    "first-row-gone": without_line(1),
    "middle-row-gone": without_line(2),
    "last-row-gone": without_line(-1),
    "row-twice": line_twice,
    "rows-swapped": lines_swapped,
    "digit": lambda data, rng: data.replace(b"1", b"7", 1),
    "marked": lambda data, rng: b"\xef\xbb\xbf" + data,
}


# What may stand in the place of a file.
OBSTACLES = ("folder", "link", "pipe")


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    elif os.path.lexists(path):
        os.unlink(path)


def is_text(name):
    return not name.endswith(".hdf")


def is_sealed(name):
    return name.endswith(".hdf")


def changes(name):
    """Names of what can be done to a file, besides swapping."""
    # A scene may come from a pipe, and whoever reads it waits.
    obstacles = [how for how in OBSTACLES if (name, how) != ("scene.yaml", "pipe")]
    return ["gone", *obstacles] + list(ANY) + (list(TEXT) if is_text(name) else [])


# ------------------------------------------------------------------------ what must be gone on from

EVERY = {*ANY, *TEXT}
FLIPS = {how for how in ANY if "flip" in how}
# What a damaged file is, and after which damages a resume must go on, with it mended or made again.
# After all others it may refuse: they take away what nothing in the folder has a second time.
GOES_ON = {
    # Only written.
    "log": EVERY | {"gone"},
    # Written anew from the frames.
    "series": EVERY | {"gone", "link"},
    # Copied again, since the scene's own file is there; the two vouch for each other without the
    # list.
    "copy": EVERY | {"gone", "link", "pipe"},
    "sums": (EVERY | {"gone", "link"}) - FLIPS - {"digit"},
    # There is another one.
    "checkpoint": {*ANY, "gone", "link", "copy"},
    # Made again from the older checkpoint.
    "frame": {*ANY, "gone", "link", "copy"},
    "old frame": set(),
    # Of the last row, which is made again; what spreadsheets do, which is undone.
    "table": {"crlf", "semicolons", "marked", "longer", "last-row-gone", "end-cut", "tail-cut", "end-flip"},
    # Read as before.
    "scene": {"crlf", "marked", "end-cut"},
}


def number_of(name):
    return int(name.partition("_")[2][:5])


def role(name, names):
    """What a file is, among those of a folder: a key of GOES_ON."""
    if name.startswith("frame_"):
        oldest = min(number_of(n) for n in names if n.startswith("checkpoint_"))
        return "frame" if number_of(name) > oldest else "old frame"
    if name.startswith("checkpoint_"):
        return "checkpoint"
    if name.endswith(".csv"):
        return "table"
    return {"log.jsonl": "log", "frames.hdf.series": "series", "scene.yaml": "scene",
            "files/sums.txt": "sums"}.get(name, "copy")


def must_go_on(name, how, names):
    return how.partition(":")[0] in GOES_ON[role(name, names)]


def apply(folder, name, how, seed):
    """Damages a file; False where that changes nothing."""
    path = os.path.join(folder, name)
    data = read(path)
    if how == "gone" or how in OBSTACLES:
        os.unlink(path)
        if how == "folder":
            os.mkdir(path)
        elif how == "link":
            os.symlink("/nonexistent/" + name, path)
        elif how == "pipe":
            os.mkfifo(path)
        return True
    if how.startswith("swap:"):
        other = os.path.join(folder, how[5:])
        theirs = read(other)
        write(path, theirs)
        write(other, data)
        return theirs != data
    if how.startswith("copy:"):
        theirs = read(os.path.join(folder, how[5:]))
        write(path, theirs)
        return theirs != data
    change = ANY.get(how) or TEXT[how]
    new = change(data, random.Random(f"{seed}/{name}/{how}"))
    write(path, new)
    return new != data
