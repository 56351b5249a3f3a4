// SPDX-License-Identifier: Apache-2.0
#include "solver/sph/boundary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/parallel.h"
#include "geometry/sdf.h"
#include "geometry/surface_samples.h"
#include "math/sph_kernel.h"
#include "world/digest.h"
#include "world/morton.h"

// Samples of a part in the frame that it was defined in: all of a part that has bounds, and of others what
// has been asked for so far, block by block.
typedef struct sph_body {
  int collider, part;
  size_t count, room;
  double *sample; // [room][6] m: point and normal
  // Of a deforming body: its surface at a key, and when that was; nan: not known.
  firn_surface_samples surface;
  double key;
  // Of parts without bounds, which stand still: from a block's key to its samples.
  firn_block_map_entry *table; // [mask + 1]
  size_t mask, blocks;
  size_t (*span)[2]; // [span_room]: first and end
  size_t span_room;
} sph_body;

// Samples reach this many cells beyond the blocks of snow: one that the kernel reaches, and another, so
// that those know all of their own neighbours, which V_b is made of.
enum { MARGIN = 2 };

static bool moves(const firn_collider *collider) {
  return !collider->removed && (collider->speed > 0 || collider->varies);
}

static bool deforms(const firn_part *part) {
  return part->sequence || (part->shape && part->shape->varies);
}

static void free_bodies(sph_boundary *boundary, firn_context *context) {
  for (size_t i = 0; i < boundary->body_count; i++) {
    sph_body *b = &boundary->body[i];
    firn_free(context, b->sample, b->room * 6 * sizeof *b->sample);
    firn_surface_samples_free(&b->surface);
    firn_free(context, b->span, b->span_room * sizeof *b->span);
    if (b->table) firn_free(context, b->table, (b->mask + 1) * sizeof *b->table);
  }
  boundary->body_count = 0;
  boundary->made = false;
}

void sph_boundary_free(sph_boundary *boundary, firn_context *context) {
  free_bodies(boundary, context);
  firn_buffer *all[] = {&boundary->points,     &boundary->places,  &boundary->volumes,
                        &boundary->velocities, &boundary->normals, &boundary->owners,
                        &boundary->keys[0],    &boundary->keys[1], &boundary->bodies,
                        &boundary->cell_points};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) firn_buffer_free(context, all[i]);
  sph_cells_free(&boundary->cells, context);
}

double sph_boundary_plane_sum(void) {
  return (double)firn_sph_kernel(0) + 4 * (double)firn_sph_kernel(1) +
         4 * (double)firn_sph_kernel(FIRN_R(1.41421356237309504880));
}

// ------------------------------------------------------------------------------- growing arrays

// An array that keeps what it holds.
static firn_status grow(firn_context *context, firn_buffer *buffer, size_t size) {
  if (buffer->size >= size) return FIRN_OK;
  void *data = firn_resize(context, buffer->data, buffer->size, size, "boundary");
  if (!data) return FIRN_ERROR_MEMORY;
  buffer->data = data;
  buffer->size = size;
  return FIRN_OK;
}

typedef struct layer {
  sph_boundary *boundary;
  const firn_world *world;
  const sph_boundary_def *def;
  firn_block_map_entry *table; // of the blocks that hold snow
  size_t mask;
} layer;

static firn_status add_sample(const layer *l, const double x[3], const double normal[3],
                              const double velocity[3], int collider) {
  sph_boundary *b = l->boundary;
  firn_context *context = l->world->context;
  if (b->count == b->room) {
    size_t room = b->room ? 2 * b->room : 1024;
    FIRN_TRY(grow(context, &b->points, 3 * room * sizeof(double)));
    FIRN_TRY(grow(context, &b->velocities, 3 * room * sizeof(firn_real)));
    FIRN_TRY(grow(context, &b->normals, 3 * room * sizeof(firn_real)));
    FIRN_TRY(grow(context, &b->owners, room * sizeof(uint16_t)));
    b->room = room;
  }
  b->point = b->points.data;
  b->velocity = b->velocities.data;
  b->normal = b->normals.data;
  b->owner = b->owners.data;
  for (size_t a = 0; a < 3; a++) {
    b->point[3 * b->count + a] = x[a];
    b->velocity[3 * b->count + a] = (firn_real)velocity[a];
    b->normal[3 * b->count + a] = (firn_real)normal[a];
  }
  b->owner[b->count++] = (uint16_t)collider;
  return FIRN_OK;
}

