// Converts traces with kernels: launches become issues, streams become lanes.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "app/exchange/files/chrome_event.h"
#include "app/exchange/foreign/foreign_lanes.h"
#include "app/exchange/foreign/foreign_launches.h"
#include "app/exchange/foreign/foreign_order.h"
#include "app/exchange/foreign/foreign_spans.h"

namespace headway::exchange {

namespace {

class FromKernels {
public:
    FromKernels(const ForeignTrace& trace, RunBuilder& builder, TraceNotes& notes)
        : trace_(trace), builder_(builder), notes_(notes) {}

    void make();

private:
    using Around = std::vector<const ForeignSpan*>;  // the spans that contain a call, outermost first

    HostLaunches walk_host();
    void host_call(const ForeignSpan& call, const Around& around, HostLaunches& launches);
    [[nodiscard]] bool waits_for_copy(const ForeignSpan& call) const;
    void add_wait(const ForeignSpan& call, core::Line line, const Around& around);
    [[nodiscard]] core::Line line_of(const Around& around);
    LanePlan lanes();
    void kernels(const LanePlan& plan, const HostLaunches& launches);
    void stalls(const LanePlan& plan, const HostLaunches& launches);
    void annotations();
    void settle_steps();
    void settle_waits();

    const ForeignTrace& trace_;
    RunBuilder& builder_;
    TraceNotes& notes_;
    const DeviceWork work_ = device_work(trace_);
    // The last wait so far, with the framework op that contains it, and whether that op has launched anything
    // since.
    struct {
        const ForeignSpan* inside = nullptr;
        bool launched_since = false;
    } last_wait_;
    std::unordered_map<std::uint32_t, core::Line> lines_;  // by name of the Python frame
    std::unordered_map<std::string, std::uint32_t> files_;
    std::uint64_t files_left_out_ = 0;
};

core::Line FromKernels::line_of(const Around& around) {
    // The innermost frame of the program itself; if there is none, the innermost frame.
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
            if (first && builder_.files.size() <= core::kMostFiles) {
                file->second = static_cast<std::uint32_t>(builder_.files.size());
                builder_.files.push_back(text_from(place->file));
            }
            files_left_out_ += first && file->second == 0 ? 1 : 0;
            at->second = file->second == 0 ? 0 : core::make_line(file->second, place->line);
        }
        innermost = innermost == 0 || !place->library ? at->second : innermost;
        if (!place->library) {
            break;
        }
    }
    return innermost;
}

// Whether the call returned only after its copy was done. CUDA guarantees this for pageable memory. If the trace
// does not name the memory, decide by the times.
bool FromKernels::waits_for_copy(const ForeignSpan& call) const {
    const auto copy = work_.find(call.correlation);
    if (copy == work_.end() || !is_asynchronous_copy_call(trace_.names[call.name])) {
        return false;
    }
    const std::string& name = trace_.names[copy->second->name];
    if (!is_copy_to_host(name)) {
        return false;
    }
    const HostMemory memory = host_memory_of(name);
    return memory == HostMemory::pageable || (memory == HostMemory::unknown && call.end_ns >= copy->second->end_ns);
}

void FromKernels::host_call(const ForeignSpan& call, const Around& around, HostLaunches& launches) {
    const std::string& name = trace_.names[call.name];
    const core::Line line = line_of(around);
    const bool waits = is_synchronising(name) || waits_for_copy(call);
    HostLaunch launch;
    launch.begin_ns = call.begin_ns;
    launch.end_ns = call.end_ns;
    launch.line = line;
    launch.call = call.name;
    launch.waits = waits;
    last_wait_.launched_since = last_wait_.launched_since || work_.contains(call.correlation);
    if (waits) {
        add_wait(call, line, around);
        const trace::WaitKind kind = builder_.waits.back().kind;
        launch.reads_value = kind == trace::WaitKind::item || kind == trace::WaitKind::boolean;
    } else if (allocation_of(name) == Allocation::taken) {
        builder_.works.push_back({call.begin_ns, call.end_ns, word_of(Stall::allocation), line, 0});
    }
    if (call.correlation != 0) {
        launches.try_emplace(call.correlation, launch);
    }
}

