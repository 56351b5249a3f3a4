// SPDX-License-Identifier: Apache-2.0
// long
// timeout: 600
// As sph.c, with all the particles of quality 0.2.
#include "scenes/sph_frames.h"

int main(int argc, char **argv) {
  return play_scenes("whole_sph", argc, argv);
}