// --------------------------------------------------------------------------------- what is near

// Cells from the origin; blocks have 21 bits an axis.
static const double FARTHEST = 4 * 0xfff00;

// Whether a point is within the margin of a block that holds snow.
static bool is_near(const layer *l, const double x[3]) {
  int32_t lo[3], hi[3], at[3];
  for (int a = 0; a < 3; a++) {
    double cell = x[a] / l->world->h;
    if (!(fabs(cell) < FARTHEST)) return false;
    lo[a] = (int32_t)floor((cell - MARGIN) / 4);
    hi[a] = (int32_t)floor((cell + MARGIN) / 4);
  }
  for (at[0] = lo[0]; at[0] <= hi[0]; at[0]++)
    for (at[1] = lo[1]; at[1] <= hi[1]; at[1]++)
      for (at[2] = lo[2]; at[2] <= hi[2]; at[2]++)
        if (firn_block_map_find(l->table, l->mask, firn_morton(at))->key1) return true;
  return false;
}

// Where others lie over it: inside a collider that is not its own, deeper than samples are.
static bool is_covered(const layer *l, const double x[3], int own) {
  double deep = (l->def->depth + 0.25) * l->def->spacing;
  for (int c = 0; c < l->world->collider_count; c++)
    if (c != own && firn_collider_holds(&l->world->collider[c], x, deep)) return true;
  return false;
}

static firn_status offer(const layer *l, const firn_part *part, const double x[3],
                         const double normal[3], int collider) {
  double velocity[3];
  if (!is_near(l, x) || is_covered(l, x, collider)) return FIRN_OK;
  if (deforms(part))
    firn_part_sample(part, &part->pose, l->world->time, x, NULL, velocity);
  else
    firn_pose_velocity(&part->pose, x, velocity);
  return add_sample(l, x, normal, velocity, collider);
}

// ------------------------------------------------------------------------------------- surfaces

