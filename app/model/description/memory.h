// Live and pending bytes, computed from the events of buffers: when their bytes were allocated, which ops touched
// them, and when the program dropped them. Private to app/model.
//
// A buffer's state is stored while it can still change, in pages of consecutive ids.
//
// Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "app/model/containers/curve.h"
#include "app/model/description/events.h"
#include "engine/core/ids.h"

namespace headway::model {

struct RunDevice;

// When bytes count as allocated and as free; see memory::FreePolicy.
enum class FreePolicy : std::uint8_t { finish, stream, lazy };
FreePolicy free_policy_from(std::string_view name);

// Whether the op's outputs took memory when it began. Under the policy lazy, an op that failed or was skipped took none.
// Of a composite, the steps before the failed one did: all its outputs count.
inline bool took_memory(const Op& op, FreePolicy policy) {
    return policy != FreePolicy::lazy || !op.failed || op.more_outputs;
}

struct BufferState {
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

    std::uint64_t bytes = 0;
    std::int64_t taken_ns = kNever;
    std::int64_t dropped_ns = kNever;
    std::int64_t last_end_ns = std::numeric_limits<std::int64_t>::min();  // of the ops that touched it and have ended
    core::OpId writer = 0;                                                // last writer so far
    core::OpId reader = 0;                                                // last reader since then
    std::uint32_t open = 0;                                               // ops that touch it and have not ended
    bool fresh = false;                                                   // an op created it
    std::uint8_t device = 0;                                              // the device that holds it
    bool pending = false;  // dropped, but still needed by ops that have not run
};

class Memory {
public:
    Memory(Curve& live, Curve& pending) : live_(live), pending_(pending) {}

    void set_policy(FreePolicy policy) { policy_ = policy; }
    [[nodiscard]] FreePolicy policy() const { return policy_; }
    // From now on each device's bytes are also counted separately, in the curves of `devices`. The vector must stay
    // valid until the next call.
    void keep_devices(std::vector<RunDevice>& devices) { devices_ = &devices; }

    // Raises the limit for plausible buffer ids. Ops create at most one buffer each; composite ops announce further
    // ones.
    void expect_one_more() { ++more_; }

    // The state of a buffer; null for id 0, for ids that no run of `ops` ops could have, and for buffers whose
    // state is final.
    [[nodiscard]] BufferState* find(core::BufferId id, std::size_t ops);

    // An op that creates this buffer was issued at `ns`.
    void made(BufferState& buffer, std::uint64_t bytes, std::int64_t ns, std::size_t device);
    // The op started (policy lazy: the bytes are allocated now).
    void started(BufferState& buffer, std::int64_t ns);
    // An op that touches the buffer ended.
    void released(core::BufferId id, BufferState& buffer, std::int64_t end_ns);
    // The program dropped the buffer.
    void dropped(core::BufferId id, BufferState& buffer, std::int64_t ns);

private:
    static constexpr std::size_t kPage = 256;
    struct Page {
        std::array<BufferState, kPage> buffers;
        std::size_t done = 0;
    };
    struct Slot {
        std::unique_ptr<Page> page;
        bool gone = false;
    };

    void hold(BufferState& buffer);
    void add_live(const BufferState& buffer, std::int64_t ns, int sign);
    void add_pending(const BufferState& buffer, std::int64_t ns, int sign);
    void finish(core::BufferId id, BufferState& buffer);

    Curve& live_;
    Curve& pending_;
    std::vector<RunDevice>* devices_ = nullptr;  // null: there is only one device
    FreePolicy policy_ = FreePolicy::finish;
    std::size_t more_ = 0;
    std::vector<Slot> pages_;
};

}  // namespace headway::model
