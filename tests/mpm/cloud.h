// SPDX-License-Identifier: Apache-2.0
// A cloud of strained particles against three walls, and the semi-implicit step stopped before its
// solve: for tests of the operator and of the solvers.
#ifndef FIRN_TESTS_MPM_CLOUD_H
#define FIRN_TESTS_MPM_CLOUD_H

#include "api/sim.h"
#include "support/mpm_case.h"

static const double H = 0.02, DT = 5e-4; // m, s

// A slope with a little friction and a wall with much: nodes that slip, are held, and slide along
// the edge of both.
static inline void add_cloud_colliders(const mpm_case *c) {
  firn_collider_def slope = firn_default_collider_def();
  const double at[3] = {0, 0.3 * H, 0}, normal[3] = {0.3, 1, 0.2};
  slope.shape = firn_half_space(at, normal);
  slope.friction = 0.05;
  must(c, firn_sim_add_collider(c->sim, &slope, NULL));
  firn_collider_def wall = firn_default_collider_def();
  const double side[3] = {-0.1 * H, 0, 0}, out[3] = {1, 0.1, 0};
  wall.shape = firn_half_space(side, out);
  wall.friction = 0.02;
  must(c, firn_sim_add_collider(c->sim, &wall, NULL));
  firn_collider_def back = firn_default_collider_def();
  const double behind[3] = {0, 0, -0.1 * H}, away[3] = {0, 0, 1};
  back.shape = firn_half_space(behind, away);
  back.friction = 10;
  must(c, firn_sim_add_collider(c->sim, &back, NULL));
}

// Particles in lo..hi cells with random velocities, strains of mean +- spread, and J_P in
// [jp, 1].
typedef struct cloud {
  int hi[3];
  double mean, spread, jp;
  bool colliders;
} cloud;

static inline mpm_case open_cloud(const mpm_variant *v, const firn_mpm_def *like,
                                  const cloud *what) {
  firn_sim_def def = mpm_elastic_def(v, H);
  def.gravity[1] = -9.81;
  def.mpm.integrator = FIRN_INTEGRATOR_IMPLICIT;
  def.mpm.dt = DT;
  if (like) {
    def.mpm.krylov = like->krylov;
    def.mpm.hessian = like->hessian;
    def.mpm.preconditioner = like->preconditioner;
    def.mpm.tolerance = like->tolerance;
    def.mpm.max_iterations = like->max_iterations;
    def.mpm.contact_node = like->contact_node;
  }
  firn_material_def snow = firn_default_material_def();
  snow.theta_c = 0.5; // strains stay where they are put
  snow.theta_s = 0.5;
  mpm_case c = mpm_case_open(v, &def, &snow);
  const int lo[3] = {0, 0, 0};
  mpm_case_jittered(&c, lo, what->hi, 2, 0.5, 1);
  size_t n = mpm_case_count(&c);
  double *u = mpm_case_new(&c, 3), *e = mpm_case_new(&c, 6), *jp = mpm_case_new(&c, 1);
  for (size_t i = 0; i < 3 * n; i++) u[i] = mpm_random(2, i, -1, 1) - (i % 3 == 1 ? 1 : 0.3);
  for (size_t i = 0; i < 6 * n; i++) {
    e[i] = mpm_random(3, i, -what->spread, what->spread) + (i % 6 < 3 ? what->mean : 0);
  }
  for (size_t i = 0; i < n; i++) jp[i] = mpm_random(4, i, what->jp, 1);
  mpm_case_write(&c, "velocity", u);
  mpm_case_write(&c, "strain", e);
  mpm_case_write(&c, "jp", jp);
  free(u);
  free(e);
  free(jp);
  if (what->colliders) add_cloud_colliders(&c);
  return c;
}

