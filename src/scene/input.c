// SPDX-License-Identifier: Apache-2.0
#include "scene/input.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/nearest.h"

const char *firn_input_builtin(const char *name) {
  for (int i = 0; name && firn_scene_builtin_names[i]; i++)
    if (strcmp(firn_scene_builtin_names[i], name) == 0) return firn_scene_builtin_texts[i];
  return NULL;
}

static firn_status fail_open(firn_context *context, const char *name, int error) {
  firn_nearest nearest = firn_nearest_begin(name);
  for (int i = 0; firn_scene_builtin_names[i]; i++)
    firn_nearest_offer(&nearest, firn_scene_builtin_names[i]);
  bool looks_like_file = strpbrk(name, "/.") != NULL;
  if (looks_like_file)
    return firn_fail(context, FIRN_ERROR_IO, "scene %s cannot be read: %s", name, strerror(error));
  if (nearest.best)
    return firn_fail(context, FIRN_ERROR_IO,
                     "'%s' is neither a file nor a built-in scene; did you mean '%s'?", name,
                     nearest.best);
  return firn_fail(context, FIRN_ERROR_IO, "'%s' is neither a file nor a built-in scene", name);
}

// A scene is a page or two; whatever is longer than this is something else.
enum { FILE_MOST = 16 << 20 };

firn_status firn_input_read(firn_context *context, const char *name, firn_buffer *text,
                            size_t *size) {
  FILE *file = fopen(name, "rb");
  if (!file) return fail_open(context, name, errno);
  firn_status status = FIRN_OK;
  *size = 0;
  while (status == FIRN_OK) {
    if (*size == text->size) {
      size_t wanted = text->size ? 2 * text->size : 8192;
      void *grown = firn_resize(context, text->data, text->size, wanted, "scene file");
      if (!grown) {
        status = FIRN_ERROR_MEMORY;
        break;
      }
      *text = (firn_buffer){grown, wanted};
    }
    size_t n = fread((char *)text->data + *size, 1, text->size - *size, file);
    *size += n;
    if (*size > FILE_MOST)
      status = firn_fail(context, FIRN_ERROR_IO, "scene %s is larger than %d MB", name,
                         FILE_MOST >> 20);
    else if (ferror(file))
      status = firn_fail(context, FIRN_ERROR_IO, "scene %s cannot be read: %s", name,
                         strerror(errno));
    if (n == 0) break;
  }
  fclose(file);
  return status;
}

// ---------------------------------------------------------------------------------------- paths

// The folder of a file with its slash; "" for none and for built-in scenes.
static int folder_length(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash ? (int)(slash - file) + 1 : 0;
}

static const char *beside(firn_arena *arena, const char *file, const char *name) {
  if (*name == '/') return firn_arena_text(arena, name, strlen(name));
  return firn_arena_format(arena, "%.*s%s", folder_length(file), file, name);
}

const char *firn_input_path(firn_arena *arena, const char *file, const char *name) {
  char folder[PATH_MAX], whole[PATH_MAX];
  int length = folder_length(file);
  snprintf(folder, sizeof folder, "%.*s", length, file);
  if (*name == '/' || !realpath(length ? folder : ".", whole)) return beside(arena, file, name);
  while (strncmp(name, "./", 2) == 0) name += 2;
  return firn_arena_format(arena, "%s/%s", strcmp(whole, "/") == 0 ? "" : whole, name);
}

// -------------------------------------------------------------------------------------- includes

enum { CHAIN_MOST = 16 };

typedef struct {
  firn_scene *scene;
  const char *chain[CHAIN_MOST]; // files that include each other down to the one being read
  int depth;
  bool incomplete;
} includer;

static void include_all(includer *in, firn_node *map);

static bool already_open(includer *in, firn_mark mark, const char *name) {
  for (int i = 0; i < in->depth; i++)
    if (strcmp(in->chain[i], name) == 0) {
      firn_report_add(&in->scene->report, mark, "include", "%.200s includes itself%s", name,
                      in->depth > 1 ? " by way of others" : "");
      return true;
    }
  if (in->depth < CHAIN_MOST && in->scene->report.file_count < FIRN_SCENE_FILES) return false;
  firn_report_add(&in->scene->report, mark, "include", "too many files include each other");
  return true;
}

// The version of an included file need not be given; if it is, it must be ours.
static void check_version(firn_scene *scene, const firn_node *map) {
  const firn_node *version = firn_node_find(map, "firn");
  if (version && (version->kind != FIRN_NODE_SCALAR || strcmp(version->text, "1") != 0))
    firn_report_add(&scene->report, version->mark, "firn", "expected `firn: 1`");
}

