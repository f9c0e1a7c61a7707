#include "app/runner/execution/job.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace headway::runner {
namespace {

RunOptions options_for(const std::string& program, std::vector<std::pair<std::string, std::string>> set = {}) {
    RunOptions options;
    options.program = program;
    options.device.clear();
    options.set = std::move(set);
    return options;
}

TEST(Job, ALessonProvidesDefaults) {
    const auto job = make_job(options_for("train", {{"batches", "07"}}));
    ASSERT_TRUE(job) << job.error().message;
    EXPECT_EQ(job->program->name(), "train");
    ASSERT_TRUE(job->lesson);
    EXPECT_EQ(job->title(), "Improving the memory footprint");
    EXPECT_EQ(job->parameters.at("batches"), "7");
    EXPECT_EQ(job->parameters.at("batch_size"), "128");
    EXPECT_EQ(job->options.device, "cpu");
    EXPECT_EQ(job->barrier(), (trace::BarrierPolicy{trace::BarrierKind::minibatch, 0}));
}

TEST(Job, TheBarrierOptionOverridesTheLesson) {
    auto options = options_for("train");
    options.barrier = trace::BarrierPolicy{trace::BarrierKind::none, 0};
    const auto job = make_job(options);
    ASSERT_TRUE(job);
    EXPECT_EQ(job->barrier().kind, trace::BarrierKind::none);
}

TEST(Job, ATabHasItsFrameworksProfileUnlessOverridden) {
    auto options = options_for("dependency-graph");
    options.device = "simulated";
    const auto expect = [&options](const char* tab, const char* name, std::uint32_t streams,
                                   memory::FreePolicy policy) {
        options.tab = tab;
        const auto job = make_job(options);
        ASSERT_TRUE(job) << job.error().message;
        EXPECT_EQ(job->profile.name, name);
        EXPECT_EQ(job->streams, streams);
        EXPECT_EQ(job->free_policy, policy);
    };
    using memory::FreePolicy;
    expect("", "Headway", 2, FreePolicy::finish);
    expect("pytorch", "PyTorch", 1, FreePolicy::stream);
    expect("mxnet", "MXNet", 2, FreePolicy::lazy);
    expect("tensorflow", "TensorFlow", 1, FreePolicy::stream);
    options.free_policy = FreePolicy::finish;
    options.streams = 5;
    options.streams_given = true;
    expect("pytorch", "PyTorch", 5, FreePolicy::finish);
    EXPECT_EQ(make_job(options)->chosen(), (std::vector<std::string>{"free_policy", "streams"}));
}

TEST(Job, AsWrittenOverridesTheLesson) {
    auto options = options_for("limits");  // a lesson that runs without a barrier by default
    auto job = make_job(options);
    ASSERT_TRUE(job) << job.error().message;
    EXPECT_EQ(job->barrier().kind, trace::BarrierKind::none);
    options.barrier = trace::BarrierPolicy{};
    job = make_job(options);
    ASSERT_TRUE(job);
    EXPECT_EQ(job->barrier(), job->program->written_barrier());
    EXPECT_EQ(job->options.barrier->kind, trace::BarrierKind::as_written);
}

TEST(Job, ErrorsOnUnknownNamesListTheKnownOnes) {
    auto job = make_job(options_for("trian"));
    ASSERT_FALSE(job);
    EXPECT_EQ(job.error().kind, core::ErrorKind::usage);
    for (const char* known : {"increment", "matmul", "train"}) {
        EXPECT_NE(job.error().message.find(known), std::string::npos) << job.error().message;
    }
    job = make_job(options_for("increment", {{"m", "3"}}));
    ASSERT_FALSE(job);
    EXPECT_EQ(job.error().message, "increment has no parameter \"m\"; it has these: n, wait and size");
    job = make_job(options_for("increment", {{"n", "0"}}));
    ASSERT_FALSE(job);
    EXPECT_EQ(job.error().message, "n must be from 1 to 1000000000, not \"0\"");
}

TEST(Job, AnOrderIsForTheSimulatedDevice) {
    auto options = options_for("increment");
    options.order = 3;
    for (const char* device : {"", "cpu", "cuda"}) {
        options.device = device;
        const auto job = make_job(options);
        ASSERT_FALSE(job) << device;
        EXPECT_EQ(job.error().kind, core::ErrorKind::usage);
        EXPECT_EQ(job.error().message,
                  "--order is for --device simulated, not for " + std::string(*device == '\0' ? "cpu" : device));
    }
    options.device = "simulated";
    EXPECT_TRUE(make_job(options));
    options.order = 0;
    options.device = "cpu";
    EXPECT_TRUE(make_job(options));
}

TEST(Job, AnswersAreForLessons) {
    auto options = options_for("increment");
    options.answers = true;
    EXPECT_TRUE(make_job(options));
    options.program = testing::TempDir() + "headway-job-test.py";
    std::ofstream(options.program) << "x = 1\n";
    const auto job = make_job(options);
    std::remove(options.program.c_str());
    ASSERT_FALSE(job);
    EXPECT_EQ(job.error().kind, core::ErrorKind::usage);
    EXPECT_EQ(job.error().message, "--answers is for lessons, and " + options.program + " is not a lesson");
}

TEST(Job, APythonProgramHasNoTabs) {
    auto options = options_for("p.py");
    options.tab = "pytorch";
    const auto job = make_job(options);
    ASSERT_FALSE(job);
    EXPECT_EQ(job.error().kind, core::ErrorKind::usage);
    EXPECT_EQ(job.error().message, "--tab is for lessons and documents, not for p.py");
}

lesson::Lesson lesson_with(lesson::Parameter parameter) {
    lesson::Lesson lesson;
    lesson.file = "x/lesson.md";
    lesson.parameters = {std::move(parameter)};
    lesson.lines = {9};
    return lesson;
}

TEST(Job, ALessonCannotWidenAParameter) {
    const auto program = make_increment();
    const auto narrow = lesson_with({"n", "Steps", "", "5", 2, 9, true, {}});
    const auto merged = merged_parameters(*program, &narrow);
    ASSERT_TRUE(merged);
    EXPECT_EQ((*merged)[0].value, "5");
    EXPECT_EQ((*merged)[0].most, 9);
    EXPECT_EQ(merged->size(), program->parameters().size());

    const lesson::Parameter wrong[] = {
        {"m", "", "", "5", 1, 9, true, {}},               // unknown
        {"n", "", "", "5", 0, 9, true, {}},               // wider
        {"n", "", "", "5", 1, 2e9, true, {}},             // wider
        {"n", "", "", "5", 1, 9, false, {}},              // fractions
        {"n", "", "", "once", 0, 0, true, {"once"}},      // words for a number
        {"wait", "", "", "5", 1, 9, true, {}},            // a number for words
        {"wait", "", "", "often", 0, 0, true, {"often"}}  // a word it does not know
    };
    for (const auto& parameter : wrong) {
        const auto lesson = lesson_with(parameter);
        const auto refused = merged_parameters(*program, &lesson);
        ASSERT_FALSE(refused) << parameter.name << " " << parameter.value;
        EXPECT_EQ(refused.error().file, "x/lesson.md");
        EXPECT_EQ(refused.error().line, 9u);
    }
}

TEST(Job, EveryBundledLessonIsUsable) {
    std::vector<core::Error> refused;
    const auto lessons = usable_lessons(refused);
    for (const auto& error : refused) {
        ADD_FAILURE() << error.file << ":" << error.line << ": " << error.message;
    }
    EXPECT_GE(lessons.size(), 3u);
    for (const auto& lesson : lessons) {
        const auto job = make_job(options_for(lesson.id));
        if (!job && job.error().message.find("no Python frontend") != std::string::npos) {
            continue;
        }
        EXPECT_TRUE(job) << lesson.id << ": " << job.error().message;
    }
}

}  // namespace
}  // namespace headway::runner
