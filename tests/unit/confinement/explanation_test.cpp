#include "app/confinement/explanation.h"

#include <gtest/gtest.h>

#include "app/confinement/limits.h"

namespace headway::confinement {
namespace {

const Permissions kConfined{true, {"/home/x"}, false};

bool has(const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
}

TEST(Explanation, NamesWhatEachKernelPrevents) {
    for (int version = 1; version <= 9; ++version) {
        for (const bool seccomp : {false, true}) {
            const std::string text = explanation(kConfined, {version, seccomp});
            const auto lets = text.find("lets it");
            const std::string can = lets == std::string::npos ? "" : text.substr(lets);
            EXPECT_TRUE(has(text, "only in /home/x and shared memory")) << text;
            EXPECT_FALSE(has(text, "\n")) << text;
            EXPECT_EQ(has(can, "empty files elsewhere"), version < 3) << text;
            EXPECT_EQ(has(can, "signal other processes"), version < 6) << text;
            EXPECT_EQ(has(can, "change modes"), !seccomp) << text;
            EXPECT_EQ(has(can, "display or D-Bus"), !seccomp) << text;
            EXPECT_EQ(has(can, "use the network"), !seccomp) << text;
            EXPECT_EQ(has(can, "without TCP"), !seccomp && version >= 4) << text;
            EXPECT_FALSE(has(can, "look into other processes")) << text;
            EXPECT_EQ(can.empty(), seccomp && version >= 6) << text;
            EXPECT_EQ(has(summary(kConfined, {version, seccomp}), "not all of it enforced"), !can.empty());
        }
    }
}

TEST(Explanation, AllOfItInOneLine) {
    EXPECT_EQ(
        explanation(kConfined, {7, true}),
        "The program may read what you may read, and write only in /home/x and shared memory (/dev/shm). It cannot "
        "use the network, reach your display or D-Bus, signal other processes, look into other processes, change "
        "modes, owners or times of files or empty files elsewhere.");
    EXPECT_EQ(summary(kConfined, {7, true}), "writes in its folder only, no network");
}

TEST(Explanation, WithTheNetworkOrWithoutConfinement) {
    const std::string text = explanation({true, {"/x"}, true}, {7, true});
    EXPECT_TRUE(has(text, "use the network, and write only")) << text;
    EXPECT_FALSE(has(text, "cannot use the network")) << text;
    EXPECT_EQ(summary({true, {"/home/x"}, true}, {7, true}), "writes in its folder only, network allowed");
    EXPECT_EQ(summary({true, {}, false}, {7, true}), "writes in a temporary folder only, no network");
    EXPECT_TRUE(has(explanation({false, {}, false}, {7, true}), "write anywhere"));
    EXPECT_EQ(summary({false, {}, false}, {7, true}), "may write anywhere");
    EXPECT_TRUE(has(explanation(kConfined, {0, true}), "no Landlock"));
    EXPECT_EQ(summary(kConfined, {0, true}), "not confined");
}

TEST(Limits, EachHasItsSentence) {
    const Limits limits{1u << 30, 1u << 20, 2500, 4};
    EXPECT_EQ(exceeded_limit(exceeded(limits, {(1u << 30) + 1, 0, 0}, 0)), Limit::memory);
    EXPECT_EQ(exceeded_limit(exceeded(limits, {0, (1u << 20) + 1, 0}, 0)), Limit::output);
    EXPECT_EQ(exceeded_limit(exceeded(limits, {0, 0, 5}, 0)), Limit::processes);
    EXPECT_EQ(exceeded_limit(exceeded(limits, {0, 0, 0}, 2501) + "; what was recorded is kept"), Limit::time);
    EXPECT_EQ(exceeded_limit(""), std::nullopt);
    EXPECT_EQ(exceeded_limit("the program printed --memory-limit"), std::nullopt);
    EXPECT_EQ(exceeded(limits, {1u << 30, 1u << 20, 4}, 2500), "");
    EXPECT_TRUE(
        has(exceeded(limits, {(1u << 30) + 1, 0, 0}, 0), "more than 1 GiB of memory, the limit of --memory-limit"));
    EXPECT_TRUE(has(exceeded(limits, {0, (1u << 20) + 1, 0}, 0), "wrote more than 1 MiB, the limit of --output-limit"));
    EXPECT_TRUE(has(exceeded(limits, {0, 0, 5}, 0), "started more than 4 processes, the limit of --process-limit"));
    EXPECT_TRUE(has(exceeded(limits, {0, 0, 0}, 2501), "ran for more than 2.5 s, the limit of --time-limit"));
    EXPECT_EQ(exceeded({}, {1u << 31, 1u << 31, 99}, 1u << 31), "");
    EXPECT_EQ(words_of(limits), "at most 1 GiB of memory, 4 processes, 1 MiB of output and 2.5 s");
    EXPECT_EQ(words_of({}), "");
}

}  // namespace
}  // namespace headway::confinement
