#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "engine/core/clock.h"
#include "engine/core/ids.h"
#include "engine/core/result.h"
#include "engine/core/system/output_file.h"
#include "engine/core/system/thread.h"

namespace headway::core {

TEST(Line, HoldsFileAndNumber) {
    const Line line = make_line(3, 70000);
    EXPECT_EQ(file_of(line), 3u);
    EXPECT_EQ(number_of(line), 70000u);
}

TEST(Line, IsUnknownBeyondTheMostFilesOrLines) {
    const Line last = make_line(kMostFiles, kMostLine);
    EXPECT_EQ(file_of(last), 4095u);
    EXPECT_EQ(number_of(last), 1'048'575u);
    EXPECT_EQ(file_of(make_line(256, 7)), 256u);
    EXPECT_EQ(make_line(kMostFiles + 1, 1), 0u);
    EXPECT_EQ(make_line(1, kMostLine + 1), 0u);
}

TEST(WholeFile, NewFilesGetPermissionsFromTheUmask) {
    const mode_t before = umask(027);
    // Setting the umask in order to read it would be visible to other threads.
    std::atomic<int> wrong{0};
    {
        std::vector<std::jthread> readers;
        for (int reader = 0; reader < 4; ++reader) {
            readers.emplace_back([&wrong] {
                for (int i = 0; i < 500; ++i) {
                    wrong += permissions_of_new_files() != 0640 ? 1 : 0;
                }
            });
        }
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(umask(0), mode_t{027});
    EXPECT_EQ(permissions_of_new_files(), mode_t{0666});
    umask(before);
}

TEST(Result, HoldsAValueOrAnError) {
    Result<std::string> good(std::string("value"));
    ASSERT_TRUE(good);
    EXPECT_EQ(*good, "value");
    const Result<std::string> bad(Error{ErrorKind::usage, "why", {}, 0, 0});
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().message, "why");
    EXPECT_TRUE(Result<void>());
    EXPECT_FALSE(Result<void>(Error{ErrorKind::failed, "no", {}, 0, 0}));
}

TEST(ResultDeathTest, ValueOfAnErrorAbortsWithAMessage) {
    EXPECT_DEATH(
        {
            Result<int> bad(Error{ErrorKind::failed, "no", {}, 0, 0});
            (void)bad.value();
        },
        "value\\(\\) of a failed Result");
}

TEST(Clock, ScaleMapsBothAnchorsOntoThemselves) {
    const TickScale scale({1000, 5'000'000}, {3'501'000, 6'400'000});
    EXPECT_EQ(scale.ns_from_ticks(1000), 5'000'000);
    EXPECT_NEAR(static_cast<double>(scale.ns_from_ticks(3'501'000)), 6'400'000, 1);
    EXPECT_NEAR(scale.ns_per_tick(), 0.4, 1e-9);
}

TEST(Clock, TicksGoOnlyForwardAndAgreeWithTheMonotonicClock) {
    const Anchor first = read_anchor();
    Anchor last;
    do {
        last = read_anchor();
    } while (last.ns - first.ns < 5'000'000);
    EXPECT_GT(last.ticks, first.ticks);
    const TickScale scale(first, last);
    // In the middle the scale must agree with the clock, to far less than a scheduling slice.
    EXPECT_GT(scale.ns_from_ticks(first.ticks + (last.ticks - first.ticks) / 2), first.ns);
    EXPECT_LT(scale.ns_from_ticks(first.ticks + (last.ticks - first.ticks) / 2), last.ns);
}

TEST(Futex, WakesASleeperThatAnnouncedItself) {
    std::atomic<std::uint32_t> word{1};
    std::thread sleeper([&] {
        while (word.load() != 0) {
            futex_wait_for(word, 1, 10'000'000'000);
        }
    });
    word.store(0);
    futex_wake_all(word);
    sleeper.join();
    EXPECT_EQ(word.load(), 0u);
}

TEST(SleepUntilStop, EndsOnAStopRequest) {
    EXPECT_TRUE(sleep_until_stop(std::stop_source().get_token(), std::chrono::milliseconds(0)));
    std::jthread sleeper([](const std::stop_token& stop) {
        EXPECT_FALSE(sleep_until_stop(stop, std::chrono::hours(24)));  // otherwise the test never ends
    });
}

}  // namespace headway::core
