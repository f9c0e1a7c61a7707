#include "app/model/run/run.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/model/run/folding.h"
#include "app/model/run/intake.h"
#include "app/model/run/saved_folds.h"
#include "engine/core/time_budget.h"

namespace headway::model {

namespace {

constexpr std::int64_t kFarthestNs = std::int64_t{1} << 60;  // 36 years; times of damaged recordings are clamped to it
constexpr std::int64_t kGoodAnchorNs = 20'000'000;           // anchors this far apart give the rate to a millionth
constexpr std::size_t kSettleEvery = 1u << 16;

}  // namespace

Run::Run(std::unique_ptr<trace::Reader> reader)
    : reader_(std::move(reader)),
      devices_(1),
      dependencies_(std::make_unique<Dependencies>(ops_, orders_)),
      intake_(std::make_unique<Intake>(live_, pending_)) {}

Run::Run(std::unique_ptr<trace::Reader> reader, std::unique_ptr<SavedFolds> folds) : Run(std::move(reader)) {
    restoring_ = std::make_unique<Restoring>(*this, std::move(folds));
}

Run::~Run() = default;

const SavedFolds* Run::saved() const {
    return restoring_ != nullptr ? &restoring_->saved() : nullptr;
}

// ---- time ----

// The clock's rate is fixed once, early: a later change would move events relative to each other. Records that were
// read before that are read again with the new rate.
void Run::refresh_scale() {
    if (scale_final_) {
        return;
    }
    const trace::Header& header = reader_->header();
    double ns_per_tick = 1.0;
    if (header.clock() != trace::ClockKind::ticks) {
        scale_final_ = true;
    } else {
        const std::int64_t last_ns = header.last_ns.load(std::memory_order_relaxed);
        const bool apart = last_ns > header.first_ns && last_ns - kGoodAnchorNs >= header.first_ns;
        const auto state = static_cast<std::uint32_t>(reader_->state());
        scale_final_ = apart || closed_ || state >= static_cast<std::uint32_t>(trace::RunState::finished);
        ns_per_tick = reader_->scale().ns_per_tick();
        if (!scale_final_ && last_ns == header.first_ns) {
            // The writer has no second anchor yet; this process reads the same clocks.
            const core::Anchor now = core::read_anchor();
            if (now.ns > header.first_ns && now.ticks > header.first_ticks) {
                ns_per_tick = core::TickScale({header.first_ticks, header.first_ns}, now).ns_per_tick();
            }
        }
    }
    if (ns_per_tick != ns_per_tick_ && ns_per_tick_ != 0) {
        ++rescaled_;
        forget();
    }
    ns_per_tick_ = ns_per_tick;
}

std::int64_t Run::ns_from_ticks(std::uint64_t ticks) const {
    const auto delta = static_cast<std::int64_t>(ticks - reader_->header().first_ticks);
    const double ns = static_cast<double>(delta) * ns_per_tick_;
    constexpr auto kFarthest = static_cast<double>(kFarthestNs);
    return static_cast<std::int64_t>(std::clamp(ns, -kFarthest, kFarthest));
}

std::int64_t Run::end_of(std::uint64_t begin, std::uint32_t duration) const {
    return std::max(ns_from_ticks(begin), ns_from_ticks(begin + trace::unpack_duration(duration)));
}

void Run::see(std::int64_t ns) {
    last_ns_ = std::max(last_ns_, ns);
}

// Back to the first record; the metadata stays.
void Run::forget() {
    info_.barrier_changes.clear();
    for (RunDevice& device : devices_) {
        for (Curve* curve : {&device.live, &device.pending, &device.reserved}) {
            *curve = Curve();
        }
    }
    ops_.clear();
    open_ops_ = {};
    for (Lane& lane : lanes_) {
        lane.ops.clear();
        lane.parts.clear();
        lane.index.clear();
        lane.kinds.clear();
    }
    launches_.clear();
    driver_events_.clear();
    costs_.clear();
    holds_.clear();
    pauses_.clear();
    program_time_.clear();
    waits_.clear();
    issue_index_.clear();
    wait_index_.clear();
    wait_kinds_.clear();
    works_.clear();
    program_output_.clear();
    work_index_.clear();
    launch_index_.clear();
    scopes_.clear();
    minibatches_.clear();
    for (Curve* curve : {&headway_, &live_, &pending_, &resident_, &reserved_}) {
        *curve = Curve();
    }
    first_ns_ = program_end_ns_ = measure_begin_ns_ = measure_end_ns_ = kPending;
    last_ns_ = last_exec_ns_ = 0;
    measure_begin_op_ = measure_end_op_ = 0;
    any_issued_ = any_paused_ = false;
    measure_begin_wait_ = measure_end_wait_ = 0;
    orders_.clear();
    has_races_ = false;
    dependencies_ = std::make_unique<Dependencies>(ops_, orders_);
    intake_ = std::make_unique<Intake>(live_, pending_);
    if (devices_.size() > 1) {
        intake_->memory.keep_devices(devices_);
    }
    for (Link& link : links_) {
        link = {link.name};
    }
    folded_parts_.clear();
    folding_.reset();
}

// ---- update ----

bool Run::update(double budget_ms) {
    const core::TimeBudget budget(budget_ms);
    reader_->poll();
    // A drop or an op may be taken only after all records that its thread wrote before it. So the sizes of the
    // streams are read in the reverse order of taking their records.
    const std::uint64_t drops_end = reader_->size({trace::StreamKind::drops, 0});
    const std::uint64_t frontend_end = reader_->size(trace::kFrontendStream);
    reader_->poll();
    take_metadata();
    if (frontend_end == 0) {
        return false;
    }
    refresh_scale();
    intake_->memory.set_policy(free_policy_from(info_.free_policy));
    take_holds();   // holds within a wait were recorded before the wait
    take_orders();  // those of an op were recorded before its issue

    bool more = false;
    while (true) {
        // All streams advance together in time, so that curves are extended at their ends.
        std::int64_t horizon_ns = std::numeric_limits<std::int64_t>::max();
        bool taken = take_frontend(frontend_end, horizon_ns);
        taken = take_lanes(horizon_ns) || taken;
        taken = take_drops(drops_end, horizon_ns) || taken;
        count_headway();
        if (!taken) {
            break;
        }
        if (headway_.unsettled() + live_.unsettled() + pending_.unsettled() > kSettleEvery) {
            take_the_rest();
            fold();
            give_back();
        }
        if (budget.spent()) {
            more = true;
            break;
        }
    }
    take_the_rest();
    fold();
    give_back();
    open_wait_.reset();
    open_hold_.reset();
    running_.clear();
    if (!more) {  // otherwise they may begin after the records taken so far
        look_at_open_wait();
        look_at_running_ops();
        look_at_open_hold();
        info_.no_minibatches = state() != trace::RunState::running && minibatches_.empty();
    }
    if (const auto open = intake_->open_minibatch; open >= 0) {
        minibatches_[static_cast<std::size_t>(open)].last = static_cast<OpId>(ops_.size());
    }
    program_time_.update(*this);
    return more;
}

// The streams whose order relative to the others does not matter.
void Run::take_the_rest() {
    take_samples();
    take_launches();
    take_driver_events();
    take_costs();
    take_transfers();
    settle();
}

// Gives the recording's chunks back that have been taken, if it runs full.
void Run::give_back() {
    if (!scale_final_ || !reader_->should_give_back()) {
        return;
    }
    using enum trace::StreamKind;
    reader_->give_back({frontend, 0}, intake_->frontend);
    reader_->give_back({drops, 0}, first_drop());
    reader_->give_back({costs, 0}, intake_->costs);
    reader_->give_back({samples, 0}, intake_->samples);
    for (std::uint8_t device = 1; device < core::kMaxDevices; ++device) {
        reader_->give_back({samples, device}, intake_->device_samples[device]);
    }
    reader_->give_back({launch, 0}, intake_->launches);
    reader_->give_back({driver, 0}, intake_->driver);
    reader_->give_back({holds, 0}, intake_->holds);
    reader_->give_back({orders, 0}, intake_->orders);
    for (std::size_t lane = 0; lane < intake_->lanes.size(); ++lane) {
        reader_->give_back({trace::StreamKind::lane, static_cast<std::uint8_t>(lane)}, intake_->lanes[lane]);
    }
}

bool Run::cut_off() const {
    const bool crashed = process_end_ && state() != trace::RunState::finished;
    if (!closed_ || (state() != trace::RunState::failed && !info_.file_cut_off && !crashed)) {
        return false;
    }
    return ended_count() < ops_.size();
}

std::size_t Run::ended_count() const {
    std::size_t ended = 0;
    for (const Lane& lane : lanes_) {
        ended += lane.ops.size();
    }
    return ended;
}

void Run::settle() {
    headway_.settle();
    live_.settle();
    pending_.settle();
    resident_.settle();
    reserved_.settle();
    for (RunDevice& device : devices_) {
        device.live.settle();
        device.pending.settle();
        device.reserved.settle();
    }
}

// A program that was killed in a wait, or while lanes were held, has no record of these either: they lasted until then.
void Run::end_open_wait() {
    if (!open_wait_) {
        return;
    }
    Wait wait = *std::exchange(open_wait_, std::nullopt);
    wait.end_ns = std::max(wait.end_ns, last_ns_);
    if (open_hold_) {
        holds_.add({open_hold_->begin_ns, wait.end_ns, open_hold_->lane});
        wait.held_ns = holds_.held_ns(wait.begin_ns, wait.end_ns);
        open_hold_.reset();
    }
    add_wait(std::move(wait));
}

void Run::close() {
    if (closed_) {
        return;
    }
    closed_ = true;
    if (!scale_final_) {
        update();  // with the final rate
    }
    look_at_running_ops();
    // A program that was killed, or whose last call did not return, has no record of its end. Its recorder was alive
    // until then.
    if (process_end_ && program_end_ns_ == kPending && state() != trace::RunState::finished &&
        clock() == trace::ClockKind::ticks && reader_->header().last_ticks.load() != 0) {
        see(ns_from_ticks(reader_->header().last_ticks.load()));
        program_end_ns_ = last_ns_;
    }
    end_open_wait();
    for (const std::size_t open : intake_->open_scopes) {
        scopes_[open].end_ns = last_ns_;
    }
    intake_->open_scopes.clear();
    if (const auto open = intake_->open_minibatch; open >= 0) {
        Minibatch& last = minibatches_[static_cast<std::size_t>(open)];
        last.issue_end_ns = last_ns_;
        if (last.last < last.first) {  // empty: it was begun by the end of the one before, the loop's last
            minibatches_.truncate(static_cast<std::size_t>(open));
        }
        intake_->open_minibatch = -1;
    }
    if (restoring_ != nullptr) {
        restoring_->finish();
    }
    take_transfers();
    program_time_.update(*this);
}

// ---- queries ----

std::span<const Part> Run::parts(OpId id) const {
    const std::uint8_t lane = ops_[id - 1].lane;
    if (lane >= lanes_.size()) {
        return {};
    }
    const auto& parts = lanes_[lane].parts;  // in the order of the lane's ops, so their ids ascend
    const auto first = std::lower_bound(parts.begin(), parts.end(), id,
                                        [](const Part& part, OpId wanted) { return part.op < wanted; });
    auto last = first;
    while (last != parts.end() && last->op == id) {
        ++last;
    }
    return {first, last};
}

TraceCapabilities TraceCapabilities::both(const TraceCapabilities& other) const {
    return {issues && other.issues, waits && other.waits,     backend && other.backend,
            memory && other.memory, tensors && other.tensors, settings && other.settings};
}

TraceCapabilities Run::capabilities() const {
    if (!info_.foreign) {
        return {};
    }
    TraceCapabilities capabilities;
    capabilities.issues = any_issued_;
    capabilities.waits = any_issued_ || !waits_.empty();
    capabilities.backend = info_.device_kind != "trace";
    capabilities.memory = info_.live_sampled;
    capabilities.tensors = capabilities.settings = false;
    return capabilities;
}

trace::RunState Run::state() const {
    const trace::RunState state = reader_->state();
    const bool over = state == trace::RunState::finished || state == trace::RunState::failed;
    return closed_ && !over ? trace::RunState::failed : state;
}

std::int64_t Run::measure_begin_ns() const {
    return measured().begin_ns;
}

std::int64_t Run::end_ns() const {
    return program_end_ns_ != kPending ? std::max(program_end_ns_, last_exec_ns_) : last_ns_;
}

std::optional<std::int64_t> Run::program_end_ns() const {
    return program_end_ns_ == kPending ? std::nullopt : std::optional(program_end_ns_);
}

trace::ClockKind Run::clock() const {
    return reader_->header().clock();
}

double Run::recorder_ns_per_op() const {
    const double cost = reader_->header().recorder_ns_per_op;
    return clock() != trace::ClockKind::virtual_ns && std::isfinite(cost) && cost > 0 && cost < 1e6 ? cost : 0;
}

std::uint64_t Run::lost_records() const {
    return reader_->header().lost_records.load(std::memory_order_relaxed);
}

Run::Measured Run::measured() const {
    Measured measured;
    const bool has_begin = measure_begin_ns_ != kPending;
    measured.begin_ns = has_begin ? measure_begin_ns_ : first_ns_ != kPending ? first_ns_ : 0;
    measured.first = measure_begin_op_ + 1;
    measured.first_wait = measure_begin_wait_;
    measured.has_begin = has_begin;
    measured.has_end = has_begin && measure_end_ns_ != kPending;
    if (measured.has_end) {
        measured.end_ns = measure_end_ns_;
        measured.last = measure_end_op_;
        measured.waits_end = measure_end_wait_;
    } else {
        measured.end_ns = end_ns();
        measured.last = static_cast<OpId>(ops_.size());
        measured.waits_end = waits_.size();
    }
    measured.end_ns = std::max(measured.end_ns, measured.begin_ns);
    return measured;
}

}  // namespace headway::model
