// The frontend's op queue: issues ops to the lanes of devices, tracks their dependencies, counts their memory and
// records everything.
//
// Threads: one frontend thread owns a Runtime and makes all calls. The watching process reads the recording and writes
// to its Control block; it never accesses a Runtime.
//
// Dependencies follow tensor versions: an op runs after the last writer of each tensor that it reads, and after the
// readers and the last writer of the tensor that it overwrites. A dependency within the op's lane is satisfied by lane
// order; a dependency on another lane becomes a wait for that lane's completion counter.
//
// A run may have two devices (devices::DeviceSet). Ops run on the device of their inputs; ops without inputs run on the
// device that OnDevice selects. Copies between devices are ordinary ops in a lane of the GPU.
//
// Shape errors are thrown at the call (ProgramError). Execution errors propagate with the buffers and are thrown by the
// first wait that needs them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/pages.h"
#include "engine/core/result.h"
#include "engine/core/sequence.h"
#include "engine/devices/device.h"
#include "engine/devices/device_set.h"
#include "engine/devices/host_costs.h"
#include "engine/memory/pool.h"
#include "engine/runtime/buffer.h"
#include "engine/runtime/frontend_costs.h"
#include "engine/runtime/graph.h"
#include "engine/runtime/signatures.h"
#include "engine/runtime/tensor.h"
#include "engine/trace/recorder.h"

namespace headway::runtime {

inline constexpr core::OpId kMaxOps = 0x3fff'fff0u;  // trace::kPart is the next higher bit

// Thrown to the program for its own mistakes and for failed ops. what() is one sentence.
class ProgramError : public std::runtime_error {
public:
    explicit ProgramError(core::Error error) : std::runtime_error(error.message), error_(std::move(error)) {}
    [[nodiscard]] const core::Error& error() const { return error_; }

private:
    core::Error error_;
};

struct Settings {
    memory::FreePolicy free_policy = memory::FreePolicy::finish;
    std::uint64_t budget_bytes = 0;  // 0: none
    std::uint32_t queue_limit = 0;   // 0: none
    trace::BarrierPolicy barrier;    // as_written: the program's own barriers
    std::uint64_t seed = 0;
    bool record = true;   // turned off only to measure the recorder's cost
    bool gather = false;  // see set_gathering()
    // Values are read with a copy op in the GPU's stream (see read_in_stream()), like a framework with one stream and
    // stream-ordered copies.
    bool copies_in_stream = false;
    devices::HostCosts host;  // virtual time: costs of the program's own work
};

enum class Side { normal, transposed };

class Runtime {
public:
    Runtime(devices::Device& device, trace::Recording& recording, const Settings& settings);
    Runtime(devices::DeviceSet& machine, trace::Recording& recording, const Settings& settings);
    ~Runtime();  // waits for all lanes
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;

    // --- ops; each issues one op and returns at once ---
    Tensor full(const Shape& shape, float value);
    Tensor zeros(const Shape& shape) { return full(shape, 0.0f); }
    Tensor ones(const Shape& shape) { return full(shape, 1.0f); }
    Tensor normal(const Shape& shape, float mean = 0.0f, float deviation = 1.0f);
    Tensor randn(const Shape& shape) { return normal(shape); }
    Tensor uniform(const Shape& shape, float low = 0.0f, float high = 1.0f);
    // Restarts random numbers: the numbers drawn after this call depend only on `number` and the run's seed.
    void start_random(std::uint64_t number);
    Tensor from_host(const Shape& shape, std::span<const float> values);

    // add sub mul div greater equal, with NumPy's broadcasting.
    Tensor binary(devices::OpKind kind, const Tensor& a, const Tensor& b);
    // The *_scalar kinds.
    Tensor with_scalar(devices::OpKind kind, const Tensor& a, float b);
    // neg relu exp log sqrt copy.
    Tensor unary(devices::OpKind kind, const Tensor& a);
    Tensor matmul(const Tensor& a, const Tensor& b, Side side_a = Side::normal, Side side_b = Side::normal);
    // sum mean max over one axis (negative counts from the end), or over all.
    Tensor reduce(devices::OpKind kind, const Tensor& a);
    Tensor reduce(devices::OpKind kind, const Tensor& a, int axis, bool keep_dimension = false);
    Tensor transpose(const Tensor& a, int axis0 = 0, int axis1 = 1);
    Tensor add_scaled(const Tensor& a, const Tensor& b, float scale);      // a + scale·b, same shapes
    Tensor slice(const Tensor& a, std::int64_t start, std::int64_t rows);  // rows of axis 0, as a copy

