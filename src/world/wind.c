// SPDX-License-Identifier: Apache-2.0
#include "world/wind.h"

#include <math.h>
#include <string.h>

#include "base/def.h"
#include "geometry/noise.h"
#include "geometry/sdf.h"
#include "math/vec3.h"
#include "world/world.h"

static const double PI = 3.14159265358979323846;

FIRN_DEFAULTS(wind_def) {
  return (firn_wind_def){.gust_period = 3,
                         .swirl_axis = {0, 1, 0},
                         .swirl_radius = 1,
                         .turbulence_wavelength = 1,
                         .turbulence_octaves = 1,
                         .body_axis = {0, 1, 0},
                         .air_density = FIRN_AIR_DENSITY,
                         .air_viscosity = FIRN_AIR_VISCOSITY};
}

// ------------------------------------------------------------------------------------- its parts

// Noise in time: uniform numbers of [-1, 1] at whole multiples of 1, smooth between them. Its mean is 0,
// its mean square 1/3 * 26/35 (the integral of s^2 + (1 - s)^2 over the fade s = 3 t^2 - 2 t^3).
static double time_noise(uint64_t seed, double t) {
  if (!(fabs(t) < 1e15)) return 0;
  double low = floor(t), f = t - low, s = f * f * (3 - 2 * f), v[2];
  for (int i = 0; i < 2; i++) {
    uint64_t hash = firn_noise_hash(seed, (int64_t)low + i, 1, 2);
    v[i] = 2 * ((double)(hash >> 11) * 0x1p-53) - 1;
  }
  return v[0] + s * (v[1] - v[0]);
}

static double gust_at(const firn_wind *w, double time) {
  const firn_wind_def *d = &w->def;
  if (!(d->gust > 0)) return 1;
  double t = time / d->gust_period;
  double sine = d->gust_noise < 1 ? sin(2 * PI * (t - floor(t))) : 0;
  double noise = d->gust_noise > 0 ? time_noise(w->seed + 17, t) : 0;
  return 1 + d->gust * ((1 - d->gust_noise) * sine + d->gust_noise * noise);
}

static void add_swirl(const firn_wind_def *d, const double x[3], double out[3]) {
  const double *k = d->swirl_axis;
  double r[3], along, radial[3];
  for (int a = 0; a < 3; a++) r[a] = x[a] - d->swirl_center[a];
  along = firn_sdf_dot(r, k);
  for (int a = 0; a < 3; a++) radial[a] = r[a] - along * k[a];
  double R2 = d->swirl_radius * d->swirl_radius, r2 = firn_sdf_dot(radial, radial);
  double turn = 2 * d->swirl / d->swirl_radius / (1 + r2 / R2); // rad/s
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    out[a] += turn * (k[b] * radial[c] - k[c] * radial[b]);
  }
}

// Bridson et al. 2007, Curl-Noise for Procedural Fluid Flow. Octaves of a potential that are half as high
// and twice as fine are equally steep. One octave of firn_noise3 has slopes whose squares are 1.369 on
// average for all three axes together, as a sum over many places says: the curl of three such fields has
// twice that. Octaves are independent of each other.
static const double SLOPE2 = 1.369;

static void add_turbulence(const firn_wind *w, const double x[3], double time, double out[3]) {
  const firn_wind_def *d = &w->def;
  double at[3], g[3][3];
  int octaves = d->turbulence_octaves > 0 ? d->turbulence_octaves : 1;
  for (int a = 0; a < 3; a++) {
    at[a] = (x[a] - time * d->turbulence_drift[a]) / d->turbulence_wavelength;
  }
  for (int k = 0; k < 3; k++) {
    firn_noise3_octaves(w->seed + 100 * (uint64_t)(k + 1), octaves, at[0], at[1], at[2], g[k]);
  }
  double total = 2 - ldexp(1.0, 1 - octaves); // what firn_noise3_octaves divided by
  double scale = d->turbulence * total / sqrt(2 * SLOPE2 * octaves);
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    out[a] += scale * (g[c][b] - g[b][c]);
  }
}

