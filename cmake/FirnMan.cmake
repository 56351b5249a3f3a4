# SPDX-License-Identifier: Apache-2.0
# Manual pages, from what the program says with --help: build/PRESET/man/firn.1, firn-run.1 and so on.
find_program(FIRN_HELP2MAN help2man)
mark_as_advanced(FIRN_HELP2MAN)
if(TARGET firn_cli AND FIRN_HELP2MAN AND NOT FIRN_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  set(firn_man "${PROJECT_BINARY_DIR}/man")
  add_custom_command(
    OUTPUT "${firn_man}/firn.1"
    COMMAND "${PROJECT_SOURCE_DIR}/scripts/make-man" $<TARGET_FILE:firn_cli> "${firn_man}"
    DEPENDS firn_cli "${PROJECT_SOURCE_DIR}/scripts/make-man"
    COMMENT "Pages of the manual"
    VERBATIM)
  add_custom_target(firn_man ALL DEPENDS "${firn_man}/firn.1")
elseif(TARGET firn_cli AND NOT FIRN_HELP2MAN)
  message(STATUS "help2man was not found: there will be no manual pages")
endif()
