// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 120
// long in double
// Scenes begin well under sph, whatever solver they were made for; with few particles, as CI has little
// time. whole_sph.c has more of them.
#include "scenes/sph_frames.h"

int main(int argc, char **argv) {
  most_particles = 1500;
  return play_scenes("sph", argc, argv);
}
