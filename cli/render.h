// SPDX-License-Identifier: Apache-2.0
// What the files of `firn render` share.
#ifndef FIRN_CLI_RENDER_H
#define FIRN_CLI_RENDER_H

#include "cli.h"

enum { RENDER_PATH = 4096 };

typedef struct render_arguments {
  cli_options options;
  const char *source;  // folder of a run, a frame file, or a scene
  const char *output;  // NULL: beside the frames
  const char *quality; // of a scene that is shown as it begins; NULL: its own
  const char *scene;   // NULL: scene.yaml beside the frames
  int first, last;     // frames; last < 0: not given
  bool frames_given;
  int every;
  int samples, width, height; // 0: as the scene says
  bool denoise, preview, force, no_fine;
  bool has_camera, has_view;
  double camera[7]; // eye, target, and the field of view in degrees or 0
  double view[3];
  int cut_count;
  firn_cut_def cuts[FIRN_CUTS];
  int turntable;     // pictures from all around one frame; 0: no such thing
  const char *color; // NULL: none
  double range[2];   // equal: from the frames
  firn_color_map map;
  bool exr;   // of pictures in a folder
  double fps; // of a film; 0: as the scene says
  progress_mode mode;
} render_arguments;

// Reads the command line; ends the program when it makes no sense.
void render_parse(int argc, char **argv, render_arguments *a);

// Whether a path ends so, in small letters or capitals.
bool render_ends_with(const char *path, const char *end);

// A frame file to be shown.
typedef struct render_frame {
  int number;  // of the frame, or of a turntable's picture
  double turn; // rad, of the camera about the vertical
  char path[RENDER_PATH];
} render_frame;

// How it goes on, told as the mode says.
typedef struct render_progress {
  progress_mode mode;
  bool live, open;
  int number;      // of the frame
  int done, total; // frames
  int rendered;    // frames that were not there before
  double start;    // when the first began
  double shown;    // when the line was last drawn
} render_progress;

// One picture or a film.
typedef struct render_job {
  const render_arguments *arguments;
  firn_context *context;
  firn_scene *scene; // or NULL
  int count;
  render_frame *frame; // [count]
  bool fitted;         // one camera for all frames, that sees this box:
  double low[3], high[3];
  double range[2];             // of colours
  double turn;                 // rad, of the frame at hand
  char temporary[RENDER_PATH]; // folder with the frame of a scene; "": none
  firn_sim *sim; // of a scene whose bodies move through the frames; NULL: frames are files
  render_progress progress;
  firn_render_stats stats; // of the last picture
} render_job;

// Whether the source is a scene to be shown as it begins.
bool render_is_scene(const char *source);
// Builds it, and makes its first frame the one to show, or with --frames, of an animatic, all of
// them. Returns the exit code.
int render_build_scene(render_job *job);
// Takes the scene of an animatic to a frame and draws it.
firn_status render_animatic_frame(render_job *job, int number, const firn_preview_def *view,
                                  const char *path);

// Draws a frame into a PNG or EXR file.
firn_status render_picture(render_job *job, const render_frame *file, const char *path);
// Settings of a frame's picture.
firn_status render_settings(const render_job *job, double time, firn_render_def *render,
                            firn_preview_def *preview);

void render_progress_show(render_progress *p, double part);
void render_progress_frame(render_progress *p, const char *path, const firn_render_stats *stats);
void render_progress_end(render_progress *p);

// Whether the program that makes films is there.
bool render_has_ffmpeg(void);
// All frames into numbered files of a folder, which remembers how far it got and with which settings.
// Film: the name of an mp4 file to make of them, or NULL. Returns the exit code.
int render_sequence(render_job *job, const char *folder_path, const char *film);

#endif
