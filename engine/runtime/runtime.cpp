#include "engine/runtime/runtime.h"

#include <time.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "engine/core/thread.h"
#include "engine/runtime/buffer.h"
#include "engine/runtime/fill_command.h"
#include "engine/trace/reader.h"

namespace headway::runtime {

using devices::Command;
using devices::Signature;
using memory::FreePolicy;
using trace::FrontendKind;
using trace::WaitKind;

namespace {

constexpr std::uint64_t kNoBudget = ~std::uint64_t{0};
constexpr std::int64_t kPausePollNs = 500'000;
constexpr std::uint64_t kCloseTicks = 1'000;  // less than a microsecond
constexpr std::size_t kBuffersPerSlab = 512;
constexpr std::uint64_t kAlwaysReclaimBytes = std::uint64_t{16} << 10;

// Modulo 2^32: whether `a` comes after `b`.
bool after(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a - b) > 0;
}

void sleep_ns(std::int64_t ns) {
    const timespec t{ns / 1'000'000'000, static_cast<long>(ns % 1'000'000'000)};
    nanosleep(&t, nullptr);
}

std::string megabytes(std::uint64_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, bytes < 100'000 ? "%.4f MB" : "%.1f MB", static_cast<double>(bytes) / 1e6);
    return text;
}

// A budget in the unit that it was given in: 32M is 32 MiB.
std::string as_asked(std::uint64_t bytes) {
    constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
    return bytes % kMiB == 0 ? std::to_string(bytes / kMiB) + " MiB" : megabytes(bytes);
}

}  // namespace

Runtime::Runtime(devices::Device& device, trace::Recording& recording, const Settings& settings)
    : device_(device),
      recording_(recording),
      control_(recording.control()),
      settings_(settings),
      virtual_time_(device.virtual_time()),
      lanes_(device.lanes()),
      record_(settings.record),
      free_policy_(settings.free_policy),
      events_(recording, {trace::StreamKind::frontend, 0}),
      drops_(recording, {trace::StreamKind::drops, 0}),
      source_(device),
      pool_(source_),
      signatures_(recording, pool_, settings.seed) {
    // A watcher may have chosen before the program started, or chooses just now; its choice stands.
    const auto unless_chosen = [](auto& wish, auto not_chosen, auto value) {
        wish.compare_exchange_strong(not_chosen, value);
    };
    unless_chosen(control_.barrier, trace::kNotChosen, pack_barrier(settings.barrier));
    unless_chosen(control_.budget_bytes, trace::kNotChosen, settings.budget_bytes);
    unless_chosen(control_.queue_limit, trace::kNoLimitChosen, settings.queue_limit);
    recorded_barrier_ = settings.barrier;
    close_ = virtual_time_ ? 0 : kCloseTicks;
    gathering_ = settings.gather;
    read_control();
}

Runtime::~Runtime() {
    tracing_ = false;
    let_go(std::exchange(gathered_, {}));  // a program that wanted values has waited
    stand_ins_.clear();
    device_.hold(false);
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        device_.wait(lane, seq_[lane]);
    }
    reclaim_all();
    // Tensors that the program still holds lose their memory with the runtime.
    for (auto& slab : buffer_slabs_) {
        for (std::size_t i = 0; i < kBuffersPerSlab; ++i) {
            Buffer& buffer = slab[i];
            if (buffer.references != 0 && buffer.data != nullptr) {
                pool_.give_anywhere(buffer.size_class, buffer.data);
            }
        }
    }
}

// --- issuing ---

