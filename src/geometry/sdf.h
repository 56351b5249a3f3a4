// SPDX-License-Identifier: Apache-2.0
// Signed distances in closed form, exact inside and outside: pure functions that C and CUDA compile
// alike. r is the position from the shape's middle; n receives the outward unit normal, which is
// the gradient of the distance wherever that has one, and one of the possible ones elsewhere.
#ifndef FIRN_GEOMETRY_SDF_H
#define FIRN_GEOMETRY_SDF_H

#include "math/real.h"

FIRN_HD double firn_sdf_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

FIRN_HD double firn_sdf_length(const double v[3]) {
  return sqrt(firn_sdf_dot(v, v));
}

// A unit vector along v; straight up where v has no direction, such as the middle of a sphere.
FIRN_HD double firn_sdf_direction(const double v[3], double out[3]) {
  double length = firn_sdf_length(v);
  for (int a = 0; a < 3; a++) out[a] = length > 0 ? v[a] / length : a == 1;
  return length;
}

// Some unit vector at right angles to the unit vector u.
FIRN_HD void firn_sdf_across(const double u[3], double out[3]) {
  int least = fabs(u[0]) <= fabs(u[1]) ? (fabs(u[0]) <= fabs(u[2]) ? 0 : 2)
                                       : (fabs(u[1]) <= fabs(u[2]) ? 1 : 2);
  double v[3];
  for (int a = 0; a < 3; a++) v[a] = (a == least) - u[least] * u[a];
  firn_sdf_direction(v, out);
}

FIRN_HD double firn_sdf_plane(const double unit[3], const double r[3], double n[3]) {
  for (int a = 0; a < 3; a++) n[a] = unit[a];
  return firn_sdf_dot(r, unit);
}

FIRN_HD double firn_sdf_sphere(double radius, const double r[3], double n[3]) {
  return firn_sdf_direction(r, n) - radius;
}

FIRN_HD double firn_sdf_box(const double half[3], const double r[3], double n[3]) {
  double q[3], outside[3];
  int axis = 0;
  for (int a = 0; a < 3; a++) {
    q[a] = fabs(r[a]) - half[a];
    outside[a] = q[a] > 0 ? copysign(q[a], r[a]) : 0;
    if (q[a] > q[axis]) axis = a;
  }
  if (q[axis] > 0) return firn_sdf_direction(outside, n);
  for (int a = 0; a < 3; a++) n[a] = a == axis ? copysign(1.0, r[a]) : 0;
  return q[axis];
}

// ---------------------------------------------------------------------- bodies of revolution
//
// In the half plane of distance rho from the axis and height h along it. n2 = (n_rho, n_h).

// The hull of two balls: radius r0 at h = 0, r1 at h = length > |r0 - r1|.
FIRN_HD double firn_sdf_round_cone(double rho, double h, double r0, double r1, double length,
                                   double n2[2]) {
  // The side's normal is (across, along); along its direction (-along, across), the feet of the two
  // balls are at 0 and at across * length.
  double along = (r0 - r1) / length, across = sqrt(1 - along * along);
  double foot = h * across - rho * along;
  if (foot > 0 && foot < across * length) {
    n2[0] = across;
    n2[1] = along;
    return rho * across + h * along - r0;
  }
  double radius = foot > 0 ? r1 : r0, up = foot > 0 ? h - length : h;
  double l = sqrt(rho * rho + up * up);
  // In the middle of a ball, any direction within its cap will do: that along the side's edge.
  n2[0] = l > 0 ? rho / l : across;
  n2[1] = l > 0 ? up / l : along;
  return l - radius;
}

// Keeps the nearest of some points of the half plane.
typedef struct firn_sdf_near {
  double d2, v[2]; // square of the distance, vector from the point
} firn_sdf_near;

FIRN_HD void firn_sdf_try(firn_sdf_near *near, double v0, double v1) {
  double d2 = v0 * v0 + v1 * v1;
  if (d2 >= near->d2) return;
  near->d2 = d2;
  near->v[0] = v0;
  near->v[1] = v1;
}

FIRN_HD double firn_sdf_clamp(double x, double lo, double hi) {
  return x < lo ? lo : x > hi ? hi : x;
}

// A frustum: radius r0 at h = 0, r1 at h = length; one of them may be 0.
FIRN_HD double firn_sdf_frustum(double rho, double h, double r0, double r1, double length,
                                double n2[2]) {
  double slope = r1 - r0, side = sqrt(slope * slope + length * length);
  double s[2] = {length / side, -slope / side}; // the side's normal
  double below = -h, above = h - length, beside = (rho - r0) * s[0] + h * s[1];
  double deepest = below > above ? below : above;
  n2[0] = 0;
  n2[1] = below > above ? -1 : 1;
  if (beside > deepest) {
    deepest = beside;
    n2[0] = s[0];
    n2[1] = s[1];
  }
  if (deepest <= 0) return deepest;
  firn_sdf_near near = {INFINITY, {0, 0}};
  firn_sdf_try(&near, rho - firn_sdf_clamp(rho, 0, r0), h);
  firn_sdf_try(&near, rho - firn_sdf_clamp(rho, 0, r1), above);
  double t = firn_sdf_clamp(((rho - r0) * slope + h * length) / (side * side), 0, 1);
  firn_sdf_try(&near, rho - r0 - t * slope, h - t * length);
  double d = sqrt(near.d2);
  if (d > 0) {
    n2[0] = near.v[0] / d;
    n2[1] = near.v[1] / d;
  }
  return d;
}

