// SPDX-License-Identifier: Apache-2.0
// The settings of smoothed particle hydrodynamics: the one place that knows their names, ranges and
// defaults. Each switch between the paper's print and a better reading names both.
#include "base/def.h"
#include "base/schema_rows.h"
#include "solver/sph/sph.h"

#define AT(member) FIRN_SCHEMA_AT(firn_sph_def, member)

static const firn_schema_row rows[] = {
    ENUM("pressure", "eos|iisph", "eos", "eos is compressible snow; iisph keeps the volume",
         .keyed = true, AT(pressure)),
    ENUM("pressure_solver", "chebyshev|jacobi", "chebyshev", "jacobi, relaxed by 1/2, is printed",
         .keyed = true, AT(pressure_solver)),
    REAL("pressure_tolerance", NONE, "[1e-12, 0.5]", "1e-4",
         "mean residual, of the density at rest; 1e-3 is printed", .keyed = true,
         AT(pressure_tolerance)),
    INT("pressure_iterations", "[1, 1000000]", "200", "of one solve at most", .keyed = true,
        AT(pressure_iterations)),
    ENUM("shear_solver", "cg|bicgstab", "cg",
         "cg falls back on bicgstab, which is printed, where it does not converge", .keyed = true,
         AT(shear_solver)),
    REAL("shear_tolerance", NONE, "[1e-14, 0.5]", "1e-3", "relative residual", .keyed = true,
         AT(shear_tolerance)),
    INT("shear_iterations", "[1, 1000000]", "200", "of one solve at most", .keyed = true,
        AT(shear_iterations)),
    BOOL("warm_start", "true", "solves begin with what they found in the last step", .keyed = true,
         AT(warm_start)),
    ENUM(
        "lists", "exact|short", "short",
        "of neighbours; short: 16 bits a weight, in float with SIMD; exact is several times slower",
        AT(short_lists)),
    ENUM("split", "lame|deviatoric|combined", "lame",
         "what pressure carries: lambda as printed, the bulk modulus, or nothing", .keyed = true,
         AT(split)),
    INT("alternations", "[1, 100]", "1", "how often a step solves for pressure and shear in turn",
        .keyed = true, AT(alternations)),
    ENUM("rest_density", "current|tracked", "current",
         "of hardening: by the density now, as printed, or by the plastic volume",
         AT(rest_density_tracked)),
    ENUM("source", "density|divergence", "density",
         "what the pressure answers: predicted densities, as printed, or strain and velocities",
         .keyed = true, AT(source_divergence)),
    REAL("psi", NONE, "[-1, 10]", "-1",
         "weight of the pressure on colliders, 0: none; negative: 1.5, as printed, or by walls",
         .keyed = true, AT(psi)),
    REAL("phi", NONE, "[0, 10]", "0",
         "packing of the samples of colliders; 0: 0.8, as printed, and 0.7006 under iisph",
         AT(phi)),
    REAL("boundary_depth", NONE, "[0, 1]", "0.5",
         "spacings by which samples lie below the surface; 0: on it", AT(boundary_depth)),
    ENUM("boundary_density", "consistent|akinci", "consistent",
         "samples take up volume, or count as snow at rest, which leaks when compressed",
         .keyed = true, AT(boundary_density_akinci)),
    ENUM("f_predict", "product|printed", "product",
         "the predicted F: F + dt (grad v) F, or without the last factor", .keyed = true,
         AT(f_predict_printed)),
    ENUM("rotation", "objective|printed", "objective",
         "what is left of F = U S V^T: U S U^T turns with the snow, V S V^T does not",
         .keyed = true, AT(rotation_printed)),
    ENUM("friction", "coupled|printed", "coupled",
         "on colliders: with the shear, or before it, where snow creeps down slopes", .keyed = true,
         AT(friction_printed)),
    BOOL("barrier", "true",
         "colliders stop what an impact would drive between their samples; false: as printed",
         .keyed = true, AT(barrier)),
    REAL("restitution", NONE, "[0, 1]", "0", "share of the speed at which a lone flake bounces off",
         .keyed = true, AT(restitution)),
    REAL("dt", TIME, "[0, 1]", "0", "fixed time step; 0: chosen step by step", .keyed = true,
         AT(dt)),
    REAL("dt_max", TIME, "[1e-12, 1]", "2 ms", "longest step", .keyed = true, AT(dt_max)),
    REAL("dt_min", TIME, "[1e-15, 1]", "1e-9 s", "a run that would need a shorter step fails",
         AT(dt_min)),
    REAL("cfl", NONE, "[0.001, 1]", "0.4", "spacings that a particle may cross in a step",
         .keyed = true, AT(cfl)),
    REAL("force_cfl", NONE, "[0.001, 1]", "0.25",
         "of sqrt(spacing / acceleration), the longest step", .keyed = true, AT(force_cfl)),
    ENUM("iisph", "balanced|printed", "balanced",
         "balanced: what is too dense parts without gaining speed, and walls give no energy",
         .keyed = true, AT(iisph_printed)),
    ENUM("walls", "mirrored|printed", "printed",
         "mirrored: colliders answer as a mirror image of the snow; printed: by psi p",
         .keyed = true, AT(walls_printed)),
    REAL("reference_spacing", LENGTH, "[0, 1e6]", "0",
         "where friction_viscosity and adhesion hold as printed: in a scene at quality 1; 0: here",
         AT(reference_spacing)),
};

const firn_schema_record firn_sph_settings = {"the sph section", ROWS(rows),
                                              .doc = "smoothed particle hydrodynamics"};

FIRN_DEFAULTS(sph_def) {
  firn_sph_def def = {0};
  firn_schema_defaults(&firn_sph_settings, &def);
  return def;
}

void sph_conflicts(const void *settings, firn_conflict_fn tell, void *user) {
  const firn_sph_def *def = settings;
  firn_solver_step_conflicts(def->dt, def->dt_min, def->dt_max, tell, user);
  if (def->pressure == FIRN_SPH_PRESSURE_IISPH && def->split == FIRN_SPH_SPLIT_COMBINED) {
    tell(user, "pressure", "split", "combined makes no use of a pressure");
  }
}
