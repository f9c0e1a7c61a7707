// A recording of ops that all take the same times.
#pragma once

#include <functional>

#include "tests/unit/model/recording_builder.h"

namespace headway::model {

// Runs `ops` ops with constant stages on `lanes` lanes in turn, with a full wait after each op selected by
// `wait_after`.
class ConstantRun {
public:
    ConstantRun(std::int64_t t1, std::int64_t t2, std::int64_t t3, std::uint32_t lanes = 1)
        : t1_(t1), t2_(t2), t3_(t3), lanes_(lanes) {}

    void mark(trace::FrontendKind kind) { builder.mark(kind, now); }
    void ops(OpId count, const std::function<bool(OpId)>& wait_after) {
        for (OpId i = 1; i <= count; ++i) {
            const auto lane = static_cast<std::uint8_t>((i - 1) % lanes_);
            const OpId id = builder.issue({now, now + t1_, lane});
            now += t1_;
            const std::int64_t begin = std::max(now, free_[lane]);
            free_[lane] = begin + t2_;
            last_end_ = std::max(last_end_, free_[lane]);
            builder.exec(lane, id, begin, free_[lane]);
            if (wait_after(i)) {
                wait(trace::WaitKind::waitall);
            }
        }
    }
    void wait(trace::WaitKind kind) {
        const std::int64_t begin = now;
        now = std::max(now, last_end_) + t3_;
        builder.wait(begin, now, kind);
    }

    RecordingBuilder builder{std::size_t{64} << 20};
    std::int64_t now = 0;

private:
    std::int64_t t1_, t2_, t3_;
    std::uint32_t lanes_;
    std::array<std::int64_t, core::kMaxLanes> free_{};
    std::int64_t last_end_ = 0;
};

inline constexpr auto kNever = [](OpId) { return false; };
inline constexpr auto kAlways = [](OpId) { return true; };

}  // namespace headway::model
