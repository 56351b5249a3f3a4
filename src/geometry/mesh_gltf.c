// SPDX-License-Identifier: Apache-2.0
// glTF 2.0, as JSON or GLB: the triangles of all meshes of the scene, where its nodes place them.
// Materials, skins, morph targets and animations are left alone.
#include "geometry/mesh_gltf.h"

#include <math.h>
#include <string.h>

enum { DEPTH = 64, BUFFERS = 4096 };

// Rows of a 3 x 4 matrix.
typedef struct place {
  double m[3][4];
} place;

static const place unmoved = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

static place times(const place *a, const place *b) {
  place out;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 4; j++) {
      out.m[i][j] = j == 3 ? a->m[i][3] : 0;
      for (int k = 0; k < 3; k++) out.m[i][j] += a->m[i][k] * b->m[k][j];
    }
  }
  return out;
}

static double determinant(const place *p) {
  const double(*m)[4] = p->m;
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// count numbers of an array that must have as many; false where there is none.
static firn_status read_numbers(firn_gltf *g, yaml_node_t *node, const char *key, size_t count,
                                double *out, bool *there) {
  yaml_node_t *array = firn_gltf_member(g, node, key);
  *there = array != NULL;
  if (!array) return FIRN_OK;
  if (firn_gltf_count(array) != count) {
    return firn_gltf_fail(g, array, "%s must have %zu numbers", key, count);
  }
  for (size_t i = 0; i < count; i++) {
    FIRN_TRY(firn_gltf_real(g, firn_gltf_item(g, array, i), NULL, 0, &out[i]));
  }
  return FIRN_OK;
}

static firn_status read_place(firn_gltf *g, yaml_node_t *node, place *out) {
  double m[16] = {0}, t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
  bool there;
  FIRN_TRY(read_numbers(g, node, "matrix", 16, m, &there));
  if (there) { // by columns
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 4; j++) out->m[i][j] = m[4 * j + i];
    }
    return FIRN_OK;
  }
  FIRN_TRY(read_numbers(g, node, "translation", 3, t, &there));
  FIRN_TRY(read_numbers(g, node, "rotation", 4, q, &there));
  FIRN_TRY(read_numbers(g, node, "scale", 3, s, &there));
  double x = q[0], y = q[1], z = q[2], w = q[3];
  const double r[3][3] = {
      {1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
      {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
      {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)},
  };
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) out->m[i][j] = r[i][j] * s[j];
    out->m[i][3] = t[i];
  }
  return FIRN_OK;
}

// ---------------------------------------------------------------------------------------- primitives

enum { TRIANGLES = 4, STRIP = 5, FAN = 6 };

static firn_status add_triangles(firn_gltf *g, yaml_node_t *primitive, size_t mode,
                                 const firn_gltf_accessor *indices, size_t count, size_t vertices,
                                 size_t first, bool mirrored) {
  size_t triangles = mode == TRIANGLES ? count / 3 : count >= 3 ? count - 2 : 0;
  if (g->in->mesh->triangle_count + triangles > g->max_triangles) {
    return firn_gltf_fail(g, primitive, "instances make more than %zu triangles", g->max_triangles);
  }
  for (size_t t = 0; t < triangles; t++) {
    size_t at[3] = {3 * t, 3 * t + 1, 3 * t + 2};
    if (mode == STRIP) at[0] = t, at[1] = t + 1 + t % 2, at[2] = t + 2 - t % 2;
    if (mode == FAN) at[0] = 0, at[1] = t + 1, at[2] = t + 2;
    uint32_t corner[3];
    for (int k = 0; k < 3; k++) {
      double v = indices ? firn_gltf_value(indices, at[k], 0) : (double)at[k];
      if (!(v >= 0 && v < (double)vertices)) {
        return firn_gltf_fail(g, primitive, "index %zu is %.17g, but there are %zu vertices", at[k],
                              v, vertices);
      }
      corner[k] = (uint32_t)(first + (size_t)v);
    }
    FIRN_TRY(firn_mesh_add_triangle(g->in->mesh, corner[0], corner[mirrored ? 2 : 1],
                                    corner[mirrored ? 1 : 2]));
  }
  return FIRN_OK;
}

