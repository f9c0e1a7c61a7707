// The contents of shaders/ in this build: CMake generates the source file.
//
// Threads: any.
#pragma once

#include <array>
#include <string_view>

namespace headway::gfx::shader_sources {

struct Program {
    std::string_view vertex_name, vertex, fragment_name, fragment;
};

extern const std::string_view kCorner;          // prepended to every vertex shader
extern const std::array<Program, 6> kPrograms;  // in the order of Shapes::Kind, from plain on

}  // namespace headway::gfx::shader_sources
