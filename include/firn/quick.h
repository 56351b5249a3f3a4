// SPDX-License-Identifier: Apache-2.0
// Pictures in a fraction of a second: lit points for looking at motion, and numbers as colours.
#ifndef FIRN_QUICK_H
#define FIRN_QUICK_H

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

typedef struct firn_quick_def {
  int width, height;      // pixels
  firn_camera_def camera; // eye equal to target: placed by the snow; lens and focus are not used
  firn_sun_def sun;       // its direction
  const char *color; // field that gives the colour: a number, the length of a vector, a part of
                     // one as velocity.y or stress.xx; "speed" is the length of velocity and
                     // "pressure" minus a third of the trace of stress. NULL: white
  double range[2];   // of that value; equal: what the middle 98 % of the frame have
  firn_color_map map;
  bool bar;             // a bar that tells what the colours mean
  double cut_point[3];  // m, of a plane; what lies on the side that its normal points to is
  double cut_normal[3]; // left out. Zero: nothing is
  firn_look_def ground, bodies;
  int look_count;
  const firn_look_def *looks; // as in firn_render_def
} firn_quick_def;
FIRN_API firn_quick_def firn_default_quick_def(void);
// Camera, size, sun and looks of a path-traced picture.
FIRN_API firn_quick_def firn_quick_of_render(const firn_render_def *def);

// As firn_frame_render and firn_frame_render_pixels; path ends in .png.
FIRN_API firn_status firn_frame_quick(firn_frame *frame, const firn_scene *scene,
                                      const firn_quick_def *def, const char *path);
FIRN_API firn_status firn_frame_quick_pixels(firn_frame *frame, const firn_scene *scene,
                                             const firn_quick_def *def, uint8_t *rgb);
// What firn_quick_def.range should be for this frame, so that all pictures of a film may share one.
FIRN_API firn_status firn_frame_range(firn_frame *frame, const char *color, double out[2]);

#ifdef __cplusplus
}
#endif

#endif
