# SPDX-License-Identifier: Apache-2.0
"""The linear solvers."""
from .form import Mutation

MUTATIONS = [
    Mutation("cg-direction-forgotten", "conjugate gradients without their beta",
             "linear.dense",
             ("src/linear/cg.c", "firn_block_xpay(k->p + i, z, (firn_real)k->beta, n);",
              "firn_block_xpay(k->p + i, z, 0, n);")),
    Mutation("minres-rotation-reversed", "rho0 with the wrong sign",
             "linear.dense",
             ("src/linear/minres.c", "k->c * k->delta - k->c_last * k->s * k->gamma",
              "k->c * k->delta + k->c_last * k->s * k->gamma")),
    Mutation("cr-direction-forgotten", "conjugate residuals without their beta",
             "linear.dense",
             ("src/linear/cr.c", "zeta_last != 0 ? mine.zeta / zeta_last : 0;", "0 * zeta_last;")),
    Mutation("bicgstab-steepest-wrong", "omega is turned upside down",
             "linear.bicgstab sph.solves",
             ("src/linear/bicgstab.c", "k->omega = ts / tt;", "k->omega = tt / ts;")),
    Mutation("mixed-alpha", "the residual forgets half of each step", "linear.mixed linear.multigrid",
             ("src/linear/mixed.c", "k->r[n] -= alpha * k->q[n];", "k->r[n] -= 0.5 * alpha * k->q[n];")),
    Mutation("multigrid-coarse", "coarse weights are whole sums", "linear.multigrid",
             ("src/linear/multigrid.c", "const firn_real half = FIRN_R(0.5), *from",
              "const firn_real half = FIRN_R(4), *from")),
    Mutation("multigrid-lopsided", "sweeps after the coarse level are not those before it",
             "linear.multigrid",
             ("src/linear/multigrid.c", "  sweep(mg, who, l, STEP[0], l->y, i ? l->x : z);",
              "  sweep(mg, who, l, STEP[1], l->y, i ? l->x : z);")),
    Mutation("multigrid-lanes", "a cell takes itself for the one above it", "linear.multigrid.f32",
             ("src/grid/beside_lane.h", "_mm256_permute_ps(lane_loadu(in + n), 0xf9)",
              "_mm256_permute_ps(lane_loadu(in + n), 0xf8)"), isa="avx2"),
]
