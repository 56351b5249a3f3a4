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
  double cell; // m, size of a cell of the carrying snow, which holds 8 of its particles when packed
  firn_refine_mode mode;
  double density; // of packed snow: from there on a = 1, and fine particles go with the snow
} firn_fine_def;
FIRN_API firn_fine_def firn_default_fine_def(void); // cell is to be given
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
  double dt;         // s
  double gravity[3]; // m/s2
  size_t count;      // particles of the snow that carries, in the middle of the step
  const double *position, *velocity; // m and m/s, [count][3]
  const firn_sim *sim; // its colliders, where they are now, are not entered; NULL: there are none
} firn_fine_step_def;
// FIRN_ERROR_ARGUMENT, and nothing has moved, where something would cross more than a cell.
FIRN_API firn_status firn_fine_step(firn_fine *fine, const firn_fine_step_def *def);

#ifdef __cplusplus
}
#endif

#endif
