// SPDX-License-Identifier: Apache-2.0
// firn info DIR|FILE: what a run has written.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

static error_t parse(int key, char *arg, struct argp_state *state) {
  const char **path = state->input;
  switch (key) {
  case ARGP_KEY_ARG:
    if (*path) argp_error(state, "more than one folder: '%s'", arg);
    *path = arg;
    return 0;
  case ARGP_KEY_END:
    if (!*path) argp_error(state, "which folder?");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp parser = {NULL,
                                   parse,
                                   "DIR|FILE",
                                   "Tells what the folder of a run holds: scene, frames, "
                                   "checkpoints, and the statistics of the last frame.",
                                   NULL,
                                   NULL,
                                   NULL};

// ----------------------------------------------------------------------------------- a folder

typedef struct {
  int count, first, last;
  double bytes;
} series;

// Matches "frame_00012.hdf" and takes the number.
static bool match(const char *name, const char *prefix, int *number) {
  size_t n = strlen(prefix);
  if (strncmp(name, prefix, n) != 0) return false;
  char *end;
  long value = strtol(name + n, &end, 10);
  if (end == name + n || strcmp(end, ".hdf") != 0 || value < 0 || value > 1000000) return false;
  *number = (int)value;
  return true;
}

static void series_add(series *s, int number, double bytes) {
  if (s->count == 0 || number < s->first) s->first = number;
  if (s->count == 0 || number > s->last) s->last = number;
  s->count++;
  s->bytes += bytes;
}

static void series_print(const char *label, const series *s) {
  char bytes[32];
  if (!s->count) {
    printf("  %-12s none\n", label);
    return;
  }
  printf("  %-12s %d (%d to %d), %s", label, s->count, s->first, s->last,
         cli_bytes(s->bytes, bytes));
  if (s->count != s->last - s->first + 1)
    printf(", %d missing in between", s->last - s->first + 1 - s->count);
  printf("\n");
}

// Copies the line of text that begins with key, less the key; false if there is none.
static bool find_line(FILE *file, const char *key, char *value, size_t size) {
  char line[1024];
  while (fgets(line, sizeof line, file)) {
    if (strncmp(line, key, strlen(key)) != 0) continue;
    line[strcspn(line, "\n")] = 0;
    snprintf(value, size, "%s", line + strlen(key));
    return true;
  }
  return false;
}

static void print_scene(const char *folder) {
  char path[4200], value[1024];
  snprintf(path, sizeof path, "%s/scene.yaml", folder);
  FILE *file = fopen(path, "r");
  if (!file) return;
  if (find_line(file, "title: ", value, sizeof value)) printf("  %-12s %s\n", "scene", value);
  rewind(file);
  if (find_line(file, "frames: ", value, sizeof value))
    printf("  %-12s %s after frame 0\n", "frames asked", value);
  fclose(file);
}

// The last row of stats.csv, beside the names of its columns.
static void print_stats(const char *folder) {
  static const char *const shown[] = {"time",      "particles", "mass",         "com_y",
                                      "speed_max", "jp_min",    "wall_seconds", NULL};
  char path[4200], header[4096] = "", row[4096] = "", line[4096];
  snprintf(path, sizeof path, "%s/stats.csv", folder);
  FILE *file = fopen(path, "r");
  if (!file) return;
  int rows = 0;
  if (!fgets(header, sizeof header, file)) header[0] = 0;
  while (fgets(line, sizeof line, file))
    if (strchr(line, '\n')) {
      memcpy(row, line, sizeof row);
      rows++;
    }
  fclose(file);
  printf("  %-12s %d rows\n", "stats.csv", rows);
  if (!rows) return;
  char *h = header, *r = row;
  while (h && r) {
    char *name = strsep(&h, ",\n"), *value = strsep(&r, ",\n");
    for (int i = 0; shown[i]; i++)
      if (strcmp(name, shown[i]) == 0 && *value) printf("    %-12s %s\n", name, value);
  }
}

static int info_folder(const char *folder) {
  DIR *dir = opendir(folder);
  if (!dir) {
    fprintf(stderr, "firn: %s cannot be read: %s\n", folder, strerror(errno));
    return EXIT_INPUT;
  }
  series frames = {0}, checkpoints = {0};
  // cppcheck-suppress readdirCalled ; one thread, and readdir_r is deprecated
  for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
    char path[4600];
    struct stat info;
    int number;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (stat(path, &info) != 0) continue;
    if (match(entry->d_name, "frame_", &number))
      series_add(&frames, number, (double)info.st_size);
    else if (match(entry->d_name, "checkpoint_", &number))
      series_add(&checkpoints, number, (double)info.st_size);
  }
  closedir(dir);
  if (!frames.count && !checkpoints.count) {
    fprintf(stderr, "firn: %s holds no frames\n", folder);
    return EXIT_INPUT;
  }
  printf("%s\n", folder);
  print_scene(folder);
  series_print("frames", &frames);
  series_print("checkpoints", &checkpoints);
  print_stats(folder);
  return EXIT_OK;
}

// ------------------------------------------------------------------------------------- a file

static int info_file(const char *path, double bytes) {
  static const char signature[8] = "\211HDF\r\n\032\n";
  char head[8], size[32];
  FILE *file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "firn: %s cannot be read: %s\n", path, strerror(errno));
    return EXIT_INPUT;
  }
  bool whole = fread(head, 1, sizeof head, file) == sizeof head;
  fclose(file);
  if (!whole || memcmp(head, signature, sizeof head) != 0) {
    fprintf(stderr, "firn: %s is not a frame or checkpoint of firn\n", path);
    return EXIT_INPUT;
  }
  printf("%s\n  HDF5, %s; h5ls -r or ParaView show what is in it\n", path, cli_bytes(bytes, size));
  return EXIT_OK;
}

int cli_info(int argc, char **argv) {
  const char *path = NULL;
  argp_parse(&parser, argc, argv, 0, NULL, &path);
  struct stat info;
  if (stat(path, &info) != 0) {
    fprintf(stderr, "firn: %s: %s\n", path, strerror(errno));
    return EXIT_INPUT;
  }
  return S_ISDIR(info.st_mode) ? info_folder(path) : info_file(path, (double)info.st_size);
}
