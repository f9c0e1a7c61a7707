// Reads other programs' traces, event by event. foreign_kernels.cpp and foreign_threads.cpp convert the spans to
// ops.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "app/exchange/chrome/chrome_formats.h"
#include "app/exchange/foreign/foreign_times.h"
#include "app/json/json.h"

namespace headway::exchange {

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
constexpr std::uint32_t kLargeIds = 1u << 31;  // larger correlations are renumbered

// Counts invalid values of one kind, and remembers the first.
struct OddValues {
    std::uint64_t count = 0;
    std::string first;
    void add(const TimeOfEvent& time) {
        if (count++ == 0) {
            first = time.text.starts_with('{')   ? "an object"
                    : time.text.starts_with('[') ? "an array"
                                                 : text_from(time.text).substr(0, 40);
        }
    }
};

class ForeignFormat final : public TraceFormat {
public:
    explicit ForeignFormat(const std::string& name) {
        const std::size_t slash = name.find_last_of('/');
        builder_.info.program = builder_.info.title = slash == std::string::npos ? name : name.substr(slash + 1);
        builder_.info.foreign = true;
        builder_.signatures.emplace_back();
        builder_.files.emplace_back();
    }

    void take(const ChromeEvent& event) override;
    core::Result<RunBuilder> finish(const std::map<std::string, std::string>& values, TraceNotes& notes) override;

private:
    std::uint32_t intern(RawJson raw);
    std::uint32_t track_of(const ChromeEvent& event);
    SpanClass class_from(RawJson category);
    std::int64_t duration_ns(const TimeOfEvent& duration);
    std::uint32_t correlation_of(const ChromeEvent& event);
    ForeignSpan span_of(const ChromeEvent& event, std::int64_t end_ns);
    void end_span(const ChromeEvent& event);
    void say_odd_events(TraceNotes& notes) const;
    void metadata(const ChromeEvent& event);
    void memory(const ChromeEvent& event);
    void keep_open_spans();
    void order_spans();

