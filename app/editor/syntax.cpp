#include "app/editor/syntax.h"

#include <algorithm>
#include <array>

#include "app/editor/characters.h"

namespace headway::editor {
namespace {

using Open = LineState::Open;
using Fence = LineState::Fence;

constexpr std::array<std::string_view, 37> kPython{
    "and",    "as",     "assert", "async",  "await", "break",   "case",     "class", "continue", "def",
    "del",    "elif",   "else",   "except", "False", "finally", "for",      "from",  "global",   "if",
    "import", "in",     "is",     "lambda", "match", "None",    "nonlocal", "not",   "or",       "pass",
    "raise",  "return", "True",   "try",    "while", "with",    "yield"};
constexpr std::array<std::string_view, 48> kCpp{
    "auto",     "bool",    "break",  "case",   "catch",    "char",      "class",  "const",    "constexpr", "continue",
    "default",  "do",      "double", "else",   "enum",     "explicit",  "false",  "final",    "float",     "for",
    "if",       "inline",  "int",    "long",   "mutable",  "namespace", "new",    "noexcept", "nullptr",   "operator",
    "override", "private", "public", "return", "short",    "sizeof",    "static", "struct",   "switch",    "template",
    "this",     "throw",   "true",   "try",    "unsigned", "using",     "void",   "while"};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// Scans one line of code.
class CodeReader {
public:
    CodeReader(bool python, std::string_view line, std::vector<Span>& spans)
        : python_(python), line_(line), spans_(spans) {}

    Open read(Open open) {
        if (open != Open::nothing && !close(open, 0, 0)) {
            return open;
        }
        while (at_ < line_.size()) {
            const char c = line_[at_];
            if (python_ ? c == '#' : line_.substr(at_).starts_with("//") || (c == '#' && blank_so_far())) {
                put(line_.size(), python_ || c == '/' ? Token::comment : Token::keyword);
            } else if (!python_ && line_.substr(at_).starts_with("/*")) {
                if (!close(Open::comment, at_, 2)) {
                    return Open::comment;
                }
            } else if (c == '"' || c == '\'') {
                if (const Open left = string(at_); left != Open::nothing) {
                    return left;
                }
            } else if (is_digit(c)) {
                number();
            } else if (is_word(c)) {
                if (const Open left = word(); left != Open::nothing) {
                    return left;
                }
            } else if (python_ && c == '@' && blank_so_far()) {
                std::size_t end = at_ + 1;
                while (end < line_.size() && (is_word(line_[end]) || line_[end] == '.')) {
                    ++end;
                }
                put(end, Token::name);
            } else {
                ++at_;
            }
        }
        return Open::nothing;
    }

private:
    void put(std::size_t end, Token token) {
        if (end > at_) {
            spans_.push_back({static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end), token});
        }
        at_ = end;
    }
    [[nodiscard]] bool blank_so_far() const { return line_.substr(0, at_).find_first_not_of(" \t") == line_.npos; }

    // Consumes a string or comment that begins at `begin` (its opening token has `length` bytes; 0 if it was opened
    // on an earlier line). False: it continues on the next line.
    bool close(Open open, std::size_t begin, std::size_t length) {
        const std::string_view mark = open == Open::comment ? "*/" : open == Open::triple_single ? "'''" : "\"\"\"";
        std::size_t from = begin + length;
        std::size_t end = line_.size();
        bool closed = false;
        while (from < line_.size() && !closed) {
            if (line_[from] == '\\' && open != Open::comment) {
                from += 2;
            } else if (line_.substr(from).starts_with(mark)) {
                end = from + mark.size();
                closed = true;
            } else {
                ++from;
            }
        }
        at_ = begin;
        put(end, open == Open::comment ? Token::comment : Token::string);
        return closed;
    }

