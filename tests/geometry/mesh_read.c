// SPDX-License-Identifier: Apache-2.0
// Mesh files: the same box in every format, and files that are wrong.
#define _GNU_SOURCE // mkdtemp

#include "solids.h"

#include "support/context.h"

#include <unistd.h>

#include "geometry/level_set.h"
#include "support/books.h"

// ---------------------------------------------------------------------------------- writing formats

// A growing string of bytes.
typedef struct bytes {
  unsigned char data[8192];
  size_t size;
} bytes;

static void put(bytes *b, const void *data, size_t size) {
  assert_true(b->size + size <= sizeof b->data);
  memcpy(b->data + b->size, data, size);
  b->size += size;
}

static void put_text(bytes *b, const char *text) {
  put(b, text, strlen(text));
}

// A number of size bytes in either order; the machine is little-endian (x86-64).
static void put_number(bytes *b, const void *value, size_t size, bool big) {
  const unsigned char *v = value;
  for (size_t i = 0; i < size; i++) put(b, v + (big ? size - 1 - i : i), 1);
}

static void put_float(bytes *b, double value, bool big) {
  float f = (float)value;
  put_number(b, &f, 4, big);
}

static void put_int(bytes *b, uint32_t value, size_t size, bool big) {
  put_number(b, &value, size, big);
}

// The box from (-1 0 2) to (0.5 2 2.25): volume 0.75, area 7.75.
static const double lo[3] = {-1, 0, 2}, hi[3] = {0.5, 2, 2.25};

static const char obj[] = "# a box\r\n"
                          "mtllib box.mtl\n"
                          "v -1 0 2\nv 0.5 0 2 1.0\nv -1.0 2e0 +2\nv .5 2. 20e-1\n"
                          "v -1 0 2.25\nv 0.5 0 2.25\nv -1 2 2.25\nv 0.5 2 2.25\n"
                          "vn 0 0 1\nvt 0 0\no box\ng sides\ns off\n"
                          "f 1 3 4 2\nf 5/1 6/1 8/1 7/1\nf 1//1 2//1 6//1 5//1\n"
                          "f -6/1/1 -2/1/1 -1/1/1 -5/1/1\nf 1 5 7 \\\n 3\nf 2 4 8 6";

static bytes as_obj(const solid *s) {
  (void)s;
  bytes b = {.size = 0};
  put_text(&b, obj);
  return b;
}

static bytes as_ply(const solid *s, const char *format, bool big) {
  bytes b = {.size = 0};
  char line[512];
  snprintf(line, sizeof line,
           "ply\nformat %s 1.0\ncomment made by hand\nelement vertex %zu\n"
           "property uchar red\nproperty double x\nproperty float y\nproperty float32 z\n"
           "element face %zu\nproperty short flags\nproperty list uchar int vertex_indices\n"
           "element extra 1\nproperty list uint8 int16 things\nend_header\n",
           format, s->vertices, s->triangles);
  put_text(&b, line);
  bool text = !strcmp(format, "ascii");
  for (size_t i = 0; i < s->vertices; i++) {
    const double *p = s->position + 3 * i;
    snprintf(line, sizeof line, "255 %.9g %.9g %.9g\n", p[0], p[1], p[2]);
    if (text) {
      put_text(&b, line);
      continue;
    }
    put_int(&b, 255, 1, big);
    put_number(&b, &p[0], 8, big);
    put_float(&b, p[1], big);
    put_float(&b, p[2], big);
  }
  for (size_t i = 0; i < s->triangles; i++) {
    const uint32_t *t = s->triangle + 3 * i;
    snprintf(line, sizeof line, "-7 3 %u %u %u\n", t[0], t[1], t[2]);
    if (text) {
      put_text(&b, line);
      continue;
    }
    put_int(&b, (uint32_t)-7, 2, big);
    put_int(&b, 3, 1, big);
    for (int k = 0; k < 3; k++) put_int(&b, t[k], 4, big);
  }
  if (text) {
    put_text(&b, "2 -5 6");
  } else {
    put_int(&b, 1, 1, big);
    put_int(&b, 9, 2, big);
  }
  return b;
}

static bytes as_ply_text(const solid *s) {
  return as_ply(s, "ascii", false);
}

static bytes as_ply_little(const solid *s) {
  return as_ply(s, "binary_little_endian", false);
}

