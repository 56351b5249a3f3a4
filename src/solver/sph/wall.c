// SPDX-License-Identifier: Apache-2.0
// Colliders: adhesion and bouncing, which act before the solves, friction, and what snow does to them.
//
// Friction (Eqs. 24 and 25) is a viscosity nu_b between snow and samples, implicit in the particle's own
// velocity: v = v~ + dt sum nu_b V_b c_ib (v - v_b), with c_ib = x_ib . grad W_ib / (|x_ib|^2 + 0.01 d^2)
// below 0. As printed it comes before the solves, and what these then give to a layer that sticks is a
// velocity all the same, for a step: snow of N layers creeps down a slope with N g sin dt. So it is taken
// into the solve for shear (friction: coupled). As printed it also acts across the surface, which nothing
// undoes once it is solved for: whatever has touched a wall would stay there, and a snowball that rolls
// would be left on it layer by layer. So coupled friction acts along the surface alone, unless it is sticky:
// sum drag_b (I - n n^T) (v - v_b), n being the mean of the samples' normals, weighted by drag_b. In corners
// and grooves, where they differ, that is shorter than 1, and snow is held in all directions.
//
// Adhesion is that of Akinci et al. 2013.
//
// Both act on a layer of a spacing: the traction of friction is density nu_b/d times the slip, that
// of adhesion goes with density d. A surface keeps them at any d if nu_b goes with d and adhesion
// with 1/d from the spacing of reference on.
//
// A sample gets the opposite of every force that it exerts, where it is: of pressure
// V_i V_b psi p_i grad W_ib, of shear -V_i V_b 1/3 tr sigma_i L_i grad W_ib, of friction and adhesion -m a.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/sph/sph.h"

typedef struct push {
  double impulse[3], angular[3], work;
} push;

// Of the colliders whose forces are recorded, by number: -1 for others.
static int recorded_count(const sph *s) {
  int count = 0;
  for (int c = 0; c < s->world->collider_count; c++) count += s->world->collider[c].forces;
  return count;
}
static int recorded_slot(const sph *s, int c) {
  int slot = 0;
  if (!s->world->collider[c].forces) return -1;
  for (int i = 0; i < c; i++) slot += s->world->collider[i].forces;
  return slot;
}

firn_status sph_push_begin(sph *s) {
  size_t units = s->world->particles.unit_count, bytes;
  bytes = (units + 1) * (size_t)recorded_count(s) * sizeof(push);
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->pushes, bytes, "forces on colliders"));
  if (bytes) memset(s->pushes.data, 0, bytes);
  return FIRN_OK;
}

// An impulse on the snow, in N s, by what is at x and moves with surface.
static void book(const sph *s, size_t u, int c, const double x[3], const double surface[3],
                 const double impulse[3]) {
  const firn_collider *collider = &s->world->collider[c];
  int slot = recorded_slot(s, c);
  if (slot < 0) return;
  push *out = (push *)s->pushes.data + u * (size_t)recorded_count(s) + slot;
  double r[3];
  for (int a = 0; a < 3; a++) {
    r[a] = x[a] - collider->pose.pivot[a];
    out->impulse[a] -= impulse[a];
    out->work += impulse[a] * surface[a];
  }
  out->angular[0] -= r[1] * impulse[2] - r[2] * impulse[1];
  out->angular[1] -= r[2] * impulse[0] - r[0] * impulse[2];
  out->angular[2] -= r[0] * impulse[1] - r[1] * impulse[0];
}

// An impulse on the snow, in N s, by a sample.
static void react(const sph *s, size_t u, uint32_t b, const double impulse[3]) {
  const sph_boundary *boundary = &s->boundary;
  const firn_real *v = boundary->velocity + 3 * (size_t)b;
  const double surface[3] = {(double)v[0], (double)v[1], (double)v[2]};
  book(s, u, boundary->owner[b], boundary->point + 3 * (size_t)b, surface, impulse);
}

// ------------------------------------------------------------------------ friction and adhesion