// What a step does up to the solve: v* in node_v, constraints, and all that the operator needs.
static inline void make_star(const mpm_case *c) {
  mpm *m = mpm_case_solver(c);
  bool sorted;
  must(c, mpm_layout(m, &sorted));
  must(c, mpm_set_volumes(m));
  mpm_survey(m);
  m->view.mass_floor = (firn_real)(1e-18 * m->memory.mass_min);
  m->view.dt = (firn_real)DT;
  m->view.alpha = 1;
  m->view.implicit = true;
  m->view.stiffness_factor = (firn_real)(m->def.beta * DT * DT);
  must(c, mpm_place_arenas(m, mpm_channels(m, true)));
  must(c, mpm_contact_begin(m));
  must(c, mpm_prepare_solve(m));
  mpm_tally tally;
  mpm_for_units(m, m->kernels->scatter, &tally);
  mpm_choose_stiff(m);
  mpm_sow(m, false);
  mpm_for_nodes(m, m->kernels->nodes);
}

static inline size_t node_reals(const mpm_case *c) {
  return mpm_case_solver(c)->grid.count * FIRN_NODE_BLOCK_REALS;
}

static inline firn_real *new_nodes(const mpm_case *c) {
  size_t size = node_reals(c) * sizeof(firn_real);
  firn_real *p = aligned_alloc(64, size);
  assert_non_null(p);
  memset(p, 0, size);
  return p;
}

// y = A x, without any projection.
static inline void apply(const mpm_case *c, const firn_real *x, firn_real *y) {
  mpm *m = mpm_case_solver(c);
  m->view.direction = x;
  m->view.product = y;
  for (size_t u = 0; u < m->world->particles.unit_count; u++) m->kernels->hessian(&m->view, u);
  mpm_sow_product(m);
  for (size_t g = 0; g < m->grid.count; g++) m->kernels->hessian_nodes(&m->view, g);
}

// Orthonormal directions in which node n of the grid may move, and how many.
static inline int free_directions(const mpm_case *c, size_t n, double q[3][3]) {
  const mpm *m = mpm_case_solver(c);
  memset(q, 0, 9 * sizeof(double));
  if (!(m->view.node_v[4 * n + 3] > m->view.mass_floor)) return 0;
  uint32_t index = ((const uint32_t *)m->constraint_of.data)[n / 64];
  const firn_real *held = NULL;
  if (index != FIRN_GRID_NONE) {
    held = (const firn_real *)m->constraint.data + (64 * (size_t)index + n % 64) * 4;
  }
  int kind = held ? (int)held[3] : MPM_FREE;
  double d[3] = {0};
  for (int a = 0; a < 3; a++) d[a] = held ? (double)held[a] : 0;
  if (kind == MPM_NO_NORMAL || kind == MPM_ONLY_TANGENT) {
    assert_within(NULL, "length of a normal", d[0] * d[0] + d[1] * d[1] + d[2] * d[2], 1, 4 * EPS);
  }
  if (kind == MPM_HELD) return 0;
  if (kind == MPM_ONLY_TANGENT) {
    memcpy(q[0], d, sizeof d);
    return 1;
  }
  if (kind == MPM_FREE) {
    for (int a = 0; a < 3; a++) q[a][a] = 1;
    return 3;
  }
  // Two vectors across the normal.
  int least = fabs(d[0]) < fabs(d[1]) ? (fabs(d[0]) < fabs(d[2]) ? 0 : 2)
                                      : (fabs(d[1]) < fabs(d[2]) ? 1 : 2);
  double axis[3] = {least == 0, least == 1, least == 2}, length = 0;
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, e = (a + 2) % 3;
    q[0][a] = d[b] * axis[e] - d[e] * axis[b];
    length += q[0][a] * q[0][a];
  }
  for (int a = 0; a < 3; a++) q[0][a] /= sqrt(length);
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, e = (a + 2) % 3;
    q[1][a] = d[b] * q[0][e] - d[e] * q[0][b];
  }
  return 2;
}

#endif
