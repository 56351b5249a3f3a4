// SPDX-License-Identifier: Apache-2.0
#include "scene/making.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "geometry/shape.h"
#include "scene/reader.h"

// The path is all that is needed of a reader here.
typedef struct {
  firn_scene *scene;
  firn_reader at;
} maker;

// The path names the shape already.
static const char *without(const char *message, const char *what) {
  size_t length = strlen(what);
  bool same = length && strncmp(message, what, length) == 0 &&
              strncmp(message + length, ": ", 2) == 0;
  return same ? message + length + 2 : message;
}

static void fail_with(maker *m, firn_mark mark, const char *what, firn_status status) {
  if (status == FIRN_ERROR_MEMORY)
    m->scene->arena.failed = true;
  else
    FIRN_READ_FAIL(&m->at, mark, "%s", without(firn_context_message(m->scene->context), what));
}

static void copy3(double to[3], const double from[3]) {
  memcpy(to, from, 3 * sizeof to[0]);
}

// ---------------------------------------------------------------------------------------- tracks

void firn_scene_make_tracks(firn_scene *scene) {
  for (firn_value_keys *k = scene->keys; k; k = k->next) {
    firn_status status = firn_track_make(scene->context, &k->def, k->width, k->value->key,
                                         &k->track);
    if (status == FIRN_ERROR_MEMORY)
      scene->arena.failed = true;
    else if (status != FIRN_OK)
      firn_report_add(&scene->report, k->value->mark, "", "%s",
                      firn_context_message(scene->context));
    else
      firn_track_value(&k->track, 0, k->value->number, NULL);
  }
}

// ---------------------------------------------------------------------------------------- shapes

static firn_shape *make_shape(maker *m, const firn_value *choice);

static void solid_def(const firn_value *v, firn_shape_def *def) {
  copy3(def->center, firn_value_vec3(v, def->kind == FIRN_SHAPE_HALF_SPACE ? "point" : "center"));
  copy3(def->normal, firn_value_vec3(v, def->kind == FIRN_SHAPE_TORUS ? "axis" : "normal"));
  copy3(def->from, firn_value_vec3(v, "from"));
  copy3(def->to, firn_value_vec3(v, "to"));
  def->radius = firn_value_number(v, "radius");
  bool same = def->kind == FIRN_SHAPE_CAPSULE && !firn_value_find(v, "radius_to");
  def->radius_to = same ? def->radius : firn_value_number(v, "radius_to");
  def->tube = firn_value_number(v, "tube");
  def->rounding = firn_value_number(v, "rounding");
  const double *size = firn_value_vec3(v, "size"), *radii = firn_value_vec3(v, "radii");
  for (int a = 0; a < 3; a++)
    def->half[a] = def->kind == FIRN_SHAPE_ELLIPSOID ? radii[a] : size[a] / 2;
}

// Points of the outline and of its holes behind each other, as the library wants them.
static bool outline_def(maker *m, const firn_value *v, firn_shape_def *def) {
  const firn_value *holes = firn_value_find(v, "holes");
  int points = firn_value_find(v, "points")->count, contours = 1;
  bool bulges = firn_value_find(v, "bulge");
  for (const firn_value *h = holes ? holes->first : NULL; h; h = h->next, contours++) {
    points += firn_value_find(h, "points")->count;
    bulges = bulges || firn_value_find(h, "bulge");
  }
  firn_arena *arena = &m->scene->arena;
  double *all = firn_arena_alloc(arena, sizeof(double) * 2 * (size_t)points);
  double *bulge = firn_arena_alloc(arena, sizeof(double) * (size_t)points);
  int *lengths = firn_arena_alloc(arena, sizeof(int) * (size_t)contours);
  if (!all || !bulge || !lengths) return false;
  int at = 0, i = 0;
  for (const firn_value *c = v; c; c = c == v ? (holes ? holes->first : NULL) : c->next, i++) {
    const firn_value *p = firn_value_find(c, "points"), *b = firn_value_find(c, "bulge");
    if (p->count)
      memcpy(all + (ptrdiff_t)2 * at, p->numbers, sizeof(double) * 2 * (size_t)p->count);
    if (b && b->count != p->count) {
      FIRN_READ_FAIL(&m->at, b->mark, "bulge has %d numbers for %d points", b->count, p->count);
      return false;
    }
    if (b && b->count) memcpy(bulge + at, b->numbers, sizeof(double) * (size_t)b->count);
    lengths[i] = p->count;
    at += p->count;
  }
  copy3(def->center, firn_value_vec3(v, "center"));
  def->points = all;
  def->point_count = points;
  def->bulge = bulges ? bulge : NULL;
  if (def->kind == FIRN_SHAPE_POLYGON) {
    def->contours = lengths;
    def->contour_count = contours;
  }
  def->closed = firn_value_number(v, "closed") != 0;
  def->thickness = firn_value_number(v, "thickness");
  def->depth = firn_value_number(v, "depth");
  return true;
}

