// The meaning of calls in other programs' traces: issues, waits, or launches that were delayed.
#include <gtest/gtest.h>

#include "app/exchange/chrome/chrome_writer.h"
#include "app/model/numbers/numbers_walk.h"
#include "tests/unit/exchange/exported.h"
#include "tests/unit/exchange/foreign_trace.h"

namespace headway::exchange {
namespace {

using trace::WaitKind;

std::string span(const char* category, const char* name, double ts, double dur, const std::string& correlation = "0",
                 int pid = 42, int tid = 1) {
    return std::string("{\"ph\":\"X\",\"cat\":\"") + category + "\",\"pid\":" + std::to_string(pid) +
           ",\"tid\":" + std::to_string(tid) + ",\"name\":\"" + name + "\",\"ts\":" + std::to_string(ts) +
           ",\"dur\":" + std::to_string(dur) + ",\"args\":{\"correlation\":" + correlation + "}},";
}
std::string on_gpu(const char* category, const char* name, double ts, double dur, int correlation) {
    return span(category, name, ts, dur, std::to_string(correlation), 0, 7);
}
std::string op(const char* name, double ts, double dur) {
    return span("cpu_op", name, ts, dur);
}

const model::Signature& name_of(const model::Run& run, core::OpId id) {
    return run.signature(run.op(id).signature);
}

TEST(ForeignWaits, APageableCopyToTheHostIsABlocker) {
    const ReadTrace trace = read(
        "[" + call("cudaLaunchKernel", 0, 5, "1") + kernel("k", 10, 900, "1") + op("aten::to", 6, 960) +
        call("cudaMemcpyAsync", 10, 950, "2") + on_gpu("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 920, 20, 2) +
        call("cudaMemcpyAsync", 980, 8, "3") + on_gpu("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 985, 1, 3) +
        call("cudaMemcpyAsync", 990, 30, "4") + on_gpu("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 995, 20, 4));
    const model::Run& run = *trace.run;
    ASSERT_EQ(run.waits().size(), 2u);
    EXPECT_EQ(run.waits()[0].kind, WaitKind::copy);
    EXPECT_EQ(run.waits()[0].name, "to()");
    EXPECT_EQ(run.waits()[0].end_ns - run.waits()[0].begin_ns, 950'000);
    EXPECT_EQ(run.waits()[0].issued, 2u);            // including the copy itself
    EXPECT_EQ(run.waits()[1].name, "copy to host");  // not within an op that gives the reason
    EXPECT_TRUE(trace::is_blocker(run.waits()[1].kind));
    const model::Numbers numbers = numbers_of(run);
    EXPECT_EQ(numbers.blocked_ns, 980'000);
    EXPECT_EQ(numbers.op_issue_ns, 13'000);  // the launch, and the copy to pinned memory, which returns at once
    EXPECT_EQ(numbers.t1.count, 2u);         // calls that waited do not count as issues
    EXPECT_EQ(name_of(run, 2).name, "Memcpy DtoH");
    EXPECT_EQ(name_of(run, 2).family, devices::Family::copy);
}

TEST(ForeignWaits, TimesDecideIfTheMemoryIsNotNamed) {
    const char* const copy = "Memcpy DtoH (Device -> Host)";
    const ReadTrace trace = read("[" + call("hipMemcpyAsync", 0, 50, "1") + on_gpu("gpu_memcpy", copy, 10, 20, 1) +
                                 call("hipMemcpyAsync", 60, 5, "2") + on_gpu("gpu_memcpy", copy, 70, 20, 2));
    ASSERT_EQ(trace.run->waits().size(), 1u);
    EXPECT_EQ(trace.run->waits()[0].begin_ns, 0);
    EXPECT_EQ(numbers_of(*trace.run).op_issue_ns, 5'000);
}

TEST(ForeignWaits, MemcpyAndMemsetOfOldProfilersAreOpsOfTheGpu) {
    const ReadTrace trace = read(
        "[" + span("Runtime", "cudaLaunchKernel", 0, 5, "1") + on_gpu("Kernel", "k", 10, 5, 1) +
        span("Runtime", "cudaMemsetAsync", 6, 5, "2") + on_gpu("Memset", "Memset (Device)", 20, 5, 2) +
        span("Runtime", "cudaMemcpyAsync", 12, 5, "3") +
        on_gpu("Memcpy", "Memcpy HtoD (Pageable -> Device)", 30, 5, 3) + span("Operator", "ProfilerStep#5", 0, 40));
    const model::Run& run = *trace.run;
    ASSERT_EQ(run.op_count(), 3u);
    EXPECT_EQ(run.lanes().size(), 1u);
    EXPECT_EQ(name_of(run, 2).name, "Memset");
    EXPECT_EQ(name_of(run, 3).name, "Memcpy HtoD");
    EXPECT_EQ(run.waits().size(), 0u);
    ASSERT_EQ(run.minibatches().size(), 1u);  // their category there is Operator
    EXPECT_EQ(run.minibatches()[0].index, 5);
}

// `item()` and a copy to the GPU. NVIDIA's framework copies to pinned memory and synchronises, or waits in the copy
// and synchronises again. AMD's does all in one call, and names the first copy device to device.
const std::string kNvidia =
    "[" + call("cudaLaunchKernel", 0, 5, "1") + kernel("gemm", 10, 90, "1") + op("aten::item", 20, 100) +
    op("aten::_local_scalar_dense", 21, 98) + call("cudaMemcpyAsync", 25, 8, "2") +
    on_gpu("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 101, 1, 2) + call("cudaStreamSynchronize", 35, 75) +
    op("aten::to", 200, 60) + op("aten::copy_", 201, 58) + call("cudaMemcpyAsync", 205, 30, "3") +
    on_gpu("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 220, 10, 3) + call("cudaStreamSynchronize", 240, 5);
const std::string kAmd = "[" + call("hipExtModuleLaunchKernel", 0, 5, "1") + kernel("Cijk_Ailk_Bljk", 10, 90, "1") +
                         op("aten::item", 20, 100) + op("aten::_local_scalar_dense", 21, 98) +
                         call("hipMemcpyWithStream", 25, 85, "2") +
                         on_gpu("gpu_memcpy", "Memcpy DtoD (Device -> Device)", 101, 1, 2) + op("aten::to", 200, 60) +
                         op("aten::copy_", 201, 58) + call("hipMemcpyWithStream", 205, 40, "3") +
                         on_gpu("gpu_memcpy", "Memcpy DtoH (Device -> Host)", 220, 10, 3);

TEST(ForeignWaits, NvidiaAndAmdTracesOfOneProgramReadAlike) {
    const ReadTrace nvidia = read(kNvidia), amd = read(kAmd);
    for (const ReadTrace* trace : {&nvidia, &amd}) {
        const model::Run& run = *trace->run;
        ASSERT_EQ(run.op_count(), 3u);
        EXPECT_EQ(name_of(run, 1).family, devices::Family::matmul);
        EXPECT_EQ(name_of(run, 2).name, "Memcpy DtoH");
        EXPECT_EQ(name_of(run, 3).name, "Memcpy DtoH");
        ASSERT_EQ(run.waits().size(), 2u);
        EXPECT_EQ(run.waits()[0].kind, WaitKind::item);
        EXPECT_EQ(run.waits()[0].end_ns, 110'000);
        EXPECT_EQ(run.waits()[0].issued, 2u);
        EXPECT_EQ(run.waits()[1].kind, WaitKind::copy);
        EXPECT_EQ(run.waits()[1].name, "to()");
        EXPECT_EQ(run.waits()[1].begin_ns, 205'000);
        EXPECT_EQ(run.waits()[1].end_ns, 245'000);
        EXPECT_EQ(trace->run->info().device_kind, "cuda");
        EXPECT_TRUE(trace->notes.empty() || noted(*trace, "spans of the host")) << all_notes(*trace);
    }
    // A wait within another op is another wait.
    const ReadTrace two =
        read("[" + kernel("k", 0, 100) + op("aten::item", 0, 20) + call("cudaStreamSynchronize", 1, 9) +
             op("aten::item", 30, 20) + call("cudaStreamSynchronize", 31, 9));
    EXPECT_EQ(two.run->waits().size(), 2u);
}

TEST(ForeignWaits, NvidiaAndAmdKernelsHaveTheSameFamilies) {
    using devices::Family;
    const std::pair<const char*, Family> kernels[] = {
        {"ampere_sgemm_128x64_tn", Family::matmul},
        {"Cijk_Alik_Bljk_B_BS_BH_Bias_HA_S_SAV_UserArgs_MT256x128x32", Family::matmul},
        {"void cudnn::cnn::wgrad_alg0_engine<float, 128>(int)", Family::matmul},
        {"igemm_bwd_gtcx3_nhwc_fp32", Family::matmul},
        {"void flash_fwd_kernel<Flash_fwd_kernel_traits>(Flash_fwd_params)", Family::matmul},
        {"attn_fwd", Family::matmul},
        {"void cudnn::bn_fw_tr_1C11_singleread<float, 512>()", Family::reduce},
        {"MIOpenBatchNormFwdTrainSpatial", Family::reduce},
        {"triton_poi_fused_native_layer_norm_0", Family::elementwise},
        {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", Family::copy},
        {"rcclDevKernel_AllReduce", Family::copy},
        {"void cudnn::ops::nchwToNhwcKernel<float>(float)", Family::copy},
        {"Memset (Device)", Family::create},
        {"CopyDeviceToHost", Family::copy}};
    std::string text = "[";
    for (std::size_t i = 0; i < std::size(kernels); ++i) {
        text += kernel(kernels[i].first, 10.0 * static_cast<double>(i), 5);
    }
    const ReadTrace trace = read(text);
    for (std::size_t i = 0; i < std::size(kernels); ++i) {
        EXPECT_EQ(name_of(*trace.run, static_cast<core::OpId>(i + 1)).family, kernels[i].second) << kernels[i].first;
    }
    EXPECT_EQ(name_of(*trace.run, std::size(kernels)).name, "Memcpy DtoH");
}

// Launches of 4 µs, each of a kernel of 10 µs, one every 10 µs.
std::string launches(int count, double begin_us, int correlation, const char* name = "k") {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += call("cudaLaunchKernel", begin_us + 10 * i, 4, std::to_string(correlation + i)) +
                kernel(name, begin_us + 10 * i + 5, 5, std::to_string(correlation + i));
    }
    return text;
}

TEST(ForeignWaits, StalledLaunchesAreSeparatedFromIssue) {
    const ReadTrace trace = read(
        "[" + call("cudaLaunchKernel", 0, 5000, "1") + kernel("k", 5005, 5, "1") + launches(20, 6000, 10) +
        call("cudaLaunchKernel", 7000, 300, "2") + kernel("new", 7305, 5, "2") + call("cudaMalloc", 8000, 400) +
        call("cudaLaunchKernel", 8100, 350, "3", 2) + kernel("k", 8460, 5, "3") +
        call("cudaLaunchKernel", 9000, 200, "4") + kernel("k", 9205, 5, "4") + call("cudaMemcpyAsync", 9500, 404, "5") +
        on_gpu("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 9600, 310, 5) + call("cudaFree", 9920, 30));
    const model::Run& run = *trace.run;
    const auto& works = run.works();
    ASSERT_EQ(works.size(), 6u);
    const auto is = [&](std::size_t i, const char* name, std::int64_t begin_ns, std::int64_t end_ns) {
        EXPECT_EQ(works[i].name, name);
        EXPECT_EQ(works[i].begin_ns, begin_ns) << name;
        EXPECT_EQ(works[i].end_ns, end_ns) << name;
    };
    is(0, "first launch", 0, 4'996'000);
    is(1, "kernel loading", 7'000'000, 7'296'000);
    is(2, "memory allocation", 8'000'000, 8'400'000);
    is(3, "memory allocation", 8'400'000, 8'446'000);  // longer because of the other thread's launch
    is(4, "launch stall", 9'000'000, 9'196'000);
    is(5, "staging copy", 9'504'000, 9'904'000);  // the GPU had begun while the call was still copying: it issued first
    const model::Numbers numbers = numbers_of(run);
    EXPECT_EQ(numbers.t1_ns, 4'000);
    EXPECT_EQ(numbers.t1.most, 4'000);
    EXPECT_EQ(numbers.op_issue_ns, 25 * 4'000);
    ASSERT_EQ(run.waits().size(), 1u);  // freeing memory waits for the device
    EXPECT_EQ(run.waits()[0].kind, WaitKind::memory);
    EXPECT_TRUE(noted(trace,
                      "5 launches took more than 8 times as long as the median (staging copy 1, memory allocation "
                      "1, first launch 1, kernel loading 1, launch stall 1)"))
        << all_notes(trace);
}

TEST(ForeignWaits, AFullQueueIsAWait) {
    // 600 launches behind a long kernel; after that each has to wait for one to end.
    std::string text = "[" + call("cudaLaunchKernel", 0, 4, "1") + kernel("long", 5, 20'000, "1");
    for (int i = 0; i < 620; ++i) {
        const bool full = i >= 600;
        text += call("cudaLaunchKernel", full ? 20'000 + 100 * (i - 600) : 10 + 5 * i, full ? 90 : 4,
                     std::to_string(i + 2)) +
                kernel("k", 20'010 + 100 * i, 90, std::to_string(i + 2));
    }
    const ReadTrace trace = read(text);
    const model::Run& run = *trace.run;
    ASSERT_EQ(run.waits().size(), 20u);
    EXPECT_EQ(run.waits()[0].kind, WaitKind::queue_limit);
    EXPECT_EQ(run.waits()[0].name, "driver queue full");
    EXPECT_EQ(run.waits()[0].end_ns - run.waits()[0].begin_ns, 86'000);
    EXPECT_EQ(run.waits()[0].waits_through, 1u);  // for the next op to end
    EXPECT_EQ(run.waits()[5].waits_through, 7u);
    EXPECT_EQ(numbers_of(run).t1.most, 4'000);
    EXPECT_EQ(numbers_of(run).blocked_ns, 20 * 86'000);
    EXPECT_TRUE(run.works().empty());
}

TEST(ForeignWaits, T1IsAMedian) {
    // Slower, but not slow enough for a stall.
    const ReadTrace trace =
        read("[" + launches(21, 0, 10) + call("cudaLaunchKernel", 500, 23, "1") + kernel("k", 530, 5, "1"));
    EXPECT_EQ(numbers_of(*trace.run).t1_ns, 4'000);
    EXPECT_EQ(numbers_of(*trace.run).t1.most, 23'000);
    EXPECT_EQ(numbers_of(*trace.run).op_issue_ns, 21 * 4'000 + 23'000);
}

TEST(ForeignWaits, T3ComesFromFullWaits) {
    const std::string events = "[" + call("cudaLaunchKernel", 0, 4, "1") + kernel("long", 5, 500, "1", 8) +
                               call("cudaLaunchKernel", 10, 4, "2") + kernel("short", 15, 5, "2") +
                               call("cudaStreamSynchronize", 16, 10);  // of the stream with the short kernel
    EXPECT_EQ(numbers_of(*read(events).run).t3.count, 0u);
    const model::Spread t3 = numbers_of(*read(events + call("cudaDeviceSynchronize", 30, 482)).run).t3;
    EXPECT_EQ(t3.count, 1u);
    EXPECT_EQ(t3.median, 7'000);
}

TEST(ForeignWaits, TheWarmUpIsSeparated) {
    const std::string steps = step(1, 100, 9000) + step(2, 9100, 1000) + step(3, 10'100, 1100) + step(4, 11'200, 900);
    const ReadTrace trace = read("[" + launches(5, 0, 10) + launches(5, 1000, 20) + launches(5, 9200, 30) +
                                 launches(5, 10'200, 40) + call("cudaDeviceSynchronize", 12'000, 100) + steps);
    const model::Run& run = *trace.run;
    const auto measured = run.measured();
    EXPECT_TRUE(measured.has_begin);
    EXPECT_EQ(measured.begin_ns, 9'100'000);
    EXPECT_EQ(measured.first, 11u);
    EXPECT_EQ(numbers_of(run).ops, 10u);
    EXPECT_EQ(numbers_of(run).warmup_ns, 9'100'000);
    EXPECT_EQ(numbers_of(run).total_ns, 12'100'000 - 9'100'000);
    EXPECT_TRUE(
        noted(trace, "The first profiler step took more than twice as long as those after it: it is shown as warm-up."))
        << all_notes(trace);
    // The first step issued more ops: not a warm-up.
    const ReadTrace more =
        read("[" + launches(50, 100, 10) + launches(2, 1100, 90) + step(1, 100, 1000) + step(2, 1100, 100));
    EXPECT_EQ(more.run->measured().begin_ns, 0);
    EXPECT_EQ(numbers_of(*more.run).ops, 52u);
    // Equal steps: measured from the first one on.
    const ReadTrace even =
        read("[" + launches(5, 0, 10) + launches(5, 1000, 20) + step(1, 900, 100) + step(2, 1000, 60));
    EXPECT_EQ(even.run->measured().begin_ns, 900'000);
    EXPECT_FALSE(noted(even, "warm-up"));
    // No steps: everything is measured.
    EXPECT_FALSE(read("[" + launches(5, 0, 10)).run->measured().has_begin);
}

TEST(ForeignWaits, StallsSurviveARoundTrip) {
    const ReadTrace first = read("[" + call("cudaLaunchKernel", 0, 5000, "1") + kernel("k", 5005, 5, "1") +
                                 launches(20, 6000, 10) + step(1, 0, 5500) + step(2, 5500, 1000) + step(3, 6500, 1000));
    const ReadTrace again = read(exported(*first.run));
    ASSERT_TRUE(again.own);
    EXPECT_EQ(again.run->measured().begin_ns, first.run->measured().begin_ns);
    ASSERT_EQ(again.run->works().size(), 1u);
    EXPECT_EQ(again.run->works()[0].name, "first launch");
    EXPECT_EQ(numbers_of(*again.run).t1_ns, 4'000);
}

}  // namespace
}  // namespace headway::exchange
