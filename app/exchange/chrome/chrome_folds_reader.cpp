// Reads the folded blocks of a long run back.
#include <algorithm>
#include <charconv>

#include "app/exchange/chrome/chrome_folds.h"
#include "app/exchange/chrome/chrome_writer.h"

namespace headway::exchange {
namespace {

using model::kFoldedItems;
using model::SavedFolds;

constexpr std::size_t kMostBlocks = core::OpId{1} << 16;  // as many as a run can have
constexpr std::size_t kMostParts = 256;
// Sums and differences of a few numbers of this size do not overflow.
constexpr std::int64_t kLargest = std::int64_t{1} << 60;

std::int64_t limited(std::int64_t number) {
    return std::clamp(number, -kLargest, kLargest);
}

std::int64_t integer(json::Value value) {
    return limited(value.integer().value_or(0));
}

std::uint64_t amount(std::int64_t number) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0));
}

std::uint64_t amount(json::Value value) {
    return std::min<std::uint64_t>(value.count(), kLargest);
}

// Calls call(number) for each integer of a list.
template <class Call>
void each_integer(RawJson list, Call call) {
    for (std::size_t i = 0; i < list.size();) {
        if (list[i] != '-' && (list[i] < '0' || list[i] > '9')) {
            ++i;
            continue;
        }
        std::uint64_t size = 0;
        const bool negative = list[i] == '-';
        const auto [end, problem] =
            std::from_chars(list.data() + i + (negative ? 1 : 0), list.data() + list.size(), size);
        i = std::max(i + 1, static_cast<std::size_t>(end - list.data()));
        if (problem == std::errc()) {
            const auto number = static_cast<std::int64_t>(std::min<std::uint64_t>(size, kLargest));
            call(negative ? -number : number);
        }
    }
}

std::vector<std::int64_t> integers_in(RawJson list) {
    std::vector<std::int64_t> numbers;
    each_integer(list, [&numbers](std::int64_t number) { numbers.push_back(number); });
    return numbers;
}

std::int64_t whole(const ChromeEvent& event, const char* name) {
    return limited(integer_from(event.argument(name)).value_or(0));
}

std::uint32_t count(const ChromeEvent& event, const char* name) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(whole(event, name), 0, UINT32_MAX));
}

std::vector<model::KindSums::Sum> kinds_from(const std::vector<std::int64_t>& numbers) {
    std::vector<model::KindSums::Sum> kinds;
    for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
        kinds.push_back({static_cast<std::uint32_t>(std::clamp<std::int64_t>(numbers[i], 0, 65'535)),
                         amount(numbers[i + 1]), amount(numbers[i + 2])});
    }
    return kinds;
}

// The block of the event, with the part that all kinds of blocks have.
template <class Event>
SavedFolds::Block<Event> block_of(const ChromeEvent& event) {
    SavedFolds::Block<Event> block;
    block.block = count(event, "block");
    block.begin_ns = limited(event.time.ns);
    block.end_ns = limited(event.time.ns + event.duration.ns);
    std::size_t family = 0;
    each_integer(event.argument("busy_ns"), [&](std::int64_t ns) {
        if (family < model::kSpanFamilies) {
            block.sums.busy_ns[family++] = amount(ns);
        }
    });
    block.sums.flagged = amount(whole(event, "marked"));
    block.kinds = kinds_from(integers_in(event.argument("kinds")));
    return block;
}

// Keeps the blocks in order, once each.
template <class Blocks>
void put_in_order(Blocks& blocks) {
    const auto earlier = [](const auto& a, const auto& b) { return a.block < b.block; };
    std::stable_sort(blocks.begin(), blocks.end(), earlier);
    blocks.erase(
        std::unique(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.block == b.block; }),
        blocks.end());
    std::erase_if(blocks, [](const auto& block) { return block.block > kMostBlocks; });
}

model::Numbers numbers_from(json::Value saved) {
    model::Numbers numbers;
    model::each_saved_number(numbers, [&saved](const char* name, auto& value) {
        using Type = std::remove_reference_t<decltype(value)>;
        value = static_cast<Type>(std::is_unsigned_v<Type> ? std::max<std::int64_t>(integer(saved[name]), 0)
                                                           : integer(saved[name]));
    });
    numbers.t1_ns = static_cast<double>(numbers.t1.median);
    numbers.t2_ns = static_cast<double>(numbers.t2.median);
    numbers.t3_ns = static_cast<double>(numbers.t3.median);
    if (saved["minor_faults"]) {
        numbers.frontend.faults = {integer(saved["minor_faults"]), integer(saved["major_faults"])};
    }
    return numbers;
}

