// Traces with kernels: launches are issues, streams are lanes.
#include <algorithm>
#include <unordered_map>

#include "app/exchange/chrome_event.h"
#include "app/exchange/foreign_spans.h"

namespace headway::exchange {

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

class FromKernels {
public:
    FromKernels(const ForeignTrace& trace, Draft& draft, std::vector<std::string>& notes)
        : trace_(trace), draft_(draft), notes_(notes) {}

    void make();

private:
    struct Launch {
        std::int64_t begin_ns = 0, end_ns = 0;
        core::Line line = 0;
    };
    using Launches = std::unordered_map<std::uint32_t, Launch>;  // by correlation
    using Around = std::vector<const ForeignSpan*>;              // what a call lies in, the outermost first

    Launches walk_host();
    void host_call(const ForeignSpan& call, const Around& around, Launches& launches);
    [[nodiscard]] core::Line line_of(const Around& around);
    void annotations();
    void settle_waits();

    const ForeignTrace& trace_;
    Draft& draft_;
    std::vector<std::string>& notes_;
    std::unordered_map<std::uint32_t, core::Line> lines_;  // by name of a Python frame
    std::unordered_map<std::string, std::uint32_t> files_;
};

core::Line FromKernels::line_of(const Around& around) {
    // The innermost frame of the program itself; else the innermost of all.
    core::Line innermost = 0;
    for (auto span = around.rbegin(); span != around.rend(); ++span) {
        if ((*span)->what != SpanClass::python) {
            continue;
        }
        const auto place = python_place(trace_.names[(*span)->name]);
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

void FromKernels::host_call(const ForeignSpan& call, const Around& around, Launches& launches) {
    const std::string& name = trace_.names[call.name];
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
    for (const ForeignSpan* span : around) {  // outermost first
        if (span->what == SpanClass::cpu_op) {
            if (const auto cause = cause_of(trace_.names[span->name])) {
                wait.kind = cause->kind;
                wait.name = cause->name;
                break;
            }
        }
    }
    draft_.waits.push_back(std::move(wait));
}

// All threads of the host, each with what is around a call.
FromKernels::Launches FromKernels::walk_host() {
    Launches launches;
    Around around;
    for (const ForeignSpan& span : trace_.spans) {
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

void FromKernels::annotations() {
    for (const ForeignSpan& span : trace_.spans) {
        if (span.what != SpanClass::annotation) {
            continue;
        }
        if (const auto step = profiler_step(trace_.names[span.name])) {
            model::Minibatch batch;
            batch.index = static_cast<std::int32_t>(*step);
            batch.issue_begin_ns = span.begin_ns;
            batch.issue_end_ns = span.end_ns;
            draft_.minibatches.push_back(batch);
        } else {
            draft_.scopes.push_back({text_from("\"" + trace_.names[span.name] + "\""), span.begin_ns, span.end_ns, 0});
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
        const auto at = std::lower_bound(draft_.ops.begin(), draft_.ops.end(), ns,
                                         [](const Draft::Op& op, std::int64_t t) { return op.issue_begin_ns < t; });
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
void FromKernels::settle_waits() {
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

void FromKernels::make() {
    const Launches launches = walk_host();
    // A lane for each stream, in the order of their names.
    std::vector<std::uint32_t> streams;
    std::vector<std::uint64_t> spans_of(trace_.tracks.size(), 0);
    for (const ForeignSpan& span : trace_.spans) {
        if (span.what == SpanClass::gpu && spans_of[span.track]++ == 0) {
            streams.push_back(span.track);
        }
    }
    std::stable_sort(streams.begin(), streams.end(), [this](std::uint32_t a, std::uint32_t b) {
        const ForeignTrack &left = trace_.tracks[a], &right = trace_.tracks[b];
        const auto number = [](const std::string& text) { return integer_from(text).value_or(INT64_MAX); };
        return std::pair(number(left.pid), number(left.tid)) < std::pair(number(right.pid), number(right.tid));
    });
    std::uint64_t beyond = 0;
    for (; streams.size() > core::kMaxTraceLanes; streams.pop_back()) {
        beyond += spans_of[streams.back()];
    }
    std::vector<std::uint32_t> lane_of(trace_.tracks.size(), kNone);
    const bool many_devices = std::any_of(streams.begin(), streams.end(), [&](std::uint32_t track) {
        return trace_.tracks[track].pid != trace_.tracks[streams[0]].pid;
    });
    for (std::size_t lane = 0; lane < streams.size(); ++lane) {
        const ForeignTrack& track = trace_.tracks[streams[lane]];
        lane_of[streams[lane]] = static_cast<std::uint32_t>(lane);
        const bool named = !track.name.empty();
        draft_.lane_names.push_back((many_devices ? "GPU " + track.pid + " " : std::string()) +
                                    (named ? label_of(track) : "stream " + track.tid));
        draft_.lanes.emplace_back();
    }
    ForeignOps ops(trace_, draft_);
    std::vector<std::int64_t> issued_ns(streams.size(), INT64_MIN);
    std::uint64_t unlaunched = 0, moved = 0, other_spans = 0;
    for (const ForeignSpan& span : trace_.spans) {
        if (span.what != SpanClass::gpu) {
            other_spans +=
                span.what == SpanClass::cpu_op || span.what == SpanClass::python || span.what == SpanClass::other ? 1
                                                                                                                  : 0;
            continue;
        }
        const std::uint32_t lane = lane_of[span.track];
        if (lane == kNone) {
            continue;
        }
        ForeignOps::Made made = ops.made_of(span, static_cast<std::uint8_t>(lane));
        moved += made.exec.begin_ns != span.begin_ns ? 1 : 0;
        Draft::Op& op = made.op;
        if (const auto launch = launches.find(span.correlation); span.correlation != 0 && launch != launches.end()) {
            op.flags = 0;
            op.issue_begin_ns = std::max(launch->second.begin_ns, issued_ns[lane]);
            op.issue_end_ns = std::max(launch->second.end_ns, op.issue_begin_ns);
            op.line = launch->second.line;
        } else {
            ++unlaunched;
            op.issue_begin_ns = op.issue_end_ns = std::max(made.exec.begin_ns, issued_ns[lane]);
        }
        issued_ns[lane] = op.issue_begin_ns;
        ops.add(made);
    }
    ops.finish();
    settle_waits();
    annotations();
    if (unlaunched > 0) {
        notes_.push_back(counted(unlaunched, "kernel", "kernels") +
                         " whose launch is not in the trace: when they were issued is not known.");
    }
    if (moved > 0) {
        notes_.push_back(counted(moved, "kernel", "kernels") +
                         " that began before the one in front had ended now follow it.");
    }
    if (beyond > 0) {
        notes_.push_back(counted(beyond, "kernel", "kernels") + " on streams beyond the first " +
                         std::to_string(core::kMaxTraceLanes) + " left out.");
    }
    if (other_spans > 0) {
        notes_.push_back(counted(other_spans, "span", "spans") +
                         " of the host are not shown one by one; launches, waits and annotations are.");
    }
}

}  // namespace

void draft_from_kernels(const ForeignTrace& trace, Draft& draft, std::vector<std::string>& notes) {
    FromKernels(trace, draft, notes).make();
}

}  // namespace headway::exchange
