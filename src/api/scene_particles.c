// SPDX-License-Identifier: Apache-2.0
// How many particles a scene will have: by volumes, rates and times, before anything is built.
#include <math.h>
#include <string.h>

#include "api/scene.h"
#include "scene/check.h"

// ------------------------------------------------------------------------------- at the beginning

// m^3 of a shape within the blocks of 4 cells an edge that the window touches at time 0.
static double volume_in_window(const firn_scene *scene, const firn_shape *shape) {
  const firn_value *window = firn_value_find(scene->root, "window");
  double lo[3], hi[3], center[3], half[3], whole = firn_shape_volume(shape);
  if (!window || !firn_shape_bounds(shape, lo, hi)) return whole;
  const double *least = firn_value_vec3(window, "min"), *most = firn_value_vec3(window, "max");
  for (int a = 0; a < 3; a++) {
    double block = 4 * scene->h;
    if (isfinite(least[a])) lo[a] = fmax(lo[a], floor(least[a] / block) * block);
    if (isfinite(most[a])) hi[a] = fmin(hi[a], ceil(most[a] / block) * block);
    if (!(lo[a] < hi[a])) return 0;
    center[a] = 0.5 * (lo[a] + hi[a]);
    half[a] = 0.5 * (hi[a] - lo[a]);
  }
  firn_shape_def box_def = firn_box(center, half);
  firn_shape *box = NULL, *seen = NULL;
  double volume = whole; // should memory run out
  if (firn_shape_create(scene->context, &box_def, &box) == FIRN_OK) {
    firn_shape_def both = firn_intersection(2, (const firn_shape *[]){shape, box});
    if (firn_shape_create(scene->context, &both, &seen) == FIRN_OK)
      volume = firn_shape_volume(seen);
  }
  firn_shape_release(seen);
  firn_shape_release(box);
  return volume;
}

// The share of its places that are taken, as far as it is the same everywhere.
static double packing_of(const firn_value *body) {
  const firn_value *list = firn_value_find(body, "variation");
  double share = 1;
  for (const firn_value *v = list ? list->first : NULL; v; v = v->next) {
    const firn_value *of = firn_value_find(v, "of");
    bool somewhere = firn_value_find(v, "depth") || firn_value_find(v, "height") ||
                     firn_value_find(v, "mask");
    for (int i = 0; of && i < of->count && !somewhere; i++)
      if (strcmp(of->words[i], "packing") == 0) share *= firn_value_number(v, "factor");
  }
  return share;
}

double firn_scene_particles(const firn_scene *scene) {
  double cell = scene->h * scene->h * scene->h, count = 0;
  const firn_value *snow = firn_value_find(scene->root, "snow");
  for (const firn_value *body = snow ? snow->first : NULL; body; body = body->next) {
    const firn_value *shape = firn_value_find(body, "shape");
    if (shape && shape->shape)
      count += volume_in_window(scene, shape->shape) / cell * packing_of(body) *
               firn_value_number(body, "per_cell");
  }
  return count;
}

// ------------------------------------------------------------------------------------ at the end

static const firn_shape *shape_of(const firn_value *item) {
  const firn_value *shape = firn_value_find(item, "shape");
  return shape ? shape->shape : NULL;
}

static const firn_value *first_of(const firn_scene *scene, const char *list) {
  const firn_value *v = firn_value_find(scene->root, list);
  return v ? v->first : NULL;
}

