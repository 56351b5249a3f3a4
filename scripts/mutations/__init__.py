# SPDX-License-Identifier: Apache-2.0
"""The mutations of scripts/mutation.py, and the tests that must notice each; a file for each subject.

Where a test compares with a second implementation (corotated.h), there is a mutation of both at
once, so that something must know the truth. Neighbours in a list touch the same files, which saves
compiling.
"""
import importlib
import pkgutil

ROOMS = {name: importlib.import_module(f"{__name__}.{name}")
         for _, name, _ in pkgutil.iter_modules(__path__) if name != "form"}
MUTATIONS = [mutation for room in ROOMS.values() for mutation in room.MUTATIONS]
