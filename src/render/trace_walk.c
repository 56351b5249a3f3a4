// SPDX-License-Identifier: Apache-2.0
#include "render/trace_walk.h"

#include "base/isa.h"

const firn_walk_kernel *firn_walk_kernel_get(firn_isa isa) {
  if (isa == FIRN_ISA_AUTO) isa = firn_isa_best();
  if (!firn_isa_available(isa)) return &firn_walk_kernel_scalar;
  switch (isa) {
#if defined(__x86_64__)
  case FIRN_ISA_AVX512: return &firn_walk_kernel_avx512;
  case FIRN_ISA_AVX2: return &firn_walk_kernel_avx2;
#endif
  default: return &firn_walk_kernel_scalar;
  }
}

static float inverse(float d) {
  return 1 / (fabsf(d) < 1e-15f ? copysignf(1e-15f, d) : d);
}

bool firn_walk_place(const firn_walk_view *view, firn_walk *w, int i, firn_v3 at, firn_v3 along) {
  const float p[3] = {at.x, at.y, at.z}, d[3] = {along.x, along.y, along.z};
  int b[3];
  for (int a = 0; a < 3; a++) {
    float block = floorf(p[a] / FIRN_BLOCK);
    // On a side between two blocks: the one it goes into.
    if (block * FIRN_BLOCK == p[a] && d[a] < 0) block -= 1;
    if (!(block >= 0 && block < (float)view->size[a])) return false;
    b[a] = (int)block;
  }
  size_t cell = ((size_t)b[2] * (size_t)view->size[1] + (size_t)b[1]) * (size_t)view->size[0] +
                (size_t)b[0];
  int32_t slot = view->index[cell];
  w->x[i] = at.x;
  w->y[i] = at.y;
  w->z[i] = at.z;
  w->dx[i] = along.x;
  w->dy[i] = along.y;
  w->dz[i] = along.z;
  w->ix[i] = inverse(along.x);
  w->iy[i] = inverse(along.y);
  w->iz[i] = inverse(along.z);
  w->bx[i] = (float)b[0];
  w->by[i] = (float)b[1];
  w->bz[i] = (float)b[2];
  w->slot[i] = slot;
  w->radius[i] = slot < 0 ? (float)(-slot - 1) : 0;
  w->sigma[i] = slot < 0 ? 0 : view->sigma[slot];
  return true;
}
