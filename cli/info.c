// SPDX-License-Identifier: Apache-2.0
// firn info DIR|FILE: what a run has written.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

enum { KEY_VERIFY = 2000 };

typedef struct {
  const char *path;
  bool verify;
} arguments;

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case KEY_VERIFY: a->verify = true; return 0;
  case ARGP_KEY_ARG:
  case ARGP_KEY_END: cli_argument(state, "folder", arg, &a->path); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"verify", KEY_VERIFY, NULL, 0,
     "check all that a run left in DIR as `firn run --resume` does, byte by byte, and say what is "
     "wrong and what a resume would do; nothing is changed. The exit status is 1 if anything is "
     "wrong or a resume would be refused",
     0},
    {0},
};
static const struct argp parser = {
    .options = options,
    .parser = parse,
    .args_doc = "DIR|FILE",
    .doc = "Tells what the folder of a run holds: scene, frames, "
           "checkpoints, statistics of the last frame. "
           "Of a single frame_*.hdf it tells the fields with their units "
           "and ranges, of a checkpoint_*.hdf "
           "the moment it was taken at."};

// ----------------------------------------------------------------------------------- a folder

// every is how many frames apart they should be; 0: gaps are in order. wanted is how many there shall
// be when the run is finished; 0: nobody knows.
static void print_files(const char *label, const firn_folder *folder, firn_folder_kind kind,
                        int every, int wanted) {
  int count = firn_folder_count(folder, kind);
  char text[32];
  double bytes = 0;
  struct stat info;
  if (!count) {
    printf("  %-12s none\n", label);
    return;
  }
  int first = firn_folder_number(folder, kind, 0),
      last = firn_folder_number(folder, kind, count - 1);
  for (int i = 0; i < count; i++)
    if (stat(firn_folder_file(folder, kind, i), &info) == 0) bytes += (double)info.st_size;
  printf("  %-12s %d (%d to %d)", label, count, first, last);
  if (wanted && count <= wanted) printf(" of %d", wanted);
  if (wanted && count > wanted) printf(", more than the %d of the scene", wanted);
  printf(", %s", cli_bytes(bytes, text));
  int missing = every ? (last - first) / every + 1 - count : 0;
  if (missing > 0) printf(", %d missing in between", missing);
  printf("\n");
}

// Copies the line of text that begins with key, less the key; false if there is none.
static bool find_line(FILE *file, const char *key, char *value, size_t size) {
  char line[1024];
  rewind(file);
  while (fgets(line, sizeof line, file)) {
    if (strncmp(line, key, strlen(key)) != 0) continue;
    line[strcspn(line, "\n")] = 0;
    snprintf(value, size, "%s", line + strlen(key));
    return true;
  }
  return false;
}

// A text in quotes as scene.yaml writes it, without them; in place.
static char *unquote(char *text) {
  if (*text != '"') return text;
  char *to = text;
  for (const char *from = text + 1; *from && *from != '"'; from++) {
    if (*from == '\\' && from[1]) from++;
    *to++ = *from;
  }
  *to = 0;
  return text;
}

// What scene.yaml says of the frames of a run.
typedef struct {
  int every;  // frames from one that is written to the next
  int wanted; // how many are written in all; 0: not known
} plan;

static plan print_scene(const char *path) {
  char value[1024];
  plan p = {.every = 1};
  FILE *file = path ? fopen(path, "r") : NULL;
  if (!file) return p;
  if (find_line(file, "title: ", value, sizeof value) && *unquote(value))
    printf("  %-12s %s\n", "scene", value);
  if (find_line(file, "  every: ", value, sizeof value) && atoi(value) > 1) p.every = atoi(value);
  if (find_line(file, "frames: ", value, sizeof value)) p.wanted = atoi(value) / p.every + 1;
  fclose(file);
  return p;
}

// The last row of stats.csv, and the bytes a particle of its frame.
static void print_stats(const firn_table *stats) {
  static const struct {
    const char *column, *unit;
  } shown[] = {{"frame", ""},   {"time", " s"},        {"particles", ""}, {"mass", " kg"},
               {"com_y", " m"}, {"speed_max", " m/s"}, {"jp_min", ""},    {"wall_seconds", " s"}};
  char text[32];
  size_t rows = firn_table_rows(stats);
  printf("  %-12s %zu row%s%s\n", "stats.csv", rows, rows == 1 ? "" : "s",
         rows ? "; the last one:" : "");
  if (!rows) return;
  for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
    double value = cli_stats_last(stats, shown[i].column);
    if (isnan(value)) continue;
    if (strcmp(shown[i].column, "particles") == 0)
      cli_count(value, text);
    else
      snprintf(text, sizeof text, "%.6g", value);
    printf("    %-12s %s%s\n", shown[i].column, text, shown[i].unit);
  }
  // A solver's own columns stand behind wall_seconds.
  bool own = false;
  for (int c = 0; c < firn_table_columns(stats); c++) {
    const char *name = firn_table_name(stats, c);
    const firn_stat_info *info = firn_stat_find(name);
    double value = cli_stats_last(stats, name);
    const char *unit = info && strcmp(info->unit, "1") != 0 ? info->unit : "";
    if (own && !isnan(value)) printf("    %-12s %.6g%s%s\n", name, value, *unit ? " " : "", unit);
    own = own || strcmp(name, "wall_seconds") == 0;
  }
  double bytes = cli_stats_last(stats, "bytes"), particles = cli_stats_last(stats, "particles");
  if (isfinite(bytes) && particles > 0)
    printf("    %-12s %s, %.1f a particle\n", "bytes", cli_count(bytes, text), bytes / particles);
  printf("  %-12s %s in all\n", "wall time", cli_duration(cli_stats_wall(stats), text));
}

