// SPDX-License-Identifier: Apache-2.0
// Level sets of closed meshes.
//
// 1. Distances at block corners. 2. Which blocks come within the band of the surface, told by the
// distance of the middles of their octants. 3. Distances at the nodes of these blocks, each search
// starting from the triangle that was nearest to the node before. 4. Signs (level_set_sign.c).
// Every block is worked on by one thread and depends on nothing that another does at the time, so
// the bytes do not depend on the number of threads.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "geometry/level_set_build.h"
#include "geometry/level_set_private.h"

enum {
  CELLS = FIRN_LEVEL_SET_CELLS,
  NODES = FIRN_LEVEL_SET_NODES,
  BLOCK = FIRN_LEVEL_SET_BLOCK,
  HALF = CELLS / 2,
  PASSES = 4 // over the blocks, of about the same length
};

static firn_vec3 node_position(const firn_level_set_build *b, double x, double y, double z) {
  const firn_level_set *s = b->set;
  return firn_vec3_sub(firn_vec3_make(s->origin[0] + x * s->voxel, s->origin[1] + y * s->voxel,
                                      s->origin[2] + z * s->voxel),
                       b->bvh.middle);
}

firn_vec3 firn_level_set_node(const firn_level_set_build *b, const int block[3], int node) {
  int x = node % NODES, y = node / NODES % NODES, z = node / NODES / NODES;
  return node_position(b, CELLS * block[0] + x, CELLS * block[1] + y, CELLS * block[2] + z);
}

void firn_level_set_block_of(const firn_level_set *set, size_t slot, int block[3]) {
  size_t nx = (size_t)set->blocks[0], ny = (size_t)set->blocks[1];
  block[0] = (int)(slot % nx);
  block[1] = (int)(slot / nx % ny);
  block[2] = (int)(slot / nx / ny);
}

// Velocity of the nearest point of the surface.
static void velocity_of(const firn_level_set_build *b, const firn_bvh_hit *hit, firn_real out[3]) {
  const uint32_t *corner = b->bvh.mesh->triangle + 3 * (size_t)b->bvh.number[hit->triangle];
  for (size_t a = 0; a < 3; a++) {
    double v = 0;
    for (int k = 0; k < 3; k++) v += hit->weight[k] * b->vertex_velocity[3 * (size_t)corner[k] + a];
    out[a] = FIRN_R(v);
  }
}

// ----------------------------------------------------------------------------------- block corners

// A row of corners along x, unsigned; signs need a look at the neighbours.
static void corner_row(const firn_level_set_build *b, int y, int z) {
  firn_level_set *s = b->set;
  int nx = s->blocks[0] + 1, ny = s->blocks[1] + 1;
  uint32_t hint = 0;
  double before = -1, H = CELLS * s->voxel;
  bool inside = false;
  for (int x = 0; x < nx; x++) {
    size_t i = ((size_t)z * (size_t)ny + (size_t)y) * (size_t)nx + (size_t)x;
    firn_vec3 p = node_position(b, CELLS * x, CELLS * y, CELLS * z);
    firn_bvh_hit hit = firn_bvh_nearest(&b->bvh, p, hint);
    double d = sqrt(hit.distance2);
    hint = hit.triangle;
    // Balls around two corners that hold no surface and overlap lie on one side.
    if (!(before >= 0 && d + before > H * (1 + 1e-6))) inside = firn_bvh_inside(&b->bvh, p);
    before = d;
    s->corner[i] = (float)(inside ? -d : d);
    if (b->vertex_velocity) velocity_of(b, &hit, s->corner_velocity + 3 * i);
  }
}

// ------------------------------------------------------------------------------------------- blocks

