// Reads Headway's own traces, without loss.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "app/exchange/chrome/chrome_formats.h"
#include "app/exchange/chrome/chrome_writer.h"
#include "engine/trace/format.h"

namespace headway::exchange {

namespace {

using Json = nlohmann::json;

std::string text_at(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint64_t count_at(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number()) {
        return 0;
    }
    return found->is_number_unsigned() ? found->get<std::uint64_t>()
                                       : static_cast<std::uint64_t>(std::clamp(found->get<double>(), 0.0, 9e18));
}

bool is_true(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_boolean() && found->get<bool>();
}

// Parses "123.456" as text, so that no digit is lost.
std::int64_t ns_at(const Json& json, const char* key, std::int64_t otherwise) {
    const auto found = json.find(key);
    if (found == json.end()) {
        return otherwise;
    }
    return ns_from_us(found->is_string() ? found->get<std::string>() : found->dump()).value_or(otherwise);
}

std::uint64_t number(RawJson json) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(integer_from(json).value_or(0), 0));
}
std::uint32_t small(RawJson json) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(number(json), UINT32_MAX));
}

class OwnFormat final : public TraceFormat {
public:
    explicit OwnFormat(const std::string& other_data) { metadata(Json::parse(other_data, nullptr, false)); }

    void take(const ChromeEvent& event) override {
        ++events_;
        if (event.phase == 'C') {
            counter(event);
            return;
        }
        if (event.phase != 'X' && event.phase != 'i') {
            return;  // names and arrows are redundant
        }
        const std::int64_t tid = integer_from(event.tid).value_or(0);
        if (!event.time.has_ns() || event.duration.ns < 0) {
            ++odd_;
        } else if (tid == kFrontendTid) {
            issue(event);
        } else if (tid == kWaitsTid) {
            wait(event);
        } else if (tid == kWorkTid) {
            builder_.works.push_back({event.time.ns, event.time.ns + event.duration.ns, text_from(event.name),
                                      line_of(event), small(event.argument("issued"))});
        } else if (tid == kMinibatchesTid) {
            minibatch(event);
        } else if (tid == kDropsTid) {
            builder_.drops.push_back({event.time.ns, small(event.argument("buffer")), small(event.argument("after"))});
        } else if (tid == kCostsTid) {
            cost(event);
        } else if (tid == kLaunchTid) {
            if (const core::OpId id = op_of(event); id != 0) {
                builder_.launches.push_back({event.time.ns, event.time.ns + event.duration.ns, id});
            }
        } else if (tid == kDriverTid) {
            builder_.driver.push_back({event.time.ns, event.time.ns + event.duration.ns,
                                       static_cast<trace::DriverKind>(std::min(small(event.argument("kind")), 255u)),
                                       number(event.argument("bytes")), small(event.argument("stream"))});
        } else if (tid >= kFirstLaneTid && bare(event.category) == kHoldCategory) {
            builder_.holds.push_back(
                {event.time.ns, event.time.ns + event.duration.ns, static_cast<std::uint32_t>(tid - kFirstLaneTid)});
        } else if (tid >= kFirstLaneTid && !event.argument("part_of").empty()) {
            part(event, static_cast<std::size_t>(tid - kFirstLaneTid));
        } else if (tid >= kFirstLaneTid) {
            execution(event, static_cast<std::size_t>(tid - kFirstLaneTid));
        } else if (tid >= kFirstScopeTid) {
            scope(event, static_cast<int>(tid - kFirstScopeTid));
        }
    }

