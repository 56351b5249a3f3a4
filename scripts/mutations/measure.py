# SPDX-License-Identifier: Apache-2.0
"""Measures by which runs are compared."""
from .form import Mutation

MUTATIONS = [
    Mutation("measure-one-tail", "the extent leaves out a whole percent at each end",
             "api.measure",
             ("src/api/measure_frame.c", "double tail = 0.5 * (1 - inside) * all;",
              "double tail = (1 - inside) * all;")),
    Mutation("measure-own-cell", "pieces are found in the cells of the finest run",
             "api.measure",
             ("src/api/measure_frame.c", "cell = fmax(cell, g.h);",
              "cell = cell > 0 ? fmin(cell, g.h) : g.h;")),
    Mutation("measure-any-particle", "one particle of any run fills a cell of pieces",
             "api.measure",
             ("src/api/measure_frame.c", "def->density = 0.5 * mass", "def->density = 0 * mass")),
    Mutation("measure-last-force", "forces are those of whole frames that touch the window",
             "api.measure",
             ("src/api/measure.c", "double within = fmax(fmin(end, to) - fmax(begin, from), 0);",
              "double within = end > from && begin < to ? end - begin : 0;")),
    Mutation("measure-momentum-share", "momentum is compared by the length of a component",
             "api.measure",
             ("src/api/measure.c", "isnan(whole) ? 0 : whole", "isnan(whole) ? 0 : own")),
]
