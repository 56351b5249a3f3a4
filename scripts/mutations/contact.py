# SPDX-License-Identifier: Apache-2.0
"""Snow of the material point method against colliders, and how colliders move."""
from .form import Mutation

CONTACT = "src/solver/mpm/contact.c"
LAW = "src/world/contact.h"

MUTATIONS = [
    Mutation("particle-contact-dropped", "step 9 is left out",
             "mpm.particle_contact",
             (CONTACT, "  collide_velocity(s, p->stride, p->v);\n", "")),
    Mutation("push-out-dropped", "particles are left where they sank in",
             "mpm.particle_contact",
             (CONTACT, "if (m->def.push_out >= 0) {", "if (m->def.push_out > 1e9) {")),
    Mutation("advection-into-colliders", "the grid's velocity moves particles uncollided",
             "mpm.particle_contact",
             (CONTACT, "if (p->advect != p->v) collide_velocity(", "if (!p->v) collide_velocity(")),
    Mutation("collider-sampled-at-the-beginning", "colliders are a step behind (D-8)",
             "mpm.particle_contact",
             ("src/solver/mpm/near.c", "(m->def.collider_begin ? 0 : (double)m->view.dt)", "0")),
    Mutation("collider-velocity-dropped", "a moving collider has the velocity of one at rest",
             "mpm.contact",
             ("src/world/motion.c", "    v[a] = m->velocity[a];", "    v[a] = 0;")),
    Mutation("collider-stays", "a moving collider stays where it was",
             "mpm.contact",
             ("src/world/motion.c", "d[a] = m->velocity[a] * time;", "d[a] = 0 * time;")),
    Mutation("collider-spin-reversed", "a turning collider turns the other way",
             "mpm.contact world.motion",
             ("src/world/motion.c", "part[a] = m->spin[a] * time;", "part[a] = -m->spin[a] * time;")),
    Mutation("still-body-has-its-parents-velocity", "at its own pivot, not at its parent's",
             "world.motion",
             ("src/world/motion.c", "    memcpy(out->velocity, d, sizeof d);\n", "")),
    Mutation("corner-shares-evenly", "two colliders that hold a node share its impulse by halves",
             "mpm.collider_force",
             ("src/solver/mpm/push.c", "by[i].along = fmax(0, was - dot(rest, by[i].normal));",
              "by[i].along = was;")),
    Mutation("collider-velocity-dropped-in-law", "v_rel = v",
             "mpm.contact",
             (LAW, "rel[a] = v[a] - v_co[a];", "rel[a] = v[a];")),
    Mutation("friction-sign-flipped", "friction drives what slides",
             "mpm.contact mpm.incline",
             (LAW, "? 1 + friction * v_n / v_t :", "? 1 - friction * v_n / v_t :")),
    Mutation("separation-ignored", "what leaves a surface is held back",
             "mpm.contact mpm.sticky",
             (LAW, "if (v_n >= 0) return", "if (v_n > 1e30) return")),
    Mutation("sticky-ignored", "sticky surfaces only rub",
             "mpm.contact mpm.sticky",
             (LAW, "if (sticky) {", "if (sticky && friction < 0) {")),
]
