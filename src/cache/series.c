// SPDX-License-Identifier: Apache-2.0
#include "cache/series.h"

#include "base/memory.h"
#include "cache/export_sink.h"
#include "cache/folder.h"
#include "base/number.h"

firn_status firn_series_write(firn_context *context, const char *folder, const char *extension,
                              size_t count, const int *number, const double *time) {
  char path[FIRN_PATH_SIZE];
  firn_sink sink;
  FIRN_TRY(firn_path_format(context, path, "%s/frames.%s.series", folder, extension));
  FIRN_TRY(firn_sink_open(context, path, &sink));
  firn_sink_print(&sink, "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n");
  for (size_t i = 0; i < count; i++) {
    char text[FIRN_NUMBER_SIZE];
    firn_number_print(text, time[i]);
    firn_sink_print(&sink, "    {\"name\": \"" FIRN_FRAME_PREFIX "%05d.%s\", \"time\": %s}%s\n",
                    number[i], extension, text, i + 1 < count ? "," : "");
  }
  firn_sink_print(&sink, "  ]\n}\n");
  return firn_sink_commit(&sink);
}

firn_status firn_series_frames(firn_context *context, const char *folder, double frame_seconds) {
  int *number;
  size_t count;
  FIRN_TRY(firn_folder_list(context, folder, FIRN_FRAME_PREFIX, &number, &count));
  if (!count) return FIRN_OK;
  double *time = firn_alloc(context, count * sizeof *time, "times of frames");
  firn_status status = FIRN_ERROR_MEMORY;
  if (time) {
    for (size_t i = 0; i < count; i++) time[i] = number[i] * frame_seconds;
    status = firn_series_write(context, folder, "hdf", count, number, time);
    firn_free(context, time, count * sizeof *time);
  }
  firn_free(context, number, count * sizeof *number);
  return status;
}