Buffer* Runtime::issue(const Operation& operation) {
    if ((control_.attention.load(std::memory_order_relaxed) | slow_) != 0) [[unlikely]] {
        if ((slow_ & kGathers) != 0 && gathers(operation)) {
            return gather(operation);
        }
        before_issue();
    }
    const Signature& signature = *operation.signature;
    std::uint64_t begin = record_ ? stamp() : 0;
    events_are_close_ = begin - last_event_ < close_;
    if (language_name_ != 0) {
        settle_work(begin);
        begin = last_event_;  // the language's own share
    }
    const bool fresh = operation.out == nullptr && signature.out_bytes != 0;
    if (fresh && live_ + signature.out_bytes > budget_) [[unlikely]] {
        make_room(signature, signature.out_bytes);
    }
    if (issued_ >= kMaxOps) [[unlikely]] {
        too_many_ops();
    }

    Placement placement;
    if (lanes_ > 1) {
        place(operation, placement);
    }
    const std::uint32_t lane = placement.lane;

    Buffer* out = operation.out;
    if (fresh) {
        float* data = nullptr;
        if (free_policy_ != FreePolicy::lazy) {
            data = take_memory(signature, lane);
            live_ += signature.out_bytes;
        }
        out = new_buffer();
        out->data = data;
        out->bytes = signature.out_bytes;
        out->size_class = signature.size_class;
    }
    if (placement.waits > 1) [[unlikely]] {
        submit_waits(placement, 1);
    }

    Command& command = device_.slot(lane);
    command = Command();
    const std::uint32_t seq = ++seq_[lane];
    fill_command(command, operation, out, ++issued_, lane, seq, fresh);
    if (placement.waits > 0) {
        command.wait_lane = static_cast<std::uint8_t>(placement.wait_lane[0]);
        command.wait_seq = placement.wait_seq[0];
    }
    if (free_policy_ == FreePolicy::lazy) [[unlikely]] {
        command.flags = devices::kLazyOperands;
    }
    const std::array<core::BufferId, 3> ids{command.out_id, command.in0_id, command.in1_id};
    device_.publish(lane);

    if (record_) [[likely]] {
        const std::uint8_t kind = static_cast<std::uint8_t>(FrontendKind::issue) | (fresh ? trace::kFreshOutput : 0) |
                                  (signature.in_place ? trace::kReadsOutput : 0);
        last_event_ = stamp();
        events_.add({begin, trace::pack_duration(last_event_ - begin), signature.id, kind,
                     static_cast<std::uint8_t>(lane), line_, ids[0], ids[1], ids[2]});
    }
    if (slow_ != 0) [[unlikely]] {
        after_issue(lane, seq);
    }
    return fresh ? out : nullptr;
}

void Runtime::too_many_ops() {
    raise(core::ErrorKind::failed, "a run can hold at most " + std::to_string(kMaxOps) + " ops");
}

void Runtime::make_buffers() {
    buffer_slabs_.push_back(std::make_unique<Buffer[]>(kBuffersPerSlab));
    for (std::size_t i = kBuffersPerSlab; i-- > 0;) {
        Buffer& buffer = buffer_slabs_.back()[i];
        buffer.runtime = this;
        buffer.next_free = free_buffers_;
        free_buffers_ = &buffer;
    }
}

Buffer* Runtime::new_buffer() {
    if (free_buffers_ == nullptr) [[unlikely]] {
        make_buffers();
    }
    Buffer* buffer = free_buffers_;
    free_buffers_ = buffer->next_free;
    buffer->id = next_buffer_++;
    buffer->references = 1;
    std::fill_n(buffer->read_seq.begin(), lanes_, 0u);
    return buffer;
}

bool Runtime::finished(std::uint32_t lane, std::uint32_t seq) {
    if (!after(seq, seen_[lane])) {
        return true;
    }
    seen_[lane] = device_.completed(lane).load(std::memory_order_acquire);
    return !after(seq, seen_[lane]);
}

void Runtime::need(std::array<std::uint32_t, core::kMaxLanes>& need, std::uint32_t lane, std::uint32_t seq) {
    if (seq != 0 && (need[lane] == 0 || after(seq, need[lane]))) {
        need[lane] = seq;
    }
}

void Runtime::follow_writer(const Buffer& buffer, Needs& needs) {
    if (buffer.write_seq != 0 && !finished(buffer.write_lane, buffer.write_seq)) {
        need(needs.seq, buffer.write_lane, buffer.write_seq);
        if (buffer.write_op >= needs.newest) {
            needs.newest = buffer.write_op;
            needs.home = buffer.write_lane;
        }
    }
}

void Runtime::follow_readers(const Buffer& buffer, Needs& needs) {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        const auto seq = buffer.read_seq[lane];
        if (seq != 0 && !finished(lane, seq)) {
            need(needs.seq, lane, seq);
            if (needs.home == core::kMaxLanes) {
                needs.home = lane;
            }
        }
    }
}