    // In place: add sub mul (tensor, broadcast to a's shape, or scalar), add_scaled. All views of `a` change.
    void binary_in_place(devices::OpKind kind, const Tensor& a, const Tensor& b);
    void with_scalar_in_place(devices::OpKind kind, const Tensor& a, float b);
    void add_scaled_in_place(const Tensor& a, const Tensor& b, float scale);
    void assign_slice(const Tensor& a, std::int64_t start, const Tensor& rows);

    void noop();
    // Runs `function(command, context)` on a lane after the values of `reads` exist; the result has shape `shape`. For
    // tests and for ops of a given length. `context` must live until the op has run.
    Tensor host_call(devices::HostFunction function, void* context, const Tensor& reads, const Shape& shape);

    Tensor reshape(const Tensor& a, const Shape& shape);  // a view, no op

    // --- devices ---
    // The run's CPU and its GPU; the CPU joins the run at the first call. ProgramError if the run has no such device.
    core::DeviceId cpu();
    core::DeviceId gpu();
    [[nodiscard]] core::DeviceId device_count() const { return device_count_; }
    [[nodiscard]] devices::Device& device(core::DeviceId device) { return devices_[device]; }
    // The device of tensors that are made without inputs; 0 unless an OnDevice is active.
    [[nodiscard]] core::DeviceId current_device() const { return current_; }
    // The same values on `device`: issues a copy op, or returns `a` itself if it is on that device.
    Tensor to_device(const Tensor& a, core::DeviceId device);
    // Overwrites `to` with the values of `from`, which must have the same shape; both may be on any device.
    void copy_into(const Tensor& to, const Tensor& from);

    // --- graphs: many ops, one issue ---
    // While on, ops are gathered, and issued as one composite op at the next wait, at the end of a minibatch, or when
    // there are many. An out-of-memory error then names the composite.
    void set_gathering(bool on);
    // Ops between these two calls are recorded as a graph and not issued. Their tensors have no values, and waiting for
    // one is an error. trace_begin() returns stand-ins for the function's inputs, which each run replaces; all other
    // tensors read from outside are captured and the same in every run.
    std::vector<Tensor> trace_begin(std::span<const Tensor> inputs);
    Graph trace_end(std::string_view name, std::span<const Tensor> outputs);
    void trace_abandon();
    // Issues the function's ops as one composite op with these inputs, whose shapes must match the traced ones.
    std::vector<Tensor> run(const Graph& graph, std::span<const Tensor> inputs);

    // --- waits ---
    void waitall();  // throws the first failure that no wait has delivered yet
    void wait_to_read(const Tensor& a, trace::WaitKind kind = trace::WaitKind::wait_to_read,
                      std::string_view name = "wait_to_read");
    void wait_everything(trace::WaitKind kind, std::string_view name);
    // Waits for all commands submitted to one device, and so for their dependencies on the other device.
    void wait_device(core::DeviceId device, trace::WaitKind kind, std::string_view name);
    // A blocker of the given kind: waits for `a`, then copies its values out.
    std::vector<float> to_host(const Tensor& a, trace::WaitKind kind = trace::WaitKind::numpy,
                               std::string_view name = "to_host");
    float item(const Tensor& a, std::string_view name = "item");
    // A blocker of the given kind that reads the values with a copy op in the GPU's stream, and so waits for everything
    // issued to that stream. With several streams it waits for the copy and its dependencies only.
    std::vector<float> read_in_stream(const Tensor& a, trace::WaitKind kind, std::string_view name);
    // Waits likewise for a tensor that a copy op in a stream writes.
    void wait_in_stream(const Tensor& a, trace::WaitKind kind, std::string_view name);

    // --- program events ---
    void scope_begin(std::string_view name);
    void scope_end(std::string_view name);
    void minibatch_begin();
    void minibatch_end();  // the barrier policy acts here
    void measure_begin();  // everything before it is warm-up
    void measure_end();
    // The program's own barrier policy; a policy that the learner chose takes precedence.
    void set_written_barrier(trace::BarrierPolicy policy);

