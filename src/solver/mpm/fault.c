// SPDX-License-Identifier: Apache-2.0
#include "solver/mpm/fault.h"

#include <math.h>
#include <stdio.h>

typedef struct search {
  const mpm *m;
  const char *field; // NULL while nothing is found
  const char *unit;
  uint32_t id;
  int components;
  double value[6];
} search;

// Velocities are good if their square is: the time step is chosen from it.
static bool velocity_is_finite(const firn_real v[3]) {
  return isfinite(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void find(search *s, const char *field, const char *unit, uint32_t id, int components,
                 const firn_real *value) {
  s->field = field;
  s->unit = unit;
  s->id = id;
  s->components = components;
  for (int i = 0; i < components; i++) s->value[i] = (double)value[i];
}

static void look_at_particle(void *user, size_t slot, const double corner[3]) {
  search *s = user;
  const mpm *m = s->m;
  const firn_particles *p = &m->world->particles;
  uint32_t id = firn_particles_id(p)[slot];
  (void)corner;
  if (s->field && id >= s->id) return;
  firn_real v[3], e[6], ln_jp = firn_particles_real(p, m->field_ln_jp)[slot];
  bool strained = true;
  for (int a = 0; a < 3; a++) v[a] = firn_particles_real(p, FIRN_FIELD_VX + a)[slot];
  for (int i = 0; i < 6; i++) {
    e[i] = firn_particles_real(p, m->field_b + i)[slot];
    strained = strained && isfinite(e[i]);
  }
  if (!velocity_is_finite(v)) {
    find(s, "velocity", " m/s", id, 3, v);
  } else if (!strained) {
    find(s, "strain", "", id, 6, e);
  } else if (!isfinite(ln_jp)) {
    find(s, "ln jp", "", id, 1, &ln_jp);
  }
}

// else_what: what is wrong where all nodes are good.
static firn_status fail_node(const mpm *m, const char *else_what) {
  const firn_real *v = m->view.node_v;
  for (size_t n = 0; n < 64 * m->grid.count; n++, v += 4) {
    if (velocity_is_finite(v)) continue;
    const int32_t *block = m->grid.at[n / 64];
    double x[3];
    for (size_t a = 0; a < 3; a++) {
      x[a] = (4.0 * block[a] + (double)(n >> (4 - 2 * a) & 3)) * m->world->h;
    }
    return firn_fail(m->world->context, FIRN_ERROR_NONFINITE,
                     "step %llu at time %g s: node at (%g %g %g) m: velocity (%g %g %g) m/s is not "
                     "finite",
                     (unsigned long long)m->memory.steps, m->world->time, x[0], x[1], x[2],
                     (double)v[0], (double)v[1], (double)v[2]);
  }
  return firn_fail(m->world->context, FIRN_ERROR_NONFINITE, "step %llu at time %g s: %s",
                   (unsigned long long)m->memory.steps, m->world->time, else_what);
}

static firn_status fail_nonfinite(const mpm *m, const char *else_what) {
  search s = {.m = m};
  firn_particles_visit(&m->world->particles, look_at_particle, &s);
  if (!s.field) return fail_node(m, else_what);
  char text[160];
  int length = 0;
  for (int i = 0; i < s.components; i++) {
    length += snprintf(text + length, sizeof text - (size_t)length, i ? " %g" : "%g", s.value[i]);
  }
  return firn_fail(m->world->context, FIRN_ERROR_NONFINITE,
                   "step %llu at time %g s: particle %u: %s (%s)%s is not finite",
                   (unsigned long long)m->memory.steps, m->world->time, s.id, s.field, text,
                   s.unit);
}

firn_status mpm_fail_nonfinite(const mpm *m) {
  return fail_nonfinite(m, "velocities are not finite");
}

firn_status mpm_fail_solve(const mpm *m) {
  return fail_nonfinite(m, "the residual of the linear solve is not finite: stiffness, gravity or "
                           "speeds are beyond what can be computed with");
}

firn_status mpm_fail_inverted(const mpm *m, double dt, double det) {
  // The check told unit by unit; the unit's first block says where to look.
  const firn_particles *p = &m->world->particles;
  const mpm_tally *tally = m->tallies.data;
  size_t worst = 0;
  for (size_t u = 0; u < p->unit_count; u++) {
    if (tally[u].det_min == det) worst = u;
  }
  const int32_t *at = p->block[p->unit[worst].first_block].at;
  double edge = 4 * m->world->h;
  return firn_fail(m->world->context, FIRN_ERROR_STEP,
                   "step %llu at time %g s: a step of %g s would still invert a particle near "
                   "(%g %g %g) m (det = %g), and dt_min is %g s",
                   (unsigned long long)m->memory.steps, m->world->time, dt, edge * at[0],
                   edge * at[1], edge * at[2], det, m->def.dt_min);
}

firn_status mpm_fail_short(const mpm *m, double dt) {
  return firn_fail(m->world->context, FIRN_ERROR_STEP,
                   "step %llu at time %g s: speeds of %g m/s, and %g m/s of sound, need a step of "
                   "%g s, below dt_min = %g s",
                   (unsigned long long)m->memory.steps, m->world->time, sqrt(m->memory.speed2_max),
                   sqrt(m->memory.sound2_max), dt, m->def.dt_min);
}
