#include "app/exchange/chrome/chrome_reader.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "app/exchange/chrome/chrome_writer.h"
#include "app/exchange/files/gzip_sink.h"
#include "app/model/analysis/bounded_ops.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/report/report.h"
#include "app/model/run/queries.h"
#include "tests/unit/exchange/exported.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::exchange {
namespace {

using trace::FrontendKind;
using trace::WaitKind;

ReadTrace read(const std::string& text) {
    auto trace = read_chrome_trace(text, "t.json");
    EXPECT_TRUE(trace) << trace.error().message;
    return std::move(*trace);
}

std::string problem(const std::string& text) {
    const auto trace = read_chrome_trace(text, "t.json");
    return trace ? "" : trace.error().message;
}

void expect_same(const model::Run& run, const std::string& text) {
    const ReadTrace again = read(text);
    EXPECT_TRUE(again.own);
    EXPECT_TRUE(again.notes.empty()) << again.notes.front();
    const std::string second = exported(*again.run);
    const auto differs = static_cast<std::size_t>(
        std::mismatch(second.begin(), second.end(), text.begin(), text.end()).first - second.begin());
    EXPECT_TRUE(second == text) << "first: …" << text.substr(differs - std::min<std::size_t>(differs, 90), 180)
                                << "\nagain: …" << second.substr(differs - std::min<std::size_t>(differs, 90), 180);
    EXPECT_EQ(model::report_json(*again.run), model::report_json(run));
    ASSERT_EQ(again.run->op_count(), run.op_count());
    for (model::OpId id = 1; id <= run.op_count(); ++id) {
        ASSERT_EQ(again.run->dependencies(id), run.dependencies(id)) << "op " << id;
    }
    ASSERT_EQ(again.run->pending_bytes().size(), run.pending_bytes().size());
    for (std::size_t i = 0; i < run.pending_bytes().size(); ++i) {
        ASSERT_EQ(again.run->pending_bytes().value(i), run.pending_bytes().value(i));
    }
}

TEST(ChromeReader, RestoresTheLearnersHolds) {
    model::RecordingBuilder builder;
    builder.issue({.begin = 0, .end = 10, .lane = 1, .out = 1, .fresh = true});
    builder.recording().record_hold(1, 20, 70);
    builder.exec(1, 1, 70, 90);
    builder.wait(10, 95, WaitKind::waitall);
    builder.mark(FrontendKind::program_end, 100);
    const auto run = builder.read();
    const std::string text = exported(*run);
    expect_same(*run, text);
    const ReadTrace again = read(text);
    ASSERT_EQ(again.run->holds().list().size(), 1u);
    EXPECT_EQ(again.run->holds().list()[0].lane, 1u);
    EXPECT_EQ(paused_ns_of(*again.run), 50);
}

TEST(ChromeReader, RestoresWhatTheProgramsStreamsOrder) {
    model::RecordingBuilder builder;
    builder.metadata(R"({"program": "p", "device_kind": "simulated", "lanes": ["Stream 0", "Stream 1"]})");
    builder.recording().meta(trace::MetaType::file, 1, "a.py");
    builder.issue({.begin = 0, .end = 10, .lane = 0, .out = 1, .fresh = true, .line = core::make_line(1, 3)});
    builder.order({2, 1, 1, 0, 0, trace::OrderKind::read_write, 1, 0, 0});
    builder.issue({.begin = 10, .end = 20, .lane = 1, .out = 2, .in0 = 1, .fresh = true});
    builder.order({3, 1, 0, 0, core::make_line(1, 7), trace::OrderKind::stream_wait, 1, 0, 0});
    builder.order({3, 1, 3, 1, 0, trace::OrderKind::reuse, 1, 0, 0});
    builder.issue({.begin = 20, .end = 30, .lane = 1, .out = 3, .fresh = true});
    builder.exec(0, 1, 10, 90);
    builder.exec(1, 2, 20, 30);
    builder.exec(1, 3, 30, 40);
    builder.wait(40, 60, WaitKind::synchronize, trace::kWaitForLane | 1u, 2);
    const auto run = builder.read();
    run->close();
    ASSERT_EQ(run->orders().size(), 3u);
    expect_same(*run, exported(*run));
    const ReadTrace again = read(exported(*run));
    EXPECT_EQ(again.run->orders()[1].line, core::make_line(1, 7));
    EXPECT_EQ(again.run->waits()[0].stream(), 1);
    EXPECT_EQ(again.run->waits()[0].target_op, 2u);
}

TEST(ChromeReader, RestoresTheProgramsTorchAndTheLinesOfForwardOps) {
    model::RecordingBuilder builder;
    builder.metadata(R"({"program": "p", "device_kind": "simulated", "lanes": ["Stream 0"]})");
    builder.recording().meta(trace::MetaType::file, 1, "a.py");
    builder.issue({.begin = 0, .end = 10, .out = 1, .fresh = true, .line = core::make_line(1, 3)});
    builder.issue({.begin = 10, .end = 20, .out = 2, .in0 = 1, .fresh = true, .line = core::make_line(1, 9)});
    builder.more_inputs(0, 0, core::make_line(1, 3));
    builder.issue({.begin = 20, .end = 30, .out = 3, .in0 = 1, .in1 = 2, .fresh = true, .line = core::make_line(1, 9)});
    builder.more_inputs(1, 0, core::make_line(1, 4));
    builder.exec(0, 1, 10, 90);
    builder.exec(0, 2, 90, 100);
    builder.exec(0, 3, 100, 140);
    builder.recording().meta(trace::MetaType::torch, 0, R"({"torch": "PyTorch 1.13.0"})");
    builder.recording().meta(trace::MetaType::torch, 0,
                             R"({"torch": "PyTorch 1.13.0", "cpu_ops": 7, "cpu_ops_ns": 50})");
    const auto run = builder.read();
    run->close();
    expect_same(*run, exported(*run));
    const ReadTrace again = read(exported(*run));
    for (const model::Run* each : {run.get(), again.run.get()}) {
        EXPECT_EQ(each->info().torch, "PyTorch 1.13.0");
        EXPECT_EQ(each->info().cpu_ops, 7u);
        EXPECT_EQ(each->info().cpu_ops_ns, 50u);
        EXPECT_EQ(each->op(1).forward_line, 0u);
        EXPECT_EQ(each->op(2).forward_line, core::make_line(1, 3));
        EXPECT_EQ(each->op(3).forward_line, core::make_line(1, 4));
        EXPECT_EQ(each->more_inputs(3), std::vector<core::BufferId>{1});
        const auto costs = line_costs_of(*each);
        ASSERT_EQ(costs.size(), 3u);
        EXPECT_EQ(costs[0].backward_ops, 1u);
        EXPECT_EQ(costs[0].backward_ns, 10);
        EXPECT_EQ(costs[1].backward_ns, 40);
        EXPECT_EQ(costs[2].ops, 2u);
    }
}

// What an op does on the simulated device follows from its kind, also under PyTorch's name for it.
TEST(ChromeReader, RestoresTheKindsOfOpsWithOtherNames) {
    model::RecordingBuilder builder;
    builder.metadata(R"({"program": "p", "device_kind": "simulated", "lanes": ["Stream 0"]})");
    trace::SignatureInfo info{};
    info.op_kind = static_cast<std::uint16_t>(devices::OpKind::copy_to_host);
    builder.recording().signature(40, info, "scalar float32", "aten::_local_scalar_dense");
    builder.recording().signature(41, info, "scalar float32", "copy_to_host");
    builder.recording().signature(42, trace::SignatureInfo{}, "scalar float32", "aten::unknown");
    builder.issue({.begin = 0, .end = 10, .out = 1, .fresh = true, .signature = 40});
    builder.exec(0, 1, 10, 20);
    const auto run = builder.read();
    run->close();
    const ReadTrace again = read(exported(*run));
    for (const model::Run* each : {run.get(), again.run.get()}) {
        EXPECT_EQ(each->signature(40).kind, devices::OpKind::copy_to_host);
        EXPECT_EQ(each->signature(41).kind, devices::OpKind::copy_to_host);
        EXPECT_EQ(each->signature(42).kind, devices::OpKind::none);
    }
}

TEST(ChromeReader, RestoresATraceOfFortyLanes) {
    // Another program's trace with 40 threads and nested spans.
    std::string text = "[";
    for (int i = 0; i < 400; ++i) {
        const int thread = i % 20, begin = i * 7;
        const auto span = [&](const char* name, int ts, int dur) {
            text += "{\"ph\":\"X\",\"pid\":1,\"name\":\"" + std::string(name) + "\",\"tid\":" + std::to_string(thread) +
                    ",\"ts\":" + std::to_string(ts) + ",\"dur\":" + std::to_string(dur) + ".125},";
        };
        span("outer", begin, 90);
        span("inner", begin + 5, 30);
    }
    const ReadTrace foreign = read(text);
    EXPECT_FALSE(foreign.own);
    ASSERT_EQ(foreign.run->lanes().size(), 40u);
    expect_same(*foreign.run, exported(*foreign.run));
    const ReadTrace again = read(exported(*foreign.run));
    ASSERT_EQ(again.run->lanes().size(), 40u);
    for (std::size_t lane = 0; lane < 40; ++lane) {
        EXPECT_EQ(again.run->lanes()[lane].name, foreign.run->lanes()[lane].name);
        const auto &ops = again.run->lanes()[lane].ops, &expected = foreign.run->lanes()[lane].ops;
        EXPECT_TRUE(std::equal(ops.begin(), ops.end(), expected.begin(), expected.end()));
    }
    EXPECT_EQ(again.run->lanes()[39].ops.size(), 20u);
}

TEST(ChromeReader, RestoresAnOwnTrace) {
    model::RecordingBuilder builder;
    auto& recording = builder.recording();
    builder.metadata(
        R"({"program": "p", "title": "A \"title\" é", "frontend": "Python", "simulated": true, "seed": 7, "budget": 12345678901,
                      "device_kind": "simulated", "device_name": "d", "cpu": "c", "os": "o", "cores": 3,
                      "barrier": "behind:2", "free_policy": "lazy", "workers": 2, "streams": 3, "queue_limit": 9,
                      "date": "2026-01-01", "version": "1", "lanes": ["Stream 0", "Stream \\1"],
                      "parameters": {"n": "3"}})");
    recording.meta(trace::MetaType::file, 3, "/a b/train.py");
    recording.meta(trace::MetaType::result, 0, R"({"loss": [1.5, 2]})");
    const auto add = builder.signature(8);
    builder.mark(FrontendKind::scope_begin, 900, 0, "a\nscope");
    builder.mark(FrontendKind::scope_begin, 900, 0, "inner");
    builder.mark(FrontendKind::scope_end, 900, 0, "inner");
    builder.mark(FrontendKind::scope_begin, 900, 0, "inner");
    builder.mark(FrontendKind::measure_begin, 930);
    builder.mark(FrontendKind::minibatch_begin, 950);
    const auto line = core::make_line(3, 77);
    const auto a = builder.issue({.begin = 1000, .end = 1250, .out = 1, .fresh = true, .signature = add, .line = line});
    builder.work(1252, 1259, "NumPy", line);
    builder.wait(1260, 1270, WaitKind::item, 1, 0, line);
    builder.wrote(1271, "loss \"é\" and a text that takes several records\n");
    builder.wrote(1272, "a \tsecond call, \x01", true);
    builder.work(1275, 1999, "", 0);
    const auto b = builder.issue(
        {.begin = 2001, .end = 2100, .lane = 1, .out = 2, .in0 = 1, .in1 = 1, .fresh = true, .signature = add});
    builder.more_inputs(1, 2);
    builder.barrier(2120, trace::BarrierKind::behind, 3);
    builder.barrier(2120, trace::BarrierKind::none, 0);
    builder.mark(FrontendKind::scope_end, 2150, 0, "inner");
    builder.issue({.begin = 2200, .end = 2300, .lane = 1, .out = 2, .in0 = 2, .signature = add, .in_place = true});
    builder.exec(0, a, 1500, 2999);
    builder.exec(1, b | trace::kFailedOp, 3000, 3001);
    builder.drop(2350, 1);
    builder.wait(2400, 3100, WaitKind::minibatch_barrier, 0, 2);
    builder.mark(FrontendKind::measure_end, 3120);
    builder.mark(FrontendKind::minibatch_end, 3150);
    builder.mark(FrontendKind::minibatch_begin, 3160, 1);
    builder.mark(FrontendKind::minibatch_end, 3170, 1);
    builder.wait(3180, 3190, WaitKind::waitall);
    builder.mark(FrontendKind::scope_end, 3200, 0, "a\nscope");
    builder.mark(FrontendKind::program_end, 3300);
    recording.meta(trace::MetaType::error, 0,
                   R"({"kind": "stopped", "message": "broke", "file": "f.py", "line": 4, "op": 2})");
    auto run = builder.read();
    run->close();
    expect_same(*run, exported(*run));
    const ReadTrace again = read(exported(*run));
    EXPECT_EQ(again.run->line_text(again.run->op(1).line), "train.py:77");
    EXPECT_EQ(again.run->file(3), "/a b/train.py");
    EXPECT_EQ(again.run->scopes().size(), 3u);
    EXPECT_EQ(again.run->works().size(), 2u);
    ASSERT_EQ(again.run->info().barrier_changes.size(), 2u);
    EXPECT_EQ(again.run->info().barrier_changes[0].barrier, "behind:3");
    EXPECT_EQ(again.run->info().barrier_changes[0].ns, 2120);
    EXPECT_EQ(again.run->info().frontend, "Python");
    EXPECT_EQ(again.run->error()->message, "broke");
    EXPECT_TRUE(again.run->error()->stopped());
    EXPECT_EQ(again.run->info().budget, 12345678901u);
}