void Runtime::place(const Operation& operation, Placement& placement) {
    Needs needs;
    std::fill_n(needs.seq.begin(), lanes_, 0u);
    if (operation.in0 != nullptr) {
        follow_writer(*operation.in0, needs);
    }
    if (operation.in1 != nullptr) {
        follow_writer(*operation.in1, needs);
    }
    if (operation.out != nullptr) {
        follow_writer(*operation.out, needs);
        follow_readers(*operation.out, needs);
    }
    choose_lane(needs, placement);
}

// An op goes where it waits least: behind its newest unfinished input, else to the lane with the fewest commands.
void Runtime::choose_lane(const Needs& needs, Placement& placement) {
    std::uint32_t home = needs.home;
    if (home == core::kMaxLanes) {
        // Completion counters change all the time; looking at one of them now and then is enough where that costs a
        // cache miss.
        if (virtual_time_) {
            for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
                seen_[lane] = device_.completed(lane).load(std::memory_order_acquire);
            }
        } else if ((++refresh_ & 15u) == 0) {
            const auto lane = (refresh_ >> 4) % lanes_;
            seen_[lane] = device_.completed(lane).load(std::memory_order_acquire);
        }
        std::uint32_t fewest = ~0u;
        for (std::uint32_t i = 0; i < lanes_; ++i) {
            const std::uint32_t lane = next_lane_ + i < lanes_ ? next_lane_ + i : next_lane_ + i - lanes_;
            const auto queued = seq_[lane] - seen_[lane];
            if (queued < fewest) {
                fewest = queued;
                home = lane;
            }
        }
        next_lane_ = home + 1 < lanes_ ? home + 1 : 0;
    }
    placement.lane = home;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        if (lane != home && needs.seq[lane] != 0) {
            placement.wait_lane[placement.waits] = lane;
            placement.wait_seq[placement.waits++] = needs.seq[lane];
        }
    }
}

// A command holds one wait; further ones go ahead of it as commands of their own.
void Runtime::submit_waits(const Placement& placement, std::uint32_t first) {
    for (std::uint32_t i = first; i < placement.waits; ++i) {
        Command command;
        command.wait_lane = static_cast<std::uint8_t>(placement.wait_lane[i]);
        command.wait_seq = placement.wait_seq[i];
        ++seq_[placement.lane];
        device_.submit(placement.lane, command);
    }
}

// --- the learner's hand ---

void Runtime::read_control() {
    learners_barrier_ = trace::unpack_barrier(control_.barrier.load());
    if (!(learners_barrier_ == recorded_barrier_)) {
        recorded_barrier_ = learners_barrier_;
        record_mark(FrontendKind::barrier, static_cast<std::uint16_t>(learners_barrier_.kind),
                    learners_barrier_.behind);
    }
    const auto budget = control_.budget_bytes.load();
    budget_ = budget == 0 ? kNoBudget : budget;
    if (free_policy_ == FreePolicy::lazy) {
        device_.set_lazy_budget(budget);
        budget_ = kNoBudget;  // taken, and refused, when the op starts
    }
    const auto limit = control_.queue_limit.load();
    if (limit != queue_limit_) {
        queue_limit_ = limit;
        recent_.assign(limit, {0, 0});
    }
    op_delay_ns_ = control_.op_delay_ns.load();
    line_delay_us_ = static_cast<std::uint32_t>(control_.line_delay_ns.load() / 1000);
    slow_ = (gathering_ || tracing_ ? kGathers : 0u) | (barrier().kind == trace::BarrierKind::op ? kOpBarrier : 0u) |
            (queue_limit_ != 0 ? kQueueLimit : 0u) | (control_.pause.load() != 0 ? kPaused : 0u) |
            (op_delay_ns_ != 0 ? kDelay : 0u);
    if (control_.stop.load() != 0) {
        device_.abandon();
        throw ProgramError({core::ErrorKind::stopped, "stopped", {}, 0, 0});
    }
}

trace::BarrierPolicy Runtime::barrier() const {
    return learners_barrier_.kind == trace::BarrierKind::as_written ? written_barrier_ : learners_barrier_;
}

void Runtime::set_written_barrier(trace::BarrierPolicy policy) {
    written_barrier_ = policy;
    read_control();
}

