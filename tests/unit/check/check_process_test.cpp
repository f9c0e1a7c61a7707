#include "app/check/check_process.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <thread>

namespace headway::check {
namespace {

core::Result<CheckReport> result_of(CheckProcess process) {
    for (;;) {
        EXPECT_TRUE(process.busy());
        if (auto report = process.poll()) {
            EXPECT_FALSE(process.busy());
            EXPECT_FALSE(process.poll());
            return std::move(*report);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

const std::filesystem::path kExercise =
    std::filesystem::path(HEADWAY_SOURCE_ASSETS) / "exercises" / "01-needless-barrier";

CheckRequest request(const std::string& program) {
    return {.runner = HEADWAY_RUNNER_PATH, .exercise = kExercise.string(), .program = program};
}

TEST(CheckProcess, GivesTheReport) {
    auto process = CheckProcess::start(request((kExercise / "start.py").string()));
    ASSERT_TRUE(process) << process.error().message;
    const auto report = result_of(std::move(*process));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->verdict, Verdict::failed);
    EXPECT_EQ(report->exercise, "needless-barrier");
    EXPECT_GE(report->checks.size(), 5u);
}

TEST(CheckProcess, SaysWhyThereIsNone) {
    auto process = CheckProcess::start(request("/does/not/exist.py"));
    ASSERT_TRUE(process) << process.error().message;
    const auto report = result_of(std::move(*process));
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().message.find("there is no such file"), std::string::npos) << report.error().message;
    EXPECT_FALSE(CheckProcess::start({.runner = "/does/not/exist", .exercise = "x", .program = "y"}));
}

TEST(CheckProcess, EndsWithItsObject) {
    const auto begin = std::chrono::steady_clock::now();
    {
        auto process = CheckProcess::start(request((kExercise / "solutions" / "wrong_never_ends.py").string()));
        ASSERT_TRUE(process) << process.error().message;
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        EXPECT_FALSE(process->poll());
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

}  // namespace
}  // namespace headway::check
