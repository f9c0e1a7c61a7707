#include "app/model/report/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

using Json = nlohmann::ordered_json;

void write_small_run(RecordingBuilder& builder) {
    using trace::FrontendKind;
    builder.metadata(R"({"program": "train", "device_kind": "simulated", "device_name": "Simulated", "simulated": true,
        "cpu": "Some CPU", "os": "Linux", "cores": 2, "barrier": "minibatch", "free_policy": "finish", "workers": 1,
        "streams": 2, "queue_limit": 0, "budget": 0, "seed": 0, "version": "0.1.0", "lanes": ["Stream 0"],
        "parameters": {"batches": "2"}})");
    builder.recording().meta(trace::MetaType::file, 1, "train.cpp");
    builder.recording().meta(trace::MetaType::result, 0, R"({"losses": [0.5, 0.25]})");
    const auto size = builder.signature(64);
    const core::Line line = core::make_line(1, 31);
    builder.mark(FrontendKind::measure_begin, 0);
    builder.mark(FrontendKind::scope_begin, 0, 0, "epoch");
    builder.mark(FrontendKind::minibatch_begin, 0, 0);
    builder.issue({0, 2, 0, 1, 0, 0, true, size, line});
    builder.exec(0, 1, 2, 12);
    builder.issue({2, 4, 0, 2, 1, 0, true, size, line});
    builder.exec(0, 2, 12, 22);
    builder.mark(FrontendKind::minibatch_end, 4, 0);
    builder.wait(4, 25, trace::WaitKind::minibatch_barrier, 0, 0, core::make_line(1, 40));
    builder.mark(FrontendKind::scope_end, 25, 0, "epoch");
    builder.mark(FrontendKind::measure_end, 25);
    builder.mark(FrontendKind::program_end, 26);
}

TEST(Report, HasAllFieldsInOrder) {
    RecordingBuilder builder;
    write_small_run(builder);
    const Json report = Json::parse(report_json(*builder.read()));
    std::string keys;
    for (const auto& [key, value] : report.items()) {
        keys += key + " ";
    }
    const std::string expected =
        "headway program language torch device machine settings parameters ops parts total_ns warmup_ns issue_ns "
        "op_issue_ns "
        "blocked_ns "
        "recorded_work_ns backend_busy_ns backend_idle_ns backend_open_ns recorder_ns recording_wait_ns frontend "
        "frontend_page_faults "
        "t1_ns t2_ns "
        "t3_ns t1 t2 t3 regime predicted_ns "
        "prediction "
        "handover_ns "
        "headway_max live_bytes_peak pending_bytes_peak reserved_bytes_peak rss_bytes_peak lost_records folded "
        "critical_path "
        "idle "
        "without_barriers_ns without_blockers_ns end explanation waits pauses lines minibatches scopes devices links "
        "races error result ";
    EXPECT_EQ(keys, expected);
    EXPECT_EQ(report["headway"], "0.1.0");
    EXPECT_EQ(report["device"], Json::parse(R"({"kind": "simulated", "name": "Simulated", "simulated": true})"));
    EXPECT_EQ(report["machine"]["cores"], 2);
    EXPECT_EQ(report["settings"], Json::parse(R"({"barrier": "minibatch", "free_policy": "finish", "workers": 1,
        "streams": 2, "budget": null, "budget_is_default": null, "queue_limit": 0, "seed": 0, "issue": "op"})"));
    EXPECT_EQ(report["parameters"]["batches"], "2");
    EXPECT_EQ(report["ops"], 2);
    EXPECT_EQ(report["total_ns"], 25);
    EXPECT_EQ(report["predicted_ns"], 25);
    EXPECT_EQ(report["t1_ns"], 2);
    EXPECT_EQ(report["t2_ns"], 10);
    EXPECT_EQ(report["t3_ns"], 3);
    EXPECT_EQ(report["regime"], "execution-bound");
    EXPECT_EQ(report["headway_max"], 2);
    EXPECT_EQ(report["live_bytes_peak"], 128);
    ASSERT_EQ(report["waits"].size(), 1u);
    EXPECT_EQ(report["waits"][0]["line"], 40);
    EXPECT_EQ(report["waits"][0]["file"], "train.cpp");
    EXPECT_EQ(report["waits"][0]["kind"], "minibatch_barrier");
    EXPECT_EQ(report["waits"][0]["name"], "minibatch barrier");
    EXPECT_EQ(report["waits"][0]["ns"], 21);
    EXPECT_EQ(report["waits"][0]["caused_by"], Json::parse("[1, 2]"));
    EXPECT_EQ(report["waits"][0]["caused_by_count"], 2);
    ASSERT_EQ(report["lines"].size(), 2u);
    EXPECT_EQ(report["lines"][0]["line"], 31);
    EXPECT_EQ(report["lines"][0]["ops"], 2);
    EXPECT_EQ(report["lines"][1]["blocked_ns"], 21);
    EXPECT_EQ(report["minibatches"], Json::parse(R"([{"index": 0, "issue_begin_ns": 0, "issue_end_ns": 4,
        "execute_begin_ns": 2, "execute_end_ns": 22}])"));
    EXPECT_EQ(report["scopes"], Json::parse(R"([{"name": "epoch", "ns": 25}])"));
    EXPECT_TRUE(report["error"].is_null());
    EXPECT_EQ(report["result"]["losses"][1], 0.25);
}

