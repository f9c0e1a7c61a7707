// A run's names and metadata, read from the meta stream. Missing and unexpected values are tolerated.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "app/model/run/intake.h"
#include "engine/core/error_word.h"

namespace headway::model {

namespace {

using Json = nlohmann::json;

std::string text_of(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

template <class Number>
Number number_of(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end()) {
        return 0;
    }
    if (found->is_number_unsigned()) {
        return static_cast<Number>(found->get<std::uint64_t>());
    }
    if (found->is_number_integer()) {
        return static_cast<Number>(std::max<std::int64_t>(found->get<std::int64_t>(), 0));
    }
    return 0;
}

template <class T>
T& at_growing(std::vector<T>& list, std::size_t index) {
    if (index >= list.size()) {
        list.resize(index + 1);
    }
    return list[index];
}

// Early recordings have errors without a kind. In these the message of a run stopped by the learner starts with
// "stopped".
core::ErrorKind error_kind(const Json& error) {
    if (error.contains("kind")) {
        return core::error_kind_called(text_of(error, "kind")).value_or(core::ErrorKind::failed);
    }
    return text_of(error, "message").starts_with("stopped") ? core::ErrorKind::stopped : core::ErrorKind::failed;
}

// Names the lanes from `first` on; returns how many were named.
std::uint32_t name_lanes(const Json& json, std::uint32_t first, std::vector<Lane>& lanes) {
    const auto names = json.find("lanes");
    if (names == json.end() || !names->is_array()) {
        return 0;
    }
    std::uint32_t count = 0;
    for (; count < names->size() && first + count < core::kMaxTraceLanes; ++count) {
        const Json& name = (*names)[count];
        at_growing(lanes, first + count).name =
            name.is_string() ? name.get<std::string>() : "Lane " + std::to_string(first + count);
    }
    return count;
}

// Recordings store the kind's number; traces read from a file store its name.
devices::OpKind kind_of(std::uint16_t number, const std::string& name) {
    for (std::size_t i = 1; i < devices::kOpKinds; ++i) {
        const auto kind = static_cast<devices::OpKind>(i);
        if (number == i || (number == 0 && name == devices::name_of(kind))) {
            return kind;
        }
    }
    return devices::OpKind::none;
}

const std::string kNoText;
const Signature kNoSignature;

}  // namespace

void Run::take_facts() {
    reader_->each_meta([this](trace::MetaType type, std::uint16_t id, std::string_view text) {
        switch (type) {
            case trace::MetaType::string:
                at_growing(strings_, id) = text;
                break;
            case trace::MetaType::file:
                at_growing(files_, id) = text;
                break;
            case trace::MetaType::signature: {
                trace::SignatureInfo info;
                if (text.size() < sizeof info) {
                    break;
                }
                std::memcpy(&info, text.data(), sizeof info);
                text.remove_prefix(sizeof info);
                const std::size_t zero = std::min(text.find('\0'), text.size());
                Signature& signature = at_growing(signatures_, id);
                signature.shapes = text.substr(0, zero);
                signature.name = zero < text.size() ? text.substr(zero + 1) : std::string_view();
                constexpr auto kLastFamily = static_cast<std::uint8_t>(devices::Family::other);
                signature.family = static_cast<devices::Family>(std::min(info.family, kLastFamily));
                signature.kind = kind_of(info.op_kind, signature.name);
                signature.out_bytes = info.out_bytes;
                signature.flops = info.flops;
                signature.moved_bytes = info.moved_bytes;
                break;
            }
            case trace::MetaType::run:
                take_run(text);
                break;
            case trace::MetaType::error: {
                const Json json = Json::parse(text, nullptr, false);
                if (json.is_object()) {
                    error_ =
                        RunError{text_of(json, "message"), text_of(json, "file"),
                                 number_of<std::uint32_t>(json, "line"), number_of<OpId>(json, "op"), error_kind(json)};
                }
                break;
            }
            case trace::MetaType::result:
                result_ = text;
                break;
            case trace::MetaType::device:
                take_device(id, text);
                break;
        }
    });
}

void Run::take_run(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) {
        return;
    }
    info_.program = text_of(json, "program");
    info_.title = text_of(json, "title");
    info_.frontend = text_of(json, "frontend");
    info_.tab = text_of(json, "tab");
    info_.device_kind = text_of(json, "device_kind");
    info_.device_name = text_of(json, "device_name");
    const auto is_true = [&json](const char* key) {
        const auto found = json.find(key);
        return found != json.end() && found->is_boolean() && found->get<bool>();
    };
    info_.simulated = is_true("simulated");
    info_.foreign = is_true("foreign");
    info_.live_sampled = is_true("live_sampled");
    info_.left_out = number_of<std::uint64_t>(json, "left_out");
    info_.repaired = number_of<std::uint64_t>(json, "repaired");
    info_.file_cut_off = is_true("file_cut_off");
    info_.lane_streams.clear();
    if (const auto lanes = json.find("lane_streams"); lanes != json.end() && lanes->is_array()) {
        for (const auto& lane : *lanes) {
            // A lane belongs to its own stream or to that of an earlier lane; any other value is damaged.
            const auto own = static_cast<std::uint32_t>(info_.lane_streams.size());
            const auto stream = lane.is_number_unsigned() ? lane.get<std::uint64_t>() : own;
            if (own == core::kMaxTraceLanes) {
                break;
            }
            const bool good = stream < own && info_.lane_streams[stream] == stream;
            info_.lane_streams.push_back(good ? static_cast<std::uint32_t>(stream) : own);
        }
    }
    info_.timing = text_of(json, "timing");
    info_.timing_note = text_of(json, "timing_note");
    info_.timing_uncertainty_ns = number_of<std::uint64_t>(json, "timing_uncertainty_ns");
    info_.launch = text_of(json, "launch");
    info_.copies = text_of(json, "copies");
    info_.products = text_of(json, "products");
    info_.cpu = text_of(json, "cpu");
    info_.os = text_of(json, "os");
    info_.cores = static_cast<int>(std::min<std::uint32_t>(number_of<std::uint32_t>(json, "cores"), 1u << 20));
    info_.barrier = text_of(json, "barrier");
    info_.free_policy = text_of(json, "free_policy");
    info_.issue = text_of(json, "issue");
    info_.profile = text_of(json, "profile");
    info_.chosen.clear();
    if (const auto chosen = json.find("chosen"); chosen != json.end() && chosen->is_array()) {
        for (const auto& name : *chosen) {
            info_.chosen.push_back(name.is_string() ? name.get<std::string>() : name.dump());
        }
    }
    const auto costs = json.find("cost_models");
    info_.cost_models = costs != json.end() && costs->is_object() ? costs->dump() : std::string();
    info_.device_costs.clear();
    for (const char* device : {"device", "beside"}) {
        const bool named = !info_.cost_models.empty() && costs->contains(device);
        auto model = named ? devices::parse_cost_model(costs->at(device).dump(), "of the recording")
                           : core::Result<devices::CostModel>(core::Error{});
        if (!model) {
            break;
        }
        info_.device_costs.push_back(std::move(*model));
    }
    info_.workers = number_of<std::uint32_t>(json, "workers");
    info_.streams = number_of<std::uint32_t>(json, "streams");
    info_.queue_limit = number_of<std::uint32_t>(json, "queue_limit");
    info_.budget = number_of<std::uint64_t>(json, "budget");
    info_.budget_in_effect.reset();
    info_.budget_is_default.reset();
    if (const auto found = json.find("budget_is_default"); found != json.end() && found->is_boolean()) {
        info_.budget_in_effect = number_of<std::uint64_t>(json, "budget_in_effect");
        info_.budget_is_default = found->get<bool>();
    }
    info_.seed = number_of<std::uint64_t>(json, "seed");
    info_.date = text_of(json, "date");
    info_.version = text_of(json, "version");
    info_.parameters.clear();
    if (const auto parameters = json.find("parameters"); parameters != json.end() && parameters->is_object()) {
        for (const auto& [name, value] : parameters->items()) {
            info_.parameters[name] = value.is_string() ? value.get<std::string>() : value.dump();
        }
    }
    const std::uint32_t lanes = name_lanes(json, 0, lanes_);
    RunDevice& device = devices_[0];
    device.kind = info_.device_kind;
    device.name = info_.device_name;
    device.simulated = info_.simulated;
    device.lanes = lanes;
}

