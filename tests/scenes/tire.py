#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# timeout: 1800
# processors: 2
# long
# The tyre of Gissler et al. 2020, Figure 6, narrow, in a small bed, and with lugs of four spacings:
# with friction at least five times the snow stays on it that stays without, and the track repeats itself
# at the pitch of the lugs. The arguments are folders of runs with and without friction; none: they are made.
import math
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import frames  # noqa: E402

QUALITY, LAST = 0.3, 68
SPACING = 1.5e-3 / QUALITY
WIDTH, BESIDE, LENGTH, DEPTH, SINK = 0.08, 0.03, 0.52, 0.08, 0.035
R, LUGS, SPEED, FPS = 0.2, 24, 2, 250
AXLE = (-0.125 + SPEED * LAST / FPS, R + DEPTH - SINK)
PITCH = 2 * math.pi * R / LUGS


def carried(rows):
    """kg that go round with the tyre, 3 cm above the bed and higher, give or take half its speed."""
    mass = 0
    for r in rows:
        x, y = r["x"] - AXLE[0], r["y"] - AXLE[1]
        inside = math.hypot(x, y) < R + SPACING and abs(r["z"]) < WIDTH / 2 + SPACING
        slip = math.hypot(r["velocity_x"] - SPEED - y * SPEED / R, r["velocity_y"] + x * SPEED / R)
        if r["y"] > DEPTH + 0.03 and inside and slip < SPEED / 2:
            mass += r["mass"]
    return mass


def profile(rows, step):
    """Height of the track of the row of lugs at z > 0, less its trend; one value a step along it."""
    first, last = 0.03, AXLE[0] - 0.12
    top = [0.0] * int((last - first) / step)
    for r in rows:
        if r["y"] > DEPTH or not SPACING / 2 < r["z"] < (WIDTH - SPACING) / 2:
            continue
        middle = (r["x"] - first) / step
        half = SPACING / 2 / step
        for k in range(max(0, math.ceil(middle - half)), min(len(top), math.ceil(middle + half))):
            top[k] = max(top[k], r["y"])
    n = len(top)
    mean, center = sum(top) / n, (n - 1) / 2
    slope = sum((k - center) * h for k, h in enumerate(top)) / sum((k - center) ** 2 for k in range(n))
    return [h - mean - slope * (k - center) for k, h in enumerate(top)]


def period(h, step):
    """The lag at which a profile is most like itself, from half a pitch to one and a half; and how much."""
    variance = sum(x * x for x in h) / len(h)
    lags = range(int(0.5 * PITCH / step), int(1.5 * PITCH / step) + 1)
    like = {lag: sum(a * b for a, b in zip(h, h[lag:])) / (len(h) - lag) / variance for lag in lags}
    best = max(like, key=like.get)
    return best * step, like[best]


with tempfile.TemporaryDirectory() as made:
    runs = sys.argv[1:] or [f"{made}/tire", f"{made}/tire-slippery"]
    if not sys.argv[1:]:
        for name in runs:
            settings = [f"quality={QUALITY}", f"output.every={LAST}", f"variables.width={WIDTH} m",
                        f"variables.beside={BESIDE} m", f"variables.length={LENGTH} m",
                        f"variables.depth={DEPTH} m", f"variables.sink={SINK} m"]
            frames.run(os.path.basename(name), name, settings, LAST)
    rough, slippery = (frames.particles(name, LAST) for name in runs)

on, off = carried(rough), carried(slippery)
print(f"carried: {on:.4g} kg with friction, {off:.4g} kg without")
frames.claim("carried with friction, of the snow", on / sum(r["mass"] for r in rough), 1e-3, 1)
frames.claim("carried without, of that with", off / on if on else math.inf, 0, 0.2)
lag, likeness = period(profile(rough, 1e-3), 1e-3)
frames.claim("period of the track, of the pitch", lag / PITCH, 0.95, 1.05)
frames.claim("its correlation", likeness, 0.3, 1)
sys.exit(frames.failed)
