# SPDX-License-Identifier: Apache-2.0
"""Forces, and the threads that the context has."""
from .form import Mutation

MUTATIONS = [
    Mutation("force-not-in-the-ledger", "the work of a force counts as negative loss",
             "api.force",
             ("src/world/force_push.c", "world->ledger.given += all.sums.work;", "")),
    Mutation("force-passes-over-flyers", "who is in no block is not pushed",
             "api.force",
             ("src/world/force_push.c", "return (p->flying + PIECE - 1) / PIECE;", "return 0 * p->flying;")),
    Mutation("attractor-repels", "the sign of an attractor", "api.force",
             ("src/world/force.c", "(firn_real)(-pull * s[a])", "(firn_real)(pull * s[a])")),
    Mutation("drag-explicit", "the rate of a drag is taken at the old velocity", "api.force",
             ("src/world/force_push.c", " / (1 + s->dt * k);", ";")),
    Mutation("vortex-left-handed", "a vortex turns the other way", "api.force",
             ("src/world/force.c", "push * (d->axis[b] * s[e] - d->axis[e] * s[b])",
              "push * (d->axis[e] * s[b] - d->axis[b] * s[e])")),
    Mutation("force-lets-sleep", "snow sleeps under any force", "api.force",
             ("src/solver/mpm/rest.c", " && !is_forced(m, b);", ";")),
    Mutation("step-within-advance", "a progress function may step", "api.inside",
             ("src/api/sim.c", "if (!sim->in_advance) return FIRN_OK;", "return FIRN_OK;")),
]
