// SPDX-License-Identifier: Apache-2.0
// What the makers of level sets share.
#ifndef FIRN_GEOMETRY_LEVEL_SET_PRIVATE_H
#define FIRN_GEOMETRY_LEVEL_SET_PRIVATE_H

#include "geometry/level_set.h"

// Block corners: 64 M are 2000^3 voxels and more, and 512 MB.
#define FIRN_LEVEL_SET_LATTICE_MAX 67108864.0

firn_level_set *firn_level_set_new(firn_context *context); // zeroed, one reference
size_t firn_level_set_table_size(const firn_level_set *set);
size_t firn_level_set_corner_count(const firn_level_set *set);

// Room for table and corners, whose numbers `blocks` says, and for stored blocks. moving: with
// velocities. Contents are undefined.
firn_status firn_level_set_lattice(firn_level_set *set, bool moving, const char *what);
firn_status firn_level_set_blocks(firn_level_set *set, size_t count, bool moving);

#endif
