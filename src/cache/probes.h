// SPDX-License-Identifier: Apache-2.0
// probes.csv: a header line, then for each frame a row for every probe, frame 0 first. Averages are
// by mass; they are empty where a probe found no particle.
#ifndef FIRN_CACHE_PROBES_H
#define FIRN_CACHE_PROBES_H

#include "base/context.h"

// A new file with the header alone; an old one is replaced.
firn_status firn_probes_create(firn_context *context, const char *path);
// Adds the rows of one frame, [count] of both, and makes them durable. time in s.
firn_status firn_probes_append(firn_context *context, const char *path, int frame, double time,
                               const firn_probe_def *defs, const firn_probe *probes, int count);
// Drops every row of a frame after last, and half rows; keeps the others' bytes.
firn_status firn_probes_truncate(firn_context *context, const char *path, int last);

#endif
