// SPDX-License-Identifier: Apache-2.0
// A path outside of its walk through snow: surfaces, lamps, the sky, and rays to lights.
#undef FIRN_DOUBLE // pictures are float in either build
#include "math/random_lane.h"
#include "render/phase.h"
#include "render/trace_private.h"

// In [0, 1), by the walk's generator.
static float uniform(firn_walk *w, int i) {
  lane_random r = {w->s0[i], w->s1[i]};
  uint32_t bits = (uint32_t)lane_random_bits(&r);
  w->s0[i] = r.s0;
  w->s1[i] = r.s1;
  return (float)(bits >> 8) * 0x1p-24f;
}

static void add_light(firn_walk *w, int i, firn_v3 weight, firn_v3 light) {
  w->lr[i] += weight.x * light.x;
  w->lg[i] += weight.y * light.y;
  w->lb[i] += weight.z * light.z;
}

static firn_v3 weight_of(const firn_walk *w, int i) {
  return (firn_v3){w->wr[i], w->wg[i], w->wb[i]};
}

static float largest(firn_v3 c) {
  return fmaxf(c.x, fmaxf(c.y, c.z));
}

static firn_v3 to_voxels(const firn_tracer *t, firn_v3 p) {
  return firn_v3_scale(1 / t->voxel, firn_v3_sub(p, t->low));
}
static firn_v3 to_metres(const firn_tracer *t, float x, float y, float z) {
  return firn_v3_add(t->low, firn_v3_scale(t->voxel, (firn_v3){x, y, z}));
}

static firn_ray lane_ray(const firn_tracer *t, const firn_walk *w, int i, float time) {
  return (firn_ray){to_metres(t, w->x[i], w->y[i], w->z[i]), {w->dx[i], w->dy[i], w->dz[i]}, time};
}

// Where the ray is in the volume's box, m.
static bool box_span(const firn_tracer *t, const firn_ray *ray, float *in, float *out) {
  if (!t->medium) return false;
  const float from[3] = {ray->from.x - t->low.x, ray->from.y - t->low.y, ray->from.z - t->low.z};
  const float d[3] = {ray->along.x, ray->along.y, ray->along.z};
  const float size[3] = {t->box.x * t->voxel, t->box.y * t->voxel, t->box.z * t->voxel};
  float a = 0, b = INFINITY;
  for (int k = 0; k < 3; k++) {
    float inverse = 1 / (fabsf(d[k]) < 1e-15f ? copysignf(1e-15f, d[k]) : d[k]);
    float p = -from[k] * inverse, q = (size[k] - from[k]) * inverse;
    a = fmaxf(a, fminf(p, q));
    b = fminf(b, fmaxf(p, q));
  }
  *in = a;
  *out = b;
  return a < b;
}

static float clamped(float x, float most) {
  return x < 0 ? 0 : x > most ? most : x;
}

// Puts the lane on a ray where it meets the volume, if it does before `end` (m).
static bool enter(const firn_tracer *t, firn_walk *w, int i, const firn_ray *ray, float end) {
  float in, out;
  if (!box_span(t, ray, &in, &out) || in >= end) return false;
  firn_v3 at = to_voxels(t, firn_ray_at(ray, in));
  at.x = clamped(at.x, t->box.x);
  at.y = clamped(at.y, t->box.y);
  at.z = clamped(at.z, t->box.z);
  if (!firn_walk_place(&t->view, w, i, at, ray->along)) return false;
  w->limit[i] = (end - in) / t->voxel;
  w->exact[i] = 1;
  w->ball_r[i] = 0;
  return true;
}

