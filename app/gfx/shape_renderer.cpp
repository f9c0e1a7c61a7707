#include "app/gfx/shape_renderer.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/gfx/shader_sources.h"

namespace headway::gfx {
namespace {

core::Error cannot(const std::string& doing, std::string log) {
    log = log.substr(0, log.find('\n'));
    return {core::ErrorKind::unavailable, "this machine's OpenGL cannot " + doing + (log.empty() ? "" : ": " + log)};
}

core::Result<GLuint> compile(GLenum stage, std::string_view name, std::string_view source) {
    constexpr std::string_view kVersion = "#version 330 core\n";
    std::string text(kVersion);
    if (stage == GL_VERTEX_SHADER) {
        text += shader_sources::kCorner;
    }
    text += source;
    const GLuint shader = glCreateShader(stage);
    const char* start = text.c_str();
    glShaderSource(shader, 1, &start, nullptr);
    glCompileShader(shader);
    GLint done = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (done == GL_TRUE) {
        return shader;
    }
    std::string log(1024, '\0');
    GLsizei length = 0;
    glGetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), &length, log.data());
    log.resize(static_cast<std::size_t>(length));
    glDeleteShader(shader);
    return cannot("compile shaders/" + std::string(name), log);
}

core::Result<GLuint> link(const shader_sources::Program& sources) {
    auto vertex = compile(GL_VERTEX_SHADER, sources.vertex_name, sources.vertex);
    if (!vertex) {
        return vertex.error();
    }
    auto fragment = compile(GL_FRAGMENT_SHADER, sources.fragment_name, sources.fragment);
    if (!fragment) {
        glDeleteShader(*vertex);
        return fragment.error();
    }
    const GLuint program = glCreateProgram();
    glAttachShader(program, *vertex);
    glAttachShader(program, *fragment);
    glLinkProgram(program);
    glDeleteShader(*vertex);
    glDeleteShader(*fragment);
    GLint done = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &done);
    if (done == GL_TRUE) {
        return program;
    }
    glDeleteProgram(program);
    return cannot("link shaders/" + std::string(sources.vertex_name), "");
}

const void* at_byte(std::size_t offset) {
    return reinterpret_cast<const void*>(offset);
}

// Sets up a float attribute that advances once per shape (instance).
void floats(GLuint location, GLint count, std::size_t stride, std::size_t offset) {
    glVertexAttribPointer(location, count, GL_FLOAT, GL_FALSE, static_cast<GLsizei>(stride), at_byte(offset));
}
void colour(GLuint location, std::size_t stride, std::size_t offset) {
    glVertexAttribPointer(location, 4, GL_UNSIGNED_BYTE, GL_TRUE, static_cast<GLsizei>(stride), at_byte(offset));
}

