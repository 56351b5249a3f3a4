// SPDX-License-Identifier: Apache-2.0
// stats.csv: a header line, then a row a frame, frame 0 first. Numbers are "%.9g" with a point,
// whatever the locale; a cell is empty where its column does not apply. <firn/folder.h> reads it.
#ifndef FIRN_CACHE_STATS_H
#define FIRN_CACHE_STATS_H

#include "cache/rows.h"

// The columns, in order. Outside tools rely on the names.
#define FIRN_STATS_LIST(X)                                                                         \
  X(frame)                                                                                         \
  X(time)            /* s */                                                                       \
  X(steps)           /* of this frame */                                                           \
  X(dt_min)          /* s, of this frame's steps */                                                \
  X(dt_mean)         /* s */                                                                       \
  X(iterations_mean) /* of the linear solve, over this frame's implicit steps */                   \
  X(iterations_max)                                                                                \
  X(particles)                                                                                     \
  X(asleep) /* particles at rest that steps leave out, mean over this frame's steps */             \
  X(mass)   /* kg */                                                                               \
  X(com_x)                                                                                         \
  X(com_y)                                                                                         \
  X(com_z) /* m, center of mass */                                                                 \
  X(momentum_x)                                                                                    \
  X(momentum_y)                                                                                    \
  X(momentum_z) /* kg m/s */                                                                       \
  X(angular_x)                                                                                     \
  X(angular_y)                                                                                     \
  X(angular_z)      /* kg m^2/s about the origin, affine part included */                          \
  X(energy_kinetic) /* J */                                                                        \
  X(energy_elastic)                                                                                \
  X(energy_gravity) /* J, zero at height 0 */                                                      \
  X(energy_plastic) /* J that plastic returns have taken so far */                                 \
  X(energy_lost)    /* J that are gone, plastic ones included */                                   \
  X(speed_max)      /* m/s */                                                                      \
  X(jp_min)                                                                                        \
  X(jp_mean)                                                                                       \
  X(density_max) /* kg/m^3 */                                                                      \
  X(neighbours_mean)                                                                               \
  X(temperature_min) /* K */                                                                       \
  X(temperature_mean)                                                                              \
  X(temperature_max)                                                                               \
  X(bytes) /* of the frame's file */                                                               \
  X(bounds_min_x)                                                                                  \
  X(bounds_min_y)                                                                                  \
  X(bounds_min_z) /* m */                                                                          \
  X(bounds_max_x)                                                                                  \
  X(bounds_max_y)                                                                                  \
  X(bounds_max_z)                                                                                  \
  X(wall_seconds) /* spent on this frame */

#define FIRN_STATS_ENUM(name) FIRN_STATS_##name,
enum { FIRN_STATS_LIST(FIRN_STATS_ENUM) FIRN_STATS_COLUMNS };
#undef FIRN_STATS_ENUM

// nan stands for an empty cell.
enum { FIRN_STATS_MORE = 16 }; // columns of a solver's own, at most, behind the others
typedef struct firn_stats_row {
  double value[FIRN_STATS_COLUMNS];
  int more;
  double own[FIRN_STATS_MORE]; // [more]
} firn_stats_row;

const char *firn_stats_column(int i);      // name of the i-th column
firn_stats_row firn_stats_empty_row(void); // all nan

// A new file with the header alone; an old one is replaced. more: "a|b", names of further columns;
// NULL: none.
firn_status firn_stats_create(firn_context *context, const char *path, const char *more);
// Adds a row and makes it durable. Half a row that a killed process left is cut off first.
firn_status firn_stats_append(firn_context *context, const char *path, const firn_stats_row *row);
// Reads it back; see firn_rows_open.
firn_status firn_stats_open(firn_context *context, const char *path, const char *more,
                            firn_rows *out);

#endif
