// SPDX-License-Identifier: Apache-2.0
// firn export DIR --format F: the frames of a run as files of other programs.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

enum {
  KEY_FRAMES = 3000,
  KEY_FIELDS,
  KEY_SURFACE,
  KEY_UP,
  KEY_CELL,
  KEY_DENSITY,
  KEY_LEVEL,
  KEY_SMOOTH,
  KEY_SPRAY,
  KEY_VELOCITY,
  KEY_SET,
  KEY_JSON
};

typedef struct {
  cli_options options;
  firn_export_def def;
  const char *shaping; // the last option given that is about surfaces alone
  bool has_format, quiet, json, live, open;
  firn_export_event last; // path is not kept
  char folder[4096];      // of the last file
} arguments;

static firn_export_format parse_format(const char *text, const struct argp_state *state) {
  const char *names[FIRN_EXPORT_FORMAT_COUNT + 1] = {0};
  for (int i = 0; i < FIRN_EXPORT_FORMAT_COUNT; i++)
    names[i] = firn_export_format_name((firn_export_format)i);
  return (firn_export_format)cli_choice(state, "--format", text, names);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &a->options; return 0;
  case 'f':
    a->def.format = parse_format(arg, state);
    a->has_format = true;
    return 0;
  case 'o': a->def.folder = arg; return 0;
  case 'q':
    cli_wait_off();
    a->quiet = true;
    return 0;
  case KEY_JSON:
    cli_wait_off();
    a->json = true;
    return 0;
  case KEY_FRAMES: cli_frames(state, arg, &a->def.first_frame, &a->def.last_frame); return 0;
  case KEY_FIELDS: a->def.fields = arg; return 0;
  case KEY_SURFACE: a->def.surface = true; return 0;
  case KEY_UP:
    a->def.z_up = cli_choice(state, "--up", arg, cli_values("export", "--up")) == 1;
    return 0;
  case KEY_CELL: a->def.cell = cli_real(state, "--cell", arg, 0, 1e9); return 0;
  case KEY_DENSITY: a->def.density = cli_real(state, "--density", arg, 0, 1e9); return 0;
  case KEY_LEVEL:
    a->def.level = cli_real(state, "--level", arg, 0, 1e9);
    a->shaping = "--level";
    return 0;
  case KEY_SMOOTH:
    a->def.smooth = (int)cli_number(state, "--smooth", arg, 0, 1000);
    a->shaping = "--smooth";
    return 0;
  case KEY_SPRAY:
    a->shaping = "--spray";
    a->def.spray = strcmp(arg, "none") == 0 ? 0 : cli_real(state, "--spray", arg, 0, 100);
    return 0;
  case KEY_VELOCITY: a->def.velocity = arg; return 0;
  case KEY_SET: cli_add_override(state, &a->options, arg); return 0;
  case ARGP_KEY_ARG: cli_argument(state, "folder", arg, &a->def.source); return 0;
  case ARGP_KEY_END:
    cli_argument(state, "folder", NULL, &a->def.source);
    if (!a->has_format)
      argp_error(state, "which format? Give --format vtp, ply, bgeo, csv, vdb or obj");
    if (a->options.override_count && a->def.format != FIRN_EXPORT_VDB)
      argp_error(state, "--set changes the look of the snow, which only vdb has");
    if (a->shaping && a->def.format != FIRN_EXPORT_OBJ && !a->def.surface)
      argp_error(state, "%s is about surfaces: obj, or ply with --surface", a->shaping);
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"format", 'f', "NAME", 0, "vtp, ply, bgeo, csv, vdb or obj; must be given, see below", 0},
    {"output", 'o', "DIR", 0,
     "folder to write into (default: one named after the format, in that of the run)", 0},
    {"frames", KEY_FRAMES, "A:B", 0, "frames to export, both ends included (default: all)", 0},
    {"fields", KEY_FIELDS, "A,B", 0, "fields of the particles, as velocity,jp (default: all)", 0},
    {"surface", KEY_SURFACE, NULL, 0, "ply: the surface of the snow instead of its particles", 0},
    {"up", KEY_UP, "AXIS", 0, "which axis is up: y (default, as in firn) or z (as in Blender)", 0},
    {"quiet", 'q', NULL, 0, "say nothing but errors", 0},
    {"json", KEY_JSON, NULL, 0, "tell the progress as one JSON object a line, for programs", 0},
    {NULL, 0, NULL, 0, "Surfaces and grids:", 1},
    {"cell", KEY_CELL, "METRES", 0,
     "spacing of the grid (default: h/2; vdb: the voxel of firn render)", 1},
    {"level", KEY_LEVEL, "FRACTION", 0,
     "the surface is where the density falls below this fraction of the snow's (default: 0.5)", 1},
    {"smooth", KEY_SMOOTH, "N", 0, "smoothing steps of the surface (default: 5)", 1},
    {"spray", KEY_SPRAY, "SIZE", 0,
     "radius of the balls that lone particles become (default: 1, which keeps their volume), or "
     "none",
     1},
    {"density", KEY_DENSITY, "KG/M^3", 0,
     "density of undisturbed snow (default: the median of the first frame)", 1},
    {"velocity", KEY_VELOCITY, "NAME", 0,
     "vdb: name of the grid of velocities (default: velocity, as in Blender; Houdini: vel)", 1},
    {"set", KEY_SET, "PATH=VALUE", 0,
     "vdb: change the look of the snow, as in render.snow.detail=0; may be given often", 1},
    {0},
};
static const struct argp parser = {
    .options = options,
    .parser = parse,
    .args_doc = "DIR|FILE",
    .doc = "Writes the frames of a run (DIR), or one frame (FILE), for other programs.\v"
           "Formats:\n"
           "  vtp   particles for ParaView: open frames.vtp.series\n"
           "  ply   particles for Blender or MeshLab; with --surface, triangles\n"
           "  bgeo  particles for Houdini\n"
           "  csv   particles as text\n"
           "  vdb   density and velocity on a grid, for Blender and Houdini\n"
           "  obj   the surface of the snow, for everyone\n\n"
           "Example: firn export out --format ply --surface --up z",
    .children = cli_context_children};

