# SPDX-License-Identifier: Apache-2.0
"""Bodies in pictures, and how snow is spread in them."""
from .form import Mutation

MUTATIONS = [
    Mutation("bodies-by-the-scene", "pictures show bodies where the scene's keys say, not the frame",
             "api.bodies",
             ("src/api/picture_bodies.c",
              "body->held = !same_pose(&body->part->pose, &body->pose);",
              "body->held = !same_pose(&body->pose, &body->pose);")),
    Mutation("bodies-stay-in-the-shutter", "a body that the frame holds does not move on",
             "api.bodies",
             ("src/world/motion.c", "  if (dt == 0) return;\n", "  if (dt != 1e9) return;\n")),
    Mutation("frame-before-the-clock", "colliders of a frame are where the last step had them",
             "api.bodies",
             ("src/api/sim.c", "  firn_world_prepare(&sim->world, sim->world.time);\n", "")),
    Mutation("packed-snow-is-narrow", "kernels do not widen along a flat surface",
             "render.volume_adapt",
             ("src/render/volume_shape.c", "#define FLAT   2.0", "#define FLAT   0.5")),
    Mutation("crumbs-of-any-mass", "crumbs of a grain do not have its mass together",
             "render.volume_adapt",
             ("src/render/volume_shape.c", "c->mass = mass * share[i] / sum;",
              "c->mass = mass * share[i];")),
    Mutation("neighbours-in-cells", "a grain counts for one node of the lattice at a time, and jumps",
             "render.volume_adapt",
             ("src/render/volume_adapt.c", "weight *= fmaxf(1 - fabsf(r[a]) / on->width, 0);",
              "weight *= fabsf(r[a]) < 0.5f * on->width ? 1 : 0;")),
    Mutation("tile-beyond-its-end", "tiles are cleared and added where rounding sees a block more",
             "render.volume",
             ("src/render/volume_build.c",
              "high[a] = high[a] > j->brush.reach ? j->brush.reach : high[a];", "")),
]
