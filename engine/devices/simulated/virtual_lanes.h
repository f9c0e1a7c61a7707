// In-order lanes in virtual time: when tasks begin and end, given what each of them costs.
//
// A task begins at the latest of: its issue, the end of the task before it in its lane, and the end of the task in
// another lane that it waits for. Events happen in the order of time. At the same time, ends come before begins; of
// begins, those of tasks that cost nothing come first, then those that were submitted first.
//
// Tasks that run at the same time on one resource contend for its throughput. A task that runs alone uses a share of
// it, from 0 (launch overhead only) to 1 (it fills the device). While the shares of running tasks add up to S > 1, each
// of them progresses at 1/S of its speed; as long as they fit, none slows another. So two large matrix products on two
// streams take as long as one after the other, and two small kernels overlap.
//
// The simulated device executes by it, and the model works out by it what a run would have been under other waits: the
// same tasks give the same times to the nanosecond.
//
// Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "engine/core/ids.h"

namespace headway::devices {

struct TaskCost {
    std::uint64_t ns = 0;        // alone
    double share = 0;            // of the resource's throughput, alone
    std::uint32_t resource = 0;  // what it contends for: an index of the caller's choice, below kResources
};

class VirtualLanes {
public:
    static constexpr std::uint32_t kResources = 8;
    static constexpr std::uint32_t kNoLane = ~0u;

    struct Task {
        TaskCost cost{};
        bool is_op = true;  // else it costs nothing: a wait, or memory given back
        std::uint32_t wait_lane = kNoLane;
        std::uint32_t wait_seq = 0;  // it waits for so many completions of `wait_lane`
    };
    // What the commands needed of each lane: sequence numbers, 0 for none.
    using Needs = std::array<std::uint32_t, core::kMaxLanes>;

    // Is told of events as they happen.
    class Observer {
    public:
        // The lane's next task begins. Returns what it costs: task.cost, or nothing where it cannot run.
        virtual TaskCost task_begins(std::uint32_t lane, const Task& task) = 0;
        virtual void task_ends(std::uint32_t lane, const Task& task, std::uint64_t begin_ns, std::uint64_t end_ns) = 0;

    protected:
        ~Observer() = default;
    };

    explicit VirtualLanes(Observer& observer) : observer_(observer) {}

    std::uint32_t add_lane();  // its number, from 0
    [[nodiscard]] std::uint32_t lanes() const { return static_cast<std::uint32_t>(lanes_.size()); }

    // Appends a task to a lane. Events up to `issued_ns` must have been run.
    void submit(std::uint32_t lane, const Task& task, std::uint64_t issued_ns);
    // Runs all events up to this moment.
    void run_until(std::uint64_t ns);
    // Runs events until the lane has completed `seq` tasks; returns when it had. Holds must be released before.
    std::uint64_t run_until_completed(std::uint32_t lane, std::uint32_t seq);
    // Runs everything that has been submitted.
    void run_all();

    // While held, no task begins; after the release none begins before `now_ns`.
    void hold(bool held, std::uint64_t now_ns);
    [[nodiscard]] bool held() const { return held_; }
    // What has not begun is dropped and counted as completed; what runs ends at once for the counts, and is reported
    // with the end that it would have had.
    void abandon();

    [[nodiscard]] std::uint32_t submitted(std::uint32_t lane) const { return lanes_[lane]->submitted; }
    [[nodiscard]] std::uint32_t started(std::uint32_t lane) const;
    [[nodiscard]] std::uint32_t completed(std::uint32_t lane) const { return lanes_[lane]->completed; }

    // The lane of [begin, end) in which an op issued at `issued_ns` with these needs would begin first, as far as the
    // costs of what is queued tell (contention aside); of equals `preferred`, then the first from `next` on. A task is
    // expected to begin at the latest of its issue, the expected end of the one before it in its lane and that of the
    // one that it waits for; when a task ends later than expected, so will those behind it in its lane.
    [[nodiscard]] std::uint32_t earliest_lane(std::uint32_t begin, std::uint32_t end, const Needs& needs,
                                              std::uint32_t preferred, std::uint32_t next,
                                              std::uint64_t issued_ns) const;

private:
    struct Queued {
        Task task;
        std::uint64_t issued_ns;
        std::uint64_t order;  // among all tasks
    };
    struct Lane {
        std::deque<Queued> queue;           // not begun
        std::deque<std::uint64_t> planned;  // estimated ends of the tasks that have not completed, less `late_ns`
        std::int64_t late_ns = 0;           // by how much the last task ended after its estimate
        std::uint64_t planned_ns = 0;       // of the last task submitted
        std::uint32_t submitted = 0, completed = 0;
        bool running = false;
        Task task;                           // while running
        std::uint64_t begin_ns = 0;          // of the task that began last
        std::uint64_t end_ns = 0;            // of the running one as things stand, else of the last one
        std::uint64_t settled_ns = 0;        // `remaining_ns` is as of then
        double remaining_ns = 0, share = 0;  // of the running task, at full speed
    };
    struct Event {
        std::uint32_t lane = kNoLane;
        std::uint64_t ns = 0;
        bool is_end = false;
    };

    [[nodiscard]] Event next_event() const;
    [[nodiscard]] bool begin_of(const Lane& lane, std::uint64_t& begin_ns) const;
    void take(const Event& event);
    void begin_task(std::uint32_t lane, std::uint64_t ns);
    void end_task(std::uint32_t lane);
    void share_resource(std::uint32_t resource, std::uint64_t ns);
    [[nodiscard]] std::uint64_t planned_end(std::uint32_t lane, std::uint32_t seq) const;

    Observer& observer_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::array<double, kResources> slowdown_{1, 1, 1, 1, 1, 1, 1, 1};
    std::uint64_t submitted_ = 0;
    std::uint64_t released_ns_ = 0;
    std::uint64_t event_ns_ = 0;  // of the last event
    bool held_ = false;
};

}  // namespace headway::devices
