// SPDX-License-Identifier: Apache-2.0
#include "render/surfaces.h"

#include <embree3/rtcore.h>
#include <string.h>

#include "base/memory.h"
#include "render/surfaces_walk.h"

#define EDGE 0.8f // cosine; more than twice 37 degrees from face to face is an edge

typedef struct body {
  firn_v3 albedo;
  bool coated, holdout;
  firn_coat coat;
  int number;
  firn_v3 velocity, spin, pivot; // m/s, rad/s, m
  float shutter;                 // s
  float near;                    // m, how exact hits are beside rounding
  // A mesh. Embree reads vertices 16 bytes at a time: each array has a spare float.
  size_t vertex_count, triangle_count;
  float *vertex[2];   // [vertex_count][3], shutter open and shut; the latter may be NULL
  float *normal[2];   // the same, smoothed; may be NULL
  uint32_t *triangle; // [triangle_count][3]
  // Or not.
  firn_walker walker;
} body;

struct firn_surfaces {
  firn_context *context;
  RTCDevice device;
  RTCScene scene;
  int count;
  body *bodies;
};

static size_t vertex_bytes(const body *b) {
  return (3 * b->vertex_count + 1) * sizeof(float);
}

static firn_status check_look(firn_context *context, int index, const firn_look_def *look) {
  for (int k = 0; k < 3; k++) {
    if (!(look->albedo[k] >= 0 && look->albedo[k] <= 1)) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT, "surface %d: albedo %g must be in [0, 1]",
                       index, look->albedo[k]);
    }
  }
  if (!(look->gloss >= 0 && look->gloss <= 1)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "surface %d: gloss %g must be in [0, 1]", index,
                     look->gloss);
  }
  if (look->gloss > 0 && !(look->roughness >= 0 && look->roughness <= 1)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "surface %d: roughness %g must be in [0, 1]",
                     index, look->roughness);
  }
  return FIRN_OK;
}

// Normals of vertices: of the triangles around each, by their areas.
static void smooth(const body *b, const float *vertex, float *normal) {
  memset(normal, 0, vertex_bytes(b));
  for (size_t i = 0; i < b->triangle_count; i++) {
    const uint32_t *corner = b->triangle + 3 * i;
    firn_v3 p[3];
    for (int k = 0; k < 3; k++) memcpy(&p[k], vertex + 3 * (size_t)corner[k], sizeof p[k]);
    firn_v3 n = firn_v3_cross(firn_v3_sub(p[1], p[0]), firn_v3_sub(p[2], p[0]));
    for (int k = 0; k < 3; k++) {
      float *to = normal + 3 * (size_t)corner[k];
      to[0] += n.x;
      to[1] += n.y;
      to[2] += n.z;
    }
  }
}

static firn_status copy_mesh(firn_context *context, int index, const firn_surface_def *def,
                             body *b) {
  for (size_t i = 0; i < 3 * def->triangle_count; i++) {
    if (def->triangle[i] >= def->vertex_count) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "surface %d: triangle %zu names vertex %u of %zu", index, i / 3,
                       def->triangle[i], def->vertex_count);
    }
  }
  b->vertex_count = def->vertex_count;
  b->triangle_count = def->triangle_count;
  const float *const from[2] = {def->vertex, def->vertex_shut};
  const size_t index_bytes = 3 * def->triangle_count * sizeof(uint32_t);
  b->triangle = firn_alloc(context, index_bytes, "triangles of a picture");
  if (!b->triangle) return FIRN_ERROR_MEMORY;
  memcpy(b->triangle, def->triangle, index_bytes);
  for (int n = 0; n < 2 && from[n]; n++) {
    for (size_t i = 0; i < 3 * def->vertex_count; i++) {
      if (!isfinite(from[n][i])) {
        return firn_fail(context, FIRN_ERROR_ARGUMENT, "surface %d: vertex %zu is not finite",
                         index, i / 3);
      }
    }
    b->vertex[n] = firn_alloc_zero(context, vertex_bytes(b), "vertices of a picture");
    if (!b->vertex[n]) return FIRN_ERROR_MEMORY;
    memcpy(b->vertex[n], from[n], 3 * def->vertex_count * sizeof(float));
    if (!def->smooth) continue;
    b->normal[n] = firn_alloc(context, vertex_bytes(b), "normals of a picture");
    if (!b->normal[n]) return FIRN_ERROR_MEMORY;
    smooth(b, b->vertex[n], b->normal[n]);
  }
  return FIRN_OK;
}

