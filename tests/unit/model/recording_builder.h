// Writes recordings for tests, on a virtual clock, and random programs with known times.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "app/model/run/run.h"
#include "engine/trace/recorder.h"

namespace headway::model {

class RecordingBuilder {
public:
    explicit RecordingBuilder(std::size_t max_bytes = std::size_t{128} << 20, bool virtual_clock = true) {
        auto created = trace::Recording::create(max_bytes);
        EXPECT_TRUE(created) << created.error().message;
        recording_ = std::move(*created);
        if (virtual_clock) {
            recording_->use_virtual_clock();
        }
        frontend_ = {*recording_, trace::kFrontendStream};
        drops_ = {*recording_, {trace::StreamKind::drops, 0}};
        costs_ = {*recording_, {trace::StreamKind::costs, 0}};
        orders_ = {*recording_, {trace::StreamKind::orders, 0}};
        launches_ = {*recording_, {trace::StreamKind::launch, 0}};
        for (std::uint8_t lane = 0; lane < core::kMaxTraceLanes; ++lane) {
            lanes_[lane] = {*recording_, {trace::StreamKind::lane, lane}};
        }
    }

    struct Issue {
        std::int64_t begin = 0, end = 0;
        std::uint8_t lane = 0;
        BufferId out = 0, in0 = 0, in1 = 0;
        bool fresh = false;
        std::uint16_t signature = 0;
        core::Line line = 0;
        bool in_place = false;
    };
    OpId issue(const Issue& op) {
        last_issue_ = ticks(op.begin);
        frontend_.add(
            {ticks(op.begin), duration(op.begin, op.end), op.signature,
             static_cast<std::uint8_t>(static_cast<std::uint8_t>(trace::FrontendKind::issue) |
                                       (op.fresh ? trace::kFreshOutput : 0) | (op.in_place ? trace::kReadsOutput : 0)),
             op.lane, op.line, op.out, op.in0, op.in1});
        return ++issued_;
    }
    void more_inputs(BufferId a, BufferId b, core::Line forward = 0) {
        frontend_.add(
            {last_issue_, 0, 0, static_cast<std::uint8_t>(trace::FrontendKind::more_inputs), 0, 0, forward, a, b});
    }
    void more_output(BufferId out, bool fresh, std::uint16_t signature = 0) {
        frontend_.add({0, 0, signature,
                       static_cast<std::uint8_t>(static_cast<std::uint8_t>(trace::FrontendKind::more_output) |
                                                 (fresh ? trace::kFreshOutput : trace::kReadsOutput)),
                       0, 0, out, 0, 0});
    }
    void part(std::uint8_t lane, std::uint16_t signature, std::int64_t begin, std::int64_t end) {
        lanes_[lane].add({ticks(begin), duration(begin, end), trace::kPart | signature});
    }
    void exec(std::uint8_t lane, OpId op, std::int64_t begin, std::int64_t end, bool failed = false) {
        lanes_[lane].add({ticks(begin), duration(begin, end), failed ? op | trace::kFailedOp : op});
    }
    // The frontend's time for launching the op on a GPU.
    void launch(OpId op, std::int64_t begin, std::int64_t end) {
        launches_.add({ticks(begin), duration(begin, end), op});
    }
    // A GPU with lane 0 and the CPU with lane 1; `more`: further settings, each behind a comma.
    void gpu_and_cpu(const std::string& more = "") {
        metadata(R"({"device_kind": "cuda", "lanes": ["Stream 0"])" + more + "}");
        recording_->meta(trace::MetaType::device, 1, R"({"kind": "cpu", "first_lane": 1, "lanes": ["Worker 0"]})");
    }
    // Two GPUs with one lane each, linked.
    void two_gpus() {
        metadata(R"({"lanes": ["Stream 0"], "device_kind": "simulated", "gpus": 2, "links": "pairs",
                     "cost_models": {"links": {"name": "", "source": "", "pcie": {"base_ns": 1},
                                               "nvlink": {"base_ns": 1}}}})");
        recording_->meta(trace::MetaType::device, 1,
                         R"({"kind": "simulated", "first_lane": 1, "lanes": ["Stream 0"]})");
    }
    // Before the issue of order.op.
    void order(const trace::OrderRecord& order) { orders_.add(order); }
    void drop(std::int64_t ns, BufferId buffer) { drops_.add({ticks(ns), buffer, issued_}); }
    void wait(std::int64_t begin, std::int64_t end, trace::WaitKind kind, BufferId target = 0, OpId through = 0,
              core::Line line = 0) {
        add_wait(begin, end, kind, 0, target, through, line);
    }
    // For all ops of one device.
    void wait_for_device(std::int64_t begin, std::int64_t end, core::DeviceId device) {
        add_wait(begin, end, trace::WaitKind::synchronize, trace::wait_for_device(device), 0, 0, 0);
    }
    void barrier(std::int64_t ns, trace::BarrierKind kind, std::uint32_t behind) {
        frontend_.add({ticks(ns), 0, static_cast<std::uint16_t>(kind),
                       static_cast<std::uint8_t>(trace::FrontendKind::barrier), 0, 0, behind, issued_, 0});
    }
    void work(std::int64_t begin, std::int64_t end, std::string_view name, core::Line line = 0) {
        frontend_.add({ticks(begin), duration(begin, end), recording_->string_id(name),
                       static_cast<std::uint8_t>(trace::FrontendKind::work), 0, line, 0, issued_, 0});
    }
    void wrote(std::int64_t ns, std::string_view text, bool error = false) {
        trace::each_piece(text,
                          {.begin = ticks(ns),
                           .issued = issued_,
                           .stream = static_cast<std::uint8_t>(error ? 2 : 1),
                           .kind = static_cast<std::uint8_t>(trace::FrontendKind::output)},
                          [this](const trace::OutputRecord& piece) { frontend_.add(trace::packed(piece)); });
    }
    // Page faults and the language's share of all issues so far.
    void totals(std::int64_t ns, std::int64_t language_ns) {
        costs_.add({ticks(ns), ticks(language_ns), 0, 0, 0, 0, trace::CostKind::totals, 0});
    }
    void cost(const trace::CostRecord& record) { costs_.add(record); }
    // The frontend measured a drop.
    void drop_cost(std::int64_t ns, std::int64_t took_ns) {
        costs_.add({ticks(ns), 0, duration(ns, ns + took_ns), 1, 0, 0, trace::CostKind::drop, 0});
    }
    void mark(trace::FrontendKind kind, std::int64_t ns, std::uint32_t index = 0, std::string_view name = {}) {
        frontend_.add({ticks(ns), 0, name.empty() ? std::uint16_t{0} : recording_->string_id(name),
                       static_cast<std::uint8_t>(kind), 0, 0, index, issued_, 0});
    }
    std::uint16_t signature(std::uint64_t out_bytes, std::string_view name = "add") {
        trace::SignatureInfo info{};
        info.out_bytes = out_bytes;
        recording_->signature(++signatures_, info, "(2)", name);
        return signatures_;
    }
    void metadata(std::string_view json) { recording_->meta(trace::MetaType::run, 0, json); }
    void policy(std::string_view name) { metadata("{\"free_policy\": \"" + std::string(name) + "\"}"); }

