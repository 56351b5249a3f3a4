// SPDX-License-Identifier: Apache-2.0
#include "support/mpm_case.h"

#include <stdio.h>

#include "api/sim.h"
#include "base/isa.h"
#include "base/random.h"
#include "support/checker.h"

// ----------------------------------------------------------------------------------- variants

#define SCHEMES(isa, name)                                                                         \
  {FIRN_BASIS_CUBIC, FIRN_TRANSFER_FLIP, isa, "cubic FLIP " name},                                 \
      {FIRN_BASIS_CUBIC, FIRN_TRANSFER_APIC, isa, "cubic APIC " name},                             \
      {FIRN_BASIS_QUADRATIC, FIRN_TRANSFER_FLIP, isa, "quadratic FLIP " name}, {                   \
    FIRN_BASIS_QUADRATIC, FIRN_TRANSFER_APIC, isa, "quadratic APIC " name                          \
  }

static const mpm_variant variants[] = {
    SCHEMES(FIRN_ISA_SCALAR, "scalar"),
    SCHEMES(FIRN_ISA_AVX2, "avx2"),
    SCHEMES(FIRN_ISA_AVX512, "avx512"),
};
enum { VARIANTS = sizeof variants / sizeof *variants };

const mpm_variant *mpm_variant_at(int i) {
  return i < VARIANTS ? &variants[i] : NULL;
}

static const mpm_kernels *own_kernels(const mpm_variant *v) {
  const mpm_stencil stencil = is_cubic(v)
                                  ? (mpm_stencil){.width = 4, .first = -1, .shift = 0, .d = 1.0 / 3}
                                  : (mpm_stencil){.width = 3, .first = 0, .shift = 0.5, .d = 0.25};
#if defined(__x86_64__)
  if (v->isa == FIRN_ISA_AVX2) return firn_mpm_kernels_avx2(&stencil, is_apic(v));
  if (v->isa == FIRN_ISA_AVX512) return firn_mpm_kernels_avx512(&stencil, is_apic(v));
#endif
  return v->isa == FIRN_ISA_SCALAR ? firn_mpm_kernels_scalar(&stencil, is_apic(v)) : NULL;
}

bool mpm_variant_usable(const mpm_variant *v) {
  static bool told[VARIANTS];
  const char *reason = NULL, *only = getenv("FIRN_TEST_VARIANT");
  if (only && !strstr(v->name, only)) {
    reason = "FIRN_TEST_VARIANT is another";
  } else if (!firn_isa_available(v->isa)) {
    reason = "this CPU lacks the instruction set";
  } else if (!own_kernels(v)) {
    reason = "the build has no kernels for it";
  }
  if (!reason) return true;
  if (!told[v - variants]) print_message("%s: not run, %s\n", v->name, reason);
  told[v - variants] = true;
  return false;
}

// --------------------------------------------------------------------------------- simulations

firn_sim_def mpm_printed_def(const mpm_variant *v, double h) {
  firn_sim_def def = firn_default_sim_def();
  def.h = h;
  for (int a = 0; a < 3; a++) def.gravity[a] = 0;
  def.mpm.basis = v->basis;
  def.mpm.transfer = v->transfer;
  def.mpm.integrator = FIRN_INTEGRATOR_EXPLICIT;
  def.mpm.sleep = false; // a closed form knows of no snow that is left out
  def.mpm.flight = false;
  return def;
}

firn_sim_def mpm_elastic_def(const mpm_variant *v, double h) {
  firn_sim_def def = mpm_printed_def(v, h);
  def.mpm.flip = 1;
  def.mpm.flip_rescale = false;
  def.mpm.advect_pic = true;
  def.mpm.volume_nominal = true;
  def.mpm.particle_contact = false;
  def.mpm.push_out = -1;
  return def;
}

firn_material_def mpm_elastic_material(void) {
  firn_material_def material = firn_default_material_def();
  material.law = "elastic";
  material.density = DENSITY;
  material.young = YOUNG;
  material.poisson = POISSON;
  return material;
}

void mpm_case_must(const mpm_case *c, firn_status status, const char *call, const char *file,
                   int line) {
  if (status == FIRN_OK) return;
  fail_msg("%s:%d: %s: %s returned %s: %s", file, line, c->variant ? c->variant->name : "", call,
           firn_status_name(status), c->context ? firn_context_message(c->context) : "no context");
}

