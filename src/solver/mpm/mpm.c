// SPDX-License-Identifier: Apache-2.0
#include "solver/mpm/mpm.h"

#include <math.h>
#include <string.h>

#include "base/isa.h"
#include "solver/mpm/flight.h"
#include "solver/mpm/rest.h"

static const mpm_kernels *choose_kernels(const mpm *m) {
  firn_isa isa = m->world->context->isa;
  bool apic = m->def.transfer == FIRN_TRANSFER_APIC;
  const mpm_kernels *kernels = NULL;
#if defined(__x86_64__)
  if (isa == FIRN_ISA_AVX512) kernels = firn_mpm_kernels_avx512(&m->stencil, apic);
  if (isa == FIRN_ISA_AVX2) kernels = firn_mpm_kernels_avx2(&m->stencil, apic);
#else
  (void)isa;
#endif
  return kernels ? kernels : firn_mpm_kernels_scalar(&m->stencil, apic);
}

static firn_status add_fields(mpm *m) {
  static const char *const b[] = {"bxx", "byy", "bzz", "bxy", "bxz", "byz"};
  static const char *const c[] = {"cxx", "cxy", "cxz", "cyx", "cyy", "cyz", "czx", "czy", "czz"};
  firn_particles *p = &m->world->particles;
  m->field_c = -1;
  for (int i = 0; i < 6; i++) {
    int f = firn_particles_add_field(p, b[i], FIRN_FIELD_REAL, 0);
    if (f < 0) return FIRN_ERROR_MEMORY;
    if (i == 0) m->field_b = f;
  }
  m->field_ln_jp = firn_particles_add_field(p, "ln_jp", FIRN_FIELD_REAL, 0);
  if (m->field_ln_jp < 0) return FIRN_ERROR_MEMORY;
  if (m->def.transfer != FIRN_TRANSFER_APIC) return FIRN_OK;
  for (int i = 0; i < 9; i++) {
    int f = firn_particles_add_field(p, c[i], FIRN_FIELD_REAL, 0);
    if (f < 0) return FIRN_ERROR_MEMORY;
    if (i == 0) m->field_c = f;
  }
  return FIRN_OK;
}

static void destroy(void *solver) {
  mpm *m = solver;
  if (!m) return;
  firn_context *context = m->world->context;
  firn_grid_free(&m->grid);
  firn_free(context, m->box, m->block_capacity * sizeof *m->box);
  firn_free(context, m->next_box, m->block_capacity * sizeof *m->next_box);
  firn_free(context, m->reach, m->block_capacity * sizeof *m->reach);
  firn_buffer *buffers[] = {&m->arena,
                            &m->arena_runs,
                            &m->node_v,
                            &m->node_u,
                            &m->node_range,
                            &m->sown,
                            &m->tiles,
                            &m->thin,
                            &m->sound2,
                            &m->node_sums,
                            &m->stiff,
                            &m->krylov,
                            &m->diagonal,
                            &m->constraint,
                            &m->held,
                            &m->constraint_of,
                            &m->tallies,
                            &m->parcels,
                            &m->node_soft,
                            &m->solved,
                            &m->stiff_units,
                            &m->packed_reals,
                            &m->packed_material,
                            &m->packed_blocks,
                            &m->packed_boxes,
                            &m->packed_units,
                            &m->rest,
                            &m->weighed,
                            &m->bodies,
                            &m->body_rest,
                            &m->body_scratch,
                            &m->rest_spare,
                            &m->node_asleep,
                            &m->contacts.nodes,
                            &m->contacts.blocks,
                            &m->contacts.fixed_nodes,
                            &m->contacts.runs,
                            &m->contacts.fixed_far,
                            &m->contacts.pushes,
                            &m->contacts.holders,
                            &m->contacts.samples,
                            &m->contacts.firsts,
                            &m->contacts.columns,
                            &m->contacts.layers,
                            &m->contacts.collided,
                            &m->contacts.inside,
                            &m->contacts.asleep,
                            &m->softened,
                            &m->pieces,
                            &m->next_pieces,
                            &m->flight_candidates,
                            &m->flight_marks,
                            &m->flight_of,
                            &m->flight_table,
                            &m->flight_members,
                            &m->clump_desks,
                            &m->clump_sums};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    firn_buffer_free(context, buffers[i]);
  }
  firn_free(context, m, sizeof *m);
}

