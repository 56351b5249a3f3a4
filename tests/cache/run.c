// SPDX-License-Identifier: Apache-2.0
// labels: X2
// timeout: 120
// Runs into a folder: what they leave there, and that being stopped changes nothing. (kill.c kills
// them; run_folder.c is about folders that others hold, move or fill.)
#include "running.h"

#include <math.h>

#include "cache/archive.h"
#include "cache/frame.h"

// ---------------------------------------------------------------------------------------- contract

static firn_table *stats_of(scratch *s, const char *folder, size_t rows) {
  firn_table *stats;
  const char *path = scratch_path(s, inside(s, folder, "stats.csv"));
  assert_int_equal(firn_table_open(s->context, path, NULL, &stats), FIRN_OK);
  assert_int_equal(firn_table_rows(stats), rows);
  return stats;
}

static void a_run_leaves_what_the_contract_says(void **state) {
  scratch *s = *state;
  int first;
  perform(s, (order){.folder = "new/deep/out"});
  assert_int_equal(count_files(s, "new/deep/out", FIRN_FRAME_PREFIX, &first), LAST + 1);
  assert_int_equal(first, 0);
  assert_int_equal(count_files(s, "new/deep/out", FIRN_CHECKPOINT_PREFIX, &first), 2);
  assert_int_equal(first, LAST - 1);
  assert_true(scratch_exists(s, "new/deep/out/scene.yaml"));
  assert_true(scratch_exists(s, "new/deep/out/log.jsonl"));

  firn_table *stats = stats_of(s, "new/deep/out", LAST + 1);
  struct stat info;
  assert_int_equal(stat(scratch_path(s, "new/deep/out/frame_00003.hdf"), &info), 0);
  assert_true(firn_table_column(stats, "bytes")[3] == (double)info.st_size);
  firn_frame *f;
  assert_int_equal(firn_frame_open(s->context, scratch_path(s, "new/deep/out/frame_00003.hdf"), &f),
                   FIRN_OK);
  assert_int_equal(f->frame, 3);
  assert_true(f->time == 3 * (1 / 200.0));
  assert_true(firn_table_column(stats, "particles")[3] == (double)f->count);
  assert_true(f->count > 100);
  const char *const fields[] = {"id", "position", "velocity", "mass", "density", "jp"};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    assert_non_null(firn_frame_find(f, fields[i]));
  }
  assert_null(firn_frame_find(f, "affine"));
  // What the frame holds is what the row sums: mass, to the rounding of a sum of floats.
  float *mass = malloc(f->count * sizeof *mass);
  double sum = 0;
  assert_int_equal(firn_frame_read(f, "mass", 1, FIRN_ARCHIVE_F32, mass), FIRN_OK);
  for (size_t i = 0; i < f->count; i++) sum += (double)mass[i];
  free(mass);
  firn_frame_close(f);
  assert_true(sum > 0);
  // Nine digits in the file, 2^-24 of each float.
  assert_true(fabs(sum - firn_table_column(stats, "mass")[3]) < 1e-7 * sum);
  assert_true(firn_table_column(stats, "steps")[0] == 0);
  assert_true(firn_table_column(stats, "steps")[3] > 1);
  // The steps of a frame add up to its length: nine digits of the mean.
  double length = firn_table_column(stats, "dt_mean")[3] * firn_table_column(stats, "steps")[3];
  assert_true(length > 0.005 * (1 - 1e-8) && length < 0.005 * (1 + 1e-8));
  firn_table_close(stats);

  char *log;
  size_t n;
  scratch_read(s, "new/deep/out/log.jsonl", &log, &n);
  assert_int_equal(strncmp(log, "{\"event\": \"begin\"", 17), 0);
  assert_non_null(strstr(log, "{\"event\": \"end\""));
  firn_free(s->context, log, n + 1);
}

static void a_range_writes_only_its_frames(void **state) {
  scratch *s = *state;
  int first;
  perform(s, (order){.folder = "all"});
  perform(s, (order){.folder = "part", .first = 2, .last = 4});
  assert_int_equal(count_files(s, "part", FIRN_FRAME_PREFIX, &first), 3);
  assert_int_equal(first, 2);
  assert_same_bytes(s, "all/frame_00004.hdf", "part/frame_00004.hdf");
  firn_table_close(stats_of(s, "part", 5)); // frames 0 to 4
  perform(s, (order){.folder = "part", .first = 5, .last = 4, .exact_fail = FIRN_ERROR_ARGUMENT});
  assert_said(s, "part", "5:4");
}

