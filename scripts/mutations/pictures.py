# SPDX-License-Identifier: Apache-2.0
"""Bodies in pictures."""
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
]