TEST(Report, ListsPausesSeparatelyFromWaits) {
    RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 0, .end = 2}), 2, 12);
    builder.wait(2, 30, trace::WaitKind::paused, 0, 0, core::make_line(1, 7));
    builder.wait(30, 31, trace::WaitKind::waitall);
    builder.wait(31, 36, trace::WaitKind::paused);
    const Json report = Json::parse(report_json(*builder.read()));
    ASSERT_EQ(report["waits"].size(), 1u);
    EXPECT_EQ(report["waits"][0]["kind"], "waitall");
    ASSERT_EQ(report["pauses"].size(), 2u);
    EXPECT_EQ(report["pauses"][0]["line"], 7);
    EXPECT_EQ(report["pauses"][0]["begin_ns"], 2);
    EXPECT_EQ(report["pauses"][0]["ns"], 28);
    EXPECT_EQ(report["frontend"]["paused_ns"], 28 + 5);

    RecordingBuilder paused_only;
    paused_only.exec(0, paused_only.issue({.begin = 0, .end = 2}), 2, 12);
    paused_only.wait(2, 30, trace::WaitKind::paused);
    EXPECT_EQ(Json::parse(report_json(*paused_only.read()))["waits"], Json::array());
}

TEST(Report, SaysWhichBudgetWasInEffect) {
    const auto settings = [](const char* metadata) {
        RecordingBuilder builder;
        builder.metadata(metadata);
        builder.issue({.begin = 0, .end = 2});
        return Json::parse(report_json(*builder.read()))["settings"];
    };
    const Json by_default =
        settings(R"({"budget": 0, "budget_in_effect": 4096, "budget_is_default": true, "barrier": "none"})");
    EXPECT_EQ(by_default["budget"], 4096);
    EXPECT_EQ(by_default["budget_is_default"], true);
    const Json none =
        settings(R"({"budget": 0, "budget_in_effect": 0, "budget_is_default": false, "barrier": "none"})");
    EXPECT_TRUE(none["budget"].is_null());
    EXPECT_EQ(none["budget_is_default"], false);
    const Json chosen =
        settings(R"({"budget": 512, "budget_in_effect": 512, "budget_is_default": false, "barrier": "none"})");
    EXPECT_EQ(chosen["budget"], 512);
}