static const firn_pose AT_REST = {.q = {0, 0, 0, 1}, .r = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

// Moves a sample of the surface into the part, to where the distance is -depth; less where the part is so
// thin that it would come out on the other side.
static void sink(const firn_part *part, double time, const sph_boundary_def *def, double x[3],
                 double normal[3]) {
  enum { TRIES = 4 };
  double n[3], wanted = def->depth * def->spacing;
  for (int k = TRIES; k > 0 && wanted > 0; k--) {
    double depth = wanted * k / TRIES, to[3];
    for (int a = 0; a < 3; a++) to[a] = x[a] - depth * normal[a];
    double distance = firn_part_sample(part, &AT_REST, time, to, n, NULL);
    if (distance > -0.8 * depth && k > 1) continue;
    // At an edge the nearest face is not the one that the sample is of.
    if (distance > -depth && distance < 0)
      for (int a = 0; a < 3; a++) to[a] -= (distance + depth) * n[a];
    memcpy(x, to, sizeof to);
    return;
  }
}

static firn_status store(firn_context *context, sph_body *body, const double x[3],
                         const double normal[3]) {
  if (body->count == body->room) {
    size_t more = body->room ? 2 * body->room : 256, unit = 6 * sizeof *body->sample;
    double *data = firn_resize(context, body->sample, body->room * unit, more * unit, "boundary");
    if (!data) return FIRN_ERROR_MEMORY;
    body->sample = data;
    body->room = more;
  }
  memcpy(body->sample + 6 * body->count, x, 3 * sizeof *x);
  memcpy(body->sample + 6 * body->count + 3, normal, 3 * sizeof *normal);
  body->count++;
  return FIRN_OK;
}

// The surface of a part, as it was defined, within a box [m] at a time.
static firn_status find_surface(const layer *l, const sph_body *body, const double lo[3],
                                const double hi[3], double time, firn_surface_samples *out) {
  const firn_collider *collider = &l->world->collider[body->collider];
  const firn_part *part = &collider->part[body->part];
  firn_surface_def def = firn_default_surface_def(l->def->spacing);
  char what[FIRN_NAME_SIZE + 16];
  snprintf(what, sizeof what, "collider '%s'", collider->name);
  memcpy(def.lo, lo, sizeof def.lo);
  memcpy(def.hi, hi, sizeof def.hi);
  def.time = time;
  return part->sequence ? firn_sequence_surface(part->sequence, &def, what, out)
                        : firn_shape_surface(part->shape, &def, what, out);
}

// Adds the samples of a part within a box [m], as it is now, to a body's.
static firn_status sample_box(const layer *l, sph_body *body, const double lo[3],
                              const double hi[3]) {
  const firn_part *part = &l->world->collider[body->collider].part[body->part];
  firn_surface_samples found = {0};
  firn_status status = find_surface(l, body, lo, hi, l->world->time, &found);
  for (size_t i = 0; i < found.count && status == FIRN_OK; i++) {
    firn_surface_sample *s = &found.sample[i];
    sink(part, l->world->time, l->def, s->position, s->normal);
    status = store(l->world->context, body, s->position, s->normal);
  }
  firn_surface_samples_free(&found);
  return status;
}

static const double FAR[2][3] = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};

// Where a point of the surface of a deforming body has come to in the time since its key: x = x0 + since v
// as between keys the body itself does, and then onto the surface.
static void follow(const firn_sequence *sequence, double time, double since, double x[3],
                   double normal[3]) {
  enum { ROUNDS = 3 };
  const double from[3] = {x[0], x[1], x[2]};
  for (int k = 0; k < ROUNDS; k++) {
    double v[3];
    firn_sequence_sample(sequence, x, time, NULL, v);
    for (int a = 0; a < 3; a++) x[a] = from[a] + since * v[a];
  }
  for (int k = 0; k < ROUNDS; k++) {
    double distance = firn_sequence_sample(sequence, x, time, normal, NULL);
    for (int a = 0; a < 3; a++) x[a] -= distance * normal[a];
  }
}

// The samples of a deforming body: those of its last key, which go along with it. They are a function of
// the time alone, and sampling is what costs.
static firn_status carry(const layer *l, sph_body *body, const firn_part *part) {
  double since, time = l->world->time, key = firn_sequence_key(part->sequence, time, &since);
  if (body->key != key) {
    body->key = (double)NAN;
    firn_surface_samples_free(&body->surface);
    FIRN_TRY(find_surface(l, body, FAR[0], FAR[1], key, &body->surface));
    body->key = key;
  }
  body->count = 0;
  for (size_t i = 0; i < body->surface.count; i++) {
    firn_surface_sample s = body->surface.sample[i];
    follow(part->sequence, time, since, s.position, s.normal);
    sink(part, time, l->def, s.position, s.normal);
    FIRN_TRY(store(l->world->context, body, s.position, s.normal));
  }
  return FIRN_OK;
}

static firn_status make_bodies(const layer *l) {
  sph_boundary *b = l->boundary;
  const firn_world *world = l->world;
  free_bodies(b, world->context);
  size_t count = 0;
  for (int c = 0; c < world->collider_count; c++) count += (size_t)world->collider[c].part_count;
  FIRN_TRY(firn_buffer_reserve(world->context, &b->bodies, count * sizeof(sph_body), "boundary"));
  b->body = b->bodies.data;
  for (int c = 0; c < world->collider_count; c++) {
    const firn_collider *collider = &world->collider[c];
    for (int i = 0; i < collider->part_count; i++) {
      const firn_part *part = &collider->part[i];
      sph_body *body = &b->body[b->body_count++];
      *body = (sph_body){.collider = c, .part = i, .key = (double)NAN};
      if (part->radius >= 0 && isfinite(part->radius) && !deforms(part))
        FIRN_TRY(sample_box(l, body, FAR[0], FAR[1]));
    }
  }
  b->made = true;
  return FIRN_OK;
}