static bytes as_ply_big(const solid *s) {
  return as_ply(s, "binary_big_endian", true);
}

static bytes as_stl_text(const solid *s) {
  bytes b = {.size = 0};
  put_text(&b, "solid my box of vertex\n");
  for (size_t i = 0; i < s->triangles; i++) {
    put_text(&b, " facet normal 0 0 0\n  outer loop\n");
    for (size_t k = 0; k < 3; k++) {
      const double *p = s->position + 3 * (size_t)s->triangle[3 * i + k];
      char line[128];
      snprintf(line, sizeof line, "   vertex %.8e %.8E %g\n", p[0], p[1], p[2]);
      put_text(&b, line);
    }
    put_text(&b, "  endloop\n endfacet\n");
  }
  put_text(&b, "endsolid my box\n");
  return b;
}

static bytes as_stl_binary(const solid *s) {
  bytes b = {.size = 0};
  char header[80] = "solid, although it is binary";
  put(&b, header, 80);
  put_int(&b, (uint32_t)s->triangles, 4, false);
  for (size_t i = 0; i < s->triangles; i++) {
    for (int k = 0; k < 3; k++) put_float(&b, 0, false);
    for (size_t k = 0; k < 9; k++) {
      put_float(&b, s->position[3 * (size_t)s->triangle[3 * i + k / 3] + k % 3], false);
    }
    put_int(&b, 0, 2, false);
  }
  return b;
}

// Positions, moved by (-10 0 0) and halved, which a parent and a child node undo; mirrored by a
// third one, which turns the triangles.
static bytes gltf_data(const solid *s) {
  bytes b = {.size = 0};
  for (size_t i = 0; i < s->vertices; i++) {
    const double *p = s->position + 3 * i;
    put_float(&b, 0.5 * p[0] - 10, false);
    put_float(&b, 0.5 * p[1], false);
    put_float(&b, -0.5 * p[2], false);
  }
  for (size_t i = 0; i < s->triangles; i++) {
    const uint32_t *t = s->triangle + 3 * i;
    put_int(&b, t[0], 2, false);
    put_int(&b, t[2], 2, false);
    put_int(&b, t[1], 2, false);
  }
  return b;
}

static void gltf_json(char *out, size_t size, const char *uri) {
  snprintf(out, size,
           "{\"asset\": {\"version\": \"2.0\"},\n"
           " \"scene\": 0, \"scenes\": [{\"nodes\": [2]}],\n"
           " \"nodes\": [{\"mesh\": 0, \"translation\": [10, 0, 0]},\n"
           "   {\"children\": [0], \"scale\": [2, 2, 2]},\n"
           "   {\"children\": [1], \"matrix\": [1,0,0,0, 0,1,0,0, 0,0,-1,0, 0,0,0,1]}],\n"
           " \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, \"indices\": 1},\n"
           "                           {\"mode\": 1, \"attributes\": {\"POSITION\": 0}}]}],\n"
           " \"accessors\": [\n"
           "  {\"bufferView\": 0, \"componentType\": 5126, \"count\": 8, \"type\": \"VEC3\"},\n"
           "  {\"bufferView\": 1, \"componentType\": 5123, \"count\": 36, \"type\": \"SCALAR\"}],\n"
           " \"bufferViews\": [{\"buffer\": 0, \"byteLength\": 96, \"byteStride\": 12},\n"
           "   {\"buffer\": 0, \"byteOffset\": 96, \"byteLength\": 72}],\n"
           " \"buffers\": [{\"byteLength\": 168%s%s%s}]}",
           uri ? ", \"uri\": \"" : "", uri ? uri : "", uri ? "\"" : "");
}

static bytes as_gltf(const solid *s) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  bytes data = gltf_data(s), b = {.size = 0};
  char uri[512] = "data:application/octet-stream;base64,", json[4096];
  size_t n = strlen(uri);
  for (size_t i = 0; i < data.size; i += 3) { // 168 is a multiple of 3
    uint32_t v = (uint32_t)data.data[i] << 16 | (uint32_t)data.data[i + 1] << 8 | data.data[i + 2];
    for (int k = 3; k >= 0; k--) uri[n++] = digits[v >> 6 * k & 63];
  }
  uri[n] = 0;
  gltf_json(json, sizeof json, uri);
  put_text(&b, json);
  return b;
}