static double length2(const sph_near *near) {
  double r2 = 0;
  for (int a = 0; a < 3; a++) r2 += (double)near->x[a] * (double)near->x[a];
  return r2;
}

// The spacing over that of reference; 1 as printed.
static double carry_of(const sph *s) {
  return s->def.reference_spacing > 0 ? s->spacing / s->def.reference_spacing : 1;
}

// nu_b V_b c_ib, 1/s: below 0.
static double drag_of(const sph *s, const sph_near *near, uint32_t b) {
  const firn_collider *collider = &s->world->collider[s->boundary.owner[b]];
  double r2 = length2(near), c = (double)near->f * r2 / (r2 + 0.01);
  double nu = collider->sticky ? FIRN_STICKY_VISCOSITY : collider->friction_viscosity * carry_of(s);
  return nu * (double)s->boundary.volume[b] * c / (s->spacing * s->spacing);
}

// A(r) V_b along -x_ib: m/s^2.
static double pull_of(const sph *s, const sph_near *near, uint32_t b, double along[3]) {
  const firn_collider *collider = &s->world->collider[s->boundary.owner[b]];
  double reach = FIRN_SPH_SUPPORT, r = sqrt(length2(near));
  double strength = collider->sticky ? FIRN_STICKY_ADHESION : collider->adhesion / carry_of(s);
  memset(along, 0, 3 * sizeof *along);
  if (!(strength > 0) || !(r > reach / 2)) return 0;
  double hump = -4 * r * r / reach + 6 * r - 2 * reach;
  if (!(hump > 0)) return 0;
  double A = 0.007 * pow(reach, -3.25) * sqrt(sqrt(hump));
  for (int a = 0; a < 3; a++)
    along[a] = -strength * (double)s->boundary.volume[b] * A * (double)near->x[a] / r;
  return strength;
}

// A lone particle that meets a wall is thrown back. Lone is who has no snow at all within reach.
static bool bounces(const sph *s, size_t i) {
  return s->def.restitution > 0 && sph_pairs_alone(&s->pairs, i);
}

// What a particle one spacing above samples sees of them, about.
static const double CONTACT = 0.17;

// V_b W of the k-th of the walls' list.
static double weight_of(const sph *s, uint64_t k) {
  firn_real r = (firn_real)sqrt(length2(&s->pairs.walls.near[k]));
  return (double)(s->boundary.volume[s->pairs.walls.other[k]] * firn_sph_kernel(r));
}

// What a particle has before it: the normal of its samples, out of the wall, and their velocity.
typedef struct face {
  double n[3], velocity[3];
  double weight; // of all samples; 0: they are on all sides
} face;

static face face_of(const sph *s, size_t i) {
  const sph_list *walls = &s->pairs.walls;
  face f = {0};
  double norm = 0;
  for (uint64_t k = walls->start[i]; k < walls->end[i]; k++) {
    size_t b = walls->other[k];
    double w = weight_of(s, k);
    f.weight += w;
    for (size_t a = 0; a < 3; a++) {
      f.velocity[a] += w * (double)s->boundary.velocity[3 * b + a];
      f.n[a] += w * (double)s->boundary.normal[3 * b + a];
    }
  }
  for (int a = 0; a < 3; a++) norm += f.n[a] * f.n[a];
  if (!(norm > 0)) return (face){0};
  for (int a = 0; a < 3; a++) {
    f.n[a] /= sqrt(norm);
    f.velocity[a] /= f.weight;
  }
  return f;
}

static void bounce(sph *s, size_t u, size_t i, const face *f) {
  const sph_list *walls = &s->pairs.walls;
  double closing = 0, mass = (double)s->mass[i];
  if ((double)s->pairs.wall.w[i] < CONTACT) return;
  for (size_t a = 0; a < 3; a++) closing += ((double)s->v[3 * i + a] - f->velocity[a]) * f->n[a];
  if (!(closing < 0)) return;
  double change = -(1 + s->def.restitution) * closing;
  for (size_t a = 0; a < 3; a++)
    s->v[3 * i + a] = (firn_real)((double)s->v[3 * i + a] + change * f->n[a]);
  for (uint64_t k = walls->start[i]; k < walls->end[i]; k++) {
    double w = weight_of(s, k) / f->weight, impulse[3];
    for (int a = 0; a < 3; a++) impulse[a] = w * mass * change * f->n[a];
    react(s, u, walls->other[k], impulse);
  }
}

