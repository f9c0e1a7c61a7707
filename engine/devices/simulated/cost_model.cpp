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

// Reads the fields of one object and keeps the first thing that is wrong with it.
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

    // What one unit takes at a rate given per second.
    double ns_per_unit(const std::string& key) {
        const Json* value = find(key, false);
        const double rate = value != nullptr && value->is_number() ? value->get<double>() : -1;
        if (value != nullptr && !(rate >= 1 && std::isfinite(rate))) {
            fail(name(key) + " must be a number of 1 or more a second");
        }
        return rate >= 1 ? 1e9 / rate : 0;
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
    cost.ns_per_flop = fields.ns_per_unit("flops_per_s");
    cost.ns_per_byte = fields.ns_per_unit("bytes_per_s");
    return cost;
}

CostModel read_model(const Json& json, std::string& wrong) {
    CostModel model;
    Fields top(json, "", wrong);
    top.allow_only({"name", "source", "t1_ns", "t3_ns", "families", "ops"});
    model.name = top.text("name");
    model.source = top.text("source");
    model.t1_ns = static_cast<std::uint64_t>(std::llround(top.nanoseconds("t1_ns")));
    model.t3_ns = static_cast<std::uint64_t>(std::llround(top.nanoseconds("t3_ns")));
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

std::uint64_t CostModel::execute_ns(const Signature& signature) const {
    double ns = signature.simulated_ns;
    if (!(ns > 0)) {
        const auto& own = op[static_cast<std::size_t>(signature.kind)];
        const OpCost& cost = own ? *own : family[static_cast<std::size_t>(signature.family)];
        ns = cost.base_ns + std::max(cost.ns_per_flop * static_cast<double>(signature.flops),
                                     cost.ns_per_byte * static_cast<double>(signature.moved_bytes));
    }
    return static_cast<std::uint64_t>(std::llround(std::min(ns, kLongestNs)));
}

Result<CostModel> parse_cost_model(std::string_view text, const std::string& file) {
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
    CostModel model = read_model(json, wrong);
    if (!wrong.empty()) {
        return Error{ErrorKind::unreadable, "The cost model " + file + " cannot be used: " + wrong + ".", file, 0, 0};
    }
    return model;
}

Result<CostModel> load_cost_model(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in) {
        return Error{ErrorKind::unreadable, "The cost model " + path + " cannot be read.", path, 0, 0};
    }
    return parse_cost_model(text, path);
}

CostModel constant_costs(std::uint64_t t1_ns, std::uint64_t t2_ns, std::uint64_t t3_ns) {
    CostModel model;
    model.name = "constant costs";
    model.source = "chosen";
    model.t1_ns = t1_ns;
    model.t3_ns = t3_ns;
    model.family.fill({static_cast<double>(t2_ns), 0, 0});
    return model;
}

}  // namespace headway::devices