static bytes as_glb(const solid *s) {
  bytes data = gltf_data(s), b = {.size = 0};
  char json[4096];
  gltf_json(json, sizeof json, NULL);
  for (size_t n = strlen(json); n % 4; n++) memcpy(json + n, " ", 2);
  put_text(&b, "glTF");
  put_int(&b, 2, 4, false);
  put_int(&b, (uint32_t)(12 + 8 + strlen(json) + 8 + data.size), 4, false);
  put_int(&b, (uint32_t)strlen(json), 4, false);
  put_text(&b, "JSON");
  put_text(&b, json);
  put_int(&b, (uint32_t)data.size, 4, false);
  put(&b, "BIN", 4);
  put(&b, data.data, data.size);
  return b;
}

static const struct format {
  const char *name;
  bytes (*write)(const solid *s);
} formats[] = {
    {"box.obj", as_obj},          {"box.ply", as_ply_text}, {"little.ply", as_ply_little},
    {"big.PLY", as_ply_big},      {"box.stl", as_stl_text}, {"binary.stl", as_stl_binary},
    {"a/folder/b.gltf", as_gltf}, {"box.glb", as_glb},
};
enum { FORMATS = sizeof formats / sizeof *formats };

// ------------------------------------------------------------------------------------------- reading

static void expect_box(const firn_mesh *mesh, double scale, bool z_up, const char *name) {
  firn_mesh_report r;
  firn_mesh_get_report(mesh, &r);
  // Positions are float or short decimals; all sums are of a dozen terms.
  double expected[2][3] = {{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
  if (z_up) {
    expected[0][1] = lo[2], expected[1][1] = hi[2];
    expected[0][2] = -hi[1], expected[1][2] = -lo[1];
  }
  bool good = r.closed && r.vertices == 8 && r.triangles == 12 && r.pieces == 1 && !r.dropped &&
              !r.turned && fabs(r.volume / scale / scale / scale - 0.75) < 1e-6 &&
              fabs(r.area / scale / scale - 7.75) < 1e-6;
  for (int a = 0; a < 3; a++) {
    good = good && fabs(r.lo[a] - scale * expected[0][a]) < 1e-6 * scale;
    good = good && fabs(r.hi[a] - scale * expected[1][a]) < 1e-6 * scale;
  }
  if (good) return;
  char text[1024];
  firn_mesh_describe(mesh, text, sizeof text);
  fail_msg("%s: %s", name, text);
}

static void every_format_gives_the_same_box(void **state) {
  (void)state;
  solid s = {0};
  solid_box(&s, lo, hi);
  for (int i = 0; i < FORMATS; i++) {
    bytes b = formats[i].write(&s);
    firn_mesh_def def = firn_default_mesh_def();
    firn_mesh *mesh;
    for (int variant = 0; variant < 2; variant++) {
      if (variant) def.up = FIRN_UP_Z, def.scale = 0.01;
      firn_status status = firn_mesh_read_memory(context, formats[i].name, b.data, b.size, &def,
                                                 &mesh);
      if (status != FIRN_OK) fail_msg("%s", firn_context_message(context));
      expect_box(mesh, def.scale, def.up == FIRN_UP_Z, formats[i].name);
      firn_mesh_release(mesh);
    }
  }
  solid_free(&s);
}

static void files_are_read_and_gltf_finds_its_buffer_beside_it(void **state) {
  (void)state;
  char folder[] = "/tmp/firn-mesh-XXXXXX", path[256], json[4096];
  assert_non_null(mkdtemp(folder));
  solid s = {0};
  solid_box(&s, lo, hi);
  bytes data = gltf_data(&s);
  gltf_json(json, sizeof json, "box data.bin");
  snprintf(path, sizeof path, "%s/box data.bin", folder);
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(data.data, 1, data.size, f), data.size);
  fclose(f);
  char scene[256];
  snprintf(scene, sizeof scene, "%s/box.gltf", folder);
  f = fopen(scene, "wb");
  assert_non_null(f);
  fputs(json, f);
  fclose(f);
  firn_mesh_def def = firn_default_mesh_def();
  firn_mesh *mesh;
  assert_int_equal(firn_mesh_load(context, scene, &def, &mesh), FIRN_OK);
  expect_box(mesh, 1, false, scene);
  firn_mesh_release(mesh);
  // From memory there is no beside; and the buffer may be missing.
  assert_int_equal(firn_mesh_read_memory(context, "x.gltf", json, strlen(json), &def, &mesh),
                   FIRN_ERROR_FORMAT);
  assert_non_null(strstr(firn_context_message(context), "another file"));
  unlink(path);
  assert_int_equal(firn_mesh_load(context, scene, &def, &mesh), FIRN_ERROR_IO);
  assert_non_null(strstr(firn_context_message(context), "box data.bin"));
  unlink(scene);
  assert_int_equal(firn_mesh_load(context, scene, &def, &mesh), FIRN_ERROR_IO);
  assert_non_null(strstr(firn_context_message(context), "No such file"));
  rmdir(folder);
  assert_int_equal(firn_mesh_load(context, "/tmp", &def, &mesh), FIRN_ERROR_IO);
  solid_free(&s);
}

// ------------------------------------------------------------------------------------ files gone wrong

#define PLY_HEAD                                                                                   \
  "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"                  \
  "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
#define GLTF(rest) "{\"asset\": {\"version\": \"2.0\"}, \"meshes\": [{\"primitives\":\n[" rest "]}]"

static const struct wrong {
  const char *name, *text, *message;
} wrong[] = {
    {"a.obj", "v 1 2\n", "a.obj:1: a vertex needs three numbers, and 2 are there"},
    {"a.obj", "v 1 2 3\n\nv 1 x 3\n", "a.obj:3: y of a vertex is not a number"},
    {"a.obj", "v 1 2 1e\n", "a.obj:1: z of a vertex is not a number"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n",
     "a.obj:4: a face has vertex 4, but 3 are defined above it"},
    {"a.obj", "v 0 0 0\nf 0 1 1\n", "a.obj:2: a face has vertex 0, but 1 are defined above it"},
    {"a.obj", "v 0 0 0\nf -2 1 1\n", "a.obj:2: a face has vertex -2"},
    {"a.obj", "v 0 0 0\nf 1 1\n", "a.obj:2: a face has 2 corners; three are the least"},
    {"a.obj", "v 0 0 0\nf 1 b/2 1\n", "a.obj:2: corner 2 of a face is not a vertex number"},
    {"a.obj", "hello\n", "a.obj: no faces in 2 lines; is it a Wavefront OBJ file?"},
    {"a.obj", "", "a.obj: the file is empty"},
    {"a.obj", "v 0 0 0\nf 1 1 1\n", "a.obj: no triangle has three different corners"},
    {"a.obj", "v 0 0 0\nv 1e30 0 0\nv 0 1 0\nf 1 2 3",
     "a.obj: vertex 1 has x = 1e+30 m, which is not within 1e+09 m; is the scale 1 right?"},
    {"a.fbx", "x", "a.fbx: what kind of mesh is it? The name must end in .obj, .ply"},
    {"a.ply", "plyx\n", "a.ply:1: the file does not begin with 'ply'"},
    {"a.ply", "ply\nformat ascii 1.0\n", "a.ply:3: the file ends before 'end_header'"},
    {"a.ply", "ply\nformat text 1.0\nend_header\n", "a.ply:2: the format is neither ascii"},
    {"a.ply", "ply\nformat ascii 1.0\nelement vertex many\nend_header\n",
     "a.ply:3: expected a number of elements"},
    {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\nend_header\n",
     "a.ply:4: expected a type of PLY files"},
    {"a.ply", "ply\nformat ascii 1.0\nproperty float x\nend_header\n",
     "a.ply:3: a property before any element"},
    {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n",
     "a.ply: the header announces no faces"},
    {"a.ply", "ply\nformat ascii 1.0\nsurprise\nend_header\n",
     "a.ply:3: the line does not begin with a word"},
    {"a.ply", PLY_HEAD "0 0 0\n1 0 0\n0 1 zero\n3 0 1 2\n",
     "a.ply:12: a word in vertex 2 is not a number"},
    {"a.ply", PLY_HEAD "0 0 0\n1 0 0\n0 1 0\n3 0 1\n", "a.ply:14: the file ends in face 0 of 1"},
    {"a.ply", PLY_HEAD "0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n",
     "a.ply:13: a face has a corner that is not among the vertices: 7"},
    {"a.ply", PLY_HEAD "0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "a.ply:13: a face has too few corners: 2"},
    {"a.ply", PLY_HEAD "0 0 0\n1 0 0\n0 1 0\n3000 0 1\n",
     "a.ply:13: a list has too many entries: 3000"},
    {"a.ply", PLY_HEAD "0 0 0\n1 0 0\n0 nan 0\n3 0 1 2\n", "a.ply: vertex 2 has y = nan m"},
    {"a.stl", "short", "a.stl: byte 5: the file ends in the header of a binary STL file"},
    {"a.stl", "solid x\nfacet\nvertex 0 0 0\nvertex 0 0 1\nendfacet\n",
     "a.stl:5: a facet has 2 vertices instead of three"},
    {"a.stl", "solid x\nfacet\nvertex 0 0 0\nvertex 0 zero 1\nendfacet\n",
     "a.stl:4: y of a vertex is not a number"},
    {"a.stl", "solid x\nfacet\nvertex 0 0 0\n", "a.stl:4: the file ends within a facet"},
    {"a.stl", "solid x\nendsolid\n", "a.stl: no facets in it; is it an STL file?"},
    {"a.gltf", "{\"asset\":\n]\n}\n", "a.gltf:2: this is not JSON"},
    {"a.gltf", "[1, 2]", "a.gltf:1: the file holds no object; is it a glTF file?"},
    {"a.gltf", "{\"asset\": {\"version\": \"1.0\"}}",
     "a.gltf:1: glTF version 1 is not read, only 2"},
    {"a.gltf", GLTF("{\"attributes\": {\"POSITION\": 3}}") "}", "a.gltf:2: there is no accessor 3"},
    {"a.gltf", GLTF("{\"attributes\": {\"POSITION\": -1}}") "}",
     "a.gltf:2: POSITION is not a whole number"},
    {"a.gltf", GLTF("{\"extensions\": {\"KHR_draco_mesh_compression\": {}}}") "}",
     "a.gltf:2: meshes compressed by Draco are not read"},
    {"a.gltf",
     GLTF("{\"attributes\": {\"POSITION\": 0}}") ",\n\"accessors\": [{\"type\": \"VEC3\", "
                                                 "\"componentType\": 5126, \"count\": 9, "
                                                 "\"bufferView\": 0}],\n"
                                                 "\"bufferViews\": [{\"buffer\": 0, "
                                                 "\"byteLength\": 99}],\n"
                                                 "\"buffers\": [{\"uri\": "
                                                 "\"data:;base64,AAAA\"}]}",
     "a.gltf:4: a buffer view of 99 bytes at 0 is beyond the 3 bytes of its buffer"},
    {"a.gltf",
     "{\"asset\": {\"version\": \"2.0\"}, \"scenes\": [{\"nodes\": [0]}],\n"
     "\"nodes\": [{\"children\": [0]}]}",
     "a.gltf:2: a node has two parents"},
    {"a.glb", "glTF0000####\377\377\377\377JSON",
     "a.glb: byte 12: a chunk of 4294967295 bytes is longer than the file"},
};

static void wrong_files_are_told_with_their_place(void **state) {
  (void)state;
  firn_mesh_def def = firn_default_mesh_def();
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    firn_mesh *mesh = NULL;
    firn_status status = firn_mesh_read_memory(context, wrong[i].name, wrong[i].text,
                                               strlen(wrong[i].text), &def, &mesh);
    const char *message = firn_context_message(context);
    if (status != FIRN_ERROR_FORMAT || mesh || strstr(message, wrong[i].message) != message) {
      fail_msg("status %d: expected '%s', got '%s'", status, wrong[i].message, message);
    }
  }
}

// Cut off anywhere, or with any byte changed, a file is read or refused, but nothing else happens.
static void damaged_files_do_no_harm(void **state) {
  (void)state;
  firn_mesh_def def = firn_default_mesh_def();
  solid s = {0};
  solid_box(&s, lo, hi);
  for (int i = 0; i < FORMATS; i++) {
    bytes whole = formats[i].write(&s), b;
    int read = 0;
    for (size_t k = 0; k < 3 * whole.size; k++) {
      b = whole;
      firn_philox r = firn_philox4x32(5, k, (uint32_t)i, 0);
      if (k < whole.size) {
        b.size = k;
      } else {
        for (uint32_t n = 0; n <= r.v[0] % 3; n++) {
          firn_philox at = firn_philox4x32(6, k, (uint32_t)i, n);
          b.data[at.v[0] % b.size] = (unsigned char)at.v[1];
        }
      }
      firn_mesh *mesh = NULL;
      // In a block of its own, so that tools see what is read beyond its end.
      unsigned char *tight = malloc(b.size + 1);
      assert_non_null(tight);
      memcpy(tight, b.data, b.size);
      read += firn_mesh_read_memory(context, formats[i].name, tight, b.size, &def, &mesh) ==
              FIRN_OK;
      free(tight);
      firn_mesh_release(mesh);
    }
    assert_true(read > 0);
  }
  solid_free(&s);
}

// A header may announce what it likes; memory follows what is there.
static void announced_sizes_cost_nothing(void **state) {
  (void)state;
  static const char text[] = "ply\nformat binary_little_endian 1.0\nelement vertex 500000000\n"
                             "property float x\nproperty float y\nproperty float z\n"
                             "element nothing 999999999999\nelement face 999999999999\n"
                             "property list uint int vertex_indices\nend_header\n";
  firn_mesh_def def = firn_default_mesh_def();
  firn_mesh *mesh;
  assert_int_equal(firn_mesh_read_memory(context, "a.ply", text, sizeof text - 1, &def, &mesh),
                   FIRN_ERROR_FORMAT);
  assert_true(firn_context_peak_bytes(context) < 1000000);
}

// libyaml, which reads the JSON, would take a minute for this.
static void deep_json_is_told_at_once(void **state) {
  (void)state;
  enum { N = 200000 };
  char *text = malloc(N);
  assert_non_null(text);
  memset(text, '[', N);
  static const char head[] = "{\"asset\": ";
  memcpy(text, head, sizeof head - 1);
  firn_mesh_def def = firn_default_mesh_def();
  firn_mesh *mesh;
  assert_int_equal(firn_mesh_read_memory(context, "a.gltf", text, N, &def, &mesh),
                   FIRN_ERROR_FORMAT);
  assert_non_null(strstr(firn_context_message(context), "nested more than 64 deep"));
  free(text);
}

// -------------------------------------------------------------------------------------- short of memory

static firn_status read_and_use(firn_context *own, const bytes *b, const char *name) {
  firn_mesh_def def = firn_default_mesh_def();
  def.holes = FIRN_HOLES_FILL;
  firn_mesh *mesh;
  FIRN_TRY(firn_mesh_read_memory(own, name, b->data, b->size, &def, &mesh));
  firn_sequence_def sequence = firn_default_sequence_def();
  sequence.count = 1;
  sequence.times = (double[]){0};
  sequence.meshes = (const firn_mesh *[]){mesh};
  sequence.voxel = 0.3;
  firn_sequence *q = NULL;
  firn_status status = firn_sequence_create(own, &sequence, &q);
  firn_sequence_release(q);
  firn_mesh_release(mesh);
  return status;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  solid s = {0};
  solid_box(&s, lo, hi);
  solid_box(&s, (double[]){3, 0, 0}, (double[]){4, 1, 1});
  s.triangles -= 2; // a hole to be filled, and a triangle to be turned
  uint32_t swap = s.triangle[1];
  s.triangle[1] = s.triangle[2];
  s.triangle[2] = swap;
  bytes b[3] = {as_ply_text(&s), as_stl_binary(&s), {.size = 0}};
  const char *name[3] = {"a.ply", "a.stl", "a.gltf"};
  solid box = {0};
  solid_box(&box, lo, hi);
  b[2] = as_gltf(&box);
  for (int i = 0; i < 3; i++) {
    int failures = 0;
    for (size_t at = 2;; at++) {
      books memory = {.refuse_at = at};
      firn_context *own;
      assert_int_equal(books_context(&memory, 1, &own), FIRN_OK);
      firn_status status = read_and_use(own, &b[i], name[i]);
      assert_int_equal(firn_context_bytes(own), 0);
      firn_context_destroy(own);
      if (status == FIRN_OK) break;
      assert_int_equal(status, FIRN_ERROR_MEMORY);
      failures++;
    }
    assert_true(failures > 20);
  }
  solid_free(&s);
  solid_free(&box);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_context, close_context)
  const struct CMUnitTest tests[] = {
      TEST(every_format_gives_the_same_box),
      TEST(files_are_read_and_gltf_finds_its_buffer_beside_it),
      TEST(wrong_files_are_told_with_their_place),
      TEST(damaged_files_do_no_harm),
      TEST(announced_sizes_cost_nothing),
      TEST(deep_json_is_told_at_once),
      TEST(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