TEST(ChromeReader, RestoresGraphsLaunchesAndDriverEvents) {
    model::RecordingBuilder builder;
    auto& recording = builder.recording();
    builder.metadata(
        R"({"program": "p", "title": "t", "device_kind": "cuda", "device_name": "GPU", "free_policy": "finish",
                      "barrier": "none", "issue": "graph", "timing": "cupti", "timing_note": "",
                      "timing_uncertainty_ns": 850, "launch": "frontend", "copies": "pinned", "products": "tf32",
                      "lanes": ["Stream 0", "Stream 1"]})");
    const auto add = builder.signature(8);
    const auto large = builder.signature(4096);
    builder.issue({.begin = 1000, .end = 1100, .out = 1, .fresh = true, .signature = add});
    builder.issue({.begin = 1200, .end = 1300, .lane = 1, .out = 2, .in0 = 1, .fresh = true, .signature = add});
    builder.more_output(3, true, large);
    builder.more_output(4, true, add);
    builder.more_output(1, false, add);
    builder.drop(1310, 3);
    builder.exec(0, 1, 1500, 1600);
    builder.part(1, large, 1700, 1800);
    builder.part(1, add, 1850, 1900);
    builder.exec(1, 2, 1700, 1950);
    trace::StreamWriter<trace::ExecRecord> launches(recording, {trace::StreamKind::launch, 0});
    launches.add({1010, 50, 1});
    launches.add({1210, 60, 2});
    trace::StreamWriter<trace::DriverRecord> driver(recording, {trace::StreamKind::driver, 0});
    driver.add({900, 40, trace::DriverKind::stream_wait, 7, 0});
    driver.add({950, 0, trace::DriverKind::device_taken, 0, 1 << 20});
    driver.add({1700, 250, trace::DriverKind::bounded_ops, 1, 1});
    builder.wait(1960, 2000, WaitKind::waitall);
    builder.mark(FrontendKind::program_end, 2100);
    auto run = builder.read();
    run->close();
    expect_same(*run, exported(*run));
    const ReadTrace again = read(exported(*run));
    ASSERT_EQ(again.run->parts(2).size(), 2u);
    EXPECT_EQ(again.run->parts(2)[0].signature, large);
    EXPECT_EQ(again.run->more_outputs(2).size(), 3u);
    EXPECT_EQ(again.run->live_bytes().at(1400), 8 + 8 + 4096 + 8);
    EXPECT_EQ(again.run->launches().size(), 2u);
    EXPECT_EQ(again.run->driver_events().size(), 3u);
    EXPECT_EQ(model::bounded_ops(*again.run), 1u);
    EXPECT_EQ(again.run->info().timing_uncertainty_ns, 850u);
}

