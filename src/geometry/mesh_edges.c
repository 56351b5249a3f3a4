// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh_edges.h"

#include <string.h>

#define NONE UINT32_MAX

static uint64_t hash_pair(uint32_t a, uint32_t b) {
  uint64_t h = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93u;
  return h ^ h >> 32;
}

// Open addressing over table[mask + 1] of edge numbers.
static uint32_t find(firn_mesh_edges *e, uint32_t *table, size_t mask, uint32_t a, uint32_t b) {
  size_t slot = hash_pair(a, b) & mask;
  for (; table[slot] != NONE; slot = (slot + 1) & mask) {
    const firn_mesh_edge *edge = e->edge + table[slot];
    if (edge->a == a && edge->b == b) return table[slot];
  }
  e->edge[e->count] = (firn_mesh_edge){.a = a, .b = b, .triangle = {NONE, NONE}};
  return table[slot] = (uint32_t)e->count++;
}

firn_status firn_mesh_edges_find(const firn_mesh *mesh, firn_mesh_edges *out) {
  firn_context *context = mesh->context;
  size_t corners = 3 * mesh->triangle_count, slots = 16;
  while (slots < 2 * corners) slots *= 2;
  *out = (firn_mesh_edges){.room = corners, .of_room = corners};
  uint32_t *table = firn_alloc(context, slots * sizeof *table, "mesh edges");
  out->edge = firn_alloc(context, corners * sizeof *out->edge, "mesh edges");
  out->of = firn_alloc(context, corners * sizeof *out->of, "mesh edges");
  if (!table || !out->edge || !out->of) {
    firn_free(context, table, slots * sizeof *table);
    firn_mesh_edges_free(context, out);
    return FIRN_ERROR_MEMORY;
  }
  memset(table, 0xff, slots * sizeof *table);
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    const uint32_t *corner = mesh->triangle + 3 * t;
    for (int k = 0; k < 3; k++) {
      uint32_t a = corner[k], b = corner[(k + 1) % 3];
      uint32_t number = find(out, table, slots - 1, a < b ? a : b, a < b ? b : a);
      firn_mesh_edge *edge = out->edge + number;
      out->of[3 * t + (size_t)k] = number;
      edge->balance += a < b ? 1 : -1;
      if (edge->count < 2) edge->triangle[edge->count] = (uint32_t)t;
      edge->count++;
    }
  }
  firn_free(context, table, slots * sizeof *table);
  return FIRN_OK;
}

void firn_mesh_edges_free(firn_context *context, firn_mesh_edges *edges) {
  firn_free(context, edges->edge, edges->room * sizeof *edges->edge);
  firn_free(context, edges->of, edges->of_room * sizeof *edges->of);
  *edges = (firn_mesh_edges){0};
}

void firn_mesh_edges_balance(const firn_mesh *mesh, firn_mesh_edges *edges) {
  for (size_t i = 0; i < edges->count; i++) edges->edge[i].balance = 0;
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    const uint32_t *corner = mesh->triangle + 3 * t;
    for (size_t k = 0; k < 3; k++) {
      // By its ends, since turning a triangle renumbers its sides.
      uint32_t a = corner[k], b = corner[(k + 1) % 3];
      for (size_t j = 0; j < 3; j++) {
        firn_mesh_edge *edge = edges->edge + edges->of[3 * t + j];
        if (edge->a == (a < b ? a : b) && edge->b == (a < b ? b : a)) {
          edge->balance += a < b ? 1 : -1;
          break;
        }
      }
    }
  }
}