static void a_new_run_replaces_an_old_one_only_when_told_to(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "whole"});
  perform(s, (order){.folder = "out"});
  perform(s, (order){.folder = "out", .last = 2, .exact_fail = FIRN_ERROR_STATE});
  assert_said(s, "out", "--resume");
  assert_said(s, "out", "--overwrite");
  assert_same_run(s, "whole", "out");
  order both = {.folder = "out", .resume = true, .overwrite = true};
  both.exact_fail = FIRN_ERROR_ARGUMENT;
  perform(s, both);
  assert_same_run(s, "whole", "out");
  perform(s, (order){.folder = "out", .last = 2, .overwrite = true});
  assert_int_equal(count_files(s, "out", FIRN_FRAME_PREFIX, NULL), 3);
  assert_int_equal(count_files(s, "out", FIRN_CHECKPOINT_PREFIX, NULL), 2);
}

// --------------------------------------------------------------------------- stopping and going on

static void stopped_in_a_frame_and_resumed_ends_in_the_same_bytes(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "whole"});
  // Stopped again and again, after a few steps each time.
  perform(s, (order){.folder = "parts", .stop_after = 3, .exact_fail = FIRN_CANCELLED});
  assert_said(s, "parts", "resumed");
  int times = 0;
  for (bool done = false; !done && times < 500; times++) {
    order o = {.folder = "parts", .resume = true, .stop_after = is_slow() ? 120 : 12};
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) _exit(child(s, &o));
    int code;
    assert_int_equal(waitpid(pid, &code, 0), pid);
    assert_true(WIFEXITED(code));
    done = WEXITSTATUS(code) == FIRN_OK;
    if (!done) assert_int_equal(WEXITSTATUS(code), FIRN_CANCELLED);
  }
  print_message("stopped %d times\n", times);
  assert_in_range(times, 2, 499);
  assert_same_run(s, "whole", "parts");
  // Nothing is left to do.
  perform(s, (order){.folder = "parts", .resume = true, .stop_after = 1});
  assert_same_run(s, "whole", "parts");
}

// The bed sleeps from the first step on, is woken in frame 3, and is calm enough to sleep again towards
// the end; see bed_text. Whole numbers where all steps are alike, and stopping a frame does not change its mean.
static void particles_asleep_are_told_as_the_mean_over_the_steps(void **state) {
  scratch *s = *state;
  perform(s, (order){.scene = "bed.yaml", .folder = "whole"});
  firn_table *stats = stats_of(s, "whole", LAST + 1);
  const double *asleep = firn_table_column(stats, "asleep"),
               *particles = firn_table_column(stats, "particles");
  assert_true(isnan(asleep[0])); // no steps
  for (size_t i = 1; i < 3; i++) assert_true(asleep[i] == particles[i]);
  for (size_t i = 3; i < 5; i++) assert_true(asleep[i] < 0.5 * particles[i]);
  assert_true(asleep[6] > 0.2 * particles[6]);
  firn_table_close(stats);
  perform(s, (order){.scene = "bed.yaml",
                     .folder = "parts",
                     .stop_after = 34,
                     .exact_fail = FIRN_CANCELLED});
  perform(s, (order){.scene = "bed.yaml", .folder = "parts", .resume = true});
  assert_same_run(s, "whole", "parts");
}

static bool dawdle(const firn_run_event *event) {
  const struct timespec nap = {0, 40000000}; // s, ns
  if (event->frame == 1) nanosleep(&nap, NULL);
  return true;
}

// Ten steps that take 40 ms each at least, the run is stopped, then the rest of the frame: more than
// ten in all (ball.yaml has some thirty a frame). Rows of earlier frames stay as they were.
static void wall_seconds_of_a_frame_include_those_before_a_stop(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "out", .last = 1});
  firn_table *stats = stats_of(s, "out", 2);
  double first = firn_table_column(stats, "wall_seconds")[1];
  firn_table_close(stats);
  perform(s, (order){.folder = "out",
                     .resume = true,
                     .stop_after = 10,
                     .watch = dawdle,
                     .exact_fail = FIRN_CANCELLED});
  perform(s, (order){.folder = "out", .resume = true, .last = 3});
  stats = stats_of(s, "out", 4);
  assert_true(firn_table_column(stats, "wall_seconds")[1] == first);
  assert_true(firn_table_column(stats, "wall_seconds")[2] >= 0.4);
  firn_table_close(stats);
}

