// SPDX-License-Identifier: Apache-2.0
#include "geometry/outline.h"

#include <math.h>
#include <string.h>

#include "geometry/sdf.h"

enum { LEAF = 4, STACK = 64 };

// Whether the direction from an arc's center lies within the arc.
static bool within(const firn_segment *s, const double unit[2]) {
  return unit[0] * s->middle[0] + unit[1] * s->middle[1] >= s->reach;
}

// ------------------------------------------------------------------------------------- distance

typedef struct nearest {
  double square;    // m^2
  double normal[2]; // away from the segment
  double outward;   // filled: the same, but to the outside; 0 at the ends, where it is not known
} nearest;

static void try_end(const firn_segment *s, const double p[2], const double end[2], nearest *best) {
  double v[2] = {p[0] - end[0], p[1] - end[1]}, square = v[0] * v[0] + v[1] * v[1];
  if (square >= best->square) return;
  double l = sqrt(square);
  best->square = square;
  best->outward = 0;
  if (l > 0) {
    best->normal[0] = v[0] / l;
    best->normal[1] = v[1] / l;
    return;
  }
  double d[2] = {s->b[0] - s->a[0], s->b[1] - s->a[1]}, length = sqrt(d[0] * d[0] + d[1] * d[1]);
  best->normal[0] = length > 0 ? -d[1] / length : 0;
  best->normal[1] = length > 0 ? d[0] / length : 1;
  best->outward = s->left;
}

static void try_line(const firn_segment *s, const double p[2], nearest *best) {
  double d[2] = {s->b[0] - s->a[0], s->b[1] - s->a[1]}, v[2] = {p[0] - s->a[0], p[1] - s->a[1]};
  double length2 = d[0] * d[0] + d[1] * d[1], t = v[0] * d[0] + v[1] * d[1];
  if (t <= 0) {
    try_end(s, p, s->a, best);
    return;
  }
  if (t >= length2) {
    try_end(s, p, s->b, best);
    return;
  }
  double length = sqrt(length2), side = (d[0] * v[1] - d[1] * v[0]) / length; // > 0: left
  if (side * side >= best->square) return;
  double to = side >= 0 ? 1 : -1;
  best->square = side * side;
  best->normal[0] = -to * d[1] / length;
  best->normal[1] = to * d[0] / length;
  best->outward = to * s->left;
}

static void try_arc(const firn_segment *s, const double p[2], nearest *best) {
  double v[2] = {p[0] - s->center[0], p[1] - s->center[1]}, l = sqrt(v[0] * v[0] + v[1] * v[1]);
  double unit[2] = {l > 0 ? v[0] / l : s->middle[0], l > 0 ? v[1] / l : s->middle[1]};
  if (!within(s, unit)) {
    try_end(s, p, s->a, best);
    try_end(s, p, s->b, best);
    return;
  }
  double out = l - s->radius;
  if (out * out >= best->square) return;
  double to = out >= 0 ? 1 : -1;
  // Turning left, the center is on the left, and out of the circle is to the right.
  double d[2] = {s->b[0] - s->a[0], s->b[1] - s->a[1]};
  double turns_left = s->middle[0] * d[1] - s->middle[1] * d[0] > 0 ? 1 : -1;
  best->square = out * out;
  best->normal[0] = to * unit[0];
  best->normal[1] = to * unit[1];
  best->outward = -to * turns_left * s->left;
}

static double square_apart(const firn_outline_node *node, const double p[2]) {
  double sum = 0;
  for (int a = 0; a < 2; a++) {
    double over = p[a] < node->lo[a] ? node->lo[a] - p[a] : p[a] - node->hi[a];
    if (over > 0) sum += over * over;
  }
  return sum;
}