TEST(ChromeReader, ARealClockKeepsItsSamplesAndTheRecordersCost) {
    model::RecordingBuilder builder(std::size_t{128} << 20, false);
    auto& recording = builder.recording();
    recording.header().recorder_ns_per_op = 21.3125;
    const auto now = static_cast<std::int64_t>(core::ticks());
    const auto add = builder.signature(64);
    for (int i = 0; i < 50; ++i) {
        const auto op =
            builder.issue({.begin = now + i * 1000, .end = now + i * 1000 + 333, .out = 0, .signature = add});
        builder.exec(0, op, now + i * 1000 + 500, now + i * 1000 + 1400);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(60));  // for two distinct anchors and some samples
    recording.header().state.store(static_cast<std::uint32_t>(trace::RunState::finished));
    auto run = builder.read();
    run->close();
    ASSERT_GT(run->resident_bytes().size(), 1u);
    EXPECT_GT(run->recorder_ns_per_op(), 0);
    expect_same(*run, exported(*run));
}

TEST(ChromeReader, RestoresRandomPrograms) {
    for (std::uint32_t seed = 1; seed <= 30; ++seed) {
        model::RecordingBuilder builder;
        const char* policies[] = {"finish", "stream", "lazy"};
        builder.policy(policies[seed % 3]);
        model::RandomProgram program(builder, seed, 1 + seed % 4);
        std::mt19937 random(seed);
        std::vector<std::string> open;
        for (int i = 0; i < 300; ++i) {
            program.step();
            const auto now = program.ops.empty() ? 0 : program.ops.back().issue_end;
            if (random() % 30 == 0) {
                builder.work(now, now + random() % 3, random() % 2 == 0 ? "NumPy" : "import", random() % 9);
            }
            if (random() % 25 == 0) {
                builder.wrote(now, std::string(1 + random() % 40, static_cast<char>('a' + random() % 26)) + "\n",
                              random() % 2 == 0);
            }
            if (random() % 20 == 0) {
                open.push_back("scope " + std::to_string(random() % 3));
                builder.mark(FrontendKind::scope_begin, now, 0, open.back());
            } else if (random() % 20 == 0 && !open.empty()) {
                const auto place = random() % open.size();
                builder.mark(FrontendKind::scope_end, now, 0, open[place]);
                open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
            }
        }
        if (seed % 5 != 0) {
            program.end();  // else some ops never ran
        }
        auto run = builder.read();
        run->close();
        SCOPED_TRACE(seed);
        expect_same(*run, exported(*run));
    }
}