static firn_status set_walker(firn_context *context, int index, const firn_surface_def *def,
                              const double origin[3], body *b) {
  firn_walker *w = &b->walker;
  const double low[3] = {(double)def->low.x, (double)def->low.y, (double)def->low.z};
  const double high[3] = {(double)def->high.x, (double)def->high.y, (double)def->high.z};
  const double v[3] = {(double)def->velocity.x, (double)def->velocity.y, (double)def->velocity.z};
  const double spin[3] = {(double)def->spin.x, (double)def->spin.y, (double)def->spin.z};
  *w = (firn_walker){.distance = def->distance, .user = def->user, .body = def->body};
  double diagonal = 0, length = 0;
  for (int k = 0; k < 3; k++) {
    if (!(low[k] <= high[k]) || !isfinite(low[k]) || !isfinite(high[k])) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "surface %d: box from %g to %g m along axis %d must be finite", index,
                       low[k], high[k], k);
    }
    diagonal += (high[k] - low[k]) * (high[k] - low[k]);
    length += def->plane[k] * def->plane[k];
    w->low[k] = low[k];
    w->high[k] = high[k];
    w->origin[k] = origin[k];
    w->shift[k] = v[k] * def->shutter;
    w->turn[k] = spin[k] * def->shutter;
    if (w->shift[k] != 0 || w->turn[k] != 0) w->moves = true;
  }
  w->pivot[0] = (double)def->pivot.x;
  w->pivot[1] = (double)def->pivot.y;
  w->pivot[2] = (double)def->pivot.z;
  // Fine enough to be invisible, coarse enough for distances in single precision.
  w->near = 1e-5 * fmin(sqrt(diagonal), 10);
  if (length > 0) { // the plane is exact
    w->distance = NULL;
    length = sqrt(length);
    w->plane[3] = def->plane[3] / length;
    for (int k = 0; k < 3; k++) {
      w->plane[k] = def->plane[k] / length;
      w->plane[3] -= w->plane[k] * origin[k];
    }
  } else if (!def->distance) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "surface %d: has neither triangles nor a plane nor a distance", index);
  }
  b->near = w->distance ? (float)w->near : 0;
  return FIRN_OK;
}

// --- what Embree calls ---

static void bounds(const struct RTCBoundsFunctionArguments *args) {
  const body *b = args->geometryUserPtr;
  double low[3], high[3];
  firn_walker_bounds(&b->walker, low, high);
  *args->bounds_o = (struct RTCBounds){(float)low[0],  (float)low[1],  (float)low[2],  0,
                                       (float)high[0], (float)high[1], (float)high[2], 0};
}

static bool ask(const body *b, const struct RTCRay *r, double *t, firn_v3 *normal) {
  const firn_ray ray = {{r->org_x, r->org_y, r->org_z}, {r->dir_x, r->dir_y, r->dir_z}, r->time};
  return firn_walker_hit(&b->walker, &ray, (double)r->tfar, t, normal);
}

// Rays are asked about one at a time.
static void intersect(const struct RTCIntersectFunctionNArguments *args) {
  struct RTCRayHit *rh = (struct RTCRayHit *)args->rayhit;
  double t;
  firn_v3 normal;
  if (args->N != 1 || !args->valid[0] || !ask(args->geometryUserPtr, &rh->ray, &t, &normal)) return;
  rh->ray.tfar = (float)t;
  rh->hit = (struct RTCHit){.Ng_x = normal.x,
                            .Ng_y = normal.y,
                            .Ng_z = normal.z,
                            .primID = args->primID,
                            .geomID = args->geomID,
                            .instID = {args->context->instID[0]}};
}

static void occlude(const struct RTCOccludedFunctionNArguments *args) {
  struct RTCRay *ray = (struct RTCRay *)args->ray;
  double t;
  firn_v3 normal;
  if (args->N != 1 || !args->valid[0] || !ask(args->geometryUserPtr, ray, &t, &normal)) return;
  ray->tfar = -INFINITY;
}

// --- making ---

static void attach(firn_surfaces *s, int index) {
  body *b = &s->bodies[index];
  RTCGeometry g = rtcNewGeometry(s->device, b->triangle_count ? RTC_GEOMETRY_TYPE_TRIANGLE
                                                              : RTC_GEOMETRY_TYPE_USER);
  if (!g) return;
  if (b->triangle_count) {
    const size_t step = 3 * sizeof(float);
    rtcSetGeometryTimeStepCount(g, b->vertex[1] ? 2 : 1);
    for (unsigned n = 0; n < 2 && b->vertex[n]; n++) {
      rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, n, RTC_FORMAT_FLOAT3, b->vertex[n], 0,
                                 step, b->vertex_count);
    }
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, b->triangle, 0,
                               3 * sizeof(uint32_t), b->triangle_count);
  } else {
    rtcSetGeometryUserPrimitiveCount(g, 1);
    rtcSetGeometryUserData(g, b);
    rtcSetGeometryBoundsFunction(g, bounds, NULL);
    rtcSetGeometryIntersectFunction(g, intersect);
    rtcSetGeometryOccludedFunction(g, occlude);
  }
  rtcCommitGeometry(g);
  rtcAttachGeometryByID(s->scene, g, (unsigned)index);
  rtcReleaseGeometry(g);
}

