#include "app/model/run/saved_folds.h"

#include <algorithm>
#include <utility>

#include "app/model/run/intake.h"

namespace headway::model {
namespace {

template <class Events, class Times>
auto blocks_of(const Events& events, const SpanIndex& index, Times times) {
    std::vector<SavedFolds::Block<typename Events::value_type>> blocks;
    events.each_folded([&](std::size_t block, const auto& whole) {
        const SpanIndex::Span span = index.at(block * kFoldedItems, times);
        blocks.push_back(
            {block, whole, span.begin_ns, span.end_ns, index.sums(index.item(block * kFoldedItems), times), {}});
    });
    return blocks;
}

// Of events without an index.
template <class Event>
std::vector<SavedFolds::Block<Event>> blocks_of(const Events<Event>& events) {
    std::vector<SavedFolds::Block<Event>> blocks;
    events.each_folded([&](std::size_t block, const Event& whole) { blocks.push_back({block, whole, 0, 0, {}, {}}); });
    return blocks;
}

const auto kNoTimes = [](std::size_t) { return std::pair<std::int64_t, std::int64_t>(); };
const auto kNoKind = [](std::size_t) { return std::pair<std::uint32_t, std::int64_t>(); };

std::vector<KindSums::Sum> kinds_of_block(const KindSums& kinds, std::size_t block) {
    return kinds.between(block * kFoldedItems, (block + 1) * kFoldedItems, kNoKind);
}

SavedFolds::OfLane lane_of(const Run& run, const Lane& lane) {
    SavedFolds::OfLane saved;
    const auto times = [&](std::size_t i) {
        const Op& op = run.op(lane.ops[i]);
        return std::pair{op.begin_ns, op.end_ns};
    };
    saved.blocks = blocks_of(lane.ops, lane.index, times);
    for (auto& block : saved.blocks) {
        block.kinds = kinds_of_block(lane.kinds, block.block);
    }
    for (std::size_t i = 0; i < lane.ops.size();) {
        if (lane.ops.is_folded(i) || !run.is_folded(lane.ops[i])) {
            i = lane.ops.after(i);
            continue;
        }
        const std::size_t first = i / kFoldedItems * kFoldedItems;
        const std::size_t end = std::min(first + kFoldedItems, lane.ops.size());
        for (i = first; i < end; ++i) {
            if (run.is_folded(lane.ops[i])) {
                saved.families.push_back(lane.index.at(i, times).family);
            }
        }
        for (KindSums::Total& total : lane.kinds.totals(first, end)) {
            if (saved.totals.empty() || saved.totals.back().at < total.at) {
                saved.totals.push_back(std::move(total));
            }
        }
    }
    return saved;
}

}  // namespace

bool SavedFolds::is_folded(OpId id) const {
    return std::any_of(parts.begin(), parts.end(),
                       [id](const FoldedPart& part) { return id >= part.first && id <= part.last; });
}

OpId SavedFolds::folded_before(OpId id) const {
    OpId count = 0;
    for (const FoldedPart& part : parts) {
        if (part.first < id) {
            count += std::min<OpId>(part.last + 1, id) - part.first;
        }
    }
    return count;
}

SavedFolds saved_folds(const Run& run) {
    SavedFolds saved;
    saved.parts = run.folded_parts();
    saved.ops.reserve(run.folded_ops() / kFoldedItems);
    const auto& issues = run.issue_index();
    for (const FoldedPart& part : saved.parts) {
        for (OpId id = part.first; id <= part.last; id += kFoldedItems) {
            const SpanIndex::Span span = issues.at(id - 1, kNoTimes);
            saved.ops.push_back({(id - 1) / kFoldedItems,
                                 run.op(id),
                                 span.begin_ns,
                                 span.end_ns,
                                 issues.sums(issues.item(id - 1), kNoTimes),
                                 {}});
        }
    }
    for (const Lane& lane : run.lanes()) {
        saved.lanes.push_back(lane_of(run, lane));
    }
    const auto times_in = [](const auto& events) {
        return [&events](std::size_t i) { return std::pair{events[i].begin_ns, events[i].end_ns}; };
    };
    saved.waits = blocks_of(run.waits(), run.wait_index(), times_in(run.waits()));
    for (auto& block : saved.waits) {
        block.kinds = kinds_of_block(run.wait_kinds(), block.block);
    }
    saved.works = blocks_of(run.works(), run.work_index(), times_in(run.works()));
    saved.launches = blocks_of(run.launches(), run.launch_index(), times_in(run.launches()));
    saved.scopes = blocks_of(run.scopes());
    saved.minibatches = blocks_of(run.minibatches());
    for (std::size_t i = 0; i < run.waits().size(); i = run.waits().after(i)) {
        if (!run.waits().is_folded(i)) {
            saved.wait_targets.push_back(run.waits()[i].target_op);
        }
    }
    for (std::size_t i = 0; i < run.works().size(); i = run.works().after(i)) {
        if (!run.works().is_folded(i)) {
            saved.work_issued.push_back(run.works()[i].issued);
        }
    }
    for (std::size_t i = 0; i < run.minibatches().size(); i = run.minibatches().after(i)) {
        if (!run.minibatches().is_folded(i)) {
            saved.minibatch_ops.emplace_back(run.minibatches()[i].first, run.minibatches()[i].last);
        }
    }
    return saved;
}

// ---- restoring ----

namespace {

// Appends the blocks that come next, but for those whose ops the run lacks.
template <class Event, std::size_t kShift, class HasOps, class Append>
void append_next(Foldable<Event, kShift>& events, const std::vector<SavedFolds::Block<Event>>& blocks,
                 std::size_t& next, HasOps has_ops, Append append) {
    while (next < blocks.size() && blocks[next].block * kFoldedItems <= events.size()) {
        if (blocks[next].block * kFoldedItems == events.size() && has_ops(blocks[next].whole)) {
            append(blocks[next]);
            events.append_folded(blocks[next].whole);
        }
        ++next;
    }
}

const auto kAlways = [](const auto&) { return true; };

}  // namespace

Restoring::Restoring(Run& run, std::unique_ptr<SavedFolds> saved) : run_(run), saved_(std::move(saved)) {
    run_.folded_parts_ = saved_->parts;
    lanes_.resize(saved_->lanes.size());
}

void Restoring::catch_up() {
    append_next(run_.ops_, saved_->ops, op_, kAlways, [this](const SavedFolds::Block<Op>& block) {
        run_.issue_index_.append_folded(block.begin_ns, block.end_ns, block.sums);
        run_.dependencies_->append_released();
        skip_in_intake(block.whole);
    });
    append_next(run_.waits_, saved_->waits, wait_, kAlways, [this](const SavedFolds::Block<Wait>& block) {
        run_.wait_index_.append_folded(block.begin_ns, block.end_ns, block.sums);
        run_.wait_kinds_.append(kFoldedItems, block.kinds);
        run_.any_paused_ = run_.any_paused_ || std::any_of(block.kinds.begin(), block.kinds.end(), [](const auto& sum) {
                               return sum.kind == static_cast<std::uint32_t>(trace::WaitKind::paused) && sum.count > 0;
                           });
    });
    append_next(run_.works_, saved_->works, work_, kAlways, [this](const SavedFolds::Block<Work>& block) {
        run_.work_index_.append_folded(block.begin_ns, block.end_ns, block.sums);
    });
    const auto nothing = [](const auto&) {};
    append_next(run_.scopes_, saved_->scopes, scope_, kAlways, nothing);
    append_next(run_.minibatches_, saved_->minibatches, minibatch_, kAlways, nothing);
}

// Moves the counters of the intake past the block, whose ops are not counted one by one.
void Restoring::skip_in_intake(const Op& whole) {
    run_.intake_->headway_counted = std::max(run_.intake_->headway_counted, run_.ops_.size() + kFoldedItems);
    run_.last_exec_ns_ = std::max(run_.last_exec_ns_, whole.end_ns);
    run_.see(whole.end_ns);
}

void Restoring::catch_up_launches() {
    append_next(
        run_.launches_, saved_->launches, launch_,
        [this](const Launch& launch) { return launch.op <= run_.ops_.size(); },
        [this](const SavedFolds::Block<Launch>& block) {
            run_.launch_index_.append_folded(block.begin_ns, block.end_ns, block.sums);
        });
}

void Restoring::catch_up(std::size_t number) {
    if (number >= lanes_.size()) {
        return;
    }
    Lane& lane = run_.lanes_[number];
    append_next(
        lane.ops, saved_->lanes[number].blocks, lanes_[number].block,
        [this](OpId last) { return last <= run_.ops_.size(); },
        [&](const SavedFolds::Block<OpId>& block) {
            set_totals(number);
            lane.index.append_folded(block.begin_ns, block.end_ns, block.sums);
            lane.kinds.append(kFoldedItems, block.kinds);
        });
    set_totals(number);
}

void Restoring::set_totals(std::size_t number) {
    Lane& lane = run_.lanes_[number];
    const auto& totals = saved_->lanes[number].totals;
    for (std::size_t& next = lanes_[number].total; next < totals.size() && totals[next].at <= lane.kinds.size();
         ++next) {
        if (totals[next].at == lane.kinds.size()) {
            lane.kinds.set_total(totals[next].sums);
        }
    }
}

void Restoring::take_edge(std::size_t number, OpId id, bool failed, std::int64_t begin_ns, std::int64_t end_ns) {
    if (number >= lanes_.size() || !run_.is_folded(id)) {
        return;
    }
    catch_up(number);
    Lane& lane = run_.lanes_[number];
    const SavedFolds::OfLane& saved = saved_->lanes[number];
    Places& places = lanes_[number];
    const auto family = places.family < saved.families.size() ? saved.families[places.family] : devices::Family::other;
    ++places.family;
    lane.ops.push_back(id);
    lane.index.add(begin_ns, end_ns - begin_ns, family, failed);
    lane.kinds.skip();
}

OpId Restoring::next_target() {
    const OpId op = target_ < saved_->wait_targets.size() ? saved_->wait_targets[target_] : 0;
    ++target_;
    return op <= run_.ops_.size() ? op : 0;
}

OpId Restoring::next_issued() {
    const OpId op = issued_ < saved_->work_issued.size() ? saved_->work_issued[issued_] : 0;
    ++issued_;
    return static_cast<OpId>(std::min<std::size_t>(op, run_.ops_.size()));
}

void Restoring::finish() {
    catch_up();
    catch_up_launches();
    std::erase_if(run_.folded_parts_, [this](const FoldedPart& part) { return part.last > run_.ops_.size(); });
    for (std::size_t lane = 0; lane < std::min(lanes_.size(), run_.lanes_.size()); ++lane) {
        catch_up(lane);
    }
    auto& minibatches = run_.minibatches_;
    for (const FoldedPart& part : run_.folded_parts_) {
        for (OpId id = part.first; id <= part.last; id += kFoldedItems) {
            Op& op = run_.ops_[id - 1];
            op.minibatch = std::cmp_less(op.minibatch, minibatches.size()) ? op.minibatch : -1;
        }
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < minibatches.size() && next < saved_->minibatch_ops.size(); i = minibatches.after(i)) {
        const auto& [first, last] = saved_->minibatch_ops[next];
        if (!minibatches.is_folded(i)) {
            if (first >= 1 && last <= run_.ops_.size()) {
                minibatches[i].first = first;
                minibatches[i].last = last;
            }
            ++next;
        }
    }
    std::vector<Curve*> curves{&run_.headway_, &run_.live_, &run_.pending_, &run_.reserved_, &run_.resident_};
    for (RunDevice& device : run_.devices_) {
        curves.insert(curves.end(), {&device.live, &device.pending, &device.reserved});
    }
    for (std::size_t i = 0; i < std::min(curves.size(), saved_->curves.size()); ++i) {
        *curves[i] = std::move(saved_->curves[i]);
    }
    saved_->curves.clear();
}

}  // namespace headway::model
