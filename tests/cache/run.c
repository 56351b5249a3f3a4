// SPDX-License-Identifier: Apache-2.0
// timeout: 120
// Runs into a folder: what they leave there, and that being stopped or killed changes nothing.
//
// Every run is made in a process of its own: some are killed, and OpenMP does not survive a fork
// of a process that has used it.
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <firn/firn.h>

#include "base/clock.h"
#include "base/random.h"
#include "cache/folder.h"
#include "cache/frame.h"
#include "cache/stats.h"

enum { LAST = 6 };

// A small ball about to hit the ground, stiff enough for some forty steps a frame.
static const char scene_text[] = "firn: 1\n"
                                 "title: a small ball\n"
                                 "spacing: 12 mm\n"
                                 "frames: 6\n"
                                 "fps: 200 Hz\n"
                                 "snow:\n"
                                 "  - shape: {sphere: {center: [0, 5 cm, 0], radius: 4 cm}}\n"
                                 "    velocity: [0, -2 m/s, 0]\n"
                                 "colliders:\n"
                                 "  - name: ground\n"
                                 "    shape: {half_space: {normal: [0, 1, 0]}}\n"
                                 "    friction: 0.4\n";

typedef struct order {
  const char *folder; // in the scratch folder
  const char *override;
  int first, last;
  bool resume;
  int stop_after; // events; 0: never
  int kill_after; // microseconds; 0: never
  int exact_fail; // status that is expected; 0: FIRN_OK
} order;

static int events;

static bool on_event(void *user, const firn_run_event *event) {
  const order *o = user;
  if (event->frame < 0 || event->frame > event->last_frame || !event->sim) _exit(90);
  if (event->frame_written && event->frame < o->first) _exit(91);
  return ++events != o->stop_after;
}

// In the child: runs, and answers with the status. The message goes to <folder>.message.
static int child(scratch *s, const order *o) {
  firn_context *context;
  firn_scene *scene;
  firn_context_def with = firn_default_context_def();
  with.threads = 2;
  if (firn_context_create(&with, &context)) return 92;
  char scene_path[1200], folder[1200];
  snprintf(scene_path, sizeof scene_path, "%s/ball.yaml", s->folder);
  snprintf(folder, sizeof folder, "%s/%s", s->folder, o->folder);
  const char *const overrides[] = {o->override};
  firn_status status = firn_scene_load(context, scene_path, o->override ? 1 : 0, overrides, &scene);
  if (status) {
    fprintf(stderr, "%s\n", firn_context_message(context));
    if (scene && firn_scene_error_count(scene)) {
      fprintf(stderr, "%s\n", firn_scene_error_get(scene, 0)->message);
    }
    return 93;
  }
  firn_run_def def = firn_default_run_def();
  def.folder = folder;
  def.first_frame = o->first;
  def.last_frame = o->last ? o->last : -1;
  def.resume = o->resume;
  def.event = on_event;
  def.event_user = (void *)(uintptr_t)o;
  status = firn_run(scene, &def);
  firn_scene_destroy(scene);
  char path[1400];
  snprintf(path, sizeof path, "%s.message", folder);
  FILE *f = fopen(path, "w");
  if (f) {
    if (status) fputs(firn_context_message(context), f);
    fclose(f);
  }
  if (firn_context_bytes(context)) return 94;
  firn_context_destroy(context);
  return (int)status;
}

// True when the run ended by itself, with the status that was expected.
static bool perform(scratch *s, order o) {
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) _exit(child(s, &o));
  if (o.kill_after) {
    usleep((useconds_t)o.kill_after);
    kill(pid, SIGKILL);
  }
  int code = 0;
  assert_int_equal(waitpid(pid, &code, 0), pid);
  if (o.kill_after && WIFSIGNALED(code)) return false;
  assert_true(WIFEXITED(code));
  assert_int_equal(WEXITSTATUS(code), o.exact_fail);
  return true;
}

// Under valgrind each of the many processes takes seconds to start: fewer of them must do.
static bool is_slow(void) {
  const char *preload = getenv("LD_PRELOAD");
  return preload && strstr(preload, "vgpreload");
}

