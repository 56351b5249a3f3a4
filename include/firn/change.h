// SPDX-License-Identifier: Apache-2.0
// Changes: what a program may set between two steps.
#ifndef FIRN_CHANGE_H
#define FIRN_CHANGE_H

#include <firn/collider.h>
#include <firn/flow.h>

#ifdef __cplusplus
extern "C" {
#endif

// A checkpoint holds these as they were, but for a solver's settings: set those again after loading
// one. (Scene files do so by themselves.)
FIRN_API firn_status firn_sim_set_gravity(firn_sim *sim, const double gravity[3]); // m/s^2
FIRN_API firn_status firn_sim_set_friction(firn_sim *sim, int collider, double friction);
FIRN_API firn_status firn_sim_set_friction_viscosity(firn_sim *sim, int collider,
                                                     double viscosity);                   // m^2/s
FIRN_API firn_status firn_sim_set_adhesion(firn_sim *sim, int collider, double adhesion); // m/s^2
FIRN_API firn_status firn_sim_set_sticky(firn_sim *sim, int collider, bool sticky);
// Of a collider's surface, K; 0: heat does not pass through it.
FIRN_API firn_status firn_sim_set_temperature(firn_sim *sim, int collider, double temperature);
// One that is not present moves on, but meets nothing: a mould that is taken away, a gate that opens.
// Snow that it comes back into is pushed out as any that is inside a collider.
FIRN_API firn_status firn_sim_set_present(firn_sim *sim, int collider, bool present);
// A material's numbers, but not its law. Particles follow in those numbers that they have from the
// material; what varies from particle to particle stays as it is, and so does all mass.
FIRN_API firn_status firn_sim_set_material(firn_sim *sim, int material,
                                           const firn_material_def *def);
// Settings of the solver, whose name is given since a def of another would be nonsense: def and out
// are of its struct firn_<solver>_def. Some are settled when the simulation is made; of mpm these are
// basis, transfer, hardening, flight and sleep.
FIRN_API firn_status firn_sim_set_settings(firn_sim *sim, const char *solver, const void *def);
// size: that of the struct.
FIRN_API firn_status firn_sim_settings(const firn_sim *sim, const char *solver, void *out,
                                       size_t size);
FIRN_API firn_status firn_sim_set_mpm(firn_sim *sim, const firn_mpm_def *def);
static inline firn_status firn_sim_mpm(const firn_sim *sim, firn_mpm_def *out) {
  return firn_sim_settings(sim, "mpm", out, sizeof *out);
}

// An emitter, from now on. One of rate 0 rests.
FIRN_API firn_status firn_sim_set_emitter_rate(firn_sim *sim, int id, double rate);
FIRN_API firn_status firn_sim_set_emitter_velocity(firn_sim *sim, int id, const double velocity[3]);

#ifdef __cplusplus
}
#endif

#endif
