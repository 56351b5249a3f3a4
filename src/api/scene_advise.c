// SPDX-License-Identifier: Apache-2.0
// What is allowed in a scene but hardly meant: snow where a collider or other snow is already.
#include "api/scene_advise.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/sim.h"
#include "base/isa.h"
#include "base/memory.h"
#include "world/collider.h"

void firn_advise(const firn_advisor *advisor, firn_log_level level, const firn_value *value,
                 const char *path, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  firn_report report = advisor->scene->report; // for the names of the files
  report.errors = NULL;
  report.count = report.capacity = 0;
  firn_report_add(&report, value->mark, path, "%s", text);
  if (report.count) {
    report.errors[0].level = level;
    advisor->tell(advisor->user, &report.errors[0]);
  }
  firn_report_free(&report);
}

// Particles that are looked at: what matters shows in a few of them.
enum { LOOKS = 50000 };
// Bodies and colliders that are told apart.
enum { BODIES = 64, COLLIDERS = 64 };

// Counts of particles; integers, so that threads may add in any order.
typedef struct place {
  const firn_world *world;
  const firn_value *body[BODIES]; // those that are there from the beginning
  int number[BODIES];             // in the scene's list
  int body_count;
  size_t stride; // every so many slots are looked at
  double h;      // m, of the scene, which may be finer than the simulation
  long long in[BODIES], both[BODIES][BODIES], solid[BODIES][COLLIDERS];
  long long deep[BODIES]
                [BODIES]; // of both, below the skin: bodies that touch share no more than that
} place;

static const firn_shape *shape_of(const firn_value *body) {
  const firn_value *v = firn_value_find(body, "shape");
  return v ? v->shape : NULL;
}

static void add_one(long long *count) {
  __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
}

static void look(void *user, size_t slot, const double corner[3]) {
  place *p = user;
  const firn_particles *particles = &p->world->particles;
  if (slot % p->stride || !(firn_particles_real(particles, FIRN_FIELD_MASS)[slot] > 0)) return;
  double x[3];
  for (int a = 0; a < 3; a++)
    x[a] = (corner[a] + (double)firn_particles_real(particles, FIRN_FIELD_X + a)[slot]) *
           p->world->h;
  int owner = -1, first = -1, deep = -1;
  for (int i = 0; i < p->body_count; i++) {
    const firn_shape *shape = shape_of(p->body[i]);
    double d = shape ? firn_shape_sample(shape, x, 0, NULL) : 0;
    if (owner < 0 && d <= 1e-3 * p->h) owner = i;
    if (!shape || d > 1e-3 * p->h) continue;
    if (first >= 0) add_one(&p->both[first][i]);
    if (first < 0) first = i;
    if (d > -0.25 * p->h) continue;
    if (deep >= 0) add_one(&p->deep[deep][i]);
    if (deep < 0) deep = i;
  }
  if (owner < 0) return;
  add_one(&p->in[owner]);
  for (int c = 0; c < p->world->collider_count && c < COLLIDERS; c++)
    if (firn_collider_sample(&p->world->collider[c], x, NULL, NULL) < -0.5 * p->h)
      add_one(&p->solid[owner][c]);
}

// Enough to be no accident of a rough surface.
static bool matters(long long count, long long of) {
  return count >= 3 && 1000 * count > of;
}

// "3.4 %", "64 %", "100 %".
static const char *percent(long long count, long long of, char text[16]) {
  double share = fmin(100, 100.0 * (double)count / (double)(of > 0 ? of : 1));
  snprintf(text, 16, share < 10 ? "%.2g %%" : "%.0f %%", share);
  return text;
}

static void tell_about(const firn_advisor *advisor, const place *p, int i) {
  char path[60], share[16];
  const firn_value *body = p->body[i], *shape = firn_value_find(body, "shape");
  if (!shape) shape = firn_value_find(body, "points");
  snprintf(path, sizeof path, "snow[%d].%s", p->number[i], shape->key);
  for (int c = 0; c < p->world->collider_count && c < COLLIDERS; c++) {
    const firn_collider *collider = &p->world->collider[c];
    const double plane_at[3] = {0, 0, 0};
    double plane[4];
    bool under = collider->part_count == 1 &&
                 firn_part_plane(&collider->part[0], p->world->time, plane_at, plane);
    if (matters(p->solid[i][c], p->in[i]))
      firn_advise(advisor, FIRN_LOG_WARNING, shape, path,
                  "about %s of it lies %s '%s', more than half a cell deep: it stays "
                  "stuck there, or is thrown out of it",
                  percent(p->solid[i][c], p->in[i], share),
                  under ? "under the surface of" : "inside", collider->name);
  }
  for (int j = 0; j < i; j++)
    if (matters(p->deep[j][i], p->in[j] + p->in[i]))
      firn_advise(advisor, FIRN_LOG_WARNING, shape, path,
                  "it overlaps snow[%d]: about %s of the two lie in both, with twice the "
                  "density; subtract one from the other by difference",
                  p->number[j], percent(p->both[j][i], p->in[j] + p->in[i], share));
}

