#include "app/expression/lexer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "app/expression/node.h"

namespace headway::expression {

namespace {

constexpr std::size_t kMostBytes = 20'000;

// Times are nanoseconds, sizes bytes.
constexpr std::array<std::pair<std::string_view, double>, 11> kUnits{{{"ns", 1},
                                                                      {"us", 1e3},
                                                                      {"ms", 1e6},
                                                                      {"s", 1e9},
                                                                      {"B", 1},
                                                                      {"kB", 1e3},
                                                                      {"MB", 1e6},
                                                                      {"GB", 1e9},
                                                                      {"KiB", 1024},
                                                                      {"MiB", 1024.0 * 1024},
                                                                      {"GiB", 1024.0 * 1024 * 1024}}};

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}

    core::Result<std::vector<Token>> run() {
        if (text_.size() > kMostBytes) {
            return error_at(text_, 0, "the expression is longer than " + std::to_string(kMostBytes) + " bytes");
        }
        std::vector<Token> tokens;
        for (skip_space(); at_ < text_.size(); skip_space()) {
            auto token = next();
            if (!token) {
                return token.error();
            }
            tokens.push_back(std::move(*token));
        }
        tokens.push_back({TokenKind::end, static_cast<std::uint32_t>(text_.size())});
        return tokens;
    }

private:
    [[nodiscard]] char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    void skip_space() {
        while (at_ < text_.size() && (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r')) {
            ++at_;
        }
    }

    core::Result<Token> next() {
        Token token{TokenKind::sign, static_cast<std::uint32_t>(at_)};
        const char c = peek();
        if (is_digit(c)) {
            return number(token);
        }
        if (is_letter(c)) {
            token.kind = TokenKind::name;
            while (is_letter(peek()) || is_digit(peek())) {
                token.text += text_[at_++];
            }
            return token;
        }
        if (c == '"' || c == '\'') {
            return quoted(token);
        }
        for (const std::string_view sign : {"==", "!=", "<=", ">=", "->"}) {
            if (text_.substr(at_).starts_with(sign)) {
                token.text = sign;
                at_ += sign.size();
                return token;
            }
        }
        if (std::string_view("<>+-*/().,[]").find(c) != std::string_view::npos) {
            token.text = c;
            ++at_;
            return token;
        }
        if (c == '=') {
            return error_at(text_, at_, "two values are compared with ==, not with =");
        }
        return error_at(text_, at_, "this character has no meaning in an expression");
    }

    core::Result<Token> number(Token token) {
        token.kind = TokenKind::number;
        const char* begin = text_.data() + at_;
        const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), token.number);
        if (problem != std::errc() || !std::isfinite(token.number)) {
            return error_at(text_, at_, "this number is out of range");
        }
        at_ += static_cast<std::size_t>(end - begin);
        const std::size_t unit_at = at_;
        std::string unit;
        while (is_letter(peek())) {
            unit += text_[at_++];
        }
        if (unit.empty()) {
            return token;
        }
        for (const auto& [name, factor] : kUnits) {
            if (unit == name) {
                token.number *= factor;
                if (std::isfinite(token.number)) {
                    return token;
                }
            }
        }
        return error_at(text_, unit_at, "the units are ns, us, ms, s, B, kB, MB, GB, KiB, MiB and GiB");
    }

    core::Result<Token> quoted(Token token) {
        token.kind = TokenKind::text;
        const char quote = text_[at_++];
        for (; peek() != quote; ++at_) {
            if (at_ >= text_.size() || peek() == '\n') {
                return error_at(text_, token.at, "this text has no closing quote");
            }
            token.text += peek();
        }
        ++at_;
        return token;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

core::Result<std::vector<Token>> tokens_of(std::string_view text) {
    return Lexer(text).run();
}

}  // namespace headway::expression