// As mpm_conflicts has it, for a longest step that goes with the cells.
static firn_status check_shortest(const firn_world *world, const firn_mpm_def *def) {
  double longest = mpm_longest_step(def, world->h);
  if (def->dt > 0 || !(def->dt_min > longest)) return FIRN_OK;
  return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                   "mpm: dt_min = %g s is longer than dt_max, %g s for cells of %g m", def->dt_min,
                   longest, world->h);
}

// Of materials that have none of their own.
static double softening_length(const mpm *m) {
  return m->def.reference_h > 0 ? m->def.reference_h : m->world->h;
}

static firn_status create(firn_world *world, const void *settings, void **out) {
  firn_context *context = world->context;
  const firn_mpm_def *def = settings;
  *out = NULL;
  FIRN_TRY(check_shortest(world, def));
  mpm *m = firn_alloc_zero(context, sizeof *m, "mpm");
  if (!m) return FIRN_ERROR_MEMORY;
  m->world = world;
  m->def = *def;
  m->def.dt_max = mpm_longest_step(def, world->h);
  firn_world_set_softening(world, softening_length(m));
  m->stencil = def->basis == FIRN_BASIS_CUBIC
                   ? (mpm_stencil){.width = 4, .first = -1, .shift = 0, .d = 1.0 / 3}
                   : (mpm_stencil){.width = 3, .first = 0, .shift = 0.5, .d = 1.0 / 4};
  m->kernels = choose_kernels(m);
  m->memory.must_sort = m->memory.must_survey = true;
  firn_grid_init(&m->grid, context);
  firn_status status = add_fields(m);
  if (status != FIRN_OK) {
    destroy(m);
    return status;
  }
  *out = m;
  return FIRN_OK;
}

static void changed(void *solver) {
  mpm *m = solver;
  m->memory.must_survey = true;
  mpm_rest_disturb(m);
}

// Those who fly are looked at again, and so are sleepers that it may come upon; and the next step must not
// let it jump over nodes, should it be near.
static void driven(void *solver, double speed) {
  mpm *m = solver;
  m->memory.flight_until = -(double)INFINITY;
  m->memory.disturbed = true;
  if (isfinite(speed)) m->memory.surface2_max = fmax(m->memory.surface2_max, speed * speed);
}

static firn_status configure(void *solver, const void *settings) {
  mpm *m = solver;
  firn_mpm_def own = *(const firn_mpm_def *)settings, *def = &own;
  own.dt_max = mpm_longest_step(def, m->world->h);
  FIRN_TRY(check_shortest(m->world, &own));
  if (def->basis != m->def.basis || def->transfer != m->def.transfer ||
      def->sleep != m->def.sleep || def->flight != m->def.flight ||
      def->hardening_density != m->def.hardening_density) {
    return firn_fail(m->world->context, FIRN_ERROR_ARGUMENT,
                     "mpm: basis, transfer, hardening, flight and sleep are settled when the "
                     "simulation is made");
  }
  bool grains = mpm_knows_grains(m);
  if (def->dt_max != m->def.dt_max || def->elastic_cfl != m->def.elastic_cfl) {
    memset(m->memory.hard, 0, sizeof m->memory.hard); // whose classes are told by these
  }
  bool softens = def->reference_h != m->def.reference_h;
  m->def = *def;
  firn_world_set_softening(m->world, softening_length(m));
  if (softens) changed(m);
  if (mpm_knows_grains(m) != grains) m->memory.must_sort = true; // who is spray, and who has nodes
  return FIRN_OK;
}

