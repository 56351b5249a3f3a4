// SPDX-License-Identifier: Apache-2.0
#include "support/sph_case.h"

#include "api/sim.h"
#include "base/random.h"
#include "support/checker.h"

sph_plan sph_default_plan(void) {
  sph_plan plan = {.spacing = 0.01, .sph = firn_default_sph_def(), .threads = under_tsan() ? 2 : 1};
  plan.material = firn_default_material_def();
  return plan;
}

void sph_case_must(const sph_case *c, firn_status status, const char *call, const char *file,
                   int line) {
  if (status == FIRN_OK) return;
  fail_msg("%s:%d: %s returned %s: %s", file, line, call, firn_status_name(status),
           c->context ? firn_context_message(c->context) : "no context");
}

sph_case sph_case_open(const sph_plan *plan) {
  sph_case c = {.d = plan->spacing};
  firn_context_def context = firn_default_context_def();
  context.threads = plan->threads;
  context.isa = plan->isa;
  must(&c, firn_context_create(&context, &c.context));
  firn_sim_def def = firn_default_sim_def();
  def.h = 2 * plan->spacing;
  def.solver = "sph";
  def.settings = &plan->sph;
  for (int a = 0; a < 3; a++) {
    def.gravity[a] = plan->gravity[a];
    def.periodic[a] = plan->periodic[a];
    def.period_cells[a] = plan->period[a] / 2;
  }
  must(&c, firn_sim_create(c.context, &def, &c.sim));
  must(&c, firn_sim_add_material(c.sim, &plan->material, NULL));
  return c;
}

void sph_case_close(sph_case *c) {
  firn_sim_destroy(c->sim);
  assert_int_equal(firn_context_bytes(c->context), 0);
  firn_context_destroy(c->context);
  *c = (sph_case){0};
}

void sph_case_add(const sph_case *c, size_t count, const double *position) {
  firn_particles_def def = firn_default_particles_def();
  def.count = count;
  def.position = position;
  def.per_cell = 8;
  must(c, firn_sim_add_particles(c->sim, &def));
}

double sph_random(uint64_t seed, uint64_t index, double lo, double hi) {
  firn_philox r = firn_philox4x32(seed, index, 0, 0);
  return lo + (hi - lo) * (firn_uniform(r.v[0]) + firn_uniform(r.v[1]) * 0x1p-32);
}

void sph_case_lattice(const sph_case *c, const int n[3], const double corner[3], double jitter) {
  size_t count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2], k = 0;
  double *x = malloc(3 * count * sizeof *x);
  assert_non_null(x);
  for (int i = 0; i < n[0]; i++)
    for (int j = 0; j < n[1]; j++)
      for (int m = 0; m < n[2]; m++, k++) {
        const int at[3] = {i, j, m};
        for (size_t a = 0; a < 3; a++) {
          double off = jitter > 0 ? sph_random(7, 3 * k + a, -jitter, jitter) : 0;
          x[3 * k + a] = corner[a] + c->d * (at[a] + off);
        }
      }
  sph_case_add(c, count, x);
  free(x);
}

int sph_case_plane(const sph_case *c, const double point[3], const double normal[3], double nu) {
  firn_collider_def def = firn_default_collider_def();
  int id;
  def.shape = firn_half_space(point, normal);
  def.friction_viscosity = nu;
  def.forces = true;
  must(c, firn_sim_add_collider(c->sim, &def, &id));
  return id;
}

sph *sph_case_solver(const sph_case *c) {
  return c->sim->solver;
}

size_t sph_case_count(const sph_case *c) {
  return firn_sim_count(c->sim);
}

void sph_case_prepare(const sph_case *c, double dt) {
  sph *s = sph_case_solver(c);
  s->apart = true;
  must(c, sph_layout(s));
  s->dt = dt;
  must(c, sph_prepare(s));
}

void sph_case_steps(const sph_case *c, int n) {
  for (int i = 0; i < n; i++) must(c, firn_sim_step(c->sim, 0, NULL));
}

void sph_case_advance(const sph_case *c, double seconds) {
  must(c, firn_sim_advance(c->sim, seconds, NULL, NULL));
}

size_t sph_case_slot(const sph_case *c, uint32_t id) {
  const sph *s = sph_case_solver(c);
  for_each_particle(s, i) if (firn_particles_id(&s->world->particles)[i] == id) return i;
  fail_msg("particle %u is not there", id);
  return 0;
}

void sph_case_position(const sph_case *c, size_t slot, double x[3]) {
  const firn_particles *p = &sph_case_solver(c)->world->particles;
  for (size_t b = 0; b < p->block_count; b++) {
    if (slot < p->block[b].first || slot >= p->block[b].first + p->block[b].count) continue;
    for (int a = 0; a < 3; a++)
      x[a] = (4.0 * p->block[b].at[a] + (double)firn_particles_real(p, FIRN_FIELD_X + a)[slot]) *
             2 * c->d;
  }
}

double *sph_case_read(const sph_case *c, const char *field, int components) {
  double *out = malloc(sph_case_count(c) * (size_t)components * sizeof *out);
  assert_non_null(out);
  must(c, firn_sim_read(c->sim, field, out));
  return out;
}

double sph_case_stat(const sph_case *c, const char *name) {
  double value;
  must(c, firn_sim_stat(c->sim, name, &value));
  return value;
}

void sph_assert_within(const char *what, double measured, double expected, double tolerance,
                       const char *file, int line) {
  sph_report("%s: %.12g, expected %.12g within %.3g", what, measured, expected, tolerance);
  if (fabs(measured - expected) <= tolerance) return;
  fail_msg("%s:%d: %s is %.12g, not %.12g within %.3g", file, line, what, measured, expected,
           tolerance);
}

void sph_report(const char *format, ...) {
  va_list args;
  if (!getenv("FIRN_TEST_VERBOSE")) return;
  va_start(args, format);
  printf("  ");
  vprintf(format, args);
  printf("\n");
  va_end(args);
}