    RunBuilder builder_;
    ForeignTrace trace_;
    std::unordered_map<std::string_view, std::uint32_t> name_ids_;
    std::unordered_map<std::string, SpanClass> classes_;
    std::unordered_map<std::string, std::uint32_t> track_ids_;
    std::string track_key_, last_track_key_;
    std::uint32_t last_track_ = kNone;
    // Of one device, at one time.
    struct Reading {
        std::int64_t ns = 0, device = 0;
        std::uint64_t bytes = 0;
    };
    std::vector<Reading> host_memory_, device_memory_;
    std::unordered_map<std::int64_t, std::uint32_t> large_ids_;
    std::uint64_t kernels_ = 0, untimed_ = 0, no_duration_at_all_ = 0, negative_ = 0, unshown_ = 0;
    std::uint64_t stray_ends_ = 0, early_ends_ = 0;
    OddValues no_number_, too_far_, no_duration_, too_long_;
};

// ---- single events ----

std::uint32_t ForeignFormat::intern(RawJson raw) {
    const std::string_view text = bare(raw);
    if (const auto known = name_ids_.find(text); known != name_ids_.end()) {
        return known->second;
    }
    const auto id = static_cast<std::uint32_t>(trace_.names.size());
    trace_.names.emplace_back(text);
    name_ids_.emplace(trace_.names.back(), id);
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
    const auto [at, fresh] = track_ids_.try_emplace(track_key_, static_cast<std::uint32_t>(trace_.tracks.size()));
    if (fresh) {
        trace_.tracks.push_back({std::string(bare(event.pid)), std::string(bare(event.tid)), "", "", 0, {}});
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

std::int64_t ForeignFormat::duration_ns(const TimeOfEvent& duration) {
    switch (duration.stamp) {
        case Stamp::good:
            negative_ += duration.ns < 0 ? 1 : 0;
            return std::max<std::int64_t>(duration.ns, 0);
        case Stamp::absent:
            ++no_duration_at_all_;
            return 0;
        case Stamp::no_number:
            no_duration_.add(duration);
            return 0;
        case Stamp::too_far:
            too_long_.add(duration);
            return 0;
    }
    return 0;
}

// Maps 64-bit ids to 32 bits: large ones, which are rare, are renumbered.
std::uint32_t ForeignFormat::correlation_of(const ChromeEvent& event) {
    const auto id = integer_from(event.argument("correlation"));
    if (!id || *id <= 0) {
        return 0;
    }
    if (*id < kLargeIds) {
        return static_cast<std::uint32_t>(*id);
    }
    return kLargeIds + large_ids_.try_emplace(*id, static_cast<std::uint32_t>(large_ids_.size())).first->second;
}

ForeignSpan ForeignFormat::span_of(const ChromeEvent& event, std::int64_t end_ns) {
    ForeignSpan span{event.time.ns, end_ns, intern(event.name), track_of(event), 0, class_from(event.category)};
    // Torch up to 1.9 uses this category for them.
    if (span.what == SpanClass::cpu_op && profiler_step(bare(event.name))) {
        span.what = SpanClass::annotation;
    }
    if (span.what == SpanClass::gpu || span.what == SpanClass::runtime) {
        kernels_ += span.what == SpanClass::gpu ? 1 : 0;
        span.correlation = correlation_of(event);
    }
    return span;
}

void ForeignFormat::end_span(const ChromeEvent& event) {
    auto& open = trace_.tracks[track_of(event)].open;
    if (open.empty()) {
        ++stray_ends_;
        return;
    }
    ForeignSpan span = open.back();
    open.pop_back();
    early_ends_ += event.time.ns < span.begin_ns ? 1 : 0;
    span.end_ns = std::max(event.time.ns, span.begin_ns);
    trace_.spans.push_back(span);
}

void ForeignFormat::take(const ChromeEvent& event) {
    if (event.phase == 'M') {
        metadata(event);
        return;
    }
    switch (event.time.stamp) {
        case Stamp::good:
            break;
        case Stamp::absent:
            ++untimed_;
            return;
        case Stamp::no_number:
            no_number_.add(event.time);
            return;
        case Stamp::too_far:
            too_far_.add(event.time);
            return;
    }
    switch (event.phase) {
        case 'X':
            trace_.spans.push_back(span_of(event, event.time.ns + duration_ns(event.duration)));
            break;
        case 'B': {
            const ForeignSpan span = span_of(event, kUnended);
            trace_.tracks[span.track].open.push_back(span);
            break;
        }
        case 'E':
            end_span(event);
            break;
        case 'i':
        case 'I':
        case 'C':
            memory(event);
            break;
        case 's':
        case 't':
        case 'f':
            break;  // flow events: the correlation of a launch and its kernel contains the same
        default:
            ++unshown_;
            break;
    }
}

void ForeignFormat::metadata(const ChromeEvent& event) {
    const auto what = bare(event.name);
    if (what == "thread_name") {
        trace_.tracks[track_of(event)].name = text_from(event.argument("name")).substr(0, 200);
    } else if (what == "process_name") {
        trace_.tracks[track_of(event)].process = text_from(event.argument("name")).substr(0, 200);
    } else if (what == "thread_sort_index") {
        trace_.tracks[track_of(event)].order = integer_from(event.argument("sort_index")).value_or(0);
    }
}

// torch.profiler's "[memory]" events, and counters with the same contents.
void ForeignFormat::memory(const ChromeEvent& event) {
    const auto bytes = integer_from(event.argument("Total Allocated"));
    if (!bytes) {
        ++unshown_;
        return;
    }
    const auto device = integer_from(event.argument("Device Type"));
    const bool on_host = device ? *device == 0 : bare(event.name).find("CPU") != std::string_view::npos;
    (on_host ? host_memory_ : device_memory_)
        .push_back({event.time.ns, integer_from(event.argument("Device Id")).value_or(0),
                    static_cast<std::uint64_t>(std::max<std::int64_t>(*bytes, 0))});
}

// ---- after all events ----

void ForeignFormat::keep_open_spans() {
    for (ForeignTrack& track : trace_.tracks) {
        trace_.spans.insert(trace_.spans.end(), track.open.begin(), track.open.end());
        track.open.clear();
    }
}

void ForeignFormat::order_spans() {
    std::sort(trace_.spans.begin(), trace_.spans.end(), [](const ForeignSpan& a, const ForeignSpan& b) {
        return a.track != b.track         ? a.track < b.track
               : a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns
                                          : a.end_ns > b.end_ns;
    });
}

void ForeignFormat::say_odd_events(TraceNotes& notes) const {
    const auto first = [](const OddValues& odd) { return " (the first: " + odd.first + ")."; };
    const auto was = [](std::uint64_t count) { return verb(count, " was", " were"); };
    notes.left_out(untimed_, counted(untimed_, "event", "events") + " without a time" + was(untimed_) + " left out.");
    notes.left_out(no_number_.count, counted(no_number_.count, "event", "events") + " whose time is not a number" +
                                         was(no_number_.count) + " left out" + first(no_number_));
    notes.left_out(too_far_.count, counted(too_far_.count, "event", "events") + " 73 years or more from zero" +
                                       was(too_far_.count) + " left out" + first(too_far_));
    notes.repaired(no_duration_at_all_,
                   counted(no_duration_at_all_, "span has no duration and is", "spans have no duration and are") +
                       " shown without a length.");
    notes.repaired(no_duration_.count,
                   counted(no_duration_.count, "duration that is not a number", "durations that are not numbers") +
                       was(no_duration_.count) + " taken as 0" + first(no_duration_));
    notes.repaired(too_long_.count, counted(too_long_.count, "duration", "durations") + " of 73 years or more" +
                                        was(too_long_.count) + " taken as 0" + first(too_long_));
    notes.repaired(negative_,
                   counted(negative_, "duration", "durations") + " below zero" + was(negative_) + " taken as 0.");
    notes.repaired(early_ends_,
                   counted(early_ends_, "span ends before it begins and is", "spans end before they begin and are") +
                       " shown without a length.");
    notes.left_out(stray_ends_,
                   counted(stray_ends_, "end", "ends") + " without a start" + was(stray_ends_) + " left out.");
    notes.left_out(unshown_, counted(unshown_, "event", "events") + " of kinds that Headway does not show" +
                                 was(unshown_) + " left out.");
}

core::Result<RunBuilder> ForeignFormat::finish(const std::map<std::string, std::string>& values, TraceNotes& notes) {
    keep_open_spans();
    say_odd_events(notes);
    keep_one_time_range(trace_.spans, notes);
    std::int64_t origin_ns = INT64_MAX, last_ns = 0;
    for (const ForeignSpan& span : trace_.spans) {
        origin_ns = std::min(origin_ns, span.begin_ns);
    }
    origin_ns = trace_.spans.empty() ? 0 : origin_ns;
    for (ForeignSpan& span : trace_.spans) {
        span.begin_ns -= origin_ns;
        span.end_ns -= origin_ns;
        last_ns = std::max(last_ns, span.end_ns);
    }
    order_spans();
    if (const auto found = values.find("deviceProperties"); found != values.end()) {
        const json::Document properties(found->second);
        if (const auto devices = properties.root().elements(); !devices.empty()) {
            builder_.info.device_name = devices.front()["name"].text();
        }
    }
    builder_.info.device_kind = kernels_ > 0 ? "cuda" : "trace";
    if (kernels_ > 0) {
        build_from_kernels(trace_, builder_, notes);
    } else {
        build_from_threads(trace_, builder_, notes);
    }
    auto& memory = device_memory_.empty() || (kernels_ == 0 && !host_memory_.empty()) ? host_memory_ : device_memory_;
    std::stable_sort(memory.begin(), memory.end(), [](const auto& a, const auto& b) { return a.ns < b.ns; });
    std::uint64_t far_samples = 0, all_bytes = 0;
    std::map<std::int64_t, std::uint64_t> bytes_of;  // by device: the last reading
    for (const Reading& sample : memory) {
        constexpr std::int64_t kFarNs = 3'600'000'000'000;  // an hour
        if (sample.ns < origin_ns - kFarNs || sample.ns - origin_ns > last_ns + kFarNs) {
            ++far_samples;
            continue;
        }
        std::uint64_t& bytes = bytes_of[sample.device];
        all_bytes += sample.bytes - bytes;
        bytes = sample.bytes;
        builder_.samples.push_back({sample.ns - origin_ns, 0, all_bytes});
    }
    notes.left_out(far_samples, counted(far_samples, "reading", "readings") +
                                    " of memory from more than an hour before or after the rest" +
                                    verb(far_samples, " was", " were") + " left out.");
    builder_.info.live_sampled = !builder_.samples.empty();
    return std::move(builder_);
}

}  // namespace

std::unique_ptr<TraceFormat> foreign_format(const std::string& name) {
    return std::make_unique<ForeignFormat>(name);
}

}  // namespace headway::exchange