// Takes out of x what is along n, n n^T x.
static void without(const double n[3], double x[3]) {
  double along = n[0] * x[0] + n[1] * x[1] + n[2] * x[2];
  for (int a = 0; a < 3; a++) x[a] -= along * n[a];
}

// Friction that the solve for shear takes on: sum drag_b (I - n n^T), where n is normal / drag, as an even
// part and one that spares a direction.
static void leave_friction(sph *s, size_t i, double drag, const double normal[3], double drawn[3]) {
  double n[3], n2 = 0;
  for (int a = 0; a < 3; a++) {
    n[a] = drag < 0 ? normal[a] / drag : 0;
    n2 += n[a] * n[a];
  }
  without(n, drawn);
  s->drag[i] = (firn_real)(-drag * fmax(0, 1 - n2));
  for (size_t a = 0; a < 3; a++) {
    s->spared[3 * i + a] = (firn_real)(sqrt(-drag) * n[a]);
    s->drawn[3 * i + a] = (firn_real)-drawn[a];
  }
}

// Who bounces feels friction along the wall only: it would be slowed down on its way in and out.
static void act_on(sph *s, size_t u, size_t i) {
  const sph_list *walls = &s->pairs.walls;
  double v[3], before[3], change[3], drag = 0, drawn[3] = {0}, pulled[3] = {0}, normal[3] = {0};
  double mass = (double)s->mass[i];
  face f = bounces(s, i) ? face_of(s, i) : (face){0};
  for (uint64_t k = walls->start[i]; k < walls->end[i]; k++) {
    uint32_t b = walls->other[k];
    double d = drag_of(s, &walls->near[k], b), pull[3];
    bool held = s->world->collider[s->boundary.owner[b]].sticky;
    pull_of(s, &walls->near[k], b, pull);
    drag += d;
    for (size_t a = 0; a < 3; a++) {
      drawn[a] += d * (double)s->boundary.velocity[3 * (size_t)b + a];
      normal[a] += held ? 0 : d * (double)s->boundary.normal[3 * (size_t)b + a];
      pulled[a] += pull[a];
    }
  }
  bool coupled = !s->def.friction_printed && !(f.weight > 0);
  for (size_t a = 0; a < 3; a++) {
    before[a] = (double)s->v[3 * i + a] + s->dt * pulled[a];
    v[a] = coupled ? before[a] : (before[a] - s->dt * drawn[a]) / (1 - s->dt * drag); // Eq. 25
    change[a] = v[a] - before[a];
  }
  if (f.weight > 0) without(f.n, change);
  for (size_t a = 0; a < 3; a++) s->v[3 * i + a] = (firn_real)(before[a] + change[a]);
  if (coupled) leave_friction(s, i, drag, normal, drawn);
  for (uint64_t k = walls->start[i]; k < walls->end[i]; k++) {
    uint32_t b = walls->other[k];
    double d = coupled ? 0 : drag_of(s, &walls->near[k], b), impulse[3], pull[3];
    pull_of(s, &walls->near[k], b, pull);
    for (size_t a = 0; a < 3; a++)
      impulse[a] = d * (v[a] - (double)s->boundary.velocity[3 * (size_t)b + a]);
    if (f.weight > 0) without(f.n, impulse);
    for (int a = 0; a < 3; a++) impulse[a] = s->dt * mass * (impulse[a] + pull[a]);
    react(s, u, b, impulse);
  }
  if (f.weight > 0) bounce(s, u, i, &f);
}

