# SPDX-License-Identifier: Apache-2.0
"""Randomness and number modes."""
from .form import Mutation

# A generator with a state of its own, which every caller moves on.
SHARED_STATE = """\
  static uint64_t shared = 88172645463325252u;
  (void)seed, (void)id, (void)stream, (void)index;
  firn_philox c;
  for (int k = 0; k < 4; k++) {
    shared ^= shared << 13;
    shared ^= shared >> 7;
    shared ^= shared << 17;
    c.v[k] = (uint32_t)(shared >> 32);
  }
  return c;
"""

MUTATIONS = [
    Mutation("philox-shared-state", "random numbers come from one state that all callers move on",
             "base.random mpm.threads",
             ("src/base/random.h", """\
  uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
  firn_philox c = {{(uint32_t)id, (uint32_t)(id >> 32), stream, index}};
""", SHARED_STATE + "  uint32_t key0 = 0, key1 = 0;\n")),
    Mutation("seeding-by-a-shared-counter", "a particle's place depends on who was placed before",
             "mpm.threads api.threads",
             ("src/world/seed.c", "return firn_philox4x32(seed, id, (uint32_t)cell[2], index);",
              "static uint64_t shared;\n"
              "  return firn_philox4x32(seed, id + shared++, (uint32_t)cell[2], index);")),
    Mutation("loop-in-the-callers-mode", "threads of a loop keep the mode they had",
             "base.parallel",
             ("src/base/parallel.h",
              "mode_ = firn_fp_enter(), once_ = 1; once_; once_ = 0, firn_fp_leave(mode_)",
              "once_ = 1; once_; once_ = 0")),
    Mutation("denormals-not-flushed", "workers keep denormal numbers",
             "base.isa",
             ("src/base/isa.c", "change_mode(NO_TRAPS | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);",
              "change_mode(NO_TRAPS);"), isa="avx2"),
]
