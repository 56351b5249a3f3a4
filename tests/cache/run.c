// SPDX-License-Identifier: Apache-2.0
// labels: X2
// timeout: 120
// Runs into a folder: what they leave there, and that being stopped changes nothing. (kill.c kills
// them.)
#include "running.h"

#include <fcntl.h>
#include <math.h>
#include <sys/file.h>
#include <sys/mount.h>

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

static void damage(scratch *s, const char *name, bool truncate_it) {
  char *data;
  size_t n;
  scratch_read(s, name, &data, &n);
  size_t keep = truncate_it ? n / 2 : n;
  if (!truncate_it) memset(data + 600, 0xff, n - 600);
  FILE *f = fopen(scratch_path(s, name), "w");
  fwrite(data, 1, keep, f);
  fclose(f);
  firn_free(s->context, data, n + 1);
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
  replace(s, "out/checkpoint_00003.hdf", "this is a letter");
  replace(s, "out/checkpoint_00004.hdf", "");
  replace(s, "out/notes.txt", "mine");
  perform(s, (order){.folder = "out", .resume = true});
  assert_same_run(s, "whole", "out");
  assert_true(scratch_exists(s, "out/notes.txt"));
  char *log;
  size_t n;
  scratch_read(s, "out/log.jsonl", &log, &n);
  assert_non_null(strstr(log, "checkpoint_00003.hdf is not an HDF5 file"));
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

static void two_runs_do_not_share_a_folder(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "out", .last = 2});
  int fd = open(scratch_path(s, "out"), O_RDONLY | O_DIRECTORY);
  assert_true(fd >= 0);
  assert_int_equal(flock(fd, LOCK_EX), 0);
  perform(s, (order){.folder = "out", .exact_fail = FIRN_ERROR_STATE});
  assert_said(s, "out", "another run");
  firn_folder_verdict v;
  assert_int_equal(firn_folder_verify(s->context, scratch_path(s, "out"), NULL, NULL, &v),
                   FIRN_ERROR_STATE);
  assert_message(s, "another run");
  close(fd);
  assert_int_equal(count_files(s, "out", FIRN_FRAME_PREFIX, NULL), 3);
}

static char busy[1200]; // folder of the run that is watched

// In the run: without its log it is as busy as before.
static bool take_the_log_away(const firn_run_event *event) {
  const firn_context_def def = firn_default_context_def();
  firn_context *context;
  firn_folder_verdict v;
  char log[1300];
  (void)event;
  snprintf(log, sizeof log, "%s/log.jsonl", busy);
  unlink(log);
  if (firn_context_create(&def, &context)) _exit(96);
  if (firn_folder_verify(context, busy, NULL, NULL, &v) != FIRN_ERROR_STATE) _exit(97);
  firn_context_destroy(context);
  return true;
}

static void a_folder_stays_locked_without_its_log(void **state) {
  scratch *s = *state;
  snprintf(busy, sizeof busy, "%s", scratch_path(s, "out"));
  perform(s, (order){.folder = "out", .last = 1, .watch = take_the_log_away});
}

// In the run: the folder is moved away after frame 2, and another one has its name.
static bool replace_the_folder(const firn_run_event *event) {
  char moved[1300];
  if (event->frame != 2 || !event->frame_written) return true;
  snprintf(moved, sizeof moved, "%s.moved", busy);
  if (!rename(busy, moved) && mkdir(busy, 0777)) _exit(98);
  return true;
}

static void a_folder_that_takes_the_place_gets_nothing(void **state) {
  scratch *s = *state;
  snprintf(busy, sizeof busy, "%s", scratch_path(s, "out"));
  perform(s, (order){.folder = "out", .watch = replace_the_folder, .exact_fail = FIRN_ERROR_IO});
  assert_said(s, "out", "after frame 3");
  assert_said(s, "out", "was moved, or replaced by another, while this run wrote into it");
  assert_int_equal(rmdir(scratch_path(s, "out")), 0); // nothing is in it
  assert_int_equal(count_files(s, "out.moved", FIRN_FRAME_PREFIX, NULL), 3);
  perform(s, (order){.folder = "out.moved", .resume = true});
}

