# SPDX-License-Identifier: Apache-2.0
# The scenes of scenes/*.yaml as C strings in the library, in the order of their names:
#     extern const char *const firn_scene_builtin_names[]; // "demo", ..., NULL
#     extern const char *const firn_scene_builtin_titles[]; // one line each: the value of `title:`
#     extern const char *const firn_scene_builtin_texts[]; // the files' contents, ..., NULL
# Included by CMakeLists.txt it adds the generated file to firn_sources; run as a script
# (cmake -DOUT=FILE -DDIR=scenes -P) it writes that file.

if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB files "${DIR}/*.yaml")
  list(SORT files)
  set(names)
  set(titles)
  set(texts)
  foreach(file ${files})
    get_filename_component(name "${file}" NAME_WE)
    file(READ "${file}" text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    if(NOT text MATCHES "\ntitle: ([^\n]*)")
      message(FATAL_ERROR "${file}: no line begins with `title: `")
    endif()
    # A title with a colon is quoted in YAML; its quotes are escaped by now.
    string(REGEX REPLACE "^(\\\\\"|')(.*)(\\\\\"|')$" "\\2" title "${CMAKE_MATCH_1}")
    string(APPEND titles "    \"${title}\",\n")
    string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
    string(APPEND names "    \"${name}\",\n")
    string(APPEND texts "    \"${text}\",\n")
  endforeach()
  file(WRITE "${OUT}.new"
       "// Written by cmake/FirnScenes.cmake from scenes/*.yaml.\n"
       "extern const char *const firn_scene_builtin_names[];\n"
       "extern const char *const firn_scene_builtin_titles[];\n"
       "extern const char *const firn_scene_builtin_texts[];\n"
       "const char *const firn_scene_builtin_names[] = {\n${names}    0,\n};\n"
       "const char *const firn_scene_builtin_titles[] = {\n${titles}    0,\n};\n"
       "const char *const firn_scene_builtin_texts[] = {\n${texts}    0,\n};\n")
  file(RENAME "${OUT}.new" "${OUT}")
  return()
endif()

file(GLOB firn_scenes CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/scenes/*.yaml")
set(firn_scenes_c "${PROJECT_BINARY_DIR}/generated/builtin_scenes.c")
add_custom_command(
  OUTPUT "${firn_scenes_c}"
  COMMAND "${CMAKE_COMMAND}" "-DOUT=${firn_scenes_c}" "-DDIR=${PROJECT_SOURCE_DIR}/scenes" -P
          "${CMAKE_CURRENT_LIST_FILE}"
  DEPENDS ${firn_scenes} "${CMAKE_CURRENT_LIST_FILE}"
  COMMENT "Embedding scenes/*.yaml")
# Both precisions compile it, from two directories, so one target must own the rule.
add_custom_target(firn_scenes DEPENDS "${firn_scenes_c}")
list(APPEND firn_sources "${firn_scenes_c}")