static nearest find_nearest(const firn_outline *outline, const double p[2]) {
  struct {
    int node;
    double square;
  } stack[STACK];
  nearest best = {INFINITY, {0, 1}, 0};
  int top = 0;
  stack[top].node = 0;
  stack[top++].square = 0;
  while (top) {
    top--;
    if (stack[top].square >= best.square) continue;
    const firn_outline_node *node = &outline->node[stack[top].node];
    for (int i = node->first; i < node->first + node->count; i++) {
      const firn_segment *s = &outline->segment[i];
      if (s->radius > 0) {
        try_arc(s, p, &best);
      } else {
        try_line(s, p, &best);
      }
    }
    if (node->count) continue;
    int near = stack[top].node + 1, far = node->second;
    double near2 = square_apart(&outline->node[near], p);
    double far2 = square_apart(&outline->node[far], p);
    if (far2 < near2) {
      int other = near;
      double other2 = near2;
      near = far, near2 = far2;
      far = other, far2 = other2;
    }
    stack[top].node = far;
    stack[top++].square = far2;
    stack[top].node = near;
    stack[top++].square = near2;
  }
  return best;
}

// --------------------------------------------------------------------------------------- inside

// Whether the ray from p along x crosses a segment. Arcs were cut so that y rises or falls along
// each, and neighbours share their ends to the bit, so that no crossing is missed or seen twice.
static bool crosses(const firn_segment *s, const double p[2]) {
  if ((s->a[1] > p[1]) == (s->b[1] > p[1])) return false;
  if (s->radius > 0) {
    double up = p[1] - s->center[1], across = s->radius * s->radius - up * up;
    double reach = across > 0 ? sqrt(across) : 0;
    return p[0] < s->center[0] + (s->middle[0] < 0 ? -reach : reach);
  }
  double t = (p[1] - s->a[1]) / (s->b[1] - s->a[1]);
  return p[0] < s->a[0] + t * (s->b[0] - s->a[0]);
}

static bool is_inside(const firn_outline *outline, const double p[2]) {
  bool inside = false;
  int stack[STACK], top = 0;
  stack[top++] = 0;
  while (top) {
    int index = stack[--top];
    const firn_outline_node *node = &outline->node[index];
    if (p[1] < node->lo[1] || p[1] > node->hi[1] || p[0] > node->hi[0]) continue;
    for (int i = node->first; i < node->first + node->count; i++) {
      inside ^= crosses(&outline->segment[i], p);
    }
    if (node->count) continue;
    stack[top++] = node->second;
    stack[top++] = index + 1;
  }
  return inside;
}

double firn_outline_distance(const firn_outline *outline, const double p[2], double normal[2]) {
  nearest best = find_nearest(outline, p);
  double d = sqrt(best.square), sign = 1;
  if (outline->filled) {
    // Very close to the outline the side of the segment itself is the better judge.
    bool close = d <= 1e-12 * (outline->hi[0] - outline->lo[0] + outline->hi[1] - outline->lo[1]);
    if (close && best.outward != 0) {
      sign = best.outward;
    } else {
      sign = is_inside(outline, p) ? -1 : 1;
    }
  }
  normal[0] = sign * best.normal[0];
  normal[1] = sign * best.normal[1];
  return sign * d;
}

double firn_outline_area(const firn_outline *outline) {
  double sum = 0;
  for (int i = 0; i < outline->count; i++) {
    const firn_segment *s = &outline->segment[i];
    // Twice the area between origin and segment, counted left: triangle, and the arc's cap.
    double twice = s->a[0] * s->b[1] - s->a[1] * s->b[0];
    if (s->radius > 0) {
      double d[2] = {s->b[0] - s->a[0], s->b[1] - s->a[1]}, half = acos(s->reach);
      double turns_left = s->middle[0] * d[1] - s->middle[1] * d[0] > 0 ? 1 : -1;
      twice += turns_left * s->radius * s->radius * (2 * half - sin(2 * half));
    }
    sum -= s->left * twice;
  }
  return sum / 2;
}