TEST(Report, ReservedBytesAreNotBelowTheLiveOnesAndNotKnownInVirtualTime) {
    for (const bool virtual_clock : {false, true}) {
        RecordingBuilder builder(std::size_t{128} << 20, virtual_clock);
        const auto size = builder.signature(1 << 20);
        builder.issue({.begin = 0, .end = 2, .out = 1, .fresh = true, .signature = size});
        builder.exec(0, 1, 2, 12);
        const Json report = Json::parse(report_json(*builder.read()));
        EXPECT_EQ(report["live_bytes_peak"], 1 << 20);
        if (virtual_clock) {
            EXPECT_TRUE(report["reserved_bytes_peak"].is_null());
        } else {
            EXPECT_GE(report["reserved_bytes_peak"], 1 << 20);
        }
    }
}

TEST(Report, IsTheSameTextForTheSameRun) {
    RecordingBuilder a;
    write_small_run(a);
    RecordingBuilder b;
    write_small_run(b);
    EXPECT_EQ(report_json(*a.read()), report_json(*b.read()));
}

TEST(Report, ContainsTheErrorAndOpsThatNeverRan) {
    RecordingBuilder builder;
    builder.mark(trace::FrontendKind::minibatch_begin, 0, 0);
    builder.issue({0, 1});
    builder.recording().meta(trace::MetaType::error, 0,
                             R"({"message": "out of memory at \"matmul\"", "file": "train.cpp", "line": 31, "op": 2})");
    builder.recording().meta(trace::MetaType::result, 0, "not json");
    builder.metadata("{\"program\": \"\xff\"}");
    auto run = builder.read();
    run->close();
    const Json report = Json::parse(report_json(*run));
    EXPECT_EQ(report["error"]["message"], "out of memory at \"matmul\"");
    EXPECT_EQ(report["error"]["kind"], "failed");
    EXPECT_EQ(report["error"]["line"], 31);
    EXPECT_EQ(report["error"]["op"], 2);
    EXPECT_TRUE(report["result"].is_null());
    EXPECT_TRUE(report["minibatches"][0]["execute_end_ns"].is_null());
}

TEST(Report, CapsTheCausesOfAWaitButNotTheirCount) {
    RecordingBuilder builder;
    for (OpId id = 1; id <= 3000; ++id) {
        builder.issue({id, id + 1});
        builder.exec(0, id, 5000 + std::int64_t{id}, 5001 + std::int64_t{id});
    }
    builder.wait(3001, 8002, trace::WaitKind::waitall);
    const Json report = Json::parse(report_json(*builder.read()));
    EXPECT_EQ(report["waits"][0]["caused_by"].size(), 1000u);
    EXPECT_EQ(report["waits"][0]["caused_by"][999], 1000);
    EXPECT_EQ(report["waits"][0]["caused_by_count"], 3000);
}

TEST(Report, CountsLostRecords) {
    RecordingBuilder builder(trace::kHeaderBytes + 3 * trace::kChunkBytes);
    for (OpId id = 1; id <= 300'000; ++id) {
        builder.issue({id, id + 1});
    }
    const Json report = Json::parse(report_json(*builder.read()));
    EXPECT_GT(report["lost_records"], 0);
    EXPECT_EQ(report["end"]["recorded_ops"].get<std::uint64_t>() + report["lost_records"].get<std::uint64_t>(),
              300'000u);
    for (const char* sum : {"ops", "total_ns", "backend_busy_ns", "headway_max", "live_bytes_peak"}) {
        EXPECT_TRUE(report[sum].is_null()) << sum;
    }
}

// The learner's pauses are no part of it.
TEST(Report, AScopeTakesTheProgramsTime) {
    RecordingBuilder builder;
    builder.mark(trace::FrontendKind::scope_begin, 100, 0, "whole");
    builder.wait(200, 5'000'200, trace::WaitKind::paused);
    builder.mark(trace::FrontendKind::scope_end, 5'000'300, 0, "whole");
    builder.mark(trace::FrontendKind::program_end, 5'000'400);
    const std::string json = report_json(*builder.read());
    EXPECT_NE(json.find("\"name\": \"whole\",\n      \"ns\": 200\n"), std::string::npos) << json;
}

}  // namespace
}  // namespace headway::model