static firn_status read_primitive(firn_gltf *g, yaml_node_t *primitive, const place *at) {
  size_t mode, position, index;
  FIRN_TRY(firn_gltf_index(g, primitive, "mode", TRIANGLES, &mode));
  if (mode < TRIANGLES || mode > FAN) return FIRN_OK; // points and lines
  yaml_node_t *packed = firn_gltf_member(g, primitive, "extensions");
  if (firn_gltf_member(g, packed, "KHR_draco_mesh_compression")) {
    return firn_gltf_fail(g, packed, "meshes compressed by Draco are not read; save it without");
  }
  yaml_node_t *attributes = firn_gltf_member(g, primitive, "attributes");
  FIRN_TRY(firn_gltf_index(g, attributes, "POSITION", SIZE_MAX, &position));
  if (position == SIZE_MAX) return FIRN_OK;
  firn_gltf_accessor positions, indices;
  FIRN_TRY(firn_gltf_access(g, position, "VEC3", primitive, &positions));
  FIRN_TRY(firn_gltf_index(g, primitive, "indices", SIZE_MAX, &index));
  bool indexed = index != SIZE_MAX;
  if (indexed) FIRN_TRY(firn_gltf_access(g, index, "SCALAR", primitive, &indices));
  size_t first = g->in->mesh->vertex_count;
  if (first + positions.count > 3 * g->max_triangles) {
    return firn_gltf_fail(g, primitive, "instances make more than %zu vertices",
                          3 * g->max_triangles);
  }
  for (size_t i = 0; i < positions.count; i++) {
    double p[3], q[3];
    for (size_t a = 0; a < 3; a++) p[a] = firn_gltf_value(&positions, i, a);
    for (int a = 0; a < 3; a++) {
      q[a] = at->m[a][0] * p[0] + at->m[a][1] * p[1] + at->m[a][2] * p[2] + at->m[a][3];
    }
    FIRN_TRY(firn_mesh_add_vertex(g->in->mesh, q));
  }
  return add_triangles(g, primitive, mode, indexed ? &indices : NULL,
                       indexed ? indices.count : positions.count, positions.count, first,
                       determinant(at) < 0);
}

// --------------------------------------------------------------------------------------------- scene

static firn_status read_mesh(firn_gltf *g, size_t index, const yaml_node_t *where,
                             const place *at) {
  yaml_node_t *mesh = firn_gltf_item(g, g->meshes, index);
  if (!mesh) return firn_gltf_fail(g, where, "there is no mesh %zu", index);
  yaml_node_t *primitives = firn_gltf_member(g, mesh, "primitives");
  for (size_t i = 0; i < firn_gltf_count(primitives); i++) {
    FIRN_TRY(read_primitive(g, firn_gltf_item(g, primitives, i), at));
  }
  return FIRN_OK;
}

// Depth is bounded, and so are visits: a damaged file may have circles.
static firn_status read_node(firn_gltf *g, size_t index, const yaml_node_t *where,
                             const place *parent, int depth) {
  yaml_node_t *node = firn_gltf_item(g, g->nodes, index);
  if (!node) return firn_gltf_fail(g, where, "there is no node %zu", index);
  if (depth > DEPTH || g->visits++ >= firn_gltf_count(g->nodes)) {
    return firn_gltf_fail(g, node, "a node has two parents, or %d and more above it", DEPTH);
  }
  place local;
  FIRN_TRY(read_place(g, node, &local));
  place at = times(parent, &local);
  size_t mesh;
  FIRN_TRY(firn_gltf_index(g, node, "mesh", SIZE_MAX, &mesh));
  if (mesh != SIZE_MAX) FIRN_TRY(read_mesh(g, mesh, node, &at));
  yaml_node_t *children = firn_gltf_member(g, node, "children");
  for (size_t i = 0; i < firn_gltf_count(children); i++) {
    size_t child;
    FIRN_TRY(firn_gltf_index(g, firn_gltf_item(g, children, i), NULL, 0, &child));
    FIRN_TRY(read_node(g, child, children, &at, depth + 1));
  }
  return FIRN_OK;
}

