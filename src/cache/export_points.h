// SPDX-License-Identifier: Apache-2.0
// Particles in the formats of other programs. The sink is open; the caller commits it.
#ifndef FIRN_CACHE_EXPORT_POINTS_H
#define FIRN_CACHE_EXPORT_POINTS_H

#include "cache/export_cloud.h"
#include "cache/export_sink.h"

// VTK's XML PolyData, one vertex a particle, data appended raw.
firn_status firn_export_vtp(const firn_cloud *cloud, firn_sink *sink);
// Binary little-endian, one element "vertex".
firn_status firn_export_ply(const firn_cloud *cloud, firn_sink *sink);
// Houdini's classic binary geometry, version 5, points only. The velocity is called v there.
firn_status firn_export_bgeo(const firn_cloud *cloud, firn_sink *sink);
// A header line, then a line a particle.
firn_status firn_export_csv(const firn_cloud *cloud, firn_sink *sink);

#endif
