#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# timeout: 60
# The JSON Schema is one, takes every built-in scene, as it is and as resolved, and refuses what an
# editor should underline.
import copy
import json
import os
import subprocess
import sys

try:
    import jsonschema
    import yaml
except ImportError as error:
    print(f"skipped: {error} (packages python3-jsonschema and python3-yaml)")
    sys.exit(77)

firn = os.environ["FIRN"]


def run(*arguments):
    return subprocess.run([firn, *arguments], check=True, capture_output=True, text=True).stdout


schema = json.loads(run("scenes", "--schema"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)


def errors(text):
    return [e.message for e in validator.iter_errors(yaml.safe_load(text))]


names = [line.split()[0] for line in run("scenes").splitlines() if line[:1].strip()]
assert "snowball-drop" in names
for name in names:
    for text in (run("scenes", name), run("check", name, "--resolved")):
        found = errors(text)
        assert not found, f"{name}: {found[:3]}"

good = """
firn: 1
h: 1 cm
variables: {R: 10 cm}
gravity: {keys: [[0 s, [0, -9.81, 0]], [1 s, [0, 0, 0]]], interpolate: step}
materials: {soft: {preset: powder, young: 20 kPa}}
snow:
  - shape: {difference: [{sphere: {center: [0, 0, 0], radius: "${R}"}}, {half_space: {}}], move: [0, 1, 0]}
    variation: [{of: young, depth: [0, 2 cm], factor: 3}]
colliders:
  - {name: a, shape: {half_space: {}}, sticky: true}
  - {name: b, parts: [{name: hip, shape: {capsule: {from: [0, 0, 0], to: [0, 1, 0], radius: 1}}}]}
output: {precision: 16, fields: [velocity]}
"""
assert not errors(good), errors(good)
base = yaml.safe_load(good)
wrong = [
    lambda s: s.pop("firn"),
    lambda s: s.pop("h"),
    lambda s: s.update(gravty=[0, 0, 0]),
    lambda s: s.update(h=-1),
    lambda s: s.update(frames=1.5),
    lambda s: s.update(gravity=[0, 0]),
    lambda s: s.update(fps={"keys": [[0, 1]]}),  # not keyed
    lambda s: s.update(mpm={"basis": "cubik"}),
    lambda s: s["snow"][0]["shape"].update(box={}),  # two kinds
    lambda s: s["snow"][0].update(shape={"move": [0, 0, 0]}),  # none
    lambda s: s["snow"][0].pop("shape"),
    lambda s: s["snow"][0]["shape"]["difference"][0]["sphere"].pop("radius"),
    lambda s: s["colliders"][1]["parts"][0]["shape"]["capsule"].update(radius=0),
    lambda s: s.update(colliders={"name": "a"}),
    lambda s: s["output"].update(precision=8),
]
for i, change in enumerate(wrong):
    scene = copy.deepcopy(base)
    change(scene)
    assert any(validator.iter_errors(scene)), f"wrong scene {i} was taken"
