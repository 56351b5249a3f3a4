// SPDX-License-Identifier: Apache-2.0
// One vertex a place: files often repeat a vertex for each triangle that uses it.
#include "geometry/mesh.h"

#include <math.h>
#include <string.h>

// Vertices by the cell of a lattice they lie in; with distance 0 a cell is a position. Chains are
// newest first; `next` of the last is NONE.
#define NONE UINT32_MAX

typedef struct cells {
  const firn_mesh *mesh;
  double size;     // m; 0: exact
  size_t mask;     // heads - 1
  uint32_t *head;  // [mask + 1]
  uint32_t *next;  // [vertex_count]
  uint32_t *alias; // [vertex_count]: the vertex that stands for it
} cells;

static uint64_t mix(uint64_t h) {
  h ^= h >> 31;
  h *= 0x7fb5d329728ea185u;
  h ^= h >> 27;
  h *= 0x81dadef4bc2dd44du;
  return h ^ h >> 33;
}

static uint64_t hash3(const int64_t key[3]) {
  return mix(mix(mix((uint64_t)key[0]) + (uint64_t)key[1]) + (uint64_t)key[2]);
}

static void key_of(const cells *c, uint32_t vertex, int64_t key[3]) {
  const double *p = c->mesh->position + 3 * (size_t)vertex;
  if (c->size > 0) {
    // A lattice finer than 2^-60 of a coordinate has no room in the key; doubles end before that.
    for (int a = 0; a < 3; a++) key[a] = (int64_t)fmax(-1e18, fmin(1e18, floor(p[a] / c->size)));
  } else {
    memcpy(key, p, 3 * sizeof *key);
  }
}

// The lowest vertex already there that is near enough, or NONE.
static uint32_t look(const cells *c, const int64_t key[3], uint32_t vertex, double limit) {
  const double *p = c->mesh->position + 3 * (size_t)vertex;
  uint32_t found = NONE;
  for (uint32_t i = c->head[hash3(key) & c->mask]; i != NONE; i = c->next[i]) {
    const double *q = c->mesh->position + 3 * (size_t)i;
    double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    if (x * x + y * y + z * z <= limit && i < found) found = i;
  }
  return found;
}

static void find_aliases(cells *c) {
  size_t count = c->mesh->vertex_count;
  double limit = c->size * c->size;
  for (uint32_t v = 0; v < count; v++) {
    int64_t key[3], near[3];
    key_of(c, v, key);
    uint32_t found = NONE;
    int reach = c->size > 0;
    for (int k = -reach; k <= reach; k++) {
      for (int j = -reach; j <= reach; j++) {
        for (int i = -reach; i <= reach; i++) {
          memcpy(near, key, sizeof near);
          if (reach) near[0] += i, near[1] += j, near[2] += k;
          uint32_t candidate = look(c, near, v, limit);
          if (candidate < found) found = candidate;
        }
      }
    }
    c->alias[v] = found == NONE ? v : found;
    if (found != NONE) continue; // only those that stand for others are ever found
    size_t slot = hash3(key) & c->mask;
    c->next[v] = c->head[slot];
    c->head[slot] = v;
  }
}

// Vertices that nobody uses go, the others move up; triangles that lost a corner go.
static void compact(firn_mesh *mesh, uint32_t *alias, uint32_t *number) {
  memset(number, 0xff, mesh->vertex_count * sizeof *number);
  size_t kept = 0;
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    uint32_t *in = mesh->triangle + 3 * t, *to = mesh->triangle + 3 * kept;
    uint32_t a = alias[in[0]], b = alias[in[1]], c = alias[in[2]];
    if (a == b || b == c || c == a) {
      mesh->report.dropped++;
      continue;
    }
    to[0] = a, to[1] = b, to[2] = c;
    number[a] = number[b] = number[c] = 0;
    kept++;
  }
  mesh->triangle_count = kept;
  uint32_t vertices = 0;
  for (size_t v = 0; v < mesh->vertex_count; v++) {
    if (alias[v] != v) mesh->report.welded++;
    if (number[v] == NONE) continue;
    memmove(mesh->position + 3 * (size_t)vertices, mesh->position + 3 * v,
            3 * sizeof *mesh->position);
    number[v] = vertices++;
  }
  mesh->vertex_count = vertices;
  for (size_t i = 0; i < 3 * kept; i++) mesh->triangle[i] = number[mesh->triangle[i]];
}

firn_status firn_mesh_weld(firn_mesh *mesh, double distance) {
  firn_context *context = mesh->context;
  size_t count = mesh->vertex_count, heads = 16;
  while (heads < count) heads *= 2;
  size_t bytes = count * sizeof(uint32_t), head_bytes = heads * sizeof(uint32_t);
  cells c = {.mesh = mesh, .size = distance, .mask = heads - 1};
  c.head = firn_alloc(context, head_bytes, "mesh welding");
  c.next = c.head ? firn_alloc(context, bytes, "mesh welding") : NULL;
  c.alias = c.next ? firn_alloc(context, bytes, "mesh welding") : NULL;
  firn_status status = FIRN_ERROR_MEMORY;
  if (c.alias) {
    memset(c.head, 0xff, head_bytes);
    find_aliases(&c);
    compact(mesh, c.alias, c.next);
    status = FIRN_OK;
  }
  firn_free(context, c.head, head_bytes);
  firn_free(context, c.next, bytes);
  firn_free(context, c.alias, bytes);
  return status;
}