static firn_status visit_rest(mpm *m, bool load, const firn_state_visitor *visitor) {
  const firn_particles *p = &m->world->particles;
  uint64_t count = m->rest_count;
  FIRN_TRY(visitor->blob(visitor->user, "mpm_rest_count", &count, sizeof count));
  // Of particles that were removed since the last sort, what is known is that of the blocks before.
  bool good = count == p->block_count || (p->thinned && count <= p->next_id);
  if (load && count != 0 && !good) {
    return firn_fail(m->world->context, FIRN_ERROR_FORMAT,
                     "the checkpoint is damaged: rest of %llu blocks, of which there are %zu",
                     (unsigned long long)count, p->block_count);
  }
  if (load) {
    FIRN_TRY(firn_buffer_reserve(m->world->context, &m->rest, count * sizeof(mpm_rest), "sleep"));
    m->rest_count = count;
  }
  return count ? visitor->blob(visitor->user, "mpm_rest", m->rest.data, count * sizeof(mpm_rest))
               : FIRN_OK;
}

static firn_status visit_flight(mpm *m, bool load, const firn_state_visitor *visitor) {
  // Where some were removed the next sort finds the pieces anew.
  uint64_t count = m->world->particles.thinned ? 0 : m->piece_count;
  FIRN_TRY(visitor->blob(visitor->user, "mpm_piece_count", &count, sizeof count));
  bool good = count <= m->world->particles.flying;
  if (load && good) {
    FIRN_TRY(
        firn_buffer_reserve(m->world->context, &m->pieces, count * sizeof(mpm_piece), "flight"));
    m->piece_count = count;
  }
  if (count && good) {
    FIRN_TRY(visitor->blob(visitor->user, "mpm_pieces", m->pieces.data, count * sizeof(mpm_piece)));
  }
  if (!load || (good && mpm_flight_fits(m))) return FIRN_OK;
  m->piece_count = 0;
  return firn_fail(m->world->context, FIRN_ERROR_FORMAT,
                   "the checkpoint is damaged: %llu pieces of %zu particles that fly",
                   (unsigned long long)count, m->world->particles.flying);
}

static firn_status visit_state(mpm *m, bool load, const firn_state_visitor *visitor) {
  FIRN_TRY(visitor->blob(visitor->user, "mpm_memory", &m->memory, sizeof m->memory));
  size_t blocks = m->world->particles.block_count;
  if (m->def.sleep) FIRN_TRY(visit_rest(m, load, visitor));
  FIRN_TRY(visit_flight(m, load, visitor));
  if (!blocks || m->memory.must_sort) return FIRN_OK; // the sort will make them
  if (load) FIRN_TRY(mpm_layout_blocks(m));
  FIRN_TRY(visitor->blob(visitor->user, "mpm_reach", m->reach, blocks * sizeof *m->reach));
  for (size_t b = 0; load && b < blocks; b++) {
    if (mpm_reach_is_good(m, &m->reach[b])) continue;
    return firn_fail(m->world->context, FIRN_ERROR_FORMAT,
                     "the checkpoint is damaged: reach of block %zu does not fit", b);
  }
  // Other kernels wrote it: these need node blocks where those had spray.
  if (load && m->memory.spray && !mpm_knows_grains(m)) m->memory.must_sort = true;
  return FIRN_OK;
}

static firn_status state(void *solver, bool load, const firn_state_visitor *visitor) {
  mpm *m = solver;
  mpm_memory before = m->memory;
  firn_status status = visit_state(m, load, visitor);
  if (load) m->laid_out = false;
  if (load && status != FIRN_OK) m->memory = before;
  return status;
}

// "snow|elastic|...", behind a first bar that is not part of it.
#define BAR_NAME(constant, name) "|" #name
static const char laws[] = FIRN_LAW_LIST(BAR_NAME);

const firn_solver_type firn_mpm_solver = {
    .name = "mpm",
    .settings = &firn_mpm_settings,
    .laws = &laws[1],
    .def_size = sizeof(firn_mpm_def),
    .in_sim_def = offsetof(firn_sim_def, mpm),
    .conflicts = mpm_conflicts,
    .configure = configure,
    .spacings = 2,
    .create = create,
    .destroy = destroy,
    .step = mpm_step,
    .fields = mpm_fields,
    .stats = mpm_stats,
    .look = mpm_look,
    .write = mpm_write,
    .changed = changed,
    .driven = driven,
    .settle = mpm_settle,
    .energy = mpm_energy,
    .set_affine = mpm_set_affine,
    .get_affine = mpm_get_affine,
    .start_strain = mpm_start_strain,
    .start_stress = mpm_start_stress,
    .volumes = mpm_volumes,
    .state = state,
};
