// SPDX-License-Identifier: Apache-2.0
#include "render/walls.h"

// In heights of the view. About as wide and high as a picture of 16:9, so that edges show.
#define ALONG 0.9f
#define UP    0.45f
#define THICK 0.06f
#define FAR   3.0f // a wall this far from the middle has nothing to do with what is looked at

bool firn_wall_place(firn_v3 normal, float offset, float extent, firn_v3 eye, firn_wall *wall) {
  if (!(fabsf(offset) < FAR * extent) || firn_v3_dot(normal, eye) <= offset) return false;
  firn_v3 up = fabsf(normal.y) > 0.999f ? (firn_v3){0, 0, -1} : (firn_v3){0, 1, 0};
  firn_v3 along = firn_v3_unit(firn_v3_cross(up, normal));
  *wall = (firn_wall){.axis = {along, firn_v3_cross(normal, along), normal},
                      .half = {ALONG * extent, UP * extent, 0.5f * THICK * extent}};
  wall->middle[2] = offset - wall->half[2];
  return true;
}

float firn_wall_hit(const firn_wall *wall, firn_v3 from, firn_v3 along, float most,
                    firn_v3 *normal) {
  float enter = 0, leave = most, side = 0;
  int face = -1;
  for (int k = 0; k < 3; k++) {
    float x = firn_v3_dot(from, wall->axis[k]) - wall->middle[k];
    float slope = firn_v3_dot(along, wall->axis[k]);
    if (slope == 0) {
      if (fabsf(x) > wall->half[k]) return INFINITY;
      continue;
    }
    float in = slope > 0 ? -1.0f : 1.0f; // the face through which the ray comes
    float t0 = (in * wall->half[k] - x) / slope, t1 = (-in * wall->half[k] - x) / slope;
    if (t0 > enter) {
      enter = t0;
      face = k;
      side = in;
    }
    leave = fminf(leave, t1);
  }
  if (face < 0 || !(enter < leave)) return INFINITY;
  *normal = firn_v3_scale(side, wall->axis[face]);
  return enter;
}
