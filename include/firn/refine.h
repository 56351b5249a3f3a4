// SPDX-License-Identifier: Apache-2.0
// Fine-scale particles: powder and spray, carried by snow that was simulated coarser.
#ifndef FIRN_REFINE_H
#define FIRN_REFINE_H

#include <firn/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

// How a fine particle moves where snow is thin (Takahashi et al. 2014, section 3.3).
typedef enum firn_refine_mode {
  FIRN_REFINE_BALLISTIC, // v = a u + (1 - a) (v + g t): alone it falls as a stone does
  FIRN_REFINE_PRINTED    // v = a u + (1 - a) (u + g t): without memory, alone it stays at g t
} firn_refine_mode;

// ------------------------------------------------------------------------------------------- by steps

// Fine particles among particles that carry them: for programs with a simulation of their own.
typedef struct firn_fine firn_fine;
typedef struct firn_fine_def {
  size_t size; // of this struct: firn_default_fine_def() knows
  double cell; // m, size of a cell of the carrying snow, which holds 8 of its particles when packed
  firn_refine_mode mode;
  double density; // of packed snow: from there on a = 1, and fine particles go with the snow
} firn_fine_def;
// cell is to be given
FIRN_API void firn_fine_def_init(firn_fine_def *def, size_t size);
static inline firn_fine_def firn_default_fine_def(void) {
  firn_fine_def def;
  firn_fine_def_init(&def, sizeof def);
  return def;
}
FIRN_API firn_status firn_fine_create(firn_context *context, const firn_fine_def *def,
                                      firn_fine **out);
FIRN_API void firn_fine_destroy(firn_fine *fine); // NULL is allowed

// Takes the place of all that there were; m and m/s, [count][3].
FIRN_API firn_status firn_fine_set(firn_fine *fine, size_t count, const double *position,
                                   const double *velocity);
FIRN_API size_t firn_fine_count(const firn_fine *fine);
// In the order in which they were set. Either may be NULL.
FIRN_API firn_status firn_fine_read(const firn_fine *fine, double *position, double *velocity);
FIRN_API double firn_fine_speed(const firn_fine *fine); // m/s, of the fastest

typedef struct firn_fine_step_def {
  size_t size;       // of this struct: firn_default_fine_step_def() knows
  double dt;         // s
  double gravity[3]; // m/s2
  size_t count;      // particles of the snow that carries, in the middle of the step
  const double *position, *velocity; // m and m/s, [count][3]
  const firn_sim *sim; // its colliders, where they are now, are not entered; NULL: there are none
} firn_fine_step_def;
FIRN_API void firn_fine_step_def_init(firn_fine_step_def *def, size_t size);
static inline firn_fine_step_def firn_default_fine_step_def(void) {
  firn_fine_step_def def;
  firn_fine_step_def_init(&def, sizeof def);
  return def;
}
// FIRN_ERROR_ARGUMENT, and nothing has moved, where something would cross more than a cell.
FIRN_API firn_status firn_fine_step(firn_fine *fine, const firn_fine_step_def *def);

// -------------------------------------------------------------------------------------- of a run

// Fine particles of frames that any solver has written: see docs/refine.md.
typedef struct firn_refine_event {
  int frame;
  int done, total;  // frames, those of before a resume among them
  const char *path; // of the frame
  size_t particles; // fine ones in it
  uint64_t bytes;   // of all files written so far
  uint64_t updates; // particles times steps so far ...
  double moving;    // ... and s spent on these
  double wall;      // s
} firn_refine_event;
typedef bool (*firn_refine_fn)(void *user, const firn_refine_event *event); // false: stop

typedef struct firn_refine_def {
  size_t size;                 // of this struct: firn_default_refine_def() knows
  const char *source;          // folder of a run
  const char *folder;          // to write into; NULL: fine, in source
  int first_frame, last_frame; // both ends included; last < 0: the last there is
  firn_refine_mode mode;
  int per_particle;      // fine particles of each particle
  double density;        // of packed snow, from which on they go with it
  double size_variation; // standard deviation of the logarithm of sizes
  double dt_max;         // s, the longest step; none crosses more than a cell
  uint64_t seed;
  int precision; // bits a number of frames, 32 or 16
  // What if the folder holds frames? By default it is refused with FIRN_ERROR_STATE.
  bool resume;    // go on after the last one
  bool overwrite; // take them away first; not both
  firn_refine_fn event;
  void *event_user;
} firn_refine_def;
FIRN_API void firn_refine_def_init(firn_refine_def *def, size_t size);
static inline firn_refine_def firn_default_refine_def(void) {
  firn_refine_def def;
  firn_refine_def_init(&def, sizeof def);
  return def;
}
// As the section `refine` of a scene says, and `output` for the precision.
FIRN_API void firn_scene_refine_def_sized(const firn_scene *scene, firn_refine_def *out,
                                          size_t size);
static inline firn_refine_def firn_scene_refine_def(const firn_scene *scene) {
  firn_refine_def out;
  firn_scene_refine_def_sized(scene, &out, sizeof out);
  return out;
}

// A frame of fine particles for each frame of the run: id, position, velocity, mass and radius. Their
// masses add up to that of the particle that they come from. scene gives colliders and gravity; NULL: no
// colliders, and 9.81 m/s2 downwards. FIRN_CANCELLED, and all frames so far are there, when event says stop.
FIRN_API firn_status firn_refine(firn_context *context, const firn_scene *scene,
                                 const firn_refine_def *def);

#ifdef __cplusplus
}
#endif

#endif
