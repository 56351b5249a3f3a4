// SPDX-License-Identifier: Apache-2.0
// Values as they are at a time, and defs filled from them.
#include <math.h>
#include <string.h>

#include "scene/value.h"

// Between the least and the greatest key, all of which the schema allows; of a bound that it leaves
// out ("above 0") nothing is.
static double within_keys(const firn_value_keys *keys, int component, double value) {
  double least = INFINITY, most = -INFINITY;
  for (int k = 0; k < keys->def.count; k++) {
    double key = keys->def.values[k * keys->width + component];
    least = fmin(least, key);
    most = fmax(most, key);
  }
  return fmin(fmax(value, least), most);
}

static void value_at(const firn_value *v, double time, double out[3]) {
  memcpy(out, v->number, sizeof v->number);
  if (!v->keys || !v->keys->track.count) return; // constant, or read so far but not made: the first
  firn_track_value(&v->keys->track, time, out, NULL);
  // A spline may swing beyond its keys; what the schema forbids stays forbidden.
  firn_interval in = firn_interval_parse(v->row->range);
  for (int a = 0; a < v->keys->width; a++) {
    if (!firn_interval_holds(&in, out[a])) out[a] = within_keys(v->keys, a, out[a]);
    if (v->row->type == FIRN_TYPE_INT) out[a] = round(out[a]);
  }
}

void firn_value_vec3_at(const firn_value *record, const char *key, double time, double out[3]) {
  const firn_value *v = firn_value_find(record, key);
  memset(out, 0, 3 * sizeof out[0]);
  if (v) value_at(v, time, out);
}

double firn_value_number_at(const firn_value *record, const char *key, double time) {
  double out[3];
  firn_value_vec3_at(record, key, time, out);
  return out[0];
}

void firn_value_fill(const firn_value *record, double time, void *def) {
  for (const firn_value *v = record->first; v; v = v->next) {
    double number[3];
    if (!v->row->size || !firn_value_good(v)) continue;
    value_at(v, time, number);
    if (v->row->type == FIRN_TYPE_ENUM && !v->keys)
      number[0] = firn_schema_chosen(v->row->choices, v->text);
    firn_schema_set(v->row, def, number);
  }
}
