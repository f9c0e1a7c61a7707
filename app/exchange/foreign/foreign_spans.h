// The contents of another program's trace: spans on threads, not yet converted to lanes, issues or waits; and the
// two conversions to a run. Private to app/exchange.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/exchange/files/trace_notes.h"
#include "app/exchange/foreign/foreign_names.h"
#include "app/exchange/foreign/run_builder.h"

namespace headway::exchange {

struct ForeignSpan {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::uint32_t name = 0, track = 0;  // indices into ForeignTrace
    std::uint32_t correlation = 0;      // of a launch and its kernel, renumbered to 32 bits; 0: none
    SpanClass what = SpanClass::other;
};

// A thread of a process, or a stream if the process is a GPU.
struct ForeignTrack {
    std::string pid, tid, name, process;
    std::int64_t order = 0;
    std::vector<ForeignSpan> open{};  // begun and not ended so far
};

struct ForeignTrace {
    std::deque<std::string> names;  // as in the text, with escapes; addresses are stable
    std::vector<ForeignTrack> tracks;
    std::vector<ForeignSpan> spans;  // finally sorted by track, then by begin, longer ones first
};

// For traces with kernels (torch.profiler with a GPU): calls that launch kernels become issues, streams become
// lanes (several if kernels of one stream overlap), and calls that wait for the device become waits.
void build_from_kernels(const ForeignTrace& trace, RunBuilder& builder, TraceNotes& notes);

// For other traces: each thread becomes as many lanes as its spans are deep; there are no issues.
void build_from_threads(const ForeignTrace& trace, RunBuilder& builder, TraceNotes& notes);

// "python", "thread 7".
std::string label_of(const ForeignTrack& track);

// Collects the ops of a builder: one for each span to be shown.
class ForeignOps {
public:
    ForeignOps(const ForeignTrace& trace, RunBuilder& builder) : trace_(trace), builder_(builder) {}

    struct Made {
        RunBuilder::Op op;
        RunBuilder::Exec exec;
    };
    // An op for a span on this lane, without an issue. `called` replaces the span's name, if not null.
    Made made_of(const ForeignSpan& span, std::uint8_t lane, const char* called = nullptr);
    void add(const Made& made) { made_.push_back(made); }
    // Moves the ops to the builder, in the order of issue. Within a lane this is also the order of execution.
    void finish();

private:
    std::uint16_t signature_of(std::uint32_t name, const char* called);

    const ForeignTrace& trace_;
    RunBuilder& builder_;
    std::vector<Made> made_;
    std::unordered_map<std::uint64_t, std::uint16_t> signature_ids_;  // by name, and whether `called` was given
};

}  // namespace headway::exchange
