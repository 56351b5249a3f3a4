// SPDX-License-Identifier: Apache-2.0
// Snow: bodies, emitters and what varies in them.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "scene/check.h"

#define FAIL(scene, mark, path, ...) firn_report_add(&(scene)->report, mark, path, __VA_ARGS__)

// An offset has the unit of what it is added to.
static void offset_check(firn_scene *scene, const firn_value *variation, const char *path) {
  const firn_value *of = firn_value_find(variation, "of"),
                   *offset = firn_value_find(variation, "offset");
  if (!firn_value_good(of) || !firn_value_good(offset) || !offset->given) return;
  for (int w = 0; w < of->count; w++) {
    const firn_schema_property *p = firn_schema_properties;
    while (p->name && strcmp(p->name, of->words[w]) != 0) p++;
    char why[300], key_path[200];
    double value;
    if (!p->name ||
        firn_expression_read(scene->scope, offset->text, p->dimension, &value, why, sizeof why))
      continue;
    snprintf(key_path, sizeof key_path, "%.150s.offset", path);
    FAIL(scene, offset->mark, key_path, "%s; %s is %s", why, p->name,
         firn_dimension_name(p->dimension));
    return;
  }
}

static void variation_check(firn_scene *scene, const firn_value *v, const char *path) {
  const firn_value *of = firn_value_find(v, "of"), *amplitude = firn_value_find(v, "amplitude");
  char key_path[200];
  if (firn_value_good(of) && of->count == 0) {
    snprintf(key_path, sizeof key_path, "%.150s.of", path);
    FAIL(scene, of->mark, key_path, "the list is empty; expected what varies, as [young]");
  }
  if (firn_value_good(amplitude) && amplitude->number[0] > 0 && !firn_value_find(v, "wavelength")) {
    snprintf(key_path, sizeof key_path, "%.150s.amplitude", path);
    FAIL(scene, amplitude->mark, key_path, "noise needs a wavelength, as wavelength: 6 * ${h}");
  }
  firn_scene_check_direction(scene, v, "axis", path);
  offset_check(scene, v, path);
}

static void body_check(firn_scene *scene, firn_value *body, const char *list, int i) {
  char path[80];
  snprintf(path, sizeof path, "%s[%d].per_cell", list, i);
  const firn_value *per_cell = firn_value_find(body, "per_cell");
  if (firn_value_is(body, "seeding", "lattice") && firn_value_good(per_cell)) {
    double edge = round(cbrt(per_cell->number[0]));
    if (edge * edge * edge != per_cell->number[0])
      FAIL(scene, per_cell->mark, path, "%g is not a cube; seeding lattice needs 1, 8, 27, ...",
           per_cell->number[0]);
  }
  if (firn_value_is(body, "seeding", "jittered") && firn_value_good(per_cell) &&
      (per_cell->number[0] != floor(per_cell->number[0])))
    FAIL(scene, per_cell->mark, path, "%g is not whole; seeding jittered needs a whole number",
         per_cell->number[0]);
  firn_scene_name_material(scene, body, list, i);
  const firn_value *variations = firn_value_find(body, "variation");
  int k = 0;
  for (const firn_value *v = variations ? variations->first : NULL; v; v = v->next, k++) {
    snprintf(path, sizeof path, "%s[%d].variation[%d]", list, i, k);
    variation_check(scene, v, path);
  }
}

// Particles that a unit of a rate is: of particles themselves, m^3 or kg.
static double particles_a_unit(const firn_scene *scene, const firn_value *emitter,
                               const char *rate) {
  double cell = scene->h * scene->h * scene->h, per_cell = firn_value_number(emitter, "per_cell");
  const firn_value *materials = firn_value_find(scene->root, "materials");
  const firn_value *material = firn_value_find(materials, firn_value_text(emitter, "material"));
  if (strcmp(rate, "particles") == 0) return 1;
  if (strcmp(rate, "volume") == 0) return per_cell / cell;
  return per_cell / cell / firn_value_number(material, "density");
}

// Ids are numbers below 2^32, and are not given twice.
static void rate_check(firn_scene *scene, const firn_value *emitter, int i) {
  static const char *const rates[] = {"particles", "volume", "mass"};
  const firn_value *frames = firn_value_find(scene->root, "frames"),
                   *fps = firn_value_find(scene->root, "fps");
  if (!firn_value_good(frames) || !firn_value_good(fps) || !(scene->h > 0)) return;
  double end = fmin(frames->number[0] / fps->number[0], firn_value_number(emitter, "stop"));
  double most = firn_value_number(emitter, "max_count");
  for (size_t k = 0; k < sizeof rates / sizeof rates[0]; k++) {
    const firn_value *rate = firn_value_find(emitter, rates[k]);
    if (!firn_value_good(rate) || rate->keys || most > 0) continue;
    double count = rate->number[0] * particles_a_unit(scene, emitter, rates[k]) *
                   fmax(0, end - firn_value_number(emitter, "start"));
    if (!(count > UINT32_MAX)) continue;
    char path[80];
    snprintf(path, sizeof path, "emitters[%d].%s", i, rates[k]);
    FAIL(scene, rate->mark, path,
         "makes some %.3g particles by the last frame; the limit is 2^32. A smaller rate, stop or "
         "max_count may help",
         count);
  }
}

