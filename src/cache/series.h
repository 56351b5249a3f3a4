// SPDX-License-Identifier: Apache-2.0
// Lists of files with their times, as ParaView opens them: frames.<extension>.series.
#ifndef FIRN_CACHE_SERIES_H
#define FIRN_CACHE_SERIES_H

#include "base/context.h"

#define FIRN_SERIES_FRAMES "frames.hdf.series"

// folder/frames.<extension>.series with frame_%05d.<extension> for the first count of the frames; time
// is in s, [count].
firn_status firn_series_write(firn_context *context, const char *folder, const char *extension,
                              const firn_folder *frames, size_t count, const double *time);
// folder/frames.hdf.series for all frames of a run's folder, which are frame_seconds apart.
firn_status firn_series_frames(firn_context *context, const char *folder, double frame_seconds);

#endif
