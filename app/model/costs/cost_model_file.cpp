#include "app/model/costs/cost_model_file.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/json/json.h"

namespace headway::model {

namespace {

using core::Error;
using core::ErrorKind;
using core::Result;
using devices::CostModel;
using devices::Family;
using devices::HostCosts;
using devices::kOpKinds;
using devices::LinkCosts;
using devices::OpCost;
using devices::OpKind;
using Json = nlohmann::json;

double ns_per_unit(double rate) {
    return rate > 0 ? 1e9 / rate : 0;
}

// Reads the fields of one object and keeps the first error.
class Fields {
public:
    Fields(json::Value object, std::string path, std::string& wrong)
        : object_(object), path_(std::move(path)), wrong_(wrong) {
        if (!object.is_object()) {
            fail(path_.empty() ? "the file must hold a JSON object" : path_ + " must be an object");
        }
    }

    [[nodiscard]] std::string name(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

    json::Value find(const std::string& key, bool required) {
        const json::Value found = object_[key];
        if (!found && required && object_.is_object()) {
            fail(name(key) + " is missing");
        }
        return found;
    }

    std::string text(const std::string& key) {
        const json::Value value = find(key, true);
        if (value && !value.is_text()) {
            fail(name(key) + " must be a text");
        }
        return std::string(value.text());
    }

    double nanoseconds(const std::string& key) {
        const json::Value value = find(key, true);
        const double ns = value.number().value_or(-1);
        if (value && !(ns >= 0 && ns <= devices::kLongestCostNs)) {
            fail(name(key) + " must be a number of nanoseconds from 0 to 1e15");
        }
        return std::max(ns, 0.0);
    }

    // A rate per second; 0 if the field is missing.
    double rate(const std::string& key) {
        const json::Value value = find(key, false);
        const double rate = value.number().value_or(-1);
        if (value && !(rate >= 1 && std::isfinite(rate))) {
            fail(name(key) + " must be a number of 1 or more a second");
        }
        return rate >= 1 ? rate : 0;
    }

    void allow_only(std::initializer_list<const char*> keys) {
        for (const auto& [key, value] : object_.members()) {
            if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
                fail(name(std::string(key)) + " is not a field of a cost model");
            }
        }
    }

    void fail(const std::string& what) {
        if (wrong_.empty()) {
            wrong_ = what;
        }
    }

private:
    json::Value object_;
    std::string path_;
    std::string& wrong_;
};

OpCost read_cost(json::Value object, const std::string& path, std::string& wrong) {
    Fields fields(object, path, wrong);
    fields.allow_only({"base_ns", "flops_per_s", "bytes_per_s"});
    OpCost cost;
    cost.base_ns = fields.nanoseconds("base_ns");
    cost.flops_per_s = fields.rate("flops_per_s");
    cost.bytes_per_s = fields.rate("bytes_per_s");
    cost.ns_per_flop = ns_per_unit(cost.flops_per_s);
    cost.ns_per_byte = ns_per_unit(cost.bytes_per_s);
    return cost;
}

Json json_of(const OpCost& cost) {
    Json json{{"base_ns", cost.base_ns}};
    if (cost.flops_per_s > 0) {
        json["flops_per_s"] = cost.flops_per_s;
    }
    if (cost.bytes_per_s > 0) {
        json["bytes_per_s"] = cost.bytes_per_s;
    }
    return json;
}

HostCosts read_host_costs(json::Value object, std::string& wrong) {
    HostCosts costs;
    Fields top(object, "", wrong);
    top.allow_only({"name", "source", "line_ns", "print_ns", "numpy"});
    costs.name = top.text("name");
    costs.source = top.text("source");
    costs.line_ns = top.nanoseconds("line_ns");
    costs.print_ns = top.nanoseconds("print_ns");
    if (const json::Value numpy = top.find("numpy", true)) {
        Fields fields(numpy, "numpy", wrong);
        fields.allow_only({"call_ns", "flops_per_s", "bytes_per_s", "random_per_s"});
        costs.numpy_call_ns = fields.nanoseconds("call_ns");
        costs.numpy_flops_per_s = fields.rate("flops_per_s");
        costs.numpy_bytes_per_s = fields.rate("bytes_per_s");
        costs.numpy_random_per_s = fields.rate("random_per_s");
    }
    return costs;
}

LinkCosts read_link_costs(json::Value object, std::string& wrong) {
    LinkCosts costs;
    Fields top(object, "", wrong);
    top.allow_only({"name", "source", "pcie", "nvlink"});
    costs.name = top.text("name");
    costs.source = top.text("source");
    for (const auto& [key, cost] : {std::pair{"pcie", &costs.pcie}, std::pair{"nvlink", &costs.nvlink}}) {
        if (const json::Value said = top.find(key, true)) {
            *cost = read_cost(said, key, wrong);
            if (cost->ns_per_flop > 0) {
                top.fail(std::string(key) + ".flops_per_s is not a field of a link");
            }
        }
    }
    return costs;
}

CostModel read_model(json::Value object, std::string& wrong) {
    CostModel model;
    Fields top(object, "", wrong);
    top.allow_only({"name", "source", "t1_ns", "t3_ns", "lanes_share", "families", "ops"});
    model.name = top.text("name");
    model.source = top.text("source");
    model.t1_ns = static_cast<std::uint64_t>(std::llround(top.nanoseconds("t1_ns")));
    model.t3_ns = static_cast<std::uint64_t>(std::llround(top.nanoseconds("t3_ns")));
    if (const json::Value share = top.find("lanes_share", false)) {
        if (share.is_bool()) {
            model.lanes_share = share.is_true();
        } else {
            top.fail("lanes_share must be true or false");
        }
    }
    if (const json::Value families = top.find("families", true)) {
        Fields fields(families, "families", wrong);
        std::size_t known = 0;
        for (std::size_t i = 0; i < CostModel::kFamilies; ++i) {
            const std::string family = name_of(static_cast<Family>(i));
            if (const json::Value cost = fields.find(family, true)) {
                model.family[i] = read_cost(cost, fields.name(family), wrong);
                ++known;
            }
        }
        if (wrong.empty() && known < families.members().size()) {
            wrong = "families holds a name that is not a family of ops";
        }
    }
    if (const json::Value ops = top.find("ops", false)) {
        Fields fields(ops, "ops", wrong);
        std::size_t known = 0;
        for (std::size_t i = 1; i < kOpKinds; ++i) {
            const std::string op = name_of(static_cast<OpKind>(i));
            if (const json::Value cost = fields.find(op, false)) {
                model.op[i] = read_cost(cost, fields.name(op), wrong);
                ++known;
            }
        }
        if (wrong.empty() && known < ops.members().size()) {
            wrong = "ops holds a name that is not an op";
        }
    }
    return model;
}

// `read` takes the JSON and returns an error text.
template <class Model, class Read>
Result<Model> parse_file(std::string_view text, const std::string& file, Read read) {
    const json::Document document(text);
    if (!document.root()) {
        const std::uint32_t line = json::line_of_error(text);
        return Error{ErrorKind::unreadable,
                     "The cost model " + file + " is not valid JSON at line " + std::to_string(line) + ".", file, line,
                     0};
    }
    std::string wrong;
    Model model = read(document.root(), wrong);
    if (!wrong.empty()) {
        return Error{ErrorKind::unreadable, "The cost model " + file + " cannot be used: " + wrong + ".", file, 0, 0};
    }
    return model;
}

Result<std::string> text_of_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in) {
        return Error{ErrorKind::unreadable, "The cost model " + path + " cannot be read.", path, 0, 0};
    }
    return text;
}

}  // namespace

