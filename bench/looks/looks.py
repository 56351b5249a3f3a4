#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How smooth packed snow looks, how sharp its edges, and how calm it is while it creeps: with one kernel for
all (render.snow.adapt=0) and with kernels that adapt (1).

    bench/looks/looks.py [-o DIR] [--solver mpm|sph|flip] [--fine] [--spp N] [bed] [ledge] [creep]

bed:    rms of luminance above 1/20 cycle a pixel, relative to its mean
ledge:  pixels in which luminance falls from 90 to 10 % across the edge of a footprint, in the mean of all
        lines
creep:  rms change of luminance from frame to frame, over ten frames, relative to its mean

Everything is rendered with two seeds. What they share is the snow, what they do not is noise of the path
tracer: a mean square is the mean product of the two pictures. Runs that are in DIR already are read as they
are. --fine makes fine particles of them by firn refine. FIRN is the program.
"""
import argparse
import cmath
import math
import os
import statistics
import struct
import subprocess
import zlib

FIRN = os.environ.get("FIRN", "firn")
HERE = os.path.dirname(os.path.abspath(__file__))
LUMINANCE = {"R": 0.2126, "G": 0.7152, "B": 0.0722}


def unpack(data, size):
    """A chunk of an EXR file: deflated, in differences, even bytes before odd ones."""
    if len(data) == size:
        return data
    raw = bytearray(zlib.decompress(data))
    for i in range(1, size):
        raw[i] = (raw[i - 1] + raw[i] - 128) & 255
    out = bytearray(size)
    out[0::2], out[1::2] = raw[:(size + 1) // 2], raw[(size + 1) // 2:]
    return bytes(out)


def read_exr(path):
    """Luminance, rows of numbers, of a picture that firn has written: half floats, ZIP."""
    with open(path, "rb") as file:
        data = file.read()
    at, head = 8, {}
    while data[at]:
        name, kind, rest = data[at:].split(b"\0", 2)
        at = len(data) - len(rest)
        size, = struct.unpack_from("<i", data, at)
        head[name.decode()] = data[at + 4:at + 4 + size]
        at += 4 + size
    at += 1
    channels, list_at = [], head["channels"]
    while list_at[0]:
        name, list_at = list_at.split(b"\0", 1)
        channels.append(name.decode())
        if struct.unpack_from("<i", list_at)[0] != 1:
            raise SystemExit(f"{path}: not half floats")
        list_at = list_at[16:]
    box = struct.unpack("<4i", head["dataWindow"])
    width, height = box[2] - box[0] + 1, box[3] - box[1] + 1
    rows = [None] * height
    for offset in struct.unpack_from(f"<{(height + 15) // 16}Q", data, at):
        first, size = struct.unpack_from("<2i", data, offset)
        count = min(16, height - first)
        line = 2 * width * len(channels)
        raw = unpack(data[offset + 8:offset + 8 + size], count * line)
        for y in range(count):
            row = [0.0] * width
            for c, name in enumerate(channels):
                if name in LUMINANCE:
                    values = struct.unpack_from(f"<{width}e", raw, y * line + 2 * width * c)
                    row = [a + LUMINANCE[name] * b for a, b in zip(row, values)]
            rows[first + y] = row
    return rows


def fft(x):
    """Of 2^n numbers."""
    n = len(x)
    if n == 1:
        return x
    even, odd = fft(x[0::2]), fft(x[1::2])
    turned = [cmath.exp(-2j * math.pi * k / n) * odd[k] for k in range(n // 2)]
    return [a + b for a, b in zip(even, turned)] + [a - b for a, b in zip(even, turned)]


def mean(rows):
    return statistics.fmean(v for row in rows for v in row)


def spectrum(rows):
    """Of a square of 2^n pixels in the middle, faded out to its sides: amplitudes by frequency."""
    n = 1 << int(math.log2(min(len(rows), len(rows[0]))))
    y0, x0, middle = (len(rows) - n) // 2, (len(rows[0]) - n) // 2, mean(rows)
    fade = [math.sin(math.pi * (i + 0.5) / n) ** 2 for i in range(n)]
    scale = n * n * statistics.fmean(f * f for f in fade)
    part = [[(rows[y0 + y][x0 + x] / middle - 1) * fade[x] * fade[y] / scale for x in range(n)]
            for y in range(n)]
    part = [fft(row) for row in part]
    return list(zip(*(fft(list(column)) for column in zip(*part))))


def rms_above(a, b, cut):
    """Of what two pictures share above a frequency, and of what one has for itself."""
    fa, fb = spectrum(a), spectrum(b)
    n, both, own = len(fa), 0, 0
    for y in range(n):
        for x in range(n):
            if math.hypot(min(x, n - x), min(y, n - y)) > cut * n:
                both += (fa[y][x] * fb[y][x].conjugate()).real
                own += abs(fa[y][x] - fb[y][x]) ** 2 / 2
    return math.sqrt(max(both, 0)), math.sqrt(own)


def width(profile, span=24):
    """Pixels from 90 to 10 % of the step a + b / (1 + exp((x - c) / w)) that fits the middle best."""
    n = len(profile) // 2
    x = range(n - span, n + span)
    y = [profile[i] for i in x]
    best = math.inf, 0
    for c in (n + i / 4 for i in range(-24, 25)):
        for w in (0.2 * 1.005 ** i for i in range(720)):
            f = [1 / (1 + math.exp(min((i - c) / w, 60))) for i in x]
            slope, shift = statistics.linear_regression(f, y)
            error = sum((slope * p + shift - q) ** 2 for p, q in zip(f, y))
            best = min(best, (error, 2 * math.log(9) * w))
    return best[1]


class Bench:
    def __init__(self, options):
        self.options = options

    def run(self, scene):
        folder = os.path.join(self.options.o, f"{scene}-{self.options.solver}")
        if not os.path.exists(folder):
            subprocess.run([FIRN, "run", f"{HERE}/{scene}.yaml", "-o", folder, "-q", "--solver",
                            self.options.solver], check=True)
        if self.options.fine and not os.path.exists(f"{folder}/fine"):
            subprocess.run([FIRN, "refine", folder, "-q"], check=True)
        return folder

    def picture(self, folder, frame, adapt, seed):
        """Luminance; a picture that is there is read."""
        fine = "fine" if self.options.fine else "own"
        path = f"{folder}/{fine}-{frame}-{adapt}-{seed}.exr"
        if not os.path.exists(path):
            subprocess.run([FIRN, "render", folder, "-o", path, "-q", "--frames", f"{frame}:{frame}",
                            "--set", f"render.snow.adapt={adapt}", "--set", f"render.seed={seed}",
                            "--spp", str(self.options.spp)] + ([] if self.options.fine else ["--no-fine"]),
                           check=True)
        return read_exr(path)

    def bed(self, adapt):
        folder = self.run("bed")
        both, own = rms_above(*(self.picture(folder, 2, adapt, seed) for seed in (1, 2)), 1 / 20)
        return {"rms": both, "noise": own}

    def ledge(self, adapt):
        folder = self.run("ledge")
        a, b = (self.picture(folder, 2, adapt, seed) for seed in (1, 2))
        rows = [r for pair in zip(a, b) for r in pair][16:-16]
        return {"width": width([statistics.fmean(column) for column in zip(*rows)])}

    def creep(self, adapt):
        folder = self.run("creep")
        last, sums, count = None, 0, 0
        for frame in range(3, 13):
            now = [self.picture(folder, frame, adapt, seed) for seed in (1, 2)]
            if last:
                middle = mean(now[0])
                change = [[v - w for r, s in zip(a, b) for v, w in zip(r, s)] for a, b in zip(now, last)]
                sums += statistics.fmean(v * w for v, w in zip(*change)) / middle ** 2
                count += 1
            last = now
        return {"rms change": math.sqrt(max(sums / count, 0))}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", default="looks")
    parser.add_argument("--solver", default="mpm")
    parser.add_argument("--fine", action="store_true")
    parser.add_argument("--spp", type=int, default=256)
    parser.add_argument("what", nargs="*", default=["bed", "ledge", "creep"])
    options = parser.parse_args()
    bench = Bench(options)
    for what in options.what or ["bed", "ledge", "creep"]:
        before, after = (getattr(bench, what)(adapt) for adapt in (0, 1))
        for name, value in before.items():
            share = f"{after[name] / value:.3f} of it" if value else "all of it noise before"
            print(f"{what} {options.solver}{' fine' if options.fine else ''}: {name} {value:.4f} -> "
                  f"{after[name]:.4f}, {share}")


main()
