// Each function of the driver fails at each of its first calls, in the middle and at the last: either the program gets
// one sentence that names it, or its values are right. Nothing is left behind, and the next run is not affected.
#include <cuda_runtime_api.h>

#include <iostream>
#include <set>

#include "tests/unit/cuda/fixture.h"

namespace headway {
namespace {

using devices::CudaLaunch;
using devices::CudaOptions;
using devices::OpKind;
using runtime::Tensor;

struct Way {
    const char* name;
    CudaLaunch launch;
    bool cupti, pinned, gather;
    memory::FreePolicy policy;
};
void PrintTo(const Way& way, std::ostream* out) {
    *out << way.name;
}

#if defined(HEADWAY_SANITIZED)
constexpr int kFirstCalls = 2;
#else
constexpr int kFirstCalls = 3;
#endif

class EachCall : public CudaTest, public testing::WithParamInterface<Way> {
protected:
    // Copies in and out, kernels, products, sums, waits between streams, overwriting, and memory of several sizes.
    std::vector<float> program() {
        const std::vector<float> given{1.0f, 2.0f, 3.0f, 4.0f};
        Tensor x = rt->from_host({2, 2}, given);
        const Tensor ones = rt->ones({2, 2});
        for (int i = 0; i < 2; ++i) {
            const Tensor left = rt->matmul(x, ones);
            const Tensor right = x * 2.0f;
            x = left + right;
            rt->binary_in_place(OpKind::sub, x, ones);
            rt->events.minibatch_end();
            rt->events.minibatch_begin();
        }
        const Tensor large = rt->full({3000}, 0.5f);
        const Tensor sum = rt->reduce(OpKind::sum, large);
        std::vector<float> values = x.to_host();
        values.push_back(sum.item());
        rt->waitall();
        return values;
    }

    // The program on a new device: its values, or its failures.
    void run() {
        values.clear();
        failures.clear();
        const Way& way = GetParam();
        CudaOptions options;
        options.launch = way.launch;
        options.cupti = way.cupti;
        options.pinned = way.pinned;
        runtime::Settings settings;
        settings.gather = way.gather;
        settings.free_policy = way.policy;
        recording = std::move(*trace::Recording::create(std::size_t{1} << 26));
        auto opened = open_fake(options, *recording);
        if (!opened) {
            failures.push_back(opened.error().message);
            return;
        }
        device = std::move(*opened);
        rt = std::make_unique<runtime::Runtime>(*device, *recording, settings);
        note_failure(failures, [&] { values = program(); });
        note_failure(failures, [&] { rt->waitall(); });
        stop();
    }

    void expect_nothing_left() const {
        const fake::Counts left = fake::counts();
        EXPECT_EQ(left.streams, 0);
        EXPECT_EQ(left.events, 0);
        EXPECT_EQ(left.handles, 0);
        EXPECT_EQ(left.graphs, 0);
        EXPECT_EQ(left.graph_execs, 0);
        EXPECT_EQ(left.device_bytes, 0u);
        EXPECT_EQ(left.pinned_bytes, 0u);
    }

    std::vector<float> values;
    std::vector<std::string> failures;
};

TEST_P(EachCall, FailsWithOneSentenceOrDoesNotMatter) {
    run();
    ASSERT_TRUE(failures.empty()) << failures[0];
    expect_nothing_left();
    const std::vector<float> expected = values;
    const auto calls = fake::calls();
    int tried = 0, injected = 0, told = 0, lost = 0;
    for (const auto& [name, count] : calls) {
        if (name.starts_with("cupti")) {
            continue;  // cupti_failure_test.cpp
        }
        ++tried;
        std::set<int> numbers{count / 2, count};
        for (int nth = 1; nth <= kFirstCalls; ++nth) {
            numbers.insert(nth);
        }
        for (const int nth : numbers) {
            if (nth < 1 || nth > count) {
                continue;
            }
            SCOPED_TRACE(name + ", call " + std::to_string(nth) + " of " + std::to_string(count));
            fake::reset();
            fake::fail_call(name, nth, cudaErrorUnknown);
            run();
            if (fake::failure_is_due()) {
                continue;  // how often the driver is polled depends on time
            }
            ++injected;
            bool is_lost = false;
            for (const std::string& failure : failures) {
                const std::string call = name == "launch" ? "launching a kernel" : name;
                EXPECT_TRUE(failure.find(call) != std::string::npos || failure.find("GPU is lost") != std::string::npos)
                    << failure;
                EXPECT_EQ(failure.find('\n'), std::string::npos) << failure;
                is_lost |= failure.find("lost") != std::string::npos;
            }
            if (failures.empty()) {
                EXPECT_EQ(values, expected);
            }
            told += failures.empty() ? 0 : 1;
            lost += is_lost ? 1 : 0;
            // A lost device is not called again, and memory that cannot be freed stays.
            if (!is_lost && !name.starts_with("cudaFree")) {
                expect_nothing_left();
            }
        }
    }
    std::cout << tried << " functions, " << injected << " failed calls: " << told << " with a sentence, " << lost
              << " of them of a lost device; " << injected - told << " did not matter\n";
    EXPECT_GT(injected, 10 * kFirstCalls);
}

INSTANTIATE_TEST_SUITE_P(
    All, EachCall,
    testing::Values(Way{"Engine", CudaLaunch::engine, true, true, false, memory::FreePolicy::finish},
                    Way{"FrontendAndEvents", CudaLaunch::frontend, false, false, false, memory::FreePolicy::stream},
                    Way{"GraphsAndLazy", CudaLaunch::engine, true, true, true, memory::FreePolicy::lazy}),
    [](const auto& way) { return std::string(way.param.name); });

}  // namespace
}  // namespace headway
