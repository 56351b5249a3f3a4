// SPDX-License-Identifier: Apache-2.0
// Emitters that keep their shape full of snow: whether it is far too large or too small to be
// meant, as where a length lacks its unit.
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "geometry/shape.h"
#include "scene/check.h"

// Memory that a particle usually takes at least, bytes.
static const double BYTES_USUAL = 160;
// A filling of fewer particles is made in seconds, and is nothing to warn of.
static const double MANY = 1e6;
// So many times the snow of the scene is hardly meant.
static const double TIMES = 10;

static double particles_in(const firn_scene *scene, const firn_value *body, double volume) {
  return volume / (scene->h * scene->h * scene->h) * firn_value_number(body, "per_cell");
}

static const firn_shape *shape_of(const firn_value *body) {
  const firn_value *v = firn_value_find(body, "shape");
  return v ? v->shape : NULL;
}

// Of bodies with a shape; those of a file are not counted.
static double particles_of_snow(const firn_scene *scene) {
  const firn_value *snow = firn_value_find(scene->root, "snow");
  double count = 0;
  for (const firn_value *body = snow ? snow->first : NULL; body; body = body->next)
    if (shape_of(body)) count += particles_in(scene, body, firn_shape_volume(shape_of(body)));
  return count;
}

static double memory_of_machine(void) {
  return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

static void warn(firn_scene *scene, const firn_value *emitter, int i, const char *words) {
  char place[300];
  const firn_value *shape = firn_value_find(emitter, "shape");
  firn_note(scene->context, FIRN_LOG_WARNING,
            "%semitters[%d].shape: %s; a length without a unit is in m",
            firn_report_place(&scene->report, shape->mark, place), i, words);
}

static void check(firn_scene *scene, const firn_value *emitter, int i) {
  const firn_shape *shape = shape_of(emitter);
  double lo[3], hi[3], bounds = 1, widest = 0, most = firn_value_number(emitter, "max_count");
  char words[200];
  if (!shape || !firn_shape_bounds(shape, lo, hi)) return;
  for (int a = 0; a < 3; a++) {
    bounds *= hi[a] - lo[a];
    widest = fmax(widest, hi[a] - lo[a]);
  }
  if (widest < scene->h) {
    snprintf(words, sizeof words,
             "it is %.3g m wide, less than a cell of %.3g m, and hardly any snow comes from it",
             widest, scene->h);
    warn(scene, emitter, i, words);
    return;
  }
  // A window may leave little of it, and the volume of some shapes takes long to find.
  if (firn_value_find(scene->root, "window") || !(particles_in(scene, emitter, bounds) > MANY))
    return;
  double count = particles_in(scene, emitter, firn_shape_volume(shape));
  if (most > 0) count = fmin(count, most);
  double snow = count > MANY ? particles_of_snow(scene) : 0;
  if (count * BYTES_USUAL > memory_of_machine())
    snprintf(words, sizeof words,
             "it is filled with some %.3g particles at once, more than the memory of this machine "
             "holds",
             count);
  else if (snow > 0 && count > TIMES * snow)
    snprintf(words, sizeof words,
             "it is filled with some %.3g particles at once, %.0f times those of all snow", count,
             count / snow);
  else
    return;
  warn(scene, emitter, i, words);
}

void firn_scene_check_inflow(firn_scene *scene) {
  static const char *const rates[] = {"particles", "volume", "mass", "snowfall"};
  const firn_value *emitters = firn_value_find(scene->root, "emitters");
  int i = 0;
  for (const firn_value *e = emitters ? emitters->first : NULL; e; e = e->next, i++) {
    bool rate = false;
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++)
      rate = rate || firn_value_find(e, rates[k]);
    if (!rate) check(scene, e, i);
  }
}
