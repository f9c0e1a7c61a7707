#include "engine/devices/simulated/cost_model.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>

namespace headway::devices {

namespace {

using core::Error;
using core::ErrorKind;
using core::Result;
using Json = nlohmann::json;

constexpr double kLongestNs = 1e15;  // 11 days

double ns_per_unit(double rate) {
    return rate > 0 ? 1e9 / rate : 0;
}

// Reads the fields of one object and keeps the first error.
class Fields {
public:
    Fields(const Json& object, std::string path, std::string& wrong)
        : object_(object), path_(std::move(path)), wrong_(wrong) {
        if (!object.is_object()) {
            fail(path_.empty() ? "the file must hold a JSON object" : path_ + " must be an object");
        }
    }

    [[nodiscard]] std::string name(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

    const Json* find(const std::string& key, bool required) {
        if (object_.is_object()) {
            if (const auto found = object_.find(key); found != object_.end()) {
                return &*found;
            }
            if (required) {
                fail(name(key) + " is missing");
            }
        }
        return nullptr;
    }

    std::string text(const std::string& key) {
        const Json* value = find(key, true);
        if (value != nullptr && !value->is_string()) {
            fail(name(key) + " must be a text");
            return {};
        }
        return value != nullptr ? value->get<std::string>() : std::string();
    }

    double nanoseconds(const std::string& key) {
        const Json* value = find(key, true);
        const double ns = value != nullptr && value->is_number() ? value->get<double>() : -1;
        if (value != nullptr && !(ns >= 0 && ns <= kLongestNs)) {
            fail(name(key) + " must be a number of nanoseconds from 0 to 1e15");
        }
        return std::max(ns, 0.0);
    }

    // A rate per second; 0 if the field is missing.
    double rate(const std::string& key) {
        const Json* value = find(key, false);
        const double rate = value != nullptr && value->is_number() ? value->get<double>() : -1;
        if (value != nullptr && !(rate >= 1 && std::isfinite(rate))) {
            fail(name(key) + " must be a number of 1 or more a second");
        }
        return rate >= 1 ? rate : 0;
    }

    void allow_only(std::initializer_list<const char*> keys) {
        if (!object_.is_object()) {
            return;
        }
        for (const auto& [key, value] : object_.items()) {
            if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
                fail(name(key) + " is not a field of a cost model");
            }
        }
    }

