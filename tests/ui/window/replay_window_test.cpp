// Back and forth through a run that has ended, or is paused.
#include <chrono>
#include <fstream>
#include <thread>

#include "app/ui/lesson/now_box.h"
#include "tests/ui/window/window_fixture.h"

namespace headway::ui::test {
namespace {

class ReplayTest : public WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        state.look.mode = Mode::step;
        run_to_the_end();
        frames(3);
    }
};

TEST_F(ReplayTest, StepsThroughEachEventAndBackToTheSamePicture) {
    act("command:replay.start");
    ASSERT_TRUE(state.replay.on());
    EXPECT_TRUE(shown("playhead"));
    EXPECT_EQ(state.replay.ns(), state.replay.begin_ns());
    frames(60);
    const auto first = pixels();
    for (int i = 0; i < 12; ++i) {
        const std::uint64_t before = state.replay.event();
        act("key:right");
        EXPECT_GT(state.replay.event(), before);
    }
    EXPECT_NE(pixels(), first);
    for (int i = 0; i < 200 && state.replay.ns() > state.replay.begin_ns(); ++i) {
        act("key:left");
    }
    frames(60);
    EXPECT_EQ(pixels(), first);
}

TEST_F(ReplayTest, ShowsTheQueueAndTheSentenceOfTheMoment) {
    act("key:shift+f10");  // from the end
    ASSERT_TRUE(state.replay.on());
    act("key:home");
    EXPECT_EQ(state.replay.ns(), state.replay.begin_ns());
    state.details.show("queue");
    bool queued = false, named = false;
    for (int i = 0; i < 150; ++i) {
        act("key:right");
        const model::Moment& moment = state.replay.moment();
        const NowText text = now_text(state);
        EXPECT_FALSE(text.sentence.empty());
        for (const model::LaneMoment& lane : moment.lanes) {
            if (lane.running != 0) {
                frames(1);
                EXPECT_TRUE(shown("queue/" + std::to_string(lane.running)));
                named = named || text.sentence.find("#" + std::to_string(lane.running)) != std::string::npos;
            }
            queued = queued || lane.queued > 0;
        }
    }
    EXPECT_TRUE(named);
    act("key:end");
    EXPECT_EQ(state.replay.ns(), state.replay.end_ns());
}

TEST_F(ReplayTest, IsScrubbedWithTheMouse) {
    act("command:replay.start");
    const WidgetRect track = rect("replay/track");
    const auto at = [&](float share) {
        return std::to_string(track.x0 + (track.x1 - track.x0) * share) + "," + std::to_string(track.centre_y());
    };
    act("drag:" + at(0.1f) + "," + at(0.5f));
    const double half = static_cast<double>(state.replay.event()) / static_cast<double>(state.replay.events());
    EXPECT_NEAR(half, 0.5, 0.02);
    act("drag:" + at(0.5f) + "," + at(1.0f));
    EXPECT_EQ(state.replay.event(), state.replay.events());
}

TEST_F(ReplayTest, BeginsAtTheBeginningOfAnotherRun) {
    act("command:replay.start");
    act("key:end");
    act("run");
    act("wait");
    act("command:replay.start");
    EXPECT_EQ(state.replay.ns(), state.replay.begin_ns());
}

TEST_F(ReplayTest, EndsWithTheRunThatItShows) {
    act("key:shift+f10");
    ASSERT_TRUE(state.replay.on());
    act("run");
    EXPECT_FALSE(state.replay.on());
    act("wait");
    act("key:shift+f10");
    ASSERT_TRUE(state.replay.on());
    act("click:reset");
    frames(5);
    EXPECT_FALSE(state.replay.on());

    act("run");
    act("wait");
    act("key:shift+f10");
    ASSERT_TRUE(state.replay.on());
    session.reset();
    EXPECT_FALSE(state.replay.on()) << "before the next frame, too";
    frames(2);
}