static void text_def(const firn_value *v, firn_shape_def *def) {
  *def = firn_text(firn_value_vec3(v, "center"), firn_value_text(v, "text"),
                   firn_value_number(v, "height"), firn_value_number(v, "depth"));
  if (firn_value_find(v, "thickness")) def->thickness = firn_value_number(v, "thickness");
  def->spacing = firn_value_number(v, "spacing");
  def->line_spacing = firn_value_number(v, "line_spacing");
  def->align = firn_value_is(v, "align", "left")     ? FIRN_ALIGN_LEFT
               : firn_value_is(v, "align", "center") ? FIRN_ALIGN_CENTER
                                                     : FIRN_ALIGN_RIGHT;
}

static void noise_def(const firn_value *v, firn_shape_def *def) {
  def->amplitude = firn_value_number(v, "amplitude");
  def->wavelength = firn_value_number(v, "wavelength");
  def->octaves = (int)firn_value_number(v, "octaves");
  def->seed = (uint64_t)firn_value_number(v, "seed");
}

static void height_field_def(const firn_value *v, firn_shape_def *def) {
  copy3(def->center, firn_value_vec3(v, "center"));
  memcpy(def->size, firn_value_vec3(v, "size"), sizeof def->size);
  const firn_value *image = firn_value_find(v, "image");
  def->image = image ? image->text : NULL;
  noise_def(v, def);
  def->depth = firn_value_number(v, "depth");
}

static firn_mesh_def mesh_def(const firn_value *v) {
  firn_mesh_def def = firn_default_mesh_def();
  def.up = firn_value_is(v, "up", "z") ? FIRN_UP_Z : FIRN_UP_Y;
  def.scale = firn_value_number(v, "scale");
  def.weld = firn_value_number(v, "weld");
  def.holes = firn_value_is(v, "holes", "fill") ? FIRN_HOLES_FILL : FIRN_HOLES_KEEP;
  return def;
}

static bool mesh_shape_def(maker *m, const firn_value *v, firn_shape_def *def, firn_mesh **mesh) {
  const firn_value *file = firn_value_find(v, "file");
  firn_mesh_def load = mesh_def(v);
  firn_status status = firn_mesh_load(m->scene->context, file->text, &load, mesh);
  if (status != FIRN_OK) {
    size_t before = firn_reader_push(&m->at, ".file");
    fail_with(m, file->mark, "", status);
    firn_reader_pop(&m->at, before);
    return false;
  }
  def->mesh = *mesh;
  def->voxel = firn_value_number(v, "voxel");
  def->band = (int)firn_value_number(v, "band");
  return true;
}

static bool repeat_def(maker *m, const firn_value *v, firn_shape_def *def) {
  const firn_value *count = firn_value_find(v, "count");
  for (int a = 0; a < 3; a++) {
    if (count->number[a] != floor(count->number[a])) {
      size_t before = firn_reader_push(&m->at, ".count");
      FIRN_READ_FAIL(&m->at, count->mark, "%g is not a whole number", count->number[a]);
      firn_reader_pop(&m->at, before);
      return false;
    }
    def->count[a] = (int)count->number[a];
  }
  copy3(def->step, firn_value_vec3(v, "step"));
  return true;
}

static void wrapped_def(const firn_value *v, firn_shape_def *def) {
  switch (def->kind) {
  case FIRN_SHAPE_SHELL:
    def->inward = firn_value_number(v, "inward");
    def->outward = firn_value_number(v, "outward");
    break;
  case FIRN_SHAPE_OFFSET: def->offset = firn_value_number(v, "by"); break;
  case FIRN_SHAPE_DISPLACE: noise_def(v, def); break;
  case FIRN_SHAPE_MIRROR:
    def->axis = firn_value_text(v, "axis")[0] - 'x';
    def->center[def->axis] = firn_value_number(v, "at");
    break;
  default: break;
  }
}

