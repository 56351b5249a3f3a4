// SPDX-License-Identifier: Apache-2.0
// What of a scene is finer than its cells or particles resolve, with the quality that would resolve
// it.
//
// A number that differs from place to place is felt through the kernel between particles and grid,
// or between particles. A layer as wide as the kernel's support fills it once; in a thinner one
// what lies beside it takes part in every sum. Hence what resolves a feature: 4 cells of cubic
// B-splines, 3 of quadratic ones, 4 spacings of sph's particles (radius 2 spacings), 3 cells of
// flip (2.8, or 3 by B-splines). At three quarters of that it begins to be another scene, and the
// note turns a warning.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/scene_advise.h"
#include "base/context.h"
#include "base/isa.h"
#include "geometry/shape.h"
#include "solver/solver.h"

static const double WARNING_SHARE = 0.75;
// To rounding, and to what a thickness is measured to. A collider is reported below one cell, and
// then as thin as that to within 5 %; two do.
static const double ROUNDING = 0.99, THIN = 0.95;
// A change by less than this share hardly shows, resolved or not.
static const double CHANGE_LEAST = 0.1;

// --------------------------------------------------------------------------------------- judging

double firn_resolved_size(const firn_resolving *r, firn_feature kind) {
  const firn_resolution *by = &r->by[kind];
  bool solid = kind == FIRN_FEATURE_SOLID || kind == FIRN_FEATURE_GAP;
  return by->length * (solid ? THIN : ROUNDING * by->need);
}

void firn_resolving_add(firn_resolving *r, firn_feature kind, const firn_unresolved *found) {
  firn_unresolved *worst = &r->found[kind];
  int count = worst->count;
  if (!(found->size < firn_resolved_size(r, kind))) return;
  if (count == 0 || found->size < worst->size) *worst = *found;
  worst->count = count + 1;
}

bool firn_value_scales(const firn_value *value) {
  if (value->scales) return true;
  for (const firn_value *v = value->first; v; v = v->next)
    if (firn_value_scales(v)) return true;
  return false;
}

static firn_resolving begin(const firn_scene *scene) {
  const char *solver = firn_value_text(scene->root, "solver");
  const firn_value *mpm = firn_value_find(scene->root, "mpm");
  double spacing = firn_solver_spacing(solver, scene->h);
  firn_resolution snow = {"cell", scene->h, 4};
  if (strcmp(solver, "sph") == 0) snow = (firn_resolution){"spacing", spacing, 4};
  if (strcmp(solver, "flip") == 0 || firn_value_is(mpm, "basis", "quadratic")) snow.need = 3;
  const firn_resolution solid = {"cell", scene->h, 2};
  return (firn_resolving){.scene = scene, .by = {snow, snow, snow, solid, solid}};
}

// ------------------------------------------------------------------------------------ variations

// Whether a variation is one of something that the solver feels, and by more than a little. A
// solver whose snow holds no elastic energy does not know its stiffness and strength.
static bool is_felt(const firn_scene *scene, const firn_value *variation) {
  const firn_value *of = firn_value_find(variation, "of");
  const firn_solver_type *solver = firn_solver_find(firn_value_text(scene->root, "solver"));
  if (!solver || solver->energy) return true;
  for (int i = 0; i < of->count; i++)
    if (strcmp(of->words[i], "density") == 0 || strcmp(of->words[i], "packing") == 0) return true;
  return false;
}

static bool is_strong(const firn_value *variation) {
  return fabs(firn_value_number(variation, "factor") - 1) >= CHANGE_LEAST ||
         firn_value_number(variation, "offset") != 0 ||
         firn_value_number(variation, "amplitude") >= CHANGE_LEAST;
}

// m: of a layer from..to of what reaches from 0 to end, and blends at each face that is not an end,
// where half of it still counts. Of what has one face that is the layer on either side of it. inf:
// no layer.
static double layer(double from, double to, double end, double blend) {
  bool low = from > 0, high = to < end;
  if (!(fmax(from, 0) < fmin(to, end)) || (!low && !high)) return (double)INFINITY;
  double size = fmin(to, end) - fmax(from, 0) + 0.5 * blend * (low + high);
  if (low && !high) size = fmin(size, from - 0.5 * blend);
  if (high && !low) size = fmin(size, end - to - 0.5 * blend);
  return size;
}

