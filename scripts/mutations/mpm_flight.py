# SPDX-License-Identifier: Apache-2.0
"""Particles in free flight: who takes off, who lands, and what they keep."""
from .form import Mutation

FLIGHT = "src/solver/mpm/flight.c"

MUTATIONS = [
    Mutation("flight-lands-late", "two that fly are taken apart though their stencils are about to meet",
             "mpm.alone",
             (FLIGHT, "if (fabs(dx) - fabs(dv) * t >= width + 2 * MARGIN) return false;",
              "if (fabs(dx) - 0 * t * fabs(dv) >= width + 2 * MARGIN) return false;")),
    Mutation("flight-into-snow", "what a block may reach grounds nobody",
             "mpm.alone",
             (FLIGHT, "return !meets_reach(n, &reach, d) || (flies && note(c, other));",
              "return reach.lo[0] < 127 || (flies && note(c, other));")),
    Mutation("flight-through-colliders", "colliders ground nobody",
             "mpm.alone",
             (FLIGHT, "c->grounded = !look_around(s, c) || meets_collider(s, c);",
              "c->grounded = !look_around(s, c) || (meets_collider(s, c) && !c);")),
    Mutation("flight-never-looks-again", "who flies does so for ever",
             "mpm.alone",
             (FLIGHT, "if (world->time + dt > memory->flight_until) return true;", "")),
    Mutation("flight-ignores-changes", "velocities and gravity that are set do not bring anybody down",
             "mpm.alone",
             (FLIGHT, "if (memory->must_survey || memory->flight_changes != world->changes) return true;",
              "")),
    Mutation("flight-keeps-strain", "a grain that takes off keeps its strain",
             "mpm.alone",
             (FLIGHT, "for (int i = 0; i < 6; i++) view->b[i][slot] = 0;", "")),
    Mutation("flight-release-not-in-books", "the energy of released strain is in no book",
             "mpm.alone",
             (FLIGHT, "m->memory.plastic += energy[i];", "m->memory.plastic += 0 * energy[i];")),
    Mutation("flight-loses-the-affine-part", "APIC's C is lost when a particle takes off",
             "mpm.alone mpm.apart",
             (FLIGHT, "for (int i = 0; i < 6; i++) view->b[i][slot] = 0;",
              "for (int i = 0; i < 6; i++) view->b[i][slot] = 0;\n"
              "  for (int i = 0; i < 9 && view->apic; i++) view->c[i][slot] = 0;")),
    Mutation("flight-old-velocity", "positions move with the velocity before gravity",
             "mpm.flight",
             (FLIGHT, "to[k] += per_cell * with[k];", "to[k] += per_cell * (with[k] - dv[a]);")),
    Mutation("flight-without-wind", "no wind for what flies",
             "mpm.alone",
             ("src/world/drag.c", "drag_one(s, p->pending_at[i], p->slots + i, mass_beside(p, i), &e);",
              "(void)mass_beside;")),
    Mutation("flight-of-density-forgotten", "a lone particle takes its volume from one axis only",
             "mpm.alone",
             ("src/solver/mpm/density.c", "density *= sum / m->view.h;",
              "density *= a ? 1 / m->view.h : sum / m->view.h;")),
]
