// SPDX-License-Identifier: Apache-2.0
// Numbers that only show to be bad when something is built of them: the message of whoever refused
// them, with the place in the file that they come from.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/scene.h"
#include "scene/scene.h"

// A name in quotes or in a path is no key.
static bool in_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '/' || c == '\'';
}

// Where key stands in message as a word of its own: what follows it; NULL where it does not.
static const char *after_word(const char *message, const char *key) {
  size_t length = strlen(key);
  for (const char *s = message; (s = strstr(s, key)); s += length)
    if ((s == message || !in_word(s[-1])) && !in_word(s[length])) return s + length;
  return NULL;
}

// The message is about this value: it gives its key, or the file that it names.
static const char *about(const firn_value *v, const char *message) {
  if (!v->given || !v->key) return NULL;
  if (v->row->type == FIRN_TYPE_PATH && *v->text) {
    const char *file = strstr(message, v->text);
    if (file) return file;
  }
  for (int i = 0; v->row->type == FIRN_TYPE_WORDS && i < v->count; i++) {
    const char *rest = after_word(message, v->words[i]); // what varies
    if (rest) return rest;
  }
  return after_word(message, v->key);
}

typedef struct finding {
  const firn_value *value;
  char path[200];
} finding;

static void go_into(finding *f, const firn_value *child) {
  size_t used = strlen(f->path);
  snprintf(f->path + used, sizeof f->path - used, "%s%s", used ? "." : "", child->key);
  f->value = child;
}

static void go_to_item(finding *f, const firn_value *item, int i) {
  size_t used = strlen(f->path);
  snprintf(f->path + used, sizeof f->path - used, "[%d]", i);
  f->value = item;
}

// "variation 2: ..." is about the item of that number.
static void choose_item(finding *f, const char *rest) {
  int number, i = 0;
  if (f->value->row->type != FIRN_TYPE_LIST || sscanf(rest, " %d", &number) != 1) return;
  for (const firn_value *item = f->value->first; item; item = item->next, i++) {
    if (i == number) {
      go_to_item(f, item, i);
      return;
    }
  }
}

static void find(finding *f, const char *message);

// The same of what is further down in a child that the message does not name; false: nothing is.
static bool find_below(finding *f, const firn_value *child, const char *message) {
  finding below = *f;
  int i = 0;
  go_into(&below, child);
  if (child->row->type == FIRN_TYPE_RECORD) {
    find(&below, message);
    if (below.value == child) return false;
    *f = below;
    return true;
  }
  for (const firn_value *item = child->first; item; item = item->next, i++) {
    finding one = below;
    go_to_item(&one, item, i);
    find(&one, message);
    if (one.value == item) continue;
    *f = one;
    return true;
  }
  return false;
}

// From a record to that part of it which the message is about, as far down as it goes.
static void find(finding *f, const char *message) {
  const firn_value *start = f->value;
  for (const firn_value *c = start->first; c; c = c->next) {
    const char *rest = about(c, message);
    if (!rest) continue;
    go_into(f, c);
    choose_item(f, rest);
    // What is in a shape was judged when the scene was read.
    if (c->row->type == FIRN_TYPE_RECORD || c->row->type == FIRN_TYPE_LIST) find(f, rest);
    return;
  }
  for (const firn_value *c = start->first; c; c = c->next) {
    bool deep = c->row->type == FIRN_TYPE_RECORD || c->row->type == FIRN_TYPE_LIST;
    if (deep && c->given && find_below(f, c, message)) return;
  }
}

// "collider 'wall': friction ...": the path says already whose. But not "points.csv:12: ...".
static const char *without_owner(const char *message) {
  const char *colon = strstr(message, ": ");
  size_t length = colon ? (size_t)(colon - message) : 0;
  bool file = memchr(message, '/', length) || memchr(message, '.', length) ||
              memchr(message, ':', length);
  return colon && !file ? colon + 2 : message;
}

static firn_status fail_at(const firn_scene *scene, const finding *f, const char *message) {
  firn_report report = scene->report; // for the names of the files
  report.errors = NULL;
  report.count = report.capacity = 0;
  firn_report_add(&report, f->value->mark, f->path, "%s", message);
  if (report.failed) return FIRN_ERROR_MEMORY;
  firn_status status = firn_report_fail(&report);
  firn_report_free(&report);
  return status;
}

