// SPDX-License-Identifier: Apache-2.0
// State of the material point method (Stomakhin et al. 2013) on the CPU.
//
// What a block of particles can be, and the words for it:
//
//   in space
//     flying    in no block at all: a few particles that touch nothing (flight.h)
//     clump     two or more of these that share nodes with each other alone (clump.h)
//     thin      at most MPM_THIN_MAX particles, which give to node blocks one by one (sow.c)
//     spray     thin, soft and not quiet. It has no node blocks of its own: the nodes that it
//               needs are added up parcel by parcel (spray.c, grid/parcels.c)
//   at rest (rest.h); each takes the one before
//     settled   laid down in balance with its weight (balance.h); it need not be watched before it is
//               quiet
//     watched   slow so far: its mean position is compared with where the watch began
//     quiet     watched for mpm.sleep_time or longer, and creeping no faster than sleep_drift in that
//     calm      in balance with what acts on it
//     asleep    quiet, calm and held, among watched blocks: left out of steps. A node block is asleep
//               when all its givers are.
//     stored    asleep, and its arena holds the mass and force that it gives to nodes
//   stiff in time (implicit.c)
//     stiff     a step of this length needs the semi-implicit solve
//     soft      an explicit step of this length suits it, so the solve leaves it out. A node block is
//               soft when all its givers are soft or asleep.
//   beside colliders (contact.h)
//     near      some collider is close to its particles
//     touched   some collider is close to its nodes; told of spray, the others ask their node blocks
//
// A unit is a few blocks that share one vector loop (world/particles.h); it sleeps as a whole. A
// giver of a node block is a particle block that may reach it (grid/grid.h).
#ifndef FIRN_SOLVER_MPM_MPM_H
#define FIRN_SOLVER_MPM_MPM_H

#include <math.h>

#include "grid/grid.h"
#include "linear/krylov.h"
#include "solver/mpm/contact.h"
#include "solver/mpm/kernels.h"
#include "solver/solver.h"

enum { MPM_SHARES = 28 };
enum { MPM_SORT, MPM_SCATTER, MPM_GRID, MPM_SOLVE, MPM_GATHER, MPM_PHASES };

// What colliders are to their nodes: moving, as in a step; standing still; or so rough, too, that
// nothing slides on them.
enum { MPM_MOVES, MPM_STILL, MPM_STILL_STUCK };

// What the time step and the integrator are chosen from; part of a checkpoint, so that a resumed
// run chooses as the undisturbed one.
typedef struct mpm_memory {
  double speed2_max, sound2_max; // of the last step
  double surface2_max;           // m^2/s^2, of colliders that are about to reach the snow
  double mass_min;               // kg, of the lightest particle
  double iterations;             // implicit: running mean of what a solve took ...
  double courant;                // ... of c dt/h it was taken at ...
  double solved;                 // ... and of the share of particles it was for
  double by[2];                  // the same of solves on the grid by the mass and by the stiffness
  double plastic;                // J, that plastic returns have taken so far
  uint64_t steps;
  uint8_t must_sort;    // particles have left their reach, or are new
  uint8_t must_survey;  // the numbers above are not those of the particles
  uint8_t volumes_set;  // the first volumes have been computed
  uint8_t implicit;     // the integrator of the last step
  uint8_t spray;        // the grid was built with spray marked as such
  uint8_t disturbed;    // sleep: something quiet has moved
  uint8_t regroup;      // sleep: many are awake only because others of their units are
  uint8_t flight_steps; // flight: steps that may be made before the next look
  uint32_t rest_steps;  // sleep: steps since the last review
  uint32_t solves;      // on the grid
  uint64_t changes;     // of the world, that have been taken notice of
  double flight_until;  // s: nobody who flies meets anything before
  double flight_left; // cells that the quickest of them may still go; where more than gravity acts
  uint64_t flight_changes; // as changes
  // Share of the particles whose block's explicit limit is less than dt_max 2^(-(k-1)/2), down to
  // dt_max 2^(-k/2); the first has all that is more, the last all that is less.
  float share[MPM_SHARES];
  float hard[MPM_SHARES]; // likewise, by their own limits; of those on the grid, now and then
} mpm_memory;

// For how long nobody who flies meets anything.
typedef struct mpm_flight_plan {
  double horizon; // s
  double way;     // cells, that the quickest may go until then; where more than gravity acts
} mpm_flight_plan;

