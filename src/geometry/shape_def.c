// SPDX-License-Identifier: Apache-2.0
// Defs of shapes in a line each.
#include <math.h>
#include <string.h>

#include "geometry/shape.h"

static firn_shape_def at(firn_shape_kind kind, const double center[3]) {
  firn_shape_def def = {.kind = kind};
  memcpy(def.center, center, sizeof def.center);
  return def;
}

static firn_shape_def along(firn_shape_kind kind, const double from[3], const double to[3],
                            double radius, double radius_to) {
  firn_shape_def def = {.kind = kind, .radius = radius, .radius_to = radius_to};
  memcpy(def.from, from, sizeof def.from);
  memcpy(def.to, to, sizeof def.to);
  return def;
}

static firn_shape_def of(firn_shape_kind kind, const firn_shape *shape) {
  return (firn_shape_def){.kind = kind, .shape = shape};
}

static firn_shape_def of_several(firn_shape_kind kind, int count, const firn_shape *const *shapes) {
  return (firn_shape_def){.kind = kind, .child_count = count, .children = shapes};
}

firn_shape_def firn_half_space(const double point[3], const double normal[3]) {
  firn_shape_def def = at(FIRN_SHAPE_HALF_SPACE, point);
  memcpy(def.normal, normal, sizeof def.normal);
  return def;
}

firn_shape_def firn_sphere(const double center[3], double radius) {
  firn_shape_def def = at(FIRN_SHAPE_SPHERE, center);
  def.radius = radius;
  return def;
}

firn_shape_def firn_box(const double center[3], const double half[3]) {
  firn_shape_def def = at(FIRN_SHAPE_BOX, center);
  memcpy(def.half, half, sizeof def.half);
  return def;
}

// A def whose half holds whole lengths.
static firn_shape_def halved(firn_shape_def def) {
  for (int a = 0; a < 3; a++) def.half[a] *= 0.5;
  return def;
}

firn_shape_def firn_box_of_size(const double center[3], const double size[3]) {
  return halved(firn_box(center, size));
}

firn_shape_def firn_rounded_box_of_size(const double center[3], const double size[3],
                                        double rounding) {
  return halved(firn_rounded_box(center, size, rounding));
}

firn_shape_def firn_rounded_box(const double center[3], const double half[3], double rounding) {
  firn_shape_def def = firn_box(center, half);
  def.rounding = rounding;
  return def;
}

firn_shape_def firn_ellipsoid(const double center[3], const double radii[3]) {
  firn_shape_def def = at(FIRN_SHAPE_ELLIPSOID, center);
  memcpy(def.half, radii, sizeof def.half);
  return def;
}

firn_shape_def firn_capsule(const double from[3], const double to[3], double radius) {
  return along(FIRN_SHAPE_CAPSULE, from, to, radius, radius);
}

firn_shape_def firn_round_cone(const double from[3], const double to[3], double radius,
                               double radius_to) {
  return along(FIRN_SHAPE_CAPSULE, from, to, radius, radius_to);
}

firn_shape_def firn_cylinder(const double from[3], const double to[3], double radius) {
  return along(FIRN_SHAPE_CYLINDER, from, to, radius, radius);
}

firn_shape_def firn_cone(const double from[3], const double to[3], double radius,
                         double radius_to) {
  return along(FIRN_SHAPE_CONE, from, to, radius, radius_to);
}

firn_shape_def firn_torus(const double center[3], const double axis[3], double radius,
                          double tube) {
  firn_shape_def def = at(FIRN_SHAPE_TORUS, center);
  memcpy(def.normal, axis, sizeof def.normal);
  def.radius = radius;
  def.tube = tube;
  return def;
}

firn_shape_def firn_prism(const double center[3], const double half[3]) {
  firn_shape_def def = at(FIRN_SHAPE_PRISM, center);
  memcpy(def.half, half, sizeof def.half);
  return def;
}

firn_shape_def firn_prism_of_size(const double center[3], const double size[3]) {
  return halved(firn_prism(center, size));
}

firn_shape_def firn_polygon(const double center[3], int point_count, const double *points,
                            double depth) {
  firn_shape_def def = at(FIRN_SHAPE_POLYGON, center);
  def.point_count = point_count;
  def.points = points;
  def.depth = depth;
  return def;
}

