// A run's names and metadata, read from the meta stream. Missing and unexpected values are tolerated.
#include <algorithm>
#include <cstring>

#include "app/json/json.h"
#include "app/model/costs/cost_model_file.h"
#include "app/model/run/intake.h"
#include "app/model/run/run_info.h"
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

void read_torch(json::Value torch, RunInfo& info) {
    info.torch = torch["torch"].text();
    info.cpu_ops.reset();
    info.cpu_ops_ns.reset();
    if (torch["cpu_ops"].integer()) {
        info.cpu_ops = torch["cpu_ops"].count();
        info.cpu_ops_ns = torch["cpu_ops_ns"].count();
    }
}

// Those that make no sense count as 1.
void read_speeds(json::Value speeds, RunInfo& info) {
    if (speeds.elements().empty() || info.device_costs.empty()) {
        return;
    }
    info.gpu_costs.assign(info.links->gpus(), info.device_costs[0]);
    std::size_t gpu = 0;
    for (const json::Value speed : speeds.elements()) {
        if (gpu < info.gpu_costs.size()) {
            const double said = speed.number().value_or(1);
            info.gpu_costs[gpu++].speed = said >= devices::kLeastSpeed && said <= devices::kMostSpeed ? said : 1;
        }
    }
}

void read_run_info(json::Value run, RunInfo& info) {
    info.program = run["program"].text();
    info.title = run["title"].text();
    info.frontend = run["frontend"].text();
    info.tab = run["tab"].text();
    read_torch(run, info);
    info.device_kind = run["device_kind"].text();
    info.device_name = run["device_name"].text();
    info.simulated = run["simulated"].is_true();
    info.foreign = run["foreign"].is_true();
    info.live_sampled = run["live_sampled"].is_true();
    info.left_out = run["left_out"].count();
    info.repaired = run["repaired"].count();
    info.file_cut_off = run["file_cut_off"].is_true();
    info.lane_streams.clear();
    for (const json::Value lane : run["lane_streams"].elements()) {
        // A lane belongs to its own stream or to that of an earlier lane; any other value is damaged.
        const auto own = static_cast<std::uint32_t>(info.lane_streams.size());
        const auto stream = lane.integer().value_or(own);
        if (own == core::kMaxTraceLanes) {
            break;
        }
        const bool good = stream >= 0 && stream < own && info.lane_streams[static_cast<std::size_t>(stream)] == stream;
        info.lane_streams.push_back(good ? static_cast<std::uint32_t>(stream) : own);
    }
    info.timing = run["timing"].text();
    info.timing_note = run["timing_note"].text();
    info.timing_uncertainty_ns = run["timing_uncertainty_ns"].count();
    info.launch = run["launch"].text();
    info.copies = run["copies"].text();
    info.products = run["products"].text();
    info.cpu = run["cpu"].text();
    info.os = run["os"].text();
    info.cores = static_cast<int>(std::min<std::uint64_t>(run["cores"].count(), 1u << 20));
    info.barrier = run["barrier"].text();
    info.free_policy = run["free_policy"].text();
    info.issue = run["issue"].text();
    info.profile = run["profile"].text();
    info.chosen.clear();
    for (const json::Value name : run["chosen"].elements()) {
        info.chosen.push_back(name.written());
    }
    const json::Value costs = run["cost_models"];
    info.cost_models = costs.is_object() ? costs.written() : std::string();
    info.device_costs.clear();
    for (const char* device : {"device", "beside"}) {
        auto model = parse_cost_model(costs[device].written(), "of the recording");
        if (!model) {
            break;
        }
        info.device_costs.push_back(std::move(*model));
    }
    info.links.reset();
    info.gpu_costs.clear();
    const auto topology = devices::topology_called(run["links"].text());
    if (const std::uint64_t gpus = run["gpus"].count(); topology && gpus > 1 && gpus <= core::kMaxGpus) {
        if (auto links = parse_link_costs(costs["links"].written(), "of the recording")) {
            info.links.emplace(*topology, static_cast<std::uint32_t>(gpus), std::move(*links));
            read_speeds(run["gpu_speeds"], info);
        }
    }
    info.workers = static_cast<std::uint32_t>(run["workers"].count());
    info.streams = static_cast<std::uint32_t>(run["streams"].count());
    info.queue_limit = static_cast<std::uint32_t>(run["queue_limit"].count());
    info.budget = run["budget"].count();
    info.budget_in_effect.reset();
    info.budget_is_default.reset();
    if (const json::Value by_default = run["budget_is_default"]; by_default.is_bool()) {
        info.budget_in_effect = run["budget_in_effect"].count();
        info.budget_is_default = by_default.is_true();
    }
    info.seed = run["seed"].count();
    info.date = run["date"].text();
    info.version = run["version"].text();
    info.parameters.clear();
    for (const auto& [name, value] : run["parameters"].members()) {
        info.parameters[std::string(name)] = value.written();
    }
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