void Runtime::stay_paused(bool at_a_line) {
    const auto begin = stamp();
    const auto begin_ns = core::monotonic_ns();
    control_.standing.store(1);
    for (;;) {
        if (control_.attention.exchange(0) != 0) {
            read_control();
        }
        if ((slow_ & kPaused) == 0) {
            break;
        }
        auto steps = control_.step_ops.load();
        if (steps != 0 && (at_a_line || control_.step_ops.compare_exchange_strong(steps, steps - 1))) {
            break;
        }
        sleep_ns(kPausePollNs);
    }
    control_.standing.store(0);
    paused_ns_ += core::monotonic_ns() - begin_ns;
    record_wait(begin, WaitKind::paused, "paused", 0, 0);
}

void Runtime::stop_at_line(int depth) {
    if (control_.attention.exchange(0) != 0) {
        read_control();
    }
    const auto number = core::number_of(line_);
    const auto mode = static_cast<trace::LineMode>(control_.line_mode.load());
    const bool marked = control_.breakpoint_count.load() != 0 && number < 4096 &&
                        (control_.breakpoints[number / 64].load() >> (number % 64) & 1) != 0;
    if (marked || mode == trace::LineMode::step || (mode == trace::LineMode::over && depth <= stopped_depth_) ||
        (mode == trace::LineMode::until && number == control_.until_line.load())) {
        control_.line_mode.store(0);
        control_.pause.store(1);
        slow_ |= kPaused;
    }
    if ((slow_ & kPaused) != 0) {
        stay_paused(true);
        stopped_depth_ = depth;
    } else if (line_delay_us_ != 0) {
        const auto begin = stamp();
        const auto begin_ns = core::monotonic_ns();
        const auto end_ns = begin_ns + std::int64_t{line_delay_us_} * 1000;
        while (core::monotonic_ns() < end_ns && control_.attention.load() == 0) {
            sleep_ns(std::min<std::int64_t>(end_ns - core::monotonic_ns(), 10'000'000));
        }
        paused_ns_ += core::monotonic_ns() - begin_ns;
        record_wait(begin, WaitKind::paused, "slow motion", 0, 0);
    }
}

void Runtime::attend() {
    if (control_.attention.exchange(0) != 0) {
        read_control();
    }
    if ((slow_ & kPaused) != 0) {
        stay_paused();
    }
}

void Runtime::before_issue() {
    attend();
    if ((slow_ & kQueueLimit) != 0) {
        // The op that must be finished so that one more fits. All before it have been waited for likewise.
        const auto [lane, seq] = recent_[issued_ % queue_limit_];
        if (seq != 0 && !finished(lane, seq)) {
            const auto begin = begin_wait(WaitKind::queue_limit, "queue limit");
            device_.wait(lane, seq);
            device_.wait_returned();
            record_wait(begin, WaitKind::queue_limit, "queue limit", 0, issued_ + 1 - queue_limit_);
        }
    }
}

void Runtime::after_issue(std::uint32_t lane, std::uint32_t seq) {
    if ((slow_ & kQueueLimit) != 0) {
        recent_[(issued_ - 1) % queue_limit_] = {lane, seq};
    }
    if ((slow_ & kOpBarrier) != 0) {
        const auto begin = begin_wait(WaitKind::op_barrier, "op barrier");
        device_.wait(lane, seq);
        device_.wait_returned();
        record_wait(begin, WaitKind::op_barrier, "op barrier", 0, issued_);
    }
    if ((slow_ & kDelay) != 0) {
        const auto begin = stamp();
        sleep_ns(static_cast<std::int64_t>(op_delay_ns_));
        paused_ns_ += static_cast<std::int64_t>(op_delay_ns_);
        record_wait(begin, WaitKind::paused, "slow motion", 0, 0);
    }
}

// --- memory ---

