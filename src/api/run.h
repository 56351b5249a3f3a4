// SPDX-License-Identifier: Apache-2.0
// A run in progress: what run.c (the loop), run_begin.c (a folder gone on with), run_fresh.c
// (anew), run_check.c (whether what is there is whole), run_branch.c (one that goes on from
// another), run_record.c (the list of its files) and run_frame.c (the files of a frame) share.
#ifndef FIRN_API_RUN_H
#define FIRN_API_RUN_H

#include "api/files.h"
#include "api/log.h"
#include "cache/file.h"
#include "cache/folder.h"
#include "cache/record.h"
#include "cache/rows.h"
#include "cache/series.h"
#include "scene/files.h"

// While an old run is taken away, its folder holds the scene that is to come, under this name: a
// run killed meanwhile is resumed by taking away the rest.
#define FIRN_RUN_NEXT_SCENE "scene.next.yaml"

// Where the files that a scene names wait for their places.
#define FIRN_RUN_STAGE FIRN_SCENE_FILES_FOLDER ".next"

#define FIRN_RUN_LOG    "log.jsonl"
#define FIRN_RUN_SERIES FIRN_SERIES_FRAMES

// How a refusal to resume ends.
#define FIRN_RUN_ANEW ". Nothing was changed; --overwrite begins anew, without what is there"

// What the steps since the last frame amount to, and all steps so far.
typedef struct firn_run_tally {
  uint64_t steps, implicit_steps, iterations, iterations_max; // since the last frame
  uint64_t asleep;                                            // particles, sum over these steps
  double dt_min, dt_sum;                                      // s
  double wall; // s spent on the frame before this process; 0 at its beginning
  uint64_t all_steps, all_iterations;
} firn_run_tally;

typedef enum firn_run_table {
  FIRN_RUN_STATS,
  FIRN_RUN_COLLIDERS,
  FIRN_RUN_PROBES,
  FIRN_RUN_TABLES // how many
} firn_run_table;

typedef struct firn_run_state {
  const firn_scene *scene;
  const firn_run_def *def;
  const char *from; // folder that the run branches off from, and of which frame; NULL: none
  int from_frame;   // < 0: of its newest checkpoint
  char origin[FIRN_PATH_SIZE]; // that folder, where the list has it
  firn_record record;          // the files that are the run's own
  bool recorded;               // the list in the folder is this run's
  firn_status noted;           // whether the mark of the last picture could be set
  firn_output_def output;
  firn_scene_files files; // that the scene needs, and the scene as it stands in the folder
  firn_context *context;
  firn_sim *sim;
  firn_log_fn listener; // of the context, which hears what the run's log does too
  void *listener_user;
  int lock;    // of the folder; -1: none
  bool opened; // the folder was not there before, and the run has not begun yet
  firn_run_log log;
  int first, last; // frames that get a file
  struct {
    int first, last; // by the checkpoint that is gone on from ...
    int frames;      // ... and how many its scene had
  } asked;
  int frame;         // last finished one; -1: none
  double seconds;    // from frame to frame, simulated
  double begin_wall; // s, when firn_run was called ...
  double begin_time; // s, and where the simulation stood
  double particle_steps;
  const char *bound;                 // of the last step; NULL before there is one
  double frame_wall;                 // s, when the current frame began
  double stage_wall[FIRN_OWN_STATS]; // s, statistics "seconds_..." when it began
  bool saved;                        // the newest checkpoint stands for what the simulation is now
  firn_run_tally tally;
  struct {
    uint64_t sum;    // of the rows so far (firn_rows_sum) ...
    size_t size;     // ... which are this many bytes of the file
    uint64_t wanted; // sum of the rows up to the checkpoint that was loaded, ...
    bool known;      // ... if that has it
  } table[FIRN_RUN_TABLES];
  const firn_rows *rows; // [FIRN_RUN_TABLES] as they were found; NULL: they were not looked at
  firn_fault_fn fault;   // hears of whatever is wrong with what is there; NULL: nobody does
  void *fault_user;
  char path[FIRN_PATH_SIZE]; // of the file at hand
  struct {
    bool begun, told_ice, told_speed, told_fall;
    double begin;                 // s, when the first frame was looked at
    double first;                 // m/s, of the quickest particle then, or by its strain
    double gravity[3];            // m/s^2, then
    double highest[3], lowest[3]; // m, of the snow then
    double body;                  // m/s, of the quickest collider so far
  } watch;                        // run_watch.c
} firn_run_state;

