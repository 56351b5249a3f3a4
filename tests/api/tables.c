// SPDX-License-Identifier: Apache-2.0
// What a solver wants in the tables of a run has a place there, or no simulation is made with it.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/sim.h"
#include "support/context.h"

static void refused(const firn_solver_type *type, const char *why) {
  assert_int_equal(firn_tables_check(context, type), FIRN_ERROR_STATE);
  if (!strstr(firn_context_message(context), why))
    fail_msg("found %s", firn_context_message(context));
}

static void the_solvers_there_are_have_their_places(void **state) {
  (void)state;
  const firn_solver_type *type;
  for (int i = 0; (type = firn_solver_at(i)); i++)
    assert_int_equal(firn_tables_check(context, type), FIRN_OK);
}

static void a_statistic_called_like_a_column_of_every_run_is_refused(void **state) {
  (void)state;
  static const firn_stat_info mass[] = {{"hits", "1", ""}, {"mass", "kg", ""}, {0}};
  static const firn_stat_info own[] = {{"hits", "1", ""}, {"jp_min", "1", ""}, {0}};
  refused(&(firn_solver_type){.name = "dust", .stats = mass},
          "solver dust: its statistic 'mass' has the name of a column");
  firn_solver_type good = {.name = "dust", .stats = own, .columns = "hits"};
  assert_int_equal(firn_tables_check(context, &good), FIRN_OK);
  refused(&(firn_solver_type){.name = "dust", .stats = own, .columns = "hits|jp_min"},
          "stats.csv has a column 'jp_min' already");
}

static void more_columns_than_there_is_room_for_are_refused(void **state) {
  (void)state;
  refused(&(firn_solver_type){.name = "dust", .columns = "a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q"},
          "it names 17 columns for stats.csv; there is room for 16");
  firn_solver_type full = {.name = "dust", .probed = "a|b|c|d|e|f|g|h|i|j|k|l|m"};
  assert_int_equal(firn_tables_check(context, &full), FIRN_OK);
  refused(&(firn_solver_type){.name = "dust", .probed = "a|b|c|d|e|f|g|h|i|j|k|l|m|n"},
          "it names 14 fields for probes.csv; there is room for 13");
  refused(&(firn_solver_type){.name = "dust", .probed = "a|stress"},
          "probes.csv has 'stress' already");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_solvers_there_are_have_their_places),
      cmocka_unit_test(a_statistic_called_like_a_column_of_every_run_is_refused),
      cmocka_unit_test(more_columns_than_there_is_room_for_are_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
