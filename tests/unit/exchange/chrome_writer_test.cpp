#include "app/exchange/chrome/chrome_writer.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "app/exchange/chrome/chrome_reader.h"
#include "app/model/numbers/numbers_walk.h"
#include "tests/unit/exchange/exported.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::exchange {
namespace {

using nlohmann::json;
using trace::FrontendKind;
using trace::WaitKind;

// Two ops on two lanes, one that never ran, a wait, a scope and a minibatch.
std::unique_ptr<model::Run> small_run(model::RecordingBuilder& builder) {
    builder.metadata(R"({"program": "p", "title": "A \"title\" \u00e9", "simulated": true, "seed": 7,
                      "device_kind": "simulated", "lanes": ["Stream 0", "Stream 1"], "parameters": {"n": "3"}})");
    const auto add = builder.signature(8);
    builder.mark(FrontendKind::scope_begin, 900, 0, "a\nscope");
    builder.mark(FrontendKind::minibatch_begin, 950);
    const auto first =
        builder.issue({.begin = 1000, .end = 1250, .lane = 0, .out = 1, .fresh = true, .signature = add});
    const auto second = builder.issue(
        {.begin = 2001, .end = 2100, .lane = 1, .out = 2, .in0 = 1, .in1 = 1, .fresh = true, .signature = add});
    builder.issue({.begin = 2200, .end = 2300, .lane = 1, .out = 2, .in0 = 2, .signature = add, .in_place = true});
    builder.exec(0, first, 1500, 2999);
    builder.exec(1, second, 3000, 3001);
    builder.wait(2400, 3100, WaitKind::wait_to_read, 2);
    builder.mark(FrontendKind::minibatch_end, 3150);
    builder.mark(FrontendKind::scope_end, 3200, 0, "a\nscope");
    auto run = builder.read();
    run->close();
    return run;
}

TEST(ChromeWriter, WritesOneThreadPerLaneAndLosesNoNanosecond) {
    model::RecordingBuilder builder;
    const auto run = small_run(builder);
    const std::string text = exported(*run);
    const json trace = json::parse(text);
    const auto origin = run->op(1).issue_begin_ns;  // run times may start anywhere

    std::map<std::pair<std::string, std::string>, std::vector<json>> by_kind;  // ph, first word of cat
    for (const auto& event : trace["traceEvents"]) {
        std::string category = event.value("cat", "");
        by_kind[{event["ph"], category.substr(0, category.find(','))}].push_back(event);
    }
    const auto issues = by_kind[{"X", "issue"}];
    ASSERT_EQ(issues.size(), 3u);
    EXPECT_EQ(issues[0]["tid"], kFrontendTid);
    EXPECT_EQ(issues[0]["args"]["op"], 1);
    EXPECT_EQ(issues[1]["args"]["in"], json::parse("[1, 1]"));
    EXPECT_NEAR(issues[1]["ts"].get<double>() - issues[0]["ts"].get<double>(), 1.001, 1e-9);
    EXPECT_NEAR(issues[0]["dur"].get<double>(), 0.25, 1e-9);
    EXPECT_NE(text.find("\"ts\":" + std::to_string(origin / 1000) + "."), std::string::npos);

    const auto runs = by_kind[{"X", "execute"}];
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[0]["tid"], kFirstLaneTid);
    EXPECT_EQ(runs[1]["tid"], kFirstLaneTid + 1);
    EXPECT_NEAR(runs[0]["dur"].get<double>(), 1.499, 1e-9);
    EXPECT_NE(text.find("\"dur\":1.499"), std::string::npos);
    EXPECT_NE(text.find("\"dur\":0.001"), std::string::npos);

    // An arrow for each op that ran, from inside its issue to the start of its execution.
    const auto starts = by_kind[{"s", "run"}];
    const auto ends = by_kind[{"f", "run"}];
    ASSERT_EQ(starts.size(), 2u);
    ASSERT_EQ(ends.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(starts[i]["id"], ends[i]["id"]);
        EXPECT_EQ(starts[i]["ts"], issues[i]["ts"]);
        EXPECT_EQ(ends[i]["ts"], runs[i]["ts"]);
        EXPECT_EQ(ends[i]["bp"], "e");
    }

    const auto waits = by_kind[{"X", "wait"}];
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_EQ(waits[0]["cat"], "wait,barrier");
    EXPECT_EQ(waits[0]["args"]["target"], 2);
    EXPECT_EQ(waits[0]["args"]["issued"], 3);
    EXPECT_EQ((by_kind[{"X", "scope"}][0]["name"]), "a\nscope");
    EXPECT_EQ((by_kind[{"X", "minibatch"}][0]["args"]["last"]), 3);
    EXPECT_FALSE((by_kind[{"C", ""}].empty()));

    std::map<int, std::string> threads;
    for (const auto& event : by_kind[{"M", ""}]) {
        if (event["name"] == "thread_name") {
            threads[event["tid"]] = event["args"]["name"];
        } else if (event["name"] == "process_name") {
            EXPECT_EQ(event["args"]["name"], "Headway: A \"title\" \u00e9 (SIMULATED)");
        }
    }
    EXPECT_EQ(threads[kFrontendTid], "Frontend");
    EXPECT_EQ(threads[kFirstLaneTid + 1], "Stream 1");
    EXPECT_EQ(trace["otherData"]["seed"], 7);
    EXPECT_EQ(trace["otherData"]["parameters"]["n"], "3");
    EXPECT_EQ(trace["otherData"]["simulated"], true);
}

