// SPDX-License-Identifier: Apache-2.0
#include "render/sky.h"

#include "base/parallel.h"
#include "render/sky_air.h"

#define PI  3.14159265358979324
#define EYE 100.0 // m above the land, which then fades into haze before the horizon

enum { WIDE = 192, TALL = 112, STEPS = 30 };

firn_v3 firn_air_sun(const firn_air *air, const double direction[3]) {
  firn_spectrum s = firn_air_through(air, FIRN_EARTH + EYE, direction[1]);
  for (int w = 0; w < FIRN_WAVES; w++) s.v[w] *= air->sun.v[w];
  return firn_air_color(air, &s);
}

static double rayleigh_phase(double c) {
  return 3 / (16 * PI) * (1 + c * c);
}
static double haze_phase(double c) { // Cornette and Shanks 1992
  const double g = FIRN_HAZE_G, d = 1 + g * g - 2 * g * c;
  return 3 / (8 * PI) * (1 - g * g) * (1 + c * c) / ((2 + g * g) * d * sqrt(d));
}

// Sunlight scattered once goes by the phase functions. Beyond that, what haze scatters ahead counts
// as not scattered: such air has more light coming in, both of the sun and from all sides, and more
// of it comes through to the eye.
firn_spectrum firn_air_glow(const firn_air *air, double radius, double up, double facing,
                            double sun_up, firn_spectrum *through, bool *ground) {
  const double length = firn_air_length(radius, up, ground);
  const float molecules = (float)rayleigh_phase(facing), haze = (float)haze_phase(facing),
              even = (float)(0.25 / PI);
  firn_spectrum out = {{0}}, clear;
  for (int w = 0; w < FIRN_WAVES; w++) clear.v[w] = through->v[w] = 1;
  for (int k = 0; k < STEPS; k++) {
    const double a = (double)k / STEPS, b = (k + 1.0) / STEPS, m = (k + 0.5) / STEPS;
    const double t = length * m * m, step = length * (b * b - a * a);
    const double r = sqrt(radius * radius + t * t + 2 * radius * t * up);
    const double sun = (radius * sun_up + t * facing) / r;
    firn_air_here here, thin;
    firn_air_at(air, r - FIRN_EARTH, &here);
    thin = here;
    firn_air_thin(&thin);
    firn_spectrum light = firn_air_through(air, r, sun), ahead = firn_air_ahead(air, r, sun);
    firn_spectrum many = firn_air_many(air, r, sun), share[2], sum[2];
    firn_air_pass(&here, step, &share[0], &sum[0]);
    firn_air_pass(&thin, step, &share[1], &sum[1]);
    for (int w = 0; w < FIRN_WAVES; w++) {
      float direct = through->v[w] * sum[0].v[w] * light.v[w] * air->sun.v[w];
      float bent = clear.v[w] * sum[1].v[w] * ahead.v[w] * air->sun.v[w] - direct;
      out.v[w] += direct * (here.rayleigh.v[w] * molecules + here.mie.v[w] * haze) +
                  bent * (thin.rayleigh.v[w] * molecules + thin.mie.v[w] * even) +
                  clear.v[w] * sum[1].v[w] * (thin.rayleigh.v[w] + thin.mie.v[w]) * many.v[w];
      through->v[w] *= share[0].v[w];
      clear.v[w] *= share[1].v[w];
    }
  }
  *through = clear;
  return out;
}

// A row of the table; both halves of the sky are alike. land is the radiance of the ground.
static void fill_row(const firn_air *air, const double direction[3], firn_map *map, int row,
                     const firn_spectrum *land) {
  for (int column = 0; column < map->width / 2; column++) {
    firn_v3 d = firn_map_direction(map, row, column);
    double facing = (double)d.x * direction[0] + (double)d.y * direction[1] +
                    (double)d.z * direction[2];
    firn_spectrum through;
    bool ground;
    firn_spectrum s = firn_air_glow(air, FIRN_EARTH + EYE, (double)d.y, facing, direction[1],
                                    &through, &ground);
    for (int w = 0; w < FIRN_WAVES && ground; w++) s.v[w] += through.v[w] * land->v[w];
    firn_v3 *cells = map->radiance + (size_t)row * (size_t)map->width;
    cells[column] = cells[map->width - 1 - column] = firn_air_color(air, &s);
  }
}

firn_status firn_air_sky(firn_context *context, const firn_air *air, const double direction[3],
                         firn_map *out) {
  // The sun stands over the middle of the table.
  FIRN_TRY(firn_map_create(context, WIDE, TALL, true, -atan2(direction[0], -direction[2]), out));
  out->below = 0.25f; // there is ground in most pictures
  const firn_spectrum land = firn_air_land(air, direction[1]);
  FIRN_PARALLEL_FOR(context, schedule(dynamic, 4))
  for (int row = 0; row < TALL; row++) fill_row(air, direction, out, row, &land);
  firn_map_finish(out);
  return FIRN_OK;
}