static firn_status read_scene(firn_gltf *g) {
  yaml_node_t *root = yaml_document_get_root_node(&g->document);
  if (!root || root->type != YAML_MAPPING_NODE) {
    return firn_gltf_fail(g, root, "the file holds no object; is it a glTF file?");
  }
  double version = 0;
  yaml_node_t *asset = firn_gltf_member(g, root, "asset");
  FIRN_TRY(firn_gltf_real(g, asset, "version", 0, &version));
  if (!(version >= 2 && version < 3)) {
    return firn_gltf_fail(g, asset ? asset : root, "glTF version %g is not read, only 2", version);
  }
  yaml_node_t *scenes = firn_gltf_member(g, root, "scenes");
  size_t scene;
  FIRN_TRY(firn_gltf_index(g, root, "scene", 0, &scene));
  yaml_node_t *nodes = firn_gltf_member(g, firn_gltf_item(g, scenes, scene), "nodes");
  if (!nodes) { // without a scene, all meshes as they are
    for (size_t i = 0; i < firn_gltf_count(g->meshes); i++) {
      FIRN_TRY(read_mesh(g, i, g->meshes, &unmoved));
    }
  }
  for (size_t i = 0; i < firn_gltf_count(nodes); i++) {
    size_t node;
    FIRN_TRY(firn_gltf_index(g, firn_gltf_item(g, nodes, i), NULL, 0, &node));
    FIRN_TRY(read_node(g, node, nodes, &unmoved, 0));
  }
  return FIRN_OK;
}

// ---------------------------------------------------------------------------------------------- file

// "glTF", version, length; then chunks of length, kind, data.
static firn_status open_binary(firn_gltf *g) {
  const firn_mesh_input *in = g->in;
  enum { JSON = 0x4E4F534A, BIN = 0x004E4942 };
  g->json_size = 0;
  for (size_t at = 12; at < in->file.size;) {
    if (in->file.size - at < 8)
      return firn_fail_byte(&in->file, at, "the file ends in a chunk's header");
    size_t size = (size_t)firn_bytes_integer(in->file.bytes + at, 4, false);
    uint64_t kind = firn_bytes_integer(in->file.bytes + at + 4, 4, false);
    if (size > in->file.size - at - 8) {
      return firn_fail_byte(&in->file, at, "a chunk of %zu bytes is longer than the file", size);
    }
    if (kind == JSON && !g->json_size) {
      g->json = in->file.bytes + at + 8;
      g->json_size = size;
    } else if (kind == BIN && !g->chunk) {
      g->chunk = in->file.bytes + at + 8;
      g->chunk_size = size;
    }
    at += 8 + size;
  }
  if (!g->json_size) return firn_fail_byte(&in->file, 12, "the file has no JSON");
  return FIRN_OK;
}

// The byte where arrays and objects are nested too deeply, for which libyaml takes a time that grows
// as the square of the depth; json_size where there is none.
static size_t too_deep(const firn_gltf *g) {
  bool text = false;
  int depth = 0;
  for (size_t i = 0; i < g->json_size; i++) {
    unsigned char c = g->json[i];
    if (text) {
      if (c == '\\') i++;
      if (c == '"') text = false;
      continue;
    }
    text = c == '"';
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (depth > DEPTH) return i;
  }
  return g->json_size;
}

