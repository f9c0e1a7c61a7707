// Splits the text of an expression into tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace headway::expression {

enum class TokenKind : std::uint8_t { number, text, name, sign, end };

struct Token {
    TokenKind kind = TokenKind::end;
    std::uint32_t at = 0;
    std::string text{};  // of a name or sign; the contents of a text
    double number = 0;
};

// The last token is `end`. Numbers may have a unit: 5us, 2ms, 64KiB.
core::Result<std::vector<Token>> tokens_of(std::string_view text);

}  // namespace headway::expression
