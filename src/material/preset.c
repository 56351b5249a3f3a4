// SPDX-License-Identifier: Apache-2.0
#include "material/preset.h"

#include <math.h>
#include <string.h>

#include "base/def.h"
#include "material/law.h"

static const char *const law_name[] = {
#define X(constant, name) #name,
    FIRN_LAW_LIST(X)
#undef X
        "water",
};

// Section 5 of Stomakhin et al. 2013 says which way each number moves a snow: theta_c and theta_s
// when it breaks (larger: chunks, smaller: powder), xi how (larger: brittle, smaller: ductile), young
// with xi from mud to ice. The moved values are those of the variants in its Fig. 8 as far as they
// are known, and as much the other way.
// What solver flip makes of them: how much they give way to what presses on them, when they flow, and how
// thick they are then. Light snow crushes at little pressure; what has no air in it takes all of a
// collider's velocity.
struct porous {
  double velocity_factor, velocity_factor_slope, crushing;
  double yield_angle; // degrees
  double yield_cohesion, yield_cohesion_slope, viscosity, viscosity_slope;
};
static const struct porous loose = {0.1, 0.9, 4e-4, 30, 2, 5, 0.2, 0.01},
                           tacky = {0.2, 0.5, 2e-4, 35, 60, 60, 2, 0.01},
                           heavy = {0.5, 0.3, 1e-4, 30, 80, 40, 5, 0.01},
                           hard = {0.6, 0.4, 5e-5, 40, 200, 0, 1, 0.01},
                           slush = {1, 0, 0, 5, 10, 0, 20, 0},
                           grains = {1, 0, 0, 32, 0, 0, 0, 0.01},
                           loose_grains = {1, 0, 0, 35, 0, 0, 1, 0.01},
                           thick = {1, 0, 0, 0, 0, 0, 50, 0}, fluid = {1, 0, 0, 0, 0, 0, 0, 0};

static const struct preset {
  const char *name, *doc;
  double density, young, theta_c, theta_s, hardening; // 0: that of Table 2
  double friction_angle;                              // degrees; not 0: sand
  const struct porous *porous;                        // NULL: the defaults of FIRN_POROUS_LIST
} presets[] = {
    {"snow", "the starting point of the paper: breaks into chunks and crumbs, packs when pressed",
     0, 0, 0, 0, 0, 0, NULL},
    {"powder", "dry and light: crumbles at a touch and runs apart into dust", 200, 0, 1.9e-2, 5e-3,
     0, 0, &loose},
    {"packing", "soft and ductile: dents, sticks together and keeps the shape it is pressed into",
     0, 0, 0, 0, 5, 0, &tacky},
    {"wet", "heavy: holds together under stretch and tears into few large lumps", 500, 0, 3.1e-2,
     1e-2, 0, 0, &heavy},
    {"icy", "stiff and brittle: bounces, then shatters into hard splinters", 0, 4e5, 0, 0, 15, 0,
     &hard},
    {"mud", "slush: sags under its own weight, splats and spreads without breaking", 600, 4.8e4, 0,
     0, 5, 0, &slush},
    {"sand", "dry grains: run down to a slope, pour, and never hold together", 1600, 3.5e5, 0, 0, 0,
     32, &grains},
    {"granular", "snow in grains without cohesion: pours, and does not give way; of flip's Fig. 7",
     0, 0, 0, 0, 0, 35, &loose_grains},
    {"viscous", "thick and slow, without a yield: honey of snow; for solver flip alone", 0, 0, 0, 0,
     0, 0, &thick},
    {"water", "runs to a level and splashes; for solver flip alone", 1000, 0, 0, 0, 0, 0, &fluid},
};
enum { PRESET_COUNT = sizeof presets / sizeof *presets };

FIRN_DEFAULTS(material_def) {
#define ONE(CONSTANT, name, law, dimension, interval, initial, ...) .name = (initial),
#define TWO(name, least, most, law, dimension, interval, initial_least, initial_most, ...)         \
  .least = (initial_least), .most = (double)(initial_most),
#define POROUS(CONSTANT, name, dimension, interval, initial, ...) .name = (initial),
  return (firn_material_def){.law = "snow",
                             FIRN_MATERIAL_LIST(ONE, ONE, TWO) FIRN_POROUS_LIST(POROUS)};
#undef POROUS
#undef ONE
#undef TWO
}

