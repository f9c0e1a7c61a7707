// GPU times: takes CUPTI's records or events, converts them to the host's clock, and writes the recording.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <utility>

#include "engine/core/sequence.h"
#include "engine/core/system/thread.h"
#include "engine/devices/cuda/cuda_device.h"
#include "engine/devices/cuda/host_work.h"

namespace headway::devices::cuda {

namespace {

constexpr std::chrono::milliseconds kFlushPeriod(50);
constexpr int kSettleTries = 50;
constexpr std::chrono::milliseconds kSettlePause(1);

constexpr std::uint64_t kTrialId = std::uint64_t{1} << 40;  // above every op id
constexpr int kTrials = 8;

constexpr std::int64_t kAnchorPeriodNs = 1'000'000'000;  // an elapsed time is a float: an error of 60 ns after a second
constexpr std::size_t kMaxAnchors = 64;
constexpr int kAnchorTries = 5;
constexpr std::uint64_t kEventStepNs = 500;  // "a resolution of around 0.5 microseconds", the CUDA manual says

}  // namespace

void CudaDevice::start_timing() {
    if (cupti_ != nullptr) {
        if (const auto uncertainty = measure_cupti()) {
            info_.timing = "cupti";
            info_.timing_uncertainty_ns = *uncertainty;
        } else {
            cupti_->stop();
            cupti_ = nullptr;
            info_.timing_note = "CUPTI is installed and gave no records";
        }
    }
    events_ =
        std::make_unique<EventPool>(cupti_ != nullptr || !options_.record ? cudaEventDisableTiming : cudaEventDefault);
    if (cupti_ == nullptr && options_.record) {
        anchors_.push_back(take_event_anchor());
        next_anchor_ns_ = core::monotonic_ns() + kAnchorPeriodNs;
        info_.timing = "events";
        info_.timing_uncertainty_ns = anchors_.front().uncertainty_ns + kEventStepNs;
    }
}

// Launches kernels between two readings of the host's clock: CUPTI must place each of them between its two readings,
// which bounds the error of its timestamps. Also checks that records arrive at all.
std::optional<std::uint64_t> CudaDevice::measure_cupti() {
    std::array<std::int64_t, kTrials> before{};
    std::array<std::int64_t, kTrials> after{};
    const cudaStream_t stream = lanes_[0]->stream.get();
    for (std::size_t i = 0; i < kTrials; ++i) {
        before[i] = core::monotonic_ns();
        {
            const Correlation correlation(cupti_, kTrialId + i);
            check(launch_nothing(stream), "launching a kernel");
        }
        check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        after[i] = core::monotonic_ns();
    }
    const auto last_known = [&] { return cupti_->times().of(kTrialId + kTrials - 1).has_value(); };
    for (int i = 0; i < kSettleTries && !last_known(); ++i) {
        std::this_thread::sleep_for(kSettlePause);
        cupti_->flush(false);
    }
    std::optional<std::int64_t> least, most;  // bounds of the timestamps' delay
    for (std::size_t i = 0; i < kTrials; ++i) {
        if (const auto interval = cupti_->times().of(kTrialId + i)) {
            const auto low = interval->end_ns - after[i];
            const auto high = interval->begin_ns - before[i];
            least = std::max(least.value_or(low), low);
            most = std::min(most.value_or(high), high);
        }
        cupti_->times().forget(kTrialId + i);
    }
    if (!least || !most) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(std::max(std::abs(*least), std::abs(*most)));
}

CudaDevice::EventAnchor CudaDevice::take_event_anchor() {
    EventAnchor best;
    for (int i = 0; i < kAnchorTries; ++i) {
        EventAnchor anchor;
        anchor.event = make_event(cudaEventDefault);
        const auto before = core::monotonic_ns();
        check(cudaEventRecord(anchor.event.get(), clock_stream_.get()), "cudaEventRecord");
        check(cudaEventSynchronize(anchor.event.get()), "cudaEventSynchronize");
        const auto after = core::monotonic_ns();
        anchor.ns = before + (after - before) / 2;
        anchor.uncertainty_ns = static_cast<std::uint64_t>(after - before + 1) / 2;
        if (best.event == nullptr || anchor.uncertainty_ns < best.uncertainty_ns) {
            best = std::move(anchor);
        }
    }
    return best;
}

// Uses its own stream, which nothing waits for. An anchor less precise than the first is discarded.
void CudaDevice::renew_event_anchor() {
    next_anchor_ns_ = core::monotonic_ns() + kAnchorPeriodNs;
    if (!options_.record) {
        return;
    }
    try {
        EventAnchor anchor = take_event_anchor();
        const std::lock_guard lock(anchor_mutex_);
        if (anchor.uncertainty_ns + kEventStepNs > info_.timing_uncertainty_ns) {
            return;
        }
        anchors_.push_back(std::move(anchor));
        if (anchors_.size() > kMaxAnchors) {
            anchors_.pop_front();
            ++first_anchor_;
        }
        newest_anchor_.store(first_anchor_ + static_cast<std::uint32_t>(anchors_.size()) - 1,
                             std::memory_order_release);
    } catch (const CudaError& error) {
        cudaGetLastError();
        lose(0, error.what());
    }
}

std::int64_t CudaDevice::ns_of_event(std::uint32_t number, cudaEvent_t event) {
    const std::lock_guard lock(anchor_mutex_);
    const std::size_t at = number > first_anchor_ ? number - first_anchor_ : 0;
    const EventAnchor& anchor = anchors_[std::min(at, anchors_.size() - 1)];
    float elapsed_ms = 0;
    check(cudaEventElapsedTime(&elapsed_ms, anchor.event.get(), event), "cudaEventElapsedTime");
    return anchor.ns + static_cast<std::int64_t>(static_cast<double>(elapsed_ms) * 1e6);
}

// Converts between the host's two clocks.
std::uint64_t CudaDevice::ticks_from_ns(std::int64_t ns) {
    if (!core::ticks_are_tsc()) {
        return static_cast<std::uint64_t>(ns);
    }
    if (tick_map_.wants_anchor(ns)) {
        tick_map_.add(core::read_anchor());
    }
    return tick_map_.ticks_from_ns(ns);
}

// --- into the recording ---

// Completion thread.
void CudaDevice::record(Lane& lane, const InFlight& flight, std::uint64_t now) {
    Done done;
    done.op = flight.op;
    done.failed = flight.failed;
    done.nodes = flight.nodes;
    done.launch_begin = flight.launch_begin;
    done.begin = flight.launch_begin;
    done.end = now;
    if (flight.failed) {
        done.timed = true;
        done.end = done.begin;
    } else if (flight.host != nullptr && flight.host->staging == nullptr) {
        done.timed = true;
        done.begin = flight.host->begin;
        done.end = flight.host->end;
    } else if (flight.begin != nullptr && !lost()) {
        try {
            const auto begin_ns = ns_of_event(flight.anchor, flight.begin);
            done.end = ticks_from_ns(ns_of_event(flight.anchor, flight.end));
            done.begin = ticks_from_ns(begin_ns);
            done.timed = true;
        } catch (const CudaError&) {
            cudaGetLastError();  // keep the bounds: launch and completion
        }
    }
    if (cupti_ == nullptr) {
        done.bounded = !done.timed;
        write(lane, done);
        record_bounds(lane);
        return;
    }
    done.flush = flushes_begun_.load(std::memory_order_acquire);
    const std::lock_guard lock(lane.done_mutex);
    lane.done.push_back(done);
}

// A stream runs its ops one after another, and none before its launch. Times that contradict this because of the
// clocks' uncertainty are corrected. A record rounds long durations down; its parts are clipped to the rounded end.
void CudaDevice::write(Lane& lane, const Done& done) {
    const auto begin = std::max({done.begin, done.launch_begin, lane.recorded_until});
    const auto end = std::max(begin, done.end);
    // The begin of this op may have been moved to the upper bound of the previous one's end: then it is a bound, too.
    lane.last_bounded = done.bounded || (lane.last_bounded && !done.failed && done.begin < lane.recorded_until);
    if (lane.last_bounded) {
        lane.bounded_from = lane.bounded++ == 0 ? begin : lane.bounded_from;
        lane.bounded_until = end;
    } else {
        record_bounds(lane);
    }
    lane.recorded_until = end;
    const auto duration = trace::pack_duration(end - begin);
    write_parts(lane, done, begin, begin + trace::unpack_duration(duration));
    lane.writer.add({begin, duration, done.failed ? done.op | trace::kFailedOp : done.op});
}

void CudaDevice::record_bounds(Lane& lane) {
    if (lane.bounded != 0) {
        add_driver_record({lane.bounded_from, trace::pack_duration(lane.bounded_until - lane.bounded_from),
                           trace::DriverKind::bounded_ops, static_cast<std::uint16_t>(first_lane() + lane.number),
                           std::exchange(lane.bounded, 0)});
    }
}

void CudaDevice::add_driver_record(const trace::DriverRecord& record) {
    const std::lock_guard lock(driver_->mutex);
    driver_->writer.add(record);
}

// Writes a composite's kernels as parts. A graph captured from one stream runs in its order, so the n-th activity is
// the n-th node; if the counts differ, they cannot be matched, and only the op itself is recorded.
void CudaDevice::write_parts(Lane& lane, const Done& done, std::uint64_t begin, std::uint64_t end) {
    if (done.nodes == nullptr || cupti_ == nullptr || done.failed) {
        return;
    }
    const auto pieces = cupti_->times().pieces_of(done.op);
    if (pieces.size() != done.nodes->size()) {
        return;
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const auto from = std::clamp(ticks_from_ns(pieces[i].begin_ns), begin, end);
        const auto to = std::clamp(ticks_from_ns(pieces[i].end_ns), from, end);
        lane.writer.add({from, trace::pack_duration(to - from), trace::kPart | (*done.nodes)[i]});
        begin = to;
    }
}

void CudaDevice::record_driver_events() {
    for (const auto& event : cupti_->times().take_driver_events()) {
        const auto begin = ticks_from_ns(event.begin_ns);
        const auto end = std::max(begin, ticks_from_ns(event.end_ns));
        add_driver_record({begin, trace::pack_duration(end - begin), event.kind,
                           static_cast<std::uint16_t>(event.stream), event.bytes});
    }
}

// Times thread. The records of an op with several kernels may arrive separately, so its interval is final once a flush
// has begun after it completed. Lane order is kept: an op without times delays the ops after it.
bool CudaDevice::record_times(bool last) {
    const bool waiting = std::any_of(lanes_.begin(), lanes_.end(), [](const auto& lane) {
        const std::lock_guard lock(lane->done_mutex);
        return !lane->done.empty();
    });
    if (!waiting && !last) {
        return true;  // do not flush CUPTI
    }
    const auto flush = flushes_begun_.fetch_add(1, std::memory_order_acq_rel) + 1;
    cupti_->flush(last);
    record_driver_events();
    bool all = true;
    for (auto& lane : lanes_) {
        std::deque<Done> known;
        {
            const std::lock_guard lock(lane->done_mutex);
            for (auto& done = lane->done; !done.empty(); done.pop_front()) {
                Done& front = done.front();
                const bool late = last || flush > front.flush + ActivityTimes::kPatience;
                if (!front.timed) {
                    const auto interval = cupti_->times().of(front.op);
                    const bool complete =
                        interval && (front.nodes == nullptr || interval->activities >= front.nodes->size());
                    if (!late && (!complete || front.flush >= flush)) {
                        break;
                    }
                    front.bounded = !complete;
                    if (complete) {
                        front.begin = ticks_from_ns(interval->begin_ns);
                        front.end = ticks_from_ns(interval->end_ns);
                    }
                }
                known.push_back(front);
            }
            all &= lane->done.empty();
        }
        // An op has ended when the next one of its stream begins.
        std::uint64_t next_begin = std::numeric_limits<std::uint64_t>::max();
        for (auto done = known.rbegin(); done != known.rend(); ++done) {
            if (done->bounded) {
                done->end = std::min(done->end, next_begin);
            } else if (!done->failed) {
                next_begin = done->begin;
            }
        }
        for (const Done& done : known) {
            write(*lane, done);
            cupti_->times().forget(done.op);
        }
        record_bounds(*lane);
    }
    return all;
}

void CudaDevice::times_loop() {
    core::name_thread("cuda-times");
    std::unique_lock lock(times_mutex_);
    for (;;) {
        times_changed_.wait_for(lock, kFlushPeriod, [this] { return stop_times_ || settles_asked_ != settles_done_; });
        const bool stop = stop_times_;
        const auto asked = settles_asked_;
        const bool settle = asked != settles_done_ || stop;
        lock.unlock();
        bool all = record_times(false);
        for (int i = 0; settle && !all && i < kSettleTries; ++i) {
            std::this_thread::sleep_for(kSettlePause);
            all = record_times(false);
        }
        if (stop) {
            record_times(true);
            return;
        }
        lock.lock();
        settles_done_ = asked;
        times_changed_.notify_all();
    }
}

void CudaDevice::settle() {
    // Completed ops may still be on their way from the completion thread.
    for (auto& lane : lanes_) {
        const auto target = lane->completed.load(std::memory_order_acquire);
        while (!core::reached(lane->retired.load(std::memory_order_acquire), target)) {
            std::this_thread::yield();
        }
    }
    if (cupti_ == nullptr) {
        return;
    }
    std::unique_lock lock(times_mutex_);
    const auto mine = ++settles_asked_;
    times_changed_.notify_all();
    times_changed_.wait(lock, [&] { return settles_done_ >= mine; });
}

}  // namespace headway::devices::cuda
