# SPDX-License-Identifier: Apache-2.0
"""The wind, and the drag of flakes in it."""
from .form import Mutation

MUTATIONS = [
    Mutation("sph-air-no-shelter", "nobody stands before anybody in the wind",
             "sph.air",
             ("src/solver/sph/air.c", "exposure = fmax(0, 1 - shield);", "exposure = 1;")),
    Mutation("sph-air-lee-in-front", "who is behind shields who is in front",
             "sph.air",
             ("src/solver/sph/air.c", "along += d * wind[a];", "along -= d * wind[a];")),
    Mutation("sph-air-all-alone", "every flake feels the wind as if it were alone",
             "sph.air",
             ("src/solver/sph/air.c", "look(s, around, i, way, &shield) / FULL", "0 * look(s, around, i, way, &shield) / FULL")),
    Mutation("sph-air-blocks", "flakes of the next block seem to be in one's own",
             "sph.air",
             ("src/solver/sph/air.c", " - 4 * span[o].step[a]; // cells", "; // cells")),
    Mutation("sph-air-not-booked", "the ledger does not know of what the wind gives",
             "sph.air",
             ("src/solver/sph/air.c", "world->ledger.given += sph_sum_units(s);", "")),
    Mutation("drag-half", "drag without its half",
             "world.wind",
             ("src/world/drag.h", "exposure * 0.5 * air->density", "exposure * air->density")),
    Mutation("drag-crowd", "a flake is its own crowd",
             "world.wind",
             ("src/world/drag.c", "fmax(0, (mass_near - mass) / full)",
              "fmax(0, mass_near / full + 0 * mass)")),
    Mutation("wind-forgets", "a checkpoint does not know the wind",
             "world.wind",
             ("src/world/wind.c", """\
  FIRN_TRY(visitor->blob(visitor->user, "wind", velocity, sizeof velocity));
  return load ?""", """\
  FIRN_TRY(visitor->blob(visitor->user, "wind", velocity, sizeof velocity));
  return load && velocity[0] != velocity[0] ?""")),
    Mutation("ellipsoid-gradient", "potential flow without the gradient of lambda",
             "world.wind",
             ("src/world/wind.c", "abc / delta * moment * 2 * r[a]",
              "abc / delta * moment * r[a]")),
]
