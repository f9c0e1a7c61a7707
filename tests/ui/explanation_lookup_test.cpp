#include "app/model/numbers/numbers_walk.h"
#include "app/ui/lesson/explanation_lookup.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/unit/model/constant_run.h"

namespace headway::ui {
namespace {

std::shared_ptr<const model::Run> run_of(core::OpId ops) {
    model::ConstantRun run(3, 40, 7);
    run.ops(ops, [ops](core::OpId op) { return op == ops; });
    run.builder.mark(trace::FrontendKind::program_end, run.now);
    run.builder.recording().header().state = static_cast<std::uint32_t>(trace::RunState::finished);
    auto read = run.builder.read();
    read->close();
    return read;
}

TEST(ExplanationLookup, ExplainsAShortRunAtOnceAndKeepsIt) {
    ExplanationLookup lookup;
    EXPECT_EQ(lookup.run(), nullptr);
    const auto run = run_of(10);
    lookup.look(run, numbers_of(*run));
    EXPECT_FALSE(lookup.busy());
    EXPECT_EQ(lookup.run(), run.get());
    const std::size_t said = lookup.explanation().sentences.size();
    EXPECT_GE(said, 3u);
    lookup.look(nullptr, {});  // another run is in progress
    EXPECT_EQ(lookup.run(), run.get());
    EXPECT_EQ(lookup.explanation().sentences.size(), said);
    lookup.forget();
    EXPECT_EQ(lookup.run(), nullptr);
    EXPECT_TRUE(lookup.explanation().sentences.empty());
}

TEST(ExplanationLookup, ExplainsALongRunOnAnotherThread) {
    ExplanationLookup lookup;
    const auto run = run_of(ExplanationLookup::kMostAtOnce + 1);
    const model::Numbers numbers = numbers_of(*run);
    lookup.look(run, numbers);
    EXPECT_TRUE(lookup.busy());
    EXPECT_EQ(lookup.run(), nullptr);
    while (lookup.busy()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        lookup.look(run, numbers);
    }
    EXPECT_EQ(lookup.run(), run.get());
    EXPECT_GE(lookup.explanation().sentences.size(), 3u);
}

TEST(ExplanationLookup, DropsTheExplanationOfARunThatWasForgotten) {
    ExplanationLookup lookup;
    const auto run = run_of(ExplanationLookup::kMostAtOnce + 1), next = run_of(10);
    lookup.look(run, numbers_of(*run));
    lookup.forget();
    const model::Numbers numbers = numbers_of(*next);
    while (lookup.run() == nullptr) {
        lookup.look(next, numbers);
    }
    EXPECT_EQ(lookup.run(), next.get());
}

}  // namespace
}  // namespace headway::ui
