// SPDX-License-Identifier: Apache-2.0
#include "api/log.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "cache/file.h"
#include "cache/lock.h"

static void write_line(const firn_run_log *log, const char *line, size_t size) {
  if (firn_file_write_all(log->fd, line, size)) {} // see log.h
}

static firn_status lock(firn_context *context, const char *path, firn_run_log *log) {
  firn_status status = firn_lock_file(context, path, log->fd);
  if (status != FIRN_OK) firn_log_close(log);
  return status;
}

firn_status firn_log_lock(firn_context *context, const char *path, firn_run_log *log) {
  // What is wrong with it is told once it is to be written.
  if (firn_file_update(context, path, O_APPEND, &log->fd) != FIRN_OK) return FIRN_OK;
  return lock(context, path, log);
}

firn_status firn_log_open(firn_context *context, const char *path, firn_run_log *log) {
  struct stat info;
  // Somebody may have removed what is locked.
  if (log->fd >= 0 && (fstat(log->fd, &info) || !info.st_nlink)) firn_log_close(log);
  if (log->fd < 0) {
    FIRN_TRY(firn_file_update(context, path, O_CREAT | O_APPEND, &log->fd));
    FIRN_TRY(lock(context, path, log));
  }
  log->open = true;
  return FIRN_OK;
}

firn_status firn_log_clear(firn_context *context, const char *path, firn_run_log *log) {
  return ftruncate(log->fd, 0) ? firn_file_fail(context, "empty", path, errno) : FIRN_OK;
}

void firn_log_close(firn_run_log *log) {
  if (log->fd >= 0) close(log->fd);
  log->fd = -1;
  log->open = false;
}

static void put(firn_run_log *log, const char *text) {
  size_t n = strlen(text);
  if (log->used + n > sizeof log->line - 3) return; // room for the end of the line
  memcpy(log->line + log->used, text, n);
  log->used += n;
}

static void put_string(firn_run_log *log, const char *text) {
  put(log, "\"");
  for (const char *c = text; *c;) {
    int n = firn_utf8(c);
    char code[8] = {0};
    if (*c == '"' || *c == '\\')
      snprintf(code, sizeof code, "\\%c", *c);
    else if (!n || (unsigned char)*c < 0x20)
      snprintf(code, sizeof code, "\\u%04x", n ? (unsigned)*c : 0xfffd);
    else
      memcpy(code, c, (size_t)n);
    put(log, code);
    c += n ? n : 1;
  }
  put(log, "\"");
}

void firn_log_text(firn_run_log *log, const char *key, const char *text) {
  put(log, log->used > 1 ? ", " : "");
  put_string(log, key);
  put(log, ": ");
  put_string(log, text);
}

void firn_log_number(firn_run_log *log, const char *key, double value) {
  char number[FIRN_NUMBER_SIZE];
  firn_number_print(number, value);
  put(log, log->used > 1 ? ", " : "");
  put_string(log, key);
  put(log, ": ");
  put(log, isfinite(value) ? number : "null");
}

void firn_log_begin(firn_run_log *log, const char *event) {
  char now[32] = "";
  time_t seconds = time(NULL);
  struct tm parts;
  if (gmtime_r(&seconds, &parts)) strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &parts);
  log->used = 0;
  put(log, "{");
  firn_log_text(log, "event", event);
  firn_log_text(log, "at", now);
}

void firn_log_end(firn_run_log *log) {
  log->line[log->used++] = '}';
  log->line[log->used++] = '\n';
  if (log->open) {
    write_line(log, log->held, log->held_used);
    log->held_used = 0;
    write_line(log, log->line, log->used);
  } else if (log->held_used + log->used <= sizeof log->held) {
    memcpy(log->held + log->held_used, log->line, log->used);
    log->held_used += log->used;
  }
}
