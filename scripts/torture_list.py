# SPDX-License-Identifier: Apache-2.0
"""firn-files.txt, the list of its own files that firn leaves in a folder: read, and held to the files. See
torture.py; src/cache/record.h has the format."""
import os, re

import torture_damage as damage

LIST = "firn-files.txt"
NO_MARK = "-" * 16
BLOCK, MASK = 1 << 20, (1 << 64) - 1
# A table, a log, a series of a run or a refinement: it grows, and has no mark.
GROWS = re.compile(r"[^/]*\.(csv|jsonl|series)")


def mix(h, w):
    h = (h ^ w) * 0x9fb21c651e98df25 & MASK
    return (h << 29 | h >> 35) & MASK


def hash_of(data):
    """firn_seal_hash: four chains over words of eight bytes, then the rest."""
    chains = [0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89]
    whole = len(data) // 8
    words = memoryview(data)[:8 * whole].cast("Q")
    for at in range(whole // 4 * 4):
        chains[at % 4] = mix(chains[at % 4], words[at])
    for word in words[whole // 4 * 4:]:
        chains[0] = mix(chains[0], word)
    h = mix(chains[0], int.from_bytes(data[8 * whole:], "little"))
    for word in (*chains[1:], len(data)):
        h = mix(h, word)
    h = mix(h, h >> 32)
    return mix(h, h >> 32)


marks = {}  # of files by their bytes: most trials leave the same ones


def mark_of(name, data):
    """Of a frame or a checkpoint the sum in its seal, of others a hash over the hashes of blocks."""
    if damage.is_sealed(name) and "/" not in name:
        return "%016x" % int.from_bytes(data[-16:-8], "little")
    if data not in marks:
        sum_of_all = 0
        for at in range(0, len(data), BLOCK):
            link = [sum_of_all, hash_of(data[at:at + BLOCK])]
            sum_of_all = hash_of(b"".join(word.to_bytes(8, "little") for word in link))
        marks[data] = "%016x" % sum_of_all
    return marks[data]


def read_list(data):
    """Kind, lines about origins, and marks by names; None: it is none."""
    lines = data.decode(errors="replace").split("\n")
    if len(lines) < 3 or lines[-1] or not lines[0].startswith("firn "):
        return None
    body = data[:data.rindex(b"\nsum ") + 1] if b"\nsum " in data else b""
    if lines[-2] != "sum %016x" % hash_of(body):
        return None
    rows = [line.partition(" ") for line in lines[1:-2]]
    return (lines[0][5:], [" ".join((a, b)) for a, _, b in rows if len(a) != 16],
            {b: a for a, _, b in rows if len(a) == 16})


def lists_of(found):
    """The lists among the files found: the folder of each, and what is in it."""
    return {os.path.dirname(name): read_list(data) for name, data in found.items()
            if os.path.basename(name) == LIST and data is not None}


def wrong_list(found, spare=None, trunk=None):
    """What is wrong with the lists of a command that ended well: each names files that are there, with the
    marks that they have. spare: a file that was damaged, and may be as it was; trunk: where a branch comes
    from. None: nothing is wrong."""
    for folder, content in lists_of(found).items():
        place = os.path.join(folder, LIST)
        if not content:
            return f"{place} is none"
        kind, origins, names = content
        here = [line.split(" ", 2)[2] for line in origins if line.startswith("from ")]
        if here != ([trunk] if trunk else []):
            return f"{place} says that the run began with {here}"
        if list(names) != sorted(names, key=os.fsencode):
            return f"{place} is not in order"
        for name, mark in names.items():
            if name == spare:
                continue
            data = found.get(os.path.join(folder, name))
            if data is None:
                return f"{place} names {name}, which is not there"
            grows = kind not in ("sweep", "export") and GROWS.fullmatch(name)
            if mark != (NO_MARK if grows else mark_of(name, data)):
                return f"{place} has another mark for {name}: {mark}"
    return unlisted(found) if lists_of(found) else None


def unlisted(found):
    """A file that no list names, though it is firn's; None: there is none. What a killed process was writing
    has .part at the end of a listed name. A list that cannot be read names nothing."""
    lists = {folder: content[2] for folder, content in lists_of(found).items() if content}
    for name, data in found.items():
        if data is None:  # an empty folder
            continue
        stem = name[:-5] if name.endswith(".part") else name
        if os.path.basename(stem) != LIST and not any(
                os.path.relpath(stem, folder or ".") in names for folder, names in lists.items()):
            return f"{name} is not in {LIST}"
    return None
