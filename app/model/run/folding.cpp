#include "app/model/run/folding.h"

#include <algorithm>
#include <utility>

#include "app/model/run/dependencies.h"
#include "app/model/run/intake.h"
#include "app/model/run/queries.h"

namespace headway::model {

namespace {

constexpr std::size_t kBlocksAtOnce = 8;     // folding them one by one would move later elements each time
constexpr std::size_t kMostKeptBlocks = 16;  // around bounds of the measured part and failed ops

std::int64_t& begin_of(Minibatch& minibatch) {
    return minibatch.issue_begin_ns;
}
std::int64_t& end_of(Minibatch& minibatch) {
    return minibatch.issue_end_ns;
}
template <class Event>
std::int64_t& begin_of(Event& event) {
    return event.begin_ns;
}
template <class Event>
std::int64_t& end_of(Event& event) {
    return event.end_ns;
}

// Folds each block of events that ends before `until_ns` and is not to be kept, after calling before(block).
template <class Event, class Keep, class Before>
void fold_blocks(Events<Event>& events, std::size_t& next, std::int64_t until_ns, Keep keep, Before before) {
    for (; (next + 1) * kFoldedItems < events.size(); ++next) {
        Event whole = events[next * kFoldedItems];
        whole.folded = true;
        // Scopes are nested, so the last one need not end last.
        for (std::size_t i = next * kFoldedItems; i < (next + 1) * kFoldedItems; ++i) {
            end_of(whole) = std::max(end_of(whole), end_of(events[i]));
        }
        if (end_of(whole) >= until_ns) {
            return;
        }
        if (!keep(begin_of(whole), end_of(whole))) {
            before(next);
            events.fold(next, std::move(whole));
        }
    }
}

template <class List>
void erase_times(List& list, std::int64_t begin_ns, std::int64_t end_ns) {
    const auto before = [](const auto& item, std::int64_t ns) { return item.begin_ns < ns; };
    const auto begin = std::lower_bound(list.begin(), list.end(), begin_ns, before);
    list.erase(begin, std::lower_bound(begin, list.end(), end_ns, before));
}

}  // namespace

void Folding::Sums::merge(const Sums& other) {
    tally.merge(other.tally);
    frontend.add(other.frontend);
    covered_ns += other.covered_ns;
    language_ns += other.language_ns;
    kept_drops += other.kept_drops;
}

void Folding::end_measuring() {
    measured_.merge(beyond_);
    beyond_ = {};
}

Folding::Sums& Folding::sums_at(std::int64_t ns) {
    if (run_.measure_begin_ns_ != kPending && ns < run_.measure_begin_ns_) {
        return warm_up_;
    }
    return run_.measure_end_ns_ != kPending && ns >= run_.measure_end_ns_ ? beyond_ : measured_;
}

Folding::Block Folding::look_at(std::size_t block) const {
    const std::size_t first = block * kFoldedItems;
    Block found{run_.ops_[first].issue_begin_ns, run_.ops_[first + kFoldedItems].issue_begin_ns};
    for (std::size_t i = first; i < first + kFoldedItems; ++i) {
        found.ended = found.ended && run_.ops_[i].end_ns != kPending;
        found.failed = found.failed || run_.ops_[i].failed;
    }
    return found;
}

bool Folding::bounds_measured_part(std::size_t block) const {
    const auto here = [block](std::int64_t ns, OpId issued_before) {
        return ns != kPending && (issued_before / kFoldedItems == block ||
                                  (issued_before > 0 && (issued_before - 1) / kFoldedItems == block));
    };
    return here(run_.measure_begin_ns_, run_.measure_begin_op_) || here(run_.measure_end_ns_, run_.measure_end_op_);
}

bool Folding::is_kept(std::int64_t begin_ns, std::int64_t end_ns) const {
    return std::any_of(kept_.begin(), kept_.end(),
                       [&](const Curve::Kept& kept) { return begin_ns < kept.end_ns && kept.begin_ns < end_ns; });
}

std::uint64_t Folding::take_drops(std::int64_t end_ns) {
    const trace::StreamId drops{trace::StreamKind::drops, 0};
    const std::uint64_t first = next_drop_;
    while (next_drop_ < run_.intake_->drops) {
        const auto records = run_.reader_->records<trace::DropRecord>(drops, next_drop_);
        const auto count = std::min<std::uint64_t>(records.size(), run_.intake_->drops - next_drop_);
        for (std::uint64_t i = 0; i < count; ++i) {
            if (run_.ns_from_ticks(records[i].time) >= end_ns) {
                next_drop_ += i;
                return next_drop_ - first;
            }
        }
        next_drop_ += count;
        if (count == 0) {
            break;
        }
    }
    return next_drop_ - first;
}

void Folding::keep(const Block& block) {
    std::int64_t begin_ns = block.begin_ns;
    if (run_.measure_begin_ns_ != kPending) {
        take_drops(run_.measure_begin_ns_);  // dropped during the warm-up
        begin_ns = std::max(begin_ns, run_.measure_begin_ns_);
    }
    Sums& sums = sums_at(begin_ns);
    if (run_.measure_end_ns_ != kPending && run_.measure_end_ns_ < block.end_ns) {
        sums.kept_drops += take_drops(run_.measure_end_ns_);
        beyond_.kept_drops += take_drops(block.end_ns);
    } else {
        sums.kept_drops += take_drops(block.end_ns);
    }
    if (!kept_.empty() && kept_.back().end_ns == block.begin_ns) {
        kept_.back().end_ns = block.end_ns;
    } else {
        kept_.push_back({block.begin_ns, block.end_ns});
    }
    const auto skip = [&block](const auto& events, std::size_t& next) {
        while (next < events.size() && events[next].begin_ns < block.end_ns) {
            ++next;
        }
    };
    skip(run_.waits_, next_wait_);
    skip(run_.works_, next_work_);
    until_ns_ = block.end_ns;
}

void Folding::fold() {
    const std::size_t most = run_.most_ops() / kFoldedItems, head = std::max<std::size_t>(most / 4, 1);
    const std::size_t blocks = run_.ops_.size() / kFoldedItems;
    const std::size_t at_once = std::min(kBlocksAtOnce, std::max<std::size_t>(most / 4, 1));
    if (blocks < most + at_once + ops_ / kFoldedItems + 1) {
        return;
    }
    const std::uint64_t ops_before = ops_;
    std::size_t first = next_block_;
    const std::size_t stop = std::min(blocks - 1, next_block_ + std::max(head, at_once));
    const auto add_so_far = [&] {
        if (first < next_block_) {
            add(first, next_block_);
            release(first, next_block_);
        }
    };
    for (std::size_t folded = 0; next_block_ < stop && folded < at_once;) {
        const Block block = look_at(next_block_);
        if (!block.ended) {
            break;
        }
        const bool special = (block.failed || bounds_measured_part(next_block_)) && kept_blocks_ < kMostKeptBlocks;
        if (next_block_ < head || special) {
            add_so_far();
            kept_blocks_ += next_block_ < head ? 0 : 1;
            keep(block);
            first = ++next_block_;
        } else {
            ++next_block_;
            ++folded;
        }
    }
    add_so_far();
    for (Curve* curve : {&run_.headway_, &run_.live_, &run_.pending_, &run_.resident_, &run_.reserved_}) {
        curve->fold(until_ns_, kept_);
    }
    for (RunDevice& device : run_.devices_) {
        for (Curve* curve : {&device.live, &device.pending, &device.reserved}) {
            curve->fold(until_ns_, kept_);
        }
    }
    if (ops_ != ops_before) {  // else nobody would notice that the sums have changed: see NumbersWalk::stale()
        release_events();
    }
}

void Folding::add(std::size_t first_block, std::size_t end_block) {
    FoldedPart part;
    part.first = static_cast<OpId>(first_block * kFoldedItems + 1);
    part.last = static_cast<OpId>(end_block * kFoldedItems);
    part.begin_ns = run_.ops_[part.first - 1].issue_begin_ns;
    part.end_ns = run_.ops_[part.last].issue_begin_ns;
    part.first_wait = next_wait_;
    part.first_work = next_work_;

    Sums& sums = sums_at(part.begin_ns);
    Run::Measured all;
    all.begin_ns = part.begin_ns;
    all.end_ns = INT64_MAX;
    all.last = static_cast<OpId>(run_.ops_.size());
    Tally tally;
    for (; next_wait_ < run_.waits_.size() && run_.waits_[next_wait_].begin_ns < part.end_ns; ++next_wait_) {
        tally.add(run_, all, run_.waits_[next_wait_]);
    }
    for (; next_work_ < run_.works_.size() && run_.works_[next_work_].begin_ns < part.end_ns; ++next_work_) {
        tally.add(all, run_.works_[next_work_]);
    }
    for (OpId id = part.first; id <= part.last; ++id) {
        tally.add(run_, all, id, true);
    }
    part.waits_end = next_wait_;
    part.works_end = next_work_;

    RecordedTime recorded = tally.recorded();
    recorded.last_end_ns = part.end_ns;
    FrontendPeriod period{part.begin_ns, part.end_ns};
    period.language_before_ns = language_until_ns_;
    period.drops = take_drops(part.end_ns);
    std::int64_t language_ns = 0;
    sums.frontend.add(divided(run_, period, recorded, &language_ns));
    sums.language_ns += language_ns;
    sums.covered_ns += part.end_ns - part.begin_ns;
    sums.tally.merge(tally);
    ops_ += part.last - part.first + 1;
    until_ns_ = part.end_ns;
    run_.links_.clear();  // they would show only the copies that were kept

    auto& parts = run_.folded_parts_;
    if (!parts.empty() && parts.back().last + 1 == part.first) {
        parts.back().last = part.last;
        parts.back().end_ns = part.end_ns;
        parts.back().waits_end = part.waits_end;
        parts.back().works_end = part.works_end;
    } else {
        parts.push_back(part);
    }
}

void Folding::release(std::size_t first_block, std::size_t end_block) {
    const std::int64_t begin_ns = run_.ops_[first_block * kFoldedItems].issue_begin_ns;
    std::vector<Op> whole;
    for (std::size_t block = first_block; block < end_block; ++block) {
        Op all = run_.ops_[block * kFoldedItems];
        all.folded = true;
        all.fresh_output = all.reads_output = all.more_inputs = all.more_outputs = false;
        all.in0 = all.in1 = all.out = 0;
        for (std::size_t i = block * kFoldedItems; i < (block + 1) * kFoldedItems; ++i) {
            all.issue_end_ns = std::max(all.issue_end_ns, run_.ops_[i].issue_end_ns);
            all.begin_ns = std::min(all.begin_ns, run_.ops_[i].begin_ns);
            all.end_ns = std::max(all.end_ns, run_.ops_[i].end_ns);
        }
        whole.push_back(all);
        run_.issue_index_.fold(block, [this](std::size_t i) {
            const auto id = static_cast<OpId>(i + 1);
            const std::int64_t issue_begin_ns = run_.op(id).issue_begin_ns;
            return std::pair{issue_begin_ns, issue_begin_ns + issue_ns_of(run_, id)};
        });
    }
    const auto first = static_cast<OpId>(first_block * kFoldedItems + 1);
    const auto last = static_cast<OpId>(end_block * kFoldedItems);
    // The lanes' blocks, while the ops are still there.
    lane_block_.resize(run_.lanes_.size());
    for (std::size_t l = 0; l < run_.lanes_.size(); ++l) {
        Lane& lane = run_.lanes_[l];
        for (std::size_t& block = lane_block_[l]; (block + 1) * kFoldedItems <= lane.ops.size(); ++block) {
            const OpId from = lane.ops[block * kFoldedItems], to = lane.ops[(block + 1) * kFoldedItems - 1];
            if (to > last) {
                break;
            }
            const auto& parts = run_.folded_parts_;
            const bool whole = std::any_of(parts.begin(), parts.end(), [&](const FoldedPart& part) {
                return part.first <= from && to <= part.last;
            });
            if (whole) {
                lane.index.fold(block, [&](std::size_t i) {
                    const Op& op = run_.op(lane.ops[i]);
                    return std::pair{op.begin_ns, op.end_ns};
                });
                lane.kinds.fold(block);
                lane.ops.fold(block, to);
            }
        }
        erase_ops(lane.parts, first, last);
    }
    for (std::size_t block = first_block; block < end_block; ++block) {
        run_.ops_.fold(block, whole[block - first_block]);
    }
    run_.dependencies_->release(first_block, end_block);
    for (const Cost& cost : run_.costs_) {
        if (cost.begin_ns < until_ns_) {
            language_until_ns_ = std::max(language_until_ns_, cost.language_ns);
        }
    }
    erase_times(run_.costs_, begin_ns, until_ns_);
    std::erase_if(run_.driver_events_, [&](const DriverEvent& event) {
        return event.begin_ns >= begin_ns && event.begin_ns < until_ns_ && event.kind != trace::DriverKind::bounded_ops;
    });
}

void Folding::release_events() {
    const auto keep = [this](std::int64_t begin_ns, std::int64_t end_ns) { return is_kept(begin_ns, end_ns); };
    const auto times_in = [](const auto& events) {
        return [&events](std::size_t i) { return std::pair{events[i].begin_ns, events[i].end_ns}; };
    };
    const auto nothing = [](std::size_t) {};
    fold_blocks(run_.waits_, wait_block_, until_ns_, keep, [&](std::size_t block) {
        run_.wait_index_.fold(block, times_in(run_.waits_));
        run_.wait_kinds_.fold(block);
    });
    fold_blocks(run_.works_, work_block_, until_ns_, keep,
                [&](std::size_t block) { run_.work_index_.fold(block, times_in(run_.works_)); });
    fold_blocks(run_.launches_, launch_block_, until_ns_, keep, [&](std::size_t block) {
        add_launches(block);
        run_.launch_index_.fold(block, times_in(run_.launches_));
    });
    fold_blocks(run_.scopes_, scope_block_, until_ns_, keep, nothing);
    fold_blocks(run_.minibatches_, minibatch_block_, until_ns_, keep, nothing);
}

// Launches are counted with their block and not with their ops: a thread that launches may be far behind the issues,
// and may launch the ops of other lanes first.
void Folding::add_launches(std::size_t block) {
    Run::Measured all;
    all.last = static_cast<OpId>(run_.ops_.size());
    for (std::size_t i = block * kFoldedItems; i < (block + 1) * kFoldedItems; ++i) {
        const Launch& launch = run_.launches_[i];
        sums_at(run_.op(launch.op).issue_begin_ns).tally.add(all, launch);
    }
}

// ---- Run ----

std::size_t Run::most_ops() const {
    // The drops of all ops that are in memory stay in the recording: they may take a quarter of it.
    const std::size_t recording_bytes = std::size_t{reader_->header().chunk_capacity} * trace::kChunkBytes;
    const std::size_t most = reader_->gives_back() ? recording_bytes / 4 / sizeof(trace::DropRecord) : SIZE_MAX;
    return std::min(fold_beyond_, std::max(most, 4 * kFoldedItems));
}

void Run::fold() {
    const std::size_t most = most_ops(), limit = postpone_folding_ ? most + most / 4 : most;
    if (!scale_final_ || info_.foreign || restoring_ != nullptr || ops_.size() - folded_ops() <= limit) {
        return;
    }
    if (folding_ == nullptr) {
        folding_ = std::make_unique<Folding>(*this);
    }
    folding_->fold();
}

std::uint64_t Run::folded_ops() const {
    std::uint64_t ops = 0;
    for (const FoldedPart& part : folded_parts_) {
        ops += part.last - part.first + 1;
    }
    return ops;
}

std::uint64_t Run::first_drop() const {
    return folding_ != nullptr ? folding_->drops_end() : 0;
}

bool Run::is_folded_wait(std::size_t index) const {
    return std::any_of(folded_parts_.begin(), folded_parts_.end(),
                       [index](const FoldedPart& part) { return part.first_wait <= index && index < part.waits_end; });
}

OpId Run::next_known(OpId id) const {
    for (const FoldedPart& part : folded_parts_) {
        if (id >= part.first && id <= part.last) {
            return part.last + 1;
        }
    }
    return id;
}

}  // namespace headway::model
