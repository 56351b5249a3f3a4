// SPDX-License-Identifier: Apache-2.0
#include "solver/mpm/kernels.h"
const mpm_kernels *firn_mpm_kernels_avx2(const mpm_stencil *s, bool apic) { (void)s; (void)apic; return NULL; }