    // Sets the source line of the ops issued from now on. Ops called by library code keep the program's line: see
    // LineScope.
    void set_line(core::Line line) { line_ = line; }
    [[nodiscard]] core::Line line() const { return line_; }
    core::Line line_of(const core::SourceLocation& where) {
        const char* path = where.file_name();
        return core::make_line(path == last_file_ ? last_file_id_ : id_of_file(path), where.line());
    }
    // For languages that report lines themselves: add_file() returns the id of a source file; after own_lines()
    // LineScope has no effect.
    std::uint32_t add_file(const std::string& name);
    void own_lines() { ++line_depth_; }
    // From now on the frontend's time is accounted for without gaps. Interpreter time before an op counts as part of
    // that op's issue; if it is longer than an op needs (10 µs), it is recorded as work of the frontend, named after
    // its line or, for many short lines together, after the language. Both names are string ids of the recording. In
    // virtual time each line takes Settings::host.line_ns, all of it work.
    void account_for_language(std::uint16_t language_name);
    // Virtual time only: advances the frontend by `ns` of its own work, recorded under this name (a string id of the
    // recording; 0: that of the current line). Does nothing in real time.
    void spend(double ns, std::uint16_t name = 0);
    // Call when the program reaches another line; `work_name` is the name for that line's own work (string id).
    void account_line(std::uint16_t work_name) {
        if (language_name_ != 0) {
            const std::uint64_t now = stamp();
            if (now > std::max(line_begin_, last_event_) + kWorthSeeing) [[unlikely]] {
                record_work(now);
            }
            line_begin_ = now;
            work_name_ = work_name;
            if (virtual_time_ && work_name != 0) {
                device_.advance(line_ns_);
            }
        }
    }
    // Call at the end of the program.
    void account_end();
    // Call when the program reaches `line`, `depth` calls deep. Pauses here if the learner asked for it.
    void at_line(core::Line line, int depth) {
        line_ = line;
        control_.current_line.store(line, std::memory_order_relaxed);
        if ((control_.attention.load(std::memory_order_relaxed) | control_.line_mode.load(std::memory_order_relaxed) |
             control_.breakpoint_count.load(std::memory_order_relaxed) | line_delay_us_ | (slow_ & kPaused)) != 0)
            [[unlikely]] {
            stop_at_line(depth);
        }
    }
    // Whether at_line() may pause at the next line; callers release their language's lock (Python: the GIL) first.
    [[nodiscard]] bool may_stop() const {
        return (control_.attention.load(std::memory_order_relaxed) |
                control_.line_mode.load(std::memory_order_relaxed) |
                control_.breakpoint_count.load(std::memory_order_relaxed) | line_delay_us_ | (slow_ & kPaused)) != 0;
    }
    // Seconds on the run's clock, without the learner's pauses.
    [[nodiscard]] double program_seconds() const;
    [[nodiscard]] std::string_view file_name(std::uint32_t file_id) const;

    // Call in a child process right after fork(): the backend's threads and the recording belong to the parent. From
    // now on issues and waits throw ProgramError, and nothing is recorded.
    void leave_to_the_parent();

    // --- state ---
    [[nodiscard]] const Shape& shape(ShapeId id) const { return signatures_.shape(id); }
    [[nodiscard]] core::OpId issued() const { return issued_; }
    // Bytes taken from the devices, in use or cached for later ops; 0 under the lazy policy.
    [[nodiscard]] std::uint64_t reserved_bytes() const;
    [[nodiscard]] std::uint64_t live_bytes();  // now, on all devices, as the free policy counts them
    [[nodiscard]] std::uint64_t live_bytes(core::DeviceId device);
    [[nodiscard]] std::uint32_t headway();                       // commands submitted and not finished, now
    [[nodiscard]] bool has_open_ops();                           // whether any op among them is not finished
    [[nodiscard]] std::uint64_t now() const { return stamp(); }  // ticks of the run's clock
    [[nodiscard]] devices::Device& device() { return device_; }  // the device that the run was started on
    [[nodiscard]] trace::Recording& recording() { return recording_; }
    [[nodiscard]] const Settings& settings() const { return settings_; }

private:
    Runtime(std::unique_ptr<devices::DeviceSet> own, devices::DeviceSet* machine, trace::Recording& recording,
            const Settings& settings);

    friend class Tensor;
    friend class LineScope;
    friend class OnDevice;

