// Curves with more changes than pixels: peaks and drains are visible at any size.
#include <gtest/gtest.h>

#include <cmath>

#include "app/figure/figure.h"
#include "tests/unit/figure/overlap.h"
#include "tests/unit/figure/script.h"
#include "tests/unit/figure/timeline_fixture.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::figure {
namespace {

constexpr int kBursts = 20;

// Bursts of ops, each followed by a wait for everything and the release of all results.
std::unique_ptr<model::Run> bursts(int ops) {
    test::Script script;
    const test::Script::Shape add{"add", "1000", devices::Family::elementwise, 4000};
    for (int burst = 0; burst < kBursts; ++burst) {
        std::vector<core::BufferId> made;
        for (int i = 0; i < ops; ++i) {
            made.push_back(script.issue(add, 500, 900));
            if (i > 2) {
                script.drop(made[static_cast<std::size_t>(i)]);
            }
        }
        script.wait(trace::WaitKind::waitall, "waitall");
        for (std::size_t i = 0; i < 3; ++i) {
            script.drop(made[i]);
        }
        script.idle(300);  // less than a pixel
    }
    return script.finish();
}

const RowBox& row_of(const TimelineLayout& layout, RowKind kind) {
    return *std::find_if(layout.rows.begin(), layout.rows.end(),
                         [kind](const RowBox& row) { return row.kind == kind; });
}

// Whether a line of the row passes within 1.6 px of this point.
bool line_at(const TimelineLayout& layout, const RowBox& row, float x, float y) {
    return std::any_of(layout.list.items.begin(), layout.list.items.end(), [&](const Item& item) {
        const auto* line = std::get_if<Polyline>(&item);
        if (line == nullptr) {
            return false;
        }
        const auto first = layout.list.points.begin() + line->first;
        return std::any_of(first, first + line->count, [&](const Point& point) {
            return point.y >= row.box.y0 && point.y <= row.box.y1 && std::abs(point.x - x) <= 1.6F &&
                   std::abs(point.y - y) <= 1;
        });
    });
}

TEST_F(Timelines, DrainsAndPeaksAreVisibleAtAnySize) {
    for (const int ops : {10, 4000}) {
        Shown shown;
        shown.add(bursts(ops));
        const model::Run& run = *shown.runs[0].run;
        for (const float width : {420.0F, 800.0F, 1380.0F, 3000.0F}) {
            for (const bool window : {true, false}) {
                TimelineOptions options = options_for(shown, fonts_, width);
                options.style = window ? window_style() : figure_style();
                const TimelineLayout layout = layout_timeline(shown.runs, options);
                const bool narrow = static_cast<float>(2 * ops * kBursts) > layout.axis.width() / 2;
                EXPECT_EQ(layout.curves_in_columns, narrow) << ops << " " << width;
                const RowBox& headway = row_of(layout, RowKind::headway);
                const RowBox& memory = row_of(layout, RowKind::memory);
                ASSERT_EQ(run.waits().size(), std::size_t{kBursts});
                for (std::size_t i = 0; i < run.waits().size(); ++i) {
                    const float x = layout.map.x_px_from_ns(static_cast<double>(run.waits()[i].end_ns));
                    EXPECT_TRUE(line_at(layout, headway, x, headway.content.y1)) << ops << " " << width << " " << i;
                    EXPECT_TRUE(line_at(layout, memory, x, memory.content.y1)) << ops << " " << width << " " << i;
                }
                const float top = layout.map.x_px_from_ns(static_cast<double>(run.headway().most_at_ns()));
                EXPECT_TRUE(line_at(layout, headway, top, headway.content.y0)) << ops << " " << width;
            }
        }
    }
}

// In a low row the budget's label is written on the curve: on a ground, and not in the place of the peak's label.
TEST_F(Timelines, TheBudgetAndThePeakCanBeRead) {
    // The last minibatch holds most.
    const auto growing = [](std::uint64_t budget) {
        test::Settings settings;
        settings.budget = budget;
        test::Script script(settings);
        for (std::uint64_t i = 1; i <= 12; ++i) {
            const auto made = script.issue({"add", std::to_string(i), devices::Family::elementwise, i << 20}, 500, 900);
            script.wait(trace::WaitKind::waitall, "waitall");
            script.drop(made);
        }
        return script.finish();
    };
    for (const std::uint64_t budget : {std::uint64_t{13} << 20, std::uint64_t{12'100} << 10}) {
        for (const float height : {190.0F, 220.0F, 260.0F, 400.0F, 760.0F}) {
            Shown shown;
            shown.add(growing(budget));
            const TimelineLayout layout = layout_timeline(shown.runs, options_for(shown, fonts_, 900, height));
            const Text* label = test::find_text(layout.list, "budget ");
            ASSERT_NE(label, nullptr) << height;
            EXPECT_NE(test::find_text(layout.list, "peak "), nullptr) << height;
            EXPECT_EQ(test::overlapping_text(layout.list, fonts_), "") << height;
            const Box box = box_of(*label, fonts_);
            const auto at = std::find_if(layout.list.items.begin(), layout.list.items.end(),
                                         [&](const Item& item) { return std::get_if<Text>(&item) == label; });
            const auto* ground = std::get_if<Rect>(&*(at - 1));
            const bool on_ground = ground != nullptr && ground->box.x0 <= box.x0 && ground->box.x1 >= box.x1;
            for (float x = box.x0 + 2; x <= box.x1 - 2 && !on_ground; ++x) {
                for (float y = box.y0 + 1; y <= box.y1 - 1; ++y) {
                    ASSERT_FALSE(line_at(layout, row_of(layout, RowKind::memory), x, y)) << height;
                }
            }
        }
    }
}

// The label of the reserved memory is next to the maximum, not where the curve is lower.
TEST_F(Timelines, ReservedMemoryIsLabelledAtItsMaximum) {
    model::RecordingBuilder builder(std::size_t{32} << 20, false);
    builder.metadata(R"({"device_kind": "cuda", "lanes": ["Stream 0"]})");
    trace::Recording& recording = builder.recording();
    const auto signature = builder.signature(1'000'000);
    const auto now = [] { return static_cast<std::int64_t>(core::ticks()); };
    const std::int64_t begin = now();
    builder.issue({.begin = begin, .end = begin + 10, .out = 1, .fresh = true, .signature = signature});
    builder.exec(0, 1, begin + 10, begin + 20);
    recording.count_reserved(1'500'000, 0);
    while (now() < begin + 2'000'000) {
    }
    recording.count_reserved(1'500'000, 0);
    builder.mark(trace::FrontendKind::program_end, begin + 2 * (now() - begin));
    recording.header().state = static_cast<std::uint32_t>(trace::RunState::finished);
    Shown shown;
    shown.add(builder.read());
    shown.kept[0]->close();
    const model::Curve& reserved = shown.kept[0]->reserved_bytes();
    ASSERT_EQ(reserved.most(), 3'000'000);
    const TimelineLayout layout = layout_timeline(shown.runs, options_for(shown, fonts_));
    const Text* label = test::find_text(layout.list, "reserved 3.0 MB");
    ASSERT_NE(label, nullptr);
    const Box box = box_of(*label, fonts_);
    const float x = layout.x_px_from_run_ns(0, reserved.most_at_ns());
    EXPECT_GT(x, layout.axis.x0 + 2 * box.width()) << "else this shows nothing";
    EXPECT_LT(std::min(std::abs(box.x0 - x), std::abs(box.x1 - x)), 60);
    EXPECT_EQ(test::overlapping_text(layout.list, fonts_), "");
}

TEST_F(Timelines, TheLegendNamesCurvesInColumns) {
    const char* const words = "curves: least and most per pixel";
    FigureOptions options;
    EXPECT_NE(test::find_text(figure(*bursts(4000), nullptr, options, fonts_), words), nullptr);
    EXPECT_EQ(test::find_text(figure(*bursts(3), nullptr, options, fonts_), words), nullptr);
    options.size = FigureSize::column;
    EXPECT_NE(test::find_text(figure(*bursts(4000), nullptr, options, fonts_), words), nullptr);
}

}  // namespace
}  // namespace headway::figure
