// SPDX-License-Identifier: Apache-2.0
// OpenEXR files as other programs write them: stored in part, beyond the edges, in other colours.
#include "cache/scratch.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <openexr.h>

#include "render/film.h"
#include "render/map.h"

// Writes lines of a picture; each pixel of channel c is 100 y + x + 1000 c, counted from the top left
// corner of all that is stored.
static void write_lines(const char *path, exr_attr_box2i_t stored, exr_attr_box2i_t shown,
                        int count, const char *const *names) {
  exr_context_initializer_t init = EXR_DEFAULT_CONTEXT_INITIALIZER;
  exr_context_t file;
  int part, width = stored.max.x - stored.min.x + 1, height = stored.max.y - stored.min.y + 1;
  assert_int_equal(exr_start_write(&file, path, EXR_WRITE_FILE_DIRECTLY, &init), 0);
  assert_int_equal(exr_add_part(file, "lines", EXR_STORAGE_SCANLINE, &part), 0);
  assert_int_equal(exr_initialize_required_attr_simple(file, 0, width, height, EXR_COMPRESSION_ZIP),
                   0);
  assert_int_equal(exr_set_data_window(file, 0, &stored), 0);
  assert_int_equal(exr_set_display_window(file, 0, &shown), 0);
  for (int c = 0; c < count; c++) {
    assert_int_equal(
        exr_add_channel(file, 0, names[c], EXR_PIXEL_FLOAT, EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1), 0);
  }
  assert_int_equal(exr_write_header(file), 0);
  exr_encode_pipeline_t pipe = EXR_ENCODE_PIPELINE_INITIALIZER;
  for (int y = 0; y < height; y += 16) {
    static float data[4][16][64];
    exr_chunk_info_t chunk;
    assert_int_equal(exr_write_scanline_chunk_info(file, 0, stored.min.y + y, &chunk), 0);
    assert_int_equal(y ? exr_encoding_update(file, 0, &chunk, &pipe)
                       : exr_encoding_initialize(file, 0, &chunk, &pipe),
                     0);
    for (int c = 0; c < pipe.channel_count; c++) {
      int which = 0;
      while (which < count - 1 && strcmp(names[which], pipe.channels[c].channel_name) != 0) which++;
      for (int i = 0; i < 16 * 64; i++) {
        data[c][i / 64][i % 64] = (float)(100 * (y + i / 64) + i % 64 + 1000 * which);
      }
      pipe.channels[c].user_bytes_per_element = 4;
      pipe.channels[c].user_data_type = EXR_PIXEL_FLOAT;
      pipe.channels[c].user_pixel_stride = 4;
      pipe.channels[c].user_line_stride = 4 * 64;
      pipe.channels[c].encode_from_ptr = (const uint8_t *)data[c];
    }
    if (y == 0) assert_int_equal(exr_encoding_choose_default_routines(file, 0, &pipe), 0);
    assert_int_equal(exr_encoding_run(file, 0, &pipe), 0);
  }
  exr_encoding_destroy(file, &pipe);
  assert_int_equal(exr_finish(&file), 0);
}

static exr_attr_box2i_t box_of(int x0, int y0, int x1, int y1) {
  exr_attr_box2i_t box;
  box.min.x = x0;
  box.min.y = y0;
  box.max.x = x1;
  box.max.y = y1;
  return box;
}

static const char *const rgb[] = {"R", "G", "B"};

// Programs that crop black borders store less than they show: it stays where it is in the sky.
static void a_part_of_a_picture_stays_in_its_place(void **state) {
  scratch *s = *state;
  const exr_attr_box2i_t shown = box_of(-10, 5, 29, 24), stored = box_of(0, 7, 21, 23);
  const char *path = scratch_path(s, "part.exr");
  write_lines(path, stored, shown, 3, rgb);
  firn_map m;
  assert_int_equal(firn_map_read(s->context, path, 0, &m), FIRN_OK);
  assert_int_equal(m.width, 40);
  assert_int_equal(m.height, 20);
  for (int i = 0; i < 40 * 20; i++) {
    int x = i % 40 - 10, y = i / 40 - 2;
    bool in = x >= 0 && x < 22 && y >= 0 && y < 17;
    assert_true(m.radiance[i].x == (in ? (float)(100 * y + x) : 0));
    assert_true(m.radiance[i].z == (in ? (float)(100 * y + x + 2000) : 0));
  }
  firn_map_free(s->context, &m);
}

static void what_cannot_be_told_apart_is_refused(void **state) {
  scratch *s = *state;
  const exr_attr_box2i_t box = box_of(0, 0, 31, 15), larger = box_of(-2, -1, 33, 16);
  const char *const luminance[] = {"Y", "RY", "BY"}, *const none[] = {"left.R", "left.G", "left.B"};
  const struct {
    exr_attr_box2i_t stored;
    const char *const *names;
    const char *word;
  } cases[] = {{larger, rgb, "beyond its edges"},
               {box, luminance, "luminance and chroma"},
               {box, none, "no channels R, G and B"}};
  for (int i = 0; i < 3; i++) {
    const char *path = scratch_path(s, "odd.exr");
    write_lines(path, cases[i].stored, box, 3, cases[i].names);
    firn_map m;
    assert_int_equal(firn_map_read(s->context, path, 0, &m), FIRN_ERROR_FORMAT);
    assert_message(s, cases[i].word);
    assert_null(m.radiance);
  }
}

// A file may not grow beyond so many bytes, as on a full disk: an error, and nothing is left. In a process of
// its own, which an alarm ends should it wait for ever, as OpenEXR does after a write that it knows to have
// failed.
static void a_full_disk_is_an_error(void **state) {
  enum { SIDE = 64 };
  scratch *s = *state;
  static firn_v3 light[SIDE * SIDE];
  static float alpha[SIDE * SIDE];
  for (uint32_t i = 0; i < SIDE * SIDE; i++) light[i].x = firn_noise(i); // does not pack well
  firn_film film = {.width = SIDE, .height = SIDE, .light = light, .alpha = alpha};
  char path[1100];
  snprintf(path, sizeof path, "%s", scratch_path(s, "full.exr"));
  assert_int_equal(firn_film_write_exr(s->context, path, &film, false), FIRN_OK);
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(unlink(path), 0);
  for (int part = 0; part < 8; part++) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
      const struct rlimit limit = {(rlim_t)(info.st_size * part / 8), RLIM_INFINITY};
      signal(SIGXFSZ, SIG_IGN);
      alarm(60);
      if (setrlimit(RLIMIT_FSIZE, &limit)) _exit(99);
      _exit((int)firn_film_write_exr(s->context, path, &film, false));
    }
    int code;
    assert_int_equal(waitpid(pid, &code, 0), pid);
    assert_true(WIFEXITED(code));
    assert_int_equal(WEXITSTATUS(code), FIRN_ERROR_IO);
    assert_false(scratch_exists(s, "full.exr"));
    assert_false(scratch_exists(s, "full.exr.part"));
  }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_part_of_a_picture_stays_in_its_place),
      TEST(what_cannot_be_told_apart_is_refused),
      TEST(a_full_disk_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
