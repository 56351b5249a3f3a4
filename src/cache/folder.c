// SPDX-License-Identifier: Apache-2.0
#include "cache/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

firn_status firn_folder_path(firn_context *context, const char *folder, const char *prefix,
                             int number, char *path) {
  return firn_path_format(context, path, "%s/%s%05d.hdf", folder, prefix, number);
}

// The number in a file's name, or -1.
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

firn_status firn_folder_list(firn_context *context, const char *folder, const char *prefix,
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
    *numbers = firn_alloc(context, n * sizeof *list, "list of files");
    if (*numbers) {
      memcpy(*numbers, list, n * sizeof *list);
      *count = n;
    } else {
      status = FIRN_ERROR_MEMORY;
    }
  }
  firn_free(context, list, capacity * sizeof *list);
  return status;
}

firn_status firn_folder_clear(firn_context *context, const char *folder, const char *prefix,
                              firn_keep_fn keep, void *user) {
  int *numbers;
  size_t count;
  FIRN_TRY(firn_folder_list(context, folder, prefix, &numbers, &count));
  firn_status status = FIRN_OK;
  for (size_t i = 0; i < count && status == FIRN_OK; i++) {
    char path[FIRN_PATH_SIZE];
    if (keep && keep(user, numbers[i])) continue;
    status = firn_folder_path(context, folder, prefix, numbers[i], path);
    if (status == FIRN_OK && unlink(path) && errno != ENOENT) {
      status = firn_file_fail(context, "remove", path, errno);
    }
  }
  firn_free(context, numbers, count * sizeof *numbers);
  return status;
}