    core::Result<RunBuilder> finish(const std::map<std::string, std::string>&, TraceNotes& notes) override {
        settle_ops(notes);
        notes.repaired(odd_lanes_, counted(odd_lanes_, "issue names", "issues name") +
                                       " a lane that cannot be (the first, " + first_odd_lane_ + "; lanes are 0 to " +
                                       std::to_string(core::kMaxTraceLanes - 1) +
                                       "): such an op is shown where it ran, and in lane 0 where it did not run.");
        notes.repaired(odd_devices_.empty() ? 0 : 1, odd_devices_);
        const auto by_begin = [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; };
        std::stable_sort(builder_.scopes.begin(), builder_.scopes.end(), by_begin);
        for (auto& lane : builder_.lanes) {
            if (!std::is_sorted(lane.begin(), lane.end(), by_begin)) {
                std::stable_sort(lane.begin(), lane.end(), by_begin);
            }
        }
        std::stable_sort(builder_.samples.begin(), builder_.samples.end(),
                         [](const auto& a, const auto& b) { return a.ns < b.ns; });
        merge_samples();
        const auto by_op = [](const auto& a, const auto& b) { return a.op < b.op; };
        std::stable_sort(builder_.launches.begin(), builder_.launches.end(), by_op);
        std::erase_if(builder_.launches, [this](const auto& launch) { return launch.op > builder_.ops.size(); });
        for (auto& parts : builder_.parts) {
            std::stable_sort(parts.begin(), parts.end(), by_op);
        }
        std::stable_sort(builder_.more_outputs.begin(), builder_.more_outputs.end(), by_op);
        notes.left_out(odd_,
                       counted(odd_, "event that makes no sense was", "events that make no sense were") + " left out.");
        return std::move(builder_);
    }

private:
    void metadata(const Json& json);

    // The number of the event's op; 0 if it is impossible.
    core::OpId op_of(const ChromeEvent& event, const char* name = "op") const {
        const std::uint64_t id = number(event.argument(name));
        return id <= 2 * events_ + (1u << 16) && id < trace::kPart ? static_cast<core::OpId>(id) : 0;
    }

    core::Line line_of(const ChromeEvent& event) {
        const auto text = bare(event.argument("line"));
        std::uint32_t line = 0;
        const std::size_t at = text.find_last_of(": ");
        const char* begin = text.data() + (at == std::string_view::npos ? 0 : at + 1);
        std::from_chars(begin, text.data() + text.size(), line);
        return line == 0 ? 0 : core::make_line(small(event.argument("file")), line);
    }

