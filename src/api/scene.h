// SPDX-License-Identifier: Apache-2.0
// What runs need from scenes beyond the public header, and what the files scene*.c share.
#ifndef FIRN_API_SCENE_H
#define FIRN_API_SCENE_H

#include <firn/firn.h>

#include "scene/value.h"

// Turns the failure of what was made of a value, whose path in the scene this is, into
// FIRN_ERROR_SCENE with a message that begins with FILE:LINE:COLUMN of the key that is to blame. Where
// memory ran out nothing is.
firn_status firn_scene_blame(const firn_scene *scene, const firn_value *value, const char *path,
                             firn_status status);

// The same for a first step that failed, where a body of snow is too fast for any step; else as it was.
firn_status firn_scene_too_fast(const firn_scene *scene, const firn_sim *sim, firn_status status);

// Fails with a sentence that names the value of a path as firn_scene_difference has it, after FILE:LINE:COLUMN or
// the --set that gave it.
firn_status firn_scene_fail_at(const firn_scene *scene, const char *path, const char *sentence);

// As firn_scene_apply, and whether a value is keyed or not: for a simulation that has other numbers. Not
// the settings of its solver.
firn_status firn_scene_apply_all(const firn_scene *scene, firn_sim *sim);

// Defs of the sections as they are at a time.
firn_material_def firn_scene_material_def(const firn_value *v, double time);
// False where the material says nothing of heat.
bool firn_scene_heat_def(const firn_value *v, firn_heat_def *out);
// The colliders, [*count]. Their shapes are the scene's, their arrays come from the arena.
firn_status firn_scene_collider_defs(const firn_scene *scene, firn_arena *arena, int *count,
                                     firn_collider_def **out);
// A collider's motion; arrays come from the arena. False when memory is out.
firn_load_def firn_scene_load_def(const firn_value *v); // NULL: none
bool firn_scene_motion_def(firn_arena *arena, const firn_value *v, firn_motion_def *out);
// scene_start.c: the functions of the place that a body of snow begins with, which the fill then owns.
firn_status firn_scene_start(const firn_scene *scene, const firn_value *body, firn_fill_def *def);
firn_wind_def firn_scene_wind_def(const firn_value *v);
// Without density and viscosity, of a wind or a drag.
firn_wind_def firn_scene_motion_of_air(const firn_value *v, double time);
firn_force_def firn_scene_force_def(const firn_value *v, double time);
const firn_value *firn_scene_force_kind(const firn_value *v); // what is beside its name
// The rate of an emitter at a time, in the unit of its def: kg/m^2 s of snowfall, which scenes give as a
// depth of water a time.
double firn_scene_rate(const firn_value *emitter, const char *key, double time);
// The place of a material, which is its id, in the table.
int firn_scene_material_id(const firn_scene *scene, const char *name);

#endif
