// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/plot.h"

// 1, 2 or 5 times a power of ten.
static double round_step(double step) {
  double power = pow(10, floor(log10(step))), part = step / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

// Units that read well with a prefix.
static bool takes_prefix(const char *unit) {
  static const char *const units[] = {"J", "s", "m", "m/s", "N", "N m", "N s", "Pa", "W", "B"};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(unit, units[i]) == 0) return true;
  return false;
}

static void choose_factor(firn_axis *a, double largest, const char *unit) {
  static const struct {
    double factor;
    const char *prefix;
  } all[] = {{1e-9, "n"}, {1e-6, "u"}, {1e-3, "m"}, {1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}};
  a->factor = 1;
  if (!takes_prefix(unit) || !(largest > 0)) return;
  bool length = unit[0] == 'm'; // nobody says megametres
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (length && all[i].factor > 1e3) break;
    if (largest < 0.9995 * all[i].factor && i) break;
    a->factor = all[i].factor;
    snprintf(a->prefix, sizeof a->prefix, "%s", all[i].prefix);
  }
  // 0.8 m rather than 800 mm.
  if (a->factor == 1e-3 && largest >= 0.0995) {
    a->factor = 1;
    a->prefix[0] = 0;
  }
}

// As short as it can be without two ticks reading the same.
static void write_label(char label[24], double value, double step) {
  double size = fabs(value);
  if (size < 1e-9 * step) {
    snprintf(label, 24, "0");
    return;
  }
  if (step >= 1e9 || step < 1e-6) {
    int digits = (int)(floor(log10(size) + 1e-9) - floor(log10(step) + 1e-9)) + 1;
    snprintf(label, 24, "%.*g", digits > 1 ? digits : 1, value);
    return;
  }
  double shown = step >= 1e6 ? value / 1e6 : step >= 1e3 ? value / 1e3 : value;
  double gap = step >= 1e6 ? step / 1e6 : step >= 1e3 ? step / 1e3 : step;
  int decimals = gap >= 1 ? 0 : (int)ceil(-log10(gap) - 1e-9);
  snprintf(label, 24, "%.*f%s", decimals, shown, step >= 1e6 ? "M" : step >= 1e3 ? "k" : "");
}

static void decades(firn_axis *a) {
  a->low = floor(a->low + 1e-9);
  a->high = fmax(ceil(a->high - 1e-9), a->low + 1);
  int every = (int)ceil((a->high - a->low) / (FIRN_TICKS - 1));
  if (a->high - a->low > 6 && every < 2) every = 2;
  for (double t = a->low; t <= a->high && a->count < FIRN_TICKS; t += every) {
    a->tick[a->count] = t;
    snprintf(a->label[a->count++], sizeof a->label[0], fabs(t) < 4 ? "%g" : "1e%g",
             fabs(t) < 4 ? pow(10, t) : t);
  }
}

firn_axis firn_axis_make(double low, double high, int want, bool tight, bool log_scale,
                         const char *unit) {
  firn_axis a = {.low = low, .high = high, .factor = 1, .log_scale = log_scale};
  if (log_scale) {
    a.low = log10(low);
    a.high = log10(high);
    decades(&a);
    return a;
  }
  choose_factor(&a, fmax(fabs(low), fabs(high)), unit);
  double size = fmax(fabs(low), fabs(high)), span = high - low;
  if (!(span > 1e-9 * size && span > 1e-300)) { // a constant: zero in sight if that is not far off
    double pad = size > 1e-300 ? 0.5 * size : 1;
    a.low = low - pad;
    a.high = high + pad;
    span = a.high - a.low;
  }
  double step = round_step(span / want / a.factor) * a.factor, from = a.low, to = a.high;
  for (int tries = 0; tries < 16; tries++) {
    a.low = tight ? from : step * floor(from / step + 1e-6);
    a.high = tight ? to : step * ceil(to / step - 1e-6);
    if (!((a.high - a.low) / step > FIRN_TICKS - 1)) break;
    step = round_step(2 * step / a.factor) * a.factor;
  }
  for (double n = ceil(a.low / step - 1e-6); n * step <= a.high + 1e-6 * step; n++) {
    if (a.count == FIRN_TICKS) break;
    a.tick[a.count] = n * step;
    write_label(a.label[a.count++], n * step / a.factor, step / a.factor);
  }
  return a;
}

double firn_axis_place(const firn_axis *a, double value) {
  if (a->log_scale) value = value > 0 ? log10(value) : (double)NAN;
  return (value - a->low) / (a->high - a->low);
}