FIRN_HD double firn_sdf_torus(double rho, double h, double radius, double tube, double n2[2]) {
  double x = rho - radius, d = sqrt(x * x + h * h);
  n2[0] = d > 0 ? x / d : 1;
  n2[1] = d > 0 ? h / d : 0;
  return d - tube;
}

// From a position to the half plane of the axis u through the origin: rho, h and the unit vector
// out of the axis.
FIRN_HD double firn_sdf_revolve(const double u[3], const double r[3], double *h, double out[3]) {
  *h = firn_sdf_dot(u, r);
  double radial[3];
  for (int a = 0; a < 3; a++) radial[a] = r[a] - *h * u[a];
  double rho = firn_sdf_length(radial);
  // On the axis, what is left is rounding; close to it, some of it is, and along the axis.
  if (rho > 1e-15 * fabs(*h)) {
    double along = firn_sdf_dot(radial, u);
    for (int a = 0; a < 3; a++) radial[a] -= along * u[a];
    if (firn_sdf_direction(radial, out) > 0) return rho;
  }
  firn_sdf_across(u, out);
  return rho;
}

FIRN_HD void firn_sdf_unrevolve(const double u[3], const double out[3], const double n2[2],
                                double n[3]) {
  for (int a = 0; a < 3; a++) n[a] = n2[0] * out[a] + n2[1] * u[a];
  firn_sdf_direction(n, n);
}

// ------------------------------------------------------------------------------------ ellipsoid

// The nearest point x of the surface has x_i = e_i^2 y_i / (t + e_i^2), where t is the largest root
// of sum (e_i y_i / (t + e_i^2))^2 = 1 (Eberly, Distance from a Point to an Ellipsoid). With tau =
// t + e_min^2 nothing cancels, and Newton's method from a point where the sum is at least 1 rises
// to the root, since the sum is convex and falls.
FIRN_HD double firn_sdf_ellipsoid(const double e[3], const double r[3], double n[3]) {
  int least = e[0] < e[1] ? (e[0] < e[2] ? 0 : 2) : (e[1] < e[2] ? 1 : 2);
  double y[3], gap[3], level = 0, tau = 0;
  for (int a = 0; a < 3; a++) {
    y[a] = fabs(r[a]);
    level += (y[a] / e[a]) * (y[a] / e[a]);
    gap[a] = (e[a] - e[least]) * (e[a] + e[least]);
  }
  // In the middle plane two points may be equally near; this chooses one of them.
  if (!(y[least] > 1e-30 * e[least])) y[least] = 1e-30 * e[least];
  for (int a = 0; a < 3; a++) {
    double start = e[a] * y[a] - gap[a];
    if (start > tau) tau = start;
  }
  for (int i = 0; i < 60; i++) {
    double f = -1, slope = 0;
    for (int a = 0; a < 3; a++) {
      double q = e[a] * y[a] / (tau + gap[a]);
      f += q * q;
      slope += 2 * q * q / (tau + gap[a]);
    }
    double next = tau + f / slope;
    if (!(next > tau)) break;
    tau = next;
  }
  double apart = 0, normal[3];
  for (int a = 0; a < 3; a++) {
    double x = e[a] * e[a] * y[a] / (tau + gap[a]), d = fabs(r[a]) - x;
    apart += d * d;
    normal[a] = copysign(x / e[a] / e[a] * e[least], r[a]);
  }
  firn_sdf_direction(normal, n);
  return level > 1 ? sqrt(apart) : -sqrt(apart);
}

// ------------------------------------------------------------------------------------ extrusion

// A profile with distance d2 and normal n2 in x and y, between z = -half and half.
FIRN_HD double firn_sdf_extrude(double d2, const double n2[2], double z, double half, double n[3]) {
  double over = fabs(z) - half, end = copysign(1.0, z);
  double a = d2 > 0 ? d2 : 0, b = over > 0 ? over : 0;
  if (d2 <= 0 && over <= 0) {
    a = d2 >= over;
    b = !(d2 >= over);
  }
  double l = sqrt(a * a + b * b);
  n[0] = n2[0] * a / l;
  n[1] = n2[1] * a / l;
  n[2] = end * b / l;
  if (d2 <= 0 && over <= 0) return d2 >= over ? d2 : over;
  return l;
}

#endif