// What the run computed in, by its last frame or checkpoint; says nothing where neither can be read.
static void print_precision(firn_context *context, const firn_folder *folder) {
  int frames = firn_folder_count(folder, FIRN_FOLDER_FRAME),
      checkpoints = firn_folder_count(folder, FIRN_FOLDER_CHECKPOINT);
  firn_checkpoint_info info = {.frame = -1};
  firn_frame *frame = NULL;
  if (frames) {
    const char *path = firn_folder_file(folder, FIRN_FOLDER_FRAME, frames - 1);
    if (firn_frame_open(context, path, &frame) == FIRN_OK)
      snprintf(info.precision, sizeof info.precision, "%s", firn_frame_precision(frame));
    firn_frame_close(frame);
  } else if (checkpoints) {
    const char *path = firn_folder_file(folder, FIRN_FOLDER_CHECKPOINT, checkpoints - 1);
    if (firn_checkpoint_read(context, path, &info) != FIRN_OK) return;
  }
  if (*info.precision) printf("  %-12s %s\n", "precision", info.precision);
}

// Those of `firn refine`.
static void print_fine(firn_context *context, const firn_folder *folder, int every) {
  char path[4096 + 16];
  firn_folder *fine;
  struct stat info;
  snprintf(path, sizeof path, "%.4096s/fine", firn_folder_path(folder));
  if (stat(path, &info) != 0 || firn_folder_open(context, path, &fine) != FIRN_OK) return;
  if (firn_folder_count(fine, FIRN_FOLDER_FRAME))
    print_files("fine", fine, FIRN_FOLDER_FRAME, every, 0);
  firn_folder_close(fine);
}

static int info_folder(firn_context *context, const char *path) {
  firn_folder *folder;
  if (firn_folder_open(context, path, &folder) != FIRN_OK) {
    fprintf(stderr, "firn: %s\n", firn_context_message(context));
    return EXIT_INPUT;
  }
  bool any = firn_folder_count(folder, FIRN_FOLDER_FRAME) ||
             firn_folder_count(folder, FIRN_FOLDER_CHECKPOINT);
  if (any) {
    printf("%s\n", path);
    plan p = print_scene(firn_folder_scene(folder));
    print_precision(context, folder);
    print_files("frames", folder, FIRN_FOLDER_FRAME, p.every, p.wanted);
    print_files("checkpoints", folder, FIRN_FOLDER_CHECKPOINT, 0, 0);
    print_fine(context, folder, p.every);
    firn_table *stats = cli_stats(context, path);
    if (stats) print_stats(stats);
    firn_table_close(stats);
  } else {
    fprintf(stderr, "firn: %s holds no frames\n", path);
  }
  firn_folder_close(folder);
  return any ? EXIT_OK : EXIT_INPUT;
}

// Each fault on a line of its own, below the folder's name.
static void print_fault(void *user, const char *text) {
  (void)user;
  printf("  %-12s %s\n", "wrong", text);
}

static int verify_folder(firn_context *context, const char *path) {
  firn_folder_verdict v;
  char bytes[32];
  printf("%s\n", path);
  firn_status status = firn_folder_verify(context, path, print_fault, NULL, &v);
  if (status != FIRN_OK) return cli_fail(context, status);
  printf("  %-12s %d frame%s, %d checkpoint%s, %s\n", "checked", v.frames, v.frames == 1 ? "" : "s",
         v.checkpoints, v.checkpoints == 1 ? "" : "s", cli_bytes(v.bytes, bytes));
  if (!v.faults) printf("  %-12s nothing\n", "wrong");
  printf("  %-12s %s\n", "a resume", v.resume);
  return v.faults ? EXIT_RUN : EXIT_OK;
}

// ------------------------------------------------------------------------------------- a file

typedef struct {
  double least, most;
  size_t not_finite;
} range;