TEST_F(ReplayTest, ScrollsToTheLineOfTheMoment) {
    const std::filesystem::path program = folder / "long.py";
    {
        std::ofstream lines(program);
        lines << "from mxnet import np\nx = np.ones(3)\n" << std::string(100, '\n') << "y = x + 1\n";
    }
    ASSERT_TRUE(state.programs.open(program.string()));
    run_to_the_end();
    frames(3);
    act("command:replay.start");
    act("key:end");
    frames(2);
    for (int i = 0; i < 20 && state.lines.current() != 103; ++i) {
        act("key:left");
    }
    ASSERT_EQ(state.lines.current(), 103u);
    frames(2);
    EXPECT_TRUE(shown("line/103"));
    for (int i = 0; i < 20 && state.lines.current() != 2; ++i) {
        act("key:left");
    }
    ASSERT_EQ(state.lines.current(), 2u);
    frames(2);
    EXPECT_TRUE(shown("line/2"));
    EXPECT_FALSE(shown("line/103"));
}

TEST_F(ReplayTest, PlaysToTheEnd) {
    act("command:replay.start");
    EXPECT_GT(state.replay.slowdown(), 1);
    act("key:space");
    EXPECT_TRUE(state.replay.playing());
    EXPECT_TRUE(app->animating());
    frames(20);
    EXPECT_GT(state.replay.ns(), state.replay.begin_ns());
    for (int i = 0; i < 6; ++i) {
        act("click:replay/faster");
    }
    for (int i = 0; i < 100 && state.replay.playing(); ++i) {
        frames(20);
    }
    EXPECT_FALSE(state.replay.playing());
    EXPECT_EQ(state.replay.ns(), state.replay.end_ns());
    act("key:escape");
    frames(2);
    EXPECT_FALSE(state.replay.on());
    EXPECT_FALSE(shown("playhead"));
}

TEST_F(ReplayTest, ShowsWhatTheProgramHadWritten) {
    const std::filesystem::path program = folder / "writes.py";
    std::ofstream(program) << "from mxnet import np\nimport sys\nprint('one')\nx = np.ones(3) + 1\nprint(x)\n"
                              "sys.stderr.write('two')\nnp.ones(2)\n";
    ASSERT_TRUE(state.programs.open(program.string()));
    run_to_the_end();
    state.details.show("output");
    const model::ProgramOutput& output = session.b()->run()->program_output();
    ASSERT_EQ(output.written().size(), 3u);
    act("command:replay.start");
    std::size_t most = 0;
    for (std::uint64_t event = 0; event <= state.replay.events(); ++event) {
        state.replay.go_to(state.replay.ns_of_event(event));
        frames(1);
        // The second computation: counts the calls that have happened.
        std::size_t lines = 0;
        for (const auto& written : output.written()) {
            lines += written.ns <= state.replay.ns() ? 1 : 0;
        }
        for (std::size_t row = 0; row < 3; ++row) {
            EXPECT_EQ(shown("output/" + std::to_string(row)), row < lines) << event;
        }
        most = std::max(most, lines);
    }
    EXPECT_GE(most, 2u);
    act("key:escape");
    frames(2);
    EXPECT_TRUE(shown("output/2"));
}

TEST_F(ReplayTest, SaysThatALongOutputIsNotRecordedToItsEnd) {
    const std::filesystem::path program = folder / "writes_much.py";
    std::ofstream(program) << "from mxnet import np\nx = np.ones(3)\nprint('one')\ny = x + 1\n"
                              "print('w' * (1 << 20))\nz = y + 1\nprint('last')\nz.wait_to_read()\n";
    ASSERT_TRUE(state.programs.open(program.string()));
    run_to_the_end();
    state.details.show("output");
    const auto says = [this](const std::string& sentence) {
        frames(2);
        return words().find(sentence) != std::string::npos;
    };
    act("command:replay.start");
    EXPECT_TRUE(says("Written up to this moment"));
    act("command:replay.end");
    EXPECT_TRUE(says("Written first; what followed is not recorded"));
    EXPECT_FALSE(says("Written up to this moment"));
}

TEST_F(ReplayTest, ANewRunEndsIt) {
    act("command:replay.start");
    act("key:f5");
    frames(3);
    EXPECT_FALSE(state.replay.on());
    act("wait");
    EXPECT_FALSE(state.replay.on());
    act("key:left");  // moves the cursor
    EXPECT_FALSE(state.replay.on());
}

