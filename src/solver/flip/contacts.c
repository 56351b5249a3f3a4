// SPDX-License-Identifier: Apache-2.0
// What colliders do to rigid pieces. Cells of a piece that a collider reaches into are contacts, up to eight that
// lie together one: there the piece may leave the collider and not enter it, and rubs on it by Coulomb's law, which is solved contact by contact,
// over and over, until the piece's motion is settled. It begins with the pressure of the fluid that the piece
// was taken for.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/flip/pieces.h"

enum { SWEEPS = 60 };
// Change of a motion in a sweep, relative to what contacts did to it.
static const double SETTLED = 1e-7;
// Share by which impulses still grow in the last sweep, where a piece is squeezed.
static const double SQUEEZED = 5e-3;

static double size_of_vector(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Whether two contacts of a block are one: close to each other on the same side of the same collider.
static bool is_same(const flip_contact *a, const flip_contact *b) {
  double dot = 0;
  if (a->collider != b->collider || a->piece != b->piece || a->place != b->place) return false;
  for (int k = 0; k < 3; k++) dot += a->n[k] * b->n[k];
  return dot > FLIP_ALONG * b->area * size_of_vector(a->n);
}

static void join(flip_contact *to, const flip_contact *t) {
  to->area += t->area;
  to->share += t->share;
  for (int a = 0; a < 3; a++) {
    to->n[a] += t->n[a];
    to->x[a] += t->x[a];
    to->impulse[a] += t->impulse[a];
  }
}

static void velocity_at(const double q[6], const double r[3], double out[3]) {
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, d = (a + 2) % 3;
    out[a] = q[a] + q[3 + b] * r[d] - q[3 + d] * r[b];
  }
}

// Gives a piece an impulse at r.
static void push(const piece *p, const double r[3], const double impulse[3], double q[6]) {
  double all[6];
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, d = (a + 2) % 3;
    all[a] = impulse[a];
    all[3 + a] = r[b] * impulse[d] - r[d] * impulse[b];
  }
  for (int n = 0; n < 6; n++)
    for (int m = 0; m < 6; m++) q[n] += p->system[6 * n + m] * all[m];
}

// What is known of a contact once it is whole.
static void finish(const flip *s, const piece *p, flip_contact *t) {
  double all = 0, along = 0;
  double size = size_of_vector(t->n);
  for (int a = 0; a < 3; a++) {
    t->n[a] /= size;
    t->x[a] /= t->area;
    t->r[a] = t->x[a] - p->center[a];
    t->x[a] *= s->world->h;
  }
  firn_collider_sample(&s->world->collider[t->collider], t->x, NULL, t->velocity);
  t->toward = 0;
  for (int a = 0; a < 3; a++) t->toward += t->velocity[a] * t->n[a];
  memset(t->moves, 0, sizeof t->moves);
  for (int a = 0; a < 3; a++) {
    double unit[3] = {0}, v[3];
    unit[a] = 1;
    push(p, t->r, unit, t->moves[a]);
    velocity_at(t->moves[a], t->r, v);
    all += v[a];
    for (int n = 0; n < 3; n++) along += t->n[a] * t->n[n] * v[n];
  }
  t->give_n = along;
  t->give_t = fmax(0, all - along);
  t->hard_n = along > 0 ? 1 / along : 0;
  t->hard_t = t->give_t > 0 ? 1 / t->give_t : 0;
  if (!(along > 0)) memset(t->impulse, 0, sizeof t->impulse); // nothing can move it
}

