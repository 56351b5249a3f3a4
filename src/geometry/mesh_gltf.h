// SPDX-License-Identifier: Apache-2.0
// A glTF 2.0 file while it is read: JSON, which libyaml reads as the YAML it is, and buffers.
#ifndef FIRN_GEOMETRY_MESH_GLTF_H
#define FIRN_GEOMETRY_MESH_GLTF_H

#include <yaml.h>

#include "geometry/mesh_read.h"

typedef struct firn_gltf_buffer {
  const unsigned char *bytes;
  size_t size;          // bytes; 0 until it is needed
  unsigned char *owned; // to be freed, or NULL
  size_t owned_size;
} firn_gltf_buffer;

typedef struct firn_gltf {
  firn_mesh_input *in;
  yaml_document_t document;
  bool binary;                // a GLB file
  const unsigned char *json;  // in the file
  size_t json_size;           // bytes
  const unsigned char *chunk; // binary chunk of a GLB file, or NULL
  size_t chunk_size;          // bytes
  firn_gltf_buffer *buffer;   // [buffer_count]
  size_t buffer_count;
  yaml_node_t *nodes, *meshes, *accessors, *views, *buffers; // arrays of the document, or NULL
  size_t visits;        // nodes of the scene so far; a node has one parent, so none comes twice
  size_t max_triangles; // instances may multiply a mesh, but not without end
} firn_gltf;

// Values of the document; NULL where there is none. fail says where.
yaml_node_t *firn_gltf_member(firn_gltf *g, yaml_node_t *object, const char *key);
yaml_node_t *firn_gltf_item(firn_gltf *g, yaml_node_t *array, size_t index);
size_t firn_gltf_count(const yaml_node_t *array);
firn_status firn_gltf_fail(const firn_gltf *g, const yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Member key of object as a number, or `otherwise` where it is missing.
firn_status firn_gltf_real(firn_gltf *g, yaml_node_t *object, const char *key, double otherwise,
                           double *out);
// The same as a whole number from 0 to 2^53.
firn_status firn_gltf_index(firn_gltf *g, yaml_node_t *object, const char *key, size_t otherwise,
                            size_t *out);
bool firn_gltf_is(const yaml_node_t *node, const char *text);

// An array of numbers in a buffer.
typedef struct firn_gltf_accessor {
  const unsigned char *bytes; // of the first element
  size_t count, stride;       // elements; bytes from one to the next
  size_t type;                // 5120 .. 5126
  bool normalized;            // integers stand for fractions of their largest
} firn_gltf_accessor;

// Accessor `index`, which must be of type "VEC3" or "SCALAR".
firn_status firn_gltf_access(firn_gltf *g, size_t index, const char *type, const yaml_node_t *where,
                             firn_gltf_accessor *out);
double firn_gltf_value(const firn_gltf_accessor *a, size_t element, size_t component);

#endif
