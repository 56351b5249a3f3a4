// SPDX-License-Identifier: Apache-2.0
// The same scene with fewer particles, for what cannot be waited for: how the cost of steps changes
// over the first frames, and what semi-implicit steps take.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "needs.h"

// Particles of a scene that takes a semi-implicit step.
static const double PROBE = 2e5;

firn_scene *cli_load_like(firn_context *context, const firn_scene *scene, const cli_needs_def *def,
                          double factor, const char *const *more) {
  const char *at = strstr(firn_scene_resolved_text(scene), "\nquality: ");
  char quality[64];
  cli_options options = *def->options;
  if (options.override_count == CLI_OVERRIDES || !at) return NULL;
  snprintf(quality, sizeof quality, "quality=%.9g", factor * strtod(at + 10, NULL));
  if (factor != 1) options.overrides[options.override_count++] = quality;
  for (int i = 0; more && more[i]; i++) {
    if (options.override_count == CLI_OVERRIDES) return NULL;
    options.overrides[options.override_count++] = more[i];
  }
  firn_scene *like;
  cli_mute(true);
  firn_status status = firn_scene_load(context, def->scene, options.override_count,
                                       options.overrides, &like);
  cli_mute(false);
  if (status == FIRN_OK) return like;
  firn_scene_destroy(like);
  return NULL;
}

// A simulation of its own, in a context that counts its bytes alone and tells nobody anything.
typedef struct pilot {
  firn_context *context;
  firn_scene *scene;
  firn_sim *sim;         // NULL: it cannot be had
  double implicit_bytes; // held at most when the first semi-implicit step was taken; 0: none was
} pilot;

static pilot pilot_open(const firn_scene *scene, const cli_needs_def *def, double factor,
                        const char *const *more) {
  firn_context_def context_def = firn_default_context_def();
  context_def.threads = def->options->threads;
  context_def.isa = def->options->isa;
  context_def.include_outside = def->options->allow_outside;
  pilot p = {0};
  if (firn_context_create(&context_def, &p.context) != FIRN_OK) return p;
  p.scene = cli_load_like(p.context, scene, def, factor, more);
  if (p.scene && firn_scene_build(p.scene, &p.sim) != FIRN_OK) p.sim = NULL;
  return p;
}

static void pilot_close(pilot *p) {
  firn_sim_destroy(p->sim);
  firn_scene_destroy(p->scene);
  firn_context_destroy(p->context);
}

// ------------------------------------------------------------------------------ the first frames

// Steps to a time, but no longer than so many processor seconds.
static bool pilot_reach(pilot *p, double time, double seconds) {
  double begin = cli_cpu_seconds();
  while (firn_sim_time(p->sim) < time * (1 - 1e-9)) {
    if (cli_cpu_seconds() - begin > seconds || cli_interrupted()) return false;
    if (firn_scene_apply(p->scene, p->sim) != FIRN_OK) return false;
    firn_step step;
    if (firn_sim_step(p->sim, time - firn_sim_time(p->sim), &step) != FIRN_OK) return false;
    if (step.implicit && !(p->implicit_bytes > 0))
      p->implicit_bytes = (double)firn_context_peak_bytes(p->context);
  }
  return true;
}

cli_pilot cli_look_ahead(const firn_scene *scene, const cli_needs_def *def, int frames,
                         double covered, double cpu, bool implicit) {
  double frame = firn_scene_frame_seconds(scene), budget = 2 * def->seconds;
  // Time goes with the fourth power of the quality: particles with the third, steps with the first.
  double factor = fmin(0.9, pow(budget / (frames * cpu), 0.25));
  cli_pilot out = {1, 1};
  pilot p = pilot_open(scene, def, factor, NULL);
  // A part too short to be timed is like what follows it.
  double part = fmax(covered, 0.1 * frame), begin = cli_cpu_seconds();
  if (p.sim && pilot_reach(&p, part, budget)) {
    double middle = cli_cpu_seconds(), bytes = (double)firn_context_peak_bytes(p.context);
    pilot_reach(&p, frames * frame, 2 * budget); // as far as it comes
    double reached = firn_sim_time(p.sim), spent = cli_cpu_seconds() - begin;
    if (middle > begin) out.time = spent / reached / ((middle - begin) / part);
    // It may have turned to semi-implicit steps later than the scene itself.
    if (implicit) bytes = fmax(bytes, p.implicit_bytes);
    out.bytes = (double)firn_context_peak_bytes(p.context) / bytes;
  }
  pilot_close(&p);
  return out;
}

// -------------------------------------------------------------------------- semi-implicit steps

// Bytes that the library holds at most in a step of an integrator; 0 where it fails. How far a
// solve goes changes nothing about them.
static double peak_with(const firn_scene *scene, const cli_needs_def *def, double factor,
                        const char *integrator, double *particles) {
  const char *const settings[] = {integrator, "mpm.tolerance=0.5", NULL};
  pilot p = pilot_open(scene, def, factor, settings);
  double peak = 0;
  if (p.sim && firn_sim_step(p.sim, 0, NULL) == FIRN_OK) {
    peak = (double)firn_context_peak_bytes(p.context);
    *particles = (double)firn_sim_count(p.sim);
  }
  pilot_close(&p);
  return peak;
}

double cli_implicit_bytes(const firn_scene *scene, const cli_needs_def *def, double particles) {
  double factor = fmin(1, cbrt(PROBE / particles)), a = 0, b = 0;
  double without = peak_with(scene, def, factor, "mpm.integrator=explicit", &a);
  double with = peak_with(scene, def, factor, "mpm.integrator=implicit", &b);
  return without > 0 && with > without && a > 0 ? (with - without) / a * particles : 0;
}
