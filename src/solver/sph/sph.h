// SPDX-License-Identifier: Apache-2.0
// State of smoothed particle hydrodynamics (Gissler et al. 2020) on the CPU. Equation numbers are
// those of the paper.
//
// A particle carries its elastic stretch F_E, symmetric since rotations are taken out after each
// step, as s = F_E - I, which keeps its digits near rest; and what solves begin with, its last
// pressure and shear acceleration. Everything else is made anew in every step, from positions.
#ifndef FIRN_SOLVER_SPH_SPH_H
#define FIRN_SOLVER_SPH_SPH_H

#include "linear/krylov.h"
#include "solver/solver.h"
#include "solver/sph/pairs.h"

#include <firn/sph.h>

enum { SPH_SEARCH, SPH_STATE, SPH_PRESSURE, SPH_SHEAR, SPH_MOVE, SPH_PHASES };

// What a step has of each particle, [slots] and [slots][3] and so on, as pairs.h says.
#define SPH_KEPT_LIST(X)                                                                           \
  X(v, 3)        /* m/s, as the step goes on: v, v*, v**, v of the next step */                    \
  X(s, 6)        /* F_E - I */                                                                     \
  X(V, 1)        /* spacings^3 now; before sph_prepare sum V0 W, m^3 per spacing^3 */              \
  X(rho0, 1)     /* kg/m^3, of the snow at rest as it is packed now, Eq. 21 */                     \
  X(G, 1)        /* Pa, hardened */                                                                \
  X(L, 6)        /* correction of gradients, Eq. 15 */                                             \
  X(p, 1)        /* Pa */                                                                          \
  X(kappa, 1)    /* s^2/m^2, rho0 / lambda */                                                      \
  X(diagonal, 1) /* of -laplace, 1/m^2 */                                                          \
  X(a, 3)        /* m/s^2, of the shear solve */
// NULL where nobody needs them: without samples, without a bulk modulus in the shear solve, without
// alternations, without iisph.
#define SPH_WALL_LIST(X)                                                                           \
  X(trace, 1)  /* Pa, a third of tr sigma */                                                       \
  X(held, 3)   /* Pa/m, what samples add to div sigma */                                           \
  X(drag, 1)   /* 1/s, friction of walls in all directions; ... */                                 \
  X(spared, 3) /* s^-1/2, ... its square is what there is more along them, but not along it; */    \
  X(drawn, 3)  /* m/s^2, ... both times v_b. 0 where friction is not coupled */
#define SPH_BULK_LIST(X)  X(bulk, 1) /* Pa, what the shear solve has on the trace of the strain */
#define SPH_OTHER_LIST(X) X(v_other, 3) /* m/s, v*: after all that is not elastic */
#define SPH_WAY_LIST(X)   X(way, 3)     /* m/s, by which places go where that is not v */
// What one part of a step needs and the next does not: with quick lists these groups share their
// memory.
#define SPH_MOMENT_LIST(X)                                                                         \
  X(c, 3)  /* 1/m, sum V_j grad W_ij */                                                            \
  X(g2, 1) /* 1/m^2, sum V_j |grad W_ij|^2 */
#define SPH_PRESSURE_LIST(X)                                                                       \
  X(source, 1)                         /* kg/m^3, rho* - rho0 */                                   \
  X(q, 1)                              /* residual ... */                                          \
  X(step, 1)                           /* ... and direction */                                     \
  X(grad, 3)                           /* Pa/m */                                                  \
  X(lap, 1)                            /* of a pressure */
#define SPH_SHEAR_LIST(X)  X(b, 3)     /* N, residual; what the solver needs follows it */
#define SPH_STRAIN_LIST(X) X(sigma, 9) /* 1/s and Pa: gradients, then sigma L */
#define SPH_ARRAY_LIST(X)                                                                          \
  SPH_KEPT_LIST(X)                                                                                 \
  SPH_WALL_LIST(X)                                                                                 \
  SPH_BULK_LIST(X)                                                                                 \
  SPH_OTHER_LIST(X)                                                                                \
  SPH_WAY_LIST(X)                                                                                  \
  SPH_MOMENT_LIST(X)                                                                               \
  SPH_PRESSURE_LIST(X)                                                                             \
  SPH_SHEAR_LIST(X)                                                                                \
  SPH_STRAIN_LIST(X)

