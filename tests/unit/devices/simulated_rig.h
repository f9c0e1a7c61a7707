// A simulated device, its recording, and commands for it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "engine/devices/simulated/simulated.h"
#include "engine/trace/reader.h"

namespace headway::devices {

using Records = std::vector<trace::ExecRecord>;

// The learner stores a value in one of the controls, 5 ms from now.
template <class T>
[[nodiscard]] std::jthread soon(std::atomic<T>& control, std::type_identity_t<T> value) {
    return std::jthread([&control, value] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        control.store(value);
    });
}

class Rig {
public:
    explicit Rig(const CostModel& model, std::uint32_t streams = 1, std::uint32_t chunks = 3) {
        // A chunk for each lane, one for the learner's holds, one for the memory samples that the recording may take
        // before its clock is virtual. A larger recording would spend the test's time on page faults.
        auto recording = trace::Recording::create(trace::kHeaderBytes + (streams + chunks) * trace::kChunkBytes);
        EXPECT_TRUE(recording) << recording.error().message;
        recording_ = std::move(*recording);
        device_ = std::make_unique<SimulatedDevice>(model, streams, *recording_);
        auto reader = trace::Reader::open(recording_->fd());
        EXPECT_TRUE(reader) << reader.error().message;
        reader_ = std::move(*reader);
    }

    SimulatedDevice& device() { return *device_; }
    trace::Recording& recording() { return *recording_; }

    Signature& signature(OpKind kind, std::int64_t elements = 0, double ns = 0) {
        signatures_.emplace_back();
        Signature& s = signatures_.back();
        s.kind = kind;
        s.out = Shape{elements};
        s.elements = elements;
        s.out_bytes = static_cast<std::uint64_t>(elements) * sizeof(float);
        s.simulated_ns = ns;
        return s;
    }
    Command op(OpKind kind, std::int64_t elements = 0, double ns = 0) {
        Command command;
        command.signature = &signature(kind, elements, ns);
        command.op = ++ops_;
        return command;
    }
    static Command after(Command command, std::uint8_t lane, std::uint32_t seq) {
        command.wait_lane = lane;
        command.wait_seq = seq;
        return command;
    }
    // An op that takes `ns` and does nothing.
    void busy(std::uint32_t lane, double ns) { device_->submit(lane, op(OpKind::noop, 0, ns)); }
    void busy_after(std::uint32_t lane, double ns, std::uint8_t wait_lane, std::uint32_t seq) {
        device_->submit(lane, after(op(OpKind::noop, 0, ns), wait_lane, seq));
    }
    [[nodiscard]] std::uint32_t completed(std::uint32_t lane) const { return device_->completed(lane).load(); }

    Records records(std::uint8_t lane) {
        reader_->poll();
        Records all;
        const trace::StreamId id{trace::StreamKind::lane, lane};
        for (std::uint64_t i = 0;;) {
            const auto some = reader_->records<trace::ExecRecord>(id, i);
            if (some.empty()) {
                return all;
            }
            all.insert(all.end(), some.begin(), some.end());
            i += some.size();
        }
    }

private:
    std::unique_ptr<trace::Recording> recording_;
    std::unique_ptr<trace::Reader> reader_;
    std::deque<Signature> signatures_;
    std::unique_ptr<SimulatedDevice> device_;
    core::OpId ops_ = 0;
};

inline void expect_record(const trace::ExecRecord& record, core::OpId op, std::uint64_t begin, std::uint64_t end) {
    EXPECT_EQ(record.op, op);
    EXPECT_EQ(record.begin, begin);
    EXPECT_EQ(record.begin + trace::unpack_duration(record.duration), end);
}

}  // namespace headway::devices
