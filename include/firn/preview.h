// SPDX-License-Identifier: Apache-2.0
// Pictures of the particles.
#ifndef FIRN_PREVIEW_H
#define FIRN_PREVIEW_H

#include <firn/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

// A shaded picture of the particles and the colliders. Of a half space that is not the ground a slab
// is drawn, placed and sized by the snow at the beginning; other colliders without bounds are left out,
// and so are walls that the camera stands behind. view is the direction the camera looks in.
typedef struct firn_preview_def {
  int width, height; // pixels
  double center[3];  // m, looked at; all zero with extent 0: fits the particles
  double extent;     // m, height of what is seen at center; 0: fits
  double view[3];    // direction
  double ground;     // m, height of the ground plane
  bool show_ground;
} firn_preview_def;
FIRN_API firn_preview_def firn_default_preview_def(void);
FIRN_API firn_status firn_sim_preview(firn_sim *sim, const firn_preview_def *def,
                                      const char *png_path);

// A contact sheet: pictures in rows, each with a label below it.
typedef struct firn_sheet_def {
  int count;
  int columns;            // pictures in a row; 0: as many as make the sheet about 3:2
  const char *const *png; // files to show, [count]; one that cannot be read leaves its place empty
  const char *const *label; // [count], ASCII; lines are separated by '\n'
} firn_sheet_def;
FIRN_API firn_status firn_sheet_write(firn_context *context, const firn_sheet_def *def,
                                      const char *png_path);

#ifdef __cplusplus
}
#endif

#endif