// m: how far the body reaches along the axis from the origin.
static bool reach(const firn_shape *shape, const double axis[3], double *lo, double *hi) {
  double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  *lo = *hi = 0;
  if (!shape->bounded || !(length > 0)) return false;
  for (int a = 0; a < 3; a++) {
    double at[2] = {axis[a] / length * shape->lo[a], axis[a] / length * shape->hi[a]};
    *lo += fmin(at[0], at[1]);
    *hi += fmax(at[0], at[1]);
  }
  return true;
}

static firn_status band_size(const firn_resolving *r, const firn_value *variation,
                             const firn_shape *body, const firn_value **where, double *size) {
  const firn_value *depth = firn_value_find(variation, "depth"),
                   *height = firn_value_find(variation, "height"),
                   *mask = firn_value_find(variation, "mask");
  double blend = firn_value_number(variation, "blend"), lo, hi;
  double limit = firn_resolved_size(r, FIRN_FEATURE_BAND);
  *size = (double)INFINITY;
  *where = depth ? depth : height ? height : mask;
  if (depth) *size = layer(depth->number[0], depth->number[1], (double)INFINITY, blend);
  if (height && reach(body, firn_value_vec3(variation, "axis"), &lo, &hi))
    *size = layer(height->number[0] - lo, height->number[1] - lo, hi - lo, blend);
  if (!mask || !mask->shape) return FIRN_OK;
  firn_thickness t;
  bool found;
  FIRN_TRY(firn_shape_thickness(mask->shape, body, r->scene->h, limit, limit, false, &t, &found));
  if (found) *size = t.part + blend;
  return FIRN_OK;
}

static firn_status add_band(firn_resolving *r, const firn_value *variation, const firn_shape *body,
                            const char *path) {
  firn_unresolved found = {0};
  FIRN_TRY(band_size(r, variation, body, &found.value, &found.size));
  // Bounds that should meet and are apart by rounding leave no band.
  if (!(found.size > 1e-3 * r->scene->h)) return FIRN_OK;
  found.scales = firn_value_scales(found.value);
  snprintf(found.path, sizeof found.path, "%.100s.%s", path, found.value->key);
  firn_resolving_add(r, FIRN_FEATURE_BAND, &found);
  return FIRN_OK;
}

// The first octave alone: the second is half as strong and needs but two cells a wave, as many as
// it has then; later ones change a number by a quarter at most, and may be grain from particle to
// particle.
static void add_wave(firn_resolving *r, const firn_value *variation, const char *path) {
  const firn_value *wave = firn_value_find(variation, "wavelength");
  if (!wave || firn_value_number(variation, "amplitude") < CHANGE_LEAST) return;
  firn_unresolved found = {.size = wave->number[0], .value = wave, .scales = wave->scales};
  snprintf(found.path, sizeof found.path, "%.100s.wavelength", path);
  firn_resolving_add(r, FIRN_FEATURE_WAVE, &found);
}

static firn_status add_variations(firn_resolving *r, const char *name) {
  const firn_value *list = firn_value_find(r->scene->root, name);
  int i = 0;
  for (const firn_value *body = list ? list->first : NULL; body; body = body->next, i++) {
    const firn_value *shape = firn_value_find(body, "shape"),
                     *variations = firn_value_find(body, "variation");
    int k = 0;
    for (const firn_value *v = variations ? variations->first : NULL; v; v = v->next, k++) {
      char path[100];
      snprintf(path, sizeof path, "%s[%d].variation[%d]", name, i, k);
      bool bound = firn_value_find(v, "depth") || firn_value_find(v, "height") ||
                   firn_value_find(v, "mask");
      if (!is_felt(r->scene, v)) continue;
      add_wave(r, v, path);
      if (bound && is_strong(v) && shape && shape->shape)
        FIRN_TRY(add_band(r, v, shape->shape, path));
    }
  }
  return FIRN_OK;
}

