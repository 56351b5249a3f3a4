// SPDX-License-Identifier: Apache-2.0
// Makes a mesh as good as it can be made without guessing, and says what it is like.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh_edges.h"
#include "math/vec3.h"

#define NONE UINT32_MAX

// ----------------------------------------------------------------------------- triangles given twice

static firn_status drop_repeated(firn_mesh *mesh) {
  firn_context *context = mesh->context;
  size_t slots = 16, kept = 0;
  while (slots < 2 * mesh->triangle_count) slots *= 2;
  uint32_t *table = firn_alloc(context, slots * sizeof *table, "mesh check");
  if (!table) return FIRN_ERROR_MEMORY;
  memset(table, 0xff, slots * sizeof *table);
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    // The smallest corner first, which keeps the orientation.
    const uint32_t *in = mesh->triangle + 3 * t;
    int first = in[0] < in[1] ? (in[0] < in[2] ? 0 : 2) : in[1] < in[2] ? 1 : 2;
    uint32_t c[3] = {in[first], in[(first + 1) % 3], in[(first + 2) % 3]};
    uint64_t h = (((uint64_t)c[0] << 32 | c[1]) ^ (uint64_t)c[2] * 0xd6e8feb86659fd93u) *
                 0x9e3779b97f4a7c15u;
    size_t slot = (h ^ h >> 32) & (slots - 1);
    for (; table[slot] != NONE; slot = (slot + 1) & (slots - 1)) {
      if (!memcmp(mesh->triangle + 3 * (size_t)table[slot], c, sizeof c)) break;
    }
    if (table[slot] != NONE) {
      mesh->report.dropped++;
      continue;
    }
    memcpy(mesh->triangle + 3 * kept, c, sizeof c);
    table[slot] = (uint32_t)kept++;
  }
  mesh->triangle_count = kept;
  firn_free(context, table, slots * sizeof *table);
  return FIRN_OK;
}

// --------------------------------------------------------------------------------------- orientation

static void turn(firn_mesh *mesh, size_t t) {
  uint32_t *c = mesh->triangle + 3 * t, b = c[1];
  c[1] = c[2];
  c[2] = b;
  mesh->report.turned++;
}

static bool runs_from_to(const firn_mesh *mesh, size_t t, uint32_t a, uint32_t b) {
  const uint32_t *c = mesh->triangle + 3 * t;
  return (c[0] == a && c[1] == b) || (c[1] == a && c[2] == b) || (c[2] == a && c[0] == b);
}

// Spreads one orientation from triangle `from` over edges of two triangles. side: 0 unseen, 1 kept,
// 2 to be turned. Gathers the members in queue; false for one-sided surfaces.
static bool spread(const firn_mesh *mesh, const firn_mesh_edges *e, uint32_t from, uint8_t *side,
                   uint32_t *queue, size_t *members) {
  bool two_sided = true;
  size_t head = 0, tail = 0;
  queue[tail++] = from;
  side[from] = 1;
  while (head < tail) {
    uint32_t t = queue[head++];
    for (size_t k = 0; k < 3; k++) {
      const firn_mesh_edge *edge = e->edge + e->of[3 * (size_t)t + k];
      if (edge->count != 2) continue;
      uint32_t other = edge->triangle[0] == t ? edge->triangle[1] : edge->triangle[0];
      bool agree = runs_from_to(mesh, t, edge->a, edge->b) !=
                   runs_from_to(mesh, other, edge->a, edge->b);
      uint8_t wanted = agree ? side[t] : 3 - side[t];
      if (!side[other]) {
        side[other] = wanted;
        queue[tail++] = other;
      } else if (side[other] != wanted) {
        two_sided = false;
      }
    }
  }
  *members = tail;
  return two_sided;
}

static firn_status orient(firn_mesh *mesh, firn_mesh_edges *e) {
  bool wrong = false;
  for (size_t i = 0; i < e->count && !wrong; i++) {
    wrong = e->edge[i].count == 2 && e->edge[i].balance;
  }
  if (!wrong) return FIRN_OK;
  firn_context *context = mesh->context;
  size_t count = mesh->triangle_count, members = 0;
  uint8_t *side = firn_alloc_zero(context, count, "mesh check");
  uint32_t *queue = firn_alloc(context, count * sizeof *queue, "mesh check");
  firn_status status = side && queue ? FIRN_OK : FIRN_ERROR_MEMORY;
  for (size_t t = 0; status == FIRN_OK && t < count; t++) {
    if (side[t] || !spread(mesh, e, (uint32_t)t, side, queue, &members)) continue;
    // The fewer triangles are turned.
    size_t kept = 0;
    for (size_t i = 0; i < members; i++) kept += side[queue[i]] == 1;
    uint8_t less = 2 * kept >= members ? 2 : 1;
    for (size_t i = 0; i < members; i++) {
      if (side[queue[i]] == less) turn(mesh, queue[i]);
    }
  }
  if (status == FIRN_OK) firn_mesh_edges_balance(mesh, e);
  firn_free(context, side, count);
  firn_free(context, queue, count * sizeof *queue);
  return status;
}

