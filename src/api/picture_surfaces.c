// SPDX-License-Identifier: Apache-2.0
// Bodies of a picture as surfaces for the path tracer.
#include <math.h>
#include <string.h>

#include "api/picture.h"
#include "base/memory.h"

enum {
  SLAB_VERTICES = 8, // of a wall
  HORIZON = 4000,    // extents to which a plane reaches
  UNBOUNDED = 40     // extents to which other things without bounds are shown
};

typedef struct piece {
  firn_surface_def def;
  size_t vertex_bytes, shut_bytes, triangle_bytes; // of arrays that are this piece's own
} piece;

typedef struct maker {
  firn_context *context;
  firn_picture_bodies *bodies;
  const double *origin; // m
  double shutter;       // s
  float extent;         // m, height of what is seen at the target
  size_t count;
  piece *piece; // [bodies->count]
} maker;

static firn_v3 to_v3(const double v[3]) {
  return (firn_v3){(float)v[0], (float)v[1], (float)v[2]};
}

// ------------------------------------------------------------------------------------- triangles

static float *new_vertices(maker *m, piece *p, size_t count, size_t *bytes) {
  float *v = firn_alloc(m->context, 3 * count * sizeof *v, "triangles of a picture");
  *bytes = v ? 3 * count * sizeof *v : 0;
  p->def.vertex_count = count;
  return v;
}

static uint32_t *new_triangles(maker *m, piece *p, size_t count) {
  uint32_t *t = firn_alloc(m->context, 3 * count * sizeof *t, "triangles of a picture");
  p->triangle_bytes = t ? 3 * count * sizeof *t : 0;
  p->def.triangle = t;
  p->def.triangle_count = count;
  return t;
}

static void put(float *v, firn_v3 p) {
  v[0] = p.x;
  v[1] = p.y;
  v[2] = p.z;
}

static void put_triangle(uint32_t **t, size_t a, size_t b, size_t c) {
  *(*t)++ = (uint32_t)a;
  *(*t)++ = (uint32_t)b;
  *(*t)++ = (uint32_t)c;
}

// A mesh at the times when the shutter opens and shuts.
static firn_status add_mesh(maker *m, const firn_picture_body *body, const firn_mesh *mesh,
                            piece *p) {
  size_t n = firn_mesh_vertex_count(mesh), triangles = firn_mesh_triangle_count(mesh);
  const double *x = firn_mesh_positions(mesh);
  double open = m->bodies->time;
  bool moves = m->shutter > 0;
  p->def.smooth = true;
  float *v = new_vertices(m, p, n, &p->vertex_bytes),
        *shut = moves ? new_vertices(m, p, n, &p->shut_bytes) : NULL;
  p->def.vertex = v;
  p->def.vertex_shut = shut;
  uint32_t *t = new_triangles(m, p, triangles);
  if (!v || !t || (moves && !shut)) return FIRN_ERROR_MEMORY;
  memcpy(t, firn_mesh_triangles(mesh), 3 * triangles * sizeof *t);
  for (int when = 0; when < 1 + moves; when++) {
    if (moves) firn_picture_bodies_place(m->bodies, open + when * m->shutter);
    const firn_pose *pose = &body->part->pose;
    for (size_t i = 0; i < n; i++) {
      double y[3];
      firn_pose_turn(pose, x + 3 * i, y);
      for (size_t a = 0; a < 3; a++)
        (when ? shut : v)[3 * i + a] = (float)(y[a] + pose->shift[a] - m->origin[a]);
    }
  }
  if (moves) firn_picture_bodies_place(m->bodies, open);
  return FIRN_OK;
}

// Faces counterclockwise from outside; corner i has bits for +x, +y, +z.
static firn_status add_slab(maker *m, const firn_wall *wall, piece *p) {
  static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  float *v = new_vertices(m, p, SLAB_VERTICES, &p->vertex_bytes);
  p->def.vertex = v;
  uint32_t *t = new_triangles(m, p, 12);
  if (!v || !t) return FIRN_ERROR_MEMORY;
  for (int i = 0; i < SLAB_VERTICES; i++) {
    firn_v3 q = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
      float along = wall->middle[k] + (i >> k & 1 ? wall->half[k] : -wall->half[k]);
      q = firn_v3_add(q, firn_v3_scale(along, wall->axis[k]));
    }
    put(v + 3 * i, q);
  }
  for (int f = 0; f < 6; f++) {
    put_triangle(&t, faces[f][0], faces[f][1], faces[f][2]);
    put_triangle(&t, faces[f][0], faces[f][2], faces[f][3]);
  }
  return FIRN_OK;
}

