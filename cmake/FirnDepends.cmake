# SPDX-License-Identifier: Apache-2.0
# Outside libraries, all plain C. scripts/setup.sh installs the Debian packages they come from.

find_package(PkgConfig REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)

pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
# Debian names the serial build of HDF5 so that it can sit beside the MPI ones.
pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)

add_library(firn_private_libs INTERFACE)
target_link_libraries(firn_private_libs INTERFACE OpenMP::OpenMP_C PkgConfig::YAML PkgConfig::HDF5
                                                  PkgConfig::PNG m)