// --------------------------------------------------------------------------------------------- holes

static uint32_t root_of(uint32_t *parent, uint32_t v) {
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b) {
  a = root_of(parent, a), b = root_of(parent, b);
  if (a < b) parent[b] = a;
  if (b < a) parent[a] = b;
}

// The cone over a closed line, seen from its middle, has that line as its boundary; so one fan a hole
// balances every edge, whatever the hole looks like.
static firn_status fill(firn_mesh *mesh, const firn_mesh_edges *e, uint32_t *parent) {
  firn_context *context = mesh->context;
  size_t vertices = mesh->vertex_count, bytes = vertices * 4 * sizeof(double);
  double *middle = firn_alloc_zero(context, bytes, "mesh check"); // sum and number
  uint32_t *apex = firn_alloc(context, vertices * sizeof *apex, "mesh check");
  firn_status status = middle && apex ? FIRN_OK : FIRN_ERROR_MEMORY;
  for (size_t i = 0; status == FIRN_OK && i < e->count; i++) {
    if (!e->edge[i].balance) continue;
    double *m = middle + 4 * (size_t)root_of(parent, e->edge[i].a);
    const double *p = mesh->position + 3 * (size_t)e->edge[i].a;
    const double *q = mesh->position + 3 * (size_t)e->edge[i].b;
    for (int a = 0; a < 3; a++) m[a] += 0.5 * (p[a] + q[a]);
    m[3] += 1;
  }
  for (size_t v = 0; status == FIRN_OK && v < vertices; v++) {
    double *m = middle + 4 * v;
    if (!(m[3] > 0)) continue;
    apex[v] = (uint32_t)mesh->vertex_count;
    for (int a = 0; a < 3; a++) m[a] /= m[3];
    status = firn_mesh_add_vertex(mesh, m);
    mesh->report.filled_holes++;
  }
  for (size_t i = 0; status == FIRN_OK && i < e->count; i++) {
    const firn_mesh_edge *edge = e->edge + i;
    bool forward = edge->balance > 0;
    for (int n = abs(edge->balance); n > 0 && status == FIRN_OK; n--) {
      uint32_t a = forward ? edge->b : edge->a, b = forward ? edge->a : edge->b;
      status = firn_mesh_add_triangle(mesh, a, b, apex[root_of(parent, edge->a)]);
    }
  }
  firn_free(context, middle, bytes);
  firn_free(context, apex, vertices * sizeof *apex);
  return status;
}

// parent[v] afterwards leads to the first vertex of the line of open edges v is on. Returns the number
// of lines: every vertex on one begins a line of its own, and every joining takes one away.
static size_t find_holes(const firn_mesh *mesh, const firn_mesh_edges *e, uint32_t *parent) {
  size_t lines = 0;
  for (size_t v = 0; v < mesh->vertex_count; v++) parent[v] = NONE;
  for (size_t i = 0; i < e->count; i++) {
    uint32_t end[2] = {e->edge[i].a, e->edge[i].b};
    if (!e->edge[i].balance) continue;
    for (int k = 0; k < 2; k++) {
      if (parent[end[k]] != NONE) continue;
      parent[end[k]] = end[k];
      lines++;
    }
    lines -= root_of(parent, end[0]) != root_of(parent, end[1]);
    join(parent, end[0], end[1]);
  }
  return lines;
}

// -------------------------------------------------------------------------------------------- report

