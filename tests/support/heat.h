// SPDX-License-Identifier: Apache-2.0
#ifndef FIRN_TESTS_SUPPORT_HEAT_H
#define FIRN_TESTS_SUPPORT_HEAT_H

#include <firn/firn.h>

// Stiffness by temperature after Gissler et al. 2020: 600 kPa at -100 degC, 20 kPa at 0 degC.
static inline firn_heat_def heat_of_the_paper(void) {
  firn_heat_def heat = firn_default_heat_def();
  heat.points = 2;
  heat.temperature[0] = 173.15;
  heat.temperature[1] = 273.15;
  heat.young[0] = 600e3;
  heat.young[1] = 20e3;
  return heat;
}

#endif
