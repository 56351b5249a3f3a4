// SPDX-License-Identifier: Apache-2.0
#include "solver/sph/sph.h"

#include <math.h>

static firn_status add(firn_particles *p, const char *const *name, int count, int *out) {
  for (int i = 0; i < count; i++) {
    int f = firn_particles_add_field(p, name[i], FIRN_FIELD_REAL, 0);
    if (f < 0) return FIRN_ERROR_MEMORY;
    if (i == 0) *out = f;
  }
  return FIRN_OK;
}

static firn_status add_fields(sph *s) {
  static const char *const stretch[] = {"sxx", "syy", "szz", "sxy", "sxz", "syz"};
  static const char *const shear[] = {"shear_x", "shear_y", "shear_z"};
  static const char *const pressure[] = {"pressure"}, *const density[] = {"rho"};
  static const char *const ln_jp[] = {"ln_jp"};
  firn_particles *p = &s->world->particles;
  FIRN_TRY(add(p, stretch, 6, &s->field_s));
  FIRN_TRY(add(p, pressure, 1, &s->field_p));
  FIRN_TRY(add(p, shear, 3, &s->field_a));
  FIRN_TRY(add(p, density, 1, &s->field_rho));
  s->field_ln_jp = -1;
  return s->def.rest_density_tracked ? add(p, ln_jp, 1, &s->field_ln_jp) : FIRN_OK;
}

static void destroy(void *solver) {
  sph *s = solver;
  if (!s) return;
  firn_context *context = s->world->context;
  sph_pairs_free(&s->pairs, context);
  sph_boundary_free(&s->boundary, context);
  firn_buffer *buffers[] = {&s->scratch, &s->kept, &s->work, &s->rescue, &s->sums, &s->pushes};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
    firn_buffer_free(context, buffers[i]);
  firn_free(context, s, sizeof *s);
}

static firn_status create(firn_world *world, const void *settings, void **out) {
  *out = NULL;
  sph *s = firn_alloc_zero(world->context, sizeof *s, "sph");
  if (!s) return FIRN_ERROR_MEMORY;
  s->world = world;
  s->def = *(const firn_sph_def *)settings;
  s->spacing = world->h / FIRN_SPH_SUPPORT;
  s->memory.must_survey = true;
  firn_status status = add_fields(s);
  if (status != FIRN_OK) {
    destroy(s);
    return status;
  }
  *out = s;
  return FIRN_OK;
}

static firn_status configure(void *solver, const void *settings) {
  sph *s = solver;
  const firn_sph_def *def = settings;
  if (def->rest_density_tracked != s->def.rest_density_tracked || def->phi != s->def.phi ||
      def->boundary_depth != s->def.boundary_depth) {
    return firn_fail(s->world->context, FIRN_ERROR_ARGUMENT,
                     "sph: rest_density, phi and boundary_depth are settled when the simulation is "
                     "made");
  }
  s->def = *def;
  return FIRN_OK;
}

static void changed(void *solver) {
  ((sph *)solver)->memory.must_survey = true;
}

static firn_status state(void *solver, bool load, const firn_state_visitor *visitor) {
  sph *s = solver;
  sph_memory before = s->memory;
  firn_status status = visitor->blob(visitor->user, "sph_memory", &s->memory, sizeof s->memory);
  if (load && status != FIRN_OK) s->memory = before;
  if (load && status == FIRN_OK &&
      !(s->memory.speed2_max >= 0 && s->memory.accel2_max >= 0 && s->memory.laplace_max >= 0)) {
    s->memory = before;
    return firn_fail(s->world->context, FIRN_ERROR_FORMAT,
                     "the checkpoint is damaged: sph_memory does not make sense");
  }
  return status;
}

const firn_solver_type firn_sph_solver = {
    .name = "sph",
    .settings = &firn_sph_settings,
    .def_size = sizeof(firn_sph_def),
    .conflicts = sph_conflicts,
    .configure = configure,
    .spacings = FIRN_SPH_SUPPORT,
    .conducts = true,
    .even = true,
    .hollow = true,
    .laws = "snow|elastic",
    .create = create,
    .destroy = destroy,
    .step = sph_step,
    .fields = sph_fields,
    .stats = sph_stats,
    .look = sph_look,
    .write = sph_write,
    .changed = changed,
    .settle = sph_settle,
    .energy = sph_energy,
    .start_strain = sph_start_strain,
    .start_stress = sph_start_stress,
    .volumes = sph_volumes,
    .columns = "pressure_iterations|shear_iterations",
    .state = state,
};