    std::unique_ptr<Run> open() {
        auto reader = trace::Reader::open(recording_->fd());
        EXPECT_TRUE(reader) << reader.error().message;
        return std::make_unique<Run>(std::move(*reader));
    }
    std::unique_ptr<Run> read() {
        auto run = open();
        run->update();
        return run;
    }
    trace::Recording& recording() { return *recording_; }
    [[nodiscard]] OpId issued() const { return issued_; }

private:
    void add_wait(std::int64_t begin, std::int64_t end, trace::WaitKind kind, std::uint8_t device_flag, BufferId target,
                  OpId through, core::Line line) {
        frontend_.add({ticks(begin), duration(begin, end), 0,
                       static_cast<std::uint8_t>(static_cast<std::uint8_t>(trace::FrontendKind::wait) | device_flag),
                       static_cast<std::uint8_t>(kind), line, target, issued_, through});
    }
    static std::uint64_t ticks(std::int64_t ns) { return static_cast<std::uint64_t>(ns); }
    static std::uint32_t duration(std::int64_t begin, std::int64_t end) {
        return trace::pack_duration(static_cast<std::uint64_t>(end - begin));
    }
    std::unique_ptr<trace::Recording> recording_;
    trace::StreamWriter<trace::FrontendRecord> frontend_;
    trace::StreamWriter<trace::DropRecord> drops_;
    trace::StreamWriter<trace::CostRecord> costs_;
    trace::StreamWriter<trace::OrderRecord> orders_;
    trace::StreamWriter<trace::ExecRecord> launches_;
    std::array<trace::StreamWriter<trace::ExecRecord>, core::kMaxTraceLanes> lanes_;
    OpId issued_ = 0;
    std::uint64_t last_issue_ = 0;
    std::uint16_t signatures_ = 0;
};

