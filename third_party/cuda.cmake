# Whether and with what the CUDA module is built.
#
#   HEADWAY_HAVE_CUDA          nvcc, cuBLAS and CUPTI's headers are there, and HEADWAY_CUDA lets us use them
#   headway::cuda_headers      the headers alone: enough for the host's part of the device and its tests. Made also
#                              where HEADWAY_CUDA is OFF; not a target where there are none
#
# CMake's own search has holes: nvcc is looked for on PATH only, "native" fails without a GPU, and the language would
# take over C++20, a flag that CMake before 3.26 does not know for nvcc.
set(HEADWAY_HAVE_CUDA FALSE)

find_path(HEADWAY_CUDA_INCLUDE cuda_runtime_api.h
  HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda /usr/lib/cuda PATH_SUFFIXES include)
find_path(HEADWAY_CUPTI_INCLUDE cupti.h
  HINTS ${HEADWAY_CUDA_INCLUDE} ${HEADWAY_CUDA_INCLUDE}/../extras/CUPTI/include)
if(HEADWAY_CUDA_INCLUDE AND HEADWAY_CUPTI_INCLUDE AND EXISTS ${HEADWAY_CUDA_INCLUDE}/cublas_v2.h
    AND EXISTS ${HEADWAY_CUDA_INCLUDE}/nvtx3/nvToolsExt.h)
  file(STRINGS ${HEADWAY_CUDA_INCLUDE}/cuda.h headway_cuda_version REGEX "^#define CUDA_VERSION ")
  string(REGEX MATCH "[0-9]+" headway_cuda_version "${headway_cuda_version}")
  if(headway_cuda_version GREATER_EQUAL 12000)
    add_library(headway_cuda_headers INTERFACE)
    add_library(headway::cuda_headers ALIAS headway_cuda_headers)
    target_include_directories(headway_cuda_headers SYSTEM INTERFACE ${HEADWAY_CUDA_INCLUDE} ${HEADWAY_CUPTI_INCLUDE})
  endif()
endif()

if(NOT HEADWAY_CUDA STREQUAL "OFF")
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(HEADWAY_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
    if(HEADWAY_NVCC)
      set(CMAKE_CUDA_COMPILER ${HEADWAY_NVCC} CACHE FILEPATH "")
    endif()
  endif()
  include(CheckLanguage)
  set(CMAKE_CUDA_STANDARD 17)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER AND TARGET headway::cuda_headers)
    set(headway_architectures ${CMAKE_CUDA_ARCHITECTURES})
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 75)  # for the compiler's test; replaced below
    endif()
    enable_language(CUDA)
    if(NOT headway_architectures)
      # Machine code for what is common, and an intermediate form for later chips.
      if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
        set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 120)
      else()
        set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90)
      endif()
    endif()
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    find_package(CUDAToolkit 12.0)
    if(CUDAToolkit_FOUND AND TARGET CUDA::cudart_static AND TARGET CUDA::cublas)
      set(HEADWAY_HAVE_CUDA TRUE)
    endif()
  endif()
  if(NOT HEADWAY_HAVE_CUDA AND HEADWAY_CUDA STREQUAL "ON")
    message(FATAL_ERROR "HEADWAY_CUDA=ON, but nvcc 12.0 or later, cuBLAS or the headers of CUPTI or NVTX were not found")
  endif()
endif()
message(STATUS "CUDA device: ${HEADWAY_HAVE_CUDA}")