// What kernels of K see of the stiff particles, in the order of their blocks: mpm_view's names for
// it. s and stiff lie where those of all were.
typedef struct mpm_packed {
  bool is; // this step has packed them
  int vary_count;
  firn_real *x[3], *vary[FIRN_VARY_COUNT];
  uint16_t *material;
  firn_block *block;
  mpm_box *box; // those of stiff blocks are tight around their stiff particles, but for thin ones
  firn_unit *unit;
} mpm_packed;

typedef struct mpm {
  firn_world *world;
  firn_mpm_def def;
  mpm_stencil stencil;
  const mpm_kernels *kernels;
  firn_grid grid;
  int field_b, field_ln_jp, field_c; // first of each in the registry; field_c -1 without APIC
  size_t block_capacity;             // of box and reach
  mpm_box *box, *next_box;           // of this step and the next
  firn_reach *reach;
  firn_buffer arena, arena_runs; // and where runs of blocks begin in it
  firn_buffer node_v, node_u, node_range, sown;
  firn_buffer thin;          // blocks that may be thin, by tiles ...
  firn_buffer tiles;         // ... mpm_tile, by colours ...
  size_t tile_start[9];      // ... where each begins
  size_t thin_count;         // blocks that may be thin, and ...
  size_t thin_stiff;         // ... those that are, and are solved for
  firn_buffer stiff;         // implicit: s and stiff of mpm_view, [8][slots]
  firn_buffer krylov;        // implicit: residual and workspace
  firn_buffer diagonal;      // implicit: inverse 3x3 blocks, [node blocks][64][6], or [node reals]
  firn_buffer constraint;    // implicit: [near node blocks][64][4]: kind and direction
  firn_buffer held;          // implicit: uint64_t [near node blocks], bits of nodes that are held
  firn_buffer constraint_of; // [node blocks] index into constraint, or FIRN_GRID_NONE
  firn_buffer parcels;       // mpm_parcel_nodes, one a thread
  firn_buffer tallies;       // [units]
  firn_buffer sound2;        // [blocks], see mpm_view
  firn_buffer node_sums;     // implicit: see mpm_view
  firn_buffer clump_desks;   // one a thread, see clump.c
  firn_buffer clump_sums;    // mpm_clump_sums, of parts of the clumps
  firn_buffer softened;      // mu and lambda by temperature, [2][slots]; where materials have such
  firn_buffer node_soft;   // implicit: [node blocks] bytes, those that the solve leaves as they are
  firn_buffer solved;      // implicit: uint32_t [solved_count], the others, in order ...
  firn_buffer stiff_units; // ... and [stiff_count]: units that take part
  mpm_packed packed;       // ... and what lies where of their stiff particles:
  firn_buffer packed_reals, packed_material, packed_blocks, packed_boxes, packed_units;
  size_t solved_count, stiff_count;
  bool by_stiffness;            // the solve of this step has the stiffness as preconditioner
  bool warned;                  // of explicit steps that are too long
  bool partial;                 // some units are soft ...
  bool none_stiff;              // ... or all that are awake
  firn_buffer rest, rest_spare; // sleep: mpm_rest, [rest_count]
  size_t rest_count;
  bool weighs;         // sleep: the step shows which blocks are calm ...
  firn_buffer weighed; // ... from their mean velocity before it, double [blocks][3]
  firn_buffer bodies, body_rest, body_scratch; // sleep: which snow hangs together, see support.h
  firn_buffer node_asleep; // sleep: [node blocks] bytes, those that nothing awake touches
  size_t asleep;           // particles
  bool sleep_applied;      // box and node_asleep are those of rest
  size_t stored_reals;     // of the arena, at its beginning, that blocks asleep hold ...
  int stored_channels;     // ... laid out for this many channels
  size_t lone;             // flight: particles that are alone, the first of those who fly ...
  firn_buffer pieces;      // ... and mpm_piece [piece_count]: the others
  size_t piece_count;
  firn_buffer next_pieces, flight_candidates, flight_marks, flight_of; // for sorts ...
  firn_buffer flight_table, flight_members;                            // ... likewise
  size_t next_piece_count;
  mpm_flight_plan flight_plan; // of the last sort
  double flight_sound2;        // m^2/s^2, of the stiffest that it brings down
  bool flight_kept;            // it leaves those who fly as they are
  bool flight_lacks;           // it keeps some on the grid for a step, where they get their volumes
  mpm_contacts contacts;
  uint8_t still;    // MPM_STILL...: how colliders are seen, while a balance is being sought
  uint32_t *let_go; // [near node blocks][64], then: what a node did with its colliders (contact.c)
  bool told_loose;  // that settled snow is held by nothing
  bool told_gap;    // of snow between surfaces too few cells apart
  bool unlaid;      // sorted, but memory ran out before blocks had their boxes and reach
  bool laid_out; // grid and node arrays are those of the blocks; not so after a load or a failure
  mpm_view view;
  mpm_memory memory;
  struct {
    int redone;     // times it was halved and redone
    int indefinite; // directions of negative curvature met by the solve
    bool sorted;    // particles were re-sorted
    int laid;       // iterations of the search for balance before it, if settled snow was laid down
  } last;           // step
  uint64_t sorts;
  double seconds[MPM_PHASES]; // of wall time; law and weights belong to scatter
} mpm;