// The nearest surface or lamp on the path's ray. After an event in snow lamps were aimed at, and are
// only in the way: to share them would mean to look for them at each of thousands of events.
static float ask_for_hits(const firn_tracer *t, const firn_walk *w, int i, firn_light_path *path) {
  float end = INFINITY;
  path->asked = w->events[i];
  path->has_hit = firn_surfaces_hit(t->studio->surfaces, &path->ray, INFINITY, &path->hit);
  if (path->has_hit) end = path->hit.t;
  path->has_lamp = t->lights->hit &&
                   t->lights->hit(t->lights->user, &path->ray, end, &path->lamp_t, &path->lamp);
  if (path->has_lamp && path->from == FIRN_FROM_MEDIUM) path->lamp = (firn_v3){0, 0, 0};
  return path->has_lamp ? path->lamp_t : end;
}

// ---- lights that a ray meets

static float light_pdf(const firn_tracer *t, firn_v3 from, firn_v3 along) {
  return t->view.lights ? t->lights->pdf(t->lights->user, from, along) : 0;
}

// Probability that the last event before this ray aimed at lights other than the sun.
static float chance_of_lights(const firn_tracer *t, const firn_walk *w, int i) {
  float p = w->events[i] <= t->view.early ? 1 : t->view.late;
  return p * (1 - t->view.sun_share);
}

// Share of a light that the ray met by chance, the rest being aimed at (balance heuristic).
static float share_of_chance(const firn_tracer *t, const firn_walk *w, int i,
                             const firn_light_path *path) {
  if (path->from == FIRN_FROM_CAMERA || !t->view.lights) return 1;
  if (path->from == FIRN_FROM_SURFACE) {
    float aimed = path->chance * light_pdf(t, path->ray.from, path->ray.along);
    return path->pdf / (path->pdf + aimed);
  }
  firn_v3 event = to_metres(t, w->px[i], w->py[i], w->pz[i]);
  float aimed = chance_of_lights(t, w, i) * light_pdf(t, event, path->ray.along);
  return w->pdf[i] / (w->pdf[i] + aimed);
}

static void gather_sky(const firn_tracer *t, firn_walk *w, int i, const firn_light_path *path) {
  const firn_light_table *l = t->lights;
  firn_v3 along = path->ray.along, weight = weight_of(w, i);
  if (path->from == FIRN_FROM_CAMERA && t->def->hide_sky) return;
  if (path->from == FIRN_FROM_CAMERA && l->beyond) {
    add_light(w, i, weight, l->beyond(l->user, along));
    return;
  }
  firn_v3 sky = l->sky(l->user, along);
  add_light(w, i, firn_v3_scale(share_of_chance(t, w, i, path), weight), sky);
  // After snow the sun is aimed at only; after a surface both ways share it.
  if (path->from != FIRN_FROM_SURFACE || !t->view.sun || !l->beyond) return;
  firn_v3 disc = firn_v3_sub(l->beyond(l->user, along), sky);
  float aimed = t->view.sun_share / t->sun_angle;
  add_light(w, i, firn_v3_scale(path->pdf / (path->pdf + aimed), weight), disc);
}

// ---- rays to lights

// Sends a ray along a light sample; what it brings is `light` if nothing is in between. True: the
// lane walks with it and will be back. False: all is done.
static bool send(const firn_tracer *t, firn_walk *w, int i, firn_light_path *path, firn_v3 from,
                 const firn_light_sample *s, firn_v3 light) {
  if (!(largest(light) > 0)) return false;
  firn_ray ray = {from, s->along, path->ray.time};
  // A lamp does not hide itself.
  float most = s->distance * (1 - 1e-4f);
  if (firn_surfaces_block(t->studio->surfaces, &ray, most)) return false;
  if (!enter(t, w, i, &ray, most)) {
    add_light(w, i, (firn_v3){1, 1, 1}, light);
    return false;
  }
  w->mode[i] = 2;
  w->pass[i] = 1;
  w->sr[i] = light.x;
  w->sg[i] = light.y;
  w->sb[i] = light.z;
  return true;
}

static bool sample_lights(const firn_tracer *t, firn_walk *w, int i, firn_v3 from,
                          firn_light_sample *s) {
  const float u[3] = {uniform(w, i), uniform(w, i), uniform(w, i)};
  return t->lights->sample(t->lights->user, from, u, s) && s->pdf > 0;
}