TEST(ChromeWriter, TheCountersFollowTheCurves) {
    model::RecordingBuilder builder;
    const auto run = small_run(builder);
    const json trace = json::parse(exported(*run));
    std::vector<std::int64_t> headway;
    for (const auto& event : trace["traceEvents"]) {
        if (event["ph"] == "C" && event["name"] == "headway") {
            headway.push_back(event["args"]["ops"]);
        }
    }
    ASSERT_EQ(headway.size(), run->headway().size());
    for (std::size_t i = 0; i < headway.size(); ++i) {
        EXPECT_EQ(headway[i], run->headway().value(i));
    }
}

// Slices of a thread must be nested or consecutive; viewers cannot display anything else.
TEST(ChromeWriter, SlicesOfAThreadNeverOverlap) {
    model::RecordingBuilder builder;
    const auto run = small_run(builder);
    const json trace = json::parse(exported(*run));
    std::map<int, std::vector<std::pair<double, double>>> slices;
    for (const auto& event : trace["traceEvents"]) {
        if (event["ph"] == "X") {
            slices[event["tid"]].emplace_back(event["ts"], event["ts"].get<double>() + event["dur"].get<double>());
        }
    }
    for (auto& [tid, spans] : slices) {
        std::sort(spans.begin(), spans.end());
        for (std::size_t i = 1; i < spans.size(); ++i) {
            EXPECT_LE(spans[i - 1].second, spans[i].first + 1e-6) << "thread " << tid;
        }
    }
}

TEST(ChromeWriter, AnOpThatWasCutOffStaysCutOff) {
    model::RecordingBuilder builder;
    builder.metadata(R"({"lanes": ["Stream 0"]})");
    builder.issue({.begin = 0, .end = 5});
    trace::RunningOp& running = builder.recording().header().running[0];
    running.virtual_begin_ns = 7;
    running.op_and_begin = trace::pack_running(1, 0);
    builder.mark(FrontendKind::scope_begin, 100, 0, "training");
    const auto run = builder.read();
    run->close();
    ASSERT_NE(run->running(0), nullptr);
    const auto read = read_chrome_trace(exported(*run), "cut.json");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(read->run->cut_off());
    ASSERT_NE(read->run->running(0), nullptr);
    EXPECT_EQ(read->run->running(0)->op, 1u);
    EXPECT_EQ(read->run->running(0)->begin_ns, 7);
    EXPECT_EQ(model::numbers_of(*read->run).backend_open_ns, model::numbers_of(*run).backend_open_ns);
}

TEST(ChromeWriter, DeepScopesStayScopes) {
    constexpr int kDepth = 1'200;  // more than there are thread ids below those of lanes and output
    model::RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 0, .end = 5}), 5, 10);
    for (int depth = 0; depth < kDepth; ++depth) {
        builder.mark(FrontendKind::scope_begin, 10 + depth, 0, "f");
    }
    for (int depth = 0; depth < kDepth; ++depth) {
        builder.mark(FrontendKind::scope_end, 5'000 + depth, 0, "f");
    }
    const auto run = builder.read();
    run->close();
    const auto read = read_chrome_trace(exported(*run), "deep.json");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->notes, std::vector<std::string>{});
    ASSERT_EQ(read->run->scopes().size(), run->scopes().size());
    for (std::size_t i = 0; i < run->scopes().size(); ++i) {
        EXPECT_EQ(read->run->scopes()[i].depth, run->scopes()[i].depth);
        EXPECT_EQ(read->run->scopes()[i].end_ns, run->scopes()[i].end_ns);
    }
}

TEST(ChromeWriter, InvalidUtf8StaysReadable) {
    model::RecordingBuilder builder;
    builder.mark(FrontendKind::scope_begin, 10, 0, "bad \xff\xc0\x80 \xed\xa0\x80 tab\t end");
    builder.mark(FrontendKind::scope_end, 20);
    auto run = builder.read();
    run->close();
    const json trace = json::parse(exported(*run));
    bool found = false;
    for (const auto& event : trace["traceEvents"]) {
        found = found || (event.value("cat", "") == "scope" &&
                          event["name"].get<std::string>().find("tab\t end") != std::string::npos);
    }
    EXPECT_TRUE(found);
}

TEST(ChromeWriter, AnEmptyRunIsATrace) {
    model::RecordingBuilder builder;
    auto run = builder.read();
    run->close();
    EXPECT_TRUE(json::parse(exported(*run))["traceEvents"].is_array());
}

TEST(ChromeWriter, StopsWhenTheSinkIsFull) {
    model::RecordingBuilder builder;
    const auto add = builder.signature(8);
    for (int i = 0; i < 20'000; ++i) {
        builder.issue({.begin = i * 10, .end = i * 10 + 5, .out = 1, .signature = add});
    }
    auto run = builder.read();
    run->close();
    std::size_t taken = 0;
    EXPECT_FALSE(write_chrome_trace(*run, [&](std::string_view bytes) {
        taken += bytes.size();
        return false;
    }));
    EXPECT_LT(taken, std::size_t{1} << 20);
}

}  // namespace
}  // namespace headway::exchange
