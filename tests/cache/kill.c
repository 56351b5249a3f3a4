// SPDX-License-Identifier: Apache-2.0
// labels: X2 slow
// timeout: 120
// long in double
// processors: 2
// Runs killed at twenty moments and resumed end in the bytes of an undisturbed run.
//
// Most that can go wrong goes wrong between two calls of the system, so that is where runs are
// killed: this program has calls of its own for those that change files, which count and, when it
// is time, kill the process; a write is then done by half. The other moments are between steps.
#include "running.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "base/random.h"

// Shared with the children.
typedef struct counts {
  long calls, steps;         // made so far
  long kill_call, kill_step; // when to kill; 0: never
  char last[64];             // the call that was the last
} counts;
static counts *count;
static bool counting; // in a child

static void die(const char *name) {
  snprintf(count->last, sizeof count->last, "%s", name);
  raise(SIGKILL);
}

static bool due(void) {
  return counting && ++count->calls == count->kill_call;
}

static void *next(const char *name) {
  void *p = dlsym(RTLD_NEXT, name);
  if (!p) abort();
  return p;
}

// dlsym's answer as a function.
#define REAL(name) (*(__typeof__(&name) *)&(void *){next(#name)})

ssize_t pwrite(int fd, const void *buf, size_t n, off_t offset) {
  bool now = due();
  ssize_t done = REAL(pwrite)(fd, buf, now ? n / 2 : n, offset);
  if (now) die("pwrite");
  return done;
}

ssize_t write(int fd, const void *buf, size_t n) {
  bool now = due();
  ssize_t done = REAL(write)(fd, buf, now ? n / 2 : n);
  if (now) die("write");
  return done;
}

int fsync(int fd) {
  if (due()) die("fsync");
  return REAL(fsync)(fd);
}

int ftruncate(int fd, off_t length) {
  if (due()) die("ftruncate");
  return REAL(ftruncate)(fd, length);
}

int rename(const char *old, const char *new) {
  if (due()) die("rename");
  return REAL(rename)(old, new);
}

int unlink(const char *name) {
  if (due()) die("unlink");
  return REAL(unlink)(name);
}

// ------------------------------------------------------------------------------------------ tests

static bool watch(const firn_run_event *event) {
  (void)event;
  if (++count->steps == count->kill_step) die("a step");
  return true;
}

// Runs until call or step number n; true when it got to the end before.
static bool run_until(scratch *s, const char *scene, const char *folder, bool resume, long call,
                      long step) {
  *count = (counts){.kill_call = call, .kill_step = step};
  counting = true; // inherited; this process forks and waits
  bool ended = perform(s,
                       (order){.scene = scene, .folder = folder, .resume = resume, .watch = watch});
  counting = false;
  return ended;
}

static int setup_counts(void **state) {
  count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return count == MAP_FAILED ? -1 : setup(state);
}

static int teardown_counts(void **state) {
  munmap(count, sizeof *count);
  return scratch_close(state);
}

static void print_fault(void *user, const char *text) {
  (void)user;
  print_error("%s\n", text);
}

static void kill_at_twenty_moments(scratch *s, const char *scene) {
  assert_true(run_until(s, scene, "whole", false, 0, 0));
  long calls = count->calls, steps = count->steps;
  print_message("%ld calls, %ld steps\n", calls, steps);
  assert_true(calls > 100 && steps > 60);
  enum { BY_CALL = 14, BY_STEP = 6 };
  for (uint32_t i = 0; i < BY_CALL + BY_STEP; i++) {
    if (is_slow() && i % 7) continue;
    // One moment in each of as many equal parts of the run, at random within it.
    double u = firn_uniform(firn_philox4x32(11, i, 0, 0).v[0]);
    long call = i < BY_CALL ? 1 + (long)((i + u) / BY_CALL * (double)calls) : 0;
    long step = i < BY_CALL ? 0 : 1 + (long)((i - BY_CALL + u) / BY_STEP * (double)steps);
    char folder[32];
    snprintf(folder, sizeof folder, "killed-%u", i);
    assert_false(run_until(s, scene, folder, false, call, step));
    print_message("killed in %s (call %ld, step %ld)\n", count->last, count->calls, count->steps);
    // Nothing is wrong with what is there: it is only not finished.
    firn_folder_verdict v;
    assert_int_equal(firn_folder_verify(s->context, scratch_path(s, folder), print_fault, NULL, &v),
                     FIRN_OK);
    assert_int_equal(v.faults, 0);
    assert_true(run_until(s, scene, folder, true, 0, 0));
    assert_same_run(s, "whole", folder);
  }
}

