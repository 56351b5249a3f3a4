// SPDX-License-Identifier: Apache-2.0
// What the world of a checkpoint was made with, as fingerprints, and its fills.
#ifndef FIRN_API_CHECKPOINT_WORLD_H
#define FIRN_API_CHECKPOINT_WORLD_H

#include "cache/archive.h"
#include "world/world.h"

firn_status firn_checkpoint_save_world(const firn_world *world, firn_archive *archive);
// FIRN_ERROR_STATE, naming what differs, when the world is made otherwise than the saved one was.
firn_status firn_checkpoint_check_world(const firn_world *world, firn_archive *archive,
                                        const char *path, unsigned loose);
// The fills that the saved world had, so that later ones are laid as they would have been there.
firn_status firn_checkpoint_load_fills(firn_world *world, firn_archive *archive, const char *path);

#endif