// How a node is held during the solve; the vector is a unit normal or tangent.
enum { MPM_FREE, MPM_NO_NORMAL, MPM_ONLY_TANGENT, MPM_HELD };

// layout.c: sorts if need be, rebuilds the grid, sizes everything that depends on it.
firn_status mpm_layout(mpm *m, bool *sorted);
// Builds the grid again, with or without spray; reach[b].spray says which blocks may be.
firn_status mpm_rebuild_grid(mpm *m, bool spray);
// spray.c: whether there may be spray, which blocks may be, and a grid without those that a
// semi-implicit step of dt would have to solve for.
bool mpm_may_have_spray(const mpm *m);
void mpm_find_spray(mpm *m);
firn_status mpm_ground_spray(mpm *m, double dt);
// Memory for it, and what gather needs of the nodes around it once those of all others are final.
firn_status mpm_reserve_parcels(mpm *m);
void mpm_reap(mpm *m);
firn_status mpm_layout_blocks(mpm *m); // the part that a loaded checkpoint needs too
// Makes the next boxes those of this step.
void mpm_swap_boxes(mpm *m);
// What a block of `count` particles may reach until the next sort, if their stencils will not cover
// more than the nodes lo to hi. Where it has many, the nodes are not asked for.
firn_reach mpm_reach_around(const mpm_stencil *s, const int lo[3], const int hi[3], uint32_t count);
bool mpm_reach_is_good(const mpm *m, const firn_reach *reach); // one from a file
// Points the view at the particles and nodes.
void mpm_point_view(mpm *m);
// arenas.c: gives each block's arena its place.
firn_status mpm_place_arenas(mpm *m, int channels);

// sow.c: finds the tiles of blocks that may be thin.
firn_status mpm_find_tiles(mpm *m);
// Whether there may be any, and whether block b may be one.
bool mpm_knows_grains(const mpm *m);
bool mpm_may_be_thin(const mpm *m, size_t b);
// Counts those that take part in a solve, once it is known who does.
void mpm_count_stiff_thin(mpm *m);
// Sows the grains of thin blocks, before nodes are made; stiff: of those that take part in a solve.
void mpm_sow(mpm *m, bool stiff);
void mpm_sow_product(mpm *m);   // the same, of a product of the solve ...
void mpm_sow_stiffness(mpm *m); // ... and of its preconditioner

// volume.c: V0 of particles that have none.
firn_status mpm_set_volumes(mpm *m);
// Whether there may be such particles.
bool mpm_lacks_volumes(const mpm *m);
// The volumes of all particles, [count] by id: those that the next step would give to particles
// that have none, were it made now.
firn_status mpm_volumes(void *solver, double *out);

// density.c: kg/m^3 at the particle of a slot in block b, from the masses on the grid.
firn_real mpm_grid_density(const mpm *m, size_t b, size_t slot);
// The same of one that has its nodes to itself, so that their masses are m w.
firn_real mpm_lone_density(const mpm *m, size_t slot);
firn_real mpm_elastic_volume(const mpm *m, size_t slot); // det F_E
void mpm_harden(mpm *m); // J_P of all that are awake, by the density that the grid has now

// timestep.c
void mpm_survey(mpm *m);                      // fills memory from the particles
double mpm_sound2(const mpm *m, size_t slot); // m^2/s^2, of compression waves in a particle's snow
typedef struct mpm_choice {
  double dt;
  bool implicit;
  const char *bound; // what kept it from being longer
} mpm_choice;
// s, what dt_max means for cells of h.
double mpm_longest_step(const firn_mpm_def *def, double h);
mpm_choice mpm_choose(const mpm *m, double limit);
void mpm_remember_solve(mpm *m, double dt, int iterations);
void mpm_remember_stiffness(mpm *m); // after a scatter
// The place of this sound speed, m^2/s^2, in memory.share, and how many clumps' particles are
// where.
int mpm_stiffness_class(const mpm *m, double sound2);
void mpm_add_stiffness(mpm *m, const double count[MPM_SHARES]);