mpm_case mpm_case_open_threads(const mpm_variant *v, const firn_sim_def *def,
                               const firn_material_def *material, int threads) {
  mpm_case c = {.variant = v, .h = def->h, .dt = def->mpm.dt};
  firn_context_def context = firn_default_context_def();
  context.threads = threads;
  context.isa = v->isa;
  must(&c, firn_context_create(&context, &c.context));
  must(&c, firn_sim_create(c.context, def, &c.sim));
  must(&c, firn_sim_add_material(c.sim, material, NULL));
  assert_ptr_equal(mpm_case_solver(&c)->kernels, own_kernels(v));
  return c;
}

mpm_case mpm_case_open(const mpm_variant *v, const firn_sim_def *def,
                       const firn_material_def *material) {
  // Results do not depend on the number; where races are looked for, one thread would have none.
  return mpm_case_open_threads(v, def, material, under_tsan() ? 2 : 1);
}

void mpm_case_close(mpm_case *c) {
  firn_sim_destroy(c->sim);
  if (c->context) assert_int_equal(firn_context_bytes(c->context), 0);
  firn_context_destroy(c->context);
  *c = (mpm_case){0};
}

void mpm_case_add(const mpm_case *c, size_t count, const double *position, double per_cell) {
  firn_particles_def def = firn_default_particles_def();
  def.count = count;
  def.position = position;
  def.per_cell = per_cell;
  must(c, firn_sim_add_particles(c->sim, &def));
}

double mpm_random(uint64_t seed, uint64_t index, double lo, double hi) {
  firn_philox r = firn_philox4x32(seed, index, 0, 0);
  return lo + (hi - lo) * (firn_uniform(r.v[0]) + firn_uniform(r.v[1]) * 0x1p-32);
}

void mpm_case_jittered(const mpm_case *c, const int lo[3], const int hi[3], int n, double jitter,
                       uint64_t seed) {
  int parts[3];
  size_t count = 1, i = 0;
  for (int a = 0; a < 3; a++) {
    parts[a] = n * (hi[a] - lo[a]);
    assert_true(parts[a] > 0);
    count *= (size_t)parts[a];
  }
  double *x = malloc(3 * count * sizeof *x);
  assert_non_null(x);
  for (int p = 0; p < parts[0]; p++) {
    for (int q = 0; q < parts[1]; q++) {
      for (int r = 0; r < parts[2]; r++, i++) {
        int part[3] = {p, q, r};
        for (size_t a = 0; a < 3; a++) {
          double move = jitter == 0 ? 0 : mpm_random(seed, 3 * i + a, -jitter, jitter);
          x[3 * i + a] = (lo[a] + (part[a] + 0.5 + move) / n) * c->h;
        }
      }
    }
  }
  mpm_case_add(c, count, x, n * n * n);
  free(x);
}

void mpm_case_lattice(const mpm_case *c, const int lo[3], const int hi[3], int n) {
  mpm_case_jittered(c, lo, hi, n, 0, 0);
}

mpm *mpm_case_solver(const mpm_case *c) {
  return c->sim->solver;
}

void mpm_case_steps(const mpm_case *c, int n) {
  for (int i = 0; i < n; i++) {
    firn_step step;
    must(c, firn_sim_step(c->sim, 0, &step));
    assert_true(mpm_case_stat(c, "redone") == 0);
    if (c->dt > 0) assert_true(step.dt == c->dt);
  }
}

// ------------------------------------------------------------------------------------- fields

static int components_of(const mpm_case *c, const char *field) {
  firn_field_info info;
  for (int i = 0; firn_sim_field(c->sim, i, &info) == FIRN_OK; i++) {
    if (strcmp(info.name, field) == 0) return info.components;
  }
  fail_msg("there is no field '%s'", field);
  return 0;
}

double *mpm_case_new(const mpm_case *c, int components) {
  double *p = calloc(mpm_case_count(c) * (size_t)components, sizeof *p);
  assert_non_null(p);
  return p;
}

double *mpm_case_read(const mpm_case *c, const char *field) {
  double *out = mpm_case_new(c, components_of(c, field));
  must(c, firn_sim_read(c->sim, field, out));
  return out;
}

void mpm_case_write(const mpm_case *c, const char *field, const double *in) {
  must(c, firn_sim_write(c->sim, field, in));
}

