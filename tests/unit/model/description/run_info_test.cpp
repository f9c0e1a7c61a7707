// What a recording says of its run: its profile, and the speeds of several GPUs.
#include "app/model/description/run_info.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/model/costs/cost_model_file.h"
#include "app/model/description/description.h"
#include "app/model/report/report.h"
#include "app/model/run/devices.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

using nlohmann::json;

TEST(ProfileWords, NameWhatFollowsTheProfileAndWhatWasChosen) {
    RunInfo info;
    EXPECT_EQ(profile_words(info), "");
    info.profile = "PyTorch";
    info.device_kind = "cuda";
    info.streams = 2;
    info.workers = 7;
    info.free_policy = "stream";
    EXPECT_EQ(profile_words(info), "profile PyTorch: 2 streams, free policy stream");
    info.device_kind = "cpu";
    info.workers = 1;
    info.chosen = {"free_policy"};
    EXPECT_EQ(profile_words(info), "profile PyTorch: 1 worker; chosen: free policy stream");
    info.chosen = {"workers", "free_policy"};
    EXPECT_EQ(profile_words(info), "profile PyTorch; chosen: 1 worker, free policy stream");
}

class SettingsOfGpus : public testing::Test {
protected:
    // Two GPUs of these speeds, and the CPU.
    void read(const json& speeds) {
        RecordingBuilder builder;
        auto costs = load_cost_model(HEADWAY_COST_MODELS "/default.json");
        ASSERT_TRUE(costs) << costs.error().message;
        const json link{{"base_ns", 1}};
        const json run{{"lanes", {"Stream 0"}},
                       {"device_kind", "simulated"},
                       {"gpus", 2},
                       {"links", "pairs"},
                       {"gpu_speeds", speeds},
                       {"profile", "PyTorch"},
                       {"chosen", {"streams"}},
                       {"cost_models",
                        {{"device", json_of(*costs)},
                         {"links", {{"name", ""}, {"source", ""}, {"pcie", link}, {"nvlink", link}}}}}};
        builder.metadata(run.dump());
        builder.recording().meta(trace::MetaType::device, 1,
                                 R"({"kind": "simulated", "first_lane": 1, "lanes": ["Stream 0"]})");
        builder.recording().meta(trace::MetaType::device, 2,
                                 R"({"kind": "cpu", "first_lane": 2, "lanes": ["Worker 0"]})");
        for (std::uint8_t lane = 0; lane < 3; ++lane) {
            builder.exec(lane, builder.issue({lane * 10, lane * 10 + 5, lane}), 100, 200);
        }
        run_ = builder.read();
    }

    std::unique_ptr<model::Run> run_;
};

TEST_F(SettingsOfGpus, SpeedsAreThoseOfTheirDevices) {
    ASSERT_NO_FATAL_FAILURE(read({0.25, 2}));
    EXPECT_EQ(speed_of(*run_, 0), 0.25);
    EXPECT_EQ(speed_of(*run_, 1), 2);
    EXPECT_EQ(speed_of(*run_, 2), 1) << "the CPU";
}

TEST_F(SettingsOfGpus, SpeedsAreReported) {
    ASSERT_NO_FATAL_FAILURE(read({0.25, 2}));
    const json report = json::parse(report_json(*run_));
    EXPECT_EQ(report["settings"]["gpu_speeds"], json({0.25, 2}));
    EXPECT_EQ(report["devices"][0]["speed"], 0.25);
    EXPECT_EQ(report["devices"][1]["speed"], 2);
    EXPECT_FALSE(report["devices"][2].contains("speed"));
}

TEST_F(SettingsOfGpus, TheReportNamesTheProfile) {
    ASSERT_NO_FATAL_FAILURE(read({1, 1}));
    const json settings = json::parse(report_json(*run_))["settings"];
    EXPECT_EQ(settings["profile"], "PyTorch");
    EXPECT_EQ(settings["chosen"], json::array({"streams"}));
    EXPECT_EQ(all_devices(*run_), "all 3 devices");
}

TEST_F(SettingsOfGpus, InvalidSpeedsCountAsOne) {
    ASSERT_NO_FATAL_FAILURE(read({-1, "fast", 5, 5}));
    EXPECT_EQ(speed_of(*run_, 0), 1);
    EXPECT_EQ(speed_of(*run_, 1), 1);
    ASSERT_NO_FATAL_FAILURE(read(json::array()));
    EXPECT_EQ(speed_of(*run_, 1), 1);
}

}  // namespace
}  // namespace headway::model
