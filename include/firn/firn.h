// SPDX-License-Identifier: Apache-2.0
//
// firn: a snow simulator.
//
// The whole public interface, in the order in which a program uses it:
//
//   1  context      memory, threads, messages
//   2  materials    what the snow is made of
//   3  shapes       where snow is, and what it meets
//   4  simulation   create, fill, collide
//   5  stepping     advance time
//   6  reading      positions, velocities, sums
//   7  files        frames, checkpoints, scenes, runs, pictures
//
// Units are SI (metre, kilogram, second, pascal); Y is up; all numbers are double whatever the
// library computes in. Every def struct comes from its firn_default_*_def(): change what you need,
// leave the rest. Functions that can fail return a firn_status; the message is in the context.
// The library never prints, never exits, and keeps no global state: two contexts may run in two
// threads at once. One context must not be used from two threads at the same time.
#ifndef FIRN_FIRN_H
#define FIRN_FIRN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <firn/status.h>

#if defined(__GNUC__)
#define FIRN_API __attribute__((visibility("default")))
#else
#define FIRN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define FIRN_VERSION_MAJOR 0
#define FIRN_VERSION_MINOR 1
#define FIRN_VERSION_PATCH 0

// ---------------------------------------------------------------------------------- 1  context

typedef struct firn_context firn_context;

// Instruction sets of the fast paths. All give the same answer within rounding; the same one gives
// the same bytes at any number of threads.
typedef enum firn_isa {
  FIRN_ISA_AUTO, // the best this machine has
  FIRN_ISA_SCALAR,
  FIRN_ISA_AVX2,
  FIRN_ISA_AVX512
} firn_isa;

// resize(user, p, old, size): as realloc, with the old size told; size 0 frees and returns NULL;
// p NULL allocates. The result must be aligned to 64 bytes.
typedef void *(*firn_resize_fn)(void *user, void *p, size_t old_size, size_t size);

typedef enum firn_log_level { FIRN_LOG_ERROR, FIRN_LOG_WARNING, FIRN_LOG_INFO } firn_log_level;
typedef void (*firn_log_fn)(void *user, firn_log_level level, const char *message);

typedef struct firn_context_def {
  int threads;           // worker threads; 0: as many as the machine has cores
  firn_isa isa;          // which instruction set to use
  firn_resize_fn resize; // allocator; NULL: the C library's
  void *resize_user;
  firn_log_fn log; // receives notes and warnings; NULL: nobody does
  void *log_user;
} firn_context_def;

FIRN_API firn_context_def firn_default_context_def(void);
FIRN_API firn_status firn_context_create(const firn_context_def *def, firn_context **out);
FIRN_API void firn_context_destroy(firn_context *context);

// The message of the last call that failed on this context; never NULL.
FIRN_API const char *firn_context_message(const firn_context *context);
// Bytes held now and at most so far through this context's allocator.
FIRN_API size_t firn_context_bytes(const firn_context *context);
FIRN_API size_t firn_context_peak_bytes(const firn_context *context);
FIRN_API int firn_context_threads(const firn_context *context);
FIRN_API firn_isa firn_context_isa(const firn_context *context);

FIRN_API const char *firn_status_name(firn_status status); // "FIRN_ERROR_IO"
FIRN_API const char *firn_status_text(firn_status status); // "a file could not be ..."
FIRN_API const char *firn_isa_name(firn_isa isa);          // "avx512"
FIRN_API const char *firn_version(void);                   // "0.1.0"
FIRN_API const char *firn_precision(void);                 // "float" or "double"

// -------------------------------------------------------------------------------- 2  materials

// A constitutive law and its numbers. The default is the snow of Stomakhin et al. 2013, Table 2.
typedef struct firn_material_def {
  const char *law;  // "snow" or "elastic"
  double density;   // kg/m^3, at rest
  double young;     // Pa, Young's modulus
  double poisson;   // Poisson's ratio, -1 < nu < 1/2
  double theta_c;   // critical compression, 0 < theta_c < 1
  double theta_s;   // critical stretch, theta_s >= 0
  double hardening; // xi: stiffness grows as exp(xi (1 - J_P))
  double jp_min;    // bounds on J_P; 0 and infinity: as printed, no bound
  double jp_max;
} firn_material_def;

FIRN_API firn_material_def firn_default_material_def(void);
// Named snow: "snow" (Table 2), "powder", "packing", "wet", "icy", "mud".
FIRN_API firn_status firn_material_preset(firn_context *context, const char *name,
                                          firn_material_def *out);
// The i-th preset's name and one line on what it looks like; NULL past the last.
FIRN_API const char *firn_material_preset_name(int i);
FIRN_API const char *firn_material_preset_doc(int i);

