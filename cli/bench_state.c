// SPDX-License-Identifier: Apache-2.0
#include "bench_state.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SLOTS = 2 }; // so that one is whole whenever the other is being written

static void place(const bench *b, const char *scene, const char *variant, bench_state *s) {
  snprintf(s->path, sizeof s->path, "%s/%s-%s", b->state, scene, variant);
}

bench_state bench_state_of(const bench *b, const char *scene, const char *variant,
                           const firn_context *context) {
  bench_state s = {.slot = -1, .saved = cli_seconds()};
  place(b, scene, variant, &s);
  snprintf(s.key, sizeof s.key, "firn %s %s %s, threads %d, quality %.9g, frames %d",
           firn_version(), firn_precision(), firn_isa_name(firn_context_isa(context)),
           firn_context_threads(context), b->quality, b->frames);
  return s;
}

static void path_of(const bench_state *s, const char *ending, char *path, size_t size) {
  snprintf(path, size, "%s%s", s->path, ending);
}

static void slot_path(const bench_state *s, int slot, char *path, size_t size) {
  path_of(s, slot ? ".1.hdf" : ".0.hdf", path, size);
}

void bench_state_checkpoint(const bench_state *s, char *path, size_t size) {
  slot_path(s, s->slot, path, size);
}

// ------------------------------------------------------------------------------------- the sums

// Line by line: the key, then whole numbers and sums.
static bool read_sums(FILE *file, const char *key, int frames, int *slot, bench_tally *t) {
  char line[256];
  if (!fgets(line, sizeof line, file)) return false;
  line[strcspn(line, "\n")] = 0;
  if (strcmp(line, key) != 0) return false;
  if (fscanf(file, "%d %d %d", slot, &t->frames, &t->phases) != 3) return false;
  bool whole = *slot >= 0 && *slot < SLOTS && t->frames >= 0 && t->frames <= frames &&
               t->phases >= 0 && t->phases <= BENCH_PHASES;
  for (int i = 0; whole && i < SUMS; i++) whole = fscanf(file, "%lf", &t->sum[i]) == 1;
  for (int i = 0; whole && i < t->phases; i++) whole = fscanf(file, "%lf", &t->phase[i]) == 1;
  for (int i = 0; whole && i < t->frames; i++)
    whole = fscanf(file, "%lf", &t->frame_seconds[i]) == 1;
  return whole;
}

static void write_sums(FILE *file, const char *key, int slot, const bench_tally *t) {
  fprintf(file, "%s\n%d %d %d\n", key, slot, t->frames, t->phases);
  for (int i = 0; i < SUMS; i++) fprintf(file, "%.17g\n", t->sum[i]);
  for (int i = 0; i < t->phases; i++) fprintf(file, "%.17g\n", t->phase[i]);
  for (int i = 0; i < t->frames; i++) fprintf(file, "%.17g\n", t->frame_seconds[i]);
}

bool bench_state_read(bench_state *s, const char *name, int frames, bench_tally *t) {
  char path[sizeof s->path + 16];
  path_of(s, ".txt", path, sizeof path);
  FILE *file = fopen(path, "r");
  if (!file) return false;
  bool whole = read_sums(file, s->key, frames, &s->slot, t);
  fclose(file);
  if (whole) {
    fprintf(stderr, "firn bench: %s: goes on after frame %d, as %s says\n", name, t->frames, path);
    return true;
  }
  fprintf(stderr, "firn bench: %s: %s is not of this measurement; begins again\n", name, path);
  s->slot = -1;
  *t = (bench_tally){.frame_seconds = t->frame_seconds};
  return false;
}

// ---------------------------------------------------------------------------------------- saving

bool bench_state_due(const bench_state *s) {
  double since = cli_seconds() - s->saved;
  return since > 10 && since > 20 * s->cost;
}

// The folder and those above it.
static int make_folders(const char *path) {
  char part[4096];
  for (const char *c = path; *c; c++) {
    if (*c != '/' || c == path) continue;
    snprintf(part, sizeof part, "%.*s", (int)(c - path), path);
    if (mkdir(part, 0777) != 0 && errno != EEXIST) return -1;
  }
  return 0;
}

static firn_status fail(const char *path) {
  fprintf(stderr, "firn bench: %s cannot be written: %s\n", path, strerror(errno));
  return FIRN_ERROR_IO;
}

// First the checkpoint, in the slot that is not in use; then the sums that name it, whole or not at all.
firn_status bench_state_save(bench_state *s, firn_sim *sim, const bench_tally *t) {
  char path[sizeof s->path + 16], part[sizeof s->path + 16];
  double start = cli_seconds();
  int slot = s->slot == 0 ? 1 : 0;
  slot_path(s, slot, path, sizeof path);
  if (make_folders(path) != 0) return fail(path);
  firn_status status = firn_sim_save(sim, path);
  if (status != FIRN_OK) return status;
  path_of(s, ".txt", path, sizeof path);
  path_of(s, ".part", part, sizeof part);
  FILE *file = cli_create(part);
  if (!file) return fail(part);
  write_sums(file, s->key, slot, t);
  bool written = !ferror(file);
  if (fclose(file) != 0 || !written || rename(part, path) != 0) return fail(path);
  s->slot = slot;
  s->saved = cli_seconds();
  s->cost = s->saved - start;
  return FIRN_OK;
}

void bench_state_remove(const bench *b, const char *scene, const char *variant) {
  static const char *const endings[] = {".txt", ".part", ".0.hdf", ".1.hdf"};
  bench_state s = {0};
  char path[sizeof s.path + 16];
  place(b, scene, variant, &s);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    path_of(&s, endings[i], path, sizeof path);
    unlink(path);
  }
}
