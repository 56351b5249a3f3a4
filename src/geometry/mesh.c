// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/def.h"

FIRN_DEFAULTS(mesh_def) {
  return (firn_mesh_def){.up = FIRN_UP_Y, .scale = 1};
}

firn_mesh *firn_mesh_new(firn_context *context) {
  firn_mesh *mesh = firn_alloc_zero(context, sizeof *mesh, "mesh");
  if (!mesh) return NULL;
  mesh->context = context;
  mesh->references = 1;
  return mesh;
}

firn_mesh *firn_mesh_retain(const firn_mesh *mesh) {
  firn_mesh *held = (firn_mesh *)mesh;
  if (held) firn_hold(&held->references);
  return held;
}

void firn_mesh_release(const firn_mesh *mesh) {
  firn_mesh *held = (firn_mesh *)mesh;
  if (!held || !firn_let_go(&held->references)) return;
  firn_free(held->context, held->position, held->vertex_room * 3 * sizeof *held->position);
  firn_free(held->context, held->triangle, held->triangle_room * 3 * sizeof *held->triangle);
  firn_free(held->context, held, sizeof *held);
}

// Room for one more triple; *room counts triples of size bytes each.
static firn_status grow(firn_mesh *mesh, void **data, size_t *room, size_t count, size_t size) {
  if (count < *room) return FIRN_OK;
  if (count >= FIRN_MESH_MAX) {
    return firn_fail(mesh->context, FIRN_ERROR_FORMAT, "a mesh has at most %zu %s", FIRN_MESH_MAX,
                     data == (void **)&mesh->position ? "vertices" : "triangles");
  }
  size_t wanted = *room ? *room + *room / 2 : 256;
  void *grown = firn_resize(mesh->context, *data, *room * size, wanted * size, "mesh");
  if (!grown) return FIRN_ERROR_MEMORY;
  *data = grown;
  *room = wanted;
  return FIRN_OK;
}

firn_status firn_mesh_add_vertex(firn_mesh *mesh, const double position[3]) {
  FIRN_TRY(grow(mesh, (void **)&mesh->position, &mesh->vertex_room, mesh->vertex_count,
                3 * sizeof *mesh->position));
  memcpy(mesh->position + 3 * mesh->vertex_count++, position, 3 * sizeof *position);
  return FIRN_OK;
}

firn_status firn_mesh_add_triangle(firn_mesh *mesh, uint32_t a, uint32_t b, uint32_t c) {
  FIRN_TRY(grow(mesh, (void **)&mesh->triangle, &mesh->triangle_room, mesh->triangle_count,
                3 * sizeof *mesh->triangle));
  memcpy(mesh->triangle + 3 * mesh->triangle_count++, (uint32_t[]){a, b, c}, 3 * sizeof a);
  return FIRN_OK;
}

// Beyond this, single precision files cannot tell a metre from nothing, and squares lose meaning.
#define REACH 1e9

static firn_status place(firn_mesh *mesh, const char *name, const firn_mesh_def *def) {
  for (size_t i = 0; i < mesh->vertex_count; i++) {
    double *p = mesh->position + 3 * i, y = p[1];
    if (def->up == FIRN_UP_Z) {
      p[1] = p[2];
      p[2] = -y;
    }
    for (int a = 0; a < 3; a++) {
      p[a] = p[a] * def->scale + 0.0; // + 0: no negative zeros
      if (fabs(p[a]) <= REACH) continue;
      return firn_fail(mesh->context, FIRN_ERROR_FORMAT,
                       "%s: vertex %zu has %c = %g m, which is not within %g m; is the scale %g "
                       "right?",
                       name, i, "xyz"[a], p[a], REACH, def -> scale);
    }
  }
  return FIRN_OK;
}

// FNV-1a over 64-bit words.
static uint64_t digest(const firn_mesh *mesh) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < 3 * mesh->vertex_count; i++) {
    uint64_t bits;
    memcpy(&bits, &mesh->position[i], sizeof bits);
    hash = (hash ^ bits) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
    hash = (hash ^ mesh->triangle[i]) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  return hash;
}