// gap.c: warns once of snow that is pressed between surfaces too few cells apart for contact at
// nodes.
void mpm_tell_gaps(mpm *m);

// stiff.c
firn_status mpm_prepare_stiff(mpm *m);            // memory, before the scatter
double mpm_stiff_sound2(const mpm *m, double dt); // m^2/s^2, from which on a step has to solve
void mpm_choose_stiff(mpm *m);                    // after the scatter: who takes part in the solve
void mpm_list_stiff(mpm *m);                      // all whom node_soft and boxes name
mpm_view mpm_stiff_view(const mpm *m);            // of them alone, for kernels of K

// implicit.c
firn_status mpm_prepare_solve(mpm *m); // before scatter
firn_status mpm_solve(mpm *m, firn_step *out);
// implicit.c: what contact leaves free of a vector of the solve.
void mpm_project(const mpm *m, firn_real *y);
// For a balance (balance.c): the impulse P (M v* - less) that contact leaves free, from v* in
// node_v, and the solution of (M + dt^2 K) v = P M v*, whose residual is reduced to `tolerance` of
// what it is for v = 0. less, which may be NULL, and impulse are [node reals]; what contact takes
// of it is left out.
void mpm_free_impulse(mpm *m, const firn_real *less, firn_real *impulse);
firn_status mpm_solve_rest(mpm *m, const firn_real *impulse, double tolerance, int most,
                           firn_linear_result *result);
int mpm_channels(const mpm *m, bool implicit); // of an arena
// What a solve measures itself by.
typedef struct mpm_datum {
  double mean[3]; // m/s, velocity of the centre of mass
  double square;  // squared norm that the tolerance is relative to: M v* in the inverse mass
} mpm_datum;
mpm_datum mpm_datum_of(const mpm *m, const double sum[5]); // momentum, mass, twice the energy

static inline mpm_tally mpm_empty_tally(void) {
  return (mpm_tally){.det_min = INFINITY};
}

static inline void mpm_merge_tally(mpm_tally *total, const mpm_tally *part) {
  total->speed2_max = fmax(total->speed2_max, part->speed2_max);
  total->sound2_max = fmax(total->sound2_max, part->sound2_max);
  total->det_min = mpm_smaller(total->det_min, part->det_min);
  total->spent += part->spent;
  total->nonfinite = total->nonfinite || part->nonfinite;
  total->left = total->left || part->left;
}

// step.c: runs a kernel over all units or node blocks, in parallel.
typedef void (*mpm_unit_fn)(const mpm_view *view, size_t u, mpm_tally *tally);
void mpm_for_units(mpm *m, mpm_unit_fn kernel, mpm_tally *total);
void mpm_for_nodes(mpm *m, void (*kernel)(const mpm_view *view, size_t g));
firn_status mpm_step(void *solver, double limit, firn_step *out);

// How far nodal velocities may differ in a step of dt that turns nothing inside out, m/s.
double mpm_safe_spread(const mpm *m, double dt);
// For a step of dt: the share of FLIP, and what APIC's particles lose of the traceless rate of
// strain.
double mpm_flip_share(const mpm *m, double dt);
double mpm_lost_strain_rate(const mpm *m, double dt);

// settings.c
extern const firn_schema_record firn_mpm_settings;
void mpm_conflicts(const void *settings, firn_conflict_fn tell, void *user);

// fields.c
extern const firn_field_info mpm_fields[];
extern const firn_stat_info mpm_stats[];
firn_status mpm_look(void *solver, const firn_solver_look *look);
firn_status mpm_write(void *solver, int field, const double *in);
void mpm_settle(void *solver, size_t slot, const double up[3], double load);
double mpm_energy(void *solver, size_t slot); // J, elastic

// start.c
void mpm_set_affine(void *solver, size_t slot, const double gradient[9]);
bool mpm_get_affine(void *solver, size_t slot, double gradient[9]);
double mpm_start_strain(void *solver, size_t slot, const double strain[6]);
double mpm_start_stress(void *solver, size_t slot, const double stress[6]);

#endif
