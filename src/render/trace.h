// SPDX-License-Identifier: Apache-2.0
// The path tracer: light through snow as a participating medium (Stomakhin et al. 2013, section 9),
// between surfaces, from lights to the film.
#ifndef FIRN_RENDER_TRACE_H
#define FIRN_RENDER_TRACE_H

#include "render/camera.h"
#include "render/film.h"
#include "render/lights.h"
#include "render/surfaces.h"
#include "render/volume.h"

typedef struct firn_medium {
  float extinction; // m2/kg: sigma_t = extinction * density. The paper's 724 1/m at 400 kg/m3: 1.81
  firn_v3 albedo;   // of single scattering
  float g;          // Henyey-Greenstein, mean cosine
  float similarity; // 0: unbiased; else events after which similarity theory may thin the medium
} firn_medium;

typedef struct firn_studio {
  const firn_volume *volume; // or NULL
  firn_medium medium;
  const firn_surfaces *surfaces; // or NULL
  const firn_lights *lights;
  const firn_camera *camera;
} firn_studio;

typedef struct firn_trace_def {
  int samples;   // a pixel
  uint64_t seed; // the same seed gives the same bytes at any number of threads
  int bounces; // most scattering events of a path; 0: no limit (roulette alone ends paths), up to 1e6
  bool hide_sky; // paths that meet nothing bring no light
  double noise;  // stop a pixel once its standard error falls below this part of white; 0: never
  bool (*progress)(void *user, double part); // called by one thread; false: stop
  void *user;
} firn_trace_def;

typedef struct firn_trace_stats {
  uint64_t paths, events; // scattering events, in the medium and on surfaces
  uint64_t truncated;     // paths that would have gone on: cut by `bounces`, or after 1e6 events
  uint64_t not_finite;    // samples dropped
  double seconds;
} firn_trace_stats;

// FIRN_CANCELLED when progress says stop.
firn_status firn_trace(firn_context *context, const firn_studio *studio, const firn_trace_def *def,
                       firn_film *film, firn_trace_stats *stats);

#endif
