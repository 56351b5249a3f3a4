// SPDX-License-Identifier: Apache-2.0
// Scenes as the public header promises them: found by name, read, and built into a simulation
// through the same calls that any program has.
#include "api/scene.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/nearest.h"
#include "scene/scene.h"

// ------------------------------------------------------------------------------------- finding

const char *firn_scene_builtin_name(int i) {
  for (int k = 0; k <= i; k++)
    if (!firn_scene_builtin_names[k]) return NULL;
  return i < 0 ? NULL : firn_scene_builtin_names[i];
}

const char *firn_scene_builtin_doc(int i) {
  return firn_scene_builtin_name(i) ? firn_scene_builtin_titles[i] : NULL;
}

const char *firn_scene_builtin_text(const char *name) {
  for (int i = 0; name && firn_scene_builtin_names[i]; i++)
    if (strcmp(firn_scene_builtin_names[i], name) == 0) return firn_scene_builtin_texts[i];
  return NULL;
}

static firn_status fail_open(firn_context *context, const char *name, int error) {
  firn_nearest nearest = firn_nearest_begin(name);
  for (int i = 0; firn_scene_builtin_names[i]; i++)
    firn_nearest_offer(&nearest, firn_scene_builtin_names[i]);
  bool looks_like_file = strpbrk(name, "/.") != NULL;
  if (looks_like_file)
    return firn_fail(context, FIRN_ERROR_IO, "scene %s cannot be read: %s", name, strerror(error));
  if (nearest.best)
    return firn_fail(context, FIRN_ERROR_IO,
                     "'%s' is neither a file nor a built-in scene; did you mean '%s'?", name,
                     nearest.best);
  return firn_fail(context, FIRN_ERROR_IO, "'%s' is neither a file nor a built-in scene", name);
}

// A scene is a page or two; whatever is longer than this is something else.
enum { FILE_MOST = 16 << 20 };

static firn_status read_file(firn_context *context, const char *name, firn_buffer *text,
                             size_t *size) {
  FILE *file = fopen(name, "rb");
  if (!file) return fail_open(context, name, errno);
  firn_status status = FIRN_OK;
  *size = 0;
  while (status == FIRN_OK) {
    if (*size == text->size) {
      size_t wanted = text->size ? 2 * text->size : 8192;
      void *grown = firn_resize(context, text->data, text->size, wanted, "scene file");
      if (!grown) {
        status = FIRN_ERROR_MEMORY;
        break;
      }
      *text = (firn_buffer){grown, wanted};
    }
    size_t n = fread((char *)text->data + *size, 1, text->size - *size, file);
    *size += n;
    if (*size > FILE_MOST)
      status = firn_fail(context, FIRN_ERROR_IO, "scene %s is larger than %d MB", name,
                         FILE_MOST >> 20);
    else if (ferror(file))
      status = firn_fail(context, FIRN_ERROR_IO, "scene %s cannot be read: %s", name,
                         strerror(errno));
    if (n == 0) break;
  }
  fclose(file);
  return status;
}

firn_status firn_scene_load(firn_context *context, const char *name, int override_count,
                            const char *const *overrides, firn_scene **out) {
  if (!context) return FIRN_ERROR_ARGUMENT;
  if (!name || !out || override_count < 0 || (override_count > 0 && !overrides))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "firn_scene_load: name, out or overrides is NULL");
  *out = NULL;
  const char *builtin = firn_scene_builtin_text(name);
  if (builtin)
    return firn_scene_read(context, name, builtin, strlen(builtin), override_count, overrides, out);
  firn_buffer text = {0};
  size_t size = 0;
  firn_status status = read_file(context, name, &text, &size);
  if (status == FIRN_OK)
    status = firn_scene_read(context, name, text.data, size, override_count, overrides, out);
  firn_buffer_free(context, &text);
  return status;
}

// ------------------------------------------------------------------------------------- reading

static void copy3(double to[3], const double from[3]) {
  memcpy(to, from, 3 * sizeof to[0]);
}

firn_preview_def firn_scene_preview(const firn_scene *scene) {
  const firn_value *v = firn_value_find(scene->root, "preview");
  firn_preview_def def = firn_default_preview_def();
  if (!v) return def;
  def.width = (int)firn_value_number(v, "width");
  def.height = (int)firn_value_number(v, "height");
  copy3(def.center, firn_value_vec3(v, "center"));
  def.extent = firn_value_number(v, "extent");
  copy3(def.view, firn_value_vec3(v, "view"));
  def.ground = firn_value_number(v, "ground");
  def.show_ground = firn_value_number(v, "show_ground") != 0;
  return def;
}

