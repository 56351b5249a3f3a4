// SPDX-License-Identifier: Apache-2.0
// Pictures by path tracing: snow as a participating medium, lit by sun, sky and lamps, between the
// bodies of its scene. Colours are linear Rec. 709, angles radians.
#ifndef FIRN_RENDER_H
#define FIRN_RENDER_H

#include <firn/frame.h>
#include <firn/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

// Where the picture is taken from. All of it may be keyed over time in a scene file.
typedef struct firn_camera_def {
  double eye[3];    // m; equal to target: placed by the snow, as the preview does
  double target[3]; // m
  double up[3];     // direction
  double fov;       // rad, vertical
  double aperture;  // m, radius of the lens; 0: a pinhole
  double focus;     // m from the eye; 0: at target
  double view[3];   // direction it looks in where it is placed by the snow; zero: the preview's
  double room[4];   // 0: for what later versions may add
} firn_camera_def;
// A camera that looks along view and sees a box whole; aspect is width over height. view, up and fov
// of camera are kept where they are not zero.
FIRN_API void firn_camera_fit(firn_camera_def *camera, const double low[3], const double high[3],
                              double aspect);

typedef enum firn_sky_kind {
  FIRN_SKY_MODEL, // blue sky by Rayleigh and Mie scattering of the sun's light
  FIRN_SKY_PLAIN, // one colour from everywhere
  FIRN_SKY_MAP    // an environment map
} firn_sky_kind;

typedef struct firn_sky_def {
  firn_sky_kind kind;
  double color[3];  // radiance of a plain sky
  const char *map;  // EXR or HDR file, latitude-longitude; its middle is -z, its top +y
  double rotate;    // rad about y, of the map
  double strength;  // factor on model or map
  double turbidity; // of the model: 1 without haze, 2 clear, 10 hazy
  bool hidden; // it gives light, but the camera sees black, and no sun, where nothing is before it
  double room[4]; // 0: for what later versions may add
} firn_sky_def;

typedef struct firn_sun_def {
  double direction[3]; // towards the sun; zero: to the left, a little behind the snow
  double strength;     // factor on the sun's light through the air of the model; 0: no sun
  double size;         // rad, angular diameter: 0.0093 as seen from earth
  double room[4];      // 0: for what later versions may add
} firn_sun_def;

typedef enum firn_lamp_kind { FIRN_LAMP_RECTANGLE, FIRN_LAMP_SPHERE } firn_lamp_kind;
typedef struct firn_lamp_def {
  firn_lamp_kind kind;
  double center[3];   // m
  double edge[2][3];  // m, of a rectangle; light leaves along edge[0] x edge[1]
  double radius;      // m, of a sphere
  double radiance[3]; // W/(m2 sr)
  double room[4];     // 0: for what later versions may add
} firn_lamp_def;

// Whether a body is in the picture.
typedef enum firn_look_mode {
  FIRN_LOOK_SHOWN,
  FIRN_LOOK_HIDDEN, // it is left out, as if it were not there
  FIRN_LOOK_HOLDOUT // the camera sees a hole, black with alpha 0, and nothing behind it; the rest of the
                    // picture is as if it were shown, with its shadow and the light it sends back
} firn_look_mode;
// How a body or the ground looks: diffuse under an optional glossy coat. Of a single collider or part,
// nan in albedo[0], in gloss or in roughness stands for what it would have without this look.
typedef struct firn_look_def {
  double albedo[3];
  double gloss;     // Fresnel reflectance of the coat at normal incidence; 0: none, 0.04: paint
  double roughness; // GGX alpha of the coat
  firn_look_mode mode;
  double room[4]; // 0: for what later versions may add
} firn_look_def;

// The look of one part of a collider, before that of the collider: what it leaves open by nan, and a mode
// of FIRN_LOOK_SHOWN, are the collider's. A negative albedo leaves all of it open.
typedef struct firn_part_look_def {
  int collider; // number in the order of the scene, or in which a simulation got it
  int part;     // number in the collider's parts
  firn_look_def look;
} firn_part_look_def;

typedef struct firn_snow_look_def {
  double extinction; // m2/kg, sigma_t over density: the paper's 724 1/m at 400 kg/m3 is 1.81
  double albedo[3];  // of one scattering event
  double g;          // Henyey-Greenstein, mean cosine
  double voxel;      // m; 0: half the spacing of the particles, or less by the kernel
  double kernel;     // of the solver's grid spacing: how wide a particle is spread; 1, or 0: as the
                     // solver does, less is crisper
  double anisotropy; // 0: round kernels, 1: fitted to their neighbours
  double adapt;  // 1: wide and flat where snow is packed, small and uneven in spray; 0: all alike
  double detail; // fine noise that moves with the snow, share of density; 0: none
  double similarity; // scattering events after which the medium may be thinned; 0: never (unbiased)
  double room[4];    // 0: for what later versions may add
} firn_snow_look_def;
FIRN_API firn_status firn_snow_look_preset(const char *name,
                                           firn_snow_look_def *out); // paper, white

// A part of the snow that is left out, to see inside: what lies beyond all of these planes.
enum { FIRN_CUTS = 8, FIRN_CUT_PLANES = 6 };
typedef struct firn_cut_def {
  int count;                        // planes
  double plane[FIRN_CUT_PLANES][4]; // normal n, of any length but zero, and d: beyond is n x > d, m
  double room[4];                   // 0: for what later versions may add
} firn_cut_def;