static firn_status build(firn_surfaces *s) {
  // One thread: the same tree every time, and no pool of threads beside firn's own.
  s->device = rtcNewDevice("threads=1,set_affinity=0");
  if (s->device) s->scene = rtcNewScene(s->device);
  if (!s->scene) {
    return firn_fail(s->context, FIRN_ERROR_UNSUPPORTED, "Embree could not begin (error %d)",
                     (int)rtcGetDeviceError(s->device));
  }
  rtcSetSceneFlags(s->scene, RTC_SCENE_FLAG_ROBUST);
  for (int i = 0; i < s->count; i++) attach(s, i);
  rtcCommitScene(s->scene);
  enum RTCError error = rtcGetDeviceError(s->device);
  if (error == RTC_ERROR_NONE) return FIRN_OK;
  if (error == RTC_ERROR_OUT_OF_MEMORY) {
    return firn_fail(s->context, FIRN_ERROR_MEMORY, "out of memory for the bodies of a picture");
  }
  return firn_fail(s->context, FIRN_ERROR_UNSUPPORTED, "Embree failed (error %d)", (int)error);
}

static firn_status fill(firn_surfaces *s, const firn_surface_def *defs, const double origin[3]) {
  for (int i = 0; i < s->count; i++) {
    const firn_surface_def *def = &defs[i];
    body *b = &s->bodies[i];
    FIRN_TRY(check_look(s->context, i, &def->look));
    b->albedo = (firn_v3){(float)def->look.albedo[0], (float)def->look.albedo[1],
                          (float)def->look.albedo[2]};
    b->coated = def->look.gloss > 0;
    b->holdout = def->look.mode == FIRN_LOOK_HOLDOUT;
    if (b->coated) firn_coat_fill((float)def->look.gloss, (float)def->look.roughness, &b->coat);
    b->number = def->body;
    b->velocity = def->velocity;
    b->spin = def->spin;
    b->pivot = def->pivot;
    b->shutter = (float)def->shutter;
    FIRN_TRY(def->triangle_count ? copy_mesh(s->context, i, def, b)
                                 : set_walker(s->context, i, def, origin, b));
  }
  return build(s);
}

firn_status firn_surfaces_create(firn_context *context, int count, const firn_surface_def *defs,
                                 const double origin[3], firn_surfaces **out) {
  *out = NULL;
  if (count < 1) return FIRN_OK;
  firn_surfaces *s = firn_alloc_zero(context, sizeof *s, "bodies of a picture");
  if (!s) return FIRN_ERROR_MEMORY;
  s->context = context;
  s->count = count;
  s->bodies = firn_alloc_zero(context, (size_t)count * sizeof *s->bodies, "bodies of a picture");
  firn_status status = s->bodies ? fill(s, defs, origin) : FIRN_ERROR_MEMORY;
  if (status) {
    firn_surfaces_free(s);
    return status;
  }
  *out = s;
  return FIRN_OK;
}

void firn_surfaces_free(firn_surfaces *surfaces) {
  firn_surfaces *s = surfaces;
  if (!s) return;
  if (s->scene) rtcReleaseScene(s->scene);
  if (s->device) rtcReleaseDevice(s->device);
  for (int i = 0; s->bodies && i < s->count; i++) {
    body *b = &s->bodies[i];
    for (int n = 0; n < 2; n++) {
      if (b->vertex[n]) firn_free(s->context, b->vertex[n], vertex_bytes(b));
      if (b->normal[n]) firn_free(s->context, b->normal[n], vertex_bytes(b));
    }
    if (b->triangle) {
      firn_free(s->context, b->triangle, 3 * b->triangle_count * sizeof(uint32_t));
    }
  }
  if (s->bodies) firn_free(s->context, s->bodies, (size_t)s->count * sizeof *s->bodies);
  firn_free(s->context, s, sizeof *s);
}

// --- asking ---

