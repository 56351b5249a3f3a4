// SPDX-License-Identifier: Apache-2.0
// Measures of a sweep's runs at the same times, compared with a reference.
#ifndef FIRN_CLI_SWEEP_MEASURE_H
#define FIRN_CLI_SWEEP_MEASURE_H

#include "sweep.h"

// A run at a time: m is NULL, and why says why, where the run could not be measured.
typedef struct sweep_moment {
  firn_measurement *m;
  char why[320];
} sweep_moment;

// A measure that some run has.
typedef struct sweep_measure_row {
  const char *name, *of, *unit; // as of firn_measure
} sweep_measure_row;

typedef struct sweep_measures {
  const sweep *s;
  int time_count;
  double time[SWEEP_TIMES];      // s, ascending
  double window[SWEEP_TIMES][2]; // s, of forces
  double cell;                   // m, of pieces; 0: no run has any
  sweep_moment *moment;          // [runs][time_count]
  int row_count;
  sweep_measure_row *row; // [row_count]
} sweep_measures;

// nan: missing, and *why says why.
double sweep_measure_value(const sweep_measures *all, int run, int time, int row, const char **why);
// The difference from the reference run, as a share; nan: there is nothing to compare.
double sweep_measure_difference(const sweep_measures *all, int run, int time, int row);
bool sweep_measure_is_exact(const sweep_measures *all, int run, int time);

void sweep_measures_csv(const sweep_measures *all, FILE *file);
void sweep_measures_md(const sweep_measures *all, FILE *file);
// "kinetic energy", "force on wall, x".
void sweep_measure_label(const sweep_measure_row *row, char *label, size_t size);
// Into the folder of the sweep.
firn_status sweep_measures_plot(const sweep_measures *all, firn_context *context);

#endif
