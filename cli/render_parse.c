// SPDX-License-Identifier: Apache-2.0
// The command line of `firn render`.
#include <stdlib.h>
#include <string.h>

#include "render.h"

enum {
  KEY_FRAMES = 3000,
  KEY_EVERY,
  KEY_SPP,
  KEY_SIZE,
  KEY_DENOISE,
  KEY_PREVIEW,
  KEY_COLOR,
  KEY_RANGE,
  KEY_MAP,
  KEY_CUT,
  KEY_TURNTABLE,
  KEY_VIEW,
  KEY_CAMERA,
  KEY_SCENE,
  KEY_FORMAT,
  KEY_FPS,
  KEY_FORCE,
  KEY_NO_FINE,
  KEY_SET,
  KEY_QUALITY,
  KEY_ALLOW_OUTSIDE,
  KEY_JSON
};

// count numbers with separators between them; false: something else.
static bool read_numbers(const char *text, const char *separators, int count, double *out) {
  for (int i = 0; i < count; i++) {
    char *end;
    out[i] = strtod(text, &end);
    if (end == text || !(out[i] > -1e30 && out[i] < 1e30)) return false;
    if (i + 1 < count && *end != separators[i]) return false;
    text = end + (i + 1 < count);
  }
  return !*text;
}

static void parse_size(render_arguments *a, const char *text, const struct argp_state *state) {
  double size[2] = {0, 0};
  bool good = read_numbers(text, "x", 2, size);
  for (int i = 0; good && i < 2; i++) good = size[i] >= 16 && size[i] <= 16384;
  if (!good || size[0] != (int)size[0] || size[1] != (int)size[1])
    argp_error(state, "--size: '%s' is not a size as 1280x720, of 16 to 16384 pixels", text);
  a->width = (int)size[0];
  a->height = (int)size[1];
}

static void parse_range(render_arguments *a, const char *text, const struct argp_state *state) {
  if (!read_numbers(text, ":", 2, a->range) || !(a->range[0] < a->range[1]))
    argp_error(state, "--range: '%s' is not a range as 0:2.5", text);
}

// "x>0.1" or "1,0,0,0.1", which is the same with any direction. False: neither.
static bool read_plane(const char *text, double plane[4]) {
  int axis = *text >= 'x' && *text <= 'z' ? *text - 'x' : -1;
  char sign = axis >= 0 ? text[1] : 0;
  memset(plane, 0, 4 * sizeof *plane);
  if (axis < 0 || (sign != '<' && sign != '>'))
    return read_numbers(text, ",,,", 4, plane) && (plane[0] != 0 || plane[1] != 0 || plane[2] != 0);
  plane[axis] = sign == '>' ? 1 : -1;
  if (!read_numbers(text + 2, "", 1, &plane[3])) return false;
  if (sign == '<') plane[3] = -plane[3];
  return true;
}

// "x>0.1 & z>0": what lies beyond all of these planes.
static void parse_cut(render_arguments *a, const char *text, const struct argp_state *state) {
  if (a->cut_count == FIRN_CUTS) argp_error(state, "more than %d times --cut", FIRN_CUTS);
  firn_cut_def *cut = &a->cuts[a->cut_count++];
  for (const char *at = text; at;) {
    char one[200];
    const char *end = strchr(at, '&');
    while (*at == ' ') at++;
    int length = (int)(end ? end - at : (ptrdiff_t)strlen(at));
    while (length > 0 && at[length - 1] == ' ') length--;
    snprintf(one, sizeof one, "%.*s", length, at);
    if (cut->count == FIRN_CUT_PLANES)
      argp_error(state, "--cut: '%s' has more than %d planes", text, FIRN_CUT_PLANES);
    if (!read_plane(one, cut->plane[cut->count++]))
      argp_error(state,
                 "--cut: '%s' is neither as 'x>0.1' nor as 'NX,NY,NZ,D'; several, joined by &, are "
                 "what is beyond all of them",
                 one);
    at = end ? end + 1 : NULL;
  }
}

static void parse_view(render_arguments *a, const char *text, const struct argp_state *state) {
  static const struct {
    const char *name;
    double view[3];
  } known[] = {{"front", {0, -0.15, -1}},
               {"back", {0, -0.15, 1}},
               {"left", {1, -0.15, 0}},
               {"right", {-1, -0.15, 0}},
               {"top", {0, -1, 0}}};
  a->has_view = true;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].name, text) == 0) {
      memcpy(a->view, known[i].view, sizeof a->view);
      return;
    }
  if (!read_numbers(text, ",,", 3, a->view) ||
      (a->view[0] == 0 && a->view[1] == 0 && a->view[2] == 0))
    argp_error(state,
               "--view: '%s' is neither a direction as -1,-0.3,0 nor front, back, left, right, top",
               text);
}

