// Lanes and kernels of other programs' traces: too many of them, overlapping, or without a launch.
#include <gtest/gtest.h>

#include <map>

#include "app/exchange/chrome/chrome_writer.h"
#include "app/model/analysis/time_range_summary.h"
#include "app/model/explanation/explanation.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/numbers/regime.h"
#include "app/model/report/report.h"
#include "tests/unit/exchange/exported.h"
#include "tests/unit/exchange/foreign_trace.h"

namespace headway::exchange {
namespace {

// One span in each of `count` threads.
std::string threads(std::uint32_t count) {
    std::string text = "[";
    for (std::uint32_t i = 0; i < count; ++i) {
        text += "{\"ph\":\"X\",\"name\":\"a\",\"tid\":" + std::to_string(i) + ",\"ts\":1,\"dur\":1},";
    }
    return text;
}

TEST(ChromeForeign, AllowsMoreLanesThanTheEngine) {
    const ReadTrace trace = read(threads(40));
    EXPECT_TRUE(trace.notes.empty());
    ASSERT_EQ(trace.run->lanes().size(), 40u);
    for (std::size_t lane = 0; lane < 40; ++lane) {
        EXPECT_EQ(trace.run->lanes()[lane].name, "thread " + std::to_string(lane));
        EXPECT_EQ(trace.run->lanes()[lane].ops.size(), 1u);
    }
}

TEST(ChromeForeign, MoreThreadsThanLanesAreCounted) {
    const ReadTrace trace = read(threads(core::kMaxTraceLanes + 24));
    EXPECT_EQ(trace.run->op_count(), core::kMaxTraceLanes);
    EXPECT_EQ(trace.run->lanes().size(), core::kMaxTraceLanes);
    EXPECT_TRUE(noted(trace, "24 spans on lanes beyond the first 160 were left out"));
}

TEST(ChromeForeign, MoreStreamsThanLanesAreCounted) {
    std::string text = "[";
    for (std::uint32_t i = 0; i < core::kMaxTraceLanes + 3; ++i) {
        text += "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":0,\"tid\":" + std::to_string(i) +
                ",\"ts\":" + std::to_string(i) + ",\"dur\":1},";
    }
    const ReadTrace trace = read(text);
    EXPECT_EQ(trace.run->lanes().size(), core::kMaxTraceLanes);
    EXPECT_EQ(trace.run->lanes().back().name, "Stream 159");
    EXPECT_TRUE(noted(trace, "3 kernels on lanes beyond the first 160 were left out."));
}

TEST(ChromeForeign, KernelsOfAStreamThatOverlapKeepTheirTimes) {
    // Because of clock jitter, of an early start, and one entirely within another.
    const ReadTrace trace =
        read("[" + call("cudaGetDevice", -100, 1) + kernel("a", 0, 10) + kernel("b", 9.7, 10.3) + kernel("c", 20, 10) +
             kernel("d", 22, 3) + kernel("e", 24, 3) + kernel("f", 30, 5) + kernel("other", 5, 5, "0", 8));
    const model::Run& run = *trace.run;
    ASSERT_EQ(run.lanes().size(), 4u);
    EXPECT_EQ(run.lanes()[0].name, "Stream 7");
    EXPECT_EQ(run.lanes()[1].name, "Stream 7 · 2");
    EXPECT_EQ(run.lanes()[2].name, "Stream 7 · 3");
    EXPECT_EQ(run.lanes()[3].name, "Stream 8");
    EXPECT_EQ(run.info().streams, 2u);
    EXPECT_EQ(run.info().lane_streams, (std::vector<std::uint32_t>{0, 0, 0, 3}));
    std::map<std::string, std::pair<std::size_t, std::int64_t>> found;  // lane, ns
    for (std::size_t lane = 0; lane < 4; ++lane) {
        std::int64_t free_ns = 0;
        for (const auto id : run.lanes()[lane].ops) {
            const model::Op& op = run.op(id);
            EXPECT_GE(op.begin_ns, free_ns);
            free_ns = op.end_ns;
            found[run.signature(op.signature).name] = {lane, op.end_ns - op.begin_ns};
        }
    }
    using Found = std::pair<std::size_t, std::int64_t>;
    EXPECT_EQ(found["a"], Found(0, 10'000));
    EXPECT_EQ(found["b"], Found(1, 10'300));
    EXPECT_EQ(found["c"], Found(0, 10'000));
    EXPECT_EQ(found["d"], Found(1, 3'000));
    EXPECT_EQ(found["e"], Found(2, 3'000));
    EXPECT_EQ(found["f"], Found(0, 5'000));
    EXPECT_TRUE(noted(
        trace, "3 of 7 kernels ran at the same time as another one of their stream: such a stream has several lanes."))
        << all_notes(trace);
    EXPECT_EQ(run.info().repaired, 0u);
    // Their median is that of the unchanged kernels. A stream's busy time counts overlapping kernels once.
    const model::Numbers numbers = numbers_of(run);
    EXPECT_EQ(numbers.t2_ns, 5'000) << "of 3, 3, 5, 5, 10, 10 and 10.3 µs";
    EXPECT_EQ(numbers.total_ns, 35'000);
    EXPECT_EQ(numbers.backend_busy_ns, 35'000 + 5'000);
    EXPECT_EQ(numbers.backend_idle_ns, 2 * 35'000 - 40'000);
    EXPECT_NE(model::report_json(run).find("\"busy_ns\": 40000"), std::string::npos) << model::report_json(run);
    EXPECT_NE(model::report_json(run).find("\"idle_ns\": 30000"), std::string::npos) << model::report_json(run);
}

// What the host did after its last record is not known: it is neither the frontend's work nor the limit.
TEST(ChromeForeign, TheTimeAfterTheLastRecordIsNotTheFrontends) {
    std::string text = "[";
    for (int i = 0; i < 10; ++i) {
        text += call("cudaLaunchKernel", 10 * i, 5, std::to_string(i + 1)) +
                kernel("k", 100 * i + 10, 90, std::to_string(i + 1));
    }
    const ReadTrace trace = read(text);
    const model::Numbers numbers = numbers_of(*trace.run);
    EXPECT_EQ(numbers.total_ns, 1'000'000);
    EXPECT_EQ(numbers.frontend_ns, 95'000);
    EXPECT_EQ(numbers.busiest_lane_ns, 900'000);
    EXPECT_STREQ(model::regime_word(numbers), "execution-bound");
    std::string all;
    for (const model::Sentence& sentence : model::explain(*trace.run, numbers).sentences) {
        all += sentence.text + "\n";
    }
    EXPECT_NE(all.find("Stream 7 executed ops for 900 µs of that (90 %), and the frontend spent 95.0 µs"),
              std::string::npos)
        << all;
    EXPECT_NE(all.find("The trace has no wait of the frontend."), std::string::npos) << all;
}

// A chain of overlaps does not use more and more lanes: of 200 in a row, two overlap at any time.
TEST(ChromeForeign, AChainOfOverlapsNeedsTwoLanes) {
    std::string kernels = "[", spans = "[";
    for (int i = 0; i < 200; ++i) {
        kernels += kernel("k", 10 * i, 10.2);
        spans += "{\"ph\":\"X\",\"name\":\"s\",\"tid\":1,\"ts\":" + std::to_string(10 * i) + ",\"dur\":10.2},";
    }
    for (const std::string& text : {kernels, spans}) {
        const ReadTrace trace = read(text);
        EXPECT_EQ(trace.run->lanes().size(), 2u);
        EXPECT_EQ(trace.run->op_count(), 200u);
        EXPECT_EQ(trace.run->info().left_out, 0u) << all_notes(trace);
    }
}

TEST(ChromeForeign, KernelsBeyondTheLaneLimitAreCountedByDepth) {
    std::string text = "[" + kernel("other", 0, 1, "0", 8);
    for (int i = 0; i < 166; ++i) {
        text += kernel("k", i, 1000);
    }
    const ReadTrace trace = read(text);
    EXPECT_EQ(trace.run->lanes().size(), core::kMaxTraceLanes);
    EXPECT_EQ(trace.run->lanes().back().name, "Stream 8");
    EXPECT_TRUE(noted(trace, "7 kernels on lanes beyond the first 160 were left out.")) << all_notes(trace);
    EXPECT_EQ(trace.run->info().left_out, 7u);
}

TEST(ChromeForeign, LargeCorrelationsAreNotTruncated) {
    // Two correlations with equal low 32 bits; one that does not fit into 32 bits; and none.
    const ReadTrace trace = read(
        "[" + call("cudaLaunchKernel", 1, 1, "5") + call("cudaLaunchKernel", 10, 1, "4294967301") +
        call("cudaLaunchKernel", 20, 1, "\"9223372036854775807\"") + call("cudaLaunchKernel", 25, 1, "4294967296") +
        kernel("a", 30, 1, "4294967301") + kernel("b", 40, 1, "5", 8) + kernel("c", 50, 1, "9223372036854775807") +
        kernel("d", 60, 1, "8589934597") + kernel("e", 70, 1, "-1") + kernel("f", 80, 1, "4294967296"));
    std::map<std::string, std::int64_t> issued_ns;
    for (core::OpId id = 1; id <= trace.run->op_count(); ++id) {
        const model::Op& op = trace.run->op(id);
        issued_ns[trace.run->signature(op.signature).name] = op.not_issued ? -1 : op.issue_begin_ns;
    }
    EXPECT_EQ(issued_ns, (std::map<std::string, std::int64_t>{
                             {"a", 9'000}, {"b", 0}, {"c", 19'000}, {"d", -1}, {"e", -1}, {"f", 24'000}}));
    EXPECT_TRUE(noted(trace, "2 kernels whose launch is not in the trace: when they were issued is not known."))
        << all_notes(trace);
}

// A graph is launched once and has many kernels.
TEST(ChromeForeign, ALaunchOfSeveralKernelsIsCountedOnce) {
    std::string events = "[" + call("cudaGraphLaunch", 100, 2, "7");
    for (int i = 0; i < 10; ++i) {
        events += kernel("node", 110 + 10 * i, 10, "7");
    }
    const ReadTrace trace = read(events);
    ASSERT_EQ(trace.run->op_count(), 10u);
    EXPECT_EQ(numbers_of(*trace.run).op_issue_ns, 2'000);
    EXPECT_EQ(numbers_of(*trace.run).t1_ns, 2'000) << "of the launches";
}

TEST(ChromeForeign, KernelsThatEndBeforeTheirLaunchAreNotAssigned) {
    const ReadTrace trace = read("[" + kernel("early", 50, 10, "1") + call("cudaLaunchKernel", 100, 1, "1") +
                                 call("cudaLaunchKernel", 110, 1, "2") + kernel("apart", 109, 5, "2"));
    const model::Run& run = *trace.run;
    ASSERT_EQ(run.op_count(), 2u);
    EXPECT_TRUE(run.op(1).not_issued);
    EXPECT_FALSE(run.op(2).not_issued);
    EXPECT_LE(run.measure_begin_ns(), run.op(1).begin_ns) << "it is in view";
    EXPECT_TRUE(noted(trace, "1 kernel has ended before the launch that it refers to")) << all_notes(trace);
    EXPECT_TRUE(noted(trace, "1 kernel begins before its launch")) << all_notes(trace);
}

TEST(ChromeForeign, KernelsWithoutALaunchAreNoIssues) {
    const ReadTrace trace = read("[" + kernel("old", 0, 10) + kernel("old", 10, 10) + kernel("old", 20, 10) +
                                 call("cudaLaunchKernel", 1, 1, "1") + call("cudaLaunchKernel", 2, 1, "2") +
                                 kernel("new", 30, 10, "1") + kernel("new", 40, 10, "2"));
    const model::Run& run = *trace.run;
    ASSERT_EQ(run.op_count(), 5u);
    EXPECT_EQ(model::issued_ops(run, 1, 5), 2u);
    EXPECT_EQ(model::issued_ops(run, 1, 3), 0u);
    EXPECT_EQ(model::issued_ops(run, 3, 4), 1u);
    EXPECT_EQ(model::issued_ops(run, 6, 5), 0u);
    // They do not delay what was launched while they ran.
    EXPECT_EQ(run.op(4).issue_begin_ns, 1'000);
    EXPECT_EQ(run.op(5).issue_begin_ns, 2'000);
    EXPECT_EQ(run.headway().most(), 2);
    EXPECT_EQ(run.headway().at(25'000), 2);
    EXPECT_EQ(run.headway().at(50'000), 0);
    // They keep their lane busy, but do not count as issued.
    const model::Numbers numbers = numbers_of(run);
    EXPECT_EQ(numbers.headway_max, 2u);
    EXPECT_EQ(numbers.t1_ns, 1'000);
    EXPECT_EQ(numbers.t2_ns, 10'000);
    EXPECT_EQ(numbers.predicted_ns, 50'000);
}

// One launch from a line in each of `count` source files.
std::string from_files(std::uint32_t count) {
    std::string text = "[";
    for (std::uint32_t i = 1; i <= count; ++i) {
        const std::string id = std::to_string(i);
        text += "{\"ph\":\"X\",\"cat\":\"python_function\",\"pid\":42,\"tid\":1,\"name\":\"part" + id + ".py(" +
                std::to_string(1000 + i) + "): f\",\"ts\":" + std::to_string(10 * i) + ",\"dur\":9},";
        text += call("cudaLaunchKernel", 10 * i + 1, 2, id) + kernel("k", 10 * i + 4, 5, id);
    }
    return text;
}

TEST(ChromeForeign, ManySourceFilesKeepTheirLines) {
    const ReadTrace trace = read(from_files(700));
    const ReadTrace again = read(exported(*trace.run));
    for (const model::Run* run : {trace.run.get(), again.run.get()}) {
        ASSERT_EQ(run->op_count(), 700u);
        for (const core::OpId id : {1u, 255u, 256u, 257u, 511u, 512u, 700u}) {
            EXPECT_EQ(run->line_text(run->op(id).line),
                      "part" + std::to_string(id) + ".py:" + std::to_string(1000 + id));
        }
    }
    EXPECT_FALSE(noted(trace, "source file"));
}

TEST(ChromeForeign, LinesBeyondTheSourceFileLimitAreReported) {
    const ReadTrace trace = read(from_files(core::kMostFiles + 2));
    EXPECT_EQ(trace.run->line_text(trace.run->op(core::kMostFiles).line), "part4095.py:5095");
    EXPECT_EQ(trace.run->op(core::kMostFiles + 1).line, 0u);
    EXPECT_TRUE(noted(trace, "The lines of 2 source files beyond the first 4095 are not shown.")) << all_notes(trace);
}

}  // namespace
}  // namespace headway::exchange
