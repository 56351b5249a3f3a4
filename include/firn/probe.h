// SPDX-License-Identifier: Apache-2.0
// Probes: averages over the snow in some place.
#ifndef FIRN_PROBE_H
#define FIRN_PROBE_H

#include <firn/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum firn_probe_kind {
  FIRN_PROBE_POINT, // within radius of center
  FIRN_PROBE_PLANE, // within radius of the plane through center, across normal
  FIRN_PROBE_BOX    // within half of center, along each axis
} firn_probe_kind;

typedef struct firn_probe_def {
  const char *name; // for the table; not copied
  firn_probe_kind kind;
  double center[3]; // m
  double radius;    // m
  double normal[3]; // plane: any length but zero
  double half[3];   // m, box: half its edges
  double room[4];   // 0: for what later versions may add
} firn_probe_def;

FIRN_API firn_probe_def firn_default_probe_def(void);

// Averages are by mass; all 0 where there is no particle.
typedef struct firn_probe {
  uint64_t count;
  double mass;        // kg, of all
  double center[3];   // m
  double velocity[3]; // m/s
} firn_probe;

// Reads count probes at once: out is [count]. Sums go in the order of ids, in double.
FIRN_API firn_status firn_sim_probe(firn_sim *sim, const firn_probe_def *def, int count,
                                    firn_probe *out);
// The average of any field of the simulation, "density", "jp", "stress", ...: out is
// [count][components].
FIRN_API firn_status firn_sim_probe_field(firn_sim *sim, const firn_probe_def *def, int count,
                                          const char *field, double *out);

#ifdef __cplusplus
}
#endif

#endif
