// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh_read.h"

firn_status firn_mesh_read_gltf(firn_mesh_input *in) {
  return firn_fail(in->context, FIRN_ERROR_UNSUPPORTED,
                   "%s: glTF files are not read; .obj, .ply and .stl are", in->name);
}