// A paused run is stepped back in as well: its last moment is now.
class PausedReplayTest : public WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        state.look.mode = Mode::step;
        const std::filesystem::path program = folder / "steps.py";
        std::ofstream(program) << "from mxnet import np\nx = np.ones(3)\ny = x + 1\nz = y * 2\nw = z + x\nprint(w)\n";
        ASSERT_TRUE(state.programs.open(program.string()));
        session.settings.device = "simulated";
    }
    void step_to(std::uint32_t line) {
        for (int i = 0; i < 20 && state.lines.current() < line; ++i) {
            state.step_line();
            for (int wait = 0; wait < 2000 && !(session.stopped() && state.replay.possible()); ++wait) {
                frames(1);
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
                if (state.lines.current() <= 2 && session.stopped()) {
                    break;  // nothing is issued yet
                }
            }
        }
        ASSERT_EQ(state.lines.current(), line);
        frames(1);  // reads what was recorded before it stopped
    }
};

TEST_F(PausedReplayTest, GoesBackAndForthWhileTheProgramStaysWhereItIs) {
    session.hold_backend(true);
    step_to(6);
    for (int wait = 0; wait < 500 && app->timeline().layout().queued.size() < 4; ++wait) {
        frames(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_EQ(app->timeline().layout().queued.size(), 4u) << "what is queued stands in its lane";
    act("key:shift+f10");
    ASSERT_TRUE(state.replay.on());
    std::uint64_t issued = state.replay.moment().issued;
    EXPECT_EQ(issued, 4u);
    while (issued > 0) {
        const std::uint64_t event = state.replay.event();
        act("key:left");
        ASSERT_LT(state.replay.event(), event);
        ASSERT_LE(state.replay.moment().issued, issued);
        ASSERT_GE(state.replay.moment().issued + 1, issued) << "an event at a time";
        issued = state.replay.moment().issued;
        // The backend is held: all that was issued is queued.
        std::uint64_t queued = 0;
        for (const model::LaneMoment& lane : state.replay.moment().lanes) {
            EXPECT_EQ(lane.running, 0u);
            queued += lane.waiting.size();
        }
        EXPECT_EQ(queued, issued);
    }
    EXPECT_NE(now_text(state).hint.find("stays where it is"), std::string::npos);
    EXPECT_TRUE(session.stopped());
    act("key:end");
    EXPECT_EQ(state.replay.moment().issued, 4u);
    frames(5);
    EXPECT_TRUE(state.replay.at_end());
    // A step leaves the replay and moves the program.
    act("key:f10");
    EXPECT_FALSE(state.replay.on());
    session.hold_backend(false);
    act("stop");
    act("wait");
}

TEST_F(PausedReplayTest, SaysWhatTheSimulatedBackendExecutes) {
    const std::filesystem::path program = folder / "product.py";
    std::ofstream(program) << "from mxnet import np\nx = np.ones((900, 900))\ny = np.dot(x, x); z = y * 2\n"
                              "w = z + x\nprint(w.sum())\n";
    ASSERT_TRUE(state.programs.open(program.string()));
    session.settings.device = "simulated";
    step_to(3);
    state.step_op();
    for (int wait = 0; wait < 2000 && session.stop_position() != trace::StopPosition::within_line; ++wait) {
        frames(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    frames(1);
    EXPECT_EQ(now_text(state).sentence.rfind("Stopped in line 3, “y = np.dot(x, x); z = y * 2”.", 0), 0u)
        << now_text(state).sentence;
    step_to(4);
    EXPECT_EQ(now_text(state).sentence, "Stopped before line 4, “w = z + x”. Stream 0 runs #2 matmul; 1 op is queued.");
    act("key:f5");
    act("wait");
}

TEST_F(PausedReplayTest, ThePassedTimeExcludesPauses) {
    step_to(5);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    frames(2);
    act("key:shift+f10");
    ASSERT_TRUE(state.replay.on());
    act("key:end");
    EXPECT_LT(state.replay.passed_ns(), 2e8);
    act("key:f5");
    act("wait");
}

TEST_F(PausedReplayTest, SaysWhyItCannotStepBack) {
    act("key:shift+f10");
    ASSERT_TRUE(state.notices.has(Notice::Kind::run));
    EXPECT_NE(state.notices.all().front().text.find("run the program first"), std::string::npos);
    EXPECT_FALSE(state.replay.on());
}

}  // namespace
}  // namespace headway::ui::test