// ----------------------------------------------------------------------------------- 3  shapes

// Signed distance to a user's surface, metres, negative inside; gradient (need not be a unit
// vector) to normal. Must change by at most 1 m per m, or thin contact may be missed. Called by
// several threads at once, and must give the same answer each time.
typedef double (*firn_sdf_fn)(void *user, const double position[3], double time, double normal[3]);

typedef enum firn_shape_kind {
  FIRN_SHAPE_HALF_SPACE, // the side that normal points away from
  FIRN_SHAPE_SPHERE,
  FIRN_SHAPE_BOX,
  FIRN_SHAPE_SDF
} firn_shape_kind;

typedef struct firn_shape_def {
  firn_shape_kind kind;
  double center[3]; // m: a point of the plane, or the middle of the sphere or box
  double normal[3]; // half space: outward normal, any length but zero
  double radius;    // m, sphere
  double half[3];   // m, box: half its edges
  firn_sdf_fn sdf;  // FIRN_SHAPE_SDF
  void *sdf_user;
} firn_shape_def;

FIRN_API firn_shape_def firn_half_space(const double point[3], const double normal[3]);
FIRN_API firn_shape_def firn_sphere(const double center[3], double radius);
FIRN_API firn_shape_def firn_box(const double center[3], const double half[3]);

// ------------------------------------------------------------------------------- 4  simulation

typedef struct firn_sim firn_sim;

typedef enum firn_basis { FIRN_BASIS_CUBIC, FIRN_BASIS_QUADRATIC } firn_basis;
typedef enum firn_transfer {
  FIRN_TRANSFER_FLIP, // PIC/FLIP blend, as printed
  FIRN_TRANSFER_APIC  // affine particle-in-cell with the moving-least-squares force
} firn_transfer;
typedef enum firn_integrator {
  FIRN_INTEGRATOR_AUTO, // whichever is cheaper by its own count, step by step
  FIRN_INTEGRATOR_EXPLICIT,
  FIRN_INTEGRATOR_IMPLICIT
} firn_integrator;
typedef enum firn_krylov {
  FIRN_KRYLOV_CR, // conjugate residuals, as printed; falls back on MINRES on breakdown
  FIRN_KRYLOV_MINRES,
  FIRN_KRYLOV_CG // needs hessian PSD
} firn_krylov;
typedef enum firn_hessian { FIRN_HESSIAN_EXACT, FIRN_HESSIAN_PSD } firn_hessian;
typedef enum firn_preconditioner {
  FIRN_PRECONDITIONER_MASS, // M^-1
  FIRN_PRECONDITIONER_BLOCK // inverse of each node's 3x3 block of M + beta dt^2 K
} firn_preconditioner;

// The material point method. Where the paper is silent or wrong a switch names both readings
// (docs/theory-mpm.md argues for each default).
typedef struct firn_mpm_def {
  firn_basis basis;
  firn_transfer transfer;
  double flip;           // alpha of the PIC/FLIP blend, 0 (PIC) to 1 (FLIP)
  bool flip_rescale;     // alpha belongs to a step of 5e-4 s; use alpha^(dt/5e-4)
  bool advect_pic;       // move particles with the PIC velocity, not the blended one
  bool volume_nominal;   // V0 = m/density, not from the grid's density at the first step
  bool contact_node;     // implicit: project whole nodes at slipping contacts, not the normal
  bool collider_begin;   // sample colliders at the beginning of the step, not at its end
  bool particle_contact; // collide particle velocities too (step 9)
  double push_out;       // push particles out that are deeper than this many cells; < 0: never
  firn_integrator integrator;
  double beta; // 1: backward Euler
  firn_krylov krylov;
  firn_hessian hessian;
  firn_preconditioner preconditioner;
  double tolerance; // relative residual of the solve
  int max_iterations;
  double dt;          // s, fixed step; 0: adaptive
  double dt_max;      // s, largest explicit or implicit step
  double dt_min;      // s, give up below
  double cfl;         // advective: cells moved in a step at most
  double elastic_cfl; // explicit: fraction of h/(c + |v|)
  double min_det;     // det(I + dt grad v) must stay above; otherwise the step is redone
} firn_mpm_def;

FIRN_API firn_mpm_def firn_default_mpm_def(void);

typedef struct firn_sim_def {
  double h;            // m, grid spacing
  double gravity[3];   // m/s^2
  bool periodic[3];    // wrap around this axis ...
  int period_cells[3]; // ... after this many cells, a multiple of 4
  uint64_t seed;       // of every random number
  const char *solver;  // "mpm"
  firn_mpm_def mpm;
} firn_sim_def;

