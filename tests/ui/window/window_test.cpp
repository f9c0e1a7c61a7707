#include <map>
#include <set>

#include "engine/core/system/machine_memory.h"
#include "engine/trace/barrier_names.h"
#include "tests/ui/window/window_fixture.h"

namespace headway::ui::test {
namespace {

using session::Phase;
using trace::BarrierKind;

TEST_F(WindowTest, RunStartsARunAndResetRemovesIt) {
    EXPECT_FALSE(rect("pause").enabled);
    EXPECT_FALSE(rect("reset").enabled);
    act("click:run");
    act("wait");
    ASSERT_NE(session.b(), nullptr);
    EXPECT_EQ(session.b()->phase(), Phase::finished);
    EXPECT_TRUE(shown("comparison"));
    EXPECT_TRUE(rect("reset").enabled);
    act("click:reset");
    EXPECT_EQ(session.b(), nullptr);
}

TEST_F(WindowTest, FontsAreBakedOnceUntilARunHasBeenSeen) {
    frames(3);
    run_to_the_end();
    frames(3);
    EXPECT_EQ(fonts->generation(), 1u);
}

TEST_F(WindowTest, EachBarrierButtonSetsItsPolicy) {
    const std::vector<std::pair<std::string, std::string>> choices{{"None", "none"},
                                                                   {"Minibatch", "minibatch"},
                                                                   {"1 behind", "behind:1"},
                                                                   {"Every op", "op"},
                                                                   {"As written", "as-written"}};
    for (const auto& [label, word] : choices) {
        act("click:barrier/" + label);
        EXPECT_EQ(trace::word_of(session.settings.barrier), word) << label;
    }
}

TEST_F(WindowTest, TheNextRunUsesTheChosenBarrier) {
    act("click:barrier/None");
    run_to_the_end();
    act("click:barrier/Every op");
    run_to_the_end();
    EXPECT_EQ(session.a()->run()->info().barrier, "none");
    EXPECT_EQ(session.b()->run()->info().barrier, "op");
}

TEST_F(WindowTest, PauseResumeAndStop) {
    session.settings.device = "cpu";
    act("set:batches=10000");
    act("click:run");
    for (int i = 0; i < 2000 && session.b()->phase() == Phase::starting; ++i) {
        act("seconds:0.01");
    }
    ASSERT_EQ(session.b()->phase(), Phase::running);
    EXPECT_TRUE(shown("stop"));
    EXPECT_FALSE(shown("run"));
    act("click:pause");
    EXPECT_EQ(session.b()->phase(), Phase::paused);
    EXPECT_FALSE(app->animating() && !state.session.running() && false);
    act("click:pause");
    EXPECT_EQ(session.b()->phase(), Phase::running);
    act("key:space");
    EXPECT_EQ(session.b()->phase(), Phase::paused);
    act("key:f5");
    EXPECT_EQ(session.b()->phase(), Phase::running);
    act("click:barrier/None");  // takes effect during the run
    EXPECT_EQ(session.settings.barrier.kind, BarrierKind::none);
    act("click:stop");
    act("wait");
    EXPECT_EQ(session.b()->phase(), Phase::stopped);
    EXPECT_TRUE(shown("notice"));
    act("click:notice/0/close");
    frames(2);
    EXPECT_FALSE(shown("notice"));
}

// Each tooltip, card and highlight is drawn once, also those between controls.
TEST_F(RecordedWindowTest, PointingAnywhereDrawsAFrame) {
    std::set<std::string> seen;  // kinds of controls
    for (const char* mode : {"mode.learn", "mode.step", "mode.compare"}) {
        act(std::string("command:") + mode);
        frames(3);
        for (int y = 6; y < 720; y += 72) {
            for (int x = 6; x < 1280; x += 128) {
                act("move:" + std::to_string(x) + "," + std::to_string(y));
                frames(1);
            }
        }
        std::map<std::string, std::string> ids;  // one of each kind: "line/3" and "line/4" are drawn by the same code
        for (const auto& [id, at] : app->rects()) {
            if (at.x1 > at.x0 && at.y1 > at.y0) {
                ids.emplace(id.substr(0, id.find_first_of("0123456789")), id);
            }
        }
        ASSERT_GT(ids.size(), 30u) << mode;
        for (const auto& [kind, id] : ids) {
            if (shown(id) && seen.insert(kind).second) {
                const WidgetRect at = rect(id);
                act("move:" + std::to_string((at.x0 + at.x1) / 2) + "," + std::to_string((at.y0 + at.y1) / 2));
                frames(28);  // until its tooltip is shown
            }
        }
    }
}

TEST_F(WindowTest, SpaceRuns) {
    act("key:space");
    act("wait");
    ASSERT_NE(session.b(), nullptr);
    EXPECT_EQ(session.b()->phase(), Phase::finished);
}

TEST_F(WindowTest, DevicesAreChosenFromTheMenu) {
    act("click:device");
    frames(2);
    act("click:device/cpu");
    EXPECT_EQ(session.settings.device, "cpu");
    frames(2);
    EXPECT_FALSE(shown("device/cpu"));  // the menu has closed
    act("click:device");
    frames(2);
    act("click:device/simulated");
    EXPECT_EQ(session.settings.device, "simulated");
}

TEST_F(WindowTest, LessonsAreChosenFromTheMenu) {
    act("click:lesson");
    frames(2);
    act("click:lesson/increment");
    frames(2);
    EXPECT_EQ(state.programs.lesson()->id, "increment");
    EXPECT_EQ(session.settings.program, "increment");
    act("click:parameter/wait/each");
    EXPECT_EQ(state.settings.parameter("wait"), "each");
    run_to_the_end();
    EXPECT_GE(session.b()->run()->waits().size(), 200u);
}

TEST_F(WindowTest, ParametersAreTypedSlidAndReset) {
    open(1440, 1400);  // tall enough that nothing has to be scrolled
    type("parameter/batches", "12");
    EXPECT_EQ(state.settings.parameter("batches"), "12");
    EXPECT_TRUE(shown("parameter/batches/reset"));
    act("click:parameter/batches/reset");
    EXPECT_EQ(state.settings.parameter("batches"), "6");
    type("parameter/batches", "0");
    EXPECT_EQ(state.settings.parameter("batches"), "6");
    EXPECT_TRUE(shown("parameter/batches/reset"));  // a rejected value can be reset
    act("click:parameter/batches/reset");
    act("click:parameter/hidden/slider");  // its middle, on a logarithmic scale from 1 to 4096
    EXPECT_EQ(state.settings.parameter("hidden"), "64");
    act("click:parameters/reset");
    EXPECT_EQ(state.settings.parameter("hidden"), "32");
}

TEST_F(WindowTest, TypingDoesNotPressKeys) {
    act("click:parameter/batches");
    act("key:ctrl+a");
    act("text:7");
    act("key:space");
    act("key:t");
    EXPECT_EQ(session.b(), nullptr);
    EXPECT_EQ(state.look.theme, figure::ThemeName::dark);
    act("key:enter");
    frames(2);
    EXPECT_EQ(state.settings.parameter("batches"), "7");
    act("key:t");
    EXPECT_EQ(state.look.theme, figure::ThemeName::light);
}

TEST_F(WindowTest, EngineSettingsAreApplied) {
    open(1440, 1400);
    act("click:engine");
    frames(2);
    act("click:free_policy/stream");
    EXPECT_EQ(session.settings.free_policy, "stream");
    // The panel scrolls, and only visible controls can be clicked.
    const auto reach = [this](const std::string& id) {
        act("move:200,120");  // over the text
        for (int i = 0; i < 40 && rect(id).y1 > rect("lesson/column").y1 - 40; ++i) {
            act("wheel:-1");
        }
    };
    reach("budget");
    type("budget", "64M");
    EXPECT_EQ(session.settings.budget_bytes, 64u << 20u);
    type("budget", "lots");
    EXPECT_EQ(session.settings.budget_bytes, 64u << 20u);
    type("budget", "none");
    EXPECT_EQ(session.settings.budget_bytes, core::kNoBudget);
    type("budget", "default");
    EXPECT_EQ(session.settings.budget_bytes, 0u);
    reach("queue_limit");
    type("queue_limit", "64");
    EXPECT_EQ(session.settings.queue_limit, 64u);
    reach("streams");
    type("streams", "3");
    EXPECT_EQ(session.settings.streams, 3u);
    type("streams", "99");
    EXPECT_EQ(session.settings.streams, 3u);
    EXPECT_FALSE(shown("links/ring")) << "one GPU has no links";
    reach("gpus");
    type("gpus", "2");
    EXPECT_EQ(session.settings.gpus, 2u);
    frames(2);
    reach("links/ring");
    act("click:links/ring");
    EXPECT_EQ(session.settings.links, "ring");
    reach("speeds");
    type("speeds", "1, 0.5");
    EXPECT_EQ(session.settings.gpu_speeds, (std::vector<double>{1, 0.5}));
    for (const char* wrong : {"1", "1, 0", "1, x", "1 2", "1, 2, 3"}) {
        type("speeds", wrong);
        EXPECT_EQ(session.settings.gpu_speeds, (std::vector<double>{1, 0.5})) << wrong;
    }
    type("speeds", "default");
    EXPECT_TRUE(session.settings.gpu_speeds.empty());
    reach("gpus");
    type("gpus", "default");
    EXPECT_EQ(session.settings.gpus, 0u);
    reach("costs");
    type("costs", "t1=1us");
    EXPECT_EQ(session.settings.costs, "t1=1us");
    reach("seed");
    type("seed", "11");
    EXPECT_EQ(session.settings.seed, 11u);
    run_to_the_end();
    EXPECT_EQ(session.b()->run()->info().free_policy, "stream");
    EXPECT_EQ(session.b()->run()->info().chosen, (std::vector<std::string>{"free_policy", "streams"}));
    EXPECT_NE(session.b()->run()->info().cost_models.find("\"t1_ns\":1000,"), std::string::npos);
    EXPECT_EQ(session.b()->run()->info().queue_limit, 64u);
    EXPECT_EQ(session.b()->run()->info().seed, 11u);
    EXPECT_EQ(session.b()->run()->info().streams, 3u);
    EXPECT_LE(session.b()->numbers().headway_max, 64u);
}

TEST_F(WindowTest, ThemesAndScalesCanBeCycled) {
    const auto dark = pixels();
    act("click:theme");
    EXPECT_EQ(state.look.theme, figure::ThemeName::light);
    frames(2);
    EXPECT_NE(pixels(), dark);
    act("key:t");
    EXPECT_EQ(state.look.theme, figure::ThemeName::projector);
    act("key:t");
    EXPECT_EQ(state.look.theme, figure::ThemeName::dark);
    const float before = fonts->scale();
    act("key:ctrl+=");
    frames(2);
    EXPECT_GT(fonts->scale(), before);
    act("key:ctrl+-");
    act("key:ctrl+-");
    frames(2);
    EXPECT_LT(fonts->scale(), before);
    act("key:ctrl+0");
    frames(2);
    EXPECT_FLOAT_EQ(fonts->scale(), before);
}

TEST_F(WindowTest, QuestionMarkListsTheKeys) {
    act("key:shift+/");
    EXPECT_TRUE(shown("keys"));
    act("key:escape");
    EXPECT_FALSE(shown("keys"));
    act("key:shift+/");
    act("key:space");  // does not start a run behind the list
    EXPECT_EQ(session.b(), nullptr);
    act("click:keys");
    frames(2);
    EXPECT_FALSE(shown("keys"));
}

TEST_F(WindowTest, KeyBTakesTheNextBarrier) {
    std::set<std::string> words;
    for (int i = 0; i < 5; ++i) {
        act("key:b");
        words.insert(trace::word_of(session.settings.barrier));
    }
    EXPECT_EQ(words.size(), 5u);
}

TEST_F(WindowTest, AFailedRunIsReportedInOneSentence) {
    session.settings.parameters.emplace_back("nonsense", "1");
    act("click:run");
    act("wait");
    EXPECT_EQ(session.b()->phase(), Phase::failed);
    ASSERT_TRUE(shown("notice"));
    EXPECT_NE(state.notices.all().front().text.find("nonsense"), std::string::npos) << state.notices.all().front().text;
    // The notice covers neither the lesson nor the bar.
    EXPECT_GE(rect("notice").y0, rect("run").y1);
    EXPECT_GT(rect("notice").x0, rect("lesson/column").x1);
}

// At any size, controls are inside the window and do not overlap.
TEST_F(WindowTest, ControlsNeverOverlap) {
    for (const auto& [width, height, scale] : {std::tuple{1920, 1080, 1.0f},
                                               {1280, 720, 1.0f},
                                               {1280, 720, 1.25f},
                                               {1024, 768, 1.0f},
                                               {2560, 1080, 1.5f},
                                               {900, 480, 1.0f},
                                               {700, 400, 1.0f}}) {
        state.look.user_scale = scale;
        open(width, height);
        act("barrier:none");
        run_to_the_end();
        act("barrier:minibatch");
        run_to_the_end();
        frames(3);
        std::vector<std::pair<std::string, WidgetRect>> bar;
        for (const auto& [id, m] : app->rects()) {
            if (m.y0 < rect("run").y1 && id != "lesson") {
                bar.emplace_back(id, m);
            }
        }
        bar.emplace_back("lesson", rect("lesson"));
        ASSERT_GE(bar.size(), shown("barrier/None") ? 11u : 7u);
        // The kind of device is written in full.
        EXPECT_GE(rect("device").x1 - rect("device").x0,
                  fonts->width(gfx::Face::medium, 14, "SIMULATED") + 50 * fonts->scale())
            << width << " scale " << scale;
        for (std::size_t i = 0; i < bar.size(); ++i) {
            const WidgetRect& a = bar[i].second;
            EXPECT_GE(a.x0, 0) << bar[i].first << " at " << width;
            EXPECT_LE(a.x1, static_cast<float>(width)) << bar[i].first << " at " << width << " scale " << scale;
            for (std::size_t j = i + 1; j < bar.size(); ++j) {
                const WidgetRect& b = bar[j].second;
                EXPECT_FALSE(a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1)
                    << bar[i].first << " and " << bar[j].first << " at " << width << " scale " << scale;
            }
        }
        // The panes do not overlap.
        std::vector<std::pair<std::string, WidgetRect>> panes;
        for (const char* id : {"lesson/column", "timeline", "verdict/strip", "source", "comparison"}) {
            if (shown(id)) {
                panes.emplace_back(id, rect(id));
            }
        }
        EXPECT_TRUE(shown("timeline")) << width;
        for (std::size_t i = 0; i < panes.size(); ++i) {
            const WidgetRect& a = panes[i].second;
            EXPECT_LE(a.x1, static_cast<float>(width)) << panes[i].first;
            EXPECT_LE(a.y1, static_cast<float>(height)) << panes[i].first;
            for (std::size_t j = i + 1; j < panes.size(); ++j) {
                const WidgetRect& b = panes[j].second;
                EXPECT_FALSE(a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1)
                    << panes[i].first << " and " << panes[j].first << " at " << width << " scale " << scale;
            }
        }
    }
}

// If there is no room for the barrier buttons, they become a menu.
TEST_F(WindowTest, BarriersBecomeAMenuInANarrowWindow) {
    open(700, 400);
    ASSERT_TRUE(shown("barrier"));
    EXPECT_FALSE(shown("barrier/None"));
    act("click:barrier");
    frames(3);
    ASSERT_TRUE(shown("barrier/Every op"));
    act("click:barrier/Every op");
    frames(3);
    EXPECT_EQ(session.settings.barrier.kind, trace::BarrierKind::op);
    EXPECT_FALSE(shown("barrier/Every op"));
    open(1440, 810);
    EXPECT_FALSE(shown("barrier"));
    EXPECT_TRUE(shown("barrier/None"));
}

// A value that is still being typed is applied when a run is started.
TEST_F(WindowTest, F5AppliesTheValueBeingTyped) {
    act("click:parameter/batches");
    act("key:ctrl+a");
    act("text:3");
    act("key:f5");
    frames(4);
    act("wait");
    ASSERT_NE(session.b(), nullptr);
    EXPECT_EQ(session.b()->phase(), session::Phase::finished) << session.b()->ending();
    EXPECT_EQ(state.settings.parameter("batches"), "3");
    EXPECT_EQ(session.b()->run()->minibatches().size(), 3u);
    // An invalid value is refused, and nothing runs.
    const auto runs = session.started();
    act("click:parameter/batches");
    act("key:ctrl+a");
    act("text:many");
    act("key:f5");
    frames(4);
    EXPECT_EQ(session.started(), runs);
    EXPECT_EQ(state.settings.parameter("batches"), "3");
}

TEST_F(WindowTest, AScriptSaysWhatIsWrongWithAStep) {
    const std::pair<const char*, const char*> steps[] = {
        {"dance", "a script has no step 'dance'"},
        {"device:tpu", "'device' takes cpu, cuda or simulated, not 'tpu'"},
        {"set:batches", "'set' takes NAME=VALUE, not 'batches'"},
        {"set:depth=2", "the lesson has no parameter depth"},
        {"frames:many", "'many' is not a number"},
        {"theme:pink", "the step 'theme:pink' has a wrong argument"},
        {"lesson:nowhere", "there is no lesson called nowhere"},
        {"command:dance", "the window has no command 'dance'"},
        {"hover-op:0,1", "nothing is drawn for 0,1"},
        {"compare", "'compare' needs two runs, or one run and settings that differ from its own"},
        {"wait", "'wait' waits for a run, and there is none: 'run' comes first"},
    };
    for (const auto& [step, why] : steps) {
        const auto done = script->step(step);
        ASSERT_FALSE(done) << step;
        EXPECT_EQ(done.error().message, why);
    }
}

TEST_F(WindowTest, DoesNotAnimateWhenIdle) {
    run_to_the_end();
    frames(40);
    EXPECT_FALSE(app->animating());
    const auto before = pixels();
    frames(3);
    EXPECT_EQ(pixels(), before);
}

}  // namespace
}  // namespace headway::ui::test
