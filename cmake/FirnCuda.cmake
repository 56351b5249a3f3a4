# SPDX-License-Identifier: Apache-2.0
# The GPU twins. Device code for Hopper, and PTX that newer drivers compile for what they find.
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR "FIRN_CUDA is on, but no CUDA compiler (nvcc) was found")
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90)
endif()
enable_language(CUDA)
file(GLOB_RECURSE firn_cuda_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cuda/*.cu"
     "${PROJECT_SOURCE_DIR}/src/cuda/*.c")
list(APPEND firn_sources ${firn_cuda_sources})
