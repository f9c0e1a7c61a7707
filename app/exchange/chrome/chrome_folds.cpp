#include "app/exchange/chrome/chrome_folds.h"

#include <algorithm>

#include "app/exchange/chrome/chrome_writer.h"
#include "app/model/numbers/numbers_walk.h"

namespace headway::exchange {
namespace {

using model::kFoldedItems;
using model::SavedFolds;

class BlockWriter {
public:
    BlockWriter(JsonText& to, bool& first) : to_(to), first_(first) {}

    void write(const model::Run& run, const SavedFolds& folds);

private:
    // An event with the sums of a block, up to its further arguments.
    template <class Event>
    void block(int tid, const SavedFolds::Block<Event>& block, const char* what) {
        head("X", tid);
        to_.put(",\"ts\":");
        to_.put_us(block.begin_ns);
        to_.put(",\"dur\":");
        to_.put_us(std::max<std::int64_t>(block.end_ns - block.begin_ns, 0));
        to_.put_all(",\"cat\":\"", kFoldedCategory, "\",\"name\":\"", std::uint64_t{kFoldedItems}, " ", what,
                    ", only their sums\",\"args\":{\"of\":\"", what, "\",\"block\":", std::uint64_t{block.block},
                    ",\"busy_ns\":");
        to_.list(model::kSpanFamilies, [&](std::size_t i) { to_.put(block.sums.busy_ns[i]); });
        to_.put_all(",\"marked\":", block.sums.flagged);
        if (!block.kinds.empty()) {
            to_.put(",\"kinds\":");
            kinds(block.kinds);
        }
    }
    void head(const char* phase, int tid) {
        to_.flush_when_full();
        to_.put_all(first_ ? "{\"ph\":\"" : ",\n{\"ph\":\"", phase, "\",\"pid\":1,\"tid\":", tid);
        first_ = false;
    }
    void kinds(const std::vector<model::KindSums::Sum>& kinds) {
        to_.list(kinds.size(), [&](std::size_t i) {
            to_.put_all(std::uint32_t{kinds[i].kind}, ",", kinds[i].count, ",", kinds[i].busy_ns);
        });
    }
    void line(const model::Run& run, core::Line line) {
        if (line != 0) {
            to_.put(",\"line\":");
            to_.put(json::quoted(run.line_text(line)));
            to_.put_all(",\"file\":", core::file_of(line));
        }
    }
    void end() { to_.put("}}"); }
    void curves(const model::Run& run);