// One contact as the others are now, for a better q. Returns by how much its impulse has changed.
static double meet(const flip *s, flip_contact *t, double q[6]) {
  const firn_collider *collider = &s->world->collider[t->collider];
  double v[3], vn = 0, n0 = 0, un = 0, change[3], slip[3], size2 = 0, share = 1;
  if (!(t->give_n > 0)) return 0;
  velocity_at(q, t->r, v);
  for (int a = 0; a < 3; a++) {
    vn += v[a] * t->n[a];
    n0 += t->impulse[a] * t->n[a];
    un += t->velocity[a] * t->n[a];
  }
  double n1 = n0 - (vn - t->least) * t->hard_n;
  if (!collider->sticky) n1 = fmax(0, n1);
  // Across: what would stop all slip, but no more than friction can do.
  for (int a = 0; a < 3; a++) {
    double across = t->impulse[a] - n0 * t->n[a],
           rate = v[a] - t->velocity[a] - (vn - un) * t->n[a];
    slip[a] = t->give_t > 0 ? across - rate * t->hard_t : 0;
    size2 += slip[a] * slip[a];
  }
  double most = n1 > 0 ? collider->friction * n1 : 0;
  if (!collider->sticky && size2 > most * most) share = most / sqrt(size2);
  for (int a = 0; a < 3; a++) {
    double now = n1 * t->n[a] + share * slip[a];
    change[a] = now - t->impulse[a];
    t->impulse[a] = now;
  }
  for (int n = 0; n < 6; n++)
    q[n] += t->moves[0][n] * change[0] + t->moves[1][n] * change[1] + t->moves[2][n] * change[2];
  return fabs(change[0]) + fabs(change[1]) + fabs(change[2]);
}

// A step from contact to contact that comes to all of them, about every golden section of their number. Taken in
// their order, neighbours undo each other's work: 60 sweeps over a pool's bed came less far than 15 now do.
static size_t stride_of(size_t count) {
  size_t stride = (size_t)(0.618 * (double)count) | 1;
  for (;; stride++) {
    size_t a = count, b = stride;
    while (b) {
      size_t rest = a % b;
      a = b;
      b = rest;
    }
    if (a <= 1) return stride;
  }
}

// The share b of what moves into a piece: it is rigid, so that of all its contacts, not the most of one.
static double mean_share(flip_contact *const *all, size_t count) {
  double share = 0, area = 0;
  for (size_t n = 0; n < count; n++) {
    if (!(all[n]->toward > 0)) continue;
    share += all[n]->share;
    area += all[n]->area;
  }
  return area > 0 ? share / area : 1;
}

static double size_of(const flip_contact *t) {
  return fabs(t->impulse[0]) + fabs(t->impulse[1]) + fabs(t->impulse[2]);
}

// What presses on a piece from two sides would press ever more: it is not rigid then, and has what the fluid's
// pressure gave it.
static void let_go(piece *p, const double as_fluid[6], flip_contact *const *all, size_t count) {
  memcpy(p->motion, as_fluid, sizeof p->motion);
  for (size_t n = 0; n < count; n++) memcpy(all[n]->impulse, all[n]->fluid, sizeof all[n]->fluid);
}

static void settle(const flip *s, piece *p, flip_contact *const *all, size_t count) {
  double free_motion[6], as_fluid[6], b = mean_share(all, count), grown = 0, size = 0;
  if (!count) return;
  memcpy(free_motion, p->motion, sizeof free_motion);
  for (size_t n = 0; n < count; n++) {
    all[n]->least = b * all[n]->toward;
    memcpy(all[n]->fluid, all[n]->impulse, sizeof all[n]->fluid);
    push(p, all[n]->r, all[n]->impulse, p->motion);
  }
  memcpy(as_fluid, p->motion, sizeof as_fluid);
  size_t stride = 1, at = 0;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double before[6], moved = 0, done = 0;
    memcpy(before, p->motion, sizeof before);
    grown = 0;
    for (size_t n = 0; n < count; n++, at = (at + stride) % count)
      grown += meet(s, all[at], p->motion);
    for (int k = 0; k < 6; k++) {
      moved = fmax(moved, fabs(p->motion[k] - before[k]));
      done = fmax(done, fabs(p->motion[k] - free_motion[k]));
    }
    if (moved <= SETTLED * done) break;
    if (sweep == 0) stride = stride_of(count); // the first gives to each what it bears
  }
  for (size_t n = 0; n < count; n++) size += size_of(all[n]);
  if (grown > SQUEEZED * size) let_go(p, as_fluid, all, count);
}