static firn_shape_def shape_of(const firn_value *choice) {
  firn_shape_def shape = {0};
  const firn_value *v = choice ? choice->first : NULL;
  if (!v) return shape;
  if (strcmp(v->key, "half_space") == 0)
    return firn_half_space(firn_value_vec3(v, "point"), firn_value_vec3(v, "normal"));
  if (strcmp(v->key, "sphere") == 0)
    return firn_sphere(firn_value_vec3(v, "center"), firn_value_number(v, "radius"));
  const double *size = firn_value_vec3(v, "size");
  const double half[3] = {size[0] / 2, size[1] / 2, size[2] / 2};
  return firn_box(firn_value_vec3(v, "center"), half);
}

static double shape_volume(const firn_shape_def *shape) {
  if (shape->kind == FIRN_SHAPE_SPHERE)
    return 4.18879020478639 * shape->radius * shape->radius * shape->radius;
  return 8 * shape->half[0] * shape->half[1] * shape->half[2];
}

double firn_scene_particles(const firn_scene *scene) {
  double cell = scene->h * scene->h * scene->h, count = 0;
  const firn_value *snow = firn_value_find(scene->root, "snow");
  for (const firn_value *body = snow ? snow->first : NULL; body; body = body->next) {
    firn_shape_def shape = shape_of(firn_value_find(body, "shape"));
    count += shape_volume(&shape) / cell * firn_value_number(body, "per_cell");
  }
  return count;
}

// ------------------------------------------------------------------------------------ building

static firn_mpm_def mpm_of(const firn_value *v) {
  firn_mpm_def def = firn_default_mpm_def();
  def.basis = firn_value_is(v, "basis", "cubic") ? FIRN_BASIS_CUBIC : FIRN_BASIS_QUADRATIC;
  def.transfer = firn_value_is(v, "transfer", "flip") ? FIRN_TRANSFER_FLIP : FIRN_TRANSFER_APIC;
  def.flip = firn_value_number(v, "flip");
  def.flip_rescale = firn_value_number(v, "flip_rescale") != 0;
  def.advect_pic = firn_value_is(v, "advect", "pic");
  def.volume_nominal = firn_value_is(v, "volume", "nominal");
  def.contact_node = firn_value_is(v, "contact_projection", "node");
  def.collider_begin = firn_value_is(v, "collider_time", "begin");
  def.particle_contact = firn_value_number(v, "particle_contact") != 0;
  def.push_out = firn_value_number(v, "push_out");
  def.integrator = firn_value_is(v, "integrator", "explicit")   ? FIRN_INTEGRATOR_EXPLICIT
                   : firn_value_is(v, "integrator", "implicit") ? FIRN_INTEGRATOR_IMPLICIT
                                                                : FIRN_INTEGRATOR_AUTO;
  def.beta = firn_value_number(v, "beta");
  def.krylov = firn_value_is(v, "krylov", "cr")       ? FIRN_KRYLOV_CR
               : firn_value_is(v, "krylov", "minres") ? FIRN_KRYLOV_MINRES
                                                      : FIRN_KRYLOV_CG;
  def.hessian = firn_value_is(v, "hessian", "psd") ? FIRN_HESSIAN_PSD : FIRN_HESSIAN_EXACT;
  def.preconditioner = firn_value_is(v, "preconditioner", "block") ? FIRN_PRECONDITIONER_BLOCK
                                                                   : FIRN_PRECONDITIONER_MASS;
  def.tolerance = firn_value_number(v, "tolerance");
  def.max_iterations = (int)firn_value_number(v, "max_iterations");
  def.dt = firn_value_number(v, "dt");
  def.dt_max = firn_value_number(v, "dt_max");
  def.dt_min = firn_value_number(v, "dt_min");
  def.cfl = firn_value_number(v, "cfl");
  def.elastic_cfl = firn_value_number(v, "elastic_cfl");
  def.min_det = firn_value_number(v, "min_det");
  return def;
}

static firn_sim_def sim_of(const firn_scene *scene) {
  const firn_value *root = scene->root;
  firn_sim_def def = firn_default_sim_def();
  def.h = scene->h;
  copy3(def.gravity, firn_value_vec3(root, "gravity"));
  const double *period = firn_value_vec3(root, "periodic");
  for (int a = 0; a < 3; a++) {
    def.periodic[a] = period[a] > 0;
    def.period_cells[a] = 4 * (int)round(period[a] / (4 * scene->h));
  }
  def.seed = (uint64_t)firn_value_number(root, "seed");
  def.solver = firn_value_text(root, "solver");
  def.mpm = mpm_of(firn_value_find(root, "mpm"));
  return def;
}