firn_sums mpm_case_sums(const mpm_case *c) {
  firn_sums sums;
  must(c, firn_sim_sums(c->sim, &sums));
  return sums;
}

double mpm_case_stat(const mpm_case *c, const char *name) {
  double value = 0;
  must(c, firn_sim_stat(c->sim, name, &value));
  return value;
}

void mpm_case_set_velocity(const mpm_case *c, mpm_field_fn f, void *user) {
  double *x = mpm_case_read(c, "position"), *v = mpm_case_new(c, 3);
  for (size_t i = 0; i < mpm_case_count(c); i++) f(user, x + 3 * i, v + 3 * i);
  mpm_case_write(c, "velocity", v);
  free(x);
  free(v);
}

void mpm_case_set_gradient(const mpm_case *c, mpm_field_fn f, void *user) {
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double *x = mpm_case_read(c, "position"), *e = mpm_case_new(c, 6);
  for (size_t i = 0; i < mpm_case_count(c); i++) {
    double d[9] = {0};
    f(user, x + 3 * i, d);
    for (size_t k = 0; k < 6; k++) {
      const double *p = d + 3 * row[k], *q = d + 3 * column[k];
      e[6 * i + k] = p[column[k]] + q[row[k]] + p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    }
  }
  mpm_case_write(c, "strain", e);
  free(x);
  free(e);
}

// ----------------------------------------------------------------------------------- half steps

void mpm_case_to_grid(const mpm_case *c) {
  mpm *m = mpm_case_solver(c);
  mpm_tally tally;
  bool sorted;
  assert_true(c->dt > 0);
  must(c, mpm_layout(m, &sorted));
  if (m->memory.must_survey) {
    must(c, mpm_set_volumes(m));
    mpm_survey(m);
  }
  if (m->memory.spray) must(c, mpm_rebuild_grid(m, false)); // spray set apart has no nodes to see
  m->view.mass_floor = (firn_real)(1e-18 * m->memory.mass_min);
  m->view.dt = (firn_real)c->dt;
  m->view.alpha = (firn_real)m->def.flip;
  m->view.implicit = false;
  must(c, mpm_place_arenas(m, mpm_channels(m, false)));
  must(c, mpm_contact_begin(m));
  memset(m->view.node_v, 0, m->grid.count * FIRN_NODE_BLOCK_REALS * sizeof(firn_real));
  mpm_for_units(m, m->kernels->scatter, &tally);
  m->memory.plastic += tally.spent;
  mpm_sow(m, false);
  mpm_for_nodes(m, m->kernels->nodes);
}

void mpm_case_from_grid(const mpm_case *c) {
  mpm *m = mpm_case_solver(c);
  mpm_tally tally;
  mpm_for_units(m, m->kernels->gather, &tally);
  mpm_swap_boxes(m);
  assert_false(tally.nonfinite);
  m->memory.must_sort = tally.left;
}

static void node_position(const mpm_case *c, size_t g, int n, double x[3]) {
  const int32_t *at = mpm_case_solver(c)->grid.at[g];
  x[0] = c->h * (4.0 * at[0] + n / 16);
  x[1] = c->h * (4.0 * at[1] + n / 4 % 4);
  x[2] = c->h * (4.0 * at[2] + n % 4);
}

void mpm_case_visit_nodes(const mpm_case *c, mpm_node_fn visit, void *user) {
  const mpm *m = mpm_case_solver(c);
  for (size_t g = 0; g < m->grid.count; g++) {
    for (int n = 0; n < 64; n++) {
      const firn_real *node = m->view.node_v + g * FIRN_NODE_BLOCK_REALS + 4 * n;
      double x[3];
      if (!(node[3] > 0)) continue;
      node_position(c, g, n, x);
      visit(user, x, node);
    }
  }
}

void mpm_case_set_nodes(const mpm_case *c, mpm_field_fn f, void *user) {
  const mpm *m = mpm_case_solver(c);
  for (size_t g = 0; g < m->grid.count; g++) {
    for (int n = 0; n < 64; n++) {
      size_t at = g * FIRN_NODE_BLOCK_REALS + 4 * (size_t)n;
      double x[3], v[3] = {0};
      node_position(c, g, n, x);
      f(user, x, v);
      for (size_t a = 0; a < 3; a++) {
        m->view.node_v[at + a] = (firn_real)v[a];
        if (m->view.node_u) {
          m->view.node_u[at + a] = (firn_real)v[a] - m->view.alpha * (firn_real)v[a];
        }
      }
    }
  }
}