    void issue(const ChromeEvent& event) {
        const core::OpId id = op_of(event);
        if (id == 0) {
            ++odd_;
            return;
        }
        if (id > builder_.ops.size()) {
            builder_.ops.resize(id);
        }
        RunBuilder::Op& op = builder_.ops[id - 1];
        op.known = true;
        op.issue_begin_ns = event.time.ns;
        op.issue_end_ns = event.time.ns + event.duration.ns;
        op.line = line_of(event);
        op.out = small(event.argument("out"));
        op.signature = static_cast<std::uint16_t>(std::min(small(event.argument("sig")), 65'535u));
        op.lane = lane_of(event, id);
        op.flags = static_cast<std::uint8_t>((event.argument("bytes").empty() ? 0 : trace::kFreshOutput) |
                                             (event.argument("in_place").empty() ? 0 : trace::kReadsOutput) |
                                             (event.argument("unissued").empty() ? 0 : trace::kNotIssued) |
                                             (event.argument("beside").empty() ? 0 : trace::kOutBeside));
        inputs(event.argument("in"), id, op);
        outputs(event.argument("made"), id, true);
        outputs(event.argument("changed"), id, false);
        if (event.argument("sig").empty()) {
            op.signature = signature_of(event);
        }
    }

    // The lane that an op was issued to. An impossible number becomes 0, or later the lane in which the op ran.
    std::uint8_t lane_of(const ChromeEvent& event, core::OpId id) {
        const RawJson said = event.argument("lane");
        const auto lane = integer_from(said);
        if (!said.empty() && (!lane || *lane < 0 || *lane >= static_cast<std::int64_t>(core::kMaxTraceLanes))) {
            if (odd_lanes_++ == 0) {
                first_odd_lane_ = "op " + std::to_string(id) + ": " + std::string(said.substr(0, 40));
            }
            return 0;
        }
        return static_cast<std::uint8_t>(lane.value_or(0));
    }

    // The list has the form buffer, signature, buffer, signature, …
    void outputs(RawJson list, core::OpId id, bool fresh) {
        core::BufferId buffer = 0;
        bool second = false;
        each_number(list, [&](std::uint32_t value) {
            if (second) {
                builder_.more_outputs.push_back(
                    {id, buffer, static_cast<std::uint16_t>(std::min(value, 65'535u)), fresh});
            }
            buffer = value;
            second = !second;
        });
    }

    template <class Call>
    static void each_number(RawJson list, Call call) {
        for (std::size_t i = 0; i < list.size();) {
            if (list[i] < '0' || list[i] > '9') {
                ++i;
                continue;
            }
            std::uint32_t value = 0;
            const auto [end, problem] = std::from_chars(list.data() + i, list.data() + list.size(), value);
            i = static_cast<std::size_t>(end - list.data());
            if (problem == std::errc()) {
                call(value);
            }
        }
    }

    void inputs(RawJson list, core::OpId id, RunBuilder::Op& op) {
        int place = 0;
        each_number(list, [&](core::BufferId buffer) {
            if (place == 0) {
                op.in0 = buffer;
            } else if (place == 1) {
                op.in1 = buffer;
            } else {
                builder_.more_inputs.push_back({id, buffer});
            }
            ++place;
        });
    }

    // Traces older than the signature table: creates a signature from the op's name and bytes.
    std::uint16_t signature_of(const ChromeEvent& event) {
        const std::string name = text_from(event.name);
        const std::uint64_t bytes = number(event.argument("bytes"));
        const auto [at, fresh] = found_.try_emplace(name + '\0' + std::to_string(bytes), std::uint16_t{0});
        if (fresh && builder_.signatures.size() < 65'535) {
            builder_.signatures.resize(std::max<std::size_t>(builder_.signatures.size(), 1));
            at->second = static_cast<std::uint16_t>(builder_.signatures.size());
            builder_.signatures.push_back({name, "", devices::Family::other, bytes, 0, 0});
        }
        return at->second;
    }

    void execution(const ChromeEvent& event, std::size_t lane) {
        const core::OpId id = op_of(event);
        if (id == 0 || lane >= core::kMaxTraceLanes) {
            ++odd_;
            return;
        }
        if (lane >= builder_.lanes.size()) {
            builder_.lanes.resize(lane + 1);
        }
        builder_.lanes[lane].push_back(
            {event.time.ns, event.time.ns + event.duration.ns, id, !event.argument("failed").empty()});
    }

    void part(const ChromeEvent& event, std::size_t lane) {
        const core::OpId id = op_of(event, "part_of");
        if (id == 0 || lane >= core::kMaxTraceLanes) {
            ++odd_;
            return;
        }
        if (lane >= builder_.parts.size()) {
            builder_.parts.resize(lane + 1);
        }
        builder_.parts[lane].push_back({event.time.ns, event.time.ns + event.duration.ns, id,
                                        static_cast<std::uint16_t>(std::min(small(event.argument("sig")), 65'535u))});
    }

    void wait(const ChromeEvent& event) {
        model::Wait wait;
        wait.begin_ns = event.time.ns;
        wait.end_ns = event.time.ns + event.duration.ns;
        wait.kind = static_cast<trace::WaitKind>(std::min(small(event.argument("kind")), 255u));
        wait.name = text_from(event.name);
        wait.line = line_of(event);
        const auto device = event.argument("device");
        wait.device = device.empty() ? -1 : static_cast<int>(std::min(small(device), core::kMaxDevices - 1));
        wait.target = small(event.argument("target"));
        wait.issued = small(event.argument("issued"));
        wait.waits_through = wait.target != 0 ? 0 : small(event.argument("through"));
        builder_.waits.push_back(std::move(wait));
    }

    void cost(const ChromeEvent& event) {
        const auto fraction = [&event](const char* name) {
            const std::string text(bare(event.argument(name)));
            return std::clamp(std::strtod(text.c_str(), nullptr), 0.0, 1e6);
        };
        const std::uint32_t kind = small(event.argument("kind"));
        if (kind < 1 || kind > static_cast<std::uint32_t>(trace::CostKind::totals)) {
            ++odd_;
            return;
        }
        model::Cost cost;
        cost.kind = static_cast<trace::CostKind>(kind);
        cost.begin_ns = event.time.ns;
        cost.end_ns = event.time.ns + event.duration.ns;
        cost.language_ns = static_cast<std::int64_t>(number(event.argument("language_ns")));
        cost.amount_ns = number(event.argument("without_core_ns"));
        cost.weight = small(event.argument("weight"));
        cost.minor_faults = small(event.argument("minor_faults"));
        cost.major_faults = small(event.argument("major_faults"));
        cost.stamp_ns = fraction("stamp_ns");
        cost.sampling_ns = fraction("sampling_ns");
        builder_.costs.push_back(cost);
    }

    void scope(const ChromeEvent& event, int depth) {
        const bool open = !event.argument("open").empty();
        builder_.scopes.push_back(
            {text_from(event.name), event.time.ns, open ? model::kPending : event.time.ns + event.duration.ns, depth});
    }

    void minibatch(const ChromeEvent& event) {
        model::Minibatch batch;
        const auto index = event.argument("index");
        const auto name = bare(event.name);
        batch.index = static_cast<std::int32_t>(
            std::min(small(index.empty() ? name.substr(name.find_last_of(' ') + 1) : index), 0x7fff'ffffu));
        batch.issue_begin_ns = event.time.ns;
        batch.issue_end_ns = event.argument("open").empty() ? event.time.ns + event.duration.ns : model::kPending;
        batch.first = small(event.argument("first"));
        batch.last = small(event.argument("last"));
        builder_.minibatches.push_back(batch);
    }

    void counter(const ChromeEvent& event) {
        const auto name = bare(event.name);
        const std::uint64_t bytes = number(event.argument("bytes"));
        if (name == "resident bytes") {
            builder_.samples.push_back({event.time.ns, bytes, kUnknown, kUnknown, kUnknown});
        } else if (name == "live bytes" && builder_.info.live_sampled) {
            builder_.samples.push_back({event.time.ns, kUnknown, bytes, kUnknown, kUnknown});
        } else if (name == "reserved bytes") {
            builder_.samples.push_back({event.time.ns, kUnknown, kUnknown, bytes, kUnknown});
        } else if (name == kReservedSecondDevice) {
            builder_.samples.push_back({event.time.ns, kUnknown, kUnknown, kUnknown, bytes});
        }
    }

    // Each counter has events of its own in the file; samples contain all counters.
    void merge_samples() {
        std::vector<RunBuilder::Sample> merged;
        RunBuilder::Sample last;
        for (const RunBuilder::Sample& sample : builder_.samples) {
            const auto take = [](std::uint64_t& value, std::uint64_t now) { value = now != kUnknown ? now : value; };
            take(last.resident_bytes, sample.resident_bytes);
            take(last.live_bytes, sample.live_bytes);
            take(last.reserved_bytes, sample.reserved_bytes);
            take(last.second_device_bytes, sample.second_device_bytes);
            last.ns = sample.ns;
            if (!merged.empty() && merged.back().ns == sample.ns) {
                merged.back() = last;
            } else {
                merged.push_back(last);
            }
        }
        builder_.samples = std::move(merged);
    }

    // Missing ops keep their place, but have no effect.
    void settle_ops(TraceNotes& notes) {
        std::uint64_t missing = 0;
        std::int64_t before_ns = 0;
        for (RunBuilder::Op& op : builder_.ops) {
            if (!op.known) {
                ++missing;
                op.issue_begin_ns = op.issue_end_ns = before_ns;
                op.flags = trace::kNotIssued;
            }
            before_ns = op.issue_begin_ns;
        }
        notes.repaired(missing, missing == 1 ? std::string("The issue of 1 op is missing.")
                                             : "The issues of " + std::to_string(missing) + " ops are missing.");
        if (!std::is_sorted(builder_.more_inputs.begin(), builder_.more_inputs.end(),
                            [](const auto& a, const auto& b) { return a.op < b.op; })) {
            std::stable_sort(builder_.more_inputs.begin(), builder_.more_inputs.end(),
                             [](const auto& a, const auto& b) { return a.op < b.op; });
        }
        std::uint64_t astray = 0;
        for (auto& lane : builder_.lanes) {
            astray += std::erase_if(lane, [this](const auto& exec) { return exec.op > builder_.ops.size(); });
        }
        notes.left_out(astray, counted(astray, "execution of an op that was never issued was",
                                       "executions of ops that were never issued were") +
                                   " left out.");
    }

    RunBuilder builder_;
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};  // counter not in this event: unchanged
    std::uint64_t events_ = 0, odd_ = 0, odd_lanes_ = 0;
    std::string first_odd_lane_, odd_devices_;
    std::unordered_map<std::string, std::uint16_t> found_;
};

void OwnFormat::metadata(const Json& json) {
    if (!json.is_object()) {
        return;
    }
    model::RunInfo& info = builder_.info;
    info.program = text_at(json, "program");
    info.title = text_at(json, "title");
    info.frontend = text_at(json, "frontend");
    info.tab = text_at(json, "tab");
    info.device_kind = text_at(json, "device_kind");
    info.device_name = text_at(json, "device_name");
    info.simulated = is_true(json, "simulated");
    info.cpu = text_at(json, "cpu");
    info.os = text_at(json, "os");
    info.cores = static_cast<int>(std::min<std::uint64_t>(count_at(json, "cores"), 1u << 20));
    info.barrier = text_at(json, "barrier");
    info.free_policy = text_at(json, "free_policy");
    info.workers = static_cast<std::uint32_t>(count_at(json, "workers"));
    info.streams = static_cast<std::uint32_t>(count_at(json, "streams"));
    info.queue_limit = static_cast<std::uint32_t>(count_at(json, "queue_limit"));
    info.budget = count_at(json, "budget");
    if (json.contains("budget_in_effect") && json.contains("budget_is_default")) {
        info.budget_in_effect = count_at(json, "budget_in_effect");
        info.budget_is_default = is_true(json, "budget_is_default");
    }
    info.seed = count_at(json, "seed");
    info.date = text_at(json, "date");
    info.version = text_at(json, "version");
    info.timing = text_at(json, "timing");
    info.timing_note = text_at(json, "timing_note");
    info.timing_uncertainty_ns = count_at(json, "timing_uncertainty_ns");
    info.issue = text_at(json, "issue");
    info.profile = text_at(json, "profile");
    if (const auto chosen = json.find("chosen"); chosen != json.end() && chosen->is_array()) {
        for (const auto& name : *chosen) {
            info.chosen.push_back(name.is_string() ? name.get<std::string>() : name.dump());
        }
    }
    if (const auto costs = json.find("cost_models"); costs != json.end() && costs->is_object()) {
        info.cost_models = costs->dump();
    }
    info.launch = text_at(json, "launch");
    info.copies = text_at(json, "copies");
    info.products = text_at(json, "products");
    info.live_sampled = is_true(json, "live_sampled");
    info.foreign = is_true(json, "foreign");
    info.left_out = count_at(json, "left_out");
    info.repaired = count_at(json, "repaired");
    info.file_cut_off = is_true(json, "file_cut_off");
    if (const auto list = json.find("lane_streams"); list != json.end() && list->is_array()) {
        for (const auto& lane : *list) {
            if (info.lane_streams.size() < core::kMaxTraceLanes) {
                info.lane_streams.push_back(lane.is_number_unsigned() ? lane.get<std::uint32_t>() : UINT32_MAX);
            }
        }
    }
    if (const auto list = json.find("parameters"); list != json.end() && list->is_object()) {
        for (const auto& [name, value] : list->items()) {
            info.parameters[name] = value.is_string() ? value.get<std::string>() : value.dump();
        }
    }
    if (const auto list = json.find("barrier_changes"); list != json.end() && list->is_array()) {
        for (const auto& change : *list) {
            if (change.is_object()) {
                info.barrier_changes.push_back({ns_at(change, "us", 0), text_at(change, "barrier")});
            }
        }
    }
    builder_.clock = is_true(json, "virtual_clock") ? trace::ClockKind::virtual_ns : trace::ClockKind::recorded_ns;
    builder_.state = text_at(json, "state") == "failed" ? trace::RunState::failed : trace::RunState::finished;
    if (const auto cost = json.find("recorder_ns_per_op"); cost != json.end() && cost->is_number()) {
        builder_.recorder_ns_per_op = cost->get<double>();
    }
    builder_.lost_records = count_at(json, "lost_records");
    const auto words = [&json](const char* key, std::size_t most) {
        std::vector<std::string> list;
        if (const auto found = json.find(key); found != json.end() && found->is_array()) {
            for (const auto& word : *found) {
                if (list.size() < most) {
                    list.push_back(word.is_string() ? word.get<std::string>() : std::string());
                }
            }
        }
        return list;
    };
    builder_.files = words("files", core::kMostFiles + 1);
    builder_.lane_names = words("lanes", core::kMaxTraceLanes);
    if (const auto list = json.find("more_devices"); list != json.end() && list->is_array()) {
        for (const auto& entry : *list) {
            if (entry.is_object() && builder_.more_devices.size() + 1 < core::kMaxDevices) {
                const auto lanes = [&entry](const char* key) {
                    return static_cast<std::uint32_t>(
                        std::min<std::uint64_t>(count_at(entry, key), core::kMaxTraceLanes));
                };
                RunBuilder::Device device{text_at(entry, "kind"), text_at(entry, "name"), is_true(entry, "simulated"),
                                          lanes("first_lane"), lanes("lanes")};
                const auto named = static_cast<std::uint32_t>(builder_.lane_names.size());
                if (device.first_lane == 0 || device.first_lane >= named || device.lanes == 0 ||
                    device.lanes > named - device.first_lane) {
                    const auto said = [&entry](const char* key) {
                        const auto found = entry.find(key);
                        return found == entry.end() ? std::string("nothing") : found->dump().substr(0, 40);
                    };
                    odd_devices_ = "The lanes of " + (device.name.empty() ? "the second device" : device.name) +
                                   " cannot be (first_lane " + said("first_lane") + ", lanes " + said("lanes") +
                                   ", and there are " + std::to_string(named) + " in all): ";
                    device.first_lane = std::clamp(device.first_lane, std::min(named, 1u), named > 1 ? named - 1 : 1u);
                    device.lanes = named > device.first_lane ? named - device.first_lane : 0;
                    odd_devices_ += "taken as those from " + std::to_string(device.first_lane) + " on.";
                }
                builder_.more_devices.push_back(std::move(device));
            }
        }
    }
    if (const auto list = json.find("signatures"); list != json.end() && list->is_array()) {
        for (const auto& entry : *list) {
            model::Signature signature;
            if (entry.is_object()) {
                signature.name = text_at(entry, "name");
                signature.shapes = text_at(entry, "shapes");
                signature.family = static_cast<devices::Family>(std::min<std::uint64_t>(
                    count_at(entry, "family"), static_cast<std::uint64_t>(devices::Family::other)));
                signature.out_bytes = count_at(entry, "out_bytes");
                signature.flops = count_at(entry, "flops");
                signature.moved_bytes = count_at(entry, "moved_bytes");
            }
            builder_.signatures.push_back(std::move(signature));
            if (builder_.signatures.size() == 65'536) {
                break;
            }
        }
    }
    if (const auto part = json.find("measured"); part != json.end() && part->is_object()) {
        auto& measured = builder_.measured;
        measured.begin_marked = is_true(*part, "begin_marked");
        measured.end_marked = is_true(*part, "end_marked");
        measured.begin_ns = ns_at(*part, "begin_us", 0);
        measured.end_ns = ns_at(*part, "end_us", 0);
        measured.first = static_cast<core::OpId>(std::min<std::uint64_t>(count_at(*part, "first"), UINT32_MAX));
        measured.last = static_cast<core::OpId>(std::min<std::uint64_t>(count_at(*part, "last"), UINT32_MAX));
        measured.first_wait = count_at(*part, "first_wait");
        measured.waits_end = count_at(*part, "waits_end");
    }
    builder_.program_end_ns = ns_at(json, "program_end_us", model::kPending);
    if (const auto error = json.find("error"); error != json.end() && error->is_object()) {
        builder_.error_json = error->dump(-1, ' ', false, Json::error_handler_t::replace);
        builder_.state = trace::RunState::failed;
    }
    builder_.result_json = text_at(json, "result");
}

}  // namespace

std::unique_ptr<TraceFormat> own_format(const std::string& other_data) {
    return std::make_unique<OwnFormat>(other_data);
}

bool is_own(const std::string& other_data) {
    const Json json = Json::parse(other_data, nullptr, false);
    return json.is_object() && text_at(json, "format").starts_with("headway ");
}

}  // namespace headway::exchange