// Which octants of a block need exact nodes. Bit k: octant k may come within reach of the surface.
static uint8_t octants(const firn_level_set_build *b, const int block[3], uint32_t *hint) {
  const firn_level_set *s = b->set;
  double H = CELLS * s->voxel, radius = 0.5 * sqrt(3) * H;
  firn_vec3 middle = node_position(b, CELLS * (block[0] + 0.5), CELLS * (block[1] + 0.5),
                                   CELLS * (block[2] + 0.5));
  firn_bvh_hit hit = firn_bvh_nearest(&b->bvh, middle, *hint);
  *hint = hit.triangle;
  if (sqrt(hit.distance2) > s->band + radius) return 0;
  // The block is stored if a point of its cells may be within the band; an octant's nodes are exact
  // if a cell that touches them may be.
  uint8_t exact = 0;
  bool stored = false;
  for (int k = 0; k < 8; k++) {
    double x = CELLS * block[0] + HALF * (k & 1) + 0.5 * HALF;
    double y = CELLS * block[1] + HALF * (k >> 1 & 1) + 0.5 * HALF;
    double z = CELLS * block[2] + HALF * (k >> 2) + 0.5 * HALF;
    firn_bvh_hit at = firn_bvh_nearest(&b->bvh, node_position(b, x, y, z), *hint);
    double d = sqrt(at.distance2);
    if (d <= s->band + 0.5 * radius) stored = true;
    if (d <= b->far + 0.5 * radius) exact |= (uint8_t)(1 << k);
  }
  return stored ? exact : 0;
}

static void fill_node(const firn_level_set_build *b, const int block[3], size_t base, int node,
                      uint32_t *hint) {
  firn_vec3 p = firn_level_set_node(b, block, node);
  firn_bvh_hit hit = firn_bvh_nearest(&b->bvh, p, *hint);
  double d = sqrt(hit.distance2);
  *hint = hit.triangle;
  b->set->value[base + (size_t)node] = FIRN_R(firn_bvh_behind(&b->bvh, p, &hit) ? -d : d);
  if (b->vertex_velocity) velocity_of(b, &hit, b->set->velocity + 3 * (base + (size_t)node));
}

// The nodes that the block does not share with a neighbour further on.
static void fill_own(const firn_level_set_build *b, size_t number) {
  firn_level_set *s = b->set;
  int block[3];
  firn_level_set_block_of(s, b->slot[number], block);
  size_t base = number * BLOCK;
  uint32_t hint = b->hint[number];
  for (int z = 0; z < CELLS; z++) {
    for (int y = 0; y < CELLS; y++) {
      for (int i = 0; i < CELLS; i++) {
        int x = y & 1 ? CELLS - 1 - i : i; // to and fro, so that each node is next to the last
        int octant = x / HALF + 2 * (y / HALF) + 4 * (z / HALF);
        int node = (z * NODES + y) * NODES + x;
        if (b->exact[number] >> octant & 1 || b->vertex_velocity) {
          fill_node(b, block, base, node, &hint);
        } else {
          s->value[base + (size_t)node] = FIRN_R(b->far);
        }
      }
    }
  }
}

// The others: from the neighbour that owns them, or, the first time, by themselves.
static void fill_shared(const firn_level_set_build *b, size_t number, bool search) {
  firn_level_set *s = b->set;
  int block[3];
  firn_level_set_block_of(s, b->slot[number], block);
  size_t base = number * BLOCK;
  uint32_t hint = b->hint[number];
  for (int node = 0; node < BLOCK; node++) {
    int x = node % NODES, y = node / NODES % NODES, z = node / NODES / NODES;
    if (x < CELLS && y < CELLS && z < CELLS) continue;
    int to[3] = {block[0] + x / CELLS, block[1] + y / CELLS, block[2] + z / CELLS};
    int32_t owner = -1;
    if (to[0] < s->blocks[0] && to[1] < s->blocks[1] && to[2] < s->blocks[2]) {
      owner =
          s->table[((size_t)to[2] * (size_t)s->blocks[1] + (size_t)to[1]) * (size_t)s->blocks[0] +
                   (size_t)to[0]];
    }
    if (owner >= 0) {
      size_t from = (size_t)owner * BLOCK +
                    (size_t)((z % CELLS * NODES + y % CELLS) * NODES + x % CELLS);
      size_t at = base + (size_t)node;
      s->value[at] = s->value[from];
      if (s->velocity) memcpy(s->velocity + 3 * at, s->velocity + 3 * from, 3 * sizeof(firn_real));
    } else if (search) {
      fill_node(b, block, base, node, &hint);
    }
  }
}