static int setup(void **state) {
  if (scratch_open(state)) return -1;
  scratch *s = *state;
  return firn_file_put(s->context, scratch_path(s, "ball.yaml"), scene_text,
                       sizeof scene_text - 1) != FIRN_OK;
}

static const char *inside(scratch *s, const char *folder, const char *name) {
  static char path[700];
  (void)s;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

// stats.csv without its last column, wall_seconds.
static void read_stats(scratch *s, const char *folder, char *out, size_t size) {
  char *text;
  size_t n, used = 0;
  scratch_read(s, inside(s, folder, "stats.csv"), &text, &n);
  for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
    *end = 0;
    char *comma = strrchr(line, ',');
    assert_non_null(comma);
    used += (size_t)snprintf(out + used, size - used, "%.*s\n", (int)(comma - line), line);
    assert_true(used < size);
  }
  firn_free(s->context, text, n + 1);
}

static void assert_same_run(scratch *s, const char *a, const char *b) {
  static char stats_a[20000], stats_b[20000];
  read_stats(s, a, stats_a, sizeof stats_a);
  read_stats(s, b, stats_b, sizeof stats_b);
  assert_string_equal(stats_a, stats_b);
  for (int i = 0; i <= LAST; i++) {
    char name_a[700], name_b[700];
    snprintf(name_a, sizeof name_a, "%s/frame_%05d.hdf", a, i);
    snprintf(name_b, sizeof name_b, "%s/frame_%05d.hdf", b, i);
    assert_same_bytes(s, name_a, name_b);
  }
}

static int count_files(scratch *s, const char *folder, const char *prefix, int *first) {
  int *numbers, found;
  size_t count;
  assert_int_equal(firn_folder_list(s->context, scratch_path(s, folder), prefix, &numbers, &count),
                   FIRN_OK);
  if (first) *first = count ? numbers[0] : -1;
  found = (int)count;
  firn_free(s->context, numbers, count * sizeof *numbers);
  return found;
}

static void assert_said(scratch *s, const char *folder, const char *word) {
  char name[700], *text;
  size_t n;
  snprintf(name, sizeof name, "%s.message", folder);
  scratch_read(s, name, &text, &n);
  if (!strstr(text, word)) fail_msg("message \"%s\" does not say \"%s\"", text, word);
  firn_free(s->context, text, n + 1);
}

// ---------------------------------------------------------------------------------------- contract

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

  firn_stats_row *rows;
  size_t count;
  assert_int_equal(
      firn_stats_read(s->context, scratch_path(s, "new/deep/out/stats.csv"), &rows, &count),
      FIRN_OK);
  assert_int_equal(count, LAST + 1);
  struct stat info;
  assert_int_equal(stat(scratch_path(s, "new/deep/out/frame_00003.hdf"), &info), 0);
  assert_true(rows[3].value[FIRN_STATS_bytes] == (double)info.st_size);
  firn_frame *f;
  assert_int_equal(firn_frame_open(s->context, scratch_path(s, "new/deep/out/frame_00003.hdf"), &f),
                   FIRN_OK);
  assert_int_equal(f->frame, 3);
  assert_true(f->time == 3 * (1 / 200.0));
  assert_true(rows[3].value[FIRN_STATS_particles] == (double)f->count);
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
  assert_true(fabs(sum - rows[3].value[FIRN_STATS_mass]) < 1e-7 * sum);
  assert_true(rows[0].value[FIRN_STATS_steps] == 0);
  assert_true(rows[3].value[FIRN_STATS_steps] > 1);
  // The steps of a frame add up to its length: nine digits of the mean.
  double length = rows[3].value[FIRN_STATS_dt_mean] * rows[3].value[FIRN_STATS_steps];
  assert_true(length > 0.005 * (1 - 1e-8) && length < 0.005 * (1 + 1e-8));
  firn_stats_free(s->context, rows, count);

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
  firn_stats_row *rows;
  size_t count;
  assert_int_equal(firn_stats_read(s->context, scratch_path(s, "part/stats.csv"), &rows, &count),
                   FIRN_OK);
  assert_int_equal(count, 5); // frames 0 to 4
  firn_stats_free(s->context, rows, count);
  perform(s, (order){.folder = "part", .first = 5, .last = 4, .exact_fail = FIRN_ERROR_ARGUMENT});
  assert_said(s, "part", "5:4");
}

