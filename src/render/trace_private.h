// SPDX-License-Identifier: Apache-2.0
// Between the parts of the path tracer.
#ifndef FIRN_RENDER_TRACE_PRIVATE_H
#define FIRN_RENDER_TRACE_PRIVATE_H

#include "render/trace.h"
#include "render/trace_walk.h"

// Lights as functions, those in parts of render/lights.h or, in tests, others. Any may be NULL but
// sky.
typedef struct firn_light_table {
  const void *user;
  firn_v3 (*sky)(const void *user, firn_v3 along);    // without the sun's disc
  firn_v3 (*beyond)(const void *user, firn_v3 along); // with it
  bool (*sun)(const void *user, firn_sunlight *out);
  bool (*sample)(const void *user, firn_v3 from, const float u[3], firn_light_sample *out);
  bool (*hit)(const void *user, const firn_ray *ray, float most, float *t, firn_v3 *radiance);
  float (*pdf)(const void *user, firn_v3 from, firn_v3 along);
} firn_light_table;

// As firn_trace, with other lights than those of the studio.
firn_status firn_trace_with(firn_context *context, const firn_studio *studio,
                            const firn_light_table *lights, const firn_trace_def *def,
                            firn_film *film, firn_trace_stats *stats);

// What all threads share.
typedef struct firn_tracer {
  const firn_studio *studio;
  const firn_light_table *lights;
  const firn_trace_def *def;
  const firn_walk_kernel *kernel;
  firn_walk_view view;
  bool medium; // there is snow to walk through
  bool lit;    // the film wants to know what light comes to first events
  firn_v3 low; // m, of the volume's first node
  float voxel; // m
  firn_v3 box; // voxels, size of the volume
  firn_sunlight sun;
  float sun_angle; // sr
} firn_tracer;

// What a path met first.
typedef struct firn_first {
  bool met;
  float depth, density;
  firn_v3 velocity, albedo, normal;
  float sunlit, skylit; // see firn_film
} firn_first;

typedef enum firn_path_from {
  FIRN_FROM_CAMERA,
  FIRN_FROM_SURFACE,
  FIRN_FROM_MEDIUM
} firn_path_from;

// What a lane's path needs beside the rows of its walk.
typedef struct firn_light_path {
  bool busy;
  int pixel;           // of the tile
  firn_path_from from; // where its present ray comes from
  float pdf,
      chance;   // 1/sr, of the ray after a surface; probability that lights were aimed at there
  firn_v3 eye;  // m, where the path began
  firn_ray ray; // the one that was last asked for hits; m
  float asked;  // events at that time
  bool has_hit, has_lamp;
  firn_hit hit;
  float lamp_t; // m
  firn_v3 lamp;
  firn_ray next; // how the path goes on after a ray to a light
  firn_first first;
} firn_light_path;

typedef struct firn_path_result {
  firn_v3 light;
  bool truncated;
  uint32_t events;
} firn_path_result;

// Starts the path of lane i. True: it walks. False: it is over, see result.
bool firn_path_start(const firn_tracer *t, firn_walk *w, int i, firn_light_path *path,
                     const firn_ray *ray, firn_path_result *result);
// Gives a lane that stopped what it needs. The same.
bool firn_path_serve(const firn_tracer *t, firn_walk *w, int i, firn_light_path *path,
                     firn_path_result *result);

#endif