void firn_outline_free(firn_outline *outline) {
  firn_context *context = outline->context;
  firn_free(context, outline->segment, (size_t)outline->capacity * sizeof *outline->segment);
  firn_free(context, outline->node, (size_t)outline->node_capacity * sizeof *outline->node);
  outline->segment = NULL;
  outline->node = NULL;
}

// --------------------------------------------------------------------------------------- making

static void segment_bounds(const firn_segment *s, double lo[2], double hi[2]) {
  for (int a = 0; a < 2; a++) {
    const double forth[2] = {a == 0, a == 1}, back[2] = {-forth[0], -forth[1]};
    lo[a] = fmin(s->a[a], s->b[a]);
    hi[a] = fmax(s->a[a], s->b[a]);
    if (s->radius > 0 && within(s, back)) lo[a] = fmin(lo[a], s->center[a] - s->radius);
    if (s->radius > 0 && within(s, forth)) hi[a] = fmax(hi[a], s->center[a] + s->radius);
  }
}

static firn_status append(firn_outline *outline, const firn_segment *s) {
  if (outline->count == outline->capacity) {
    int capacity = 2 * outline->capacity + 16;
    firn_segment *all = firn_resize(outline->context, outline->segment,
                                    (size_t)outline->capacity * sizeof *all,
                                    (size_t)capacity * sizeof *all, "outline");
    if (!all) return FIRN_ERROR_MEMORY;
    outline->segment = all;
    outline->capacity = capacity;
  }
  outline->segment[outline->count++] = *s;
  return FIRN_OK;
}

// The part of an arc between two of its points, which are at these angles from its middle, counted
// along the way.
static firn_segment part_of_arc(const firn_segment *whole, const double a[2], const double b[2],
                                const double angle[2], double to) {
  firn_segment s = *whole;
  double turn = to * (angle[0] + angle[1]) / 2, c = cos(turn), n = sin(turn);
  memcpy(s.a, a, sizeof s.a);
  memcpy(s.b, b, sizeof s.b);
  s.middle[0] = c * whole->middle[0] - n * whole->middle[1];
  s.middle[1] = n * whole->middle[0] + c * whole->middle[1];
  s.reach = cos((angle[1] - angle[0]) / 2);
  return s;
}

firn_status firn_outline_add(firn_outline *outline, const double a[2], const double b[2],
                             double bulge) {
  firn_segment s = {.a = {a[0], a[1]}, .b = {b[0], b[1]}, .left = 1};
  double d[2] = {b[0] - a[0], b[1] - a[1]}, chord = sqrt(d[0] * d[0] + d[1] * d[1]);
  if (bulge == 0 || !(chord > 0)) return append(outline, &s);
  double h = (1 - bulge * bulge) / (4 * bulge); // from the chord's middle to the left, in chords
  s.center[0] = (a[0] + b[0]) / 2 - h * d[1];
  s.center[1] = (a[1] + b[1]) / 2 + h * d[0];
  s.radius = chord * (1 + bulge * bulge) / (4 * fabs(bulge));
  // A left turn bulges to the right of its chord.
  double to = bulge > 0 ? 1 : -1;
  s.middle[0] = to * d[1] / chord;
  s.middle[1] = -to * d[0] / chord;
  double half = 2 * atan(fabs(bulge));
  s.reach = cos(half);

  // Cut where the circle is lowest and highest, in the order in which they are met.
  struct {
    double at[2], angle;
  } cut[4] = {{{a[0], a[1]}, -half}};
  int cuts = 1;
  for (int k = 0; k < 2; k++) {
    const double up = k ? 1 : -1;
    double angle = to * atan2(s.middle[0] * up, s.middle[1] * up);
    if (fabs(angle) > half - 1e-9) continue;
    int place = cuts > 1 && angle < cut[1].angle ? 1 : cuts;
    if (place < cuts) cut[cuts] = cut[place];
    cut[place].at[0] = s.center[0];
    cut[place].at[1] = s.center[1] + up * s.radius;
    cut[place].angle = angle;
    cuts++;
  }
  cut[cuts].at[0] = b[0];
  cut[cuts].at[1] = b[1];
  cut[cuts].angle = half;
  for (int k = 0; k < cuts; k++) {
    const double angle[2] = {cut[k].angle, cut[k + 1].angle};
    firn_segment part = part_of_arc(&s, cut[k].at, cut[k + 1].at, angle, to);
    FIRN_TRY(append(outline, &part));
  }
  return FIRN_OK;
}