// What its own steps stand on is not taken from a run.
static bool meddle(const firn_run_event *event) {
  double time = firn_sim_time(event->sim);
  if (firn_sim_step(event->sim, 0, NULL) != FIRN_ERROR_STATE) _exit(81);
  if (firn_sim_advance(event->sim, 1e-3, NULL, NULL) != FIRN_ERROR_STATE) _exit(82);
  if (firn_sim_load(event->sim, "nowhere") != FIRN_ERROR_STATE) _exit(83);
  firn_sim_destroy(event->sim);
  if (firn_sim_time(event->sim) != time) _exit(84);
  return true;
}

static void an_event_function_cannot_step_or_destroy_the_simulation(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "whole"});
  perform(s, (order){.folder = "meddled", .watch = meddle});
  assert_same_run(s, "whole", "meddled");
}

static void a_damaged_checkpoint_is_passed_over(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "whole"});
  perform(s, (order){.folder = "cut", .last = 3});
  damage(s, "cut/checkpoint_00003.hdf", true);
  perform(s, (order){.folder = "cut", .resume = true});
  assert_same_run(s, "whole", "cut");

  // Both gone: there is nothing to go on from, and what is there stays.
  perform(s, (order){.folder = "lost", .last = 3});
  damage(s, "lost/checkpoint_00003.hdf", false);
  damage(s, "lost/checkpoint_00002.hdf", true);
  perform(s, (order){.folder = "lost", .resume = true, .exact_fail = FIRN_ERROR_STATE});
  assert_said(s, "lost", "no checkpoint can be used");
  assert_int_equal(count_files(s, "lost", FIRN_FRAME_PREFIX, NULL), 4);
  assert_int_equal(count_files(s, "lost", FIRN_CHECKPOINT_PREFIX, NULL), 2);

  // A frame that is missing is made again.
  perform(s, (order){.folder = "hole", .last = 3});
  assert_int_equal(unlink(scratch_path(s, "hole/frame_00003.hdf")), 0);
  perform(s, (order){.folder = "hole", .resume = true});
  assert_same_run(s, "whole", "hole");
}

// Writes something else over a file.
static void replace(scratch *s, const char *name, const char *text) {
  assert_int_equal(firn_file_put(s->context, scratch_path(s, name), text, strlen(text)), FIRN_OK);
}

static void a_foreign_file_is_passed_over(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "whole"});
  perform(s, (order){.folder = "out", .last = 3});
  replace(s, "out/notes.txt", "mine");
  // One in place of a file of the run is not written over; a damaged one is.
  replace(s, "out/checkpoint_00003.hdf", "this is a letter");
  perform(s, (order){.folder = "out", .resume = true, .exact_fail = FIRN_ERROR_STATE});
  assert_said(s, "out", "checkpoint_00003.hdf is not a file of this run");
  replace(s, "out/checkpoint_00003.hdf", "\x89HDF\r\n\x1a\n, and no more");
  // One of a name that the run is to write, and has not written: it stays, and the run fails.
  replace(s, "out/checkpoint_00004.hdf", "");
  perform(s, (order){.folder = "out", .resume = true, .exact_fail = FIRN_ERROR_STATE});
  assert_said(s, "out", "checkpoint_00004.hdf is not a file of this run");
  assert_int_equal(unlink(scratch_path(s, "out/checkpoint_00004.hdf")), 0);
  perform(s, (order){.folder = "out", .resume = true});
  assert_same_run(s, "whole", "out");
  assert_true(scratch_exists(s, "out/notes.txt"));
  char *log;
  size_t n;
  scratch_read(s, "out/log.jsonl", &log, &n);
  assert_non_null(strstr(log, "checkpoint_00003.hdf is damaged: it ends after 21 bytes"));
  firn_free(s->context, log, n + 1);

  // A frame in place of a checkpoint, and rows that are missing.
  perform(s, (order){.folder = "rows", .last = 3});
  char from[1024];
  snprintf(from, sizeof from, "%s", scratch_path(s, "rows/frame_00003.hdf"));
  assert_int_equal(rename(from, scratch_path(s, "rows/checkpoint_00003.hdf")), 0);
  perform(s, (order){.folder = "rows", .resume = true});
  assert_same_run(s, "whole", "rows");
  perform(s, (order){.folder = "rows", .last = 3, .overwrite = true});
  replace(s, "rows/probes.csv", "");
  perform(s, (order){.folder = "rows", .resume = true, .exact_fail = FIRN_ERROR_STATE});
  assert_said(s, "rows", "probes.csv is empty");
  assert_int_equal(count_files(s, "rows", FIRN_CHECKPOINT_PREFIX, NULL), 2);
}

