// SPDX-License-Identifier: Apache-2.0
#include "support/flip_case.h"

#include "api/sim.h"
#include "base/random.h"
#include "support/checker.h"

flip_plan flip_default_plan(void) {
  flip_plan plan = {.h = 0.1, .flip = firn_default_flip_def(), .threads = under_tsan() ? 2 : 1};
  plan.flip.dt = 5e-3;
  plan.flip.keep_volume = false;
  firn_status status = firn_material_preset(NULL, "water", &plan.material);
  assert_int_equal(status, FIRN_OK);
  return plan;
}

void flip_case_must(const flip_case *c, firn_status status, const char *call, const char *file,
                    int line) {
  if (status == FIRN_OK) return;
  fail_msg("%s:%d: %s returned %s: %s", file, line, call, firn_status_name(status),
           c->context ? firn_context_message(c->context) : "no context");
}

flip_case flip_case_open(const flip_plan *plan) {
  flip_case c = {.h = plan->h};
  firn_context_def context = firn_default_context_def();
  context.threads = plan->threads;
  must(&c, firn_context_create(&context, &c.context));
  firn_sim_def def = firn_default_sim_def();
  def.h = plan->h;
  def.solver = "flip";
  def.settings = &plan->flip;
  for (int a = 0; a < 3; a++) {
    def.gravity[a] = plan->gravity[a];
    def.periodic[a] = plan->periodic[a];
    def.period_cells[a] = plan->period[a];
  }
  must(&c, firn_sim_create(c.context, &def, &c.sim));
  must(&c, firn_sim_add_material(c.sim, &plan->material, NULL));
  return c;
}

void flip_case_close(flip_case *c) {
  firn_sim_destroy(c->sim);
  assert_int_equal(firn_context_bytes(c->context), 0);
  firn_context_destroy(c->context);
}

double flip_random(uint64_t seed, uint64_t index, double lo, double hi) {
  return lo + (hi - lo) * firn_uniform(firn_philox4x32(seed, index, 0, 0).v[0]);
}

void flip_case_box(const flip_case *c, const int lo[3], const int hi[3], double jitter,
                   const double velocity[3]) {
  flip_case_box_of(c, lo, hi, jitter, velocity, 0);
}

void flip_case_box_of(const flip_case *c, const int lo[3], const int hi[3], double jitter,
                      const double velocity[3], int material) {
  int n[3] = {2 * (hi[0] - lo[0]), 2 * (hi[1] - lo[1]), 2 * (hi[2] - lo[2])};
  size_t count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2], next = 0;
  double *x = malloc(3 * count * sizeof *x), *v = malloc(3 * count * sizeof *v);
  for (int i = 0; i < n[0]; i++)
    for (int j = 0; j < n[1]; j++)
      for (int k = 0; k < n[2]; k++) {
        const int at[3] = {i, j, k};
        for (size_t a = 0; a < 3; a++, next++) {
          x[next] = (lo[a] + at[a] / 2.0 + 0.25 + jitter * flip_random(3, next, -1, 1)) * c->h;
          v[next] = velocity ? velocity[a] : 0;
        }
      }
  firn_particles_def def = firn_default_particles_def();
  def.count = count;
  def.material = material;
  def.position = x;
  def.velocity = v;
  must(c, firn_sim_add_particles(c->sim, &def));
  free(x);
  free(v);
}

int flip_case_plane(const flip_case *c, const double point[3], const double normal[3],
                    const double velocity[3]) {
  firn_collider_def def = firn_default_collider_def();
  def.shape = firn_half_space(point, normal);
  def.friction = 0;
  def.forces = true;
  for (int a = 0; a < 3 && velocity; a++) def.velocity[a] = velocity[a];
  int id;
  must(c, firn_sim_add_collider(c->sim, &def, &id));
  return id;
}

void flip_case_tank(const flip_case *c, const int lo[3], const int hi[3], bool lid) {
  for (int a = 0; a < 3; a++) {
    for (int up = 0; up < 2; up++) {
      double point[3] = {0}, normal[3] = {0};
      if (a == 1 && up && !lid) continue;
      point[a] = (up ? hi[a] : lo[a]) * c->h;
      normal[a] = up ? -1 : 1;
      flip_case_plane(c, point, normal, NULL);
    }
  }
}

flip *flip_case_solver(const flip_case *c) {
  return c->sim->solver;
}

size_t flip_case_count(const flip_case *c) {
  return firn_sim_count(c->sim);
}

void flip_case_prepare(const flip_case *c, double dt) {
  flip *s = flip_case_solver(c);
  s->dt = dt;
  must(c, flip_layout(s));
  flip_transfer(s);
  firn_world_prepare(s->world, s->world->time + dt);
  flip_solids(s);
  flip_surface(s);
}

void flip_case_steps(const flip_case *c, int n) {
  for (int i = 0; i < n; i++) must(c, firn_sim_step(c->sim, 0, NULL));
}

double *flip_case_read(const flip_case *c, const char *field, int components) {
  size_t count = flip_case_count(c) * (size_t)components;
  double *out = malloc((count + 1) * sizeof *out);
  must(c, firn_sim_read(c->sim, field, out));
  return out;
}

double flip_case_reach(const flip_case *c, int axis, const int cell[3]) {
  const flip *s = flip_case_solver(c);
  int b = (axis + 1) % 3, d = (axis + 2) % 3;
  double most = 0;
  for (size_t g = 0; g < s->grid.count; g++) {
    const int32_t *at = s->grid.at[g];
    if (cell[b] >> 2 != at[b] || cell[d] >> 2 != at[d]) continue;
    for (int k = 0; k < FLIP_CELLS; k++) {
      double corner[3];
      flip_corner(s, g, k, corner);
      if (corner[b] != cell[b] || corner[d] != cell[d]) continue;
      double in = (double)s->fill[0][FLIP_CELLS * g + (size_t)k];
      double out = (double)s->fill[0][flip_beside(s, g, k, axis, 1)];
      if (in > 0.5 && out <= 0.5) most = fmax(most, corner[axis] + 0.5 + (in - 0.5) / (in - out));
    }
  }
  return most;
}

double flip_case_stat(const flip_case *c, const char *name) {
  double value;
  must(c, firn_sim_stat(c->sim, name, &value));
  return value;
}

void flip_report(const char *format, ...) {
  if (!getenv("FIRN_TEST_VERBOSE")) return;
  va_list args;
  va_start(args, format);
  vprintf(format, args);
  va_end(args);
}

void flip_assert_within(const char *what, double measured, double expected, double tolerance,
                        const char *file, int line) {
  flip_report("%s: %.9g, expected %.9g within %.3g\n", what, measured, expected, tolerance);
  if (fabs(measured - expected) <= tolerance) return;
  fail_msg("%s:%d: %s is %.9g, expected %.9g within %.3g", file, line, what, measured, expected,
           tolerance);
}
