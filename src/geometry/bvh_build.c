// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "geometry/bvh.h"
#include "geometry/mesh_edges.h"

enum { BINS = 16, LEVELS = 24 };

typedef struct box {
  float lo[3], hi[3];
} box;

typedef struct item {
  box bounds;
  uint32_t triangle;
} item;

typedef struct builder {
  firn_bvh *bvh;
  item *items;     // [triangles], reordered as the tree is made
  uint32_t *first; // [leaf]: its first item
  uint8_t *count;  // [leaf]
} builder;

static const box nothing = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};

static void include(box *b, const box *other) {
  for (int a = 0; a < 3; a++) {
    if (other->lo[a] < b->lo[a]) b->lo[a] = other->lo[a];
    if (other->hi[a] > b->hi[a]) b->hi[a] = other->hi[a];
  }
}

static float half_area(const box *b) {
  float x = b->hi[0] - b->lo[0], y = b->hi[1] - b->lo[1], z = b->hi[2] - b->lo[2];
  return x * y + y * z + z * x;
}

static float middle_of(const item *i, int axis) {
  return 0.5f * (i->bounds.lo[axis] + i->bounds.hi[axis]);
}

static box bounds_of(const item *items, size_t count) {
  box b = nothing;
  for (size_t i = 0; i < count; i++) include(&b, &items[i].bounds);
  return b;
}

