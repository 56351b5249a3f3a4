// SPDX-License-Identifier: Apache-2.0
// What the fine particles of one particle are: where they begin, and how large they are. Functions of
// seed and id, whoever asks and whenever.
#ifndef FIRN_REFINE_GRAIN_H
#define FIRN_REFINE_GRAIN_H

#include <stdint.h>

// The place of fine particle k within the cube of edge 1 about the particle, each in [-1/2, 1/2): Roberts'
// sequence, shifted for each particle. It fills the cube more evenly than random numbers do.
void firn_grain_place(uint64_t seed, uint64_t id, int k, double out[3]);

// The shares of its volume, and mass, that a particle gives to each of its fine ones, times their number:
// log-normal, and 1 in the mean over these.
void firn_grain_shares(uint64_t seed, uint64_t id, int count, double variation, double *share);

#endif
