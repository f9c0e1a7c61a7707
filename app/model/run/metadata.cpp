// A run's names and metadata, read from the meta stream. Missing and unexpected values are tolerated.
#include <algorithm>
#include <cstring>

#include "app/json/json.h"
#include "app/model/description/run_info.h"
#include "app/model/run/intake.h"
#include "engine/core/error_word.h"

namespace headway::model {

namespace {

template <class T>
T& at_growing(std::vector<T>& list, std::size_t index) {
    if (index >= list.size()) {
        list.resize(index + 1);
    }
    return list[index];
}

// Early recordings have errors without a kind. In these the message of a run stopped by the learner starts with
// "stopped".
core::ErrorKind error_kind(json::Value error) {
    if (const json::Value kind = error["kind"]) {
        return core::error_kind_called(kind.text()).value_or(core::ErrorKind::failed);
    }
    return error["message"].text().starts_with("stopped") ? core::ErrorKind::stopped : core::ErrorKind::failed;
}

// Names the lanes from `first` on; returns how many were named.
std::uint32_t name_lanes(json::Value names, std::uint32_t first, std::vector<Lane>& lanes) {
    std::uint32_t count = 0;
    for (const json::Value name : names.elements()) {
        if (first + count >= core::kMaxTraceLanes) {
            break;
        }
        at_growing(lanes, first + count).name =
            name.is_text() ? std::string(name.text()) : "Lane " + std::to_string(first + count);
        ++count;
    }
    return count;
}

// Recordings store the kind's number; traces read from a file store its name.
devices::OpKind kind_of(std::uint16_t number, const std::string& name) {
    return number == 0                  ? devices::kind_called(name)
           : number < devices::kOpKinds ? static_cast<devices::OpKind>(number)
                                        : devices::OpKind::none;
}

const std::string kNoText;
const Signature kNoSignature;

}  // namespace

void Run::take_metadata() {
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
                const json::Document document(text);
                if (const json::Value error = document.root(); error.is_object()) {
                    error_ = RunError{std::string(error["message"].text()), std::string(error["file"].text()),
                                      static_cast<std::uint32_t>(error["line"].count()),
                                      static_cast<OpId>(error["op"].count()), error_kind(error)};
                }
                break;
            }
            case trace::MetaType::result:
                result_ = text;
                break;
            case trace::MetaType::end: {
                const json::Document document(text);
                const json::Value end = document.root();
                if (const auto verdict = verdict_called(end["verdict"].text())) {
                    recorded_end_ =
                        RunEnd{*verdict, std::string(end["sentence"].text()), std::string(end["missing"].text())};
                }
                break;
            }
            case trace::MetaType::device:
                take_device(id, text);
                break;
            case trace::MetaType::torch: {
                const json::Document document(text);
                read_torch(document.root(), info_);
                break;
            }
        }
    });
}

void Run::take_run(std::string_view text) {
    const json::Document document(text);
    const json::Value run = document.root();
    if (!run.is_object()) {
        return;
    }
    read_run_info(run, info_);
    const std::uint32_t lanes = name_lanes(run["lanes"], 0, lanes_);
    RunDevice& device = devices_[0];
    device.kind = info_.device_kind;
    device.name = info_.device_name;
    device.simulated = info_.simulated;
    device.lanes = lanes;
    links_.clear();
    if (info_.links) {
        for (const devices::Links::Link& link : info_.links->list()) {
            links_.push_back({link.name});
        }
    }
}

// A device that joined while the program was running. All earlier records belong to the first device.
void Run::take_device(std::size_t number, std::string_view text) {
    const json::Document document(text);
    const json::Value said = document.root();
    if (!said.is_object() || number == 0 || number != devices_.size() || number >= core::kMaxDevices) {
        return;
    }
    if (number == 1) {
        devices_[0].live.take(live_);
        devices_[0].pending.take(pending_);
        devices_[0].reserved.take(reserved_);
    }
    RunDevice device;
    device.kind = said["kind"].text();
    device.name = said["name"].text();
    device.simulated = said["simulated"].is_true();
    device.first_lane =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(said["first_lane"].count(), core::kMaxTraceLanes));
    device.lanes = name_lanes(said["lanes"], device.first_lane, lanes_);
    if (device.kind == "cpu") {
        info_.workers = device.lanes;
    }
    devices_.push_back(std::move(device));
    intake_->memory.keep_devices(devices_);
}

std::string speed_words(const RunInfo& info) {
    std::vector<double> speeds;
    for (const devices::CostModel& gpu : info.gpu_costs) {
        speeds.push_back(gpu.speed);
    }
    return devices::text_of_speeds(speeds);
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