firn_shape_def firn_path(const double center[3], int point_count, const double *points,
                         const double *bulge, double thickness, double depth) {
  firn_shape_def def = at(FIRN_SHAPE_PATH, center);
  def.point_count = point_count;
  def.points = points;
  def.bulge = bulge;
  def.thickness = thickness;
  def.depth = depth;
  return def;
}

firn_shape_def firn_text(const double center[3], const char *text, double height, double depth) {
  firn_shape_def def = at(FIRN_SHAPE_TEXT, center);
  def.text = text;
  def.height = height;
  def.thickness = height / 6;
  def.depth = depth;
  return def;
}

static firn_shape_def height_field(const double center[3], const double size[2]) {
  firn_shape_def def = at(FIRN_SHAPE_HEIGHT_FIELD, center);
  memcpy(def.size, size, sizeof def.size);
  return def;
}

firn_shape_def firn_height_field(const double center[3], const double size[2], int columns,
                                 int rows, const double *heights) {
  firn_shape_def def = height_field(center, size);
  def.columns = columns;
  def.rows = rows;
  def.heights = heights;
  return def;
}

firn_shape_def firn_height_image(const double center[3], const double size[2], const char *image,
                                 double amplitude) {
  firn_shape_def def = height_field(center, size);
  def.image = image;
  def.amplitude = amplitude;
  return def;
}

firn_shape_def firn_height_noise(const double center[3], const double size[2], double amplitude,
                                 double wavelength, int octaves, uint64_t seed) {
  firn_shape_def def = height_field(center, size);
  def.amplitude = amplitude;
  def.wavelength = wavelength;
  def.octaves = octaves;
  def.seed = seed;
  return def;
}

firn_shape_def firn_shape_handle(const firn_shape *shape) {
  return of(FIRN_SHAPE_HANDLE, shape);
}

firn_shape_def firn_union(int count, const firn_shape *const *shapes) {
  return of_several(FIRN_SHAPE_UNION, count, shapes);
}

firn_shape_def firn_intersection(int count, const firn_shape *const *shapes) {
  return of_several(FIRN_SHAPE_INTERSECTION, count, shapes);
}

firn_shape_def firn_difference(int count, const firn_shape *const *shapes) {
  return of_several(FIRN_SHAPE_DIFFERENCE, count, shapes);
}

firn_shape_def firn_smooth_union(int count, const firn_shape *const *shapes, double smoothing) {
  firn_shape_def def = of_several(FIRN_SHAPE_SMOOTH_UNION, count, shapes);
  def.smoothing = smoothing;
  return def;
}

firn_shape_def firn_transform(const firn_shape *shape, const double translation[3],
                              const double rotation[4], double scale) {
  firn_shape_def def = of(FIRN_SHAPE_TRANSFORM, shape);
  if (translation) memcpy(def.translation, translation, sizeof def.translation);
  if (rotation) memcpy(def.rotation, rotation, sizeof def.rotation);
  def.scale = scale;
  return def;
}

firn_shape_def firn_shell(const firn_shape *shape, double inward, double outward) {
  firn_shape_def def = of(FIRN_SHAPE_SHELL, shape);
  def.inward = inward;
  def.outward = outward;
  return def;
}

firn_shape_def firn_offset(const firn_shape *shape, double offset) {
  firn_shape_def def = of(FIRN_SHAPE_OFFSET, shape);
  def.offset = offset;
  return def;
}

firn_shape_def firn_displace(const firn_shape *shape, double amplitude, double wavelength,
                             int octaves, uint64_t seed) {
  firn_shape_def def = of(FIRN_SHAPE_DISPLACE, shape);
  def.amplitude = amplitude;
  def.wavelength = wavelength;
  def.octaves = octaves;
  def.seed = seed;
  return def;
}

firn_shape_def firn_repeat(const firn_shape *shape, const int count[3], const double step[3]) {
  firn_shape_def def = of(FIRN_SHAPE_REPEAT, shape);
  memcpy(def.count, count, sizeof def.count);
  memcpy(def.step, step, sizeof def.step);
  return def;
}

firn_shape_def firn_mirror(const firn_shape *shape, const double point[3], int axis) {
  firn_shape_def def = of(FIRN_SHAPE_MIRROR, shape);
  memcpy(def.center, point, sizeof def.center);
  def.axis = axis;
  return def;
}

void firn_rotation(const double axis[3], double angle, double out[4]) {
  double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  double s = length > 0 ? sin(angle / 2) / length : 0;
  for (int a = 0; a < 3; a++) out[a] = s * axis[a];
  out[3] = length > 0 ? cos(angle / 2) : 1;
}