static const struct {
  const char *key;
  firn_shape_kind kind;
} kinds[] = {
    {"half_space", FIRN_SHAPE_HALF_SPACE},
    {"sphere", FIRN_SHAPE_SPHERE},
    {"box", FIRN_SHAPE_BOX},
    {"ellipsoid", FIRN_SHAPE_ELLIPSOID},
    {"capsule", FIRN_SHAPE_CAPSULE},
    {"cylinder", FIRN_SHAPE_CYLINDER},
    {"cone", FIRN_SHAPE_CONE},
    {"torus", FIRN_SHAPE_TORUS},
    {"prism", FIRN_SHAPE_PRISM},
    {"polygon", FIRN_SHAPE_POLYGON},
    {"path", FIRN_SHAPE_PATH},
    {"text", FIRN_SHAPE_TEXT},
    {"height_field", FIRN_SHAPE_HEIGHT_FIELD},
    {"mesh", FIRN_SHAPE_MESH},
    {"union", FIRN_SHAPE_UNION},
    {"intersection", FIRN_SHAPE_INTERSECTION},
    {"difference", FIRN_SHAPE_DIFFERENCE},
    {"smooth_union", FIRN_SHAPE_SMOOTH_UNION},
    {"shell", FIRN_SHAPE_SHELL},
    {"offset", FIRN_SHAPE_OFFSET},
    {"displace", FIRN_SHAPE_DISPLACE},
    {"repeat", FIRN_SHAPE_REPEAT},
    {"mirror", FIRN_SHAPE_MIRROR},
};

// Children of a union and the like; released by the caller up to *count.
static bool make_children(maker *m, const firn_value *list, firn_shape_def *def,
                          const firn_shape ***out) {
  int count = 0, i = 0;
  for (const firn_value *c = list->first; c; c = c->next) count++;
  const firn_shape **children = firn_arena_alloc(&m->scene->arena,
                                                 sizeof *children * (size_t)(count + 1));
  *out = children;
  if (!children) return false;
  for (const firn_value *c = list->first; c; c = c->next, i++) {
    size_t before = firn_reader_push(&m->at, "[%d]", i);
    children[i] = make_shape(m, c);
    firn_reader_pop(&m->at, before);
    if (!children[i]) return false;
  }
  def->children = children;
  def->child_count = count;
  return true;
}

static bool fill_def(maker *m, const firn_value *v, firn_shape_def *def, firn_mesh **mesh) {
  switch (def->kind) {
  case FIRN_SHAPE_POLYGON:
  case FIRN_SHAPE_PATH: return outline_def(m, v, def);
  case FIRN_SHAPE_TEXT: text_def(v, def); return true;
  case FIRN_SHAPE_HEIGHT_FIELD: height_field_def(v, def); return true;
  case FIRN_SHAPE_MESH: return mesh_shape_def(m, v, def, mesh);
  case FIRN_SHAPE_SMOOTH_UNION: def->smoothing = firn_value_number(v, "radius"); return true;
  case FIRN_SHAPE_REPEAT: return repeat_def(m, v, def);
  case FIRN_SHAPE_SHELL:
  case FIRN_SHAPE_OFFSET:
  case FIRN_SHAPE_DISPLACE:
  case FIRN_SHAPE_MIRROR: wrapped_def(v, def); return true;
  case FIRN_SHAPE_UNION:
  case FIRN_SHAPE_INTERSECTION:
  case FIRN_SHAPE_DIFFERENCE: return true;
  default: solid_def(v, def); return true;
  }
}