// Points the attributes at shape `first` in the bound buffer. (OpenGL 3.3 cannot start at a given instance.)
void point_at(Shapes::Kind kind, std::size_t first) {
    switch (kind) {
        case Shapes::Kind::opaque:
        case Shapes::Kind::plain: {
            using Plain = Shapes::Plain;
            const std::size_t from = first * sizeof(Plain);
            floats(0, 4, sizeof(Plain), from + offsetof(Plain, box));
            colour(1, sizeof(Plain), from + offsetof(Plain, top));
            colour(2, sizeof(Plain), from + offsetof(Plain, bottom));
            return;
        }
        case Shapes::Kind::round: {
            using Round = Shapes::Round;
            const std::size_t from = first * sizeof(Round);
            floats(0, 4, sizeof(Round), from + offsetof(Round, box));
            floats(1, 4, sizeof(Round), from + offsetof(Round, shape));
            colour(2, sizeof(Round), from + offsetof(Round, fill));
            floats(3, 1, sizeof(Round), from + offsetof(Round, radius));
            return;
        }
        case Shapes::Kind::span: {
            using Span = Shapes::Span;
            const std::size_t from = first * sizeof(Span);
            floats(0, 4, sizeof(Span), from + offsetof(Span, box));
            floats(1, 4, sizeof(Span), from + offsetof(Span, shape));
            colour(2, sizeof(Span), from + offsetof(Span, fill));
            colour(3, sizeof(Span), from + offsetof(Span, border));
            colour(4, sizeof(Span), from + offsetof(Span, stripe));
            floats(5, 2, sizeof(Span), from + offsetof(Span, round));
            floats(6, 3, sizeof(Span), from + offsetof(Span, level));
            return;
        }
        case Shapes::Kind::bars:
        case Shapes::Kind::standing: {
            using Bars = Shapes::Bars;
            const std::size_t from = first * sizeof(Bars);
            floats(0, 4, sizeof(Bars), from + offsetof(Bars, box));
            floats(1, 2, sizeof(Bars), from + offsetof(Bars, texel));
            return;
        }
        case Shapes::Kind::curve: {
            using Curve = Shapes::Curve;
            const std::size_t from = first * sizeof(Curve);
            floats(0, 4, sizeof(Curve), from + offsetof(Curve, box));
            floats(1, 2, sizeof(Curve), from + offsetof(Curve, texel));
            colour(2, sizeof(Curve), from + offsetof(Curve, top));
            colour(3, sizeof(Curve), from + offsetof(Curve, bottom));
            floats(4, 2, sizeof(Curve), from + offsetof(Curve, gradient));
            return;
        }
    }
}

template <class T>
void fill(GLuint buffer, const std::vector<T>& with) {
    if (!with.empty()) {
        glBindBuffer(GL_ARRAY_BUFFER, buffer);
        glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(with.size() * sizeof(T)), with.data(), GL_STREAM_DRAW);
    }
}

}  // namespace

core::Result<std::unique_ptr<ShapeRenderer>> ShapeRenderer::open() {
    std::unique_ptr<ShapeRenderer> made(new ShapeRenderer());
    constexpr std::array<GLuint, Shapes::kArrays> kAttributes{3, 4, 7, 2, 2, 5};
    for (std::size_t i = 0; i < made->programs_.size(); ++i) {
        auto linked = link(shader_sources::kPrograms[i]);
        if (!linked) {
            return linked.error();
        }
        Program& program = made->programs_[i];
        program.name = *linked;
        program.viewport = glGetUniformLocation(program.name, "viewport_px");
        program.texture_size = glGetUniformLocation(program.name, "texture_size");
        glGenBuffers(1, &program.buffer);
        glGenVertexArrays(1, &program.array);
        glBindVertexArray(program.array);
        for (GLuint location = 0; location < kAttributes[i]; ++location) {
            glEnableVertexAttribArray(location);
            glVertexAttribDivisor(location, 1);
        }
        glBindVertexArray(0);
    }
    for (const Shapes::Kind kind : {Shapes::Kind::bars, Shapes::Kind::standing, Shapes::Kind::curve}) {
        const Program& program = made->program_of(kind);
        glUseProgram(program.name);
        glUniform1i(glGetUniformLocation(program.name, "reaches"), 0);  // some programs do not have it
        glUniform1i(glGetUniformLocation(program.name, "colours"), 1);
    }
    glUseProgram(0);
    // Mesa's software OpenGL draws the two triangles of a strip as one rectangle, in two thirds of the time, if the
    // first vertex is the provoking one and no varying is flat.
    glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
    glGenTextures(static_cast<GLsizei>(made->texels_.size()), made->texels_.data());
    return made;
}

ShapeRenderer::~ShapeRenderer() {
    for (const Program& program : programs_) {
        glDeleteProgram(program.name);
        glDeleteBuffers(1, &program.buffer);
        glDeleteVertexArrays(1, &program.array);
    }
    glDeleteTextures(static_cast<GLsizei>(texels_.size()), texels_.data());
}