static void add_grid(const firn_wind_def *d, const double x[3], double out[3]) {
  size_t first[3], step[3] = {3, 3 * (size_t)d->grid_nodes[0],
                              3 * (size_t)d->grid_nodes[0] * (size_t)d->grid_nodes[1]};
  double f[3];
  for (int a = 0; a < 3; a++) {
    double last = d->grid_nodes[a] - 1, s = (x[a] - d->grid_origin[a]) / d->grid_spacing[a];
    s = s > 0 ? (s < last ? s : last) : 0; // nan, too
    double low = fmin(floor(s), last - 1);
    first[a] = (size_t)low * step[a];
    f[a] = s - low;
  }
  for (int k = 0; k < 8; k++) {
    const int c[3] = {k & 1, k >> 1 & 1, k >> 2};
    size_t at = first[0] + first[1] + first[2];
    double weight = 1;
    for (int a = 0; a < 3; a++) {
      at += c[a] ? step[a] : 0;
      weight *= c[a] ? f[a] : 1 - f[a];
    }
    for (size_t a = 0; a < 3; a++) out[a] += weight * d->grid_velocity[at + a];
  }
}

// -------------------------------------------------------------------------------- potential flow

// Round a cylinder: u = U (1 + R^2/r^2) - 2 R^2/r^2 (U e) e across the axis, with e out of it.
static void flow_round_cylinder(const firn_wind_def *d, const double x[3], const double U[3],
                                double out[3]) {
  const double *k = d->body_axis;
  double r[3], across[3], e[3], R = d->body_radii[0];
  for (int a = 0; a < 3; a++) r[a] = x[a] - d->body_center[a];
  double along = firn_sdf_dot(r, k), flow = firn_sdf_dot(U, k);
  for (int a = 0; a < 3; a++) {
    r[a] -= along * k[a];
    across[a] = U[a] - flow * k[a];
  }
  double length = firn_sdf_direction(r, e), q = R * R / (length * length);
  if (!(length >= R)) {
    memset(out, 0, 3 * sizeof *out);
    return;
  }
  double into = firn_sdf_dot(across, e);
  for (int a = 0; a < 3; a++) out[a] = flow * k[a] + (1 + q) * across[a] - 2 * q * into * e[a];
}

// Carlson's R_D(x, y, z) = 3/2 integral of ds / ((s + z) sqrt((s + x) (s + y) (s + z))) from 0 up, by
// duplication (Carlson 1979); to 1e-13.
static double carlson_rd(double x, double y, double z) {
  double sum = 0, power = 1;
  for (int i = 0; i < 60; i++) {
    double mean = (x + y + 3 * z) / 5;
    double X = 1 - x / mean, Y = 1 - y / mean, Z = 1 - z / mean;
    if (fmax(fmax(fabs(X), fabs(Y)), fabs(Z)) < 1e-3) {
      double ea = X * Y, eb = Z * Z, ec = ea - eb, ed = ea - 6 * eb, ef = ed + 2 * ec;
      double series = 1 + ed * (-3.0 / 14 + 9.0 / 88 * ed - 9.0 / 52 * Z * ef) +
                      Z * (ef / 6 + Z * (-9.0 / 22 * ec + Z * 3.0 / 26 * ea));
      return 3 * sum + power * series / (mean * sqrt(mean));
    }
    double rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), lambda = rx * (ry + rz) + ry * rz;
    sum += power / (rz * (z + lambda));
    power /= 4;
    x = (x + lambda) / 4;
    y = (y + lambda) / 4;
    z = (z + lambda) / 4;
  }
  return 3 * sum;
}

// alpha_i(lambda) = abc integral of ds / ((a_i^2 + s) Delta(s)) from lambda up (Lamb, Hydrodynamics, 114).
static void alphas(const double radii[3], double lambda, double out[3]) {
  double q[3], abc = radii[0] * radii[1] * radii[2];
  for (int a = 0; a < 3; a++) q[a] = radii[a] * radii[a] + lambda;
  for (int a = 0; a < 3; a++) {
    out[a] = 2.0 / 3 * abc * carlson_rd(q[(a + 1) % 3], q[(a + 2) % 3], q[a]);
  }
}

