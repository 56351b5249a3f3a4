// SPDX-License-Identifier: Apache-2.0
// Fingerprints of what a world was made with.
#include "world/digest.h"

#include <string.h>

#include "material/preset.h"
#include "world/world.h"

void firn_world_note_space(firn_world *world, const firn_sim_def *def) {
  uint64_t digest = firn_digest(FIRN_DIGEST_START, &def->h, sizeof def->h);
  for (int a = 0; a < 3; a++) {
    int32_t period = def->periodic[a] ? def->period_cells[a] : 0;
    digest = firn_digest(digest, &period, sizeof period);
  }
  world->digests = (firn_digests){
      .space = digest,
      .gravity = firn_digest(FIRN_DIGEST_START, def->gravity, sizeof def->gravity),
      .materials = FIRN_DIGEST_START,
  };
}

void firn_world_note_material(firn_world *world, const firn_material_row *row) {
  firn_material_def def = firn_material_def_of_row(row);
  uint64_t *digest = &world->digests.materials;
  *digest = firn_digest(*digest, def.law, strlen(def.law));
#define ONE(CONSTANT, name, ...)    *digest = firn_digest(*digest, &def.name, sizeof def.name);
#define TWO(name, least, most, ...) ONE(, least) ONE(, most)
  FIRN_MATERIAL_LIST(ONE, ONE, TWO)
  FIRN_POROUS_LIST(ONE)
#undef ONE
#undef TWO
}

firn_digests firn_world_digest(const firn_world *world) {
  firn_digests all = world->digests;
  all.colliders = FIRN_DIGEST_START;
  for (int c = 0; c < world->collider_count; c++) {
    uint64_t of = world->collider[c].digest;
    all.colliders = firn_digest(all.colliders, &of, sizeof of);
  }
  return all;
}
