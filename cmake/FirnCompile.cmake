# SPDX-License-Identifier: Apache-2.0
# Flags, instruction sets, and the core library for a given precision.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Debug keeps the assertions; no build type turns on value-changing optimisation.
set(CMAKE_C_FLAGS_RELEASE "-O3 -g1 -DNDEBUG")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_C_FLAGS_DEBUG "-Og -g3")
if(FIRN_SANITIZE)
  # Sanitizers name functions and lines, which -g1 has, and variables, which they know by themselves. The
  # rest would make the build half as long again; OpenVDB's modules are not sanitized at all.
  set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g1")
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1")
endif()

# What every object of firn, its program and its tests is compiled with. No -ffast-math: the same
# scene must give the same bytes, and nan must be seen. Contraction is off because the compiler
# would otherwise choose where to fuse; where fma is wanted, the source says so.
add_library(firn_flags INTERFACE)
set(firn_c_flags
    -ffp-contract=off
    -fno-math-errno
    -fno-trapping-math
    -Wall
    -Wextra
    -Wshadow
    -Wstrict-prototypes
    -Wmissing-prototypes
    -Wold-style-definition
    -Wpointer-arith
    -Wwrite-strings
    -Wvla
    -Wundef
    -Wformat=2)
if(FIRN_WERROR)
  list(APPEND firn_c_flags -Werror)
endif()
target_compile_options(firn_flags INTERFACE "$<$<COMPILE_LANGUAGE:C>:${firn_c_flags}>")
if(FIRN_SANITIZE)
  target_compile_options(firn_flags INTERFACE -fsanitize=${FIRN_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(firn_flags INTERFACE -fsanitize=${FIRN_SANITIZE})
  # Two hundred test programs of 26 MB: lld, which need not be there, links one in half the time.
  find_program(FIRN_LLD ld.lld)
  mark_as_advanced(FIRN_LLD)
  if(FIRN_LLD AND (CMAKE_C_COMPILER_ID STREQUAL "GNU" OR FIRN_SANITIZE MATCHES "address"))
    target_link_options(firn_flags INTERFACE -fuse-ld=lld)
  endif()
  if(FIRN_SANITIZE MATCHES "undefined")
    target_compile_options(firn_flags INTERFACE -fno-sanitize-recover=undefined)
  endif()
endif()

add_library(firn_public INTERFACE)
target_include_directories(firn_public INTERFACE "${PROJECT_SOURCE_DIR}/include")

# One binary runs on any x86-64: only these files may use more than the baseline, and they are
# entered only after a run-time check for every extension named here.
set(firn_isa_avx2 -mavx2 -mfma)
set(firn_isa_avx512 ${firn_isa_avx2} -mavx512f -mavx512dq -mavx512bw -mavx512vl
                    -mprefer-vector-width=512)
string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" firn_processor)
if(firn_processor MATCHES "^(x86_64|amd64)$")
  set(firn_x86 ON)
else()
  set(firn_x86 OFF)
endif()

# firn_room_sources(OUT ROOM...): every .c file of these rooms.
function(firn_room_sources out)
  set(all)
  foreach(room ${ARGN})
    file(GLOB_RECURSE files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${room}/*.c")
    list(APPEND all ${files})
  endforeach()
  if(NOT firn_x86)
    list(FILTER all EXCLUDE REGEX "_avx(2|512)\\.c$")
  endif()
  set(${out} ${all} PARENT_SCOPE)
endfunction()

# firn_add_openvdb_module(TARGET NAME SOURCE): a module in C++ that is loaded when it is wanted. OpenVDB
# brings twenty libraries and four threads with it, which nobody else should have to wait for.
function(firn_add_openvdb_module target name source)
  add_library(${target} MODULE "${source}")
  target_link_libraries(${target} PRIVATE "${OPENVDB_LIBRARY}" "${TBB_LIBRARY}" "${IMATH_LIBRARY}")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_include_directories(${target} SYSTEM PRIVATE "${OPENVDB_INCLUDE}"
                                                      "${OPENVDB_BOOST_INCLUDE}")
  target_compile_options(${target} PRIVATE -Wall -Wextra)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} CXX_STANDARD 17)
endfunction()

# firn_add_core(NAME f32|f64): the objects of the library in one precision.
function(firn_add_core name precision)
  add_library(${name} OBJECT ${firn_sources})
  set_source_files_properties("${firn_scenes_c}" PROPERTIES GENERATED ON)
  add_dependencies(${name} firn_scenes)
  # Here and not beside the glob: source properties belong to the directory that adds the target.
  foreach(isa avx2 avx512)
    set(files ${firn_sources})
    list(FILTER files INCLUDE REGEX "_${isa}\\.c$")
    set_source_files_properties(${files} PROPERTIES COMPILE_OPTIONS "${firn_isa_${isa}}")
  endforeach()
  # Fuzzers are led by what an input reaches in the rooms that read; numerics would only be slower.
  if(FIRN_FUZZ)
    firn_room_sources(readers base geometry scene cache)
    firn_room_sources(users material world api)
    set_property(SOURCE ${readers} APPEND PROPERTY COMPILE_OPTIONS -fsanitize=fuzzer-no-link)
    set_property(SOURCE ${users} APPEND PROPERTY COMPILE_OPTIONS
                                                 -fsanitize-coverage=inline-8bit-counters,pc-table)
  endif()
  if(firn_has_openvdb)
    set_source_files_properties("${PROJECT_SOURCE_DIR}/src/cache/export_volume.c"
                                PROPERTIES COMPILE_DEFINITIONS FIRN_OPENVDB)
  endif()
  target_link_libraries(${name} PRIVATE firn_flags firn_public firn_private_libs)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  if(precision STREQUAL f64)
    target_compile_definitions(${name} PRIVATE FIRN_DOUBLE)
  endif()
  # In the library a float that turns into a double is either meant, and says so, or a slow path.
  # Not with clang, which also complains about INFINITY and NAN, floats by the standard.
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANG_AND_ID:C,GNU>:-Wdouble-promotion>)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
                                           C_VISIBILITY_PRESET hidden)
endfunction()
