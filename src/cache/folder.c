// SPDX-License-Identifier: Apache-2.0
#include "cache/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "cache/file.h"

firn_status firn_folder_make(firn_context *context, const char *folder) {
  char part[FIRN_PATH_SIZE];
  FIRN_TRY(firn_path_format(context, part, "%s", folder));
  for (char *p = part + 1;; p++) {
    char c = *p;
    if (c && c != '/') continue;
    *p = 0;
    if (mkdir(part, 0777) && errno != EEXIST) {
      return firn_file_fail(context, "make folder", part, errno);
    }
    *p = c;
    if (!c) break;
  }
  struct stat info;
  if (stat(folder, &info)) return firn_file_fail(context, "open", folder, errno);
  return S_ISDIR(info.st_mode) ? FIRN_OK : firn_file_fail(context, "make folder", folder, ENOTDIR);
}

firn_status firn_numbered_path(firn_context *context, const char *folder, const char *prefix,
                               int number, char *path) {
  return firn_path_format(context, path, "%s/%s%05d.hdf", folder, prefix, number);
}

// The number in <prefix>%05d.hdf, or -1.
static int number_of(const char *name, const char *prefix) {
  size_t n = strlen(prefix);
  if (strncmp(name, prefix, n) != 0 || strspn(name + n, "0123456789") != 5 ||
      strcmp(name + n + 5, ".hdf") != 0) {
    return -1;
  }
  return (int)strtol(name + n, NULL, 10);
}

