// SPDX-License-Identifier: Apache-2.0
// long
// processors: 2
// timeout: 300
// Beside other work on all cores, in one host and in two at once, the library with two threads writes what the
// program firn with two does. How long both take is printed: with threads that spin for milliseconds the
// library took ten times as long and more. It is not held, since that work shares out the cores as it
// likes; that threads of the library sleep while they wait, base.team holds.
#include "cache/scratch.h"

#include "api/setup.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "base/clock.h"

enum { MOST = 64, ROUNDS = 7, HOSTS = 2 };

// A ball of some four thousand particles that hits the ground.
static const char SCENE[] =
    "firn: 1\nh: 2 cm\nfps: 50\nframes: 3\n"
    "snow: [{shape: {sphere: {center: [0, 0.12, 0], radius: 0.1}}, velocity: [0, -3, 0]}]\n"
    "colliders: [{name: ground, shape: {half_space: {}}, friction: 0.4}]\n";

#define LAST_FRAME "out-0/frame_00003.hdf"

// Other work, one process a core and one more.
static int begin_work(pid_t child[MOST]) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN) + 1;
  int count = cores < MOST ? (int)cores : MOST;
  for (int i = 0; i < count; i++) {
    child[i] = fork();
    assert_true(child[i] >= 0);
    for (volatile uint64_t n = 0; child[i] == 0; n++) {
      if (getppid() == 1) _exit(0); // the test is gone
    }
  }
  return count;
}

static void end_work(const pid_t *child, int count) {
  for (int i = 0; i < count; i++) {
    kill(child[i], SIGKILL);
    waitpid(child[i], NULL, 0);
  }
}

typedef struct job {
  char scene[600], out[600];
} job;

// The library, as firn run has it: frames, tables and all.
static void *play(void *user) {
  const job *j = user;
  firn_context *context = make_context(2, FIRN_ISA_AUTO);
  firn_scene *scene;
  firn_run_def def = firn_default_run_def();
  def.folder = j->out;
  def.overwrite = true;
  firn_status status = firn_scene_load(context, j->scene, 0, NULL, &scene);
  if (status == FIRN_OK) status = firn_run(scene, &def);
  if (status != FIRN_OK) print_error("%s\n", firn_context_message(context));
  firn_scene_destroy(scene);
  firn_context_destroy(context);
  return status == FIRN_OK ? user : NULL;
}

// s of wall time for some at once.
static double by_library(job *jobs, int count) {
  pthread_t thread[HOSTS];
  double start = firn_seconds();
  for (int i = 0; i < count; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, play, &jobs[i]), 0);
  for (int i = 0; i < count; i++) {
    void *done;
    pthread_join(thread[i], &done);
    assert_non_null(done);
  }
  return firn_seconds() - start;
}

static double by_program(const char *firn, job *jobs, int count) {
  pid_t child[HOSTS];
  double start = firn_seconds();
  for (int i = 0; i < count; i++) {
    const char *const words[] = {"firn", "run", jobs[i].scene, "-o", jobs[i].out,
                                 "-j",   "2",   "--overwrite", "-q", NULL};
    assert_int_equal(posix_spawn(&child[i], firn, NULL, NULL, (char *const *)words, environ), 0);
  }
  for (int i = 0; i < count; i++) {
    int status;
    assert_int_equal(waitpid(child[i], &status, 0), child[i]);
    assert_int_equal(status, 0);
  }
  return firn_seconds() - start;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *of) {
  qsort(of, ROUNDS, sizeof *of, by_size);
  return of[ROUNDS / 2];
}

// The program is of one precision, and so is this test.
static bool is_same_precision(const char *firn) {
  char words[700], line[200] = "";
  snprintf(words, sizeof words, "'%s' --version", firn);
  FILE *said = popen(words, "r");
  assert_non_null(said);
  if (!fgets(line, sizeof line, said)) line[0] = 0;
  pclose(said);
  snprintf(words, sizeof words, "(%s)", firn_precision());
  return strstr(line, words) != NULL;
}

static void a_host_beside_other_work_writes_what_the_program_does(void **state) {
  scratch *files = *state;
  const char *firn = getenv("FIRN");
  if (!firn || !is_same_precision(firn)) {
    skip();
    return;
  }
  job jobs[HOSTS];
  for (int i = 0; i < HOSTS; i++) {
    snprintf(jobs[i].scene, sizeof jobs[i].scene, "%s/scene.yaml", files->folder);
    snprintf(jobs[i].out, sizeof jobs[i].out, "%s/out-%d", files->folder, i);
  }
  assert_int_equal(firn_file_put(files->context, jobs[0].scene, SCENE, strlen(SCENE)), FIRN_OK);
  pid_t child[MOST];
  double library[HOSTS][ROUNDS], program[HOSTS][ROUNDS];
  int count = begin_work(child);
  for (int r = 0; r < ROUNDS; r++) { // in turns, since the load of others comes and goes
    for (int n = 0; n < HOSTS; n++) {
      library[n][r] = by_library(jobs, n + 1);
      char *of_library, *of_program;
      size_t sizes[2];
      scratch_read(files, LAST_FRAME, &of_library, &sizes[0]);
      program[n][r] = by_program(firn, jobs, n + 1);
      scratch_read(files, LAST_FRAME, &of_program, &sizes[1]);
      assert_int_equal(sizes[0], sizes[1]);
      assert_memory_equal(of_library, of_program, sizes[0]);
      firn_free(files->context, of_library, sizes[0] + 1);
      firn_free(files->context, of_program, sizes[1] + 1);
    }
  }
  end_work(child, count);
  for (int n = 0; n < HOSTS; n++) {
    double a = median(library[n]), b = median(program[n]);
    print_message("%d at once: library %.2f s, program %.2f s: %.2f times\n", n + 1, a, b, a / b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_host_beside_other_work_writes_what_the_program_does,
                                      scratch_open, scratch_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