// Reads the parts up to the first invalid one: each must consist of whole blocks, and follow the one before.
void read_parts(json::Value list, std::vector<model::FoldedPart>& parts) {
    for (const json::Value entry : list.elements()) {
        const auto number = [&entry](const char* key) { return amount(entry[key]); };
        const std::uint64_t first = number("first"), last = number("last");
        const std::uint64_t before = parts.empty() ? 1 : parts.back().last;
        if (first <= before || last < first || last >= kMostBlocks * kFoldedItems || (first - 1) % kFoldedItems != 0 ||
            last % kFoldedItems != 0 || parts.size() == kMostParts) {
            return;
        }
        model::FoldedPart part;
        part.first = static_cast<core::OpId>(first);
        part.last = static_cast<core::OpId>(last);
        part.begin_ns = integer(entry["begin_ns"]);
        part.end_ns = std::max(part.begin_ns, integer(entry["end_ns"]));
        part.first_wait = number("first_wait");
        part.waits_end = number("waits_end");
        part.first_work = number("first_work");
        part.works_end = number("works_end");
        parts.push_back(part);
    }
}

}  // namespace

FoldsReader::FoldsReader(json::Value folded) {
    std::vector<model::FoldedPart> parts;
    read_parts(folded["parts"], parts);
    if (parts.empty()) {
        return;
    }
    folds_ = std::make_unique<SavedFolds>();
    folds_->parts = std::move(parts);
    folds_->lanes.resize(core::kMaxTraceLanes);
    for (const json::Value name : folded["curves"].elements()) {
        curve_called_.emplace(name.text(), curve_called_.size());
    }
    curves_.resize(curve_called_.size());
    folds_->numbers = numbers_from(folded["numbers"]);
    for (const json::Value entry : folded["lines"].elements()) {
        const auto cells = entry.elements();
        if (cells.size() >= 6) {
            const auto cell = [&cells](std::size_t i) { return integer(cells[i]); };
            const auto file = static_cast<std::uint32_t>(std::clamp<std::int64_t>(cell(0), 0, core::kMostFiles));
            const auto line = static_cast<std::uint32_t>(std::clamp<std::int64_t>(cell(1), 0, UINT32_MAX));
            folds_->lines.push_back(
                {line == 0 ? 0 : core::make_line(file, line), cell(2), cell(3), cell(4), amount(cell(5))});
            if (cells.size() >= 8) {
                folds_->lines.back().backward_ops = amount(cell(6));
                folds_->lines.back().backward_ns = cell(7);
            }
        }
    }
    for (const json::Value entry : folded["devices"].elements()) {
        model::Tally::OfDevice device;
        device.ops = amount(entry["ops"]);
        device.waits = amount(entry["waits"]);
        device.busy_ns = integer(entry["busy_ns"]);
        device.waited_ns = integer(entry["waited_ns"]);
        device.busy_in_pauses_ns = integer(entry["busy_in_pauses_ns"]);
        if (folds_->devices.size() < core::kMaxDevices) {
            folds_->devices.push_back(device);
        }
    }
    for (const json::Value entry : folded["links"].elements()) {
        if (folds_->links.size() < 32) {  // Op::links has a bit for each
            folds_->links.push_back({amount(entry["copies"]), amount(entry["bytes"]), integer(entry["busy_ns"])});
        }
    }
    for (const json::Value entry : folded["totals"].elements()) {
        std::vector<std::int64_t> numbers;
        for (const json::Value number : entry["kinds"].elements()) {
            numbers.push_back(integer(number));
        }
        if (entry["lane"].count() < folds_->lanes.size()) {
            folds_->lanes[entry["lane"].count()].totals.push_back({amount(entry["at"]), kinds_from(numbers)});
        }
    }
}

