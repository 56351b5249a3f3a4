// SPDX-License-Identifier: Apache-2.0
// What pictures are made of: particles, bodies, a camera. Shared by render*.c (path traced) and
// preview*.c.
#ifndef FIRN_API_PICTURE_H
#define FIRN_API_PICTURE_H

#include <firn/preview.h>

#include "api/sim.h"
#include "cache/frame.h"
#include "render/camera.h"
#include "render/surfaces.h"
#include "render/volume.h"
#include "render/walls.h"

// ------------------------------------------------------------------------------------- particles

// Where they come from: a frame, or a simulation as it is now.
typedef struct firn_picture_source {
  firn_context *context;
  firn_frame *frame; // or NULL:
  firn_sim *sim;
  size_t count;
  double spacing, kernel; // m, by what the frame says; 0: does not say
} firn_picture_source;

firn_picture_source firn_picture_of_frame(firn_frame *frame);
firn_picture_source firn_picture_of_sim(firn_sim *sim);
// Fields by number; false past the last. And by name; false: there is none.
bool firn_picture_field_at(const firn_picture_source *source, int i, firn_field_info *out);
bool firn_picture_field(const firn_picture_source *source, const char *name, firn_field_info *out);
// out is [count][components].
firn_status firn_picture_read(const firn_picture_source *source, const firn_field_info *field,
                              float *out);

typedef struct firn_picture_points {
  firn_context *context;
  size_t count;
  double *position;       // m, [count][3]
  float *velocity;        // m/s, [count][3]; NULL: not wanted, or not there
  float *mass;            // kg, [count]; NULL: not wanted
  uint64_t *id;           // [count]; NULL: not wanted, or not there
  float *size;            // [count], 1 fills the cube of the spacing; NULL: all do, or not wanted
  double spacing;         // m, between particles in bulk
  double kernel;          // m, how wide the solver spreads a particle
  double low[3], high[3]; // m, box of their bulk
  bool any;               // there is one with a finite place
} firn_picture_points;

typedef enum firn_picture_wants {
  FIRN_PICTURE_MASS = 1,     // fails when there is none
  FIRN_PICTURE_VELOCITY = 2, // as all below: where the frame has it
  FIRN_PICTURE_ID = 4,
  FIRN_PICTURE_SPACING = 8, // measured, not only by what the source says
  FIRN_PICTURE_SIZE = 16    // where particles have a radius
} firn_picture_wants;

// On failure there is nothing to free.
firn_status firn_picture_points_read(const firn_picture_source *source, unsigned wants,
                                     firn_picture_points *out);
void firn_picture_points_free(firn_picture_points *points);

// The snow as a density, as pictures show it and exports hold it: the one place that knows which
// voxel, kernel and detail a look means.
double firn_picture_kernel(const firn_picture_points *points, const firn_snow_look_def *snow); // m
double firn_picture_voxel(const firn_picture_points *points, const firn_snow_look_def *snow);  // m
// The points have masses and sizes, and ids if there is detail. origin is the stage's.
firn_status firn_picture_volume(const firn_picture_points *points, const firn_snow_look_def *snow,
                                double shutter, const double origin[3], firn_volume **out);
// Whether a newer program says what this version does not know of, [count] rooms of cameras, lights or looks.
firn_status firn_picture_check_rooms(firn_context *context, const char *name, size_t count,
                                     const double *const *room);
// Whether its numbers make sense, and its room is empty.
firn_status firn_picture_check_snow(firn_context *context, const char *who,
                                    const firn_snow_look_def *snow);

// Warns when no particle is seen, neither as the shutter opens nor as it shuts; shut may be NULL.
// aspect is width over height.
void firn_picture_note_view(const firn_picture_source *source, const firn_picture_points *points,
                            const firn_camera_def *open, const firn_camera_def *shut,
                            double aspect);

// ---------------------------------------------------------------------------------------- bodies

