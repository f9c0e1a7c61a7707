// Draws Shapes with the shaders in shaders/.
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
    // If a shader does not compile, fails with the first lines of the compiler's log.
    static core::Result<std::unique_ptr<ShapeRenderer>> open();
    ~ShapeRenderer();
    ShapeRenderer(const ShapeRenderer&) = delete;
    ShapeRenderer& operator=(const ShapeRenderer&) = delete;

    // upload() copies the shapes to the GPU; draw() draws their parts [first, last) into the bound framebuffer, which
    // has this size. Changes the program, the vertex arrays, the textures, the blending and the scissor test.
    void upload(const Shapes& shapes);
    void draw(const Shapes& shapes, std::size_t first, std::size_t last, int width_px, int height_px);

    // Draws one invisible shape of each kind. Drivers compile a program when it is first used; without this, that would
    // delay the first frame of a run: by 15 ms in software OpenGL.
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
