// What lies under the pointer.
#include <gtest/gtest.h>

#include "tests/unit/figure/script.h"
#include "tests/unit/figure/timeline_fixture.h"

namespace headway::figure {
namespace {

// Minibatches within a scope within another one: each line of the row is hit on its own.
TEST_F(Timelines, EachLineOfScopesIsHitOnItsOwn) {
    const test::Script::Shape add{"add", "1000", devices::Family::elementwise, 4000};
    test::Script script;
    script.scope_begin("training");
    script.issue(add, 5'000, 5'000);
    script.scope_begin("epoch");
    for (std::uint32_t batch = 0; batch < 2; ++batch) {
        script.minibatch_begin(batch);
        script.issue(add, 5'000, 5'000);
        script.minibatch_end(batch);
    }
    script.scope_end("epoch");
    script.issue(add, 5'000, 5'000);
    script.scope_end("training");
    Shown shown;
    shown.add(script.finish());
    const model::Run& run = *shown.kept[0];
    ASSERT_EQ(run.scopes().size(), 2u);
    ASSERT_EQ(run.minibatches().size(), 2u);
    const TimelineLayout layout = layout_timeline(shown.runs, options_for(shown, fonts_));
    const auto row =
        std::find_if(layout.rows.begin(), layout.rows.end(), [](const RowBox& r) { return r.kind == RowKind::scopes; });
    ASSERT_NE(row, layout.rows.end());
    ASSERT_EQ(layout.scope_lines.size(), 3u);
    const auto name_at = [&](std::size_t line, std::int64_t ns) -> std::string {
        const Box& box = layout.scope_lines[line].box;
        const auto hit = layout.hit(layout.x_px_from_run_ns(0, ns), (box.y0 + box.y1) / 2);
        if (!hit || (hit->scope < 0 && hit->minibatch < 0)) {
            return "nothing";
        }
        EXPECT_TRUE(hit->scope < 0 || hit->minibatch < 0);
        return hit->scope >= 0 ? run.scopes()[static_cast<std::size_t>(hit->scope)].name
                               : "minibatch " + std::to_string(hit->minibatch);
    };
    const std::int64_t in_second = run.minibatches()[1].issue_begin_ns + 1'000;
    EXPECT_EQ(name_at(0, in_second), "training");
    EXPECT_EQ(name_at(1, in_second), "epoch");
    EXPECT_EQ(name_at(2, in_second), "minibatch 1");
    const std::int64_t before = run.scopes()[0].begin_ns + 1'000;  // only the outer scope lasts
    EXPECT_EQ(name_at(0, before), "training");
    EXPECT_EQ(name_at(1, before), "nothing");
    EXPECT_EQ(name_at(2, before), "nothing");
    // Between the row's edges and its lines, the nearest line.
    const float x = layout.x_px_from_run_ns(0, in_second);
    EXPECT_GE(layout.hit(x, row->box.y0 + 0.1F)->scope, 0);
    EXPECT_EQ(layout.hit(x, row->box.y1 - 0.1F)->minibatch, 1);
}

// A bracket too narrow to point at is hit from beside it.
TEST_F(Timelines, ANarrowScopeIsHitNearIt) {
    const test::Script::Shape add{"add", "1000", devices::Family::elementwise, 4000};
    test::Script script;
    script.issue(add, 5'000, 5'000);
    script.scope_begin("short");
    script.issue(add, 10, 5'000);
    script.scope_end("short");
    script.issue(add, 10'000'000, 5'000);
    Shown shown;
    shown.add(script.finish());
    const TimelineLayout layout = layout_timeline(shown.runs, options_for(shown, fonts_));
    ASSERT_EQ(layout.scope_lines.size(), 1u);
    const Box& line = layout.scope_lines[0].box;
    const float x = layout.x_px_from_run_ns(0, shown.kept[0]->scopes()[0].end_ns);
    EXPECT_EQ(layout.hit(x + 2, line.y0 + 1)->scope, 0);
    EXPECT_EQ(layout.hit(x + 5, line.y0 + 1)->scope, -1);
}

}  // namespace
}  // namespace headway::figure