float* Runtime::find_memory(const Signature& signature, std::uint32_t lane) {
    if (!pool_.has_used(signature.size_class, lane)) {
        // Asking costs a cache line of each lane's worker; fresh memory costs a page fault for every 4 KiB of it.
        if (issued_ >= reclaim_after_ || signature.out_bytes >= kAlwaysReclaimBytes) {
            reclaim();
            if (!pool_.has_used(signature.size_class, lane)) {
                reclaim_after_ = issued_ + 32;  // nothing had finished: do not ask again at once
            }
        }
    }
    float* data = pool_.take(signature.size_class, lane);
    if (data == nullptr) {
        reclaim_all();
        data = pool_.take(signature.size_class, lane);
    }
    if (data == nullptr) {
        raise(core::ErrorKind::out_of_memory, "out of memory at " + describe(signature) + ": the device has no " +
                                                  megabytes(signature.out_bytes) + " left, " + megabytes(live_) +
                                                  " are live");
    }
    return data;
}

void Runtime::make_room(const Signature& signature, std::uint64_t bytes) {
    reclaim_all();
    if (live_ + bytes > budget_) {
        raise(core::ErrorKind::out_of_memory, "out of memory at " + describe(signature) + ": it asks for " +
                                                  megabytes(bytes) + ", and " + megabytes(live_) +
                                                  " of the budget of " + as_asked(budget_) + " are live");
    }
}

void Runtime::free_block(const Pending& block) {
    live_ -= block.bytes;
    pool_.give_anywhere(block.size_class, block.data);
}

void Runtime::drop(Buffer* buffer) {
    if (buffer->write_seq == 0) [[unlikely]] {  // gathered and never issued: there is nothing to free or to tell
        buffer->next_free = free_buffers_;
        free_buffers_ = buffer;
        return;
    }
    if (record_) [[likely]] {
        drops_.add({events_are_close_ ? last_event_ : stamp(), buffer->id, issued_});
    }
    if (free_policy_ == FreePolicy::lazy) [[unlikely]] {
        drop_lazily(buffer);
    } else {
        if (free_policy_ == FreePolicy::stream) {
            live_ -= buffer->bytes;
        }
        const std::uint64_t counted = free_policy_ == FreePolicy::stream ? 0 : buffer->bytes;
        if (lanes_ > 1) {
            drop_across_lanes(*buffer, counted);
        } else {
            const auto last = buffer->read_seq[0] == 0 || after(buffer->write_seq, buffer->read_seq[0])
                                  ? buffer->write_seq
                                  : buffer->read_seq[0];
            if (free_policy_ == FreePolicy::stream) {
                pool_.give_in_lane(buffer->size_class, 0, buffer->data);
            } else {
                pending_[0].blocks.push_back({last, buffer->size_class, buffer->data, counted});
            }
        }
    }
    buffer->data = nullptr;
    buffer->write_seq = 0;
    buffer->next_free = free_buffers_;
    free_buffers_ = buffer;
}

// The memory is free when all lanes that use it are done with it; where it is one lane, in that lane's order.
void Runtime::drop_across_lanes(const Buffer& buffer, std::uint64_t counted) {
    PendingInLanes held{{0, buffer.size_class, buffer.data, counted}, {}};
    std::uint32_t busy = 0;
    std::uint32_t busy_lane = 0;
    std::fill_n(held.need.begin(), lanes_, 0u);
    need(held.need, buffer.write_lane, buffer.write_seq);
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        need(held.need, lane, buffer.read_seq[lane]);
        if (held.need[lane] != 0 && after(held.need[lane], seen_[lane])) {
            ++busy;
            busy_lane = lane;
        }
    }
    if (busy == 0) {
        free_block(held.block);
    } else if (busy > 1) {
        pending_in_lanes_.push_back(held);
    } else if (free_policy_ == FreePolicy::stream) {
        pool_.give_in_lane(buffer.size_class, busy_lane, buffer.data);
    } else {
        held.block.seq = held.need[busy_lane];
        pending_[busy_lane].blocks.push_back(held.block);
    }
}

// The memory goes back in lane order, by a command behind its last use.
void Runtime::drop_lazily(Buffer* buffer) {
    if (buffer->write_seq == 0) {
        return;
    }
    Placement placement;
    placement.lane = buffer->write_lane;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        if (lane != placement.lane && buffer->read_seq[lane] != 0 && !finished(lane, buffer->read_seq[lane])) {
            placement.wait_lane[placement.waits] = lane;
            placement.wait_seq[placement.waits++] = buffer->read_seq[lane];
        }
    }
    submit_waits(placement, 0);
    Command command;
    command.out_id = buffer->id;
    command.flags = devices::kFreeBuffer;
    ++seq_[placement.lane];
    device_.submit(placement.lane, command);
}