// ------------------------------------------------------------------------------------------ outline

// Calls of work(b, i) for i in [0, count), shared out among threads.
typedef void (*work_fn)(const firn_level_set_build *b, size_t i);
static void for_all(const firn_level_set_build *b, size_t count, work_fn work) {
  FIRN_PARALLEL_FOR(b->set->context, schedule(dynamic, 4))
  for (size_t i = 0; i < count; i++) work(b, i);
}

static void do_corners(const firn_level_set_build *b, size_t i) {
  int ny = b->set->blocks[1] + 1;
  corner_row(b, (int)(i % (size_t)ny), (int)(i / (size_t)ny));
}

static void do_octants(const firn_level_set_build *b, size_t i) {
  const firn_level_set *s = b->set;
  uint32_t hint = 0;
  for (int x = 0; x < s->blocks[0]; x++) {
    size_t slot = i * (size_t)s->blocks[0] + (size_t)x;
    int block[3];
    firn_level_set_block_of(s, slot, block);
    b->near[slot] = octants(b, block, &hint);
    b->near_hint[slot] = hint;
  }
}

static void do_shared(const firn_level_set_build *b, size_t i) {
  fill_shared(b, i, true);
}

static void do_shared_again(const firn_level_set_build *b, size_t i) {
  fill_shared(b, i, false);
}

static firn_status choose_blocks(firn_level_set_build *b) {
  firn_level_set *s = b->set;
  firn_context *context = s->context;
  size_t slots = firn_level_set_table_size(s), count = 0;
  for_all(b, (size_t)s->blocks[1] * (size_t)s->blocks[2], do_octants);
  for (size_t i = 0; i < slots; i++) s->table[i] = b->near[i] ? (int32_t)count++ : -1;
  b->room = count;
  b->slot = firn_alloc(context, count * sizeof *b->slot, "distance field");
  b->hint = firn_alloc(context, count * sizeof *b->hint, "distance field");
  b->exact = firn_alloc(context, count, "distance field");
  if (!b->slot || !b->hint || !b->exact) return FIRN_ERROR_MEMORY;
  for (size_t i = 0; i < slots; i++) {
    if (s->table[i] < 0) continue;
    b->slot[s->table[i]] = i;
    b->hint[s->table[i]] = b->near_hint[i];
    b->exact[s->table[i]] = b->near[i];
  }
  return firn_level_set_blocks(s, count, b->vertex_velocity);
}

static void doing(const firn_level_set_build *b, const char *what, size_t pass) {
  firn_doing(b->set->context, pass, PASSES, "%s: distances to %zu triangles", what,
             b->bvh.mesh->triangle_count);
}

static firn_status fill(firn_level_set_build *b, const char *what) {
  firn_level_set *s = b->set;
  doing(b, what, 0);
  for_all(b, ((size_t)s->blocks[1] + 1) * ((size_t)s->blocks[2] + 1), do_corners);
  doing(b, what, 1);
  FIRN_TRY(choose_blocks(b));
  doing(b, what, 2);
  for_all(b, s->block_count, fill_own);
  doing(b, what, 3);
  for_all(b, s->block_count, do_shared);
  for_all(b, s->block_count, firn_level_set_sign);
  for_all(b, s->block_count, do_shared_again);
  return FIRN_OK;
}

