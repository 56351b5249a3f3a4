// SPDX-License-Identifier: Apache-2.0
// Frames of fine particles: what they hold of the particles that they are of, which come and go, and
// that a run of them that was stopped ends in the same bytes.
#include "cache/scratch.h"

#include <math.h>

#include "cache/frame.h"

enum { FRAMES = 4, PER = 7, MOST = 5 };

static const double frame_seconds = 1.0 / 24;
#define SPACING 0.02 // m

// Particles far from each other, thrown: 9 comes at frame 2, 3 goes then.
static const uint32_t ids[] = {0, 3, 4, 8, 9};
static bool is_there(int k, int frame) {
  return ids[k] == 9 ? frame >= 2 : ids[k] == 3 ? frame < 2 : true;
}

static void place(int k, int frame, float x[3], float v[3]) {
  double t = frame * frame_seconds;
  for (int a = 0; a < 3; a++) {
    double v0 = 0.3 * (k + 1) - a, g = a == 1 ? -9.81 : 0;
    x[a] = (float)(0.5 * k * (a + 1) + v0 * t + g * t * t / 2);
    v[a] = (float)(v0 + g * t);
  }
}

static size_t write_snow(scratch *s, int frame) {
  uint32_t id[MOST];
  float x[MOST][3], v[MOST][3], mass[MOST];
  char name[32];
  size_t n = 0;
  for (int k = 0; k < MOST; k++) {
    if (!is_there(k, frame)) continue;
    id[n] = ids[k];
    mass[n] = 0.001f * (float)(k + 1);
    place(k, frame, x[n], v[n]);
    n++;
  }
  const firn_frame_array arrays[] = {{"id", "1", FIRN_ARCHIVE_U32, 1, 0, id},
                                     {"position", "m", FIRN_ARCHIVE_F32, 3, 0, x},
                                     {"velocity", "m/s", FIRN_ARCHIVE_F32, 3, 0, v},
                                     {"mass", "kg", FIRN_ARCHIVE_F32, 1, 0, mass}};
  const firn_frame_head head = {.count = n,
                                .time = frame * frame_seconds,
                                .h = 2 * SPACING,
                                .spacing = SPACING,
                                .kernel = 2 * SPACING,
                                .frame = frame};
  snprintf(name, sizeof name, "frame_%05d.hdf", frame);
  assert_int_equal(firn_frame_write(s->context, scratch_path(s, name), &head, 4, arrays), FIRN_OK);
  return n;
}

static firn_refine_def settings(const scratch *s, const char *folder) {
  firn_refine_def def = firn_default_refine_def();
  def.source = s->folder;
  def.folder = folder;
  def.per_particle = PER;
  return def;
}

static void must(const scratch *s, firn_status status) {
  if (status != FIRN_OK) fail_msg("%s", firn_context_message(s->context));
}

// One alone flies as its particle does, whose way is a parabola here: so it stays in its place about it,
// but for what floats round, at a few metres and in some steps.
static void they_are_what_their_particle_is(void **state) {
  scratch *s = *state;
  firn_refine_def def = settings(s, NULL);
  size_t count[FRAMES];
  for (int f = 0; f < FRAMES; f++) count[f] = write_snow(s, f);
  must(s, firn_refine(s->context, NULL, &def));
  for (int f = 0; f < FRAMES; f++) {
    char name[32];
    firn_frame *frame;
    double x[MOST * PER][3], mass[MOST * PER], radius[MOST * PER], id[MOST * PER];
    snprintf(name, sizeof name, "fine/frame_%05d.hdf", f);
    must(s, firn_frame_open(s->context, scratch_path(s, name), &frame));
    assert_int_equal(firn_frame_count(frame), count[f] * PER);
    assert_int_equal(firn_frame_number(frame), f);
    must(s, firn_frame_read_double(frame, "position", x[0]));
    must(s, firn_frame_read_double(frame, "mass", mass));
    must(s, firn_frame_read_double(frame, "radius", radius));
    must(s, firn_frame_read_double(frame, "id", id));
    size_t row = 0;
    for (int k = 0; k < MOST; k++) {
      if (!is_there(k, f)) continue;
      float at[3], v[3];
      double sum = 0, volume = 0, least = 1, most = 0;
      place(k, f, at, v);
      for (int i = 0; i < PER; i++, row++) {
        assert_true(id[row] == (double)(ids[k] * PER + (uint32_t)i));
        for (int a = 0; a < 3; a++)
          assert_true(fabs(x[row][a] - (double)at[a]) <= SPACING / 2 + 1e-5);
        sum += mass[row];
        volume += 4.18879020478639 * pow(radius[row], 3);
        least = fmin(least, radius[row]);
        most = fmax(most, radius[row]);
      }
      assert_true(fabs(sum / (0.001 * (k + 1)) - 1) <= 1e-6);
      assert_true(fabs(volume / pow(SPACING, 3) - 1) <= 1e-6);
      assert_true(most > 1.2 * least);
    }
    firn_frame_close(frame);
  }
}

static bool stop_after_frame_1(void *user, const firn_refine_event *event) {
  (void)user;
  return event->frame < 1;
}

static bool never(void *user, const firn_refine_event *event) {
  (void)user, (void)event;
  fail_msg("a frame is made");
  return false;
}