static firn_status parse(firn_gltf *g) {
  size_t deep = too_deep(g);
  if (deep < g->json_size) {
    return firn_fail_byte(&g->in->file, deep + (size_t)(g->json - g->in->file.bytes),
                          "arrays and objects are nested more than %d deep", DEPTH);
  }
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) {
    return firn_fail(g->in->file.context, FIRN_ERROR_MEMORY, "%s: out of memory", g->in->file.name);
  }
  yaml_parser_set_input_string(&parser, g->json, g->json_size);
  firn_status status = FIRN_OK;
  if (!yaml_parser_load(&parser, &g->document)) {
    if (parser.error == YAML_MEMORY_ERROR) {
      status = firn_fail(g->in->file.context, FIRN_ERROR_MEMORY, "%s: out of memory",
                         g->in->file.name);
    } else {
      yaml_node_t where = {.start_mark = parser.problem_mark};
      status = firn_gltf_fail(g, &where, "this is not JSON: %s",
                              parser.problem ? parser.problem : "it cannot be read");
    }
  }
  yaml_parser_delete(&parser);
  return status;
}

static firn_status read_document(firn_gltf *g) {
  yaml_node_t *root = yaml_document_get_root_node(&g->document);
  g->nodes = firn_gltf_member(g, root, "nodes");
  g->meshes = firn_gltf_member(g, root, "meshes");
  g->accessors = firn_gltf_member(g, root, "accessors");
  g->views = firn_gltf_member(g, root, "bufferViews");
  g->buffers = firn_gltf_member(g, root, "buffers");
  size_t count = firn_gltf_count(g->buffers);
  if (count > BUFFERS) return firn_gltf_fail(g, root, "more than %d buffers", BUFFERS);
  size_t bytes = count * sizeof *g->buffer;
  if (count) {
    g->buffer = firn_alloc_zero(g->in->file.context, bytes, "glTF buffers");
    if (!g->buffer) return FIRN_ERROR_MEMORY;
  }
  g->buffer_count = count;
  firn_status status = read_scene(g);
  for (size_t i = 0; i < count; i++) {
    firn_free(g->in->file.context, g->buffer[i].owned, g->buffer[i].owned_size);
  }
  firn_free(g->in->file.context, g->buffer, bytes);
  return status;
}

// To be ended with yaml_document_delete.
static firn_status begin(firn_mesh_input *in, firn_gltf *g) {
  *g = (firn_gltf){.in = in, .json = in->file.bytes, .json_size = in->file.size};
  g->max_triangles = 1000000 + 16 * in->file.size;
  g->binary = in->file.size >= 12 && !memcmp(in->file.bytes, "glTF", 4);
  if (g->binary) FIRN_TRY(open_binary(g));
  return parse(g);
}

firn_status firn_mesh_gltf_uses(firn_mesh_input *in, firn_text_fn use, void *user) {
  firn_gltf g;
  FIRN_TRY(begin(in, &g));
  yaml_node_t *buffers = firn_gltf_member(&g, yaml_document_get_root_node(&g.document), "buffers");
  for (size_t i = 0; i < firn_gltf_count(buffers); i++) {
    const yaml_node_t *uri = firn_gltf_member(&g, firn_gltf_item(&g, buffers, i), "uri");
    if (!uri || uri->type != YAML_SCALAR_NODE) continue;
    const char *text = (const char *)uri->data.scalar.value;
    if (strncmp(text, "data:", 5) != 0) use(user, text);
  }
  yaml_document_delete(&g.document);
  return FIRN_OK;
}

firn_status firn_mesh_read_gltf(firn_mesh_input *in) {
  firn_gltf g;
  FIRN_TRY(begin(in, &g));
  firn_status status = read_document(&g);
  yaml_document_delete(&g.document);
  FIRN_TRY(status);
  if (in->mesh->triangle_count) return FIRN_OK;
  return firn_fail(in->file.context, FIRN_ERROR_FORMAT, "%s: no triangles in its scene",
                   in->file.name);
}
