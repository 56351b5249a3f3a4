// SPDX-License-Identifier: Apache-2.0
// Measures: a few integral numbers of a run at a time, by which runs of different resolution
// compare.
#ifndef FIRN_MEASURE_H
#define FIRN_MEASURE_H

#include <firn/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_measure_def {
  size_t size;        // of this struct: firn_default_measure_def() knows
  const char *folder; // of a run
  double time;        // s; the frame nearest to it is measured
  double tolerance;   // s, how far from `time` that frame may be; 0: half the time between frames
  double force_from;  // s, forces are means from here ...
  double force_to;    // ... to here; both 0: over the frame that ends where the run is measured
  double cell;        // m, of pieces; 0: the grid spacing of the run
  double density;     // kg/m^3: a cell of pieces with less is empty; 0: one particle fills a cell
  double piece;       // a piece has this share of all mass, or more; smaller ones are not counted
  double inside;      // share of the mass that the extent along an axis holds
} firn_measure_def;
FIRN_API void firn_measure_def_init(firn_measure_def *def, size_t size);
static inline firn_measure_def firn_default_measure_def(void) {
  firn_measure_def def;
  firn_measure_def_init(&def, sizeof def);
  return def;
}

// Sets cell and density of def so that pieces are the same thing in all these runs. The cell is the
// grid spacing of the coarsest run. A cell is filled by half the mass of a particle of the coarsest
// run: the largest among the runs of the mass of a run's lightest particle. With a cell or a
// particle of its own, each run would find other pieces in the same snow. Both come from the first
// frame of each run that has particles and their mass. A folder that is NULL or has no such frame
// is left out; where no folder has one, def stays as it is.
FIRN_API firn_status firn_measure_alike(firn_context *context, int count, const char *const *folder,
                                        firn_measure_def *def);

typedef struct firn_measure {
  const char *name; // "energy_kinetic"; docs/cli.md lists all
  const char *of;   // the name of a collider; "": of all snow
  const char *unit; // "J"; "1": none
  double value;     // nan: missing, and reason says why
  double scale; // > 0: differences of this measure are shares of it; 0 or nan: nothing to compare
                // with. |value| itself, or of components the length of the vector, or of places
                // the size of the snow: those may be 0 by symmetry, or depend on the origin
  const char *reason; // "" where there is a value
  double reserved[2]; // 0: for what later versions may add
} firn_measure;

typedef struct firn_measurement firn_measurement;

// Measures a run, which may still be going on. Fails with FIRN_ERROR_STATE where the run has no
// frame within the tolerance, and the message says how far it has got. A frame that was not
// written, or cannot be read, fails nothing: the measures that need it are missing.
FIRN_API firn_status firn_measure_run(firn_context *context, const firn_measure_def *def,
                                      firn_measurement **out);
FIRN_API void firn_measurement_destroy(firn_measurement *m); // NULL is allowed
FIRN_API int firn_measurement_frame(const firn_measurement *m);
FIRN_API double firn_measurement_time(const firn_measurement *m); // s, of that frame
// [count], of the snow first; lives as long as the measurement.
FIRN_API const firn_measure *firn_measurement_list(const firn_measurement *m, int *count);

#ifdef __cplusplus
}
#endif

#endif