static double norm(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Whether a shape of a list has the point within it, or, of bodies, a cell from it.
static bool is_in(const firn_scene *scene, const char *list, const double x[3], double time) {
  for (const firn_value *v = first_of(scene, list); v; v = v->next) {
    bool sink = strcmp(list, "sinks") == 0;
    if (sink && (time < firn_value_number(v, "start") || time > firn_value_number(v, "stop")))
      continue;
    if (shape_of(v) && firn_shape_distance(shape_of(v), x, NULL) < (sink ? 0 : scene->h))
      return true;
  }
  return false;
}

// Whether a point is out of the kill box, or out of a window that stays where it is.
static bool is_out(const firn_scene *scene, const double x[3]) {
  const firn_value *bounds[] = {firn_value_find(scene->root, "kill_box"),
                                firn_value_find(scene->root, "window")};
  for (int i = 0; i < 2; i++) {
    const firn_value *b = bounds[i];
    if (!b || firn_value_find(b, "follow") || (i && firn_scene_moves(b))) continue;
    const double *least = firn_value_vec3(b, "min"), *most = firn_value_vec3(b, "max");
    for (int a = 0; a < 3; a++)
      if (x[a] < least[a] || x[a] > most[a]) return true;
  }
  return false;
}

// s, that snow which flies freely from the middle of an emitter's shape stays, up to a duration:
// until a sink, a kill box or a window takes it away. What meets a body stays for good.
static double stay_of(const firn_scene *scene, const firn_value *emitter, double duration) {
  enum { STEPS = 2000 };
  double lo[3], hi[3], x[3], v[3], g[3], begin = firn_value_number(emitter, "start");
  if (!shape_of(emitter) || !firn_shape_bounds(shape_of(emitter), lo, hi)) return duration;
  firn_value_vec3_at(emitter, "velocity", begin, v);
  firn_value_vec3_at(scene->root, "gravity", begin, g);
  for (int a = 0; a < 3; a++) x[a] = 0.5 * (lo[a] + hi[a]);
  double dt = duration / STEPS;
  for (int i = 0; i < STEPS; i++) {
    if (is_in(scene, "sinks", x, begin + i * dt) || is_out(scene, x)) return i * dt;
    if (is_in(scene, "colliders", x, 0)) return duration;
    for (int a = 0; a < 3; a++) {
      x[a] += dt * (v[a] + 0.5 * dt * g[a]);
      v[a] += dt * g[a];
    }
  }
  return duration;
}

// m^2 of a shape seen along a direction: what a small shift along it uncovers, by a lattice of
// points.
static double area_along(const firn_shape *shape, const double direction[3]) {
  enum { SIDE = 32 };
  double lo[3], hi[3], cell = 1, widest = 0, length = norm(direction);
  if (!(length > 0) || !firn_shape_bounds(shape, lo, hi)) return 0;
  for (int a = 0; a < 3; a++) {
    cell *= (hi[a] - lo[a]) / SIDE;
    widest = fmax(widest, hi[a] - lo[a]);
  }
  double shift = widest / SIDE;
  size_t uncovered = 0;
  for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
    const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    double x[3], y[3];
    for (int a = 0; a < 3; a++) {
      x[a] = lo[a] + (at[a] + 0.5) / SIDE * (hi[a] - lo[a]);
      y[a] = x[a] + shift * direction[a] / length;
    }
    uncovered += firn_shape_distance(shape, x, NULL) <= 0 &&
                 firn_shape_distance(shape, y, NULL) > 0;
  }
  return (double)uncovered * cell / shift;
}

// m^3 that an emitter places a second; particles are this large.
typedef struct source {
  const firn_value *emitter;
  const char *rate; // the key; NULL: the shape is kept full
  double particle;  // m^3
  double density;   // kg/m^3
  double area; // m^2: seen from above of snowfall, along the velocity where the shape is kept full
} source;

static double volume_rate(const source *s, double time) {
  double v[3];
  firn_value_vec3_at(s->emitter, "velocity", time, v);
  if (!s->rate) return s->area * norm(v);
  double rate = firn_scene_rate(s->emitter, s->rate, time);
  switch (*s->rate) {
  case 'p': return rate * s->particle;
  case 'm': return rate / s->density;
  case 's': return rate * s->area / s->density;
  default: return rate;
  }
}

static double density_of(const firn_scene *scene, const firn_value *emitter) {
  const firn_value *materials = firn_value_find(scene->root, "materials");
  const firn_value *m = materials ? firn_value_find(materials, firn_value_text(emitter, "material"))
                                  : NULL;
  return m ? firn_value_number(m, "density") : 400;
}

static source source_of(const firn_scene *scene, const firn_value *emitter) {
  static const char *const rates[] = {"particles", "volume", "mass", "snowfall"};
  const firn_shape *shape = shape_of(emitter);
  double lo[3], hi[3], v[3], flake = 0;
  source s = {.emitter = emitter, .density = density_of(scene, emitter)};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
    if (firn_value_find(emitter, rates[i])) s.rate = rates[i];
  if (firn_value_find(emitter, "flake")) flake = firn_value_number(emitter, "flake");
  s.particle = flake > 0 ? pow(flake, 3)
                         : pow(scene->h, 3) / firn_value_number(emitter, "per_cell");
  firn_value_vec3_at(emitter, "velocity", firn_value_number(emitter, "start"), v);
  if (!s.rate)
    s.area = area_along(shape, v);
  else if (*s.rate == 's' && firn_shape_bounds(shape, lo, hi))
    s.area = firn_shape_volume(shape) / (hi[1] - lo[1]);
  return s;
}

// Of one emitter, those that are still there at the end of the scene.
static double particles_from(const firn_scene *scene, const firn_value *emitter, double end) {
  enum { PARTS = 200 };
  source s = source_of(scene, emitter);
  double begin = firn_value_number(emitter, "start"),
         stop = fmin(firn_value_number(emitter, "stop"), end),
         most = firn_value_number(emitter, "max_count"), placed = 0, count;
  if (!(stop >= begin)) return 0;
  double stay = stay_of(scene, emitter, end - begin), since = fmax(begin, end - stay);
  double dt = fmax(stop - since, 0) / PARTS;
  for (int i = 0; i < PARTS; i++) placed += dt * volume_rate(&s, since + (i + 0.5) * dt);
  if (!s.rate && since <= begin) placed += volume_in_window(scene, shape_of(emitter));
  count = placed / s.particle * packing_of(emitter);
  return most > 0 ? fmin(count, most) : count;
}

double firn_scene_particles_at_end(const firn_scene *scene) {
  double end = firn_scene_frames(scene) * firn_scene_frame_seconds(scene);
  double count = firn_scene_particles(scene);
  for (const firn_value *e = first_of(scene, "emitters"); e; e = e->next)
    if (shape_of(e)) count += particles_from(scene, e, end);
  return count;
}
