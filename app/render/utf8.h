// Iterates over the characters of UTF-8 text. Each invalid byte gives one U+FFFD.
#pragma once

#include <cstddef>
#include <string_view>

namespace headway::figure {

struct Utf8Char {
    char32_t code = 0;
    std::size_t bytes = 0;
};

inline Utf8Char next_char(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) {
        return {first, 1};
    }
    const std::size_t length = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    if (length == 0 || first >= 0xf8 || text.size() < length) {
        return {0xfffd, 1};
    }
    char32_t code = first & (0xffU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) {
            return {0xfffd, 1};
        }
        code = code << 6 | (byte(i) & 0x3fU);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000) || code > 0x10ffff;
    return surrogate || overlong ? Utf8Char{0xfffd, 1} : Utf8Char{code, length};
}

template <class Call>
void each_char(std::string_view text, Call call) {  // call(code, the character's bytes)
    while (!text.empty()) {
        const Utf8Char c = next_char(text);
        call(c.code, text.substr(0, c.bytes));
        text.remove_prefix(c.bytes);
    }
}

}  // namespace headway::figure
