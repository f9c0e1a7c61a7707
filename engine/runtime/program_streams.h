// Streams that the program chooses and orders itself, as PyTorch's.
//
// Usually the Scheduler chooses the lane of each op and adds every wait that the op needs, so no program can forget
// one. From begin() on this class takes its place for the run's GPUs: an op goes to the lane of its GPU's current
// stream, and only the program orders ops of different streams: by waits between streams, by events, and by waits of
// the frontend. A missing wait may give wrong values, but every op works on memory that the run owns: memory is reused
// in the order of the stream that it was made in, and returned to the device only when no lane uses it.
//
// A copy from one GPU to another belongs to the current streams of both: it follows what has been issued to them, and
// what is issued to them later follows it. It runs in the lane of the one that it copies to.
//
// Ops that were issued before begin() count as ops of their GPU's default stream, and the next op of a default stream
// waits for all of them. If the run has a CPU beside its GPUs, the CPU's ops and memory keep all their waits.
//
// A race is a pair of ops of two streams that use one buffer, or one block of memory, where one of them writes and
// nothing orders them. Which ops are ordered follows from what the program asked for, by vector clocks at each issue,
// and not from observed times, so the same program has the same races in each run. The learner's barriers between ops
// and minibatches order ops as well; the queue limit does not.
//
// ProgramStreams has many public functions because everything that orders ops is reported to it: what the program asks
// for, and each op, wait, allocation and drop of the queue.
//
// Threads: the frontend only.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/runtime/scheduling/lanes.h"
#include "engine/runtime/scheduling/operation.h"
#include "engine/runtime/scheduling/scheduler.h"
#include "engine/trace/recorder.h"

namespace headway::runtime {

class OpQueue;

// A moment in a stream, as an event of the program. Trivial, so that Python can keep its bytes.
struct StreamPoint {
    std::uint32_t lane = 0;
    std::uint32_t seq = 0;  // its last command so far; 0: none
    core::OpId op = 0;      // and its last op
    LaneSeqs clock{};       // of each lane: the last command known to be complete once `seq` is
    // The stream waits that no op of the stream has followed yet: of each lane, the op waited for; 0: none.
    std::array<core::OpId, core::kMaxLanes> waits{};
};

class ProgramStreams {
public:
    explicit ProgramStreams(OpQueue& queue);
    ProgramStreams(const ProgramStreams&) = delete;
    ProgramStreams& operator=(const ProgramStreams&) = delete;

    [[nodiscard]] bool active() const { return active_; }
    // The program uses streams from now on. Does nothing the second time, and where each GPU has one lane only.
    // ProgramError under the free policy lazy.
    void begin();

    // --- streams, named by their lanes ---
    [[nodiscard]] std::uint32_t default_stream(core::DeviceId device = 0) const;
    [[nodiscard]] std::uint32_t current(core::DeviceId device = 0) const { return current_[device]; }
    // From now on it is the current stream of its GPU.
    void set_current(std::uint32_t lane);
    // Another stream. ProgramError if each lane of the GPU is the lane of a stream.
    [[nodiscard]] std::uint32_t open(core::DeviceId device = 0);
    // ProgramError unless it is a lane that a stream may have.
    void expect_stream(std::uint32_t lane) const;
    // The program has dropped the stream; its lane may be opened again.
    void close(std::uint32_t lane);

    // Ops that use this buffer stay in order, whichever streams they are in. For buffers that the program does not see.
    void keep_in_order(const Buffer& buffer) { uses_of(buffer).ordered = true; }

    // --- order ---
    [[nodiscard]] StreamPoint point(std::uint32_t lane);
    // Ops that are issued to `lane` from now on start after that.
    void wait(std::uint32_t lane, const StreamPoint& point);
    // The same for what has been issued to `other` by now.
    void follow_stream(std::uint32_t lane, std::uint32_t other) { order_after(lane, point_of(other)); }
    // Whether all of it has finished. Does not wait.
    [[nodiscard]] bool finished(const StreamPoint& point);
    // The buffer is used in this stream, too: its memory is reused when that stream has finished with it.
    void record_stream(const Buffer& buffer, std::uint32_t lane);

    // --- for the queue ---
    // A use of a buffer by an op. One that is written may be read as well.
    struct Access {
        Buffer* buffer;
        bool writes;
    };
    [[nodiscard]] bool governs(core::DeviceId device) const { return active_ && device < devices_; }
    // Places an op in `lane`, of a device that it governs. The only waits it gets are for buffers of other devices.
    void place(std::span<const Access> accesses, std::uint32_t lane, Placement& placement);
    void place(const Operation& operation, Placement& placement);
    // The op, of any device, is about to be submitted as command `seq` of `lane`: notes what it uses, and records what
    // orders it and what does not. Call before the buffers' writers and readers change; their readers must be kept.
    void issue(std::span<const Access> accesses, core::OpId op, std::uint32_t lane, std::uint32_t seq);
    // `out`: the operation's output.
    void issue(const Operation& operation, Buffer* out, core::OpId op, std::uint32_t lane, std::uint32_t seq);
    // The operation was submitted to `lane`. Call after the op barrier has waited for it.
    void issued(const Operation& operation, std::uint32_t lane);
    // The frontend has waited for the commands `seqs` of the lanes [begin, end), the last of which is op `through`.
    void host_waited(const LaneSeqs& seqs, std::uint32_t begin, std::uint32_t end, core::OpId through);
    void host_waited(std::uint32_t lane, std::uint32_t seq, core::OpId through);
    void host_waited(const StreamPoint& point);
    // The frontend waits for everything in the lanes [begin, end), including stream waits that no op has followed yet.
    void host_waits_for_lanes(std::uint32_t begin, std::uint32_t end);
    // The last op of the stream; 0: none.
    [[nodiscard]] core::OpId last_op(std::uint32_t lane) const { return last_op_[lane]; }
    // The buffer's memory was allocated, and is to be reused in the order of `lane`.
    void allocated(const Buffer& buffer, std::uint32_t lane) { uses_[buffer.id].home = lane; }

