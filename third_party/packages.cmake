# The libraries that Headway stands on, each wrapped as one target. All of them come from the distribution.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

# headway::warnings: every target of ours compiles with these.
add_library(headway_warnings INTERFACE)
add_library(headway::warnings ALIAS headway_warnings)
target_compile_options(headway_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Werror>)
# Loops that are asked to be vectorised, and cannot be where a sanitizer looks at each access.
target_compile_options(headway_warnings INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-pass-failed>)
# A class with members from an unnamed namespace: right in a source of its own, a warning where sources are joined.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(headway_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
# g++ 12 sees overlapping copies in `"text" + string` when it optimises (GCC bug 105651), where there are none. With a
# precompiled header it also reports what it finds in the standard library's own code; builds without one keep these
# warnings (see the presets).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(headway_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  if(HEADWAY_PRECOMPILE)
    target_compile_options(headway_warnings INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-maybe-uninitialized>)
  endif()
endif()

# headway::base: include root, threads and, where asked for, a sanitizer.
add_library(headway_base INTERFACE)
add_library(headway::base ALIAS headway_base)
target_include_directories(headway_base INTERFACE ${PROJECT_SOURCE_DIR})
target_link_libraries(headway_base INTERFACE Threads::Threads)
if(HEADWAY_FUZZ)
  target_compile_options(headway_base INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(HEADWAY_SANITIZE)
  target_compile_options(headway_base INTERFACE -fsanitize=${HEADWAY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(headway_base INTERFACE -fsanitize=${HEADWAY_SANITIZE})
  # An index beyond a container's end may still be inside its memory, which no sanitizer sees.
  target_compile_definitions(headway_base INTERFACE _GLIBCXX_ASSERTIONS)
  if(HEADWAY_SANITIZE MATCHES "undefined")
    # A check at every pointer doubles the time to compile; the address sanitizer sees what these would find.
    target_compile_options(headway_base INTERFACE -fno-sanitize=null,alignment,object-size)
  endif()
endif()

# headway::blas: matrix products on the CPU.
add_library(headway_blas INTERFACE)
add_library(headway::blas ALIAS headway_blas)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
target_link_libraries(headway_blas INTERFACE PkgConfig::OPENBLAS)

# headway::nlohmann, headway::cli, headway::yaml: writing JSON, options, lesson files.
find_package(nlohmann_json 3.9 REQUIRED)
find_package(CLI11 2.0 REQUIRED)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-cpp)
add_library(headway_nlohmann INTERFACE)
add_library(headway::nlohmann ALIAS headway_nlohmann)
target_link_libraries(headway_nlohmann INTERFACE nlohmann_json::nlohmann_json)
add_library(headway_cli INTERFACE)
add_library(headway::cli ALIAS headway_cli)
target_link_libraries(headway_cli INTERFACE CLI11::CLI11)
add_library(headway_yaml INTERFACE)
add_library(headway::yaml ALIAS headway_yaml)
target_link_libraries(headway_yaml INTERFACE PkgConfig::YAML)

# headway::simdjson: reading JSON.
pkg_check_modules(SIMDJSON REQUIRED IMPORTED_TARGET simdjson)
add_library(headway_simdjson INTERFACE)
add_library(headway::simdjson ALIAS headway_simdjson)
target_link_libraries(headway_simdjson INTERFACE PkgConfig::SIMDJSON)

pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
add_library(headway_zlib INTERFACE)
add_library(headway::zlib ALIAS headway_zlib)
target_link_libraries(headway_zlib INTERFACE PkgConfig::ZLIB)

# headway::fonts, headway::cairo: figures, and the fonts of the window.
if(HEADWAY_FIGURES OR HEADWAY_WINDOW)
  pkg_check_modules(FONTS REQUIRED IMPORTED_TARGET freetype2 fontconfig)
  add_library(headway_fonts INTERFACE)
  add_library(headway::fonts ALIAS headway_fonts)
  target_link_libraries(headway_fonts INTERFACE PkgConfig::FONTS)
endif()
if(HEADWAY_FIGURES)
  pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo cairo-ft cairo-pdf)
  add_library(headway_cairo INTERFACE)
  add_library(headway::cairo ALIAS headway_cairo)
  target_link_libraries(headway_cairo INTERFACE PkgConfig::CAIRO)
endif()

# headway::imgui, headway::gl: the window. The static ImGui archive needs its backends' libraries after it on the
# link line, so they hang on its own target.
if(HEADWAY_WINDOW)
  find_package(glfw3 3.3 REQUIRED)
  pkg_check_modules(IMGUI REQUIRED IMPORTED_TARGET imgui)
  set_property(TARGET PkgConfig::IMGUI APPEND PROPERTY INTERFACE_LINK_LIBRARIES glfw PkgConfig::FONTS ${CMAKE_DL_LIBS})
  find_path(HEADWAY_IMGUI_INCLUDE imgui.h PATH_SUFFIXES imgui REQUIRED)
  add_library(headway_imgui INTERFACE)
  add_library(headway::imgui ALIAS headway_imgui)
  target_include_directories(headway_imgui SYSTEM INTERFACE ${HEADWAY_IMGUI_INCLUDE} ${HEADWAY_IMGUI_INCLUDE}/backends)
  target_link_libraries(headway_imgui INTERFACE PkgConfig::IMGUI)

  # headway::markdown: the text of lessons.
  pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c)
  add_library(headway_markdown INTERFACE)
  add_library(headway::markdown ALIAS headway_markdown)
  target_link_libraries(headway_markdown INTERFACE PkgConfig::MD4C)

  pkg_check_modules(GL REQUIRED IMPORTED_TARGET epoxy egl)
  pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
  add_library(headway_gl INTERFACE)
  add_library(headway::gl ALIAS headway_gl)
  target_link_libraries(headway_gl INTERFACE PkgConfig::GL PkgConfig::PNG glfw)
endif()

if(HEADWAY_TESTS)
  find_package(GTest REQUIRED)
endif()
