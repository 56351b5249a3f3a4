// SPDX-License-Identifier: Apache-2.0
#include "geometry/level_set_sequence.h"

#include <math.h>
#include <string.h>

#include "base/def.h"
#include "geometry/level_set_private.h"
#include "geometry/mesh.h"

FIRN_DEFAULTS(sequence_def) {
  return (firn_sequence_def){0};
}

firn_sequence *firn_sequence_retain(const firn_sequence *sequence) {
  firn_sequence *held = (firn_sequence *)sequence;
  if (held) firn_hold(&held->references);
  return held;
}

void firn_sequence_release(const firn_sequence *sequence) {
  firn_sequence *held = (firn_sequence *)sequence;
  if (!held || !firn_let_go(&held->references)) return;
  firn_context *context = held->context;
  size_t count = (size_t)held->count;
  for (size_t i = 0; held->keys && i < count; i++) firn_level_set_release(held->keys[i]);
  firn_free(context, held->keys, count * sizeof(firn_level_set *));
  firn_free(context, held->times, count * sizeof *held->times);
  firn_free(context, held, sizeof *held);
}

size_t firn_sequence_bytes(const firn_sequence *sequence) {
  size_t bytes = sizeof *sequence;
  for (int i = 0; i < sequence->count; i++) {
    bytes += sizeof(firn_level_set *) + sizeof(double) + firn_level_set_bytes(sequence->keys[i]);
  }
  return bytes;
}

// ----------------------------------------------------------------------------------------- sampling

// The keys on both sides of a time, and how far between them it is.
typedef struct between {
  const firn_level_set *from, *to; // the same where the body rests
  double t, T, g;                  // s; s; 0..1
} between;

static between find_keys(const firn_sequence *q, double time) {
  double first = q->times[0], last = q->times[q->count - 1];
  if (q->loop && q->count > 1) {
    double span = last - first;
    time = first + (time - first - floor((time - first) / span) * span);
  }
  if (!(time > first)) time = first; // nan, too
  // The last key at or before time; the end belongs to the last pair, so that v is known there.
  int lo = 0, hi = q->count - 1;
  while (hi - lo > 1) {
    int mid = (lo + hi) / 2;
    if (q->times[mid] <= time) {
      lo = mid;
    } else {
      hi = mid;
    }
  }
  between b = {.from = q->keys[lo], .to = q->keys[hi], .t = q->times[lo]};
  b.T = q->times[hi] - q->times[lo];
  b.g = time >= q->times[hi] ? 1 : b.T > 0 ? (time - q->times[lo]) / b.T : 0;
  return b;
}

double firn_sequence_sample(const firn_sequence *sequence, const double position[3], double time,
                            double normal[3], double velocity[3]) {
  between b = find_keys(sequence, time);
  double v0[3], v1[3], v[3], x0[3], x1[3], n0[3], n1[3], n[3], length2 = 0;
  firn_level_set_velocity(b.from, position, v0);
  firn_level_set_velocity(b.to, position, v1);
  for (int a = 0; a < 3; a++) {
    v[a] = (1 - b.g) * v0[a] + b.g * v1[a];
    x0[a] = position[a] - b.g * b.T * v[a];
    x1[a] = position[a] + (1 - b.g) * b.T * v[a];
  }
  double phi0 = firn_level_set_sample(b.from, x0, n0);
  double phi1 = firn_level_set_sample(b.to, x1, n1);
  // The gradient of phi but for that of v_co, which turns normals by T times the strain rate.
  for (int a = 0; a < 3; a++) {
    n[a] = (1 - b.g) * n0[a] + b.g * n1[a];
    length2 += n[a] * n[a];
  }
  for (int a = 0; normal && a < 3; a++) normal[a] = length2 > 0 ? n[a] / sqrt(length2) : a == 1;
  bool rests = !sequence->loop && sequence->count > 1 &&
               (time < sequence->times[0] || time > sequence->times[sequence->count - 1]);
  for (int a = 0; velocity && a < 3; a++) velocity[a] = rests ? 0 : v[a];
  return (1 - b.g) * phi0 + b.g * phi1;
}

double firn_sequence_key(const firn_sequence *sequence, double time, double *since) {
  between b = find_keys(sequence, time);
  *since = b.g < 1 ? b.g * b.T : 0;
  return b.g < 1 ? b.t : b.t + b.T;
}

bool firn_sequence_moves(const firn_sequence *sequence, double from, double to) {
  if (sequence->count < 2) return sequence->speed > 0;
  if (sequence->loop) return true;
  return to >= sequence->times[0] && from <= sequence->times[sequence->count - 1];
}

// ------------------------------------------------------------------------------------------- making