void Runtime::reclaim() {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        PendingQueue& queue = pending_[lane];
        while (queue.head < queue.blocks.size() && finished(lane, queue.blocks[queue.head].seq)) {
            free_block(queue.blocks[queue.head++]);
        }
        if (queue.head == queue.blocks.size()) {
            queue.blocks.clear();
            queue.head = 0;
        } else if (queue.head > 4096 && queue.head * 2 > queue.blocks.size()) {
            queue.blocks.erase(queue.blocks.begin(), queue.blocks.begin() + static_cast<std::ptrdiff_t>(queue.head));
            queue.head = 0;
        }
    }
    std::erase_if(pending_in_lanes_, [this](const PendingInLanes& held) {
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            if (held.need[lane] != 0 && !finished(lane, held.need[lane])) {
                return false;
            }
        }
        free_block(held.block);
        return true;
    });
    if (staged_.size() > 8) {
        std::erase_if(staged_, [this](const Staged& s) { return finished(s.lane, s.seq); });
    }
}

void Runtime::reclaim_all() {
    reclaim();
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        PendingQueue& queue = pending_[lane];
        const auto first = queue.blocks.begin() + static_cast<std::ptrdiff_t>(queue.head);
        const auto kept = std::remove_if(first, queue.blocks.end(), [this, lane](const Pending& block) {
            if (finished(lane, block.seq)) {
                free_block(block);
                return true;
            }
            return false;
        });
        queue.blocks.erase(kept, queue.blocks.end());
    }
}

std::uint64_t Runtime::live_bytes() {
    if (free_policy_ == FreePolicy::lazy) {
        return device_.lazy_bytes();
    }
    reclaim_all();
    return live_;
}

std::uint32_t Runtime::headway() {
    std::uint32_t queued = 0;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        queued += seq_[lane] - device_.completed(lane).load(std::memory_order_acquire);
    }
    return queued;
}

// --- waits ---

std::uint16_t Runtime::wait_name(std::string_view name) {
    if (wait_name_id_ == 0 || name != wait_name_) {
        wait_name_ = name;
        wait_name_id_ = recording_.string_id(name);
    }
    return wait_name_id_;
}

std::uint64_t Runtime::begin_wait(WaitKind kind, std::string_view name) {
    const auto begin = stamp();
    if (record_) {
        trace::Header& header = recording_.header();
        header.wait_kind_name.store(static_cast<std::uint32_t>(kind) << 16 | wait_name(name),
                                    std::memory_order_relaxed);
        header.wait_line.store(line_, std::memory_order_relaxed);
        header.wait_begin.store(begin, std::memory_order_release);
    }
    return begin;
}

void Runtime::record_wait(std::uint64_t begin, WaitKind kind, std::string_view name, core::BufferId target,
                          core::OpId through) {
    if (!record_) {
        return;
    }
    core::order_ticks();  // what was waited for has ended before the wait
    const auto end = stamp();
    settle_work(begin);
    last_event_ = end;
    recording_.header().wait_begin.store(0, std::memory_order_relaxed);
    events_.add({begin, trace::pack_duration(end - begin), wait_name(name),
                 static_cast<std::uint8_t>(FrontendKind::wait), static_cast<std::uint8_t>(kind), line_, target, issued_,
                 through == issued_ ? 0 : through});
}

void Runtime::wait_lanes(const std::array<std::uint32_t, core::kMaxLanes>& seqs) {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        if (seqs[lane] != 0 && !finished(lane, seqs[lane])) {
            device_.wait(lane, seqs[lane]);
        }
    }
    device_.wait_returned();
}

void Runtime::waitall() {
    wait_everything(WaitKind::waitall, "waitall");
}

// What a wait may be for has to be on its way.
void Runtime::before_wait(std::string_view name) {
    attend_if_asked();
    if ((slow_ & kGathers) != 0) [[unlikely]] {
        if (tracing_) {
            raise(core::ErrorKind::failed, std::string(name) + ": there are no values yet while a function is traced");
        }
        issue_gathered();
    }
}

void Runtime::wait_everything(WaitKind kind, std::string_view name) {
    before_wait(name);
    const auto begin = begin_wait(kind, name);
    wait_lanes(seq_);
    record_wait(begin, kind, name, 0, issued_);
    deliver_any_failure();
}