// Called now and then by one thread with the share that is done, 0 to 1; false: stop.
typedef bool (*firn_render_fn)(void *user, double done);

typedef struct firn_render_def {
  size_t size;       // of this struct: firn_default_render_def() knows
  int width, height; // pixels
  int samples;       // a pixel
  double noise;      // standard error, of white, at which a pixel may stop early; 0: takes all
  int bounces;       // most scattering events; 0: no limit but 1e6
  uint64_t seed;
  double shutter; // share of a frame's time it is open, 0: no motion blur
  firn_camera_def camera;
  firn_camera_def
      camera_shut; // what it is when the shutter shuts, lens and all; all zero: as it was
  firn_sun_def sun;
  firn_sky_def sky;
  int lamp_count;
  const firn_lamp_def *lamps;
  firn_snow_look_def snow;
  firn_look_def ground; // of half spaces and height fields
  firn_look_def bodies; // of colliders that do not say otherwise
  int look_count;
  const firn_look_def *looks; // of single colliders, [look_count], in the order of the scene; a
                              // negative albedo stands for that of ground or bodies
  int cut_count;
  const firn_cut_def *cuts; // [cut_count], FIRN_CUTS at most; what any of them takes is left out
  double exposure;          // stops
  double white;             // K, what is shown as white; 6504: as it is
  bool filmic;              // tone curve; false: linear, clipped
  bool denoise;
  bool planes; // EXR files hold depth, density, velocity, albedo and normals too
  firn_render_fn progress;
  void *progress_user;
  // Looks of single parts of colliders, [part_look_count]; of several for one part the last counts, and
  // one for a part that is not there is passed over. NULL: none.
  const firn_part_look_def *part_looks;
  int part_look_count;
  int reserved; // 0
} firn_render_def;
FIRN_API void firn_render_def_init(firn_render_def *def, size_t size);
static inline firn_render_def firn_default_render_def(void) {
  firn_render_def def;
  firn_render_def_init(&def, sizeof def);
  return def;
}

// What a rendering took.
typedef struct firn_render_stats {
  uint64_t paths;      // camera paths
  uint64_t events;     // scattering events, in the snow and on bodies
  uint64_t truncated;  // paths cut short: by `bounces`, or after 1e6 scattering events
  uint64_t not_finite; // samples dropped
  size_t particles;
  size_t skipped;        // particles left out: no finite place, no mass, or too far from the others
  size_t voxels;         // in active blocks
  size_t bytes;          // of the volume
  double seconds_read;   // s, reading the frame
  double seconds_volume; // s, particles to density
  double seconds_trace;  // s
  double seconds;        // s, all of it
  double voxel;          // m
  firn_camera_def camera; // as used: where a fitted one was placed
} firn_render_stats;

// A picture of a frame, of any solver: it needs position, and mass or density and volume. path ends
// in .png or .exr. scene gives the colliders, as they are at the frame's time, and how long a frame
// lasts; NULL: no colliders, a frame is 1/24 s. stats may be NULL. FIRN_CANCELLED, and no file, when
// progress says stop.
FIRN_API firn_status firn_frame_render_sized(firn_frame *frame, const firn_scene *scene,
                                             const firn_render_def *def, const char *path,
                                             firn_render_stats *stats, size_t stats_size);
static inline firn_status firn_frame_render(firn_frame *frame, const firn_scene *scene,
                                            const firn_render_def *def, const char *path,
                                            firn_render_stats *stats) {
  return firn_frame_render_sized(frame, scene, def, path, stats, sizeof *stats);
}
// The same into memory, rows from the top: rgb [height][width][3], sRGB as a PNG holds it, and light
// [height][width][3], linear radiance before exposure and tone curve. Either may be NULL.
FIRN_API firn_status firn_frame_render_pixels_sized(firn_frame *frame, const firn_scene *scene,
                                                    const firn_render_def *def, uint8_t *rgb,
                                                    float *light, firn_render_stats *stats,
                                                    size_t stats_size);
static inline firn_status firn_frame_render_pixels(firn_frame *frame, const firn_scene *scene,
                                                   const firn_render_def *def, uint8_t *rgb,
                                                   float *light, firn_render_stats *stats) {
  return firn_frame_render_pixels_sized(frame, scene, def, rgb, light, stats, sizeof *stats);
}

// The box that holds the bulk of a frame's particles, all but the outermost 0.5 % along each axis. One
// for all frames of a film keeps its camera still. False in *any: there are none.
FIRN_API firn_status firn_frame_bulk(firn_frame *frame, double low[3], double high[3], bool *any);

// Settings from the section `render` of a scene at a time. What they point to lives as long as the
// scene.
FIRN_API firn_status firn_scene_render_def_sized(const firn_scene *scene, double time,
                                                 firn_render_def *out, size_t size);
static inline firn_status firn_scene_render_def(const firn_scene *scene, double time,
                                                firn_render_def *out) {
  return firn_scene_render_def_sized(scene, time, out, sizeof *out);
}

#ifdef __cplusplus
}
#endif

#endif