static struct RTCRay ray_of(const firn_ray *ray, float most) {
  return (struct RTCRay){.org_x = ray->from.x,
                         .org_y = ray->from.y,
                         .org_z = ray->from.z,
                         .dir_x = ray->along.x,
                         .dir_y = ray->along.y,
                         .dir_z = ray->along.z,
                         .time = ray->time,
                         .tfar = most,
                         .mask = ~0u};
}

// Between the normals of a triangle's corners. Where one is far from the triangle's own there is an
// edge, which stays one.
static firn_v3 smoothed(const body *b, const struct RTCHit *h, float time, firn_v3 geometric) {
  const uint32_t *corner = b->triangle + 3 * (size_t)h->primID;
  const float part[3] = {1 - h->u - h->v, h->u, h->v};
  firn_v3 sum = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    firn_v3 n[2];
    memcpy(&n[0], b->normal[0] + 3 * (size_t)corner[k], sizeof n[0]);
    n[0] = firn_v3_unit(n[0]);
    if (b->normal[1]) {
      memcpy(&n[1], b->normal[1] + 3 * (size_t)corner[k], sizeof n[1]);
      n[0] = firn_v3_mix(n[0], firn_v3_unit(n[1]), time);
    }
    if (firn_v3_dot(n[0], geometric) < EDGE) n[0] = geometric;
    sum = firn_v3_add(sum, firn_v3_scale(part[k], n[0]));
  }
  float length2 = firn_v3_dot(sum, sum);
  if (!(length2 > 1e-6f)) return geometric;
  return firn_v3_scale(1 / sqrtf(length2), sum);
}

static float largest(firn_v3 a) {
  return fmaxf(fabsf(a.x), fmaxf(fabsf(a.y), fabsf(a.z)));
}

bool firn_surfaces_hit(const firn_surfaces *surfaces, const firn_ray *ray, float most,
                       firn_hit *hit) {
  if (!surfaces) return false;
  struct RTCRayHit rh = {.ray = ray_of(ray, most)};
  rh.hit.geomID = rh.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcIntersect1(surfaces->scene, &context, &rh);
  if (rh.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;

  const body *b = &surfaces->bodies[rh.hit.geomID];
  const float t = rh.ray.tfar;
  const firn_v3 p = firn_ray_at(ray, t);
  firn_v3 geometric = firn_v3_unit((firn_v3){rh.hit.Ng_x, rh.hit.Ng_y, rh.hit.Ng_z});
  firn_v3 normal = b->normal[0] ? smoothed(b, &rh.hit, ray->time, geometric) : geometric;
  if (firn_v3_dot(geometric, ray->along) > 0) geometric = firn_v3_scale(-1, geometric);
  if (firn_v3_dot(normal, geometric) < 0) normal = firn_v3_scale(-1, normal);
  // A smooth normal may look away from where the ray came: bent back until it does not.
  float c = firn_v3_dot(normal, ray->along);
  if (c > -1e-3f) {
    normal = firn_v3_unit(firn_v3_sub(normal, firn_v3_scale(c + 1e-3f, ray->along)));
  }
  firn_v3 pivot = firn_v3_add(b->pivot, firn_v3_scale(ray->time * b->shutter, b->velocity));
  *hit = (firn_hit){
      .t = t,
      // A few units in the last place of all that went into p.
      .offset = 2 * b->near + 4e-6f * fmaxf(largest(p), fmaxf(largest(ray->from), t)),
      .normal = normal,
      .geometric = geometric,
      .velocity = firn_v3_add(b->velocity, firn_v3_cross(b->spin, firn_v3_sub(p, pivot))),
      .albedo = b->albedo,
      .coat = b->coated ? &b->coat : NULL,
      .holdout = b->holdout,
      .body = b->number};
  return true;
}

bool firn_surfaces_block(const firn_surfaces *surfaces, const firn_ray *ray, float most) {
  if (!surfaces) return false;
  struct RTCRay r = ray_of(ray, most);
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcOccluded1(surfaces->scene, &context, &r);
  return r.tfar < 0;
}

// --- how far away they are ---

// Distance of p from a box, 0 inside.
static float box_distance(firn_v3 p, const double low[3], const double high[3]) {
  const double at[3] = {(double)p.x, (double)p.y, (double)p.z};
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double d = fmax(0, fmax(low[k] - at[k], at[k] - high[k]));
    sum += d * d;
  }
  return (float)sqrt(sum);
}