static const double DEGREE = 3.14159265358979323846 / 180; // rad

static firn_material_def def_of_preset(const struct preset *p) {
  firn_material_def def = firn_default_material_def();
  if (p->density > 0) def.density = p->density;
  if (p->young > 0) def.young = p->young;
  if (p->theta_c > 0) def.theta_c = p->theta_c;
  if (p->theta_s > 0) def.theta_s = p->theta_s;
  if (p->hardening > 0) def.hardening = p->hardening;
  if (p->friction_angle > 0) {
    def.law = "sand";
    def.poisson = 0.3;
    def.hardening = 0; // should another law be put on it
    def.friction_angle = p->friction_angle * DEGREE;
  }
  if (p->porous == &fluid || p->porous == &thick) def.law = "water";
  if (!p->porous) return def;
  def.velocity_factor = p->porous->velocity_factor;
  def.velocity_factor_slope = p->porous->velocity_factor_slope;
  def.crushing = p->porous->crushing;
  def.yield_angle = p->porous->yield_angle * DEGREE;
  def.yield_cohesion = p->porous->yield_cohesion;
  def.yield_cohesion_slope = p->porous->yield_cohesion_slope;
  def.viscosity = p->porous->viscosity;
  def.viscosity_slope = p->porous->viscosity_slope;
  return def;
}

firn_status firn_material_preset_sized(firn_context *context, const char *name,
                                       firn_material_def *out, size_t size) {
  for (int i = 0; name && i < PRESET_COUNT; i++) {
    if (strcmp(presets[i].name, name) != 0) continue;
    const firn_material_def own = def_of_preset(&presets[i]);
    firn_def_give(&own, sizeof own, out, size);
    return FIRN_OK;
  }
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "material preset '%s' does not exist",
                   name ? name : "(null)");
}

const char *firn_material_preset_name(int i) {
  return i >= 0 && i < PRESET_COUNT ? presets[i].name : NULL;
}

const char *firn_material_preset_doc(int i) {
  return i >= 0 && i < PRESET_COUNT ? presets[i].doc : NULL;
}

// The slope of the cone in triaxial compression, where it goes through Mohr-Coulomb's corners (Klar et
// al. 2016, section 6.3; sand.h has the others): |dev tau| <= alpha (3 c cot phi - tr tau), alpha = sqrt(2/3) 2 sin phi/(3 - sin phi).
// Its tip is where tr tau = 3 K sum eps, K = lambda + 2/3 mu, reaches 3 c cot phi: eps_k = c cot phi/3K.
static void shape_cone(const firn_material_def *def, double mu, double lambda, double *lo,
                       double *hi) {
  double phi = def->friction_angle;
  *lo = -sqrt(2.0 / 3) * 2 * sin(phi) / (3 - sin(phi));
  *hi = def->cohesion / tan(phi) / (3 * lambda + 2 * mu);
}

static void read_cone(const firn_material_row *row, firn_material_def *def) {
  double a = -(double)row->lo * sqrt(1.5), phi = asin(3 * a / (2 + a));
  def->friction_angle = phi;
  def->cohesion = (double)row->hi * tan(phi) * (3 * (double)row->lambda + 2 * (double)row->mu);
}

size_t firn_material_refused(const firn_schema_row *row, const double *value, size_t count) {
  firn_interval in = firn_interval_parse(row->range);
  for (size_t i = 0; i < count; i++) {
    // As the laws will see it, where denormals count as 0.
    double seen = (double)(firn_real)value[i];
    if (fabs(seen) < (double)FIRN_REAL_MIN) seen = 0;
    if (!firn_interval_holds(&in, seen)) return i;
  }
  return count;
}

firn_status firn_material_refuse(firn_context *context, const char *what,
                                 const firn_schema_row *row, const char *member, double value) {
  firn_interval in = firn_interval_parse(row->range);
  const char *unit = firn_dimension_unit(row->dimension);
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %s = %g must lie in %c%g, %g%c%s%s", what,
                   member, value, in.open_least ? '(' : '[', in.least, in.most,
                   in.open_most ? ')' : ']', *unit ? " " : "", unit);
}

