// SPDX-License-Identifier: Apache-2.0
// Outlines in the plane: straight and round segments, the distance to them, and what they enclose.
#ifndef FIRN_GEOMETRY_OUTLINE_H
#define FIRN_GEOMETRY_OUTLINE_H

#include "base/memory.h"

typedef struct firn_segment {
  double a[2], b[2]; // m: ends; the same for a dot
  double center[2];  // m: arcs only
  double radius;     // m; 0: straight
  double middle[2];  // unit vector from center to the middle of the arc
  double reach;      // cosine of half its angle
  double left;       // filled outlines: -1 if the inside lies to the left of a -> b, 1 if not
} firn_segment;

typedef struct firn_outline_node {
  double lo[2], hi[2]; // m
  int first, count;    // segments of a leaf; count 0: a branch, whose first half comes next
  int second;
} firn_outline_node;

typedef struct firn_outline {
  firn_context *context;
  firn_segment *segment; // [count], in the order of the tree's leaves
  int count, capacity;
  firn_outline_node *node; // [node_count]
  int node_count, node_capacity;
  double lo[2], hi[2]; // m: bounds of the segments
  bool filled;
} firn_outline;

// Begin with a zeroed outline that has its context, add segments, then finish.
// bulge is tan(angle / 4), > 0 turning left; a bulge of 0 is straight.
firn_status firn_outline_add(firn_outline *outline, const double a[2], const double b[2],
                             double bulge);
// filled: the segments are closed contours, and what an odd number of them encloses is inside.
firn_status firn_outline_finish(firn_outline *outline, bool filled);
void firn_outline_free(firn_outline *outline);

// Finds two segments that cross, in the order in which they were added; before finishing.
firn_status firn_outline_crossing(const firn_outline *outline, bool *found, int pair[2],
                                  double at[2]);

// Filled: the signed distance. Otherwise the distance to the nearest segment. normal: unit gradient.
double firn_outline_distance(const firn_outline *outline, const double p[2], double normal[2]);

// m^2, filled profiles only.
double firn_outline_area(const firn_outline *outline);

#endif
