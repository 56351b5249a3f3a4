// SPDX-License-Identifier: Apache-2.0
#include "support/pile.h"

static const double G9 = 9.81, RHO = 400, YOUNG = 20e3, XI = 10, TC = 0.025;

enum { WIDE = 8, ROWS = 3, SHOWER = ROWS * ROWS };

// ------------------------------------------------------------------------------------------ the law

static double yield(void) {
  double G = YOUNG / 2.4, lambda = YOUNG * 0.2 / (1.2 * 0.6);
  return TC * (2 * G + lambda / (1 - TC));
}

// Of snow below m kg/m^2.
static double density_below(double m) {
  return RHO / ((1 - TC) * (1 - log(G9 * m / yield()) / XI));
}

// Of the uppermost m kg/m^2: the integral of 1 / density_below.
static double thickness(double m) {
  return m > 0 ? (1 - TC) / RHO * m * (1 + 1 / XI - log(G9 * m / yield()) / XI) : 0;
}

static double mass_of(double depth) {
  double lo = 0, hi = 2 * RHO * depth;
  for (int i = 0; i < 60; i++) {
    double middle = (lo + hi) / 2;
    if (thickness(middle) < depth)
      lo = middle;
    else
      hi = middle;
  }
  return lo;
}

// ----------------------------------------------------------------------------------------- the pile

pile_plan pile_default_plan(void) {
  return (pile_plan){.spacing = 0.007, .depth = 0.5, .pause = 0.05, .dt = 0.005};
}

static sph_case open_column(const pile_plan *plan) {
  sph_plan p = sph_default_plan();
  p.spacing = plan->spacing;
  p.material.young = YOUNG;
  p.gravity[1] = -G9;
  p.sph.dt_max = plan->dt;
  for (int a = 0; a < 3; a += 2) {
    p.periodic[a] = true;
    p.period[a] = WIDE;
  }
  sph_case c = sph_case_open(&p);
  sph_case_plane(&c, (const double[3]){0, 0, 0}, (const double[3]){0, 1, 0}, 1);
  return c;
}

// Where a ball of one spacing that comes down touches others, or the floor.
static double touch(const sph_case *c, const double *x, size_t n, const double at[3]) {
  double y = c->d / 2, wide = WIDE * c->d;
  for (size_t i = 0; i < n; i++) {
    double r2 = 0;
    for (int a = 0; a < 3; a += 2) {
      double r = fabs(x[3 * i + (size_t)a] - at[a]);
      r = fmin(r, wide - r);
      r2 += r * r;
    }
    if (r2 < c->d * c->d) y = fmax(y, x[3 * i + 1] + sqrt(c->d * c->d - r2));
  }
  return y;
}

// Nine flakes, too far from each other to be neighbours.
static void shower(const sph_case *c, int number, int flakes, double fall) {
  double at[3 * SHOWER], apart = (double)WIDE / ROWS, *x = sph_case_read(c, "position", 3);
  for (int i = 0; i < flakes; i++) {
    uint64_t n = 3 * ((uint64_t)number * SHOWER + (uint64_t)i);
    for (int a = 0; a < 3; a += 2) {
      double offset = sph_random(3, 3 * (uint64_t)number + (uint64_t)a, 0, WIDE);
      double place = offset + apart * (a ? i / ROWS : i % ROWS);
      place += sph_random(5, n + (uint64_t)a, -0.3, 0.3);
      at[3 * i + a] = c->d * fmod(place + WIDE, WIDE);
    }
    at[3 * i + 1] = fall + touch(c, x, sph_case_count(c), at + 3 * i);
  }
  free(x);
  sph_case_add(c, (size_t)flakes, at);
}

static double highest_speed(const sph_case *c) {
  firn_sums sums;
  must(c, firn_sim_sums(c->sim, &sums));
  return sums.speed_max;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Densities by height.
static void measure(const sph_case *c, pile *p) {
  size_t n = sph_case_count(c), middle = 0, of[10] = {0};
  double *x = sph_case_read(c, "position", 3), *rho = sph_case_read(c, "density", 1);
  double(*at)[2] = malloc(n * sizeof *at);
  assert_non_null(at);
  for (size_t i = 0; i < n; i++) {
    at[i][0] = x[3 * i + 1];
    at[i][1] = rho[i];
  }
  qsort(at, n, sizeof *at, ascending);
  for (size_t i = 0; i < n; i++) {
    double share = ((double)i + 0.5) / (double)n, law = density_below(p->mass * (1 - share));
    size_t tenth = 10 * i / n;
    p->tenth[tenth] += at[i][1];
    p->law[tenth] += law;
    of[tenth]++;
    if (share < 0.1 || share > 0.9) continue;
    p->density += at[i][1];
    p->density_by_law += law;
    middle++;
  }
  p->depth = at[n * 95 / 100][0];
  p->depth_by_law = thickness(p->mass) - thickness(0.05 * p->mass);
  p->density /= (double)middle;
  p->density_by_law /= (double)middle;
  for (int k = 0; k < 10; k++) {
    p->tenth[k] /= (double)of[k];
    p->law[k] /= (double)of[k];
    sph_report("density of tenth %d: %.1f, by the law %.1f", k, p->tenth[k], p->law[k]);
  }
  free(x);
  free(rho);
  free(at);
}

pile pile_build(const pile_plan *plan) {
  double d = plan->spacing, flake = RHO * d * d * d / (WIDE * WIDE * d * d);
  int total = (int)ceil(mass_of(plan->depth) / flake), showers = (total + SHOWER - 1) / SHOWER;
  sph_case c = open_column(plan);
  pile p = {.mass = total * flake};
  for (int k = 0; k < showers; k++) {
    int left = total - k * SHOWER;
    shower(&c, k, left < SHOWER ? left : SHOWER, plan->fall);
    for (int part = 0; part < 4; part++) {
      sph_case_advance(&c, plan->pause / 4);
      p.speed = fmax(p.speed, highest_speed(&c));
    }
  }
  sph_case_advance(&c, 2);
  assert_below("speed at the end", highest_speed(&c), 0.05);
  measure(&c, &p);
  sph_report(
      "mass %.1f kg/m^2, speed up to %.3f m/s, depth %.4f m, by the law %.4f m; density %.1f "
      "kg/m^3, by the law %.1f kg/m^3",
      p.mass, p.speed, p.depth, p.depth_by_law, p.density, p.density_by_law);
  sph_case_close(&c);
  return p;
}
