// SPDX-License-Identifier: Apache-2.0
// What values options take, for their parsers and for the completion of shells, which asks by
// `firn help --values VERB OPTION [SCENE]`.
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct option_values {
  const char *verb, *option; // verb NULL: of any
  const char *const *words;
} option_values;

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

// Numbers are those that are asked for most; others are as good.
static const option_values table[] = {
    {NULL, "--solver", WORDS("mpm", "sph", "flip")},
    {NULL, "--quality", WORDS("0.25", "0.5", "1", "2")},
    {NULL, "--device", WORDS("auto", "cpu")},
    {"refine", "--mode", WORDS("ballistic", "printed")},
    {"bench", "--sleep", WORDS("on", "off")},
    {"export", "--up", WORDS("y", "z")},
    {"render", "--format", WORDS("png", "exr")},
    {"render", "--map", WORDS("deep", "ember", "grey", "balance")},
    {"render", "--view", WORDS("front", "back", "left", "right", "top")},
    {"render", "--size", WORDS("640x360", "1280x720", "1920x1080", "3840x2160")},
    {"render", "--color",
     WORDS("speed", "density", "jp", "pressure", "temperature", "velocity.x", "velocity.y",
           "velocity.z")},
};

const char *const *cli_values(const char *verb, const char *option) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    bool own = !table[i].verb || strcmp(table[i].verb, verb) == 0;
    if (own && strcmp(table[i].option, option) == 0) return table[i].words;
  }
  return NULL;
}

// ------------------------------------------------------------------------------- paths of --set

enum { DEPTH = 32, PATH = 512 };

// A level of a resolved scene: lines that are indented alike.
typedef struct level {
  int indent, items; // items: of a list so far, 0: it is none
  size_t length;     // of the path that leads here
} level;

typedef struct outline {
  char path[PATH];
  level level[DEPTH];
  int depth;
} outline;

// A key or number, behind a dot where something is there already.
static void append(outline *o, const char *text, size_t length) {
  size_t used = strlen(o->path);
  snprintf(o->path + used, PATH - used, "%s%.*s", used ? "." : "", (int)length, text);
}

// Goes to the level of lines that are indented so, a deeper one if need be.
static level *level_at(outline *o, int indent) {
  while (o->depth > 0 && o->level[o->depth - 1].indent > indent) o->depth--;
  if (!o->depth || o->level[o->depth - 1].indent < indent) {
    if (o->depth == DEPTH) return NULL;
    o->level[o->depth++] = (level){.indent = indent, .length = strlen(o->path)};
  }
  level *at = &o->level[o->depth - 1];
  o->path[at->length] = 0;
  return at;
}

// "- " begins an item; the line that is left is indented by two more.
static const char *enter_item(outline *o, const char *line, int *indent) {
  char number[16];
  level *at = level_at(o, *indent);
  if (!at) return NULL;
  snprintf(number, sizeof number, "%d", at->items++);
  append(o, number, strlen(number));
  *indent += 2;
  return line + 2;
}

// Prints the paths of all keys of a resolved scene, as firn_scene_resolved_text writes it.
static void print_paths(const char *text) {
  outline o = {.depth = 0};
  for (const char *line = text; line && *line; line = strchr(line, '\n')) {
    line += *line == '\n';
    int indent = (int)strspn(line, " ");
    const char *at = line + indent;
    if (*at == '#' || *at == '\n' || !*at) continue;
    while (at && strncmp(at, "- ", 2) == 0) at = enter_item(&o, at, &indent);
    size_t length = at ? strcspn(at, ":\n") : 0;
    if (!at || at[length] != ':' || !level_at(&o, indent)) continue;
    append(&o, at, length);
    printf("%s=\n", o.path);
  }
}

// Those of a scene, or of one that has most sections where none is given or it cannot be read.
static int print_scene_paths(const char *name) {
  firn_context_def def = firn_default_context_def();
  firn_context *context;
  firn_scene *scene = NULL;
  def.threads = 1;
  if (firn_context_create(&def, &context) != FIRN_OK) return EXIT_RUN;
  firn_status status = FIRN_OK;
  if (!name || firn_scene_load(context, name, 0, NULL, &scene) != FIRN_OK) {
    firn_scene_destroy(scene);
    scene = NULL;
    status = firn_scene_load(context, "demo", 0, NULL, &scene);
  }
  if (status == FIRN_OK) print_paths(firn_scene_resolved_text(scene));
  firn_scene_destroy(scene);
  firn_context_destroy(context);
  return status == FIRN_OK ? EXIT_OK : EXIT_RUN;
}

int cli_print_values(const char *verb, const char *option, const char *scene) {
  const char *const *words = cli_values(verb, option);
  if (strcmp(option, "--set") == 0 || strcmp(option, "--vary") == 0)
    return print_scene_paths(scene);
  for (int i = 0; words && words[i]; i++) puts(words[i]);
  if (strcmp(option, "--isa") == 0)
    for (int i = FIRN_ISA_AUTO; i <= FIRN_ISA_AVX512; i++) puts(firn_isa_name((firn_isa)i));
  bool export = strcmp(verb, "export") == 0 &&
                (strcmp(option, "--format") == 0 || strcmp(option, "-f") == 0);
  for (int i = 0; export && i < FIRN_EXPORT_FORMAT_COUNT; i++)
    if (firn_export_format_available((firn_export_format)i))
      puts(firn_export_format_name((firn_export_format)i));
  return EXIT_OK;
}
