#include "app/check/json_value.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace headway::check {

using expression::List;
using expression::Record;
using expression::Value;

namespace {

constexpr int kDeepest = 32;

class JsonRecord final : public Record {
public:
    JsonRecord(std::string kind, std::vector<std::pair<std::string, core::Result<Value>>> fields)
        : kind_(std::move(kind)), fields_(std::move(fields)) {}

    [[nodiscard]] std::optional<core::Result<Value>> field(std::string_view name) const override {
        for (const auto& [key, value] : fields_) {
            if (key == name) {
                return value;
            }
        }
        return std::nullopt;
    }
    [[nodiscard]] std::vector<std::string> names() const override {
        std::vector<std::string> names;
        for (const auto& [key, value] : fields_) {
            names.push_back(key);
        }
        return names;
    }
    [[nodiscard]] std::string kind() const override { return kind_; }

private:
    std::string kind_;
    std::vector<std::pair<std::string, core::Result<Value>>> fields_;
};

core::Result<Value> value_at(const json::Value& json, const std::string& kind, int depth) {
    if (depth == kDeepest) {
        return expression::sentence(kind + " is nested too deeply");
    }
    if (json.is_text()) {
        return Value(std::string(json.text()));
    }
    if (json.is_bool()) {
        return Value(json.is_true());
    }
    if (const auto number = json.number()) {
        return Value(*number);
    }
    if (json.is_array()) {
        List list;
        for (const json::Value& element : json.elements()) {
            auto value = value_at(element, kind, depth + 1);
            if (!value) {
                return value;
            }
            list.push_back(std::move(*value));
        }
        return Value(std::move(list));
    }
    if (json.is_object()) {
        std::vector<std::pair<std::string, core::Result<Value>>> fields;
        for (const auto& [key, member] : json.members()) {
            fields.emplace_back(key, value_at(member, std::string(key), depth + 1));
        }
        return Value(std::shared_ptr<const Record>(std::make_shared<JsonRecord>(kind, std::move(fields))));
    }
    return expression::sentence(kind + " is not known in this run");
}

// A tensor's values. Two are the same if shape and values are.
class TensorRecord final : public Record {
public:
    TensorRecord(List shape, List values, double sum, double sum_of_sizes, double op)
        : shape_(std::move(shape)), values_(std::move(values)), sum_(sum), sum_of_sizes_(sum_of_sizes), op_(op) {}

    [[nodiscard]] std::optional<core::Result<Value>> field(std::string_view name) const override {
        if (name == "shape") {
            return shape_;
        }
        if (name == "values") {
            return values_;
        }
        if (name == "sum") {
            return Value(sum_);
        }
        if (name == "op") {
            return Value(op_);
        }
        return std::nullopt;
    }
    [[nodiscard]] std::vector<std::string> names() const override { return {"op", "shape", "sum", "values"}; }
    [[nodiscard]] std::string kind() const override { return "tensor"; }
    [[nodiscard]] std::string text() const override {
        return values_.list()->size() == 1 ? values_.list()->front().words()
                                           : "a tensor of shape (" + shape_.words() + ")";
    }
    // Shape, values, and the mean of all values relative to their size, as only some of the values may be listed.
    [[nodiscard]] std::optional<Value> content() const override {
        return Value(List{shape_, values_, Value(sum_of_sizes_ > 0 ? sum_ / sum_of_sizes_ : 0.0)});
    }

private:
    Value shape_, values_;
    double sum_, sum_of_sizes_, op_;
};

Value recorded_value(const json::Value& json, const std::string& name, int depth);

core::Result<Value> recorded(const json::Value& json, const std::string& name) {
    const auto kind = json["kind"].text();
    if (kind == "missing") {
        return expression::sentence("the program sets no value called " + name + " at its top level");
    }
    return recorded_value(json, name, 0);
}

Value recorded_value(const json::Value& json, const std::string& name, int depth) {
    const auto kind = json["kind"].text();
    if (kind == "number" && json["value"].number()) {
        return *json["value"].number();
    }
    if (kind == "truth") {
        return json["value"].is_true();
    }
    if (kind == "text" || kind == "number") {  // a number that is none: nan, inf
        return std::string(json["value"].text());
    }
    if (kind == "list" && depth < kDeepest) {
        List list;
        for (const json::Value& element : json["values"].elements()) {
            list.push_back(recorded_value(element, name, depth + 1));
        }
        return list;
    }
    if (kind == "tensor") {
        List shape, values;
        for (const json::Value& element : json["shape"].elements()) {
            shape.emplace_back(element.number().value_or(0));
        }
        for (const json::Value& element : json["values"].elements()) {
            values.push_back(element.number() ? Value(*element.number()) : Value(std::string(element.text())));
        }
        return std::shared_ptr<const Record>(
            std::make_shared<TensorRecord>(std::move(shape), std::move(values), json["sum"].number().value_or(0),
                                           json["sum_of_sizes"].number().value_or(0), json["op"].number().value_or(0)));
    }
    return "a value of type " + std::string(json["type"].text());
}

}  // namespace

core::Result<Value> value_of(const json::Value& json, const std::string& kind) {
    return value_at(json, kind, 0);
}

Value result_values(std::string_view text) {
    const json::Document document(text);
    std::vector<std::pair<std::string, core::Result<Value>>> fields;
    for (const auto& [name, value] : document.root()["values"].members()) {
        fields.emplace_back(name, recorded(value, std::string(name)));
    }
    return std::shared_ptr<const Record>(std::make_shared<JsonRecord>("result", std::move(fields)));
}

}  // namespace headway::check