typedef enum firn_picture_kind {
  FIRN_PICTURE_SOLID, // told by its distance
  FIRN_PICTURE_FLOOR, // a half space that lies level or slopes
  FIRN_PICTURE_WALL,  // a steeper one, shown as a slab
  FIRN_PICTURE_HIDDEN // a wall that the camera stands behind
} firn_picture_kind;

// A part of a collider.
typedef struct firn_picture_body {
  firn_part *part; // placed for the bodies' time
  int collider;
  bool held;      // not as the scene's keys say: by this pose,
  firn_pose pose; // of the frame's time
  bool ground;    // half space or height field
  firn_picture_kind kind;
  double plane[4]; // of a half space: unit normal n and d, m; solid where dot(n, x) < d
  firn_wall wall;  // from the camera's target
} firn_picture_body;

typedef struct firn_picture_bodies {
  firn_context *context;
  int collider_count;
  firn_collider *collider; // [collider_count]
  size_t collider_room;    // allocated
  bool own;                // these are the picture's, not a simulation's
  double frame_time;       // s, when held parts have their poses
  double time;             // s, that all parts are placed for
  size_t count;
  firn_picture_body *body; // [count]
  size_t room;             // allocated
  double (*plane)[4];      // [site.plane_count] of room: those of half spaces
  firn_wall_site site;     // what walls are sized by
} firn_picture_bodies;

// The colliders of a frame's scene as they are at a time [s] close to the frame's: where the frame has
// them, or by the keys of the scene where those say the same, or the frame nothing. camera has been
// placed. scene may be NULL: no bodies. On failure there is nothing to free.
firn_status firn_picture_bodies_of_frame(const firn_frame *frame, const firn_scene *scene,
                                         double time, const firn_camera_def *camera,
                                         firn_picture_bodies *out);
// Those of a simulation as they are now.
firn_status firn_picture_bodies_of_sim(firn_sim *sim, const firn_camera_def *camera,
                                       firn_picture_bodies *out);
void firn_picture_bodies_free(firn_picture_bodies *bodies);
// Moves the parts to another time.
void firn_picture_bodies_place(firn_picture_bodies *bodies, double time);
// Distance to a body, as firn_solid_fn has it; user is the firn_picture_bodies.
double firn_picture_body_distance(const void *user, int body, const double position[3],
                                  double normal[3]);
// The same, quick and maybe less: for previews. normal may be NULL.
double firn_picture_body_look(const firn_picture_bodies *bodies, size_t body,
                              const double position[3], double normal[3]);
// A box around a body at the bodies' time; false: nothing bounds it.
bool firn_picture_body_box(const firn_picture_bodies *bodies, size_t i, double low[3],
                           double high[3]);

// What a def says of looks.
typedef struct firn_picture_looks {
  firn_look_def ground, bodies;
  int count;
  const firn_look_def *look; // [count], of colliders
  int part_count;
  const firn_part_look_def *part; // [part_count]
} firn_picture_looks;
firn_picture_looks firn_picture_looks_of(const firn_render_def *def);
firn_picture_looks firn_picture_looks_of_preview(const firn_preview_def *def);
// Whether their numbers make sense, and their rooms are empty. who is "render".
firn_status firn_picture_check_looks(firn_context *context, const char *who,
                                     const firn_picture_looks *looks);
// The look of a body: that of its kind, under its collider's own, under that of its part.
firn_look_def firn_picture_look(const firn_picture_bodies *bodies, size_t i,
                                const firn_picture_looks *looks);

// As surfaces for the path tracer: meshes as triangles, level and sloping half spaces as planes,
// steeper ones as slabs, others by their distance. The shutter opens at the bodies' time and stays
// open for shutter [s]. The surfaces point into bodies.
firn_status firn_picture_surfaces(firn_context *context, firn_picture_bodies *bodies,
                                  const firn_render_def *def, const firn_camera_def *camera,
                                  double shutter, const double origin[3], firn_surfaces **out);

#endif