// A floor or a slope has no end.
static void add_floor(maker *m, const firn_picture_body *body, piece *p) {
  float far = HORIZON * m->extent;
  memcpy(p->def.plane, body->plane, sizeof p->def.plane);
  p->def.low = (firn_v3){-far, -far, -far};
  p->def.high = (firn_v3){far, far, far};
}

// ------------------------------------------------------------------------------------------- all

static void add_distance(maker *m, size_t i, piece *p) {
  double low[3], high[3];
  if (!firn_picture_body_box(m->bodies, i, low, high))
    for (int a = 0; a < 3; a++) {
      low[a] = m->origin[a] - UNBOUNDED * (double)m->extent;
      high[a] = m->origin[a] + UNBOUNDED * (double)m->extent;
    }
  float lo[3], hi[3];
  for (int a = 0; a < 3; a++) {
    double margin = 1e-3 * (high[a] - low[a]) + 1e-6;
    lo[a] = (float)(low[a] - m->origin[a] - margin);
    hi[a] = (float)(high[a] - m->origin[a] + margin);
  }
  p->def.distance = firn_picture_body_distance;
  p->def.user = m->bodies;
  p->def.body = (int)i;
  p->def.low = (firn_v3){lo[0], lo[1], lo[2]};
  p->def.high = (firn_v3){hi[0], hi[1], hi[2]};
}

static firn_status add_body(maker *m, const firn_picture_looks *looks, size_t i) {
  const firn_picture_body *body = &m->bodies->body[i];
  const firn_mesh *mesh = firn_shape_mesh(body->part->shape);
  firn_look_def look = firn_picture_look(m->bodies, i, looks);
  if (body->kind == FIRN_PICTURE_HIDDEN || look.mode == FIRN_LOOK_HIDDEN) return FIRN_OK;
  piece *p = &m->piece[m->count++];
  double pivot[3];
  p->def.look = look;
  p->def.body = (int)i;
  const firn_pose *pose = &body->part->pose;
  p->def.velocity = to_v3(pose->velocity);
  p->def.spin = to_v3(pose->spin);
  for (int a = 0; a < 3; a++) pivot[a] = pose->pivot[a] - m->origin[a];
  p->def.pivot = to_v3(pivot);
  p->def.shutter = m->shutter;
  if (body->kind == FIRN_PICTURE_WALL) return add_slab(m, &body->wall, p);
  if (body->kind == FIRN_PICTURE_SOLID && mesh) return add_mesh(m, body, mesh, p);
  if (body->kind == FIRN_PICTURE_FLOOR)
    add_floor(m, body, p);
  else
    add_distance(m, i, p);
  return FIRN_OK;
}

static firn_status create(maker *m, firn_surfaces **out) {
  size_t size = m->count * sizeof(firn_surface_def);
  firn_surface_def *defs = firn_alloc(m->context, size, "surfaces of a picture");
  if (size && !defs) return FIRN_ERROR_MEMORY;
  for (size_t i = 0; i < m->count; i++) defs[i] = m->piece[i].def;
  firn_status status = firn_surfaces_create(m->context, (int)m->count, defs, m->origin, out);
  firn_free(m->context, defs, size);
  return status;
}

firn_status firn_picture_surfaces(firn_context *context, firn_picture_bodies *bodies,
                                  const firn_render_def *def, const firn_camera_def *camera,
                                  double shutter, const double origin[3], firn_surfaces **out) {
  *out = NULL;
  if (!bodies->count) return FIRN_OK;
  double away = 0;
  for (int a = 0; a < 3; a++) away += pow(camera->target[a] - camera->eye[a], 2);
  maker m = {.context = context,
             .bodies = bodies,
             .origin = origin,
             .shutter = shutter,
             .extent = (float)(2 * tan(camera->fov / 2) * sqrt(away))};
  size_t size = bodies->count * sizeof *m.piece;
  m.piece = firn_alloc_zero(context, size, "surfaces of a picture");
  const firn_picture_looks looks = firn_picture_looks_of(def);
  firn_status status = m.piece ? FIRN_OK : FIRN_ERROR_MEMORY;
  for (size_t i = 0; status == FIRN_OK && i < bodies->count; i++) status = add_body(&m, &looks, i);
  if (status == FIRN_OK) status = create(&m, out);
  for (size_t i = 0; m.piece && i < bodies->count; i++) {
    const piece *p = &m.piece[i];
    firn_free(context, (void *)(uintptr_t)p->def.vertex, p->vertex_bytes);
    firn_free(context, (void *)(uintptr_t)p->def.vertex_shut, p->shut_bytes);
    firn_free(context, (void *)(uintptr_t)p->def.triangle, p->triangle_bytes);
  }
  firn_free(context, m.piece, size);
  return status;
}
