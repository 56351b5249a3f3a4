// SPDX-License-Identifier: Apache-2.0
#include "limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

// -------------------------------------------------------------------------------------- memory

// "MemTotal:  24684100 kB" of /proc/meminfo in bytes; nan: there is none.
static double meminfo(const char *key) {
  char line[256];
  double kilobytes = NAN;
  FILE *file = fopen("/proc/meminfo", "r");
  if (!file) return NAN;
  size_t length = strlen(key);
  while (fgets(line, sizeof line, file))
    if (strncmp(line, key, length) == 0 && line[length] == ':') {
      kilobytes = strtod(line + length + 1, NULL);
      break;
    }
  fclose(file);
  return 1024 * kilobytes;
}

static double number_of_file(const char *path) {
  char text[64] = "";
  FILE *file = fopen(path, "r");
  if (!file) return NAN;
  char *end = text, *read = fgets(text, sizeof text, file);
  fclose(file);
  double value = read ? strtod(text, &end) : 0;
  return end == text ? NAN : value; // "max" is no number
}

// The least limit on the way from a group up to the root.
static double least_above(const char *mount, char *group, const char *name) {
  double least = INFINITY;
  for (;;) {
    char path[4200];
    snprintf(path, sizeof path, "%s%.3900s/%s", mount, group, name);
    least = fmin(least, number_of_file(path)); // passes over nan
    char *slash = strrchr(group, '/');
    if (!slash) return least;
    *slash = 0;
  }
}

// Of control groups, in either version of them.
static double group_limit(void) {
  char line[4096];
  double least = INFINITY;
  FILE *file = fopen("/proc/self/cgroup", "r");
  if (!file) return least;
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    char *controllers = strchr(line, ':'),
         *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) continue;
    *group++ = 0;
    controllers++;
    if (!*controllers)
      least = fmin(least, least_above("/sys/fs/cgroup", group, "memory.max"));
    else if (strstr(controllers, "memory"))
      least = fmin(least, least_above("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
  }
  fclose(file);
  return least;
}

static double process_limit(int resource) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY) return INFINITY;
  return (double)limit.rlim_cur;
}

double limits_memory(const char **what) {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  double own = fmin(process_limit(RLIMIT_AS), process_limit(RLIMIT_DATA));
  double least = (double)pages * (double)size, group = group_limit();
  const char *word = "this machine has";
  if (group < least) {
    least = group;
    word = "its control group allows";
  }
  if (own < least) {
    least = own;
    word = "ulimit allows";
  }
  if (what) *what = word;
  return least;
}

double limits_memory_free(void) {
  return fmin(meminfo("MemAvailable"), limits_memory(NULL));
}

// ---------------------------------------------------------------------------------------- disk

double limits_disk(const char *folder) {
  char path[4096];
  struct statvfs disk;
  snprintf(path, sizeof path, "%s", folder);
  // What is not made yet will lie where its nearest parent does.
  while (statvfs(path, &disk)) {
    char *slash = strrchr(path, '/');
    if (strcmp(path, ".") == 0 || strcmp(path, "/") == 0) return NAN;
    if (!slash)
      snprintf(path, sizeof path, ".");
    else
      slash[slash == path] = 0;
  }
  return (double)disk.f_bavail * (double)disk.f_frsize;
}
