// SPDX-License-Identifier: Apache-2.0
#include "world/particles.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "world/morton.h"

size_t firn_field_size(firn_field_type type) {
  static const size_t size[] = {sizeof(firn_real), sizeof(uint32_t), sizeof(uint16_t)};
  return size[type];
}

void firn_particles_init(firn_particles *p, firn_context *context, const bool periodic[3],
                         const int period_cells[3]) {
  static const firn_field common[FIRN_FIELD_COMMON] = {
      [FIRN_FIELD_X] = {"x", FIRN_FIELD_REAL, 0, NULL, 0},
      [FIRN_FIELD_Y] = {"y", FIRN_FIELD_REAL, 0, NULL, 0},
      [FIRN_FIELD_Z] = {"z", FIRN_FIELD_REAL, 0, NULL, 0},
      [FIRN_FIELD_VX] = {"vx", FIRN_FIELD_REAL, 0, NULL, 0},
      [FIRN_FIELD_VY] = {"vy", FIRN_FIELD_REAL, 0, NULL, 0},
      [FIRN_FIELD_VZ] = {"vz", FIRN_FIELD_REAL, 0, NULL, 0},
      [FIRN_FIELD_MASS] = {"mass", FIRN_FIELD_REAL, 0, NULL, 0},
      [FIRN_FIELD_VOLUME] = {"volume", FIRN_FIELD_REAL, 0, NULL, 0},
      [FIRN_FIELD_ID] = {"id", FIRN_FIELD_U32, 0, NULL, 0},
      [FIRN_FIELD_MATERIAL] = {"material", FIRN_FIELD_U16, 0, NULL, 0},
  };
  memset(p, 0, sizeof *p);
  p->context = context;
  p->spare = (firn_field){"spare field", FIRN_FIELD_REAL, 0, NULL, 0};
  memcpy(p->field, common, sizeof common);
  p->field_count = FIRN_FIELD_COMMON;
  for (int a = 0; a < 3; a++) {
    p->periodic[a] = periodic[a];
    p->period[a] = periodic[a] ? period_cells[a] / 4 : 0;
  }
}

void firn_particles_free(firn_particles *p) {
  firn_context *context = p->context;
  for (int f = 0; f < p->field_count; f++) {
    firn_free(context, p->field[f].data, p->field[f].bytes);
  }
  firn_free(context, p->spare.data, p->spare.bytes);
  firn_free(context, p->block, p->block_capacity * sizeof *p->block);
  firn_free(context, p->unit, p->unit_capacity * sizeof *p->unit);
  firn_buffer_free(context, &p->apart);
  firn_free(context, p->pending_at, p->pending_capacity * sizeof *p->pending_at);
  for (int i = 0; i < 4; i++) firn_buffer_free(context, &p->scratch[i]);
  firn_buffer_free(context, &p->rows);
  memset(p, 0, sizeof *p);
}

static void fill(firn_field *field, size_t first, size_t count) {
  switch (field->type) {
  case FIRN_FIELD_REAL:
    for (size_t i = first; i < first + count; i++) {
      ((firn_real *)field->data)[i] = (firn_real)field->initial;
    }
    break;
  case FIRN_FIELD_U32:
    for (size_t i = first; i < first + count; i++) {
      ((uint32_t *)field->data)[i] = (uint32_t)field->initial;
    }
    break;
  case FIRN_FIELD_U16:
    for (size_t i = first; i < first + count; i++) {
      ((uint16_t *)field->data)[i] = (uint16_t)field->initial;
    }
    break;
  }
}

int firn_particles_add_field(firn_particles *p, const char *name, firn_field_type type,
                             double initial) {
  if (p->field_count == FIRN_FIELD_MAX) {
    firn_fail(p->context, FIRN_ERROR_STATE, "too many particle fields: no room for %s", name);
    return -1;
  }
  firn_field field = {name, type, initial, NULL, p->capacity * firn_field_size(type)};
  if (p->capacity) {
    field.data = firn_alloc(p->context, field.bytes, name);
    if (!field.data) return -1;
    fill(&field, 0, p->capacity);
  }
  p->field[p->field_count] = field;
  return p->field_count++;
}

void firn_particles_drop_last_field(firn_particles *p) {
  firn_field *field = &p->field[--p->field_count];
  firn_free(p->context, field->data, field->bytes);
}

static firn_status grow(firn_particles *p, firn_field *field, size_t capacity) {
  size_t bytes = capacity * firn_field_size(field->type);
  if (bytes <= field->bytes) return FIRN_OK;
  void *data = firn_resize(p->context, field->data, field->bytes, bytes, field->name);
  if (!data) return FIRN_ERROR_MEMORY;
  field->data = data;
  field->bytes = bytes;
  return FIRN_OK;
}