void sph_wall_forces(sph *s) {
  if (!s->drag) return;
  memset(s->drag, 0, s->slots * sizeof *s->drag);
  memset(s->spared, 0, 3 * s->slots * sizeof *s->spared);
  memset(s->drawn, 0, 3 * s->slots * sizeof *s->drawn);
  SPH_FOR_UNITS(s, u) {
    if (!s->pairs.touched[u]) continue;
    SPH_FOR_SLOTS(s, u, i) {
      if (s->pairs.walls.start[i] < s->pairs.walls.end[i]) act_on(s, u, i);
    }
  }
}

// The mean normal that leave_friction had.
static void mean_normal(const sph *s, size_t i, double n[3]) {
  double drag = (double)s->drag[i];
  for (size_t a = 0; a < 3; a++) {
    n[a] = (double)s->spared[3 * i + a];
    drag += n[a] * n[a];
  }
  for (int a = 0; a < 3 && drag > 0; a++) n[a] /= sqrt(drag);
}

// Friction that the solve for shear takes on: a body under a load has become faster since it was summed.
void sph_wall_follow(sph *s, int body, double change) {
  const sph_list *walls = &s->pairs.walls;
  const double *axis = s->world->collider[body].load.axis;
  if (s->def.friction_printed) return;
  SPH_FOR_UNITS(s, u) {
    if (!s->pairs.touched[u]) continue;
    SPH_FOR_SLOTS(s, u, i) {
      double n[3], more[3], drag = 0;
      mean_normal(s, i, n);
      if (!(s->drag[i] > 0 || n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 0)) continue;
      for (uint64_t k = walls->start[i]; k < walls->end[i]; k++) {
        if (s->boundary.owner[walls->other[k]] != body) continue;
        drag -= drag_of(s, &walls->near[k], walls->other[k]);
      }
      for (int a = 0; a < 3; a++) more[a] = drag * change * axis[a];
      without(n, more);
      for (size_t a = 0; a < 3; a++)
        s->drawn[3 * i + a] = (firn_real)((double)s->drawn[3 * i + a] + more[a]);
    }
  }
}

// ----------------------------------------------------------------------------- pressure and shear

static void react_one(const sph *s, size_t u, size_t i) {
  static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  const sph_list *walls = &s->pairs.walls;
  const firn_real *L = s->L + 6 * i, *T = s->sigma + 9 * i;
  double cube = s->spacing * s->spacing * s->spacing;
  double volume = (double)s->V[i] * cube, p = sph_psi(s) * (double)s->p[i];
  double trace = (double)s->trace[i], mass = (double)s->mass[i], n[3];
  mean_normal(s, i, n);
  bool held = false; // not where snow is drawn to the wall
  for (size_t k = 0; s->pairs.wall.m && k < 10; k++)
    held = held || s->pairs.wall.m[10 * i + k] != 0;
  bool coupled = s->drag[i] > 0 || n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 0;
  for (uint64_t k = walls->start[i]; k < walls->end[i]; k++) {
    const sph_near *near = &walls->near[k];
    uint32_t b = walls->other[k];
    double g[3], slip[3], impulse[3], drag = coupled ? drag_of(s, near, b) : 0;
    for (size_t a = 0; a < 3; a++) {
      g[a] = (double)s->boundary.volume[b] * (double)near->f * (double)near->x[a] / s->spacing;
      slip[a] = (double)s->v[3 * i + a] - (double)s->boundary.velocity[3 * (size_t)b + a];
    }
    without(n, slip);
    const firn_real *normal = s->boundary.normal + 3 * (size_t)b;
    double mirrored = 0, across = 0;
    for (int a = 0; a < 3; a++) {
      across += (double)normal[a] * g[a];
      for (int c = 0; c < 3; c++)
        mirrored += (double)normal[a] * (double)T[3 * a + c] * (double)normal[c];
    }
    mirrored *= held ? s->pairs.mirror * across : 0;
    for (int a = 0; a < 3; a++) {
      double shear = mirrored * (double)normal[a];
      for (int c = 0; c < 3 && !s->pairs.wall.m; c++)
        shear += trace * (double)L[place[3 * a + c]] * g[c];
      impulse[a] = s->dt * (volume * (shear - p * g[a]) + mass * drag * slip[a]);
    }
    react(s, u, b, impulse);
  }
}

