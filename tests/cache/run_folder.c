// SPDX-License-Identifier: Apache-2.0
// labels: X2
// timeout: 60
// The folder of a run: nobody else writes into it, full and locked disks lose nothing that was there, and
// what is in it can be checked. (run.c says what a run leaves there.)
#include "running.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "cache/archive.h"

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

static struct {
  int fd;    // whose lock is given up ...
  int tries; // ... after so many tries to lock in vain; 0: never
} holder;

// In place of the C library's.
int flock(int fd, int operation) {
  int result = (int)syscall(SYS_flock, fd, operation);
  if (result && errno == EWOULDBLOCK && holder.tries && --holder.tries == 0) {
    assert_int_equal(syscall(SYS_flock, holder.fd, LOCK_UN), 0);
    errno = EWOULDBLOCK;
  }
  return result;
}

// A process that reads the folder just then holds it for a moment. A run tries eleven times.
static void a_run_waits_for_who_looks(void **state) {
  scratch *s = *state;
  assert_int_equal(mkdir(scratch_path(s, "out"), 0777), 0);
  holder.fd = open(scratch_path(s, "out"), O_RDONLY | O_DIRECTORY);
  assert_true(holder.fd >= 0);
  holder.tries = 12;
  assert_int_equal(flock(holder.fd, LOCK_SH), 0);
  perform(s, (order){.folder = "out", .last = 1, .exact_fail = FIRN_ERROR_STATE});
  assert_said(s, "out", "another run");
  holder.tries = 10;
  perform(s, (order){.folder = "out", .last = 1});
  holder.tries = 0;
  close(holder.fd);
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
  firn_archive_set_u64(a, "firn", "format", 14);
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
