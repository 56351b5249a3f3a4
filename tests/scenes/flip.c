// SPDX-License-Identifier: Apache-2.0
// labels: F7 F11 slow
// timeout: 120
// long in double
// The claims of Takahashi et al. 2014 with few particles; flip_full.c has all of them.
#include "scenes/flip_claims.h"

int main(void) {
  return test_claims("quality=0.4");
}