void Runtime::wait_to_read(const Tensor& a, WaitKind kind, std::string_view name) {
    before_wait(name);
    const Buffer& buffer = *buffer_of(a, "wait_to_read");
    const auto begin = begin_wait(kind, name);
    if (buffer.write_seq != 0) {
        device_.wait(buffer.write_lane, buffer.write_seq);
        if (after(buffer.write_seq, seen_[buffer.write_lane])) {
            seen_[buffer.write_lane] = buffer.write_seq;
        }
    }
    device_.wait_returned();
    record_wait(begin, kind, name, buffer.id, 0);
    deliver_failure(buffer.id);
}

float* Runtime::data_of(const Buffer& buffer) {
    return buffer.data != nullptr ? buffer.data : device_.lazy_data(buffer.id);
}

std::vector<float> Runtime::to_host(const Tensor& a, WaitKind kind, std::string_view name) {
    wait_to_read(a, kind, name);
    std::vector<float> values(static_cast<std::size_t>(a.elements()));
    if (!values.empty()) {
        device_.read(values.data(), data_of(*a.buffer_), values.size());
        deliver_failure(a.buffer_->id);  // the device may have been lost by now
    }
    return values;
}

float Runtime::item(const Tensor& a, std::string_view name) {
    if (a.elements() != 1) {
        raise(core::ErrorKind::shape, "item: a tensor of shape " + to_string(a.shape()) + " is not one number");
    }
    return to_host(a, WaitKind::item, name)[0];
}

void Runtime::deliver_failure(core::BufferId buffer) {
    if (!device_.poison().any()) [[likely]] {
        return;
    }
    if (const auto failure = device_.poison().failure_of(buffer)) {
        device_.poison().set_delivered(failure->op);
        raise_failure(*failure);
    }
}

void Runtime::deliver_any_failure() {
    if (!device_.poison().any()) [[likely]] {
        return;
    }
    if (const auto failure = device_.poison().first_undelivered()) {
        device_.poison().set_all_delivered();
        raise_failure(*failure);
    }
}

void Runtime::raise_failure(const devices::OpFailure& failure) {
    const auto line = line_of_op(failure.op);
    throw ProgramError({failure.kind,
                        failure.message + ", detected at op " + std::to_string(failure.op) + at_line(line),
                        std::string(file_name(core::file_of(line))), core::number_of(line), failure.op});
}

void Runtime::raise(core::ErrorKind kind, std::string message) {
    const bool at_an_op = kind == core::ErrorKind::out_of_memory;
    throw ProgramError({kind, std::move(message) + at_line(line_), std::string(file_name(core::file_of(line_))),
                        core::number_of(line_), at_an_op ? issued_ + 1 : 0});
}

std::string Runtime::at_line(core::Line line) const {
    if (core::number_of(line) == 0) {
        return "";
    }
    return ", at " + std::string(file_name(core::file_of(line))) + ":" + std::to_string(core::number_of(line));
}

std::string Runtime::describe(const Signature& signature) const {
    return "op " + std::to_string(issued_ + 1) + ", " + devices::name_of(signature.kind) + " giving " +
           to_string(signature.out);
}

// Failures are rare: the line of an op is looked up in the trace instead of being kept a second time.
core::Line Runtime::line_of_op(core::OpId op) const {
    auto reader = trace::Reader::open(recording_.fd());
    if (!reader || op == 0) {
        return 0;
    }
    (*reader)->poll();
    const trace::StreamId frontend{trace::StreamKind::frontend, 0};
    core::OpId seen = 0;
    for (std::uint64_t at = 0;;) {
        const auto records = (*reader)->records<trace::FrontendRecord>(frontend, at);
        if (records.empty()) {
            return 0;
        }
        for (const auto& record : records) {
            const auto kind = static_cast<FrontendKind>(record.kind & trace::kKindMask);
            if (kind == FrontendKind::issue && ++seen == op) {
                return record.line;
            }
        }
        at += records.size();
    }
}

// --- marks ---