static void parse_camera(render_arguments *a, const char *text, const struct argp_state *state) {
  a->camera[6] = 0;
  bool good = read_numbers(text, ",,:,,:", 7, a->camera);
  if (good && !(a->camera[6] > 0 && a->camera[6] < 170)) good = false;
  if (!good) {
    a->camera[6] = 0;
    good = read_numbers(text, ",,:,,", 6, a->camera);
  }
  if (!good || memcmp(a->camera, a->camera + 3, 3 * sizeof(double)) == 0)
    argp_error(state, "--camera: '%s' is not as EYE:TARGET or EYE:TARGET:FOV, say 0,1,3:0,0.2,0:30",
               text);
  a->has_camera = true;
}

static firn_color_map parse_map(const char *text, const struct argp_state *state) {
  return (firn_color_map)cli_choice(state, "--map", text, cli_values("render", "--map"));
}

static void check_all(render_arguments *a, const struct argp_state *state) {
  cli_argument(state, "folder", NULL, &a->source);
  bool quick = a->preview;
  if (quick && a->exr) argp_error(state, "--format exr: previews are PNG files");
  if (a->output && render_ends_with(a->output, ".mp4") && a->exr)
    argp_error(state, "--format exr: a film is made of PNG files");
  if (a->has_view && a->has_camera) argp_error(state, "--view and --camera exclude each other");
  // What is not simulated is not worth a path traced picture.
  if (a->frames_given && render_is_scene(a->source)) {
    a->preview = true;
    if (a->exr) argp_error(state, "--format exr: previews are PNG files");
    if (a->turntable)
      argp_error(state, "--turntable: of a scene it shows frame 0 alone; leave out --frames");
  }
  if (a->turntable && a->every > 1)
    argp_error(state, "--turntable goes round one frame; --every chooses among several");
  if (a->turntable && a->frames_given && a->first != a->last)
    argp_error(state, "--turntable goes round one frame; give --frames N, or none for the last");
  if (a->turntable && a->output &&
      (render_ends_with(a->output, ".png") || render_ends_with(a->output, ".exr")))
    argp_error(state, "--turntable: %d pictures do not fit into %s; give a folder or an .mp4 file",
               a->turntable, a->output);
  if (a->range[1] > a->range[0] && !a->color)
    argp_error(state, "--range: of which field? Give --color");
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  render_arguments *a = state->input;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &a->options; return 0;
  case 'o': a->output = arg; return 0;
  case 'q':
    cli_wait_off();
    a->mode = PROGRESS_QUIET;
    return 0;
  case KEY_JSON:
    cli_wait_off();
    a->mode = PROGRESS_JSON;
    return 0;
  case KEY_FRAMES:
    cli_frames(state, arg, &a->first, &a->last);
    a->frames_given = true;
    return 0;
  case KEY_EVERY: a->every = (int)cli_number(state, "--every", arg, 1, 99999); return 0;
  case KEY_SPP: a->samples = (int)cli_number(state, "--spp", arg, 1, 1000000); return 0;
  case KEY_SIZE: parse_size(a, arg, state); return 0;
  case KEY_DENOISE: a->denoise = true; return 0;
  case KEY_PREVIEW: a->preview = true; return 0;
  case KEY_COLOR:
    a->color = arg;
    a->preview = true;
    return 0;
  case KEY_RANGE: parse_range(a, arg, state); return 0;
  case KEY_MAP: a->map = parse_map(arg, state); return 0;
  case KEY_CUT: parse_cut(a, arg, state); return 0;
  case KEY_TURNTABLE: a->turntable = (int)cli_number(state, "--turntable", arg, 2, 99999); return 0;
  case KEY_VIEW: parse_view(a, arg, state); return 0;
  case KEY_CAMERA: parse_camera(a, arg, state); return 0;
  case KEY_SCENE: a->scene = arg; return 0;
  case KEY_FORMAT:
    a->exr = cli_choice(state, "--format", arg, cli_values("render", "--format")) == 1;
    return 0;
  case KEY_FPS: a->fps = cli_real(state, "--fps", arg, 0.1, 1000); return 0;
  case KEY_FORCE: a->force = true; return 0;
  case KEY_NO_FINE: a->no_fine = true; return 0;
  case KEY_ALLOW_OUTSIDE: a->options.allow_outside = true; return 0;
  case KEY_SET: cli_add_override(state, &a->options, arg); return 0;
  case KEY_QUALITY: {
    static char quality[64];
    snprintf(quality, sizeof quality, "quality=%.50s", arg);
    a->quality = arg;
    cli_add_override(state, &a->options, quality);
    return 0;
  }
  case ARGP_KEY_ARG: cli_argument(state, "folder", arg, &a->source); return 0;
  case ARGP_KEY_END: check_all(a, state); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"output", 'o', "OUT", 0,
     "one picture (.png or .exr), a film (.mp4), or a folder for numbered pictures "
     "(default: a picture beside the frames)",
     0},
    {"frames", KEY_FRAMES, "A:B", 0,
     "frames to show, both ends included (default: all for a film or folder, else the last). Of a "
     "scene, an "
     "animatic: previews in which bodies move and outlines show where snow will come from, while "
     "the snow stays as "
     "it was laid",
     0},
    {"every", KEY_EVERY, "N", 0, "only every N-th of them", 0},
    {"size", KEY_SIZE, "WxH", 0, "pixels (default: render.size of the scene)", 0},
    {"spp", KEY_SPP, "N", 0, "paths a pixel (default: render.samples); 4 times: half the noise", 0},
    {"denoise", KEY_DENOISE, NULL, 0, "take noise away, and a little of what it hides", 0},
    {"view", KEY_VIEW, "X,Y,Z", 0,
     "look in this direction (or front, back, left, right, top) at all of the snow", 0},
    {"camera", KEY_CAMERA, "EYE:TARGET", 0,
     "stand here and look there, as 0,1,3:0,0.2,0; a field of view in degrees may follow, as :30",
     0},
    {"cut", KEY_CUT, "PLANE", 0,
     "leave out the snow beyond a plane, as 'x>0.1' or NX,NY,NZ,D, to see inside; 'x>0 & z>0': a "
     "corner of it. May be given several times",
     0},
    {"turntable", KEY_TURNTABLE, "N", 0,
     "N pictures of one frame from all around it, into a folder or film", 0},
    {"allow-outside", KEY_ALLOW_OUTSIDE, NULL, 0,
     "let the scene include files that are not below its own folder", 0},
    {"set", KEY_SET, "PATH=VALUE", 0,
     "change a value of the scene, as render.sun.height='20 deg'; may be given several times", 0},
    {"quality", KEY_QUALITY, "Q", 0, "of a scene: the same as --set quality=Q", 0},
    {"scene", KEY_SCENE, "FILE", 0,
     "take colliders and settings from here (default: scene.yaml beside the frames)", 0},
    {"format", KEY_FORMAT, "NAME", 0, "of pictures in a folder: png or exr", 0},
    {"fps", KEY_FPS, "N", 0, "frames a second of a film (default: those of the scene)", 0},
    {"force", KEY_FORCE, NULL, 0,
     "render also what an earlier call has left finished, and replace pictures of other settings",
     0},
    {"no-fine", KEY_NO_FINE, NULL, 0,
     "the particles of the run, where `firn refine` has made fine ones of them", 0},
    {"quiet", 'q', NULL, 0, "say nothing but errors", 0},
    {"json", KEY_JSON, NULL, 0, "one JSON object a line, for programs", 0},
    {NULL, 0, NULL, 0, "Quick pictures:", 1},
    {"preview", KEY_PREVIEW, NULL, 0, "lit points in a fraction of a second", 1},
    {"color", KEY_COLOR, "FIELD", 0,
     "colour by speed, density, jp, pressure, velocity.y, stress.xx ... whatever the frames hold",
     1},
    {"range", KEY_RANGE, "A:B", 0, "values at the ends of the colour bar (default: of the frames)",
     1},
    {"map", KEY_MAP, "NAME", 0, "colours: deep (default), ember, grey or balance", 1},
    {0},
};
static const struct argp parser = {
    .options = options,
    .parser = parse,
    .args_doc = "DIR|FRAME.hdf|SCENE",
    .doc =
        "Takes pictures of what a run has written, or of how a scene will begin: by path tracing, "
        "or quickly with --preview.\v"
        "A film or folder remembers its settings and which pictures are whole: after Ctrl-C the "
        "same "
        "command goes on where it stopped.",
    .children = cli_context_children};

void render_parse(int argc, char **argv, render_arguments *a) {
  *a = (render_arguments){.last = -1, .every = 1};
  cli_parse(&parser, argc, argv, a);
}