// What was found in the folder of a run, and how much of it is whole.
typedef struct firn_run_check {
  int *frame, *checkpoint; // numbers of those that are there, ascending
  size_t frame_count, checkpoint_count;
  size_t frames_room, checkpoints_room; // how many there is memory for
  firn_rows rows[FIRN_RUN_TABLES];
  int rows_end[FIRN_RUN_TABLES]; // the first frame whose rows are not all there and right ...
  bool broken[FIRN_RUN_TABLES];  // ... since something else is
  int good;                      // up to this frame all frames and rows are whole
  int faults;                    // things that are wrong, ...
  firn_status status;            // ... and of the first that has to be made again
  char reason[FIRN_MESSAGE_SIZE];
  bool unasked; // that is a frame which was not to be written so far
  int foreign;  // a frame that is there and not the run's; -1: none
} firn_run_check;

// Sets path to a file of the folder.
firn_status firn_run_file(firn_run_state *run, const char *name);
firn_status firn_run_numbered(firn_run_state *run, const char *prefix, int number);

// Bytes of the files of a prefix and these numbers that are there.
double firn_run_bytes(firn_run_state *run, const char *prefix, const int *number, size_t count);

// Whether the folder is still the one that is locked: asked before files of a frame are written.
firn_status firn_run_check_folder(firn_run_state *run);

// True when this frame of the run has a file.
bool firn_run_writes(const firn_run_state *run, int frame);

// Warns, once each, where 0.1 % of the snow is denser than ice, or quicker than bodies and gravity
// can make it.
void firn_run_watch(firn_run_state *run, const firn_measures *measures);

// Lists the frames and checkpoints of the folder.
firn_status firn_run_list(firn_run_state *run, firn_run_check *check);
// Reads all that is listed: seals and numbers of frames, rows of tables, and whether they fit each
// other. sim is an empty one of the scene. Fails only where nothing can be said.
firn_status firn_run_look(firn_run_state *run, firn_run_check *check);
// The newest checkpoint; of those after a frame that is known to have been made, only one that can
// be read and is of the frame that its name tells. -1: there is none.
int firn_run_newest_checkpoint(firn_run_state *run, const firn_run_check *check, int seen);
// Whether the newest checkpoint that can be read has a format that this firn reads. It is asked
// before the scene and the tables are, in which versions differ too.
firn_status firn_run_check_format(firn_run_state *run, const firn_run_check *check);
// Whether a run that was looked at was stopped before it had a checkpoint, at the scene itself: no
// more than frame 0 and its rows are there, and a resume begins anew.
bool firn_run_has_begun_only(firn_run_state *run, const firn_run_check *check);
// A folder is gone on with only by the scene that began it, or one that differs in what does not
// matter to it; *same: it is the same text.
firn_status firn_run_check_scene(firn_run_state *run, bool *same);
// Whether scene.yaml is as firn wrote it, by the sum in it: FIRN_ERROR_STATE.
firn_status firn_run_check_scene_sum(firn_run_state *run);
// Whether a run was stopped while it took away the one that is there, and has begun to; whether it
// was about to.
bool firn_run_replaced(firn_run_state *run);
bool firn_run_has_next(firn_run_state *run);
// Loads the newest checkpoint that is whole and no newer than what is. FIRN_ERROR_STATE or
// FIRN_ERROR_IO: a resume is refused, and the message says why.
firn_status firn_run_find(firn_run_state *run, firn_run_check *check);
void firn_run_check_free(firn_run_state *run, firn_run_check *check);
// Notes that something is wrong with a frame or its rows, which have to be made again; with one
// after FIRN_FRAME_LAST: with something else.
void firn_run_fault(firn_run_state *run, firn_run_check *check, int frame, firn_status status,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));

// Whether every file of the folder with a name that the run writes, of frames from first on, is the
// run's own: FIRN_ERROR_STATE, and the message names one that is not.
firn_status firn_run_check_foreign(firn_run_state *run, int first);
// The same for a scene.yaml that is the very scene of this run.
firn_status firn_run_check_own_scene(firn_run_state *run);
bool firn_run_is_scene_itself(firn_run_state *run);
// Whether the folder has a scene.yaml and a stats.csv.
bool firn_run_looks_like_one(firn_run_state *run);

// The list of the run's files (run_record.c). Writes it, if the folder is still the one that is
// held.
firn_status firn_run_save_record(firn_run_state *run);
// Lists what an earlier run has written that left no list; in memory alone.
firn_status firn_run_adopt(firn_run_state *run, const firn_run_check *check);
// Lists the files of the frame that the run is at, before they are written.
firn_status firn_run_declare_frame(firn_run_state *run, bool checkpoint);
// Lists the picture that an event function may draw now, where it has none; and sets its mark
// afterwards.
firn_status firn_run_declare_picture(firn_run_state *run);
firn_status firn_run_note_picture(firn_run_state *run);

// Whether the files of a new run, or those that a resumed one goes on with, can be written where
// something has their names; the message names it.
firn_status firn_run_check_places(firn_run_state *run);
firn_status firn_run_check_tables(firn_run_state *run);