void sph_push_elastic(sph *s) {
  if (!recorded_count(s) || !s->pairs.walls.count) return;
  sph_shear_stress(s, s->v, true); // at the end of the step
  SPH_FOR_UNITS(s, u) {
    if (!s->pairs.touched[u]) continue;
    SPH_FOR_SLOTS(s, u, i) react_one(s, u, i);
  }
}

// ---------------------------------------------------------------------------------------- barrier

// The push of samples grows as snow comes closer, up to about half a spacing, and is gone where it lies
// between them: what an impact drives so far would fall through. So nothing comes nearer to the layer of
// samples than this, spacings.
static const double CLEARANCE = 0.25;
// Who sees this much of samples may be there in a step.
static const double SEEN = 0.15;

// Takes from v what would bring a particle at x closer than that; it may slide, and leave.
static void stop(sph *s, size_t u, size_t i, int c, const double x[3]) {
  const firn_collider *collider = &s->world->collider[c];
  double least = (CLEARANCE - s->def.boundary_depth) * s->spacing, n[3], surface[3], along = 0;
  double distance = firn_collider_sample(collider, x, n, surface), impulse[3];
  if (!(distance < s->spacing)) return;
  for (size_t a = 0; a < 3; a++) along += ((double)s->v[3 * i + a] - surface[a]) * n[a];
  double slowest = fmin(0, (least - distance) / s->dt);
  if (!(along < slowest)) return;
  for (size_t a = 0; a < 3; a++) {
    double change = (slowest - along) * n[a];
    s->v[3 * i + a] = (firn_real)((double)s->v[3 * i + a] + change);
    impulse[a] = (double)s->mass[i] * change;
  }
  if (!s->parting) book(s, u, c, x, surface, impulse);
}

// By each collider that has samples around the particle.
static void stop_at_owners(sph *s, size_t u, size_t i, const double x[3]) {
  enum { OWNERS = 8 };
  const sph_list *walls = &s->pairs.walls;
  int owner[OWNERS], count = 0;
  for (uint64_t k = walls->start[i]; k < walls->end[i] && count < OWNERS; k++) {
    int c = s->boundary.owner[walls->other[k]], known = 0;
    while (known < count && owner[known] != c) known++;
    if (known < count) continue;
    owner[count++] = c;
    stop(s, u, i, c, x);
  }
}

void sph_barrier(sph *s) {
  const firn_particles *p = &s->world->particles;
  SPH_FOR_UNITS(s, u) {
    if (!s->pairs.touched[u]) continue;
    const firn_unit *unit = &p->unit[u];
    for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
      const firn_block *block = &p->block[b];
      for (size_t i = block->first; i < block->first + block->count; i++) {
        if (!((double)s->pairs.wall.w[i] > SEEN)) continue;
        double x[3];
        for (int a = 0; a < 3; a++)
          x[a] = (4.0 * block->at[a] + (double)firn_particles_real(p, FIRN_FIELD_X + a)[i]) *
                 s->world->h;
        stop_at_owners(s, u, i, x);
      }
    }
  }
}

void sph_push_end(sph *s) {
  size_t recorded = (size_t)recorded_count(s), slot = 0;
  for (int c = 0; c < s->world->collider_count; c++) {
    firn_collider *collider = &s->world->collider[c];
    if (!collider->forces) continue;
    firn_collider_sums *sums = &collider->sums;
    for (size_t u = 0; u < s->world->particles.unit_count; u++) {
      const push *part = (const push *)s->pushes.data + u * recorded + slot;
      for (int a = 0; a < 3; a++) {
        sums->impulse[a] += part->impulse[a];
        sums->angular[a] += part->angular[a];
      }
      sums->work += part->work;
    }
    sums->time += s->dt;
    slot++;
  }
}
