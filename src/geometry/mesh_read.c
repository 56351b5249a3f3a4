// SPDX-License-Identifier: Apache-2.0
// Mesh files: which format, and the file as a whole.
#include "geometry/mesh_read.h"

#include <string.h>
#include <strings.h>

#include "base/def.h"
#include "base/file.h"

typedef firn_status (*reader_fn)(firn_mesh_input *in);

static const struct format {
  const char *ending;
  reader_fn read;
} formats[] = {
    {".obj", firn_mesh_read_obj},   {".ply", firn_mesh_read_ply},  {".stl", firn_mesh_read_stl},
    {".gltf", firn_mesh_read_gltf}, {".glb", firn_mesh_read_gltf},
};

static reader_fn reader_of(const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    size_t n = strlen(formats[i].ending);
    if (length > n && !strcasecmp(name + length - n, formats[i].ending)) return formats[i].read;
  }
  return NULL;
}

static firn_status read_any(firn_context *context, const char *name, const char *path,
                            const void *bytes, size_t size, const firn_mesh_def *def,
                            firn_mesh **out) {
  reader_fn reader = reader_of(name);
  if (!reader) {
    return firn_fail(context, FIRN_ERROR_FORMAT,
                     "%s: what kind of mesh is it? The name must end in .obj, .ply, .stl, .gltf "
                     "or .glb",
                     name);
  }
  if (!size) return firn_fail(context, FIRN_ERROR_FORMAT, "%s: the file is empty", name);
  firn_mesh_input in = {{context, name, bytes, size}, path, firn_mesh_new(context)};
  if (!in.mesh) return FIRN_ERROR_MEMORY;
  firn_status status = reader(&in);
  if (status == FIRN_OK) status = firn_mesh_finish(in.mesh, name, def);
  if (status != FIRN_OK) {
    firn_mesh_release(in.mesh);
    return status;
  }
  *out = in.mesh;
  return FIRN_OK;
}

firn_status firn_mesh_read_memory(firn_context *context, const char *name, const void *bytes,
                                  size_t size, const firn_mesh_def *given, firn_mesh **out) {
  if (!context || !name || !given || !out || (!bytes && size)) {
    return firn_fail_null(context, "firn_mesh_read_memory");
  }
  *out = NULL;
  FIRN_TAKE(context, mesh_def, given, own);
  const firn_mesh_def *def = &own;
  return read_any(context, name, NULL, bytes, size, def, out);
}

firn_status firn_mesh_uses(firn_context *context, const char *path, firn_text_fn use, void *user) {
  char *bytes;
  size_t size;
  if (reader_of(path) != firn_mesh_read_gltf) return FIRN_OK;
  FIRN_TRY(firn_file_get(context, path, &bytes, &size));
  firn_mesh_input in = {{context, path, (const unsigned char *)bytes, size}, path, NULL};
  firn_status status = firn_mesh_gltf_uses(&in, use, user);
  firn_free(context, bytes, size + 1);
  return status;
}

firn_status firn_mesh_load(firn_context *context, const char *path, const firn_mesh_def *given,
                           firn_mesh **out) {
  if (!context || !path || !given || !out) return firn_fail_null(context, "firn_mesh_load");
  *out = NULL;
  FIRN_TAKE(context, mesh_def, given, own);
  const firn_mesh_def *def = &own;
  char *bytes;
  size_t size;
  firn_doing(context, 0, 0, "reading %s", path);
  FIRN_TRY(firn_file_get(context, path, &bytes, &size));
  firn_status status = read_any(context, path, path, bytes, size, def, out);
  firn_free(context, bytes, size + 1);
  return status;
}