static int ascending(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

firn_status firn_numbered_list(firn_context *context, const char *folder, const char *prefix,
                               int **numbers, size_t *count) {
  *numbers = NULL;
  *count = 0;
  DIR *dir = opendir(folder);
  if (!dir) return firn_file_fail(context, "list", folder, errno);
  firn_status status = FIRN_OK;
  int *list = NULL;
  size_t n = 0, capacity = 0;
  // readdir is safe as long as nobody else has this stream; readdir_r is the one to avoid.
  // cppcheck-suppress readdirCalled
  for (struct dirent *entry; status == FIRN_OK && (entry = readdir(dir));) {
    int number = number_of(entry->d_name, prefix);
    if (number < 0) continue;
    if (n == capacity) {
      size_t wanted = capacity ? 2 * capacity : 64;
      int *grown = firn_resize(context, list, capacity * sizeof *list, wanted * sizeof *list,
                               "list of files");
      if (!grown) {
        status = FIRN_ERROR_MEMORY;
        break;
      }
      list = grown;
      capacity = wanted;
    }
    list[n++] = number;
  }
  closedir(dir);
  if (status == FIRN_OK && n) {
    qsort(list, n, sizeof *list, ascending);
    *numbers = firn_resize(context, list, capacity * sizeof *list, n * sizeof *list,
                           "list of files");
    if (!*numbers) status = FIRN_ERROR_MEMORY;
  }
  if (*numbers)
    *count = n;
  else
    firn_free(context, list, capacity * sizeof *list);
  return status;
}

// -------------------------------------------------------------------------------------- to be read

typedef struct files {
  int *number; // [capacity]
  char *path;  // [capacity][path_size]
  size_t count, capacity, path_size;
} files;

struct firn_folder {
  firn_context *context;
  char path[FIRN_PATH_SIZE], scene[FIRN_PATH_SIZE];
  files kind[FIRN_FOLDER_CHECKPOINT + 1];
};

static firn_status list_kind(firn_folder *f, firn_folder_kind kind, const char *prefix) {
  files *s = &f->kind[kind];
  FIRN_TRY(firn_numbered_list(f->context, f->path, prefix, &s->number, &s->capacity));
  if (!s->capacity) return FIRN_OK;
  s->path_size = strlen(f->path) + strlen(prefix) + sizeof "/00000.hdf";
  s->path = firn_alloc(f->context, s->capacity * s->path_size, "list of files");
  if (!s->path) return FIRN_ERROR_MEMORY;
  for (s->count = 0; s->count < s->capacity; s->count++) {
    snprintf(s->path + s->count * s->path_size, s->path_size, "%s/%s%05d.hdf", f->path, prefix,
             s->number[s->count]);
  }
  return FIRN_OK;
}

// One frame alone, of any name.
static firn_status take_file(firn_folder *f, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  files *s = &f->kind[FIRN_FOLDER_FRAME];
  int length = slash == path ? 1 : (int)(name - path) - 1;
  FIRN_TRY(firn_path_format(f->context, f->path, "%.*s", slash ? length : 1, slash ? path : "."));
  s->capacity = 1;
  s->path_size = strlen(path) + 1;
  s->number = firn_alloc(f->context, sizeof *s->number, "list of files");
  s->path = firn_alloc(f->context, s->path_size, "list of files");
  if (!s->number || !s->path) return FIRN_ERROR_MEMORY;
  int number = number_of(name, FIRN_FRAME_PREFIX);
  s->number[0] = number < 0 ? 0 : number;
  memcpy(s->path, path, s->path_size);
  s->count = 1;
  return FIRN_OK;
}

static firn_status look(firn_folder *f, const char *path) {
  struct stat info;
  if (stat(path, &info)) return firn_file_fail(f->context, "open", path, errno);
  if (S_ISDIR(info.st_mode)) {
    FIRN_TRY(firn_path_format(f->context, f->path, "%s", path));
    FIRN_TRY(list_kind(f, FIRN_FOLDER_FRAME, FIRN_FRAME_PREFIX));
    FIRN_TRY(list_kind(f, FIRN_FOLDER_CHECKPOINT, FIRN_CHECKPOINT_PREFIX));
  } else {
    FIRN_TRY(take_file(f, path));
  }
  FIRN_TRY(firn_path_format(f->context, f->scene, "%s/scene.yaml", f->path));
  if (stat(f->scene, &info)) *f->scene = 0;
  return FIRN_OK;
}

firn_status firn_folder_open(firn_context *context, const char *path, firn_folder **out) {
  if (!context || !path || !out) return firn_fail_null(context, "firn_folder_open");
  firn_folder *f = *out = firn_alloc_zero(context, sizeof *f, "a folder");
  if (!f) return FIRN_ERROR_MEMORY;
  f->context = context;
  firn_status status = look(f, path);
  if (status == FIRN_OK) return FIRN_OK;
  firn_folder_close(f);
  *out = NULL;
  return status;
}

void firn_folder_close(firn_folder *f) {
  if (!f) return;
  for (int k = 0; k <= FIRN_FOLDER_CHECKPOINT; k++) {
    const files *s = &f->kind[k];
    firn_free(f->context, s->number, s->number ? s->capacity * sizeof *s->number : 0);
    firn_free(f->context, s->path, s->path ? s->capacity * s->path_size : 0);
  }
  firn_free(f->context, f, sizeof *f);
}

const char *firn_folder_path(const firn_folder *f) {
  return f ? f->path : NULL;
}

const char *firn_folder_scene(const firn_folder *f) {
  return f && *f->scene ? f->scene : NULL;
}

int firn_folder_count(const firn_folder *f, firn_folder_kind kind) {
  bool known = (int)kind >= 0 && kind <= FIRN_FOLDER_CHECKPOINT;
  return f && known ? (int)f->kind[kind].count : 0;
}

static bool is_there(const firn_folder *f, firn_folder_kind kind, int i) {
  return i >= 0 && i < firn_folder_count(f, kind);
}

int firn_folder_number(const firn_folder *f, firn_folder_kind kind, int i) {
  return is_there(f, kind, i) ? f->kind[kind].number[i] : -1;
}

const char *firn_folder_file(const firn_folder *f, firn_folder_kind kind, int i) {
  return is_there(f, kind, i) ? f->kind[kind].path + (size_t)i * f->kind[kind].path_size : NULL;
}

firn_status firn_folder_select(firn_folder *f, int first, int last, int every) {
  if (!f) return FIRN_ERROR_ARGUMENT;
  files *s = &f->kind[FIRN_FOLDER_FRAME];
  size_t kept = 0;
  if (every < 1) {
    return firn_fail(f->context, FIRN_ERROR_ARGUMENT, "%s: every = %d must be 1 or more", f->path,
                     every);
  }
  if (!s->count) {
    return firn_fail(f->context, FIRN_ERROR_ARGUMENT,
                     "%s holds no frames (frame_00000.hdf ...); `firn run` writes them", f->path);
  }
  int lowest = s->number[0], highest = s->number[s->count - 1];
  for (size_t i = 0; i < s->count; i++) {
    int n = s->number[i];
    if (n < first || (last >= 0 && n > last) || ((long)n - first) % every != 0) continue;
    s->number[kept] = n;
    memmove(s->path + kept * s->path_size, s->path + i * s->path_size, s->path_size);
    kept++;
  }
  s->count = kept;
  if (kept) return FIRN_OK;
  return firn_fail(f->context, FIRN_ERROR_ARGUMENT,
                   "%s has frames %d to %d, and none of those asked for", f->path, lowest, highest);
}