// What the time step is chosen from, and how far a solve may reach; part of a checkpoint.
typedef struct sph_memory {
  double speed2_max;   // m^2/s^2, of the last step
  double accel2_max;   // m^2/s^4
  double laplace_max;  // largest eigenvalue of D^-1 (-laplace); 0: to be found
  uint64_t laplace_at; // step at which it was
  double neighbours;   // mean number, of the last step
  double plastic;      // J, that clamps have taken so far
  uint64_t steps;
  uint8_t must_survey; // the speed is not that of the particles
  uint8_t padding[7];
} sph_memory;

typedef struct sph {
  firn_world *world;
  firn_sph_def def;
  double spacing;                               // m, of particles: the smoothing length
  int field_s;                                  // first of s, xx yy zz xy xz yz
  int field_p, field_a, field_rho, field_ln_jp; // ln_jp -1 unless the rest density is tracked
  firn_buffer scratch;                          // of the sort
  firn_buffer kept, work, rescue, sums, pushes;
  size_t slots; // that the arrays have room for
  bool apart;   // no array shares memory with another; for tests that look at them
  bool parting; // what p moves is places, not velocities
#define X(name, n) firn_real *name;
  SPH_ARRAY_LIST(X)
#undef X
  const firn_real *mass; // kg, of the store
  firn_real *krylov;     // of the solve for shear
  sph_boundary boundary;
  sph_pairs pairs;
  double dt; // s, of the step under way
  sph_memory memory;
  struct {
    int pressure_iterations, shear_iterations;
    bool fell_back;  // CG did not converge
    int unconverged; // solves that stopped at their limit
    double residual; // of the pressure, mean over rho0
    double given;    // J, by the air
  } last;            // step
  double seconds[SPH_PHASES];
  struct {
    double search;             // sorting, neighbours, densities
    double sweep, product;     // iterations of the pressure, products of the shear solve, ...
    uint64_t sweeps, products; // ... and how many
  } cpu;                       // seconds over all threads, since the beginning
} sph;

// Parallel over units, and over the slots of one.
#define SPH_FOR_UNITS(s, u)                                                                        \
  FIRN_PARALLEL_FOR((s)->world->context, schedule(dynamic, 1))                                     \
  for (size_t u = 0; u < (s)->world->particles.unit_count; u++)
