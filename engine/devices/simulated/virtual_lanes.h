// In-order lanes in virtual time: computes when tasks begin and end, given their costs.
//
// A task begins at the latest of: its issue, the end of the task before it in its lane, and the end of the task in
// another lane that it waits for. Events happen in the order of time. At equal times ends come before begins; among
// begins, those of tasks without cost come first, then those that were submitted first.
//
// Tasks that run at the same time on one resource contend for its throughput. A task that runs alone uses a share of
// it, from 0 (launch overhead only) to 1 (it fills the device). While the shares of running tasks add up to S > 1, each
// of them progresses at 1/S of its speed; while S ≤ 1, none slows another. So two large matrix products on two streams
// take as long as one after the other, and two small kernels overlap.
//
// A task may also need links (bits of TaskCost::links) for as long as it runs. A link is used by one task at a time: a
// task begins once all its links are free, and of several that wait, the one that was submitted first.
//
// The simulated device executes with this schedule, and the model uses it to compute a run under other waits: the same
// tasks give the same times to the nanosecond.
//
// Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "engine/core/ids.h"

namespace headway::devices {

struct TaskCost {
    std::uint64_t ns = 0;        // duration when it runs alone
    double share = 0;            // of the resource's throughput when it runs alone
    std::uint32_t resource = 0;  // index of the resource, below kResources; the caller defines the meaning
    std::uint32_t links = 0;     // the links that it occupies, one bit each
};

class VirtualLanes {
public:
    static constexpr std::uint32_t kResources = 4 * core::kMaxDevices;
    static constexpr std::uint32_t kLinks = 32;
    static constexpr std::uint32_t kNoLane = ~0u;

    struct Task {
        TaskCost cost{};
        bool is_op = true;  // false: no cost, for example a wait or a free
        std::uint32_t wait_lane = kNoLane;
        std::uint32_t wait_seq = 0;  // completions of `wait_lane` that it waits for
    };
    // Completions needed of each lane; 0 for none.
    using Needs = std::array<std::uint32_t, core::kMaxLanes>;

    // Receives events as they happen.
    class Observer {
    public:
        // The lane's next task begins. Returns its cost: task.cost, or a zero cost if it cannot run.
        virtual TaskCost task_begins(std::uint32_t lane, const Task& task, std::uint64_t begin_ns) = 0;
        virtual void task_ends(std::uint32_t lane, const Task& task, std::uint64_t begin_ns, std::uint64_t end_ns) = 0;

    protected:
        ~Observer() = default;
    };

    explicit VirtualLanes(Observer& observer) : observer_(observer) { slowdown_.fill(1); }

    std::uint32_t add_lane();  // returns its number, from 0
    [[nodiscard]] std::uint32_t lanes() const { return static_cast<std::uint32_t>(lanes_.size()); }

    // Appends a task to a lane. Events up to `issued_ns` must have run already.
    void submit(std::uint32_t lane, const Task& task, std::uint64_t issued_ns);
    // Runs all events up to `ns`.
    void run_until(std::uint64_t ns);
    // Runs events until the lane has completed `seq` tasks; returns the time of that completion. Lanes must not be
    // held.
    std::uint64_t run_until_completed(std::uint32_t lane, std::uint32_t seq);
    // When the next event happens; nothing if none can.
    [[nodiscard]] std::optional<std::uint64_t> next_ns() const;
    // Runs all submitted tasks.
    void run_all();

    // While held, no task begins; after the release none begins before `now_ns`.
    void hold(bool held, std::uint64_t now_ns);
    [[nodiscard]] bool held() const { return held_; }
    // While held: one more op may begin, not before `now_ns`.
    void allow_one(std::uint64_t now_ns);
    // Drops tasks that have not begun and counts them as completed. Running tasks count as completed at once, and are
    // reported with the end that they would have had.
    void abandon();

    [[nodiscard]] std::uint32_t submitted(std::uint32_t lane) const { return lanes_[lane]->submitted; }
    [[nodiscard]] std::uint32_t started(std::uint32_t lane) const;
    [[nodiscard]] std::uint32_t completed(std::uint32_t lane) const { return lanes_[lane]->completed; }

    // The lane of [begin, end) in which an op issued at `issued_ns` with these needs would begin first, estimated from
    // the costs of the queued tasks (without contention). Among equals `preferred`, then the first from `next` on. A
    // task is expected to begin at the latest of its issue, the expected end of the task before it in its lane, and
    // those of the task that it waits for and of the tasks before it on its links. When a task ends later than
    // expected, the tasks after it in its lane are shifted.
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
        std::deque<Queued> queue;           // not begun yet
        std::deque<std::uint64_t> planned;  // estimated ends of the tasks that have not completed, less `late_ns`
        std::int64_t late_ns = 0;           // by how much the last task ended after its estimate
        std::uint64_t planned_ns = 0;       // estimated end of the last task submitted
        std::uint32_t submitted = 0, completed = 0;
        bool running = false;
        Task task;                           // valid while running
        std::uint32_t task_links = 0;        // the links that it was submitted for
        std::uint64_t begin_ns = 0;          // of the task that began last
        std::uint64_t end_ns = 0;            // of the running task at its current speed, otherwise of the last task
        std::uint64_t settled_ns = 0;        // the time to which `remaining_ns` refers
        double remaining_ns = 0, share = 0;  // of the running task, at full speed
    };
    struct Link {
        bool busy = false;
        std::uint64_t free_ns = 0;     // end of the last task that used it
        std::uint32_t pending = 0;     // tasks submitted for it that have not ended
        std::uint64_t planned_ns = 0;  // estimated end of the last of them
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
    template <class Call>
    void each_link(std::uint32_t links, Call call);
    void share_resource(std::uint32_t resource, std::uint64_t ns);
    [[nodiscard]] std::uint64_t planned_end(std::uint32_t lane, std::uint32_t seq) const;

    Observer& observer_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::array<double, kResources> slowdown_;
    std::array<Link, kLinks> links_;
    std::uint64_t submitted_ = 0;
    std::uint64_t released_ns_ = 0;
    std::uint64_t event_ns_ = 0;  // time of the last event
    bool held_ = false;
    std::uint32_t allowed_ = 0;  // while held: ops that may begin
};

}  // namespace headway::devices
