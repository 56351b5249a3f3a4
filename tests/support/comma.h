// SPDX-License-Identifier: Apache-2.0
// A locale with a decimal comma, which few machines have installed: made on the spot.
#ifndef FIRN_TESTS_SUPPORT_COMMA_H
#define FIRN_TESTS_SUPPORT_COMMA_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Whether numbers have a comma now; comma_end() gives back the point.
static inline bool comma_begin(void) {
  char folder[] = "/tmp/firn-comma-XXXXXX", command[400], half[16];
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && mkdtemp(folder)) {
    snprintf(command, sizeof command,
             "cd %s && printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \".\"\\n"
             "grouping 3\\nEND LC_NUMERIC\\n' > source && "
             "localedef --no-archive -c -i ./source %s/comma > log 2>&1",
             folder, folder);
    // localedef says 1 where it has warnings, and it has: there is nothing but numbers.
    if (system(command) == -1) return false;
    setenv("LOCPATH", folder, 1);
    setlocale(LC_NUMERIC, "comma");
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) == -1) return false;
  }
  snprintf(half, sizeof half, "%g", 0.5);
  return strcmp(half, "0,5") == 0;
}

static inline void comma_end(void) {
  setlocale(LC_NUMERIC, "C");
}

#endif