static void a_new_run_replaces_an_old_one(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "out"});
  perform(s, (order){.folder = "out", .last = 2});
  assert_int_equal(count_files(s, "out", FIRN_FRAME_PREFIX, NULL), 3);
  assert_int_equal(count_files(s, "out", FIRN_CHECKPOINT_PREFIX, NULL), 2);
}

// ------------------------------------------------------------------------------ stopping and going on

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

static void killed_at_any_moment_and_resumed_ends_in_the_same_bytes(void **state) {
  scratch *s = *state;
  double begin = firn_seconds();
  perform(s, (order){.folder = "whole"});
  double whole = firn_seconds() - begin;
  int kills = 0;
  bool done = false;
  for (uint32_t i = 0; !done && i < (is_slow() ? 3 : 20); i++) {
    double draw = firn_uniform(firn_philox4x32(11, i, 0, 0).v[0]);
    // From right at the start to where an undisturbed run would be a third through.
    order o = {
        .folder = "killed", .resume = kills > 0, .kill_after = 1 + (int)(0.3e6 * whole * draw)};
    done = perform(s, o);
    kills += !done;
    // Where the first run was held up by other work, this one may be through before its time.
    if (done && !kills) {
      done = false;
      whole /= 4;
    }
  }
  if (!done) perform(s, (order){.folder = "killed", .resume = true});
  print_message("killed %d times\n", kills);
  assert_true(kills > 0);
  assert_same_run(s, "whole", "killed");
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

  // Both gone: from the beginning.
  perform(s, (order){.folder = "lost", .last = 3});
  damage(s, "lost/checkpoint_00003.hdf", false);
  damage(s, "lost/checkpoint_00002.hdf", true);
  perform(s, (order){.folder = "lost", .resume = true});
  assert_same_run(s, "whole", "lost");

  // A frame that is missing is made again.
  perform(s, (order){.folder = "hole", .last = 3});
  assert_int_equal(unlink(scratch_path(s, "hole/frame_00003.hdf")), 0);
  perform(s, (order){.folder = "hole", .resume = true});
  assert_same_run(s, "whole", "hole");
}

static void another_scene_cannot_resume(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "out", .last = 2});
  perform(s, (order){.folder = "out",
                     .resume = true,
                     .override = "spacing=0.013",
                     .exact_fail = FIRN_ERROR_STATE});
  assert_said(s, "out", "line 4"); // of the resolved scene
  assert_int_equal(count_files(s, "out", FIRN_FRAME_PREFIX, NULL), 3);
}

static void two_runs_do_not_share_a_folder(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "out", .last = 2});
  int fd = open(scratch_path(s, "out/log.jsonl"), O_RDWR);
  assert_true(fd >= 0);
  assert_int_equal(flock(fd, LOCK_EX), 0);
  perform(s, (order){.folder = "out", .exact_fail = FIRN_ERROR_STATE});
  assert_said(s, "out", "another run");
  close(fd);
  assert_int_equal(count_files(s, "out", FIRN_FRAME_PREFIX, NULL), 3);
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_run_leaves_what_the_contract_says),
      TEST(a_range_writes_only_its_frames),
      TEST(a_new_run_replaces_an_old_one),
      TEST(stopped_in_a_frame_and_resumed_ends_in_the_same_bytes),
      TEST(killed_at_any_moment_and_resumed_ends_in_the_same_bytes),
      TEST(a_damaged_checkpoint_is_passed_over),
      TEST(another_scene_cannot_resume),
      TEST(two_runs_do_not_share_a_folder),
      TEST(a_folder_that_cannot_be_made_is_named),
      TEST(a_full_disk_loses_nothing_that_was_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
