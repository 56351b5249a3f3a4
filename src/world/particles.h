// SPDX-License-Identifier: Apache-2.0
// The particle store: named fields, one array each, kept sorted by blocks of 4x4x4 cells.
//
// One registry of fields drives the sort, checkpoints and whatever else must walk all of a
// particle's state, so a solver adds its own fields here and nothing else needs to know them.
//
//   slots   0 ............................... slots | pending      | capacity
//           unit 0     | unit 1   | unit 2 ...      | flying | new
//           blk blk .. | blk  pad | blk .. pad
//
// A block is 4x4x4 cells that hold at least one particle; blocks are in Morton order. A unit is a
// run of blocks with enough particles to be worth scheduling: a dense block is a unit of its own,
// spray puts hundreds of blocks in one. Units begin at multiples of FIRN_SLOT_ALIGN, so that SIMD
// groups inside one are aligned; the slots between are padding without mass. Units depend on the
// particles alone, never on the number of threads.
//
// Pending particles are in no block. Those that fly stay so: their solver has taken them out of its grid
// (firn_particles_sort_some) and moves them by itself. The new ones behind them wait for the next sort.
//
// Positions are kept relative to their block, in cells: precise at any distance from the origin.
#ifndef FIRN_WORLD_PARTICLES_H
#define FIRN_WORLD_PARTICLES_H

#include "base/memory.h"
#include "math/real.h"
#include "world/block.h"

enum {
  FIRN_SLOT_ALIGN = 16,
  FIRN_FIELD_MAX = 48,
  FIRN_UNIT_MIN = 256, // particles that make a unit
};

typedef enum firn_field_type { FIRN_FIELD_REAL, FIRN_FIELD_U32, FIRN_FIELD_U16 } firn_field_type;

typedef struct firn_field {
  const char *name;
  firn_field_type type;
  double initial; // value of a new particle
  void *data;     // [capacity]
  size_t bytes;   // held by data
} firn_field;

// Fields that every particle has, at fixed places in the registry.
enum {
  FIRN_FIELD_X, // cells from the block's corner, [0, 4) right after a sort
  FIRN_FIELD_Y,
  FIRN_FIELD_Z,
  FIRN_FIELD_VX, // m/s
  FIRN_FIELD_VY,
  FIRN_FIELD_VZ,
  FIRN_FIELD_MASS,   // kg; 0 marks padding
  FIRN_FIELD_VOLUME, // m^3 at rest; 0: not known yet
  FIRN_FIELD_ID,
  FIRN_FIELD_MATERIAL,
  FIRN_FIELD_COMMON,
};

typedef struct firn_particles {
  firn_context *context;
  size_t count;    // particles, pending ones included
  size_t slots;    // sorted slots, padding included
  size_t pending;  // particles in slots [slots, slots + pending), in no block
  size_t flying;   // the first of these; the others are not sorted yet
  size_t capacity; // slots allocated
  size_t next_id;  // of the next particle: ids of removed ones are not used again
  bool thinned;    // some were removed: the next sort lays out anew even if nothing moved
  int field_count;
  firn_field field[FIRN_FIELD_MAX];
  firn_block *block; // [block_count]
  size_t block_count, block_capacity;
  firn_unit *unit; // [unit_count]
  size_t unit_count, unit_capacity;
  firn_buffer apart; // [apart_count] Morton keys, ascending, of blocks in units of their own
  size_t apart_count;
  bool regroup;             // these have changed: the next sort lays out anew even if nothing moved
  int32_t (*pending_at)[3]; // block coordinates of pending particles, [pending_capacity]
  size_t pending_capacity;
  bool periodic[3];
  int32_t period[3]; // blocks
  firn_field spare;  // [capacity] reals: the other half of a field being permuted
  firn_buffer scratch[4];
  firn_buffer rows; // [next_id / 64 + 1] of firn_id_row, made by firn_particles_number
} firn_particles;

// The particles of 64 ids in a row.
typedef struct firn_id_row {
  uint64_t alive;  // a bit each
  uint64_t before; // how many with smaller ids are
} firn_id_row;

void firn_particles_init(firn_particles *p, firn_context *context, const bool periodic[3],
                         const int period_cells[3]);
void firn_particles_free(firn_particles *p);

// Adds a field to the registry and returns its index, or -1 when memory is out.
int firn_particles_add_field(firn_particles *p, const char *name, firn_field_type type,
                             double initial);
void firn_particles_drop_last_field(firn_particles *p);
size_t firn_field_size(firn_field_type type);

static inline firn_real *firn_particles_real(const firn_particles *p, int field) {
  return (firn_real *)p->field[field].data;
}
static inline uint32_t *firn_particles_id(const firn_particles *p) {
  return (uint32_t *)p->field[FIRN_FIELD_ID].data;
}
static inline uint16_t *firn_particles_material(const firn_particles *p) {
  return (uint16_t *)p->field[FIRN_FIELD_MATERIAL].data;
}

// Counts the living in the order of ids, which firn_particles_row needs once some were removed.
firn_status firn_particles_number(firn_particles *p);

