// SPDX-License-Identifier: Apache-2.0
// What the tests of runs share: a small scene, runs of it in processes of their own, and whether
// two runs left the same bytes.
//
// Every run is made in a process of its own: some are killed, and OpenMP does not survive a fork
// of a process that has used it.
#ifndef FIRN_TESTS_CACHE_RUNNING_H
#define FIRN_TESTS_CACHE_RUNNING_H

#include "scratch.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include <firn/firn.h>

#include "base/clock.h"
#include "cache/folder.h"
#include "support/checker.h"

enum { LAST = 6 };

// A small ball about to hit the ground, stiff enough for some thirty steps a frame, and of all that
// has a state besides particles something: an emitter, a value that is keyed, forces, probes.
static const char scene_text[] =
    "firn: 1\n"
    "title: a small ball\n"
    "spacing: 12 mm\n"
    "frames: 6\n"
    "fps: 200 Hz\n"
    "gravity: {keys: [[0 s, [0, -9.81, 0]], [30 ms, [3, -5, 0]]]}\n"
    "snow:\n"
    "  - shape: {sphere: {center: [0, 5 cm, 0], radius: 4 cm}}\n"
    "    velocity: [0, -2 m/s, 0]\n"
    "emitters:\n"
    "  - name: gun\n"
    "    shape: {sphere: {center: [0, 15 cm, 0], radius: 2 cm}}\n"
    "    velocity: [0, -3 m/s, 0]\n"
    "    stop: 17 ms\n"
    "colliders:\n"
    "  - name: ground\n"
    "    shape: {half_space: {normal: [0, 1, 0]}}\n"
    "    friction: 0.4\n"
    "    forces: true\n"
    "probes:\n"
    "  - {name: low, box: {center: [0, 0, 0], size: [10 cm, 6 cm, 10 cm]}}\n"
    "  - {name: nowhere, point: {center: [1, 1, 1], radius: 1 cm}}\n";

// A bed that sleeps, is woken by what an emitter drops and goes to sleep again, in a window that leaves
// some of it behind and comes to more.
static const char bed_text[] =
    "firn: 1\n"
    "title: a bed of snow\n"
    "spacing: 12 mm\n"
    "frames: 6\n"
    "fps: 200 Hz\n"
    "snow:\n"
    "  - shape: {box: {center: [0, 25 mm, 0], size: [1 m, 5 cm, 8 cm]}}\n"
    "    settled: true\n"
    "emitters:\n"
    "  - shape: {sphere: {center: [5 cm, 7 cm, 0], radius: 2 cm}}\n"
    "    velocity: [0, -3 m/s, 0]\n"
    "    start: 11 ms\n"
    "    stop: 13 ms\n"
    "colliders:\n"
    "  - name: ground\n"
    "    shape: {half_space: {normal: [0, 1, 0]}}\n"
    "    sticky: true\n"
    "window: {min: [-30 cm, -.inf, -.inf], max: [12 cm, .inf, .inf], velocity: [6 m/s, 0, 0]}\n"
    "mpm: {flip: 0, sleep_time: 2 ms, sleep_speed: 100, sleep_drift: 0.5}\n";

typedef struct order {
  const char *scene;  // in the scratch folder; NULL: ball.yaml
  const char *folder; // likewise
  const char *override;
  const firn_output_def *output;
  int first, last;
  bool resume, overwrite;
  const char *from;                           // folder to branch off from, likewise
  int stop_after;                             // events; 0: never
  bool (*watch)(const firn_run_event *event); // besides; false: stop
  int exact_fail;                             // status that is expected; 0: FIRN_OK
} order;

static int events;

static inline bool on_event(void *user, const firn_run_event *event) {
  const order *o = user;
  if (event->frame < 0 || event->frame > event->last_frame || !event->sim) _exit(90);
  if (event->frame_written && event->frame < o->first) _exit(91);
  if (event->resumed && !o->resume && !o->from) _exit(95);
  if (event->resumed) return true; // nothing is done yet
  if (o->watch && !o->watch(event)) return false;
  return ++events != o->stop_after;
}