// Splits segments [first, first + count) at the median of the longer side of their middles' box.
static void build(firn_outline *outline, int first, int count) {
  firn_outline_node *node = &outline->node[outline->node_count++];
  double middle[2][2] = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
  for (int a = 0; a < 2; a++) {
    node->lo[a] = INFINITY;
    node->hi[a] = -INFINITY;
  }
  for (int i = first; i < first + count; i++) {
    double lo[2], hi[2];
    segment_bounds(&outline->segment[i], lo, hi);
    for (int a = 0; a < 2; a++) {
      node->lo[a] = fmin(node->lo[a], lo[a]);
      node->hi[a] = fmax(node->hi[a], hi[a]);
      middle[0][a] = fmin(middle[0][a], lo[a] + hi[a]);
      middle[1][a] = fmax(middle[1][a], lo[a] + hi[a]);
    }
  }
  node->first = first;
  node->count = count;
  if (count <= LEAF) return;
  int axis = middle[1][0] - middle[0][0] >= middle[1][1] - middle[0][1] ? 0 : 1;
  double split = (middle[0][axis] + middle[1][axis]) / 2;
  int at = first;
  for (int i = first; i < first + count; i++) {
    double lo[2], hi[2];
    segment_bounds(&outline->segment[i], lo, hi);
    if (lo[axis] + hi[axis] >= split) continue;
    firn_segment s = outline->segment[i];
    outline->segment[i] = outline->segment[at];
    outline->segment[at++] = s;
  }
  // All at one place, or one far off: halves by number keep the tree shallow.
  int smaller = at - first < first + count - at ? at - first : first + count - at;
  if (smaller < count / 8) at = first + count / 2;
  node->count = 0;
  build(outline, first, at - first);
  node->second = outline->node_count;
  build(outline, at, first + count - at);
}

static void find_sides(firn_outline *outline) {
  double size = outline->hi[0] - outline->lo[0] + outline->hi[1] - outline->lo[1];
  for (int i = 0; i < outline->count; i++) {
    firn_segment *s = &outline->segment[i];
    double d[2] = {s->b[0] - s->a[0], s->b[1] - s->a[1]}, length = sqrt(d[0] * d[0] + d[1] * d[1]);
    if (!(length > 0)) continue;
    double p[2], step = 1e-9 * size;
    for (int a = 0; a < 2; a++) {
      p[a] = s->radius > 0 ? s->center[a] + s->radius * s->middle[a] : (s->a[a] + s->b[a]) / 2;
    }
    p[0] -= step * d[1] / length;
    p[1] += step * d[0] / length;
    s->left = is_inside(outline, p) ? -1 : 1;
  }
}

firn_status firn_outline_finish(firn_outline *outline, bool filled) {
  outline->node_capacity = 2 * outline->count; // leaves hold at least one segment
  outline->node = firn_alloc(outline->context,
                             (size_t)outline->node_capacity * sizeof *outline->node, "outline");
  if (!outline->node) {
    outline->node_capacity = 0;
    return FIRN_ERROR_MEMORY;
  }
  outline->filled = filled;
  build(outline, 0, outline->count);
  memcpy(outline->lo, outline->node[0].lo, sizeof outline->lo);
  memcpy(outline->hi, outline->node[0].hi, sizeof outline->hi);
  if (filled) find_sides(outline);
  return FIRN_OK;
}
