// SPDX-License-Identifier: Apache-2.0
// Contact where the surface is (mpm.contact: surface).
//
// As printed, nodes within a collider are held. Which ones depends on where the surface lies
// between nodes, and the plane that does not move lies 0.4 to several h below the surface. Here the
// nodes of a column, that is those along the grid's axis that is next to the normal, from the
// deepest to the first one at least half a cell outside, share one normal velocity relative to the
// surface, a phi: a line that vanishes where the surface is. The column's momentum is projected
// onto that line by mass, so that the momentum it loses is the collider's, and energy only falls;
// forces follow because they enter by momentum. In the solve the line is the leader's velocity,
// extended to the others (E); the equation is E'A E.
#ifndef FIRN_SOLVER_MPM_SURFACE_H
#define FIRN_SOLVER_MPM_SURFACE_H

#include "math/real.h"
#include "solver/mpm/contact.h"

enum { MPM_COLUMN = 10 };
#define MPM_COLUMN_REACH 1.5 // cells over the surface that the outermost of a column may have

// The nodes of a column, the outermost first.
typedef struct mpm_column {
  uint32_t node[MPM_COLUMN];        // 64 g + number in block g
  firn_real phi[MPM_COLUMN];        // cells over the surface, falling
  firn_real normal[MPM_COLUMN][3];  // outward, of the surface
  firn_real surface[MPM_COLUMN][3]; // m/s, its velocity
  uint8_t count, outside;           // nodes, and those of them with phi > 0, which come first
  bool led;                         // the first is at least half a cell outside
  bool contested; // some are within surfaces that meet at an angle neither right nor flat
  uint16_t
      rounds; // bits of the nodes outside that cannot lead: in a valley they would follow each other
  // By the collision of this step: the first node of the line; whether all components are held, or
  // the normal one; and bits of the nodes that follow the first in the solve.
  uint8_t leader;
  bool caught, whole;
  uint16_t tied;
} mpm_column;

// Finds the columns at each collider. Geometry alone: before the sums of a try at a step.
firn_status mpm_surface_begin(struct mpm *m);
// Collides all nodes, once they have their velocities.
void mpm_surface_collide(struct mpm *m);
// Shares what the nodes of block g do among colliders.
void mpm_surface_share(const struct mpm *m, size_t g);
// What nodes that only sleepers touch do to colliders in a step of dt goes to their pushes; they
// stay as they are.
void mpm_surface_press_asleep(struct mpm *m, double dt);
// Of vectors of the solve: x = E x, and y = E'y.
void mpm_surface_extend(const struct mpm *m, firn_real *x);
void mpm_surface_fold(const struct mpm *m, firn_real *y);

#endif