// A random program on in-order lanes: fresh outputs and updates in place, up to four inputs, drops, waits; on request
// composite ops.
class RandomProgram {
public:
    struct MadeOp {
        std::int64_t issue_begin = 0, issue_end = 0, begin = 0, end = 0;
        std::uint8_t lane = 0;
        BufferId out = 0;
        std::vector<BufferId> reads;
        bool fresh = false, failed = false;
        std::vector<BufferId> more_out;  // a composite's further outputs
    };
    struct MadeBuffer {
        std::uint64_t bytes = 0;
        std::int64_t dropped = kPending;
        OpId maker = 0;
    };
    struct MadeWait {
        std::int64_t begin = 0, end = 0;
        BufferId target = 0;
        OpId issued = 0, through = 0;
    };

    RandomProgram(RecordingBuilder& builder, std::uint32_t seed, std::uint32_t lanes)
        : builder_(builder), random_(seed), lanes_(lanes) {
        for (int i = 0; i < 8; ++i) {
            sizes_.push_back(std::uint64_t{8} << i);
            signatures_.push_back(builder.signature(sizes_.back()));
        }
    }

    // Makes one op, drop or wait, and delivers some records.
    void step() {
        const auto choice = below(20);
        if (choice < 3 && !alive_.empty()) {
            drop();
        } else if (choice == 3 && below(4) == 0) {
            wait();
        } else {
            op();
        }
        deliver(below(3) == 0 ? below(40) : 0);
    }
    void end() { deliver(~0u); }