// Samples first to end of a body, where it is now; with a block, those within it.
static firn_status place_body(const layer *l, const sph_body *body, size_t first, size_t end,
                              const int32_t *at) {
  const firn_part *part = &l->world->collider[body->collider].part[body->part];
  for (size_t i = first; i < end; i++) {
    const double *s = body->sample + 6 * i;
    double x[3], normal[3];
    firn_pose_turn(&part->pose, s, x);
    firn_pose_turn(&part->pose, s + 3, normal);
    bool inside = true;
    for (int a = 0; a < 3; a++) {
      x[a] += part->pose.shift[a];
      inside = inside && (!at || (int32_t)floor(x[a] / l->world->h / 4) == at[a]);
    }
    if (inside) FIRN_TRY(offer(l, part, x, normal, body->collider));
  }
  return FIRN_OK;
}

// Blocks of snow and all around them, each once, by key.
static firn_status near_blocks(const layer *l, firn_keyed **out, size_t *count) {
  const firn_particles *p = &l->world->particles;
  sph_boundary *b = l->boundary;
  size_t n = 27 * p->block_count, kept = 0;
  for (int i = 0; i < 2; i++)
    FIRN_TRY(firn_buffer_reserve(p->context, &b->keys[i], n * sizeof(firn_keyed), "boundary"));
  firn_keyed *keyed = b->keys[0].data;
  for (size_t k = 0; k < n; k++) {
    const int32_t *from = p->block[k / 27].at;
    int o = (int)(k % 27);
    const int32_t at[3] = {from[0] + o / 9 - 1, from[1] + o / 3 % 3 - 1, from[2] + o % 3 - 1};
    keyed[k] = (firn_keyed){.key = firn_morton(at)};
  }
  keyed = firn_keyed_sort(keyed, b->keys[1].data, n);
  for (size_t k = 0; k < n; k++)
    if (k == 0 || keyed[k].key != keyed[k - 1].key) keyed[kept++] = keyed[k];
  *out = keyed;
  *count = kept;
  return FIRN_OK;
}

// A plane's lattice, fixed to the part: points o + (i + 1/2) d t + (j + 1/2) d u.
typedef struct plane {
  const firn_part *part;
  int collider;
  double o[3], t[3], u[3], n[3]; // in the world
} plane;

static bool plane_of(const layer *l, int c, const firn_part *part, plane *out) {
  double at[4], origin[3] = {0, 0, 0}, n[3], t[3];
  const firn_pose *pose = &part->pose;
  if (!part->shape || !firn_part_plane(part, l->world->time, part->pose.pivot, at)) return false;
  *out = (plane){.part = part, .collider = c};
  // The normal and the origin's foot, as defined.
  double distance = firn_shape_sample(part->shape, origin, l->world->time, n);
  firn_sdf_across(n, t);
  double u[3] = {n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]};
  for (int a = 0; a < 3; a++) origin[a] = -(distance + l->def->depth * l->def->spacing) * n[a];
  firn_pose_turn(pose, origin, out->o);
  for (int a = 0; a < 3; a++) out->o[a] += pose->shift[a];
  firn_pose_turn(pose, t, out->t);
  firn_pose_turn(pose, u, out->u);
  firn_pose_turn(pose, n, out->n);
  return true;
}

