// SPDX-License-Identifier: Apache-2.0
// The loops for each instruction set against plain ones, in float.
#include "base/isa.h"
#include "solver/flip/pieces.h"
#include "solver/flip/viscosity.h"
#include "support/flip_case.h"

static const firn_isa quick[] = {FIRN_ISA_AVX2, FIRN_ISA_AVX512};

enum { FIELDS = 24 };

// All of it rides in two pieces.
static void make_pieces(const flip_case *c) {
  flip *s = flip_case_solver(c);
  must(c, flip_clusters(s));
  assert_int_equal(s->last.clusters, 2);
  for (size_t i = 0; i < FLIP_CELLS * s->grid.count; i++)
    for (int a = 0; a < 3; a++)
      s->rubbed[a][i] = (firn_real)flip_random(3, 3 * i + (uint64_t)a, -1, 1);
  for (int n = 0; n < 2; n++) assert_true(s->riding.of[n].rides && s->riding.of[n].mass > 0);
}

// Two boxes of particles in the same cells and a single one, so that some cells are crowded, most of one block
// more than are taken at once, and others empty; everything that they and the grid hold is random, up to 1.
static flip_case make(int variant) {
  flip_plan plan = flip_default_plan();
  plan.h = 1;
  plan.flip.kernel = variant & 1 ? FIRN_FLIP_KERNEL_BSPLINE : FIRN_FLIP_KERNEL_SPH;
  plan.flip.transfer = variant & 2 ? FIRN_FLIP_TRANSFER_APIC : FIRN_FLIP_TRANSFER_FLIP;
  if (variant & 4) plan.flip.advect_grid = true;
  must(&(flip_case){0}, firn_material_preset(NULL, "snow", &plan.material));
  plan.material.density = 8; // particles of 1 kg
  plan.material.durability = 0.5;
  flip_case c = flip_case_open(&plan);
  flip_case_plane(&c, (const double[3]){0, -1.9, 0}, (const double[3]){0.1, 1, 0}, NULL);
  flip_case_box(&c, (const int[3]){-3, -2, -3}, (const int[3]){4, 5, 3}, 0.3, NULL);
  flip_case_box(&c, (const int[3]){0, 0, 0}, (const int[3]){4, 4, 2}, 0.2, NULL);
  flip_case_box(&c, (const int[3]){9, 0, 0}, (const int[3]){10, 1, 1}, 0.2, NULL);
  flip *s = flip_case_solver(&c);
  flip_case_prepare(&c, 0.5);
  const firn_particles *p = &s->world->particles;
  uint64_t n = 0;
  for (size_t i = 0; i < p->slots; i++) {
    for (int f = FIRN_FIELD_VX; f <= FIRN_FIELD_VZ; f++)
      firn_particles_real(p, f)[i] = (firn_real)flip_random(1, n++, -1, 1);
    for (int k = 0; k < 9 && s->field_c >= 0; k++)
      firn_particles_real(p, s->field_c + k)[i] = (firn_real)flip_random(1, n++, -1, 1);
    firn_particles_real(p, s->field_d)[i] = (firn_real)flip_random(1, n++, 0, 1);
  }
  for (size_t i = 0; i < FLIP_CELLS * s->grid.count; i++) {
    for (int a = 0; a < 3; a++) {
      s->u[a][i] = (firn_real)flip_random(2, n++, -1, 1);
      s->was[a][i] = (firn_real)flip_random(2, n++, -1, 1);
    }
    s->fill[0][i] = (firn_real)flip_random(2, n++, 0, 1);
    s->pressure[0][i] = (firn_real)flip_random(2, n++, 0, 1);
    s->hurt[0][i] = (firn_real)flip_random(2, n++, -1, 0.2);
  }
  if (variant & 8) make_pieces(&c);
  return c;
}

static const flip_kernels *kernels_of(firn_isa isa) {
  firn_context context = {.isa = isa};
  return flip_choose_kernels(&context);
}

static void clear_arena(firn_real *arena) {
  for (int i = 0; i < FLIP_ARENA_CHANNELS * FLIP_TILE_CELLS; i++)
    arena[i] = i < FLIP_ARENA_NEAR * FLIP_TILE_CELLS ? 0 : 100;
}

