// Facts for tests of expressions.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "app/expression/expression.h"

namespace headway::expression {

class TestRecord final : public Record {
public:
    explicit TestRecord(std::map<std::string, Value> fields, std::string kind = "fact")
        : fields_(std::move(fields)), kind_(std::move(kind)) {}
    [[nodiscard]] std::optional<core::Result<Value>> field(std::string_view name) const override {
        if (name == "unknown") {
            return core::Result<Value>(sentence("this is not known"));
        }
        const auto found = fields_.find(std::string(name));
        return found == fields_.end() ? std::nullopt : std::optional(core::Result<Value>(found->second));
    }
    [[nodiscard]] std::vector<std::string> names() const override {
        std::vector<std::string> names;
        for (const auto& [name, value] : fields_) {
            names.push_back(name);
        }
        return names;
    }
    [[nodiscard]] std::string kind() const override { return kind_; }

private:
    std::map<std::string, Value> fields_;
    std::string kind_;
};

inline Value op(int id, const char* name, double ns) {
    return std::shared_ptr<const Record>(
        std::make_shared<TestRecord>(std::map<std::string, Value>{{"id", id}, {"name", name}, {"ns", ns}}, "op"));
}

inline TestRecord facts() {
    return TestRecord({{"n", 12},
                       {"yes", true},
                       {"word", "matmul"},
                       {"ops", List{op(1, "matmul", 30), op(2, "add", 10), op(3, "matmul", 50)}},
                       {"empty", List{}}});
}

// The value in words, or the error's message.
inline std::string evaluated(const std::string& text) {
    const auto expression = Expression::parse(text);
    if (!expression) {
        return "error: " + expression.error().message;
    }
    const auto value = expression->evaluate(facts());
    return value ? value->words() : "error: " + value.error().message;
}

}  // namespace headway::expression