// phi = sum_i U_i x_i (1 + alpha_i(lambda) / (2 - alpha_i(0))), where lambda is the largest root of
// sum x_i^2 / (a_i^2 + lambda) = 1; 0 on the surface.
static void flow_round_ellipsoid(const firn_wind *w, const double x[3], const double U[3],
                                 double out[3]) {
  const double *radii = w->def.body_radii;
  double r[3], level = 0, lambda = 0, abc = radii[0] * radii[1] * radii[2];
  for (int a = 0; a < 3; a++) {
    r[a] = x[a] - w->def.body_center[a];
    level += r[a] / radii[a] * (r[a] / radii[a]);
  }
  memset(out, 0, 3 * sizeof *out);
  if (level < 1 - 1e-12) return;
  // The sum is convex and falls: Newton's method from 0, where it is 1 or more, rises to the root.
  for (int i = 0; i < 100; i++) {
    double f = -1, slope = 0;
    for (int a = 0; a < 3; a++) {
      double q = radii[a] * radii[a] + lambda;
      f += r[a] * r[a] / q;
      slope += r[a] * r[a] / (q * q);
    }
    double next = lambda + f / slope;
    if (!(next > lambda * (1 + 1e-15))) break;
    lambda = next;
  }
  double alpha[3], q[3], steep = 0, delta = 1, moment = 0;
  alphas(radii, lambda, alpha);
  for (int a = 0; a < 3; a++) {
    q[a] = radii[a] * radii[a] + lambda;
    delta *= sqrt(q[a]);
    steep += r[a] * r[a] / (q[a] * q[a]);
  }
  for (int a = 0; a < 3; a++) moment += U[a] * r[a] * w->unit[a] / q[a];
  for (int a = 0; a < 3; a++) {
    // d alpha_j / d lambda = - abc / ((a_j^2 + lambda) Delta), d lambda / d x_a = 2 x_a / q_a / steep.
    out[a] = U[a] * (1 + alpha[a] * w->unit[a]) - abc / delta * moment * 2 * r[a] / q[a] / steep;
  }
}

void firn_wind_velocity(const firn_wind *w, const double position[3], double time, double out[3]) {
  const firn_wind_def *d = &w->def;
  memset(out, 0, 3 * sizeof *out);
  if (!w->on) return;
  double U[3], gust = gust_at(w, time);
  for (int a = 0; a < 3; a++) U[a] = out[a] = d->velocity[a] * gust;
  if (d->body == FIRN_WIND_BODY_ELLIPSOID) flow_round_ellipsoid(w, position, U, out);
  if (d->body == FIRN_WIND_BODY_CYLINDER) flow_round_cylinder(d, position, U, out);
  if (d->swirl != 0) add_swirl(d, position, out);
  if (d->turbulence > 0) add_turbulence(w, position, time, out);
  if (d->grid_nodes[0] > 0) add_grid(d, position, out);
}

void firn_wind_at(const firn_world *world, const double position[3], double time, double out[3]) {
  firn_wind_velocity(&world->wind, position, time, out);
}

// --------------------------------------------------------------------------------------- setting

static firn_status check_positive(firn_context *context, const char *field, double value) {
  if (value > 0 && isfinite(value)) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "wind: %s = %g must be positive", field, value);
}

static firn_status check_vectors(firn_context *context, const firn_wind_def *d) {
  const struct {
    const char *field;
    const double *value;
  } all[] = {{"velocity", d->velocity},
             {"swirl_center", d->swirl_center},
             {"turbulence_drift", d->turbulence_drift},
             {"body_center", d->body_center},
             {"grid_origin", d->grid_origin}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const double *v = all[i].value;
    if (firn_finite3(v)) continue;
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "wind: %s (%g %g %g) is not finite",
                     all[i].field, v[0], v[1], v[2]);
  }
  return FIRN_OK;
}