static void print_line(const firn_export_event *e, bool live) {
  char a[32], b[32], c[32], size[80] = "";
  if (e->triangles)
    snprintf(size, sizeof size, "  %s triangles", cli_short((double)e->triangles, b));
  double left = e->wall / e->done * (e->total - e->done);
  if (live) putchar('\r');
  printf("frame %d  %d/%d  %s particles%s  %s", e->frame, e->done, e->total,
         cli_short((double)e->particles, a), size, cli_bytes((double)e->bytes, c));
  if (live)
    printf("  %s left\033[K", cli_duration(left, a));
  else
    putchar('\n');
  fflush(stdout);
}

static void print_json(const firn_export_event *e) {
  printf("{\"event\": \"frame\", \"frame\": %d, \"done\": %d, \"total\": %d, \"path\": ", e->frame,
         e->done, e->total);
  cli_json_string(stdout, e->path);
  printf(", \"particles\": %zu, \"vertices\": %zu, \"triangles\": %zu, \"file_bytes\": %llu}\n",
         e->particles, e->vertices, e->triangles, (unsigned long long)e->bytes);
  fflush(stdout);
}

static bool on_event(void *user, const firn_export_event *event) {
  arguments *a = user;
  a->last = *event;
  const char *slash = strrchr(event->path, '/');
  snprintf(a->folder, sizeof a->folder, "%.*s", slash ? (int)(slash - event->path) : 0,
           event->path);
  if (a->json) {
    print_json(event);
  } else if (!a->quiet) {
    print_line(event, a->live);
    a->open = a->live;
  }
  return !cli_interrupted();
}

static void report(const arguments *a) {
  const firn_export_event *e = &a->last;
  char bytes[32], wall[32];
  if (a->json) {
    printf("{\"event\": \"end\", \"frames\": %d, \"folder\": ", e->done);
    cli_json_string(stdout, a->folder);
    printf(", \"file_bytes\": %llu, \"wall_seconds\": ", (unsigned long long)e->bytes);
    cli_json_number(stdout, e->wall);
    printf("}\n");
    return;
  }
  if (a->quiet) return;
  printf("%d frame%s, %s in %s; %s%s is in %s\n", e->done, e->done == 1 ? "" : "s",
         cli_bytes((double)e->bytes, bytes), cli_duration(e->wall, wall),
         a->def.format == FIRN_EXPORT_VTP && e->total > 1 ? "frames.vtp.series with " : "",
         e->done == 1 ? "it" : "all", a->folder);
}

// Grids are made as pictures are: by the scene that lies beside the frames, or, of fine particles, beside
// their folder.
static int find_look(firn_context *context, arguments *a) {
  firn_folder *frames;
  firn_render_def render = firn_default_render_def();
  char path[4096 + 32];
  firn_status status = firn_folder_open(context, a->def.source, &frames);
  if (status != FIRN_OK) return cli_fail(context, status);
  const char *folder = firn_folder_path(frames);
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/') length--;
  bool fine = length >= 4 && strncmp(folder + length - 4, "fine", 4) == 0 &&
              (length == 4 || folder[length - 5] == '/');
  snprintf(path, sizeof path, "%.*s/%sscene.yaml", (int)(length < 4000 ? length : 4000), folder,
           fine ? "../" : "");
  firn_folder_close(frames);
  if (access(path, R_OK) != 0) {
    if (!a->options.override_count) return EXIT_OK;
    fprintf(stderr, "firn: %s is not there, so --set has nothing to change\n", path);
    return EXIT_INPUT;
  }
  firn_scene *scene = cli_scene(context, path, &a->options, stderr);
  if (!scene) return EXIT_INPUT;
  status = firn_scene_render_def(scene, 0, &render);
  firn_scene_destroy(scene);
  if (status != FIRN_OK) return cli_fail(context, status);
  a->def.snow = render.snow;
  return EXIT_OK;
}

int cli_export(int argc, char **argv) {
  arguments a = {.def = firn_default_export_def()};
  cli_parse(&parser, argc, argv, &a);
  struct stat info;
  if (stat(a.def.source, &info) != 0) {
    fprintf(stderr, "firn: %s: %s\n", a.def.source, strerror(errno));
    return EXIT_INPUT;
  }
  firn_context *context = cli_context(&a.options);
  if (!context) return EXIT_INPUT;
  int code = a.def.format == FIRN_EXPORT_VDB ? find_look(context, &a) : EXIT_OK;
  if (code != EXIT_OK) {
    firn_context_destroy(context);
    return code;
  }
  cli_catch_signals();
  a.live = !a.quiet && !a.json && isatty(STDOUT_FILENO);
  a.def.event = on_event;
  a.def.event_user = &a;
  firn_status status = firn_export(context, &a.def);
  if (a.open) putchar('\n');
  if (status == FIRN_OK) {
    report(&a);
  } else {
    code = cli_fail_run(context, status, a.json ? PROGRESS_JSON : PROGRESS_AUTO);
    if (status == FIRN_ERROR_FORMAT && a.last.done) code = EXIT_RUN; // other frames were whole
  }
  firn_context_destroy(context);
  return code;
}