FIRN_API firn_sim_def firn_default_sim_def(void);
FIRN_API firn_status firn_sim_create(firn_context *context, const firn_sim_def *def,
                                     firn_sim **out);
FIRN_API void firn_sim_destroy(firn_sim *sim);

FIRN_API firn_status firn_sim_add_material(firn_sim *sim, const firn_material_def *def, int *id);

typedef enum firn_seeding {
  FIRN_SEEDING_RANDOM,   // uniform in each cell, as in the paper
  FIRN_SEEDING_JITTERED, // one in each of per_cell equal parts of a cell, at random within it
  FIRN_SEEDING_LATTICE   // at the middle of each part; per_cell must be a cube: 1, 8, 27, ...
} firn_seeding;

// Fills a shape with snow.
typedef struct firn_fill_def {
  firn_shape_def shape;
  int material;
  firn_seeding seeding;
  double per_cell;    // particles a cell
  double velocity[3]; // m/s
  double spin[3];     // rad/s about the shape's center
} firn_fill_def;

FIRN_API firn_fill_def firn_default_fill_def(void);
FIRN_API firn_status firn_sim_fill(firn_sim *sim, const firn_fill_def *def);

// Adds particles one by one. Arrays are [count] or [count][3]; a NULL array takes its default.
// The last five vary the material from particle to particle.
typedef struct firn_particles_def {
  size_t count;
  const double *position; // m, [count][3], required
  const double *velocity; // m/s, [count][3], 0
  const double *mass;     // kg, [count], density h^3 / per_cell
  const double *volume;   // m^3, [count]; 0 or NULL: by the solver's volume rule
  int material;
  double per_cell;
  const double *young; // Pa, [count]
  const double *poisson;
  const double *theta_c;
  const double *theta_s;
  const double *hardening;
} firn_particles_def;

FIRN_API firn_particles_def firn_default_particles_def(void);
FIRN_API firn_status firn_sim_add_particles(firn_sim *sim, const firn_particles_def *def);

typedef struct firn_collider_def {
  const char *name; // for messages and colliders.csv; copied
  firn_shape_def shape;
  double friction;    // Coulomb's mu
  bool sticky;        // hold what touches, whatever the direction
  double velocity[3]; // m/s
  double spin[3];     // rad/s about the shape's center
} firn_collider_def;

FIRN_API firn_collider_def firn_default_collider_def(void);
FIRN_API firn_status firn_sim_add_collider(firn_sim *sim, const firn_collider_def *def, int *id);

// ---------------------------------------------------------------------------------- 5  stepping

typedef struct firn_step {
  double dt; // s
  bool implicit;
  int iterations; // of the linear solve
  int redone;     // times the step was halved and redone
  int indefinite; // directions of negative curvature met by the solve
  bool sorted;    // particles were re-sorted
} firn_step;

// One step of at most limit seconds (limit <= 0: as long as the solver likes). out may be NULL.
FIRN_API firn_status firn_sim_step(firn_sim *sim, double limit, firn_step *out);
// Return false to stop; the state stays whole.
typedef bool (*firn_progress_fn)(void *user, const firn_sim *sim, const firn_step *step);
// As many steps as it takes to move time by exactly duration.
FIRN_API firn_status firn_sim_advance(firn_sim *sim, double duration, firn_progress_fn progress,
                                      void *user);

// Seconds of wall time since creation, by phase of the solver; law and weights belong to scatter.
typedef struct firn_profile {
  double sort, scatter, grid, solve, gather, total;
  uint64_t steps, particle_steps, iterations, sorts;
} firn_profile;
FIRN_API void firn_sim_profile(const firn_sim *sim, firn_profile *out);

// ----------------------------------------------------------------------------------- 6  reading

FIRN_API double firn_sim_time(const firn_sim *sim);
FIRN_API size_t firn_sim_count(const firn_sim *sim);
FIRN_API double firn_sim_h(const firn_sim *sim);

// Fields by name: "position" [3] m, "velocity" [3] m/s, "mass" kg, "volume" m^3 (at rest),
// "id", "material", and the solver's own; under mpm "density" kg/m^3, "jp", "strain" [6] (b_E - I:
// xx yy zz xy xz yz) and "stress" [6] Pa (Cauchy), all after plastic return; "affine" [9] 1/s (APIC).
typedef struct firn_field_info {
  const char *name;
  const char *unit;
  int components;
  bool writable;
} firn_field_info;
FIRN_API int firn_sim_field_count(const firn_sim *sim);
FIRN_API firn_status firn_sim_field(const firn_sim *sim, int i, firn_field_info *out);
// out and in are [count][components], in the order in which particles were added.
FIRN_API firn_status firn_sim_read(firn_sim *sim, const char *field, double *out);
FIRN_API firn_status firn_sim_write(firn_sim *sim, const char *field, const double *in);

