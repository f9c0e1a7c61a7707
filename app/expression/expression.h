// A small language for questions about facts: "count(w in waits where w.line > 4) == 0".
//
// Facts in, a value or an error of one sentence out. Every expression ends: there are no loops but over lists, no
// definitions, no side effects, and evaluation has a limited number of steps. docs/exercises.md describes the language.
//
// Threads: an Expression does not change, and may be evaluated by any thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/expression/value.h"
#include "engine/core/result.h"

namespace headway::expression {

struct Function {
    std::string_view name;
    std::size_t least, most;  // number of arguments
    // Errors are sentences without a position.
    core::Result<Value> (*call)(std::span<const Value> arguments);
};

// The functions of the language alone.
std::span<const Function> basic_functions();

struct Node;

class Expression {
public:
    // `functions`: in addition to the basic ones. Errors have the line, and begin with the column: "column 7: …". Names
    // of facts are not checked here.
    static core::Result<Expression> parse(std::string_view text, std::span<const Function> functions = {});

    // Errors as of parse().
    [[nodiscard]] core::Result<Value> evaluate(const Record& facts) const;
    // The same, where the value must be a boolean or a number.
    [[nodiscard]] core::Result<bool> truth(const Record& facts) const;

    // The facts that it uses, without duplicates.
    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] bool uses(std::string_view fact) const;
    [[nodiscard]] const std::string& text() const { return text_; }
    // An error as of parse() for the first use of a fact that is not in `known`.
    [[nodiscard]] core::Result<void> check_names(std::span<const std::string> known) const;

private:
    Expression(std::string text, std::shared_ptr<const Node> root) : text_(std::move(text)), root_(std::move(root)) {}

    std::string text_;
    std::shared_ptr<const Node> root_;
};

// The message of such an error without its position, for learners, who do not know the expression.
[[nodiscard]] std::string without_column(const std::string& message);

// A sentence with expressions in braces: "The frontend waited {count(waits)} times." {{ and }} stand for braces.
class Sentence {
public:
    Sentence() = default;
    static core::Result<Sentence> parse(std::string_view text, std::span<const Function> functions = {});
    [[nodiscard]] core::Result<std::string> evaluate(const Record& facts) const;
    // Whether one of its expressions uses this fact.
    [[nodiscard]] bool uses(std::string_view fact) const;
    [[nodiscard]] core::Result<void> check_names(std::span<const std::string> known) const;
    [[nodiscard]] bool empty() const { return pieces_.empty(); }

private:
    struct Piece {
        std::string text;
        std::optional<Expression> expression;  // then the text is empty
    };
    std::vector<Piece> pieces_;
};

}  // namespace headway::expression
