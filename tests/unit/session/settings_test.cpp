#include "app/session/settings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/confinement/confinement.h"
#include "engine/core/system/machine_memory.h"

namespace headway::session {
namespace {

TEST(Settings, SizesAreReadAsOnTheCommandLine) {
    EXPECT_EQ(*bytes_from_text("512M"), 512u << 20);
    EXPECT_EQ(*bytes_from_text("1.5G"), 3u << 29);
    EXPECT_EQ(*bytes_from_text("1.5 GB"), 1'500'000'000u);
    EXPECT_EQ(*bytes_from_text("0"), 0u);
    EXPECT_EQ(*bytes_from_text("none"), core::kNoBudget);
    EXPECT_EQ(*bytes_from_text("default"), 0u);
    EXPECT_EQ(*bytes_from_text(" "), 0u);
    for (const char* text : {"12Q", "M", "-5M", "1e30G", "nan", "12 M B"}) {
        EXPECT_FALSE(bytes_from_text(text)) << text;
    }
}

TEST(Settings, OnlyNonDefaultsGoOnTheCommandLine) {
    Settings settings;
    settings.program = "train";
    const auto plain = *runner_arguments(settings, 3, 1 << 20, "/tmp/t");
    EXPECT_EQ(plain[0], "run");
    EXPECT_EQ(plain[1], "train");
    for (const char* absent :
         {"--budget", "--queue-limit", "--workers", "--streams", "--set", "--free-policy", "--costs"}) {
        EXPECT_EQ(std::count(plain.begin(), plain.end(), absent), 0) << absent;
    }
    settings.barrier = {trace::BarrierKind::behind, 2};
    settings.parameters = {{"batches", "7"}};
    settings.budget_bytes = 99;
    settings.queue_limit = 64;
    settings.free_policy = "lazy";
    settings.device = "simulated";
    settings.costs = "t1=1us";
    settings.gpus = 2;
    settings.gpu_speeds = {1, 0.25};
    const auto full = *runner_arguments(settings, 3, 1 << 20, "/tmp/t");
    const auto follows = [&full](const std::string& option, const std::string& value) {
        const auto at = std::find(full.begin(), full.end(), option);
        return at != full.end() && at + 1 != full.end() && *(at + 1) == value;
    };
    EXPECT_TRUE(follows("--barrier", "behind:2"));
    EXPECT_TRUE(follows("--free-policy", "lazy"));
    EXPECT_TRUE(follows("--costs", "t1=1us"));
    EXPECT_TRUE(follows("--gpu-speeds", "1, 0.25"));
    settings.gpus = 3;  // chosen in the window: the lesson's speeds are for two
    const auto three = *runner_arguments(settings, 3, 1 << 20, "/tmp/t");
    EXPECT_EQ(std::count(three.begin(), three.end(), "--gpu-speeds"), 0);
    settings.barrier = {};
    const auto written = *runner_arguments(settings, 3, 1 << 20, "/tmp/t");
    EXPECT_EQ(*(std::find(written.begin(), written.end(), "--barrier") + 1), "as-written");
    EXPECT_TRUE(follows("--set", "batches=7"));
    EXPECT_TRUE(follows("--budget", "99"));
    EXPECT_TRUE(follows("--queue-limit", "64"));
    EXPECT_TRUE(follows("--trace-fd", "3"));
}

TEST(Settings, AProgramFromDiskBringsItsFolder) {
    Settings settings;
    settings.program = "/home/x/a.md";
    settings.tab = "pytorch";
    settings.source = "/tmp/t/a.md";
    settings.folder = "/home/x";
    const auto count = [](const std::vector<std::string>& words, const char* word) {
        return std::count(words.begin(), words.end(), word);
    };
    const auto words = *runner_arguments(settings, 3, 1 << 20, "/tmp/t");
    for (const char* word : {"--tab", "--source", "--folder", "--temporary"}) {
        EXPECT_EQ(count(words, word), 1) << word;
    }
    const bool can = confinement::support().writes();
    EXPECT_EQ(count(words, "--confine"), can ? 2 : 0);
    settings.folder_writable = false;
    EXPECT_EQ(count(*runner_arguments(settings, 3, 1 << 20, "/tmp/t"), "--confine"), can ? 1 : 0);
    const auto nowhere = runner_arguments(settings, 3, 1 << 20);
    EXPECT_EQ(static_cast<bool>(nowhere), !can) << "it would run without confinement";
    settings.confined = false;
    EXPECT_TRUE(runner_arguments(settings, 3, 1 << 20));
    EXPECT_EQ(count(*runner_arguments(settings, 3, 1 << 20, "/tmp/t"), "--confine"), 0);
}

}  // namespace
}  // namespace headway::session
