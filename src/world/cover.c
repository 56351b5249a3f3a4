// SPDX-License-Identifier: Apache-2.0
// Where a fill has been made: the union of the boxes that a window has been.
#include "world/fill.h"

#include <string.h>

static bool box_holds(const firn_block_box *box, const int32_t at[3]) {
  for (int a = 0; a < 3; a++) {
    if (at[a] < box->lo[a] || at[a] > box->hi[a]) return false;
  }
  return true;
}

bool firn_cover_holds(const firn_cover *cover, const int32_t block[3]) {
  for (size_t i = cover->count; i-- > 0;) {
    if (box_holds(&cover->box[i], block)) return true;
  }
  return false;
}

// Makes last the union of both if that is a box again: they differ along one axis and touch there.
static bool join(firn_block_box *last, const firn_block_box *box) {
  int differ = -1;
  for (int a = 0; a < 3; a++) {
    if (last->lo[a] == box->lo[a] && last->hi[a] == box->hi[a]) continue;
    if (differ >= 0) return false;
    differ = a;
  }
  if (differ < 0) return true;
  int a = differ;
  if (box->lo[a] > last->hi[a] + 1 || last->lo[a] > box->hi[a] + 1) return false;
  if (box->lo[a] < last->lo[a]) last->lo[a] = box->lo[a];
  if (box->hi[a] > last->hi[a]) last->hi[a] = box->hi[a];
  return true;
}

bool firn_cover_holds_box(const firn_cover *cover, const firn_block_box *box) {
  for (size_t i = cover->count; i-- > 0;) {
    if (box_holds(&cover->box[i], box->lo) && box_holds(&cover->box[i], box->hi)) return true;
  }
  return false;
}

firn_status firn_cover_reserve(firn_cover *cover, firn_context *context) {
  if (cover->count < cover->capacity) return FIRN_OK;
  size_t capacity = cover->capacity ? 2 * cover->capacity : 4;
  void *all = firn_resize(context, cover->box, cover->capacity * sizeof *cover->box,
                          capacity * sizeof *cover->box, "window");
  if (!all) return FIRN_ERROR_MEMORY;
  cover->box = all;
  cover->capacity = capacity;
  return FIRN_OK;
}

void firn_cover_add(firn_cover *cover, const firn_block_box *box) {
  if (cover->count && join(&cover->box[cover->count - 1], box)) return;
  cover->box[cover->count++] = *box;
}

void firn_cover_free(firn_cover *cover, firn_context *context) {
  firn_free(context, cover->box, cover->capacity * sizeof *cover->box);
  *cover = (firn_cover){0};
}
