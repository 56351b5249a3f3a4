// SPDX-License-Identifier: Apache-2.0
// Bad input: a status, and a message that names the object, the field and the value. Nothing that
// was refused leaves a trace.
#include "api/setup.h"

#include <stdio.h>

typedef struct world {
  firn_context *context;
  firn_sim *sim;
} world;

static world open_world(void) {
  world w = {.context = make_context(1, FIRN_ISA_AUTO)};
  w.sim = make_sim(w.context, NULL);
  return w;
}

static void close_world(world *w) {
  firn_sim_destroy(w->sim);
  drop_context(w->context);
}

// ---------------------------------------------------------------------------------- simulations

static void create_fails(const firn_sim_def *def, const char *field, const char *value) {
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = (firn_sim *)&sim;
  MUST_FAIL(context, firn_sim_create(context, def, &sim), FIRN_ERROR_ARGUMENT, field, value);
  assert_null(sim);
  drop_context(context);
}

static void a_simulation_names_the_field_it_cannot_take(void **state) {
  (void)state;
  const double bad_h[] = {0, -0.01, (double)NAN, (double)INFINITY};
  const char *const h_text[] = {"0", "-0.01", "nan", "inf"};
  for (int i = 0; i < 4; i++) {
    firn_sim_def def = firn_default_sim_def();
    def.h = bad_h[i];
    create_fails(&def, "h = ", h_text[i]);
  }
  firn_sim_def tiny = firn_default_sim_def();
  tiny.h = 1e-310; // positive, and yet too small
  create_fails(&tiny, "h = 1e-310 m", "must lie in [");
  for (int a = 0; a < 3; a++) {
    firn_sim_def def = firn_default_sim_def();
    def.gravity[a] = (double)NAN;
    create_fails(&def, "gravity", "nan");
    def = firn_default_sim_def();
    def.gravity[a] = (double)-INFINITY;
    create_fails(&def, "gravity", "-inf");
    // Whole blocks of four cells.
    const int bad_period[] = {0, -4, 6, 1 << 30};
    const char *const period_text[] = {"= 0", "= -4", "= 6", "= 1073741824"};
    for (int i = 0; i < 4; i++) {
      def = firn_default_sim_def();
      def.periodic[a] = true;
      def.period_cells[a] = bad_period[i];
      create_fails(&def, "period_cells", period_text[i]);
    }
  }
  firn_sim_def def = firn_default_sim_def();
  def.solver = "sledge";
  create_fails(&def, "solver 'sledge'", "there are mpm, sph, flip");
}

// Each number of firn_mpm_def, with a value below and one above what it may be.
static const struct mpm_number {
  const char *name;
  size_t offset;
  double below, above;
} mpm_numbers[] = {
    {"flip", offsetof(firn_mpm_def, flip), -0.1, 1.1},
    {"push_out", offsetof(firn_mpm_def, push_out), (double)NAN, 5},
    {"beta", offsetof(firn_mpm_def, beta), -0.5, 1.5},
    {"tolerance", offsetof(firn_mpm_def, tolerance), 0, 1},
    {"dt", offsetof(firn_mpm_def, dt), -1e-4, 2},
    {"dt_max", offsetof(firn_mpm_def, dt_max), -1e-4, 2},
    {"dt_min", offsetof(firn_mpm_def, dt_min), 0, 2},
    {"cfl", offsetof(firn_mpm_def, cfl), 0, 1.5},
    {"elastic_cfl", offsetof(firn_mpm_def, elastic_cfl), 0, 1.5},
    {"min_det", offsetof(firn_mpm_def, min_det), 0, 1},
};

static void the_solver_names_the_number_it_cannot_take(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof mpm_numbers / sizeof *mpm_numbers; i++) {
    const struct mpm_number *n = &mpm_numbers[i];
    const double values[] = {n->below, n->above, (double)NAN};
    for (int k = 0; k < 3; k++) {
      firn_sim_def def = firn_default_sim_def();
      char name[32], text[32];
      memcpy((char *)&def.mpm + n->offset, &values[k], sizeof(double));
      snprintf(name, sizeof name, "mpm: %s = ", n->name);
      snprintf(text, sizeof text, "%g", values[k]);
      create_fails(&def, name, text);
    }
  }
  firn_sim_def def = firn_default_sim_def();
  def.mpm.max_iterations = 0;
  create_fails(&def, "max_iterations", "= 0");
}