static void a_stopped_run_ends_in_the_same_bytes(void **state) {
  scratch *s = *state;
  for (int f = 0; f < FRAMES; f++) write_snow(s, f);
  for (int precision = 16; precision <= 32; precision += 16) {
    char whole[512], parts[512];
    snprintf(whole, sizeof whole, "%s/whole%d", s->folder, precision);
    snprintf(parts, sizeof parts, "%s/parts%d", s->folder, precision);
    firn_refine_def def = settings(s, whole);
    def.precision = precision;
    must(s, firn_refine(s->context, NULL, &def));
    assert_int_equal(firn_refine(s->context, NULL, &def), FIRN_ERROR_STATE); // there is one
    def.folder = parts;
    def.event = stop_after_frame_1;
    assert_int_equal(firn_refine(s->context, NULL, &def), FIRN_CANCELLED);
    def.event = NULL;
    def.resume = true;
    def.seed = 1;
    assert_int_equal(firn_refine(s->context, NULL, &def), FIRN_ERROR_STATE); // other settings
    def.seed = 0;
    must(s, firn_refine(s->context, NULL, &def));
    for (int f = 0; f < FRAMES; f++) {
      char name[2][64], *data[2];
      size_t size[2];
      for (int k = 0; k < 2; k++) {
        snprintf(name[k], sizeof name[k], "%s%d/frame_%05d.hdf", k ? "parts" : "whole", precision,
                 f);
        scratch_read(s, name[k], &data[k], &size[k]);
      }
      assert_int_equal(size[0], size[1]);
      assert_memory_equal(data[0], data[1], size[0]);
      for (int k = 0; k < 2; k++) firn_free(s->context, data[k], size[k] + 1);
    }
  }
}

// Two particles whose ids and masses are given, at rest.
static void write_two(scratch *s, int frame, const uint64_t id[2], const float mass[2]) {
  const float x[2][3] = {{0, 0, 0}, {1, 0, 0}}, v[2][3] = {{0}};
  char name[32];
  const firn_frame_array arrays[] = {{"id", "1", FIRN_ARCHIVE_U64, 1, 0, id},
                                     {"position", "m", FIRN_ARCHIVE_F32, 3, 0, x},
                                     {"velocity", "m/s", FIRN_ARCHIVE_F32, 3, 0, v},
                                     {"mass", "kg", FIRN_ARCHIVE_F32, 1, 0, mass}};
  const firn_frame_head head = {
      .count = 2, .time = frame * frame_seconds, .spacing = SPACING, .frame = frame};
  snprintf(name, sizeof name, "frame_%05d.hdf", frame);
  assert_int_equal(firn_frame_write(s->context, scratch_path(s, name), &head, 4, arrays), FIRN_OK);
}

// The larger mass rounds up to a power of two, whose steps are twice as long: of those the other is none.
static void sizes_are_rounded_once(void **state) {
  scratch *s = *state;
  const float mass[2] = {nextafterf(0x1p-10f, 0), 0x1p-12f + 0x1p-26f};
  firn_refine_def def = settings(s, NULL);
  def.per_particle = 1;
  def.size_variation = 0;
  def.precision = 16;
  for (int f = 0; f < FRAMES; f++) write_two(s, f, (const uint64_t[]){1, 2}, mass);
  must(s, firn_refine(s->context, NULL, &def));
  for (int f = 0; f < FRAMES; f++) {
    char name[32];
    firn_frame *frame;
    double seen[2];
    snprintf(name, sizeof name, "fine/frame_%05d.hdf", f);
    must(s, firn_frame_open(s->context, scratch_path(s, name), &frame));
    must(s, firn_frame_read_double(frame, "mass", seen));
    assert_true(seen[0] == 0x1p-10 && seen[1] == 0x1p-12 + 0x1p-26);
    firn_frame_close(frame);
  }
}

static void ids_beyond_those_that_there_are_are_refused(void **state) {
  scratch *s = *state;
  const float mass[2] = {1, 1};
  firn_refine_def def = settings(s, NULL);
  def.per_particle = 2;
  def.overwrite = true;
  static const uint64_t last[] = {UINT32_MAX / 2 - 1, UINT32_MAX / 2, INT64_MAX, UINT64_MAX};
  for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
    write_two(s, 0, (const uint64_t[]){1, last[i]}, mass);
    firn_status status = firn_refine(s->context, NULL, &def);
    assert_int_equal(status, i ? FIRN_ERROR_ARGUMENT : FIRN_OK);
  }
}

static void bad_settings_take_nothing_away(void **state) {
  scratch *s = *state;
  for (int f = 0; f < FRAMES; f++) write_snow(s, f);
  firn_refine_def def = settings(s, NULL), good = def;
  must(s, firn_refine(s->context, NULL, &def));
  def.overwrite = true;
  for (int k = 0; k < 5; k++) {
    firn_refine_def bad = def;
    if (k == 0) bad.density = 0;
    if (k == 1) bad.mode = (firn_refine_mode)7;
    if (k == 2) bad.dt_max = (double)INFINITY;
    if (k == 3) bad.dt_max = (double)NAN;
    if (k == 4) bad.per_particle = 0;
    assert_int_equal(firn_refine(s->context, NULL, &bad), FIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(firn_context_message(s->context), "refine: "));
  }
  good.resume = true;
  good.event = never;
  must(s, firn_refine(s->context, NULL, &good)); // all are there
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(they_are_what_their_particle_is, scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(a_stopped_run_ends_in_the_same_bytes, scratch_open,
                                      scratch_close),
      cmocka_unit_test_setup_teardown(sizes_are_rounded_once, scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(ids_beyond_those_that_there_are_are_refused, scratch_open,
                                      scratch_close),
      cmocka_unit_test_setup_teardown(bad_settings_take_nothing_away, scratch_open, scratch_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