static void sample_sun(const firn_tracer *t, firn_walk *w, int i, firn_light_sample *s) {
  const firn_walk_view *v = &t->view;
  float open = v->sun_open * uniform(w, i), c = 1 - open, sine = sqrtf(open * (2 - open));
  float angle = 6.28318531f * uniform(w, i), a = sine * cosf(angle), b = sine * sinf(angle);
  s->along = firn_v3_unit((firn_v3){c * v->sun_along[0] + a * v->sun_a[0] + b * v->sun_b[0],
                                    c * v->sun_along[1] + a * v->sun_a[1] + b * v->sun_b[1],
                                    c * v->sun_along[2] + a * v->sun_a[2] + b * v->sun_b[2]});
  s->distance = INFINITY;
  s->radiance = t->sun.radiance;
  s->pdf = 1 / t->sun_angle;
}

// At an event in the snow: a ray to a light other than the sun.
static bool light_event(const firn_tracer *t, firn_walk *w, int i, firn_light_path *path) {
  path->next = lane_ray(t, w, i, path->ray.time);
  firn_v3 from = to_metres(t, w->px[i], w->py[i], w->pz[i]);
  firn_light_sample s;
  if (!sample_lights(t, w, i, from, &s)) return false;
  float cosine = firn_v3_dot(s.along, (firn_v3){w->inx[i], w->iny[i], w->inz[i]});
  bool thinned = w->events[i] - 1 >= t->view.thin_after;
  float phase = thinned ? FIRN_PHASE_EVEN : firn_phase_hg(t->view.g, cosine);
  float density = chance_of_lights(t, w, i) * s.pdf;
  if (s.distance > 1e30f) density += phase; // lamps are not met by chance
  firn_v3 weight = {w->sr[i], w->sg[i], w->sb[i]};
  return send(t, w, i, path, from, &s,
              firn_v3_scale(phase / density, firn_v3_mul(weight, s.radiance)));
}

// ---- surfaces

// Light that comes through the snow to p from far away, 0 to 1: straight, with as much extinction as
// turns it round, in steps that grow.
static float lit_from(const firn_tracer *t, firn_v3 p, firn_v3 towards) {
  enum { STEPS = 24 };
  const float most = 6, grows = 1.25f;
  float step = t->voxel, at = 0.5f * step, depth = 0;
  const float sigma = t->studio->medium.extinction * (1 - t->studio->medium.g);
  for (int i = 0; i < STEPS && depth < most; i++) {
    firn_v3 q = firn_v3_add(p, firn_v3_scale(at, towards));
    depth += sigma * step * firn_volume_density(t->studio->volume, q);
    at += 0.5f * step * (1 + grows);
    step *= grows;
  }
  return expf(-depth);
}
static void note_light(const firn_tracer *t, firn_v3 p, firn_first *first) {
  if (!t->lit || !t->medium) return;
  first->skylit = lit_from(t, p, (firn_v3){0, 1, 0});
  first->sunlit = t->view.sun ? lit_from(t, p, t->sun.along) : first->skylit;
}

static void note_surface(const firn_light_path *path, firn_first *first) {
  firn_v3 p = firn_ray_at(&path->ray, path->hit.t), d = firn_v3_sub(p, path->eye);
  *first = (firn_first){
      true, sqrtf(firn_v3_dot(d, d)), 0, path->hit.velocity, path->hit.albedo, path->hit.normal, 0,
      0};
}