    // The arguments of issue().
    struct Operation {
        const devices::Signature* signature = nullptr;
        std::uint64_t begin = 0;  // ticks when the program called; 0: take the time in issue()
        Buffer* in0 = nullptr;
        Buffer* in1 = nullptr;
        Buffer* out = nullptr;            // in place: the buffer written; null: a new buffer if the op has an output
        std::uint64_t payload = 0;        // the command's union: two floats, a function or an offset
        std::uint64_t random_stream = 0;  // from 1
        const float* host = nullptr;      // copy_to_device: the values; host_call: the context
        float* values = nullptr;          // copy_to_host into program memory: its address
        core::DeviceId device = 0;        // one of its lanes runs it
        core::DeviceId memory = 0;  // device whose memory `out` is in; differs from `device` for copies between devices
        [[nodiscard]] bool crosses() const { return device != memory || (in0 != nullptr && in0->device != device); }
    };
    // An op that will be issued together with others. It holds references to its buffers until then.
    struct Gathered {
        Operation operation;  // `out` is always set if the op has an output
        bool fresh = false;   // creates `out`
    };
    // The commands of a composite, kept until its lane has completed it.
    struct Held {
        std::uint32_t lane, seq;
        std::unique_ptr<devices::Composite> composite;
    };
    // The lane of an op, and the commands of other lanes that it must wait for.
    struct Placement {
        std::uint32_t lane = 0;
        std::uint32_t waits = 0;
        std::array<std::uint32_t, core::kMaxLanes> wait_lane;
        std::array<std::uint32_t, core::kMaxLanes> wait_seq;
    };
    // Memory of a dropped tensor that is still in use.
    struct Pending {
        // (A constructor because clang++-14 cannot emplace aggregates.)
        Pending(std::uint32_t last, std::uint16_t class_of_size, core::DeviceId on, float* memory,
                std::uint64_t counted)
            : seq(last), size_class(class_of_size), device(on), data(memory), bytes(counted) {}
        std::uint32_t seq;
        std::uint16_t size_class;  // at most a few hundred classes
        core::DeviceId device;
        float* data;
        std::uint64_t bytes;
    };
    struct PendingInLanes {
        Pending block;
        std::array<std::uint32_t, core::kMaxLanes> need;
    };
    struct Staged {
        std::uint32_t lane, seq;
        std::vector<float> values;
    };
    class DeviceSource final : public memory::Source {
    public:
        explicit DeviceSource(devices::Device& device) : device_(device) {}
        void* take(std::size_t bytes) override { return device_.allocate(bytes); }
        void give(void* data, std::size_t bytes) override { device_.deallocate(data, bytes); }

    private:
        devices::Device& device_;
    };

    // Reasons to leave the fast path of issue().
    enum Slow : std::uint32_t {
        kOpBarrier = 1,
        kQueueLimit = 2,
        kPaused = 4,
        kDelay = 8,
        kGathers = 16,
        kForked = 32,
    };

    // A device's lanes, [begin, end), and its memory.
    struct Member {
        Member(devices::Device& of, memory::Pool* leader)
            : device(of), begin(of.first_lane()), end(begin + of.lanes()), next(begin), source(of) {
            if (leader != nullptr) {
                pool.emplace(source, *leader);
            } else {
                pool.emplace(source);
            }
        }
        devices::Device& device;
        std::uint32_t begin, end;
        std::uint32_t next;  // the lane to start the search at, for round robin
        DeviceSource source;
        std::optional<memory::Pool> pool;
    };