static firn_status check(firn_context *context, int count, const double *times, const char *what) {
  if (count < 1 || !times) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: a sequence needs one key or more, and their times", what);
  }
  for (int i = 0; i < count; i++) {
    if (!isfinite(times[i])) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: times[%d] = %g s is not finite", what, i,
                       times[i]);
    }
    if (i && !(times[i] > times[i - 1])) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "%s: times[%d] = %g s is not after times[%d] = %g s", what, i, times[i],
                       i - 1, times[i - 1]);
    }
  }
  return FIRN_OK;
}

static uint64_t mix(uint64_t hash, const void *data, size_t size) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < size; i++) hash = (hash ^ byte[i]) * 0x100000001b3u;
  return hash;
}

// Bounds, speed and digest of the keys.
static void measure(firn_sequence *q) {
  q->digest = mix(0xcbf29ce484222325u, q->times, (size_t)q->count * sizeof *q->times);
  q->digest = mix(q->digest, &q->loop, sizeof q->loop);
  double speed2 = 0, longest = 0;
  for (int a = 0; a < 3; a++) q->lo[a] = INFINITY, q->hi[a] = -INFINITY;
  for (int i = 0; i < q->count; i++) {
    const firn_level_set *s = q->keys[i];
    size_t nodes = s->block_count * FIRN_LEVEL_SET_BLOCK;
    q->digest = mix(q->digest, s->origin, sizeof s->origin);
    q->digest = mix(q->digest, &s->voxel, sizeof s->voxel);
    q->digest = mix(q->digest, s->value, nodes * sizeof *s->value);
    if (i) longest = fmax(longest, q->times[i] - q->times[i - 1]);
    for (int a = 0; a < 3; a++) {
      q->lo[a] = fmin(q->lo[a], s->bounds[0][a] - s->voxel);
      q->hi[a] = fmax(q->hi[a], s->bounds[1][a] + s->voxel);
    }
    if (!s->velocity) continue;
    q->digest = mix(q->digest, s->velocity, 3 * nodes * sizeof *s->velocity);
    size_t corners = firn_level_set_corner_count(s);
    for (size_t n = 0; n < nodes + corners; n++) {
      const firn_real *v = n < nodes ? s->velocity + 3 * n : s->corner_velocity + 3 * (n - nodes);
      double v2 = 0;
      for (int a = 0; a < 3; a++) v2 += (double)v[a] * (double)v[a];
      speed2 = fmax(speed2, v2);
    }
  }
  q->speed = sqrt(speed2);
  // Between keys the body is looked up at most speed times the time between keys away.
  for (int a = 0; a < 3; a++) {
    q->lo[a] -= q->speed * longest;
    q->hi[a] += q->speed * longest;
  }
}

firn_status firn_sequence_from_level_sets(firn_context *context, int count, const double *times,
                                          firn_level_set *const *keys, bool loop, const char *what,
                                          firn_sequence **out) {
  *out = NULL;
  FIRN_TRY(check(context, count, times, what));
  size_t n = (size_t)count;
  firn_sequence *q = firn_alloc_zero(context, sizeof *q, "sequence");
  if (!q) return FIRN_ERROR_MEMORY;
  q->context = context;
  q->count = count;
  q->loop = loop;
  q->references = 1;
  q->times = firn_alloc(context, n * sizeof *q->times, "sequence");
  q->keys = firn_alloc(context, n * sizeof(firn_level_set *), "sequence");
  if (!q->times || !q->keys) {
    firn_free(context, q->times, n * sizeof *q->times);
    firn_free(context, q->keys, n * sizeof(firn_level_set *));
    firn_free(context, q, sizeof *q);
    return FIRN_ERROR_MEMORY;
  }
  memcpy(q->times, times, n * sizeof *times);
  for (size_t i = 0; i < n; i++) q->keys[i] = firn_level_set_retain(keys[i]);
  measure(q);
  *out = q;
  return FIRN_OK;
}

// -------------------------------------------------------------------------------------- from meshes

static bool same_topology(const firn_mesh *a, const firn_mesh *b) {
  return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
         !memcmp(a->triangle, b->triangle, 3 * a->triangle_count * sizeof *a->triangle);
}

// The keys before and after key i, or i itself where there is none.
static void neighbours(const firn_sequence_def *def, int i, int *before, int *after, double *dt) {
  *before = i > 0 ? i - 1 : i;
  *after = i + 1 < def->count ? i + 1 : i;
  *dt = def->times[*after] - def->times[*before];
  bool ends = (i == 0 || i == def->count - 1) && def->loop && def->count > 2;
  if (!ends) return;
  // The first and the last key look the same.
  *before = def->count - 2;
  *after = 1;
  *dt = def->times[1] - def->times[0] + def->times[def->count - 1] - def->times[def->count - 2];
}

