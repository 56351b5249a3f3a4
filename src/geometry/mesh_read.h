// SPDX-License-Identifier: Apache-2.0
// What the readers of mesh files share. They trust nothing: every number is checked, memory grows
// with what was read and not with what a header claims, and every failure names the file and the
// line or byte.
#ifndef FIRN_GEOMETRY_MESH_READ_H
#define FIRN_GEOMETRY_MESH_READ_H

#include "geometry/mesh.h"
#include "geometry/words.h"

typedef struct firn_mesh_input {
  firn_file_bytes file;
  const char *path; // where files that this one points to are looked for; NULL: nowhere
  firn_mesh *mesh;  // filled by the reader
} firn_mesh_input;

firn_status firn_mesh_read_obj(firn_mesh_input *in);
firn_status firn_mesh_read_ply(firn_mesh_input *in);
firn_status firn_mesh_read_stl(firn_mesh_input *in);
firn_status firn_mesh_read_gltf(firn_mesh_input *in);

// Tells the names, as they stand there, of the files beside a mesh file that it needs: the buffers of
// a glTF file. Other kinds need none.
firn_status firn_mesh_uses(firn_context *context, const char *path, firn_text_fn use, void *user);
firn_status firn_mesh_gltf_uses(firn_mesh_input *in, firn_text_fn use, void *user);

#endif
