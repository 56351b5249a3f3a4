// SPDX-License-Identifier: Apache-2.0
// The files that a scene needs (meshes, points, images, maps), and where they go in a folder that
// shall do without the places they come from.
//
// All go into files/, under their own names; of two that share one the second becomes name-2. A file
// that needs others beside it (a glTF file its buffers), and the files of a pattern, get a folder of
// their own below. A scene that is read from such a folder has the same names again.
#ifndef FIRN_SCENE_FILES_H
#define FIRN_SCENE_FILES_H

#include "scene/scene.h"

#define FIRN_SCENE_FILES_FOLDER "files"

typedef struct firn_scene_copy {
  const char *from;
  const char
      *to;      // relative to the folder; NULL: it stays where it is, and is only known by its sum
  bool matters; // to the simulation; otherwise to pictures alone
  bool beside;  // named by the file before it, which may do without
  bool staged;  // a copy waits for its place
  struct firn_scene_copy *next;
} firn_scene_copy;

typedef struct firn_scene_place firn_scene_place;

typedef struct firn_scene_files {
  firn_arena arena; // holds all below
  firn_scene_copy *copies, **end;
  firn_scene_place *places; // paths of the scene, and what they become
  const char *text;         // the scene as resolved, with paths as they are in the folder
} firn_scene_files;

// What the scene needs; to be freed. Only FIRN_ERROR_MEMORY: a file that cannot be read, or that points
// out of its folder, keeps its path and is not copied, nor is what it points to. there: such a file is
// copied before, and its copy is at hand.
typedef bool (*firn_there_fn)(void *user, const char *to);
firn_status firn_scene_files_make(const firn_scene *scene, firn_there_fn there, void *user,
                                  firn_scene_files *out);
void firn_scene_files_free(firn_scene_files *files);

// Whether a scene.yaml is as firn wrote it, by the sum in its last line.
typedef enum firn_scene_sum {
  FIRN_SCENE_SUM_EXACT,
  FIRN_SCENE_SUM_FITS,   // but for line ends, a byte order mark, and remarks after the sum
  FIRN_SCENE_SUM_ABSENT, // there is no sum
  FIRN_SCENE_SUM_WRONG
} firn_scene_sum;
firn_scene_sum firn_scene_check_sum(const char *text, size_t size);

#endif