    [[nodiscard]] std::uint64_t stamp() const { return virtual_time_ ? device_.now() : core::ticks(); }
    Buffer* issue(const Operation& operation);
    void fill_command(devices::Command& command, const Operation& operation, Buffer* out, core::OpId op,
                      std::uint32_t lane, std::uint32_t seq, bool fresh);
    // The line number as stored in a command, at most 65535.
    [[nodiscard]] std::uint16_t short_line() const {
        return static_cast<std::uint16_t>(std::min(core::number_of(line_), 0xffffu));
    }
    // (composite.cpp)
    std::vector<Gathered> stop_tracing();
    bool gathers(const Operation& operation);
    Buffer* gather(const Operation& operation);
    static void hold(const Gathered& gathered);
    void release_buffers(const std::vector<Gathered>& all);
    void issue_gathered();
    [[nodiscard]] static std::vector<const devices::Signature*> signatures_of(const std::vector<Gathered>& all);
    void issue_together(const std::vector<Gathered>& all, const devices::Signature& signature);
    void place_together(const std::vector<Gathered>& all, Placement& placement);
    void take_memory_together(const std::vector<Gathered>& all, std::uint32_t lane,
                              const devices::Signature& signature);
    void record_together(const std::vector<Gathered>& all, const devices::Signature& signature, std::uint64_t begin,
                         std::uint32_t lane);
    void before_wait(std::string_view name);  // issues the gathered ops
    // `begin`: when the program called, from entered().
    Tensor issue_fresh(std::uint64_t begin, const Entry& entry, Buffer* in0 = nullptr, Buffer* in1 = nullptr,
                       std::uint64_t payload = 0);
    void issue_in_place(std::uint64_t begin, const Entry& entry, Buffer* out, Buffer* in1, std::uint64_t payload);
    [[nodiscard]] std::uint64_t entered() const { return record_ ? stamp() : 0; }
    Tensor random(devices::OpKind kind, const Shape& shape, float a, float b);
    const Entry& entry_for(const SignatureKey& key);
    ShapeId checked(const Shape& shape, const char* op);
    int checked_axis(const Tensor& a, int axis, const char* op);
    std::int64_t checked_rows(const Tensor& a, std::int64_t start, std::int64_t rows, const char* op);
    Buffer* buffer_of(const Tensor& a, const char* op);
    [[noreturn, gnu::noinline]] void refuse_operand(const Tensor& a, const char* op);
    // Raises an error unless both inputs are on the same device.
    void expect_together(const Tensor& a, const Tensor& b, const char* op) {
        if (a.buffer_->device != b.buffer_->device) [[unlikely]] {
            refuse_devices(a, b, op);
        }
    }
    [[noreturn, gnu::noinline]] void refuse_devices(const Tensor& a, const Tensor& b, const char* op);
    void add_member(devices::Device& device);
    void record_device(const devices::Device& device);
    [[nodiscard]] std::string device_name(core::DeviceId device);
    [[nodiscard]] devices::Device& device_of_lane(std::uint32_t lane) { return *lane_device_[lane]; }
    Operation crossing(const Tensor& from, core::DeviceId to);
    void place(const Operation& operation, Placement& placement);
    // place() in steps, for ops that touch several buffers: first collect the dependencies, then choose the lane with
    // the shortest wait.
    struct Needs {
        std::array<std::uint32_t, core::kMaxLanes> seq;  // last command needed of each lane; 0: none
        core::OpId newest = 0;
        std::uint32_t home = core::kMaxLanes;  // lane of the newest dependency; kMaxLanes: none
    };
    void follow_writer(const Buffer& buffer, Needs& needs);
    void follow_readers(const Buffer& buffer, Needs& needs);
    void choose_lane(const Needs& needs, core::DeviceId device, Placement& placement);
    void need(std::array<std::uint32_t, core::kMaxLanes>& need, std::uint32_t lane, std::uint32_t seq);
    [[nodiscard]] bool finished(std::uint32_t lane, std::uint32_t seq) {
        if (!core::after(seq, seen_[lane])) {
            return true;
        }
        seen_[lane] = lane_device_[lane]->completed(lane).load(std::memory_order_acquire);
        return !core::after(seq, seen_[lane]);
    }
    void submit_waits(const Placement& placement, std::uint32_t first);
    void attend();  // applies changes of the Control block; returns when not paused
    void attend_if_asked() {
        if ((control_.attention.load(std::memory_order_relaxed) | (slow_ & kPaused)) != 0) [[unlikely]] {
            attend();
        }
    }
    void stop_at_line(int depth);
    void before_issue();
    [[noreturn]] void refuse_in_child();
    void after_issue(std::uint32_t lane, std::uint32_t seq);
    void read_control();
    void stay_paused(bool at_a_line = false);

    Buffer* new_buffer();
    [[gnu::noinline]] void make_buffers();
    [[nodiscard]] float* take_memory(const devices::Signature& signature, core::DeviceId device, std::uint32_t lane) {
        float* used = pool_[device]->take_used(signature.size_class, lane);
        return used != nullptr ? used : find_memory(signature, device, lane);
    }
    [[nodiscard]] float* find_memory(const devices::Signature& signature, core::DeviceId device, std::uint32_t lane);
    void make_room(const devices::Signature& signature, core::DeviceId device, std::uint64_t bytes);
    void drop(Buffer* buffer);
    [[gnu::noinline]] void drop_measured(Buffer* buffer);
    inline void drop_now(Buffer* buffer);  // (memory.cpp)
    [[gnu::noinline]] void drop_across_lanes(const Buffer& buffer, std::uint64_t counted);
    [[gnu::noinline]] void drop_lazily(Buffer* buffer);
    void free_block(const Pending& block);
    void reclaim();      // frees finished blocks at the front of the pending queues
    void reclaim_all();  // frees every finished block