void ShapeRenderer::upload(const Shapes& shapes) {
    fill(program_of(Shapes::Kind::plain).buffer, shapes.plains());
    fill(program_of(Shapes::Kind::round).buffer, shapes.rounds());
    fill(program_of(Shapes::Kind::span).buffer, shapes.spans());
    fill(program_of(Shapes::Kind::bars).buffer, shapes.bars());
    fill(program_of(Shapes::Kind::standing).buffer, shapes.standing());
    fill(program_of(Shapes::Kind::curve).buffer, shapes.curves());
    if (!shapes.reaches().empty()) {
        static_assert(sizeof(Shapes::Reach) == 4 && sizeof(Colour) == 4);
        const int rows = static_cast<int>((shapes.reaches().size() - 1) / Shapes::kTexelRow) + 1;
        const bool grows = rows > texel_rows_;
        texel_rows_ = grows ? std::max(rows, 2 * texel_rows_) : texel_rows_;
        upload(texels_[0], shapes.reaches().data(), shapes.reaches().size(), grows);
        upload(texels_[1], shapes.colours().data(), shapes.colours().size(), grows);
    }
}

// Uploads texels of four bytes.
void ShapeRenderer::upload(unsigned texture, const void* texels, std::size_t count, bool grows) const {
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texture);
    if (grows) {
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, Shapes::kTexelRow, texel_rows_, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    }
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    const int whole = static_cast<int>(count / Shapes::kTexelRow), rest = static_cast<int>(count % Shapes::kTexelRow);
    if (whole > 0) {
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, Shapes::kTexelRow, whole, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    }
    if (rest > 0) {
        const auto* last = static_cast<const unsigned char*>(texels) + std::size_t{4} * Shapes::kTexelRow * whole;
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, whole, rest, 1, GL_RGBA, GL_UNSIGNED_BYTE, last);
    }
}

void ShapeRenderer::draw(const Shapes& shapes, std::size_t first, std::size_t last, int width_px, int height_px) {
    glDisable(GL_SCISSOR_TEST);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, texels_[1]);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texels_[0]);
    for (std::size_t i = first; i < last; ++i) {
        const Shapes::Part& part = shapes.parts()[i];
        const Program& used = program_of(part.kind);
        (part.kind == Shapes::Kind::opaque ? glDisable : glEnable)(GL_BLEND);
        glUseProgram(used.name);
        glUniform2f(used.viewport, static_cast<float>(width_px), static_cast<float>(height_px));
        glUniform2f(used.texture_size, Shapes::kTexelRow, static_cast<float>(texel_rows_));
        glBindVertexArray(used.array);
        glBindBuffer(GL_ARRAY_BUFFER, used.buffer);
        point_at(part.kind, part.first);
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(part.count));
    }
    glBindVertexArray(0);
}

void ShapeRenderer::warm_up(int width_px, int height_px) {
    constexpr PixelBox kBeside{-200, -200, -100, -100};
    constexpr Colour kFull = 0xFF000000, kHalf = 0x80000000;
    Shapes shapes;
    shapes.clip(kBeside);
    shapes.box(kBeside, kFull);
    shapes.box(kBeside, kHalf);
    SpanLook look{.fill = kFull, .radius_px = 4};
    shapes.span(kBeside, look);
    look.stripe_step = 8;
    look.stripe_width = 4;
    shapes.span(kBeside, look);
    constexpr std::array<Bar, 2> kStanding{{{{-200, -180, -190, -150}, kFull}, {{-190, -170, -180, -150}, kFull}}};
    constexpr std::array<Bar, 2> kHanging{{{{-200, -180, -190, -150}, kFull}, {{-190, -180, -180, -140}, kFull}}};
    shapes.bars(kStanding);
    shapes.bars(kHanging);
    constexpr std::array<PixelPoint, 2> kSlope{{{-200, -190}, {-150, -110}}};
    shapes.curve(kSlope, kFull, 2);
    shapes.sort();
    upload(shapes);
    draw(shapes, 0, shapes.parts().size(), width_px, height_px);
}

}  // namespace headway::gfx