TEST(ChromeReader, ReadsCompressedAndPlainFilesAndRecordings) {
    model::RecordingBuilder builder;
    const auto add = builder.signature(8);
    for (int i = 0; i < 5000; ++i) {
        const auto op = builder.issue({.begin = i * 10, .end = i * 10 + 5, .out = 1, .signature = add});
        builder.exec(0, op, i * 10 + 5, i * 10 + 9);
    }
    auto run = builder.read();
    run->close();
    const std::string text = exported(*run);
    std::string packed;
    GzipSink gzip([&](std::string_view bytes) {
        packed += bytes;
        return true;
    });
    EXPECT_TRUE(gzip.write(text));
    EXPECT_TRUE(gzip.finish());
    const auto folder = std::filesystem::temp_directory_path();
    const auto path = (folder / ("headway-reader-" + std::to_string(getpid()))).string();
    for (const std::string* bytes : std::initializer_list<const std::string*>{&text, &packed}) {
        std::ofstream(path, std::ios::binary) << *bytes;
        ReadProgress progress;
        auto trace = read_trace(path, &progress);
        ASSERT_TRUE(trace) << trace.error().message;
        EXPECT_TRUE(exported(*trace->run) == text);
        EXPECT_GT(progress.permille.load(), 0);
        progress.cancel = true;
        const auto cancelled = read_trace(path, &progress);
        ASSERT_FALSE(cancelled);
        EXPECT_EQ(cancelled.error().kind, core::ErrorKind::stopped);
    }
    // Truncated within the compressed bytes: all complete events are read.
    std::ofstream(path, std::ios::binary) << packed.substr(0, packed.size() / 2);
    auto cut = read_trace(path);
    ASSERT_TRUE(cut) << cut.error().message;
    EXPECT_GT(cut->run->op_count(), 1000u);
    ASSERT_FALSE(cut->notes.empty());
    EXPECT_NE(cut->notes[0].find("cut off"), std::string::npos);
    EXPECT_EQ(cut->run->end().verdict, model::Verdict::unknown);
    // Some bytes changed within them: what comes before it is read.
    for (std::size_t part = 2; part <= 15; ++part) {
        std::string damaged = packed;
        damaged.replace(packed.size() * part / 16, 64, 64, '\0');
        std::ofstream(path, std::ios::binary) << damaged;
        auto broken = read_trace(path);
        ASSERT_TRUE(broken) << part << ": " << broken.error().message;
        ASSERT_FALSE(broken->notes.empty()) << part;
        EXPECT_NE(broken->notes[0].find("The compressed file is damaged: its "), std::string::npos) << broken->notes[0];
    }
    std::ofstream(path, std::ios::binary) << packed.substr(0, 10) << std::string(100, '\xff');
    const auto nothing = read_trace(path);
    ASSERT_FALSE(nothing);
    EXPECT_NE(nothing.error().message.find("the compressed data are damaged"), std::string::npos)
        << nothing.error().message;
    std::filesystem::remove(path);
    EXPECT_NE(read_trace(path).error().message.find(path), std::string::npos);
}

