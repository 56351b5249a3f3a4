// SPDX-License-Identifier: Apache-2.0
// Keeping particles, blocks, node blocks and arenas in step with each other.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "solver/mpm/flight.h"
#include "solver/mpm/mpm.h"
#include "solver/mpm/rest.h"

// Blocks with fewer particles than this reach only around where their particles are.
enum { SPARSE = 64 };

firn_status mpm_layout_blocks(mpm *m) {
  size_t blocks = m->world->particles.block_count;
  if (blocks <= m->block_capacity) return FIRN_OK;
  firn_context *context = m->world->context;
  size_t capacity = blocks + blocks / 32;
  firn_free(context, m->box, m->block_capacity * sizeof *m->box);
  firn_free(context, m->next_box, m->block_capacity * sizeof *m->next_box);
  firn_free(context, m->reach, m->block_capacity * sizeof *m->reach);
  m->block_capacity = 0;
  m->box = firn_alloc_zero(context, capacity * sizeof *m->box, "boxes");
  m->next_box = firn_alloc_zero(context, capacity * sizeof *m->next_box, "boxes");
  m->reach = firn_alloc_zero(context, capacity * sizeof *m->reach, "boxes");
  if (!m->box || !m->next_box || !m->reach) {
    firn_free(context, m->box, capacity * sizeof *m->box);
    firn_free(context, m->next_box, capacity * sizeof *m->next_box);
    firn_free(context, m->reach, capacity * sizeof *m->reach);
    m->box = m->next_box = NULL;
    m->reach = NULL;
    return FIRN_ERROR_MEMORY;
  }
  m->block_capacity = capacity;
  return FIRN_OK;
}

void mpm_swap_boxes(mpm *m) {
  mpm_box *box = m->box;
  m->box = m->next_box;
  m->next_box = box;
  m->view.box = m->box;
  m->view.next_box = m->next_box;
}

// A grid of spray shrinks a lot once the spray is marked.
static void shrink(firn_context *context, firn_buffer *buffer, size_t needed) {
  if (buffer->size > 2 * needed + (1 << 20)) firn_buffer_free(context, buffer);
}

// Kernels read whole rows, and nodes that no particle touches with weight 0: they must be finite.
static void clear_nodes(const mpm *m, firn_real *node) {
  const size_t block = FIRN_NODE_BLOCK_REALS, count = m->grid.count;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t g = 0; g < count; g++) memset(node + g * block, 0, block * sizeof *node);
  memset(node + count * block, 0, FIRN_ROW_REALS * sizeof *node);
}

static firn_status size_nodes(mpm *m) {
  firn_context *context = m->world->context;
  size_t channel = (m->grid.count * FIRN_NODE_BLOCK_REALS + FIRN_ROW_REALS) * sizeof(firn_real);
  shrink(context, &m->node_v, channel);
  shrink(context, &m->node_u, channel);
  FIRN_TRY(firn_buffer_reserve(context, &m->node_v, channel, "node velocities"));
  if (m->def.transfer == FIRN_TRANSFER_FLIP) {
    FIRN_TRY(firn_buffer_reserve(context, &m->node_u, channel, "node velocities"));
  }
  clear_nodes(m, m->node_v.data);
  if (m->node_u.data) clear_nodes(m, m->node_u.data);
  FIRN_TRY(firn_buffer_reserve(context, &m->node_range, m->grid.count * 6 * sizeof(firn_real),
                               "node velocities"));
  FIRN_TRY(
      firn_buffer_reserve(context, &m->sown, m->grid.count * sizeof(uint16_t), "node velocities"));
  FIRN_TRY(firn_buffer_reserve(context, &m->sound2,
                               m->world->particles.block_count * sizeof(firn_real), "tallies"));
  return firn_buffer_reserve(context, &m->tallies,
                             m->world->particles.unit_count * sizeof(mpm_tally), "tallies");
}

// A particle may wander one cell beyond its block before the next sort.
static firn_reach widest(const mpm_stencil *s) {
  firn_reach reach = {.spray = false};
  for (int a = 0; a < 3; a++) {
    reach.lo[a] = (int8_t)(-1 + s->first);
    reach.hi[a] = (int8_t)(4 + s->first + s->width - 1);
  }
  return reach;
}

firn_reach mpm_reach_around(const mpm_stencil *s, const int lo[3], const int hi[3],
                            uint32_t count) {
  firn_reach reach = widest(s);
  if (count >= SPARSE) return reach;
  for (int a = 0; a < 3; a++) {
    if (lo[a] > reach.lo[a]) reach.lo[a] = (int8_t)lo[a];
    if (hi[a] < reach.hi[a]) reach.hi[a] = (int8_t)hi[a];
  }
  return reach;
}

bool mpm_reach_is_good(const mpm *m, const firn_reach *reach) {
  firn_reach limit = widest(&m->stencil);
  for (int a = 0; a < 3; a++) {
    if (reach->lo[a] < limit.lo[a] || reach->hi[a] > limit.hi[a]) return false;
    if (reach->lo[a] > reach->hi[a]) return false;
  }
  return true;
}