// In the child: runs, and answers with the status. The message goes to <folder>.message.
static inline int child(scratch *s, const order *o) {
  firn_context *context;
  firn_scene *scene;
  firn_context_def with = firn_default_context_def();
  with.threads = 2;
  if (firn_context_create(&with, &context)) return 92;
  char scene_path[1200], folder[1200], from[1200];
  snprintf(scene_path, sizeof scene_path, "%s/%s", s->folder, o->scene ? o->scene : "ball.yaml");
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
  def.overwrite = o->overwrite;
  snprintf(from, sizeof from, "%s/%s", s->folder, o->from ? o->from : "");
  if (o->from) def.from = from;
  def.output = o->output;
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

// True when the run ended by itself, with the status that was expected; false when it was killed.
static inline bool perform(scratch *s, order o) {
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) _exit(child(s, &o));
  int code = 0;
  assert_int_equal(waitpid(pid, &code, 0), pid);
  if (WIFSIGNALED(code) && WTERMSIG(code) == SIGKILL) return false;
  assert_true(WIFEXITED(code));
  assert_int_equal(WEXITSTATUS(code), o.exact_fail);
  return true;
}

static inline int setup(void **state) {
  if (scratch_open(state)) return -1;
  scratch *s = *state;
  s->context->threads = 1; // this process forks: what it reads itself, it reads without a team
  if (firn_file_put(s->context, scratch_path(s, "ball.yaml"), scene_text, sizeof scene_text - 1))
    return -1;
  return firn_file_put(s->context, scratch_path(s, "bed.yaml"), bed_text, sizeof bed_text - 1) !=
         FIRN_OK;
}

static inline const char *inside(scratch *s, const char *folder, const char *name) {
  static char path[700];
  (void)s;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

// stats.csv without its last column, wall_seconds.
static inline void read_stats(scratch *s, const char *folder, char *out, size_t size) {
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

static inline void assert_same_run(scratch *s, const char *a, const char *b) {
  static char stats_a[20000], stats_b[20000];
  read_stats(s, a, stats_a, sizeof stats_a);
  read_stats(s, b, stats_b, sizeof stats_b);
  assert_string_equal(stats_a, stats_b);
  const char *const tables[] = {"colliders.csv", "probes.csv"};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    char name_a[700], name_b[700];
    snprintf(name_a, sizeof name_a, "%s/%s", a, tables[i]);
    snprintf(name_b, sizeof name_b, "%s/%s", b, tables[i]);
    assert_int_equal(scratch_exists(s, name_a), scratch_exists(s, name_b));
    if (scratch_exists(s, name_a)) assert_same_bytes(s, name_a, name_b);
  }
  for (int i = 0; i <= LAST; i++) {
    char name_a[700], name_b[700];
    snprintf(name_a, sizeof name_a, "%s/frame_%05d.hdf", a, i);
    snprintf(name_b, sizeof name_b, "%s/frame_%05d.hdf", b, i);
    assert_same_bytes(s, name_a, name_b);
  }
}

static inline int count_files(scratch *s, const char *folder, const char *prefix, int *first) {
  int *numbers, found;
  size_t count;
  assert_int_equal(
      firn_numbered_list(s->context, scratch_path(s, folder), prefix, &numbers, &count), FIRN_OK);
  if (first) *first = count ? numbers[0] : -1;
  found = (int)count;
  firn_free(s->context, numbers, count * sizeof *numbers);
  return found;
}

// Cuts a file in two, or fills most of it with what it was not.
static inline void damage(scratch *s, const char *name, bool truncate_it) {
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

static inline void assert_said(scratch *s, const char *folder, const char *word) {
  char name[700], *text;
  size_t n;
  snprintf(name, sizeof name, "%s.message", folder);
  scratch_read(s, name, &text, &n);
  if (!strstr(text, word)) fail_msg("message \"%s\" does not say \"%s\"", text, word);
  firn_free(s->context, text, n + 1);
}

#endif
