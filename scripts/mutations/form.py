# SPDX-License-Identifier: Apache-2.0
"""What a mutation is."""


class Mutation:
    def __init__(self, name, what, tests, *edits, isa=None):
        self.name = name
        self.what = what
        # In double, where tolerances are tightest, unless the name says otherwise.
        self.tests = [t if t.endswith((".f32", ".f64")) else t + ".f64" for t in tests.split()]
        self.edits = edits  # (path, text that occurs once, text to put in its place)
        self.isa = isa      # what the CPU must have for the mutated code to run