// In a file, the first of a text by another of the same length.
static void exchange(scratch *s, const char *name, const char *old, const char *new) {
  char *text, *at;
  size_t n;
  scratch_read(s, name, &text, &n);
  assert_non_null(at = strstr(text, old));
  for (size_t i = 0; new[i]; i++) at[i] = new[i];
  assert_int_equal(firn_file_put(s->context, scratch_path(s, name), text, n), FIRN_OK);
  firn_free(s->context, text, n + 1);
}

static void what_was_changed_is_noticed(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "whole"});
  perform(s, (order){.folder = "out", .last = 3});
  order refused = {.folder = "out", .resume = true, .exact_fail = FIRN_ERROR_STATE};
  // A name, and a digit, of a row.
  exchange(s, "out/probes.csv", "0.005,low,", "0.005,lo_,");
  perform(s, refused);
  assert_said(s, "out", "probes.csv:4");
  exchange(s, "out/probes.csv", "0.005,lo_,", "0.005,low,");
  exchange(s, "out/probes.csv", "1,0.005,nowhere,0,0", "1,0.005,nowhere,0,1");
  perform(s, refused);
  assert_said(s, "out", "probes.csv: up to frame 3 it does not hold what was written");
  exchange(s, "out/probes.csv", "1,0.005,nowhere,0,1", "1,0.005,nowhere,0,0");
  // The rows of a frame that is followed by others.
  char *rows;
  size_t n;
  scratch_read(s, "out/stats.csv", &rows, &n);
  *strstr(rows, "\n1,") = 0;
  char header[2000];
  snprintf(header, sizeof header, "%s\n", rows);
  replace(s, "out/stats.csv", header);
  perform(s, refused);
  assert_said(s, "out", "stats.csv: rows of frame 1 are missing");
  rows[strlen(rows)] = '\n';
  replace(s, "out/stats.csv", rows);
  firn_free(s->context, rows, n + 1);
  // Two frames in each other's place.
  char one[1024], two[1024], aside[1024];
  snprintf(one, sizeof one, "%s", scratch_path(s, "out/frame_00001.hdf"));
  snprintf(two, sizeof two, "%s", scratch_path(s, "out/frame_00002.hdf"));
  snprintf(aside, sizeof aside, "%s", scratch_path(s, "aside.hdf"));
  assert_int_equal(rename(one, aside) | rename(two, one) | rename(aside, two), 0);
  perform(s, refused);
  assert_said(s, "out", "frame_00001.hdf holds frame 2");
  assert_int_equal(rename(one, aside) | rename(two, one) | rename(aside, two), 0);
  perform(s, (order){.folder = "out", .resume = true});
  assert_same_run(s, "whole", "out");
}

// A scene with a file of its own.
static void a_folder_goes_on_where_it_was_moved_to(void **state) {
  scratch *s = *state;
  static const char points[] = "x,y,z\n0,0.1,0\n0.01,0.1,0\n";
  replace(s, "more.csv", points);
  replace(s, "points.yaml",
          "firn: 1\nh: 3 cm\nfps: 200 Hz\nframes: 6\nsnow: [{points: {file: more.csv}}]\n");
  perform(s, (order){.scene = "points.yaml", .folder = "whole"});
  perform(s, (order){.scene = "points.yaml", .folder = "out", .last = 3});
  exchange(s, "more.csv", "0.01", "0.02");
  order refused = {.scene = "points.yaml", .folder = "out", .resume = true};
  refused.exact_fail = FIRN_ERROR_STATE;
  perform(s, refused);
  assert_said(s, "out", "more.csv is not what it was");
  assert_int_equal(unlink(scratch_path(s, "more.csv")), 0);
  assert_int_equal(unlink(scratch_path(s, "points.yaml")), 0);
  char from[1024];
  snprintf(from, sizeof from, "%s", scratch_path(s, "out"));
  assert_int_equal(rename(from, scratch_path(s, "moved")), 0);
  perform(s, (order){.scene = "moved/scene.yaml", .folder = "moved", .resume = true});
  assert_same_run(s, "whole", "moved");
  assert_same_bytes(s, "whole/scene.yaml", "moved/scene.yaml");
}