static bool is_given(const firn_value *collider, const char *key) {
  const firn_value *v = firn_value_find(collider, key);
  return v && v->given;
}

// What sph and the others each know of a surface. A scene for both says both.
static void advise_surfaces(const firn_advisor *advisor) {
  const firn_value *root = advisor->scene->root, *list = firn_value_find(root, "colliders");
  bool sph = firn_value_is(root, "solver", "sph");
  const char *own = sph ? "friction_viscosity" : "friction";
  const char *other = sph ? "friction" : "friction_viscosity";
  int i = 0;
  for (const firn_value *c = list ? list->first : NULL; c; c = c->next, i++) {
    char path[80];
    if (is_given(c, other) && !is_given(c, own)) {
      snprintf(path, sizeof path, "colliders[%d].%s", i, other);
      firn_advise(advisor, FIRN_LOG_WARNING, firn_value_find(c, other), path,
                  "%s does not know it; it has %s, %g here", firn_value_text(root, "solver"), own,
                  firn_value_number(c, own));
    }
    if (!sph && firn_value_number(c, "adhesion") > 0 && !is_given(c, "sticky")) {
      snprintf(path, sizeof path, "colliders[%d].adhesion", i);
      firn_advise(advisor, FIRN_LOG_WARNING, firn_value_find(c, "adhesion"), path,
                  "%s has none; sticky: true holds what touches", firn_value_text(root, "solver"));
    }
  }
}

static bool any_load(const firn_value *colliders) {
  for (const firn_value *c = colliders->first; c; c = c->next)
    if (firn_value_find(c, "load")) return true;
  return false;
}

// Elastic snow under sph sinks into printed walls. A load makes all walls as printed.
static void advise_walls(const firn_advisor *advisor) {
  const firn_value *root = advisor->scene->root, *list = firn_value_find(root, "materials");
  const firn_value *colliders = firn_value_find(root, "colliders"),
                   *sph = firn_value_find(root, "sph");
  const firn_value *walls = sph ? firn_value_find(sph, "walls") : NULL;
  if (!firn_value_is(root, "solver", "sph") || !colliders || !colliders->first) return;
  if (!walls) return;
  if (any_load(colliders)) {
    if (firn_value_is(sph, "walls", "mirrored"))
      firn_advise(advisor, FIRN_LOG_WARNING, walls, "sph.walls",
                  "mirrored has no effect beside a collider with a load: all colliders answer as "
                  "printed");
    return;
  }
  if (walls->given) return;
  for (const firn_value *m = list ? list->first : NULL; m; m = m->next) {
    if (!firn_value_is(m, "law", "elastic")) continue;
    firn_advise(
        advisor, FIRN_LOG_WARNING, firn_value_find(m, "law"), "sph.walls",
        "elastic snow settles too far on walls that answer as printed: a column of 20 spacings by "
        "61 %% more than its closed form, of 10 by 160 %%; sph.walls: mirrored gives 2 and 7 %%");
    return;
  }
}

static void find_bodies(const firn_scene *scene, place *p) {
  const firn_value *snow = firn_value_find(scene->root, "snow");
  int i = 0;
  for (const firn_value *s = snow ? snow->first : NULL; s; s = s->next, i++) {
    if (firn_value_number(s, "time") > 0 || p->body_count == BODIES) continue;
    p->number[p->body_count] = i;
    p->body[p->body_count++] = s;
  }
}

firn_status firn_scene_advise(const firn_scene *scene, firn_sim *sim, firn_advice_fn tell,
                              void *user) {
  if (!scene || !tell) return FIRN_ERROR_ARGUMENT;
  if (scene->report.count)
    return firn_fail(scene->context, FIRN_ERROR_SCENE, "%s has errors", scene->file);
  firn_advisor advisor = {scene, tell, user};
  FIRN_TRY(firn_advise_resolution(&advisor));
  advise_surfaces(&advisor);
  advise_walls(&advisor);
  if (!sim) return FIRN_OK;
  place *p = firn_alloc_zero(scene->context, sizeof *p, "advice");
  if (!p) return FIRN_ERROR_MEMORY;
  p->world = &sim->world;
  p->h = scene->h;
  p->stride = (sim->world.particles.slots + sim->world.particles.pending) / LOOKS + 1;
  find_bodies(scene, p);
  FIRN_FP_SCOPE;
  firn_particles_visit_parallel(&sim->world.particles, look, p);
  for (int i = 0; i < p->body_count; i++) tell_about(&advisor, p, i);
  firn_free(scene->context, p, sizeof *p);
  return FIRN_OK;
}
