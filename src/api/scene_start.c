// SPDX-License-Identifier: Apache-2.0
// What snow begins with at each place, from the formulas of a scene.
#include <string.h>

#include "api/scene.h"
#include "base/memory.h"
#include "scene/scene.h"

// A copy, since fills may be made when the scene is gone.
typedef struct start {
  firn_context *context;
  size_t size;
  firn_formula velocity[3], load[6];
  firn_formula_step step[]; // of all of them
} start;

static void velocity_at(void *user, const double position[3], double *out) {
  const start *s = user;
  for (int a = 0; a < 3; a++) {
    // Plain numbers are the def's.
    bool number = firn_formula_is_number(&s->velocity[a]);
    out[a] = number ? 0 : firn_formula_value(&s->velocity[a], position);
  }
}

static void load_at(void *user, const double position[3], double *out) {
  const start *s = user;
  for (int k = 0; k < 6; k++) out[k] = firn_formula_value(&s->load[k], position);
}

static void release(void *user) {
  start *s = user;
  firn_free(s->context, s, s->size);
}

static size_t steps_of(const firn_value *v) {
  size_t n = 0;
  for (int i = 0; v && i < v->row->width; i++) n += (size_t)v->formulas[i].count;
  return n;
}

static firn_formula_step *copy(const firn_value *v, firn_formula *to, firn_formula_step *step) {
  for (int i = 0; v && i < v->row->width; i++) {
    to[i] = (firn_formula){v->formulas[i].count, step};
    memcpy(step, v->formulas[i].step, sizeof *step * (size_t)to[i].count);
    step += to[i].count;
  }
  return step;
}

static const firn_value *load_of(const firn_value *body) {
  const firn_value *strain = firn_value_find(body, "strain");
  return strain ? strain : firn_value_find(body, "stress");
}

static bool has_formula(const firn_value *v) {
  bool any = false;
  for (int i = 0; v && v->formulas && i < v->row->width; i++)
    any = any || !firn_formula_is_number(&v->formulas[i]);
  return any;
}

firn_status firn_scene_start(const firn_scene *scene, const firn_value *body, firn_fill_def *def) {
  const firn_value *velocity = firn_value_find(body, "velocity"), *load = load_of(body);
  if (!has_formula(velocity)) velocity = NULL;
  if (!velocity && !load) return FIRN_OK;
  size_t size = sizeof(start) + (steps_of(velocity) + steps_of(load)) * sizeof(firn_formula_step);
  start *s = firn_alloc_zero(scene->context, size, "formulas");
  if (!s) return FIRN_ERROR_MEMORY;
  s->context = scene->context;
  s->size = size;
  copy(load, s->load, copy(velocity, s->velocity, s->step));
  def->start_user = s;
  def->start_release = release;
  if (velocity) def->velocity_at = velocity_at;
  if (load && strcmp(load->key, "strain") == 0) def->strain_at = load_at;
  if (load && strcmp(load->key, "stress") == 0) def->stress_at = load_at;
  return FIRN_OK;
}