static void fewer_frames_and_checkpoints_change_nothing_else(void **state) {
  scratch *s = *state;
  const firn_output_def output = {
      .size = sizeof output, .precision = 16, .every = 2, .checkpoints = 4};
  const firn_output_def rare = {
      .size = sizeof rare, .precision = 16, .every = 2, .checkpoints = -1};
  int first;
  perform(s, (order){.folder = "whole"});
  perform(s, (order){.folder = "some", .output = &output, .last = 5});
  assert_int_equal(count_files(s, "some", FIRN_FRAME_PREFIX, NULL), 3); // 0, 2, 4
  assert_int_equal(count_files(s, "some", FIRN_CHECKPOINT_PREFIX, &first), 2);
  assert_int_equal(first, 4); // and 5, where it ended
  perform(s, (order){.folder = "some", .output = &output, .resume = true});
  perform(s, (order){.folder = "rare", .output = &rare});
  assert_int_equal(count_files(s, "rare", FIRN_CHECKPOINT_PREFIX, &first), 1);
  assert_int_equal(first, LAST);
  assert_same_bytes(s, "some/frame_00006.hdf", "rare/frame_00006.hdf");
  assert_false(scratch_exists(s, "rare/frame_00003.hdf"));
  // The simulation itself knows nothing of this.
  assert_same_bytes(s, "whole/checkpoint_00006.hdf", "some/checkpoint_00006.hdf");
  assert_same_bytes(s, "whole/probes.csv", "rare/probes.csv");
  // Stopped after a frame that has no checkpoint of its own.
  perform(s, (order){.folder = "rare",
                     .output = &rare,
                     .overwrite = true,
                     .stop_after = 60,
                     .exact_fail = FIRN_CANCELLED});
  assert_int_equal(count_files(s, "rare", FIRN_CHECKPOINT_PREFIX, NULL), 1);
  perform(s, (order){.folder = "rare", .output = &rare, .resume = true});
  assert_same_bytes(s, "some/frame_00006.hdf", "rare/frame_00006.hdf");
  assert_same_bytes(s, "whole/colliders.csv", "rare/colliders.csv");
}

static void a_field_that_does_not_exist_is_named_before_anything_is_touched(void **state) {
  scratch *s = *state;
  const char *const fields[] = {"presure"};
  const firn_output_def output = {.size = sizeof output, .field_count = 1, .fields = fields};
  perform(s, (order){.folder = "out", .last = 2});
  order o = {.folder = "out", .output = &output, .overwrite = true};
  o.exact_fail = FIRN_ERROR_ARGUMENT;
  perform(s, o);
  assert_said(s, "out", "'presure'");
  assert_int_equal(count_files(s, "out", FIRN_FRAME_PREFIX, NULL), 3);
}

static void another_scene_cannot_resume(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "out", .last = 2});
  perform(s, (order){.folder = "out",
                     .resume = true,
                     .override = "spacing=0.013",
                     .exact_fail = FIRN_ERROR_STATE});
  assert_said(s, "out", "spacing is 0.013 now, and was 0.012");
  assert_int_equal(count_files(s, "out", FIRN_FRAME_PREFIX, NULL), 3);
}

static void write_old_checkpoint(scratch *s, const char *name) {
  firn_archive *a;
  assert_int_equal(firn_archive_create(s->context, scratch_path(s, name), &a), FIRN_OK);
  firn_archive_group(a, "firn");
  firn_archive_set_text(a, "firn", "kind", "checkpoint");
  firn_archive_set_u64(a, "firn", "format", 3);
  firn_archive_set_text(a, "firn", "version", "0.0.7");
  assert_int_equal(firn_archive_commit(a), FIRN_OK);
}