void FromKernels::add_wait(const ForeignSpan& call, core::Line line, const Around& around) {
    const std::string& name = trace_.names[call.name];
    model::Wait wait;
    wait.begin_ns = call.begin_ns;
    wait.end_ns = call.end_ns;
    wait.kind = trace::WaitKind::synchronize;
    wait.name = name;
    wait.line = line;
    const ForeignSpan* inside = nullptr;  // the innermost framework op
    if (allocation_of(name) != Allocation::none) {
        wait.kind = trace::WaitKind::memory;
    } else {
        if (is_copy_call(name)) {
            const auto copy = work_.find(call.correlation);
            wait.kind = trace::WaitKind::copy;
            wait.name =
                copy != work_.end() && is_copy_to_host(trace_.names[copy->second->name]) ? "copy to host" : name;
        }
        bool named = false;
        for (const ForeignSpan* span : around) {  // outermost first
            if (span->what != SpanClass::cpu_op) {
                continue;
            }
            inside = span;
            if (const auto cause = named ? std::nullopt : cause_of(trace_.names[span->name])) {
                wait.kind = cause->kind;
                wait.name = cause->name;
                named = true;
            }
        }
    }
    // NVIDIA's frameworks copy and then synchronise; AMD's do both in one call. Merge both waits of one op.
    if (inside != nullptr && inside == last_wait_.inside && !last_wait_.launched_since) {
        model::Wait& before = builder_.waits.back();
        before.end_ns = std::max(before.end_ns, wait.end_ns);
        return;
    }
    last_wait_ = {inside, false};
    builder_.waits.push_back(std::move(wait));
}

// Visits all host threads, each call with the spans that contain it.
HostLaunches FromKernels::walk_host() {
    HostLaunches launches;
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
    find_stalls(trace_, work_, launches);
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
            builder_.minibatches.push_back(batch);
        } else {
            builder_.scopes.push_back(
                {text_from("\"" + trace_.names[span.name] + "\""), span.begin_ns, span.end_ns, 0});
        }
    }
    const auto by_begin = [](const model::Scope& a, const model::Scope& b) {
        return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
    };
    std::stable_sort(builder_.scopes.begin(), builder_.scopes.end(), by_begin);
    settle_steps();
    const auto issued_before = [this](std::int64_t ns) {
        const auto at =
            std::lower_bound(builder_.ops.begin(), builder_.ops.end(), ns,
                             [](const RunBuilder::Op& op, std::int64_t t) { return op.issue_begin_ns < t; });
        return static_cast<core::OpId>(at - builder_.ops.begin());
    };
    for (model::Minibatch& batch : builder_.minibatches) {
        batch.first = issued_before(batch.issue_begin_ns) + 1;
        batch.last = issued_before(batch.issue_end_ns);
    }
    for (model::Wait& wait : builder_.waits) {
        wait.issued = issued_before(wait.begin_ns + 1);
        wait.waits_through = wait.waits_through == 0 ? wait.issued : std::min(wait.waits_through, wait.issued);
    }
    for (model::Work& work : builder_.works) {
        work.issued = issued_before(work.begin_ns);
    }
    if (const std::size_t warm_up = warm_up_steps(builder_.minibatches); warm_up < builder_.minibatches.size()) {
        auto& measured = builder_.measured;
        measured.has_begin = true;
        measured.begin_ns = builder_.minibatches[warm_up].issue_begin_ns;
        measured.first = issued_before(measured.begin_ns) + 1;
        measured.first_wait = static_cast<std::size_t>(
            std::lower_bound(builder_.waits.begin(), builder_.waits.end(), measured.begin_ns,
                             [](const model::Wait& wait, std::int64_t ns) { return wait.begin_ns < ns; }) -
            builder_.waits.begin());
        if (warm_up > 0) {
            notes_.say((warm_up == 1 ? std::string("The first profiler step")
                                     : "The first " + std::to_string(warm_up) + " profiler steps") +
                       " took more than twice as long as those after " +
                       (warm_up == 1 ? "it: it is" : "them: they are") + " shown as warm-up.");
        }
    }
}

// Makes steps consecutive; the same step may appear in several threads.
void FromKernels::settle_steps() {
    auto& steps = builder_.minibatches;
    std::stable_sort(steps.begin(), steps.end(),
                     [](const auto& a, const auto& b) { return a.issue_begin_ns < b.issue_begin_ns; });
    const auto other =
        std::unique(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.index == b.index; });
    const auto again = static_cast<std::uint64_t>(steps.end() - other);
    steps.erase(other, steps.end());
    notes_.left_out(again, counted(again, "repeated profiler step is", "repeated profiler steps are") + " left out.");
    const Settled settled = one_at_a_time(steps, &model::Minibatch::issue_begin_ns, &model::Minibatch::issue_end_ns);
    notes_.left_out(settled.within, counted(settled.within, "profiler step lies within another one and is",
                                            "profiler steps lie within another one and are") +
                                        " left out.");
    notes_.repaired(settled.moved,
                    counted(settled.moved, "profiler step begins before the previous one has ended and is",
                            "profiler steps begin before the previous one has ended and are") +
                        " shown from there on.");
}