static firn_status check_one(firn_context *context, const char *law, const char *what,
                             const char *key, const char *member, double value) {
  const firn_schema_row *row = firn_schema_find(&firn_material_settings, key);
  if (firn_material_has(row, law)) {
    if (firn_material_refused(row, &value, 1) == 1) return FIRN_OK;
    return firn_material_refuse(context, what, row, member, value);
  }
  // What the law does not ask for is in its row all the same, and in checkpoints.
  if (row->type == FIRN_TYPE_RANGE || firn_real_is_finite(value)) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %s = %g must be finite", what, member, value);
}

static firn_status check(firn_context *context, const firn_material_def *def, const char *what) {
#define CHECK(key, member)          FIRN_TRY(check_one(context, def->law, what, #key, #member, def->member));
#define ONE(CONSTANT, name, ...)    CHECK(name, name)
#define TWO(name, least, most, ...) CHECK(name, least) CHECK(name, most)
  FIRN_MATERIAL_LIST(ONE, ONE, TWO)
  FIRN_POROUS_LIST(ONE)
#undef CHECK
#undef ONE
#undef TWO
  if (def->jp_min <= 1 && def->jp_max >= 1) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT,
                   "%s: jp_min = %g and jp_max = %g must have 1 between them", what, def->jp_min,
                   def->jp_max);
}

firn_status firn_material_make_row(firn_context *context, const firn_material_def *def,
                                   const char *what, firn_material_row *out) {
  int law = 0;
  while (law < FIRN_LAW_NAMES && (!def->law || strcmp(def->law, law_name[law]) != 0)) law++;
  if (law == FIRN_LAW_NAMES) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: law '%s' does not exist", what,
                     def->law ? def->law : "(null)");
  }
  FIRN_TRY(check(context, def, what));
  *out = firn_material_row_of_def(def, law);
  return FIRN_OK;
}

firn_material_row firn_material_row_of_def(const firn_material_def *def, int law) {
  double e = def->young, nu = def->poisson, lo = -def->theta_c, hi = def->theta_s;
  double mu = e / (2 * (1 + nu)), lambda = e * nu / ((1 + nu) * (1 - 2 * nu));
  if (law == FIRN_LAW_SAND) shape_cone(def, mu, lambda, &lo, &hi);
  return (firn_material_row){
      .mu = (firn_real)mu,
      .lambda = (firn_real)lambda,
      .lo = (firn_real)lo,
      .hi = (firn_real)hi,
      .ln_jp_lo = def->jp_min > 0 ? (firn_real)log(def->jp_min) : -FIRN_REAL_MAX,
      .ln_jp_hi = isfinite(def->jp_max) ? (firn_real)log(def->jp_max) : FIRN_REAL_MAX,
      .soften = 1,
      .density = (firn_real)def->density,
#define X(CONSTANT, name, ...) .name = (firn_real)def->name,
      FIRN_MATERIAL_LIST(FIRN_NO_NUMBER, X, FIRN_NO_NUMBER) FIRN_POROUS_LIST(X)
#undef X
          .law = law,
  };
}

firn_material_def firn_material_def_of_row(const firn_material_row *row) {
  double mu = (double)row->mu, lambda = (double)row->lambda;
  firn_material_def def = firn_default_material_def();
  def.law = law_name[row->law];
  def.density = (double)row->density;
  def.young = mu * (3 * lambda + 2 * mu) / (lambda + mu);
  def.poisson = lambda / (2 * (lambda + mu));
  if (row->law == FIRN_LAW_SAND) {
    read_cone(row, &def);
  } else {
    def.theta_c = -(double)row->lo;
    def.theta_s = (double)row->hi;
  }
  if (row->ln_jp_lo > -FIRN_REAL_MAX) def.jp_min = exp((double)row->ln_jp_lo);
  if (row->ln_jp_hi < FIRN_REAL_MAX) def.jp_max = exp((double)row->ln_jp_hi);
#define X(CONSTANT, name, ...) def.name = (double)row->name;
  FIRN_MATERIAL_LIST(FIRN_NO_NUMBER, X, FIRN_NO_NUMBER)
  FIRN_POROUS_LIST(X)
#undef X
  return def;
}