static firn_material_def material_of(const firn_value *v) {
  firn_material_def def = firn_default_material_def();
  def.law = firn_value_text(v, "law");
  def.density = firn_value_number(v, "density");
  def.young = firn_value_number(v, "young");
  def.poisson = firn_value_number(v, "poisson");
  if (!firn_value_find(v, "theta_c")) return def; // a law without yield
  def.theta_c = firn_value_number(v, "theta_c");
  def.theta_s = firn_value_number(v, "theta_s");
  def.hardening = firn_value_number(v, "hardening");
  const firn_value *range = firn_value_find(v, "jp_range");
  def.jp_min = range->number[0];
  def.jp_max = range->number[1];
  return def;
}

// Materials are added in the order of the file, so a material's id is its place in the table.
static int material_index(const firn_value *materials, const char *name) {
  int i = 0;
  for (const firn_value *m = materials->first; m; m = m->next, i++)
    if (strcmp(m->key, name) == 0) return i;
  return -1;
}

static firn_status fill_snow(const firn_scene *scene, const firn_value *body, firn_sim *sim) {
  const firn_value *materials = firn_value_find(scene->root, "materials");
  firn_fill_def def = firn_default_fill_def();
  def.shape = shape_of(firn_value_find(body, "shape"));
  def.material = material_index(materials, firn_value_text(body, "material"));
  def.seeding = firn_value_is(body, "seeding", "random")     ? FIRN_SEEDING_RANDOM
                : firn_value_is(body, "seeding", "jittered") ? FIRN_SEEDING_JITTERED
                                                             : FIRN_SEEDING_LATTICE;
  def.per_cell = firn_value_number(body, "per_cell");
  copy3(def.velocity, firn_value_vec3(body, "velocity"));
  copy3(def.spin, firn_value_vec3(body, "spin"));
  return firn_sim_fill(sim, &def);
}

static firn_status add_collider(const firn_value *v, firn_sim *sim) {
  firn_collider_def def = firn_default_collider_def();
  def.name = firn_value_text(v, "name");
  def.shape = shape_of(firn_value_find(v, "shape"));
  def.friction = firn_value_number(v, "friction");
  def.sticky = firn_value_number(v, "sticky") != 0;
  copy3(def.velocity, firn_value_vec3(v, "velocity"));
  copy3(def.spin, firn_value_vec3(v, "spin"));
  int id;
  return firn_sim_add_collider(sim, &def, &id);
}

static firn_status populate(const firn_scene *scene, firn_sim *sim, bool with_snow) {
  int id;
  for (const firn_value *m = firn_value_find(scene->root, "materials")->first; m; m = m->next) {
    firn_material_def def = material_of(m);
    FIRN_TRY(firn_sim_add_material(sim, &def, &id));
  }
  for (const firn_value *c = firn_value_find(scene->root, "colliders")->first; c; c = c->next)
    FIRN_TRY(add_collider(c, sim));
  if (!with_snow) return FIRN_OK;
  for (const firn_value *b = firn_value_find(scene->root, "snow")->first; b; b = b->next)
    FIRN_TRY(fill_snow(scene, b, sim));
  if (firn_sim_count(sim) == 0)
    return firn_fail(scene->context, FIRN_ERROR_SCENE,
                     "%s: the snow holds no particle; its shapes are smaller than a cell of %g m",
                     scene->file, scene->h);
  return FIRN_OK;
}

static firn_status build(const firn_scene *scene, bool with_snow, firn_sim **out) {
  *out = NULL;
  if (scene->report.count)
    return firn_fail(scene->context, FIRN_ERROR_SCENE, "%s has %d errors", scene->file,
                     scene->report.count);
  firn_sim_def def = sim_of(scene);
  firn_sim *sim;
  FIRN_TRY(firn_sim_create(scene->context, &def, &sim));
  firn_status status = populate(scene, sim, with_snow);
  if (status != FIRN_OK) {
    firn_sim_destroy(sim);
    return status;
  }
  *out = sim;
  return FIRN_OK;
}

firn_status firn_scene_build(const firn_scene *scene, firn_sim **out) {
  if (!scene) return FIRN_ERROR_ARGUMENT;
  if (!out) return firn_fail(scene->context, FIRN_ERROR_ARGUMENT, "firn_scene_build: out is NULL");
  return build(scene, true, out);
}

firn_status firn_scene_build_empty(const firn_scene *scene, firn_sim **out) {
  return build(scene, false, out);
}

// No section yet.
firn_output_def firn_scene_output(const firn_scene *scene) {
  (void)scene;
  return firn_default_output_def();
}

const firn_probe_def *firn_scene_probes(const firn_scene *scene, int *count) {
  (void)scene;
  *count = 0;
  return NULL;
}

firn_status firn_scene_apply(const firn_scene *scene, firn_sim *sim) {
  (void)scene, (void)sim;
  return FIRN_OK;
}

void firn_scene_schema(firn_text_fn write, void *user) {
  write(user, "{}\n");
}

void firn_scene_reference(firn_text_fn write, void *user) {
  write(user, "");
}
