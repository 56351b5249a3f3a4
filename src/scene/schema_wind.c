// SPDX-License-Identifier: Apache-2.0
// The rows of wind.
#include "base/schema_rows.h"
#include "scene/schema.h"

#define AXIS VEC3("axis", NONE, NULL, "[0, 1, 0]", "its direction; any length but zero")

static const firn_schema_row gust_rows[] = {
    REAL("strength", NONE, "[0, 10]", NULL, "of the velocity: 30 % more and less of it",
         .required = true),
    REAL("period", TIME, "(0, inf)", "3", "from gust to gust"),
    REAL("noise", NONE, "[0, 1]", "0.5", "share that comes at random; the rest is a sine"),
};
static const firn_schema_record gust_record = {"gusts", ROWS(gust_rows)};

static const firn_schema_row swirl_rows[] = {
    REAL("speed", VELOCITY, NULL, NULL, "at its radius, right-handed about the axis",
         .required = true),
    VEC3("center", LENGTH, NULL, "[0, 0, 0]", "a point of its axis"),
    AXIS,
    REAL("radius", LENGTH, "(0, inf)", "1", "where it is quickest"),
};
static const firn_schema_record swirl_record = {"a swirl", ROWS(swirl_rows)};

static const firn_schema_row turbulence_rows[] = {
    REAL("speed", VELOCITY, "[0, inf)", NULL, "root of its mean square", .required = true),
    REAL("wavelength", LENGTH, "(0, inf)", "1", "of its largest eddies"),
    INT("octaves", "[1, 16]", "1", "each of half the wavelength and as quick"),
    VEC3("drift", VELOCITY, NULL, NULL, "with which it goes along; the wind's velocity if none"),
};
static const firn_schema_record turbulence_record = {"turbulence", ROWS(turbulence_rows)};

static const firn_schema_row sphere_rows[] = {
    VEC3("center", LENGTH, NULL, NULL, "its middle", .required = true),
    REAL("radius", LENGTH, "(0, inf)", NULL, "its radius", .required = true),
};
static const firn_schema_record sphere_record = {"a sphere in the wind", ROWS(sphere_rows)};

static const firn_schema_row ellipsoid_rows[] = {
    VEC3("center", LENGTH, NULL, NULL, "its middle", .required = true),
    VEC3("radii", LENGTH, "(0, inf)", NULL, "half its widths", .required = true),
};
static const firn_schema_record ellipsoid_record = {"an ellipsoid in the wind",
                                                    ROWS(ellipsoid_rows)};

static const firn_schema_row cylinder_rows[] = {
    VEC3("center", LENGTH, NULL, NULL, "a point of its axis", .required = true),
    AXIS,
    REAL("radius", LENGTH, "(0, inf)", NULL, "its radius", .required = true),
};
static const firn_schema_record cylinder_record = {"an endless cylinder in the wind",
                                                   ROWS(cylinder_rows)};

#define BODY(key_, what)                                                                           \
  RECORD(#key_, &key_##_record, what, .group = "around", .required = true, .optional = true)

static const firn_schema_row around_rows[] = {
    BODY(sphere, "a ball"),
    BODY(ellipsoid, "an ellipsoid"),
    BODY(cylinder, "an endless cylinder"),
};
static const firn_schema_record around_record = {"what the wind flows round", ROWS(around_rows)};

// How air moves: that of the wind, and that which a force drags snow along with.
#define MOTION                                                                                     \
  VEC3("velocity", VELOCITY, NULL, "[0, 0, 0]", "of the air everywhere", .keyed = true),           \
      RECORD("gust", &gust_record, "the velocity rises and falls", .optional = true),              \
      RECORD("swirl", &swirl_record, "a vortex, added", .optional = true),                         \
      RECORD("turbulence", &turbulence_record, "eddies, added", .optional = true),                 \
      RECORD("around", &around_record, "a body that the velocity gives way to, without friction",  \
             .optional = true),                                                                    \
      PATH("file", "velocities on a lattice, added: CSV or PLY with x, y, z, vx, vy, vz"),         \
      INT("seed", "[0, 9007199254740992]", "0", "of gusts and turbulence, besides the scene's")

static const firn_schema_row wind_rows[] = {
    MOTION,
    REAL("density", DENSITY, "(0, inf)", "1.2041", "of the air"),
    REAL("viscosity", VISCOSITY, "(0, inf)", "1.5322647620629515e-05", "of the air, kinematic"),
};
const firn_schema_record firn_schema_wind = {"the wind", ROWS(wind_rows)};

static const firn_schema_row drag_rows[] = {
    REAL("rate", RATE, "[0, inf)", NULL, "share a second of what is between the two velocities",
         .required = true, .keyed = true),
    MOTION,
};
const firn_schema_record firn_schema_drag = {"a drag", ROWS(drag_rows)};
