// Failed ops and the buffers that they spoiled: a failed op's output has no value, nor has anything computed from it. A
// failure is delivered once, at the first wait that needs it or at a wait for everything. Also the ops that a stop left
// out.
//
// Threads: any. any() is a plain load; the other functions take a lock and are called only after a failure.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/core/ids.h"
#include "engine/core/result.h"
#include "engine/core/sequence.h"
#include "engine/devices/op.h"

namespace headway::devices {

// Why an op has no result.
struct OpFailure {
    core::OpId op = 0;  // the op that failed first
    core::ErrorKind kind = core::ErrorKind::failed;
    std::string message;
};

class Poison {
public:
    [[nodiscard]] bool any() const { return any_.load(std::memory_order_relaxed); }

    // `command`'s op itself failed; its output is spoiled.
    void fail(const Command& command, core::ErrorKind kind, std::string message);

    // Whether `command` reads a spoiled buffer. If so, its output is spoiled as well, with the same origin. Otherwise
    // the op is about to overwrite its output, which becomes valid again; if the op fails, call fail().
    bool spreads_to(const Command& command);

    // Runs the command's OpaqueWork; false if it failed or needs a buffer that is spoiled. Its outputs are then
    // spoiled.
    bool run_opaque(const Command& command);

    // Runs an op unless it needs a buffer that is spoiled; false if it did not run or failed. `take_lazily` finds or
    // allocates operands that are allocated at the start (false: it could not), `kernel` computes the values.
    template <class TakeLazily, class Kernel>
    bool run(Command& command, TakeLazily take_lazily, Kernel kernel) {
        if ((command.flags & kOpaque) != 0) {
            return run_opaque(command);
        }
        if (any() && spreads_to(command)) {
            return false;
        }
        if ((command.flags & kLazyOperands) != 0 && !take_lazily(command)) {
            return false;
        }
        kernel(command);
        return true;
    }

    // The device is lost: from now on every buffer is spoiled and every op fails, with this origin unless it has an
    // earlier one. Only the first call has an effect.
    void lose(OpFailure failure);

    // The program was stopped: a lane skips the op of its command `seq`, and all later ones. The lane calls this before
    // it counts the command as completed. From then on no lane may run an op, because it may need a skipped one.
    void leave_out(std::uint32_t lane, std::uint32_t seq);
    [[nodiscard]] bool leaves_out() const { return leaves_out_.load(std::memory_order_relaxed); }
    // Whether the lane's command `seq` was left out. After a wait for it.
    [[nodiscard]] bool left_out(std::uint32_t lane, std::uint32_t seq) const {
        const std::uint64_t first = left_out_[lane].load(std::memory_order_relaxed);
        return first != 0 && core::reached(seq, static_cast<std::uint32_t>(first));
    }

    // The failure that spoiled this buffer; nullopt if it is valid.
    [[nodiscard]] std::optional<OpFailure> failure_of(core::BufferId buffer) const;
    // The failure of the op itself; nullopt if it did not fail, or was skipped because of an earlier one.
    [[nodiscard]] std::optional<OpFailure> failure_at(core::OpId op) const;
    // The undelivered failure with the lowest op.
    [[nodiscard]] std::optional<OpFailure> first_undelivered() const;
    void set_delivered(core::OpId op);
    void set_all_delivered();

private:
    struct Origin {
        OpFailure failure;
        bool delivered = false;
    };
    bool spreads_to(const OpaqueWork& work);

    std::atomic<bool> any_{false}, leaves_out_{false};
    std::array<std::atomic<std::uint64_t>, core::kMaxLanes> left_out_{};  // from this command on; 0: none
    mutable std::mutex mutex_;
    std::vector<Origin> origins_;
    std::unordered_map<core::BufferId, std::size_t> spoiled_;  // buffer -> index in origins_
    std::optional<std::size_t> lost_;                          // index in origins_
};

}  // namespace headway::devices
