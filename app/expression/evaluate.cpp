#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/expression/node.h"

namespace headway::expression {

namespace {

constexpr std::uint64_t kMostSteps = 5'000'000;

// The variables of the lists around an expression, innermost first.
struct Scope {
    const std::string& name;
    const Value& value;
    const Scope* outer;
};

std::string list_of(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

// Errors are thrown, since they may occur at any depth, and caught in Expression::evaluate().
class Evaluation {
public:
    Evaluation(std::string_view text, const Record& facts) : text_(text), facts_(facts) {}

    Value of(const Node& node, const Scope* scope) {
        step(node);
        switch (node.kind) {
            case NodeKind::literal:
                return node.value;
            case NodeKind::name:
                return name(node, scope);
            case NodeKind::field:
                return field(node, scope);
            case NodeKind::element:
                return element(node, scope);
            case NodeKind::call:
                return call(node, scope);
            case NodeKind::choice:
                return truth(*node.parts[0], scope) ? of(*node.parts[1], scope) : of(*node.parts[2], scope);
            case NodeKind::list: {
                List list;
                for (const auto& part : node.parts) {
                    list.push_back(of(*part, scope));
                }
                return list;
            }
            case NodeKind::comprehension:
                return comprehension(node, scope);
            case NodeKind::negate:
                return -number(*node.parts[0], scope);
            case NodeKind::not_:
                return !truth(*node.parts[0], scope);
            case NodeKind::and_:
                return truth(*node.parts[0], scope) && truth(*node.parts[1], scope);
            case NodeKind::or_:
                return truth(*node.parts[0], scope) || truth(*node.parts[1], scope);
            case NodeKind::equal:
            case NodeKind::unequal:
                return equality(node, scope);
            case NodeKind::less:
            case NodeKind::less_equal:
            case NodeKind::greater:
            case NodeKind::greater_equal:
                return comparison(node, scope);
            default:
                return arithmetic(node, scope);
        }
    }

private:
    [[noreturn]] void fail(const Node& node, const std::string& message) const {
        throw error_at(text_, node.at, message);
    }
    void step(const Node& node, std::uint64_t steps = 1) {
        steps_ += steps;
        if (steps_ > kMostSteps) {
            fail(node, "the expression takes more than " + std::to_string(kMostSteps) + " steps");
        }
    }
    template <class T>
    T taken(const Node& node, core::Result<T> result) const {
        if (!result) {
            fail(node, result.error().message);
        }
        return std::move(*result);
    }

    bool truth(const Node& node, const Scope* scope) {
        const Value value = of(node, scope);
        if (value.truth() == nullptr) {
            fail(node, "a yes or no is needed here, not " + value.type_words());
        }
        return *value.truth();
    }
    double number(const Node& node, const Scope* scope) {
        const Value value = of(node, scope);
        if (value.number() == nullptr) {
            fail(node, "a number is needed here, not " + value.type_words());
        }
        return *value.number();
    }

    Value name(const Node& node, const Scope* scope) const {
        for (; scope != nullptr; scope = scope->outer) {
            if (scope->name == node.name) {
                return scope->value;
            }
        }
        auto value = facts_.field(node.name);
        if (!value) {
            fail(node, "there is no fact called " + node.name.substr(0, 60));
        }
        return taken(node, std::move(*value));
    }

    Value field(const Node& node, const Scope* scope) {
        const Value value = of(*node.parts[0], scope);
        if (value.record() == nullptr) {
            fail(node, value.type_words() + " has no fields");
        }
        auto found = value.record()->field(node.name);
        if (!found) {
            fail(node, with_article(value.record()->kind()) + " has no field " + node.name.substr(0, 60) +
                           "; it has: " + list_of(value.record()->names()));
        }
        return taken(node, std::move(*found));
    }

    Value element(const Node& node, const Scope* scope) {
        const Value value = of(*node.parts[0], scope);
        if (value.list() == nullptr) {
            fail(node, value.type_words() + " has no elements");
        }
        const double index = number(*node.parts[1], scope);
        const auto size = static_cast<double>(value.list()->size());
        const double at = index < 0 ? size + index : index;
        if (index != std::floor(index) || at < 0 || at >= size) {
            fail(node, "the list has no element " + number_text(index) + ": it has " + number_text(size));
        }
        return (*value.list())[static_cast<std::size_t>(at)];
    }

    Value call(const Node& node, const Scope* scope) {
        List arguments;
        std::uint64_t size = 0;
        for (const auto& part : node.parts) {
            arguments.push_back(of(*part, scope));
            size += arguments.back().list() != nullptr ? arguments.back().list()->size() : 0;
        }
        step(node, size);
        auto result = node.function->call(arguments);
        if (!result) {
            fail(node, node.name + ": " + result.error().message);
        }
        step(node, result->list() != nullptr ? result->list()->size() : 0);
        if (result->number() != nullptr && !std::isfinite(*result->number())) {
            fail(node, node.name + ": the result is out of range");
        }
        return std::move(*result);
    }

    Value comprehension(const Node& node, const Scope* scope) {
        const Value list = of(*node.parts[0], scope);
        if (list.list() == nullptr) {
            fail(*node.parts[0], "a list is needed here, not " + list.type_words());
        }
        List result;
        for (const Value& element : *list.list()) {
            const Scope inner{node.name, element, scope};
            step(node);
            if (node.parts[1] == nullptr || truth(*node.parts[1], &inner)) {
                result.push_back(node.parts[2] != nullptr ? of(*node.parts[2], &inner) : element);
            }
        }
        return result;
    }

    bool equality(const Node& node, const Scope* scope) {
        const Value a = of(*node.parts[0], scope);
        const Value b = of(*node.parts[1], scope);
        step(node, a.list() != nullptr ? a.list()->size() : 0);
        return taken(node, equal(a, b)) == (node.kind == NodeKind::equal);
    }

    bool comparison(const Node& node, const Scope* scope) {
        const Value a = of(*node.parts[0], scope);
        const Value b = of(*node.parts[1], scope);
        const int sign = taken(node, order(a, b));
        switch (node.kind) {
            case NodeKind::less:
                return sign < 0;
            case NodeKind::less_equal:
                return sign <= 0;
            case NodeKind::greater:
                return sign > 0;
            default:
                return sign >= 0;
        }
    }

    Value arithmetic(const Node& node, const Scope* scope) {
        if (node.kind == NodeKind::add) {
            const Value a = of(*node.parts[0], scope);
            const Value b = of(*node.parts[1], scope);
            return sum(node, a, b);
        }
        const double a = number(*node.parts[0], scope);
        const double b = number(*node.parts[1], scope);
        if (node.kind == NodeKind::divide && b == 0) {
            fail(node, "a division by zero");
        }
        return finite(node, node.kind == NodeKind::subtract ? a - b : node.kind == NodeKind::multiply ? a * b : a / b);
    }

    // Of two numbers, two texts or two lists.
    Value sum(const Node& node, const Value& a, const Value& b) {
        constexpr std::size_t kLongest = 1'000'000;
        if (a.number() != nullptr && b.number() != nullptr) {
            return finite(node, *a.number() + *b.number());
        }
        if (a.text() != nullptr && b.text() != nullptr && a.text()->size() + b.text()->size() <= kLongest) {
            step(node, a.text()->size() + b.text()->size());
            return *a.text() + *b.text();
        }
        if (a.list() != nullptr && b.list() != nullptr && a.list()->size() + b.list()->size() <= kLongest) {
            List both = *a.list();
            both.insert(both.end(), b.list()->begin(), b.list()->end());
            step(node, both.size());
            return both;
        }
        fail(node,
             "two numbers, two texts or two lists can be added, not " + a.type_words() + " and " + b.type_words());
    }

    double finite(const Node& node, double value) const {
        if (!std::isfinite(value)) {
            fail(node, "the result is out of range");
        }
        return value;
    }

    std::string_view text_;
    const Record& facts_;
    std::uint64_t steps_ = 0;
};

// Calls call(node) for each use of a fact.
template <class Call>
void each_fact(const Node& node, std::vector<std::string>& variables, const Call& call) {
    if (node.kind == NodeKind::name && std::find(variables.begin(), variables.end(), node.name) == variables.end()) {
        call(node);
    }
    for (std::size_t i = 0; i < node.parts.size(); ++i) {
        if (node.parts[i] == nullptr) {
            continue;
        }
        const bool inside = node.kind == NodeKind::comprehension && i > 0;
        if (inside) {
            variables.push_back(node.name);
        }
        each_fact(*node.parts[i], variables, call);
        if (inside) {
            variables.pop_back();
        }
    }
}

}  // namespace

core::Result<Value> Expression::evaluate(const Record& facts) const {
    try {
        return Evaluation(text_, facts).of(*root_, nullptr);
    } catch (const core::Error& error) {
        return error;
    }
}

core::Result<bool> Expression::truth(const Record& facts) const {
    auto value = evaluate(facts);
    if (!value) {
        return value.error();
    }
    if (value->truth() == nullptr) {
        return error_at(text_, root_->at, "a yes or no is needed, not " + value->type_words());
    }
    return *value->truth();
}

std::vector<std::string> Expression::names() const {
    std::vector<std::string> names, variables;
    each_fact(*root_, variables, [&](const Node& node) {
        if (std::find(names.begin(), names.end(), node.name) == names.end()) {
            names.push_back(node.name);
        }
    });
    return names;
}

core::Result<void> Expression::check_names(std::span<const std::string> known) const {
    std::optional<core::Error> error;
    std::vector<std::string> variables;
    each_fact(*root_, variables, [&](const Node& node) {
        if (!error && std::find(known.begin(), known.end(), node.name) == known.end()) {
            error = error_at(text_, node.at, "there is no fact called " + node.name.substr(0, 60));
        }
    });
    return error ? core::Result<void>(*error) : core::Result<void>();
}

// --- sentences ---

core::Result<Sentence> Sentence::parse(std::string_view text, std::span<const Function> functions) {
    Sentence sentence;
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        const bool doubled = at + 1 < text.size() && text[at + 1] == c;
        if ((c == '{' || c == '}') && doubled) {
            plain += c;
            ++at;
        } else if (c == '}') {
            return error_at(text, at, "this brace closes nothing; a brace in a sentence is written }}");
        } else if (c == '{') {
            const auto end = text.find('}', at);
            if (end == std::string_view::npos) {
                return error_at(text, at, "this brace is not closed; a brace in a sentence is written {{");
            }
            auto expression = Expression::parse(text.substr(at + 1, end - at - 1), functions);
            if (!expression) {
                return error_at(text, at, "in the braces, " + expression.error().message);
            }
            if (!plain.empty()) {
                sentence.pieces_.push_back({std::exchange(plain, {}), {}});
            }
            sentence.pieces_.push_back({{}, std::move(*expression)});
            at = end;
        } else {
            plain += c;
        }
    }
    if (!plain.empty()) {
        sentence.pieces_.push_back({plain, {}});
    }
    return sentence;
}

core::Result<std::string> Sentence::evaluate(const Record& facts) const {
    std::string text;
    for (const Piece& piece : pieces_) {
        if (!piece.expression) {
            text += piece.text;
            continue;
        }
        auto value = piece.expression->evaluate(facts);
        if (!value) {
            return value.error();
        }
        text += value->words();
    }
    return text;
}

bool Expression::uses(std::string_view fact) const {
    const auto all = names();
    return std::find(all.begin(), all.end(), fact) != all.end();
}

bool Sentence::uses(std::string_view fact) const {
    return std::any_of(pieces_.begin(), pieces_.end(),
                       [fact](const Piece& piece) { return piece.expression && piece.expression->uses(fact); });
}

core::Result<void> Sentence::check_names(std::span<const std::string> known) const {
    for (const Piece& piece : pieces_) {
        if (!piece.expression) {
            continue;
        }
        if (auto good = piece.expression->check_names(known); !good) {
            return good;
        }
    }
    return {};
}

}  // namespace headway::expression
