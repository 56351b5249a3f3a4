// SPDX-License-Identifier: Apache-2.0
// What varies in a parameter study, and the names that follow from it.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

// The end of a path that says enough: "materials.snow.young" gives "young", "snow.0.velocity" gives
// "velocity", "gravity.1" gives "gravity.1".
static const char *short_name(const char *path) {
  const char *dot = strrchr(path, '.');
  if (!dot) return path;
  if (!isdigit((unsigned char)dot[1])) return dot + 1;
  const char *before = dot;
  while (before > path && before[-1] != '.') before--;
  return before;
}

// The end of the value that begins at text: a comma outside of brackets and quotes, or the end.
static const char *value_end(const char *text) {
  int depth = 0;
  char quote = 0;
  for (; *text; text++) {
    if (quote) {
      if (*text == quote) quote = 0;
    } else if (*text == '\'' || *text == '"') {
      quote = *text;
    } else if (*text == '[' || *text == '{') {
      depth++;
    } else if (*text == ']' || *text == '}') {
      depth--;
    } else if (*text == ',' && depth <= 0) {
      break;
    }
  }
  return text;
}

const char *sweep_axis_parse(sweep_axis *axis, const char *text) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text) return "expected PATH=VALUE,VALUE,...";
  if ((size_t)(equals - text) >= sizeof axis->path) return "the path is too long";
  memset(axis, 0, sizeof *axis);
  memcpy(axis->path, text, (size_t)(equals - text));
  axis->name = short_name(axis->path);
  for (const char *p = equals + 1;;) {
    while (*p == ' ') p++;
    const char *end = value_end(p), *last = end;
    while (last > p && last[-1] == ' ') last--;
    if (last == p) return "a value is empty";
    if (axis->count == SWEEP_VALUES) return "too many values";
    axis->value[axis->count] = strndup(p, (size_t)(last - p));
    if (!axis->value[axis->count++]) return "out of memory";
    if (!*end) return NULL;
    p = end + 1;
  }
}

void sweep_axis_free(sweep_axis *axis) {
  for (int i = 0; i < axis->count; i++) free(axis->value[i]);
  axis->count = 0;
}

const char *sweep_value(const sweep *s, int run, int axis) {
  for (int a = s->axis_count - 1; a > axis; a--) run /= s->axis[a].count;
  return s->axis[axis].value[run % s->axis[axis].count];
}

void sweep_name(const sweep *s, int run, char *name, size_t size) {
  char text[512] = "";
  size_t used = 0;
  for (int a = 0; a < s->axis_count && used < sizeof text; a++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%s", a ? "_" : "",
                             s->axis[a].name, sweep_value(s, run, a));
  // What shells and file systems might take badly is left out.
  size_t n = (size_t)snprintf(name, size, "%03d-", run + 1);
  for (const char *c = text; *c && n < size - 1 && n < 120; c++)
    if (isalnum((unsigned char)*c) || strchr("._=+,-", *c)) name[n++] = *c;
  name[n] = 0;
}

void sweep_folder(const sweep *s, int run, char *folder, size_t size) {
  char name[256];
  sweep_name(s, run, name, sizeof name);
  snprintf(folder, size, "%s/%s", s->folder, name);
}

void sweep_label(const sweep *s, int run, const char *between, char *label, size_t size) {
  size_t used = 0;
  label[0] = 0;
  for (int a = 0; a < s->axis_count && used < size; a++)
    used += (size_t)snprintf(label + used, size - used, "%s%s = %s", a ? between : "",
                             s->axis[a].name, sweep_value(s, run, a));
}
