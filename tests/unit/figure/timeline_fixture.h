// The fixture of the timeline's tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "app/render/fonts.h"
#include "app/timeline/timeline.h"

namespace headway::figure {

struct Shown {
    std::vector<std::unique_ptr<model::Run>> kept;
    std::vector<TimelineRun> runs;
    void add(std::unique_ptr<model::Run> run, char letter = 0) {
        runs.push_back({run.get(), letter, "", ""});
        kept.push_back(std::move(run));
    }
};

inline TimelineOptions options_for(const Shown& shown, const FontSet& fonts, float width = 1380, float height = 760) {
    TimelineOptions options;
    options.area = {10, 20, 10 + width, 20 + height};
    options.theme = &theme(ThemeName::dark);
    options.measure = &fonts;
    options.view = whole_view(shown.runs, false);
    return options;
}

class Timelines : public ::testing::Test {
protected:
    FontSet fonts_;
};

}  // namespace headway::figure