static bool bound_all(mpm *m) {
  size_t blocks = m->world->particles.block_count;
  bool inside = true;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static) reduction(&& : inside))
  for (size_t b = 0; b < blocks; b++) inside = m->kernels->bound(&m->view, b) && inside;
  mpm_swap_boxes(m);
  return inside;
}

// How far the particles of a block may go along an axis before the next sort, in cells. The quickest of all have a
// cell; who is far slower, or sleeps, does with a part of it. Should he be pushed, the sort comes sooner.
static double allowance(const mpm *m, size_t b, int a) {
  enum { SLOWER = 16 };
  const firn_block *block = &m->world->particles.block[b];
  const firn_real *v = m->view.v[a] + block->first;
  double quickest = sqrt(m->memory.speed2_max), speed = 0;
  for (uint32_t i = 0; i < block->count; i++) speed = fmax(speed, fabs((double)v[i]));
  return SLOWER * speed < quickest ? 0.25 : 1;
}

// Spray would otherwise claim 27 node blocks for each particle, and debris 27 for a few.
static void narrow(mpm *m) {
  const firn_particles *p = &m->world->particles;
  const mpm_stencil *s = &m->stencil;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t b = 0; b < p->block_count; b++) {
    const firn_block *block = &p->block[b];
    int lo[3], hi[3];
    for (int a = 0; a < 3 && block->count < SPARSE; a++) {
      const firn_real *x = m->view.x[a] + block->first;
      firn_real least = x[0], most = x[0];
      for (uint32_t i = 1; i < block->count; i++) {
        least = firn_min(least, x[i]);
        most = firn_max(most, x[i]);
      }
      double way = allowance(m, b, a);
      lo[a] = (int)floor((double)least - way - s->shift) + s->first;
      hi[a] = (int)floor((double)most + way - s->shift) + s->first + s->width - 1;
    }
    m->reach[b] = mpm_reach_around(s, lo, hi, block->count);
  }
}

firn_status mpm_rebuild_grid(mpm *m, bool spray) {
  m->memory.spray = spray;
  m->laid_out = false;
  m->sleep_applied = m->contacts.fixed_known = false;
  FIRN_TRY(firn_grid_build(&m->grid, &m->world->particles, m->reach, m->memory.spray));
  if (m->def.contact_surface) FIRN_TRY(firn_grid_link(&m->grid, &m->world->particles));
  FIRN_TRY(size_nodes(m));
  FIRN_TRY(mpm_find_tiles(m));
  FIRN_TRY(mpm_reserve_parcels(m));
  m->laid_out = true;
  mpm_point_view(m);
  return FIRN_OK;
}

// Blocks are new, so no sums are stored; the review will put to sleep what was asleep.
static void wake_boxes(mpm *m) {
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t b = 0; b < m->world->particles.block_count; b++) {
    m->box[b].asleep = m->next_box[b].asleep = false;
    m->box[b].stored = m->next_box[b].stored = false;
  }
  m->stored_reals = 0;
}

// Kernels read the numbers of particles as they lie in memory, so stiffness by temperature has to lie
// there. Nothing is conducted here: temperatures are those that somebody has given.
static firn_status soften(mpm *m) {
  const firn_world *world = m->world;
  size_t slots = world->particles.slots + world->particles.flying;
  if (!world->softens) return FIRN_OK;
  FIRN_TRY(firn_buffer_reserve(world->context, &m->softened, 2 * slots * sizeof(firn_real),
                               "stiffness by temperature"));
  firn_real *mu = m->softened.data, *lambda = mu + slots;
  FIRN_PARALLEL_FOR(world->context, schedule(static))
  for (size_t i = 0; i < slots; i++) {
    firn_material_row row = firn_world_row(world, i);
    mu[i] = row.mu;
    lambda[i] = row.lambda;
  }
  return FIRN_OK;
}

// Everything that hangs on the blocks. same: no particles were added or removed.
static firn_status lay_out(mpm *m, bool same) {
  const firn_particles *p = &m->world->particles;
  m->unlaid = true;
  FIRN_TRY(mpm_layout_blocks(m));
  mpm_point_view(m);
  wake_boxes(m);
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t b = 0; b < p->block_count; b++) m->reach[b] = widest(&m->stencil);
  if (!bound_all(m)) {
    return firn_fail(m->world->context, FIRN_ERROR_NONFINITE,
                     "a particle's position is not finite at time %g s", m->world->time);
  }
  narrow(m);
  FIRN_TRY(mpm_rest_carry(m, same));
  mpm_find_spray(m);
  FIRN_TRY(mpm_rebuild_grid(m, mpm_may_have_spray(m)));
  m->memory.must_sort = m->memory.regroup = m->unlaid = false;
  m->sorts++;
  return FIRN_OK;
}