// Place of the particle at slot among all in the order of ids: the row of users' arrays.
static inline size_t firn_particles_row(const firn_particles *p, size_t slot) {
  uint32_t id = firn_particles_id(p)[slot];
  if (p->next_id == p->count) return id;
  const firn_id_row *row = (const firn_id_row *)p->rows.data + id / 64;
  uint64_t smaller = row->alive & (((uint64_t)1 << id % 64) - 1);
  return (size_t)(row->before + (uint64_t)__builtin_popcountll(smaller));
}

// Takes out the particles for which gone(user, slot, x) says so, x in metres. Blocks for which
// touched(user, center, radius) says no are passed over; NULL asks for all. Returns how many were.
typedef bool (*firn_gone_fn)(const void *user, size_t slot, const double x[3]);
typedef bool (*firn_touched_fn)(const void *user, const double center[3], double radius);
// taken(taker, slot, x) is told of each before it goes, one by one and in order; NULL: nobody is.
typedef void (*firn_taken_fn)(void *taker, size_t slot, const double x[3]);
size_t firn_particles_remove(firn_particles *p, double h, firn_touched_fn touched,
                             firn_gone_fn gone, const void *user, firn_taken_fn taken, void *taker);

// Room for this many slots in every field. Growth adds a little more than asked, so that emitters
// do not copy everything each step.
firn_status firn_particles_reserve(firn_particles *p, size_t slots);

// Fails if n more particles were too many for their ids.
firn_status firn_particles_check_count(const firn_particles *p, size_t n);

// Makes room for n more particles at once, where they will come in several portions.
firn_status firn_particles_expect(firn_particles *p, size_t n);

// Room for n more pending particles; their fields have the initial values, their ids go on from
// next_id. The first new slot is p->slots + p->pending; set positions with firn_particles_place and
// then count them in by raising p->pending, p->count and p->next_id.
firn_status firn_particles_extend(firn_particles *p, size_t n);

// Puts the particle at slot (pending) at position/h. Fails outside the addressable domain.
firn_status firn_particles_place(firn_particles *p, size_t slot, const double cell[3]);

// Puts every particle into the block its position lies in and rebuilds blocks and units. The cell
// of a particle along an axis is floor(x - shift): 0 for cubic splines, 1/2 for quadratic ones,
// whose stencil begins at that cell.
// scratch is memory of the caller's that may be overwritten, so that a sort needs little of its own.
// With stay, particles that are sorted already keep their blocks, though they may have left them a
// little: what comes and goes elsewhere then does not touch a bit of them.
firn_status firn_particles_sort(firn_particles *p, double shift, bool stay, firn_buffer *scratch);

// A block that a sort would make if nobody flew.
typedef struct firn_brick {
  uint64_t key;                      // of its coordinates
  uint32_t old;                      // the block that it was, or FIRN_BRICK_NONE
  uint32_t mover_first, mover_count; // of its particles, those that come from elsewhere
  uint32_t count, stays;             // particles: all, and those that do not fly
  uint32_t listed;                   // its first in the list, or FIRN_BRICK_NONE
} firn_brick;
#define FIRN_BRICK_NONE UINT32_MAX

// The particles of bricks of at most FIRN_LISTED_MAX, brick by brick.
enum { FIRN_LISTED_MAX = 32 };
typedef struct firn_listed {
  uint32_t slot; // before the sort
  uint32_t brick;
  int8_t shift[3]; // blocks from the one that its position is relative to now
  bool flies;      // for the chooser to say
} firn_listed;

// Who flies from now on, in order: particles that the list has, and the bricks whose corners their
// positions become relative to. as_before: exactly those who fly now, so that nothing need be moved.
typedef struct firn_flock {
  size_t count;
  const uint32_t *member, *home; // [count]
  bool as_before;
} firn_flock;

typedef struct firn_choice {
  const firn_particles *particles; // before the sort
  const firn_brick *brick;         // [bricks], in order of their keys
  size_t bricks;
  firn_listed *listed; // [listed_count]
  size_t listed_count;
  bool stay; // those in blocks stay there
} firn_choice;

// Asked by a sort, which does nothing that cannot be undone before.
typedef firn_status (*firn_choose_fn)(void *user, const firn_choice *choice, firn_flock *out);

// The same, and those whom choose names fly afterwards; NULL: nobody does.
firn_status firn_particles_sort_some(firn_particles *p, double shift, bool stay,
                                     firn_buffer *scratch, firn_choose_fn choose, void *user);

// Visits sorted and pending particles: calls visit(user, slot, corner), where corner is the
// particle's block corner in cells.
typedef void (*firn_visit_fn)(void *user, size_t slot, const double corner[3]);
void firn_particles_visit(const firn_particles *p, firn_visit_fn visit, void *user);

// The same for one of FIRN_PARTS parts, which depend on the particles alone: what is summed up within
// parts and then over them in their order is the same at any number of threads.
enum { FIRN_PARTS = 256 };
void firn_particles_visit_part(const firn_particles *p, int part, firn_visit_fn visit, void *user);
// The same for all parts at once, where nothing is summed up.
void firn_particles_visit_parallel(const firn_particles *p, firn_visit_fn visit, void *user);

#endif