// A truncated file of any length gives all of its complete events.
TEST(ChromeReader, ACutFileGivesItsCompleteEvents) {
    model::RecordingBuilder builder;
    const auto add = builder.signature(8);
    for (int i = 0; i < 12; ++i) {
        builder.issue({.begin = i * 10, .end = i * 10 + 5, .out = 1, .signature = add});
    }
    auto run = builder.read();
    run->close();
    const std::string text = exported(*run);
    const std::size_t events = text.find("\"traceEvents\":[") + 15;
    std::size_t ops = 0;
    for (std::size_t length = events; length < text.size(); length += 61) {
        const std::string part = text.substr(0, length);
        std::size_t whole = 0;
        for (std::size_t at = 0; (at = part.find("\"cat\":\"issue\"", at)) != std::string::npos; ++at) {
            whole += part.find("}}", at) != std::string::npos ? 1 : 0;
        }
        const auto trace = read_chrome_trace(part, "t.json");
        ASSERT_TRUE(trace) << trace.error().message;
        EXPECT_EQ(trace.value().run->op_count(), whole) << length;
        ops = whole;
    }
    EXPECT_EQ(ops, 12u);
}

TEST(ChromeReader, RejectsOtherFilesWithOneSentence) {
    EXPECT_NE(problem("").find("t.json"), std::string::npos);
    EXPECT_NE(problem("").find("empty"), std::string::npos);
    EXPECT_NE(problem("hello").find("not a Chrome trace"), std::string::npos);
    EXPECT_NE(problem("{}").find("no events"), std::string::npos);
    EXPECT_NE(problem("[]").find("no events"), std::string::npos);
    EXPECT_NE(problem("{\"traceEvents\": 3}").find("no events"), std::string::npos);
    EXPECT_NE(problem("{\"a\" 3}").find("colon"), std::string::npos);
    EXPECT_NE(problem("[{\"a\":}\n]").find("line 1"), std::string::npos);
    EXPECT_NE(problem("[{\"ph\":\"M\",\"name\":\"x\"}]").find("no event in this trace has a duration"),
              std::string::npos);
}

