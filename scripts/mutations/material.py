# SPDX-License-Identifier: Apache-2.0
"""The laws of snow and sand, and their presets."""
from .form import Mutation

LANE = "src/material/corotated_lane.h"
ORACLE = "tests/material/corotated.h"
SNOW = "src/material/snow.h"

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

MUTATIONS = [
    Mutation("softening-without-length", "snow softens in tension as printed, whatever h",
             "material.law mpm.oedometer mpm.crack",
             (SNOW, "packed, p->soften * packed);", "packed, packed);")),
    Mutation("softening-by-l-over-h", "the length is taken the wrong way round",
             "mpm.oedometer mpm.crack scene.reference_h",
             ("src/world/world.c", "fmax(world->h / length, 1e-6)", "fmax(length / world->h, 1e-6)")),
    Mutation("hardening-with-length", "packed snow hardens by the length, too",
             "material.law",
             (SNOW, "lane_select(lane_ge(packed, lane_zero()), packed, p->soften * packed)",
              "p->soften * packed")),
    Mutation("stiffness-softens-as-printed", "what bounds the step softens without the length",
             "material.law",
             (SNOW, "packed < 0 ? (double)m->soften * packed : packed", "packed")),
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
             (SNOW, "lane packed = lane_set1(1) - lane_exp(ln_jp);",
              "lane packed = lane_exp(ln_jp) - lane_set1(1);")),
    Mutation("hardening-sign-flipped-in-survey", "the same where a time step is chosen",
             "material.oedometer",
             (SNOW, "double packed = 1 - exp(ln_jp);", "double packed = exp(ln_jp) - 1;")),
    Mutation("confined-modulus-of-shear", "settled snow is pressed as if by mu + lambda",
             "material.oedometer world.settle",
             (LANE, "-load / (lambda + 2 * mu)", "-load / (lambda + mu)")),
    Mutation("yield-bounds-swapped", "stretches clamped to [1 - theta_s, 1 + theta_c]",
             "material.oedometer material.law mpm.oedometer",
             (SNOW, "k0 = lane_clamp(s[0], p->lo, p->hi), k1 = lane_clamp(s[1], p->lo, p->hi);",
              "k0 = lane_clamp(s[0], -p->hi, -p->lo), k1 = lane_clamp(s[1], -p->hi, -p->lo);"),
             (SNOW, "k2 = lane_clamp(s[2], p->lo, p->hi);",
              "k2 = lane_clamp(s[2], -p->hi, -p->lo);")),
    Mutation("one-stretch-not-clamped", "the third principal stretch never yields",
             "material.law",
             (SNOW, "lane k2 = lane_clamp(s[2], p->lo, p->hi);", "lane k2 = s[2];")),
    Mutation("sand-confined-off-its-cone", "settled sand carries more than its cone",
             "material.oedometer",
             ("src/material/sand.h", "fmin(elastic, cone)", "fmin(elastic, elastic + 0 * cone)")),
    Mutation("spent-hardened-twice", "snow's return counts the trial with the new hardness as well",
             "material.consistency",
             (SNOW, "    *spent = lane_select(yield, *spent - left, lane_zero());",
              "    *spent = lane_select(yield, *spent * h - left, lane_zero());")),
    Mutation("sand-keeps-its-gap", "sand's return forgets the volume that it closes",
             "material.consistency",
             ("src/material/sand.h", "lane left = lane_select(open, tip, volume);",
              "lane left = lane_select(open, tip, before);")),
    Mutation("sand-circular", "sand's cone is as wide in extension as in compression",
             "material.sand mpm.sand",
             ("src/material/sand.h", "lane alpha = -p->lo * firn_sand_lode(dev, size2, -p->lo);",
              "lane alpha = -p->lo;")),
    Mutation("lame-parameter-wrong", "lambda = E nu/((1 + nu)(1 - nu))",
             "material.preset mpm.waves",
             ("src/material/preset.c", "e * nu / ((1 + nu) * (1 - 2 * nu));",
              "e * nu / ((1 + nu) * (1 - nu));")),
]
