// SPDX-License-Identifier: Apache-2.0
// Any bytes are a mesh or an error. The last byte tells the format.
#include "fuzz/fuzz.h"

static const char *const names[] = {"fuzz.obj", "fuzz.ply", "fuzz.stl", "fuzz.gltf", "fuzz.glb"};

static const char obj[] = "# a tetrahedron\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\no thing\n"
                          "f 1 3 2\nf 1//1 2//1 4//1\nf 1 4 3\nf -3 -2 -1\nf 1 2 3 4\n";
static const char ply[] =
    "ply\nformat ascii 1.0\ncomment c\nelement vertex 4\nproperty float x\nproperty float y\n"
    "property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
static const char binary_ply[] =
    "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty double x\nproperty float y\n"
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
static const char stl[] =
    "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\n"
    "endfacet\nendsolid t\n";
static const char gltf[] =
    "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":42,\"uri\":\"data:application/"
    "octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,"
    "\"byteLength\":6}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,"
    "\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
    "\"nodes\":[{\"mesh\":0,\"translation\":[1,0,0]}],\"scenes\":[{\"nodes\":[0]}],\"scene\":0}";

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_seed("seed.obj", obj, sizeof obj - 1, "0");
  fuzz_seed("seed.ply", ply, sizeof ply - 1, "1");
  uint8_t bytes[sizeof binary_ply - 1 + 3 * 16 + 13] = {0};
  memcpy(bytes, binary_ply, sizeof binary_ply - 1);
  bytes[sizeof bytes - 13] = 3;
  bytes[sizeof bytes - 8] = 1;
  bytes[sizeof bytes - 4] = 2;
  fuzz_seed("seed2.ply", bytes, sizeof bytes, "1");
  fuzz_seed("seed.stl", stl, sizeof stl - 1, "2");
  uint8_t binary_stl[84 + 2 * 50] = {[80] = 2};
  fuzz_seed("seed2.stl", binary_stl, sizeof binary_stl, "2");
  fuzz_seed("seed.gltf", gltf, sizeof gltf - 1, "3");
  // A GLB is the same text behind two headers.
  uint8_t glb[20 + 1024] = {'g', 'l', 'T', 'F', 2};
  uint32_t length = (uint32_t)(sizeof gltf - 1 + 3) / 4 * 4, total = 20 + length;
  memset(glb + 20, ' ', length);
  memcpy(glb + 20, gltf, sizeof gltf - 1);
  memcpy(glb + 8, &total, 4);
  memcpy(glb + 12, &length, 4);
  memcpy(glb + 16, "JSON", 4);
  fuzz_seed("seed.glb", glb, total, "4");
  return 0;
}

// A distance field of a few voxels, asked around the mesh.
static void use(firn_context *context, const firn_mesh *mesh, const firn_mesh_report *report) {
  firn_shape_def def = firn_mesh_shape(mesh);
  double longest = 0;
  for (int a = 0; a < 3; a++)
    if (report->hi[a] - report->lo[a] > longest) longest = report->hi[a] - report->lo[a];
  def.voxel = longest / 10;
  firn_shape *shape = NULL;
  if (firn_shape_create(context, &def, &shape) != FIRN_OK) return;
  for (int i = 0; i < 27; i++) {
    double at[3], normal[3];
    for (int a = 0; a < 3; a++) {
      double t = (double)(i / (a == 0 ? 1 : a == 1 ? 3 : 9) % 3) / 2;
      at[a] = report->lo[a] + t * (report->hi[a] - report->lo[a]);
    }
    double distance = firn_shape_distance(shape, at, normal);
    FUZZ_MUST(distance == distance && normal[0] == normal[0]);
  }
  firn_shape_release(shape);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  firn_context *context = fuzz_context();
  firn_mesh_def def = firn_default_mesh_def();
  def.holes = data[size - 1] & 16 ? FIRN_HOLES_FILL : FIRN_HOLES_KEEP;
  firn_mesh *mesh = NULL;
  firn_status status = firn_mesh_read_memory(context, names[(data[size - 1] & 15) % 5], data,
                                             size - 1, &def, &mesh);
  if (status == FIRN_OK) {
    firn_mesh_report report;
    char text[2000];
    firn_mesh_get_report(mesh, &report);
    firn_mesh_describe(mesh, text, sizeof text);
    if (report.closed && report.triangles <= 200) use(context, mesh, &report);
  } else {
    FUZZ_MUST(firn_context_message(context)[0]);
  }
  firn_mesh_release(mesh);
  fuzz_done(context);
  return 0;
}
