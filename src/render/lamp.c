// SPDX-License-Identifier: Apache-2.0
#include "render/lamp.h"

#include "render/map.h"

#define PI 3.14159265358979324

static firn_v3 to_v3(const double a[3]) {
  return (firn_v3){(float)a[0], (float)a[1], (float)a[2]};
}

static firn_status init_rectangle(firn_context *context, const firn_lamp_def *def, int index,
                                  firn_lamp *out) {
  double length[2], dot = 0;
  for (int i = 0; i < 2; i++) {
    const double *e = def->edge[i];
    length[i] = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    if (!(length[i] > 0) || !isfinite(length[i])) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "lamp %d: edge %d is [%g, %g, %g] m; it must have a length", index, i, e[0],
                       e[1], e[2]);
    }
  }
  for (int k = 0; k < 3; k++) dot += def->edge[0][k] * def->edge[1][k];
  if (fabs(dot) > 1e-3 * length[0] * length[1]) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "lamp %d: the edges of a rectangle must be square to each other, these are %g "
                     "degrees apart",
                     index, acos(dot / (length[0] * length[1])) * 180 / PI);
  }
  out->x = firn_v3_unit(to_v3(def->edge[0]));
  out->z = firn_v3_unit(firn_v3_cross(out->x, to_v3(def->edge[1])));
  out->y = firn_v3_cross(out->z, out->x);
  for (int i = 0; i < 2; i++) out->half[i] = (float)(0.5 * length[i]);
  out->power = firn_luminance(out->radiance) * (float)(length[0] * length[1]);
  return FIRN_OK;
}

static firn_status check_power(firn_context *context, int index, const firn_lamp *lamp) {
  if (isfinite(lamp->power)) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT,
                   "lamp %d: radiance times area is more than a float can hold", index);
}

firn_status firn_lamp_init(firn_context *context, const firn_lamp_def *def, int index,
                           const double origin[3], firn_lamp *out) {
  *out = (firn_lamp){.kind = def->kind, .radiance = to_v3(def->radiance)};
  double center[3];
  for (int k = 0; k < 3; k++) {
    center[k] = def->center[k] - origin[k];
    if (!isfinite(center[k])) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT, "lamp %d: center is not finite", index);
    }
    if (!(def->radiance[k] >= 0) || !isfinite(def->radiance[k])) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT, "lamp %d: radiance %g must be 0 or more",
                       index, def->radiance[k]);
    }
  }
  out->center = to_v3(center);
  if (def->kind == FIRN_LAMP_RECTANGLE) {
    FIRN_TRY(init_rectangle(context, def, index, out));
    return check_power(context, index, out);
  }
  if (def->kind != FIRN_LAMP_SPHERE) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "lamp %d: unknown kind %d", index,
                     (int)def->kind);
  }
  if (!(def->radius > 0) || !isfinite(def->radius)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "lamp %d: radius %g m must be above 0", index,
                     def->radius);
  }
  out->radius = (float)def->radius;
  out->power = firn_luminance(out->radiance) * (float)(4 * PI * def->radius * def->radius);
  return check_power(context, index, out);
}

// --- spheres: the cone they fill ---

// 1 - cos of half the angle a sphere is seen under; 0 from within. Written so that little lamps far
// away do not vanish in rounding.
static double cap_of(const firn_lamp *lamp, firn_v3 from, firn_v3 *to) {
  firn_v3 d = firn_v3_sub(lamp->center, from);
  double d2 = (double)firn_v3_dot(d, d), r2 = (double)lamp->radius * (double)lamp->radius;
  *to = d;
  if (!(d2 > r2)) return 0;
  double s2 = r2 / d2;
  return s2 / (1 + sqrt(1 - s2));
}

static float hit_sphere(const firn_lamp *lamp, firn_v3 from, firn_v3 along) {
  firn_v3 d = firn_v3_sub(lamp->center, from);
  float b = firn_v3_dot(d, along);
  firn_v3 side = firn_v3_sub(d, firn_v3_scale(b, along));
  float h2 = lamp->radius * lamp->radius - firn_v3_dot(side, side);
  if (!(h2 >= 0) || firn_v3_dot(d, d) <= lamp->radius * lamp->radius) return INFINITY;
  float t = b - sqrtf(h2);
  return t > 0 ? t : INFINITY;
}