void Runtime::record_mark(FrontendKind kind, std::uint16_t name, std::uint32_t index) {
    if (record_) {
        const auto now = stamp();
        settle_work(now);
        last_event_ = now;
        events_.add({now, 0, name, static_cast<std::uint8_t>(kind), 0, line_, index, issued_, 0});
    }
}

void Runtime::scope_begin(std::string_view name) {
    record_mark(FrontendKind::scope_begin, recording_.string_id(name), 0);
}
void Runtime::scope_end(std::string_view name) {
    record_mark(FrontendKind::scope_end, recording_.string_id(name), 0);
}
void Runtime::measure_begin() {
    issue_gathered();
    record_mark(FrontendKind::measure_begin, 0, 0);
}
void Runtime::measure_end() {
    issue_gathered();
    record_mark(FrontendKind::measure_end, 0, 0);
}
void Runtime::minibatch_begin() {
    record_mark(FrontendKind::minibatch_begin, 0, minibatch_);
}

void Runtime::minibatch_end() {
    if (!tracing_) {
        issue_gathered();
    }
    record_mark(FrontendKind::minibatch_end, 0, minibatch_);
    minibatches_.push_back({seq_, issued_});
    ++minibatch_;
    attend_if_asked();
    const auto policy = barrier();
    const bool waits = policy.kind == trace::BarrierKind::minibatch || policy.kind == trace::BarrierKind::behind;
    const std::uint32_t behind = policy.kind == trace::BarrierKind::behind ? policy.behind : 0;
    if (!waits || minibatches_.size() <= behind) {
        return;
    }
    const MinibatchEnd& target = minibatches_[minibatches_.size() - 1 - behind];
    const std::string_view name = behind == 0 ? "minibatch barrier" : "barrier, batches behind";
    const auto begin = begin_wait(WaitKind::minibatch_barrier, name);
    wait_lanes(target.seqs);
    record_wait(begin, WaitKind::minibatch_barrier, name, 0, target.last);
    deliver_any_failure();
}

// --- source lines ---

std::uint32_t Runtime::id_of_file(const char* path) {
    last_file_ = path;
    for (std::size_t i = files_.size(); i-- > 0;) {
        if (files_[i].first == path) {
            return last_file_id_ = static_cast<std::uint32_t>(i + 1);
        }
    }
    const char* slash = std::strrchr(path, '/');
    last_file_id_ = add_file(slash != nullptr ? slash + 1 : path);
    files_.back().first = path;
    return last_file_id_;
}

std::uint32_t Runtime::add_file(const std::string& name) {
    files_.emplace_back(nullptr, name);
    recording_.meta(trace::MetaType::file, static_cast<std::uint16_t>(files_.size()), name);
    return static_cast<std::uint32_t>(files_.size());
}

double Runtime::program_seconds() const {
    if (virtual_time_) {
        return static_cast<double>(device_.now()) * 1e-9;
    }
    return static_cast<double>(core::monotonic_ns() - paused_ns_) * 1e-9;
}

void Runtime::account_for_language(std::uint16_t language_name) {
    if (!virtual_time_ && record_) {
        language_name_ = work_name_ = language_name;
        close_ = 0;                     // a script may do anything before it lets go of a tensor
        last_event_ = line_begin_ = 0;  // from its first line on
    }
}

// A line that is worth seeing by itself has its own name; short ones share the language's.
void Runtime::record_work(std::uint64_t end) {
    if (last_event_ == 0) {
        last_event_ = end;
        return;
    }
    const auto add = [this](std::uint64_t from, std::uint64_t to, std::uint16_t name) {
        events_.add({from, trace::pack_duration(to - from), name, static_cast<std::uint8_t>(FrontendKind::work), 0,
                     line_, 0, issued_, 0});
    };
    const bool own = line_begin_ <= last_event_ || end - line_begin_ > kWorthSeeing;
    if (own && line_begin_ > last_event_ && line_begin_ - last_event_ > kWorthSeeing) {
        add(last_event_, line_begin_, language_name_);
        last_event_ = line_begin_;
    }
    add(last_event_, end, own ? work_name_ : language_name_);
    last_event_ = end;
}

std::string_view Runtime::file_name(std::uint32_t file_id) const {
    return file_id >= 1 && file_id <= files_.size() ? std::string_view(files_[file_id - 1].second) : "";
}

}  // namespace headway::runtime
