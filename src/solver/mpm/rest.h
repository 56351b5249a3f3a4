// SPDX-License-Identifier: Apache-2.0
// Rest costs nothing: blocks whose snow has settled are left out of the step.
//
// A block is watched while none of its particles is quick and their mean does not drift far. It is quiet
// once that mean was, for a while, never farther from where the watch began than the slowest drift would
// take it: what trembles is quiet after a longer watch; what creeps is not. Quiet blocks among watched
// blocks fall asleep, if they are at rest: that is
//   in balance   calm: the forces on the block would move it much slower than its weight would.
//                Waves are in the way of this; it waits for a moment when they are not
//   held         its body, all that hangs together with it (support.h), is not in free motion, but
//                held by some collider, or at a standstill in what is left free to it
// Their velocities become zero, and the mass and force they give to nodes stay in their arena, so that
// what is awake around them is held up as before. Those beside snow that is not quiet take part in one
// step before each review, which shows whether they are in balance yet. If not, they
// stay awake for a while, carry the change of load and move before those behind them have to.
//
// A block wakes when it is out of balance, when one next to it is quick, when it is given new
// particles or gets quick ones, has a moving collider close by, feels a force that is not steady, or its body comes loose; all wake when
// gravity or a collider's surface changes. Times are counted in steps and simulated seconds, so sleep is
// as reproducible as the rest.
#ifndef FIRN_SOLVER_MPM_REST_H
#define FIRN_SOLVER_MPM_REST_H

#include "solver/mpm/mpm.h"

// What is known of a particle block's rest; part of a checkpoint.
typedef struct mpm_rest {
  int32_t at[3];          // block coordinates
  uint32_t count;         // particles
  double mean[3];         // cells from the block's corner, mean position when the watch began
  double drift[3];        // cells that it had wandered when the particles were last sorted
  double since;           // s, when it began
  double far2;            // cells^2, how far from there it has been
  double speed2;          // m^2/s^2, of the quickest particle of its unit since the last review
  double sound2;          // m^2/s^2, of the hardest
  double steady_from;     // s, when it may sleep beside snow that is not quiet
  uint16_t watched, calm; // calm: when last weighed, the forces on it were in balance
  uint16_t quiet, may;    // may: it might sleep; asleep: all of its unit might
  uint32_t asleep;
} mpm_rest;

// Before particles are sorted: how far each block has drifted, while its particles are known. Blocks
// that may sleep are to make units of their own.
firn_status mpm_rest_leave(mpm *m);
// After it: matches what is known to the new blocks. same: no particles were added or removed.
firn_status mpm_rest_carry(mpm *m, bool same);
// A block of snow that was laid down in balance need not be watched first.
void mpm_rest_lay(mpm *m, size_t b);
// Has a block watched from now on; if it sleeps, the next review wakes it.
void mpm_rest_rouse(mpm *m, size_t b);
// Whether all that keeps a block from sleep may be that it is spray: it is quiet, and those around let it.
bool mpm_rest_awaits_nodes(const mpm *m, size_t b);
// Before a step: decides who sleeps. sorted: the blocks are new.
firn_status mpm_rest_review(mpm *m, bool sorted);
// Leaves everybody as they are, on a grid that has been built again.
firn_status mpm_rest_renew(mpm *m);
// Fills the arenas of those asleep that are not filled yet.
void mpm_rest_store(mpm *m);
// After a step: notes who moved, from the tallies of the units.
void mpm_rest_watch(mpm *m);
// Wakes everything.
void mpm_rest_disturb(mpm *m);

static inline bool mpm_node_is_asleep(const mpm *m, size_t g) {
  return m->asleep && ((const uint8_t *)m->node_asleep.data)[g];
}

static inline bool mpm_unit_is_asleep(const mpm_view *view, size_t u) {
  return view->box[view->unit[u].first_block].asleep;
}

// Whether a unit takes part in the solve of a semi-implicit step.
static inline bool mpm_unit_is_stiff(const mpm_view *view, size_t u) {
  const firn_unit *unit = &view->unit[u];
  bool soft = true;
  for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count && soft; b++) {
    soft = view->box[b].soft;
  }
  return !soft && !mpm_unit_is_asleep(view, u);
}

#endif
