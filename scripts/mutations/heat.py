# SPDX-License-Identifier: Apache-2.0
"""Heat, and stiffness that falls with it."""
from .form import Mutation

SPH_HEAT = "src/solver/sph/heat.c"

MUTATIONS = [
    Mutation("heat-flows-uphill", "heat goes from cold to warm",
             "sph.heat",
             (SPH_HEAT, "    heat += w * (T - firn_world_temperature(world, j));",
              "    heat -= w * (T - firn_world_temperature(world, j));")),
    Mutation("heat-own-conductivity", "conduction takes k_i where it should take k_i + k_j",
             "sph.heat",
             (SPH_HEAT, "double w = (own->conductivity + k) *", "double w = own->conductivity *")),
    Mutation("heat-capacity-of-a-mass", "the capacity is not multiplied by the density",
             "sph.heat",
             (SPH_HEAT, "sph_density(s, i) * own->capacity;", "own->capacity;")),
    Mutation("heat-walls-insulate", "colliders keep their temperature to themselves",
             "sph.heat",
             (SPH_HEAT, "    heat += w * (T - surface);", "    heat += 0 * w * surface;")),
    Mutation("heat-in-one-step", "heat takes one step, however long",
             "sph.heat",
             (SPH_HEAT, "fmax(1, ceil(s->dt * most / SHARE))", "fmax(1, 0 * s->dt * most / SHARE)")),
    Mutation("young-of-the-first-point", "stiffness does not fall from point to point",
             "sph.heat mpm.heat",
             ("src/world/heat.c", "    if (!(temperature < to)) continue;\n",
              "    if (!(temperature < to)) return def->young[0];\n")),
    Mutation("mpm-kernels-at-any-temperature", "kernels read the stiffness without temperature",
             "mpm.heat",
             ("src/solver/mpm/layout.c", "  if (world->softens && m->softened.data) {", "  if (false) {")),
    Mutation("heat-of-walls-half", "walls conduct half as well as the snow they touch",
             "sph.heat",
             (SPH_HEAT, "double w = 2 * own->conductivity *", "double w = own->conductivity *")),
    Mutation("young-of-the-material", "stiffness by temperature is of the material's own, not in its place",
             "sph.heat",
             ("src/world/heat.c", "firn_world_temperature(world, slot)) / row->young;",
              "firn_world_temperature(world, slot)) / row->def.young[0];")),
]
