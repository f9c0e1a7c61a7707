// What a trace of another program tells: spans on threads, before anything is known of lanes, issues or waits; and the
// two ways in which they become a run. Private to app/exchange.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
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
    std::uint32_t correlation = 0;      // of a launch and its kernel, however large it was in the file; 0: none
    SpanClass what = SpanClass::other;
};

// A thread of a process; or, where the process is a GPU, a stream.
struct ForeignTrack {
    std::string pid, tid, name, process;
    std::int64_t order = 0;
    std::vector<ForeignSpan> open{};  // begun and not ended so far
};

struct ForeignTrace {
    std::deque<std::string> names;  // as they stand in the text, escapes left in; addresses stay
    std::vector<ForeignTrack> tracks;
    std::vector<ForeignSpan> spans;  // once they are all there: by track, then by begin, the longer one first
};

// Where there are kernels (torch.profiler with a GPU): the calls that launch them are the issues, the streams the
// lanes, several where kernels of one stream ran at the same time, and the calls that wait for the device the waits.
void build_from_kernels(const ForeignTrace& trace, RunBuilder& builder, TraceNotes& notes);

// Elsewhere each thread is as many lanes as its spans are deep, and nothing is known of issues.
void build_from_threads(const ForeignTrace& trace, RunBuilder& builder, TraceNotes& notes);

// "python", "thread 7".
std::string label_of(const ForeignTrack& track);

// The ops of a builder, in the making: one for each span that is to be shown.
class ForeignOps {
public:
    ForeignOps(const ForeignTrace& trace, RunBuilder& builder) : trace_(trace), builder_(builder) {}

    struct Made {
        RunBuilder::Op op;
        RunBuilder::Exec exec;
    };
    // The op of a span on this lane, not issued as far as anybody knows; `called` in place of its own name, if given.
    Made made_of(const ForeignSpan& span, std::uint8_t lane, const char* called = nullptr);
    void add(const Made& made) { made_.push_back(made); }
    // Puts what was added into the builder, in the order of the issues; within a lane that is the order of execution,
    // too.
    void finish();

private:
    std::uint16_t signature_of(std::uint32_t name, const char* called);

    const ForeignTrace& trace_;
    RunBuilder& builder_;
    std::vector<Made> made_;
    std::unordered_map<std::uint64_t, std::uint16_t> signature_ids_;  // by name, and whether it is called otherwise
};

}  // namespace headway::exchange