// -------------------------------------------------------------------------------------- modes

double mpm_case_amplitude(const mpm_case *c, const double *u, const double *at, mpm_field_fn shape,
                          void *user) {
  double *mass = mpm_case_read(c, "mass"), us = 0, ss = 0;
  for (size_t i = 0; i < mpm_case_count(c); i++) {
    double s[3] = {0};
    shape(user, at + 3 * i, s);
    for (size_t a = 0; a < 3; a++) {
      us += mass[i] * u[3 * i + a] * s[a];
      ss += mass[i] * s[a] * s[a];
    }
  }
  free(mass);
  assert_true(ss > 0);
  return us / ss;
}

double mpm_zero_frequency(int n, const double *t, const double *y) {
  double first = 0, last = 0;
  int crossings = 0;
  for (int i = 1; i < n; i++) {
    if ((y[i - 1] < 0) == (y[i] < 0)) continue;
    double at = t[i - 1] + (t[i] - t[i - 1]) * y[i - 1] / (y[i - 1] - y[i]);
    if (!crossings) first = at;
    last = at;
    crossings++;
  }
  if (crossings < 2) fail_msg("only %d zero crossings", crossings);
  return 3.14159265358979323846 * (crossings - 1) / (last - first);
}

// Solves the symmetric positive definite 4x4 system a x = b in place of b, by Gauss.
static void solve4(double a[4][4], double b[4]) {
  for (int p = 0; p < 4; p++) {
    for (int r = p + 1; r < 4; r++) {
      double k = a[r][p] / a[p][p];
      for (int q = p; q < 4; q++) a[r][q] -= k * a[p][q];
      b[r] -= k * b[p];
    }
  }
  for (int p = 3; p >= 0; p--) {
    for (int q = p + 1; q < 4; q++) b[p] -= a[p][q] * b[q];
    b[p] /= a[p][p];
  }
}

mpm_sine mpm_fit_sine(int n, const double *t, const double *y, double omega) {
  // Gauss-Newton in (C, S, omega, gamma) of e^{-gamma t} (C cos + S sin); the first pass, in which
  // C and S are zero, is a linear fit of these two.
  double c = 0, s = 0, gamma = 0, left = 0, mid = t[n / 2];
  for (int pass = 0; pass < 20; pass++) {
    double a[4][4] = {{0}}, b[4] = {0};
    left = 0;
    for (int i = 0; i < n; i++) {
      double at = t[i] - mid; // decouples phase from frequency
      double e = exp(-gamma * at), co = e * cos(omega * at), si = e * sin(omega * at);
      double f = c * co + s * si;
      double d[4] = {co, si, at * (s * co - c * si), -at * f};
      left += (y[i] - f) * (y[i] - f);
      for (int p = 0; p < 4; p++) {
        b[p] += d[p] * (y[i] - f);
        for (int q = 0; q < 4; q++) a[p][q] += d[p] * d[q];
      }
    }
    if (pass == 0) a[2][2] = a[3][3] = 1;
    solve4(a, b);
    c += b[0];
    s += b[1];
    omega += b[2];
    gamma += b[3];
  }
  double size = sqrt(c * c + s * s);
  // c cos(omega at) + s sin(omega at) = size cos(omega at + phi), at = t - mid.
  return (mpm_sine){.omega = omega,
                    .gamma = gamma,
                    .amplitude = size * exp(gamma * mid),
                    .phase = atan2(-s, c) - omega * mid,
                    .residual = sqrt(left / n) / size};
}

// ---------------------------------------------------------------------------------- assertions

void mpm_assert_within(const mpm_variant *v, const char *what, double measured, double expected,
                       double tolerance, const char *file, int line) {
  if (fabs(measured - expected) <= tolerance) return;
  fail_msg("%s:%d: %s: %s is %.9g, expected %.9g, off by %.3g where %.3g is allowed", file, line,
           v ? v->name : "", what, measured, expected, measured - expected, tolerance);
}

void mpm_report(const mpm_variant *v, const char *format, ...) {
  if (!getenv("FIRN_TEST_VERBOSE")) return;
  va_list arguments;
  va_start(arguments, format);
  printf("  %-22s ", v ? v->name : "");
  vprintf(format, arguments);
  printf("\n");
  va_end(arguments);
}
