// SPDX-License-Identifier: Apache-2.0
#include "solver/flip/flip.h"

#include <math.h>

#include "solver/flip/kernels.h"

static firn_status add_fields(flip *s) {
  static const char *const affine[] = {"cxx", "cxy", "cxz", "cyx", "cyy",
                                       "cyz", "czx", "czy", "czz"};
  firn_particles *p = &s->world->particles;
  s->field_fill = firn_particles_add_field(p, "fill", FIRN_FIELD_REAL, 1);
  s->field_p = firn_particles_add_field(p, "pressure", FIRN_FIELD_REAL, 0);
  s->field_d = firn_particles_add_field(p, "durability", FIRN_FIELD_REAL, -1); // the material's
  s->field_c = -1;
  if (s->field_fill < 0 || s->field_p < 0 || s->field_d < 0) return FIRN_ERROR_MEMORY;
  for (int k = 0; k < 9 && s->def.transfer == FIRN_FLIP_TRANSFER_APIC; k++) {
    int f = firn_particles_add_field(p, affine[k], FIRN_FIELD_REAL, 0);
    if (f < 0) return FIRN_ERROR_MEMORY;
    if (k == 0) s->field_c = f;
  }
  return FIRN_OK;
}

static void destroy(void *solver) {
  flip *s = solver;
  if (!s) return;
  firn_context *context = s->world->context;
  firn_grid_free(&s->grid);
  firn_multigrid_free(&s->mg);
  firn_buffer *buffers[] = {&s->scratch, &s->reach,    &s->arenas, &s->channels, &s->wet,
                            &s->solve,   &s->parts,    &s->pushes, &s->touches,  &s->kinds,
                            &s->snow,    &s->contacts, &s->pieces, &s->shares,   &s->bodies};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
    firn_buffer_free(context, buffers[i]);
  firn_free(context, s, sizeof *s);
}

static firn_status create(firn_world *world, const void *settings, void **out) {
  *out = NULL;
  flip *s = firn_alloc_zero(world->context, sizeof *s, "flip");
  if (!s) return FIRN_ERROR_MEMORY;
  s->world = world;
  s->def = *(const firn_flip_def *)settings;
  s->memory.must_survey = true;
  s->kernels = flip_choose_kernels(world->context);
  s->lattice = flip_lattice_sum(&s->def);
  firn_grid_init(&s->grid, world->context);
  firn_multigrid_init(&s->mg, world->context);
  firn_status status = add_fields(s);
  if (status != FIRN_OK) {
    destroy(s);
    return status;
  }
  *out = s;
  return FIRN_OK;
}

static firn_status configure(void *solver, const void *settings) {
  flip *s = solver;
  const firn_flip_def *def = settings;
  if (def->kernel != s->def.kernel || def->transfer != s->def.transfer) {
    return firn_fail(s->world->context, FIRN_ERROR_ARGUMENT,
                     "flip: kernel and transfer are settled when the simulation is made");
  }
  s->def = *def;
  return FIRN_OK;
}

static void changed(void *solver) {
  ((flip *)solver)->memory.must_survey = true;
}

static void set_affine(void *solver, size_t slot, const double gradient[9]) {
  flip *s = solver;
  for (int k = 0; k < 9 && s->field_c >= 0; k++)
    firn_particles_real(&s->world->particles, s->field_c + k)[slot] = (firn_real)gradient[k];
}

static bool get_affine(void *solver, size_t slot, double gradient[9]) {
  const flip *s = solver;
  for (int k = 0; k < 9 && s->field_c >= 0; k++)
    gradient[k] = (double)firn_particles_real(&s->world->particles, s->field_c + k)[slot];
  return s->field_c >= 0;
}

static firn_status state(void *solver, bool load, const firn_state_visitor *visitor) {
  flip *s = solver;
  flip_memory before = s->memory;
  firn_status status = visitor->blob(visitor->user, "flip_memory", &s->memory, sizeof s->memory);
  if (load && status != FIRN_OK) s->memory = before;
  if (load && status == FIRN_OK && !(s->memory.speed2_max >= 0)) {
    s->memory = before;
    return firn_fail(s->world->context, FIRN_ERROR_FORMAT,
                     "the checkpoint is damaged: flip_memory does not make sense");
  }
  return status;
}

const firn_solver_type firn_flip_solver = {
    .name = "flip",
    .settings = &firn_flip_settings,
    .def_size = sizeof(firn_flip_def),
    .conflicts = flip_conflicts,
    .configure = configure,
    .spacings = 2,
    .even = true,
    .laws = "snow|sand|water",
    .create = create,
    .destroy = destroy,
    .step = flip_step,
    .fields = flip_fields,
    .stats = flip_stats,
    .look = flip_look,
    .changed = changed,
    .set_affine = set_affine,
    .get_affine = get_affine,
    .volumes = flip_volumes,
    .columns = "pressure_iterations|viscosity_iterations|durability_mean",
    .state = state,
};
