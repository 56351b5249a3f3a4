// SPDX-License-Identifier: Apache-2.0
// What a step says when it cannot go on: which particle or node, which field, which value.
#ifndef FIRN_SOLVER_MPM_FAULT_H
#define FIRN_SOLVER_MPM_FAULT_H

#include "solver/mpm/mpm.h"

// FIRN_ERROR_NONFINITE, naming the first particle (by id) that holds a value that is not finite, or
// the first node if no particle does.
firn_status mpm_fail_nonfinite(const mpm *m);

// The same after a solve whose residual is not finite, though particles and nodes may be.
firn_status mpm_fail_solve(const mpm *m);

// FIRN_ERROR_STEP: even a step of dt, the last that was tried, would turn a particle inside out.
firn_status mpm_fail_inverted(const mpm *m, double dt, double det);

// FIRN_ERROR_STEP: particles or sound are so fast that the step would have to be dt.
firn_status mpm_fail_short(const mpm *m, double dt);

#endif
