// SPDX-License-Identifier: Apache-2.0
// Contact sheets from picture files.
#include "render/sheet.h"
#include "base/def.h"
#include "base/memory.h"
#include "base/png.h"
#include "render/png.h"

enum { MOST_PICTURES = 10000 };

FIRN_DEFAULTS(sheet_def) {
  return (firn_sheet_def){0};
}

static firn_status check(firn_context *context, const firn_sheet_def *def) {
  if (def->count < 1 || def->count > MOST_PICTURES) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "a contact sheet of %d pictures: 1 to %d fit",
                     def->count, MOST_PICTURES);
  }
  if (!def->png || !def->label) return firn_fail_null(context, "firn_sheet_write");
  for (int i = 0; i < def->count; i++) {
    if (!def->label[i]) return firn_fail_null(context, "firn_sheet_write: a label");
  }
  return FIRN_OK;
}

static firn_status read_pictures(firn_context *context, const firn_sheet_def *def,
                                 firn_pixels *images, firn_sheet_picture *pictures) {
  for (int i = 0; i < def->count; i++) {
    firn_sheet_picture *p = &pictures[i];
    p->label = def->label[i];
    firn_doing(context, (size_t)i, (size_t)def->count, "contact sheet: reading pictures");
    if (!def->png[i]) continue;
    const size_t most = (size_t)FIRN_PNG_MOST * FIRN_PNG_MOST;
    firn_pixels *pixels = &images[i];
    firn_status status = firn_png_read(context, def->png[i], NULL, FIRN_PNG_RGB8, FIRN_PNG_MOST,
                                       most, pixels);
    if (status == FIRN_ERROR_MEMORY) return status;
    if (status != FIRN_OK) continue;
    p->width = pixels->width;
    p->height = pixels->height;
    p->rgb = pixels->data;
  }
  return FIRN_OK;
}

static firn_status write_sheet(firn_context *context, const firn_sheet_def *def,
                               const firn_sheet_picture *pictures, const char *path) {
  firn_sheet_layout layout = firn_sheet_plan(def->count, def->columns, pictures);
  if (layout.width > FIRN_PNG_MOST * 4 || layout.height > FIRN_PNG_MOST * 4) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "a contact sheet of %d x %d pixels is too large; give it smaller pictures",
                     layout.width, layout.height);
  }
  size_t bytes = 3 * (size_t)layout.width * (size_t)layout.height;
  uint8_t *rgb = firn_alloc(context, bytes, "a contact sheet");
  if (!rgb) return FIRN_ERROR_MEMORY;
  firn_sheet_draw(&layout, def->count, pictures, rgb);
  firn_status status = firn_png_write(context, path, layout.width, layout.height, rgb);
  firn_free(context, rgb, bytes);
  return status;
}

firn_status firn_sheet_write(firn_context *context, const firn_sheet_def *given,
                             const char *png_path) {
  if (!context || !given || !png_path) return firn_fail_null(context, "firn_sheet_write");
  FIRN_TAKE(context, sheet_def, given, own);
  const firn_sheet_def *def = &own;
  FIRN_TRY(check(context, def));
  size_t size = (size_t)def->count * sizeof(firn_sheet_picture);
  size_t image_size = (size_t)def->count * sizeof(firn_pixels);
  firn_sheet_picture *pictures = firn_alloc_zero(context, size, "pictures of a contact sheet");
  firn_pixels *images = firn_alloc_zero(context, image_size, "pictures of a contact sheet");
  firn_status status = pictures && images ? FIRN_OK : FIRN_ERROR_MEMORY;
  if (status == FIRN_OK) status = read_pictures(context, def, images, pictures);
  if (status == FIRN_OK) status = write_sheet(context, def, pictures, png_path);
  for (int i = 0; images && i < def->count; i++) firn_pixels_free(context, &images[i]);
  firn_free(context, images, image_size);
  firn_free(context, pictures, size);
  return status;
}