static void the_solver_names_the_choice_it_does_not_know(void **state) {
  (void)state;
#define CHOICE(field)                                                                              \
  do {                                                                                             \
    firn_sim_def def = firn_default_sim_def();                                                     \
    def.mpm.field = 7;                                                                             \
    create_fails(&def, #field, "= 7");                                                             \
  } while (0)
  CHOICE(basis);
  CHOICE(transfer);
  CHOICE(integrator);
  CHOICE(krylov);
  CHOICE(hessian);
  CHOICE(preconditioner);
#undef CHOICE
  // Conjugate gradients on an indefinite matrix.
  firn_sim_def def = firn_default_sim_def();
  def.mpm.krylov = FIRN_KRYLOV_CG;
  create_fails(&def, "cg", "psd");
}

// ------------------------------------------------------------------------------------ materials

static const struct material_number {
  const char *name;
  size_t offset;
  double bad[5];
} material_numbers[] = {
    {"density", offsetof(firn_material_def, density), {0, -400, NAN, INFINITY, 1e-320}},
    {"young", offsetof(firn_material_def, young), {0, -1, NAN, INFINITY, 1e-320}},
    {"poisson", offsetof(firn_material_def, poisson), {-1, 0.5, NAN, -2, 3}},
    {"theta_c", offsetof(firn_material_def, theta_c), {0, 1, NAN, -0.1, 2}},
    {"theta_s", offsetof(firn_material_def, theta_s), {-1e-9, -1, NAN, INFINITY, -INFINITY}},
    {"hardening", offsetof(firn_material_def, hardening), {-1e-9, -1, NAN, INFINITY, -INFINITY}},
    {"jp_min", offsetof(firn_material_def, jp_min), {-0.1, 1.5, NAN, INFINITY, -INFINITY}},
    {"jp_max", offsetof(firn_material_def, jp_max), {0, 0.99, NAN, -1, -INFINITY}},
};

static void a_material_names_the_number_it_cannot_take(void **state) {
  (void)state;
  world w = open_world();
  for (size_t i = 0; i < sizeof material_numbers / sizeof *material_numbers; i++) {
    const struct material_number *n = &material_numbers[i];
    for (int k = 0; k < 5; k++) {
      firn_material_def def = firn_default_material_def();
      char text[48];
      int id = -7;
      memcpy((char *)&def + n->offset, &n->bad[k], sizeof(double));
      snprintf(text, sizeof text, "%s = %g", n->name, n->bad[k]);
      MUST_FAIL(w.context, firn_sim_add_material(w.sim, &def, &id), FIRN_ERROR_ARGUMENT,
                "material 1", text);
      assert_int_equal(id, -7);
    }
  }
  firn_material_def def = firn_default_material_def();
  def.law = "glue";
  MUST_FAIL(w.context, firn_sim_add_material(w.sim, &def, NULL), FIRN_ERROR_ARGUMENT, "material 1",
            "law", "'glue'");
  def.law = NULL;
  MUST_FAIL(w.context, firn_sim_add_material(w.sim, &def, NULL), FIRN_ERROR_ARGUMENT, "law");
  MUST_FAIL(w.context, firn_material_preset(w.context, "slate", &def), FIRN_ERROR_ARGUMENT,
            "'slate'");
  MUST_FAIL(w.context, firn_material_preset(w.context, NULL, &def), FIRN_ERROR_ARGUMENT, "preset");

  // The ends that do belong to the range, and numbers only the working precision cannot hold.
  def = firn_default_material_def();
  def.theta_s = 0;
  def.hardening = 0;
  def.jp_min = 1;
  def.jp_max = 1;
  int id;
  MUST(w.context, firn_sim_add_material(w.sim, &def, &id));
  assert_int_equal(id, 1);
  if (sizeof(firn_real) == sizeof(float)) {
    def = firn_default_material_def();
    def.young = 1e39;
    MUST_FAIL(w.context, firn_sim_add_material(w.sim, &def, NULL), FIRN_ERROR_ARGUMENT, "young",
              "1e+39");
    def = firn_default_material_def();
    def.hardening = 1e39;
    MUST_FAIL(w.context, firn_sim_add_material(w.sim, &def, NULL), FIRN_ERROR_ARGUMENT, "hardening",
              "1e+39");
  }
  close_world(&w);
}

// ------------------------------------------------------------------------------------ particles

static void particles_name_the_one_that_is_wrong(void **state) {
  (void)state;
  world w = open_world();
  MUST(w.context, add_one(w.sim, 0, 0, 0)); // so that ids go on from 1
  double position[9] = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0}, velocity[9] = {0}, mass[3] = {1, 1, 1},
         volume[3] = {0}, bad[3] = {1e5, 1e5, 1e5};
  firn_particles_def good = firn_default_particles_def();
  good.count = 3;
  good.position = position;
  good.velocity = velocity;
  good.mass = mass;
  good.volume = volume;

  // A value that is wrong, in the second of three: particle 2 of the simulation.
#define WRONG(array, index, value, ...)                                                            \
  do {                                                                                             \
    double keep = (array)[index];                                                                  \
    (array)[index] = (value);                                                                      \
    MUST_FAIL(w.context, firn_sim_add_particles(w.sim, &good), FIRN_ERROR_ARGUMENT, "particle 2",  \
              __VA_ARGS__);                                                                        \
    (array)[index] = keep;                                                                         \
  } while (0)
  WRONG(position, 4, NAN, "position", "nan");
  WRONG(position, 3, INFINITY, "position", "inf");
  WRONG(velocity, 5, NAN, "velocity", "nan");
  WRONG(velocity, 5, -INFINITY, "velocity", "-inf");
  WRONG(mass, 1, -1, "mass", "-1");
  WRONG(mass, 1, 0, "mass", "= 0");
  WRONG(mass, 1, NAN, "mass", "nan");
  WRONG(mass, 1, 0x1p-1060, "mass", "e-320"); // would be taken for padding
  WRONG(volume, 1, -1, "volume", "-1");
  WRONG(volume, 1, NAN, "volume", "nan");
  if (sizeof(firn_real) == sizeof(float)) {
    WRONG(velocity, 5, 1e39, "velocity", "1e+39");
    WRONG(mass, 1, 1e39, "mass", "1e+39");
  }

  // Materials that vary are held to the rules of materials.
#define VARIED(field, value)                                                                       \
  do {                                                                                             \
    firn_particles_def def = good;                                                                 \
    bad[0] = bad[2] = (value);                                                                     \
    bad[1] = NAN;                                                                                  \
    def.field = bad;                                                                               \
    MUST_FAIL(w.context, firn_sim_add_particles(w.sim, &def), FIRN_ERROR_ARGUMENT, "particle 2",   \
              #field, "nan");                                                                      \
  } while (0)
  VARIED(young, 1e5);
  VARIED(poisson, 0.3);
  VARIED(theta_c, 0.02);
  VARIED(theta_s, 0.01);
  VARIED(hardening, 5);
#undef VARIED

  firn_particles_def def = good;
  def.material = 1;
  MUST_FAIL(w.context, firn_sim_add_particles(w.sim, &def), FIRN_ERROR_ARGUMENT, "material 1");
  def.material = -1;
  MUST_FAIL(w.context, firn_sim_add_particles(w.sim, &def), FIRN_ERROR_ARGUMENT, "material -1");
  def = good;
  def.position = NULL;
  MUST_FAIL(w.context, firn_sim_add_particles(w.sim, &def), FIRN_ERROR_ARGUMENT, "position");
  def = good;
  def.mass = NULL;
  const double bad_per_cell[] = {0, -8, (double)NAN, (double)INFINITY};
  for (int i = 0; i < 4; i++) {
    def.per_cell = bad_per_cell[i];
    MUST_FAIL(w.context, firn_sim_add_particles(w.sim, &def), FIRN_ERROR_ARGUMENT, "per_cell");
  }
  // More than ids can count; said before an array is read.
  def = good;
  def.count = (size_t)1 << 33;
  MUST_FAIL(w.context, firn_sim_add_particles(w.sim, &def), FIRN_ERROR_ARGUMENT, "8589934592");

  // Nothing of all that has stayed, and the good ones are still good.
  assert_int_equal(firn_sim_count(w.sim), 1);
  MUST(w.context, firn_sim_add_particles(w.sim, &good));
  assert_int_equal(firn_sim_count(w.sim), 4);
  MUST(w.context, firn_sim_step(w.sim, 0, NULL));
  close_world(&w);
#undef WRONG
}

static void no_particles_at_all_are_no_error(void **state) {
  (void)state;
  world w = open_world();
  firn_particles_def none = firn_default_particles_def();
  MUST(w.context, firn_sim_add_particles(w.sim, &none));
  assert_int_equal(firn_sim_count(w.sim), 0);
  close_world(&w);
}

static void a_particle_outside_the_domain_is_named(void **state) {
  (void)state;
  world w = open_world();
  // Blocks have 21 bits an axis: 4 * 1048000 cells of 1 cm are 41.92 km.
  MUST(w.context, add_one(w.sim, 41919, -41919, 0));
  MUST_FAIL(w.context, add_one(w.sim, 0, 0, 41921), FIRN_ERROR_DOMAIN, "particle 1", "4.1921e+06",
            "along z");
  MUST_FAIL(w.context, add_one(w.sim, -1e300, 0, 0), FIRN_ERROR_DOMAIN, "particle 1", "along x");
  assert_int_equal(firn_sim_count(w.sim), 1);
  MUST(w.context, firn_sim_step(w.sim, 0, NULL));

  // A periodic axis has no outside.
  firn_sim_def def = firn_default_sim_def();
  def.periodic[2] = true;
  def.period_cells[2] = 8;
  firn_sim *wrapped = make_sim(w.context, &def);
  MUST(w.context, add_one(wrapped, 0, 0, 1e6 + 0.035));
  double x[3];
  MUST(w.context, firn_sim_read(wrapped, "position", x));
  assert_true(x[2] >= 0 && x[2] < 0.08);
  firn_sim_destroy(wrapped);
  close_world(&w);
}

// ---------------------------------------------------------------------------------------- fills

static void fill_fails(world *w, const firn_fill_def *def, firn_status status, const char *word,
                       const char *value) {
  MUST_FAIL(w->context, firn_sim_fill(w->sim, def), status, "fill", word, value);
  assert_int_equal(firn_sim_count(w->sim), 0);
}

static void a_fill_names_what_it_cannot_do(void **state) {
  (void)state;
  world w = open_world();
  const firn_fill_def good = firn_default_fill_def();
  firn_fill_def def = good;
  def.material = 3;
  fill_fails(&w, &def, FIRN_ERROR_ARGUMENT, "material 3", "there are 1");
  def.material = -1;
  fill_fails(&w, &def, FIRN_ERROR_ARGUMENT, "material -1", "there are 1");
  const double bad_per_cell[] = {0, -1, 1001, (double)NAN};
  const char *const text[] = {"= 0", "= -1", "= 1001", "= nan"};
  for (int i = 0; i < 4; i++) {
    def = good;
    def.per_cell = bad_per_cell[i];
    fill_fails(&w, &def, FIRN_ERROR_ARGUMENT, "per_cell", text[i]);
  }
  def = good;
  def.seeding = FIRN_SEEDING_JITTERED;
  def.per_cell = 7.5;
  fill_fails(&w, &def, FIRN_ERROR_ARGUMENT, "per_cell", "7.5");
  def.seeding = FIRN_SEEDING_LATTICE;
  def.per_cell = 6;
  fill_fails(&w, &def, FIRN_ERROR_ARGUMENT, "per_cell", "6");
  def = good;
  def.seeding = 9;
  fill_fails(&w, &def, FIRN_ERROR_ARGUMENT, "seeding", "9");
  def = good;
  def.velocity[2] = (double)NAN;
  fill_fails(&w, &def, FIRN_ERROR_ARGUMENT, "velocity", "nan");
  def = good;
  def.spin[0] = (double)INFINITY;
  fill_fails(&w, &def, FIRN_ERROR_ARGUMENT, "spin", "inf");
  def = good;
  def.shape.radius = (double)NAN;
  fill_fails(&w, &def, FIRN_ERROR_ARGUMENT, "radius", "nan");
  def.shape.radius = -0.1;
  fill_fails(&w, &def, FIRN_ERROR_ARGUMENT, "radius", "-0.1");
  def = good;
  def.shape.center[1] = (double)NAN;
  fill_fails(&w, &def, FIRN_ERROR_ARGUMENT, "center", "nan");
  def = good;
  def.shape = firn_half_space((double[]){0, 0, 0}, (double[]){0, 1, 0});
  fill_fails(&w, &def, FIRN_ERROR_ARGUMENT, "shape", "no bounds");
  close_world(&w);
}

static void a_huge_fill_is_refused_at_once(void **state) {
  (void)state;
  world w = open_world();
  firn_fill_def def = firn_default_fill_def();
  def.shape.radius = 1e5; // 10^7 cells across
  fill_fails(&w, &def, FIRN_ERROR_DOMAIN, "addressable", "100000");
  def.shape.radius = 1000; // 10^5 cells across, within the domain
  fill_fails(&w, &def, FIRN_ERROR_ARGUMENT, "8e+15", "2^32");
  def.per_cell = 1e-9; // few particles, but as many cells to visit
  fill_fails(&w, &def, FIRN_ERROR_ARGUMENT, "8e+15", "cells");
  def.shape = firn_box((double[]){0, 0, 0}, (double[]){1e308, 1, 1});
  fill_fails(&w, &def, FIRN_ERROR_DOMAIN, "addressable", "along x");
  close_world(&w);
}

// ------------------------------------------------------------------------------------ colliders

static double flat(void *user, const double position[3], double time, double normal[3]) {
  (void)user;
  (void)time;
  normal[1] = 1;
  return position[1];
}

// Flat ground with a hole where nothing is known.
static double holed(void *user, const double position[3], double time, double normal[3]) {
  const double *least = user;
  return position[0] > *least ? (double)NAN : flat(NULL, position, time, normal);
}

// Alone or within other shapes; on the good side of it all is well.
static void a_collider_whose_distance_is_nan_is_named(void **state) {
  (void)state;
  for (int how = 0; how < 4; how++) {
    world w = open_world();
    double least = how == 3 ? 10 : 0.1;
    firn_shape *hole, *sunk, *both;
    firn_shape_def def = {.kind = FIRN_SHAPE_SDF, .sdf = holed, .sdf_user = &least};
    MUST(w.context, firn_shape_create(w.context, &def, &hole));
    const firn_shape_def moved = {
        .kind = FIRN_SHAPE_TRANSFORM, .shape = hole, .translation = {0, -0.1, 0}, .scale = 1};
    MUST(w.context, firn_shape_create(w.context, &moved, &sunk));
    const firn_shape *children[2] = {sunk, hole};
    const firn_shape_def all = {.kind = FIRN_SHAPE_UNION, .children = children, .child_count = 2};
    MUST(w.context, firn_shape_create(w.context, &all, &both));
    firn_shape *const of[4] = {hole, sunk, both, hole};
    firn_collider_def floor = firn_default_collider_def(), ground = firn_default_collider_def();
    ground.shape = firn_shape_handle(of[how]);
    ground.name = "ground";
    floor.name = "floor";
    MUST(w.context, firn_sim_add_collider(w.sim, &floor, NULL));
    MUST(w.context, firn_sim_add_collider(w.sim, &ground, NULL));
    MUST(w.context, add_one(w.sim, 0, 0.01, 0));
    MUST(w.context, firn_sim_step(w.sim, 1e-4, NULL));
    MUST(w.context, add_one(w.sim, 0.5, 0.01, 0));
    if (how == 3) {
      MUST(w.context, firn_sim_step(w.sim, 1e-4, NULL));
    } else {
      MUST_FAIL(w.context, firn_sim_step(w.sim, 1e-4, NULL), FIRN_ERROR_NONFINITE,
                "collider 'ground'", "sdf", "nan at (0.");
      MUST_FAIL(w.context, firn_sim_step(w.sim, 1e-4, NULL), FIRN_ERROR_STATE, "earlier step");
    }
    firn_shape_release(hole);
    firn_shape_release(sunk);
    firn_shape_release(both);
    close_world(&w);
  }
}

static void a_fill_whose_distance_is_nan_places_nothing(void **state) {
  (void)state;
  world w = open_world();
  double least = 0.02;
  firn_shape *hole, *box;
  const firn_shape_def def = {.kind = FIRN_SHAPE_SDF, .sdf = holed, .sdf_user = &least};
  const firn_shape_def bounds = firn_box((double[]){0, 0, 0}, (double[]){0.1, 0.1, 0.1});
  MUST(w.context, firn_shape_create(w.context, &def, &hole));
  MUST(w.context, firn_shape_create(w.context, &bounds, &box));
  const firn_shape *children[2] = {box, hole};
  firn_fill_def fill = firn_default_fill_def();
  fill.name = "hole";
  fill.shape = (firn_shape_def){
      .kind = FIRN_SHAPE_INTERSECTION, .children = children, .child_count = 2};
  MUST_FAIL(w.context, firn_sim_fill(w.sim, &fill), FIRN_ERROR_NONFINITE, "fill 'hole'", "nan");
  assert_int_equal(firn_sim_count(w.sim), 0);
  firn_shape_release(hole);
  firn_shape_release(box);
  close_world(&w);
}

static void a_collider_is_named_with_what_is_wrong(void **state) {
  (void)state;
  world w = open_world();
  firn_collider_def good = firn_default_collider_def(), def;
  good.name = "rock";
  int id = -7;
#define WRONG(...)                                                                                 \
  MUST_FAIL(w.context, firn_sim_add_collider(w.sim, &def, &id), FIRN_ERROR_ARGUMENT,               \
            "collider 'rock'", __VA_ARGS__)
  def = good;
  def.friction = (double)NAN;
  WRONG("friction", "nan");
  def.friction = -0.5;
  WRONG("friction", "-0.5");
  def = good;
  def.velocity[0] = (double)NAN;
  WRONG("velocity", "nan");
  def = good;
  def.spin[2] = (double)INFINITY;
  WRONG("spin", "inf");
  def = good;
  memset(def.shape.normal, 0, sizeof def.shape.normal);
  WRONG("normal", "(0 0 0)");
  def.shape.normal[1] = (double)NAN;
  WRONG("normal", "nan");
  def = good;
  def.shape.center[0] = (double)NAN;
  WRONG("center", "nan");
  def.shape = firn_sphere((double[]){0, 0, 0}, 0);
  WRONG("radius", "0");
  def.shape = firn_box((double[]){0, 0, 0}, (double[]){1, -2, 1});
  WRONG("half[1]", "-2");
  def.shape = (firn_shape_def){.kind = FIRN_SHAPE_SDF};
  WRONG("sdf");
  def.shape = (firn_shape_def){.kind = 99};
  WRONG("kind", "99");
#undef WRONG
  assert_int_equal(id, -7);
  def = good;
  def.name = NULL; // then it goes by its number
  def.friction = -1;
  MUST_FAIL(w.context, firn_sim_add_collider(w.sim, &def, NULL), FIRN_ERROR_ARGUMENT,
            "collider '0'");
  def.friction = (double)INFINITY; // never slides: allowed
  def.shape = (firn_shape_def){.kind = FIRN_SHAPE_SDF, .sdf = flat};
  MUST(w.context, firn_sim_add_collider(w.sim, &def, &id));
  assert_int_equal(id, 0);
  close_world(&w);
}

// --------------------------------------------------------------------------------------- fields

static void fields_say_what_they_are_not(void **state) {
  (void)state;
  world w = open_world();
  MUST(w.context, add_one(w.sim, 0, 0, 0));
  MUST(w.context, add_one(w.sim, 0.01, 0, 0));
  double v[18] = {0};
  MUST_FAIL(w.context, firn_sim_read(w.sim, "colour", v), FIRN_ERROR_ARGUMENT, "'colour'");
  assert_null(strstr(firn_context_message(w.context), "did you mean"));
  MUST_FAIL(w.context, firn_sim_read(w.sim, "positon", v), FIRN_ERROR_ARGUMENT,
            "did you mean 'position'?");
  MUST_FAIL(w.context, firn_sim_stat(w.sim, "jp_maen", v), FIRN_ERROR_ARGUMENT,
            "did you mean 'jp_mean'?");
  MUST_FAIL(w.context, firn_sim_write(w.sim, "colour", v), FIRN_ERROR_ARGUMENT, "'colour'");
  MUST_FAIL(w.context, firn_sim_write(w.sim, "mass", v), FIRN_ERROR_ARGUMENT, "'mass'",
            "cannot be written");
  v[4] = (double)NAN;
  MUST_FAIL(w.context, firn_sim_write(w.sim, "velocity", v), FIRN_ERROR_ARGUMENT, "'velocity'",
            "particle 1", "nan");
  if (sizeof(firn_real) == sizeof(float)) {
    v[4] = -1e39;
    MUST_FAIL(w.context, firn_sim_write(w.sim, "velocity", v), FIRN_ERROR_ARGUMENT, "'velocity'",
              "particle 1", "-1e+39");
  }
  // J_P is a volume ratio.
  const double jp[2][2] = {{1, 0}, {1, -2}};
  MUST_FAIL(w.context, firn_sim_write(w.sim, "jp", jp[0]), FIRN_ERROR_ARGUMENT, "'jp'",
            "particle 1", "0");
  MUST_FAIL(w.context, firn_sim_write(w.sim, "jp", jp[1]), FIRN_ERROR_ARGUMENT, "'jp'",
            "particle 1", "-2");
  // Affine velocities are APIC's; under FLIP they would be lost in silence.
  memset(v, 0, sizeof v);
  MUST_FAIL(w.context, firn_sim_write(w.sim, "affine", v), FIRN_ERROR_ARGUMENT, "'affine'", "apic");
  firn_field_info info;
  int count = firn_sim_field_count(w.sim);
  assert_int_equal(firn_sim_field(w.sim, count, &info), FIRN_ERROR_ARGUMENT);
  assert_int_equal(firn_sim_field(w.sim, -1, &info), FIRN_ERROR_ARGUMENT);
  for (int i = 0; i < count; i++) {
    MUST(w.context, firn_sim_field(w.sim, i, &info));
    assert_true(info.components > 0 && info.components <= 9 && *info.name && *info.unit);
    MUST(w.context, firn_sim_read(w.sim, info.name, v));
  }
  close_world(&w);
}

// ---------------------------------------------------------------------------------------- NULLs

static void null_is_an_argument_error_not_a_crash(void **state) {
  (void)state;
  world w = open_world();
  firn_sim_def def = firn_default_sim_def();
  firn_sim *sim;
  double out;
  assert_int_equal(firn_sim_create(NULL, &def, &sim), FIRN_ERROR_ARGUMENT);
  MUST_FAIL(w.context, firn_sim_create(w.context, NULL, &sim), FIRN_ERROR_ARGUMENT, "NULL");
  MUST_FAIL(w.context, firn_sim_create(w.context, &def, NULL), FIRN_ERROR_ARGUMENT, "NULL");
  MUST_FAIL(w.context, firn_sim_add_material(w.sim, NULL, NULL), FIRN_ERROR_ARGUMENT, "NULL");
  MUST_FAIL(w.context, firn_sim_add_collider(w.sim, NULL, NULL), FIRN_ERROR_ARGUMENT, "NULL");
  MUST_FAIL(w.context, firn_sim_add_particles(w.sim, NULL), FIRN_ERROR_ARGUMENT, "NULL");
  MUST_FAIL(w.context, firn_sim_fill(w.sim, NULL), FIRN_ERROR_ARGUMENT, "NULL");
  MUST_FAIL(w.context, firn_sim_read(w.sim, NULL, &out), FIRN_ERROR_ARGUMENT, "NULL");
  MUST_FAIL(w.context, firn_sim_read(w.sim, "mass", NULL), FIRN_ERROR_ARGUMENT, "NULL");
  MUST_FAIL(w.context, firn_sim_write(w.sim, "velocity", NULL), FIRN_ERROR_ARGUMENT, "NULL");
  MUST_FAIL(w.context, firn_sim_sums(w.sim, NULL), FIRN_ERROR_ARGUMENT, "NULL");
  assert_int_equal(firn_sim_add_material(NULL, NULL, NULL), FIRN_ERROR_ARGUMENT);
  assert_int_equal(firn_sim_fill(NULL, NULL), FIRN_ERROR_ARGUMENT);
  assert_int_equal(firn_sim_step(NULL, 0, NULL), FIRN_ERROR_ARGUMENT);
  assert_int_equal(firn_sim_advance(NULL, 1, NULL, NULL), FIRN_ERROR_ARGUMENT);
  assert_int_equal(firn_sim_sums(NULL, NULL), FIRN_ERROR_ARGUMENT);
  firn_sim_destroy(NULL);
  firn_context_destroy(NULL);
  close_world(&w);
}

static void count_release(void *user) {
  ++*(int *)user;
}

// What goes with a fill is given back once, whatever becomes of the fill.
static void a_fill_that_fails_releases_what_it_was_given(void **state) {
  (void)state;
  world w = open_world();
  int released = 0;
  firn_fill_def fill = firn_default_fill_def(); // its shape is none
  fill.start_user = &released;
  fill.start_release = count_release;
  assert_int_equal(firn_sim_fill(NULL, &fill), FIRN_ERROR_ARGUMENT);
  assert_int_equal(released, 1);
  fill.per_cell = -1;
  assert_int_not_equal(firn_sim_fill(w.sim, &fill), FIRN_OK);
  assert_int_equal(released, 2);
  close_world(&w);
}

// What is added one by one stands in an array that doubles: the bytes copied while it grows are
// fewer than those of the array in the end, however many there are.
typedef struct copies {
  size_t bytes; // that were in blocks that grew
} copies;

static void *count_copies(void *user, void *p, size_t old_size, size_t size) {
  copies *c = user;
  if (!size) {
    free(p);
    return NULL;
  }
  void *fresh = aligned_alloc(64, (size + 63) / 64 * 64);
  if (fresh && p) {
    memcpy(fresh, p, old_size < size ? old_size : size);
    free(p);
    c->bytes += old_size;
  }
  return fresh;
}

static void ten_thousand_of_a_kind_are_not_copied_for_each(void **state) {
  (void)state;
  enum { MANY = 10000 };
  for (int kind = 0; kind < 3; kind++) {
    copies c = {0};
    firn_context_def def = firn_default_context_def();
    def.threads = 1;
    def.resize = count_copies;
    def.resize_user = &c;
    world w;
    assert_int_equal(firn_context_create(&def, &w.context), FIRN_OK);
    w.sim = make_sim(w.context, NULL);
    firn_force_def force = firn_default_force_def();
    force.kind = FIRN_FORCE_UNIFORM;
    firn_collider_def collider = firn_default_collider_def();
    firn_impulse_def impulse = firn_default_impulse_def();
    collider.shape = firn_sphere((double[]){0, -1, 0}, 0.1);
    impulse.velocity[1] = 1;
    size_t before = firn_context_bytes(w.context);
    for (int i = 0; i < MANY; i++) {
      if (kind == 0) MUST(w.context, firn_sim_add_force(w.sim, &force, NULL));
      if (kind == 1) MUST(w.context, firn_sim_add_collider(w.sim, &collider, NULL));
      if (kind == 2) MUST(w.context, firn_sim_add_impulse(w.sim, &impulse, NULL));
    }
    assert_in_range(c.bytes, 1, firn_context_bytes(w.context) - before);
    close_world(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_simulation_names_the_field_it_cannot_take),
      cmocka_unit_test(the_solver_names_the_number_it_cannot_take),
      cmocka_unit_test(the_solver_names_the_choice_it_does_not_know),
      cmocka_unit_test(a_material_names_the_number_it_cannot_take),
      cmocka_unit_test(particles_name_the_one_that_is_wrong),
      cmocka_unit_test(no_particles_at_all_are_no_error),
      cmocka_unit_test(a_particle_outside_the_domain_is_named),
      cmocka_unit_test(a_fill_names_what_it_cannot_do),
      cmocka_unit_test(a_huge_fill_is_refused_at_once),
      cmocka_unit_test(a_collider_is_named_with_what_is_wrong),
      cmocka_unit_test(a_collider_whose_distance_is_nan_is_named),
      cmocka_unit_test(a_fill_whose_distance_is_nan_places_nothing),
      cmocka_unit_test(fields_say_what_they_are_not),
      cmocka_unit_test(null_is_an_argument_error_not_a_crash),
      cmocka_unit_test(a_fill_that_fails_releases_what_it_was_given),
      cmocka_unit_test(ten_thousand_of_a_kind_are_not_copied_for_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
