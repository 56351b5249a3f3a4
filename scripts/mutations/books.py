# SPDX-License-Identifier: Apache-2.0
"""The ledger of energy, and the work of colliders."""
from .form import Mutation

MUTATIONS = [
    Mutation("ledger-without-leavers", "what a sink takes away stays in the books",
             "mpm.dissipation",
             ("src/world/ledger.c", "world->ledger.given -= energy_at(world, slot, x);",
              "world->ledger.given -= 0 * energy_at(world, slot, x);")),
    Mutation("ledger-without-gravity", "a change of gravity lifts nobody",
             "mpm.dissipation",
             ("src/world/ledger.c", "(gravity[a] - world->gravity[a]) * moment[a];",
              "0 * (gravity[a] - world->gravity[a]) * moment[a];")),
    Mutation("impulse-not-in-the-ledger", "an impulse counts as negative loss",
             "mpm.dissipation",
             ("src/world/impulse.c", "world->ledger.given += firn_ledger_held(world, false) - before;",
              "world->ledger.given += 0 * before;")),
    Mutation("work-of-the-pivot", "a part works with the velocity of the whole collider",
             "mpm.collider_work",
             ("src/solver/mpm/push.c", "push->work -= impulse[a] * surface[a];",
              "push->work -= impulse[a] * (0 * surface[a] + collider->pose.velocity[a]);")),
    Mutation("work-not-of-the-solve", "what held nodes transmit does no work",
             "mpm.collider_work",
             ("src/solver/mpm/push.c", "if (first->speed > 0)", "if (first->speed < 0)")),
]
