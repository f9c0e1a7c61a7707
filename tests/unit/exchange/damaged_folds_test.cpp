// Files of folded runs whose sums say what cannot be.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/exchange/chrome/chrome_reader.h"
#include "app/model/analysis/graph.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/report/report.h"
#include "app/model/run/saved_folds.h"
#include "tests/unit/exchange/exported.h"

namespace headway::exchange {
namespace {

using model::kFoldedItems;
using model::OpId;
using model::Run;

constexpr std::int64_t kLargest = std::int64_t{1} << 60;
constexpr OpId kFirst = kFoldedItems + 1, kLast = 2 * kFoldedItems;

// An event of a row with these arguments.
std::string event_in(int tid, const std::string& arguments) {
    return R"(,{"ph": "X", "pid": 1, "ts": 10, "dur": 1, "name": "x", "tid": )" + std::to_string(tid) +
           R"(, "args": {)" + arguments + "}}";
}

// A block of folded events, their only ones.
std::string block_in(int tid, const std::string& of, int number, const std::string& arguments) {
    return R"(,{"ph": "X", "pid": 1, "ts": 10, "dur": 1, "name": "x", "cat": "folded", "tid": )" + std::to_string(tid) +
           R"(, "args": {"of": ")" + of + R"(", "block": )" + std::to_string(number) + ", " + arguments + "}}";
}

// A trace with op 1 and a folded part.
std::unique_ptr<Run> run_with(const std::string& events, const std::string& numbers = "",
                              std::vector<std::string>* notes = nullptr) {
    const std::string part = R"({"first": )" + std::to_string(kFirst) + R"(, "last": )" + std::to_string(kLast) +
                             R"(, "begin_ns": 10000, "end_ns": 20000})";
    auto trace = read_chrome_trace(
        R"({"otherData": {"format": "headway 1", "lanes": ["a"], "folded": {"parts": [)" + part + R"(], "numbers": {)" +
            numbers +
            R"(}, "curves": ["headway"]}}, "traceEvents": [{"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 1,
            "name": "x", "args": {"op": 1}})" +
            events + "]}",
        "t.json");
    EXPECT_TRUE(trace) << trace.error().message;
    if (notes != nullptr) {
        *notes = trace->notes;
    }
    return std::move(trace->run);
}

// The last op before the folded part, so that this can be put to its place.
std::string op_before() {
    return event_in(1, "\"op\": " + std::to_string(kFoldedItems));
}

TEST(DamagedFolds, APartThatTheOpsDoNotReachIsLeftOut) {
    std::vector<std::string> notes;
    const auto run =
        run_with(event_in(100, "\"op\": 1") + event_in(100, "\"op\": 20000") +
                     block_in(100, "ops", 0, "\"last\": 20000") + block_in(6, "launches", 0, "\"op\": 20000"),
                 "", &notes);
    EXPECT_EQ(run->op_count(), 1u);
    EXPECT_TRUE(run->folded_parts().empty());
    EXPECT_EQ(run->lanes().at(0).ops.size(), 1u);
    EXPECT_TRUE(run->launches().empty());
    EXPECT_NE(std::find(notes.begin(), notes.end(),
                        "Sums of 16,384 ops were left out: the ops before them are missing in the file."),
              notes.end());
    EXPECT_FALSE(model::report_json(*run).empty());
    EXPECT_FALSE(exported(*run).empty());
}

TEST(DamagedFolds, ALaneMayEndInAFoldedBlock) {
    const auto run = run_with(op_before() + block_in(100, "ops", 0, "\"last\": 20000"));
    ASSERT_EQ(run->folded_ops(), kFoldedItems);
    EXPECT_EQ(run->lanes().at(0).ops.back(), 20'000u);
    EXPECT_FALSE(model::report_json(*run).empty());
}

TEST(DamagedFolds, AMinibatchThatDoesNotExistIsNone) {
    const auto run = run_with(op_before() + block_in(1, "issues", 1, "\"minibatch\": 200000000"));
    EXPECT_EQ(run->op(kFirst).minibatch, -1);
    EXPECT_EQ(model::graph_of(*run, {.anchor = kFirst}).minibatch, -1);
}

TEST(DamagedFolds, NumbersAreLimited) {
    constexpr const char* kLeast = "-9223372036854775808";
    constexpr const char* kMost = "9223372036854775807";
    const auto run =
        run_with(op_before() + block_in(1, "issues", 1,
                                        std::string(R"("begin_ns": )") + kLeast + R"(, "end_ns": )" + kMost +
                                            R"(, "busy_ns": [-5, )" + kMost + "]"),
                 std::string(R"("paused_ns": )") + kLeast + R"(, "backend_idle_ns": )" + kMost + R"(, "t1_count": -1)");
    EXPECT_EQ(run->op(kFirst).begin_ns, -kLargest);
    EXPECT_EQ(run->op(kFirst).end_ns, kLargest);
    const model::Numbers& saved = run->saved()->numbers;
    EXPECT_EQ(saved.paused_ns, -kLargest);
    EXPECT_EQ(saved.backend_idle_ns, kLargest);
    EXPECT_EQ(saved.t1.count, 0u);
    EXPECT_LT(model::numbers_of(*run).total_ns, 4 * kLargest);
}

}  // namespace
}  // namespace headway::exchange