    JsonText& to_;
    bool& first_;
};

void BlockWriter::curves(const model::Run& run) {
    model::each_curve(run, [this](const char* name, const char* unit, const model::Curve& curve) {
        for (const model::Curve::FoldedBlock& block : curve.folded_blocks()) {
            const auto list = [this](const char* key, auto value) {
                to_.put_all(",\"", key, "\":");
                to_.list(model::Curve::FoldedBlock::kQuarters, [&](std::size_t i) { to_.put(value(i)); });
            };
            head("i", kFoldedTid);
            to_.put(",\"ts\":");
            to_.put_us(block.begins_ns[0]);
            to_.put_all(",\"s\":\"t\",\"cat\":\"", kFoldedCategory, "\",\"name\":\"", name,
                        ", only the extremes\",\"args\":{\"of\":\"curve\",\"curve\":\"", name,
                        "\",\"block\":", std::uint64_t{block.block}, ",\"most_at_ns\":", block.most_at_ns);
            list("begins_ns", [&](std::size_t i) { return block.begins_ns[i]; });
            list("least", [&](std::size_t i) { return block.extremes[i].least; });
            list("most", [&](std::size_t i) { return block.extremes[i].most; });
            end();
            for (std::size_t i = 0; i < model::Curve::FoldedBlock::kQuarters; ++i) {  // for viewers of traces
                head("C", 0);
                to_.put(",\"ts\":");
                to_.put_us(block.begins_ns[i]);
                to_.put_all(",\"name\":\"", name, "\",\"args\":{\"", unit, "\":", block.extremes[i].most, "}}");
            }
        }
    });
}

void BlockWriter::write(const model::Run& run, const SavedFolds& folds) {
    for (const auto& ops : folds.ops) {
        const model::Op& op = ops.whole;
        block(kFrontendTid, ops, "issues");
        to_.put_all(",\"issue_end_ns\":", op.issue_end_ns, ",\"begin_ns\":", op.begin_ns, ",\"end_ns\":", op.end_ns,
                    ",\"sig\":", std::uint32_t{op.signature}, ",\"lane\":", std::uint32_t{op.lane});
        if (op.minibatch >= 0) {
            to_.put_all(",\"minibatch\":", op.minibatch);
        }
        line(run, op.line);
        end();
    }
    for (std::size_t lane = 0; lane < folds.lanes.size(); ++lane) {
        for (const auto& ops : folds.lanes[lane].blocks) {
            block(kFirstLaneTid + static_cast<int>(lane), ops, "ops");
            to_.put_all(",\"last\":", ops.whole);
            end();
        }
    }
    for (const auto& waits : folds.waits) {
        const model::Wait& wait = waits.whole;
        block(kWaitsTid, waits, "waits");
        to_.put_all(",\"kind\":", static_cast<int>(wait.kind), ",\"issued\":", wait.issued, ",\"target\":", wait.target,
                    ",\"through\":", wait.waits_through, ",\"device\":", wait.device, ",\"wait\":");
        to_.put(json::quoted(wait.name));
        line(run, wait.line);
        end();
    }
    for (const auto& works : folds.works) {
        block(kWorkTid, works, "work");
        to_.put_all(",\"issued\":", works.whole.issued, ",\"work\":");
        to_.put(json::quoted(works.whole.name));
        line(run, works.whole.line);
        end();
    }
    for (const auto& launches : folds.launches) {
        block(kLaunchTid, launches, "launches");
        to_.put_all(",\"op\":", launches.whole.op);
        end();
    }
    for (const auto& batches : folds.minibatches) {
        SavedFolds::Block<model::Minibatch> timed = batches;
        timed.begin_ns = batches.whole.issue_begin_ns;
        timed.end_ns = batches.whole.issue_end_ns;
        block(kMinibatchesTid, timed, "minibatches");
        to_.put_all(",\"index\":", batches.whole.index, ",\"first\":", batches.whole.first,
                    ",\"last\":", batches.whole.last);
        end();
    }
    for (const auto& scopes : folds.scopes) {  // instants, because scopes of several depths cannot be slices of one row
        head("i", kFoldedTid);
        to_.put(",\"ts\":");
        to_.put_us(scopes.whole.begin_ns);
        to_.put_all(",\"s\":\"t\",\"cat\":\"", kFoldedCategory, "\",\"name\":\"", std::uint64_t{kFoldedItems},
                    " scopes, only their sums\",\"args\":{\"of\":\"scopes\",\"block\":", std::uint64_t{scopes.block},
                    ",\"end_ns\":", scopes.whole.end_ns, ",\"depth\":", scopes.whole.depth, ",\"scope\":");
        to_.put(json::quoted(scopes.whole.name));
        end();
    }
    curves(run);
}

}  // namespace

std::unique_ptr<SavedFolds> folds_to_write(const model::Run& run) {
    auto folds = std::make_unique<SavedFolds>(model::saved_folds(run));
    model::NumbersWalk walk(run);
    walk.step(0);
    folds->numbers = walk.numbers();
    folds->lines = walk.lines();
    folds->devices = walk.tally().devices;
    folds->links = walk.tally().links;
    return folds;
}

void write_folds(const model::Run& run, const SavedFolds& folds, JsonText& to) {
    to.put_all("\"folded\":{\"ops\":", run.folded_ops(), ",\"parts\":");
    to.list(folds.parts.size(), [&](std::size_t i) {
        const model::FoldedPart& part = folds.parts[i];
        to.put_all("{\"first\":", part.first, ",\"last\":", part.last, ",\"begin_ns\":", part.begin_ns,
                   ",\"end_ns\":", part.end_ns, ",\"first_wait\":", std::uint64_t{part.first_wait},
                   ",\"waits_end\":", std::uint64_t{part.waits_end}, ",\"first_work\":", std::uint64_t{part.first_work},
                   ",\"works_end\":", std::uint64_t{part.works_end}, "}");
    });
    to.put(",\"curves\":[");
    bool first = true;
    model::each_curve(run, [&](const char* name, const char*, const model::Curve&) {
        to.put_all(first ? "\"" : ",\"", name, "\"");
        first = false;
    });
    to.put("],\"numbers\":{");
    if (const auto& faults = folds.numbers.frontend.faults) {
        to.put_all("\"minor_faults\":", faults->minor, ",\"major_faults\":", faults->major, ",");
    }
    first = true;
    model::each_saved_number(folds.numbers, [&](const char* name, const auto& value) {
        to.put_all(first ? "\"" : ",\"", name, "\":", value);
        first = false;
    });
    to.put("},\"lines\":");
    to.list(folds.lines.size(), [&](std::size_t i) {
        const model::LineCost& cost = folds.lines[i];
        to.put_all("[", core::file_of(cost.line), ",", core::number_of(cost.line), ",", cost.issue_ns, ",",
                   cost.blocked_ns, ",", cost.recorded_work_ns, ",", cost.ops, ",", cost.backward_ops, ",",
                   cost.backward_ns, "]");
    });
    to.put(",\"devices\":");
    to.list(folds.devices.size(), [&](std::size_t i) {
        const model::Tally::OfDevice& device = folds.devices[i];
        to.put_all("{\"ops\":", device.ops, ",\"waits\":", device.waits, ",\"busy_ns\":", device.busy_ns,
                   ",\"waited_ns\":", device.waited_ns, ",\"busy_in_pauses_ns\":", device.busy_in_pauses_ns, "}");
    });
    if (!folds.links.empty()) {
        to.put(",\"links\":");
        to.list(folds.links.size(), [&](std::size_t i) {
            const model::Tally::OfLink& link = folds.links[i];
            to.put_all("{\"copies\":", link.copies, ",\"bytes\":", link.bytes, ",\"busy_ns\":", link.busy_ns, "}");
        });
    }
    to.put(",\"totals\":[");  // by signature, at some places of the lanes
    first = true;
    for (std::size_t lane = 0; lane < folds.lanes.size(); ++lane) {
        for (const model::KindSums::Total& total : folds.lanes[lane].totals) {
            to.put_all(first ? "{\"lane\":" : ",{\"lane\":", std::uint64_t{lane}, ",\"at\":", std::uint64_t{total.at},
                       ",\"kinds\":");
            to.list(total.sums.size(), [&](std::size_t i) {
                to.put_all(std::uint32_t{total.sums[i].kind}, ",", total.sums[i].count, ",", total.sums[i].busy_ns);
            });
            to.put("}");
            first = false;
        }
    }
    to.put("]}");
}

void write_folded_blocks(const model::Run& run, const SavedFolds& folds, JsonText& to, bool& first) {
    BlockWriter(to, first).write(run, folds);
}

}  // namespace headway::exchange
