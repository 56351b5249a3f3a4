// SPDX-License-Identifier: Apache-2.0
// Printing for people. Each text that a %s stands for is escaped: names of files, titles and arguments
// come from others, and must neither steer a terminal nor begin a line of their own.
#define CLI_PRINTS // here the names are the C library's
#include <argp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_text(FILE *stream, const char *spec, const char *text, int precision) {
  size_t n = precision < 0 ? strlen(text) : strnlen(text, (size_t)precision);
  char *cut = strndup(text, n), *plain = malloc(6 * n + 1);
  if (cut && plain) {
    firn_escape(cut, plain, 6 * n + 1);
    fprintf(stream, spec, plain);
  }
  free(cut);
  free(plain);
}

#define PUT(type)                                                                                  \
  {                                                                                                \
    type value = va_arg(args, type);                                                               \
    fprintf(stream, spec, value);                                                                  \
  }

int cli_vprint(FILE *stream, const char *format, va_list given) {
  va_list args;
  if (stream == stdout || stream == stderr) cli_wait_clear();
  va_copy(args, given);
  for (const char *p = format; *p;) {
    size_t plain = strcspn(p, "%");
    fwrite(p, 1, plain, stream);
    p += plain;
    if (!*p) break;
    if (p[1] == '%') {
      fputc('%', stream);
      p += 2;
      continue;
    }
    // The conversion with its stars replaced, as those of the text have to be counted escaped.
    char spec[64];
    size_t used = 0;
    int precision = -1, longs = 0;
    bool size = false, dot = false;
    spec[used++] = *p++;
    for (; !strchr("diouxXcsfFeEgGaAp", *p) && used < 40; p++) {
      if (*p == '.') dot = true;
      if (*p == 'l') longs++;
      if (*p == 'z') size = true;
      if (*p == '*') {
        int value = va_arg(args, int);
        if (dot) precision = value;
        used += (size_t)snprintf(spec + used, 12, "%d", value);
      } else {
        if (dot && *p >= '0' && *p <= '9')
          precision = 10 * (precision < 0 ? 0 : precision) + *p - '0';
        spec[used++] = *p;
      }
    }
    char kind = *p++;
    spec[used] = kind;
    spec[used + 1] = 0;
    if (kind == 's') {
      char *point = strchr(spec, '.');
      if (point) memcpy(point, "s", 2); // cut before it is escaped
      const char *text = va_arg(args, const char *);
      put_text(stream, spec, text ? text : "(null)", precision);
    } else if (strchr("fFeEgGaA", kind)) {
      PUT(double)
    } else if (kind == 'p') {
      PUT(void *)
    } else if (size) {
      PUT(size_t)
    } else if (longs == 2) {
      PUT(long long)
    } else if (longs == 1) {
      PUT(long)
    } else {
      PUT(int)
    }
  }
  va_end(args);
  return 0;
}
#pragma GCC diagnostic pop

int cli_print(FILE *stream, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int result = cli_vprint(stream, format, args);
  va_end(args);
  return result;
}

void cli_argp_error(const struct argp_state *state, const char *format, ...) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  va_list args;
  va_start(args, format);
  if (stream) cli_vprint(stream, format, args);
  va_end(args);
  if (stream) fclose(stream);
  argp_error(state, "%s", text ? text : "wrong arguments");
  free(text);
}