// --- rectangles: uniform in solid angle (Urena et al. 2013) ---

// A rectangle as seen from a point: corners in its own frame with the point at 0, and the angles
// between the planes through the point and its edges.
typedef struct view {
  double x0, x1, y0, y1, z; // m; z < 0
  double b0, b1, k;         // of the paper
  double angle;             // sr
} view;

// Below this solid angle a point of the rectangle is drawn by area instead: the formulas cancel.
#define SMALL 1e-5

static bool view_of(const firn_lamp *lamp, firn_v3 from, view *out) {
  firn_v3 d = firn_v3_sub(lamp->center, from);
  double x = (double)firn_v3_dot(d, lamp->x), y = (double)firn_v3_dot(d, lamp->y);
  double a = (double)lamp->half[0], b = (double)lamp->half[1];
  *out = (view){x - a, x + a, y - b, y + b, (double)firn_v3_dot(d, lamp->z), 0, 0, 0, 0};
  if (!(out->z < 0)) return false; // behind it
  // Normals of the four side planes: (0, z, -y0), (-z, 0, x1), (0, -z, y1), (z, 0, -x0).
  double z2 = out->z * out->z;
  double n0 = -out->y0 / sqrt(z2 + out->y0 * out->y0), n1 = out->x1 / sqrt(z2 + out->x1 * out->x1);
  double n2 = out->y1 / sqrt(z2 + out->y1 * out->y1), n3 = -out->x0 / sqrt(z2 + out->x0 * out->x0);
  double g0 = acos(-n0 * n1), g1 = acos(-n1 * n2), g2 = acos(-n2 * n3), g3 = acos(-n3 * n0);
  out->b0 = n0;
  out->b1 = n2;
  out->k = 2 * PI - g2 - g3;
  out->angle = g0 + g1 - out->k;
  return true;
}

static double distance2(const view *v, double x, double y) {
  return x * x + y * y + v->z * v->z;
}
static double by_area(const view *v, double x, double y) { // density of a point drawn by area, 1/sr
  double d2 = distance2(v, x, y);
  return d2 * sqrt(d2) / (-v->z * (v->x1 - v->x0) * (v->y1 - v->y0));
}

static void draw_by_angle(const view *v, const float u[2], double *x, double *y) {
  double au = (double)u[0] * v->angle + v->k;
  double fu = (cos(au) * v->b0 - v->b1) / sin(au);
  double cu = copysign(1, fu) / sqrt(fu * fu + v->b0 * v->b0);
  cu = fmin(fmax(cu, -1), 1);
  *x = fmin(fmax(-cu * v->z / sqrt(fmax(1 - cu * cu, 1e-300)), v->x0), v->x1);
  double d = sqrt(*x * *x + v->z * v->z);
  double h0 = v->y0 / sqrt(d * d + v->y0 * v->y0), h1 = v->y1 / sqrt(d * d + v->y1 * v->y1);
  double h = h0 + (double)u[1] * (h1 - h0), h2 = h * h;
  *y = h2 < 1 - 1e-12 ? h * d / sqrt(1 - h2) : v->y1;
  *y = fmin(fmax(*y, v->y0), v->y1);
}

static bool sample_rectangle(const firn_lamp *lamp, firn_v3 from, const float u[2], firn_v3 *along,
                             float *pdf) {
  view v;
  if (!view_of(lamp, from, &v)) return false;
  double x, y;
  if (v.angle > SMALL) {
    draw_by_angle(&v, u, &x, &y);
    *pdf = (float)(1 / v.angle);
  } else {
    x = v.x0 + (double)u[0] * (v.x1 - v.x0);
    y = v.y0 + (double)u[1] * (v.y1 - v.y0);
    *pdf = (float)by_area(&v, x, y);
  }
  *along = firn_v3_unit(
      firn_v3_add(firn_v3_add(firn_v3_scale((float)x, lamp->x), firn_v3_scale((float)y, lamp->y)),
                  firn_v3_scale((float)v.z, lamp->z)));
  return isfinite(*pdf);
}