// ----------------------------------------------------------------------------------------- words

// "2.08 cm".
static const char *length_words(double m, int digits, char text[32]) {
  const char *unit = m < 0.0099 ? "mm" : m < 0.99 ? "cm" : "m";
  snprintf(text, 32, "%.*g %s", digits, m * (m < 0.0099 ? 1e3 : m < 0.99 ? 1e2 : 1), unit);
  return text;
}

// Rounded up to two digits, so that what is said is enough.
static double enough(double x) {
  double digit = pow(10, floor(log10(x)) - 1);
  return ceil(x / digit - 1e-6) * digit;
}

static void remedy_words(const firn_resolving *r, const firn_unresolved *worst,
                         const firn_resolution *by, char text[80]) {
  char size[32];
  const firn_value *now = firn_value_find(r->scene->root, "quality");
  double quality = enough(now->number[0] * ROUNDING * by->need * by->length / worst->size);
  length_words(enough(by->need * by->length), 2, size);
  if (worst->scales || quality > 100)
    snprintf(text, 80, "%s", size);
  else
    snprintf(text, 80, "quality %.4g or more, or %s", quality, size);
}

static void say(const firn_advisor *advisor, const firn_resolving *r, firn_feature kind) {
  static const struct {
    const char *one, *has, *it, *many;
  } words[] = {{"a band", "has", "it", "bands"},
               {"a wave of noise", "has", "it", "variations"},
               {"parts", "have", "them", "bodies"},
               {"parts", "have", "them", "shapes"},
               {"gaps", "have", "them", "shapes"}};
  const firn_unresolved *worst = &r->found[kind];
  const firn_resolution *by = &r->by[kind];
  double units = worst->size / by->length;
  bool solid = kind == FIRN_FEATURE_SOLID || kind == FIRN_FEATURE_GAP;
  bool warn = solid || units < ROUNDING * WARNING_SHARE * by->need;
  char size[32], length[32], number[32], remedy[80], share[48] = "", more[48] = "";
  snprintf(number, sizeof number, "%.2g", units);
  if (worst->share > 0)
    snprintf(share, sizeof share, " (about %.0f %% of its surface)", 100 * worst->share);
  if (worst->count > 1)
    snprintf(more, sizeof more, " (the worst of %d %s)", worst->count, words[kind].many);
  remedy_words(r, worst, by, remedy);
  firn_advise(advisor, warn ? FIRN_LOG_WARNING : FIRN_LOG_INFO, worst->value, worst->path,
              "%s of %s%s %s %s %s%s of %s; %g resolve %s: %s%s", words[kind].one,
              length_words(worst->size, worst->share > 0 ? 2 : 3, size), share, words[kind].has,
              number, by->unit, strcmp(number, "1") == 0 ? "" : "s",
              length_words(by->length, 3, length), by->need, words[kind].it, remedy, more);
}

firn_status firn_advise_resolution(const firn_advisor *advisor) {
  FIRN_FP_SCOPE;
  firn_resolving r = begin(advisor->scene);
  FIRN_TRY(add_variations(&r, "snow"));
  FIRN_TRY(add_variations(&r, "emitters"));
  FIRN_TRY(firn_resolving_shapes(&r));
  for (int kind = 0; kind < FIRN_FEATURE_COUNT; kind++)
    if (r.found[kind].count) say(advisor, &r, (firn_feature)kind);
  return FIRN_OK;
}

firn_status firn_scene_advise_resolution(const firn_scene *scene, firn_advice_fn tell, void *user) {
  if (!scene || !tell) return FIRN_ERROR_ARGUMENT;
  if (scene->report.count)
    return firn_fail(scene->context, FIRN_ERROR_SCENE, "%s has errors", scene->file);
  firn_advisor advisor = {scene, tell, user};
  return firn_advise_resolution(&advisor);
}
