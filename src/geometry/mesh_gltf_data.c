// SPDX-License-Identifier: Apache-2.0
// Values, buffers and accessors of glTF files.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "geometry/mesh_gltf.h"

// -------------------------------------------------------------------------------------------- values

firn_status firn_gltf_fail(const firn_gltf *g, const yaml_node_t *node, const char *format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  size_t line = node ? node->start_mark.line + 1 : 1, byte = node ? node->start_mark.index : 0;
  return g->binary ? firn_fail_byte(&g->in->file, byte + (size_t)(g->json - g->in->file.bytes),
                                    "%s", text)
                   : firn_fail_line(&g->in->file, line, "%s", text);
}

bool firn_gltf_is(const yaml_node_t *node, const char *text) {
  return node && node->type == YAML_SCALAR_NODE && node->data.scalar.length == strlen(text) &&
         !memcmp(node->data.scalar.value, text, node->data.scalar.length);
}

yaml_node_t *firn_gltf_member(firn_gltf *g, yaml_node_t *object, const char *key) {
  if (!object || object->type != YAML_MAPPING_NODE) return NULL;
  for (yaml_node_pair_t *pair = object->data.mapping.pairs.start;
       pair < object->data.mapping.pairs.top; pair++) {
    if (firn_gltf_is(yaml_document_get_node(&g->document, pair->key), key)) {
      return yaml_document_get_node(&g->document, pair->value);
    }
  }
  return NULL;
}

size_t firn_gltf_count(const yaml_node_t *array) {
  if (!array || array->type != YAML_SEQUENCE_NODE) return 0;
  return (size_t)(array->data.sequence.items.top - array->data.sequence.items.start);
}

yaml_node_t *firn_gltf_item(firn_gltf *g, yaml_node_t *array, size_t index) {
  if (index >= firn_gltf_count(array)) return NULL;
  return yaml_document_get_node(&g->document, array->data.sequence.items.start[index]);
}

static bool number_of(const yaml_node_t *node, double *out) {
  if (!node || node->type != YAML_SCALAR_NODE) return false;
  firn_word word = {(const char *)node->data.scalar.value, node->data.scalar.length};
  return firn_word_real(word, out);
}

firn_status firn_gltf_real(firn_gltf *g, yaml_node_t *object, const char *key, double otherwise,
                           double *out) {
  // A sequence's number of that index, where key is NULL, is the object itself.
  yaml_node_t *node = key ? firn_gltf_member(g, object, key) : object;
  *out = otherwise;
  if (!node || number_of(node, out)) return FIRN_OK;
  return firn_gltf_fail(g, node, "%s is not a number", key ? key : "this");
}

firn_status firn_gltf_index(firn_gltf *g, yaml_node_t *object, const char *key, size_t otherwise,
                            size_t *out) {
  yaml_node_t *node = key ? firn_gltf_member(g, object, key) : object;
  double value = 0;
  *out = otherwise;
  if (!node) return FIRN_OK;
  if (number_of(node, &value) && value >= 0 && value <= 0x1p53 && value == floor(value)) {
    *out = (size_t)value;
    return FIRN_OK;
  }
  return firn_gltf_fail(g, node, "%s is not a whole number", key ? key : "this");
}

// ------------------------------------------------------------------------------------------- buffers

