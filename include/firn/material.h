// SPDX-License-Identifier: Apache-2.0
// Materials: what the snow is made of.
#ifndef FIRN_MATERIAL_H
#define FIRN_MATERIAL_H

#include <firn/context.h>

#ifdef __cplusplus
extern "C" {
#endif

// The numbers of a material, one a line. All that has to know them is made from this list: the def
// below, what may vary from particle to particle (fill.h), what the laws read, checks, checkpoints
// and the keys of scene files.
//
// A new one changes the soname, unless it goes to the end of the list below this one.
//
//   NUMBER(CONSTANT, name, law, dimension, interval, initial, keyed, doc)
//     law        "law=snow|sand": only these laws ask for it; NULL: all do
//     dimension  DENSITY kg/m^3, PRESSURE Pa, ANGLE rad, NONE a plain number
//     interval   what is allowed, in SI
//     initial    the default: the snow of Stomakhin et al. 2013, Table 2
//     keyed      whether a scene may change it with time
//   DIRECT(...)  the same, where laws read the number itself rather than something made from it
//   RANGE(name, least, most, law, dimension, interval, initial least, initial most, doc)
#define FIRN_MATERIAL_LIST(NUMBER, DIRECT, RANGE)                                                  \
  NUMBER(DENSITY, density, NULL, DENSITY, "(0, inf)", 400, false, "at rest")                       \
  NUMBER(YOUNG, young, NULL, PRESSURE, "(0, inf)", 1.4e5, true, "Young's modulus")                 \
  NUMBER(POISSON, poisson, NULL, NONE, "(-1, 0.5)", 0.2, true, "Poisson's ratio")                  \
  NUMBER(THETA_C, theta_c, "law=snow", NONE, "(0, 1)", 2.5e-2, true,                               \
         "critical compression: smaller breaks and packs sooner")                                  \
  NUMBER(THETA_S, theta_s, "law=snow", NONE, "[0, inf)", 7.5e-3, true,                             \
         "critical stretch: smaller breaks into smaller pieces")                                   \
  DIRECT(HARDENING, hardening, "law=snow", NONE, "[0, inf)", 10, true,                             \
         "xi: stiffness grows as exp(xi (1 - J_P)) when packed")                                   \
  RANGE(jp_range, jp_min, jp_max, "law=snow|sand", NONE, "[0, inf]", 0, INFINITY,                  \
        "bounds on J_P; [0, .inf] is printed, "                                                    \
        "[0.6, .inf] if bodies are sticky; sand's at least 1")                                     \
  NUMBER(FRICTION_ANGLE, friction_angle, "law=sand", ANGLE, "(0, 1.5707963267948966)",             \
         0.61086523819801535, true, /* 35 degrees */                                               \
         "that of its steepest slope, below 90 deg")                                               \
  NUMBER(COHESION, cohesion, "law=sand", PRESSURE, "[0, inf)", 0, true,                            \
         "shear strength without pressure; 0: it runs")

// What one solver alone asks for, of all particles of a material alike; most of it is flip's (Takahashi
// et al. 2014):
//   X(CONSTANT, name, dimension, interval, initial, doc)
#define FIRN_POROUS_LIST(X)                                                                        \
  X(DURABILITY, durability, NONE, "[0, 1]", 1, "d of new snow: 1 is whole, 0 crushed; under flip") \
  X(VELOCITY_FACTOR, velocity_factor, NONE, "[0, 1]", 0.2,                                         \
    "b_0, the share of a collider's velocity that whole snow takes; under flip")                   \
  X(VELOCITY_FACTOR_SLOPE, velocity_factor_slope, NONE, "[0, inf)", 0.8,                           \
    "k_b: by how much more when it is crushed; under flip")                                        \
  X(CRUSHING, crushing, COMPLIANCE, "[0, inf)", 2e-4,                                              \
    "k_q, durability lost for each Pa in 5 ms; under flip")                                        \
  X(YIELD_ANGLE, yield_angle, ANGLE, "[0, 1.5707963267948966)", 0.61086523819801535,               \
    "theta of the bound on shear, below 90 deg; under flip")                                       \
  X(YIELD_COHESION, yield_cohesion, PRESSURE, "[0, inf)", 20,                                      \
    "c_0, shear that whole snow bears without pressure; under flip")                               \
  X(YIELD_COHESION_SLOPE, yield_cohesion_slope, PRESSURE, "[0, inf)", 40,                          \
    "k_c: by how much more when it is crushed; under flip")                                        \
  X(VISCOSITY, viscosity, DYNAMIC_VISCOSITY, "[0, inf)", 1, "mu_0 of what yields; under flip")     \
  X(VISCOSITY_SLOPE, viscosity_slope, TIME, "[0, inf)", 0.01,                                      \
    "k_f: by how much more for each Pa, as printed; under flip")                                   \
  X(SOFTENING_LENGTH, softening_length, LENGTH, "[0, 1e6]", 0,                                     \
    "l of exp(xi (1 - J_P) h/l) where J_P > 1; 0: mpm.reference_h; under mpm")

#define FIRN_NO_NUMBER(...) // in place of a macro for entries that do not matter

// A constitutive law and its numbers.
typedef struct firn_material_def {
  size_t size;     // of this struct: firn_default_material_def() knows
  const char *law; // "snow", "elastic", "sand" or, under flip, "water"
#define FIRN_MEMBER(CONSTANT, name, ...)     double name;
#define FIRN_MEMBERS(name, least, most, ...) double least, most;
  FIRN_MATERIAL_LIST(FIRN_MEMBER, FIRN_MEMBER, FIRN_MEMBERS)
  FIRN_POROUS_LIST(FIRN_MEMBER)
#undef FIRN_MEMBER
#undef FIRN_MEMBERS
} firn_material_def;

FIRN_API void firn_material_def_init(firn_material_def *def, size_t size);
static inline firn_material_def firn_default_material_def(void) {
  firn_material_def def;
  firn_material_def_init(&def, sizeof def);
  return def;
}
// Named snow: "snow" (Table 2), "powder", "packing", "wet", "icy", "mud"; "sand", "granular"; "water" and "viscous".
FIRN_API firn_status firn_material_preset_sized(firn_context *context, const char *name,
                                                firn_material_def *out, size_t size);
static inline firn_status firn_material_preset(firn_context *context, const char *name,
                                               firn_material_def *out) {
  return firn_material_preset_sized(context, name, out, sizeof *out);
}
// The i-th preset's name and one line on what it looks like; NULL past the last.
FIRN_API const char *firn_material_preset_name(int i);
FIRN_API const char *firn_material_preset_doc(int i);

#ifdef __cplusplus
}
#endif

#endif
