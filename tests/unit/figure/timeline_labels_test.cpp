// Labels of the timeline: numbers of minibatches, names of scopes, totals, peaks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/model/run/devices.h"
#include "app/model/run/queries.h"
#include "app/timeline/op_words.h"
#include "tests/unit/figure/overlap.h"
#include "tests/unit/figure/script.h"
#include "tests/unit/figure/timeline_fixture.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::figure {
namespace {

using core::OpId;

// All texts whose baseline is in the first row of this kind.
std::vector<const Text*> texts_in(const TimelineLayout& layout, RowKind kind) {
    std::vector<const Text*> texts;
    for (const RowBox& row : layout.rows) {
        if (row.kind != kind) {
            continue;
        }
        for (const Item& item : layout.list.items) {
            const auto* text = std::get_if<Text>(&item);
            if (text != nullptr && text->baseline.y > row.box.y0 && text->baseline.y <= row.box.y1) {
                texts.push_back(text);
            }
        }
        break;
    }
    return texts;
}

TEST_F(Timelines, MinibatchesAreNumberedEvenly) {
    test::Script script;
    script.measure_begin();
    for (std::uint32_t i = 0; i < 60; ++i) {  // some are ten times as long as their neighbours
        script.minibatch_begin(i);
        script.issue({"op", "(1)", devices::Family::other, 4}, i % 7 == 3 ? 20'000 : 2000, 1000);
        script.minibatch_end(i);
        script.idle(i % 11 == 5 ? 15'000 : 500);
    }
    script.measure_end();
    Shown shown;
    shown.add(script.finish());
    for (const float width : {500.0F, 700.0F, 1000.0F, 1380.0F, 1900.0F, 3600.0F}) {
        const TimelineLayout layout = layout_timeline(shown.runs, options_for(shown, fonts_, width));
        std::vector<Box> boxes;
        std::vector<int> numbers;
        for (const Text* text : texts_in(layout, RowKind::scopes)) {
            if (text->text.find_first_not_of("0123456789") == std::string::npos) {
                numbers.push_back(std::stoi(text->text));
                boxes.push_back(box_of(*text, fonts_));
            }
        }
        ASSERT_GE(numbers.size(), 2U) << width;
        const int step = numbers[1];
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            EXPECT_EQ(numbers[i], static_cast<int>(i) * step) << width;
            EXPECT_GE(boxes[i].x0, layout.axis.x0 - 0.1F);
            EXPECT_LE(boxes[i].x1, layout.axis.x1 + 0.1F);
            if (i > 0) {
                EXPECT_GT(boxes[i].x0, boxes[i - 1].x1 + 3) << numbers[i] << " at " << width;
            }
        }
        EXPECT_GT(static_cast<int>(numbers.size() + 1) * step, 59) << "to the end, at " << width;
    }
}

TEST_F(Timelines, NarrowScopesKeepTheirBracketsAndNames) {
    const std::vector<std::pair<std::string, std::int64_t>> scopes{
        {"shape", 60'000}, {"print", 9000}, {"item", 100}, {"float", 2000}, {"numpy", 900'000}, {"last", 100}};
    test::Script script;
    script.measure_begin();
    for (const auto& [name, ns] : scopes) {
        script.scope_begin(name);
        script.issue({"op", "(1)", devices::Family::other, 4}, ns, 1000);
        script.scope_end(name);
        script.idle(70'000);
    }
    script.measure_end();
    Shown shown;
    shown.add(script.finish());
    for (const bool figure : {false, true}) {
        TimelineOptions options = options_for(shown, fonts_);
        options.style = figure ? figure_style() : window_style();
        const TimelineLayout layout = layout_timeline(shown.runs, options);
        const auto texts = texts_in(layout, RowKind::scopes);
        for (const auto& scope : scopes) {
            const std::string& name = scope.first;
            EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [&](const Text* text) {
                return text->text.starts_with(name);
            })) << name;
        }
        EXPECT_EQ(test::overlapping_text(layout.list, fonts_), "");
        const auto row = std::find_if(layout.rows.begin(), layout.rows.end(),
                                      [](const RowBox& r) { return r.kind == RowKind::scopes; });
        ASSERT_NE(row, layout.rows.end());
        int sides = 0;
        for (const Item& item : layout.list.items) {
            const auto* line = std::get_if<Line>(&item);
            sides += line != nullptr && line->colour == options.theme->faint && line->from.x == line->to.x &&
                     line->from.y >= row->box.y0 && line->to.y <= row->box.y1;
        }
        EXPECT_EQ(sides, 12);
    }
}

TEST_F(Timelines, ANarrowScopeInsideTwoOthersIsNamed) {
    test::Script script;
    script.measure_begin();
    script.scope_begin("products");
    script.scope_begin("finished");
    script.scope_begin("issued");
    script.issue({"matmul", "(1)", devices::Family::other, 4}, 500, 900'000);
    script.scope_end("issued");
    script.wait(trace::WaitKind::waitall, "waitall");
    script.scope_end("finished");
    script.scope_end("products");
    script.measure_end();
    Shown shown;
    shown.add(script.finish());
    TimelineOptions options = options_for(shown, fonts_);
    options.style = window_style();
    const TimelineLayout layout = layout_timeline(shown.runs, options);
    const auto texts = texts_in(layout, RowKind::scopes);
    for (const char* name : {"products  9", "finished  9", "issued  500 ns"}) {
        EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [&](const Text* text) {
            return text->text.starts_with(name);
        })) << name;
    }
    EXPECT_EQ(test::overlapping_text(layout.list, fonts_), "");
}

