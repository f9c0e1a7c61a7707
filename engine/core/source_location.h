// The source position of a call: std::source_location, or a minimal substitute where the compiler has only the builtins
// that it is based on (clang before 16).
#pragma once

#include <cstdint>
#include <source_location>

namespace headway::core {

#if defined(__cpp_lib_source_location)
using SourceLocation = std::source_location;
#else
class SourceLocation {
public:
    static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                            std::uint_least32_t line = __builtin_LINE()) noexcept {
        return SourceLocation(file, line);
    }
    constexpr SourceLocation() noexcept = default;
    [[nodiscard]] constexpr const char* file_name() const noexcept { return file_; }
    [[nodiscard]] constexpr std::uint_least32_t line() const noexcept { return line_; }

private:
    constexpr SourceLocation(const char* file, std::uint_least32_t line) noexcept : file_(file), line_(line) {}
    const char* file_ = "";
    std::uint_least32_t line_ = 0;
};
#endif

}  // namespace headway::core
