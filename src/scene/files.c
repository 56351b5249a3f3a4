// SPDX-License-Identifier: Apache-2.0
#include "scene/files.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "geometry/mesh_read.h"
#include "scene/making.h"
#include "world/digest.h"

// A path of the scene, and what it is called in the folder: name is the last part of to.
struct firn_scene_place {
  const char *from, *to, *name;
  firn_scene_place *next;
};

typedef struct collector {
  const firn_scene *scene;
  firn_scene_files *out;
  firn_there_fn there;
  void *user;
  bool matters; // what is looked at now
} collector;

// ------------------------------------------------------------------------------------------ names

static const firn_scene_place *find(const firn_scene_files *f, const char *from) {
  const firn_scene_place *p = f->places;
  while (p && strcmp(p->from, from) != 0) p = p->next;
  return p;
}

// Not by case alone either: some disks do not tell it.
static bool taken(const firn_scene_files *f, const char *name) {
  for (const firn_scene_place *p = f->places; p; p = p->next)
    if (strcasecmp(p->name, name) == 0) return true;
  return strcasecmp(name, "sums.txt") == 0;
}

static const char *new_name(firn_scene_files *f, const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  const char *dot = strrchr(base, '.'), *name = firn_arena_format(&f->arena, "%s", base);
  int stem = dot && dot != base ? (int)(dot - base) : (int)strlen(base);
  for (int i = 2; name && taken(f, name); i++)
    name = firn_arena_format(&f->arena, "%.*s-%d%s", stem, base, i, base + stem);
  return name;
}

static bool stays(const firn_scene_files *f, const char *from) {
  const firn_scene_copy *copy = f->copies;
  while (copy && (copy->to || strcmp(copy->from, from) != 0)) copy = copy->next;
  return copy;
}

// to NULL: it stays where it is.
static void add_copy(collector *c, const char *from, const char *to, bool beside) {
  if (from && !to && stays(c->out, from)) return;
  firn_scene_copy *copy = firn_arena_alloc(&c->out->arena, sizeof *copy);
  if (!copy || !from) return;
  *copy = (firn_scene_copy){.from = from, .to = to, .matters = c->matters, .beside = beside};
  *c->out->end = copy;
  c->out->end = &copy->next;
}

static void add_place(collector *c, const char *from, const char *to, const char *name) {
  firn_scene_place *place = firn_arena_alloc(&c->out->arena, sizeof *place);
  if (!place || !to || !name) return;
  *place = (firn_scene_place){from, to, name, c->out->places};
  c->out->places = place;
}

// ------------------------------------------------------------------------------------------ files

typedef struct uses {
  firn_arena *arena;
  const char *from;     // the file that has them
  const char *to;       // where it goes; NULL: nowhere
  collector *collector; // NULL: they are only counted
  int count;
  bool outside; // some are not below the file's folder
} uses;

static const char *beside(firn_arena *arena, const char *path, const char *name) {
  const char *slash = strrchr(path, '/');
  return firn_arena_format(arena, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, name);
}

static void use(void *user, const char *name) {
  uses *u = user;
  u->count++;
  bool up = strncmp(name, "../", 3) == 0 || strstr(name, "/../");
  u->outside = u->outside || *name == '/' || up;
  if (!u->collector) return;
  const char *to = u->to ? beside(u->arena, u->to, name) : NULL;
  if (u->to && !to) return; // no memory
  add_copy(u->collector, beside(u->arena, u->from, name), to, true);
}

// What a file needs beside it; false: that cannot be known, or cannot go along.
static bool look(collector *c, const char *from, int *count) {
  uses u = {.arena = &c->out->arena, .from = from};
  bool known = firn_mesh_uses(c->scene->context, from, use, &u) == FIRN_OK;
  *count += u.count;
  return known && !u.outside;
}

// A file and what it needs beside it; to NULL: they stay.
static void add_whole(collector *c, const char *from, const char *to) {
  uses u = {.arena = &c->out->arena, .from = from, .to = to, .collector = c};
  add_copy(c, from, to, false);
  firn_mesh_uses(c->scene->context, from, use, &u);
}

static void add_file(collector *c, const char *path) {
  if (find(c->out, path)) return;
  firn_arena *arena = &c->out->arena;
  const char *name = new_name(c->out, path);
  int others = 0;
  if (!name) return;
  const char *plain = firn_arena_format(arena, FIRN_SCENE_FILES_FOLDER "/%s", name);
  bool here = access(path, R_OK) == 0 && look(c, path, &others);
  if (!plain) return;
  if (!here && !c->there(c->user, plain)) {
    add_whole(c, path, NULL);
    return;
  }
  const char *to = others ? firn_arena_format(arena, FIRN_SCENE_FILES_FOLDER "/%s.d/%s", name, name)
                          : plain;
  if (to) add_whole(c, path, to);
  add_place(c, path, to, name);
}

