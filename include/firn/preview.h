// SPDX-License-Identifier: Apache-2.0
// Pictures in a fraction of a second, of a frame or of a running simulation: lit particles for looking
// at motion, and numbers as colours.
#ifndef FIRN_PREVIEW_H
#define FIRN_PREVIEW_H

#include <firn/render.h>

#ifdef __cplusplus
extern "C" {
#endif

// Perceptually uniform: equal steps of the value look like equal steps.
typedef enum firn_color_map {
  FIRN_COLORS_DEEP,   // violet, blue, green, yellow
  FIRN_COLORS_EMBER,  // black, red, orange, pale yellow
  FIRN_COLORS_GREY,   // black to white
  FIRN_COLORS_BALANCE // blue, white in the middle of the range, red
} firn_color_map;

typedef struct firn_preview_def {
  size_t size;            // of this struct: firn_default_preview_def() knows
  int width, height;      // pixels
  firn_camera_def camera; // eye equal to target: placed by the snow; lens and focus are not used
  firn_sun_def sun;       // its direction
  bool show_ground;       // false: level floors are left out
  double ground;     // m, height of a ground that is shown where no collider is one, that is, a
                     // height field or a half space that is not steep; nan: none but the colliders
  const char *color; // field that gives the colour: a number, the length of a vector, a part of
                     // one as velocity.y or stress.xx; "speed" is the length of velocity and
                     // "pressure" minus a third of the trace of stress. NULL: white
  double range[2];   // of that value; equal: what the middle 98 % of the particles have
  firn_color_map map;
  bool bar; // a bar that tells what the colours mean
  int cut_count;
  const firn_cut_def *cuts; // as in firn_render_def
  firn_look_def ground_look, bodies;
  int look_count;
  const firn_look_def *looks; // as in firn_render_def
  // Outlines of emitters, and of snow that is still to come: orange while they give snow, else
  // grey. Of a simulation alone, not of a frame.
  bool sources;
  bool reserved[7];                     // false
  const firn_part_look_def *part_looks; // as in firn_render_def
  int part_look_count;
  int reserved_2; // 0
} firn_preview_def;
FIRN_API void firn_preview_def_init(firn_preview_def *def, size_t size);
static inline firn_preview_def firn_default_preview_def(void) {
  firn_preview_def def;
  firn_preview_def_init(&def, sizeof def);
  return def;
}
// Camera, size, sun, looks and cuts of a path-traced picture.
FIRN_API void firn_preview_of_render_sized(const firn_render_def *def, firn_preview_def *out,
                                           size_t size);
static inline firn_preview_def firn_preview_of_render(const firn_render_def *def) {
  firn_preview_def out;
  firn_preview_of_render_sized(def, &out, sizeof out);
  return out;
}
// Size and ground of the section `preview` of a scene; camera, sun and looks of its section `render` at
// a time, the camera that of `preview` where `render` has none. What it points to lives as long as the
// scene.
FIRN_API void firn_scene_preview_sized(const firn_scene *scene, double time, firn_preview_def *out,
                                       size_t size);
static inline firn_preview_def firn_scene_preview(const firn_scene *scene, double time) {
  firn_preview_def out;
  firn_scene_preview_sized(scene, time, &out, sizeof out);
  return out;
}

// Of a simulation as it is now; path ends in .png.
FIRN_API firn_status firn_sim_preview(firn_sim *sim, const firn_preview_def *def, const char *path);
// As firn_frame_render and firn_frame_render_pixels.
FIRN_API firn_status firn_frame_preview(firn_frame *frame, const firn_scene *scene,
                                        const firn_preview_def *def, const char *path);
FIRN_API firn_status firn_frame_preview_pixels(firn_frame *frame, const firn_scene *scene,
                                               const firn_preview_def *def, uint8_t *rgb);
// What firn_preview_def.range should be for this frame, so that all pictures of a film may share one.
FIRN_API firn_status firn_frame_range(firn_frame *frame, const char *color, double out[2]);

// A contact sheet: pictures in rows, each with a label below it.
typedef struct firn_sheet_def {
  size_t size; // of this struct: firn_default_sheet_def() knows
  int count;
  int columns;            // pictures in a row; 0: as many as make the sheet about 3:2
  const char *const *png; // files to show, [count]; one that cannot be read leaves its place empty
  const char *const *label; // [count], ASCII; lines are separated by '\n'
} firn_sheet_def;
FIRN_API void firn_sheet_def_init(firn_sheet_def *def, size_t size);
static inline firn_sheet_def firn_default_sheet_def(void) {
  firn_sheet_def def;
  firn_sheet_def_init(&def, sizeof def);
  return def;
}
FIRN_API firn_status firn_sheet_write(firn_context *context, const firn_sheet_def *def,
                                      const char *png_path);

#ifdef __cplusplus
}
#endif

#endif
