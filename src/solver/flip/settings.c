// SPDX-License-Identifier: Apache-2.0
// The settings of FLIP: the one place that knows their names, ranges and defaults. Each switch between
// the paper's print and a better reading names both.
#include "base/def.h"
#include "base/schema_rows.h"
#include "solver/flip/flip.h"

#define AT(member) FIRN_SCHEMA_AT(firn_flip_def, member)

static const firn_schema_row rows[] = {
    ENUM("kernel", "sph|bspline", "sph",
         "from particles to the grid: radial, as printed, or quadratic B-splines both ways",
         AT(kernel)),
    ENUM("transfer", "flip|pic|apic", "flip", "what particles take from the grid", AT(transfer)),
    REAL("flip", NONE, "[0, 1]", "0.97", "share of FLIP in the blend: 0 is PIC, 1 is FLIP",
         .keyed = true, AT(flip)),
    BOOL("flip_rescale", "true", "flip belongs to a step of 5 ms: uses flip^(dt/5 ms)",
         .keyed = true, AT(flip_rescale)),
    ENUM("advect", "particle|grid", "particle",
         "particles move in two stages along their path, or by the velocity where they are",
         .keyed = true, AT(advect_grid)),
    REAL("push_out", NONE, "[0, 0.5]", "0.02", "cells: particles come no closer to colliders",
         .keyed = true, AT(push_out)),
    BOOL("keep_volume", "true",
         "water keeps its density: particles are moved to where there is room", .keyed = true,
         AT(keep_volume)),
    ENUM("surface", "density|spheres", "density",
         "of water: where its density tells, or that of spheres around particles", .keyed = true,
         AT(surface_spheres)),
    BOOL("keep_momentum", "true",
         "snow and water that touch no collider keep their momentum and angular momentum",
         .keyed = true, AT(keep_momentum)),
    REAL("d0", NONE, "[0, 1]", "1", "durability of whole snow, from which damage counts",
         .keyed = true, AT(d0)),
    ENUM("kb_sign", "damaged|printed", "damaged",
         "crushed snow takes more of a collider's velocity, or less, by the sign in print",
         .keyed = true, AT(kb_printed)),
    ENUM("durability_rate", "time|step", "time",
         "durability falls with time, or with each step as printed", .keyed = true,
         AT(durability_step)),
    REAL("durability_threshold", PRESSURE, "[0, inf)", "600 Pa",
         "pressure that does no harm; 0 is printed", .keyed = true, AT(durability_threshold)),
    ENUM("plastic_viscosity", "yield|printed", "yield",
         "of what yields: mu_0 and what keeps shear at its bound, or mu_0 + k_f p", .keyed = true,
         AT(viscosity_printed)),
    BOOL("reproject", "true", "pressure once more after friction and cohesion, which undo it",
         .keyed = true, AT(reproject)),
    BOOL("clusters", "true", "what does not yield moves as rigid pieces", .keyed = true,
         AT(clusters)),
    REAL("viscosity_tolerance", NONE, "[1e-12, 0.1]", "1e-5", "relative residual", .keyed = true,
         AT(viscosity_tolerance)),
    INT("viscosity_iterations", "[1, 100000]", "300", "of one solve at most", .keyed = true,
        AT(viscosity_iterations)),
    REAL("pressure_tolerance", NONE, "[1e-12, 0.1]", "1e-6", "relative residual", .keyed = true,
         AT(pressure_tolerance)),
    INT("pressure_iterations", "[1, 100000]", "200", "of one solve at most", .keyed = true,
        AT(pressure_iterations)),
    REAL("dt", TIME, "[0, 1]", "0", "fixed time step; 0: chosen step by step", .keyed = true,
         AT(dt)),
    REAL("dt_max", TIME, "[1e-12, 1]", "5 ms", "longest step", .keyed = true, AT(dt_max)),
    REAL("dt_min", TIME, "[1e-15, 1]", "1e-9 s", "a run that would need a shorter step fails",
         AT(dt_min)),
    REAL("cfl", NONE, "[0.001, 2]", "1", "cells that particles and colliders may cross in a step",
         .keyed = true, AT(cfl)),
    REAL("reference_h", LENGTH, "[0, 1e6]", "0",
         "h where flip and the yield condition are as printed: in a scene at quality 1; 0: here",
         AT(reference_h)),
};

const firn_schema_record firn_flip_settings = {"the flip section", ROWS(rows),
                                               .doc = "FLIP: incompressible flow"};

FIRN_DEFAULTS(flip_def) {
  firn_flip_def def = {0};
  firn_schema_defaults(&firn_flip_settings, &def);
  return def;
}

void flip_conflicts(const void *settings, firn_conflict_fn tell, void *user) {
  const firn_flip_def *def = settings;
  firn_solver_step_conflicts(def->dt, def->dt_min, def->dt_max, tell, user);
}