static firn_status check_direction(firn_context *context, const char *field, const double v[3]) {
  double length = firn_sdf_length(v);
  if (length > 0 && isfinite(length)) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "wind: %s (%g %g %g) has no direction", field,
                   v[0], v[1], v[2]);
}

static firn_status check_grid(firn_context *context, const firn_wind_def *d) {
  static const char *const field[] = {"grid_spacing[0]", "grid_spacing[1]", "grid_spacing[2]"};
  double nodes = 1;
  for (int a = 0; a < 3; a++) {
    if (d->grid_nodes[a] < 2) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "wind: grid_nodes[%d] = %d; a grid needs two along each axis or more", a,
                       d->grid_nodes[a]);
    }
    FIRN_TRY(check_positive(context, field[a], d->grid_spacing[a]));
    nodes *= d->grid_nodes[a];
  }
  if (!d->grid_velocity || nodes > 1e9) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "wind: grid_velocity is NULL or too large");
  }
  for (size_t i = 0; i < 3 * (size_t)nodes; i++) {
    if (isfinite(d->grid_velocity[i])) continue;
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "wind: grid_velocity of node %zu is not finite",
                     i / 3);
  }
  return FIRN_OK;
}

static firn_status check(firn_context *context, const firn_wind_def *d) {
  FIRN_TRY(check_vectors(context, d));
  FIRN_TRY(check_positive(context, "air_density", d->air_density));
  FIRN_TRY(check_positive(context, "air_viscosity", d->air_viscosity));
  if (!(d->gust >= 0 && d->gust <= 10 && d->gust_noise >= 0 && d->gust_noise <= 1)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "wind: gust = %g must lie in [0, 10], gust_noise = %g in [0, 1]", d->gust,
                     d->gust_noise);
  }
  if (d->gust > 0) FIRN_TRY(check_positive(context, "gust_period", d->gust_period));
  if (!isfinite(d->swirl) || !(d->turbulence >= 0 && isfinite(d->turbulence))) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "wind: swirl = %g m/s must be finite, turbulence = %g m/s 0 or more", d->swirl,
                     d->turbulence);
  }
  if (d->swirl != 0) {
    FIRN_TRY(check_positive(context, "swirl_radius", d->swirl_radius));
    FIRN_TRY(check_direction(context, "swirl_axis", d->swirl_axis));
  }
  if (d->turbulence > 0) {
    FIRN_TRY(check_positive(context, "turbulence_wavelength", d->turbulence_wavelength));
    if (d->turbulence_octaves < 0 || d->turbulence_octaves > 16) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "wind: turbulence_octaves = %d must lie in [0, 16]", d->turbulence_octaves);
    }
  }
  static const char *const radius[] = {"body_radii[0]", "body_radii[1]", "body_radii[2]"};
  switch (d->body) {
  case FIRN_WIND_BODY_NONE: break;
  case FIRN_WIND_BODY_ELLIPSOID:
    for (int a = 0; a < 3; a++) FIRN_TRY(check_positive(context, radius[a], d->body_radii[a]));
    break;
  case FIRN_WIND_BODY_CYLINDER:
    FIRN_TRY(check_positive(context, radius[0], d->body_radii[0]));
    FIRN_TRY(check_direction(context, "body_axis", d->body_axis));
    break;
  default:
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "wind: body %d does not exist", (int)d->body);
  }
  if (d->grid_file) return FIRN_OK;
  return d->grid_nodes[0] != 0 ? check_grid(context, d) : FIRN_OK;
}

static void forget(firn_wind *wind, firn_context *context) {
  firn_free(context, (double *)wind->def.grid_velocity, wind->grid_bytes);
  wind->def = (firn_wind_def){0};
  wind->grid_bytes = 0;
  wind->on = false;
}

void firn_wind_free(firn_wind *wind, firn_context *context) {
  forget(wind, context);
  firn_buffer_free(context, &wind->cells);
  firn_buffer_free(context, &wind->sums);
}

