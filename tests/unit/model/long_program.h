// A long random program: its records, for tests of folding.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/model/recording_builder.h"

namespace headway::model {

struct LongProgram {
    std::uint32_t seed = 1;
    std::uint32_t lanes = 2;
    std::size_t ops = 100'000;
    std::size_t warm_up = 0;           // ops before the first mark; 0: no marks
    std::size_t last_mark = 0;         // ops before the mark that ends the measured part; 0: none
    std::size_t second_mark = 0;       // ops before a further one
    std::size_t totals_every = 0;      // an issue's first nanosecond is the language's; 0: none is
    std::size_t drop_costs_every = 0;  // the cost of one drop in so many was measured: 1 ns; 0: of none
    std::size_t waits_every = 50, works_every = 30, scopes_every = 0, minibatches_every = 0;
    bool launches = false;         // every second op has one, of 2 ns
    std::int64_t launch_lag = 30;  // after the issue; each second one overtakes the one before
    bool two_gpus = false;         // each with one of two lanes; some ops are copies to one of them
    std::vector<trace::WaitKind> wait_kinds{trace::WaitKind::waitall, trace::WaitKind::item};
};

// How many blocks of these events were folded.
template <class Events>
std::size_t folded_blocks(const Events& events) {
    std::size_t blocks = 0;
    events.each_folded([&blocks](std::size_t, const auto&) { ++blocks; });
    return blocks;
}

// Writes the program's records, and lets `look` look at the recording now and then.
template <class Look>
void write(RecordingBuilder& builder, const LongProgram& program, Look look) {
    std::mt19937 random(program.seed);
    const auto below = [&random](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
    std::vector<std::uint16_t> signatures;
    for (int i = 0; i < 5; ++i) {
        const bool copy = program.two_gpus && i > 2;
        signatures.push_back(
            builder.signature(std::uint64_t{8} << i, copy ? "copy_to_device" : "kind" + std::to_string(i)));
    }
    if (program.two_gpus) {
        builder.two_gpus();
    }
    std::int64_t now = 100;
    std::vector<std::int64_t> free_at(program.lanes, 0);
    std::vector<std::deque<std::array<std::int64_t, 3>>> held(program.lanes);
    std::deque<BufferId> alive;
    BufferId buffers = 0;
    const auto deliver = [&](std::size_t most) {
        for (std::uint8_t lane = 0; lane < program.lanes; ++lane) {
            for (std::size_t i = 0; i < most && !held[lane].empty(); ++i) {
                const auto [op, begin, end] = held[lane].front();
                builder.exec(lane, static_cast<OpId>(op), begin, end);
                held[lane].pop_front();
            }
        }
    };
    std::deque<std::pair<OpId, std::int64_t>> to_launch;
    const auto launch_until = [&](std::int64_t ns) {
        while (to_launch.size() > 1 && to_launch[1].second <= ns) {
            const auto [first, begin] = to_launch[0];
            const auto [second, second_begin] = to_launch[1];
            builder.launch(second, begin, begin + 2);
            builder.launch(first, second_begin, second_begin + 2);
            to_launch.erase(to_launch.begin(), to_launch.begin() + 2);
        }
    };
    for (std::size_t i = 1; i <= program.ops; ++i) {
        if (program.warm_up != 0 && i == program.warm_up + 1) {
            builder.mark(trace::FrontendKind::measure_begin, now);
        }
        if (i == program.last_mark + 1 || i == program.second_mark + 1) {
            builder.mark(trace::FrontendKind::measure_end, now);
        }
        if (program.minibatches_every != 0 && i % program.minibatches_every == 1) {
            builder.mark(trace::FrontendKind::minibatch_begin, now,
                         static_cast<std::uint32_t>(i / program.minibatches_every));
        }
        if (program.scopes_every != 0 && i % program.scopes_every == 1) {
            builder.mark(trace::FrontendKind::scope_begin, now, 0, "step");
        }
        const auto lane = static_cast<std::uint8_t>(below(program.lanes));
        RecordingBuilder::Issue op;
        op.begin = now;
        op.end = now += 1 + below(6);
        op.lane = lane;
        op.signature = signatures[static_cast<std::size_t>(below(5))];
        op.line = static_cast<core::Line>(1 + below(4));
        op.in0 = alive.empty() ? 0 : alive[static_cast<std::size_t>(below(static_cast<std::uint32_t>(alive.size())))];
        op.fresh = alive.empty() || below(4) != 0;
        op.out = op.fresh ? ++buffers : alive.back();
        const OpId id = builder.issue(op);
        if (program.launches && id % 2 == 0) {
            to_launch.emplace_back(id, op.begin + program.launch_lag);
            launch_until(now);
        }
        if (program.totals_every != 0 && i % program.totals_every == 0) {
            builder.totals(now, static_cast<std::int64_t>(i));
        }
        if (op.fresh) {
            alive.push_back(op.out);
        }
        const std::int64_t begin = std::max(op.begin + below(4), free_at[lane]);
        const std::int64_t end = free_at[lane] = begin + below(program.lanes * 8);
        held[lane].push_back({id, begin, end});
        if (alive.size() > 10) {
            builder.drop(now, alive.front());
            if (program.drop_costs_every != 0 && alive.front() % program.drop_costs_every == 0) {
                builder.drop_cost(now, 1);
            }
            alive.pop_front();
        }
        if (below(static_cast<std::uint32_t>(program.works_every)) == 0) {
            const std::int64_t from = now;
            builder.work(from, now += 1 + below(20), below(2) == 0 ? "NumPy" : "print", static_cast<core::Line>(2));
        }
        if (static_cast<std::size_t>(below(static_cast<std::uint32_t>(program.waits_every))) == 0) {
            std::int64_t done = now;
            for (const std::int64_t ns : free_at) {
                done = std::max(done, ns);
            }
            const std::int64_t from = now;
            now = done + below(5);
            deliver(SIZE_MAX);
            const auto kind = static_cast<std::size_t>(below(static_cast<std::uint32_t>(program.wait_kinds.size())));
            builder.wait(from, now, program.wait_kinds[kind], 0, 0, static_cast<core::Line>(3));
        }
        now += below(3);
        if (program.scopes_every != 0 && i % program.scopes_every == 0) {
            builder.mark(trace::FrontendKind::scope_end, now, 0, "step");
        }
        if (below(3) == 0) {
            deliver(static_cast<std::size_t>(below(8)));
        }
        if (i % 10'000 == 0) {
            look();
        }
    }
    deliver(SIZE_MAX);
    launch_until(INT64_MAX);
    builder.mark(trace::FrontendKind::program_end, now);
    builder.recording().header().state = static_cast<std::uint32_t>(trace::RunState::finished);
}

// The run of such a program, some of whose ops are folded.
inline std::unique_ptr<Run> folded_run(const LongProgram& program, RecordingBuilder& builder) {
    std::unique_ptr<Run> run;
    write(builder, program, [&] {
        if (run == nullptr) {
            run = builder.open();
            run->fold_beyond(2 * kFoldedItems);
        }
        run->update();
    });
    run->update();
    run->process_ended({});
    run->close();
    EXPECT_FALSE(run->folded_parts().empty());
    return run;
}
inline std::unique_ptr<Run> folded_run(const LongProgram& program) {
    RecordingBuilder builder;
    return folded_run(program, builder);
}

}  // namespace headway::model
