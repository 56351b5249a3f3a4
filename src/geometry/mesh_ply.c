// SPDX-License-Identifier: Apache-2.0
// Meshes from PLY files: x, y, z of the element "vertex" and the list "vertex_indices" of the element
// "face". All else is skipped.
#include <math.h>
#include <string.h>

#include "geometry/mesh_read.h"
#include "geometry/ply.h"

typedef struct layout {
  const firn_ply_element *vertices, *faces;
  int axis[3]; // properties of vertices
} layout;

static int find(const firn_ply_element *e, const char *name, bool list) {
  for (int i = 0; i < e->property_count; i++) {
    if (!strcmp(e->property[i].name, name) && list == (e->property[i].count != NULL)) return i;
  }
  return -1;
}

static firn_status find_layout(firn_ply *p, layout *out) {
  *out = (layout){.axis = {-1, -1, -1}};
  for (int i = 0; i < p->element_count; i++) {
    firn_ply_element *e = &p->element[i];
    if (!strcmp(e->name, "tristrips")) {
      return firn_fail(p->file.context, FIRN_ERROR_FORMAT,
                       "%s: triangle strips are not read; save the mesh as faces", p->file.name);
    }
    if (!strcmp(e->name, "vertex")) {
      out->vertices = e;
      for (int a = 0; a < 3; a++) out->axis[a] = find(e, (const char[]){(char)('x' + a), 0}, false);
    }
    if (strcmp(e->name, "face") != 0) continue;
    e->list = find(e, "vertex_indices", true);
    if (e->list < 0) e->list = find(e, "vertex_index", true);
    if (e->list < 0) continue;
    out->faces = e;
    if (e->property[e->list].whole) continue;
    return firn_fail_line(&p->file, e->property[e->list].line,
                          "corners of faces must be whole numbers");
  }
  bool points = out->axis[0] >= 0 && out->axis[1] >= 0 && out->axis[2] >= 0;
  if (points && out->faces) return FIRN_OK;
  return firn_fail(p->file.context, FIRN_ERROR_FORMAT,
                   "%s: the header announces no %s; points alone are not a mesh", p->file.name,
                   out->faces ? "x, y, z of vertices" : "faces with vertex_indices");
}

static firn_status add_face(const firn_ply *p, const firn_ply_element *e, firn_mesh *mesh) {
  size_t count = (size_t)p->value[e->list];
  uint32_t corner[FIRN_PLY_ENTRIES];
  for (size_t i = 0; i < count; i++) {
    double value = p->entry[i];
    if (!(value >= 0 && value < (double)mesh->vertex_count && value == floor(value))) {
      return firn_ply_fail(p, "a face has a corner that is not among the vertices:", value);
    }
    corner[i] = (uint32_t)value;
  }
  if (count < 3) return firn_ply_fail(p, "a face has too few corners:", (double)count);
  return firn_mesh_add_polygon(mesh, corner, count);
}

static firn_status read_all(firn_ply *p, firn_mesh *mesh) {
  layout l;
  FIRN_TRY(find_layout(p, &l));
  for (int i = 0; i < p->element_count; i++) {
    const firn_ply_element *e = &p->element[i];
    // Rows of nothing could be as many as the header likes.
    for (uint64_t row = 0; e->property_count && row < e->rows; row++) {
      FIRN_TRY(firn_ply_read_row(p, e, row));
      if (e == l.vertices) {
        const double *v = p->value;
        FIRN_TRY(firn_mesh_add_vertex(mesh, (double[3]){v[l.axis[0]], v[l.axis[1]], v[l.axis[2]]}));
      }
      if (e == l.faces) FIRN_TRY(add_face(p, e, mesh));
    }
  }
  return FIRN_OK;
}

firn_status firn_mesh_read_ply(firn_mesh_input *in) {
  firn_ply *p;
  FIRN_TRY(firn_ply_open(&in->file, &p));
  firn_status status = read_all(p, in->mesh);
  firn_ply_close(p);
  return status;
}
