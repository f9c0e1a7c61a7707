// Integer ids for objects shared across layers. Each is unique within one run and never reused in it; 0 means none.
#pragma once

#include <cstdint>

namespace headway::core {

using OpId = std::uint32_t;      // ops count from 1 in the order of issue
using BufferId = std::uint32_t;  // storage of one or more tensors; views share it
using Line = std::uint32_t;      // source position: file id in the top 12 bits, line number below; 0: unknown

using DeviceId = std::uint8_t;  // counted from 0, the device that the run was started on

// Most lanes of a run of the engine, counted over all its devices: lane numbers are unique within the run. Every op and
// every buffer has an entry for each lane.
inline constexpr std::uint32_t kMaxLanes = 32;
inline constexpr std::uint32_t kMaxLanesOfDevice = 16;
// Most lanes of a trace. A run of the engine has at most kMaxLanes; a trace of another program has as many as that
// program has streams, or levels of nested calls in its threads. Readers allocate per-lane data only for lanes that the
// trace has.
inline constexpr std::uint32_t kMaxTraceLanes = 160;
inline constexpr std::uint32_t kMaxGpus = 8;
inline constexpr std::uint32_t kMaxDevices = kMaxGpus + 1;  // and the CPU

inline constexpr int kLineBits = 20;
inline constexpr std::uint32_t kMostLine = (1u << kLineBits) - 1;
inline constexpr std::uint32_t kMostFiles = (1u << (32 - kLineBits)) - 1;

// 0 (unknown) if the file or the line number does not fit.
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