Result<CostModel> parse_cost_model(std::string_view text, const std::string& file) {
    return parse_file<CostModel>(text, file, read_model);
}

Result<CostModel> load_cost_model(const std::string& path) {
    const auto text = text_of_file(path);
    return text ? parse_cost_model(*text, path) : Result<CostModel>(text.error());
}

Json json_of(const CostModel& model) {
    Json json{{"name", model.name}, {"source", model.source}, {"t1_ns", model.t1_ns}, {"t3_ns", model.t3_ns}};
    json["lanes_share"] = model.lanes_share;
    for (std::size_t i = 0; i < CostModel::kFamilies; ++i) {
        json["families"][name_of(static_cast<Family>(i))] = json_of(model.family[i]);
    }
    for (std::size_t i = 1; i < kOpKinds; ++i) {
        if (model.op[i]) {
            json["ops"][name_of(static_cast<OpKind>(i))] = json_of(*model.op[i]);
        }
    }
    return json;
}

Result<HostCosts> parse_host_costs(std::string_view text, const std::string& file) {
    return parse_file<HostCosts>(text, file, read_host_costs);
}

Result<HostCosts> load_host_costs(const std::string& path) {
    const auto text = text_of_file(path);
    return text ? parse_host_costs(*text, path) : Result<HostCosts>(text.error());
}

Json json_of(const HostCosts& costs) {
    return Json{{"name", costs.name},
                {"source", costs.source},
                {"line_ns", costs.line_ns},
                {"print_ns", costs.print_ns},
                {"numpy",
                 {{"call_ns", costs.numpy_call_ns},
                  {"flops_per_s", costs.numpy_flops_per_s},
                  {"bytes_per_s", costs.numpy_bytes_per_s},
                  {"random_per_s", costs.numpy_random_per_s}}}};
}

Result<LinkCosts> parse_link_costs(std::string_view text, const std::string& file) {
    return parse_file<LinkCosts>(text, file, read_link_costs);
}

Result<LinkCosts> load_link_costs(const std::string& path) {
    const auto text = text_of_file(path);
    return text ? parse_link_costs(*text, path) : Result<LinkCosts>(text.error());
}

Json json_of(const LinkCosts& costs) {
    return Json{{"name", costs.name},
                {"source", costs.source},
                {"pcie", json_of(costs.pcie)},
                {"nvlink", json_of(costs.nvlink)}};
}

}  // namespace headway::model
