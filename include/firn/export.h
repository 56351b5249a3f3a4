// SPDX-License-Identifier: Apache-2.0
// Exports: the frames of a run as files of other programs. See docs/export.md.
#ifndef FIRN_EXPORT_H
#define FIRN_EXPORT_H

#include <firn/render.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum firn_export_format {
  FIRN_EXPORT_VTP,  // ParaView: particles, and a .series file that knows their times
  FIRN_EXPORT_PLY,  // particles or a surface, binary
  FIRN_EXPORT_BGEO, // Houdini: particles
  FIRN_EXPORT_CSV,  // particles as text
  FIRN_EXPORT_VDB,  // OpenVDB: density and velocity on a sparse grid
  FIRN_EXPORT_OBJ,  // a surface, text
  FIRN_EXPORT_FORMAT_COUNT
} firn_export_format;

FIRN_API const char *firn_export_format_name(firn_export_format format); // "vtp"
// One line on what it holds and who reads it.
FIRN_API const char *firn_export_format_doc(firn_export_format format);
// Whether this build can write it.
FIRN_API bool firn_export_format_available(firn_export_format format);

// After each frame.
typedef struct firn_export_event {
  int frame;        // its number
  int done, total;  // frames
  const char *path; // of the file just written
  size_t particles; // of the frame
  size_t vertices;  // of its surface, or voxels of its grids, or particles
  size_t triangles; // of its surface
  uint64_t bytes;   // of all files so far
  double wall;      // s, since the export began
} firn_export_event;
typedef bool (*firn_export_fn)(void *user, const firn_export_event *event); // false: stop

typedef struct firn_export_def {
  size_t size;        // of this struct: firn_default_export_def() knows
  const char *source; // folder of a run, or one frame file
  const char *folder; // to write into, made if missing; NULL: <folder of the frames>/<format>
  firn_export_format format;
  bool surface;                // ply: the surface of the snow instead of its particles
  int first_frame, last_frame; // both ends included; last < 0: the last there is
  const char *fields;          // "velocity,jp"; NULL: all. The position comes in any case
  bool z_up;                   // turn Y up, as firn has it, into Z up
  // Surfaces and grids.
  double cell;    // m, from node to node; 0: h/2 for surfaces, the renderer's voxel for grids
  double density; // kg/m^3 of undisturbed snow; 0: the median of the run's first frame
  double level;   // surface: where the density falls below this fraction of it
  int smooth;     // surface: steps of smoothing
  double
      spray; // surface: radius of the ball that a lone particle is shown as, in that of a ball of
             // its mass in undisturbed snow; 0: none
  firn_snow_look_def snow; // vdb: how particles become a density, as in a picture
  const char *velocity;    // vdb: name of that grid; Blender wants "velocity", Houdini "vel" or "v"
  firn_export_fn event;
  void *event_user;
} firn_export_def;

FIRN_API void firn_export_def_init(firn_export_def *def, size_t size);
static inline firn_export_def firn_default_export_def(void) {
  firn_export_def def;
  firn_export_def_init(&def, sizeof def);
  return def;
}
// Files appear whole or not at all; a file of the same name is replaced once the new one is whole, if
// the list firn-files.txt of the folder has it from an earlier export. FIRN_ERROR_STATE: another file
// has a name that is to be written; the message names it, and nothing was changed.
FIRN_API firn_status firn_export(firn_context *context, const firn_export_def *def);

#ifdef __cplusplus
}
#endif

#endif
