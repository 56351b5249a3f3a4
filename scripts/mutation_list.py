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
ORACLE = "tests/material/corotated.h"
SNOW = "src/material/snow.h"
BSPLINE = "src/math/bspline.h"
SCALAR = "src/solver/mpm/kernels_scalar.c"
VECTOR = "src/solver/mpm/kernels_lane.h"
VECTORS = "src/solver/mpm/kernels_lane.inc.h"
MPM = "src/solver/mpm/mpm.c"
STEP = "src/solver/mpm/step.c"
REST = "src/solver/mpm/rest.c"
BALANCE = "src/solver/mpm/balance.c"
BALANCE_ROLES = "src/solver/mpm/balance_roles.c"
BALANCE_SECANT = "src/solver/mpm/balance_secant.c"
IMPLICIT = "src/solver/mpm/implicit.c"
CONTACT = "src/solver/mpm/contact.c"
LAW = "src/world/contact.h"
COLLIDER = "src/world/collider.c"
FILL = "src/world/fill.c"
FLOW = "src/world/flow.c"
SORT = "src/world/sort.c"
GRID = "src/grid/grid.c"
VOLUME = "src/solver/mpm/volume.c"
FIELDS = "src/solver/mpm/fields.c"
TIMESTEP = "src/solver/mpm/timestep.c"
SPH_KERNEL = "src/math/sph_kernel.h"
SPH_PAIRS = "src/solver/sph/pairs.c"
SPH_HEAT = "src/solver/sph/heat.c"
SPH_LANE = "src/solver/sph/kernels_lane.h"
SPH_SUMS = "src/solver/sph/kernels_sums.h"

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
             "material.law mpm.force mpm.oedometer",
             COF_STRESS),
    Mutation("cof-replaced-by-F-in-differential", "the same in the solver's differential only",
             "material.differential mpm.operator",
             COF_DIFFERENTIAL),
    Mutation("delta-R-dropped", "dP = 2 mu dF + ..., everywhere and consistently",
             "material.differential material.oracle mpm.operator",
             DELTA_R, DELTA_R_ORACLE),
    Mutation("delta-R-dropped-in-solver", "the same in the solver's differential only",
             "material.differential mpm.operator",
             DELTA_R),
    Mutation("delta-R-dropped-in-psd", "the twists of the clamped Hessian without delta R",
             "material.differential",
             (LANE, "lane_fma(mu2, sum / (lane_set1(2) + sum), lat)", "mu2 + lat")),
    Mutation("psd-clamp-dropped", "negative twists are kept",
             "material.differential",
             (LANE, "lane twist = lane_max(lane_fma(mu2, sum / (lane_set1(2) + sum), lat), zero);",
              "lane twist = lane_fma(mu2, sum / (lane_set1(2) + sum), lat);")),
    Mutation("cauchy-stress-with-V0", "Kirchhoff stress divided by J, in the law",
             "material.law mpm.oedometer mpm.force",
             (LANE, "lane_fma(mu2, lane_fma(s[k], s[k], s[k]), pressure);",
              "lane_fma(mu2, lane_fma(s[k], s[k], s[k]), pressure) / (lane_set1(1) + j);")),
    Mutation("energy-half-dropped", "Psi = ... + lambda (J - 1)^2",
             "material.law",
             (LANE, "lambda * lane_set1(FIRN_R(0.5)) * j * j", "lambda * j * j")),
    Mutation("jp-ratio-inverted", "J_P *= sigma / sigma_trial, everywhere and consistently",
             "material.oedometer mpm.oedometer",
             JP, JP_ORACLE),
    Mutation("jp-ratio-inverted-in-law", "the same in the law only",
             "material.law mpm.oedometer",
             JP),
    Mutation("hardening-sign-flipped", "mu = mu_0 exp(xi (J_P - 1))",
             "material.oedometer mpm.oedometer mpm.hardening",
             (SNOW, "lane_exp(p->hardening * (lane_set1(1) - lane_exp(ln_jp)))",
              "lane_exp(p->hardening * (lane_exp(ln_jp) - lane_set1(1)))")),
    Mutation("hardening-sign-flipped-in-survey", "the same where a time step is chosen",
             "material.oedometer",
             (SNOW, "(1 - exp(ln_jp))); // Eq. 2", "(exp(ln_jp) - 1)); // Eq. 2")),
    Mutation("confined-modulus-of-shear", "settled snow is pressed as if by mu + lambda",
             "material.oedometer world.settle",
             (LANE, "-load / (lambda + 2 * mu)", "-load / (lambda + mu)")),
    Mutation("numbers-of-the-first-particle", "what varies is the same for all that are added at once",
             "world.variety",
             ("src/world/world.c", "varied_row(world, def, i);", "varied_row(world, def, 0);")),
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

    # ---------------------------------------------------------------------------- scalar kernels
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
             (SCALAR, "(force[4 * n + a] * inverse + view->gravity[a])",
              "(force[4 * n + a] * inverse)")),
    Mutation("flip-against-v-star-scalar", "FLIP's difference is v^{n+1} - v*",
             "mpm.flight",
             (SCALAR, """\
      if (u) u[4 * n + a] = old;
      v[4 * n + a] = active ? old + view->dt * (force[4 * n + a] * inverse + view->gravity[a]) : 0;
""", """\
      v[4 * n + a] = active ? old + view->dt * (force[4 * n + a] * inverse + view->gravity[a]) : 0;
      if (u) u[4 * n + a] = v[4 * n + a];
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

    # ---------------------------------------------------------------------------- vector kernels
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
             (VECTORS, "    lane k = lane_set1(1 / ((firn_real)view->stencil.d * view->h));",
              "    lane k = lane_set1(-1 / ((firn_real)view->stencil.d * view->h));"),
             (VECTORS, "    lane k = lane_set1(1 / view->h);",
              "    lane k = lane_set1(-1 / view->h);"), isa="avx2"),
    Mutation("gravity-dropped-vector", "v* without g",
             "mpm.flight",
             (VECTOR, "g[a] = view->dt * view->gravity[a];", "g[a] = 0;"), isa="avx2"),
    Mutation("flip-against-v-star-vector", "FLIP's difference is v^{n+1} - v*",
             "mpm.flight",
             (VECTOR, "      row_store(u + 16 * r, old);\n", "      row_store(u + 16 * r, now);\n"),
             isa="avx2"),
    Mutation("flip-against-v-star-spray", "the same in blocks that are set apart",
             "mpm.spray",
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
             (VECTOR, "  if (outside) return false;\n  out->asleep",
              "  if (outside || o == 26) return false;\n  out->asleep"), isa="avx2"),
    Mutation("spray-misses-a-neighbour", "a block set apart leaves out its first neighbour",
             "mpm.spray",
             (VECTOR, "for (uint32_t n = view->neighbour_start[b]; n <",
              "for (uint32_t n = view->neighbour_start[b] + 1; n <"), isa="avx2"),
    Mutation("spray-not-collided", "nodes of blocks set apart pass through colliders",
             "mpm.particle_contact mpm.spray",
             (VECTOR, "if (box->touched) mpm_box_contact(view, b, v);", ""), isa="avx2"),
    Mutation("spray-not-bounded", "a gradient in a block set apart may invert its particles",
             "mpm.guard",
             (VECTORS, "if (!lmask_any(over)) return;", "return;"), isa="avx2"),
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

    # ------------------------------------------------------------------------------------- sleep
    Mutation("sleep-never-ends", "what lies beside moving snow sleeps on",
             "mpm.sleep",
             (REST, "if (!rest[firn_giver_block(m->grid.giver[n])].quiet) return false;", "")),
    Mutation("sleep-deaf-to-speed", "quick snow does not wake its neighbours",
             "mpm.wake",
             (REST, "bool quick = tally[u].speed2_max > limit * limit;",
              "bool quick = tally[u].speed2_max > 1e30 * limit;")),
    Mutation("sleep-deaf-to-colliders", "colliders that come near do not wake",
             "mpm.wake",
             (REST, "return !mover_is_near(m, b);", "return m && !(mover_is_near(m, b) && 0);")),
    Mutation("sleep-deaf-to-drift", "what goes somewhere slowly counts as settled",
             "mpm.wake",
             (REST, "drift2 > wander * wander) {", "drift2 > 1e30 * wander) {")),
    Mutation("sleep-drift-never-wakes", "what has settled once may wander as far as it likes",
             "mpm.wake",
             (REST, "(rest->quiet ? WAKE_DRIFT : 1)", "(rest->quiet ? 1e30 : 1)")),
    Mutation("sleep-in-free-motion", "bodies that nothing holds are stopped once they are slow",
             "mpm.wake",
             (REST, "if (!at_rest[((const uint32_t *)m->bodies.data)[b]]) return false;",
              "(void)at_rest;")),
    Mutation("sleep-held-by-smooth-floors", "a floor without friction holds what slides on it",
             "mpm.wake",
             ("src/solver/mpm/support.c", "h->all || collider->sticky || collider->friction > 0",
              "h->all || collider->sticky || collider->friction >= 0")),
    Mutation("sleep-out-of-balance", "snow that rings falls asleep at any moment",
             "mpm.wake",
             (REST, "if (!rest[b].calm && !rest[b].asleep) return false;", "")),
    Mutation("sleep-deaf-to-changes", "another gravity or surface wakes nobody",
             "mpm.wake",
             (REST, "if (m->memory.changes != world->changes) {",
              "if (m->memory.changes > world->changes) {")),
    Mutation("sleep-watch-begins-anew", "a particle more or less in a block ends its watch",
             "mpm.wake",
             (REST, "(changed && old->quiet && (!same || holds_quick(m, b)))", "changed")),
    Mutation("sleep-ended-by-sorting", "who sleeps wakes when particles are sorted again",
             "mpm.wake",
             (REST, "(!same || holds_quick(m, b))", "(!same || old->asleep)")),
    Mutation("sleep-takes-grains", "a grain that falls into snow at rest stops in the air",
             "mpm.wake",
             (REST, "(!same || holds_quick(m, b))", "(!same || (holds_quick(m, b) && 0))")),
    Mutation("settled-snow-forgotten", "a checkpoint does not say what was laid down at rest",
             "world.settle",
             (FLOW, "FIRN_TRY(firn_settled_visit(world, load, visitor));", "")),
    Mutation("settled-snow-may-move", "snow laid down with a velocity sleeps from the start",
             "world.settle",
             (BALANCE, "force <= AT_REST && !moving &&", "force <= AT_REST && (!moving || moving) &&")),
    Mutation("settled-without-balance", "settled snow keeps the stress of its column",
             "mpm.settled",
             (STEP, "FIRN_TRY(mpm_balance(m));", "")),
    Mutation("balance-without-memory", "rounds of a balance learn nothing from each other",
             "mpm.settled",
             (BALANCE_SECANT, "if (!n) return;", "if (n >= 0) return;")),
    Mutation("settled-snow-hangs", "settled snow that nothing holds is put to sleep",
             "mpm.settled",
             (BALANCE, "if (!is_held(k, b)) return 1;", "if (!is_held(k, b)) return 0;")),
    Mutation("settled-snow-alone", "what lies on settled snow does not weigh on it",
             "mpm.settled",
             (BALANCE_ROLES, "is <= UNDER ? view->mass", "is == SETTLED ? view->mass")),
    Mutation("sleepers-beside-settled-snow", "snow that sleeps under new snow gets none of its load",
             "mpm.settled",
             (BALANCE_ROLES, "if (!k->whole) return is_under(k, b) ? UNDER :", "if (!k->whole) return")),
    Mutation("sand-confined-off-its-cone", "settled sand carries more than its cone",
             "material.oedometer",
             ("src/material/sand.h", "fmin(elastic, cone)", "fmin(elastic, elastic + 0 * cone)")),

    # ------------------------------------------------------------------------------ the MPM step
    Mutation("apic-D-off-by-4/3-cubic", "D = h^2/4, the quadratic spline's, for h^2/3",
             "mpm.force mpm.conservation",
             (MPM, ".shift = 0, .d = 1.0 / 3}", ".shift = 0, .d = 1.0 / 4}")),
    Mutation("apic-D-off-by-4/3-quadratic", "D = h^2/3, the cubic spline's, for h^2/4",
             "mpm.force mpm.conservation",
             (MPM, ".shift = 0.5, .d = 1.0 / 4}", ".shift = 0.5, .d = 1.0 / 3}")),
    Mutation("checkpoint-without-memory", "the solver's own state is not saved",
             "cache.checkpoint",
             (MPM, 'FIRN_TRY(visitor->blob(visitor->user, "mpm_memory", &m->memory, '
              "sizeof m->memory));", "")),
    Mutation("resume-trusts-rows", "a digit that was changed in a table goes unnoticed",
             "cache.run",
             ("src/api/run_sums.c", "if (known ? sum == found", "if (known ? sum == found || r->frame >= 0")),
    Mutation("resume-trusts-names", "a frame under another's name goes unnoticed",
             "cache.run",
             ("src/api/run_check.c", "if (f->frame != number) {", "if (f->frame < 0) {")),
    Mutation("resume-forgets-rows", "rows that are missing at the end go unnoticed",
             "cache.run",
             ("src/api/run_check.c", "covered = newest - 1;", "covered = -1;"),
             ("src/api/run_check.c", "if (checkpoint > covered) covered", "if (checkpoint < -1) covered")),
    Mutation("overwrites-unasked", "a run replaces what is there without being told to",
             "cache.run",
             ("src/api/run_begin.c", "if (r->def->overwrite) return begin_fresh(r, c);",
              "if (!r->def->resume) return begin_fresh(r, c);")),
    Mutation("files-not-compared", "a mesh that was changed since is gone on with",
             "cache.run",
             ("src/api/run_files.c", "return a->size == b->size && a->sum == b->sum;",
              "return a->size == b->size;")),
    Mutation("blend-not-rescaled", "alpha does not follow the time step (D-3)",
             "mpm.blend",
             (STEP, "if (m->def.flip_rescale && alpha > 0) alpha", "if (alpha < 0) alpha")),
    Mutation("inversion-not-guarded", "a step that inverts a particle is not redone",
             "mpm.timestep api.faults",
             (STEP, "if (det > m->def.min_det) break;", "if (det == det) break;")),
    Mutation("volumes-nominal", "V0 is never taken from the grid (D-4)",
             "mpm.sphere",
             (VOLUME, "bool nominal = m->def.volume_nominal ||", "bool nominal = true ||")),
    Mutation("stress-field-is-kirchhoff", "the field `stress` without 1/J",
             "mpm.oedometer",
             (FIELDS, "(double)r.tau[i] / j;", "(double)r.tau[i] / (1 + 0 * j);")),
    Mutation("sound-without-hardening-scalar", "packed snow is stepped as if it were fresh",
             "mpm.timestep",
             (SCALAR, "(params.lambda + 2 * params.mu) * hard * volume",
              "(params.lambda + 2 * params.mu) * volume")),
    Mutation("sound-without-hardening-vector", "packed snow is stepped as if it were fresh",
             "mpm.timestep",
             (VECTOR, "lane modulus = lane_fma(lane_set1(2), p.mu, p.lambda) * hard;",
              "lane modulus = lane_fma(lane_set1(2), p.mu, p.lambda);"), isa="avx2"),
    Mutation("redone-with-too-long-a-step", "a step that inverts is cut by a quarter, not halved",
             "mpm.timestep",
             (STEP, "    choice.dt /= 2;\n    m->last.redone++;\n",
              "    choice.dt *= 0.75;\n    m->last.redone++;\n")),
    Mutation("advective-limit-dropped", "the time step does not heed the speed",
             "mpm.timestep",
             (TIMESTEP, "double advective = def->cfl * h / fmax(speed, sqrt(m->memory.surface2_max));",
              "double advective = (double)INFINITY;")),
    Mutation("elastic-limit-dropped", "the explicit step does not heed the speed of sound",
             "mpm.timestep",
             (TIMESTEP, "double elastic = def->elastic_cfl * h / (sound + speed);",
              "double elastic = (double)INFINITY;")),

    # ---------------------------------------------------------------------------- implicit solve
    Mutation("beta-ignored", "beta = 1 whatever was asked for",
             "mpm.damping",
             (IMPLICIT, "(firn_real)(m->def.beta * (double)view->dt",
              "(firn_real)((double)view->dt")),
    Mutation("hessian-dropped", "the semi-implicit step solves M v = M v*",
             "mpm.solve",
             (IMPLICIT, "(firn_real)(m->def.beta * (double)view->dt",
              "(firn_real)(0 * (double)view->dt")),
    Mutation("projecting-three-for-one", "a sliding node is held altogether (D-6)",
             "mpm.solve mpm.incline",
             (IMPLICIT, "for (int a = 0; a < 3; a++) block[a] -= along * constraint[a];",
              "for (int a = 0; a < 3; a++) block[a] = 0;")),
    Mutation("residual-not-projected", "what contact holds stays in the residual",
             "mpm.solve",
             (IMPLICIT, "      block[i + 3] = 0;\n    }\n    project(m, g, block);\n",
              "      block[i + 3] = 0;\n    }\n")),
    Mutation("flip-difference-not-finished", "FLIP gets no difference after a solve",
             "mpm.flight",
             (IMPLICIT, "u[a] = keep[a] * (v[4 * n + a] - view->alpha * u[a]);", "u[a] = 0;")),
    Mutation("sums-by-threads", "the solver's sums are divided by the number of threads",
             "mpm.threads",
             (IMPLICIT, ".chunk = 16 * FIRN_NODE_BLOCK_REALS,",
              ".chunk = (size_t)m->world->context->threads * FIRN_NODE_BLOCK_REALS,")),
    Mutation("projecting-three-for-one-in-contact", "every contact is taken for sticking (D-6)",
             "mpm.solve mpm.incline",
             (CONTACT, "bool held = contact == FIRN_CONTACT_STICK || m->def.contact_node;",
              "bool held = m && contact != FIRN_CONTACT_NONE;")),
    Mutation("mean-velocity-kept", "the tolerance is relative to where the observer stands",
             "mpm.ball",
             (IMPLICIT, "d.square = fmax(0, motion - mass * common);", "d.square = motion;")),
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

    # ---------------------------------------------------------------------------------- contacts
    Mutation("particle-contact-dropped", "step 9 is left out",
             "mpm.particle_contact",
             (CONTACT, "  collide_velocity(s, p->stride, p->v);\n", "")),
    Mutation("spent-hardened-twice", "snow's return counts the trial with the new hardness as well",
             "material.consistency",
             (SNOW, "    *spent = lane_select(yield, *spent - left, lane_zero());",
              "    *spent = lane_select(yield, *spent * h - left, lane_zero());")),
    Mutation("sand-keeps-its-gap", "sand's return forgets the volume that it closes",
             "material.consistency",
             ("src/material/sand.h", "lane left = lane_select(open, tip, volume);",
              "lane left = lane_select(open, tip, before);")),
    Mutation("ledger-without-leavers", "what a sink takes away stays in the books",
             "mpm.dissipation",
             ("src/world/ledger.c", "world->ledger.given -= energy_at(world, slot, x);",
              "world->ledger.given -= 0 * energy_at(world, slot, x);")),
    Mutation("ledger-without-gravity", "a change of gravity lifts nobody",
             "mpm.dissipation",
             ("src/world/ledger.c", "(gravity[a] - world->gravity[a]) * moment[a];",
              "0 * (gravity[a] - world->gravity[a]) * moment[a];")),
    Mutation("impulse-not-in-the-ledger", "an impulse counts as negative loss",
             "mpm.dissipation",
             ("src/world/impulse.c", "world->ledger.given += firn_ledger_held(world, false) - before;",
              "world->ledger.given += 0 * before;")),
    Mutation("work-of-the-pivot", "a part works with the velocity of the whole collider",
             "mpm.collider_work",
             ("src/solver/mpm/push.c", "push->work -= impulse[a] * surface[a];",
              "push->work -= impulse[a] * (0 * surface[a] + collider->pose.velocity[a]);")),
    Mutation("work-not-of-the-solve", "what held nodes transmit does no work",
             "mpm.collider_work",
             ("src/solver/mpm/push.c", "if (first->speed > 0)", "if (first->speed < 0)")),
    Mutation("load-without-snow", "the snow's push does not move a plate",
             "world.load",
             ("src/world/load.c", "s->speed + impulse / load->mass", "s->speed + 0 * impulse / load->mass")),
    Mutation("load-falls-late", "a plate moves with the speed of the step before",
             "world.load",
             ("src/world/load.c", "double change = dt / 2 * (", "double change = 0 * (")),
    Mutation("load-lifted", "gravity pulls a plate against its axis",
             "world.load",
             ("src/world/colliders.c", "load->weightless ? 0 : along(load, world->gravity)",
              "load->weightless ? 0 : -along(load, world->gravity)")),
    Mutation("load-counts-twice", "each step pushes a plate with all impulses of the frame",
             "world.load",
             ("src/world/colliders.c", "along(load, collider->sums.impulse) - load->got",
              "along(load, collider->sums.impulse) - 0 * load->got")),
    Mutation("load-undamped", "damping has no effect",
             "world.load",
             ("src/world/load.c", "/ (1 + dt * load->damping)", "/ (1 + 0 * dt * load->damping)")),
    Mutation("load-forgotten", "a checkpoint leaves a plate where it began",
             "world.load",
             ("src/world/change.c", "FIRN_TRY(visit_load(world, c, load, visitor));", "(void)visit_load;")),
    Mutation("load-unseen", "the surface of a plate does not have its speed",
             "world.load",
             ("src/world/collider.c", "pose->velocity[a] += speed * load->axis[a];",
              "pose->velocity[a] += 0 * speed * load->axis[a];")),
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

    # ----------------------------------------------------------------------- particles and grids
    Mutation("sort-drops-a-particle", "of the particles that enter a block the last is lost",
             "mpm.flight mpm.conservation",
             (SORT, "*out++ = s->mover[from[b].mover_first + m].slot;",
              "*out++ = s->mover[from[b].mover_first + (m ? m - 1 : 0)].slot;")),
    Mutation("sort-forgets-a-field", "the last field does not follow its particles",
             "mpm.simd mpm.conservation",
             (SORT, "  for (int f = 0; f < p->field_count; f++) {",
              "  for (int f = 0; f < p->field_count - 1; f++) {")),
    Mutation("periodic-sort-off-by-one", "particles wrap a block too late",
             "mpm.waves",
             (SORT, "to[a] = (to[a] % n + n) % n;",
              "to[a] = (to[a] % (n + 1) + n + 1) % (n + 1);")),
    Mutation("periodic-grid-off-by-one", "node blocks wrap a block too late",
             "grid.build mpm.waves",
             (GRID, "(from[a] + d[a] + n) % n", "(from[a] + d[a] + n) % (n + 1)")),
    Mutation("arrivals-unordered", "particles that come into a block, as the sort by key finds them",
             "world.sort",
             ("src/world/sort.c", "direction(s, &s->mover[k - 1]) > from", "from == INT32_MIN")),
    Mutation("strain-rate-unordered", "a node adds up its blocks one after the other",
             "world.strain_rate",
             ("src/world/averages.c", "*next[r] < *next[first]", "r < first")),
    Mutation("strain-rate-of-nodes", "nodes are taken for the places that their velocities are from",
             "world.strain_rate",
             ("src/world/averages.c", "to->r[a] += share * r[a];", "")),
    Mutation("strain-rate-without-affine", "particles give nodes the velocity that they have themselves",
             "mpm.start",
             ("src/world/averages.c", "to->v[a] += share * (v[a] - there);",
              "to->v[a] += share * v[a]; (void)there;")),
    Mutation("spin-without-gradient", "a spinning body begins with particles that do not turn",
             "mpm.start",
             ("src/world/start.c", "memcpy(gradient + 9 * i, turn, sizeof turn);",
              "memset(gradient + 9 * i, 0, sizeof turn);")),
    Mutation("window-fills-twice", "a window fills snow into snow that was pushed out before it",
             "mpm.window",
             (FILL, "return lot < share - taken;", "return lot < share - 0 * taken;")),
    Mutation("sand-circular", "sand's cone is as wide in extension as in compression",
             "material.sand mpm.sand",
             ("src/material/sand.h", "lane alpha = -p->lo * firn_sand_lode(dev, size2, -p->lo);",
              "lane alpha = -p->lo;")),
    Mutation("frame-0-nominal", "before the first step volumes are mass over density",
             "mpm.start",
             (VOLUME, "if (m->def.volume_nominal || m->memory.volumes_set) return FIRN_OK;",
              "if (m->stencil.width) return FIRN_OK;")),
    Mutation("cut-forgotten", "density forgets what the bounds on J_P cut off",
             "mpm.start",
             (SCALAR, "view->ln_cut[slot] += firn_law_cut(", "(void)firn_law_cut(")),
    Mutation("cut-forgotten-lanes", "the same in the vector kernels",
             "mpm.start",
             (VECTOR, "lane_load(view->ln_cut + slot) + cut", "lane_load(view->ln_cut + slot)")),
    Mutation("sink-never-stops", "a sink takes snow after its time, too",
             "world.flow",
             (FLOW, "if (d.time < d.sink->start || d.time > d.sink->stop) continue;",
              "if (d.time < d.sink->start) continue;")),
    Mutation("variation-seed-ignored", "all variations of a body are the same noise",
             "world.variety",
             ("src/world/variety.c", ".seed = seed + def->seed * 0x9E3779B97F4A7C15u",
              ".seed = seed")),

    # ----------------------------------------------------------------------------------- pictures
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

    # ------------------------------------------------------------------------ smoothed particles
    Mutation("sph-kernel-slope", "the kernel's slope near the middle is that of another spline",
             "math.sph_kernel",
             (SPH_KERNEL, "(FIRN_R(2.25) * r - FIRN_R(3))", "(FIRN_R(2) * r - FIRN_R(3))")),
    Mutation("sph-gradient-of-differences", "the pressure gradient takes p_j - p_i: forces of a pair "
             "do not cancel",
             "sph.operators",
             (SPH_PAIRS, "(q[i] + q[j]) * V[j]", "(q[j] - q[i]) * V[j]")),
    Mutation("sph-gradient-without-psi", "walls push with the pressure itself, not with psi times it",
             "sph.operators",
             (SPH_PAIRS, "per_metre + psi * q[i] *", "per_metre + q[i] *")),
    Mutation("sph-divergence-wall-sign", "what flows into a wall counts as flowing out of it",
             "sph.operators",
             (SPH_PAIRS, "out[i] = sum * per_metre - (own[0]", "out[i] = sum * per_metre + (own[0]")),
    Mutation("sph-stress-difference", "the divergence of a stress takes T_j - T_i along x",
             "sph.operators",
             (SPH_PAIRS, "(own[3 * a] + other[3 * a]) * x[0]", "(other[3 * a] - own[3 * a]) * x[0]")),
    Mutation("sph-moment-without-walls", "the correction of gradients does not know of samples",
             "sph.walls",
             (SPH_PAIRS, "    add_moment(m, (double)pairs->boundary->volume[walls->other[k]], "
              "&walls->near[k]);\n", "    add_moment(m, 0, &walls->near[k]);\n")),
    Mutation("sph-lists-shift", "records of a skin stay in the frame of their own block",
             "sph.lists",
             (SPH_SUMS, "_mm256_storeu_ps(to + i, FMA8(shift, _mm256_permute_ps(v, 0xff), v));",
              "_mm256_storeu_ps(to + i, v);")),
    Mutation("sph-lists-mean", "a block's velocity is not taken off before it is summed up",
             "sph.lists",
             (SPH_SUMS, "    _mm_store_ps(pass->lists->mean[b], _mm_blend_ps(mean, _mm_setzero_ps(), 8));",
              "    _mm_store_ps(pass->lists->mean[b], _mm_sub_ps(mean, mean));")),
    Mutation("sph-lists-reach", "who is close to two spacings away is not found",
             "sph.lists",
             (SPH_LANE, "reach = _mm512_set1_epi16(4097)", "reach = _mm512_set1_epi16(3900)"),
             (SPH_LANE, "reach = _mm256_set1_epi16(4096)", "reach = _mm256_set1_epi16(3900)")),
    Mutation("sph-lists-self", "a particle is its own neighbour",
             "sph.lists",
             (SPH_LANE, "mask &= ~(1u << (self - k));\n      __m512i", "mask &= ~0u;\n      __m512i"),
             (SPH_LANE, "mask &= ~(1u << (self - k));\n      for", "mask &= ~0u;\n      for")),
    Mutation("sph-lists-drag", "products leave out the friction of walls",
             "sph.lists",
             (SPH_SUMS, "  if (w->touched) mass = lane_fma(", "  if (false) mass = lane_fma(")),
    Mutation("sph-diagonal-misprint", "a_ii has V_j alone where it should have V_i V_j",
             "sph.operators",
             ("src/solver/sph/pressure.c", "double sum = (double)s->V[i] * (double)s->g2[i];",
              "double sum = (double)s->g2[i];")),
    Mutation("sph-trace-not-swapped", "the corrected gradient keeps its own trace",
             "sph.operators",
             ("src/solver/sph/shear.c", "double off = (trace - (out[0] + out[4] + out[8])) / 3;",
              "double off = 0 * trace;")),
    Mutation("sph-drag-of-a-wall-at-rest", "friction draws towards a wall that moves the other way",
             "sph.walls sph.solves",
             ("src/solver/sph/shear.c", "(double)s->v[3 * i + a] - (double)s->drawn[3 * i + a];",
              "(double)s->v[3 * i + a] + (double)s->drawn[3 * i + a];")),
    Mutation("sph-drag-explicit", "friction is not implicit in the velocity it acts on",
             "sph.walls",
             ("src/solver/sph/shear.c", "double own = (1 + s->dt * drag_of(s, i)) *",
              "double own = 1 *")),
    Mutation("sph-rub-explicit", "friction along a wall is not implicit in the velocity it acts on",
             "sph.walls sph.solves",
             ("src/solver/sph/shear.c", "  add_friction(s, u, out);", "  if (false) add_friction(s, u, out);")),
    Mutation("sph-rub-across", "friction acts across a wall as well as along it",
             "sph.walls",
             ("src/solver/sph/wall.c", "n[a] = drag < 0 ? normal[a] / drag : 0;", "n[a] = 0 * normal[a];")),
    Mutation("sph-sticky-lets-go", "what is sticky holds snow along its surface alone",
             "sph.walls",
             ("src/solver/sph/wall.c", "normal[a] += held ? 0 :", "normal[a] += false && held ? 0 :")),
    Mutation("sph-stretch-does-not-turn", "what is left of F is V S V^T",
             "sph.strain",
             ("src/solver/sph/elastic.c", "sum += printed ? F[3 * k + r]", "sum += !printed ? F[3 * k + r]")),
    Mutation("sph-no-limit-of-stretch", "snow yields when pressed and never when pulled",
             "sph.strain",
             ("src/solver/sph/elastic.c", "left[k] = fmin(fmax(x, (double)row->lo), (double)row->hi);",
              "left[k] = fmax(x, (double)row->lo);")),
    Mutation("sph-softens-when-packed", "hardening has the other sign",
             "sph.column",
             ("src/solver/sph/state.c", "exp((double)row->hardening * (1 - jp))",
              "exp((double)row->hardening * (jp - 1))")),
    Mutation("sph-walls-take-no-room", "samples count as snow at rest, always",
             "sph.walls",
             ("src/solver/sph/state.c", "filled / fmax(1 - wall, 0.05)", "filled + wall")),
    Mutation("sph-sample-without-itself", "V_b leaves the sample itself out",
             "sph.walls",
             ("src/solver/sph/boundary.c", "if (r2 < 4 && body_of(l, j) == own) sum", "if (r2 < 4 && i != j && body_of(l, j) == own) sum")),
    Mutation("sph-sample-without-the-next-block", "V_b counts samples of its own block only",
             "sph.walls",
             ("src/solver/sph/boundary.c", "if (around[which] == SPH_NONE) continue;", "if (which != 13 || around[which] == SPH_NONE) continue;")),
    Mutation("sph-force-on-the-snow", "colliders are told the force on the snow",
             "sph.walls",
             ("src/solver/sph/wall.c", "    out->impulse[a] -= impulse[a];", "    out->impulse[a] += impulse[a];")),
    Mutation("sph-bounce-held", "friction slows a flake that bounces, in and out",
             "sph.walls",
             ("src/solver/sph/wall.c", "  if (f.weight > 0) without(f.n, change);\n", "")),
    Mutation("sph-bounce-off-a-wall-at-rest", "a flake bounces as if walls never moved",
             "sph.walls",
             ("src/solver/sph/wall.c", "closing += ((double)s->v[3 * i + a] - f->velocity[a]) * f->n[a];",
              "closing += (double)s->v[3 * i + a] * f->n[a];")),
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
    Mutation("sph-adhesion-pushes", "adhesion has the other sign",
             "sph.walls",
             ("src/solver/sph/wall.c", "along[a] = -strength *", "along[a] = strength *")),
    Mutation("sph-no-barrier", "nothing stops what an impact drives between samples",
             "sph.robust",
             ("src/solver/sph/step.c", "  if (s->def.barrier) sph_barrier(s);\n", "")),
    Mutation("sph-unpadded-vectors", "a solve finds rubbish in slots of padding",
             "sph.walls.f32",
             ("src/solver/sph/shear.c",
              "  memset(s->krylov, 0, reals", "  memset(s->krylov, 255, reals")),
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
    Mutation("heat-rounds-off", "what is below the last digit of a temperature is lost",
             "sph.heat.f32",
             ("src/world/heat.h", "(firn_real)(temperature - (double)high);", "(firn_real)(high - high);")),
    Mutation("young-of-the-first-point", "stiffness does not fall from point to point",
             "sph.heat mpm.heat",
             ("src/world/heat.c", "    if (!(temperature < to)) continue;\n",
              "    if (!(temperature < to)) return def->young[0];\n")),
    Mutation("mpm-kernels-at-any-temperature", "kernels read the stiffness without temperature",
             "mpm.heat",
             ("src/solver/mpm/layout.c", "  if (world->softens && m->softened.data) {", "  if (false) {")),
    Mutation("bicgstab-steepest-wrong", "omega is turned upside down",
             "linear.bicgstab sph.solves",
             ("src/linear/bicgstab.c", "k->omega = ts / tt;", "k->omega = tt / ts;")),

    # ------------------------------------------------------------------- randomness, number modes
    Mutation("philox-shared-state", "random numbers come from one state that all callers move on",
             "base.random mpm.threads",
             ("src/base/random.h", """\
  uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
  firn_philox c = {{(uint32_t)id, (uint32_t)(id >> 32), stream, index}};
""", SHARED_STATE + "  uint32_t key0 = 0, key1 = 0;\n")),
    Mutation("seeding-by-a-shared-counter", "a particle's place depends on who was placed before",
             "mpm.threads api.threads",
             ("src/world/seed.c", "return firn_philox4x32(seed, id, (uint32_t)cell[2], index);",
              "static uint64_t shared;\n"
              "  return firn_philox4x32(seed, id + shared++, (uint32_t)cell[2], index);")),
    Mutation("loop-in-the-callers-mode", "threads of a loop keep the mode they had",
             "base.parallel",
             ("src/base/parallel.h",
              "mode_ = firn_fp_enter(), once_ = 1; once_; once_ = 0, firn_fp_leave(mode_)",
              "once_ = 1; once_; once_ = 0")),
    Mutation("denormals-not-flushed", "workers keep denormal numbers",
             "base.isa",
             ("src/base/isa.c", "change_mode(NO_TRAPS | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);",
              "change_mode(NO_TRAPS);"), isa="avx2"),
    Mutation("lame-parameter-wrong", "lambda = E nu/((1 + nu)(1 - nu))",
             "material.preset mpm.waves",
             ("src/material/preset.c", "e * nu / ((1 + nu) * (1 - 2 * nu));",
              "e * nu / ((1 + nu) * (1 - nu));")),

    # ------------------------------------------------------------------------------------- files
    Mutation("file-through-a-link", "a temporary file is opened where a link may stand",
             "cache.file",
             ("src/cache/file.c", """\
  if (unlink(part) && errno != ENOENT) return firn_file_fail(context, "replace", part, errno);
  *fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
""", "  *fd = open(part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);\n")),
    Mutation("file-of-another", "whatever has the temporary name is renamed",
             "cache.file",
             ("src/cache/file.c", "if (!is_own(part, fd)) {", "if (!is_own(part, fd) && fd < 0) {")),
    Mutation("table-through-a-link", "rows are added behind a link",
             "cache.file",
             ("src/cache/file.c", "O_RDWR | O_NOFOLLOW | O_NONBLOCK", "O_RDWR | O_NONBLOCK")),
    Mutation("png-of-any-size", "memory is asked for on the word of a header",
             "base.png",
             ("src/base/png.c", "/ DEFLATE_MOST > s->size)",
              "/ DEFLATE_MOST > s->size + (UINT64_MAX >> 1))")),
    Mutation("array-of-any-size", "memory is asked for on the word of a dataset",
             "cache.archive",
             ("src/cache/archive_read.c", "return announced <= 1032.0 * (double)stored + 1032;",
              "return announced >= 0 || stored;")),
    Mutation("table-of-any-size", "rows without cells cost memory",
             "cache.folder",
             ("src/cache/table.c", "t->columns > t->size / (t->room - 1)",
              "t->columns > SIZE_MAX / (t->room - 1)")),

    # -------------------------------------------------------------------------------------- wind
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

    # ----------------------------------------------------------------------- hardening by density
    Mutation("density-elastic", "J_P by density counts the elastic strain as packing",
             "mpm.density_hardening",
             ("src/solver/mpm/density.c",
              "mpm_grid_density(m, b, slot) * mpm_elastic_volume(m, slot);",
              "mpm_grid_density(m, b, slot);")),
    Mutation("density-material", "J_P by density is that of the volume now over the one at rest, squared",
             "mpm.density_hardening",
             ("src/solver/mpm/density.c", "log((double)(rest / now));", "2 * log((double)(rest / now));")),
    Mutation("density-never", "hardening by density is that by plastic flow",
             "mpm.density_hardening",
             ("src/solver/mpm/step.c", "if (m->def.hardening_density) mpm_harden(m);", "")),
    Mutation("density-cut", "what bounds on J_P cut off is not known to the density",
             "mpm.density_hardening",
             ("src/solver/mpm/density.c",
              "if (view->ln_cut) view->ln_cut[slot] = ln_jp - view->ln_jp[slot];", "")),

    # ------------------------------------------------------------------------------- sph in scenes
    Mutation("sph-crowds", "sweeps that diverge are not relaxed any further",
             "sph.solves",
             ("src/solver/sph/pressure.c", "TRIES = 5", "TRIES = 1")),
    Mutation("sph-astray", "where Chebyshev's goes astray, its last pressures stay",
             "sph.solves",
             ("src/solver/sph/pressure.c", "if (is_astray(s, first, left)) return false;\n  }\n"
              "  s->last.residual = left;\n  return left <= fmax(first, s->def.pressure_tolerance);\n}\n\nstatic void restart",
              "if (is_astray(s, first, left)) return true;\n  }\n"
              "  s->last.residual = left;\n  return left <= fmax(first, s->def.pressure_tolerance);\n}\n\nstatic void restart")),
    Mutation("fill-inside", "snow is laid inside colliders that are surfaces alone",
             "sph.start",
             ("src/world/fill.c", "f->world->hollow && c < f->world->collider_count",
              "f->world->hollow && c < 0")),
    Mutation("samples-stay", "samples of a deforming body stay where they were at its key",
             "sph.walls",
             ("src/solver/sph/boundary.c", "x[a] = from[a] + since * v[a];", "x[a] = from[a] + 0 * since * v[a];")),

    # ---------------------------------------------------------------------------------- snowfall
    Mutation("snowfall-near", "flakes come a little too near to others",
             "world.snowfall",
             ("src/world/snowfall.c", "return d2 < l->gap * l->gap;",
              "return d2 < 0.9 * l->gap * l->gap;")),
    Mutation("snowfall-forgets", "a checkpoint does not know what was thrown",
             "world.snowfall",
             ("src/world/flow.c", "  return visitor->blob(visitor->user, name, &e->throws, sizeof e->throws);",
              "  return visitor ? FIRN_OK : FIRN_ERROR_FORMAT;")),

    # ---------------------------------------------------------------------------------- geometry
    Mutation("samples-unseen", "samples of other tiles are not seen",
             "geometry.surface_samples",
             ("src/geometry/surface_samples.c", "if (colour_of(at) < colour) gather(",
              "if (colour_of(at) < colour - 8) gather(")),
    Mutation("samples-gaps", "gaps wider than an eighth of a spacing stay",
             "geometry.surface_samples",
             ("src/geometry/surface_shape.c", "DEPTH = 3 }", "DEPTH = 1 }")),
    Mutation("samples-boxes", "tiles beyond the box are not filled",
             "geometry.surface_samples",
             ("src/geometry/surface_samples.c",
              "int32_t m = out[higher][a] + ((c ^ higher) >> a & 1);",
              "int32_t m = out[higher][a];")),
]
