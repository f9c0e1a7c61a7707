#include "app/model/analysis/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "tests/unit/model/long_program.h"

namespace headway::model {
namespace {

using trace::FrontendKind;
using trace::WaitKind;

std::vector<OpId> ops(const std::vector<Found>& found) {
    std::vector<OpId> ids;
    for (const auto& one : found) {
        ids.push_back(one.op);
    }
    return ids;
}

class Search : public testing::Test {
protected:
    // Three ops, 10, 200 and 3000 ns long, at lines 5, 6, 6, on lanes 0, 1, 0, the last two in minibatch 0; a wait of
    // 50 ns at line 6. Op 3 never ran.
    Search() {
        builder_.signature(8);
        builder_.issue({.begin = 0, .end = 1, .lane = 0, .out = 1, .fresh = true, .signature = 1, .line = 5});
        builder_.mark(FrontendKind::minibatch_begin, 2, 0);
        builder_.issue({.begin = 3, .end = 4, .lane = 1, .out = 2, .fresh = true, .signature = 1, .line = 6});
        builder_.issue({.begin = 5, .end = 6, .lane = 0, .out = 3, .fresh = true, .signature = 1, .line = 6});
        builder_.mark(FrontendKind::minibatch_end, 7, 0);
        builder_.wait(8, 58, WaitKind::waitall, 0, 3, 6);
        builder_.exec(0, 1, 10, 20);
        builder_.exec(1, 2, 10, 210);
        run_ = builder_.open();
        run_->update();
    }
    std::vector<Found> find(std::string_view text) {
        auto query = parse_query(text);
        EXPECT_TRUE(query) << query.error().message;
        return query ? search(*run_, *query, 100) : std::vector<Found>{};
    }

    RecordingBuilder builder_;
    std::unique_ptr<model::Run> run_;
};

TEST_F(Search, EmptyQueryFindsNothing) {
    EXPECT_TRUE(find("").empty());
    EXPECT_TRUE(find("  ").empty());
}

TEST_F(Search, ByName) {
    EXPECT_EQ(ops(find("ad")), (std::vector<OpId>{3, 1, 2}));  // by time: op 3 is ordered by its issue
    EXPECT_EQ(ops(find("kind:ADD")), (std::vector<OpId>{3, 1, 2}));
    EXPECT_TRUE(find("kind:ad").empty());
    EXPECT_TRUE(find("add mul").empty());
}

TEST_F(Search, ByLineLaneBatchAndNumber) {
    EXPECT_EQ(ops(find("line:6 is:op")), (std::vector<OpId>{3, 2}));
    EXPECT_EQ(ops(find("lane:1")), (std::vector<OpId>{2}));
    EXPECT_EQ(ops(find("batch:0 is:op")), (std::vector<OpId>{3, 2}));
    EXPECT_EQ(ops(find("#2")), (std::vector<OpId>{2}));
    EXPECT_EQ(ops(find("op:2")), (std::vector<OpId>{2}));
    EXPECT_TRUE(find("op:9").empty());
}

TEST_F(Search, ByDurationOnlyWhatRan) {
    EXPECT_EQ(ops(find("is:op >10ns")), (std::vector<OpId>{2}));
    EXPECT_EQ(ops(find("is:op >=10ns")), (std::vector<OpId>{1, 2}));
    EXPECT_EQ(ops(find("is:op <0.2us")), (std::vector<OpId>{1}));
    EXPECT_EQ(ops(find("is:op <=0.2us >1ns")), (std::vector<OpId>{1, 2}));
}

TEST_F(Search, Waits) {
    const auto found = find("is:wait");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].wait, 0);
    EXPECT_EQ(found[0].ns, 8);
    EXPECT_TRUE(find("is:wait >50ns").empty());
    EXPECT_EQ(find("is:wait >=50ns").size(), 1u);
    EXPECT_EQ(find("is:wait <=50ns").size(), 1u);
    EXPECT_TRUE(find("is:wait <50ns").empty());
    EXPECT_EQ(find("line:6").size(), 3u);
}

TEST_F(Search, AWaitBelongsToTheMinibatchInWhichItBegins) {
    builder_.mark(FrontendKind::minibatch_begin, 60, 1);
    builder_.wait(61, 70, WaitKind::waitall, 0, 3, 6);
    builder_.mark(FrontendKind::minibatch_end, 72, 1);
    builder_.mark(FrontendKind::minibatch_begin, 72, 2);
    builder_.wait(72, 80, WaitKind::waitall, 0, 3, 6);
    builder_.mark(FrontendKind::minibatch_end, 82, 2);
    run_->update();
    EXPECT_TRUE(find("is:wait batch:0").empty());
    ASSERT_EQ(find("is:wait batch:1").size(), 1u);
    EXPECT_EQ(find("is:wait batch:1")[0].wait, 1);
    ASSERT_EQ(find("is:wait batch:2").size(), 1u);
    EXPECT_EQ(find("is:wait batch:2")[0].wait, 2);
    EXPECT_TRUE(find("is:wait batch:3").empty());
}

