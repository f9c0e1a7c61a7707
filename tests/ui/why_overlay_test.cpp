#include "app/ui/timeline/why_overlay.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "app/render/fonts.h"
#include "tests/unit/figure/overlap.h"
#include "tests/unit/figure/script.h"
#include "tests/unit/model/long_program.h"

namespace headway::ui {
namespace {

class WhyOverlays : public ::testing::Test {
protected:
    void show(std::shared_ptr<const model::Run> run, bool grows) {
        shown_ = {{std::move(run), grows}};
        runs_ = {{shown_[0].run.get(), 'B', "", "", -1, {}}};
        options_.area = {10, 20, 1390, 780};
        options_.theme = &figure::theme(figure::ThemeName::dark);
        options_.measure = &fonts_;
        options_.view = figure::whole_view(runs_, false);
        layout_ = figure::layout_timeline(runs_, options_);
    }
    figure::DisplayList laid_over(bool path, bool what_if) {
        figure::DisplayList list;
        overlay_.add(layout_, options_, shown_, path, what_if, list);
        return list;
    }
    // The overlay's text: the only text added, in the run's header and overlapping nothing.
    std::string said(bool path, bool what_if) {
        const figure::DisplayList list = laid_over(path, what_if);
        std::string words;
        for (const figure::Item& item : list.items) {
            if (const auto* text = std::get_if<figure::Text>(&item)) {
                EXPECT_EQ(words, "") << text->text;
                words = text->text;
                const auto header = std::find_if(layout_.rows.begin(), layout_.rows.end(),
                                                 [](const auto& row) { return row.kind == figure::RowKind::header; });
                EXPECT_LT(text->baseline.y, header->box.y1);
                EXPECT_GT(text->baseline.y - text->size_px, header->box.y0);
                figure::DisplayList both = layout_.list;
                both.items.emplace_back(*text);
                EXPECT_EQ(figure::test::overlapping_text(both, fonts_), "");
            }
        }
        return words;
    }

    figure::FontSet fonts_;
    std::vector<WhyOverlay::Shown> shown_;
    std::vector<figure::TimelineRun> runs_;
    figure::TimelineOptions options_;
    figure::TimelineLayout layout_;
    WhyOverlay overlay_;
};

TEST_F(WhyOverlays, ShowTheirResultInTheHeader) {
    show(figure::test::training({}, 20, true), false);
    EXPECT_EQ(said(false, false), "");
    const std::string what_if = said(false, true), path = said(true, false), both = said(true, true);
    EXPECT_TRUE(what_if.starts_with("without barriers: ")) << what_if;
    EXPECT_TRUE(what_if.ends_with("(computed)")) << what_if;
    EXPECT_TRUE(path.starts_with("critical path: executing ")) << path;
    EXPECT_TRUE(both.starts_with("without barriers: ")) << both;
    EXPECT_NE(both.find("path: executing"), std::string::npos) << both;
    EXPECT_FALSE(overlay_.working());
    // With less room it uses fewer words, and never covers other text.
    options_.area.x1 = 620;
    layout_ = figure::layout_timeline(runs_, options_);
    EXPECT_LT(said(true, true).size(), both.size());
}

TEST_F(WhyOverlays, DoNotCountTheLearnersHoldsAsWaiting) {
    model::RecordingBuilder builder;
    builder.issue({0, 10});
    builder.recording().record_hold(0, 10, 510);  // the frontend does not wait meanwhile
    builder.exec(0, 1, 510, 700);
    const auto run = builder.read();
    run->close();
    const auto why = figure::why_of(*run);
    EXPECT_EQ(why->totals.total_ns(), 200);
    EXPECT_EQ(why->totals.execute_ns, 190);
}

TEST_F(WhyOverlays, OfALongRunAreComputedInTheBackground) {
    show(figure::test::increments(150'000, 2, true), false);
    ASSERT_GT(shown_[0].run->op_count(), WhyOverlay::kMostAtOnce);
    EXPECT_EQ(said(false, true), "without barriers: being computed…");
    EXPECT_TRUE(overlay_.working());
    const auto given_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (overlay_.working() && std::chrono::steady_clock::now() < given_up) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        laid_over(false, true);
    }
    EXPECT_TRUE(said(false, true).ends_with("(computed)"));
    // Another run does not wait for this one's computation.
    overlay_.forget();
    said(false, true);
    overlay_.forget();
    EXPECT_FALSE(overlay_.working());
    show(figure::test::training({}, 5, true), false);
    EXPECT_TRUE(said(false, true).ends_with("(computed)"));
}

TEST_F(WhyOverlays, OfAFoldedRunAreNotComputed) {
    show(model::folded_run({}), false);
    EXPECT_EQ(said(false, true), "without barriers: not computed: of some ops, only sums are kept");
    EXPECT_EQ(said(true, false), "critical path: not computed: of some ops, only sums are kept");
    EXPECT_FALSE(overlay_.working());
}

TEST_F(WhyOverlays, OfARecordingRunAreNotComputed) {
    show(figure::test::training({}, 5, true), true);
    EXPECT_EQ(said(false, true), "without barriers: computed when the run is over");
    EXPECT_EQ(said(true, false), "critical path: computed when the run is over");
}

}  // namespace
}  // namespace headway::ui