// Of a body that stands still, within its box.
static float walker_distance(const firn_walker *w, firn_v3 p) {
  const double at[3] = {(double)p.x, (double)p.y, (double)p.z};
  double d;
  if (w->distance) {
    const double world[3] = {at[0] + w->origin[0], at[1] + w->origin[1], at[2] + w->origin[2]};
    d = w->distance(w->user, w->body, world, NULL);
  } else {
    d = w->plane[0] * at[0] + w->plane[1] * at[1] + w->plane[2] * at[2] - w->plane[3];
  }
  return (float)fmax(0, fabs(d) - 2 * w->near);
}

// The nearest point of a triangle, as Ericson 2005, section 5.1.5, finds it.
static float triangle_distance(firn_v3 p, firn_v3 a, firn_v3 b, firn_v3 c) {
  firn_v3 ab = firn_v3_sub(b, a), ac = firn_v3_sub(c, a), ap = firn_v3_sub(p, a), q;
  float d1 = firn_v3_dot(ab, ap), d2 = firn_v3_dot(ac, ap);
  firn_v3 bp = firn_v3_sub(p, b), cp = firn_v3_sub(p, c);
  float d3 = firn_v3_dot(ab, bp), d4 = firn_v3_dot(ac, bp);
  float d5 = firn_v3_dot(ab, cp), d6 = firn_v3_dot(ac, cp);
  float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  if (d1 <= 0 && d2 <= 0) {
    q = a;
  } else if (d3 >= 0 && d4 <= d3) {
    q = b;
  } else if (d6 >= 0 && d5 <= d6) {
    q = c;
  } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    q = firn_v3_add(a, firn_v3_scale(d1 / (d1 - d3), ab));
  } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    q = firn_v3_add(a, firn_v3_scale(d2 / (d2 - d6), ac));
  } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    q = firn_v3_add(b, firn_v3_scale((d4 - d3) / ((d4 - d3) + (d5 - d6)), firn_v3_sub(c, b)));
  } else {
    float k = 1 / (va + vb + vc);
    q = firn_v3_add(a, firn_v3_add(firn_v3_scale(vb * k, ab), firn_v3_scale(vc * k, ac)));
  }
  firn_v3 d = firn_v3_sub(p, q);
  return sqrtf(firn_v3_dot(d, d));
}

typedef struct nearest_query {
  const firn_surfaces *surfaces;
  firn_v3 p;
} nearest_query;

static bool near_primitive(struct RTCPointQueryFunctionArguments *args) {
  const nearest_query *n = args->userPtr;
  const body *b = &n->surfaces->bodies[args->geomID];
  float d = 0; // of a body that moves only its box is known
  if (b->triangle_count && !b->vertex[1]) {
    firn_v3 v[3];
    for (int k = 0; k < 3; k++)
      memcpy(&v[k], b->vertex[0] + 3 * (size_t)b->triangle[3 * (size_t)args->primID + (size_t)k],
             sizeof v[k]);
    d = triangle_distance(n->p, v[0], v[1], v[2]);
  } else if (!b->triangle_count) {
    double low[3], high[3];
    firn_walker_bounds(&b->walker, low, high);
    d = box_distance(n->p, low, high);
    if (!b->walker.moves) d = fmaxf(d, walker_distance(&b->walker, n->p));
  }
  if (!(d < args->query->radius)) return false;
  args->query->radius = d;
  return true;
}

float firn_surfaces_clear(const firn_surfaces *surfaces, firn_v3 p, float most) {
  if (!surfaces) return most;
  for (int i = 0; i < surfaces->count; i++)
    if (surfaces->bodies[i].vertex[1]) return 0; // meshes that change shape: who knows
  struct RTCPointQuery query = {p.x, p.y, p.z, 0, most};
  struct RTCPointQueryContext context;
  rtcInitPointQueryContext(&context);
  nearest_query n = {surfaces, p};
  rtcPointQuery(surfaces->scene, &query, &context, near_primitive, &n);
  return query.radius * (1 - 1e-5f);
}

// --- scattering ---

void firn_surface_eval(const firn_hit *hit, firn_v3 in, firn_v3 out, firn_v3 *value, float *pdf) {
  firn_bsdf_eval(hit->albedo, hit->coat, hit->normal, in, out, value, pdf);
  // Not through the surface, whatever the smooth normal says.
  if (firn_v3_dot(hit->geometric, out) <= 0) *value = (firn_v3){0, 0, 0};
}

bool firn_surface_sample(const firn_hit *hit, firn_v3 in, const float u[3], firn_v3 *out,
                         firn_v3 *weight, float *pdf) {
  if (!firn_bsdf_sample(hit->albedo, hit->coat, hit->normal, in, u, out, weight, pdf)) return false;
  return firn_v3_dot(hit->geometric, *out) > 0;
}