// Versions of before lock the log alone, and so does one where folders cannot be locked.
static void who_holds_the_log_is_seen(void **state) {
  scratch *s = *state;
  firn_folder_verdict v;
  perform(s, (order){.folder = "out", .last = 2});
  int fd = open(scratch_path(s, "out/log.jsonl"), O_RDONLY);
  assert_true(fd >= 0);
  assert_int_equal(flock(fd, LOCK_EX), 0);
  assert_int_equal(firn_folder_verify(s->context, scratch_path(s, "out"), NULL, NULL, &v),
                   FIRN_ERROR_STATE);
  assert_message(s, "another run");
  perform(s, (order){.folder = "out", .resume = true, .exact_fail = FIRN_ERROR_STATE});
  assert_said(s, "out", "another run");
  close(fd);
  assert_int_equal(firn_folder_verify(s->context, scratch_path(s, "out"), NULL, NULL, &v), FIRN_OK);
}

// One who looks at the folder just then holds it for a moment.
static void a_run_waits_for_who_looks(void **state) {
  scratch *s = *state;
  assert_int_equal(mkdir(scratch_path(s, "out"), 0777), 0);
  int fd = open(scratch_path(s, "out"), O_RDONLY | O_DIRECTORY);
  assert_true(fd >= 0);
  assert_int_equal(flock(fd, LOCK_SH), 0);
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    usleep(70000);
    _exit(0);
  }
  close(fd); // the child holds it still
  perform(s, (order){.folder = "out", .last = 1});
  assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void a_folder_that_cannot_be_made_is_named(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "ball.yaml", .exact_fail = FIRN_ERROR_IO});
  assert_said(s, "ball.yaml", "ball.yaml");
}

static void a_full_disk_loses_nothing_that_was_whole(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "whole"});
  assert_int_equal(mkdir(scratch_path(s, "tiny"), 0777), 0);
  struct stat info;
  assert_int_equal(stat(scratch_path(s, "whole/frame_00000.hdf"), &info), 0);
  // Room for two checkpoints of about twice a frame, and for some frames, but not for all.
  char size[64];
  snprintf(size, sizeof size, "size=%lld", (long long)info.st_size * 8 + 65536);
  if (mount("tmpfs", scratch_path(s, "tiny"), "tmpfs", 0, size)) {
    print_message("skipped: a tmpfs needs root (%s)\n", strerror(errno));
    skip();
  }
  perform(s, (order){.folder = "tiny/out", .exact_fail = FIRN_ERROR_IO});
  char *text;
  size_t n;
  scratch_read(s, "tiny/out.message", &text, &n);
  bool said = n == 0 || strstr(text, "No space left"); // the message may have had no room itself
  firn_free(s->context, text, n + 1);
  int frames = count_files(s, "tiny/out", FIRN_FRAME_PREFIX, NULL);
  for (int i = 0; i < frames; i++) {
    char name[64], reference[64];
    snprintf(name, sizeof name, "tiny/out/frame_%05d.hdf", i);
    snprintf(reference, sizeof reference, "whole/frame_%05d.hdf", i);
    assert_same_bytes(s, reference, name);
  }
  int again = mount("tmpfs", scratch_path(s, "tiny"), "tmpfs", MS_REMOUNT, "size=64m");
  if (again == 0) perform(s, (order){.folder = "tiny/out", .resume = true});
  if (again == 0) assert_same_run(s, "whole", "tiny/out");
  umount2(scratch_path(s, "tiny"), MNT_DETACH);
  assert_true(said);
  assert_in_range(frames, 1, LAST);
}

