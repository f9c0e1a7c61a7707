#include "app/model/numbers/numbers_walk.h"
#include "app/runner/programs/program.h"

#include <gtest/gtest.h>

#include <set>

#include "app/runner/commands/commands.h"
#include "app/runner/execution/device_choice.h"
#include "app/runner/execution/execute.h"

namespace headway::runner {
namespace {

TEST(Programs, HaveNamesAndValidParameters) {
    std::set<std::string> names;
    for (const auto& program : built_in_programs()) {
        EXPECT_TRUE(names.insert(program->name()).second);
        for (const auto& parameter : program->parameters()) {
            EXPECT_TRUE(lesson::accept_value(parameter, parameter.value)) << program->name() << " " << parameter.name;
        }
    }
    EXPECT_EQ(names, (std::set<std::string>{"increment", "matmul", "train"}));
}

// Runs a program on the simulated device, so values and times are the same on every machine.
std::unique_ptr<model::Run> run(const std::string& program, std::vector<std::pair<std::string, std::string>> set,
                                std::optional<core::Error>* error = nullptr, std::uint64_t budget = 0) {
    RunOptions options;
    options.program = program;
    options.device = "simulated";
    options.set = std::move(set);
    options.budget = budget;
    options.trace_limit = std::uint64_t{64} << 20;
    auto job = make_job(options);
    EXPECT_TRUE(job);
    StopSignals signals;
    auto outcome = execute(*job, signals);
    EXPECT_TRUE(outcome);
    if (error != nullptr) {
        *error = outcome->error;
    } else {
        EXPECT_FALSE(outcome->error) << outcome->error->message;
    }
    auto made = read_run(*outcome->recording);
    EXPECT_TRUE(made);
    return std::move(*made);
}

TEST(Programs, IncrementIssuesTheGivenNumberOfOps) {
    const auto once = run("increment", {{"n", "50"}});
    EXPECT_EQ(numbers_of(*once).ops, 50u);
    EXPECT_EQ(once->state(), trace::RunState::finished);
    const auto each = run("increment", {{"n", "50"}, {"wait", "each"}});
    EXPECT_EQ(numbers_of(*each).ops, 50u);
    EXPECT_EQ(numbers_of(*each).headway_max, 1u);
    EXPECT_EQ(numbers_of(*each).total_ns, numbers_of(*each).predicted_ns);
    EXPECT_EQ(numbers_of(*once).total_ns, numbers_of(*once).predicted_ns);
}

TEST(Programs, OpsAndWaitsNameTheirLines) {
    const auto made = run("train", {{"batches", "2"}, {"batch_size", "2"}, {"features", "3"}, {"hidden", "4"}});
    for (core::OpId id = 1; id <= made->op_count(); ++id) {
        EXPECT_EQ(made->line_text(made->op(id).line).rfind("train.cpp:", 0), 0u) << id;
    }
    for (const auto& wait : made->waits()) {
        EXPECT_EQ(made->line_text(wait.line).rfind("train.cpp:", 0), 0u) << wait.name;
    }
    EXPECT_EQ(made->minibatches().size(), 2u);
    EXPECT_NE(made->result_json().find("losses"), std::string::npos);
}

TEST(Programs, TrainingLearns) {
    const auto made = run("train", {{"batches", "30"}, {"batch_size", "32"}, {"features", "16"}, {"hidden", "16"}});
    const auto& result = made->result_json();
    const auto first = std::stod(result.substr(result.find('[') + 1));
    const auto last = std::stod(result.substr(result.rfind(',') + 1));
    EXPECT_LT(last, 0.7 * first);
}

TEST(Programs, AnErrorIsStoredInTheRecording) {
    std::optional<core::Error> error;
    const auto made = run("train", {}, &error, 1 << 20);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind, core::ErrorKind::out_of_memory);
    EXPECT_EQ(made->state(), trace::RunState::failed);
    ASSERT_TRUE(made->error());
    EXPECT_EQ(made->error()->file, "train.cpp");
    EXPECT_GT(made->error()->line, 0u);
    EXPECT_EQ(made->error()->op, error->op);
}

}  // namespace
}  // namespace headway::runner