// Makes or finds the simulation, and leaves the folder as it was when it stood there.
firn_status firn_run_begin(firn_run_state *run);
// The first of these (run_fresh.c): in place of whatever the list of the folder owns.
firn_status firn_run_begin_fresh(firn_run_state *run, const firn_run_check *check);
firn_status firn_run_write_scene(firn_run_state *run, const char *name);
firn_status firn_run_open_log(firn_run_state *run);
// After a failure, whose status it returns and whose message it keeps: removes what waits to be
// placed, and restores the list. listed: there was one; next: it had this.
firn_status firn_run_undo(firn_run_state *run, bool listed, const firn_record_origin *next,
                          firn_status status);

// A run that branches off (run_branch.c): the simulation as the other run's checkpoint has it, with
// the numbers of this scene; and what that run had written until then, into the folder of this one.
firn_status firn_run_branch_load(firn_run_state *run);
firn_status firn_run_branch_copy(firn_run_state *run);
// Sets in the list, in memory, where a branch is to begin.
firn_status firn_run_branch_announce(firn_run_state *run);
// Sets there where a run without a list has begun, as far as its log has it.
firn_status firn_run_branch_recall(firn_run_state *run);
// Fails where a run that names no trunk finds the half of a list that a branch was writing as it
// was stopped.
firn_status firn_run_branch_check_half(firn_run_state *run);
// A branch that was stopped before it had a checkpoint begins where it was to: sets run->from.
firn_status firn_run_branch_take_origin(firn_run_state *run);
// Whether the run that is gone on with began where run->from says.
firn_status firn_run_branch_check_origin(firn_run_state *run);

// Writes the files of the frame that is finished now.
firn_status firn_run_finish_frame(firn_run_state *run);
firn_status firn_run_checkpoint(firn_run_state *run);
// Removes checkpoints but the last two up to the frame that the run is at.
firn_status firn_run_clear_checkpoints(firn_run_state *run);
// What firn_run_checkpoint added to the simulation's own state; user is the run.
firn_status firn_run_load_tally(void *user, firn_archive *archive);

// What has to be put into the folder again, and can be.
typedef enum firn_run_again {
  FIRN_RUN_AGAIN_NONE,
  FIRN_RUN_AGAIN_LIST, // the list of sums alone
  FIRN_RUN_AGAIN_FILES // copies, and the list
} firn_run_again;

// Finds the files that the scene needs; copies them beside those of an earlier run, and then puts
// them in their place; or checks those that are there. FIRN_ERROR_STATE: the run cannot go on with
// them.
firn_status firn_run_files_open(firn_run_state *run);
// Whether the copies would take the place of files that are not the run's, or pass a link. mends: a
// listed copy that is damaged is replaced.
firn_status firn_run_files_check_places(firn_run_state *run, bool mends);
// Lists the copies that are to wait, before they are made.
firn_status firn_run_files_declare(firn_run_state *run);
firn_status firn_run_files_stage(firn_run_state *run);
firn_status firn_run_files_place(firn_run_state *run);
firn_status firn_run_files_unstage(firn_run_state *run); // what a killed run has copied
firn_status firn_run_files_check(firn_run_state *run, firn_run_check *check, firn_run_again *again);

// Sums of the tables' rows: brought up to date, kept in a checkpoint, and compared with the rows
// that were found; FIRN_ERROR_FORMAT: they are others.
firn_status firn_run_sum_tables(firn_run_state *run);
void firn_run_save_sums(const firn_run_state *run, firn_archive *archive);
firn_status firn_run_check_sums(firn_run_state *run, firn_archive *archive);
// The same with the sums of the checkpoint that was read last.
firn_status firn_run_compare_sums(firn_run_state *run);

// The tables of a run: stats.csv, and those that the scene asks for.
const char *firn_run_table_name(firn_run_table table);
bool firn_run_has_table(const firn_run_state *run, firn_run_table table);
// New ones, with their headers.
firn_status firn_run_create_tables(firn_run_state *run);
// Reads one back; path is set.
firn_status firn_run_open_table(firn_run_state *run, firn_run_table table, firn_rows *out);
firn_status firn_run_open_table_of(const firn_run_state *run, const char *folder,
                                   firn_run_table table, firn_rows *out);
// What the i-th row of each frame has in the column `name`; NULL: there is none. number is where a
// name is made up.
const char *firn_run_row_name(const firn_run_state *run, firn_run_table table, int i,
                              char number[32]);
// Adds the rows of the frame that is finished: bytes of its file (nan: none), and wall seconds.
firn_status firn_run_append_tables(firn_run_state *run, const firn_measures *measures, double bytes,
                                   double wall);

#endif
