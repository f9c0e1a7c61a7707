// Live and pending bytes from what happened to buffers: when their bytes were taken, which ops touched them, when the
// program dropped them. Private to app/model.
//
// State is kept per buffer while anything can still happen to it, in pages of consecutive ids.
//
// Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "app/model/run/curve.h"
#include "engine/core/ids.h"

namespace headway::model {

struct RunDevice;

// When bytes count as taken and as free; see memory::FreePolicy.
enum class FreePolicy : std::uint8_t { finish, stream, lazy };
FreePolicy free_policy_from(std::string_view name);

struct BufferState {
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

    std::uint64_t bytes = 0;
    std::int64_t taken_ns = kNever;
    std::int64_t dropped_ns = kNever;
    std::int64_t last_end_ns = std::numeric_limits<std::int64_t>::min();  // of the ops that touched it and are done
    core::OpId writer = 0;                                                // the last one so far
    core::OpId reader = 0;                                                // the last one since then
    std::uint32_t open = 0;                                               // ops that touch it and are not done
    bool fresh = false;                                                   // an op made it
    std::uint8_t device = 0;                                              // whose memory it is
    bool pending = false;  // dropped, and still held for ops that have not run
};

class Memory {
public:
    Memory(Curve& live, Curve& pending) : live_(live), pending_(pending) {}

    void set_policy(FreePolicy policy) { policy_ = policy; }
    // From here on each device's bytes are also counted by themselves, in curves that stay where they are until the
    // next call.
    void keep_devices(std::vector<RunDevice>& devices) { devices_ = &devices; }

    // Ops make one buffer each at most; composite ones are announced to make more.
    void expect_one_more() { ++more_; }

    // The state of a buffer; null for 0, for ids that no run of `ops` ops could have, and for buffers that are done
    // with.
    [[nodiscard]] BufferState* find(core::BufferId id, std::size_t ops);

    // An op that makes this buffer was issued at `ns`.
    void made(BufferState& buffer, std::uint64_t bytes, std::int64_t ns, std::size_t device);
    // It started (lazy: takes the bytes now).
    void started(BufferState& buffer, std::int64_t ns);
    // An op that touches the buffer ended.
    void released(core::BufferId id, BufferState& buffer, std::int64_t end_ns);
    // The program let go of it.
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
    std::vector<RunDevice>* devices_ = nullptr;  // null: there is one
    FreePolicy policy_ = FreePolicy::finish;
    std::size_t more_ = 0;
    std::vector<Slot> pages_;
};

}  // namespace headway::model