// What is there is worth more than a beginning: only damaged checkpoints are passed over for good.
static void resuming_does_not_throw_good_checkpoints_away(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "whole"});

  // Frames that somebody took away; the checkpoints left are too new to make them again.
  perform(s, (order){.folder = "moved", .last = 3});
  char away[1200];
  snprintf(away, sizeof away, "%s", scratch_path(s, "away.hdf"));
  assert_int_equal(rename(scratch_path(s, "moved/frame_00000.hdf"), away), 0);
  perform(s, (order){.folder = "moved", .resume = true, .exact_fail = FIRN_ERROR_STATE});
  assert_said(s, "moved", "frame_00000.hdf is missing");
  assert_said(s, "moved", "--overwrite");
  assert_int_equal(count_files(s, "moved", FIRN_CHECKPOINT_PREFIX, NULL), 2);
  assert_int_equal(rename(away, scratch_path(s, "moved/frame_00000.hdf")), 0);
  perform(s, (order){.folder = "moved", .resume = true});
  assert_same_run(s, "whole", "moved");

  // A checkpoint of a build with another precision, and nothing else.
  perform(s, (order){.folder = "half", .last = 3});
  assert_int_equal(unlink(scratch_path(s, "half/checkpoint_00002.hdf")), 0);
  firn_archive *a;
  assert_int_equal(
      firn_archive_create(s->context, scratch_path(s, "half/checkpoint_00003.hdf"), &a), FIRN_OK);
  firn_archive_group(a, "firn");
  firn_archive_set_text(a, "firn", "kind", "checkpoint");
  firn_archive_set_u64(a, "firn", "format", 9);
  firn_archive_set_text(a, "firn", "precision", "half");
  assert_int_equal(firn_archive_commit(a), FIRN_OK);
  perform(s, (order){.folder = "half", .resume = true, .exact_fail = FIRN_ERROR_STATE});
  assert_said(s, "half", "its precision is half");
  assert_int_equal(count_files(s, "half", FIRN_CHECKPOINT_PREFIX, NULL), 1);
}

// Not even a row can be taken back, as resuming has to where the last checkpoint is older.
static void resuming_on_a_full_disk_loses_nothing(void **state) {
  scratch *s = *state;
  assert_int_equal(mkdir(scratch_path(s, "disk"), 0777), 0);
  if (mount("tmpfs", scratch_path(s, "disk"), "tmpfs", 0, "size=8m")) {
    print_message("skipped: a tmpfs needs root (%s)\n", strerror(errno));
    skip();
  }
  perform(s, (order){.folder = "whole"});
  perform(s, (order){.folder = "disk/out", .last = 3});
  assert_int_equal(unlink(scratch_path(s, "disk/out/checkpoint_00003.hdf")), 0);
  static const char nothing[4096];
  int fd = open(scratch_path(s, "disk/filler"), O_WRONLY | O_CREAT, 0666);
  while (write(fd, nothing, sizeof nothing) > 0) {}
  close(fd);
  perform(s, (order){.folder = "disk/out", .resume = true, .exact_fail = FIRN_ERROR_IO});
  int left = count_files(s, "disk/out", FIRN_CHECKPOINT_PREFIX, NULL);
  assert_int_equal(unlink(scratch_path(s, "disk/filler")), 0);
  perform(s, (order){.folder = "disk/out", .resume = true});
  assert_same_run(s, "whole", "disk/out");
  umount2(scratch_path(s, "disk"), MNT_DETACH);
  assert_int_equal(left, 1);
}