static float hit_rectangle(const firn_lamp *lamp, firn_v3 from, firn_v3 along) {
  float c = firn_v3_dot(along, lamp->z);
  firn_v3 d = firn_v3_sub(lamp->center, from);
  float t = firn_v3_dot(d, lamp->z) / c;
  if (!(c < 0) || !(t > 0)) return INFINITY;
  firn_v3 p = firn_v3_sub(firn_v3_scale(t, along), d);
  // A little over the edge still counts, so that what was drawn at the edge is also met.
  const float more = 1 + 1e-5f;
  bool in = fabsf(firn_v3_dot(p, lamp->x)) <= more * lamp->half[0] &&
            fabsf(firn_v3_dot(p, lamp->y)) <= more * lamp->half[1];
  return in ? t : INFINITY;
}

static float pdf_rectangle(const firn_lamp *lamp, firn_v3 from, firn_v3 along) {
  view v;
  float t = hit_rectangle(lamp, from, along);
  if (t == INFINITY || !view_of(lamp, from, &v)) return 0;
  if (v.angle > SMALL) return (float)(1 / v.angle);
  firn_v3 p = firn_v3_scale(t, along);
  return (float)by_area(&v, (double)firn_v3_dot(p, lamp->x), (double)firn_v3_dot(p, lamp->y));
}

// --- both ---

float firn_lamp_weight(const firn_lamp *lamp, firn_v3 from) {
  firn_v3 d = firn_v3_sub(lamp->center, from);
  float d2 = firn_v3_dot(d, d);
  if (lamp->kind == FIRN_LAMP_SPHERE) {
    float r2 = lamp->radius * lamp->radius;
    return d2 > r2 ? lamp->power / (4 * d2) : 0;
  }
  float size = 4 * lamp->half[0] * lamp->half[1];
  if (!(firn_v3_dot(d, lamp->z) < 0)) return 0;
  return lamp->power / (d2 + size);
}

bool firn_lamp_sample(const firn_lamp *lamp, firn_v3 from, const float u[2], firn_v3 *along,
                      float *pdf) {
  if (lamp->kind == FIRN_LAMP_RECTANGLE) return sample_rectangle(lamp, from, u, along, pdf);
  firn_v3 to, a, b;
  double cap = cap_of(lamp, from, &to);
  if (!(cap > 0)) return false;
  firn_v3 axis = firn_v3_unit(to);
  firn_axes_about(axis, &a, &b);
  // A hair within the rim, which the ray could otherwise miss.
  double drop = cap * (double)u[0] * (1 - 1e-6), s = sqrt(drop * (2 - drop)),
         phi = 2 * PI * (double)u[1];
  *along = firn_v3_unit(firn_v3_add(firn_v3_scale((float)(1 - drop), axis),
                                    firn_v3_add(firn_v3_scale((float)(s * cos(phi)), a),
                                                firn_v3_scale((float)(s * sin(phi)), b))));
  *pdf = (float)(1 / (2 * PI * cap));
  return true;
}

float firn_lamp_pdf(const firn_lamp *lamp, firn_v3 from, firn_v3 along) {
  if (lamp->kind == FIRN_LAMP_RECTANGLE) return pdf_rectangle(lamp, from, along);
  firn_v3 to;
  if (hit_sphere(lamp, from, along) == INFINITY) return 0;
  double cap = cap_of(lamp, from, &to);
  return cap > 0 ? (float)(1 / (2 * PI * cap)) : 0;
}

float firn_lamp_hit(const firn_lamp *lamp, firn_v3 from, firn_v3 along) {
  return lamp->kind == FIRN_LAMP_RECTANGLE ? hit_rectangle(lamp, from, along)
                                           : hit_sphere(lamp, from, along);
}