    // Publishes the wait that begins to the watching process and returns its begin time. record_wait() ends it.
    std::uint64_t begin_wait(trace::WaitKind kind, std::string_view name, core::BufferId target, core::OpId through,
                             std::uint8_t device_flag = 0);
    std::uint16_t wait_name(std::string_view name);
    void record_wait(std::uint64_t begin, trace::WaitKind kind, std::string_view name, core::BufferId target,
                     core::OpId through, std::uint8_t device_flag = 0);
    // Adds a record of an event that ended at `end`.
    void record(const trace::FrontendRecord& event, std::uint64_t end) {
        if (events_.due()) [[unlikely]] {
            record_measured(event, end);
        } else {
            events_.add(event);
        }
    }
    [[gnu::noinline]] void record_measured(const trace::FrontendRecord& event, std::uint64_t end);
    // Checks for lost core time: the frontend was busy from `begin` to `end`; an issue lasted from `issue` to `end`.
    void look_for_core(std::uint64_t begin, std::uint64_t issue, std::uint64_t end) {
        if (end - begin > long_) [[unlikely]] {
            costs_.look_for_core(begin, issue, end);
        }
    }
    void record_totals(std::uint64_t now) {
        if (record_ && !virtual_time_) {
            costs_.record_totals(now);
        }
    }
    void record_program_event(trace::FrontendKind kind, std::uint16_t name, std::uint32_t index);
    void record_work(std::uint64_t end);
    // Call before an event that begins at `begin`: records the time since the last event as work if it is long enough.
    void settle_work(std::uint64_t begin) {
        if (language_name_ != 0 && begin > last_event_ + worth_recording_) [[unlikely]] {
            record_work(begin);
        }
    }
    // Waits for the commands `seqs` of the lanes [begin, end).
    void wait_lanes(const std::array<std::uint32_t, core::kMaxLanes>& seqs, std::uint32_t begin, std::uint32_t end);
    void wait_for_lane(std::uint32_t lane, const Buffer& buffer, trace::WaitKind kind, std::string_view name);
    void deliver_failure(core::BufferId buffer);
    void deliver_any_failure();
    [[noreturn]] void raise(core::ErrorKind kind, std::string message);
    [[noreturn, gnu::noinline]] void too_many_ops();
    [[noreturn]] void raise_failure(const devices::OpFailure& failure);
    core::Line line_of_op(core::OpId op) const;
    std::uint32_t id_of_file(const char* path);  // `path` from the compiler: one file, one address
    [[nodiscard]] std::string at_line(core::Line line) const;
    [[nodiscard]] trace::BarrierPolicy barrier() const;
    [[nodiscard]] float* data_of(const Buffer& buffer);
    [[nodiscard]] std::string describe(const devices::Signature& signature) const;

    std::unique_ptr<devices::DeviceSet> own_devices_;  // if the caller passed a single device
    devices::DeviceSet& devices_;
    devices::Device& device_;  // the first device
    trace::Recording& recording_;
    trace::Control& control_;
    const Settings settings_;
    const bool virtual_time_;
    std::uint32_t lanes_ = 0;  // on all devices together
    core::DeviceId device_count_ = 0;
    core::DeviceId current_ = 0;
    bool record_;
    std::uint32_t slow_ = 0;
    memory::FreePolicy free_policy_;
    core::OpId issued_ = 0;
    core::Line line_ = 0;
    std::array<devices::Device*, core::kMaxLanes> lane_device_{};
    std::array<memory::Pool*, core::kMaxDevices> pool_{};
    std::array<std::uint64_t, core::kMaxDevices> live_{};
    std::uint64_t budget_ = 0;                           // of each device; all ones: none
    std::array<std::uint32_t, core::kMaxLanes> seq_{};   // commands submitted, per lane
    std::array<std::uint32_t, core::kMaxLanes> seen_{};  // completions seen, per lane
    // Lazy policy: the last op of each lane; memory may be freed by commands after it.
    std::array<std::uint32_t, core::kMaxLanes> last_op_{};
    trace::StreamWriter<trace::FrontendRecord> events_;
    trace::StreamWriter<trace::DropRecord> drops_;
    FrontendCosts costs_;
    std::uint64_t long_ = 0;  // intervals longer than this (ticks) are checked for lost core time; all ones: never