// A weight R^2/r^2 - 1 is wrong by some last digits of itself and 1, and so are sums of up to 300 of them, less
// what rounds the other way; none is of more than 1 kg at 2.5 m/s. Distances beyond what the surface asks for
// may be noted or not.
static void compare_arenas(const firn_real *plain, const firn_real *fast) {
  for (int channel = 0; channel < FLIP_ARENA_CHANNELS; channel++) {
    for (int i = 0; i < FLIP_TILE_CELLS; i++) {
      int by = channel < 3                        ? channel + 3
               : channel == FLIP_ARENA_DURABILITY ? FLIP_ARENA_MIDDLE
                                                  : channel;
      double a = (double)plain[channel * FLIP_TILE_CELLS + i],
             b = (double)fast[channel * FLIP_TILE_CELLS + i];
      double scale = 2.5 * ((double)plain[by * FLIP_TILE_CELLS + i] + 10);
      if (channel == FLIP_ARENA_NEAR && a > 2.56 && b > 2.56) continue;
      if (fabs(a - b) > 16 * EPS * scale)
        fail_msg("channel %d, node %d: %.9g, not %.9g", channel, i, b, a);
    }
  }
}

static void particles_give_the_same_to_the_grid(void **state) {
  (void)state;
  for (int variant = 0; variant < 4; variant++) {
    flip_case c = make(variant);
    flip *s = flip_case_solver(&c);
    static firn_real plain[FLIP_ARENA_CHANNELS * FLIP_TILE_CELLS],
        fast[sizeof plain / sizeof *plain];
    size_t most = 0;
    for (size_t b = 0; b < s->world->particles.block_count; b++) {
      clear_arena(plain);
      uint64_t full = flip_scatter_scalar(s, b, plain);
      if (s->world->particles.block[b].count > most) most = s->world->particles.block[b].count;
      for (int q = 0; q < 2; q++) {
        if (IS_DOUBLE || !firn_isa_available(quick[q])) continue;
        clear_arena(fast);
        assert_ptr_not_equal(kernels_of(quick[q])->scatter, flip_scatter_scalar);
        assert_int_equal(kernels_of(quick[q])->scatter(s, b, fast), full);
        compare_arenas(plain, fast);
      }
    }
    assert_true(most > 512);
    flip_case_close(&c);
  }
}

static void save(const flip *s, bool back, firn_real *fields[FIELDS]) {
  const firn_particles *p = &s->world->particles;
  for (int f = 0; f < p->field_count && f < FIELDS; f++) {
    if (p->field[f].type != FIRN_FIELD_REAL) continue;
    size_t bytes = p->slots * sizeof(firn_real);
    if (!fields[f]) fields[f] = malloc(bytes);
    if (back)
      memcpy(p->field[f].data, fields[f], bytes);
    else
      memcpy(fields[f], p->field[f].data, bytes);
  }
}

// Particles take sums of at most 36 nodes with weights of 1 in all, and slopes of 4 at most; those
// of pieces what turns by a few m/s a cell, some cells from its middle.
static void particles_take_the_same_from_the_grid(void **state) {
  (void)state;
  for (int variant = 0; variant < 16; variant++) {
    flip_case c = make(variant);
    flip *s = flip_case_solver(&c);
    const firn_particles *p = &s->world->particles;
    firn_real *before[FIELDS] = {0}, *plain[FIELDS] = {0};
    assert_true(p->field_count <= FIELDS);
    save(s, false, before);
    for (size_t b = 0; b < p->block_count; b++) {
      const firn_block *block = &p->block[b];
      save(s, true, before);
      flip_tally expected = flip_move_scalar(s, b, 0.9);
      save(s, false, plain);
      for (int q = 0; q < 2; q++) {
        if (IS_DOUBLE || !firn_isa_available(quick[q])) continue;
        save(s, true, before);
        assert_ptr_not_equal(kernels_of(quick[q])->move, flip_move_scalar);
        flip_tally tally = kernels_of(quick[q])->move(s, b, 0.9);
        for (int f = 0; f < p->field_count; f++) {
          if (p->field[f].type != FIRN_FIELD_REAL) continue;
          for (size_t i = 0; i < p->slots; i++) {
            double wrong = fabs((double)firn_particles_real(p, f)[i] - (double)plain[f][i]);
            bool own = i >= block->first && i < block->first + block->count;
            if (wrong > (own ? 64 * EPS : 0))
              fail_msg("variant %d, %s of particle %zu: wrong by %g", variant, p->field[f].name, i,
                       wrong);
          }
        }
        assert_true(fabs(tally.speed2 - expected.speed2) <= 64 * EPS);
        for (int a = 0; a < 3; a++)
          assert_true(fabs(tally.gained[a] - expected.gained[a]) <= 16 * EPS * block->count);
      }
    }
    for (int f = 0; f < FIELDS; f++) {
      free(before[f]);
      free(plain[f]);
    }
    flip_case_close(&c);
  }
}