firn_status firn_particles_reserve(firn_particles *p, size_t slots) {
  if (slots <= p->capacity) return FIRN_OK;
  size_t capacity = p->capacity ? slots + slots / 64 : slots;
  capacity = (capacity + FIRN_SLOT_ALIGN - 1) / FIRN_SLOT_ALIGN * FIRN_SLOT_ALIGN;
  for (int f = 0; f < p->field_count; f++) FIRN_TRY(grow(p, &p->field[f], capacity));
  FIRN_TRY(grow(p, &p->spare, capacity));
  p->capacity = capacity;
  return FIRN_OK;
}

firn_status firn_particles_check_count(const firn_particles *p, size_t n) {
  if (n <= UINT32_MAX - 64 && p->next_id + n <= UINT32_MAX - 64) return FIRN_OK;
  return firn_fail(p->context, FIRN_ERROR_ARGUMENT,
                   "particles: %zu more than %zu is over the limit of 2^32", n, p->next_id);
}

firn_status firn_particles_expect(firn_particles *p, size_t n) {
  FIRN_TRY(firn_particles_check_count(p, n));
  size_t slots = p->slots + p->pending + n;
  // The sort pads units, which takes about a sixtieth more.
  FIRN_TRY(firn_particles_reserve(p, slots + slots / 56));
  if (p->pending + n > p->pending_capacity) {
    size_t capacity = p->pending + n;
    void *at = firn_resize(p->context, p->pending_at, p->pending_capacity * sizeof *p->pending_at,
                           capacity * sizeof *p->pending_at, "new particles");
    if (!at) return FIRN_ERROR_MEMORY;
    p->pending_at = at;
    p->pending_capacity = capacity;
  }
  return FIRN_OK;
}

firn_status firn_particles_extend(firn_particles *p, size_t n) {
  size_t first = p->slots + p->pending;
  FIRN_TRY(firn_particles_expect(p, n));
  for (int f = 0; f < p->field_count; f++) fill(&p->field[f], first, n);
  uint32_t *id = firn_particles_id(p);
  for (size_t i = 0; i < n; i++) id[first + i] = (uint32_t)(p->next_id + i);
  return FIRN_OK;
}

firn_status firn_particles_place(firn_particles *p, size_t slot, const double cell[3]) {
  for (int a = 0; a < 3; a++) {
    double x = cell[a];
    if (p->periodic[a]) {
      double period = 4.0 * p->period[a];
      x -= period * floor(x / period);
      if (x >= period) x = 0;
    }
    double block = floor(x / 4);
    if (!(fabs(block) < FIRN_MORTON_LIMIT)) {
      return firn_fail(p->context, FIRN_ERROR_DOMAIN,
                       "particle %u: its position, %g cells from the origin along %c, is outside "
                       "the addressable +-%g cells",
                       firn_particles_id(p)[slot], cell[a], "xyz"[a], 4.0 * FIRN_MORTON_LIMIT);
    }
    p->pending_at[slot - p->slots][a] = (int32_t)block;
    firn_particles_real(p, FIRN_FIELD_X + a)[slot] = (firn_real)(x - 4 * block);
  }
  return FIRN_OK;
}

void firn_particles_visit_part(const firn_particles *p, int part, firn_visit_fn visit, void *user) {
  // Blocks, and then each pending particle as if in one of its own.
  size_t items = p->block_count + p->pending;
  size_t begin = items * (size_t)part / FIRN_PARTS, end = items * (size_t)(part + 1) / FIRN_PARTS;
  for (size_t i = begin; i < end; i++) {
    bool sorted = i < p->block_count;
    const int32_t *at = sorted ? p->block[i].at : p->pending_at[i - p->block_count];
    const double corner[3] = {4.0 * at[0], 4.0 * at[1], 4.0 * at[2]};
    size_t first = sorted ? p->block[i].first : p->slots + (i - p->block_count);
    size_t count = sorted ? p->block[i].count : 1;
    for (size_t slot = first; slot < first + count; slot++) visit(user, slot, corner);
  }
}

void firn_particles_visit(const firn_particles *p, firn_visit_fn visit, void *user) {
  for (int part = 0; part < FIRN_PARTS; part++) firn_particles_visit_part(p, part, visit, user);
}

void firn_particles_visit_parallel(const firn_particles *p, firn_visit_fn visit, void *user) {
  FIRN_PARALLEL_FOR(p->context, schedule(dynamic, 1))
  for (int part = 0; part < FIRN_PARTS; part++) firn_particles_visit_part(p, part, visit, user);
}
