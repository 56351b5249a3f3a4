// SPDX-License-Identifier: Apache-2.0
#include "cache/series.h"

#include "base/memory.h"
#include "base/number.h"
#include "cache/export_sink.h"
#include "cache/folder.h"

firn_status firn_series_write(firn_context *context, const char *folder, const char *extension,
                              const firn_folder *frames, size_t count, const double *time) {
  char path[FIRN_PATH_SIZE];
  firn_sink sink;
  FIRN_TRY(firn_path_format(context, path, "%s/frames.%s.series", folder, extension));
  FIRN_TRY(firn_sink_open(context, path, &sink));
  firn_sink_print(&sink, "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n");
  for (size_t i = 0; i < count; i++) {
    char text[FIRN_NUMBER_SIZE];
    firn_number_print(text, time[i]);
    firn_sink_print(&sink, "    {\"name\": \"" FIRN_FRAME_PREFIX "%05d.%s\", \"time\": %s}%s\n",
                    firn_folder_number(frames, FIRN_FOLDER_FRAME, (int)i), extension, text,
                    i + 1 < count ? "," : "");
  }
  firn_sink_print(&sink, "  ]\n}\n");
  return firn_sink_commit(&sink);
}

firn_status firn_series_frames(firn_context *context, const char *folder, double frame_seconds) {
  firn_folder *frames;
  FIRN_TRY(firn_folder_open(context, folder, &frames));
  size_t count = (size_t)firn_folder_count(frames, FIRN_FOLDER_FRAME),
         size = count * sizeof(double);
  double *time = firn_alloc(context, size, "times of frames");
  firn_status status = time || !count ? FIRN_OK : FIRN_ERROR_MEMORY;
  for (size_t i = 0; time && i < count; i++) {
    time[i] = firn_folder_number(frames, FIRN_FOLDER_FRAME, (int)i) * frame_seconds;
  }
  if (time) status = firn_series_write(context, folder, "hdf", frames, count, time);
  firn_free(context, time, size);
  firn_folder_close(frames);
  return status;
}
