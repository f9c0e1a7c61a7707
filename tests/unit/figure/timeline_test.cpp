#include "app/timeline/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "app/render/fonts.h"
#include "app/timeline/fold.h"
#include "app/timeline/highlights/highlights.h"
#include "tests/unit/figure/overlap.h"
#include "tests/unit/figure/script.h"
#include "tests/unit/figure/timeline_fixture.h"

namespace headway::figure {
namespace {

using core::OpId;

std::size_t visible_ops(const model::Run& run, const TimelineView& view) {
    std::size_t n = 0;
    const double origin = static_cast<double>(run.measure_begin_ns());
    for (const model::Lane& lane : run.lanes()) {
        for (OpId id : lane.ops) {
            const model::Op& op = run.op(id);
            n += static_cast<double>(op.end_ns) >= view.begin_ns + origin &&
                 static_cast<double>(op.begin_ns) <= view.end_ns + origin;
        }
    }
    return n;
}

TEST_F(Timelines, EveryOpIssueAndWaitIsDrawnOrCounted) {
    Shown shown;
    shown.add(test::training({}, 60, false), 'A');
    shown.add(test::training({}, 60, true), 'B');
    TimelineOptions options = options_for(shown, fonts_);
    options.view = whole_view(shown.runs, true);
    for (float width : {300.0F, 900.0F, 3600.0F}) {
        options.area.x1 = options.area.x0 + width;
        const TimelineLayout layout = layout_timeline(shown.runs, options);
        for (std::size_t r = 0; r < 2; ++r) {
            const DrawnCounts& n = layout.counts[r];
            EXPECT_EQ(n.ops_drawn + n.ops_folded, shown.kept[r]->op_count());
            EXPECT_EQ(n.issues_drawn + n.issues_folded, shown.kept[r]->op_count());
            EXPECT_EQ(n.waits_drawn + n.waits_folded, shown.kept[r]->waits().size());
        }
    }
}

TEST_F(Timelines, CountsAddUpAtAnyZoom) {
    Shown shown;
    shown.add(test::increments(60'000, 3, false));
    TimelineOptions options = options_for(shown, fonts_);
    const TimelineView whole = options.view;
    std::mt19937 random(3);
    for (int i = 0; i < 40; ++i) {
        const double span = whole.span_ns() * std::pow(0.5, i % 20);
        const double begin = whole.span_ns() * static_cast<double>(random() % 1000) / 1000;
        // Half nanoseconds, so that no begin or end coincides with an end of the view.
        options.view = {std::floor(begin) + 0.5, std::floor(begin) + 0.5 + std::ceil(span)};
        const TimelineLayout layout = layout_timeline(shown.runs, options);
        const auto n = layout.counts[0].ops_drawn + layout.counts[0].ops_folded;
        const auto expected = visible_ops(*shown.kept[0], options.view);
        EXPECT_NEAR(static_cast<double>(n), static_cast<double>(expected), 6)
            << "span " << span;  // one op at either end of a lane
    }
}

TEST_F(Timelines, NumberOfPrimitivesIsBoundedForLongRuns) {
    Shown shown;
    shown.add(test::increments(200'000, 2, true));
    const TimelineOptions options = options_for(shown, fonts_, 1900, 900);
    const TimelineLayout layout = layout_timeline(shown.runs, options);
    EXPECT_LT(layout.list.items.size(), 1900U * 6);
    EXPECT_LT(layout.list.points.size(), 1900U * 16);
}

TEST_F(Timelines, EveryWaitIsAtLeastAPixelWide) {
    Shown shown;
    shown.add(test::training({}, 60, true));
    FoldOptions fold;
    fold.map = TimeMap(whole_view(shown.runs, false), 0, 500);
    fold.time = &shown.kept[0]->program_time();
    std::uint64_t n = 0;
    for (const Piece& p : fold_waits(*shown.kept[0], fold)) {
        EXPECT_GE(p.x1 - p.x0, 0.99F);
        n += p.count;
    }
    EXPECT_GE(n, 60U);
}

TEST_F(Timelines, TextNeverOverlaps) {
    Shown one;
    one.add(test::training({}, 60, true));
    Shown two;
    two.add(test::training({}, 60, false), 'A');
    two.add(test::training({}, 60, true), 'B');
    Shown lanes;
    lanes.add(test::increments(3000, 8, false), 'A');
    lanes.add(test::increments(400, 2, true), 'B');
    Shown small;
    small.add(test::tiny());
    Shown failed;
    failed.add(test::failing());
    for (const Shown* shown : {&one, &two, &lanes, &small, &failed}) {
        for (bool figure : {false, true}) {
            for (auto [width, height] :
                 {std::pair{1900.0F, 980.0F}, {1280.0F, 640.0F}, {700.0F, 400.0F}, {320.0F, 200.0F}}) {
                for (float scale : {1.0F, 1.5F}) {
                    for (double zoom : {1.0, 0.1, 0.003}) {
                        TimelineOptions options = options_for(*shown, fonts_, width, height);
                        options.style = figure ? figure_style() : window_style();
                        options.scale = scale;
                        options.view.end_ns *= zoom;
                        const TimelineLayout layout = layout_timeline(shown->runs, options);
                        const auto clash = test::overlapping_text(layout.list, fonts_);
                        EXPECT_EQ(clash, "")
                            << width << "×" << height << " scale " << scale << " zoom " << zoom << " figure " << figure;
                    }
                }
            }
        }
    }
}

TEST_F(Timelines, UntilAMomentOnlyStartedOpsAreCounted) {
    Shown shown;
    shown.add(test::training({}, 60, true));
    const model::Run& run = *shown.kept[0];
    TimelineOptions options = options_for(shown, fonts_);
    for (const double share : {0.0, 0.2, 0.5, 0.9}) {
        options.until_ns = std::floor(options.view.span_ns() * share) + 0.5;
        const TimelineLayout layout = layout_timeline(shown.runs, options);
        const TimelineView seen{options.view.begin_ns, options.until_ns};
        const DrawnCounts& n = layout.counts[0];
        EXPECT_NEAR(static_cast<double>(n.ops_drawn + n.ops_folded), static_cast<double>(visible_ops(run, seen)), 2);
        std::uint64_t waits = 0;
        for (const model::Wait& wait : run.waits()) {
            waits += static_cast<double>(wait.begin_ns - run.measure_begin_ns()) <= options.until_ns;
        }
        EXPECT_NEAR(static_cast<double>(n.waits_drawn + n.waits_folded), static_cast<double>(waits), 1);
        // No bar extends beyond the moment, except the last curve's line and its label.
        const float end = layout.map.x_px_from_ns(options.until_ns);
        for (const Item& item : layout.list.items) {
            const auto* bar = std::get_if<Rect>(&item);
            const bool in_lane =
                bar != nullptr && std::any_of(layout.rows.begin(), layout.rows.end(), [&](auto& row) {
                    return row.kind == RowKind::lane && bar->box.y0 >= row.box.y0 && bar->box.y1 <= row.box.y1;
                });
            EXPECT_TRUE(!in_lane || bar->box.x1 <= end + 2.5F) << bar->box.x1 << " after " << end;
        }
    }
}

// On the shared axis of two runs, a pause is hatched over all rows of its own run and not over the other run's.
TEST_F(Timelines, APauseIsHatchedInAllRows) {
    const auto made = [](trace::WaitKind kind, const char* name) {
        test::Script script;
        script.issue({"op", "(1)", devices::Family::other, 4}, 1000, 2000);
        script.issue({"op", "(1)", devices::Family::other, 4}, 1000, 60'000);
        script.wait(kind, name);
        script.issue({"op", "(1)", devices::Family::other, 4}, 1000, 20'000);
        script.wait(trace::WaitKind::waitall, "waitall");
        return script.finish();
    };
    Shown shown;
    shown.add(made(trace::WaitKind::paused, "paused"), 'A');
    shown.add(made(trace::WaitKind::waitall, "waitall"), 'B');
    const TimelineLayout layout = layout_timeline(shown.runs, options_for(shown, fonts_));
    int rows = 0;
    for (const RowBox& row : layout.rows) {
        if (row.kind != RowKind::headway && row.kind != RowKind::lane && row.kind != RowKind::memory) {
            continue;
        }
        ++rows;
        const auto hatched = std::count_if(layout.list.items.begin(), layout.list.items.end(), [&](const Item& item) {
            const auto* hatch = std::get_if<Hatch>(&item);
            return hatch != nullptr && hatch->box.y0 == row.box.y0 && hatch->box.y1 == row.box.y1;
        });
        EXPECT_EQ(hatched, row.run == 0 ? 1 : 0);
    }
    EXPECT_EQ(rows, 6);
}

TEST_F(Timelines, AHeldLaneIsLabelled) {
    test::Script script;
    script.issue({"op", "(1)", devices::Family::other, 4}, 1000, 60'000);
    script.hold(0, 20'000, 50'000);
    script.wait(trace::WaitKind::waitall, "waitall");
    Shown shown;
    shown.add(script.finish(), 'B');
    ASSERT_EQ(shown.kept[0]->holds().list().size(), 1u);
    const TimelineLayout layout = layout_timeline(shown.runs, options_for(shown, fonts_));
    const Text* words = test::find_text(layout.list, "held by you");
    ASSERT_NE(words, nullptr);
    EXPECT_GT(words->size_px, 8);
    const auto lane = std::find_if(layout.rows.begin(), layout.rows.end(),
                                   [](const RowBox& row) { return row.kind == RowKind::lane; });
    EXPECT_GT(words->baseline.y, lane->box.y0);
    EXPECT_LT(words->baseline.y, lane->box.y1);
}

TEST_F(Timelines, SimulatedIsNeverShortened) {
    Shown shown;
    shown.add(test::tiny(), 'B');
    shown.runs[0].label = "barrier every minibatch, then no minibatch barrier from 512 ms, and so on";
    for (const float width : {1280.0F, 700.0F, 400.0F, 300.0F, 200.0F}) {
        const TimelineLayout layout = layout_timeline(shown.runs, options_for(shown, fonts_, width, 400));
        const Text* said = test::find_text(layout.list, "SIMULATED");
        ASSERT_NE(said, nullptr) << width;
        EXPECT_EQ(said->text, "SIMULATED");
        EXPECT_LE(box_of(*said, fonts_).x1, layout.area.x1) << width;
    }
}

TEST_F(Timelines, TheTotalIsTheReportedOne) {
    Shown shown;
    shown.add(test::tiny(), 'B');
    shown.runs[0].total_ns = 123'456'789;  // for example without pauses
    EXPECT_NE(test::find_text(layout_timeline(shown.runs, options_for(shown, fonts_)).list, "123 ms"), nullptr);
}

TEST_F(Timelines, RowsFollowEachOtherAndFillTheArea) {
    Shown shown;
    shown.add(test::training({}, 10, false), 'A');
    shown.add(test::training({}, 10, true), 'B');
    const TimelineOptions options = options_for(shown, fonts_);
    const TimelineLayout layout = layout_timeline(shown.runs, options);
    float y = options.area.y0;
    for (const RowBox& row : layout.rows) {
        EXPECT_EQ(row.box.y0, y);
        EXPECT_GT(row.box.height(), 0);
        EXPECT_GE(row.content.y0, row.box.y0);
        EXPECT_LE(row.content.y1, row.box.y1);
        y = row.box.y1;
    }
    EXPECT_LE(y, options.area.y1);
    EXPECT_GT(y, options.area.y1 - 40);
}

TEST_F(Timelines, GrowsTallerWhenLanesNeedIt) {
    Shown shown;
    shown.add(test::increments(64, 16, false), 'A');
    shown.add(test::increments(64, 16, false), 'B');
    TimelineOptions options = options_for(shown, fonts_, 900, 200);
    const TimelineLayout layout = layout_timeline(shown.runs, options);
    EXPECT_GT(layout.area.y1, options.area.y1);
    EXPECT_NEAR(layout.area.height(), timeline_least_height(shown.runs, options), 2);
    EXPECT_EQ(layout.rows.size(), 1 + 2 * (1 + 1 + 16 + 1 + 1U));
}

TEST_F(Timelines, PixelsAndTimesConvertBothWays) {
    const TimeMap map({1e9, 1e9 + 40}, 100, 1500);  // deep zoom, far out
    for (double ns = 1e9; ns <= 1e9 + 40; ns += 0.7) {
        EXPECT_NEAR(map.ns_from_x_px(map.x_px_from_ns(ns)), ns, 1e-4);
    }
}

TEST_F(Timelines, HitFindsTheDrawnItem) {
    Shown shown;
    shown.add(test::training({}, 10, false), 'A');
    shown.add(test::training({}, 10, true), 'B');
    const TimelineOptions options = options_for(shown, fonts_, 3000);
    const TimelineLayout layout = layout_timeline(shown.runs, options);
    for (int r = 0; r < 2; ++r) {
        const model::Run& run = *shown.kept[static_cast<std::size_t>(r)];
        for (OpId id = 10; id <= run.op_count(); id += 7) {
            const auto box = layout.box_of_op(r, id);
            ASSERT_TRUE(box);
            const auto hit = layout.hit((box->x0 + box->x1) / 2, (box->y0 + box->y1) / 2);
            ASSERT_TRUE(hit);
            EXPECT_EQ(hit->run, r);
            EXPECT_EQ(hit->row, RowKind::lane);
            EXPECT_EQ(hit->op, id);
            const auto issue = layout.box_of_issue(r, id);
            ASSERT_TRUE(issue);
            const auto issue_hit = layout.hit((issue->x0 + issue->x1) / 2, issue->y0 + 2);
            ASSERT_TRUE(issue_hit);
            EXPECT_EQ(issue_hit->op, id);
        }
        for (int w = 1; w < static_cast<int>(run.waits().size()); ++w) {
            const auto box = layout.box_of_wait(r, w);
            ASSERT_TRUE(box);
            if (box->width() < 2) {
                continue;
            }
            const auto hit = layout.hit((box->x0 + box->x1) / 2, (box->y0 + box->y1) / 2);
            ASSERT_TRUE(hit);
            EXPECT_EQ(hit->wait, w);
            EXPECT_EQ(hit->op, 0U);
        }
    }
    EXPECT_FALSE(layout.hit(options.area.x0 + 3, options.area.y0 + 100));  // the label column
    EXPECT_FALSE(layout.hit(-5, -5));
}

TEST_F(Timelines, HitInASliverFindsTheNearestOpAndTheCount) {
    Shown shown;
    shown.add(test::increments(50'000, 1, false));
    const TimelineOptions options = options_for(shown, fonts_);
    const TimelineLayout layout = layout_timeline(shown.runs, options);
    const auto box = layout.box_of_op(0, 25'000);
    ASSERT_TRUE(box);
    const auto hit = layout.hit(box->x0, (box->y0 + box->y1) / 2);
    ASSERT_TRUE(hit);
    EXPECT_NE(hit->op, 0U);
    EXPECT_GT(hit->folded, 10U);
    EXPECT_NEAR(static_cast<double>(hit->op), 25'000, 200);
}

TEST_F(Timelines, WarmUpIsLeftOfZero) {
    Shown shown;
    shown.add(test::training({}, 5, true));
    EXPECT_EQ(whole_view(shown.runs, false).begin_ns, 0);
    const TimelineView view = whole_view(shown.runs, true);
    EXPECT_EQ(view.begin_ns, -static_cast<double>(shown.kept[0]->measure_begin_ns()));
    EXPECT_LT(view.begin_ns, 0);
    TimelineOptions options = options_for(shown, fonts_);
    options.view = view;
    const TimelineLayout layout = layout_timeline(shown.runs, options);
    EXPECT_NE(test::find_text(layout.list, "warm-up"), nullptr);
    options.view.begin_ns = 0;
    EXPECT_EQ(test::find_text(layout_timeline(shown.runs, options).list, "warm-up"), nullptr);
}

TEST_F(Timelines, SimulatedAndFailedRunsAreLabelled) {
    Shown shown;
    shown.add(test::tiny());
    TimelineOptions options = options_for(shown, fonts_);
    EXPECT_NE(test::find_text(layout_timeline(shown.runs, options).list, "SIMULATED"), nullptr);
    Shown failed;
    failed.add(test::failing());
    options = options_for(failed, fonts_);
    const TimelineLayout layout = layout_timeline(failed.runs, options);
    EXPECT_EQ(test::find_text(layout.list, "SIMULATED"), nullptr);
    bool marked = false;
    for (const Item& item : layout.list.items) {
        const auto* rect = std::get_if<Rect>(&item);
        marked = marked || (rect != nullptr && rect->fill == options.theme->warning);
    }
    EXPECT_TRUE(marked);
}

TEST_F(Timelines, EmptyRunIsLaidOut) {
    Shown shown;
    test::Script script;
    shown.add(script.finish());
    const TimelineLayout layout = layout_timeline(shown.runs, options_for(shown, fonts_));
    EXPECT_EQ(layout.counts[0].ops_drawn, 0U);
    EXPECT_GT(layout.list.items.size(), 5U);
}

TEST_F(Timelines, BookmarksHaveARowAndCanBeHit) {
    Shown shown;
    shown.add(test::training({}, 6, true));
    TimelineOptions options = options_for(shown, fonts_);
    const auto none = layout_timeline(shown.runs, options);
    for (const RowBox& row : none.rows) {
        EXPECT_NE(row.kind, RowKind::bookmarks);
    }
    const auto quarter = static_cast<std::int64_t>(options.view.span_ns() / 4);
    shown.runs[0].bookmarks = {{quarter, quarter, "first"}, {2 * quarter, 3 * quarter, "second"}};
    const auto layout = layout_timeline(shown.runs, options);
    const auto row = std::find_if(layout.rows.begin(), layout.rows.end(),
                                  [](const RowBox& r) { return r.kind == RowKind::bookmarks; });
    ASSERT_NE(row, layout.rows.end());
    std::string words;
    for (const Item& item : layout.list.items) {
        if (const auto* text = std::get_if<Text>(&item)) {
            words += text->text + "|";
        }
    }
    EXPECT_NE(words.find("first|"), std::string::npos);
    EXPECT_NE(words.find("second  "), std::string::npos);  // with its length
    const float y = (row->box.y0 + row->box.y1) / 2;
    const auto at = [&](std::int64_t ns) {
        return layout.hit(layout.map.x_px_from_ns(static_cast<double>(ns)) + 2, y);
    };
    EXPECT_EQ(at(quarter / 2)->bookmark, -1);
    EXPECT_EQ(at(quarter)->bookmark, 0);
    EXPECT_EQ(at(2 * quarter)->bookmark, 1);
}

TEST_F(Timelines, DataMissingFromATraceHasNoRowAndNoArrow) {
    Shown shown;
    shown.add(test::spans(50, 40));
    const TimelineLayout layout = layout_timeline(shown.runs, options_for(shown, fonts_));
    std::string order;
    std::string expected;
    for (const RowBox& row : layout.rows) {
        order += row_key(row.kind, row.lane) + ",";
    }
    for (int lane = 0; lane < 40; ++lane) {
        expected += "lane " + std::to_string(lane) + ",";
    }
    EXPECT_EQ(order, ",," + expected);  // ruler and header have no key
    EXPECT_EQ(layout.counts[0].issues_drawn + layout.counts[0].issues_folded, 0u);
    EXPECT_EQ(test::find_text(layout.list, "barriers"), nullptr);
    EXPECT_NE(test::find_text(layout.list, "theirs.json"), nullptr);
    EXPECT_EQ(test::overlapping_text(layout.list, fonts_), "");
    // Hit testing works in the last lane, too, and no arrow leads to an op without an issue.
    const auto box = layout.box_of_op(0, 40);
    ASSERT_TRUE(box);
    const auto hit = layout.hit((box->x0 + box->x1) / 2, (box->y0 + box->y1) / 2);
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->op, 40u);
    EXPECT_EQ(hit->lane, 39);
    EXPECT_FALSE(layout.box_of_issue(0, 40));
    DisplayList marks;
    add_op_highlight(layout, 0, 40, theme(ThemeName::dark), 1, marks);
    for (const Item& item : marks.items) {
        EXPECT_FALSE(std::holds_alternative<Arrow>(item));
    }
}

TEST_F(Timelines, RowsFollowTheArrangement) {
    Shown shown;
    shown.add(test::increments(200, 3, false), 'A');
    shown.add(test::increments(200, 2, true), 'B');
    TimelineOptions options = options_for(shown, fonts_, 1380, 1400);
    const model::Arrangement arrangement{{"lane 2", 0, false, true, "the third"},
                                         {"memory", 90, false, false, ""},
                                         {"frontend", 0, true, false, ""},
                                         {"lane 9", 50, true, true, ""}};
    options.arrangement = &arrangement;
    const auto layout = layout_timeline(shown.runs, options);
    std::string order;
    float y = layout.rows.front().box.y0;
    for (const RowBox& row : layout.rows) {
        EXPECT_EQ(row.box.y0, y);  // neither gap nor overlap
        y = row.box.y1;
        if (!row_key(row.kind, row.lane).empty()) {
            order += row_key(row.kind, row.lane) + ", ";
        }
        if (row.kind == RowKind::memory) {
            EXPECT_NEAR(row.box.height(), 90, 1);
        } else if (row.kind == RowKind::frontend) {
            EXPECT_LE(row.box.height(), 17);
        }
    }
    EXPECT_EQ(order,
              "lane 2, memory, frontend, headway, lane 0, lane 1, "
              "memory, frontend, headway, lane 0, lane 1, ");
}

}  // namespace
}  // namespace headway::figure