static firn_node *parse_included(includer *in, firn_mark mark, const char *name, const char *text,
                                 size_t size) {
  firn_scene *scene = in->scene;
  int file = scene->report.file_count++;
  scene->report.files[file] = name;
  firn_mark base = {.file = file, .level = FIRN_LEVEL_FILE - 2 * file};
  firn_node *map = firn_node_parse(&scene->arena, &scene->report, text, size, base);
  if (!map) return NULL;
  if (map->kind != FIRN_NODE_MAP) {
    firn_report_add(&scene->report, mark, "include", "%.200s holds %s; expected a map", name,
                    size ? firn_node_kind_name(map) : "nothing");
    return NULL;
  }
  check_version(scene, map);
  return map;
}

// Whether a file is below the folder of the scene's own, links followed. One that does not exist is for
// the reader to report.
static bool is_inside(const char *scene_file, const char *name) {
  char file[PATH_MAX], folder[PATH_MAX];
  if (!realpath(name, file)) return errno == ENOENT;
  const char *slash = strrchr(scene_file, '/');
  int length = slash == scene_file ? 1 : slash ? (int)(slash - scene_file) : 0;
  char given[PATH_MAX];
  snprintf(given, sizeof given, "%.*s", length ? length : 1, length ? scene_file : ".");
  if (!realpath(given, folder)) return false;
  size_t n = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
  return strncmp(file, folder, n) == 0 && file[n] == '/';
}

static firn_node *read_included(includer *in, firn_mark mark, const char *name) {
  firn_scene *scene = in->scene;
  firn_buffer text = {0};
  size_t size = 0;
  firn_node *map = NULL;
  if (!mark.origin && !scene->context->include_outside && !is_inside(scene->file, name)) {
    firn_report_add(&scene->report, mark, "include",
                    "%.200s is not below the folder of %.200s, and is not read; --allow-outside "
                    "allows it (in C: include_outside of firn_context_def)",
                    name, scene->file);
    return NULL;
  }
  firn_status status = firn_input_read(scene->context, name, &text, &size);
  if (status == FIRN_OK)
    map = parse_included(in, mark, name, text.data, size);
  else if (status == FIRN_ERROR_MEMORY)
    scene->arena.failed = true;
  else
    firn_report_add(&scene->report, mark, "include", "%s", firn_context_message(scene->context));
  firn_buffer_free(scene->context, &text);
  return map;
}

static void include_one(includer *in, firn_node *into, const firn_node *node) {
  firn_scene *scene = in->scene;
  bool before = in->incomplete;
  in->incomplete = true;
  if (node->kind != FIRN_NODE_SCALAR || !*node->text) {
    firn_report_add(&scene->report, node->mark, "include",
                    "found %s; expected the name of a built-in scene or of a file",
                    node->kind == FIRN_NODE_SCALAR ? "nothing" : firn_node_kind_name(node));
    return;
  }
  const char *builtin = firn_input_builtin(node->text);
  const char *from = node->mark.origin ? "" : scene->report.files[node->mark.file];
  const char *name = builtin ? node->text : beside(&scene->arena, from, node->text);
  if (!name || already_open(in, node->mark, name)) return;
  firn_node *map = builtin ? parse_included(in, node->mark, name, builtin, strlen(builtin))
                           : read_included(in, node->mark, name);
  if (!map) return;
  in->incomplete = before;
  in->chain[in->depth++] = name;
  include_all(in, map);
  in->depth--;
  firn_node_merge(into, map);
}

// What comes later in a list of includes wins, as if it included what stands before it.
static void include_list(includer *in, firn_node *into, const firn_node *from) {
  if (!from) return;
  include_list(in, into, from->next);
  include_one(in, into, from);
}

static void include_all(includer *in, firn_node *map) {
  firn_scene *scene = in->scene;
  const firn_node *include = firn_node_find(map, "include"), *set = firn_node_find(map, "set");
  firn_node_remove(map, "include");
  firn_node_remove(map, "set");
  if (include && include->kind == FIRN_NODE_LIST && firn_node_count(include) > FIRN_SCENE_FILES)
    firn_report_add(&scene->report, include->mark, "include", "too many files");
  else if (include && include->kind == FIRN_NODE_LIST)
    include_list(in, map, include->first);
  else if (include)
    include_one(in, map, include);
  if (set) firn_node_set_all(&scene->arena, &scene->report, map, set);
}

bool firn_input_include(firn_scene *scene, firn_node *root) {
  includer in = {.scene = scene, .chain = {scene->file}, .depth = 1};
  const firn_node *include = firn_node_find(root, "include");
  if (include && !firn_node_find(root, "firn"))
    firn_report_add(&scene->report, root->mark, "",
                    "key 'firn' is missing: the first line says `firn: 1`, the version of the "
                    "format");
  include_all(&in, root);
  return !in.incomplete;
}
