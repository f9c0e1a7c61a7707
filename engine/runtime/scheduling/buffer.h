// Frontend-side state of the storage behind one or more tensors: its memory, and the sequence numbers of its last
// writer and readers in each lane.
//
// Threads: the frontend only; lanes get addresses and ids in their commands.
#pragma once

#include <array>
#include <cstdint>

#include "engine/core/ids.h"

namespace headway::runtime {

class OpQueue;

struct alignas(64) Buffer {
    float* data = nullptr;  // null under the lazy policy
    OpQueue* queue = nullptr;
    std::uint64_t bytes = 0;
    core::BufferId id = 0;
    std::uint32_t references = 0;
    std::uint32_t size_class = 0;
    std::uint32_t write_seq = 0;  // 0: never written
    core::OpId write_op = 0;
    std::uint8_t write_lane = 0;
    bool gathered = false;      // written by an op that is gathered but not issued yet
    core::DeviceId device = 0;  // whose memory `data` is in
    // Sequence number of the last reader in each lane; 0: none.
    std::array<std::uint32_t, core::kMaxLanes> read_seq{};
    Buffer* next_free = nullptr;
};

}  // namespace headway::runtime
