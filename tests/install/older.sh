#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 60
# Programs of other versions: one that was compiled against shorter structs gets what one of today
# gets, and nothing is written beyond them; one of longer structs is served as long as it asks for
# nothing new.
source "$(dirname "$0")/common.bash"
installed older

cat >program.c <<'EOF'
#include <firn/firn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call) \
  if ((call) != FIRN_OK) { printf("%s: %s\n", #call, firn_context_message(context)); return 1; }

// What lies behind a struct must stay as it was.
typedef struct { firn_sums it; double guard[32]; } guarded_sums;
typedef struct { firn_step it; double guard[32]; } guarded_step;
typedef struct { firn_material_def it; double guard[32]; } guarded_material;
typedef struct { firn_sim_def it; double guard[32]; } guarded_sim;
typedef struct { firn_emitter_def it; double guard[32]; } guarded_emitter;
static int intact(const double guard[32]) {
  for (int i = 0; i < 32; i++) if (guard[i] != 7) return 0;
  return 1;
}
#define GUARD(g) for (int i = 0; i < 32; i++) (g).guard[i] = 7

int main(void) {
  guarded_sums sums; guarded_step step; guarded_material snow; guarded_sim sim_def; guarded_emitter emitter;
  GUARD(sums); GUARD(step); GUARD(snow); GUARD(sim_def); GUARD(emitter);
  firn_context_def context_def = firn_default_context_def();
  context_def.threads = 1;
  firn_context *context = NULL;
  MUST(firn_context_create(&context_def, &context));
  sim_def.it = firn_default_sim_def();
  sim_def.it.h = 0.02;
  sim_def.it.mpm.flip = 0.9;
  sim_def.it.settings = NULL; // behind the settings of mpm
  firn_sim *sim;
  MUST(firn_sim_create(context, &sim_def.it, &sim));
  MUST(firn_material_preset(context, "powder", &snow.it));
  firn_fill_def fill = firn_default_fill_def();
  MUST(firn_sim_add_material(sim, &snow.it, &fill.material));
  fill.shape = firn_sphere((double[]){0, 0.1, 0}, 0.06);
  fill.velocity[1] = -2;
#ifdef VARIED // by the program that knows of it, to no effect
  firn_variation_def none[2] = {firn_default_variation_def(), firn_default_variation_def()};
  none[0].of = none[1].of = FIRN_PROPERTY_YOUNG;
  fill.variation = none;
  fill.variation_count = 2;
#endif
  MUST(firn_sim_fill(sim, &fill));
  firn_part_def part[2] = {firn_default_part_def(), firn_default_part_def()};
  part[0].shape = firn_half_space((double[]){0, 0, 0}, (double[]){0, 1, 0});
  part[1].shape = firn_box((double[]){0.05, 0.05, 0}, (double[]){0.02, 0.02, 0.02});
  firn_collider_def floor = firn_default_collider_def();
  floor.parts = part;
  floor.part_count = 2;
  MUST(firn_sim_add_collider(sim, &floor, NULL));
  emitter.it = firn_default_emitter_def();
  emitter.it.fill.shape = firn_sphere((double[]){0, 0.4, 0}, 0.04);
  emitter.it.kind = FIRN_EMIT_PARTICLES; // behind the fill
  emitter.it.rate = 4000;
  emitter.it.max_count = 50;
  MUST(firn_sim_add_emitter(sim, &emitter.it, NULL));
#ifdef NEWER
  floor.tomorrow = NEWER;
  firn_status status = firn_sim_add_collider(sim, &floor, NULL);
  printf("%s: %s\n", firn_status_name(status), status ? firn_context_message(context) : "");
  return 0;
#endif
  while (firn_sim_time(sim) < 0.03) MUST(firn_sim_step(sim, 0.001, &step.it));
  MUST(firn_sim_sums(sim, &sums.it));
  firn_mpm_def mpm;
  MUST(firn_sim_mpm(sim, &mpm));
  printf("%zu particles, %.17g J, %.17g m, flip %g, h %g, dt %g\n", firn_sim_count(sim),
         sums.it.energy_kinetic, sums.it.center[1], mpm.flip, sim_def.it.h, step.it.dt);
  printf("%d%d%d%d%d\n", intact(sums.guard), intact(step.guard), intact(snow.guard),
         intact(sim_def.guard), intact(emitter.guard));
  fprintf(stderr, "%zu %zu %zu %zu %zu %zu %zu %zu\n", sizeof(firn_sums), sizeof(firn_step),
          sizeof(firn_material_def), sizeof(firn_mpm_def), sizeof(firn_sim_def),
          sizeof(firn_fill_def), sizeof(firn_emitter_def), sizeof(firn_part_def));
  firn_sim_destroy(sim);
  size_t left = firn_context_bytes(context);
  firn_context_destroy(context);
  return left != 0;
}
EOF

# build NAME HEADERS FLAGS...: and what it says into NAME.txt, its sizes into NAME.sizes
build() {
  local name=$1 headers=$2
  shift 2
  "$CC" -std=c17 -Wall -Werror "$@" -I "$headers" program.c -o "$name" -L "$LIBDIR" -lfirn
  LD_LIBRARY_PATH=$LIBDIR "./$name" >"$name.txt" 2>"$name.sizes"
}

# change FILE SED...: of copied headers; each command has to change something.
change() {
  local file=$1
  shift
  for command in "$@"; do
    cp "$file" before.h
    sed -i "$command" "$file"
    if cmp -s before.h "$file"; then
      echo "$file: '$command' changes nothing"
      exit 1
    fi
  done
}

build today "$PREFIX/include"
build varied "$PREFIX/include" -DVARIED
cmp today.txt varied.txt

# Yesterday, before some of the last members were there.
cp -r "$PREFIX/include" yesterday
change yesterday/firn/sim.h '/temperature_min, temperature_mean/,/temperature_max;/d' \
  '/double bounds_max\[3\];/d' '/^  size_t asleep;/d'
change yesterday/firn/mpm.h '/double sleep_time;/d' '/double sleep_drift;/d'
change yesterday/firn/fill.h '/^  int variation_count;/d' '/const firn_variation_def \*variation;/d'
change yesterday/firn/material.h '/SOFTENING_LENGTH, softening_length/d' '/l of exp(xi (1 - J_P) h/d' \
  's/\("k_f: by how much more for each Pa, as printed; under flip")\) *\\$/\1/'
change yesterday/firn/collider.h '/^  firn_motion_def motion; \/\/ about its pivot/d'
build older yesterday
if ! cmp today.txt older.txt; then
  diff today.txt older.txt
  exit 1
fi
tail -n 1 today.txt | grep -qx 11111
paste <(tr ' ' '\n' <today.sizes) <(tr ' ' '\n' <older.sizes) | while read -r now before; do
  if [[ $before -ge $now ]]; then
    echo "a struct of $before bytes is not shorter than one of $now"
    exit 1
  fi
done

# Tomorrow: a member more. At rest it is of no account; asked for it cannot be had.
cp -r "$PREFIX/include" tomorrow
change tomorrow/firn/collider.h 's/^} firn_collider_def;/  double tomorrow;\n&/'
build newer tomorrow -DNEWER=0
grep -q '^FIRN_OK' newer.txt
build newest tomorrow -DNEWER=1
grep -q '^FIRN_ERROR_UNSUPPORTED: firn_collider_def' newest.txt

# However short it is: there is no gap at the end that it could hide in.
cp -r "$PREFIX/include" short
change short/firn/collider.h 's/^} firn_collider_def;/  bool tomorrow;\n&/'
build shorter short -DNEWER=false
grep -q '^FIRN_OK' shorter.txt
build shortest short -DNEWER=true
grep -q '^FIRN_ERROR_UNSUPPORTED: firn_collider_def' shortest.txt

# One that never was a def.
cat >zero.c <<'EOF'
#include <firn/firn.h>
#include <stdio.h>
int main(void) {
  firn_context_def def = {0};
  firn_context *context;
  printf("%s\n", firn_status_name(firn_context_create(&def, &context)));
  def = firn_default_context_def();
  if (firn_context_create(&def, &context)) return 1;
  firn_mesh_def mesh = {.scale = 1};
  firn_mesh *out;
  firn_status status = firn_mesh_load(context, "none.obj", &mesh, &out);
  printf("%s: %s\n", firn_status_name(status), firn_context_message(context));
  firn_context_destroy(context);
  return 0;
}
EOF
"$CC" -std=c17 -I "$PREFIX/include" zero.c -o zero -L "$LIBDIR" -lfirn
LD_LIBRARY_PATH=$LIBDIR ./zero >zero.txt
grep -qx FIRN_ERROR_ARGUMENT zero.txt
grep -q 'FIRN_ERROR_ARGUMENT: firn_mesh_def: size is 0; begin with what firn_default_mesh_def() returns' zero.txt