// Scatters at the hit. Sets path->next, or ends the path (false). A ray to a light may be sent:
// *walks.
static bool surface_event(const firn_tracer *t, firn_walk *w, int i, firn_light_path *path,
                          bool *walks) {
  const firn_walk_view *v = &t->view;
  firn_hit hit = path->hit;
  firn_v3 in = path->ray.along, p = firn_ray_at(&path->ray, hit.t), weight = weight_of(w, i);
  if (w->events[i] < 0.5f && !path->first.met) {
    note_surface(path, &path->first);
    note_light(t, p, &path->first);
  }
  *walks = false;
  w->events[i] += 1;
  if (w->events[i] > v->most) return false;

  // The next direction first: the ray to a light takes the lane.
  const float u[3] = {uniform(w, i), uniform(w, i), uniform(w, i)};
  firn_v3 out, factor;
  float pdf = 0;
  bool goes = firn_surface_sample(&hit, in, u, &out, &factor, &pdf);
  firn_v3 after = goes ? firn_v3_mul(weight, factor) : (firn_v3){0, 0, 0};
  if (w->events[i] > v->roulette && largest(after) < 1) {
    float m = largest(after);
    after = uniform(w, i) < m ? firn_v3_scale(1 / m, after) : (firn_v3){0, 0, 0};
  }
  w->wr[i] = after.x;
  w->wg[i] = after.y;
  w->wb[i] = after.z;
  path->next = (firn_ray){firn_hit_leave(&hit, p, out), out, path->ray.time};
  float time = path->ray.time;

  if (v->sun || v->lights) {
    bool at_sun = v->sun && (!v->lights || uniform(w, i) < v->sun_share);
    float chance = at_sun ? v->sun_share : 1 - v->sun_share;
    firn_light_sample s;
    bool any = true;
    if (at_sun)
      sample_sun(t, w, i, &s);
    else
      any = sample_lights(t, w, i, p, &s);
    firn_v3 value;
    float other;
    if (any) firn_surface_eval(&hit, in, s.along, &value, &other);
    if (any && largest(value) > 0) {
      float density = chance * s.pdf + other;
      firn_v3 light = firn_v3_scale(1 / density,
                                    firn_v3_mul(weight, firn_v3_mul(value, s.radiance)));
      path->ray.time = time;
      *walks = send(t, w, i, path, firn_hit_leave(&hit, p, s.along), &s, light);
    }
  }
  path->from = FIRN_FROM_SURFACE;
  path->pdf = pdf;
  path->chance = 1 - v->sun_share;
  return largest(after) > 0;
}

// ---- the path as a whole

static bool finish(const firn_tracer *t, firn_walk *w, int i, firn_light_path *path,
                   firn_path_result *out) {
  // The ray to the sun that stands for all that came through the snow.
  if (w->ctotal[i] > 0) {
    firn_ray ray = {to_metres(t, w->cx[i], w->cy[i], w->cz[i]),
                    {w->cdx[i], w->cdy[i], w->cdz[i]},
                    path->ray.time};
    if (!firn_surfaces_block(t->studio->surfaces, &ray, INFINITY)) {
      float k = w->ctotal[i];
      add_light(w, i, (firn_v3){k, k, k}, (firn_v3){w->cr[i], w->cg[i], w->cb[i]});
    }
  }
  *out = (firn_path_result){
      {w->lr[i], w->lg[i], w->lb[i]}, w->events[i] > t->view.most, (uint32_t)w->events[i]};
  w->mode[i] = 3;
  path->busy = false;
  return false;
}

// Goes on along path->next until the lane walks or the path ends; if known, along path->ray, whose
// hits are known and before which there is no snow any more. outside: the volume lies behind.
static bool go_on(const firn_tracer *t, firn_walk *w, int i, firn_light_path *path, bool outside,
                  bool known, firn_path_result *out) {
  for (;;) {
    if (!known) {
      path->ray = path->next;
      float end = ask_for_hits(t, w, i, path);
      w->mode[i] = 0;
      if (!outside && enter(t, w, i, &path->ray, end)) return true;
    }
    known = outside = false;
    if (path->has_lamp) {
      float share = share_of_chance(t, w, i, path);
      add_light(w, i, firn_v3_scale(share, weight_of(w, i)), path->lamp);
      return finish(t, w, i, path, out);
    }
    if (!path->has_hit) {
      gather_sky(t, w, i, path);
      return finish(t, w, i, path, out);
    }
    // A hold-out that the camera sees: a path that met nothing and brings nothing.
    if (path->hit.holdout && path->from == FIRN_FROM_CAMERA) return finish(t, w, i, path, out);
    bool walks, goes = surface_event(t, w, i, path, &walks);
    if (walks) return true; // with a ray to a light; the path waits in path->next
    if (!goes) return finish(t, w, i, path, out);
  }
}

