// SPDX-License-Identifier: Apache-2.0
// Text of others, for terminals and messages.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <firn/firn.h>

// The code point at p and its length in bytes; 0: not UTF-8.
static int decode(const unsigned char *p, uint32_t *code) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  int n = *p < 0x80                 ? 1
          : *p >= 0xc2 && *p < 0xe0 ? 2
          : *p >= 0xe0 && *p < 0xf0 ? 3
          : *p >= 0xf0 && *p < 0xf5 ? 4
                                    : 0;
  *code = n < 2 ? *p : *p & (0x7fu >> n);
  for (int i = 1; i < n; i++) {
    if ((p[i] & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (p[i] & 0x3f);
  }
  bool surrogate = *code >= 0xd800 && *code < 0xe000;
  return n && (*code < least[n] || *code > 0x10ffff || surrogate) ? 0 : n;
}

int firn_utf8(const char *text) {
  uint32_t code;
  return decode((const unsigned char *)text, &code);
}

// What a terminal acts on, ends a line, or turns the order of what follows.
static bool is_active(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

size_t firn_escape(const char *text, char *out, size_t size) {
  size_t used = 0;
  if (!size) return 0;
  for (const unsigned char *p = (const unsigned char *)text; *p;) {
    char piece[8];
    uint32_t code;
    int n = decode(p, &code), length;
    if (n && !is_active(code)) {
      memcpy(piece, p, (size_t)n);
      length = n;
    } else if (code == '\n' || code == '\t') {
      length = snprintf(piece, sizeof piece, "\\%c", code == '\n' ? 'n' : 't');
    } else if (n > 1) {
      length = snprintf(piece, sizeof piece, "\\u%04x", (unsigned)code);
    } else {
      length = snprintf(piece, sizeof piece, "\\x%02x", (unsigned)*p);
    }
    if (used + (size_t)length >= size) break;
    memcpy(out + used, piece, (size_t)length);
    used += (size_t)length;
    p += n ? n : 1;
  }
  out[used] = 0;
  return used;
}
