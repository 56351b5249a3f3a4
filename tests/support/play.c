// SPDX-License-Identifier: Apache-2.0
#include "support/play.h"

#include <string.h>

#include "scene/scene.h"

void play_check(const play *p, firn_status status, const char *call, const char *file, int line) {
  if (status == FIRN_OK) return;
  fail_msg("%s:%d: %s returned %s: %s", file, line, call, firn_status_name(status),
           p->context ? firn_context_message(p->context) : "no context");
}

play play_open(bool is_text, const char *const *words) {
  const char *const *overrides = words + 1;
  play p = {0};
  int count = 0;
  while (overrides[count]) count++;
  firn_context_def def = firn_default_context_def();
  def.threads = 1; // quickest for so few particles
  play_must(&p, firn_context_create(&def, &p.context));
  firn_status status = is_text ? firn_scene_read(p.context, "test.yaml", words[0], strlen(words[0]),
                                                 count, overrides, &p.scene)
                               : firn_scene_load(p.context, words[0], count, overrides, &p.scene);
  if (status != FIRN_OK) {
    for (int i = 0; p.scene && i < firn_scene_error_count(p.scene); i++) {
      const firn_scene_error *e = firn_scene_error_get(p.scene, i);
      print_error("%d:%d: %s\n", e->line, e->column, e->message);
    }
  }
  play_must(&p, status);
  play_must(&p, firn_scene_build(p.scene, &p.sim));
  return p;
}

void play_close(play *p) {
  firn_sim_destroy(p->sim);
  firn_scene_destroy(p->scene);
  assert_int_equal(firn_context_bytes(p->context), 0);
  firn_context_destroy(p->context);
  *p = (play){0};
}

firn_step play_step(const play *p, double limit) {
  firn_step step;
  play_must(p, firn_scene_apply(p->scene, p->sim));
  play_must(p, firn_sim_step(p->sim, limit, &step));
  return step;
}

void play_advance(const play *p, double seconds) {
  double end = firn_sim_time(p->sim) + seconds;
  // The last step may fall short of the end by rounding.
  while (end - firn_sim_time(p->sim) > 1e-9 * end) play_step(p, end - firn_sim_time(p->sim));
}

size_t play_count(const play *p) {
  return firn_sim_count(p->sim);
}

firn_sums play_sums(const play *p) {
  firn_sums sums;
  play_must(p, firn_sim_sums(p->sim, &sums));
  return sums;
}

double play_stat(const play *p, const char *name) {
  double value = 0;
  play_must(p, firn_sim_stat(p->sim, name, &value));
  return value;
}

double *play_read(const play *p, const char *field) {
  firn_field_info info;
  for (int i = 0; i < firn_sim_field_count(p->sim); i++) {
    play_must(p, firn_sim_field(p->sim, i, &info));
    if (strcmp(info.name, field) != 0) continue;
    double *out = malloc((play_count(p) * (size_t)info.components + 1) * sizeof *out);
    assert_non_null(out);
    play_must(p, firn_sim_read(p->sim, field, out));
    return out;
  }
  fail_msg("there is no field '%s'", field);
  return NULL;
}

int play_collider(const play *p, const char *name) {
  for (int i = 0; i < firn_sim_collider_count(p->sim); i++) {
    firn_collider_state state;
    play_must(p, firn_sim_collider(p->sim, i, &state));
    if (strcmp(state.name, name) == 0) return i;
  }
  fail_msg("there is no collider '%s'", name);
  return -1;
}

firn_collider_force play_force(const play *p, const char *name) {
  firn_collider_force force;
  play_must(p, firn_sim_collider_force(p->sim, play_collider(p, name), &force));
  return force;
}

void play_between(const char *what, double value, double lo, double hi, const char *file,
                  int line) {
  print_message("%s: %.6g (from %.6g to %.6g)\n", what, value, lo, hi);
  if (!(value > lo && value < hi))
    fail_msg("%s:%d: %s is %.9g, not between %.9g and %.9g", file, line, what, value, lo, hi);
}
