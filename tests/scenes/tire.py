#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# timeout: 1800
# processors: 2
# long
# The tyre of Gissler et al. 2020, Figure 6, narrow, in a small bed, and with lugs of four spacings:
# with friction at least five times the snow stays on it that stays without. Then the snow between
# lugs goes along with them; without friction it stays, and the track repeats itself at their pitch.
# The arguments are folders of runs with and without friction; none: they are made.
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


def profile(rows, side, step):
    """Mean height over the width of one row of lugs, at z > 0 or < 0, less its trend; a value a step along it."""
    first, last = 0.03, AXLE[0] - 0.12
    n, lanes = int((last - first) / step), int((WIDTH / 2 - SPACING) / SPACING)
    top = [[0.0] * n for _ in range(lanes)]
    for r in rows:
        lane = math.floor((side * r["z"] - SPACING / 2) / SPACING)
        if r["y"] > DEPTH or not 0 <= lane < lanes:
            continue
        middle = (r["x"] - first) / step
        half = SPACING / 2 / step
        for k in range(max(0, math.ceil(middle - half)), min(n, math.ceil(middle + half))):
            top[lane][k] = max(top[lane][k], r["y"])
    height = [sum(lane[k] for lane in top) / lanes for k in range(n)]
    mean, center = sum(height) / n, (n - 1) / 2
    slope = (sum((k - center) * h for k, h in enumerate(height))
             / sum((k - center) ** 2 for k in range(n)))
    return [h - mean - slope * (k - center) for k, h in enumerate(height)]


def period(rows, step=1e-3):
    """The lag at which both tracks are most like themselves, from half a pitch to one and a half; and how
    much."""
    def like(h, lag):
        product = sum(a * b for a, b in zip(h, h[lag:])) / (len(h) - lag)
        return product / (sum(x * x for x in h) / len(h))

    tracks = [profile(rows, side, step) for side in (1, -1)]
    lags = range(int(0.5 * PITCH / step), int(1.5 * PITCH / step) + 1)
    mean = {lag: sum(like(h, lag) for h in tracks) / len(tracks) for lag in lags}
    best = max(mean, key=mean.get)
    return best * step / PITCH, mean[best]


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
print("track with friction: period %.3f of the pitch, correlation %.2f" % period(rough))
lag, likeness = period(slippery)
frames.claim("period of the track without, of the pitch", lag, 0.95, 1.05)
frames.claim("its correlation", likeness, 0.3, 1)
sys.exit(frames.failed)
