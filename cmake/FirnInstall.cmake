# SPDX-License-Identifier: Apache-2.0
# Headers, both libraries, the program and firn.pc.
install(DIRECTORY include/firn DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING
        PATTERN "*.h")
install(TARGETS firn_shared firn_static
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(TARGET firn_cli)
  install(TARGETS firn_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
if(TARGET firn_vdb)
  install(TARGETS firn_vdb LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
# `cmake --install --prefix` may change the prefix after configuration, so firn.pc finds its own.
file(RELATIVE_PATH firn_pc_to_prefix "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
string(REGEX REPLACE "/$" "" firn_pc_to_prefix "${firn_pc_to_prefix}")
configure_file(firn.pc.in "${PROJECT_BINARY_DIR}/firn.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/firn.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