static firn_shape *make_kind(maker *m, const firn_value *v) {
  firn_shape_def def = {0};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (strcmp(kinds[i].key, v->key) == 0) def.kind = kinds[i].kind;
  firn_mesh *mesh = NULL;
  firn_shape *shape = NULL, *of = NULL;
  const firn_shape **children = NULL;
  const firn_value *one = firn_value_find(v, "of");
  const firn_value *several = def.kind == FIRN_SHAPE_SMOOTH_UNION ? one
                              : v->row->type == FIRN_TYPE_CHOICES ? v
                                                                  : NULL;
  bool good = fill_def(m, v, &def, &mesh);
  if (good && several) {
    good = make_children(m, several, &def, &children);
  } else if (good && one) {
    size_t before = firn_reader_push(&m->at, ".of");
    def.shape = of = make_shape(m, one);
    good = of != NULL;
    firn_reader_pop(&m->at, before);
  }
  if (good) {
    firn_status status = firn_shape_make(m->scene->context, &def, v->key, &shape);
    if (status != FIRN_OK) {
      shape = NULL;
      fail_with(m, v->mark, v->key, status);
    }
  }
  for (int i = 0; children && children[i]; i++) firn_shape_release(children[i]);
  firn_shape_release(of);
  firn_mesh_release(mesh);
  return shape;
}

static firn_shape *make_shape(maker *m, const firn_value *choice) {
  const firn_value *v = choice->first;
  if (!v) return NULL;
  size_t before = firn_reader_push(&m->at, ".%s", v->key);
  firn_shape *shape = make_kind(m, v);
  firn_reader_pop(&m->at, before);
  if (!shape || !v->next) return shape;
  const double *turn = firn_value_vec3(choice, "rotate");
  double angle = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]), rotation[4];
  firn_rotation(angle > 0 ? turn : (double[]){0, 0, 1}, angle, rotation);
  double scale = firn_value_find(choice, "scale") ? firn_value_number(choice, "scale") : 1;
  firn_shape_def def = firn_transform(shape, firn_value_vec3(choice, "move"), rotation, scale);
  firn_shape *moved = NULL;
  firn_status status = firn_shape_make(m->scene->context, &def, "transform", &moved);
  firn_shape_release(shape);
  if (status == FIRN_OK) return moved;
  fail_with(m, v->mark, "transform", status);
  return NULL;
}

// ------------------------------------------------------------------------------------- sequences

enum { SEQUENCE_MOST = 10000 };

const char *firn_scene_pattern_file(firn_arena *arena, const char *pattern, int number) {
  const char *from = strchr(pattern, '#');
  if (!from) return NULL;
  int width = (int)strspn(from, "#");
  return firn_arena_format(arena, "%.*s%0*d%s", (int)(from - pattern), pattern, width, number,
                           from + width);
}

const char *const *firn_scene_sequence_files(firn_arena *arena, const firn_value *v, int *count) {
  const firn_value *files = firn_value_find(v, "files"), *pattern = firn_value_find(v, "pattern");
  if (files) {
    *count = files->count;
    return files->words;
  }
  int first = (int)firn_value_number(v, "first"), wanted = (int)firn_value_number(v, "count");
  const char **names = firn_arena_alloc(arena, sizeof *names * SEQUENCE_MOST);
  if (!names) return NULL;
  for (*count = 0; *count < SEQUENCE_MOST && (wanted == 0 || *count < wanted); (*count)++) {
    names[*count] = firn_scene_pattern_file(arena, pattern->text, first + *count);
    if (!names[*count] || (wanted == 0 && access(names[*count], F_OK) != 0)) break;
  }
  return names;
}

static const char *const *sequence_files(maker *m, const firn_value *v, int *count) {
  const firn_value *pattern = firn_value_find(v, "pattern");
  const char *const *names = firn_scene_sequence_files(&m->scene->arena, v, count);
  if (names && *count == 0 && pattern)
    FIRN_READ_FAIL(&m->at, pattern->mark,
                   strchr(pattern->text, '#') ? "there is no file of this name with number %d"
                                              : "expected #### where the number stands, from %d on",
                   (int)firn_value_number(v, "first"));
  return names;
}