// A copy of the velocities that def points to, or those of its file.
static firn_status get_grid(firn_context *context, firn_wind_def *def, size_t *bytes) {
  double *grid = NULL;
  *bytes = 0;
  if (def->grid_file) {
    FIRN_TRY(firn_wind_read_grid(context, def->grid_file, def, &grid, bytes));
  } else if (def->grid_nodes[0] > 0) {
    *bytes = 3 * sizeof(double) * (size_t)def->grid_nodes[0] * (size_t)def->grid_nodes[1] *
             (size_t)def->grid_nodes[2];
    grid = firn_alloc(context, *bytes, "wind");
    if (!grid) return FIRN_ERROR_MEMORY;
    memcpy(grid, def->grid_velocity, *bytes);
  }
  def->grid_velocity = grid;
  def->grid_file = NULL;
  firn_status status = grid ? check_grid(context, def) : FIRN_OK;
  if (status != FIRN_OK) firn_free(context, grid, *bytes);
  return status;
}

firn_status firn_wind_make(firn_wind *w, firn_context *context, uint64_t seed,
                           const firn_wind_def *given) {
  firn_wind_def def = *given;
  size_t bytes;
  FIRN_TRY(check(context, &def));
  FIRN_TRY(get_grid(context, &def, &bytes));
  forget(w, context);
  w->on = true;
  w->def = def;
  w->grid_bytes = bytes;
  w->seed = seed ^ (def.seed + 0x77696e64u) * 0x9E3779B97F4A7C15u;
  firn_sdf_direction(def.swirl_axis, w->def.swirl_axis);
  firn_sdf_direction(def.body_axis, w->def.body_axis);
  if (def.body == FIRN_WIND_BODY_ELLIPSOID) {
    double alpha[3];
    alphas(def.body_radii, 0, alpha);
    for (int a = 0; a < 3; a++) w->unit[a] = 1 / (2 - alpha[a]);
  }
  return FIRN_OK;
}

firn_status firn_wind_copy(firn_context *context, const firn_wind *from, firn_wind *to) {
  double *grid = NULL;
  *to = (firn_wind){0};
  if (from->grid_bytes) {
    grid = firn_alloc(context, from->grid_bytes, "wind");
    if (!grid) return FIRN_ERROR_MEMORY;
    memcpy(grid, from->def.grid_velocity, from->grid_bytes);
  }
  *to = *from;
  to->def.grid_velocity = grid;
  to->cells = to->sums = (firn_buffer){0};
  return FIRN_OK;
}

firn_status firn_world_set_wind(firn_world *world, const firn_wind_def *def) {
  if (def) {
    FIRN_TRY(firn_wind_make(&world->wind, world->context, world->seed, def));
  } else {
    forget(&world->wind, world->context);
  }
  world->changes++;
  return FIRN_OK;
}

firn_status firn_world_set_wind_velocity(firn_world *world, const double velocity[3]) {
  if (!world->wind.on) {
    return firn_fail(world->context, FIRN_ERROR_STATE, "wind: there is none whose velocity to set");
  }
  if (!firn_finite3(velocity)) {
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT, "wind: velocity (%g %g %g) is not finite",
                     velocity[0], velocity[1], velocity[2]);
  }
  memcpy(world->wind.def.velocity, velocity, sizeof world->wind.def.velocity);
  return FIRN_OK;
}

firn_status firn_wind_visit(firn_world *world, bool load, const firn_state_visitor *visitor) {
  double velocity[3];
  if (!world->wind.on) return FIRN_OK;
  memcpy(velocity, world->wind.def.velocity, sizeof velocity);
  FIRN_TRY(visitor->blob(visitor->user, "wind", velocity, sizeof velocity));
  return load ? firn_world_set_wind_velocity(world, velocity) : FIRN_OK;
}

void firn_wind_acceleration(const firn_air *air, double h, double density, double crowd,
                            double exposure, const double velocity[3], const double wind[3],
                            double dt, double out[3]) {
  double u[3];
  for (int a = 0; a < 3; a++) u[a] = velocity[a] - wind[a];
  double s = firn_drag_factor(air, h, density, crowd, exposure, firn_sdf_length(u), dt);
  for (int a = 0; a < 3; a++) out[a] = (s - 1) * u[a] / dt;
}
