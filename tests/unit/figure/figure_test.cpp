#include "app/figure/figure.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/comparison/naming.h"
#include "app/figure/figure_numbers.h"
#include "app/figure/legend.h"
#include "app/figure/words.h"
#include "app/model/numbers/format.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/render/fonts.h"
#include "tests/unit/figure/overlap.h"
#include "tests/unit/figure/script.h"

namespace headway::figure {
namespace {

// All text of a picture in drawing order, with wrapped lines joined.
std::string in_one_line(const DisplayList& list) {
    std::string all;
    for (const Item& item : list.items) {
        if (const auto* text = std::get_if<Text>(&item)) {
            all += (all.empty() ? "" : " ") + text->text;
        }
    }
    return all;
}

class Figures : public ::testing::Test {
protected:
    FontSet fonts_;
};

TEST_F(Figures, TextNeverOverlapsNorLeavesThePicture) {
    const auto a = test::training({}, 60, false);
    const auto b = test::training({}, 60, true);
    const auto tiny = test::tiny();
    const auto failed = test::failing();
    const auto many = test::increments(20'000, 4, true);
    for (auto [first, second] : {std::pair{a.get(), b.get()},
                                 {a.get(), nullptr},
                                 {b.get(), nullptr},
                                 {tiny.get(), nullptr},
                                 {failed.get(), a.get()},
                                 {many.get(), nullptr}}) {
        for (auto [width, height] :
             {std::pair{1600.0F, 900.0F}, {900.0F, 700.0F}, {2400.0F, 900.0F}, {500.0F, 300.0F}}) {
            FigureOptions options;
            options.width_px = width;
            options.height_px = height;
            const DisplayList list = figure(*first, second, options, fonts_);
            EXPECT_EQ(test::overlapping_text(list, fonts_), "") << width << "×" << height;
            for (const Item& item : list.items) {
                if (const auto* text = std::get_if<Text>(&item)) {
                    const Box box = box_of(*text, fonts_);
                    EXPECT_GE(box.x0, 0) << text->text;
                    EXPECT_LE(box.x1, list.width_px) << text->text << " at " << width;
                    EXPECT_GE(box.y0, 0) << text->text;
                    EXPECT_LE(box.y1, list.height_px) << text->text;
                }
            }
        }
    }
}

// The y of a row's name; -1 if it is not drawn.
float y_of(const DisplayList& list, const std::string& name) {
    for (const Item& item : list.items) {
        if (const auto* text = std::get_if<Text>(&item); text != nullptr && text->text == name) {
            return text->baseline.y;
        }
    }
    return -1;
}

TEST_F(Figures, RowsFollowTheArrangement) {
    test::Settings settings;
    settings.lanes = 2;
    const auto a = test::training(settings, 30, true);
    const auto b = test::training(settings, 30, false);
    for (const FigureSize size : kFigureSizes) {
        FigureOptions options;
        options.size = size;
        DisplayList list = figure(*a, b.get(), options, fonts_);
        EXPECT_LT(y_of(list, "Frontend"), y_of(list, "Memory")) << word_of(size);
        EXPECT_EQ(y_of(list, "Store"), -1);
        options.arrangement = {{"memory", 200, false, true, "Store"},
                               {"lane 1", 0, false, false, ""},
                               {"frontend", 0, true, false, ""},
                               {"lane 7", 0, false, false, "not there"}};
        list = figure(*a, b.get(), options, fonts_);
        EXPECT_EQ(y_of(list, "Memory"), -1) << word_of(size);
        EXPECT_LT(y_of(list, "Store"), y_of(list, "Worker 1")) << word_of(size);
        EXPECT_LT(y_of(list, "Worker 1"), y_of(list, "Frontend")) << word_of(size);
        EXPECT_EQ(y_of(list, "issues, waits"), -1) << "folded up, " << word_of(size);
        EXPECT_EQ(test::overlapping_text(list, fonts_), "") << word_of(size);
    }
}

TEST_F(Figures, CustomHeightsAreProportionalToTheWindows) {
    const auto run = test::training({}, 30, true);
    FontSet fonts;
    const TimelineRun shown{run.get(), 0, {}, {}, -1};
    TimelineOptions options;
    options.area = {0, 0, 1600, 100'000};  // so that every row has its greatest height
    options.theme = &theme(ThemeName::light);
    options.measure = &fonts;
    options.view = whole_view(std::span(&shown, 1), false);
    options.style = look_of(FigureSize::column).timeline;
    const auto height = [&] {
        const TimelineLayout layout = layout_timeline(std::span(&shown, 1), options);
        for (const RowBox& row : layout.rows) {
            if (row.kind == RowKind::memory) {
                return row.box.height();
            }
        }
        return 0.0F;
    };
    const float usual = height();
    const model::Arrangement twice{{"memory", 2 * window_style().memory_row_px, false, false, ""}};
    options.arrangement = &twice;
    EXPECT_NEAR(height(), 2 * usual, 1.5F);
    options.style = window_style();
    EXPECT_NEAR(height(), twice[0].height_px, 1.0F);  // the window uses the height as given
}

TEST_F(Figures, APageMayBeAsLowAsItsRows) {
    const auto one_row = test::spans(20, 1);
    const auto a = test::training({}, 60, false), b = test::training({}, 60, true);
    const auto drawn = [&](const model::Run& run, const model::Run* other, float height, bool fit) {
        FigureOptions options;
        options.height_px = height;
        options.fit_height = fit;
        return figure(run, other, options, fonts_);
    };
    const DisplayList high = drawn(*one_row, nullptr, 900, false), low = drawn(*one_row, nullptr, 900, true);
    EXPECT_EQ(high.height_px, 900);
    EXPECT_LT(low.height_px, 600);
    EXPECT_EQ(low.width_px, high.width_px);
    EXPECT_EQ(test::overlapping_text(low, fonts_), "");
    // Rows that fill the page keep it.
    EXPECT_EQ(drawn(*a, b.get(), 900, true).height_px, drawn(*a, b.get(), 900, false).height_px);
    EXPECT_EQ(drawn(*a, nullptr, 400, true).height_px, drawn(*a, nullptr, 400, false).height_px);
}

TEST_F(Figures, EachSizeHasItsDimensionsAndReadableText) {
    const auto a = test::training({}, 60, false);
    const auto b = test::training({}, 60, true);
    const auto failed = test::failing();
    const auto many = test::increments(20'000, 4, true);
    struct Expected {
        FigureSize size;
        float width_px, height_px;  // 0: as high as needed
        float least_text_pt;        // at the figure's printed size
    };
    for (const Expected& expected : {Expected{FigureSize::slide, 1280, 720, 8.5F},
                                     {FigureSize::column, 85 * 96 / 25.4F, 0, 8},
                                     {FigureSize::two_columns, 178 * 96 / 25.4F, 0, 8},
                                     {FigureSize::poster, 600 * 96 / 25.4F, 337.5F * 96 / 25.4F, 13}}) {
        for (auto [first, second] :
             {std::pair{a.get(), b.get()}, {a.get(), nullptr}, {failed.get(), a.get()}, {many.get(), nullptr}}) {
            FigureOptions options;
            options.size = expected.size;
            const DisplayList list = figure(*first, second, options, fonts_);
            EXPECT_EQ(test::overlapping_text(list, fonts_), "") << word_of(expected.size);
            EXPECT_NEAR(list.width_px, expected.width_px, 0.01F) << word_of(expected.size);
            if (expected.height_px > 0) {
                EXPECT_NEAR(list.height_px, expected.height_px, 0.01F) << word_of(expected.size);
            }
            for (const Item& item : list.items) {
                if (const auto* text = std::get_if<Text>(&item)) {
                    const Box box = box_of(*text, fonts_);
                    EXPECT_GE(box.x0, 0) << text->text << " on " << word_of(expected.size);
                    EXPECT_LE(box.x1, list.width_px) << text->text << " on " << word_of(expected.size);
                    EXPECT_LE(box.y1, list.height_px) << text->text << " on " << word_of(expected.size);
                    EXPECT_GE(text->size_px * 0.75F, expected.least_text_pt)
                        << text->text << " on " << word_of(expected.size);
                }
            }
        }
    }
}

TEST_F(Figures, AViewShowsOnlyItsTimeRangeAndNamesIt) {
    const auto run = test::training({}, 60, true);
    FigureOptions options;
    const double end_ns = static_cast<double>(run->end_ns() - run->measure_begin_ns());
    options.view = TimelineView{end_ns / 4, end_ns / 2};
    const DisplayList list = figure(*run, nullptr, options, fonts_);
    EXPECT_NE(test::find_text(list, "Shown: "), nullptr);
    EXPECT_EQ(test::find_text(figure(*run, nullptr, {}, fonts_), "Shown: "), nullptr);
}

TEST_F(Figures, TitleIsTheFinding) {
    const auto a = test::training({}, 60, false);
    const auto b = test::training({}, 60, true);
    const std::string words = finding(*a, b.get());
    // On a real clock one run of each says nothing about time, and about memory only large differences.
    EXPECT_TRUE(words.starts_with(
        "One run each says nothing about time; in these two runs A (no minibatch barrier) held up to "))
        << words;
    EXPECT_NE(words.find(", B (barrier every minibatch) up to "), std::string::npos) << words;
    EXPECT_TRUE(finding(*b, nullptr).starts_with("Barrier every minibatch: ")) << finding(*b, nullptr);
    EXPECT_NE(finding(*b, a.get()).find("; in these two runs B (no minibatch barrier) held up to "), std::string::npos)
        << finding(*b, a.get());
    const DisplayList list = figure(*a, b.get(), {}, fonts_);
    EXPECT_NE(in_one_line(list).find(words), std::string::npos) << words;
    EXPECT_NE(in_one_line(list).find("one run each"), std::string::npos);  // in the caption
    FigureOptions options;
    options.title = "My own title";
    EXPECT_EQ(test::find_text(figure(*a, b.get(), options, fonts_), words), nullptr);
}

// The sentence and the number of runs come from a verdict of more runs than are drawn.
TEST_F(Figures, ShowTheVerdictOfAllRuns) {
    const auto a = test::training({}, 60, false);
    const auto b = test::training({}, 60, true);
    comparison::Side side_a = comparison::side_of(*a, numbers_of(*a)), side_b = comparison::side_of(*b, numbers_of(*b));
    for (int i = 1; i < 6; ++i) {
        side_a.samples.push_back(side_a.samples.front());
        side_b.samples.push_back(side_b.samples.front());
        side_a.samples.back().numbers.total_ns += i;
        side_b.samples.back().numbers.total_ns += i;
    }
    side_a.warmed_up = side_b.warmed_up = true;
    FigureOptions options;
    options.verdict = comparison::verdict_of(side_a, side_b);
    ASSERT_EQ(options.verdict->time.claim, comparison::Claim::more);
    for (const FigureSize size : {FigureSize::page, FigureSize::slide, FigureSize::column, FigureSize::two_columns}) {
        options.size = size;
        const DisplayList list = figure(*a, b.get(), options, fonts_);
        const std::string all = in_one_line(list);
        EXPECT_NE(all.find(options.verdict->clauses[0]), std::string::npos) << word_of(size) << "\n" << all;
        EXPECT_NE(all.find("6 runs each after one to warm up"), std::string::npos) << word_of(size) << "\n" << all;
        EXPECT_EQ(test::overlapping_text(list, fonts_), "") << word_of(size);
    }
}

TEST_F(Figures, NameTheEventsLeftOutOfAFile) {
    const auto theirs = test::spans(10, 2);
    EXPECT_NE(test::find_text(figure(*theirs, nullptr, {}, fonts_), "theirs.json · recorded by another program"),
              nullptr);
    model::RunInfo info;
    EXPECT_EQ(source_of(info), "");
    info.left_out = 1;
    EXPECT_EQ(source_of(info), "1 event left out");
    info.left_out = 1200;
    info.repaired = 3;
    info.foreign = true;
    EXPECT_EQ(source_of(info), "recorded by another program: 1,200 events left out, 3 repaired");
    info.left_out = 0;
    EXPECT_EQ(source_of(info), "recorded by another program: 3 events repaired");
    info.repaired = 1;
    info.file_cut_off = true;
    EXPECT_EQ(source_of(info), "recorded by another program: 1 event repaired, file cut off");
}

TEST_F(Figures, HaveNoTotalOfAFileThatIsCutOff) {
    const auto of = [&](bool cut_off) {
        test::Settings settings;
        settings.cut_off = cut_off;
        test::Script script(settings);
        script.issue({"relu", "(4)", devices::Family::elementwise, 16}, 1234, 34567);
        script.wait(trace::WaitKind::waitall, "waitall");
        return script.finish();
    };
    const auto whole = of(false), cut_off = of(true);
    const std::string total = model::duration_text(static_cast<double>(numbers_of(*whole).total_ns));
    for (const FigureSize size : {FigureSize::page, FigureSize::column}) {
        FigureOptions options;
        options.size = size;
        EXPECT_NE(test::find_text(figure(*whole, nullptr, options, fonts_), total), nullptr);
        EXPECT_EQ(test::find_text(figure(*cut_off, nullptr, options, fonts_), total), nullptr);
    }
}

TEST_F(Figures, CountTheIssuesInTheTrace) {
    test::Settings settings;
    settings.foreign = true;
    settings.device_kind = "cuda";
    settings.unlaunched = 3;
    test::Script script(settings);
    for (int i = 0; i < 5; ++i) {
        script.issue({"gemm", "", test::Family::matmul, 0}, 100, 900, 0);
    }
    const auto run = script.finish();
    ASSERT_TRUE(run->capabilities().issues);
    const DisplayList list = figure(*run, nullptr, {}, fonts_);
    EXPECT_NE(test::find_text(list, "2 issues"), nullptr);
    EXPECT_NE(test::find_text(list, "5 ops"), nullptr);
    TimelineRun shown;
    shown.run = run.get();
    for (const auto& column : columns_at({&shown, 1}, 1e9)) {
        EXPECT_TRUE(column.head != "issued" || column.cells[0] == "2") << column.cells[0];
    }
}

TEST_F(Figures, OmitWhatTheTraceLacks) {
    const auto theirs = test::spans(100, 4);
    const DisplayList alone = figure(*theirs, nullptr, {}, fonts_);
    for (const char* words : {"issue", "blocked", "idle", "headway", "memory", "t₁", "t₃", "predicted", "regime",
                              "seed", "recorder", "barrier", "ahead", "peak", "t₂", " op"}) {
        EXPECT_EQ(test::find_text(alone, words), nullptr) << words;
    }
    EXPECT_NE(test::find_text(alone, "theirs.json: 100 µs, 400 spans"), nullptr) << finding(*theirs, nullptr);
    // Compared with a complete run, missing numbers are shown as dashes.
    const auto ours = test::training({}, 5, true);
    const DisplayList both = figure(*theirs, ours.get(), {}, fonts_);
    int dashes = 0;
    for (const Item& item : both.items) {
        const auto* text = std::get_if<Text>(&item);
        dashes += text != nullptr && text->text == "–" ? 1 : 0;
    }
    EXPECT_EQ(dashes, 10);  // issue, blocked, idle, headway, memory, t1, t2, t3, predicted, regime
    EXPECT_EQ(finding(*theirs, ours.get()).find("memory"), std::string::npos) << finding(*theirs, ours.get());
    EXPECT_EQ(test::overlapping_text(both, fonts_), "");
}

TEST_F(Figures, EqualRunsShowNoDifference) {
    const auto a = test::training({}, 10, true);
    const auto b = test::training({}, 10, true);
    const std::string words = finding(*a, b.get());
    EXPECT_TRUE(words.starts_with("One run each says nothing about time; no large difference in memory")) << words;
}

TEST_F(Figures, SimulatedRunsAreLabelled) {
    const auto run = test::tiny();
    EXPECT_NE(test::find_text(figure(*run, nullptr, {}, fonts_), "SIMULATED: times do not come from a clock."),
              nullptr);
    const auto real = test::training({}, 2, true);
    EXPECT_EQ(test::find_text(figure(*real, nullptr, {}, fonts_), "SIMULATED"), nullptr);
}

TEST_F(Figures, ErrorIsShownWithItsLine) {
    const auto run = test::failing();
    const DisplayList list = figure(*run, nullptr, {}, fonts_);
    const Text* text = test::find_text(list, "Failed at train.cpp:31");
    ASSERT_NE(text, nullptr);
    EXPECT_NE(text->text.find("needs 2.1 MB"), std::string::npos);
}

// Recognises a stop by its message in old recordings, whose errors have no kind; a failure with the same message stays
// a failure.
TEST_F(Figures, AStoppedRunIsNotAFailure) {
    const auto ended = [](const std::string& message, const std::string& kind) {
        test::Script script;
        script.issue({"relu", "(4)", devices::Family::elementwise, 16}, 1000, 3000);
        script.error(message, "/home/someone/train.py", 7, 0, kind);
        return script.finish();
    };
    const auto says = [&](const model::Run& run, const char* words) {
        return test::find_text(figure(run, nullptr, {}, fonts_), words) != nullptr;
    };
    for (const char* kind : {"stopped", ""}) {
        const auto run = ended("stopped after 1 op, at train.py:7", kind);
        EXPECT_TRUE(run->error()->stopped()) << kind;
        EXPECT_TRUE(says(*run, "The run was stopped after 1 op, at train.py:7."));
        EXPECT_TRUE(says(*run, "Barriers as written: stopped after "));
        EXPECT_FALSE(says(*run, "ailed")) << kind;
    }
    for (const char* kind : {"failed", "of a later version"}) {
        const auto run = ended("stopped by a wall", kind);
        EXPECT_FALSE(run->error()->stopped()) << kind;
        EXPECT_TRUE(says(*run, "Failed at train.py:7: stopped by a wall")) << kind;
    }
}

TEST_F(Figures, LegendListsOnlyWhatOccurs) {
    const auto run = test::increments(10, 1, false);
    const DisplayList list = figure(*run, nullptr, {}, fonts_);
    EXPECT_NE(test::find_text(list, "elementwise"), nullptr);
    EXPECT_EQ(test::find_text(list, "matmul"), nullptr);
    EXPECT_EQ(test::find_text(list, "update"), nullptr);
    EXPECT_EQ(test::find_text(list, "many at once"), nullptr);
    const auto many = test::increments(100'000, 1, false);
    EXPECT_NE(test::find_text(figure(*many, nullptr, {}, fonts_), "many at once"), nullptr);
}

TEST_F(Figures, LegendListsOnlyWhatIsInView) {
    test::Script script;
    const auto x = script.issue({"randn", "(2×2)", devices::Family::random, 16}, 1'000, 5'000);
    script.wait(trace::WaitKind::waitall, "waitall");
    script.measure_begin();
    script.issue({"matmul", "(2×2)·(2×2)", devices::Family::matmul, 16}, 1'000, 5'000, x, x);
    script.wait(trace::WaitKind::waitall, "waitall");
    const auto run = script.finish();
    FigureOptions options;
    EXPECT_EQ(test::find_text(figure(*run, nullptr, options, fonts_), "random"), nullptr);
    EXPECT_NE(test::find_text(figure(*run, nullptr, options, fonts_), "matmul"), nullptr);
    options.with_warmup = true;
    EXPECT_NE(test::find_text(figure(*run, nullptr, options, fonts_), "random"), nullptr);
    const DisplayList line = legend_line(std::vector{TimelineRun{run.get(), 0, {}, {}, -1}}, {0, 1e6},
                                         theme(ThemeName::light), fonts_, 1, 1000);
    EXPECT_EQ(test::find_text(line, "random"), nullptr);
    EXPECT_NE(test::find_text(line, "matmul"), nullptr);
    const DisplayList narrow = legend_line(std::vector{TimelineRun{run.get(), 0, {}, {}, -1}}, {0, 1e6},
                                           theme(ThemeName::light), fonts_, 1, 100);
    EXPECT_EQ(in_one_line(narrow), "issue …");
}

// The learner's pauses have another hatch, and name themselves.
TEST_F(Figures, APauseIsNoWaitInTheLegend) {
    const auto words = [this](trace::WaitKind kind) {
        test::Script script;
        script.issue({"matmul", "(2×2)·(2×2)", devices::Family::matmul, 16}, 1'000, 5'000'000);
        script.wait(kind, "a wait");
        const auto run = script.finish();
        return in_one_line(legend_line(std::vector{TimelineRun{run.get(), 0, {}, {}, -1}}, {0, 1e7},
                                       theme(ThemeName::light), fonts_, 1, 1000));
    };
    EXPECT_EQ(words(trace::WaitKind::waitall), "issue wait matmul");
    EXPECT_EQ(words(trace::WaitKind::paused), "issue matmul");
}

TEST(RunLabel, NamesTheParametersThatDiffer) {
    const auto with = [](std::map<std::string, std::string> parameters) {
        test::Settings settings;
        settings.parameters = std::move(parameters);
        test::Script script(settings);
        return script.finish();
    };
    const auto a = with({{"n", "5"}, {"batch_size", "8"}, {"wait", "each"}});
    const auto b = with({{"n", "5"}, {"batch_size", "9"}, {"wait", "each"}});
    const auto parameters = [](const model::Run& x, const model::Run& y) {
        return comparison::parameters_of(x.info(), y.info());
    };
    EXPECT_EQ(parameters(*a, *a), "");
    EXPECT_EQ(parameters(*a, *b), "batch_size=8");
    EXPECT_EQ(run_label(*b, a.get()), run_label(*b, nullptr) + ", batch_size=9");
    const auto c = with({{"n", "6"}, {"batch_size", "9"}, {"wait", "once"}});
    EXPECT_EQ(parameters(*a, *c), "batch_size=8, n=5 …");
    const auto none = with({});
    EXPECT_NE(subtitle_of(*a, none.get()).find(", batch size 8 / not set, n 5 / not set"), std::string::npos)
        << subtitle_of(*a, none.get());
}

TEST(RunLabel, NamesTheEngineSettingsThatDiffer) {
    test::Settings settings;
    const auto plain = test::Script(settings).finish();
    settings.budget = 48 << 20;
    settings.queue_limit = 8;
    const auto limited = test::Script(settings).finish();
    EXPECT_EQ(run_label(*plain, limited.get()), run_label(*plain, nullptr) + ", no queue limit, no budget");
    EXPECT_EQ(run_label(*limited, plain.get()), run_label(*limited, nullptr) + ", queue limit 8, budget 48 MiB");
}

TEST_F(Figures, BothRunsShowTheirScopesOrNeitherDoes) {
    const auto scoped = [](int ops_after) {
        test::Script script;
        const test::Script::Shape add{"add", "5", devices::Family::elementwise, 20};
        script.scope_begin("training");
        script.issue(add, 500, 900'000);
        script.wait(trace::WaitKind::waitall, "waitall");
        script.scope_end("training");
        for (int i = 0; i < ops_after; ++i) {
            script.issue(add, 500, 900'000);
            script.wait(trace::WaitKind::waitall, "waitall");
        }
        return script.finish();
    };
    const auto whole = scoped(0), part = scoped(1);
    const auto count = [this](const model::Run& a, const model::Run& b) {
        const DisplayList list = figure(a, &b, {}, fonts_);
        return std::count_if(list.items.begin(), list.items.end(), [](const Item& item) {
            const auto* text = std::get_if<Text>(&item);
            return text != nullptr && text->text.starts_with("training  ");
        });
    };
    EXPECT_EQ(count(*whole, *part), 2);
    EXPECT_EQ(count(*whole, *whole), 0);
}

TEST_F(Figures, ShowBookmarks) {
    const auto run = test::training({}, 6, true);
    FigureOptions options;
    EXPECT_EQ(in_one_line(figure(*run, nullptr, options, fonts_)).find("here it waits"), std::string::npos);
    options.bookmarks_a = {{1000, 1000, "here it waits"}};
    EXPECT_NE(in_one_line(figure(*run, nullptr, options, fonts_)).find("here it waits"), std::string::npos);
}

}  // namespace
}  // namespace headway::figure