// A velocity that is not finite is told, whichever lane it is in.
static void what_is_not_finite_is_seen(void **state) {
  (void)state;
  flip_case c = make(0);
  flip *s = flip_case_solver(&c);
  const firn_particles *p = &s->world->particles;
  for (int q = -1; q < 2; q++) {
    firn_isa isa = q < 0 ? FIRN_ISA_SCALAR : quick[q];
    if (q >= 0 && (IS_DOUBLE || !firn_isa_available(isa))) continue;
    for (size_t i = p->block[0].first; i < p->block[0].first + p->block[0].count; i += 7) {
      firn_real *v = &firn_particles_real(p, FIRN_FIELD_VY)[i], was = *v;
      *v = (firn_real)NAN;
      assert_false(isfinite(kernels_of(isa)->move(s, 0, 0.9).speed2));
      *v = was;
      firn_particles_real(p, FIRN_FIELD_Y)[i] = 1;
    }
  }
  flip_case_close(&c);
}

// Channels of noise but for the last block, which is of zeros.
static firn_real *noise(const flip *s, uint64_t seed) {
  size_t cells = FLIP_CELLS * (s->grid.count + 1);
  firn_real *out = calloc(cells, sizeof *out);
  for (size_t i = 0; i < cells - FLIP_CELLS; i++)
    out[i] = (firn_real)fmax(0, flip_random(seed, i, -0.5, 1));
  return out;
}

// The operator of viscosity, bit by bit.
static void viscosity_is_the_same(void **state) {
  (void)state;
  flip_case c = make(0);
  flip *s = flip_case_solver(&c);
  size_t bytes = FLIP_CELLS * (s->grid.count + 1) * sizeof(firn_real);
  for (int q = 0; q < 2; q++) {
    if (IS_DOUBLE || !firn_isa_available(quick[q])) continue;
    flip_flow f[2];
    firn_real *out[2][3];
    for (int k = 0; k < 2; k++) {
      f[k] = (flip_flow){.s = s, .factor = FIRN_R(0.7), .mu = noise(s, 1), .density = noise(s, 2)};
      for (int a = 0; a < 3; a++) {
        f[k].edge[a] = noise(s, 3 + (uint64_t)a);
        f[k].inverse[a] = noise(s, 6 + (uint64_t)a);
        f[k].normal[a] = calloc(1, bytes);
        f[k].shear[a] = calloc(1, bytes);
        out[k][a] = calloc(1, bytes);
      }
      const flip_kernels *kernels = kernels_of(k ? quick[q] : FIRN_ISA_SCALAR);
      for (size_t g = 0; g < s->grid.count; g++) kernels->stress(&f[k], s->u, g);
      for (size_t g = 0; g < s->grid.count; g++) kernels->force(&f[k], s->u, g, out[k]);
    }
    assert_ptr_not_equal(kernels_of(quick[q])->force, flip_force_scalar);
    for (int a = 0; a < 3; a++) {
      assert_memory_equal(f[0].normal[a], f[1].normal[a], bytes);
      assert_memory_equal(f[0].shear[a], f[1].shear[a], bytes);
      assert_memory_equal(out[0][a], out[1][a], bytes);
    }
    for (int k = 0; k < 2; k++) {
      free(f[k].mu), free(f[k].density);
      for (int a = 0; a < 3; a++) {
        free(f[k].edge[a]), free(f[k].inverse[a]), free(f[k].normal[a]), free(f[k].shear[a]);
        free(out[k][a]);
      }
    }
  }
  flip_case_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(particles_give_the_same_to_the_grid),
      cmocka_unit_test(particles_take_the_same_from_the_grid),
      cmocka_unit_test(what_is_not_finite_is_seen),
      cmocka_unit_test(viscosity_is_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