TEST_F(Search, CountsBeyondTheLimit) {
    std::size_t count = 0;
    EXPECT_EQ(search(*run_, *parse_query("is:op"), 1, &count).size(), 1u);
    EXPECT_EQ(count, 3u);
}

// An incremental search of a growing run: covers the run at its start, and returns the first matches by time.
TEST(SearchWalks, IncrementalSearchFindsTheSame) {
    RecordingBuilder builder;
    std::mt19937 random(5);
    std::array<std::int64_t, 3> free_ns{};
    std::int64_t now_ns = 0;
    const auto add = [&](int count) {
        for (int i = 0; i < count; ++i) {
            const auto lane = static_cast<std::uint8_t>(random() % 3);
            const auto op = builder.issue({.begin = now_ns, .end = now_ns + 1, .lane = lane});
            free_ns[lane] = std::max(free_ns[lane], ++now_ns) + static_cast<std::int64_t>(random() % 3000);
            builder.exec(lane, op, free_ns[lane], free_ns[lane] + 10);
            free_ns[lane] += 10;
        }
    };
    add(20'000);
    const auto run = builder.open();
    run->update();
    const auto query = parse_query("is:op");
    ASSERT_TRUE(query);
    std::size_t count = 0;
    const auto all = search(*run, *query, SIZE_MAX / 4, &count);
    ASSERT_EQ(count, run->op_count());
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.ns < b.ns; }));
    for (const std::size_t limit : {std::size_t{0}, std::size_t{1}, std::size_t{700}, std::size_t{19'999}, count}) {
        SearchWalk walk(*run, *query, limit);
        std::size_t steps = 1;
        while (walk.step(1e-6)) {
            ++steps;
        }
        EXPECT_GT(steps, 3u);
        EXPECT_EQ(walk.count(), count);
        EXPECT_EQ(walk.found(), std::vector<Found>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(limit)));
    }
    SearchWalk walk(*run, *query, count);
    EXPECT_TRUE(walk.step(1e-6));
    add(5'000);
    run->update();
    ASSERT_GT(run->op_count(), count);
    walk.step(0);
    EXPECT_EQ(walk.count(), count);
}

// As pasted from a clipboard.
TEST(Query, AnySpaceSeparatesWords) {
    const auto query = parse_query("\nmatmul\r\nline:6\t is:op\v");
    ASSERT_TRUE(query) << query.error().message;
    EXPECT_EQ(query->words, std::vector<std::string>{"matmul"});
    EXPECT_EQ(query->line, 6u);
    EXPECT_FALSE(query->waits);
}

TEST(Query, UnknownWordsGiveAnErrorOfOneSentence) {
    for (const char* text :
         {"colour:red", "line:x", "line:", ">fast", "<", "op:0", "is:thing", ">1e999s", "#", "batch:-1"}) {
        const auto query = parse_query(text);
        ASSERT_FALSE(query) << text;
        EXPECT_NE(query.error().message.find(text), std::string::npos) << query.error().message;
    }
}

// Of a folded part only sums are kept: the walk counts its ops and waits instead of searching them.
TEST(SearchWalks, SkipsAndCountsWhatIsFolded) {
    LongProgram program;
    program.waits_every = 2;
    const auto run = folded_run(program);
    ASSERT_GT(folded_blocks(run->waits()), 0u);
    std::size_t folded_waits = 0;
    for (std::size_t i = 0; i < run->waits().size(); ++i) {
        folded_waits += run->waits().is_folded(i) ? 1 : 0;
    }
    const auto walked = [&run](const char* text) {
        SearchWalk walk(*run, *parse_query(text), 10);
        while (walk.step(1e-6)) {
        }
        return std::pair(walk.count(), walk.not_searched());
    };
    const std::size_t ops = run->op_count(), waits = run->waits().size();
    EXPECT_EQ(walked("is:op"), std::pair(ops - run->folded_ops(), std::size_t{run->folded_ops()}));
    EXPECT_EQ(walked("is:wait"), std::pair(waits - folded_waits, folded_waits));
    EXPECT_EQ(walked("nowhere"), std::pair(std::size_t{0}, run->folded_ops() + folded_waits));
    EXPECT_EQ(walked("#1"), std::pair(std::size_t{1}, std::size_t{0}));
    const core::OpId folded = run->folded_parts().front().first;
    EXPECT_EQ(walked(("#" + std::to_string(folded)).c_str()), std::pair(std::size_t{0}, std::size_t{1}));
}

}  // namespace
}  // namespace headway::model
