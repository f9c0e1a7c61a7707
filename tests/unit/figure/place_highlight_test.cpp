// What a sentence of the explanation speaks of, in the timeline.
#include <gtest/gtest.h>

#include "app/render/fonts.h"
#include "app/timeline/highlights/highlights.h"
#include "tests/unit/figure/script.h"
#include "tests/unit/figure/timeline_fixture.h"

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

}  // namespace
}  // namespace headway::figure
