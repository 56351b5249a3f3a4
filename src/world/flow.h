// SPDX-License-Identifier: Apache-2.0
// Where snow comes from while a simulation runs, and where it goes.
#ifndef FIRN_WORLD_FLOW_H
#define FIRN_WORLD_FLOW_H

#include "world/fill.h"

// What changes; part of a checkpoint.
typedef struct firn_emitter_state {
  double due;       // particles that should have come
  double drift[3];  // m, of an inflow's pattern ...
  double before[3]; // m, ... when it was last seeded
  double time;      // s, up to which the above are told
  double emitted;   // s, when particles last came
  uint64_t count;   // particles that came
  uint64_t started;
} firn_emitter_state;

typedef struct firn_emitter {
  firn_fill fill;
  firn_emit kind;
  double rate; // particles, m^3, kg or kg/m^2 a second
  double area; // m^2 of snowfall: volume over height
  double spread;
  double start, stop; // s
  uint64_t max_count;
  uint32_t number;
  firn_emitter_state state;
  uint64_t throws; // of snowfall, so far; part of a checkpoint
} firn_emitter;

typedef struct firn_sink {
  firn_shape *shape; // held
  double start, stop;
} firn_sink;

typedef struct firn_impulse {
  double time;                 // s
  double velocity[3], spin[3]; // m/s, rad/s ...
  double pivot[3];             // ... about this point, m
  firn_shape *shape;           // held; NULL: everywhere
  bool given;                  // it has been
} firn_impulse;

// Where a fill lies, and the number of its pattern. Fills that overlap have different numbers, so that
// no two particles coincide; others have the same, so that what else is filled does not matter.
typedef struct firn_filled {
  double lo[3], hi[3]; // m
  uint32_t number;
  bool lattice; // the pattern is a lattice, of ...
  double per_cell, within[3];
} firn_filled;

typedef struct firn_flow {
  firn_fill *fill; // [fill_count]: those that come later, or are seen through a window
  int fill_count, fill_capacity;
  firn_emitter *emitter; // [emitter_count]
  int emitter_count;
  firn_sink *sink; // [sink_count]
  int sink_count;
  firn_impulse *impulse; // [impulse_count]
  int impulse_count;
  bool killing;
  double kill_min[3], kill_max[3]; // m
  bool windowed;
  firn_window_def window;
  firn_filled *filled; // [filled_count]: all fills, for the numbers of their patterns
  int filled_count, filled_capacity;
  bool expecting; // a checkpoint will be loaded: nothing is placed
} firn_flow;

// The smallest number that no fill has which overlaps these bounds.
uint32_t firn_flow_number(const firn_flow *s, const double lo[3], const double hi[3]);
// Lays a lattice on that of the first fill that touches these bounds and has as many particles a cell.
// False: there is none.
bool firn_flow_lattice(const firn_flow *s, const double lo[3], const double hi[3],
                       firn_seeder *seeder);
// Adds a fill that a checkpoint lists, unless it is known already.
firn_status firn_flow_note_filled(firn_flow *s, firn_context *context, const firn_filled *filled);
void firn_flow_free(firn_flow *s, firn_context *context);

struct firn_world;

// One of the caller's as one of ours.
firn_status firn_emitter_def_take(firn_context *context, const firn_emitter_def *given,
                                  firn_emitter_def *own);
firn_status firn_world_add_emitter(struct firn_world *world, const firn_emitter_def *def, int *id);
firn_status firn_world_add_sink(struct firn_world *world, const firn_sink_def *def, int *id);
firn_status firn_world_add_impulse(struct firn_world *world, const firn_impulse_def *def, int *id);
firn_status firn_world_set_kill_box(struct firn_world *world, const double min[3],
                                    const double max[3]);
firn_status firn_world_set_window(struct firn_world *world, const firn_window_def *def);

// window.c: the blocks that the window touches now.
firn_status firn_window_box(const struct firn_world *world, firn_block_box *out);
// Makes fills where the window has come to, and takes away what it has left.
firn_status firn_window_update(struct firn_world *world);
// Makes a fill whose time has come, as much of it as the window shows.
firn_status firn_window_make(struct firn_world *world, firn_fill *fill);

// impulse.c: gives it if its time has come.
void firn_impulse_update(struct firn_world *world, firn_impulse *impulse);

// emitter.c: what an emitter owes up to now.
firn_status firn_emitter_update(struct firn_world *world, firn_emitter *emitter);
// Throw n: a place in the shape, m, and a random velocity, m/s. False if it never hit the shape.
bool firn_emitter_throw(const struct firn_world *world, const firn_emitter *emitter, uint64_t n,
                        double x[3], double v[3]);

// snowfall.c: m, the size of a flake and its least distance from other snow; flakes a second; and what
// is due of them, no more often than this many seconds.
double firn_snowfall_flake(const struct firn_world *world, const firn_emitter *emitter);
double firn_snowfall_particles(const struct firn_world *world, const firn_emitter *emitter);
firn_status firn_snowfall_emit(struct firn_world *world, firn_emitter *emitter, double lot_seconds);

#endif