static void measure(firn_mesh *mesh) {
  firn_mesh_report *r = &mesh->report;
  for (int a = 0; a < 3; a++) r->lo[a] = INFINITY, r->hi[a] = -INFINITY;
  for (size_t v = 0; v < mesh->vertex_count; v++) {
    for (int a = 0; a < 3; a++) {
      r->lo[a] = fmin(r->lo[a], mesh->position[3 * v + (size_t)a]);
      r->hi[a] = fmax(r->hi[a], mesh->position[3 * v + (size_t)a]);
    }
  }
  // Seen from the middle, so that a far away mesh keeps its digits.
  firn_vec3 middle = firn_vec3_make(0.5 * (r->lo[0] + r->hi[0]), 0.5 * (r->lo[1] + r->hi[1]),
                                    0.5 * (r->lo[2] + r->hi[2]));
  r->area = r->volume = 0;
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    firn_vec3 p[3];
    for (int k = 0; k < 3; k++) {
      const double *x = mesh->position + 3 * (size_t)mesh->triangle[3 * t + (size_t)k];
      p[k] = firn_vec3_sub(firn_vec3_make(x[0], x[1], x[2]), middle);
    }
    firn_vec3 n = firn_vec3_cross(firn_vec3_sub(p[1], p[0]), firn_vec3_sub(p[2], p[0]));
    r->area += 0.5 * firn_vec3_norm(n);
    r->volume += firn_vec3_dot(n, p[0]) / 6;
  }
}

static void count_pieces(firn_mesh *mesh, uint32_t *parent) {
  mesh->report.pieces = 0;
  for (size_t v = 0; v < mesh->vertex_count; v++) parent[v] = (uint32_t)v;
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    join(parent, mesh->triangle[3 * t], mesh->triangle[3 * t + 1]);
    join(parent, mesh->triangle[3 * t], mesh->triangle[3 * t + 2]);
  }
  for (size_t v = 0; v < mesh->vertex_count; v++) mesh->report.pieces += parent[v] == v;
}

static void count_edges(firn_mesh *mesh, const firn_mesh_edges *e) {
  firn_mesh_report *r = &mesh->report;
  r->open_edges = r->nonmanifold_edges = 0;
  r->edge_count = 0;
  for (size_t i = 0; i < e->count; i++) {
    const firn_mesh_edge *edge = e->edge + i;
    r->nonmanifold_edges += edge->count > 2;
    if (!edge->balance) continue;
    r->open_edges++;
    if (r->edge_count == FIRN_MESH_EDGES) continue;
    memcpy(r->edges[r->edge_count][0], mesh->position + 3 * (size_t)edge->a, 3 * sizeof(double));
    memcpy(r->edges[r->edge_count][1], mesh->position + 3 * (size_t)edge->b, 3 * sizeof(double));
    r->edge_count++;
  }
  r->closed = !r->open_edges;
}

static firn_status judge(firn_mesh *mesh, firn_mesh_edges *e, firn_holes holes) {
  firn_context *context = mesh->context;
  firn_mesh_report *r = &mesh->report;
  FIRN_TRY(orient(mesh, e));
  count_edges(mesh, e);
  size_t bytes = mesh->vertex_count * sizeof(uint32_t);
  uint32_t *parent = firn_alloc(context, bytes, "mesh check");
  if (!parent) return FIRN_ERROR_MEMORY;
  firn_status status = FIRN_OK;
  r->holes = r->closed ? 0 : find_holes(mesh, e, parent);
  if (!r->closed && holes == FIRN_HOLES_FILL) {
    status = fill(mesh, e, parent);
    if (status == FIRN_OK) {
      r->closed = true;
      r->open_edges = r->holes = 0;
      r->edge_count = 0;
    }
  }
  firn_free(context, parent, bytes);
  if (status != FIRN_OK) return status;
  bytes = mesh->vertex_count * sizeof(uint32_t);
  parent = firn_alloc(context, bytes, "mesh check");
  if (!parent) return FIRN_ERROR_MEMORY;
  count_pieces(mesh, parent);
  firn_free(context, parent, bytes);
  measure(mesh);
  if (r->closed && r->volume < 0) {
    r->turned = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) turn(mesh, t);
    r->volume = -r->volume;
  }
  if (!r->closed) r->volume = 0;
  r->vertices = mesh->vertex_count;
  r->triangles = mesh->triangle_count;
  return FIRN_OK;
}

firn_status firn_mesh_check(firn_mesh *mesh, firn_holes holes) {
  firn_mesh_edges edges;
  FIRN_TRY(drop_repeated(mesh));
  FIRN_TRY(firn_mesh_edges_find(mesh, &edges));
  firn_status status = judge(mesh, &edges, holes);
  firn_mesh_edges_free(mesh->context, &edges);
  return status;
}