firn_status firn_scene_blame(const firn_scene *scene, const firn_value *value, const char *path,
                             firn_status status) {
  if (status == FIRN_OK || status == FIRN_ERROR_MEMORY) return status;
  char message[FIRN_MESSAGE_SIZE];
  snprintf(message, sizeof message, "%s", firn_context_message(scene->context));
  finding f = {.value = value};
  snprintf(f.path, sizeof f.path, "%s", path);
  find(&f, message);
  return fail_at(scene, &f, without_owner(message));
}

// The velocity of the fastest body that is there from the beginning, if it is above least.
static finding fastest_body(const firn_scene *scene, double least) {
  const firn_value *snow = firn_value_find(scene->root, "snow");
  finding f = {.value = NULL};
  int i = 0;
  for (const firn_value *s = snow ? snow->first : NULL; s; s = s->next, i++) {
    const firn_value *v = firn_value_find(s, "velocity");
    const double *u = firn_value_vec3(s, "velocity");
    double speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    if (!v || !v->given || firn_value_number(s, "time") > 0 || !(speed > least)) continue;
    least = speed;
    f.value = v;
    snprintf(f.path, sizeof f.path, "snow[%d].velocity", i);
  }
  return f;
}

firn_status firn_scene_too_fast(const firn_scene *scene, const firn_sim *sim, firn_status status) {
  firn_mpm_def mpm;
  char message[FIRN_MESSAGE_SIZE];
  snprintf(message, sizeof message, "%s", firn_context_message(scene->context));
  bool known = status == FIRN_ERROR_STEP &&
               firn_sim_settings(sim, "mpm", &mpm, sizeof mpm) == FIRN_OK;
  finding f = {.value = NULL};
  if (known && mpm.dt_min > 0) f = fastest_body(scene, mpm.cfl * scene->h / mpm.dt_min);
  if (f.value) return fail_at(scene, &f, without_owner(message));
  return firn_fail(scene->context, status, "%s", message);
}

// The shape of the body with the most particles.
static finding largest_body(const firn_scene *scene) {
  const firn_value *snow = firn_value_find(scene->root, "snow");
  finding f = {.value = scene->root};
  double most = -1;
  int i = 0;
  for (const firn_value *s = snow ? snow->first : NULL; s; s = s->next, i++) {
    const firn_value *shape = firn_value_find(s, "shape");
    if (!shape || !shape->shape) continue;
    double volume = s->next || i ? firn_shape_volume(shape->shape) : 0;
    if (volume * firn_value_number(s, "per_cell") <= most) continue;
    most = volume * firn_value_number(s, "per_cell");
    f.value = shape;
    snprintf(f.path, sizeof f.path, "snow[%d].shape", i);
  }
  return f;
}

firn_status firn_scene_too_large(const firn_scene *scene, const char *message) {
  static const char *const sizes[] = {"quality", "spacing", "h"};
  if (!scene || !message) return FIRN_ERROR_ARGUMENT;
  finding f = largest_body(scene);
  // Whoever had the last word: --set spacing=1e-6 rather than a ball that was good without.
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    const firn_value *v = firn_value_find(scene->root, sizes[i]);
    if (!v || !v->given || v->mark.level <= f.value->mark.level) continue;
    f.value = v;
    snprintf(f.path, sizeof f.path, "%s", sizes[i]);
  }
  return fail_at(scene, &f, message);
}

// The value of a path as "snow[1].shape.sphere", or the nearest above it that the scene has.
static const firn_value *value_at(const firn_value *v, const char *path) {
  while (*path) {
    const firn_value *next = NULL;
    char key[80];
    int i = 0;
    if (*path == '[') {
      int number = (int)strtol(path + 1, NULL, 10);
      for (next = v->first; next && i < number; next = next->next) i++;
      path += strcspn(path, "]") + 1;
    } else {
      size_t length = strcspn(path, ".[");
      snprintf(key, sizeof key, "%.*s", (int)length, path);
      next = firn_value_find(v, key);
      path += length;
    }
    if (!next) return v;
    path += *path == '.';
    v = next;
  }
  return v;
}

firn_status firn_scene_fail_at(const firn_scene *scene, const char *path, const char *sentence) {
  firn_report report = {.context = scene->context};
  memcpy(report.files, scene->report.files, sizeof report.files);
  firn_report_add(&report, value_at(scene->root, path)->mark, "", "%s", sentence);
  firn_status status = report.failed ? FIRN_ERROR_MEMORY : firn_report_fail(&report);
  firn_report_free(&report);
  return status;
}