// Sums over all particles, accumulated in double.
typedef struct firn_sums {
  double mass;           // kg
  double center[3];      // m
  double momentum[3];    // kg m/s
  double angular[3];     // kg m^2/s about the origin, affine part included
  double energy_kinetic; // J
  double energy_elastic; // J
  double energy_gravity; // J, zero at height 0
  double speed_max;      // m/s
  double jp_min, jp_mean;
  double density_max;   // kg/m^3
  double yielded;       // fraction of particles that have ever yielded
  double bounds_min[3]; // m
  double bounds_max[3];
} firn_sums;
FIRN_API firn_status firn_sim_sums(firn_sim *sim, firn_sums *out);

// ------------------------------------------------------------------------------------- 7  files

// Frames are HDF5 in the VTKHDF layout that ParaView reads; the name should end in .hdf.
// Files appear whole or not at all.
FIRN_API firn_status firn_sim_write_frame(firn_sim *sim, const char *path);
// Everything needed to go on, bit by bit; load continues in a sim made from the same def with the
// same materials and colliders (and no particles of its own).
FIRN_API firn_status firn_sim_save(firn_sim *sim, const char *path);
FIRN_API firn_status firn_sim_load(firn_sim *sim, const char *path);

// A shaded picture of the particles. view is the direction the camera looks in.
typedef struct firn_preview_def {
  int width, height; // pixels
  double center[3];  // m, looked at; all zero with extent 0: fits the particles
  double extent;     // m, height of what is seen at center; 0: fits
  double view[3];    // direction
  double ground;     // m, height of the ground plane
  bool show_ground;
} firn_preview_def;
FIRN_API firn_preview_def firn_default_preview_def(void);
FIRN_API firn_status firn_sim_preview(firn_sim *sim, const firn_preview_def *def,
                                      const char *png_path);

// Scene files: YAML, `firn: 1` first. See docs/scenes.md.
typedef struct firn_scene firn_scene;
// A message about a scene: where, and what is wrong.
typedef struct firn_scene_error {
  int line, column; // from 1; 0 for an override, which the message names
  char message[512];
} firn_scene_error;
// name is a file, or a built-in scene. overrides are "path.to.key=value". On FIRN_ERROR_SCENE,
// *out is still a scene that only knows its errors (or NULL when memory ran out).
FIRN_API firn_status firn_scene_load(firn_context *context, const char *name, int override_count,
                                     const char *const *overrides, firn_scene **out);
FIRN_API void firn_scene_destroy(firn_scene *scene);
FIRN_API const char *firn_scene_file(const firn_scene *scene);
FIRN_API int firn_scene_error_count(const firn_scene *scene);
FIRN_API const firn_scene_error *firn_scene_error_get(const firn_scene *scene, int i);
FIRN_API int firn_scene_frames(const firn_scene *scene);
FIRN_API double firn_scene_frame_seconds(const firn_scene *scene); // s, from frame to frame
// Particles to be expected, from volumes: a quick look before a build that may need much memory.
FIRN_API double firn_scene_particles(const firn_scene *scene);
FIRN_API firn_preview_def firn_scene_preview(const firn_scene *scene);
// The scene as resolved: YAML with every key in SI. Lives as long as the scene.
FIRN_API const char *firn_scene_resolved_text(const firn_scene *scene);
FIRN_API firn_status firn_scene_build(const firn_scene *scene, firn_sim **out);
// Built-in scenes: name, one line, text; NULL past the last.
FIRN_API const char *firn_scene_builtin_name(int i);
FIRN_API const char *firn_scene_builtin_doc(int i);
FIRN_API const char *firn_scene_builtin_text(const char *name);

// Runs a scene into a folder: frames, checkpoints, stats.csv, log.jsonl.
typedef struct firn_run_event {
  int frame, last_frame;
  uint64_t steps;      // so far
  uint64_t iterations; // so far
  size_t particles;
  double time; // s, simulated
  double wall; // s, since the run began
  double particle_steps_per_second;
  double seconds_left; // estimate
  size_t bytes;
  bool frame_written;
  firn_sim *sim; // to look at: read and draw it, but do not step or change it
} firn_run_event;
typedef bool (*firn_run_fn)(void *user, const firn_run_event *event); // false: stop
typedef struct firn_run_def {
  const char *folder;
  int first_frame, last_frame; // both ends included; last < 0: the scene's
  bool resume;
  firn_run_fn event;
  void *event_user;
} firn_run_def;
FIRN_API firn_run_def firn_default_run_def(void);
FIRN_API firn_status firn_run(const firn_scene *scene, const firn_run_def *def);

#ifdef __cplusplus
}
#endif

#endif
