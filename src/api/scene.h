// SPDX-License-Identifier: Apache-2.0
// What runs need from scenes beyond the public header.
#ifndef FIRN_API_SCENE_H
#define FIRN_API_SCENE_H

#include <firn/firn.h>

// As firn_scene_build, without particles: what firn_sim_load continues in.
firn_status firn_scene_build_empty(const firn_scene *scene, firn_sim **out);

#endif