// Samples of a plane within one block.
static firn_status lay_plane(const layer *l, const plane *p, const int32_t at[3]) {
  double h = l->world->h, d = l->def->spacing, middle[3], high = 0, t = 0, u = 0, reach[3] = {0};
  for (int a = 0; a < 3; a++) {
    middle[a] = (4.0 * at[a] + 2) * h - p->o[a];
    high += middle[a] * p->n[a];
    t += middle[a] * p->t[a];
    u += middle[a] * p->u[a];
    reach[0] += 2 * h * fabs(p->n[a]);
    reach[1] += 2 * h * fabs(p->t[a]);
    reach[2] += 2 * h * fabs(p->u[a]);
  }
  if (fabs(high) > reach[0] * (1 + 1e-9)) return FIRN_OK;
  int64_t i0 = (int64_t)floor((t - reach[1]) / d) - 1, i1 = (int64_t)floor((t + reach[1]) / d) + 1;
  int64_t j0 = (int64_t)floor((u - reach[2]) / d) - 1, j1 = (int64_t)floor((u + reach[2]) / d) + 1;
  for (int64_t i = i0; i <= i1; i++) {
    for (int64_t j = j0; j <= j1; j++) {
      double x[3];
      bool inside = true;
      for (int a = 0; a < 3; a++) {
        x[a] = p->o[a] + d * (((double)i + 0.5) * p->t[a] + ((double)j + 0.5) * p->u[a]);
        inside = inside && (int32_t)floor(x[a] / h / 4) == at[a];
      }
      if (inside) FIRN_TRY(offer(l, p->part, x, p->n, p->collider));
    }
  }
  return FIRN_OK;
}

// The box that holds a block, seen from the part as it was defined, and what samples may have been sunk by.
static void box_of(const layer *l, const firn_part *part, const int32_t at[3], double lo[3],
                   double hi[3]) {
  double h = l->world->h, middle[3], inside[3];
  for (int a = 0; a < 3; a++) middle[a] = (4.0 * at[a] + 2) * h;
  firn_pose_into(&part->pose, middle, inside);
  for (int a = 0; a < 3; a++) {
    double reach = 2 * l->def->depth * l->def->spacing;
    for (int c = 0; c < 3; c++) reach += 2 * h * fabs(part->pose.r[3 * c + a]);
    lo[a] = inside[a] - reach;
    hi[a] = inside[a] + reach;
  }
}

static bool crosses(const layer *l, const firn_part *part, const int32_t at[3]) {
  double h = l->world->h, middle[3];
  for (int a = 0; a < 3; a++) middle[a] = (4.0 * at[a] + 2) * h;
  double distance = firn_part_sample(part, &part->pose, l->world->time, middle, NULL, NULL);
  return fabs(distance) <= 2 * 1.7321 * h + (2 + l->def->depth) * l->def->spacing;
}

static firn_status grow_table(firn_context *context, sph_body *body) {
  size_t size = body->table ? 2 * (body->mask + 1) : 64;
  firn_block_map_entry *table = firn_alloc_zero(context, size * sizeof *table, "boundary");
  if (!table) return FIRN_ERROR_MEMORY;
  for (size_t i = 0; body->table && i <= body->mask; i++) {
    if (!body->table[i].key1) continue;
    *firn_block_map_find(table, size - 1, body->table[i].key1 - 1) = body->table[i];
  }
  if (body->table) firn_free(context, body->table, (body->mask + 1) * sizeof *body->table);
  body->table = table;
  body->mask = size - 1;
  return FIRN_OK;
}