void FoldsReader::take_block(const ChromeEvent& event, core::Line line) {
    const auto of = bare(event.argument("of"));
    if (!any()) {
        return;
    }
    if (of == "issues") {
        auto block = block_of<model::Op>(event);
        model::Op& op = block.whole;
        op.folded = true;
        op.issue_begin_ns = block.begin_ns;
        op.issue_end_ns = whole(event, "issue_end_ns");
        op.begin_ns = whole(event, "begin_ns");
        op.end_ns = std::max(op.begin_ns, whole(event, "end_ns"));
        op.signature = static_cast<std::uint16_t>(std::min(count(event, "sig"), 65'535u));
        op.lane = static_cast<std::uint8_t>(std::min(count(event, "lane"), core::kMaxTraceLanes - 1));
        op.minibatch = event.argument("minibatch").empty()
                           ? -1
                           : static_cast<std::int32_t>(std::min(count(event, "minibatch"), 0x7fff'ffffu));
        op.line = line;
        folds_->ops.push_back(std::move(block));
    } else if (of == "ops") {
        const std::int64_t lane = integer_from(event.tid).value_or(0) - kFirstLaneTid;
        auto block = block_of<core::OpId>(event);
        block.whole = count(event, "last");
        if (lane >= 0 && lane < static_cast<std::int64_t>(folds_->lanes.size()) && is_folded(block.whole)) {
            folds_->lanes[static_cast<std::size_t>(lane)].blocks.push_back(std::move(block));
        }
    } else if (of == "waits") {
        auto block = block_of<model::Wait>(event);
        model::Wait& wait = block.whole;
        wait.folded = true;
        wait.begin_ns = block.begin_ns;
        wait.end_ns = block.end_ns;
        wait.kind = static_cast<trace::WaitKind>(std::min(count(event, "kind"), 255u));
        wait.name = text_from(event.argument("wait"));
        wait.line = line;
        wait.device = static_cast<int>(std::clamp<std::int64_t>(whole(event, "device"), -1, core::kMaxDevices - 1));
        wait.target = count(event, "target");
        wait.issued = std::min(count(event, "issued"), folds_->parts.back().last);
        wait.waits_through = std::min(count(event, "through"), wait.issued);
        folds_->waits.push_back(std::move(block));
    } else if (of == "work") {
        auto block = block_of<model::Work>(event);
        block.whole = {block.begin_ns, block.end_ns,           text_from(event.argument("work")),
                       line,           count(event, "issued"), true};
        folds_->works.push_back(std::move(block));
    } else if (of == "launches") {
        auto block = block_of<model::Launch>(event);
        block.whole = {block.begin_ns, block.end_ns, count(event, "op"), true};
        if (is_folded(block.whole.op)) {
            folds_->launches.push_back(std::move(block));
        }
    } else if (of == "minibatches") {
        auto block = block_of<model::Minibatch>(event);
        block.whole = {static_cast<std::int32_t>(std::min(count(event, "index"), 0x7fff'ffffu)),
                       block.begin_ns,
                       block.end_ns,
                       count(event, "first"),
                       count(event, "last"),
                       true};
        folds_->minibatches.push_back(std::move(block));
    } else if (of == "scopes") {
        SavedFolds::Block<model::Scope> block;
        block.block = count(event, "block");
        block.whole = {text_from(event.argument("scope")), limited(event.time.ns),
                       std::max(limited(event.time.ns), whole(event, "end_ns")),
                       static_cast<int>(std::min(count(event, "depth"), 1000u)), true};
        folds_->scopes.push_back(std::move(block));
    } else if (of == "curve") {
        take_curve(event);
    }
}

void FoldsReader::take_curve(const ChromeEvent& event) {
    const auto curve = curve_called_.find(text_from(event.argument("curve")));
    const auto begins = integers_in(event.argument("begins_ns"));
    const auto least = integers_in(event.argument("least"));
    const auto most = integers_in(event.argument("most"));
    model::Curve::FoldedBlock block;
    constexpr std::size_t kQuarters = model::Curve::FoldedBlock::kQuarters;
    if (curve == curve_called_.end() || begins.size() != kQuarters || least.size() != kQuarters ||
        most.size() != kQuarters) {
        return;
    }
    block.block = count(event, "block");
    block.most_at_ns = whole(event, "most_at_ns");
    for (std::size_t i = 0; i < kQuarters; ++i) {
        block.begins_ns[i] = begins[i];
        block.extremes[i] = {std::min(least[i], most[i]), most[i]};
    }
    curves_[curve->second].blocks.push_back(block);
}

void FoldsReader::take_counter(const ChromeEvent& event) {
    if (const auto curve = curve_called_.find(text_from(event.name)); curve != curve_called_.end()) {
        const auto value = integer_from(event.argument(curve->second == 0 ? "ops" : "bytes"));
        if (event.time.has_ns() && value) {
            curves_[curve->second].changes.push_back({limited(event.time.ns), limited(*value)});
        }
    }
}

void FoldsReader::take_wait(const ChromeEvent& event) {
    if (any()) {
        folds_->wait_targets.push_back(count(event, "target_op"));
    }
}

void FoldsReader::take_minibatch(const ChromeEvent& event) {
    if (any()) {
        folds_->minibatch_ops.emplace_back(count(event, "first"), count(event, "last"));
    }
}

void FoldsReader::take_work(const ChromeEvent& event) {
    if (any()) {
        folds_->work_issued.push_back(count(event, "issued"));
    }
}

void FoldsReader::take_edge(const ChromeEvent& event, std::size_t lane) {
    if (any() && lane < folds_->lanes.size()) {
        folds_->lanes[lane].families.push_back(
            static_cast<devices::Family>(std::min<std::uint32_t>(count(event, "family"), model::kSpanFamilies - 1)));
    }
}

// Parts are in the order of their ops. One that does not follow the ops before it cannot be put to its place.
void FoldsReader::leave_out_unreached(core::OpId listed_ops, TraceNotes& notes) {
    if (!any()) {
        return;
    }
    auto& parts = folds_->parts;
    std::uint64_t before = listed_ops, left_out = 0;
    auto part = parts.begin();
    for (; part != parts.end() && part->first <= before + 1; ++part) {
        before += part->last - part->first + 1;
    }
    for (auto unreached = part; unreached != parts.end(); ++unreached) {
        left_out += unreached->last - unreached->first + 1;
    }
    parts.erase(part, parts.end());
    notes.left_out(left_out, "Sums of " + core::counted(left_out, "op") +
                                 " were left out: the ops before them are missing in the file.");
    if (parts.empty()) {
        folds_.reset();
    }
}

// What names an op that the run does not have is left out or limited to its ops.
void FoldsReader::limit_to_ops(core::OpId op_count) {
    for (SavedFolds::OfLane& lane : folds_->lanes) {
        std::erase_if(lane.blocks, [this](const auto& block) { return !is_folded(block.whole); });
    }
    std::erase_if(folds_->launches, [this](const auto& block) { return !is_folded(block.whole.op); });
    for (auto& wait : folds_->waits) {
        wait.whole.issued = std::min(wait.whole.issued, op_count);
        wait.whole.waits_through = std::min(wait.whole.waits_through, op_count);
    }
    for (auto& work : folds_->works) {
        work.whole.issued = std::min(work.whole.issued, op_count);
    }
    for (auto& batch : folds_->minibatches) {
        batch.whole.first = std::clamp(batch.whole.first, 1u, std::max(op_count, 1u));
        batch.whole.last = std::min(batch.whole.last, op_count);
    }
}

// Adds an empty element for each block of a part that the file lacks.
void FoldsReader::complete_ops(TraceNotes& notes) {
    put_in_order(folds_->ops);
    std::vector<SavedFolds::Block<model::Op>> all;
    std::uint64_t missing = 0;
    std::size_t next = 0;
    for (const model::FoldedPart& part : folds_->parts) {
        std::int64_t begin_ns = part.begin_ns;
        for (std::size_t block = (part.first - 1) / kFoldedItems; block < part.last / kFoldedItems; ++block) {
            while (next < folds_->ops.size() && folds_->ops[next].block < block) {
                ++next;
            }
            if (next < folds_->ops.size() && folds_->ops[next].block == block) {
                all.push_back(folds_->ops[next]);
                begin_ns = all.back().begin_ns;
                continue;
            }
            ++missing;
            SavedFolds::Block<model::Op> empty;
            empty.block = block;
            empty.begin_ns = empty.end_ns = begin_ns;
            empty.whole.folded = true;
            empty.whole.issue_begin_ns = empty.whole.issue_end_ns = begin_ns;
            empty.whole.begin_ns = empty.whole.end_ns = begin_ns;
            all.push_back(std::move(empty));
        }
    }
    folds_->ops = std::move(all);
    notes.left_out(missing, "Sums of " + core::counted(missing * kFoldedItems, "op") + " are missing.");
}

std::unique_ptr<SavedFolds> FoldsReader::finish(core::OpId op_count, TraceNotes& notes) {
    if (!any()) {
        return nullptr;
    }
    limit_to_ops(op_count);
    complete_ops(notes);
    put_in_order(folds_->waits);
    put_in_order(folds_->works);
    put_in_order(folds_->launches);
    put_in_order(folds_->minibatches);
    put_in_order(folds_->scopes);
    for (SavedFolds::OfLane& lane : folds_->lanes) {
        put_in_order(lane.blocks);
        std::stable_sort(lane.totals.begin(), lane.totals.end(),
                         [](const auto& a, const auto& b) { return a.at < b.at; });
    }
    for (SavedCurve& curve : curves_) {
        put_in_order(curve.blocks);
        // The first value of each quarter of a block is in the file for other viewers only.
        std::vector<std::int64_t> begins;
        for (const auto& block : curve.blocks) {
            begins.insert(begins.end(), block.begins_ns.begin(), block.begins_ns.end());
        }
        std::sort(begins.begin(), begins.end());
        std::erase_if(curve.changes, [&begins](const model::Curve::Point& change) {
            return std::binary_search(begins.begin(), begins.end(), change.ns);
        });
        std::stable_sort(curve.changes.begin(), curve.changes.end(),
                         [](const auto& a, const auto& b) { return a.ns < b.ns; });
        folds_->curves.push_back(model::Curve::restored(curve.changes, curve.blocks));
        curve = {};
    }
    return std::move(folds_);
}

}  // namespace headway::exchange
