// What a sentence of the explanation is about, in the timeline.
#include <gtest/gtest.h>

#include "app/figure/legend.h"
#include "app/render/fonts.h"
#include "app/timeline/highlights/highlights.h"
#include "tests/unit/figure/overlap.h"
#include "tests/unit/figure/script.h"
#include "tests/unit/figure/timeline_fixture.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::figure {
namespace {

using Row = model::Place::Row;

class PlaceHighlights : public Timelines {
protected:
    PlaceHighlights() {
        shown_.add(test::training({}, 60, false));
        layout_ = layout_timeline(shown_.runs, options_for(shown_, fonts_));
    }
    [[nodiscard]] DisplayList of(const model::Place& place) const {
        DisplayList list;
        add_place_highlight(layout_, 0, place, theme(ThemeName::light), 1, list);
        return list;
    }
    [[nodiscard]] model::Place place(Row row, std::int64_t begin_ns, std::int64_t end_ns) const {
        const std::int64_t origin = shown_.kept[0]->measure_begin_ns();
        model::Place place;
        place.row = row;
        place.begin_ns = origin + begin_ns;
        place.end_ns = origin + end_ns;
        return place;
    }
    template <class Item>
    static std::vector<Item> items(const DisplayList& list) {
        std::vector<Item> found;
        for (const auto& item : list.items) {
            if (const auto* wanted = std::get_if<Item>(&item)) {
                found.push_back(*wanted);
            }
        }
        return found;
    }

