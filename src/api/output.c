// SPDX-License-Identifier: Apache-2.0
// What frames hold: defaults and checks of firn_output_def.
#include "api/files.h"

firn_output_def firn_default_output_def(void) {
  return (firn_output_def){.precision = 32, .every = 1, .checkpoints = 1};
}
