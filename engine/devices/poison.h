// Failures of ops, and what they spoiled: a failed op's output has no value, nor has anything computed from it. A
// failure is delivered once, at the first wait that needs it or at a wait for everything.
//
// Threads: any. any() is a plain load; the rest takes a lock and runs only after something has failed.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/core/ids.h"
#include "engine/core/result.h"
#include "engine/devices/op.h"

namespace headway::devices {

// Why an op gave no result.
struct OpFailure {
    core::OpId op = 0;  // where it began
    core::ErrorKind kind = core::ErrorKind::failed;
    std::string message;
};

class Poison {
public:
    [[nodiscard]] bool any() const { return any_.load(std::memory_order_relaxed); }

    // `command`'s op failed by itself; its output is spoiled.
    void fail(const Command& command, core::ErrorKind kind, std::string message);

    // Whether `command` reads something spoiled. If so its output is spoiled as well, with the same origin.
    // Otherwise the op is about to overwrite its output, which is sound again; should the op fail, fail() says so.
    bool spreads_to(const Command& command);

    // The device is lost: every buffer is spoiled from here on, and every op fails, unless something else spoiled it
    // before. Only the first call counts.
    void lose(OpFailure failure);

    // The origin of what spoiled this buffer.
    [[nodiscard]] std::optional<OpFailure> failure_of(core::BufferId buffer) const;
    // The failure with the lowest op that has not been delivered.
    [[nodiscard]] std::optional<OpFailure> first_undelivered() const;
    void set_delivered(core::OpId op);
    void set_all_delivered();

private:
    struct Origin {
        OpFailure failure;
        bool delivered = false;
    };
    std::atomic<bool> any_{false};
    mutable std::mutex mutex_;
    std::vector<Origin> origins_;
    std::unordered_map<core::BufferId, std::size_t> spoiled_;  // buffer -> index in origins_
    std::optional<std::size_t> lost_;                          // index in origins_
};

}  // namespace headway::devices