static int base64_digit(unsigned char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

static firn_status decode(firn_gltf *g, const yaml_node_t *node, const unsigned char *text,
                          size_t length, firn_gltf_buffer *out) {
  while (length && text[length - 1] == '=') length--;
  size_t size = length / 4 * 3 + (length % 4 ? length % 4 - 1 : 0), n = 0;
  if (!size) return FIRN_OK;
  out->owned = firn_alloc(g->in->file.context, size, "glTF buffer");
  if (!out->owned) return FIRN_ERROR_MEMORY;
  out->owned_size = size;
  uint32_t bits = 0;
  for (size_t i = 0; i < length; i++) {
    int digit = base64_digit(text[i]);
    if (digit < 0) return firn_gltf_fail(g, node, "the data of a buffer are not base64");
    bits = bits << 6 | (uint32_t)digit;
    if (i % 4 && n < size) out->owned[n++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
  }
  out->bytes = out->owned;
  out->size = size;
  return FIRN_OK;
}

// A file beside this one.
static firn_status load_beside(firn_gltf *g, const yaml_node_t *node, const char *name,
                               firn_gltf_buffer *out) {
  if (!g->in->path) {
    return firn_gltf_fail(g, node, "a buffer is another file, which cannot be had from memory");
  }
  char path[4096];
  const char *slash = strrchr(g->in->path, '/');
  int folder = slash ? (int)(slash - g->in->path + 1) : 0;
  if (strchr(name, '%') || strstr(name, "://")) {
    return firn_gltf_fail(g, node, "the uri of a buffer is not a plain file name");
  }
  int length = snprintf(path, sizeof path, "%.*s%s", folder, g->in->path, name);
  if (length < 0 || (size_t)length >= sizeof path) {
    return firn_gltf_fail(g, node, "the path of a buffer is too long");
  }
  char *bytes;
  FIRN_TRY(firn_file_get(g->in->file.context, path, &bytes, &out->size));
  out->bytes = out->owned = (unsigned char *)bytes;
  out->owned_size = out->size + 1;
  g->max_triangles += 16 * out->size;
  return FIRN_OK;
}

// Fills buffer `index` if it is not there yet.
static firn_status get_buffer(firn_gltf *g, size_t index, const yaml_node_t *where) {
  yaml_node_t *node = firn_gltf_item(g, g->buffers, index);
  if (!node || index >= g->buffer_count) {
    return firn_gltf_fail(g, where, "there is no buffer %zu", index);
  }
  firn_gltf_buffer *buffer = g->buffer + index;
  if (buffer->size) return FIRN_OK;
  yaml_node_t *uri = firn_gltf_member(g, node, "uri");
  if (!uri) {
    if (index || !g->chunk) return firn_gltf_fail(g, node, "buffer %zu has no data", index);
    buffer->bytes = g->chunk;
    buffer->size = g->chunk_size;
    return FIRN_OK;
  }
  if (uri->type != YAML_SCALAR_NODE) return firn_gltf_fail(g, uri, "uri is not a text");
  const char *text = (const char *)uri->data.scalar.value;
  if (strncmp(text, "data:", 5) != 0) return load_beside(g, uri, text, buffer);
  const char *data = strstr(text, ";base64,");
  if (!data) return firn_gltf_fail(g, uri, "the data of buffer %zu are not base64", index);
  data += strlen(";base64,");
  const char *end = text + uri->data.scalar.length;
  return decode(g, uri, (const unsigned char *)data, (size_t)(end - data), buffer);
}

// ----------------------------------------------------------------------------------------- accessors

static size_t component_size(size_t type) {
  switch (type) {
  case 5120:
  case 5121: return 1; // bytes, with a sign and without
  case 5122:
  case 5123: return 2; // shorts
  case 5125:           // unsigned ints
  case 5126: return 4; // floats
  }
  return 0;
}

firn_status firn_gltf_access(firn_gltf *g, size_t index, const char *type, const yaml_node_t *where,
                             firn_gltf_accessor *out) {
  yaml_node_t *node = firn_gltf_item(g, g->accessors, index);
  if (!node) return firn_gltf_fail(g, where, "there is no accessor %zu", index);
  if (firn_gltf_member(g, node, "sparse")) {
    return firn_gltf_fail(g, node, "accessor %zu is sparse, which is not read", index);
  }
  if (!firn_gltf_is(firn_gltf_member(g, node, "type"), type)) {
    return firn_gltf_fail(g, node, "accessor %zu is not of type %s", index, type);
  }
  size_t view_index, offset, view_offset, view_size, stride, buffer_index;
  FIRN_TRY(firn_gltf_index(g, node, "componentType", 0, &out->type));
  FIRN_TRY(firn_gltf_index(g, node, "count", 0, &out->count));
  FIRN_TRY(firn_gltf_index(g, node, "byteOffset", 0, &offset));
  FIRN_TRY(firn_gltf_index(g, node, "bufferView", SIZE_MAX, &view_index));
  out->normalized = firn_gltf_is(firn_gltf_member(g, node, "normalized"), "true");
  yaml_node_t *view = firn_gltf_item(g, g->views, view_index);
  if (!view) return firn_gltf_fail(g, node, "accessor %zu has no buffer view", index);
  FIRN_TRY(firn_gltf_index(g, view, "byteOffset", 0, &view_offset));
  FIRN_TRY(firn_gltf_index(g, view, "byteLength", 0, &view_size));
  FIRN_TRY(firn_gltf_index(g, view, "byteStride", 0, &stride));
  FIRN_TRY(firn_gltf_index(g, view, "buffer", SIZE_MAX, &buffer_index));
  FIRN_TRY(get_buffer(g, buffer_index, view));
  const firn_gltf_buffer *buffer = g->buffer + buffer_index;

  // All sums are below 2^55.
  size_t size = component_size(out->type) * (strcmp(type, "VEC3") ? 1 : 3);
  if (!size) {
    return firn_gltf_fail(g, node, "component type %zu of accessor %zu does not exist", out->type,
                          index);
  }
  if (view_offset > buffer->size || view_size > buffer->size - view_offset) {
    return firn_gltf_fail(g, view,
                          "a buffer view of %zu bytes at %zu is beyond the %zu bytes of "
                          "its buffer",
                          view_size, view_offset, buffer->size);
  }
  out->stride = stride ? stride : size;
  size_t room = offset <= view_size ? view_size - offset : 0;
  size_t fit = room >= size && out->stride >= size ? (room - size) / out->stride + 1 : 0;
  if (out->count > fit) {
    return firn_gltf_fail(g, node, "accessor %zu has %zu elements, but room for %zu", index,
                          out->count, fit);
  }
  out->bytes = out->count ? buffer->bytes + view_offset + offset : NULL;
  return FIRN_OK;
}

double firn_gltf_value(const firn_gltf_accessor *a, size_t element, size_t component) {
  size_t size = component_size(a->type);
  const unsigned char *at = a->bytes + element * a->stride + component * size;
  if (a->type == 5126) return (double)firn_bytes_float(at, false);
  double value = (double)firn_bytes_integer(at, size, false), half = ldexp(1, (int)(8 * size) - 1);
  bool has_sign = a->type == 5120 || a->type == 5122;
  if (has_sign && value >= half) value -= 2 * half;
  if (!a->normalized) return value;
  return has_sign ? fmax(-1, value / (half - 1)) : value / (2 * half - 1);
}
