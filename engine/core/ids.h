// Small names for things that cross layers. All are unique within one run and never reused in it; 0 means none.
#pragma once

#include <cstdint>

namespace headway::core {

using OpId = std::uint32_t;      // ops count from 1 in the order of issue
using BufferId = std::uint32_t;  // storage of one or more tensors; views share it
using Line = std::uint32_t;      // source position: file id in the top 12 bits, line number below; 0: not known

using DeviceId = std::uint8_t;  // a run's devices count from 0, which is the one that it was started on

// Lanes of a run of the engine, of all its devices together: a lane has one number in the run. Every op and every
// buffer keeps something for each of them.
inline constexpr std::uint32_t kMaxLanes = 16;
// Lanes of a trace. A run of the engine has kMaxLanes at most; one of another program has as many as its streams, or as
// its threads are deep. Watchers keep what they know of a lane only where the trace has it.
inline constexpr std::uint32_t kMaxTraceLanes = 64;
inline constexpr std::uint32_t kMaxDevices = 2;  // a GPU and the CPU beside it

inline constexpr int kLineBits = 20;
inline constexpr std::uint32_t kMostLine = (1u << kLineBits) - 1;
inline constexpr std::uint32_t kMostFiles = (1u << (32 - kLineBits)) - 1;

// Not known where there are more files or lines than that.
constexpr Line make_line(std::uint32_t file, std::uint32_t line) {
    return file <= kMostFiles && line <= kMostLine ? file << kLineBits | line : 0;
}
constexpr std::uint32_t file_of(Line line) {
    return line >> kLineBits;
}
constexpr std::uint32_t number_of(Line line) {
    return line & kMostLine;
}

}  // namespace headway::core
