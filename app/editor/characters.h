// Characters and lines of a text in UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headway::editor {

// True if the byte continues a UTF-8 character that began before it.
inline bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// Letters, digits, '_', and all non-ASCII characters.
inline bool is_word(char c) {
    const auto u = static_cast<unsigned char>(c);
    return u >= 0x80 || (u >= '0' && u <= '9') || (u >= 'A' && u <= 'Z') || (u >= 'a' && u <= 'z') || u == '_';
}
inline bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

inline char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::size_t indentation(std::string_view line) {
    std::size_t n = 0;
    while (n < line.size() && is_blank(line[n])) {
        ++n;
    }
    return n;
}

inline std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> lines;
    while (true) {
        const std::size_t newline = text.find('\n');
        lines.emplace_back(text.substr(0, newline));
        if (newline == std::string_view::npos) {
            return lines;
        }
        text.remove_prefix(newline + 1);
    }
}

// Normalises line ends and removes NUL bytes.
inline std::string cleaned(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r') {
            clean += '\n';
            i += i + 1 < text.size() && text[i + 1] == '\n' ? 1 : 0;
        } else if (text[i] != '\0') {
            clean += text[i];
        }
    }
    return clean;
}

inline bool ends_with_colon(std::string_view line) {
    // Ignore a comment after the colon. A '#' inside a string is rare before a ':'.
    const std::size_t hash = line.find(" #");
    line = line.substr(0, hash);
    while (!line.empty() && is_blank(line.back())) {
        line.remove_suffix(1);
    }
    return line.ends_with(':');
}

}  // namespace headway::editor