static firn_sequence *make_sequence(maker *m, const firn_value *v) {
  int count = 0, loaded = 0;
  const char *const *files = sequence_files(m, v, &count);
  firn_arena *arena = &m->scene->arena;
  const firn_mesh **meshes = firn_arena_alloc(arena, sizeof *meshes * (size_t)(count + 1));
  double *times = firn_arena_alloc(arena, sizeof *times * (size_t)(count + 1));
  if (!files || !meshes || !times || count == 0) return NULL;
  firn_mesh_def load = mesh_def(v);
  firn_status status = FIRN_OK;
  for (; loaded < count && status == FIRN_OK; loaded++) {
    firn_mesh *mesh = NULL;
    status = firn_mesh_load(m->scene->context, files[loaded], &load, &mesh);
    if (status != FIRN_OK) break;
    meshes[loaded] = mesh;
    times[loaded] = firn_value_number(v, "start") + loaded * firn_value_number(v, "interval");
  }
  firn_sequence *sequence = NULL;
  if (status == FIRN_OK) {
    firn_sequence_def def = firn_default_sequence_def();
    def.count = count;
    def.times = times;
    def.meshes = meshes;
    def.voxel = firn_value_number(v, "voxel");
    def.band = (int)firn_value_number(v, "band");
    def.loop = firn_value_number(v, "loop") != 0;
    status = firn_sequence_create(m->scene->context, &def, &sequence);
  }
  if (status != FIRN_OK) fail_with(m, v->mark, "sequence", status);
  for (int i = 0; i < loaded; i++) firn_mesh_release(meshes[i]);
  return status == FIRN_OK ? sequence : NULL;
}

// --------------------------------------------------------------------------------------- all

static void make_all(maker *m, firn_value *value, bool filled);

static void make_value(maker *m, firn_value *value, int item, bool filled) {
  size_t before = value->key ? firn_reader_push(&m->at, "%s%s", m->at.length ? "." : "", value->key)
                             : firn_reader_push(&m->at, "[%d]", item);
  if (value->row->type == FIRN_TYPE_CHOICE && value->row->record == &firn_schema_shape) {
    double lo[3], hi[3];
    value->shape = make_shape(m, value);
    bool body = filled && value->key && strcmp(value->key, "shape") == 0;
    if (value->shape && body && !firn_shape_bounds(value->shape, lo, hi))
      FIRN_READ_FAIL(&m->at, value->mark,
                     "this shape has no end, so it cannot be filled; intersect it with a box");
  } else if (value->row->type == FIRN_TYPE_PATH && access(value->text, R_OK) != 0) {
    FIRN_READ_FAIL(&m->at, value->mark, "cannot read %s: %s", value->text, strerror(errno));
  } else if (value->row->type == FIRN_TYPE_RECORD && strcmp(value->row->key, "sequence") == 0) {
    value->sequence = make_sequence(m, value);
  } else if (value->row->type >= FIRN_TYPE_RECORD) {
    make_all(m, value, filled);
  }
  firn_reader_pop(&m->at, before);
}

static void make_all(maker *m, firn_value *value, bool filled) {
  int i = 0;
  for (firn_value *v = value->first; v; v = v->next)
    make_value(m, v, i++,
               filled || v->row->record == &firn_schema_snow ||
                   v->row->record == &firn_schema_emitter);
}

void firn_scene_make_shapes(firn_scene *scene) {
  maker m = {.scene = scene, .at = {.arena = &scene->arena, .report = &scene->report}};
  make_all(&m, scene->root, false);
}

void firn_scene_make_probes(firn_scene *scene) {
  const firn_value *list = firn_value_find(scene->root, "probes");
  int count = 0;
  for (const firn_value *p = list->first; p; p = p->next) count++;
  firn_probe_def *def = firn_arena_alloc(&scene->arena, sizeof *def * (size_t)(count + 1));
  if (!def) return;
  scene->probes = def;
  scene->probe_count = count;
  for (const firn_value *p = list->first; p; p = p->next, def++) {
    const firn_value *point = firn_value_find(p, "point"), *plane = firn_value_find(p, "plane"),
                     *box = firn_value_find(p, "box");
    *def = firn_default_probe_def();
    def->name = firn_value_text(p, "name");
    def->kind = point ? FIRN_PROBE_POINT : plane ? FIRN_PROBE_PLANE : FIRN_PROBE_BOX;
    copy3(def->center,
          plane ? firn_value_vec3(plane, "point") : firn_value_vec3(point ? point : box, "center"));
    def->radius = plane ? firn_value_number(plane, "reach") : firn_value_number(point, "radius");
    copy3(def->normal, firn_value_vec3(plane, "normal"));
    for (int a = 0; a < 3; a++) def->half[a] = firn_value_vec3(box, "size")[a] / 2;
  }
}

void firn_scene_release_shapes(firn_value *value) {
  firn_shape_release(value->shape);
  firn_sequence_release(value->sequence);
  for (firn_value *v = value->first; v; v = v->next) firn_scene_release_shapes(v);
}
