// Reads Headway's own traces, without loss.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <unordered_map>

#include "app/exchange/chrome/chrome_folds.h"
#include "app/exchange/chrome/chrome_formats.h"
#include "app/exchange/chrome/chrome_metadata.h"
#include "app/exchange/chrome/chrome_writer.h"
#include "app/json/json.h"
#include "engine/trace/format.h"

namespace headway::exchange {

namespace {

std::uint64_t number(RawJson json) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(integer_from(json).value_or(0), 0));
}
std::uint32_t small(RawJson json) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(number(json), UINT32_MAX));
}

class OwnFormat final : public TraceFormat {
public:
    explicit OwnFormat(const std::string& other_data)
        : odd_devices_(read_metadata(json::Document(other_data).root(), builder_)),
          folds_(json::Document(other_data).root()["folded"]) {}

    void take(const ChromeEvent& event) override {
        ++events_;
        if (event.phase == 'C') {
            if (folds_.any()) {
                folds_.take_counter(event);
            }
            counter(event);
            return;
        }
        if (event.phase != 'X' && event.phase != 'i') {
            return;  // names and arrows are redundant
        }
        const std::int64_t tid = integer_from(event.tid).value_or(0);
        if (!event.time.has_ns() || event.duration.ns < 0) {
            ++odd_;
        } else if (folds_.any() && bare(event.category) == kFoldedCategory) {
            folds_.take_block(event, line_of(event));
        } else if (tid == kFrontendTid) {
            issue(event);
        } else if (tid == kWaitsTid) {
            wait(event);
        } else if (tid == kWorkTid) {
            builder_.works.push_back({event.time.ns, event.time.ns + event.duration.ns, text_from(event.name),
                                      line_of(event), small(event.argument("issued"))});
            folds_.take_work(event);
        } else if (tid == kOutputTid) {
            const bool error = bare(event.name) == "stderr";
            builder_.output.push_back({event.time.ns, small(event.argument("issued")),
                                       static_cast<std::uint8_t>(error ? 2 : 1), text_from(event.argument("text"))});
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
        } else if (tid >= kDeepScopeTid) {
            scope(event, static_cast<int>(tid - kDeepScopeTid));
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
        folds_.leave_out_unreached(static_cast<core::OpId>(builder_.ops.size()), notes);
        settle_ops(notes);
        notes.repaired(odd_lanes_, counted(odd_lanes_, "issue names", "issues name") +
                                       " a lane that does not exist (the first, " + first_odd_lane_ +
                                       "; lanes are 0 to " + std::to_string(core::kMaxTraceLanes - 1) +
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
        std::stable_sort(builder_.output.begin(), builder_.output.end(),
                         [](const auto& a, const auto& b) { return a.ns < b.ns; });
        const auto by_op = [](const auto& a, const auto& b) { return a.op < b.op; };
        std::stable_sort(builder_.launches.begin(), builder_.launches.end(), by_begin);
        std::erase_if(builder_.launches, [this](const auto& launch) { return launch.op > op_count(); });
        for (auto& parts : builder_.parts) {
            std::stable_sort(parts.begin(), parts.end(), by_op);
        }
        std::stable_sort(builder_.more_outputs.begin(), builder_.more_outputs.end(), by_op);
        notes.left_out(odd_,
                       counted(odd_, "event that makes no sense was", "events that make no sense were") + " left out.");
        builder_.folds = folds_.finish(static_cast<core::OpId>(op_count()), notes);
        if (builder_.folds != nullptr) {
            builder_.samples.clear();  // the saved curves contain them
        }
        return std::move(builder_);
    }

private:
    // The number of the event's op; 0 if it is impossible.
    core::OpId op_of(const ChromeEvent& event, const char* name = "op") const {
        const std::uint64_t id = number(event.argument(name));
        return id < trace::kPart && id - folds_.folded_before(static_cast<core::OpId>(id)) <= 2 * events_ + (1u << 16)
                   ? static_cast<core::OpId>(id)
                   : 0;
    }
    [[nodiscard]] std::uint64_t op_count() const { return builder_.ops.size() + folds_.folded_ops(); }

    core::Line line_of(const ChromeEvent& event, const char* name = "line", const char* file = "file") {
        const auto text = bare(event.argument(name));
        std::uint32_t line = 0;
        const std::size_t at = text.find_last_of(": ");
        const char* begin = text.data() + (at == std::string_view::npos ? 0 : at + 1);
        std::from_chars(begin, text.data() + text.size(), line);
        return line == 0 ? 0 : core::make_line(small(event.argument(file)), line);
    }

    void issue(const ChromeEvent& event) {
        const core::OpId id = op_of(event);
        if (id == 0 || folds_.is_folded(id)) {
            ++odd_;
            return;
        }
        const core::OpId place = id - folds_.folded_before(id);
        if (place > builder_.ops.size()) {
            builder_.ops.resize(place);
        }
        RunBuilder::Op& op = builder_.ops[place - 1];
        op.known = true;
        op.issue_begin_ns = event.time.ns;
        op.issue_end_ns = event.time.ns + event.duration.ns;
        op.line = line_of(event);
        op.forward_line = line_of(event, "forward", "forward_file");
        op.out = small(event.argument("out"));
        op.signature = static_cast<std::uint16_t>(std::min(small(event.argument("sig")), 65'535u));
        op.lane = lane_of(event, id);
        op.flags = static_cast<std::uint8_t>((event.argument("bytes").empty() ? 0 : trace::kFreshOutput) |
                                             (event.argument("in_place").empty() ? 0 : trace::kReadsOutput) |
                                             (event.argument("unissued").empty() ? 0 : trace::kNotIssued) |
                                             (event.argument("beside").empty() ? 0 : trace::kOutOnCpu));
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
        if (!event.argument("open").empty()) {
            builder_.running.push_back({static_cast<std::uint32_t>(lane), id, event.time.ns});
            return;
        }
        if (lane >= builder_.lanes.size()) {
            builder_.lanes.resize(lane + 1);
        }
        if (folds_.is_folded(id)) {
            folds_.take_edge(event, lane);
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
        if (const auto stream = event.argument("stream"); !stream.empty()) {
            wait.target = trace::kWaitForLane | std::min(small(stream), core::kMaxTraceLanes - 1);
        }
        builder_.waits.push_back(std::move(wait));
        folds_.take_wait(event);
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
        folds_.take_minibatch(event);
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
                                             : "The issues of " + core::counted(missing, "op") + " are missing.");
        if (!std::is_sorted(builder_.more_inputs.begin(), builder_.more_inputs.end(),
                            [](const auto& a, const auto& b) { return a.op < b.op; })) {
            std::stable_sort(builder_.more_inputs.begin(), builder_.more_inputs.end(),
                             [](const auto& a, const auto& b) { return a.op < b.op; });
        }
        std::uint64_t astray = 0;
        for (auto& lane : builder_.lanes) {
            astray += std::erase_if(lane, [this](const auto& exec) { return exec.op > op_count(); });
        }
        notes.left_out(astray, counted(astray, "execution of an op that was never issued was",
                                       "executions of ops that were never issued were") +
                                   " left out.");
    }

    RunBuilder builder_;
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};  // counter not in this event: unchanged
    const std::string odd_devices_;                               // the sentence about impossible ones; needs builder_
    FoldsReader folds_;
    std::uint64_t events_ = 0, odd_ = 0, odd_lanes_ = 0;
    std::string first_odd_lane_;
    std::unordered_map<std::string, std::uint16_t> found_;
};

}  // namespace

std::unique_ptr<TraceFormat> own_format(const std::string& other_data) {
    return std::make_unique<OwnFormat>(other_data);
}

bool is_own(const std::string& other_data) {
    return json::Document(other_data).root()["format"].text().starts_with("headway ");
}

}  // namespace headway::exchange