    void fail(const std::string& what) {
        if (wrong_.empty()) {
            wrong_ = what;
        }
    }

private:
    const Json& object_;
    std::string path_;
    std::string& wrong_;
};

OpCost read_cost(const Json& object, const std::string& path, std::string& wrong) {
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

HostCosts read_host_costs(const Json& json, std::string& wrong) {
    HostCosts costs;
    Fields top(json, "", wrong);
    top.allow_only({"name", "source", "line_ns", "print_ns", "numpy"});
    costs.name = top.text("name");
    costs.source = top.text("source");
    costs.line_ns = top.nanoseconds("line_ns");
    costs.print_ns = top.nanoseconds("print_ns");
    if (const Json* numpy = top.find("numpy", true)) {
        Fields fields(*numpy, "numpy", wrong);
        fields.allow_only({"call_ns", "flops_per_s", "bytes_per_s", "random_per_s"});
        costs.numpy_call_ns = fields.nanoseconds("call_ns");
        costs.numpy_flops_per_s = fields.rate("flops_per_s");
        costs.numpy_bytes_per_s = fields.rate("bytes_per_s");
        costs.numpy_random_per_s = fields.rate("random_per_s");
    }
    return costs;
}

CostModel read_model(const Json& json, std::string& wrong) {
    CostModel model;
    Fields top(json, "", wrong);
    top.allow_only({"name", "source", "t1_ns", "t3_ns", "lanes_share", "families", "ops"});
    model.name = top.text("name");
    model.source = top.text("source");
    model.t1_ns = static_cast<std::uint64_t>(std::llround(top.nanoseconds("t1_ns")));
    model.t3_ns = static_cast<std::uint64_t>(std::llround(top.nanoseconds("t3_ns")));
    if (const Json* share = top.find("lanes_share", false)) {
        if (share->is_boolean()) {
            model.lanes_share = share->get<bool>();
        } else {
            top.fail("lanes_share must be true or false");
        }
    }
    if (const Json* families = top.find("families", true)) {
        Fields fields(*families, "families", wrong);
        std::size_t known = 0;
        for (std::size_t i = 0; i < CostModel::kFamilies; ++i) {
            const std::string family = name_of(static_cast<Family>(i));
            if (const Json* cost = fields.find(family, true)) {
                model.family[i] = read_cost(*cost, fields.name(family), wrong);
                ++known;
            }
        }
        if (wrong.empty() && known < families->size()) {
            wrong = "families holds a name that is no family of ops";
        }
    }
    if (const Json* ops = top.find("ops", false)) {
        Fields fields(*ops, "ops", wrong);
        std::size_t known = 0;
        for (std::size_t i = 1; i < kOpKinds; ++i) {
            const std::string op = name_of(static_cast<OpKind>(i));
            if (const Json* cost = fields.find(op, false)) {
                model.op[i] = read_cost(*cost, fields.name(op), wrong);
                ++known;
            }
        }
        if (wrong.empty() && known < ops->size()) {
            wrong = "ops holds a name that is no op";
        }
    }
    return model;
}

}  // namespace

TaskCost CostModel::cost_of(const Signature& signature) const {
    TaskCost cost;
    cost.resource = signature.kind == OpKind::copy_to_device ? 1 : signature.kind == OpKind::copy_to_host ? 2 : 0;
    double ns = signature.simulated_ns;
    if (!(ns > 0)) {
        const auto& own = op[static_cast<std::size_t>(signature.kind)];
        const OpCost& rates = own ? *own : family[static_cast<std::size_t>(signature.family)];
        const double throughput_ns = std::max(rates.ns_per_flop * static_cast<double>(signature.flops),
                                              rates.ns_per_byte * static_cast<double>(signature.moved_bytes));
        ns = rates.base_ns + throughput_ns;
        cost.share = lanes_share && ns > 0 ? throughput_ns / ns : 0;
    }
    cost.ns = static_cast<std::uint64_t>(std::llround(std::min(ns, kLongestNs)));
    return cost;
}

std::uint64_t CostModel::execute_ns(const Signature& signature) const {
    return cost_of(signature).ns;
}

namespace {

// `read` takes the JSON and returns an error text.
template <class Model, class Read>
Result<Model> parse_file(std::string_view text, const std::string& file, Read read) {
    Json json;
    try {
        json = Json::parse(text);
    } catch (const Json::parse_error& error) {
        const auto upto = std::min(text.size(), error.byte > 0 ? error.byte - 1 : 0);
        const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(upto), '\n');
        return Error{ErrorKind::unreadable,
                     "The cost model " + file + " is not valid JSON at line " + std::to_string(line) + ".", file,
                     static_cast<std::uint32_t>(line), 0};
    }
    std::string wrong;
    Model model = read(json, wrong);
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

std::string to_json(const CostModel& model) {
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
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<HostCosts> parse_host_costs(std::string_view text, const std::string& file) {
    return parse_file<HostCosts>(text, file, read_host_costs);
}

Result<HostCosts> load_host_costs(const std::string& path) {
    const auto text = text_of_file(path);
    return text ? parse_host_costs(*text, path) : Result<HostCosts>(text.error());
}

std::string to_json(const HostCosts& costs) {
    return Json{{"name", costs.name},
                {"source", costs.source},
                {"line_ns", costs.line_ns},
                {"print_ns", costs.print_ns},
                {"numpy",
                 {{"call_ns", costs.numpy_call_ns},
                  {"flops_per_s", costs.numpy_flops_per_s},
                  {"bytes_per_s", costs.numpy_bytes_per_s},
                  {"random_per_s", costs.numpy_random_per_s}}}}
        .dump(-1, ' ', false, Json::error_handler_t::replace);
}

CostModel constant_costs(std::uint64_t t1_ns, std::uint64_t t2_ns, std::uint64_t t3_ns) {
    CostModel model;
    model.name = "constant costs";
    model.source = "chosen";
    model.t1_ns = t1_ns;
    model.t3_ns = t3_ns;
    model.family.fill({static_cast<double>(t2_ns), 0, 0, 0, 0});
    return model;
}

}  // namespace headway::devices
