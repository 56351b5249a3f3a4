# SPDX-License-Identifier: Apache-2.0
# Headers, both libraries, the program, what finds them (firn.pc and a CMake package), and what explains
# them: pages, examples, manual, completion.
install(DIRECTORY include/firn DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING
        PATTERN "*.h")
install(TARGETS firn_shared EXPORT firn-targets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS firn_static ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(TARGET firn_cli)
  install(TARGETS firn_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
if(TARGET firn_vdb)
  install(TARGETS firn_vdb LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()

# `cmake --install --prefix` may change the prefix after configuration, so firn.pc finds its own. What the
# archive needs is written out: with Requires.private, --cflags would ask for the development files of
# libraries that no user of ours includes.
file(RELATIVE_PATH firn_pc_to_prefix "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
string(REGEX REPLACE "/$" "" firn_pc_to_prefix "${firn_pc_to_prefix}")
list(JOIN YAML_LDFLAGS " " firn_pc_yaml)
list(JOIN HDF5_LDFLAGS " " firn_pc_hdf5)
list(JOIN PNG_LDFLAGS " " firn_pc_png)
configure_file(firn.pc.in "${PROJECT_BINARY_DIR}/firn.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/firn.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# find_package(firn) and firn::firn, the shared library.
include(CMakePackageConfigHelpers)
set_target_properties(firn_shared PROPERTIES EXPORT_NAME firn)
set(firn_package "${CMAKE_INSTALL_LIBDIR}/cmake/firn")
install(EXPORT firn-targets NAMESPACE firn:: DESTINATION "${firn_package}")
configure_package_config_file(cmake/firn-config.cmake.in "${PROJECT_BINARY_DIR}/firn-config.cmake"
                              INSTALL_DESTINATION "${firn_package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/firn-config-version.cmake"
                                 COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/firn-config.cmake"
              "${PROJECT_BINARY_DIR}/firn-config-version.cmake" DESTINATION "${firn_package}")

install(FILES README.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs examples DESTINATION "${CMAKE_INSTALL_DOCDIR}")
if(TARGET firn_cli)
  install(FILES cli/completion/firn.bash RENAME firn
          DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES cli/completion/_firn DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  install(FILES cli/completion/firn.fish
          DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
if(TARGET firn_man)
  install(DIRECTORY "${firn_man}/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endif()