static void a_run_killed_at_twenty_moments_ends_in_the_same_bytes(void **state) {
  kill_at_twenty_moments(*state, "ball.yaml");
}

static void sleepers_killed_in_a_moving_window_end_in_the_same_bytes(void **state) {
  kill_at_twenty_moments(*state, "bed.yaml");
}

// The end of a frame, where all files change, call by call.
static void a_run_killed_in_each_call_of_a_frame_ends_in_the_same_bytes(void **state) {
  scratch *s = *state;
  assert_true(run_until(s, NULL, "whole", false, 0, 0));
  // From frame 2 on; each run goes on where the one before was killed, so that what a resumed run
  // does first is interrupted as well.
  long call = 1;
  bool ended = false;
  int kills = 0;
  assert_true(perform(s, (order){.folder = "killed", .last = 2}));
  while (!ended && kills < 400) {
    ended = run_until(s, NULL, "killed", true, call, 0);
    kills += !ended;
    call += is_slow() ? 29 : 7;
  }
  print_message("killed %d times\n", kills);
  assert_true(ended);
  assert_in_range(kills, 2, 399);
  assert_same_run(s, "whole", "killed");
}

// Runs a scene in place of another one's run until a call, then resumes it. Until the old run is given
// up it stays; from then on the new one goes on.
static bool overwrite_and_resume(scratch *s, long call) {
  const char *other = "spacing=0.02";
  perform(s, (order){.override = other, .folder = "killed", .last = 1, .overwrite = true});
  *count = (counts){.kill_call = call};
  counting = true;
  bool ended = perform(s, (order){.folder = "killed", .last = 1, .overwrite = true});
  counting = false;
  if (ended) return true;
  bool given_up = !scratch_exists(s, "killed/stats.csv") ||
                  !count_files(s, "killed", FIRN_FRAME_PREFIX, NULL) ||
                  !scratch_exists(s, "killed/checkpoint_00001.hdf");
  int old = count_files(s, "killed", FIRN_FRAME_PREFIX, NULL);
  order o = {.folder = "killed", .resume = true};
  if (!given_up) o.exact_fail = FIRN_ERROR_STATE;
  perform(s, o);
  if (given_up)
    assert_same_run(s, "whole", "killed");
  else
    assert_int_equal(count_files(s, "killed", FIRN_FRAME_PREFIX, NULL), old);
  return false;
}

static void an_overwrite_killed_in_any_call_is_resumed_or_left_alone(void **state) {
  scratch *s = *state;
  assert_true(run_until(s, NULL, "whole", false, 0, 0));
  int kills = 0;
  for (long call = 1; call < 60 && !overwrite_and_resume(s, call); call += is_slow() ? 13 : 4)
    kills++;
  print_message("killed %d times\n", kills);
  assert_true(kills > 3);
}

// A branch of other numbers, killed while it takes over what the trunk has. Its origin is on disk before
// anything else is, so a resume need not be given it; where nothing is there yet, nothing has begun.
static bool branch_and_resume(scratch *s, long call) {
  char folder[32], list[64];
  snprintf(folder, sizeof folder, "killed-%ld", call);
  snprintf(list, sizeof list, "%s/firn-files.txt", folder);
  order o = {.override = "gravity=[1, 2, 3]", .folder = folder, .from = "trunk"};
  *count = (counts){.kill_call = call};
  counting = true;
  bool ended = perform(s, o);
  counting = false;
  if (ended) return true;
  o.resume = true;
  if (scratch_exists(s, list)) o.from = NULL;
  perform(s, o);
  assert_same_run(s, "branch", folder);
  return false;
}

static void a_branch_killed_in_any_call_is_resumed_as_one(void **state) {
  scratch *s = *state;
  perform(s, (order){.folder = "trunk", .last = 2});
  perform(s, (order){.override = "gravity=[1, 2, 3]", .folder = "branch", .from = "trunk"});
  int kills = 0;
  for (long call = 1; call < 80 && !branch_and_resume(s, call); call += is_slow() ? 13 : 4) kills++;
  print_message("killed %d times\n", kills);
  assert_true(kills > 3);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup_counts, teardown_counts)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_run_killed_at_twenty_moments_ends_in_the_same_bytes),
      TEST(sleepers_killed_in_a_moving_window_end_in_the_same_bytes),
      TEST(a_run_killed_in_each_call_of_a_frame_ends_in_the_same_bytes),
      TEST(an_overwrite_killed_in_any_call_is_resumed_or_left_alone),
      TEST(a_branch_killed_in_any_call_is_resumed_as_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