// Bits of the cells of a piece that a side of is closed more than the other.
static uint64_t touched_cells(const flip *s, const pieces *k, size_t g) {
  uint64_t out = 0;
  for (uint64_t left = s->cut[g] ? k->member[g] : 0; left; left &= left - 1) {
    int c = __builtin_ctzll(left);
    for (int a = 0; a < 3; a++)
      if (s->open[a][FLIP_CELLS * g + (size_t)c] != s->open[a][flip_beside(s, g, c, a, 1)])
        out |= (uint64_t)1 << c;
  }
  return out;
}

// There are three places for each touched cell; those that are not used have no collider.
static void find_contacts(const flip *s, const pieces *k, const flip_middle *snow,
                          const uint64_t *touched, const size_t *first, flip_contact *all) {
  FLIP_FOR_BLOCKS(s, g) {
    flip_contact *of = all + first[g];
    size_t count = 0, places = 3 * (size_t)__builtin_popcountll(touched[g]);
    for (uint64_t left = touched[g]; left; left &= left - 1) {
      flip_contact cell[3];
      int sides = flip_contacts_of(s, k, snow, g, __builtin_ctzll(left), cell);
      for (int n = 0; n < sides; n++) {
        size_t to = 0;
        while (to < count && !is_same(&of[to], &cell[n])) to++;
        if (to < count)
          join(&of[to], &cell[n]);
        else
          of[count++] = cell[n];
      }
    }
    for (size_t n = 0; n < count; n++) finish(s, &k->of[of[n].piece], &of[n]);
    for (size_t n = count; n < places; n++) of[n].collider = -1;
  }
}

// Those that are taken, in the order of their pieces; at the end of those of piece n is end[n].
static void sort_contacts(size_t count, flip_contact *all, size_t most, flip_contact **sorted,
                          size_t *end) {
  memset(end, 0, (count + 1) * sizeof *end);
  for (size_t n = 0; n < most; n++)
    if (all[n].collider >= 0) end[all[n].piece + 1]++;
  for (size_t n = 0; n < count; n++) end[n + 1] += end[n];
  for (size_t n = 0; n < most; n++)
    if (all[n].collider >= 0) sorted[end[all[n].piece]++] = &all[n];
}

firn_status flip_touch_pieces(flip *s, const pieces *k) {
  size_t blocks = s->grid.count, most = 0;
  size_t head = blocks * (sizeof(uint64_t) + sizeof(size_t) + FLIP_CELLS * sizeof(flip_middle)) +
                (k->count + 1) * sizeof(size_t);
  for (size_t g = 0; g < blocks; g++)
    most += 3 * (size_t)__builtin_popcountll(touched_cells(s, k, g));
  if (!most) return FIRN_OK;
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->contacts,
                               head + most * (sizeof(flip_contact) + sizeof(flip_contact *)),
                               "contacts"));
  flip_middle *snow = s->contacts.data;
  uint64_t *touched = (uint64_t *)(snow + blocks * FLIP_CELLS);
  size_t *first = (size_t *)(touched + blocks), *end = first + blocks, next = 0;
  flip_contact *all = (flip_contact *)(end + k->count + 1),
               **sorted = (flip_contact **)(all + most);
  for (size_t g = 0; g < blocks; g++) {
    touched[g] = touched_cells(s, k, g);
    first[g] = next;
    next += 3 * (size_t)__builtin_popcountll(touched[g]);
  }
  flip_find_middles(s, snow);
  find_contacts(s, k, snow, touched, first, all);
  sort_contacts(k->count, all, most, sorted, end);
  FIRN_PARALLEL_FOR(s->world->context, schedule(dynamic, 1))
  for (size_t n = 0; n < k->count; n++) {
    size_t from = n ? end[n - 1] : 0;
    settle(s, &k->of[n], sorted + from, end[n] - from);
  }
  flip_push_contacts(s, k, most, all);
  return FIRN_OK;
}
