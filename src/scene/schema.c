// SPDX-License-Identifier: Apache-2.0
#include "scene/schema.h"
#include "base/schema_rows.h"

#include "material/preset.h"
#include "solver/list.h"

// ------------------------------------------------------------------------------------ preview

static const firn_schema_row preview_rows[] = {
    INT("width", "[16, 16384]", "960", "pixels"),
    INT("height", "[16, 16384]", "540", "pixels"),
    VEC3("center", LENGTH, NULL, "[0, 0, 0]",
         "what is looked at; with extent 0 the picture fits the snow instead"),
    REAL("extent", LENGTH, "[0, inf)", "0", "height of what is seen at center; 0: fits the snow"),
    VEC3("view", NONE, NULL, "[-0.35, -0.3, -1]",
         "the direction the camera looks in; any length but zero"),
    REAL("ground", LENGTH, NULL, "0", "height of a ground plane, where no collider is ground"),
    BOOL("show_ground", "true", "draws the ground"),
};
static const firn_schema_record preview_record = {"the preview", ROWS(preview_rows)};

// ------------------------------------------------------------------------------------- output

// The i-th field that a frame may hold: what every solver has but the position, which is always
// there, and then what one of them has.
static const char *field_name(int i) {
  if (i < FIRN_COMMON_FIELDS - 1) return firn_common_fields[1 + i].name;
  i -= FIRN_COMMON_FIELDS - 1;
  const firn_solver_type *type;
  for (int t = 0; (type = firn_solver_at(t)); t++)
    for (const firn_field_info *f = type->fields; f && f->name; f++)
      if (firn_solver_of_field(f->name) == type && i-- == 0) return f->name;
  return NULL;
}

static const firn_schema_row output_rows[] = {
    ENUM("precision", "32|16", "32", "bits a number; 16 makes small files"),
    WORDS("fields", NULL, NULL, "besides position; where not given id, velocity, mass, density, jp",
          .choice = field_name),
    INT("every", "[1, 99999]", "1", "frames from one that is written to the next"),
    INT("checkpoints", "[-1, 99999]", "1",
        "frames from one to the next; -1: only where a run ends"),
    INT("keep_checkpoints", "[-1, 99999]", "2",
        "the newest ones, which stay while a run goes on; 0: 2; -1: all"),
};
static const firn_schema_record output_record = {"the output", ROWS(output_rows)};

// ------------------------------------------------------------------------------------- refine

static const firn_schema_row refine_rows[] = {
    ENUM("mode", "ballistic|printed", "ballistic",
         "how a fine particle moves where snow is thin; printed: as in the paper, without memory"),
    INT("per_particle", "[1, 10000]", "20", "fine particles of each particle"),
    REAL("density", NONE, "(0, 1]", "0.5",
         "of packed snow; where there is as much, fine particles go with the snow"),
    REAL("size_variation", NONE, "[0, 2]", "0.4",
         "standard deviation of the logarithm of their sizes; 0: all alike"),
    REAL("dt_max", TIME, "(0, inf)", "5 ms", "the longest step, if no cell is crossed sooner"),
    INT("seed", "[0, 9007199254740992]", "0", "of their places and sizes"),
};
static const firn_schema_record refine_record = {"refine", ROWS(refine_rows)};

// --------------------------------------------------------------------------------------- root

// "mpm|...", behind a first bar that is not part of it.
#define BAR_NAME(name) "|" #name
static const char solvers[] = FIRN_SOLVER_LIST(BAR_NAME);

#define SECTION(name) {.key = #name, .type = FIRN_TYPE_RECORD, .record = &firn_##name##_settings},

static const firn_schema_row root_rows[] = {
    INT("firn", "[1, 1]", NULL, "the first line says `firn: 1`, the version of the format",
        .required = true),
    ANYTHING("include", "a built-in scene or a file beside this one, or a list, to start from"),
    ANYTHING("set", "changes to what was included: paths as of --set, and values"),
    ANYTHING("variables", "names and values for use as ${name}"),
    TEXT("title", "", "one line"),
    INT("seed", "[0, 9007199254740992]", "0", "of every random number"),
    REAL("spacing", LENGTH, "(0, inf)", NULL,
         "between particles at 8 per cell; a cell of the grid is twice that", .group = "h",
         .required = true),
    REAL("h", LENGTH, "(0, inf)", NULL, "the size of a cell of the grid", .group = "h",
         .required = true),
    REAL("quality", NONE, "(0, 100]", "1",
         "divides spacing and h: 2 means 8 times as many particles"),
    INT("frames", "[0, 99999]", "48", "the last frame; frame 0 is the initial state"),
    REAL("fps", RATE, "(0, inf)", "24", "frames a second of simulated time"),
    VEC3("gravity", ACCELERATION, NULL, "[0, -9.81, 0]", "acceleration of free fall",
         .keyed = true),
    VEC3("periodic", LENGTH, "[0, inf)", "[0, 0, 0]",
         "period along each axis, a multiple of 4 h; 0: not periodic"),
    ENUM("solver", &solvers[1], "mpm", "the method"),
    FIRN_SOLVER_LIST(SECTION) //
    TABLE("materials", &firn_material_settings, "materials by name"),
    LIST("snow", &firn_schema_snow, "bodies of snow"),
    LIST("emitters", &firn_schema_emitter, "where snow comes from while the simulation runs"),
    LIST("impulses", &firn_schema_impulse, "velocities that snow is given at a time"),
    LIST("sinks", &firn_schema_sink, "where snow goes"),
    RECORD("kill_box", &firn_schema_kill_box, "what leaves it is taken away", .optional = true),
    RECORD("window", &firn_schema_window, "moves over a larger scene; snow exists only in it",
           .optional = true),
    LIST("colliders", &firn_schema_collider, "what the snow meets"),
    RECORD("wind", &firn_schema_wind, "air that drags snow; without it there is none",
           .optional = true),
    LIST("forces", &firn_schema_force, "what else acts on snow"),
    LIST("probes", &firn_schema_probe, "places whose averages go to probes.csv"),
    RECORD("output", &output_record, "what frames hold"),
    RECORD("refine", &refine_record, "the fine particles of firn refine"),
    RECORD("preview", &preview_record, "the shaded picture of firn demo"),
    RECORD("render", &firn_schema_render, "the pictures of firn render"),
};
const firn_schema_record firn_schema_root = {"a scene", ROWS(root_rows)};