// An older version wrote other scenes and tables too: that is not the reason to be told.
static void a_folder_of_another_version_is_told_by_its_format(void **state) {
  scratch *s = *state;
  firn_folder_verdict v;
  perform(s, (order){.folder = "out", .last = 2});
  write_old_checkpoint(s, "out/checkpoint_00001.hdf");
  write_old_checkpoint(s, "out/checkpoint_00002.hdf");
  replace(s, "out/scene.yaml", "firn: 1\nsetting_of_old: 1\n");
  replace(s, "out/stats.csv", "frame,time\n0,0\n1,0.005\n2,0.01\n");
  perform(s, (order){.folder = "out", .resume = true, .exact_fail = FIRN_ERROR_STATE});
  assert_said(s, "out", "firn 0.0.7, whose checkpoints have format 3");
  assert_said(s, "out", "reads format");
  assert_said(s, "out", "finish the run with that version. Nothing was changed; --overwrite");
  assert_int_equal(firn_folder_verify(s->context, scratch_path(s, "out"), NULL, NULL, &v), FIRN_OK);
  assert_int_equal(v.faults, 1);
  assert_non_null(strstr(v.resume, "format 3"));
  // One that cannot be read says nothing of the others.
  replace(s, "out/checkpoint_00002.hdf", "");
  perform(s, (order){.folder = "out", .resume = true, .exact_fail = FIRN_ERROR_STATE});
  assert_said(s, "out", "checkpoint_00001.hdf is of firn 0.0.7");
}

static void a_scene_that_became_longer_resumes(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "whole"});
  perform(s, (order){.folder = "out", .override = "frames=2"});
  perform(s, (order){.folder = "out", .resume = true});
  assert_same_run(s, "whole", "out");
  assert_same_bytes(s, "whole/scene.yaml", "out/scene.yaml");
}

// Stopped before the first frame that was asked for: the rest is what was asked for, and no more.
static void a_resume_goes_on_with_the_frames_that_were_asked_for(void **state) {
  scratch *s = *state;
  const order stopped = {.stop_after = 3, .exact_fail = FIRN_CANCELLED};
  int first;
  order o = stopped;
  o.folder = "out", o.first = 3, o.last = 5;
  perform(s, o);
  perform(s, (order){.folder = "out", .first = -1, .resume = true});
  assert_int_equal(count_files(s, "out", FIRN_FRAME_PREFIX, &first), 3);
  assert_int_equal(first, 3);
  // They are all there: up to the end.
  perform(s, (order){.folder = "out", .first = -1, .resume = true});
  assert_int_equal(count_files(s, "out", FIRN_FRAME_PREFIX, &first), 4);
  assert_int_equal(first, 3);
  // The last one by number, and the first as before.
  o.folder = "other";
  perform(s, o);
  perform(s, (order){.folder = "other", .first = -1, .last = 4, .resume = true});
  assert_int_equal(count_files(s, "other", FIRN_FRAME_PREFIX, &first), 2);
  assert_int_equal(first, 3);
  // Beyond the scene's end; and where that was moved since.
  o.folder = "far", o.first = 0, o.last = LAST + 2;
  perform(s, o);
  perform(s, (order){.folder = "far", .first = -1, .resume = true});
  assert_int_equal(count_files(s, "far", FIRN_FRAME_PREFIX, NULL), LAST + 3);
  o.folder = "short", o.last = 5;
  perform(s, o);
  perform(s, (order){.folder = "short", .first = -1, .override = "frames=3", .resume = true});
  assert_int_equal(count_files(s, "short", FIRN_FRAME_PREFIX, NULL), 4);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_run_leaves_what_the_contract_says),
      TEST(a_range_writes_only_its_frames),
      TEST(a_new_run_replaces_an_old_one_only_when_told_to),
      TEST(stopped_in_a_frame_and_resumed_ends_in_the_same_bytes),
      TEST(particles_asleep_are_told_as_the_mean_over_the_steps),
      TEST(wall_seconds_of_a_frame_include_those_before_a_stop),
      TEST(an_event_function_cannot_step_or_destroy_the_simulation),
      TEST(a_damaged_checkpoint_is_passed_over),
      TEST(a_foreign_file_is_passed_over),
      TEST(what_was_changed_is_noticed),
      TEST(a_folder_goes_on_where_it_was_moved_to),
      TEST(fewer_frames_and_checkpoints_change_nothing_else),
      TEST(a_field_that_does_not_exist_is_named_before_anything_is_touched),
      TEST(another_scene_cannot_resume),
      TEST(a_folder_of_another_version_is_told_by_its_format),
      TEST(a_scene_that_became_longer_resumes),
      TEST(a_resume_goes_on_with_the_frames_that_were_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