// Sorts, or looks at those who fly again, which may be all that is needed.
static firn_status sort(mpm *m, bool *sorted) {
  firn_particles *p = &m->world->particles;
  bool same = p->pending == p->flying && !p->thinned && !m->unlaid;
  if (!m->unlaid) FIRN_TRY(mpm_rest_leave(m));
  mpm_flight_forget(m);
  mpm_point_view(m); // after a load nobody has
  FIRN_TRY(firn_particles_sort_some(p, m->stencil.shift, !m->memory.must_sort, &m->arena,
                                    m->def.flight ? mpm_flight_choose : NULL, m));
  mpm_point_view(m);
  mpm_flight_begin(m);
  *sorted = !m->flight_kept;
  return *sorted ? lay_out(m, same) : FIRN_OK;
}

firn_status mpm_layout(mpm *m, bool *sorted) {
  firn_particles *p = &m->world->particles;
  bool fresh = p->pending > p->flying;
  *sorted = false;
  if (fresh) m->memory.must_survey = true;
  bool must = m->memory.must_sort || m->memory.regroup || fresh || p->thinned || m->unlaid;
  if (must || mpm_flight_is_due(m)) {
    double start = firn_seconds();
    bool goes_on = false;
    if (!must) FIRN_TRY(mpm_flight_renew(m, &goes_on));
    if (!goes_on) FIRN_TRY(sort(m, sorted));
    m->seconds[MPM_SORT] += firn_seconds() - start;
  }
  if (!m->laid_out && p->block_count) {
    // Loaded from a checkpoint, or an earlier try ran out of memory: the same blocks and reach give
    // the same grid.
    FIRN_TRY(mpm_layout_blocks(m));
    mpm_point_view(m);
    wake_boxes(m);
    if (!bound_all(m)) {
      return firn_fail(m->world->context, FIRN_ERROR_FORMAT,
                       "particles lie outside the reach of their blocks; a damaged checkpoint?");
    }
    FIRN_TRY(mpm_rebuild_grid(m, m->memory.spray));
  }
  FIRN_TRY(soften(m));
  mpm_point_view(m);
  return FIRN_OK;
}

void mpm_point_view(mpm *m) {
  firn_world *world = m->world;
  const firn_particles *p = &world->particles;
  mpm_view *view = &m->view;
  view->stencil = m->stencil;
  view->apic = m->def.transfer == FIRN_TRANSFER_APIC;
  view->psd = m->def.hessian == FIRN_HESSIAN_PSD;
  view->advect_pic = m->def.advect_pic;
  view->damps = !view->apic && !m->def.sticky_blend;
  view->h = (firn_real)world->h;
  view->spacing = world->h;
  for (int a = 0; a < 3; a++) {
    view->x[a] = firn_particles_real(p, FIRN_FIELD_X + a);
    view->v[a] = firn_particles_real(p, FIRN_FIELD_VX + a);
    view->gravity[a] = (firn_real)world->gravity[a];
  }
  for (int i = 0; i < 6; i++) view->b[i] = firn_particles_real(p, m->field_b + i);
  for (int i = 0; i < 9 && m->field_c >= 0; i++) {
    view->c[i] = firn_particles_real(p, m->field_c + i);
  }
  view->ln_jp = firn_particles_real(p, m->field_ln_jp);
  view->ln_cut = world->cut < 0 ? NULL : firn_particles_real(p, world->cut);
  view->mass = firn_particles_real(p, FIRN_FIELD_MASS);
  view->volume = firn_particles_real(p, FIRN_FIELD_VOLUME);
  view->material = firn_particles_material(p);
  firn_world_varied(world, view->vary);
  if (world->softens && m->softened.data) {
    view->vary[FIRN_VARY_MU] = m->softened.data;
    view->vary[FIRN_VARY_LAMBDA] = view->vary[FIRN_VARY_MU] + p->slots + p->flying;
  }
  view->materials = world->material;
  view->material_count = world->material_count;
  view->box = m->box;
  view->next_box = m->next_box;
  view->reach = m->reach;
  view->arena = m->arena.data;
  view->unit = p->unit;
  view->block = p->block;
  view->sound2 = m->sound2.data;
  view->target = m->grid.target;
  view->found = m->grid.found;
  view->neighbour = m->grid.neighbour;
  view->spray = m->grid.spray_count > 0;
  view->node_count = m->grid.count;
  view->node_at = m->grid.at;
  view->giver_start = m->grid.giver_start;
  view->giver = m->grid.giver;
  view->node_v = m->node_v.data;
  view->node_u = m->node_u.data;
  view->sown = m->sown.data;
  view->node_lo = m->node_range.data;
  view->node_hi = view->node_lo ? view->node_lo + 3 * m->grid.count : NULL;
  // (1 - |A|)^3 <= det(I + A).
  view->grad_limit = (firn_real)(1 - cbrt(m->def.min_det));
  view->particle_contact = m->def.particle_contact && world->collider_count;
  view->host = m;
}