    // Consumes a string whose quotes are at at_; its prefix begins at `begin`.
    Open string(std::size_t begin) {
        const char quote = line_[at_];
        const std::string_view rest = line_.substr(at_);
        if (python_ && (rest.starts_with("\"\"\"") || rest.starts_with("'''"))) {
            const Open open = quote == '"' ? Open::triple_double : Open::triple_single;
            return close(open, begin, at_ - begin + 3) ? Open::nothing : open;
        }
        std::size_t end = at_ + 1;
        while (end < line_.size() && line_[end] != quote) {
            end += line_[end] == '\\' ? 2 : 1;
        }
        at_ = begin;
        put(std::min(end + 1, line_.size()), Token::string);
        return Open::nothing;
    }

    void number() {
        std::size_t end = at_;
        while (end < line_.size() &&
               (is_word(line_[end]) || line_[end] == '.' || (line_[end] == '\'' && !python_) ||
                ((line_[end] == '-' || line_[end] == '+') && (line_[end - 1] == 'e' || line_[end - 1] == 'E') &&
                 !line_.substr(at_).starts_with("0x")))) {
            ++end;
        }
        put(end, Token::number);
    }

    Open word() {
        std::size_t end = at_;
        while (end < line_.size() && is_word(line_[end])) {
            ++end;
        }
        const std::string_view word = line_.substr(at_, end - at_);
        if (python_ && end < line_.size() && (line_[end] == '"' || line_[end] == '\'') && word.size() <= 2 &&
            word.find_first_not_of("rRbBfFuU") == word.npos) {
            const std::size_t begin = at_;
            at_ = end;
            return string(begin);
        }
        const bool attribute = at_ > 0 && line_[at_ - 1] == '.';
        if (!attribute && (python_ ? contains(kPython, word) : contains(kCpp, word))) {
            // "match" and "case" are soft keywords: only at the start of a line that ends with a colon.
            const bool soft = python_ && (word == "match" || word == "case");
            if (!soft || (blank_so_far() && end < line_.size() && line_[end] == ' ' && line_.ends_with(':'))) {
                defines_ = word == "def" || word == "class";
                put(end, Token::keyword);
                return Open::nothing;
            }
        }
        if (defines_) {
            put(end, Token::name);
        }
        defines_ = false;
        at_ = end;
        return Open::nothing;
    }

    bool python_;
    std::string_view line_;
    std::vector<Span>& spans_;
    std::size_t at_ = 0;
    bool defines_ = false;  // the last word was "def"
};

}  // namespace

LineState read_line(Language language, LineState state, std::string_view line, std::vector<Span>& spans) {
    if (language != Language::markdown) {
        state.open = CodeReader(language == Language::python, line, spans).read(state.open);
        return state;
    }
    const auto whole = [&](Token token) {
        if (!line.empty()) {
            spans.push_back({0, static_cast<std::uint32_t>(line.size()), token});
        }
    };
    const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    const std::string_view words = line.substr(begin);
    if (words.starts_with("```") || words.starts_with("~~~")) {
        const std::string_view info = words.substr(words.find_last_of("`~") + 1);
        const bool python = info.find("py") != info.npos;
        state = {Open::nothing, state.fence != Fence::none ? Fence::none : python ? Fence::python : Fence::other};
        whole(Token::comment);
    } else if (state.fence == Fence::python) {
        state.open = CodeReader(true, line, spans).read(state.open);
    } else if (state.fence == Fence::none) {
        whole(words.starts_with('#') ? Token::keyword : Token::prose);
    }
    return state;
}

void Highlighter::update(const std::vector<std::string>& lines) {
    lines_.resize(lines.size());
    LineState state;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        Line& line = lines_[i];
        if (i >= known_ || line.before != state || line.text != lines[i]) {
            line.text = lines[i];
            line.before = state;
            line.spans.clear();
            line.after = read_line(language_, state, line.text, line.spans);
        }
        state = line.after;
    }
    known_ = lines.size();
}

}  // namespace headway::editor