static range range_of(const double *data, size_t count, int components, int component) {
  range r = {INFINITY, -INFINITY, 0};
  for (size_t i = 0; i < count; i++) {
    double x = data[i * (size_t)components + (size_t)component];
    if (!isfinite(x)) {
      r.not_finite++;
      continue;
    }
    if (x < r.least) r.least = x;
    if (x > r.most) r.most = x;
  }
  return r;
}

static firn_status print_field(firn_frame *frame, const firn_field_info *info) {
  size_t count = firn_frame_count(frame), n = (count + 1) * (size_t)info->components;
  double *data = malloc(n * sizeof *data);
  if (!data) return FIRN_ERROR_MEMORY;
  firn_status status = firn_frame_read_double(frame, info->name, data);
  for (int c = 0; status == FIRN_OK && c < info->components; c++) {
    range r = range_of(data, count, info->components, c);
    const char *unit = info->unit && strcmp(info->unit, "1") != 0 ? info->unit : "";
    if (c == 0)
      printf("  %-12s %-8s", info->name, unit);
    else
      printf("  %-12s %-8s", "", "");
    if (info->components > 1) printf(" [%d]", c);
    if (r.least <= r.most) printf(" %.6g to %.6g", r.least, r.most);
    if (r.not_finite) printf(", %zu not finite", r.not_finite);
    printf("\n");
  }
  free(data);
  return status;
}

static firn_status print_frame(firn_frame *frame, double bytes) {
  char size[32];
  size_t count = firn_frame_count(frame);
  if (firn_frame_number(frame) >= 0) printf("  %-12s %d\n", "frame", firn_frame_number(frame));
  printf("  %-12s %g s\n", "time", firn_frame_time(frame));
  if (*firn_frame_precision(frame))
    printf("  %-12s %s\n", "precision", firn_frame_precision(frame));
  if (firn_frame_h(frame) > 0) printf("  %-12s %g m\n", "h", firn_frame_h(frame));
  printf("  %-12s %s\n", "particles", cli_count((double)count, size));
  size_t bodies;
  firn_frame_bodies(frame, &bodies);
  if (bodies) printf("  %-12s %zu\n", "bodies", bodies);
  printf("  %-12s %s", "size", cli_bytes(bytes, size));
  if (count) printf(", %.1f bytes a particle", bytes / (double)count);
  printf("\n");
  firn_field_info info;
  for (int i = 0; firn_frame_field_at(frame, i, &info) == FIRN_OK; i++) {
    firn_status status = print_field(frame, &info);
    if (status != FIRN_OK) return status;
  }
  return FIRN_OK;
}

static void print_checkpoint(const firn_checkpoint_info *info, double bytes) {
  char size[32];
  printf("  %-12s of solver %s, in %s\n", "checkpoint", info->solver, info->precision);
  if (info->frame >= 0) printf("  %-12s %d\n", "after frame", info->frame);
  printf("  %-12s %g s\n", "time", info->time);
  printf("  %-12s %g m\n", "h", info->h);
  printf("  %-12s %s\n", "particles", cli_count((double)info->particles, size));
  printf("  %-12s %s", "size", cli_bytes(bytes, size));
  if (info->particles) printf(", %.1f bytes a particle", bytes / (double)info->particles);
  printf("\n");
}

static int info_file(firn_context *context, const char *path, double bytes) {
  firn_checkpoint_info checkpoint;
  if (firn_checkpoint_read(context, path, &checkpoint) == FIRN_OK) {
    printf("%s\n", path);
    print_checkpoint(&checkpoint, bytes);
    return EXIT_OK;
  }
  firn_frame *frame;
  cli_wait("reading the file");
  firn_status status = firn_frame_open(context, path, &frame);
  if (status == FIRN_OK) {
    printf("%s\n", path);
    status = print_frame(frame, bytes);
    firn_frame_close(frame);
  }
  if (status == FIRN_OK) return EXIT_OK;
  cli_fail(context, status);
  return EXIT_INPUT;
}

int cli_info(int argc, char **argv) {
  arguments a = {0};
  cli_parse(&parser, argc, argv, &a);
  const char *path = a.path;
  struct stat info;
  if (stat(path, &info) != 0) {
    fprintf(stderr, "firn: %s: %s\n", path, strerror(errno));
    return EXIT_INPUT;
  }
  bool folder = S_ISDIR(info.st_mode);
  if (a.verify && !folder) {
    fprintf(stderr, "firn: %s: --verify checks a folder\n", path);
    return EXIT_INPUT;
  }
  const cli_options none = {0};
  firn_context *context = cli_context(&none);
  if (!context) return EXIT_INPUT;
  int code = a.verify ? verify_folder(context, path)
             : folder ? info_folder(context, path)
                      : info_file(context, path, (double)info.st_size);
  firn_context_destroy(context);
  return code;
}