// A wait within another wait, or at the same time in another thread, is merged with it.
void FromKernels::settle_waits() {
    const Settled settled = one_at_a_time(builder_.waits, &model::Wait::begin_ns, &model::Wait::end_ns);
    notes_.left_out(settled.within,
                    counted(settled.within, "wait lies within another one, of the same thread or another, and is",
                            "waits lie within another one, of the same thread or another, and are") +
                        " left out.");
    notes_.repaired(settled.moved, counted(settled.moved, "wait begins before another one has ended and is",
                                           "waits begin before another one has ended and are") +
                                       " shown from there on.");
}

bool is_kernel(const ForeignSpan& span) {
    return span.what == SpanClass::gpu;
}

// The lanes of each stream, sorted by the streams' names.
LanePlan FromKernels::lanes() {
    LanePlan plan(trace_.tracks.size());
    std::vector<std::uint32_t> streams;
    each_with_depth(trace_, is_kernel, [&](const ForeignSpan& span, std::size_t depth) {
        if (streams.empty() || streams.back() != span.track) {  // spans are ordered by track
            streams.push_back(span.track);
        }
        plan.count(span.track, depth);
    });
    std::stable_sort(streams.begin(), streams.end(), [this](std::uint32_t a, std::uint32_t b) {
        const ForeignTrack &left = trace_.tracks[a], &right = trace_.tracks[b];
        const auto number = [](const std::string& text) { return integer_from(text).value_or(INT64_MAX); };
        return std::pair(number(left.pid), number(left.tid)) < std::pair(number(right.pid), number(right.tid));
    });
    const bool many_devices = std::any_of(streams.begin(), streams.end(), [&](std::uint32_t track) {
        return trace_.tracks[track].pid != trace_.tracks[streams[0]].pid;
    });
    std::vector<std::uint32_t> firsts;
    for (const LanePlan::Lane& lane : plan.settle(streams)) {
        const ForeignTrack& track = trace_.tracks[lane.track];
        std::string name = track.name.empty() ? "stream " + track.tid : label_of(track);
        if (!many_devices && name.starts_with("stream ")) {
            name[0] = 'S';  // sentences begin with it
        }
        builder_.lane_names.push_back((many_devices ? "GPU " + track.pid + " " : std::string()) + name +
                                      depth_suffix(lane.depth));
        builder_.lanes.emplace_back();
        firsts.push_back(lane.first);
        builder_.info.streams += lane.depth == 0 ? 1 : 0;
    }
    if (builder_.info.streams < firsts.size()) {
        builder_.info.lane_streams = std::move(firsts);
    }
    return plan;
}

void FromKernels::kernels(const LanePlan& plan, const HostLaunches& launches) {
    ForeignOps ops(trace_, builder_);
    std::vector<std::int64_t> issued_ns(builder_.lanes.size(), INT64_MIN);
    std::uint64_t unlaunched = 0, over_before = 0, begun_before = 0, moved = 0, all = 0;
    each_with_depth(trace_, is_kernel, [&](const ForeignSpan& span, std::size_t depth) {
        ++all;
        const auto lane = plan.lane_of(span.track, depth);
        if (!lane) {
            return;
        }
        const auto launch = launches.find(span.correlation);
        const bool named = span.correlation != 0 && launch != launches.end();
        // AMD's profiler also reports a copy to host memory that the GPU can access as a device-to-device copy.
        const bool to_host = named && launch->second.reads_value && trace_.names[span.name].starts_with("Memcpy DtoD");
        ForeignOps::Made made = ops.made_of(span, *lane, to_host ? "Memcpy DtoH" : nullptr);
        RunBuilder::Op& op = made.op;
        // A kernel that ended before a launch began cannot belong to it.
        const bool possible = named && made.exec.end_ns > launch->second.begin_ns;
        over_before += named && !possible ? 1 : 0;
        if (possible) {
            begun_before += made.exec.begin_ns < launch->second.begin_ns ? 1 : 0;
            op.flags = 0;
            op.issue_begin_ns = std::max(launch->second.issue_begin_ns, issued_ns[*lane]);
            op.issue_end_ns = std::max(launch->second.issue_end_ns, op.issue_begin_ns);
            op.line = launch->second.line;
            moved += op.issue_begin_ns != launch->second.issue_begin_ns ? 1 : 0;
            issued_ns[*lane] = op.issue_begin_ns;
        } else {
            unlaunched += named ? 0 : 1;
            op.issue_begin_ns = op.issue_end_ns = std::max(made.exec.begin_ns, issued_ns[*lane]);
        }
        ops.add(made);
    });
    ops.finish();
    const std::uint64_t overlapping = plan.overlapping();
    if (unlaunched > 0) {
        notes_.say(counted(unlaunched, "kernel", "kernels") + " whose launch is not in the trace: when " +
                   (unlaunched == 1 ? "it was" : "they were") + " issued is not known.");
    }
    if (over_before > 0) {
        notes_.say(counted(over_before, "kernel has", "kernels have") + " ended before the launch that " +
                   (over_before == 1 ? "it refers" : "they refer") + " to: when " +
                   (over_before == 1 ? "it was" : "they were") + " issued is not known.");
    }
    if (begun_before > 0) {
        notes_.say(counted(begun_before, "kernel begins", "kernels begin") + " before " +
                   (begun_before == 1 ? "its launch" : "their launches") +
                   ": the clocks of the host and the GPU differ.");
    }
    notes_.repaired(moved, counted(moved, "launch is", "launches are") +
                               " shown later than in the trace: launches of a stream follow the order of its kernels.");
    if (overlapping > 0) {
        notes_.say(std::to_string(overlapping) + " of " + counted(all, "kernel", "kernels") +
                   " ran at the same time as another one of " + (overlapping == 1 ? "its" : "their") +
                   " stream: such a stream has several lanes.");
    }
    plan.note_left_out("kernel", notes_);
}

