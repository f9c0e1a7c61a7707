#include "app/exchange/files/json_text.h"

#include <charconv>
#include <cstdio>

namespace headway::exchange {

namespace {

// The length in bytes of the UTF-8 character at `at`; 0 if it is invalid.
std::size_t utf8_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xc2 ? 0
                               : first < 0xe0 ? 2
                               : first < 0xf0 ? 3
                               : first < 0xf5 ? 4
                                              : 0;
    if (length == 0 || at + length > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool overlong = (first == 0xe0 && byte(at + 1) < 0xa0) || (first == 0xf0 && byte(at + 1) < 0x90);
    const bool beyond = (first == 0xed && byte(at + 1) > 0x9f) || (first == 0xf4 && byte(at + 1) > 0x8f);
    return overlong || beyond ? 0 : length;
}

template <class Number>
void append(std::string& to, Number number) {
    char text[40];
    to.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

}  // namespace

std::string json_string(std::string_view text) {
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text, i);
        const auto c = static_cast<unsigned char>(text[i]);
        if (length == 0) {
            out += "\xef\xbf\xbd";
            ++i;
            continue;
        }
        if (c == '"' || c == '\\') {
            out += '\\';
            out += static_cast<char>(c);
        } else if (c < 0x20 || c == 0x7f) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", c);
            out += escape;
        } else {
            out.append(text.substr(i, length));
        }
        i += length;
    }
    return out + '"';
}

void JsonText::put(std::int64_t number) {
    append(buffer_, number);
}

void JsonText::put(std::uint64_t number) {
    append(buffer_, number);
}

void JsonText::put_double(double number) {
    append(buffer_, number);
}

void JsonText::put_us(std::int64_t ns) {
    if (ns < 0) {
        buffer_ += '-';
        ns = -ns;
    }
    put(ns / 1000);
    const auto rest = static_cast<int>(ns % 1000);
    const char digits[4] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                            static_cast<char>('0' + rest % 10)};
    buffer_.append(digits, 4);
}

bool JsonText::flush() {
    good_ = good_ && sink_(buffer_);
    buffer_.clear();
    return good_;
}

}  // namespace headway::exchange
