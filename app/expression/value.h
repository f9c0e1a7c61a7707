// Values of expressions: numbers, booleans, texts, lists and records. Values never change.
//
// Threads: any; a record may say otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/core/result.h"

namespace headway::expression {

// Of lists with each other; beyond that an error says so.
inline constexpr std::size_t kMostComparisons = 10'000'000;

class Value;
using List = std::vector<Value>;

// A thing with named fields, such as an op, a wait or a report. The facts that an expression is about are a record,
// too.
class Record {
public:
    virtual ~Record() = default;
    // Empty: there is no such field. An error: the kind has this field, but it is not known here.
    [[nodiscard]] virtual std::optional<core::Result<Value>> field(std::string_view name) const = 0;
    [[nodiscard]] virtual std::vector<std::string> names() const = 0;
    // "op", "wait", "report": for messages.
    [[nodiscard]] virtual std::string kind() const = 0;
    // Short, for sentences: "#4 matmul".
    [[nodiscard]] virtual std::string text() const { return kind(); }
    [[nodiscard]] virtual bool equals(const Record& other) const { return this == &other; }
    // What same() compares in place of the record; empty: the record itself.
    [[nodiscard]] virtual std::optional<Value> content() const;
};

class Value {
public:
    Value(double number) : held_(number) {}
    Value(bool truth) : held_(truth) {}
    Value(std::string text) : held_(std::move(text)) {}
    Value(const char* text) : held_(std::string(text)) {}
    Value(List list) : held_(std::make_shared<const List>(std::move(list))) {}
    Value(std::shared_ptr<const Record> record) : held_(std::move(record)) {}
    template <class Integer>
    requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>) Value(Integer number)
        : held_(static_cast<double>(number)) {}

    // Null if the value is of another type.
    [[nodiscard]] const double* number() const { return std::get_if<double>(&held_); }
    [[nodiscard]] const bool* truth() const { return std::get_if<bool>(&held_); }
    [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&held_); }
    [[nodiscard]] const List* list() const {
        const auto* held = std::get_if<std::shared_ptr<const List>>(&held_);
        return held != nullptr ? held->get() : nullptr;
    }
    [[nodiscard]] const Record* record() const {
        const auto* held = std::get_if<std::shared_ptr<const Record>>(&held_);
        return held != nullptr ? held->get() : nullptr;
    }

    // "a number", "a text", "an op": for messages.
    [[nodiscard]] std::string type_words() const;
    // As it stands in a sentence: 12, 0.95, yes, a text without quotes, "1, 2 and 3".
    [[nodiscard]] std::string words() const;

private:
    std::variant<double, bool, std::string, std::shared_ptr<const List>, std::shared_ptr<const Record>> held_;
};

inline std::optional<Value> Record::content() const {
    return std::nullopt;
}

// Whether two values are equal; an error if they are of different types.
core::Result<bool> equal(const Value& a, const Value& b);
// -1, 0 or 1; an error unless both are numbers or both are texts.
core::Result<int> order(const Value& a, const Value& b);

// "12", "0.95", "-3".
std::string number_text(double number);

// "an op", "a wait".
std::string with_article(const std::string& noun);

// An error of an expression: one sentence, without its position.
inline core::Error sentence(std::string message) {
    return {core::ErrorKind::unreadable, std::move(message), {}, 0, 0};
}

}  // namespace headway::expression