    // Writes the next `count` records of every lane.
    void deliver(std::uint32_t count) {
        for (std::uint8_t lane = 0; lane < lanes_; ++lane) {
            auto& held = held_[lane];
            const std::size_t n = std::min<std::size_t>(count, held.size());
            for (std::size_t i = 0; i < n; ++i) {
                const MadeOp& op = ops[held[i] - 1];
                builder_.exec(lane, held[i], op.begin, op.end, op.failed);
            }
            held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(n));
        }
    }

    [[nodiscard]] bool writes(OpId id, BufferId buffer) const {
        const auto& more = ops[id - 1].more_out;
        return ops[id - 1].out == buffer || std::find(more.begin(), more.end(), buffer) != more.end();
    }
    [[nodiscard]] bool reads(OpId id, BufferId buffer) const {
        const auto& list = ops[id - 1].reads;
        return std::find(list.begin(), list.end(), buffer) != list.end();
    }
    [[nodiscard]] OpId writer_before(OpId id, BufferId buffer) const {
        for (OpId i = id - 1; i > 0; --i) {
            if (writes(i, buffer)) {
                return i;
            }
        }
        return 0;
    }
    // Brute force over all earlier ops.
    [[nodiscard]] std::vector<OpId> dependencies(OpId id) const {
        std::vector<OpId> found;
        for (const BufferId buffer : ops[id - 1].reads) {
            found.push_back(writer_before(id, buffer));
        }
        std::vector<BufferId> outputs = ops[id - 1].more_out;
        outputs.push_back(ops[id - 1].out);
        for (const BufferId buffer : outputs) {
            if (buffer == 0 || buffers[buffer].maker == id) {
                continue;
            }
            const OpId writer = writer_before(id, buffer);
            found.push_back(writer);
            for (OpId i = writer + 1; i < id; ++i) {
                if (reads(i, buffer)) {
                    found.push_back(i);
                }
            }
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        std::erase(found, 0u);
        return found;
    }

    // When the buffer's bytes were allocated under the policy; kPending: never.
    [[nodiscard]] std::int64_t taken(BufferId buffer, std::string_view policy) const {
        const MadeOp& maker = ops[buffers[buffer].maker - 1];
        const bool took_none =
            maker.failed && maker.more_out.empty();  // else the steps before the failed one took some
        return policy != "lazy" ? maker.issue_begin : took_none ? kPending : maker.begin;
    }
    // When the buffer's memory is free again; kPending: never.
    [[nodiscard]] std::int64_t freed(BufferId buffer, std::string_view policy) const {
        std::int64_t free = buffers[buffer].dropped;
        if (policy != "stream" && free != kPending) {
            for (OpId op = 1; op <= ops.size(); ++op) {
                if (reads(op, buffer) || writes(op, buffer)) {
                    free = std::max(free, ops[op - 1].end);
                }
            }
        }
        return free;
    }

    std::uint32_t fails_every = 0;  // 0: no op fails
    bool composites = false;        // whether some ops have further outputs
    std::vector<MadeOp> ops;
    std::vector<MadeBuffer> buffers{MadeBuffer{}};  // by id
    std::vector<MadeWait> waits;

private:
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

    void op() {
        MadeOp made;
        const auto id = static_cast<OpId>(ops.size() + 1);
        made.issue_begin = now_;
        made.issue_end = now_ += below(5);
        made.lane = static_cast<std::uint8_t>(below(lanes_));
        made.failed = fails_every != 0 && id % fails_every == 0;
        const auto inputs = std::min<std::uint32_t>(below(5), static_cast<std::uint32_t>(alive_.size()));
        for (std::uint32_t i = 0; i < inputs; ++i) {
            made.reads.push_back(alive_[below(static_cast<std::uint32_t>(alive_.size()))]);
        }
        const auto kind = below(10);
        std::uint16_t signature = 0;
        if (kind < 7 || alive_.empty()) {
            const auto size = below(8);
            made.fresh = true;
            made.out = static_cast<BufferId>(buffers.size());
            buffers.push_back({sizes_[size], kPending, id});
            signature = signatures_[size];
        } else if (kind < 9) {
            made.out = alive_[below(static_cast<std::uint32_t>(alive_.size()))];
        }
        std::vector<std::uint16_t> more_signatures;
        while (composites && made.out != 0 && below(4) == 0) {
            const auto size = below(8);
            const BufferId changed = alive_.empty() ? 0 : alive_[below(static_cast<std::uint32_t>(alive_.size()))];
            const bool again = changed == made.out ||
                               std::find(made.more_out.begin(), made.more_out.end(), changed) != made.more_out.end();
            if (changed == 0 || again || below(2) == 0) {
                made.more_out.push_back(static_cast<BufferId>(buffers.size()));
                buffers.push_back({sizes_[size], kPending, id});
            } else {
                made.more_out.push_back(changed);
            }
            more_signatures.push_back(signatures_[size]);
        }
        ops.push_back(made);
        std::int64_t ready = made.issue_begin + below(4);  // the lane may start before the end of the issue
        for (const OpId needed : dependencies(id)) {
            ready = std::max(ready, ops[needed - 1].end);
        }
        auto& op = ops.back();
        op.begin = std::max(ready, lane_free_[op.lane]);
        op.end = lane_free_[op.lane] = op.begin + below(12);
        if (op.fresh) {
            alive_.push_back(op.out);
        }
        for (const BufferId buffer : op.more_out) {
            if (buffers[buffer].maker == id) {
                alive_.push_back(buffer);
            }
        }
        held_[op.lane].push_back(id);

        const auto input = [&op](std::size_t i) { return i < op.reads.size() ? op.reads[i] : 0; };
        builder_.issue({op.issue_begin, op.issue_end, op.lane, op.out, input(0), input(1), op.fresh, signature, 0,
                        !op.fresh && reads(id, op.out)});
        if (op.reads.size() > 2) {
            builder_.more_inputs(input(2), input(3));
        }
        for (std::size_t i = 0; i < op.more_out.size(); ++i) {
            builder_.more_output(op.more_out[i], buffers[op.more_out[i]].maker == id, more_signatures[i]);
        }
    }

    void drop() {
        const auto i = below(static_cast<std::uint32_t>(alive_.size()));
        const BufferId buffer = alive_[i];
        alive_.erase(alive_.begin() + i);
        now_ += below(3);
        buffers[buffer].dropped = now_;
        builder_.drop(now_, buffer);
    }

    void wait() {
        MadeWait wait;
        wait.begin = now_;
        wait.issued = static_cast<OpId>(ops.size());
        if (below(2) == 0 && !alive_.empty()) {
            wait.target = alive_[below(static_cast<std::uint32_t>(alive_.size()))];
            now_ = std::max(now_, ops[writer_before(wait.issued + 1, wait.target) - 1].end);
        } else {
            wait.through = below(3) == 0 ? below(wait.issued + 1) : wait.issued;
            if (wait.through == 0) {
                wait.through = wait.issued;
            }
            for (OpId i = 1; i <= wait.through; ++i) {
                now_ = std::max(now_, ops[i - 1].end);
            }
        }
        wait.end = now_ += below(4);
        waits.push_back(wait);
        builder_.wait(wait.begin, wait.end, wait.target != 0 ? trace::WaitKind::item : trace::WaitKind::waitall,
                      wait.target, wait.through == wait.issued ? 0 : wait.through);
    }

    RecordingBuilder& builder_;
    std::mt19937 random_;
    std::uint32_t lanes_;
    std::int64_t now_ = 0;
    std::array<std::int64_t, core::kMaxLanes> lane_free_{};
    std::array<std::vector<OpId>, core::kMaxLanes> held_;
    std::vector<BufferId> alive_;
    std::vector<std::uint64_t> sizes_;
    std::vector<std::uint16_t> signatures_;
};

}  // namespace headway::model
