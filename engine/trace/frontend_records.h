// The kinds of FrontendRecord, each with names for what it stores in the common 32 bytes:
//     const auto wait = trace::as<trace::WaitRecord>(record);
//     writer.add(trace::packed(wait));
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/trace/format.h"

namespace headway::trace {

// An op was issued.
struct IssueRecord {
    std::uint64_t begin = 0;     // ticks; if the trace has no issue times: the op's start
    std::uint32_t duration = 0;  // packed ticks
    std::uint16_t signature = 0;
    std::uint8_t flags = 0;  // FrontendKind and issue flags
    std::uint8_t lane = 0;
    core::Line line = 0;
    core::BufferId out = 0;           // the buffer written
    core::BufferId in0 = 0, in1 = 0;  // the buffers read; 0: none

    [[nodiscard]] bool fresh_output() const { return (flags & kFreshOutput) != 0; }
    [[nodiscard]] bool reads_output() const { return (flags & kReadsOutput) != 0; }
    [[nodiscard]] bool not_issued() const { return (flags & kNotIssued) != 0; }
    [[nodiscard]] bool output_on_cpu() const { return (flags & kOutOnCpu) != 0; }
};

// Two more inputs of the op just issued, and, if it is an op of a backward pass, the line of its forward op.
struct MoreInputsRecord {
    std::uint64_t begin = 0;
    std::uint32_t duration = 0;
    std::uint16_t unused0 = 0;
    std::uint8_t kind = 0, unused1 = 0;
    core::Line line = 0;
    core::Line forward_line = 0;      // 0: none, or unknown
    core::BufferId in0 = 0, in1 = 0;  // 0: none
};

// A further buffer that the op just issued writes.
struct MoreOutputRecord {
    std::uint64_t begin = 0;
    std::uint32_t duration = 0;
    std::uint16_t signature = 0;  // says how many bytes it has
    std::uint8_t flags = 0, unused0 = 0;
    core::Line line = 0;
    core::BufferId out = 0;
    std::uint32_t unused1 = 0, unused2 = 0;

    [[nodiscard]] bool fresh_output() const { return (flags & kFreshOutput) != 0; }
};

// The frontend waited; recorded also if everything had already finished.
struct WaitRecord {
    std::uint64_t begin = 0;
    std::uint32_t duration = 0;
    std::uint16_t name = 0;  // string id; 0: the kind's own
    std::uint8_t kind_and_device = 0;
    WaitKind wait_kind{};
    core::Line line = 0;
    core::BufferId target = 0;  // the buffer waited for; 0: all ops; kWaitForLane: see there
    core::OpId issued = 0;      // how many ops had been issued
    core::OpId through = 0;     // the last op waited for; 0: what `target` needs, or all that were issued

    // The device waited for, from 0; -1: all.
    [[nodiscard]] int device() const { return (kind_and_device >> kWaitDeviceShift) - 1; }
};

// The frontend computed without the engine.
struct WorkRecord {
    std::uint64_t begin = 0;
    std::uint32_t duration = 0;
    std::uint16_t name = 0;  // string id; 0: none
    std::uint8_t kind = 0, unused0 = 0;
    core::Line line = 0;
    std::uint32_t unused1 = 0, unused2 = 0, unused3 = 0;
};

// A scope of the program began or ended.
using ScopeRecord = WorkRecord;

// A minibatch began or ended.
struct MinibatchRecord {
    std::uint64_t begin = 0;
    std::uint32_t duration = 0;
    std::uint16_t unused0 = 0;
    std::uint8_t kind = 0, unused1 = 0;
    core::Line line = 0;
    std::uint32_t index = 0;  // from 0
    std::uint32_t unused2 = 0, unused3 = 0;
};

// The learner chose another barrier policy.
struct BarrierRecord {
    std::uint64_t begin = 0;
    std::uint32_t duration = 0;
    std::uint16_t barrier_kind = 0;
    std::uint8_t kind = 0, unused0 = 0;
    core::Line line = 0;
    std::uint32_t behind = 0;
    std::uint32_t unused1 = 0, unused2 = 0;

    [[nodiscard]] BarrierPolicy policy() const { return {static_cast<BarrierKind>(barrier_kind), behind}; }
};

// The program wrote text to stdout or stderr. A longer text is in several records, one after another, with the same
// time.
struct OutputRecord {
    static constexpr std::size_t kBytes = 16;
    // What a run writes after so many bytes is not recorded.
    static constexpr std::size_t kMostOfRun = std::size_t{1} << 20;
    std::uint64_t begin = 0;
    core::OpId issued = 0;  // how many ops had been issued
    std::uint8_t bytes = 0;
    std::uint8_t stream = 0;  // 1: stdout, 2: stderr
    std::uint8_t kind = 0, unused0 = 0;
    std::array<char, kBytes> text{};
};

// Calls call(record) for each of the text's records, which are otherwise like `first`.
template <class Call>
void each_piece(std::string_view text, OutputRecord first, Call call) {
    for (; !text.empty(); text.remove_prefix(first.bytes)) {
        first.bytes =
            static_cast<std::uint8_t>(text.size() < OutputRecord::kBytes ? text.size() : OutputRecord::kBytes);
        text.copy(first.text.data(), first.bytes);
        call(first);
    }
}

// Of one of the kinds above.
template <class Record>
Record as(const FrontendRecord& record) {
    static_assert(sizeof(Record) == sizeof(FrontendRecord));
    return std::bit_cast<Record>(record);
}
template <class Record>
FrontendRecord packed(const Record& record) {
    static_assert(sizeof(Record) == sizeof(FrontendRecord));
    return std::bit_cast<FrontendRecord>(record);
}
constexpr FrontendKind kind_of(const FrontendRecord& record) {
    return static_cast<FrontendKind>(record.kind & kKindMask);
}

}  // namespace headway::trace
