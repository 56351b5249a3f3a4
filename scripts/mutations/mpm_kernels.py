# SPDX-License-Identifier: Apache-2.0
"""The kernels of the material point method, scalar and vector, and the splines under them.

Where the two compute the same thing in their own way, each has a mutation of its own.
"""
from .form import Mutation

BSPLINE = "src/math/bspline.h"
SCALAR = "src/solver/mpm/kernels_scalar.c"
VECTOR = "src/solver/mpm/kernels_lane.h"
VECTORS = "src/solver/mpm/kernels_lane.inc.h"
GRAINS = "src/solver/mpm/kernels_grain.inc.h"
PARCEL = "src/solver/mpm/kernels_parcel.h"
PARCELS = "src/solver/mpm/kernels_parcel.inc.h"
ALONE = "src/solver/mpm/kernels_alone.inc.h"
CLUMP = "src/solver/mpm/clump.c"
PATCH = "src/solver/mpm/kernels_clump.h"
PATCHES = "src/solver/mpm/kernels_clump_lane.h"
FEW = "src/solver/mpm/kernels_few.h"
FEWS = "src/solver/mpm/kernels_few.inc.h"

MUTATIONS = [
    Mutation("gradient-sign-flipped", "derivatives of both splines, for every path",
             "math.bspline mpm.force",
             (BSPLINE, """\
  dw[0] = -half * g2;
  dw[1] = f * lane_fma(three_halves, f, -two);
  dw[2] = g * lane_fnma(three_halves, g, two);
  dw[3] = half * f2;
""", """\
  dw[0] = half * g2;
  dw[1] = -f * lane_fma(three_halves, f, -two);
  dw[2] = -g * lane_fnma(three_halves, g, two);
  dw[3] = -half * f2;
"""),
             (BSPLINE, "  dw[0] = -a;\n  dw[1] = lane_set1(-2) * b;\n  dw[2] = c;\n",
              "  dw[0] = a;\n  dw[1] = lane_set1(2) * b;\n  dw[2] = -c;\n")),
    Mutation("weights-biased", "inner weights by the printed polynomial: their sum is off by eps",
             "mpm.flight",
             (BSPLINE, "lane mean = half * (one - (w[0] + w[3]));",
              "lane mean = lane_fma(half * half, f * g, lane_set1(FIRN_R(5.0 / 12)));")),
    # Force and velocity gradient change sign together: strain changes sign, and stress, and the
    # force is what it was. Only what knows the sign of strain can tell.
    Mutation("gradient-sign-flipped-flip-scalar", "grad w in force and velocity gradient",
             "mpm.force mpm.oedometer",
             (SCALAR, "per_h = 1 / view->h, per_dh", "per_h = -1 / view->h, per_dh")),
    Mutation("gradient-sign-flipped-apic-scalar", "w (x_i - x_p)/D in both",
             "mpm.force mpm.oedometer",
             (SCALAR, "per_dh = 1 / (", "per_dh = -1 / (")),
    Mutation("velocity-gradient-transposed-scalar", "G = sum grad w (x) v",
             "mpm.force",
             (SCALAR, "grad[3 * a + c] += node[a] * s->g[m][c];",
              "grad[3 * c + a] += node[a] * s->g[m][c];")),
    Mutation("gravity-dropped-scalar", "v* without g",
             "mpm.flight",
             (SCALAR, "(f * inverse + view->gravity[a])", "(f * inverse)")),
    Mutation("flip-against-v-star-scalar", "FLIP's difference is v^{n+1} - v*",
             "mpm.flight",
             (SCALAR, """\
    old[a] = before;
    v[a] = active ? before + view->dt * (f * inverse + view->gravity[a]) : 0;
""", """\
    v[a] = active ? before + view->dt * (f * inverse + view->gravity[a]) : 0;
    old[a] = v[a];
""")),
    Mutation("cauchy-stress-with-V0-scalar", "Kirchhoff stress divided by J, in the kernel",
             "mpm.force",
             (SCALAR, """\
  double sound2""", """\
  firn_real xx = 1 + e[0], yy = 1 + e[1], zz = 1 + e[2];
  firn_real det = xx * (yy * zz - e[5] * e[5]) - e[3] * (e[3] * zz - e[5] * e[4]) +
                  e[4] * (e[3] * e[5] - yy * e[4]);
  for (int i = 0; i < 6; i++) tau[i] /= (firn_real)sqrt((double)det);
  double sound2""")),
    Mutation("node-sum-misses-an-offset-scalar", "one of the 27 neighbours is not added up",
             "mpm.conservation",
             (SCALAR, "    if (asleep == 0 && (box->asleep",
              "    if (firn_giver_offset(grid->source[n]) == 26) continue;\n"
              "    if (asleep == 0 && (box->asleep")),
    Mutation("affine-velocity-dropped-scalar", "APIC scatters v_p without C (x_i - x_p)",
             "mpm.conservation",
             (SCALAR, "w * mass * (v[a] + affine)", "w * mass * (v[a] + 0 * affine)")),
    Mutation("advection-blended-scalar", "particles never move with the grid's velocity (D-2)",
             "mpm.blend",
             (SCALAR, "if (!view->advect_pic) memcpy(", "memcpy(")),
    Mutation("stiffness-not-hardened-scalar", "the implicit operator without hardening",
             "mpm.operator",
             (SCALAR, "view->stiff[0][slot] = volume * params.mu * hard;",
              "view->stiff[0][slot] = volume * params.mu;")),
    Mutation("hessian-transposed-scalar", "A^T grad w for A grad w",
             "mpm.operator",
             (SCALAR, "node[c] += a[3 * c] * g[0] + a[3 * c + 1] * g[1] + a[3 * c + 2] * g[2];",
              "node[c] += a[c] * g[0] + a[3 + c] * g[1] + a[6 + c] * g[2];")),
    Mutation("preconditioner-indefinite", "the block preconditioner takes K from M",
             "mpm.solve",
             (SCALAR, "double k = (double)view->stiffness_factor, m = (double)mass;",
              "double k = -(double)view->stiffness_factor, m = (double)mass;")),
    Mutation("gradient-sign-flipped-flip-vector", "grad w in force and velocity gradient",
             "mpm.force mpm.oedometer",
             (VECTORS, "lane k = lane_load(view->volume + slot) * lane_set1(-1 / view->h);",
              "lane k = lane_load(view->volume + slot) * lane_set1(1 / view->h);"),
             (VECTORS, "lane r[16], k = lane_set1(1 / view->h);",
              "lane r[16], k = lane_set1(-1 / view->h);"), isa="avx2"),
    Mutation("gradient-sign-flipped-apic-vector", "w (x_i - x_p)/D in both",
             "mpm.force mpm.oedometer",
             (VECTORS, "firn_real per = -view->dt / (", "firn_real per = view->dt / ("),
             (VECTORS, "lane r[16], k = lane_set1(1 / ((firn_real)view->stencil.d * view->h));",
              "lane r[16], k = lane_set1(-1 / ((firn_real)view->stencil.d * view->h));"),
             isa="avx2"),
    Mutation("velocity-gradient-transposed-vector", "G = sum grad w (x) v",
             "mpm.force",
             (VECTORS, "grad[3 * a + c] = k * lane_fnma(", "grad[3 * c + a] = k * lane_fnma("),
             (VECTORS, "grad[3 * a + c] = k * r[4 + 4 * c + a];",
              "grad[3 * c + a] = k * r[4 + 4 * c + a];"), isa="avx2"),
    Mutation("affine-velocity-dropped-vector", "APIC scatters v_p without C (x_i - x_p)",
             "mpm.conservation",
             (VECTORS, "lane_fma(k, tau[at[3 * a + c]], mh * lane_load(view->c[3 * a + c] + slot))",
              "k * tau[at[3 * a + c]]"), isa="avx2"),
    Mutation("advection-blended-vector", "particles never move with the grid's velocity (D-2)",
             "mpm.blend",
             (VECTORS, "bool separate = !APIC && view->advect_pic;", "bool separate = false;"),
             isa="avx2"),
    Mutation("hessian-sign-flipped-vector", "the gradient in the operator's force",
             "mpm.operator",
             (VECTORS, "  lane k = lane_set1(1 / ((firn_real)view->stencil.d * view->h));",
              "  lane k = lane_set1(-1 / ((firn_real)view->stencil.d * view->h));"),
             (VECTORS, "  lane k = lane_set1(1 / view->h);",
              "  lane k = lane_set1(-1 / view->h);"), isa="avx2"),
    Mutation("gravity-dropped-vector", "v* without g",
             "mpm.flight",
             (VECTOR, "g[a] = view->dt * view->gravity[a];", "g[a] = 0;"), isa="avx2"),
    Mutation("flip-against-v-star-vector", "FLIP's difference is v^{n+1} - v*",
             "mpm.flight",
             (VECTOR, "      row_store(u + 16 * r, old);\n", "      row_store(u + 16 * r, now);\n"),
             isa="avx2"),
    Mutation("flip-against-v-star-spray", "the same in blocks that are set apart",
             "mpm.spray",
             (ALONE, "row_fnma(math->alpha, row_mul(inverse, v[j]), now)",
              "row_fnma(math->alpha, now, now)"), isa="avx2"),
    Mutation("flip-against-v-star-touched", "the same where they touch a collider",
             "mpm.spray",
             (PARCEL, "row_fnma(math->alpha, row->old, row_blend_w(row->now, math->zero))",
              "row_fnma(math->alpha, row->now, row_blend_w(row->now, math->zero))"), isa="avx2"),
    Mutation("cauchy-stress-with-V0-vector", "Kirchhoff stress divided by J, in the kernel",
             "mpm.force",
             (VECTOR, "  for (int i = 0; i < 6; i++) lane_store(view->b[i] + slot, e[i]);\n", """\
  for (int i = 0; i < 6; i++) lane_store(view->b[i] + slot, e[i]);
  lane xx = lane_set1(1) + e[0], yy = lane_set1(1) + e[1], zz = lane_set1(1) + e[2];
  lane det = xx * (yy * zz - e[5] * e[5]) - e[3] * (e[3] * zz - e[5] * e[4]) +
             e[4] * (e[3] * e[5] - yy * e[4]);
  for (int i = 0; i < 6; i++) tau[i] = tau[i] / lane_sqrt(det);
"""), isa="avx2"),
    Mutation("node-sum-misses-an-offset-vector", "one of the 27 neighbours is not added up",
             "mpm.conservation",
             (VECTOR, "  if (outside) return false;\n  out->asleep",
              "  if (outside || o == 26) return false;\n  out->asleep"), isa="avx2"),
    Mutation("parts-miss-their-cube", "a parcel of spray knows the last part of each cube only",
             "mpm.spray",
             ("src/grid/parcels.c", "if (made) entry->value =", "entry->value ="), isa="avx2"),
    Mutation("spray-misses-a-neighbour", "a parcel of spray leaves out others' grains",
             "mpm.spray",
             (PARCELS, "      K(sow_frame)(f, &seed, guest[n].at, false, nodes);\n", ""), isa="avx2"),
    Mutation("sparse-spray-misses-a-neighbour", "a grain by itself leaves out others' grains",
             "mpm.spray",
             (ALONE, "    K(sow_patch)(&seed, d, &m->patch);",
              "    if (!(d[0] | d[1] | d[2])) K(sow_patch)(&seed, d, &m->patch);"), isa="avx2"),
    Mutation("lone-spray-keeps-no-gradient", "FLIP: a grain that meets nobody is not strained",
             "mpm.spray",
             (ALONE, "out[4 + 4 * c + a] = row[4 + 4 * c + a] * sum;",
              "out[4 + 4 * c + a] = 0 * sum;"), isa="avx2"),
    Mutation("lone-spray-keeps-no-slopes", "APIC: a grain that meets nobody comes back without C",
             "mpm.spray",
             (ALONE, "firn_real spread = per * (firn_real)view->stencil.d;",
              "firn_real spread = 0;"), isa="avx2"),
    Mutation("lone-spray-adds-its-velocity", "FLIP: a grain that meets nobody, against no old v",
             "mpm.spray",
             (ALONE, "out[a] = (1 - view->alpha) * v + fall;", "out[a] = v + fall;"),
             isa="avx2"),
    Mutation("sparse-spray-looks-too-near", "grains that begin behind one are not looked for",
             "mpm.spray",
             (ALONE, "x < with->at[0] + WIDTH; x++", "x <= with->at[0]; x++"), isa="avx2"),
    Mutation("sparse-spray-blind-for-node-blocks", "a grain by itself although it shares node blocks",
             "mpm.spray",
             (PARCELS, "if (view->found[b] || view->box[b].touched) return false;",
              "if (view->box[b].touched) return false;"), isa="avx2"),
    Mutation("spray-sums-not-cleared", "a parcel of spray adds to what the one before left",
             "mpm.spray",
             (PARCELS, "memset(nodes->made + first, 0, count);",
              "memset(nodes->made + first, 1, count);"), isa="avx2"),
    Mutation("spray-overwrites-sums", "of the grains of a parcel that share a node the last one has it",
             "mpm.spray",
             (PARCELS, "memset(nodes->made + node, 1, 4);", "memset(nodes->made + node, 0, 4);"),
             isa="avx2"),
    Mutation("spray-planes-too-few", "a parcel writes into planes that are still to be reaped",
             "mpm.spray",
             (PARCELS, "f.planes = step + 2 * rest;", "f.planes = step + rest;"), isa="avx2"),
    Mutation("spray-moved-twice", "nodes of spray that come from node blocks are moved once more",
             "mpm.spray",
             (ALONE, "v[j] = row_select_nodes(left[j], v[j], moved_v[j]);",
              "v[j] = row_select_nodes(15, v[j], moved_v[j]);"), isa="avx2"),
    Mutation("spray-not-collided", "nodes of blocks set apart pass through colliders",
             "mpm.particle_contact mpm.spray",
             (PARCEL, "  if (found) mpm_cube_contact(view, cube, v);\n", ""), isa="avx2"),
    Mutation("spray-pushes-for-others", "a parcel tells colliders of mass that others tell of, too",
             "mpm.spray",
             (PARCELS, "others[node + z] += mass * seed->wz[z];", "others[node + z] += 0 * mass;"),
             isa="avx2"),
    Mutation("spray-forgets-whose-mass", "a parcel takes away mass of others in planes gone by",
             "mpm.spray",
             (PARCELS, "if (f->told) memset(nodes->others + first, 0, count * sizeof *nodes->others);", ""),
             isa="avx2"),
    Mutation("spray-blind-for-node-blocks", "spray beside others does not take over their nodes",
             "mpm.spray",
             (PARCELS, "    if (with.any) take_node_blocks(view, &with, slab, &f, !APIC, nodes);\n", ""),
             isa="avx2"),
    Mutation("grain-overwrites-grain", "thin blocks write over what was sown before",
             "mpm.simd mpm.conservation",
             (GRAINS, "row_storeu(momentum, row_fma(wy, plane->t, sum));",
              "row_storeu(momentum, row_fma(wy, plane->t, row_zero()));"), isa="avx2"),
    Mutation("spray-not-bounded", "a gradient in a block set apart may invert its particles",
             "mpm.guard",
             (VECTORS, "if (!lmask_any(over)) return;", "return;"), isa="avx2"),
    Mutation("flip-against-v-star-clump", "the same on the patches of clumps",
             "mpm.clump",
             (PATCHES, "    if (math.flip) row_store(u + r, old);\n",
              "    if (math.flip) row_store(u + r, now);\n"), isa="avx2"),
    Mutation("clump-residual-reversed", "a clump's solve starts from the residual's opposite",
             "mpm.clump",
             (PATCH, "lane r = -p->factor * lane_load", "lane r = p->factor * lane_load")),
    Mutation("clump-tolerance-not-squared", "clumps are solved to the root of the tolerance",
             "mpm.clump",
             (CLUMP, "s->threshold = m->def.tolerance * m->def.tolerance * datum.square;",
              "s->threshold = m->def.tolerance * datum.square;")),
    Mutation("few-gram-not-transposed", "a clump's pair of particles as seen from the wrong one",
             "mpm.clump",
             (FEW, "lane of = g[k <= l ? 3 * c + d : 3 * d + c];", "lane of = g[3 * c + d];"),
             isa="avx2"),
    Mutation("few-without-mass", "the product of a clump's solve without nodes lacks the mass",
             "mpm.clump",
             (FEW, "w[k][i] = lane_fma(factor, a[i], r[k][i]);", "w[k][i] = factor * a[i];"),
             isa="avx2"),
    Mutation("few-factors-exchanged", "a mixed term of the matrix of a few particles is its mirror image",
             "mpm.clump",
             (FEWS, "row[5] = lane_fma(ew[1][j], ze, row[5]);",
              "row[5] = lane_fma(we[1][j], ez, row[5]);"), isa="avx2"),
    Mutation("few-unfinished-taken", "what has not converged without nodes counts as solved",
             "mpm.clump",
             (FEW, "if (!lmask_any(active) || iterations >= most) return;",
              "if (!lmask_any(active)) return;\n"
              "    if (iterations >= most) {\n"
              "      few_end(f, active, residual, zero, threshold, iterations, system);\n"
              "      return;\n"
              "    }"), isa="avx2"),
    Mutation("soft-clumps-solved-for", "clumps that an explicit step suits take part in solves",
             "mpm.clump",
             (CLUMP, "  return soft;\n", "  return soft && m->def.beta < 0;\n")),
    Mutation("clumps-not-guarded", "a step may turn a clump inside out",
             "mpm.clump",
             (CLUMP, "    if (!(det > m->def.min_det)) {\n", "    if (!(det == det)) {\n")),
    Mutation("clump-blend-not-rescaled", "alpha does not follow a part of the step",
             "mpm.clump",
             (CLUMP, "bool same = n == 1 || !m->def.flip_rescale;", "bool same = n > 0;")),
    Mutation("clump-affine-part-lost", "clumps lose what APIC gathers",
             "mpm.clump",
             (CLUMP, "  for (int i = 0; i < 9 && to->apic; i++) memcpy(",
              "  for (int i = 0; i < 0 && to->apic; i++) memcpy(")),
    Mutation("clump-yields-for-nothing", "what plastic flow takes in clumps is not told",
             "mpm.clump",
             (CLUMP, "  m->memory.plastic += sums->tally.spent;\n", "")),
    Mutation("sleep-without-force", "what sleeps holds nothing up",
             "mpm.sleep",
             (VECTOR, "if (!asleep && (in[n].asleep || in[n].soft)) continue;",
              "if (in[n].asleep || (!asleep && in[n].soft)) continue;"),
             isa="avx2"),
    Mutation("laws-not-told-apart-vector", "a group of two laws follows the first one's",
             "mpm.simd",
             (VECTOR, "*mixed = !same;", "*mixed = false;"), isa="avx2"),
    Mutation("stiffness-not-hardened-vector", "the implicit operator without hardening",
             "mpm.operator",
             (VECTOR, "lane_store(view->stiff[0] + slot, volume * p.mu * hard);",
              "lane_store(view->stiff[0] + slot, volume * p.mu);"), isa="avx2"),
    Mutation("cut-forgotten", "density forgets what the bounds on J_P cut off",
             "mpm.start",
             (SCALAR, "view->ln_cut[slot] += firn_law_cut(", "(void)firn_law_cut(")),
    Mutation("cut-forgotten-lanes", "the same in the vector kernels",
             "mpm.start",
             (VECTOR, "lane_load(view->ln_cut + slot) + cut", "lane_load(view->ln_cut + slot)")),
]