#define SPH_FOR_SLOTS(s, u, i)                                                                     \
  for (size_t i = (s)->world->particles.unit[u].first,                                             \
              end_##i = i + (s)->world->particles.unit[u].count;                                   \
       i < end_##i; i++)

// kg/m^3, Eq. 20
static inline double sph_density(const sph *s, size_t i) {
  return (double)s->mass[i] / ((double)s->V[i] * s->spacing * s->spacing * s->spacing);
}

// Sums of one double per unit, added in order.
static inline double sph_sum_units(const sph *s) {
  const double *part = s->sums.data;
  double total = 0;
  for (size_t u = 0; u < s->world->particles.unit_count; u++) total += part[u];
  return total;
}

// state.c: densities, hardening, correction of gradients.
firn_status sph_layout(sph *s);  // sorts, makes room; nearly all memory that a step needs
firn_status sph_prepare(sph *s); // from positions and strain
// Room for the groups that share their memory, whose contents are lost where there was too little:
// BiCGSTAB needs three times that of CG, which nearly always does.
firn_status sph_work_reserve(sph *s, bool bicgstab);
double sph_determinant(const firn_real s[6]); // of I + s
// The factor on Lame's parameters of snow packed to this density.
double sph_hardening(const firn_material_row *row, double rho0);

// wall.c: friction and adhesion of colliders, added to v; and what the snow does to colliders.
firn_status sph_push_begin(sph *s);
void sph_wall_forces(sph *s);
void sph_wall_follow(sph *s, int body, double change); // v_b, of a body under a load
void sph_push_elastic(sph *s);                         // pressure and shear, after the solves
void sph_barrier(sph *s); // what would pass between samples stops, after that
void sph_push_end(sph *s);

// heat.c: temperatures at the end of the step. Needs densities, and plain lists of the snow.
firn_status sph_conduct(sph *s);

// air.c: drag, added to v.
void sph_air(sph *s);

// pressure.c: solves for p and adds the acceleration to v.
firn_status sph_pressure(sph *s);
void sph_pressure_source(sph *s);
// Under iisph, before places follow: what is too dense is moved apart, and gains no speed by it.
bool sph_parts(const sph *s);
firn_status sph_part(sph *s);
double sph_psi(const sph *s);   // the weight of colliders in gradients of pressures
double sph_back(const sph *s);  // and in divergences
bool sph_mirrors(const sph *s); // whether colliders mirror what is before them
double sph_source_density(const sph *s, size_t i);                     // kg/m^3, before the step
void sph_pressure_product(sph *s, const firn_real *p, firn_real *out); // (kappa - dt^2 laplace) p
void sph_pressure_diagonal(sph *s);

// loads.c: bodies under a load, whose speeds are part of the solve for pressure.
bool sph_leads_loads(const sph *s);
void sph_loads_source(sph *s);
void sph_loads_diagonal(sph *s);                                    // adds to that of -laplace
void sph_loads_product(sph *s, const firn_real *p, firn_real *out); // and to B p
void sph_loads_lead(sph *s);                                        // by what was found

// shear.c: solves for a and adds it to v.
firn_status sph_shear(sph *s);
// sigma L and trace of sigma for the field u: G (H + H^T), H = dt (grad u) F_E, and, with strain,
// that of F_E itself and of walls that move.
void sph_shear_stress(sph *s, const firn_real *u, bool strain);
// out = m u - m dt/rho div sigma(dt u): the left side of Eq. 14 times the mass.
firn_status sph_shear_product(void *s, const firn_real *u, firn_real *out);
// The corrected gradient of u with the trace of the plain one, from the sum over snow in D; Eqs. 16
// to 18. moving: walls move as they do, or stand still.
void sph_corrected_gradient(const sph *s, size_t i, const firn_real D[9], const firn_real *u,
                            bool moving, double out[9]);

// elastic.c: F_E of the next step, and positions.
// Strains F_E = I + e by D = dt grad v, clamps what the material does not hold, and takes rotation
// out. Returns the logarithm of what the clamp has taken from the volume. principal: stretches less
// 1 before the clamp and after it; may be NULL.
double sph_stretch(const firn_material_row *row, bool printed, const double D[9], firn_real e[6],
                   double principal[2][3]);
void sph_advance(sph *s, bool *finite);

// timestep.c
void sph_survey(sph *s);
double sph_choose_step(const sph *s, double limit, const char **bound); // what bounds it

firn_status sph_step(void *solver, double limit, firn_step *out);
firn_status sph_fail_nonfinite(const sph *s);

// start.c
void sph_settle(void *solver, size_t slot, const double up[3], double load);
double sph_start_strain(void *solver, size_t slot, const double strain[6]);
double sph_start_stress(void *solver, size_t slot, const double stress[6]);

// settings.c
extern const firn_schema_record firn_sph_settings;
void sph_conflicts(const void *settings, firn_conflict_fn tell, void *user);

// fields.c
extern const firn_field_info sph_fields[];
extern const firn_stat_info sph_stats[];
firn_status sph_look(void *solver, const firn_solver_look *look);
firn_status sph_write(void *solver, int field, const double *in);
double sph_energy(void *solver, size_t slot);
// J/m^3 of the volume at rest, of a strain F_E - I with these invariants: e : e, its trace, and det
// F_E.
double sph_strain_energy(const sph *s, const firn_material_row *row, double hard, double square,
                         double trace, double det);
firn_status sph_volumes(void *solver, double *out);

#endif
