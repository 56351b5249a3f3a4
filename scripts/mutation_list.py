# SPDX-License-Identifier: Apache-2.0
"""The mutations of scripts/mutation.py, and the tests that must notice each.

Where the scalar and the vector kernels compute the same thing in their own way, each has a mutation
of its own. Where a test compares with a second implementation (corotated.h), there is a mutation of
both at once, so that something must know the truth. Neighbours in the list touch the same files,
which saves compiling.
"""


class Mutation:
    def __init__(self, name, what, tests, *edits, isa=None):
        self.name = name
        self.what = what
        # In double, where tolerances are tightest, unless the name says otherwise.
        self.tests = [t if t.endswith((".f32", ".f64")) else t + ".f64" for t in tests.split()]
        self.edits = edits  # (path, text that occurs once, text to put in its place)
        self.isa = isa      # what the CPU must have for the mutated code to run


LANE = "src/material/corotated_lane.h"
ORACLE = "src/material/corotated.h"
SNOW = "src/material/snow.h"
BSPLINE = "src/math/bspline.h"
SCALAR = "src/solver/mpm/kernels_scalar.c"
VECTOR = "src/solver/mpm/kernels_lane.h"
VECTORS = "src/solver/mpm/kernels_lane.inc.h"
MPM = "src/solver/mpm/mpm.c"
STEP = "src/solver/mpm/step.c"
IMPLICIT = "src/solver/mpm/implicit.c"
CONTACT = "src/solver/mpm/contact.c"
LAW = "src/world/contact.h"
COLLIDER = "src/world/collider.c"
FILL = "src/world/fill.c"
SORT = "src/world/sort.c"
GRID = "src/grid/grid.c"
VOLUME = "src/solver/mpm/volume.c"

# ------------------------------------------------------------------------------ edits used twice

# tau = P F^T = 2 mu (F - R) F^T + lambda (J - 1) F F^T.
COF_STRESS = (LANE, """\
  lane pressure = lambda * lane_fma(j, j, j), mu2 = mu + mu;
  for (int k = 0; k < 3; k++) tau[k] = lane_fma(mu2, lane_fma(s[k], s[k], s[k]), pressure);
""", """\
  lane mu2 = mu + mu, one = lane_set1(1);
  for (int k = 0; k < 3; k++)
    tau[k] = lane_fma(mu2, lane_fma(s[k], s[k], s[k]), lambda * j * (one + s[k]) * (one + s[k]));
""")
# A = 2 mu (G S - dR) S + lambda (S : G S) S S + lambda (J - 1) G S S.
COF_DIFFERENTIAL = (LANE, """\
    A[3 * i] = lane_fnma(skew, G[i], mu2 * x);
    A[3 * i + 1] = lane_fnma(skew, G[3 + i], mu2 * y);
    A[3 * i + 2] = lane_fnma(skew, G[6 + i], mu2 * z);
    A[4 * i] = A[4 * i] + trace;
  }
""", """\
    A[3 * i] = mu2 * x;
    A[3 * i + 1] = mu2 * y;
    A[3 * i + 2] = mu2 * z;
  }
  const lane S[9] = {xx, xy, xz, xy, yy, yz, xz, yz, zz};
  lane S2[9], work = lane_zero();
  for (int i = 0; i < 9; i++) {
    const int r = i / 3, c = i % 3;
    S2[i] = S[3 * r] * S[c] + S[3 * r + 1] * S[3 + c] + S[3 * r + 2] * S[6 + c];
    work = work + G[i] * S2[i];
  }
  for (int i = 0; i < 9; i++) {
    const int r = i / 3, c = i % 3;
    lane GS2 = G[3 * r] * S2[c] + G[3 * r + 1] * S2[3 + c] + G[3 * r + 2] * S2[6 + c];
    A[i] = A[i] + lambda * (work * S2[i] + j * GS2);
  }
""")
COF_ORACLE = [
    (ORACLE, "firn_mat3_axpy(lambda * (firn_mat3_det(F) - 1), firn_mat3_cofactor(F), P)",
     "firn_mat3_axpy(lambda * (firn_mat3_det(F) - 1), F, P)"),
    (ORACLE, "firn_mat3 cof = firn_mat3_cofactor(F);", "firn_mat3 cof = F;"),
    (ORACLE, "firn_mat3_axpy(lambda * (firn_mat3_det(F) - 1), firn_oracle_cofactor_change(F, dF)",
     "firn_mat3_axpy(lambda * (firn_mat3_det(F) - 1), dF"),
]
DELTA_R = (LANE, """\
  B[1] = B[1] + w2;
  B[2] = B[2] - w1;
  B[3] = B[3] - w2;
  B[5] = B[5] + w0;
  B[6] = B[6] + w1;
  B[7] = B[7] - w0;
""", "  (void)w0, (void)w1, (void)w2;\n")
DELTA_R_ORACLE = (ORACLE, "firn_mat3_sub(dF, firn_oracle_rotation_change(F, dF))", "dF")
JP = (SNOW, "*ln_jp + lane_log_near(", "*ln_jp - lane_log_near(")
JP_ORACLE = (ORACLE, "*J_P *= fmax(S[k], least) / c;", "*J_P *= c / fmax(S[k], least);")