// Samples within one block of what has no bounds and is no plane. They are kept where it stands still.
static firn_status lay_block(const layer *l, sph_body *body, const firn_part *part, uint64_t key,
                             bool keep) {
  firn_context *context = l->world->context;
  int32_t at[3];
  double lo[3], hi[3];
  firn_morton_decode(key, at);
  if (!crosses(l, part, at)) return FIRN_OK;
  box_of(l, part, at, lo, hi);
  if (!keep) {
    body->count = 0;
    FIRN_TRY(sample_box(l, body, lo, hi));
    return place_body(l, body, 0, body->count, at);
  }
  if (!body->table || 2 * (body->blocks + 1) > body->mask) FIRN_TRY(grow_table(context, body));
  firn_block_map_entry *entry = firn_block_map_find(body->table, body->mask, key);
  if (!entry->key1) {
    if (body->blocks == body->span_room) {
      size_t more = body->span_room ? 2 * body->span_room : 64, unit = sizeof *body->span;
      void *span = firn_resize(context, body->span, body->span_room * unit, more * unit,
                               "boundary");
      if (!span) return FIRN_ERROR_MEMORY;
      body->span = span;
      body->span_room = more;
    }
    size_t first = body->count;
    FIRN_TRY(sample_box(l, body, lo, hi));
    body->span[body->blocks][0] = first;
    body->span[body->blocks][1] = body->count;
    entry->key1 = key + 1;
    entry->value = (uint32_t)body->blocks++;
  }
  const size_t *span = body->span[entry->value];
  return place_body(l, body, span[0], span[1], at);
}

static firn_status lay_unbounded(const layer *l, sph_body *body, const firn_part *part,
                                 const firn_keyed *keyed, size_t count) {
  plane p;
  const firn_collider *collider = &l->world->collider[body->collider];
  bool flat = plane_of(l, body->collider, part, &p), keep = !moves(collider);
  for (size_t k = 0; k < count; k++) {
    int32_t at[3];
    firn_morton_decode(keyed[k].key, at);
    FIRN_TRY(flat ? lay_plane(l, &p, at) : lay_block(l, body, part, keyed[k].key, keep));
  }
  return FIRN_OK;
}

// ------------------------------------------------------------------------------------- volumes

// A body of samples: colliders that stand still are one.
static int body_of(const layer *l, size_t i) {
  int owner = l->boundary->owner[i];
  return moves(&l->world->collider[owner]) ? owner : -1;
}

// sum W over the samples of a body in the cells at and around cell c of a block.
static double sum_around(const layer *l, const uint32_t around[27], int c, size_t i) {
  const sph_boundary *b = l->boundary;
  const int cell[3] = {c / 16, c / 4 % 4, c % 4};
  int own = body_of(l, i);
  double sum = 0;
  for (int o = 0; o < 27; o++) {
    const int to[3] = {cell[0] + o / 9 - 1, cell[1] + o / 3 % 3 - 1, cell[2] + o % 3 - 1};
    int in = 0, which = 0;
    for (int a = 0; a < 3; a++) {
      int step = to[a] < 0 ? -1 : to[a] > 3;
      which = 3 * which + step + 1;
      in = 4 * in + to[a] - 4 * step;
    }
    if (around[which] == SPH_NONE) continue;
    const sph_cell_block *near = &b->cells.block[around[which]];
    for (uint32_t m = near->cell[in]; m < near->cell[in + 1]; m++) {
      size_t j = b->cells.order[near->first + m];
      double r2 = 0;
      for (size_t a = 0; a < 3; a++) {
        double x = (b->point[3 * i + a] - b->point[3 * j + a]) / l->def->spacing;
        r2 += x * x;
      }
      if (r2 < 4 && body_of(l, j) == own) sum += (double)firn_sph_kernel((firn_real)sqrt(r2));
    }
  }
  return sum;
}

// V_b = phi / sum W over the samples of the same body, itself among them.
static void weigh(const layer *l) {
  sph_boundary *b = l->boundary;
  FIRN_PARALLEL_FOR(l->world->context, schedule(dynamic, 4))
  for (size_t n = 0; n < b->cells.block_count; n++) {
    const sph_cell_block *block = &b->cells.block[n];
    uint32_t around[27];
    sph_cells_around(&b->cells, block->at, around);
    for (int c = 0; c < 64; c++) {
      for (uint32_t k = block->cell[c]; k < block->cell[c + 1]; k++) {
        size_t i = b->cells.order[block->first + k];
        b->volume[i] = (firn_real)(l->def->phi / sum_around(l, around, c, i));
      }
    }
  }
}