TEST_F(Timelines, TheTotalSaysWhyTheAxisIsLonger) {
    const auto total = [this](std::int64_t after_ns) {
        test::Script script;
        script.measure_begin();
        script.issue({"op", "(1)", devices::Family::other, 4}, 500'000, 1000);
        script.measure_end();
        script.issue({"op", "(1)", devices::Family::other, 4}, after_ns, 1);
        Shown shown;
        shown.add(script.finish());
        const TimelineLayout layout = layout_timeline(shown.runs, options_for(shown, fonts_));
        std::string words;
        for (const Text* text : texts_in(layout, RowKind::header)) {
            words += text->anchor == Anchor::end ? text->text : "";
        }
        return words;
    };
    EXPECT_EQ(total(100'000), "measured part 500 µs");
    EXPECT_EQ(total(100), "500 µs");
}

TEST_F(Timelines, OverlappingScopesAreNamedTogether) {
    test::Script script;
    script.measure_begin();
    for (const auto& [name, ns] :
         {std::pair{"shape", 900}, {"print", 5000}, {"item", 700}, {"print", 800}, {"float", 500}}) {
        script.scope_begin(name);
        script.issue({"op", "(1)", devices::Family::other, 4}, ns, 100);
        script.scope_end(name);
    }
    script.scope_begin("numpy");
    script.idle(700'000);
    script.scope_end("numpy");
    script.measure_end();
    Shown shown;
    shown.add(script.finish());
    // a figure omits none of several scopes, even if one spans nearly the run
    for (const bool figure : {false, true}) {
        TimelineOptions options = options_for(shown, fonts_);
        options.style = figure ? figure_style() : window_style();
        const TimelineLayout layout = layout_timeline(shown.runs, options);
        const auto texts = texts_in(layout, RowKind::scopes);
        const auto said = [&](const std::string& words) {
            return std::any_of(texts.begin(), texts.end(),
                               [&](const Text* text) { return text->text.starts_with(words); });
        };
        EXPECT_TRUE(said("← shape, print, item, float")) << "each name once";
        EXPECT_TRUE(said("numpy  700 µs"));
        EXPECT_EQ(test::overlapping_text(layout.list, fonts_), "");
    }
}

TEST_F(Timelines, ALaneShowsItsTotalInAdditionToCounts) {
    Shown shown;
    shown.add(test::increments(60'000, 1, false));
    const TimelineLayout layout = layout_timeline(shown.runs, options_for(shown, fonts_));
    bool said = false;
    for (const Text* text : texts_in(layout, RowKind::lane)) {
        said = said || text->text == "executes 60,000 ops" || text->text == "60,000 ops";
    }
    EXPECT_TRUE(said);
    const auto texts = texts_in(layout, RowKind::frontend);
    EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [&](const Text* text) {
        return text->text.starts_with("60,000 issues") && text->baseline.x < layout.axis.x0;
    }));
}

TEST_F(Timelines, AnUnusedLaneHasNoOps) {
    model::RecordingBuilder builder;
    builder.two_gpus();
    builder.issue({.begin = 0, .end = 10, .lane = 1});
    builder.exec(1, 1, 10, 50);
    Shown shown;
    shown.add(builder.read());
    for (const bool window : {true, false}) {
        TimelineOptions options = options_for(shown, fonts_);
        options.style = window ? window_style() : figure_style();
        const TimelineLayout layout = layout_timeline(shown.runs, options);
        EXPECT_NE(test::find_text(layout.list, "no ops"), nullptr);
        EXPECT_NE(test::find_text(layout.list, "1 op"), nullptr);
        EXPECT_EQ(test::find_text(layout.list, "no ops"), texts_in(layout, RowKind::lane)[1]) << "the first lane's";
    }
}

TEST_F(Timelines, CountsDoNotMixWhatIsMeasuredWithWhatIsNot) {
    test::Script script;
    const auto issue = [&script](int n) {
        for (int i = 0; i < n; ++i) {
            script.issue({"op", "(1)", devices::Family::other, 4}, 100, 50);
        }
    };
    issue(700);
    script.measure_begin();
    issue(3000);
    script.measure_end();
    issue(800);
    Shown shown;
    shown.add(script.finish());
    const TimelineLayout layout = layout_timeline(shown.runs, options_for(shown, fonts_));
    for (const auto& [kind, word] : {std::pair{RowKind::frontend, "3,000 issues"}, {RowKind::lane, "3,000 ops"}}) {
        bool said = false;
        for (const Text* text : texts_in(layout, kind)) {
            said = said || (text->text == word && text->baseline.x > layout.axis.x0);
            EXPECT_FALSE(text->text.starts_with("3,8") || text->text.starts_with("4,")) << text->text;
        }
        EXPECT_TRUE(said) << word;
    }
}

TEST_F(Timelines, AlmostAllIssuesAreNotCountedBesideAll) {
    for (const int apart : {0, 1, 500}) {
        test::Script script;
        for (int i = 0; i < apart; ++i) {
            script.issue({"op", "(1)", devices::Family::other, 4}, apart == 1 ? 20'000 : 100, 50);
        }
        script.idle(apart == 500 ? 100'000 : 0);
        for (int i = 0; i < 3000; ++i) {
            script.issue({"op", "(1)", devices::Family::other, 4}, 100, 50);
        }
        Shown shown;
        shown.add(script.finish());
        const TimelineLayout layout = layout_timeline(shown.runs, options_for(shown, fonts_));
        int counts = 0;
        for (const Text* text : texts_in(layout, RowKind::frontend)) {
            counts += text->text.ends_with(" issues") && text->baseline.x > layout.axis.x0 ? 1 : 0;
        }
        EXPECT_EQ(counts, apart == 0 ? 1 : apart == 1 ? 0 : 2) << apart;
    }
}

TEST_F(Timelines, ALinkCountsTheMeasuredCopiesUntilNow) {
    model::RecordingBuilder builder;
    builder.two_gpus();
    const auto copy = builder.signature(1000, "copy_to_device");
    for (core::OpId id = 1; id <= 4; ++id) {
        const std::int64_t ns = 100 * id;
        if (id == 2) {
            builder.mark(trace::FrontendKind::measure_begin, ns - 1);
        }
        builder.issue(
            {.begin = ns, .end = ns + 10, .lane = 1, .out = id + 1, .in0 = 1, .fresh = true, .signature = copy});
        builder.exec(1, id, ns + 10, ns + 50);
    }
    builder.mark(trace::FrontendKind::program_end, 500);
    const auto run = builder.read();
    run->close();
    const auto link =
        std::find_if(run->links().begin(), run->links().end(), [](const model::Link& l) { return !l.ops.empty(); });
    ASSERT_NE(link, run->links().end());
    EXPECT_EQ(copies_text(copies_on(*run, *link, model::kPending)), "3.0 kB in 3 copies");
    EXPECT_EQ(copies_text(copies_on(*run, *link, 311)), "2.0 kB in 2 copies");
    EXPECT_EQ(copies_on(*run, *link, 200).copies, 0u);
}

TEST_F(Timelines, AWaitThatEndsTheWarmUpIsNotCounted) {
    test::Script script;
    const auto issue_and_wait = [&script] {
        script.issue({"op", "(1)", devices::Family::other, 4}, 100'000, 50'000);
        script.wait(trace::WaitKind::waitall, "waitall");
    };
    issue_and_wait();
    script.measure_begin();
    issue_and_wait();
    issue_and_wait();
    script.measure_end();
    Shown shown;
    shown.add(script.finish());
    const TimelineLayout layout = layout_timeline(shown.runs, options_for(shown, fonts_));
    const auto texts = texts_in(layout, RowKind::frontend);
    EXPECT_TRUE(
        std::any_of(texts.begin(), texts.end(), [](const Text* text) { return text->text == "2 issues, 2 waits"; }));
}

TEST_F(Timelines, PeaksAreLabelledAtTheirPosition) {
    Shown shown;
    shown.add(test::training({}, 60, false), 'A');
    shown.add(test::training({}, 60, true), 'B');
    for (const bool figure : {false, true}) {
        for (auto [width, height] : {std::pair{1900.0F, 980.0F}, {900.0F, 500.0F}}) {
            TimelineOptions options = options_for(shown, fonts_, width, height);
            options.style = figure ? figure_style() : window_style();
            const TimelineLayout layout = layout_timeline(shown.runs, options);
            int named = 0;
            for (const Item& item : layout.list.items) {
                const auto* text = std::get_if<Text>(&item);
                if (text == nullptr ||
                    (text->text.find("max ") != 0 && text->text.find(" ahead") == std::string::npos &&
                     text->text.find("peak ") != 0)) {
                    continue;
                }
                ++named;
                const Box box = box_of(*text, fonts_);
                EXPECT_GE(box.x0, layout.axis.x0) << text->text;
                EXPECT_LE(box.x1, layout.axis.x1) << text->text;
                // Find the dot in the label's row, and the curve there.
                const auto row = std::find_if(layout.rows.begin(), layout.rows.end(), [&](const RowBox& r) {
                    return r.box.contains(r.box.x0 + 1, text->baseline.y - 2);
                });
                ASSERT_NE(row, layout.rows.end()) << text->text;
                const model::Run& run = *shown.kept[static_cast<std::size_t>(row->run)];
                const model::Curve& curve = row->kind == RowKind::memory ? run.live_bytes() : run.headway();
                EXPECT_TRUE(row->kind == RowKind::memory || row->kind == RowKind::headway) << text->text;
                float nearest = 1e9F;
                for (const Item& other : layout.list.items) {
                    const auto* dot = std::get_if<Rect>(&other);
                    if (dot == nullptr || dot->fill != text->colour || dot->box.width() > 6 ||
                        dot->box.y0 < row->box.y0 || dot->box.y1 > row->box.y1 + 3) {
                        continue;
                    }
                    const float x = (dot->box.x0 + dot->box.x1) / 2;
                    nearest = std::min(nearest, std::max({box.x0 - x, x - box.x1, 0.0F}));
                    const auto from =
                        static_cast<std::int64_t>(layout.map.ns_from_x_px(x - 3)) + run.measure_begin_ns();
                    const auto to = static_cast<std::int64_t>(layout.map.ns_from_x_px(x + 3)) + run.measure_begin_ns();
                    EXPECT_EQ(static_cast<std::uint64_t>(curve.extremes(std::max<std::int64_t>(from, 0), to).most),
                              measured_peak(run, curve))
                        << text->text;
                }
                EXPECT_LE(nearest, 8 + box.width()) << text->text;
            }
            EXPECT_EQ(named, 4) << width;
        }
    }
}

// The label of a peak is above its curve unless the row is too low.
TEST_F(Timelines, PeakLabelsDoNotCoverTheirCurves) {
    const auto kept = [] {
        std::vector<std::unique_ptr<model::Run>> runs;
        runs.push_back(test::training({}, 60, false));
        runs.push_back(test::training({}, 60, true));
        runs.push_back(test::increments(200, 2, false));
        return runs;
    };
    for (auto& run : kept()) {
        Shown shown;
        shown.add(std::move(run), 'B');
        constexpr std::array<std::pair<double, double>, 4> views{{{0, 1}, {0.4, 0.6}, {0, 0.03}, {0.9, 1}}};
        for (std::size_t i = 0; i < 2 * views.size(); ++i) {
            const bool figure = i % 2 == 1;
            const std::size_t view = i / 2;
            for (auto [width, height] : {std::pair{1900.0F, 980.0F}, {900.0F, 520.0F}}) {
                TimelineOptions options = options_for(shown, fonts_, width, height);
                options.style = figure ? figure_style() : window_style();
                // Peaks in view, before it and after it.
                const auto [begin, end] = views[view];
                const TimelineView whole = options.view;
                options.view = {whole.begin_ns + begin * whole.span_ns(), whole.begin_ns + end * whole.span_ns()};
                const TimelineLayout layout = layout_timeline(shown.runs, options);
                int named = 0;
                for (const RowBox& row : layout.rows) {
                    if (row.kind != RowKind::headway && row.kind != RowKind::memory) {
                        continue;
                    }
                    const model::Run& shown_run = *shown.kept[0];
                    const model::Curve& curve =
                        row.kind == RowKind::memory ? shown_run.live_bytes() : shown_run.headway();
                    for (const Item& item : layout.list.items) {
                        const auto* text = std::get_if<Text>(&item);
                        if (text == nullptr || !row.box.contains(row.box.x0 + 1, text->baseline.y - 2) ||
                            text->baseline.x < layout.axis.x0) {
                            continue;
                        }
                        ++named;
                        const Box box = box_of(*text, fonts_);
                        const auto from =
                            static_cast<std::int64_t>(layout.map.ns_from_x_px(box.x0)) + shown_run.measure_begin_ns();
                        const auto to =
                            static_cast<std::int64_t>(layout.map.ns_from_x_px(box.x1)) + shown_run.measure_begin_ns();
                        const double most = static_cast<double>(curve.extremes(from, std::max(to, from + 1)).most);
                        const double share = most / static_cast<double>(curve.most());
                        const float top = row.content.y1 - static_cast<float>(share) * row.content.height();
                        EXPECT_LE(text->baseline.y, top) << text->text << ", " << width << " " << figure;
                    }
                }
                EXPECT_EQ(named, 2) << width;
            }
        }
    }
}

TEST_F(Timelines, APeakOutOfViewHasAnArrow) {
    Shown shown;
    shown.add(test::training({}, 60, false));  // highest at the start, when everything is issued
    TimelineOptions options = options_for(shown, fonts_);
    options.view.begin_ns = options.view.end_ns * 0.8;
    const TimelineLayout later = layout_timeline(shown.runs, options);
    EXPECT_NE(test::find_text(later.list, "← max "), nullptr);
    EXPECT_NE(test::find_text(later.list, "← peak "), nullptr);
}

}  // namespace
}  // namespace headway::figure
