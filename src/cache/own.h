// SPDX-License-Identifier: Apache-2.0
// Single files that firn writes under a name of the user's: pictures, films and curves. Each holds
// a mark, by which a later command knows that it may replace the file. (Of the folders that firn
// fills, cache/record.h keeps lists.)
//
//   .png    text of the key "Software", and no other text: what retouches a picture leaves its own
//   .exr    an attribute "software"
//   .svg    a comment at the end: <!-- firn 0123456789abcdef -->
//   .mp4    a box of the kind "free" at the end, with the same text
//
// The digits are a hash of the size of all before, and of its last MiB.
#ifndef FIRN_CACHE_OWN_H
#define FIRN_CACHE_OWN_H

#include "cache/file.h"

typedef enum firn_own_kind { FIRN_OWN_SVG, FIRN_OWN_MP4 } firn_own_kind;

enum { FIRN_OWN_MARK = 40 };
// The mark that follows a text of so many bytes, into out[FIRN_OWN_MARK]; returns its length.
size_t firn_own_mark(firn_own_kind kind, const char *text, size_t size, char *out);

// Adds the mark to a finished film.
firn_status firn_own_mark_film(firn_context *context, const char *path);

// Whether a file may be written: the name is free, or has a link, or a file with firn's mark; a
// name that ends in .part may have one that begins as such a file. FIRN_ERROR_STATE otherwise.
firn_status firn_own_check(firn_context *context, const char *path);

#endif