bool firn_path_start(const firn_tracer *t, firn_walk *w, int i, firn_light_path *path,
                     const firn_ray *ray, firn_path_result *result) {
  path->busy = true;
  path->from = FIRN_FROM_CAMERA;
  path->eye = ray->from;
  path->next = *ray;
  path->first = (firn_first){0};
  w->wr[i] = w->wg[i] = w->wb[i] = 1;
  w->lr[i] = w->lg[i] = w->lb[i] = 0;
  w->events[i] = w->ctotal[i] = w->mode[i] = w->stop[i] = 0;
  return go_on(t, w, i, path, false, false, result);
}

static void note_snow(const firn_tracer *t, const firn_walk *w, int i, firn_light_path *path) {
  bool away = w->mode[i] > 0.5f; // on a shadow ray: the path waits at the event
  firn_v3 p = away ? to_metres(t, w->kx[i], w->ky[i], w->kz[i])
                   : to_metres(t, w->x[i], w->y[i], w->z[i]);
  const firn_volume *volume = t->studio->volume;
  firn_v3 d = firn_v3_sub(p, path->eye);
  path->first = (firn_first){true,
                             sqrtf(firn_v3_dot(d, d)),
                             firn_volume_density(volume, p),
                             firn_volume_velocity(volume, p),
                             t->studio->medium.albedo,
                             firn_v3_unit(firn_v3_scale(-1, firn_volume_gradient(volume, p))),
                             0,
                             0};
  note_light(t, p, &path->first);
}

bool firn_path_serve(const firn_tracer *t, firn_walk *w, int i, firn_light_path *path,
                     firn_path_result *result) {
  int stop = (int)w->stop[i];
  w->stop[i] = 0;
  if (stop & FIRN_WALK_FIRST) note_snow(t, w, i, path);
  if (stop & FIRN_WALK_LIGHTS) {
    path->from = FIRN_FROM_MEDIUM;
    if (light_event(t, w, i, path)) return true;
    if (largest(weight_of(w, i)) <= 0) return finish(t, w, i, path, result);
    return true; // nothing was sent: the lane is as it was
  }
  if (stop & FIRN_WALK_DONE) return finish(t, w, i, path, result);
  if (stop & FIRN_WALK_BACK) {
    if (largest(weight_of(w, i)) <= 0) return finish(t, w, i, path, result);
    return go_on(t, w, i, path, false, false, result);
  }
  if (stop & (FIRN_WALK_LEFT | FIRN_WALK_LIMIT)) {
    bool exact = w->exact[i] > 0.5f, scattered = w->events[i] > path->asked;
    if (scattered) path->from = FIRN_FROM_MEDIUM;
    if (exact && !scattered) return go_on(t, w, i, path, true, true, result);
    path->next = lane_ray(t, w, i, path->ray.time);
    if (stop & FIRN_WALK_LEFT) return go_on(t, w, i, path, true, false, result);
    // In the snow near a surface: how far it is this way, and how far it is any way.
    path->ray = path->next;
    float end = ask_for_hits(t, w, i, path);
    w->limit[i] = end / t->voxel;
    w->exact[i] = 1;
    w->ball_x[i] = w->x[i];
    w->ball_y[i] = w->y[i];
    w->ball_z[i] = w->z[i];
    w->ball_r[i] = firn_surfaces_clear(t->studio->surfaces, path->ray.from, 64 * t->voxel) /
                   t->voxel;
    return true;
  }
  return true;
}
