#include "app/runner/command_line/command_line.h"

#include <gtest/gtest.h>

#include "app/runner/execution/device_choice.h"

namespace headway::runner {
namespace {

std::string error_of(const std::vector<std::string>& arguments) {
    const auto line = parse_command_line(arguments);
    if (line) {
        return "";
    }
    EXPECT_EQ(line.error().kind, core::ErrorKind::usage);
    EXPECT_EQ(line.error().message.find('\n'), std::string::npos);
    return line.error().message;
}

TEST(Options, RunHasDefaults) {
    const auto line = parse_command_line({"run", "train"});
    ASSERT_TRUE(line) << line.error().message;
    EXPECT_EQ(line->subcommand, Subcommand::run);
    const RunOptions& run = line->run;
    EXPECT_EQ(run.program, "train");
    EXPECT_FALSE(run.barrier.has_value());
    EXPECT_EQ(run.workers, default_workers());
    EXPECT_EQ(run.streams, 2u);
    EXPECT_EQ(run.budget, 0u);
    EXPECT_EQ(run.queue_limit, 0u);
    EXPECT_FALSE(run.free_policy);  // the profile's
    EXPECT_EQ(run.seed, 0u);
    EXPECT_EQ(run.trace_fd, -1);
}

TEST(Options, TheProgramsOwnBarriersCanBeChosen) {
    const auto line = parse_command_line({"run", "train", "--barrier", "as-written"});
    ASSERT_TRUE(line) << line.error().message;
    EXPECT_EQ(line->run.barrier, trace::BarrierPolicy{}) << "and not the lesson's";
}

TEST(Options, TheHelpOfExploreListsOnlyWhatItTakes) {
    const std::string text = parse_command_line({"explore", "--help"})->text;
    EXPECT_NE(text.find("--workers"), std::string::npos);
    EXPECT_EQ(text.find("--device"), std::string::npos);
    EXPECT_EQ(text.find("--order "), std::string::npos);
    const auto line = parse_command_line({"explore", "train", "--device", "simulated", "--workers", "2"});
    ASSERT_TRUE(line) << line.error().message;
    EXPECT_EQ(line->explore.words, (std::vector<std::string>{"--workers", "2"}));
    for (const auto& [option, value] : {std::pair{"--order", "3"}, std::pair{"--device", "cpu"}}) {
        EXPECT_NE(error_of({"explore", "train", option, value}).find("explore runs on the device simulated"),
                  std::string::npos)
            << option;
        EXPECT_EQ(error_of({"explore", "train", option, ""}), std::string(option) + " needs a value");
    }
}

TEST(Options, RunAcceptsAllOptions) {
    const auto line = parse_command_line({"run",
                                          "--device",
                                          "simulated",
                                          "--barrier",
                                          "behind:2",
                                          "--set",
                                          "a=1",
                                          "train",
                                          "--set",
                                          "b=2=3",
                                          "--workers",
                                          "3",
                                          "--streams",
                                          "4",
                                          "--budget",
                                          "64M",
                                          "--queue-limit",
                                          "9",
                                          "--free-policy",
                                          "lazy",
                                          "--seed",
                                          "7",
                                          "--report",
                                          "r.json",
                                          "--trace=t.json",
                                          "--figure",
                                          "f.png",
                                          "--trace-fd",
                                          "5"});
    ASSERT_TRUE(line) << line.error().message;
    const RunOptions& run = line->run;
    EXPECT_EQ(run.program, "train");
    EXPECT_EQ(run.device, "simulated");
    EXPECT_EQ(run.barrier, (trace::BarrierPolicy{trace::BarrierKind::behind, 2}));
    EXPECT_EQ(run.set, (std::vector<std::pair<std::string, std::string>>{{"a", "1"}, {"b", "2=3"}}));
    EXPECT_EQ(run.workers, 3u);
    EXPECT_EQ(run.streams, 4u);
    EXPECT_EQ(run.budget, 64u << 20);
    EXPECT_EQ(run.queue_limit, 9u);
    EXPECT_EQ(run.free_policy, memory::FreePolicy::lazy);
    EXPECT_EQ(run.seed, 7u);
    EXPECT_EQ(run.report, "r.json");
    EXPECT_EQ(run.trace, "t.json");
    EXPECT_EQ(run.figure, "f.png");
    EXPECT_EQ(run.trace_fd, 5);
}

TEST(Options, ErrorsAreOneSentence) {
    EXPECT_EQ(error_of({"walk"}), "unknown command walk; see headway --help");
    EXPECT_EQ(error_of({"run", "train", "--sped", "3"}),
              "unknown option --sped for headway run; see headway run --help");
    EXPECT_EQ(error_of({"run", "train", "twice"}), "unexpected argument twice for headway run; see headway run --help");
    EXPECT_NE(error_of({"run"}).find("PROGRAM"), std::string::npos);
    EXPECT_NE(error_of({}), "");
    EXPECT_NE(error_of({"run", "train", "--report"}), "");
    EXPECT_EQ(error_of({"run", "train", "--report", ""}), "--report needs a value");
    EXPECT_EQ(error_of({"run", "train", "--set", "n=1", "--set", "m=1", "--set", "n=2"}),
              "--set n is given twice; give it once");
    EXPECT_EQ(error_of({"compare", "train", "--a", "--set n=1 --set n=1", "--b", ""}),
              "in --a: --set n is given twice; give it once");
    EXPECT_EQ(error_of({"run", "train", "--workers", "0"}), "--workers must be a whole number from 1 to 16, not \"0\"");
    EXPECT_NE(error_of({"run", "train", "--workers", "17"}), "");
    EXPECT_NE(error_of({"run", "train", "--streams", "0"}), "");
    EXPECT_NE(error_of({"run", "train", "--queue-limit", "0"}), "");
    EXPECT_NE(error_of({"run", "train", "--budget", "0"}), "");
    EXPECT_NE(error_of({"run", "train", "--seed", "-1"}), "");
    EXPECT_EQ(error_of({"run", "train", "--set", "batches"}), "--set must be NAME=VALUE, not \"batches\"");
    EXPECT_NE(error_of({"run", "train", "--device", "tpu"}), "");
    EXPECT_NE(error_of({"run", "train", "--free-policy", "never"}), "");
    EXPECT_NE(error_of({"compare", "train", "--a", ""}), "");
    EXPECT_EQ(error_of({"compare", "train", "--a", "--workers 0", "--b", ""}),
              "in --a: --workers must be a whole number from 1 to 16, not \"0\"");
    EXPECT_NE(error_of({"compare", "train", "--a", "", "--b", "'"}), "");
    EXPECT_NE(error_of({"compare", "train", "--a", "", "--b", "--trace-fd 5"}), "");
}

TEST(Options, CompareSplitsItsSides) {
    const auto line = parse_command_line({"compare", "train", "--a", "--barrier none --set batches=3", "--b", ""});
    ASSERT_TRUE(line) << line.error().message;
    EXPECT_EQ(line->subcommand, Subcommand::compare);
    EXPECT_EQ(line->compare.a.barrier, (trace::BarrierPolicy{trace::BarrierKind::none, 0}));
    EXPECT_EQ(line->compare.a.program, "train");
    EXPECT_EQ(line->compare.words_a, (std::vector<std::string>{"--barrier", "none", "--set", "batches=3"}));
    EXPECT_TRUE(line->compare.words_b.empty());
}

TEST(Options, OptionsForIssuingAndTheGpu) {
    auto line = parse_command_line({"run", "train"});
    ASSERT_TRUE(line);
    EXPECT_FALSE(line->run.graphs);
    EXPECT_TRUE(line->run.cuda.pinned);
    EXPECT_FALSE(line->run.cuda.tf32);
    EXPECT_EQ(line->run.cuda.launch, devices::CudaLaunch::engine);
    line = parse_command_line(
        {"run", "train", "--issue", "graph", "--launch", "frontend", "--copies", "pageable", "--products", "tf32"});
    ASSERT_TRUE(line) << line.error().message;
    EXPECT_TRUE(line->run.graphs);
    EXPECT_FALSE(line->run.cuda.pinned);
    EXPECT_TRUE(line->run.cuda.tf32);
    EXPECT_EQ(line->run.cuda.launch, devices::CudaLaunch::frontend);
    EXPECT_FALSE(parse_command_line({"run", "train", "--issue", "graphs"}));
}

TEST(Options, CompareAcceptsTracesAsSides) {
    auto line = parse_command_line({"compare", "--a", "one.json", "--b", "'two b.json.gz'"});
    ASSERT_TRUE(line) << line.error().message;
    EXPECT_EQ(line->compare.trace_a, "one.json");
    EXPECT_EQ(line->compare.trace_b, "two b.json.gz");
    line = parse_command_line({"compare", "train", "--a", "one.json", "--b", "--barrier none"});
    ASSERT_TRUE(line) << line.error().message;
    EXPECT_EQ(line->compare.trace_a, "one.json");
    EXPECT_EQ(line->compare.trace_b, "");
    EXPECT_NE(error_of({"compare", "--a", "one.json", "--b", ""}).find("PROGRAM"), std::string::npos);
    EXPECT_NE(error_of({"compare", "train", "--a", "one.json", "--b", "two.json"}).find("train"), std::string::npos);
    // An option for both is for those that are run.
    line = parse_command_line({"compare", "train", "--a", "one.json", "--b", "--barrier none", "--workers", "2"});
    ASSERT_TRUE(line) << line.error().message;
    EXPECT_EQ(line->compare.trace_a, "one.json");
    EXPECT_EQ(line->compare.b.workers, 2u);
    EXPECT_EQ(error_of({"compare", "--a", "one.json", "--b", "two.json", "--workers", "2"}),
              "compare runs nothing when --a and --b are both traces, so --workers has no meaning here");
}

TEST(Options, OneSideOfAComparisonWritesNothing) {
    EXPECT_EQ(error_of({"compare", "train", "--a", "--report r.json", "--b", ""}),
              "in --a: --report is for both sides: headway compare PROGRAM --report");
    EXPECT_EQ(error_of({"compare", "train", "--a", "", "--b", "--figure f.svg"}),
              "in --b: --figure is for both sides: headway compare PROGRAM --figure");
    EXPECT_EQ(error_of({"compare", "train", "--a", "--figure-theme dark", "--b", ""}),
              "in --a: --figure-theme is for both sides: headway compare PROGRAM --figure-theme");
    EXPECT_EQ(error_of({"compare", "train", "--a", "--trace t.json", "--b", ""}),
              "in --a: --trace is for one run: headway run PROGRAM --trace FILE");
}

TEST(Options, WhatIsWrittenCanReplaceEarlierFiles) {
    EXPECT_FALSE(parse_command_line({"compare", "--a", "a.json", "--b", "b.json"})->compare.replace);
    EXPECT_TRUE(parse_command_line({"compare", "--a", "a.json", "--b", "b.json", "--replace"})->compare.replace);
    EXPECT_FALSE(parse_command_line({"explore", "train"})->explore.run.replace);
    const auto line = parse_command_line({"explore", "train", "--replace"});
    EXPECT_TRUE(line->explore.run.replace);
    EXPECT_TRUE(line->explore.words.empty());
}

TEST(Options, FigureOptionsNeedAFigure) {
    for (const auto& [option, value] :
         {std::pair{"--figure-size", "slide"}, std::pair{"--figure-theme", "dark"}, std::pair{"--figure-scale", "2"},
          std::pair{"--figure-from", "1ms"}, std::pair{"--figure-to", "2ms"}, std::pair{"--figure-title", "T"},
          std::pair{"--figure-lanes", "window"}, std::pair{"--figure-seconds", "3"}, std::pair{"--figure-fps", "9"}}) {
        const std::string words = std::string(option) + " is for --figure, which is not given";
        EXPECT_EQ(error_of({"run", "train", option, value}), words);
        EXPECT_EQ(error_of({"run", "train", "--figure", "f.png", option, value}), "");
        EXPECT_EQ(error_of({"compare", "train", "--a", "", "--b", "", option, value}), words);
        EXPECT_EQ(error_of({"compare", "train", "--a", "", "--b", "", "--figure", "f.png", option, value}), "");
    }
    EXPECT_EQ(error_of({"figure", "t.json", "-o", "f.png", "--from", "1ms"}), "");
}

TEST(Options, AnswersAreForOneRun) {
    EXPECT_EQ(error_of({"run", "train", "--answers", "--repeat", "2"}),
              "--answers is for one run, so not with --repeat");
    EXPECT_EQ(error_of({"run", "train", "--answers", "--repeat", "1"}), "");
}

TEST(Options, RepeatIsForRunsOnly) {
    const auto line = parse_command_line({"run", "train", "--repeat", "5"});
    ASSERT_TRUE(line) << line.error().message;
    EXPECT_EQ(line->run.repeat, 5u);
    EXPECT_NE(error_of({"run", "train", "--repeat", "0"}), "");
    EXPECT_NE(error_of({"compare", "train", "--a", "--repeat 2", "--b", ""}), "");
    const auto compared = parse_command_line({"compare", "train", "--a", "", "--b", "", "--repeat", "3"});
    ASSERT_TRUE(compared);
    EXPECT_EQ(compared->compare.repeat, 3u);
    EXPECT_NE(error_of({"compare", "train", "--a", "", "--b", "", "--repeat", "0"}), "");
    EXPECT_NE(error_of({"compare", "train", "--a", "one.json", "--b", "", "--repeat", "3"}).find("--repeat"),
              std::string::npos);
}

TEST(Options, HelpAndVersion) {
    auto line = parse_command_line({"--help"});
    ASSERT_TRUE(line);
    EXPECT_EQ(line->subcommand, Subcommand::help);
    EXPECT_NE(line->text.find("compare"), std::string::npos);
    line = parse_command_line({"run", "--help"});
    ASSERT_TRUE(line);
    EXPECT_NE(line->text.find("--free-policy"), std::string::npos);
    EXPECT_EQ(line->text.find("--trace-fd"), std::string::npos);
    line = parse_command_line({"--version"});
    ASSERT_TRUE(line);
    EXPECT_EQ(line->subcommand, Subcommand::version);
}

TEST(Devices, UnavailableOnesReportTheReason) {
    const auto devices = list_devices();
    ASSERT_EQ(devices.size(), 3u);
    EXPECT_EQ(devices[0].kind, "cpu");
    EXPECT_TRUE(devices[0].available);
    EXPECT_EQ(devices[0].lanes.size(), default_workers());
    for (const auto& device : devices) {
        EXPECT_EQ(device.available, device.reason.empty()) << device.kind;
        if (device.kind == "cuda" && !device.available) {
            continue;  // a driver may be installed without a GPU
        }
        EXPECT_EQ(static_cast<bool>(check_device(device.kind)), device.available);
    }
    EXPECT_EQ(check_device("tpu").error().kind, core::ErrorKind::usage);
}

}  // namespace
}  // namespace headway::runner
