// SPDX-License-Identifier: Apache-2.0
// labels: F7 F11
// timeout: 1800
// long
// The claims of Takahashi et al. 2014 with as many particles as the paper has.
#include "scenes/flip_claims.h"

int main(void) {
  return test_claims("quality=1");
}