// Records why launches did not return at once: waits for the driver's queue, and other work of the driver.
void FromKernels::stalls(const LanePlan& plan, const HostLaunches& launches) {
    std::map<Stall, std::uint64_t> counts;
    for (const auto& [correlation, launch] : launches) {
        if (launch.stall == Stall::none) {
            continue;
        }
        ++counts[launch.stall];
        const bool before = launch.issue_begin_ns > launch.begin_ns;  // otherwise after
        const std::int64_t begin_ns = before ? launch.begin_ns : launch.issue_end_ns;
        const std::int64_t end_ns = before ? launch.issue_begin_ns : launch.end_ns;
        if (launch.stall != Stall::queue_full) {
            builder_.works.push_back({begin_ns, end_ns, word_of(launch.stall), launch.line, 0});
            continue;
        }
        model::Wait wait;
        wait.begin_ns = begin_ns;
        wait.end_ns = end_ns;
        wait.kind = trace::WaitKind::queue_limit;
        wait.name = word_of(launch.stall);
        wait.line = launch.line;
        // The wait ends with the next op of the stream.
        const auto lane = plan.lane_of(work_.at(correlation)->track, 0);
        const auto& executed = lane ? builder_.lanes[*lane] : std::vector<RunBuilder::Exec>();
        const auto next =
            std::upper_bound(executed.begin(), executed.end(), begin_ns,
                             [](std::int64_t ns, const RunBuilder::Exec& exec) { return ns < exec.end_ns; });
        wait.waits_through = next != executed.end() ? next->op : 0;
        builder_.waits.push_back(std::move(wait));
    }
    std::string words;
    std::uint64_t all = 0;
    for (const auto& [stall, count] : counts) {
        words += (words.empty() ? "" : ", ") + std::string(word_of(stall)) + " " + std::to_string(count);
        all += count;
    }
    if (all > 0) {
        notes_.say(counted(all, "launch", "launches") + " took more than 8 times as long as the median (" + words +
                   "): what held " + (all == 1 ? "it" : "them") + " up is shown separately from the issue.");
    }
}

void FromKernels::make() {
    const HostLaunches launches = walk_host();
    const LanePlan plan = lanes();
    kernels(plan, launches);
    stalls(plan, launches);
    settle_waits();
    keep_apart(builder_.works, builder_.waits);
    annotations();
    if (files_left_out_ > 0) {
        notes_.say("The lines of " + counted(files_left_out_, "source file", "source files") + " beyond the first " +
                   std::to_string(core::kMostFiles) + " are not shown.");
    }
    std::uint64_t others = 0;
    for (const ForeignSpan& span : trace_.spans) {
        others += span.what == SpanClass::cpu_op || span.what == SpanClass::python || span.what == SpanClass::other;
    }
    if (others > 0) {  // their names and source lines are used for what they launched
        notes_.say(counted(others, "span", "spans") + " of the host " + (others == 1 ? "is" : "are") +
                   " not shown one by one; launches, waits and annotations are.");
    }
}

}  // namespace

void build_from_kernels(const ForeignTrace& trace, RunBuilder& builder, TraceNotes& notes) {
    FromKernels(trace, builder, notes).make();
}

}  // namespace headway::exchange
