// SPDX-License-Identifier: Apache-2.0
// The tables of a run: stats.csv always, colliders.csv and probes.csv where the scene asks for
// them.
#include <math.h>
#include <string.h>

#include "api/run.h"
#include "api/sim.h"
#include "base/memory.h"
#include "cache/colliders.h"
#include "cache/probes.h"
#include "cache/stats.h"

// Colliders whose forces are recorded.
static size_t force_count(const firn_run_state *r) {
  const firn_world *world = &r->sim->world;
  size_t n = 0;
  for (int i = 0; i < world->collider_count; i++) n += world->collider[i].forces;
  return n;
}

// The columns of probes.csv after the common ones: those that it always has, and the solver's own.
static firn_probe_columns probe_columns(const firn_sim *sim) {
  firn_probe_columns columns = {
      .count = 3, .column = {{"density", 1, NULL}, {"jp", 1, NULL}, {"stress", 6, NULL}}};
  char word[64];
  for (int i = 0; sim->type->probed && columns.count < FIRN_PROBE_COLUMNS; i++) {
    firn_field_info info;
    if (!firn_schema_choice(sim->type->probed, i, word, sizeof word)) break;
    if (!firn_sim_has_field(sim, word, &info) || info.components > FIRN_PROBE_COMPONENTS) continue;
    columns.column[columns.count++] = (firn_probe_column){info.name, info.components, NULL};
  }
  return columns;
}

const char *firn_run_table_name(firn_run_table table) {
  static const char *const names[] = {"stats.csv", "colliders.csv", "probes.csv"};
  return names[table];
}

bool firn_run_has_table(const firn_run_state *r, firn_run_table table) {
  int probes;
  firn_scene_probes(r->scene, &probes);
  return table == FIRN_RUN_STATS || (table == FIRN_RUN_COLLIDERS ? force_count(r) > 0 : probes > 0);
}

firn_status firn_run_create_tables(firn_run_state *r) {
  FIRN_TRY(firn_run_file(r, "stats.csv"));
  FIRN_TRY(firn_stats_create(r->context, r->path, r->sim->type->columns));
  if (firn_run_has_table(r, FIRN_RUN_COLLIDERS)) {
    FIRN_TRY(firn_run_file(r, "colliders.csv"));
    FIRN_TRY(firn_colliders_create(r->context, r->path));
  }
  if (!firn_run_has_table(r, FIRN_RUN_PROBES)) return FIRN_OK;
  FIRN_TRY(firn_run_file(r, "probes.csv"));
  firn_probe_columns columns = probe_columns(r->sim);
  return firn_probes_create(r->context, r->path, &columns);
}

firn_status firn_run_open_table_of(const firn_run_state *r, const char *folder,
                                   firn_run_table table, firn_rows *out) {
  char path[FIRN_PATH_SIZE];
  FIRN_TRY(firn_path_format(r->context, path, "%s/%s", folder, firn_run_table_name(table)));
  if (table == FIRN_RUN_STATS) return firn_stats_open(r->context, path, r->sim->type->columns, out);
  if (table == FIRN_RUN_COLLIDERS) return firn_colliders_open(r->context, path, out);
  firn_probe_columns columns = probe_columns(r->sim);
  return firn_probes_open(r->context, path, &columns, out);
}

firn_status firn_run_open_table(firn_run_state *r, firn_run_table table, firn_rows *out) {
  FIRN_TRY(firn_run_file(r, firn_run_table_name(table)));
  return firn_run_open_table_of(r, r->def->folder, table, out);
}

const char *firn_run_row_name(const firn_run_state *r, firn_run_table table, int i,
                              char number[32]) {
  if (table == FIRN_RUN_PROBES) {
    int count;
    const firn_probe_def *defs = firn_scene_probes(r->scene, &count);
    return i < count ? firn_probe_name(defs[i].name, i, number) : NULL;
  }
  const firn_world *world = &r->sim->world;
  for (int c = 0; table == FIRN_RUN_COLLIDERS && c < world->collider_count; c++)
    if (world->collider[c].forces && i-- == 0) return world->collider[c].name;
  return NULL;
}