static void add_pattern(collector *c, const firn_value *sequence, const char *pattern) {
  if (find(c->out, pattern)) return;
  firn_arena *arena = &c->out->arena;
  int count = 0, first = (int)firn_value_number(sequence, "first"), others = 0;
  const char *const *files = firn_scene_sequence_files(arena, sequence, &count);
  const char *name = new_name(c->out, pattern);
  char *folder = name ? firn_arena_text(arena, name, strlen(name)) : NULL;
  for (char *p = folder; p && *p; p++)
    if (*p == '#') *p = '0'; // the number stands in the name alone
  if (!files || !folder) return;
  bool movable = true;
  for (int i = 0; i < count && movable; i++) movable = look(c, files[i], &others);
  const char *to = firn_arena_format(arena, FIRN_SCENE_FILES_FOLDER "/%s.d/%s", folder, name);
  for (int i = 0; to && i < count; i++) {
    const char *one = movable ? firn_scene_pattern_file(arena, to, first + i) : NULL;
    if (one || !movable) add_whole(c, files[i], one);
  }
  if (movable) add_place(c, pattern, to, name);
}

static void visit(collector *c, const firn_value *parent) {
  for (const firn_value *v = parent->first; v; v = v->next) {
    if (v->row->type == FIRN_TYPE_PATH && v->text && v->key && strcmp(v->key, "pattern") == 0)
      add_pattern(c, parent, v->text);
    else if (v->row->type == FIRN_TYPE_PATH && v->text)
      add_file(c, v->text);
    for (int i = 0; v->row->type == FIRN_TYPE_PATHS && i < v->count; i++) add_file(c, v->words[i]);
    visit(c, v);
  }
}

// What only pictures need comes last, so that a change there renames nothing else.
static void visit_all(collector *c) {
  for (int pass = 0; pass < 2; pass++) {
    c->matters = pass == 0;
    for (const firn_value *v = c->scene->root->first; v; v = v->next) {
      bool pictures = v->key && (strcmp(v->key, "render") == 0 || strcmp(v->key, "preview") == 0);
      if (pictures != c->matters) visit(c, v);
    }
  }
}

static const char *path_in_folder(void *user, const char *path) {
  const firn_scene_place *place = find(user, path);
  return place ? place->to : path;
}

static const char sum_word[] = "# sum ";

// The text with a sum of itself in a last line: a digit that has changed is still a scene.
static const char *with_sum(firn_arena *arena, const char *text) {
  if (!text) return NULL;
  uint64_t sum = firn_digest(FIRN_DIGEST_START, text, strlen(text));
  return firn_arena_format(arena, "%s%s%016llx\n", text, sum_word, (unsigned long long)sum);
}

// Where a line ends, at its '\n' or at the end of the text; *next is where the next one begins.
static const char *line_end(const char *line, const char *stop, const char **next) {
  const char *end = memchr(line, '\n', (size_t)(stop - line));
  *next = end ? end + 1 : stop;
  end = end ? end : stop;
  return end > line && end[-1] == '\r' ? end - 1 : end;
}

// Nothing but remarks and empty lines.
static bool only_remarks(const char *line, const char *stop) {
  for (const char *next; line < stop; line = next) {
    const char *end = line_end(line, stop, &next);
    while (line < end && (*line == ' ' || *line == '\t')) line++;
    if (line < end && *line != '#') return false;
  }
  return true;
}

firn_scene_sum firn_scene_check_sum(const char *text, size_t size) {
  const char *stop = text + size, *line = text, *next;
  bool exact = true;
  uint64_t sum = FIRN_DIGEST_START;
  if (size >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) line += 3, exact = false;
  for (; line < stop; line = next) {
    const char *end = line_end(line, stop, &next);
    size_t length = (size_t)(end - line), word = strlen(sum_word);
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%s%016llx", sum_word, (unsigned long long)sum);
    exact = exact && next == end + 1;
    if (length < word || memcmp(line, sum_word, word) != 0) {
      sum = firn_digest(firn_digest(sum, line, length), "\n", 1);
      continue;
    }
    if (length != strlen(wanted) || memcmp(line, wanted, length) != 0 || !only_remarks(next, stop))
      return FIRN_SCENE_SUM_WRONG;
    return exact && next == stop ? FIRN_SCENE_SUM_EXACT : FIRN_SCENE_SUM_FITS;
  }
  return FIRN_SCENE_SUM_ABSENT;
}

firn_status firn_scene_files_make(const firn_scene *scene, firn_there_fn there, void *user,
                                  firn_scene_files *out) {
  *out = (firn_scene_files){.arena = {.context = scene->context}};
  out->end = &out->copies;
  collector c = {.scene = scene, .out = out, .there = there, .user = user};
  visit_all(&c);
  const char *text = firn_value_write_with(&out->arena, scene->root, path_in_folder, out);
  out->text = with_sum(&out->arena, text);
  if (out->text && !out->arena.failed) return FIRN_OK;
  firn_scene_files_free(out);
  return firn_fail(scene->context, FIRN_ERROR_MEMORY, "out of memory for the files of a scene");
}

void firn_scene_files_free(firn_scene_files *f) {
  firn_arena_free(&f->arena);
  *f = (firn_scene_files){0};
}
