#include "app/check/mutants.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "app/check/code_lines.h"

namespace headway::check {

namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// A statement that can be left out or moved alone: no import, no beginning of a block, no part of a longer statement.
bool is_statement(const CodeLine& line) {
    if (line.code.empty() || line.code.back() == ':' || line.code.back() == ',' || line.code.back() == '(' ||
        line.code.back() == '[' || line.code.back() == '\\' || line.code[0] == ')' || line.code[0] == ']' ||
        line.code[0] == '@') {
        return false;
    }
    return !line.code.starts_with("import ") && !line.code.starts_with("from ") && !line.code.starts_with("\"\"\"");
}

class Mutation {
public:
    Mutation(const std::vector<std::string>& lines, const std::vector<std::string>& parameters) : lines_(lines) {
        for (const std::string& line : lines) {
            parsed_.push_back(code_line(line));
            const CodeLine& last = parsed_.back();
            const bool set =
                last.indent == 0 && std::any_of(parameters.begin(), parameters.end(), [&](const auto& name) {
                    return last.code.starts_with(name + " =") || last.code.starts_with(name + "=");
                });
            left_alone_.push_back(set);
        }
    }

    std::vector<Mutant> run() {
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            if (parsed_[i].code.empty() || left_alone_[i]) {
                continue;
            }
            if (is_statement(parsed_[i])) {
                move_statement(i);
            }
            change_tokens(i);
        }
        return std::move(mutants_);
    }

private:
    void add(std::size_t line, const std::string& what, const std::vector<std::string>& lines) {
        std::string text;
        for (const std::string& one : lines) {
            text += one + "\n";
        }
        mutants_.push_back({"line " + std::to_string(line + 1) + ": " + what, std::move(text)});
    }
    [[nodiscard]] std::string indented(std::size_t line, const std::string& code) const {
        return lines_[line].substr(0, parsed_[line].indent) + code;
    }

    // Whether it may have an effect besides giving a name to a value.
    [[nodiscard]] bool calls(std::size_t i) const { return parsed_[i].code.find('(') != std::string::npos; }

    void move_statement(std::size_t i) {
        std::vector<std::string> changed = lines_;
        changed[i] = indented(i, "pass");
        add(i, "without " + parsed_[i].code, changed);
        const bool leaves = parsed_[i].code.starts_with("return") || parsed_[i].code == "break";
        if (calls(i) && !leaves) {
            changed = lines_;
            changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(i), lines_[i]);
            add(i, "twice " + parsed_[i].code, changed);
        }
        std::size_t next = i + 1;
        while (next < lines_.size() && parsed_[next].code.empty()) {
            ++next;
        }
        if (next < lines_.size() && parsed_[next].indent == parsed_[i].indent && is_statement(parsed_[next]) &&
            !left_alone_[next] && (calls(i) || calls(next))) {
            changed = lines_;
            std::swap(changed[i], changed[next]);
            add(i, "after line " + std::to_string(next + 1) + " " + parsed_[i].code, changed);
        }
        if (parsed_[i].code.find("waitall") == std::string::npos && !leaves) {
            changed = lines_;
            changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(i) + 1, indented(i, "hw.waitall()"));
            add(i, "a barrier after " + parsed_[i].code, changed);
        }
    }

    void change_tokens(std::size_t i) {
        const std::string line = without_strings(lines_[i]);
        const std::size_t end = line.size();
        for (std::size_t at = parsed_[i].indent; at < end; ++at) {
            const char c = line[at];
            if (std::isdigit(static_cast<unsigned char>(c)) != 0 && !is_word(line[at - (at > 0 ? 1 : 0)])) {
                std::size_t stop = at;
                while (stop < end && std::isdigit(static_cast<unsigned char>(line[stop])) != 0) {
                    ++stop;
                }
                const std::string number = line.substr(at, std::min<std::size_t>(stop - at, 9));
                replace(i, at, stop - at, std::to_string(std::stol(number) + 1));
                at = stop - 1;
                continue;
            }
            // An operator between two values, and no sign, power or star before arguments.
            const bool between = at > 0 && at + 1 < end && line[at - 1] == ' ' && line[at + 1] == ' ';
            for (const auto& [from, to] : {std::pair{'+', "-"}, {'-', "+"}, {'*', "+"}, {'@', "*"}, {'/', "*"}}) {
                if (c == from && between) {
                    replace(i, at, 1, to);
                }
            }
        }
    }

    void replace(std::size_t i, std::size_t at, std::size_t size, const std::string& by) {
        std::vector<std::string> changed = lines_;
        changed[i].replace(at, size, by);
        add(i, code_line(changed[i]).code, changed);
    }

    const std::vector<std::string>& lines_;
    std::vector<CodeLine> parsed_;
    std::vector<bool> left_alone_;
    std::vector<Mutant> mutants_;
};

}  // namespace

std::vector<Mutant> mutants_of(const std::vector<std::string>& lines, const std::vector<std::string>& parameters) {
    return Mutation(lines, parameters).run();
}

}  // namespace headway::check