static void emitter_check(firn_scene *scene, const firn_value *emitter, int i) {
  char path[80];
  const firn_value *spread = firn_value_find(emitter, "spread"),
                   *start = firn_value_find(emitter, "start"),
                   *stop = firn_value_find(emitter, "stop");
  const firn_value *flake = firn_value_find(emitter, "flake");
  bool snowfall = firn_value_find(emitter, "snowfall") != NULL;
  bool rate = snowfall || firn_value_find(emitter, "particles") ||
              firn_value_find(emitter, "volume") || firn_value_find(emitter, "mass");
  if (firn_value_good(spread) && spread->number[0] > 0 && !rate) {
    snprintf(path, sizeof path, "emitters[%d].spread", i);
    FAIL(scene, spread->mark, path, "needs one of the rates particles, volume, mass and snowfall");
  }
  snprintf(path, sizeof path, "emitters[%d].flake", i);
  if (firn_value_good(flake) && !snowfall) FAIL(scene, flake->mark, path, "needs snowfall");
  double least = scene->h / 10, most = 4 * scene->h;
  if (firn_value_good(flake) && snowfall && scene->h > 0 &&
      !(flake->number[0] >= least && flake->number[0] <= most)) {
    FAIL(scene, flake->mark, path,
         "%g m is not within %g m and %g m, a tenth of a cell and four of them", flake->number[0],
         least, most);
  }
  if (firn_value_good(start) && firn_value_good(stop) && !(start->number[0] < stop->number[0])) {
    snprintf(path, sizeof path, "emitters[%d].stop", i);
    FAIL(scene, stop->given ? stop->mark : start->mark, path,
         "%g s does not come after start, %g s", stop->number[0], start->number[0]);
  }
}

// As it would be if nobody had said it, as scenes that are resolved say everything: zero, or the first
// choice.
static bool says_nothing(const firn_value *v) {
  bool zero = v->number[0] == 0 && v->number[1] == 0 && v->number[2] == 0 && !v->keys && !v->first;
  bool initial = !v->text || (v->row->initial && strcmp(v->text, v->row->initial) == 0);
  return zero && initial && !v->count;
}

// A file of particles has positions of its own, and nothing to vary by.
static void points_check(firn_scene *scene, const firn_value *body, int i) {
  static const char *const idle[] = {"spin",    "pivot",   "strain", "stress",
                                     "seeding", "settled", "time",   "variation"};
  if (!firn_value_find(body, "points")) return;
  for (size_t k = 0; k < sizeof idle / sizeof idle[0]; k++) {
    const firn_value *v = firn_value_find(body, idle[k]);
    if (!v || !v->given || says_nothing(v)) continue;
    char path[80];
    snprintf(path, sizeof path, "snow[%d].%s", i, idle[k]);
    FAIL(scene, v->mark, path, "does nothing for particles from a file");
  }
}

// What snow begins with: one strain, and a velocity of particles from a file that is one number for all.
static void start_check(firn_scene *scene, const firn_value *body, int i) {
  const firn_value *velocity = firn_value_find(body, "velocity"),
                   *settled = firn_value_find(body, "settled"),
                   *load = firn_value_find(body, "strain");
  char path[80];
  if (!load) load = firn_value_find(body, "stress");
  if (load && firn_value_good(settled) && settled->number[0] != 0) {
    snprintf(path, sizeof path, "snow[%d].%s", i, load->key);
    FAIL(scene, load->mark, path, "settled: true gives the snow its strain; give one of the two");
  }
  if (!firn_value_good(velocity) || !firn_value_find(body, "points")) return;
  for (int a = 0; a < 3; a++) {
    if (firn_formula_is_number(&velocity->formulas[a])) continue;
    snprintf(path, sizeof path, "snow[%d].velocity", i);
    FAIL(scene, velocity->mark, path,
         "particles from a file take numbers; an expression needs a shape");
    return;
  }
}

void firn_scene_check_snow(firn_scene *scene) {
  const firn_value *snow = firn_value_find(scene->root, "snow"),
                   *emitters = firn_value_find(scene->root, "emitters");
  int i = 0;
  for (firn_value *body = snow ? snow->first : NULL; body; body = body->next, i++) {
    body_check(scene, body, "snow", i);
    points_check(scene, body, i);
    start_check(scene, body, i);
  }
  i = 0;
  for (firn_value *e = emitters ? emitters->first : NULL; e; e = e->next, i++) {
    body_check(scene, e, "emitters", i);
    emitter_check(scene, e, i);
    rate_check(scene, e, i);
  }
  bool none = (!snow || !snow->first) && (!emitters || !emitters->first);
  if (!none || scene->report.count) return;
  if (snow && snow->given)
    FAIL(scene, snow->mark, "snow", "the list is empty; expected at least one body of snow");
  else
    FAIL(scene, scene->root->mark, "",
         "key 'snow' is missing: bodies of snow; expected a list, or one of emitters");
}