firn_status firn_mesh_finish(firn_mesh *mesh, const char *name, const firn_mesh_def *def) {
  firn_context *context = mesh->context;
  if (!(def->scale > 0 && def->scale <= 1e12)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: scale %g must be positive", name,
                     def->scale);
  }
  if (!(def->weld >= 0 && def->weld <= REACH)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: weld %g m must be 0 or more", name,
                     def->weld);
  }
  if ((def->up != FIRN_UP_Y && def->up != FIRN_UP_Z) ||
      (def->holes != FIRN_HOLES_KEEP && def->holes != FIRN_HOLES_FILL)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: up %d or holes %d does not exist", name,
                     (int)def->up, (int)def->holes);
  }
  if (!mesh->triangle_count) {
    return firn_fail(context, FIRN_ERROR_FORMAT, "%s: there are no triangles in it", name);
  }
  FIRN_TRY(place(mesh, name, def));
  FIRN_TRY(firn_mesh_weld(mesh, def->weld));
  if (!mesh->triangle_count) {
    return firn_fail(context, FIRN_ERROR_FORMAT, "%s: no triangle has three different corners%s",
                     name, def->weld > 0 ? " after welding; make weld smaller" : "");
  }
  FIRN_TRY(firn_mesh_check(mesh, def->holes));
  mesh->digest = digest(mesh);
  const firn_mesh_report *r = &mesh->report;
  if (r->dropped) {
    firn_note(context, FIRN_LOG_INFO, "%s: left out %zu triangles without area or given twice",
              name, r->dropped);
  }
  if (r->turned) {
    firn_note(context, FIRN_LOG_INFO, "%s: turned %zu triangles to face outwards", name, r->turned);
  }
  if (r->filled_holes) {
    firn_note(context, FIRN_LOG_WARNING, "%s: filled %zu holes", name, r->filled_holes);
  }
  // One that is not closed is told of where it needs an inside.
  return FIRN_OK;
}

static firn_status copy(firn_mesh *mesh, size_t vertex_count, const double *positions,
                        size_t triangle_count, const uint32_t *triangles) {
  for (size_t i = 0; i < vertex_count; i++) {
    FIRN_TRY(firn_mesh_add_vertex(mesh, positions + 3 * i));
  }
  for (size_t i = 0; i < triangle_count; i++) {
    const uint32_t *t = triangles + 3 * i;
    for (int k = 0; k < 3; k++) {
      if (t[k] < vertex_count) continue;
      return firn_fail(mesh->context, FIRN_ERROR_ARGUMENT,
                       "mesh: triangle %zu has corner %u, but there are %zu vertices", i, t[k],
                       vertex_count);
    }
    FIRN_TRY(firn_mesh_add_triangle(mesh, t[0], t[1], t[2]));
  }
  return FIRN_OK;
}

firn_status firn_mesh_create(firn_context *context, const firn_mesh_def *given, size_t vertex_count,
                             const double *positions, size_t triangle_count,
                             const uint32_t *triangles, firn_mesh **out) {
  if (!context || !given || !out || !positions || !triangles) {
    return firn_fail_null(context, "firn_mesh_create");
  }
  *out = NULL;
  FIRN_TAKE(context, mesh_def, given, own);
  const firn_mesh_def *def = &own;
  firn_mesh *mesh = firn_mesh_new(context);
  if (!mesh) return FIRN_ERROR_MEMORY;
  firn_status status = copy(mesh, vertex_count, positions, triangle_count, triangles);
  if (status == FIRN_OK) status = firn_mesh_finish(mesh, "mesh", def);
  if (status != FIRN_OK) {
    firn_mesh_release(mesh);
    return status;
  }
  *out = mesh;
  return FIRN_OK;
}

size_t firn_mesh_vertex_count(const firn_mesh *mesh) {
  return mesh->vertex_count;
}

size_t firn_mesh_triangle_count(const firn_mesh *mesh) {
  return mesh->triangle_count;
}

const double *firn_mesh_positions(const firn_mesh *mesh) {
  return mesh->position;
}

const uint32_t *firn_mesh_triangles(const firn_mesh *mesh) {
  return mesh->triangle;
}

void firn_mesh_get_report_sized(const firn_mesh *mesh, firn_mesh_report *out, size_t size) {
  firn_fill_out(&mesh->report, sizeof mesh->report, out, size);
}
