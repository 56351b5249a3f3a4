# SPDX-License-Identifier: Apache-2.0
# Outside libraries, all plain C but one. scripts/setup.sh installs the Debian packages they come
# from.

find_package(PkgConfig REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)

pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
# Debian names the serial build of HDF5 so that it can sit beside the MPI ones.
pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)

# Of OpenEXR only the core, which is plain C and brings no other library along. Its pkg-config file
# names the C++ libraries as well, and its CMake package wants Imath's: so it is looked for by name.
pkg_check_modules(OPENEXR REQUIRED OpenEXR>=3.1)
find_path(OPENEXR_CORE_INCLUDE openexr.h HINTS ${OPENEXR_INCLUDE_DIRS} PATH_SUFFIXES OpenEXR REQUIRED)
find_library(OPENEXR_CORE_LIBRARY NAMES OpenEXRCore OpenEXRCore-3_1 HINTS ${OPENEXR_LIBRARY_DIRS}
             REQUIRED)
# Embree 3: rays against the bodies of a picture. Its CMake package wants TBB's headers, which firn
# has no use for.
find_path(EMBREE_INCLUDE embree3/rtcore.h REQUIRED)
find_library(EMBREE_LIBRARY embree3 REQUIRED)
mark_as_advanced(OPENEXR_CORE_INCLUDE OPENEXR_CORE_LIBRARY EMBREE_INCLUDE EMBREE_LIBRARY)

add_library(firn_private_libs INTERFACE)
target_include_directories(firn_private_libs SYSTEM INTERFACE "${OPENEXR_CORE_INCLUDE}"
                                                              "${EMBREE_INCLUDE}")
# With gcc, loops are run by base/team.c, and nothing of libgomp is linked.
find_package(Threads REQUIRED)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  target_compile_options(firn_private_libs INTERFACE $<$<COMPILE_LANGUAGE:C>:${OpenMP_C_FLAGS}>)
  set(firn_thread_flags -pthread)
else()
  target_link_libraries(firn_private_libs INTERFACE OpenMP::OpenMP_C)
  set(firn_thread_flags ${OpenMP_C_FLAGS})
endif()
target_link_libraries(firn_private_libs INTERFACE Threads::Threads PkgConfig::YAML PkgConfig::HDF5
                                                  PkgConfig::PNG "${OPENEXR_CORE_LIBRARY}"
                                                  "${EMBREE_LIBRARY}" m)

# OpenVDB, for `firn export --format vdb`. The one library in C++, behind src/cache/export_vdb.cpp;
# without it that format explains itself. Debian's package has no CMake config, and its FindOpenVDB
# ends the configuration where something is missing: so all that it takes is looked for by name.
set(FIRN_OPENVDB AUTO CACHE STRING "write vdb files: ON, OFF, or AUTO where OpenVDB is found")
set(firn_has_openvdb OFF)
if(FIRN_OPENVDB STREQUAL "AUTO" OR FIRN_OPENVDB)
  include(CheckLanguage)
  check_language(CXX)
  find_path(OPENVDB_INCLUDE openvdb/openvdb.h)
  find_path(OPENVDB_BOOST_INCLUDE boost/iostreams/copy.hpp)
  find_library(OPENVDB_LIBRARY openvdb)
  find_library(TBB_LIBRARY tbb)
  find_library(IMATH_LIBRARY NAMES Imath Imath-3_1)
  set(firn_lacks)
  foreach(part CMAKE_CXX_COMPILER OPENVDB_INCLUDE OPENVDB_BOOST_INCLUDE OPENVDB_LIBRARY TBB_LIBRARY
               IMATH_LIBRARY)
    if(NOT ${part})
      list(APPEND firn_lacks ${part})
    endif()
  endforeach()
  mark_as_advanced(OPENVDB_INCLUDE OPENVDB_BOOST_INCLUDE OPENVDB_LIBRARY TBB_LIBRARY IMATH_LIBRARY)
  list(JOIN firn_lacks ", " firn_lacks)
  if(NOT firn_lacks)
    enable_language(CXX)
    set(firn_has_openvdb ON)
    target_link_libraries(firn_private_libs INTERFACE ${CMAKE_DL_LIBS})
  elseif(FIRN_OPENVDB STREQUAL "AUTO")
    message(NOTICE "-- firn is built without OpenVDB (${firn_lacks} not found): it will not write "
                   "vdb files. `scripts/setup.sh build` installs it; then configure again.")
  else()
    message(FATAL_ERROR "FIRN_OPENVDB is on, but ${firn_lacks} was not found "
                        "(Debian: g++ libopenvdb-dev libboost-dev libboost-iostreams-dev)")
  endif()
else()
  message(NOTICE "-- firn is built without OpenVDB (FIRN_OPENVDB is ${FIRN_OPENVDB}): it will not "
                 "write vdb files.")
endif()