    // How the memory of a dropped buffer is reused: in the order of lane `home`, once the lanes have completed `needs`.
    struct Freed {
        std::uint32_t home = 0;
        bool waits = false;
        LaneSeqs needs{};
    };
    // `in_order`: its memory is reused in the order of a lane, and not when all ops that use it have finished.
    [[nodiscard]] Freed drop(const Buffer& buffer, bool in_order);

private:
    struct Use {
        std::uint32_t seq = 0;  // 0: none
        core::OpId op = 0;
        core::BufferId buffer = 0;
    };
    struct LaneUse {
        std::uint32_t lane = 0;
        Use write, read;  // the last ones in this lane
    };
    struct Uses {
        std::uint32_t home = 0;      // the lane in whose order the memory is reused
        bool fresh = true;           // no op has used it
        bool ordered = false;        // keep_in_order()
        std::vector<LaneUse> lanes;  // those that use the buffer
        std::vector<std::uint32_t> recorded;
    };
    // What a lane's commands from `seq` on follow.
    struct Snapshot {
        std::uint32_t seq;
        LaneSeqs clock;
    };
    // An op of another lane that a stream waits for before its next op.
    struct PendingWait {
        std::uint32_t lane;
        core::OpId op;
        core::Line line;
    };

    void prepare();
    [[nodiscard]] StreamPoint point_of(std::uint32_t lane) const;
    void order_after(std::uint32_t lane, const StreamPoint& point);
    // Notes that `lane` waits for an op, for the record of its next op.
    void add_wait(std::uint32_t lane, std::uint32_t other, core::OpId op);
    // Records that the frontend knows that an op has ended, if no record of a wait implies it.
    void record_host_wait(std::uint32_t lane, core::OpId op);
    void record_host_waits(const StreamPoint& point);
    [[nodiscard]] bool between_gpus(const Operation& operation) const;
    Uses& uses_of(const Buffer& buffer);
    [[nodiscard]] bool is_free(const Buffer& buffer);
    static LaneUse& in_lane(std::vector<LaneUse>& uses, std::uint32_t lane);
    void check(const Access& access, const Uses& uses, core::OpId op, std::uint32_t lane);
    void check_memory(const Buffer& buffer, core::OpId op, std::uint32_t lane);
    void follow(const Uses& uses, bool writes, std::uint32_t lane);
    [[nodiscard]] LaneSeqs clock_at(std::uint32_t lane, std::uint32_t seq) const;
    [[nodiscard]] bool follows(std::uint32_t lane, std::uint32_t other, std::uint32_t seq) const;
    // Whether `into` changed.
    bool join(LaneSeqs& into, const LaneSeqs& from) const;
    void found(const trace::OrderRecord& order);
    void record(const trace::OrderRecord& order);

    OpQueue& queue_;
    bool active_ = false;
    core::DeviceId devices_ = 1;  // the first ones: the run's GPUs, or its only device
    std::array<std::uint32_t, core::kMaxDevices> current_{};
    std::array<std::uint32_t, core::kMaxDevices>
        begin_seq_{};  // of each default stream: its last command before begin()
    // Before begin(): the last op that the frontend has waited for, and all commands at that time.
    core::OpId waited_op_ = 0;
    LaneSeqs waited_{};
    std::array<bool, core::kMaxLanes> open_{};
    std::array<core::OpId, core::kMaxLanes> last_op_{};
    std::array<LaneSeqs, core::kMaxLanes> clock_{};  // of each lane: what its next command follows
    std::array<bool, core::kMaxLanes> changed_{};    // since the last snapshot
    std::array<std::deque<Snapshot>, core::kMaxLanes> history_;
    std::array<std::vector<PendingWait>, core::kMaxLanes> waits_;
    LaneSeqs host_{};  // what the frontend knows to have completed
    std::unordered_map<core::BufferId, Uses> uses_;
    std::unordered_map<const float*, std::vector<LaneUse>> freed_;  // uses of dropped buffers, by their memory
    std::vector<trace::OrderRecord> found_;                         // of the op that is being issued
    trace::StreamWriter<trace::OrderRecord> orders_;
};

}  // namespace headway::runtime