// Splits where the surface area heuristic is least over 16 bins of the longest axis; returns the
// size of the first half. Deep down, or where all middles coincide, it just halves.
static size_t split(item *items, size_t count, int level) {
  float lo[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, hi[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
  for (size_t i = 0; i < count; i++) {
    for (int a = 0; a < 3; a++) {
      float m = middle_of(items + i, a);
      if (m < lo[a]) lo[a] = m;
      if (m > hi[a]) hi[a] = m;
    }
  }
  int axis = 0;
  for (int a = 1; a < 3; a++) {
    if (hi[a] - lo[a] > hi[axis] - lo[axis]) axis = a;
  }
  float width = hi[axis] - lo[axis];
  if (level > LEVELS || !(width > 0)) return count / 2;

  box bin[BINS];
  size_t n[BINS] = {0};
  for (int k = 0; k < BINS; k++) bin[k] = nothing;
  float to_bin = (float)BINS / width * 0.9999f;
  for (size_t i = 0; i < count; i++) {
    int k = (int)((middle_of(items + i, axis) - lo[axis]) * to_bin);
    if (k >= BINS) k = BINS - 1;
    include(bin + k, &items[i].bounds);
    n[k]++;
  }
  float right[BINS]; // cost of bins k and up
  box b = nothing;
  size_t sum = 0;
  for (int k = BINS - 1; k > 0; k--) {
    include(&b, bin + k);
    sum += n[k];
    right[k] = sum ? half_area(&b) * (float)sum : 0;
  }
  int best = 1;
  float least = FLT_MAX;
  b = nothing;
  sum = 0;
  for (int k = 1; k < BINS; k++) {
    include(&b, bin + k - 1);
    sum += n[k - 1];
    float cost = (sum ? half_area(&b) * (float)sum : 0) + right[k];
    if (cost < least && sum && sum < count) {
      least = cost;
      best = k;
    }
  }
  size_t first = 0, last = count;
  while (first < last) {
    int k = (int)((middle_of(items + first, axis) - lo[axis]) * to_bin);
    if (k >= BINS) k = BINS - 1;
    if (k < best) {
      first++;
    } else {
      item t = items[first];
      items[first] = items[--last];
      items[last] = t;
    }
  }
  return first && first < count ? first : count / 2;
}

// Makes the node of items [first, first + count); returns its number. There are fewer inner nodes
// than triangles, so there is room.
static int32_t make_node(builder *b, size_t first, size_t count, int level) {
  int32_t number = (int32_t)b->bvh->node_count++;
  size_t start[FIRN_BVH_WIDTH] = {first}, size[FIRN_BVH_WIDTH] = {count};
  int parts = 1;
  while (parts < FIRN_BVH_WIDTH) {
    int largest = 0;
    for (int k = 1; k < parts; k++) {
      if (size[k] > size[largest]) largest = k;
    }
    if (size[largest] <= FIRN_BVH_LEAF) break;
    size_t half = split(b->items + start[largest], size[largest], level);
    start[parts] = start[largest] + half;
    size[parts++] = size[largest] - half;
    size[largest] = half;
  }
  firn_bvh_node node;
  for (int k = 0; k < FIRN_BVH_WIDTH; k++) {
    box bounds = k < parts ? bounds_of(b->items + start[k], size[k]) : nothing;
    for (int a = 0; a < 3; a++) node.lo[a][k] = bounds.lo[a], node.hi[a][k] = bounds.hi[a];
    node.child[k] = -1;
    node.count[k] = 0;
    if (k >= parts) continue;
    if (size[k] <= FIRN_BVH_LEAF) {
      size_t leaf = b->bvh->leaf_count++;
      b->first[leaf] = (uint32_t)start[k];
      b->count[leaf] = (uint8_t)size[k];
      node.child[k] = (int32_t)leaf;
      node.count[k] = (int32_t)size[k];
    } else {
      node.child[k] = make_node(b, start[k], size[k], level + 1);
    }
  }
  b->bvh->node[number] = node;
  return number;
}

static firn_vec3 vertex(const firn_bvh *bvh, uint32_t v) {
  const double *p = bvh->mesh->position + 3 * (size_t)v;
  return firn_vec3_sub(firn_vec3_make(p[0], p[1], p[2]), bvh->middle);
}

static firn_vec3 unit_normal(const firn_bvh_triangle *t) {
  firn_vec3 n = firn_vec3_cross(firn_vec3_sub(t->p[1], t->p[0]), firn_vec3_sub(t->p[2], t->p[0]));
  return firn_vec3_unit(n, firn_vec3_make(0, 0, 0));
}

static void add_float(float *to, double scale, firn_vec3 n) {
  to[0] += (float)(scale * n.x);
  to[1] += (float)(scale * n.y);
  to[2] += (float)(scale * n.z);
}

static double angle_at(const firn_bvh_triangle *t, int k) {
  firn_vec3 u = firn_vec3_sub(t->p[(k + 1) % 3], t->p[k]);
  firn_vec3 v = firn_vec3_sub(t->p[(k + 2) % 3], t->p[k]);
  return atan2(firn_vec3_norm(firn_vec3_cross(u, v)), firn_vec3_dot(u, v));
}

static firn_status make_normals(firn_bvh *bvh, const uint8_t *count) {
  const firn_mesh *mesh = bvh->mesh;
  firn_mesh_edges edges;
  FIRN_TRY(firn_mesh_edges_find(mesh, &edges));
  size_t bytes = edges.count * 3 * sizeof(float);
  float *sum = firn_alloc_zero(bvh->context, bytes, "distance field");
  if (sum) {
    for (size_t i = 0; i < FIRN_BVH_LEAF * bvh->leaf_count; i++) {
      if (i % FIRN_BVH_LEAF >= count[i / FIRN_BVH_LEAF]) continue;
      firn_vec3 n = unit_normal(bvh->triangle + i);
      for (int k = 0; k < 3; k++) {
        size_t side = 3 * (size_t)bvh->number[i] + (size_t)k;
        add_float(sum + 3 * (size_t)edges.of[side], 1, n);
        add_float(bvh->corner_normal + 3 * (size_t)mesh->triangle[side],
                  angle_at(bvh->triangle + i, k), n);
      }
    }
    for (size_t i = 0; i < FIRN_BVH_LEAF * bvh->leaf_count; i++) {
      if (i % FIRN_BVH_LEAF >= count[i / FIRN_BVH_LEAF]) continue;
      for (size_t k = 0; k < 3; k++) {
        memcpy(bvh->edge_normal + 9 * i + 3 * k,
               sum + 3 * (size_t)edges.of[3 * (size_t)bvh->number[i] + k], 3 * sizeof(float));
      }
    }
  }
  firn_free(bvh->context, sum, bytes);
  firn_mesh_edges_free(bvh->context, &edges);
  return sum ? FIRN_OK : FIRN_ERROR_MEMORY;
}

// Area, area vector and first moment of area.
typedef struct moment {
  double area;
  firn_vec3 vector, first;
} moment;

static void add_moment(moment *to, const moment *from) {
  to->area += from->area;
  to->vector = firn_vec3_add(to->vector, from->vector);
  to->first = firn_vec3_add(to->first, from->first);
}

// Leaves before inner nodes: children have larger numbers than their parents.
static firn_status make_dipoles(firn_bvh *bvh) {
  size_t bytes = bvh->node_count * sizeof(moment);
  moment *of_node = firn_alloc_zero(bvh->context, bytes, "distance field");
  if (!of_node) return FIRN_ERROR_MEMORY;
  for (size_t n = bvh->node_count; n-- > 0;) {
    const firn_bvh_node *node = bvh->node + n;
    firn_bvh_dipole *d = bvh->dipole + n;
    memset(d, 0, sizeof *d);
    for (int k = 0; k < FIRN_BVH_WIDTH; k++) {
      if (node->child[k] < 0) continue;
      moment m = {0};
      if (!node->count[k]) m = of_node[node->child[k]];
      for (int32_t i = 0; i < node->count[k]; i++) {
        const firn_vec3 *p = bvh->triangle[FIRN_BVH_LEAF * node->child[k] + i].p;
        firn_vec3 v = firn_vec3_scale(
            0.5, firn_vec3_cross(firn_vec3_sub(p[1], p[0]), firn_vec3_sub(p[2], p[0])));
        double area = firn_vec3_norm(v);
        firn_vec3 center = firn_vec3_add(firn_vec3_add(p[0], p[1]), p[2]);
        add_moment(&m, &(moment){area, v, firn_vec3_scale(area / 3, center)});
      }
      add_moment(of_node + n, &m);
      firn_vec3 c = firn_vec3_scale(m.area > 0 ? 1 / m.area : 0, m.first);
      double center[3] = {c.x, c.y, c.z}, reach2 = 0;
      for (int a = 0; a < 3; a++) {
        d->center[a][k] = (float)center[a];
        double r = fmax(fabs((double)node->lo[a][k] - center[a]),
                        fabs((double)node->hi[a][k] - center[a]));
        reach2 += r * r;
      }
      d->radius[k] = (float)sqrt(reach2);
      d->area[0][k] = (float)m.vector.x;
      d->area[1][k] = (float)m.vector.y;
      d->area[2][k] = (float)m.vector.z;
    }
  }
  firn_free(bvh->context, of_node, bytes);
  return FIRN_OK;
}

static void make_items(const firn_bvh *bvh, item *items) {
  for (size_t t = 0; t < bvh->mesh->triangle_count; t++) {
    items[t].triangle = (uint32_t)t;
    items[t].bounds = nothing;
    for (int k = 0; k < 3; k++) {
      firn_vec3 p = vertex(bvh, bvh->mesh->triangle[3 * t + (size_t)k]);
      double x[3] = {p.x, p.y, p.z};
      box b;
      for (int a = 0; a < 3; a++) {
        // Rounded outwards.
        b.lo[a] = nextafterf((float)x[a], -FLT_MAX);
        b.hi[a] = nextafterf((float)x[a], FLT_MAX);
      }
      include(&items[t].bounds, &b);
    }
  }
}

static float inverse(double x) {
  return x > 1e-37 ? (float)(1 / x) : 0;
}

static void set_lane(firn_bvh_leaf *leaf, int lane, const firn_vec3 *p) {
  firn_vec3 far = firn_vec3_make(1e17, 1e17, 1e17), a = p ? p[0] : far;
  firn_vec3 u = p ? firn_vec3_sub(p[1], a) : firn_vec3_make(0, 0, 0);
  firn_vec3 v = p ? firn_vec3_sub(p[2], a) : u, w = firn_vec3_sub(v, u), n = firn_vec3_cross(u, v);
  const double as[3] = {a.x, a.y, a.z}, us[3] = {u.x, u.y, u.z}, vs[3] = {v.x, v.y, v.z};
  for (int k = 0; k < 3; k++) {
    leaf->a[k][lane] = (float)as[k];
    leaf->u[k][lane] = (float)us[k];
    leaf->v[k][lane] = (float)vs[k];
  }
  leaf->uu[lane] = (float)firn_vec3_dot(u, u);
  leaf->uv[lane] = (float)firn_vec3_dot(u, v);
  leaf->vv[lane] = (float)firn_vec3_dot(v, v);
  leaf->iuu[lane] = inverse(firn_vec3_dot(u, u));
  leaf->ivv[lane] = inverse(firn_vec3_dot(v, v));
  leaf->iww[lane] = inverse(firn_vec3_dot(w, w));
  leaf->idet[lane] = inverse(firn_vec3_dot(n, n));
}

static firn_status make_leaves(firn_bvh *bvh, const builder *b) {
  firn_context *context = bvh->context;
  size_t slots = FIRN_BVH_LEAF * bvh->leaf_count;
  bvh->leaf = firn_alloc(context, bvh->leaf_count * sizeof *bvh->leaf, "distance field");
  bvh->triangle = firn_alloc(context, slots * sizeof *bvh->triangle, "distance field");
  bvh->number = firn_alloc(context, slots * sizeof *bvh->number, "distance field");
  bvh->edge_normal = firn_alloc(context, slots * 9 * sizeof(float), "distance field");
  if (!bvh->leaf || !bvh->triangle || !bvh->number || !bvh->edge_normal) return FIRN_ERROR_MEMORY;
  for (size_t i = 0; i < slots; i++) {
    size_t leaf = i / FIRN_BVH_LEAF, lane = i % FIRN_BVH_LEAF;
    bool used = lane < b->count[leaf];
    if (used) {
      bvh->number[i] = b->items[b->first[leaf] + lane].triangle;
      for (size_t k = 0; k < 3; k++) {
        bvh->triangle[i].p[k] = vertex(bvh, bvh->mesh->triangle[3 * (size_t)bvh->number[i] + k]);
      }
    }
    set_lane(bvh->leaf + leaf, (int)lane, used ? bvh->triangle[i].p : NULL);
  }
  return make_normals(bvh, b->count);
}

static firn_status build(firn_bvh *bvh) {
  firn_context *context = bvh->context;
  size_t count = bvh->mesh->triangle_count;
  builder b = {.bvh = bvh};
  b.items = firn_alloc(context, count * sizeof *b.items, "distance field");
  b.first = firn_alloc(context, count * sizeof *b.first, "distance field");
  b.count = firn_alloc(context, count, "distance field");
  firn_status status = FIRN_ERROR_MEMORY;
  if (b.items && b.first && b.count) {
    make_items(bvh, b.items);
    make_node(&b, 0, count, 0);
    status = make_leaves(bvh, &b);
  }
  firn_free(context, b.items, count * sizeof *b.items);
  firn_free(context, b.first, count * sizeof *b.first);
  firn_free(context, b.count, count);
  return status == FIRN_OK ? make_dipoles(bvh) : status;
}

firn_status firn_bvh_create(const firn_mesh *mesh, firn_bvh *out) {
  firn_context *context = mesh->context;
  const firn_mesh_report *r = &mesh->report;
  *out = (firn_bvh){.context = context, .mesh = mesh};
  out->middle = firn_vec3_make(0.5 * (r->lo[0] + r->hi[0]), 0.5 * (r->lo[1] + r->hi[1]),
                               0.5 * (r->lo[2] + r->hi[2]));
  // Distances d in float are off by 4 eps of the mesh's size E, their squares by 8 eps E d. That is
  // less than 1e-3 d^2 from d = 1e-3 E on, and less than 1e-8 E^2 below.
  for (int a = 0; a < 3; a++) {
    double edge = 1e-4 * (r->hi[a] - r->lo[a]);
    out->slack += (float)(edge * edge);
  }
  // Every node but a lone root has two children or more, and leaves hold a triangle at least.
  out->node_room = mesh->triangle_count + 1;
  out->node = firn_alloc(context, out->node_room * sizeof *out->node, "distance field");
  out->dipole = firn_alloc(context, out->node_room * sizeof *out->dipole, "distance field");
  out->corner_normal = firn_alloc_zero(context, mesh->vertex_count * 3 * sizeof(float),
                                       "distance field");
  firn_status status = FIRN_ERROR_MEMORY;
  if (out->node && out->dipole && out->corner_normal) status = build(out);
  if (status != FIRN_OK) firn_bvh_free(out);
  return status;
}

void firn_bvh_free(firn_bvh *bvh) {
  firn_context *context = bvh->context;
  if (!bvh->mesh) return;
  size_t slots = FIRN_BVH_LEAF * bvh->leaf_count;
  firn_free(context, bvh->node, bvh->node_room * sizeof *bvh->node);
  firn_free(context, bvh->dipole, bvh->node_room * sizeof *bvh->dipole);
  firn_free(context, bvh->leaf, bvh->leaf_count * sizeof *bvh->leaf);
  firn_free(context, bvh->triangle, slots * sizeof *bvh->triangle);
  firn_free(context, bvh->number, slots * sizeof *bvh->number);
  firn_free(context, bvh->edge_normal, slots * 9 * sizeof(float));
  firn_free(context, bvh->corner_normal, bvh->mesh->vertex_count * 3 * sizeof(float));
  *bvh = (firn_bvh){0};
}