static firn_status lay_out(firn_level_set *s, const firn_mesh *mesh, const firn_level_set_def *def,
                           const char *what) {
  const firn_mesh_report *r = &mesh->report;
  double longest = 0;
  for (int a = 0; a < 3; a++) longest = fmax(longest, r->hi[a] - r->lo[a]);
  int band = def->band ? def->band : 3;
  s->voxel = def->voxel > 0 ? def->voxel : longest / 100;
  if (band < 1 || band > 1000) {
    return firn_fail(s->context, FIRN_ERROR_ARGUMENT,
                     "%s: a band of %d voxels is not between 1 and 1000", what, def->band);
  }
  if (!(def->voxel >= 0 && s->voxel >= 1e-9 && s->voxel <= 1e9)) {
    return firn_fail(s->context, FIRN_ERROR_ARGUMENT,
                     "%s: voxel %g m of a mesh of %g m must be positive, or 0 for 1/100 of that",
                     what, def->voxel, longest);
  }
  s->band = band * s->voxel;
  double H = CELLS * s->voxel;
  for (int a = 0; a < 3; a++) {
    double first = floor((r->lo[a] - s->band) / H), end = ceil((r->hi[a] + s->band) / H);
    if (!(end - first < 1 << 20)) {
      return firn_fail(s->context, FIRN_ERROR_ARGUMENT,
                       "%s: voxel %g m is too small for a mesh of %g m", what, s->voxel, longest);
    }
    s->origin[a] = first * H;
    s->blocks[a] = (int)(end - first);
    s->hi[a] = s->origin[a] + s->blocks[a] * H;
    s->bounds[0][a] = r->lo[a];
    s->bounds[1][a] = r->hi[a];
  }
  return FIRN_OK;
}

static firn_status build(firn_level_set *s, const firn_mesh *mesh, const double *vertex_velocity,
                         const firn_level_set_def *def, const char *what) {
  firn_context *context = s->context;
  FIRN_TRY(lay_out(s, mesh, def, what));
  FIRN_TRY(firn_level_set_lattice(s, vertex_velocity, what));
  firn_level_set_build b = {.set = s, .vertex_velocity = vertex_velocity};
  b.far = s->band + sqrt(3) * s->voxel;
  FIRN_TRY(firn_bvh_create(mesh, &b.bvh));
  size_t slots = firn_level_set_table_size(s);
  b.near = firn_alloc(context, slots, "distance field");
  b.near_hint = firn_alloc(context, slots * sizeof *b.near_hint, "distance field");
  firn_status status = b.near && b.near_hint ? fill(&b, what) : FIRN_ERROR_MEMORY;
  firn_free(context, b.near, slots);
  firn_free(context, b.near_hint, slots * sizeof *b.near_hint);
  firn_free(context, b.slot, b.room * sizeof *b.slot);
  firn_free(context, b.hint, b.room * sizeof *b.hint);
  firn_free(context, b.exact, b.room);
  firn_bvh_free(&b.bvh);
  return status;
}

firn_status firn_level_set_from_moving_mesh(firn_context *context, const firn_mesh *mesh,
                                            const double *vertex_velocity,
                                            const firn_level_set_def *def, const char *what,
                                            firn_level_set **out) {
  *out = NULL;
  if (!mesh->report.closed) {
    char text[512];
    firn_mesh_say_open(mesh, text, sizeof text);
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: the mesh has no inside: %s; close it, or fill its holes (`holes: fill`)",
                     what, text);
  }
  firn_level_set *set = firn_level_set_new(context);
  if (!set) return FIRN_ERROR_MEMORY;
  FIRN_FP_SCOPE;
  firn_status status = build(set, mesh, vertex_velocity, def, what);
  if (status != FIRN_OK) {
    firn_level_set_release(set);
    return status;
  }
  *out = set;
  return FIRN_OK;
}

firn_status firn_level_set_from_mesh(firn_context *context, const firn_mesh *mesh,
                                     const firn_level_set_def *def, const char *what,
                                     firn_level_set **out) {
  return firn_level_set_from_moving_mesh(context, mesh, NULL, def, what, out);
}