static firn_status append_stats(firn_run_state *r, const firn_measures *measures, double bytes,
                                double wall) {
  const firn_sums *sums = &measures->sums;
  firn_stats_row row = firn_stats_empty_row();
  double *v = row.value;
  const firn_run_tally *t = &r->tally;
  size_t particles = firn_sim_count(r->sim);
  v[FIRN_STATS_frame] = r->frame;
  v[FIRN_STATS_time] = firn_sim_time(r->sim);
  v[FIRN_STATS_steps] = (double)t->steps;
  if (t->steps) {
    v[FIRN_STATS_dt_min] = t->dt_min;
    v[FIRN_STATS_dt_mean] = t->dt_sum / (double)t->steps;
    v[FIRN_STATS_asleep] = (double)t->asleep / (double)t->steps;
  }
  if (t->implicit_steps) {
    v[FIRN_STATS_iterations_mean] = (double)t->iterations / (double)t->implicit_steps;
    v[FIRN_STATS_iterations_max] = (double)t->iterations_max;
  }
  v[FIRN_STATS_particles] = (double)particles;
  v[FIRN_STATS_mass] = sums->mass;
  for (int a = 0; a < 3; a++) {
    v[FIRN_STATS_momentum_x + a] = sums->momentum[a];
    v[FIRN_STATS_angular_x + a] = sums->angular[a];
    if (!particles) continue; // nothing has no middle
    v[FIRN_STATS_com_x + a] = sums->center[a];
    v[FIRN_STATS_bounds_min_x + a] = sums->bounds_min[a];
    v[FIRN_STATS_bounds_max_x + a] = sums->bounds_max[a];
  }
  v[FIRN_STATS_energy_kinetic] = sums->energy_kinetic;
  v[FIRN_STATS_energy_elastic] = sums->energy_elastic;
  v[FIRN_STATS_energy_gravity] = sums->energy_gravity;
  v[FIRN_STATS_energy_lost] = sums->energy_lost;
  if (particles) v[FIRN_STATS_speed_max] = sums->speed_max;
  v[FIRN_STATS_temperature_min] = sums->temperature_min;
  v[FIRN_STATS_temperature_mean] = sums->temperature_mean;
  v[FIRN_STATS_temperature_max] = sums->temperature_max;
  firn_stat_info info;
  for (int i = 0; particles && firn_sim_stat_info(r->sim, i, &info) == FIRN_OK; i++) {
    for (int c = 0; c < FIRN_STATS_COLUMNS; c++) {
      if (strcmp(firn_stats_column(c), info.name) == 0) v[c] = measures->stats[i];
    }
  }
  char name[48];
  const char *columns = r->sim->type->columns;
  while (columns && row.more < FIRN_STATS_MORE &&
         firn_schema_choice(columns, row.more, name, sizeof name)) {
    row.own[row.more] = (double)NAN;
    for (int i = 0; particles && firn_sim_stat_info(r->sim, i, &info) == FIRN_OK; i++) {
      if (strcmp(info.name, name) == 0) row.own[row.more] = measures->stats[i];
    }
    row.more++;
  }
  v[FIRN_STATS_bytes] = bytes;
  v[FIRN_STATS_wall_seconds] = wall;
  FIRN_TRY(firn_run_file(r, "stats.csv"));
  return firn_stats_append(r->context, r->path, &row);
}

// Forces are sums over the steps of a frame: frame 0 has none.
static firn_status append_colliders(firn_run_state *r) {
  const firn_world *world = &r->sim->world;
  size_t n = 0, count = force_count(r), size = count * sizeof(firn_collider_row);
  if (!count || r->frame == 0) return FIRN_OK;
  firn_collider_row *rows = firn_alloc(r->context, size, "rows of colliders.csv");
  if (!rows) return FIRN_ERROR_MEMORY;
  firn_status status = firn_run_file(r, "colliders.csv");
  for (int i = 0; status == FIRN_OK && i < world->collider_count; i++) {
    if (!world->collider[i].forces) continue;
    rows[n] = (firn_collider_row){
        .frame = r->frame, .time = firn_sim_time(r->sim), .name = world->collider[i].name};
    status = firn_sim_collider_force(r->sim, i, &rows[n].force);
    if (status == FIRN_OK) status = firn_sim_collider(r->sim, i, &rows[n].state);
    n++;
  }
  if (status == FIRN_OK) status = firn_colliders_append(r->context, r->path, rows, n);
  firn_free(r->context, rows, size);
  if (status == FIRN_OK) firn_sim_collider_force_reset(r->sim);
  return status;
}

static firn_status read_columns(firn_run_state *r, const firn_probe_def *defs, int count,
                                firn_probe_columns *columns, double *mean) {
  for (int i = 0; i < columns->count; i++) {
    firn_probe_column *column = &columns->column[i];
    firn_field_info info;
    if (!firn_sim_has_field(r->sim, column->field, &info) ||
        info.components != column->components) {
      continue; // a solver that has none
    }
    FIRN_TRY(firn_sim_probe_field(r->sim, defs, count, column->field, mean));
    column->mean = mean;
    mean += count * column->components;
  }
  return FIRN_OK;
}

static firn_status append_probes(firn_run_state *r) {
  int count;
  const firn_probe_def *defs = firn_scene_probes(r->scene, &count);
  if (!count) return FIRN_OK;
  firn_probe_columns columns = probe_columns(r->sim);
  size_t numbers = 0;
  for (int i = 0; i < columns.count; i++) numbers += (size_t)columns.column[i].components;
  size_t size = (size_t)count * sizeof(firn_probe), more = (size_t)count * numbers * sizeof(double);
  firn_probe *probes = firn_alloc(r->context, size, "rows of probes.csv");
  double *mean = firn_alloc(r->context, more, "rows of probes.csv");
  firn_status status = probes && mean ? FIRN_OK : FIRN_ERROR_MEMORY;
  if (status == FIRN_OK) status = firn_sim_probe(r->sim, defs, count, probes);
  if (status == FIRN_OK) status = read_columns(r, defs, count, &columns, mean);
  if (status == FIRN_OK) status = firn_run_file(r, "probes.csv");
  if (status == FIRN_OK) {
    status = firn_probes_append(r->context, r->path, r->frame, firn_sim_time(r->sim), defs, probes,
                                count, &columns);
  }
  firn_free(r->context, probes, size);
  firn_free(r->context, mean, more);
  return status;
}

firn_status firn_run_append_tables(firn_run_state *r, const firn_measures *measures, double bytes,
                                   double wall) {
  FIRN_TRY(append_stats(r, measures, bytes, wall));
  FIRN_TRY(append_colliders(r));
  return append_probes(r);
}
