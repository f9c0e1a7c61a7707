#include "app/session/reading_thread.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace headway::session {
namespace {

using Clock = std::chrono::steady_clock;

// The test draws as the window does: it uses the session between the turns of the thread only.
TEST(ReadingThread, ReadsALongRunWhileTheWindowWaits) {
    Session session({HEADWAY_RUNNER, 0, false});
    session.settings.program = "increment";
    session.settings.device = "cpu";
    session.settings.parameters = {{"n", "1000000"}};
    ReadingThread thread(session);
    ASSERT_TRUE(session.start());
    std::size_t read_beside = 0;
    const auto end = Clock::now() + std::chrono::minutes(1);
    while ((session.live() || session.behind()) && Clock::now() < end) {
        const auto count = [&] { return session.b()->run() ? session.b()->run()->op_count() : 0; };
        const std::size_t before = count();
        {
            const auto turn = thread.lend(10);
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        read_beside += count() - before;
        session.poll(0.05);
    }
    ASSERT_FALSE(session.live());
    EXPECT_EQ(session.b()->phase(), Phase::finished);
    EXPECT_GE(session.b()->run()->op_count(), 1'000'000U);
    EXPECT_GT(read_beside, 500'000U);
    EXPECT_EQ(session.b()->numbers().ops, 1'000'000U);
}

TEST(ReadingThread, KeepsItsBudget) {
    Session session({HEADWAY_RUNNER, 0, false});
    session.settings.program = "increment";
    session.settings.device = "cpu";
    session.settings.parameters = {{"n", "3000000"}};
    ReadingThread thread(session);
    ASSERT_TRUE(session.start());
    while (session.live()) {  // its output alone
        session.poll(0.001);
    }
    ASSERT_TRUE(session.behind());
    const std::size_t before = session.b()->run()->op_count();
    {
        const auto turn = thread.lend(0.5);
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    EXPECT_TRUE(session.behind());
    EXPECT_LT(session.b()->run()->op_count() - before, 1'000'000U);
    const std::size_t after = session.b()->run()->op_count();
    { const auto turn = thread.lend(0); }
    EXPECT_EQ(session.b()->run()->op_count(), after);
}

TEST(ReadingThread, EndsWithNothingToRead) {
    Session session({HEADWAY_RUNNER, 0, false});
    ReadingThread thread(session);
    { const auto turn = thread.lend(100); }
    EXPECT_FALSE(session.behind());
}

}  // namespace
}  // namespace headway::session