// A device that joined while the program was running. All earlier records belong to the first device.
void Run::take_device(std::size_t number, std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || number == 0 || number != devices_.size() || number >= core::kMaxDevices) {
        return;
    }
    if (number == 1) {
        devices_[0].live.take(live_);
        devices_[0].pending.take(pending_);
        devices_[0].reserved.take(reserved_);
    }
    RunDevice device;
    device.kind = text_of(json, "kind");
    device.name = text_of(json, "name");
    const auto simulated = json.find("simulated");
    device.simulated = simulated != json.end() && simulated->is_boolean() && simulated->get<bool>();
    device.first_lane = std::min(number_of<std::uint32_t>(json, "first_lane"), core::kMaxTraceLanes);
    device.lanes = name_lanes(json, device.first_lane, lanes_);
    if (device.kind == "cpu") {
        info_.workers = device.lanes;
    }
    devices_.push_back(std::move(device));
    intake_->memory.keep_devices(devices_);
}

std::string profile_words(const RunInfo& info) {
    if (info.profile.empty()) {
        return "";
    }
    std::string own, chosen;
    const auto add = [&](const char* name, const std::string& words) {
        const bool is_chosen = std::find(info.chosen.begin(), info.chosen.end(), name) != info.chosen.end();
        std::string& list = is_chosen ? chosen : own;
        list += (list.empty() ? "" : ", ") + words;
    };
    const bool cpu = info.device_kind == "cpu";
    const std::uint32_t lanes = cpu ? info.workers : info.streams;
    add(cpu ? "workers" : "streams", std::to_string(lanes) + (cpu ? " worker" : " stream") + (lanes == 1 ? "" : "s"));
    add("free_policy", "free policy " + info.free_policy);
    return "profile " + info.profile + (own.empty() ? "" : ": " + own) + (chosen.empty() ? "" : "; chosen: " + chosen);
}

const std::string& Run::string(std::uint16_t id) const {
    return id < strings_.size() ? strings_[id] : kNoText;
}

const Signature& Run::signature(std::uint16_t id) const {
    return id < signatures_.size() ? signatures_[id] : kNoSignature;
}

const std::string& Run::file(std::uint32_t file_id) const {
    return file_id < files_.size() ? files_[file_id] : kNoText;
}

std::string Run::line_text(core::Line line) const {
    if (line == 0) {
        return "";
    }
    const std::string& path = file(core::file_of(line));
    const std::string number = std::to_string(core::number_of(line));
    return path.empty() ? "line " + number : path.substr(path.find_last_of('/') + 1) + ":" + number;
}

}  // namespace headway::model
