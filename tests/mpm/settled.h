// SPDX-License-Identifier: Apache-2.0
// Settled snow in all the ways it can lie: what the floor carries of it, and how far it moves.
#ifndef FIRN_TESTS_MPM_SETTLED_H
#define FIRN_TESTS_MPM_SETTLED_H

#include "support/mpm_case.h"

static const double SETTLED_H = 0.02, SETTLED_G = 9.81; // m, m/s^2

typedef enum settled_kind {
  SETTLED_BED,    // a block of snow, seeded at random
  SETTLED_STACK,  // three layers of three materials
  SETTLED_VARIED, // density and stiffness that vary by half and more
  SETTLED_SLOPE,  // 20 degrees, held by friction
  SETTLED_STICKY, // 20 degrees, without friction, held because it sticks
  SETTLED_KINDS
} settled_kind;

typedef struct settled_case {
  settled_kind kind;
  int across, deep; // cells
  bool sleep, nominal;
  firn_integrator integrator;
  double aside; // cells along x, of what is filled
  bool surface; // contact where the surface is, and ...
  double over;  // ... cells that snow and floor lie over nodes, along all axes
} settled_case;

typedef struct settled_outcome {
  double force;  // the worst |force - weight| of a frame, of the weight
  double moved;  // the farthest that a particle got from where it was laid, cells
  double asleep; // share in the end
} settled_outcome;

static const char *settled_name(settled_kind kind) {
  static const char *const names[] = {"bed", "stack", "varied", "slope", "sticky"};
  return names[kind];
}

// Cells [from, to) above a floor that is tilted by the angle.
static void settled_fill(const mpm_case *c, const settled_case *s, double from, double to,
                         int material, double angle) {
  firn_fill_def fill = firn_default_fill_def();
  firn_variation_def vary[2] = {firn_default_variation_def(), firn_default_variation_def()};
  double h = SETTLED_H, half[3] = {s->across * h / 2, (to - from) * h / 2, s->across * h / 2};
  const double middle[3] = {s->aside * h, (from + to) * h / 2, 0},
               up[3] = {s->over * h, s->over * h, s->over * h};
  double turn[4];
  firn_shape_def box = firn_box(middle, half);
  firn_shape *level;
  firn_rotation((const double[]){0, 0, 1}, angle, turn);
  must(c, firn_shape_create(c->context, &box, &level));
  fill.shape = firn_transform(level, up, turn, 1);
  fill.material = material;
  fill.settled = true;
  if (s->kind == SETTLED_VARIED) {
    vary[0].of = FIRN_PROPERTY_DENSITY;
    vary[1].of = FIRN_PROPERTY_YOUNG;
    for (int i = 0; i < 2; i++) {
      vary[i].amplitude = 0.5;
      vary[i].wavelength = 4 * h;
      vary[i].seed = (uint64_t)i;
    }
    fill.variation = vary;
    fill.variation_count = 2;
  }
  must(c, firn_sim_fill(c->sim, &fill));
  firn_shape_release(level);
}

static mpm_case settled_open(const mpm_variant *v, const settled_case *s, int *floor_id) {
  bool tilted = s->kind == SETTLED_SLOPE || s->kind == SETTLED_STICKY;
  double angle = tilted ? 20 * acos(-1.0) / 180 : 0;
  firn_sim_def def = mpm_printed_def(v, SETTLED_H);
  firn_material_def snow = firn_default_material_def(), other = snow;
  def.gravity[1] = -SETTLED_G;
  def.mpm.volume_nominal = s->nominal;
  def.mpm.integrator = s->integrator;
  def.mpm.sleep = s->sleep;
  def.mpm.contact_surface = s->surface;
  def.mpm.dt = 0;
  mpm_case c = mpm_case_open(v, &def, &snow);
  firn_collider_def floor = firn_default_collider_def();
  const double over = s->over * SETTLED_H;
  floor.shape = firn_half_space((const double[]){over, over, over},
                                (const double[]){-sin(angle), cos(angle), 0});
  floor.sticky = s->kind == SETTLED_STICKY;
  floor.friction = floor.sticky ? 0 : 0.5;
  floor.forces = true;
  must(&c, firn_sim_add_collider(c.sim, &floor, floor_id));
  if (s->kind != SETTLED_STACK) {
    settled_fill(&c, s, 0, s->deep, 0, angle);
    return c;
  }
  other.density = 150;
  other.young = 4e4;
  must(&c, firn_sim_add_material(c.sim, &other, NULL));
  other.density = 700;
  other.young = 1e6;
  must(&c, firn_sim_add_material(c.sim, &other, NULL));
  for (int i = 0; i < 3; i++) settled_fill(&c, s, s->deep * i / 3.0, s->deep * (i + 1) / 3.0, i, 0);
  return c;
}

static double settled_way(size_t count, const double *from, const double *to) {
  double most = 0;
  for (size_t i = 0; i < count; i++) {
    double d2 = 0;
    for (size_t a = 0; a < 3; a++) d2 += pow(to[3 * i + a] - from[3 * i + a], 2);
    worst(&most, sqrt(d2));
  }
  return most / SETTLED_H;
}

static settled_outcome settled_run(const mpm_variant *v, const settled_case *s, double seconds) {
  int floor;
  mpm_case c = settled_open(v, s, &floor);
  settled_outcome out = {0};
  size_t count = mpm_case_count(&c);
  double *from = mpm_case_read(&c, "position");
  int frames = (int)ceil(24 * seconds);
  firn_step step = {0};
  for (int f = 0; f < frames; f++) {
    firn_sim_collider_force_reset(c.sim);
    double end = seconds * (f + 1) / frames;
    while (firn_sim_time(c.sim) < end - 1e-9) {
      must(&c, firn_sim_step(c.sim, end - firn_sim_time(c.sim), &step));
    }
    firn_collider_force force;
    must(&c, firn_sim_collider_force(c.sim, floor, &force));
    double weight = mpm_case_sums(&c).mass * SETTLED_G, *to = mpm_case_read(&c, "position");
    double off[3] = {force.force[0], force.force[1] + weight, force.force[2]};
    worst(&out.force, sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]) / weight);
    worst(&out.moved, settled_way(count, from, to));
    free(to);
  }
  out.asleep = (double)step.asleep / (double)count;
  free(from);
  mpm_case_close(&c);
  return out;
}

static void settled_check(const mpm_variant *v, const settled_case *s, double seconds) {
  settled_outcome o = settled_run(v, s, seconds);
  mpm_report(v, "%-6s %s %s %s: force off by %.5f, moved %.5f cells, %.2f asleep",
             settled_name(s->kind), s->nominal ? "nominal" : "grid   ",
             s->sleep ? "sleep" : "awake",
             s->integrator == FIRN_INTEGRATOR_EXPLICIT ? "explicit"
             : s->integrator                           ? "implicit"
                                                       : "auto",
             o.force, o.moved, o.asleep);
  // Twice the worst that is seen, both of slopes at the limit of their friction: 0.0034 and 0.023.
  assert_below(v, "force beside the weight", o.force, 0.007);
  assert_below(v, "way, cells", o.moved, 0.046);
}

#endif
