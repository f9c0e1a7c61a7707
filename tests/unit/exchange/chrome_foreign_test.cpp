// Other programs' traces, with their irregularities.
#include <gtest/gtest.h>

#include "app/exchange/chrome/chrome_reader.h"
#include "app/exchange/chrome/chrome_writer.h"
#include "app/model/analysis/time_range_summary.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/report/report.h"
#include "tests/unit/exchange/exported.h"
#include "tests/unit/exchange/foreign_trace.h"

namespace headway::exchange {
namespace {

const char* const kTorch = R"json({
  "schemaVersion": 1,
  "deviceProperties": [ { "id": 0, "name": "NVIDIA H200", "totalGlobalMem": 1 } ],
  "baseTimeNanoseconds": 1718064000000000000,
  "traceEvents": [
  { "name": "process_name", "ph": "M", "ts": 0, "pid": 42, "tid": 0, "args": { "name": "python" } },
  { "name": "thread_name", "ph": "M", "ts": 0, "pid": 0, "tid": 20, "args": { "name": "stream 20 " } },
  { "ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 42, "tid": 42, "ts": 1000.000, "dur": 100.000, "args": {} },
  { "ph": "X", "cat": "user_annotation", "name": "forward", "pid": 42, "tid": 42, "ts": 1001.000, "dur": 40.000 },
  { "ph": "X", "cat": "python_function", "name": "train.py(25): step", "pid": 42, "tid": 42, "ts": 1001.5, "dur": 90 },
  { "ph": "X", "cat": "python_function", "name": "torch/nn/modules/linear.py(115): forward", "pid": 42, "tid": 42, "ts": 1002, "dur": 20 },
  { "ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 42, "tid": 42, "ts": 1003.0, "dur": 12.0 },
  { "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 42, "tid": 42, "ts": 1005.250, "dur": 4.125,
    "args": { "External id": 5, "cbid": 211, "correlation": 900 } },
  { "ph": "s", "id": 900, "pid": 42, "tid": 42, "ts": 1005.250, "cat": "ac2g", "name": "ac2g" },
  { "ph": "X", "cat": "kernel", "name": "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int, float)", "pid": 0, "tid": 7, "ts": 1020.125, "dur": 30.5,
    "args": { "device": 0, "stream": 7, "correlation": 900, "grid": [1, 2, 3] } },
  { "ph": "f", "id": 900, "pid": 0, "tid": 7, "ts": 1020.125, "cat": "ac2g", "name": "ac2g", "bp": "e" },
  { "ph": "X", "cat": "kernel", "name": "sm90_xmma_gemm_bf16", "pid": 0, "tid": 20, "ts": 1030, "dur": 10, "args": { "correlation": 901 } },
  { "ph": "X", "cat": "cpu_op", "name": "aten::item", "pid": 42, "tid": 42, "ts": 1050, "dur": 20 },
  { "ph": "X", "cat": "cuda_runtime", "name": "cudaStreamSynchronize", "pid": 42, "tid": 42, "ts": 1052, "dur": 17, "args": { "correlation": 903 } },
  { "ph": "i", "s": "t", "name": "[memory]", "pid": 42, "tid": 42, "ts": 1004, "args": { "Total Allocated": 4096, "Device Type": 1 } },
  { "ph": "i", "s": "t", "name": "[memory]", "pid": 42, "tid": 42, "ts": 1060, "args": { "Total Allocated": 1024, "Device Type": 1 } },
  { "ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 1100 }
  ],
  "traceName": "x.json"
})json";

TEST(ChromeForeign, ATorchTraceBecomesLanesIssuesWaitsAndMemory) {
    const ReadTrace trace = read(kTorch);
    const model::Run& run = *trace.run;
    EXPECT_FALSE(trace.own);
    EXPECT_EQ(run.info().title, "their.json");
    EXPECT_EQ(run.info().device_name, "NVIDIA H200");
    ASSERT_EQ(run.lanes().size(), 2u);
    EXPECT_EQ(run.lanes()[0].name, "Stream 7");
    EXPECT_EQ(run.lanes()[1].name, "Stream 20");
    ASSERT_EQ(run.op_count(), 2u);
    const model::Op& kernel = run.op(1);
    EXPECT_EQ(kernel.issue_begin_ns, 5'250);
    EXPECT_EQ(kernel.issue_end_ns, 5'250 + 4'125);
    EXPECT_EQ(kernel.begin_ns, 20'125);
    EXPECT_EQ(kernel.end_ns, 50'625);
    EXPECT_FALSE(kernel.not_issued);
    EXPECT_EQ(run.signature(kernel.signature).name, "vectorized_layer_norm_kernel");
    EXPECT_EQ(run.signature(kernel.signature).family, devices::Family::reduce);
    EXPECT_EQ(run.line_text(kernel.line), "train.py:25");  // not a line of the framework
    EXPECT_TRUE(run.op(2).not_issued);
    EXPECT_TRUE(noted(trace, "launch is not in the trace"));
    ASSERT_EQ(run.waits().size(), 1u);
    EXPECT_EQ(run.waits()[0].name, "item");
    EXPECT_EQ(run.waits()[0].kind, trace::WaitKind::item);
    EXPECT_EQ(run.waits()[0].begin_ns, 52'000);
    EXPECT_EQ(run.waits()[0].issued, 2u);
    ASSERT_EQ(run.minibatches().size(), 1u);
    EXPECT_EQ(run.minibatches()[0].index, 3);
    EXPECT_EQ(run.minibatches()[0].last, 2u);
    ASSERT_EQ(run.scopes().size(), 1u);
    EXPECT_EQ(run.scopes()[0].name, "forward");
    EXPECT_EQ(run.live_bytes().at(10'000), 4096);
    EXPECT_EQ(run.live_bytes().at(70'000), 1024);
}

TEST(ChromeForeign, MemoryOfSeveralDevicesIsSummed) {
    const auto reading = [](int at, int device, int bytes) {
        return R"({"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": )" + std::to_string(at) +
               R"(, "args": {"Device Type": 1, "Device Id": )" + std::to_string(device) + R"(, "Total Allocated": )" +
               std::to_string(bytes) + "}}";
    };
    const ReadTrace trace = read(
        R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 0, "dur": 100}, )" +
        reading(30, 1, 50) + ", " + reading(10, 0, 1000) + ", " + reading(20, 1, 20) + ", " + reading(40, 0, 300) +
        "]}");
    const auto at = [&](std::int64_t us) { return trace.run->live_bytes().at(us * 1000 + 1); };
    EXPECT_EQ(at(15), 1000);
    EXPECT_EQ(at(25), 1020);
    EXPECT_EQ(at(35), 1050);
    EXPECT_EQ(at(45), 350);
}

TEST(ChromeForeign, DetectsWhatATraceContains) {
    const model::TraceCapabilities torch = read(kTorch).run->capabilities();
    EXPECT_TRUE(torch.issues && torch.waits && torch.backend && torch.memory);
    EXPECT_FALSE(torch.tensors || torch.settings);
    const ReadTrace threads = read(R"([{"ph":"X","name":"a","ts":1,"dur":1}])");
    const model::TraceCapabilities none = threads.run->capabilities();
    EXPECT_FALSE(none.issues || none.waits || none.backend || none.memory || none.tensors || none.settings);
    EXPECT_FALSE(numbers_of(*threads.run).capabilities.issues);
    EXPECT_STREQ(model::regime_word(numbers_of(*threads.run)), "");
    // Kernels and a wait, but no launch: the lanes are known to be a GPU's.
    const ReadTrace unlaunched = read(R"([
        {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":5},
        {"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":1,"tid":1,"ts":12,"dur":5}])");
    const model::TraceCapabilities kernels = unlaunched.run->capabilities();
    EXPECT_TRUE(kernels.waits && kernels.backend);
    EXPECT_FALSE(kernels.issues);
    const std::string report = model::report_json(*unlaunched.run);
    EXPECT_NE(report.find("\"blocked_ns\": 5000"), std::string::npos) << report;
    EXPECT_NE(report.find("\"caused_by\": null"), std::string::npos) << report;
    EXPECT_NE(report.find("\"predicted_ns\": null"), std::string::npos) << report;
    // One of two kernels has a launch: the mean covers only its issue.
    EXPECT_EQ(numbers_of(*read(kTorch).run).t1_ns, 4125);
}

TEST(ChromeForeign, ThreadsWithoutKernelsAreLanesByDepth) {
    const ReadTrace trace = read(R"([
        {"ph":"B","name":"outer","pid":"Spans","tid":"","ts":"10"},
        {"ph":"B","name":"inner","pid":"Spans","tid":"","ts":12.5},
        {"ph":"E","pid":"Spans","tid":"","ts":15},
        {"ph":"E","pid":"Spans","tid":"","ts":20},
        {"ph":"E","pid":"Spans","tid":"","ts":21},
        {"ph":"X","name":"late","pid":1,"tid":"7","ts":40,"dur":1},
        {"ph":"X","name":"early","pid":1,"tid":7,"ts":30,"dur":2},
        {"ph":"X","name":"across","pid":1,"tid":7,"ts":31,"dur":4},
        {"ph":"X","name":"none","pid":1,"tid":7,"ts":50},
        {"ph":"X","name":"back","pid":1,"tid":7,"ts":60,"dur":-5},
        {"ph":"X","name":"when?","pid":1,"tid":7},
        {"ph":"B","name":"open","pid":1,"tid":8,"ts":55}
    ])");
    const model::Run& run = *trace.run;
    EXPECT_EQ(run.op_count(), 8u);
    ASSERT_EQ(run.lanes().size(), 5u);  // Spans, Spans inside; 7, 7 inside; 8
    EXPECT_EQ(run.op(1).begin_ns, 0);
    EXPECT_EQ(run.op(1).end_ns, 10'000);
    EXPECT_EQ(run.op(2).begin_ns, 2'500);
    for (const auto& lane : run.lanes()) {
        for (std::size_t i = 1; i < lane.ops.size(); ++i) {
            EXPECT_LE(run.op(lane.ops[i - 1]).end_ns, run.op(lane.ops[i]).begin_ns);
        }
    }
    EXPECT_TRUE(noted(trace, "1 end without a start was left out"));
    EXPECT_TRUE(noted(trace, "1 duration below zero"));
    EXPECT_TRUE(noted(trace, "1 event without a time"));
    EXPECT_TRUE(noted(trace, "1 span without an end"));
}

// A span of 1 µs every 10 µs from `begin_us` on, and the spans in `more`.
std::string crowd(int count, std::int64_t begin_us, const std::string& more) {
    std::string text = "[";
    for (int i = 0; i < count; ++i) {
        text += "{\"ph\":\"X\",\"name\":\"a\",\"tid\":1,\"ts\":" + std::to_string(begin_us + 10 * i) + ",\"dur\":1},";
        text += i == count / 2 ? more : "";
    }
    return text;
}

TEST(ChromeForeign, ReportsInvalidTimes) {
    const ReadTrace trace = read(R"([
        {"ph":"X","name":"good","tid":1,"ts":1000,"dur":5},
        {"ph":"X","name":"a","tid":1,"ts":1e300,"dur":5}, {"ph":"X","name":"b","tid":1,"ts":-1e18,"dur":5},
        {"ph":"X","name":"c","tid":1,"ts":1e999,"dur":5}, {"ph":"X","name":"d","tid":1,"ts":"1e25","dur":5},
        {"ph":"X","name":"e","tid":1,"ts":{"at":5},"dur":5}, {"ph":"X","name":"f","tid":1,"ts":"noon","dur":5},
        {"ph":"X","name":"g","tid":1,"ts":true,"dur":5}, {"ph":"X","name":"h","tid":1,"ts":[1],"dur":5},
        {"ph":"X","name":"i","tid":1,"ts":null,"dur":5}, {"ph":"X","name":"j","tid":1,"dur":5},
        {"ph":"X","name":"k","tid":2,"ts":1001,"dur":true}, {"ph":"X","name":"l","tid":3,"ts":1002,"dur":{"x":1}},
        {"ph":"X","name":"m","tid":4,"ts":1003,"dur":"long"}, {"ph":"X","name":"n","tid":5,"ts":1004,"dur":6.3e15},
        {"ph":"X","name":"o","tid":6,"ts":1005,"dur":1e300}, {"ph":"X","name":"p","tid":7,"ts":1006,"dur":-1e300},
        {"ph":"X","name":"q","tid":8,"ts":1e-999,"dur":1},
        {"ph":"X","name":"last","tid":9,"ts":"1010","dur":"7.5"}
    ])");
    const model::Run& run = *trace.run;
    EXPECT_TRUE(noted(trace, "4 events 73 years or more from zero were left out (the first: 1e300)."))
        << all_notes(trace);
    EXPECT_TRUE(noted(trace, "5 events whose time is not a number were left out (the first: an object)."))
        << all_notes(trace);
    EXPECT_TRUE(noted(trace, "1 event without a time was left out.")) << all_notes(trace);
    EXPECT_TRUE(noted(trace, "3 durations that are not numbers were taken as 0 (the first: true)."))
        << all_notes(trace);
    EXPECT_TRUE(noted(trace, "3 durations of 73 years or more were taken as 0 (the first: 6.3e15)."))
        << all_notes(trace);
    EXPECT_EQ(trace.notes.size(), 5u) << all_notes(trace);
    ASSERT_EQ(run.op_count(), 9u);  // good, k to p, q, last
    EXPECT_EQ(run.signature(run.op(1).signature).name, "q");
    EXPECT_EQ(run.op(2).end_ns - run.op(2).begin_ns, 5000);
    EXPECT_EQ(run.op(9).begin_ns, 1'010'000);
    EXPECT_EQ(run.op(9).end_ns, 1'017'500);
    EXPECT_EQ(numbers_of(run).total_ns, 1'017'500);
}

TEST(ChromeForeign, InvalidJsonDoesNotAffectOtherEvents) {
    for (const char* odd : {"NaN", "-Infinity", "1e", "0x10", "--1", "1.2.3"}) {
        const ReadTrace trace =
            read(crowd(20, 5, std::string("{\"ph\":\"X\",\"name\":\"odd\",\"ts\":") + odd + ",\"dur\":1},"));
        EXPECT_EQ(trace.run->op_count(), 20u) << odd;
        EXPECT_FALSE(trace.notes.empty()) << odd;
    }
}

TEST(ChromeForeign, OutliersInTimeAreLeftOutAndReported) {
    constexpr std::int64_t kNow = 1'700'000'000'000'000;
    const char* const at_zero = "{\"ph\":\"X\",\"name\":\"zero\",\"tid\":1,\"ts\":0,\"dur\":3},";
    for (const int count : {2, 5, 300}) {  // a time of zero, far from all others, with any number of others
        const ReadTrace trace = read(crowd(count, kNow, at_zero));
        EXPECT_EQ(trace.run->op_count(), static_cast<std::size_t>(count));
        EXPECT_EQ(numbers_of(*trace.run).total_ns, 10'000 * (count - 1) + 1000);
        EXPECT_EQ(trace.run->op(2).begin_ns, 10'000);  // the others keep their times
        EXPECT_EQ(all_notes(trace),
                  "1 span that begins 54 years before the 100 days that hold the most was left out.\n");
    }
    // A computer that has been up for five days.
    const std::int64_t uptime = 5LL * 24 * 3600 * 1'000'000;
    const ReadTrace up = read(crowd(300, uptime, at_zero));
    EXPECT_EQ(up.run->op_count(), 300u);
    EXPECT_EQ(numbers_of(*up.run).total_ns, 2'991'000);
    EXPECT_EQ(all_notes(up), "1 span that begins 5 days before all others was left out.\n");
    // Outliers at both ends.
    const std::string late =
        "{\"ph\":\"X\",\"name\":\"late\",\"tid\":1,\"ts\":" + std::to_string(2 * uptime) + ",\"dur\":3},";
    const ReadTrace both = read(crowd(300, uptime, at_zero + late));
    EXPECT_EQ(both.run->op_count(), 300u);
    EXPECT_TRUE(noted(both, "1 span that begins 5 days before all others was left out.")) << all_notes(both);
    EXPECT_TRUE(noted(both, "1 span that begins 5 days after all others was left out.")) << all_notes(both);
}

TEST(ChromeForeign, SparseSpansAreKept) {
    const auto at = [](std::int64_t us) {
        return "{\"ph\":\"X\",\"name\":\"b\",\"tid\":1,\"ts\":" + std::to_string(us) + ",\"dur\":3},";
    };
    constexpr std::int64_t kHour = 3600LL * 1'000'000;
    // Two outliers among ten; one less than an hour away; fewer spans than needed; many that are hours apart.
    EXPECT_EQ(read(crowd(10, 100 * kHour, at(0) + at(1))).run->op_count(), 12u);
    EXPECT_EQ(read(crowd(300, kHour - 1000, at(0))).run->op_count(), 301u);
    EXPECT_EQ(read(crowd(8, 5 * kHour, at(0))).run->op_count(), 9u);
    std::string text = "[";
    for (int i = 0; i < 200; ++i) {
        text += at(i * 2 * kHour);
    }
    const ReadTrace hours = read(text);
    EXPECT_EQ(hours.run->op_count(), 200u);
    EXPECT_EQ(hours.run->op(200).begin_ns, 398 * kHour * 1000);
    EXPECT_TRUE(hours.notes.empty()) << all_notes(hours);
}

TEST(ChromeForeign, ASpanMuchLongerThanAllOthersIsCut) {
    const char* const days = "{\"ph\":\"X\",\"name\":\"days\",\"tid\":2,\"ts\":1000,\"dur\":950400000000},";
    const ReadTrace trace = read(crowd(300, 5, days));
    EXPECT_EQ(trace.run->op_count(), 301u);
    EXPECT_EQ(numbers_of(*trace.run).total_ns, 2'991'000);
    EXPECT_EQ(all_notes(trace), "1 span that ends 11 days after all others is shown up to where these end.\n");
    // A single very long span is as long as a recording can store.
    const ReadTrace alone = read(std::string("[") + days);
    EXPECT_EQ(numbers_of(*alone.run).total_ns, 2'199'023'254'528);
    EXPECT_EQ(all_notes(alone), "1 span longer than 36 minutes is shown as that long.\n");
    // A span without an end ends with the trace, not with an outlier.
    const ReadTrace open =
        read(crowd(300, 5, std::string(days) + "{\"ph\":\"B\",\"name\":\"open\",\"tid\":3,\"ts\":2000},"));
    EXPECT_EQ(numbers_of(*open.run).total_ns, 2'991'000);
    EXPECT_TRUE(noted(open, "1 span without an end ends where the trace ends.")) << all_notes(open);
}

TEST(ChromeForeign, ATraceWithOnlyInvalidTimesReportsTheReason) {
    const auto trace = read_chrome_trace(R"([{"ph":"X","name":"a","ts":1.7e21,"dur":5}])", "theirs.json");
    ASSERT_FALSE(trace);
    EXPECT_NE(trace.error().message.find("1 event 73 years or more from zero was left out (the first: 1.7e21)"),
              std::string::npos)
        << trace.error().message;
}

TEST(ChromeForeign, RandomTimesAreRead) {
    const char* const odd[] = {"0",
                               "-1",
                               "1e300",
                               "-1e18",
                               "1.7e15",
                               "true",
                               "\"x\"",
                               "{}",
                               "null",
                               "3600000000",
                               "9223372036854775807",
                               "-9223372036854775808",
                               "2305843009213693",
                               "\"5\"",
                               "1e-7"};
    std::uint32_t state = 1;
    const auto next = [&state](std::uint32_t n) { return (state = state * 1664525u + 1013904223u) / 65536 % n; };
    for (int round = 0; round < 300; ++round) {
        std::string text = "[";
        const std::uint32_t count = 1 + next(40);
        std::uint32_t good = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            const bool usual = next(3) != 0;
            good += usual ? 1 : 0;
            const char* const phases[] = {"X", "B", "E", "C"};
            text += std::string("{\"ph\":\"") + (usual ? "X" : phases[next(4)]) +
                    "\",\"name\":\"a\",\"tid\":" + std::to_string(next(3)) +
                    ",\"ts\":" + (usual ? std::to_string(5000 + i) : odd[next(15)]) +
                    ",\"dur\":" + (usual ? "1" : odd[next(15)]) + ",\"args\":{\"Total Allocated\":5}},";
        }
        const auto trace = read_chrome_trace(text, "theirs.json");
        if (good >= 2) {
            ASSERT_TRUE(trace) << trace.error().message << "\n" << text;
            EXPECT_GE(trace->run->op_count(), std::min(good, 2u)) << text;
        }
    }
}

TEST(ChromeForeign, OddFilesLoad) {
    // A byte-order mark, a bare array without its end, invalid UTF-8, a very long name, times in nanoseconds.
    const std::string text =
        std::string("\xef\xbb\xbf[{\"ph\":\"X\",\"name\":\"bad \xff\",\"ts\":1718064000000000.001,\"dur\":0.1},") +
        "{\"ph\":\"X\",\"name\":\"" + std::string(5000, 'k') +
        "\",\"ts\":1718064000000000.123,\"dur\":0.001,\"pid\":-1,\"tid\":18446744073709551615},\n";
    const ReadTrace trace = read(text);
    ASSERT_EQ(trace.run->op_count(), 2u);
    EXPECT_EQ(trace.run->op(2).begin_ns, 122);
    EXPECT_EQ(trace.run->op(2).end_ns, trace.run->op(2).begin_ns + 1);
    EXPECT_TRUE(noted(trace, "not text"));
    EXPECT_FALSE(noted(trace, "cut off"));
}

TEST(ChromeForeign, OverlappingWaitsAreCounted) {
    const ReadTrace trace =
        read("[" + kernel("k", 0, 100) + call("cudaDeviceSynchronize", 10, 30) + call("cudaStreamSynchronize", 15, 5) +
             call("cudaStreamSynchronize", 20, 10, "0", 2) + call("cudaStreamSynchronize", 35, 15, "0", 2) +
             call("cudaStreamSynchronize", 60, 5, "0", 2));
    ASSERT_EQ(trace.run->waits().size(), 3u);
    EXPECT_EQ(trace.run->waits()[1].begin_ns, 40'000);
    EXPECT_EQ(trace.run->waits()[1].end_ns, 50'000);
    EXPECT_EQ(all_notes(trace),
              "1 kernel whose launch is not in the trace: when it was issued is not known.\n"
              "2 waits lie within another one, of the same thread or another, and are left out.\n"
              "1 wait begins before another one has ended and is shown from there on.\n");
    EXPECT_EQ(trace.run->info().left_out, 2u);
    EXPECT_EQ(trace.run->info().repaired, 1u);
}

TEST(ChromeForeign, OverlappingStepsAreCounted) {
    const ReadTrace trace = read("[" + kernel("k", 0, 100) + step(1, 0, 20) + step(1, 1, 18) + step(2, 19, 11) +
                                 step(4, 20, 5) + step(3, 30, 10) + step(5, 40, 5));
    const auto& steps = trace.run->minibatches();
    ASSERT_EQ(steps.size(), 4u);
    EXPECT_EQ(steps[1].index, 2);
    EXPECT_EQ(steps[1].issue_begin_ns, 20'000);
    EXPECT_EQ(steps[1].issue_end_ns, 30'000);
    EXPECT_EQ(steps[2].index, 3);
    EXPECT_TRUE(noted(trace, "1 repeated profiler step is left out.")) << all_notes(trace);
    EXPECT_TRUE(noted(trace, "1 profiler step lies within another one and is left out.")) << all_notes(trace);
    EXPECT_TRUE(noted(trace, "1 profiler step begins before the previous one has ended and is shown from there on."))
        << all_notes(trace);
}

TEST(ChromeForeign, MovedLaunchesAreCounted) {
    const ReadTrace trace = read("[" + call("cudaLaunchKernel", 5, 2, "1") + call("cudaLaunchKernel", 1, 2, "2", 2) +
                                 kernel("a", 10, 5, "1") + kernel("b", 20, 5, "2"));
    EXPECT_EQ(trace.run->op(2).issue_begin_ns, 4'000);
    EXPECT_EQ(all_notes(trace),
              "1 launch is shown later than in the trace: launches of a stream follow the order of its kernels.\n");
    EXPECT_EQ(trace.run->info().repaired, 1u);
}

TEST(ChromeForeign, SpansWithoutADurationAndEndsBeforeTheirBeginsAreCounted) {
    const ReadTrace trace = read(R"([
        {"ph":"X","name":"a","tid":1,"ts":1}, {"ph":"X","name":"b","tid":1,"ts":2},
        {"ph":"B","name":"c","tid":2,"ts":10}, {"ph":"E","tid":2,"ts":8},
        {"ph":"X","name":"d","tid":3,"ts":20,"dur":1}])");
    EXPECT_EQ(trace.run->op_count(), 4u);
    EXPECT_EQ(all_notes(trace),
              "2 spans have no duration and are shown without a length.\n"
              "1 span ends before it begins and is shown without a length.\n");
    EXPECT_EQ(trace.run->info().repaired, 3u);
    EXPECT_EQ(trace.run->info().left_out, 0u);
}

TEST(ChromeForeign, NonEventsAreCounted) {
    const std::string event = R"({"ph":"X","name":"a","ts":1,"dur":2})";
    const auto notes_of = [&](const std::string& more) { return all_notes(read("[" + event + more + "]")); };
    EXPECT_EQ(notes_of(""), "");
    EXPECT_EQ(notes_of(", ,\n"), "");
    EXPECT_EQ(notes_of(",5"), "1 value among the events was not an event and was left out.\n");
    EXPECT_EQ(notes_of(",\"a, [text] \\\" , {\", true ,null,-1.5e3,[1,[2],{\"ph\":\"X\"}]," + event),
              "5 values among the events were not events and were left out.\n");
    // Also before the first event, after the last, and without any event nearby.
    EXPECT_EQ(all_notes(read("{\"traceEvents\":[1,\"2\"," + event + ",[3]," + std::string(3 << 20, ' ') + "[4],5]}")),
              "5 values among the events were not events and were left out.\n");
    EXPECT_EQ(read("[1," + event + ",2]").run->info().left_out, 2u);
    EXPECT_TRUE(noted(read("[" + event + ",{\"name\":\"nothing\"}]"), "1 event without a time was left out."));
}

TEST(ChromeForeign, TextAfterTheTraceIsSaid) {
    const std::string array = R"([{"ph":"X","name":"a","ts":1,"dur":2}])", object = "{\"traceEvents\":" + array + "}";
    for (const std::string& trace : {array, object}) {
        for (const char* blank : {"", "\n", " \r\n\t "}) {
            EXPECT_EQ(all_notes(read(trace + blank)), "");
        }
        EXPECT_EQ(all_notes(read(array.substr(0, array.size() - 1) + ",\n")), "") << "not closed, which is usual";
        for (const char* more : {"x", "]", "{}", ", 5"}) {
            const ReadTrace read_trace = read(trace + "\n" + more);
            EXPECT_EQ(all_notes(read_trace), "The file goes on after the end of its trace (line 2, byte " +
                                                 std::to_string(trace.size() + 1) + "); what follows is not shown.\n");
            EXPECT_FALSE(read_trace.run->info().file_cut_off);
        }
    }
}

TEST(ChromeForeign, OmissionsAndStreamsSurviveARoundTrip) {
    const std::string theirs = "[5," + kernel("a", 0, 10) + kernel("b", 5, 10) + kernel("c", 0, 10, "0", 8) +
                               "{\"ph\":\"X\",\"name\":\"none\",\"ts\":3},{\"ph\":\"X";
    const ReadTrace first = read(theirs);
    const ReadTrace again = read(exported(*first.run));
    ASSERT_TRUE(again.own);
    const model::RunInfo& info = again.run->info();
    EXPECT_EQ(info.left_out, 1u);
    EXPECT_EQ(info.repaired, 1u);
    EXPECT_TRUE(info.file_cut_off);
    EXPECT_EQ(info.lane_streams, (std::vector<std::uint32_t>{0, 0, 2}));
    EXPECT_EQ(numbers_of(*again.run).backend_busy_ns, numbers_of(*first.run).backend_busy_ns);
    EXPECT_EQ(numbers_of(*again.run).backend_busy_ns, 25'000);
}

TEST(ChromeForeign, TheRunCountsOmissionsOfItsFile) {
    const model::RunInfo cut = read(R"([{"ph":"X","name":"a","ts":1,"dur":2},{"ph":"X","na)").run->info();
    EXPECT_TRUE(cut.file_cut_off);
    const model::RunInfo whole = read(R"([{"ph":"X","name":"a","ts":1,"dur":2}])").run->info();
    EXPECT_FALSE(whole.file_cut_off);
    EXPECT_EQ(whole.left_out + whole.repaired, 0u);
    // 1 without a time, 2 without a kind, 1 non-event, 1 invalid; 1 negative, 1 without an end, 1 repaired.
    const model::RunInfo odd = read(R"([{"ph":"X","name":"a","ts":1,"dur":2}, {"ph":"X","name":"b"}, 7,
        {"name":"c","ts":1}, {"ph":"?","name":"d","ts":1}, {"ph":"X","ts":1e,"name":"e"},
        {"ph":"X","name":"f","ts":5,"dur":-1}, {"ph":"B","name":"g","ts":6}, {"ph":"X","name":")"
                                    "\xff"
                                    R"(","ts":7,"dur":1}])")
                                   .run->info();
    EXPECT_EQ(odd.left_out, 5u);
    EXPECT_EQ(odd.repaired, 3u);
}

}  // namespace
}  // namespace headway::exchange
