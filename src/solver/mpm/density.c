// SPDX-License-Identifier: Apache-2.0
// The density of the grid at a particle, and hardening by it (Gissler et al. 2020, section 4.2.5): instead
// of what plastic flow has added up, which takes snow that flies together for packed before it is,
//
//   J_P = rho_0 / (rho |det F_E|),  rho = sum_i m_i w_ip / h^3,  rho_0 = m / V_0
//
// (their Eqs. 21 and 22). In a uniform compression both are the same. With volume: density, rho_0 is the
// density that the snow had on the grid at the start, so that its surface is as hard as its inside. With
// volume: nominal it is the material's: loose snow is soft until it is packed, and so are surfaces.
//
// It replaces ln J_P between the steps' sums and the motion of particles, when the grid has all masses;
// until the next step, plastic flow adds to it as ever. So laws, fields and checkpoints know nothing of it.
#include <math.h>

#include "base/parallel.h"
#include "math/bspline.h"
#include "solver/mpm/mpm.h"

// The first node of a particle's stencil along an axis, and its weights.
static int weigh(const mpm *m, firn_real x, firn_real w[4]) {
  firn_real f, unused[4];
  if (m->stencil.width == 4) {
    int node = (int)firn_bspline_cubic_base(x, &f);
    firn_bspline_cubic(f, w, unused);
    return node;
  }
  int node = (int)firn_bspline_quadratic_base(x, &f);
  firn_bspline_quadratic(f, w, unused);
  return node;
}

firn_real mpm_grid_density(const mpm *m, size_t b, size_t slot) {
  const mpm_view *view = &m->view;
  firn_real w[3][4], sum = 0;
  int node[3];
  for (int a = 0; a < 3; a++) node[a] = weigh(m, view->x[a][slot], w[a]);
  for (int i = 0; i < m->stencil.width; i++) {
    for (int j = 0; j < m->stencil.width; j++) {
      for (int k = 0; k < m->stencil.width; k++) {
        int n[3] = {node[0] + i, node[1] + j, node[2] + k}, d[3];
        for (int a = 0; a < 3; a++) d[a] = n[a] < 0 ? -1 : n[a] >> 2;
        size_t g = view->target[b][firn_grid_offset(d[0], d[1], d[2])];
        size_t at = 16 * (size_t)(n[0] & 3) + 4 * (size_t)(n[1] & 3) + (size_t)(n[2] & 3);
        sum += w[0][i] * w[1][j] * w[2][k] * view->node_v[g * FIRN_NODE_BLOCK_REALS + 4 * at + 3];
      }
    }
  }
  return sum / (view->h * view->h * view->h);
}

firn_real mpm_lone_density(const mpm *m, size_t slot) {
  firn_real density = m->view.mass[slot];
  for (int a = 0; a < 3; a++) {
    firn_real w[4] = {0}, sum = 0;
    weigh(m, m->view.x[a][slot], w);
    for (int i = 0; i < m->stencil.width; i++) sum += w[i] * w[i];
    density *= sum / m->view.h;
  }
  return density;
}

firn_real mpm_elastic_volume(const mpm *m, size_t slot) {
  firn_real xx = 1 + m->view.b[0][slot], yy = 1 + m->view.b[1][slot], zz = 1 + m->view.b[2][slot];
  firn_real xy = m->view.b[3][slot], xz = m->view.b[4][slot], yz = m->view.b[5][slot];
  firn_real det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
  return (firn_real)sqrt((double)det);
}

static void harden(const mpm *m, size_t slot, firn_real density) {
  const mpm_view *view = &m->view;
  firn_material_row row = firn_world_row(m->world, slot);
  if (row.law != FIRN_LAW_SNOW) return;
  firn_real rest = view->mass[slot] / view->volume[slot];
  firn_real now = density * mpm_elastic_volume(m, slot);
  firn_real ln_jp = (firn_real)log((double)(rest / now));
  if (!(now > 0) || !isfinite(ln_jp)) return; // a failure that the step tells itself
  view->ln_jp[slot] = firn_min(firn_max(ln_jp, row.ln_jp_lo), row.ln_jp_hi);
  if (view->ln_cut) view->ln_cut[slot] = ln_jp - view->ln_jp[slot];
}

void mpm_harden(mpm *m) {
  const firn_particles *p = &m->world->particles;
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 4))
  for (size_t b = 0; b < p->block_count; b++) {
    if (m->view.box[b].asleep) continue; // its nodes may have no mass; it has hardened before
    for (size_t i = p->block[b].first; i < (size_t)p->block[b].first + p->block[b].count; i++)
      harden(m, i, mpm_grid_density(m, b, i));
  }
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t i = p->slots; i < p->slots + m->lone; i++) harden(m, i, mpm_lone_density(m, i));
}