    std::array<std::unique_ptr<Member>, core::kMaxDevices> members_;
    Signatures signatures_;
    Buffer* free_buffers_ = nullptr;
    std::vector<std::unique_ptr<Buffer[]>> buffer_slabs_;
    core::BufferId next_buffer_ = 1;
    struct PendingQueue {
        std::vector<Pending, core::PageAllocator<Pending>> blocks;
        std::size_t head = 0;
    };
    std::array<PendingQueue, core::kMaxLanes> pending_;
    std::vector<PendingInLanes> pending_in_lanes_;
    std::vector<Staged> staged_;
    std::vector<Gathered> gathered_;
    std::vector<Held> composites_;
    std::vector<Tensor> stand_ins_;  // while a function is traced
    bool gathering_ = false, tracing_ = false;
    bool forked_ = false;
    core::OpId reclaim_after_ = 0;
    std::uint32_t refresh_ = 0;

    std::uint32_t queue_limit_ = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> recent_;  // (lane, seq) of the last queue_limit_ ops
    std::uint64_t op_delay_ns_ = 0;
    std::uint32_t line_delay_us_ = 0;
    int stopped_depth_ = 0;
    std::int64_t paused_ns_ = 0;
    static constexpr std::uint64_t kWorthSeeing = 25'000;  // ticks: about 10 µs
    std::uint64_t worth_recording_ = kWorthSeeing;         // least work before an event to record; 0 in virtual time
    std::uint64_t line_ns_ = 0;                            // virtual time: cost of a line
    std::uint16_t language_name_ = 0;                      // 0: only ops, waits and program events are recorded
    std::uint16_t work_name_ = 0;
    std::string wait_name_;  // the last name used, and its string id
    std::uint16_t wait_name_id_ = 0;
    std::uint64_t last_event_ = 0;  // ticks at the end of the last recorded event
    // If ops follow each other within a microsecond, a drop takes the time of the event before it: reading the clock
    // would cost a fifth of an op. The time is too early by the program's work in between, which is negligible in a row
    // of ops.
    bool events_are_close_ = false;  // the last op followed the event before it closely
    std::uint64_t close_ = 0;        // ticks; 0: read the clock at every drop
    std::uint64_t line_begin_ = 0;   // ticks when the program reached the line
    trace::BarrierPolicy learners_barrier_;
    trace::BarrierPolicy recorded_barrier_;  // last written to the trace
    trace::BarrierPolicy written_barrier_{trace::BarrierKind::none, 0};
    struct MinibatchEnd {
        std::array<std::uint32_t, core::kMaxLanes> seqs;
        core::OpId last;
    };
    std::vector<MinibatchEnd> minibatches_;
    std::uint32_t minibatch_ = 0;
    std::uint64_t random_streams_ = 0, streams_before_trace_ = 0;
    std::uint32_t line_depth_ = 0;  // nesting depth of LineScopes
    std::vector<std::pair<const char*, std::string>> files_;
    const char* last_file_ = nullptr;  // cache of line_of()
    std::uint32_t last_file_id_ = 0;
};

// All ops issued during its lifetime get the source line of the outermost scope. Library code opens one, so that its
// ops get the line of the program that called it.
class LineScope {
public:
    LineScope(Runtime& runtime, const core::SourceLocation& where) : runtime_(runtime) {
        if (runtime_.line_depth_++ == 0) {
            runtime_.set_line(runtime_.line_of(where));
        }
    }
    ~LineScope() { --runtime_.line_depth_; }
    LineScope(const LineScope&) = delete;
    LineScope& operator=(const LineScope&) = delete;

private:
    Runtime& runtime_;
};

// Tensors made without inputs during its lifetime are made on `device`.
class OnDevice {
public:
    OnDevice(Runtime& runtime, core::DeviceId device) : runtime_(runtime), before_(runtime.current_) {
        runtime.current_ = device;
    }
    ~OnDevice() { runtime_.current_ = before_; }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

private:
    Runtime& runtime_;
    const core::DeviceId before_;
};

}  // namespace headway::runtime