TEST(ChromeReader, ReportsThePositionOfABrokenEvent) {
    const std::string text =
        "[\n{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2},\n{\"ph\":\"X\" \"name\":,},\n"
        "{\"ph\":\"X\",\"name\":\"b\",\"ts\":4,\"dur\":2}, 17, [1,2]\n]";
    const ReadTrace trace = read(text);
    EXPECT_EQ(trace.run->op_count(), 2u);
    ASSERT_GE(trace.notes.size(), 1u);
    EXPECT_NE(trace.notes[0].find("line 3"), std::string::npos) << trace.notes[0];
}

TEST(ChromeReader, EventsLargerThanAWindowAreRead) {
    std::string text = "{\"traceEvents\":[";
    for (int i = 0; i < 3; ++i) {
        text += (i == 0 ? "" : ",") + std::string("{\"ph\":\"X\",\"ts\":") + std::to_string(i * 10) +
                ",\"dur\":5,\"name\":\"" + std::string(3'000'000, 'n') + "\"}";
    }
    text += "],\"traceName\":\"x\"}";
    const ReadTrace trace = read(text);
    EXPECT_EQ(trace.run->op_count(), 3u);
    EXPECT_TRUE(trace.notes.empty());
}

}  // namespace
}  // namespace headway::exchange