    Shown shown_;
    TimelineLayout layout_;
};

TEST_F(PlaceHighlights, ARangeIsOutlinedInItsRow) {
    for (const auto& [row, kind] :
         {std::pair{Row::frontend, RowKind::frontend}, std::pair{Row::headway, RowKind::headway},
          std::pair{Row::memory, RowKind::memory}}) {
        const auto rects = items<Rect>(of(place(row, 1000, 5000)));
        ASSERT_EQ(rects.size(), 1u);
        EXPECT_FLOAT_EQ(rects[0].box.x0, layout_.map.x_px_from_ns(1000));
        EXPECT_FLOAT_EQ(rects[0].box.x1, layout_.map.x_px_from_ns(5000));
        for (const RowBox& box : layout_.rows) {
            if (box.kind == kind) {
                EXPECT_EQ(rects[0].box.y0, box.content.y0);
                EXPECT_EQ(rects[0].box.y1, box.content.y1);
            }
        }
    }
}

TEST_F(PlaceHighlights, AllRowsShareOneOutline) {
    const auto rects = items<Rect>(of(place(Row::run, 0, 5000)));
    ASSERT_EQ(rects.size(), 1u);
    for (const RowBox& box : layout_.rows) {
        if (box.kind == RowKind::lane || box.kind == RowKind::memory || box.kind == RowKind::frontend) {
            EXPECT_LE(rects[0].box.y0, box.content.y0);
            EXPECT_GE(rects[0].box.y1, box.content.y1);
        }
    }
}

TEST_F(PlaceHighlights, AMomentIsALineInItsRow) {
    const DisplayList list = of(place(Row::headway, 2000, 2000));
    EXPECT_TRUE(items<Rect>(list).empty());
    const auto lines = items<Line>(list);
    ASSERT_FALSE(lines.empty());
    for (const Line& line : lines) {
        EXPECT_FLOAT_EQ(line.from.x, layout_.map.x_px_from_ns(2000));
        EXPECT_LT(line.from.y, line.to.y);
    }
}

TEST_F(PlaceHighlights, OnlyTheNamedLane) {
    model::Place one = place(Row::lane, 0, 5000);
    one.lane = 0;
    const auto rects = items<Rect>(of(one));
    ASSERT_EQ(rects.size(), 1u);
    one.lane = 99;
    EXPECT_TRUE(items<Rect>(of(one)).empty());
    DisplayList none;
    add_place_highlight(layout_, 7, one, theme(ThemeName::light), 1, none);  // no such run
    EXPECT_TRUE(none.items.empty());
}

// Two ops in two streams; the second one reads what the first one writes.
class RaceHighlights : public Timelines {
protected:
    void make(bool race, std::int64_t first_begins_ns = 20'000) {
        model::RecordingBuilder builder;
        builder.metadata(R"({"lanes": ["Stream 0", "Stream 1"]})");
        for (std::uint32_t id = 1; id <= 2; ++id) {
            const std::int64_t at = id * 10'000;
            if (id == 2) {
                builder.order(
                    {2, 1, 1, 0, 0, race ? trace::OrderKind::read_write : trace::OrderKind::stream_wait, 1, 0, 0});
            }
            builder.issue({at, at + 10'000, static_cast<std::uint8_t>(id - 1), id, id - 1, 0, true, 0, 0, false});
            builder.exec(static_cast<std::uint8_t>(id - 1), id, id == 1 ? first_begins_ns : at + 10'000,
                         (id == 1 ? first_begins_ns : at + 10'000) + 100'000);
        }
        shown_.add(builder.read());
        layout_ = layout_timeline(shown_.runs, options_for(shown_, fonts_));
        add_races(layout_, theme(ThemeName::light), 1, list_);
    }
    [[nodiscard]] std::string legend() const {
        const DisplayList line =
            legend_line(shown_.runs, whole_view(shown_.runs, false), theme(ThemeName::light), fonts_, 1, 2000);
        return test::find_text(line, "race: a wait is missing") != nullptr ? "race" : "";
    }
    Shown shown_;
    TimelineLayout layout_;
    DisplayList list_;
};

TEST_F(RaceHighlights, BothOpsAreOutlinedAndAnArrowLeadsToTheOneThatDidNotWait) {
    make(true);
    const auto before = layout_.box_of_op(0, 1), after = layout_.box_of_op(0, 2);
    ASSERT_TRUE(before && after);
    std::vector<Box> outlined;
    std::vector<Arrow> arrows;
    for (const Item& item : list_.items) {
        if (const auto* rect = std::get_if<Rect>(&item)) {
            outlined.push_back({rect->box.x0 + 1, rect->box.y0 + 1, rect->box.x1 - 1, rect->box.y1 - 1});
        } else if (const auto* arrow = std::get_if<Arrow>(&item)) {
            arrows.push_back(*arrow);
        }
    }
    EXPECT_EQ(outlined, (std::vector<Box>{*before, *after}));
    ASSERT_EQ(arrows.size(), 1u);
    const auto& points = arrows[0].points;
    EXPECT_EQ(points[0].x, (after->x0 + before->x1) / 2) << "where both run";
    EXPECT_EQ(points[3].x, points[0].x);
    EXPECT_EQ(points[0].y, before->y1);
    EXPECT_EQ(points[3].y, after->y0);
    EXPECT_EQ(legend(), "race");
}

TEST_F(RaceHighlights, AnArrowBackInTimeIsStraight) {
    make(true, 400'000);
    const auto before = layout_.box_of_op(0, 1), after = layout_.box_of_op(0, 2);
    ASSERT_TRUE(before && after);
    const auto arrow = std::find_if(list_.items.begin(), list_.items.end(),
                                    [](const Item& item) { return std::holds_alternative<Arrow>(item); });
    ASSERT_NE(arrow, list_.items.end());
    const auto& points = std::get<Arrow>(*arrow).points;
    EXPECT_EQ(points[0].x, before->x0);
    EXPECT_EQ(points[0].y, before->y1);
    EXPECT_EQ(points[3].x, after->x1);
    EXPECT_EQ(points[3].y, after->y0);
    for (const std::size_t i : {1u, 2u}) {
        const auto share = static_cast<float>(i) / 3;
        EXPECT_NEAR(points[i].x, points[0].x + share * (points[3].x - points[0].x), 0.01);
        EXPECT_NEAR(points[i].y, points[0].y + share * (points[3].y - points[0].y), 0.01);
    }
}

TEST_F(RaceHighlights, OpsThatAWaitOrdersAreNoRace) {
    make(false);
    EXPECT_TRUE(list_.items.empty());
    EXPECT_EQ(legend(), "");
}

TEST_F(RaceHighlights, WhatIsOutOfViewIsNotDrawn) {
    make(true);
    TimelineOptions options = options_for(shown_, fonts_);
    options.view = {-3'000'000, -2'000'000};
    layout_ = layout_timeline(shown_.runs, options);
    DisplayList list;
    add_races(layout_, theme(ThemeName::light), 1, list);
    for (const Item& item : list.items) {
        EXPECT_FALSE(std::holds_alternative<Rect>(item) || std::holds_alternative<Arrow>(item));
    }
}

}  // namespace
}  // namespace headway::figure
