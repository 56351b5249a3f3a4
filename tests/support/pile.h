// SPDX-License-Identifier: Apache-2.0
// A pile of snow of 20 kPa and 400 kg/m^3, laid down flake by flake on a floor, in a column that is
// periodic to the sides; and what the law of confined compression says about it.
#ifndef FIRN_TESTS_SUPPORT_PILE_H
#define FIRN_TESTS_SUPPORT_PILE_H

#include "support/sph_case.h"

typedef struct pile_plan {
  double spacing; // m
  double depth;   // m, by the law
  double fall;    // m, from which flakes come down; 0: they are put where they touch
  double pause;   // s, from one shower to the next
  double dt;      // s, of the longest step
} pile_plan;

typedef struct pile {
  double mass;                    // kg/m^2
  double speed;                   // m/s, the highest that any flake had
  double depth, depth_by_law;     // m, below which 95 % of the snow is
  double density, density_by_law; // kg/m^3, mean of the 80 % in the middle
  double tenth[10], law[10];      // density of each tenth of the mass, from below
} pile;

pile_plan pile_default_plan(void);
pile pile_build(const pile_plan *plan);

#endif