// Central differences of the vertices, one-sided at the ends.
static void vertex_velocities(const firn_sequence_def *def, int i, double *velocity) {
  int before, after;
  double dt;
  neighbours(def, i, &before, &after, &dt);
  const double *p = def->meshes[before]->position, *q = def->meshes[after]->position;
  for (size_t k = 0; k < 3 * def->meshes[i]->vertex_count; k++) {
    velocity[k] = dt > 0 ? (q[k] - p[k]) / dt : 0;
  }
}

// Without common vertices only the motion along the normal can be known: at each vertex the surface
// moves by -(d phi / d t) n.
static void normal_velocities(const firn_sequence_def *def, int i, firn_level_set *const *rest,
                              double *velocity) {
  int before, after;
  double dt;
  neighbours(def, i, &before, &after, &dt);
  const firn_mesh *m = def->meshes[i];
  for (size_t k = 0; k < m->vertex_count; k++) {
    const double *x = m->position + 3 * k;
    double n[3], length2 = 0;
    firn_level_set_sample(rest[i], x, n);
    for (int a = 0; a < 3; a++) length2 += n[a] * n[a];
    double change = firn_level_set_sample(rest[after], x, NULL) -
                    firn_level_set_sample(rest[before], x, NULL);
    double speed = dt > 0 && length2 > 0 ? -change / dt / sqrt(length2) : 0;
    for (int a = 0; a < 3; a++) velocity[3 * k + (size_t)a] = speed * n[a];
  }
}

static firn_status make_key(firn_context *context, const firn_sequence_def *def, int i,
                            const firn_level_set_def *settings, firn_level_set *const *rest,
                            firn_level_set **out) {
  const firn_mesh *mesh = def->meshes[i];
  size_t bytes = mesh->vertex_count * 3 * sizeof(double);
  double *velocity = firn_alloc(context, bytes, "sequence");
  if (!velocity) return FIRN_ERROR_MEMORY;
  if (rest) {
    normal_velocities(def, i, rest, velocity);
  } else {
    vertex_velocities(def, i, velocity);
  }
  firn_status status = firn_level_set_from_moving_mesh(context, mesh, velocity, settings,
                                                       "sequence", out);
  firn_free(context, velocity, bytes);
  return status;
}

static firn_status make_keys(firn_context *context, const firn_sequence_def *def,
                             firn_level_set **keys, firn_level_set **rest) {
  firn_level_set_def settings = {.voxel = def->voxel, .band = def->band};
  bool known = true;
  double longest = 0;
  for (int i = 0; i < def->count; i++) {
    const firn_mesh_report *r = &def->meshes[i]->report;
    for (int a = 0; a < 3; a++) longest = fmax(longest, r->hi[a] - r->lo[a]);
    known = known && same_topology(def->meshes[i], def->meshes[0]);
  }
  if (!(settings.voxel > 0 || settings.voxel < 0)) settings.voxel = longest / 100;
  for (int i = 0; i < def->count && !known; i++) {
    FIRN_TRY(firn_level_set_from_mesh(context, def->meshes[i], &settings, "sequence", &rest[i]));
  }
  for (int i = 0; i < def->count; i++) {
    FIRN_TRY(make_key(context, def, i, &settings, known ? NULL : rest, &keys[i]));
  }
  return FIRN_OK;
}

firn_status firn_sequence_create(firn_context *context, const firn_sequence_def *given,
                                 firn_sequence **out) {
  if (!context || !given || !out) return firn_fail_null(context, "firn_sequence_create");
  *out = NULL;
  FIRN_TAKE(context, sequence_def, given, own);
  const firn_sequence_def *def = &own;
  FIRN_TRY(check(context, def->count, def->times, "sequence"));
  if (!def->meshes == !def->grids) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "sequence: give either meshes or grids, and not both");
  }
  for (int i = 0; def->meshes && i < def->count; i++) {
    if (def->meshes[i]) continue;
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "sequence: meshes[%d] is NULL", i);
  }
  size_t count = (size_t)def->count, bytes = 2 * count * sizeof(firn_level_set *);
  firn_level_set **keys = firn_alloc_zero(context, bytes, "sequence");
  if (!keys) return FIRN_ERROR_MEMORY;
  firn_status status = FIRN_OK;
  if (def->meshes) {
    status = make_keys(context, def, keys, keys + count);
  } else {
    for (size_t i = 0; i < count && status == FIRN_OK; i++) {
      status = firn_level_set_from_grid(context, def->grids + i, "sequence", &keys[i]);
    }
  }
  if (status == FIRN_OK) {
    status = firn_sequence_from_level_sets(context, def->count, def->times, keys, def->loop,
                                           "sequence", out);
  }
  for (size_t i = 0; i < 2 * count; i++) firn_level_set_release(keys[i]);
  firn_free(context, keys, bytes);
  return status;
}
