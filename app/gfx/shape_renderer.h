// Draws shapes with the programs of shaders/.
//
// Threads: the one that owns the GL context, which must be current.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "app/gfx/shapes.h"
#include "engine/core/result.h"

namespace headway::gfx {

class ShapeRenderer {
public:
    // Fails with the compiler's first words where a shader does not compile.
    static core::Result<std::unique_ptr<ShapeRenderer>> open();
    ~ShapeRenderer();
    ShapeRenderer(const ShapeRenderer&) = delete;
    ShapeRenderer& operator=(const ShapeRenderer&) = delete;

    // Takes them to the graphics card; then draws parts [first, last) of them into what is bound, of this size. Changes
    // the program, the arrays, the textures, the blending and the scissor test.
    void upload(const Shapes& shapes);
    void draw(const Shapes& shapes, std::size_t first, std::size_t last, int width_px, int height_px);

    // Draws one shape of each kind where nobody sees it: drivers compile a program when it is first drawn with, and
    // that would be the first frame of a run. Takes what the first shapes would: 15 ms in software OpenGL.
    void warm_up(int width_px, int height_px);

private:
    struct Program {
        unsigned name = 0, array = 0, buffer = 0;
        int viewport = -1, texture_size = -1;
    };
    ShapeRenderer() = default;
    void upload(unsigned texture, const void* texels, std::size_t count, bool grows) const;
    [[nodiscard]] const Program& program_of(Shapes::Kind kind) const { return programs_[Shapes::array_of(kind)]; }

    std::array<Program, Shapes::kArrays> programs_;  // in the order of Shapes::Kind, from plain on
    std::array<unsigned, 2> texels_{};               // reaches, colours
    int texel_rows_ = 0;                             // of both textures
};

}  // namespace headway::gfx