# A generator with a state of its own, which every caller moves on.
SHARED_STATE = """\
  static uint64_t shared = 88172645463325252u;
  (void)seed, (void)id, (void)stream, (void)index;
  firn_philox c;
  for (int k = 0; k < 4; k++) {
    shared ^= shared << 13;
    shared ^= shared >> 7;
    shared ^= shared << 17;
    c.v[k] = (uint32_t)(shared >> 32);
  }
  return c;
"""

MUTATIONS = [
    # ---------------------------------------------------------------------------------- material
    Mutation("cof-replaced-by-F", "P = ... + lambda (J - 1) F, everywhere and consistently",
             "material.oracle mpm.oedometer mpm.force",
             COF_STRESS, COF_DIFFERENTIAL, *COF_ORACLE),
    Mutation("cof-replaced-by-F-in-stress", "the same in the laws' stress only",
             "material.law mpm.force mpm.oedometer", COF_STRESS),
    Mutation("cof-replaced-by-F-in-differential", "the same in the solver's differential only",
             "material.differential", COF_DIFFERENTIAL),
    Mutation("delta-R-dropped", "dP = 2 mu dF + ..., everywhere",
             "material.differential material.oracle", DELTA_R, DELTA_R_ORACLE),
    Mutation("delta-R-dropped-in-solver", "the same in the solver's differential only",
             "material.differential", DELTA_R),
    Mutation("delta-R-dropped-in-psd", "the twists of the clamped Hessian without delta R",
             "material.differential",
             (LANE, "lane_fma(mu2, sum / (lane_set1(2) + sum), lat)", "mu2 + lat")),
    Mutation("psd-clamp-dropped", "negative twists are kept", "material.differential",
             (LANE, "lane twist = lane_max(lane_fma(mu2, sum / (lane_set1(2) + sum), lat), zero);",
              "lane twist = lane_fma(mu2, sum / (lane_set1(2) + sum), lat);")),
    Mutation("cauchy-stress-with-V0", "Kirchhoff stress divided by J, in the law",
             "material.law mpm.oedometer mpm.force",
             (LANE, "lane_fma(mu2, lane_fma(s[k], s[k], s[k]), pressure);",
              "lane_fma(mu2, lane_fma(s[k], s[k], s[k]), pressure) / (lane_set1(1) + j);")),
    Mutation("energy-half-dropped", "Psi = ... + lambda (J - 1)^2", "material.law",
             (LANE, "lambda * lane_set1(FIRN_R(0.5)) * j * j", "lambda * j * j")),
    Mutation("jp-ratio-inverted", "J_P *= sigma / sigma_trial, everywhere",
             "material.oedometer mpm.oedometer", JP, JP_ORACLE),
    Mutation("jp-ratio-inverted-in-law", "the same in the law only", "material.law mpm.oedometer",
             JP),
    Mutation("hardening-sign-flipped", "mu = mu_0 exp(xi (J_P - 1))",
             "material.oedometer mpm.oedometer",
             (SNOW, "lane_exp(p->xi * (one - lane_exp(*ln_jp)))",
              "lane_exp(p->xi * (lane_exp(*ln_jp) - one))")),
    Mutation("yield-bounds-swapped", "stretches clamped to [1 - theta_s, 1 + theta_c]",
             "material.oedometer material.law mpm.oedometer",
             (SNOW, "k0 = lane_clamp(s[0], p->lo, p->hi), k1 = lane_clamp(s[1], p->lo, p->hi);",
              "k0 = lane_clamp(s[0], -p->hi, -p->lo), k1 = lane_clamp(s[1], -p->hi, -p->lo);"),
             (SNOW, "k2 = lane_clamp(s[2], p->lo, p->hi);",
              "k2 = lane_clamp(s[2], -p->hi, -p->lo);")),
    Mutation("one-stretch-not-clamped", "the third principal stretch never yields",
             "material.law",
             (SNOW, "lane k2 = lane_clamp(s[2], p->lo, p->hi);", "lane k2 = s[2];")),

    # ------------------------------------------------------------------------------------- basis
    Mutation("gradient-sign-flipped", "the derivatives of both splines change sign, for every path",
             "math.bspline mpm.force",
             (BSPLINE, "  dw[0] = -half * g2;\n  dw[1] = f * lane_fma(three_halves, f, -two);\n"
              "  dw[2] = g * lane_fnma(three_halves, g, two);\n  dw[3] = half * f2;\n",
              "  dw[0] = half * g2;\n  dw[1] = -f * lane_fma(three_halves, f, -two);\n"
              "  dw[2] = -g * lane_fnma(three_halves, g, two);\n  dw[3] = -half * f2;\n"),
             (BSPLINE, "  dw[0] = -a;\n  dw[1] = lane_set1(-2) * b;\n  dw[2] = c;\n",
              "  dw[0] = a;\n  dw[1] = lane_set1(2) * b;\n  dw[2] = -c;\n")),

    # ---------------------------------------------------------------------------- scalar kernels
    Mutation("gradient-sign-flipped-scalar-flip", "grad w of FLIP, force and velocity gradient",
             "mpm.force mpm.oedometer",
             (SCALAR, "firn_real per_h = 1 / view->h, per_dh", "firn_real per_h = -1 / view->h, per_dh")),
    Mutation("gradient-sign-flipped-scalar-apic", "w (x_i - x_p)/D, force and velocity gradient",
             "mpm.force mpm.oedometer",
             (SCALAR, "per_dh = 1 / (", "per_dh = -1 / (")),
    Mutation("gravity-dropped-scalar", "v* without g", "mpm.flight",
             (SCALAR, "(force[4 * n + a] * inverse + view->gravity[a])",
              "(force[4 * n + a] * inverse)")),
    Mutation("flip-against-v-star-scalar", "FLIP's difference v^{n+1} - v*", "mpm.flight",
             (SCALAR, """\
      if (u) u[4 * n + a] = old;
      v[4 * n + a] = active ? old + view->dt * (force[4 * n + a] * inverse + view->gravity[a]) : 0;
""", """\
      v[4 * n + a] = active ? old + view->dt * (force[4 * n + a] * inverse + view->gravity[a]) : 0;
      if (u) u[4 * n + a] = v[4 * n + a];
""")),
    Mutation("velocity-gradient-transposed-scalar", "G = sum grad w (x) v", "mpm.force",
             (SCALAR, "grad[3 * a + c] += node[a] * s->g[m][c];",
              "grad[3 * c + a] += node[a] * s->g[m][c];")),
    Mutation("cauchy-stress-with-V0-scalar", "Kirchhoff stress divided by J, in the kernel",
             "mpm.force",
             (SCALAR, "  for (int i = 0; i < 6; i++) view->b[i][slot] = e[i];\n  double sound2", """\
  for (int i = 0; i < 6; i++) view->b[i][slot] = e[i];
  firn_real xx = 1 + e[0], yy = 1 + e[1], zz = 1 + e[2];
  firn_real det = xx * (yy * zz - e[5] * e[5]) - e[3] * (e[3] * zz - e[5] * e[4]) +
                  e[4] * (e[3] * e[5] - yy * e[4]);
  for (int i = 0; i < 6; i++) tau[i] /= (firn_real)sqrt((double)det);
  double sound2""")),
    Mutation("node-sum-misses-an-offset-scalar", "one of the 27 neighbours is not added up",
             "mpm.conservation",
             (SCALAR, """\
    uint32_t b = firn_source_block(grid->source[n]);
    overlap in;
""", """\
    uint32_t b = firn_source_block(grid->source[n]);
    overlap in;
    if (firn_source_offset(grid->source[n]) == 26) continue;
""")),
    Mutation("affine-velocity-dropped-scalar", "APIC scatters v_p without C (x_i - x_p)",
             "mpm.conservation",
             (SCALAR, "w * mass * (v[a] + affine) + view->dt * f", "w * mass * v[a] + view->dt * f")),
    Mutation("preconditioner-wrong", "an off-diagonal of the block preconditioner has the wrong sign",
             "mpm.flight",
             (SCALAR, "node[3] += both * g[0] * g[1];", "node[3] -= both * g[0] * g[1];")),

    # ---------------------------------------------------------------------------- vector kernels
    Mutation("gradient-sign-flipped-vector-flip", "grad w of FLIP, force and velocity gradient",
             "mpm.force mpm.oedometer",
             (VECTORS, "lane k = lane_load(view->volume + slot) * lane_set1(-1 / view->h);",
              "lane k = lane_load(view->volume + slot) * lane_set1(1 / view->h);"),
             (VECTORS, "lane r[16], k = lane_set1(1 / view->h);",
              "lane r[16], k = lane_set1(-1 / view->h);"), isa="avx2"),
    Mutation("gradient-sign-flipped-vector-apic", "w (x_i - x_p)/D, force and velocity gradient",
             "mpm.force mpm.oedometer",
             (VECTORS, "firn_real per = -view->dt / (", "firn_real per = view->dt / ("),
             (VECTORS, "lane r[16], k = lane_set1(1 / ((firn_real)view->stencil.d * view->h));",
              "lane r[16], k = lane_set1(-1 / ((firn_real)view->stencil.d * view->h));"),
             isa="avx2"),
    Mutation("velocity-gradient-transposed-vector", "G = sum grad w (x) v", "mpm.force",
             (VECTORS, "grad[3 * a + c] = k * lane_fnma(", "grad[3 * c + a] = k * lane_fnma("),
             (VECTORS, "grad[3 * a + c] = k * r[4 + 4 * c + a];",
              "grad[3 * c + a] = k * r[4 + 4 * c + a];"), isa="avx2"),
    Mutation("affine-velocity-dropped-vector", "APIC scatters v_p without C (x_i - x_p)",
             "mpm.conservation",
             (VECTORS, "lane_fma(k, tau[at[3 * a + c]], mh * lane_load(view->c[3 * a + c] + slot))",
              "k * tau[at[3 * a + c]]"), isa="avx2"),
    Mutation("gravity-dropped-vector", "v* without g", "mpm.flight",
             (VECTOR, "g[a] = view->dt * view->gravity[a];", "g[a] = 0;"), isa="avx2"),
    Mutation("flip-against-v-star-vector", "FLIP's difference v^{n+1} - v*", "mpm.flight",
             (VECTOR, "      row_store(u + 16 * r, old);\n", "      row_store(u + 16 * r, now);\n"),
             isa="avx2"),
    Mutation("flip-against-v-star-spray", "the same in blocks that are set apart", "mpm.spray",
             (VECTOR, "    if (flip) row_store(u + r, old);\n",
              "    if (flip) row_store(u + r, now);\n"), isa="avx2"),
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
             (VECTOR, "  if (apart) return false;\n  out->sy", "  if (apart || o == 26) return false;\n  out->sy"),
             isa="avx2"),
    Mutation("spray-misses-a-neighbour", "a block set apart leaves out its first neighbour",
             "mpm.spray",
             (VECTOR, "for (uint32_t n = grid->neighbour_start[b]; n <",
              "for (uint32_t n = grid->neighbour_start[b] + 1; n <"), isa="avx2"),

    # ------------------------------------------------------------------------------ the MPM step
    Mutation("apic-D-of-the-other-spline-cubic", "D = h^2/4 for h^2/3: off by 4/3",
             "mpm.force mpm.conservation",
             (MPM, ".shift = 0, .d = 1.0 / 3}", ".shift = 0, .d = 1.0 / 4}")),
    Mutation("apic-D-of-the-other-spline-quadratic", "D = h^2/3 for h^2/4: off by 4/3",
             "mpm.force mpm.conservation",
             (MPM, ".shift = 0.5, .d = 1.0 / 4}", ".shift = 0.5, .d = 1.0 / 3}")),
    Mutation("flip-rescale-ignored", "alpha does not follow the time step (D-3)", "mpm.damping",
             (STEP, "if (m->def.flip_rescale && alpha > 0) alpha", "if (alpha < 0) alpha")),
    Mutation("guard-against-inversion-dropped", "a step that inverts a particle is not redone",
             "api.faults api.stepping",
             (STEP, "if (det > m->def.min_det) break;", "if (det == det) break;")),
    Mutation("volume-rule-ignored", "V0 is always nominal (D-4)", "mpm.sphere",
             (VOLUME, "bool nominal = m->def.volume_nominal ||", "bool nominal = true ||")),

    # ---------------------------------------------------------------------------- implicit solve
    Mutation("beta-ignored", "beta = 1 whatever was asked for", "mpm.flight",
             (IMPLICIT, "(firn_real)(m->def.beta * (double)view->dt", "(firn_real)((double)view->dt")),
    Mutation("hessian-dropped", "the semi-implicit step solves M v = M v*", "mpm.flight",
             (IMPLICIT, "(firn_real)(m->def.beta * (double)view->dt", "(firn_real)(0 * (double)view->dt")),
    Mutation("projecting-three-for-one", "D-6: a sliding node is held altogether",
             "mpm.flight",
             (IMPLICIT, "for (int a = 0; a < 3; a++) block[a] -= along * constraint[a];",
              "for (int a = 0; a < 3; a++) block[a] = 0;")),
    Mutation("projecting-three-for-one-in-contact", "D-6: every contact is taken for sticking",
             "mpm.flight",
             (CONTACT, "if (contact == FIRN_CONTACT_STICK || m->def.contact_node ||",
              "if (contact == FIRN_CONTACT_STICK || true ||")),
    Mutation("cr-direction-forgotten", "conjugate residuals without their beta", "linear.dense",
             ("src/linear/cr.c", "zeta_last != 0 ? mine.zeta / zeta_last : 0;", "0 * zeta_last;")),

    # ---------------------------------------------------------------------------------- contacts
    Mutation("collider-velocity-dropped", "a moving collider has the velocity of one at rest",
             "mpm.flight",
             (COLLIDER, "velocity[a] += collider->velocity[a];", "velocity[a] += 0;")),
    Mutation("collider-velocity-dropped-in-law", "v_rel = v", "mpm.flight",
             (LAW, "rel[a] = v[a] - v_co[a];", "rel[a] = v[a];")),
    Mutation("friction-sign-flipped", "friction drives what slides", "mpm.flight",
             (LAW, "double scale = 1 + friction * v_n / v_t;", "double scale = 1 - friction * v_n / v_t;")),
    Mutation("separation-ignored", "what leaves a surface is held back", "mpm.flight",
             (LAW, "if (v_n >= 0) return FIRN_CONTACT_NONE;", "if (v_n > 1e30) return FIRN_CONTACT_NONE;")),

    # ----------------------------------------------------------------------- particles and grids
    Mutation("sort-drops-a-particle", "of the particles that enter a block the last is lost",
             "mpm.flight mpm.conservation",
             (SORT, "*out++ = s->mover[from[b].mover_first + m].slot;",
              "*out++ = s->mover[from[b].mover_first + (m ? m - 1 : 0)].slot;")),
    Mutation("sort-forgets-a-field", "the last field does not follow its particles",
             "mpm.simd mpm.conservation",
             (SORT, "for (int f = 0; f < p->field_count; f++) {\n    firn_field *field = &p->field[f];\n    permute",
              "for (int f = 0; f < p->field_count - 1; f++) {\n    firn_field *field = &p->field[f];\n    permute")),
    Mutation("periodic-grid-off-by-one", "node blocks wrap a block too late", "mpm.waves",
             (GRID, "if (n) at[a] = (at[a] + n) % n;", "if (n) at[a] = (at[a] + n) % (n + 1);")),
    Mutation("periodic-sort-off-by-one", "particles wrap a block too late", "mpm.waves mpm.energy",
             (SORT, "to[a] = (to[a] % n + n) % n;", "to[a] = (to[a] % (n + 1) + n + 1) % (n + 1);")),

    # -------------------------------------------------------------------------------- randomness
    Mutation("philox-shared-state", "random numbers come from one state that all callers move on",
             "base.random",
             ("src/base/random.h",
              "  uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);\n"
              "  firn_philox c = {{(uint32_t)id, (uint32_t)(id >> 32), stream, index}};\n",
              SHARED_STATE + "  uint32_t key0 = 0, key1 = 0;\n")),
]