// Root writes where it likes, but not to a file system that is mounted for reading.
static void a_read_only_folder_is_named_and_left_alone(void **state) {
  scratch *s = *state;
  assert_int_equal(mkdir(scratch_path(s, "disk"), 0777), 0);
  if (mount("tmpfs", scratch_path(s, "disk"), "tmpfs", 0, "size=64m")) {
    print_message("skipped: a tmpfs needs root (%s)\n", strerror(errno));
    skip();
  }
  perform(s, (order){.folder = "whole"});
  perform(s, (order){.folder = "disk/out", .last = 3});
  int locked = mount("tmpfs", scratch_path(s, "disk"), "tmpfs", MS_REMOUNT | MS_RDONLY, NULL);
  // The test's own message has nowhere to go either.
  if (!locked) {
    perform(s, (order){.folder = "disk/out", .resume = true, .exact_fail = FIRN_ERROR_IO});
    perform(s, (order){.folder = "disk/new", .exact_fail = FIRN_ERROR_IO});
  }
  int open = mount("tmpfs", scratch_path(s, "disk"), "tmpfs", MS_REMOUNT, NULL);
  if (!open) perform(s, (order){.folder = "disk/out", .resume = true});
  if (!open) assert_same_run(s, "whole", "disk/out");
  umount2(scratch_path(s, "disk"), MNT_DETACH);
  assert_int_equal(locked, 0);
  assert_int_equal(open, 0);
}

typedef struct told {
  int count;
  char text[600]; // of the last fault
} told;

static void hear(void *user, const char *text) {
  told *t = user;
  t->count++;
  snprintf(t->text, sizeof t->text, "%s", text);
}

static firn_folder_verdict verify(scratch *s, const char *folder, told *t) {
  firn_folder_verdict v;
  *t = (told){0};
  assert_int_equal(firn_folder_verify(s->context, scratch_path(s, folder), hear, t, &v), FIRN_OK);
  assert_int_equal(v.faults, t->count);
  return v;
}

static void a_folder_is_checked_without_a_run(void **state) {
  scratch *s = *state;
  told t;
  perform(s, (order){.folder = "out", .last = 3});
  firn_folder_verdict v = verify(s, "out", &t);
  assert_true(v.frames == 4 && v.checkpoints == 2 && v.faults == 0 && v.resumes_after == 3);
  assert_non_null(strstr(v.resume, "goes on after frame 3"));
  struct stat info;
  assert_int_equal(stat(scratch_path(s, "out/frame_00000.hdf"), &info), 0);
  assert_true(v.bytes > 4 * (double)info.st_size);
  // Wrong, and made again.
  damage(s, "out/frame_00003.hdf", true);
  v = verify(s, "out", &t);
  assert_true(v.faults == 1 && v.resumes_after == 2);
  assert_non_null(strstr(t.text, "frame_00003.hdf is damaged"));
  // Wrong for good.
  damage(s, "out/frame_00001.hdf", false);
  v = verify(s, "out", &t);
  assert_true(v.faults == 2 && v.resumes_after == -1);
  assert_non_null(strstr(v.resume, "frame_00001.hdf is damaged"));
  // Nobody need listen.
  assert_int_equal(firn_folder_verify(s->context, scratch_path(s, "out"), NULL, NULL, &v), FIRN_OK);
  assert_int_equal(v.faults, 2);
  assert_int_equal(firn_folder_verify(s->context, NULL, hear, &t, &v), FIRN_ERROR_ARGUMENT);
  assert_int_equal(firn_folder_verify(s->context, scratch_path(s, "none"), hear, &t, &v),
                   FIRN_ERROR_IO);
  assert_int_equal(mkdir(scratch_path(s, "empty"), 0777), 0);
  v = verify(s, "empty", &t);
  assert_true(!v.faults && strstr(v.resume, "begins"));
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
      TEST(two_runs_do_not_share_a_folder),
      TEST(a_folder_stays_locked_without_its_log),
      TEST(a_folder_that_takes_the_place_gets_nothing),
      TEST(who_holds_the_log_is_seen),
      TEST(a_run_waits_for_who_looks),
      TEST(a_folder_is_checked_without_a_run),
      TEST(a_folder_that_cannot_be_made_is_named),
      TEST(a_full_disk_loses_nothing_that_was_whole),
      TEST(resuming_does_not_throw_good_checkpoints_away),
      TEST(resuming_on_a_full_disk_loses_nothing),
      TEST(a_read_only_folder_is_named_and_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
