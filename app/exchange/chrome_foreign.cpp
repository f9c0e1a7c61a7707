// Traces of other programs. Where there are kernels (torch.profiler with a GPU), the calls that launch them are the
// issues, the streams the lanes, and the calls that wait for the device the waits. Elsewhere each thread is as many lanes
// as its spans are deep, and nothing is known of issues.
#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "app/exchange/chrome_formats.h"
#include "app/exchange/foreign_names.h"

namespace headway::exchange {

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
constexpr std::size_t kMostSignatures = 60'000;

struct Span {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::uint32_t name = 0, track = 0;
    std::uint32_t correlation = 0;  // 0: none
    SpanClass what = SpanClass::other;
};

struct Track {
    std::string pid, tid, name, process;
    std::int64_t order = 0;
    std::vector<Span> open;  // B without E so far
};

std::string counted(std::uint64_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

class ForeignFormat final : public TraceFormat {
public:
    explicit ForeignFormat(const std::string& name) {
        const std::size_t slash = name.find_last_of('/');
        draft_.info.program = draft_.info.title = slash == std::string::npos ? name : name.substr(slash + 1);
        draft_.info.barrier = "as-written";
        draft_.signatures.emplace_back();
        draft_.files.emplace_back();
    }

    void take(const ChromeEvent& event) override;
    core::Result<Draft> finish(const std::map<std::string, std::string>& values,
                               std::vector<std::string>& notes) override;

private:
    std::uint32_t intern(RawJson raw);
    std::uint32_t track_of(const ChromeEvent& event);
    SpanClass class_from(RawJson category);
    void add_span(const ChromeEvent& event, std::int64_t end_ns);
    void metadata(const ChromeEvent& event);
    void memory(const ChromeEvent& event);
    void close_open_spans();
    void order_spans();
    [[nodiscard]] std::string label_of(const Track& track) const;

    // What runs where kernels are.
    void from_kernels(std::vector<std::string>& notes);
    struct Launch {
        std::int64_t begin_ns = 0, end_ns = 0;
        core::Line line = 0;
    };
    using Launches = std::unordered_map<std::uint32_t, Launch>;
    Launches walk_host();
    void host_call(const Span& call, const std::vector<const Span*>& around, Launches& launches);
    [[nodiscard]] core::Line line_of(const std::vector<const Span*>& around);
    void annotations();
    void settle_waits();

    void from_threads(std::vector<std::string>& notes);
    struct MadeOp {
        Draft::Op op;
        Draft::Exec exec;
    };
    void add_ops(std::vector<MadeOp>& made);
    std::uint16_t signature_of(std::uint32_t name);

    Draft draft_;
    std::deque<std::string> names_;  // as they stand in the text; addresses stay
    std::unordered_map<std::string_view, std::uint32_t> name_ids_;
    std::unordered_map<std::string, SpanClass> classes_;
    std::vector<Track> tracks_;
    std::unordered_map<std::string, std::uint32_t> track_ids_;
    std::string track_key_, last_track_key_;
    std::uint32_t last_track_ = kNone;
    std::vector<Span> spans_;
    std::vector<Draft::Sample> host_memory_, device_memory_;
    std::unordered_map<std::uint32_t, std::uint16_t> signature_ids_;  // by name
    std::unordered_map<std::uint32_t, core::Line> lines_;             // by name of a Python frame
    std::unordered_map<std::string, std::uint32_t> files_;
    std::uint64_t kernels_ = 0, untimed_ = 0, negative_ = 0, stray_ends_ = 0, unended_ = 0, unshown_ = 0;
};

// ---- event by event ----

std::uint32_t ForeignFormat::intern(RawJson raw) {
    const std::string_view text = bare(raw);
    if (const auto known = name_ids_.find(text); known != name_ids_.end()) {
        return known->second;
    }
    const auto id = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(text);
    name_ids_.emplace(names_.back(), id);
    return id;
}

// 7 and "7" are the same thread.
std::uint32_t ForeignFormat::track_of(const ChromeEvent& event) {
    track_key_.assign(bare(event.pid));
    track_key_ += '\0';
    track_key_ += bare(event.tid);
    if (last_track_ != kNone && track_key_ == last_track_key_) {
        return last_track_;
    }
    const auto [at, fresh] = track_ids_.try_emplace(track_key_, static_cast<std::uint32_t>(tracks_.size()));
    if (fresh) {
        tracks_.push_back({std::string(bare(event.pid)), std::string(bare(event.tid)), "", "", 0, {}});
    }
    last_track_key_ = track_key_;
    return last_track_ = at->second;
}

SpanClass ForeignFormat::class_from(RawJson category) {
    const std::string text(bare(category));
    const auto [at, fresh] = classes_.try_emplace(text, SpanClass::other);
    if (fresh) {
        at->second = class_of(text.substr(0, text.find(',')));
    }
    return at->second;
}

void ForeignFormat::add_span(const ChromeEvent& event, std::int64_t end_ns) {
    Span span{event.ns, end_ns, intern(event.name), track_of(event), 0, class_from(event.category)};
    if (span.what == SpanClass::gpu || span.what == SpanClass::runtime) {
        kernels_ += span.what == SpanClass::gpu ? 1 : 0;
        if (const auto correlation = integer_from(event.argument("correlation")); correlation && *correlation > 0) {
            span.correlation = static_cast<std::uint32_t>(*correlation);
        }
    }
    spans_.push_back(span);
}

void ForeignFormat::take(const ChromeEvent& event) {
    if (event.phase == 'M') {
        metadata(event);
        return;
    }
    if (!event.has_ns) {
        ++untimed_;
        return;
    }
    switch (event.phase) {
        case 'X':
            negative_ += event.duration_ns < 0 ? 1 : 0;
            add_span(event, event.ns + std::max<std::int64_t>(event.duration_ns, 0));
            break;
        case 'B': {
            const Span span{event.ns, event.ns, intern(event.name), track_of(event), 0, class_from(event.category)};
            tracks_[span.track].open.push_back(span);
            break;
        }
        case 'E': {
            auto& open = tracks_[track_of(event)].open;
            if (open.empty()) {
                ++stray_ends_;
                break;
            }
            Span span = open.back();
            open.pop_back();
            span.end_ns = std::max(event.ns, span.begin_ns);
            spans_.push_back(span);
            break;
        }
        case 'i':
        case 'I':
        case 'C':
            memory(event);
            break;
        case 's':
        case 't':
        case 'f':
            break;  // what they connect, the correlation of a launch and its kernel says as well
        default:
            ++unshown_;
            break;
    }
}

void ForeignFormat::metadata(const ChromeEvent& event) {
    const auto what = bare(event.name);
    if (what == "thread_name") {
        tracks_[track_of(event)].name = text_from(event.argument("name")).substr(0, 200);
    } else if (what == "process_name") {
        tracks_[track_of(event)].process = text_from(event.argument("name")).substr(0, 200);
    } else if (what == "thread_sort_index") {
        tracks_[track_of(event)].order = integer_from(event.argument("sort_index")).value_or(0);
    }
}

// "[memory]" of torch.profiler, and counters that tell the same.
void ForeignFormat::memory(const ChromeEvent& event) {
    const auto bytes = integer_from(event.argument("Total Allocated"));
    if (!bytes) {
        ++unshown_;
        return;
    }
    const auto device = integer_from(event.argument("Device Type"));
    const bool on_host = device ? *device == 0 : bare(event.name).find("CPU") != std::string_view::npos;
    (on_host ? host_memory_ : device_memory_)
        .push_back({event.ns, 0, static_cast<std::uint64_t>(std::max<std::int64_t>(*bytes, 0))});
}

// ---- all of them ----

void ForeignFormat::close_open_spans() {
    std::int64_t last_ns = INT64_MIN;
    for (const Span& span : spans_) {
        last_ns = std::max(last_ns, span.end_ns);
    }
    for (Track& track : tracks_) {
        for (Span span : track.open) {
            ++unended_;
            span.end_ns = std::max(span.begin_ns, last_ns);
            spans_.push_back(span);
        }
        track.open.clear();
    }
}

void ForeignFormat::order_spans() {
    std::sort(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) {
        return a.track != b.track         ? a.track < b.track
               : a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns
                                          : a.end_ns > b.end_ns;
    });
}

std::string ForeignFormat::label_of(const Track& track) const {
    if (!track.name.empty()) {
        return track.name.substr(0, track.name.find_last_not_of(' ') + 1);
    }
    return track.tid.empty() ? "thread of " + (track.pid.empty() ? "no name" : track.pid) : "thread " + track.tid;
}

std::uint16_t ForeignFormat::signature_of(std::uint32_t name) {
    const auto [at, fresh] = signature_ids_.try_emplace(name, std::uint16_t{0});
    if (fresh) {
        const bool room = draft_.signatures.size() < kMostSignatures;
        const std::string full = room ? text_from("\"" + names_[name] + "\"") : "(one of too many names)";
        model::Signature signature;
        signature.name = short_kernel_name(full);
        signature.shapes = signature.name == full ? std::string() : full.substr(0, 300);
        signature.family = family_of(full);
        if (signature.name.empty()) {
            signature.name = "(no name)";
        }
        if (draft_.signatures.size() <= kMostSignatures) {
            draft_.signatures.push_back(std::move(signature));
        }
        at->second = static_cast<std::uint16_t>(draft_.signatures.size() - 1);
    }
    return at->second;
}

// Ops in the order of their issue; within a lane that is the order of execution as well.
void ForeignFormat::add_ops(std::vector<MadeOp>& made) {
    std::stable_sort(made.begin(), made.end(), [](const MadeOp& a, const MadeOp& b) {
        return a.op.issue_begin_ns != b.op.issue_begin_ns ? a.op.issue_begin_ns < b.op.issue_begin_ns
                                                          : a.exec.begin_ns < b.exec.begin_ns;
    });
    draft_.ops.reserve(made.size());
    for (MadeOp& op : made) {
        draft_.ops.push_back(op.op);
        op.exec.op = static_cast<core::OpId>(draft_.ops.size());
        draft_.lanes[op.op.lane].push_back(op.exec);
    }
    made = {};
}

core::Result<Draft> ForeignFormat::finish(const std::map<std::string, std::string>& values,
                                          std::vector<std::string>& notes) {
    close_open_spans();
    const auto note = [&notes](std::uint64_t count, const char* one, const char* many, const char* what) {
        if (count > 0) {
            notes.push_back(counted(count, one, many) + " " + what + ".");
        }
    };
    note(untimed_, "event", "events", "without a time left out");
    note(negative_, "duration", "durations", "below zero taken as none");
    note(stray_ends_, "end", "ends", "without a begin left out");
    note(unended_, "span", "spans", "without an end closed where the trace ends");
    note(unshown_, "event", "events", "of kinds that Headway does not show");

    std::int64_t origin_ns = INT64_MAX;
    for (const Span& span : spans_) {
        origin_ns = std::min(origin_ns, span.begin_ns);
    }
    origin_ns = spans_.empty() ? 0 : origin_ns;
    for (Span& span : spans_) {
        span.begin_ns -= origin_ns;
        span.end_ns -= origin_ns;
    }
    order_spans();
    if (const auto found = values.find("deviceProperties"); found != values.end()) {
        const auto json = nlohmann::json::parse(found->second, nullptr, false);
        if (json.is_array() && !json.empty() && json[0].is_object() && json[0].contains("name") &&
            json[0]["name"].is_string()) {
            draft_.info.device_name = json[0]["name"].get<std::string>();
        }
    }
    draft_.info.device_kind = kernels_ > 0 ? "cuda" : "trace";
    if (kernels_ > 0) {
        from_kernels(notes);
    } else {
        from_threads(notes);
    }
    auto& memory = device_memory_.empty() || kernels_ == 0 ? host_memory_ : device_memory_;
    for (Draft::Sample& sample : memory.empty() ? device_memory_ : memory) {
        sample.ns -= origin_ns;
        draft_.samples.push_back(sample);
    }
    std::stable_sort(draft_.samples.begin(), draft_.samples.end(),
                     [](const auto& a, const auto& b) { return a.ns < b.ns; });
    draft_.info.live_sampled = !draft_.samples.empty();
    draft_.info.streams = static_cast<std::uint32_t>(kernels_ > 0 ? draft_.lanes.size() : 0);
    return std::move(draft_);
}

// ---- with kernels ----

core::Line ForeignFormat::line_of(const std::vector<const Span*>& around) {
    // The innermost frame of the program itself; else the innermost of all.
    core::Line innermost = 0;
    for (auto span = around.rbegin(); span != around.rend(); ++span) {
        if ((*span)->what != SpanClass::python) {
            continue;
        }
        const auto place = python_place(names_[(*span)->name]);
        if (!place || (place->library && innermost != 0)) {
            continue;
        }
        const auto [at, fresh] = lines_.try_emplace((*span)->name, core::Line{0});
        if (fresh) {
            const auto [file, first] = files_.try_emplace(std::string(place->file), 0u);
            if (first && draft_.files.size() < 256) {
                file->second = static_cast<std::uint32_t>(draft_.files.size());
                draft_.files.push_back(text_from(place->file));
            }
            at->second = file->second == 0 ? 0 : core::make_line(file->second, place->line);
        }
        innermost = innermost == 0 || !place->library ? at->second : innermost;
        if (!place->library) {
            break;
        }
    }
    return innermost;
}

void ForeignFormat::host_call(const Span& call, const std::vector<const Span*>& around, Launches& launches) {
    const std::string& name = names_[call.name];
    const core::Line line = line_of(around);
    const bool waits = is_synchronising(name);
    if (call.correlation != 0) {
        launches.try_emplace(call.correlation, Launch{call.begin_ns, waits ? call.begin_ns : call.end_ns, line});
    }
    if (!waits) {
        return;
    }
    model::Wait wait;
    wait.begin_ns = call.begin_ns;
    wait.end_ns = call.end_ns;
    wait.kind = trace::WaitKind::synchronize;
    wait.name = name;
    wait.line = line;
    for (const Span* span : around) {  // outermost first
        if (span->what == SpanClass::cpu_op) {
            if (const auto cause = cause_of(names_[span->name])) {
                wait.kind = cause->kind;
                wait.name = cause->name;
                break;
            }
        }
    }
    draft_.waits.push_back(std::move(wait));
}

// All threads of the host, each with what is around a call.
ForeignFormat::Launches ForeignFormat::walk_host() {
    Launches launches;
    std::vector<const Span*> around;
    for (const Span& span : spans_) {
        if (!around.empty() && around.back()->track != span.track) {
            around.clear();
        }
        if (span.what == SpanClass::gpu || span.what == SpanClass::other) {
            continue;
        }
        while (!around.empty() && around.back()->end_ns <= span.begin_ns) {
            around.pop_back();
        }
        if (span.what == SpanClass::runtime) {
            host_call(span, around, launches);
        } else {
            around.push_back(&span);
        }
    }
    return launches;
}

void ForeignFormat::annotations() {
    for (const Span& span : spans_) {
        if (span.what != SpanClass::annotation) {
            continue;
        }
        if (const auto step = profiler_step(names_[span.name])) {
            model::Minibatch batch;
            batch.index = static_cast<std::int32_t>(*step);
            batch.issue_begin_ns = span.begin_ns;
            batch.issue_end_ns = span.end_ns;
            draft_.minibatches.push_back(batch);
        } else {
            draft_.scopes.push_back({text_from("\"" + names_[span.name] + "\""), span.begin_ns, span.end_ns, 0});
        }
    }
    const auto by_begin = [](const model::Scope& a, const model::Scope& b) {
        return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
    };
    std::stable_sort(draft_.scopes.begin(), draft_.scopes.end(), by_begin);
    // Steps follow each other; the same step may stand in several threads.
    auto& batches = draft_.minibatches;
    std::stable_sort(batches.begin(), batches.end(),
                     [](const auto& a, const auto& b) { return a.issue_begin_ns < b.issue_begin_ns; });
    batches.erase(std::unique(batches.begin(), batches.end(),
                              [](const auto& a, const auto& b) {
                                  return a.index == b.index || b.issue_begin_ns < a.issue_end_ns;
                              }),
                  batches.end());
    const auto issued_before = [this](std::int64_t ns) {
        const auto at = std::lower_bound(draft_.ops.begin(), draft_.ops.end(), ns, [](const Draft::Op& op, std::int64_t t) {
            return op.issue_begin_ns < t;
        });
        return static_cast<core::OpId>(at - draft_.ops.begin());
    };
    for (model::Minibatch& batch : batches) {
        batch.first = issued_before(batch.issue_begin_ns) + 1;
        batch.last = issued_before(batch.issue_end_ns);
    }
    for (model::Wait& wait : draft_.waits) {
        wait.issued = wait.waits_through = issued_before(wait.begin_ns + 1);
    }
}

// One after another: a call within a call, or in two threads at once, is one wait.
void ForeignFormat::settle_waits() {
    auto& waits = draft_.waits;
    std::stable_sort(waits.begin(), waits.end(), [](const auto& a, const auto& b) {
        return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < waits.size(); ++i) {
        if (kept > 0 && waits[i].begin_ns < waits[kept - 1].end_ns) {
            if (waits[i].end_ns <= waits[kept - 1].end_ns) {
                continue;
            }
            waits[i].begin_ns = waits[kept - 1].end_ns;
        }
        if (kept != i) {
            waits[kept] = std::move(waits[i]);
        }
        ++kept;
    }
    waits.resize(kept);
}

void ForeignFormat::from_kernels(std::vector<std::string>& notes) {
    const Launches launches = walk_host();
    // A lane for each stream, in the order of their names.
    std::vector<std::uint32_t> streams;
    std::vector<std::uint64_t> spans_of(tracks_.size(), 0);
    for (const Span& span : spans_) {
        if (span.what == SpanClass::gpu && spans_of[span.track]++ == 0) {
            streams.push_back(span.track);
        }
    }
    std::stable_sort(streams.begin(), streams.end(), [this](std::uint32_t a, std::uint32_t b) {
        const Track &left = tracks_[a], &right = tracks_[b];
        const auto number = [](const std::string& text) { return integer_from(text).value_or(INT64_MAX); };
        return std::pair(number(left.pid), number(left.tid)) < std::pair(number(right.pid), number(right.tid));
    });
    std::uint64_t beyond = 0;
    for (; streams.size() > core::kMaxTraceLanes; streams.pop_back()) {
        beyond += spans_of[streams.back()];
    }
    std::vector<std::uint32_t> lane_of(tracks_.size(), kNone);
    const bool many_devices = std::any_of(streams.begin(), streams.end(), [&](std::uint32_t track) {
        return tracks_[track].pid != tracks_[streams[0]].pid;
    });
    for (std::size_t lane = 0; lane < streams.size(); ++lane) {
        const Track& track = tracks_[streams[lane]];
        lane_of[streams[lane]] = static_cast<std::uint32_t>(lane);
        const bool named = !track.name.empty();
        draft_.lane_names.push_back((many_devices ? "GPU " + track.pid + " " : std::string()) +
                                    (named ? label_of(track) : "stream " + track.tid));
        draft_.lanes.emplace_back();
    }
    std::vector<MadeOp> made;
    std::vector<std::int64_t> free_ns(streams.size(), INT64_MIN), issued_ns(streams.size(), INT64_MIN);
    std::uint64_t unlaunched = 0, moved = 0, other_spans = 0;
    for (const Span& span : spans_) {
        if (span.what != SpanClass::gpu) {
            other_spans += span.what == SpanClass::cpu_op || span.what == SpanClass::python ||
                                   span.what == SpanClass::other
                               ? 1
                               : 0;
            continue;
        }
        const std::uint32_t lane = lane_of[span.track];
        if (lane == kNone) {
            continue;
        }
        MadeOp op;
        op.op.lane = static_cast<std::uint8_t>(lane);
        op.op.signature = signature_of(span.name);
        op.exec.begin_ns = std::max(span.begin_ns, free_ns[lane]);
        op.exec.end_ns = std::max(span.end_ns, op.exec.begin_ns);
        moved += op.exec.begin_ns != span.begin_ns ? 1 : 0;
        free_ns[lane] = op.exec.end_ns;
        if (const auto launch = launches.find(span.correlation); span.correlation != 0 && launch != launches.end()) {
            op.op.issue_begin_ns = std::max(launch->second.begin_ns, issued_ns[lane]);
            op.op.issue_end_ns = std::max(launch->second.end_ns, op.op.issue_begin_ns);
            op.op.line = launch->second.line;
        } else {
            ++unlaunched;
            op.op.issue_begin_ns = op.op.issue_end_ns = std::max(op.exec.begin_ns, issued_ns[lane]);
            op.op.flags = trace::kNotIssued;
        }
        issued_ns[lane] = op.op.issue_begin_ns;
        made.push_back(op);
    }
    add_ops(made);
    settle_waits();
    annotations();
    if (unlaunched > 0) {
        notes.push_back(counted(unlaunched, "kernel", "kernels") +
                        " whose launch is not in the trace: when they were issued is not known.");
    }
    if (moved > 0) {
        notes.push_back(counted(moved, "kernel", "kernels") +
                        " that began before the one in front had ended now follow it.");
    }
    if (beyond > 0) {
        notes.push_back(counted(beyond, "kernel", "kernels") + " on streams beyond the first " +
                        std::to_string(core::kMaxTraceLanes) + " left out.");
    }
    if (other_spans > 0) {
        notes.push_back(counted(other_spans, "span", "spans") +
                        " of the host are not shown one by one; launches, waits and annotations are.");
    }
}

// ---- without ----

void ForeignFormat::from_threads(std::vector<std::string>& notes) {
    // How deep each span lies: below those that are open when it begins.
    std::vector<std::uint16_t> depth_of(spans_.size(), 0);
    std::vector<std::vector<std::uint64_t>> count(tracks_.size());
    std::vector<std::int64_t> ends;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
        const Span& span = spans_[i];
        if (i > 0 && spans_[i - 1].track != span.track) {
            ends.clear();
        }
        while (!ends.empty() && ends.back() <= span.begin_ns) {
            ends.pop_back();
        }
        depth_of[i] = static_cast<std::uint16_t>(std::min<std::size_t>(ends.size(), UINT16_MAX));
        ends.push_back(span.end_ns);
        auto& levels = count[span.track];
        levels.resize(std::max<std::size_t>(levels.size(), depth_of[i] + 1u));
        ++levels[depth_of[i]];
    }
    struct Row {
        std::uint32_t track = 0;
        std::size_t depth = 0;
        std::uint64_t spans = 0;
    };
    std::vector<Row> rows;
    std::uint64_t left_out = 0;
    for (std::uint32_t track = 0; track < tracks_.size(); ++track) {
        for (std::size_t depth = 0; depth < count[track].size(); ++depth) {
            rows.push_back({track, depth, count[track][depth]});
        }
    }
    // The outer spans of all threads before the inner ones of any.
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.depth < b.depth; });
    for (; rows.size() > core::kMaxTraceLanes; rows.pop_back()) {
        left_out += rows.back().spans;
    }
    std::stable_sort(rows.begin(), rows.end(), [this](const Row& a, const Row& b) {
        return tracks_[a.track].order != tracks_[b.track].order ? tracks_[a.track].order < tracks_[b.track].order
                                                                : a.track < b.track;
    });
    std::map<std::pair<std::uint32_t, std::size_t>, std::uint8_t> lane_of;
    for (const Row& row : rows) {
        lane_of[{row.track, row.depth}] = static_cast<std::uint8_t>(draft_.lane_names.size());
        draft_.lane_names.push_back(label_of(tracks_[row.track]) +
                                    (row.depth > 0 ? " · " + std::to_string(row.depth + 1) : std::string()));
        draft_.lanes.emplace_back();
    }
    std::vector<MadeOp> made;
    std::vector<std::int64_t> free_ns(rows.size(), INT64_MIN);
    for (std::size_t i = 0; i < spans_.size(); ++i) {
        const Span& span = spans_[i];
        const auto lane = lane_of.find({span.track, depth_of[i]});
        if (lane == lane_of.end()) {
            continue;
        }
        MadeOp op;
        op.op.lane = lane->second;
        op.op.signature = signature_of(span.name);
        op.op.flags = trace::kNotIssued;
        op.exec.begin_ns = std::max(span.begin_ns, free_ns[op.op.lane]);
        op.exec.end_ns = std::max(span.end_ns, op.exec.begin_ns);
        free_ns[op.op.lane] = op.exec.end_ns;
        op.op.issue_begin_ns = op.op.issue_end_ns = op.exec.begin_ns;
        made.push_back(op);
    }
    add_ops(made);
    if (left_out > 0) {
        notes.push_back(counted(left_out, "span", "spans") + " on lanes beyond the first " +
                        std::to_string(core::kMaxTraceLanes) + " left out.");
    }
}

}  // namespace

std::unique_ptr<TraceFormat> foreign_format(const std::string& name) {
    return std::make_unique<ForeignFormat>(name);
}

}  // namespace headway::exchange