static firn_status sort_samples(const layer *l) {
  sph_boundary *b = l->boundary;
  firn_context *context = l->world->context;
  FIRN_TRY(firn_buffer_reserve(context, &b->places, 3 * b->count * sizeof(firn_real), "boundary"));
  FIRN_TRY(firn_buffer_reserve(context, &b->volumes, b->count * sizeof(firn_real), "boundary"));
  FIRN_TRY(
      firn_buffer_reserve(context, &b->cell_points, 3 * b->count * sizeof(double), "boundary"));
  double *cell = b->cell_points.data;
  b->place = b->places.data;
  b->volume = b->volumes.data;
  for (size_t i = 0; i < 3 * b->count; i++) cell[i] = b->point[i] / l->world->h;
  return sph_cells_of_points(&b->cells, context, cell, b->count, b->place);
}

// Of all that samples depend on, as long as nothing moves; 0 where something does.
static uint64_t digest_of(const layer *l) {
  const firn_world *world = l->world;
  const firn_particles *p = &world->particles;
  uint64_t digest = firn_digest(0x9E3779B97F4A7C15u, &l->def->phi, sizeof l->def->phi);
  for (int c = 0; c < world->collider_count; c++) {
    if (moves(&world->collider[c])) return 0;
    digest = firn_digest(digest, &world->collider[c].absent, sizeof world->collider[c].absent);
  }
  for (size_t b = 0; b < p->block_count; b++)
    digest = firn_digest(digest, p->block[b].at, sizeof p->block[b].at);
  return digest ? digest : 1;
}

static firn_status lay_all(const layer *l) {
  sph_boundary *b = l->boundary;
  firn_keyed *keyed = NULL;
  size_t count = 0;
  b->count = 0;
  for (size_t i = 0; i < b->body_count; i++) {
    sph_body *body = &b->body[i];
    const firn_collider *collider = &l->world->collider[body->collider];
    const firn_part *part = &collider->part[body->part];
    if (collider->absent || part->radius < 0) continue;
    if (isfinite(part->radius)) {
      if (part->sequence) {
        FIRN_TRY(carry(l, body, part));
      } else if (deforms(part)) {
        body->count = 0;
        FIRN_TRY(sample_box(l, body, FAR[0], FAR[1]));
      }
      FIRN_TRY(place_body(l, body, 0, body->count, NULL));
      continue;
    }
    if (!keyed) FIRN_TRY(near_blocks(l, &keyed, &count));
    FIRN_TRY(lay_unbounded(l, body, part, keyed, count));
  }
  return sort_samples(l);
}

static firn_status snow_table(layer *l, firn_buffer *buffer) {
  const firn_particles *p = &l->world->particles;
  size_t size = 16;
  while (size < 2 * p->block_count) size *= 2;
  FIRN_TRY(firn_buffer_reserve(p->context, buffer, size * sizeof *l->table, "boundary"));
  l->table = buffer->data;
  l->mask = size - 1;
  memset(l->table, 0, size * sizeof *l->table);
  for (size_t b = 0; b < p->block_count; b++) {
    uint64_t key = firn_morton(p->block[b].at);
    firn_block_map_find(l->table, l->mask, key)->key1 = key + 1;
  }
  return FIRN_OK;
}

firn_status sph_boundary_update(sph_boundary *boundary, const firn_world *world,
                                const sph_boundary_def *def) {
  layer l = {boundary, world, def, NULL, 0};
  size_t parts = 0;
  for (int c = 0; c < world->collider_count; c++) parts += (size_t)world->collider[c].part_count;
  if (!boundary->made || boundary->body_count != parts) {
    boundary->digest = 0;
    FIRN_TRY(make_bodies(&l));
  }
  uint64_t digest = digest_of(&l);
  if (digest && digest == boundary->digest) return FIRN_OK;
  boundary->digest = 0;
  firn_buffer table = {0};
  firn_status status = snow_table(&l, &table);
  if (status == FIRN_OK) status = lay_all(&l);
  firn_buffer_free(world->context, &table);
  FIRN_TRY(status);
  weigh(&l);
  boundary->digest = digest;
  return FIRN_OK;
}
