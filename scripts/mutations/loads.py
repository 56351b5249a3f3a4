# SPDX-License-Identifier: Apache-2.0
"""Plates that snow pushes."""
from .form import Mutation

MUTATIONS = [
    Mutation("load-without-snow", "the snow's push does not move a plate",
             "world.load",
             ("src/world/load.c", "s->speed + impulse / load->mass", "s->speed + 0 * impulse / load->mass")),
    Mutation("load-falls-late", "a plate moves with the speed of the step before",
             "world.load",
             ("src/world/load.c", "double change = dt / 2 * (", "double change = 0 * (")),
    Mutation("load-lifted", "gravity pulls a plate against its axis",
             "world.load",
             ("src/world/colliders.c", "load->weightless ? 0 : along(load, world->gravity)",
              "load->weightless ? 0 : -along(load, world->gravity)")),
    Mutation("load-counts-twice", "each step pushes a plate with all impulses of the frame",
             "world.load",
             ("src/world/colliders.c", "along(load, collider->sums.impulse) - load->got",
              "along(load, collider->sums.impulse) - 0 * load->got")),
    Mutation("load-undamped", "damping has no effect",
             "world.load",
             ("src/world/load.c", "/ (1 + dt * load->damping)", "/ (1 + 0 * dt * load->damping)")),
    Mutation("load-forgotten", "a checkpoint leaves a plate where it began",
             "world.load",
             ("src/world/change.c", "FIRN_TRY(visit_load(world, c, load, visitor));", "(void)visit_load;")),
    Mutation("load-unseen", "the surface of a plate does not have its speed",
             "world.load",
             ("src/world/collider.c", "pose->velocity[a] += speed * load->axis[a];",
              "pose->velocity[a] += 0 * speed * load->axis[a];")),
]
