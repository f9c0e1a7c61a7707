// The whole run in one narrow strip above the timeline, with a box around the visible part. The curve is the headway,
// or, in runs without issue records, how busy the lanes were. Where everything is visible, the legend stands in its
// place. Drawing time depends on the width in pixels, not on the run's length.
#pragma once

#include <cstdint>
#include <vector>

#include "app/gfx/layer.h"
#include "app/session/execution.h"
#include "app/timeline/timeline.h"
#include "app/ui/state/view/view_control.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// One height in [0, 1] per column over `whole`: the curve's maximum in that column.
std::vector<float> minimap_heights(const model::Run& run, figure::TimelineView whole, int columns);

class Minimap {
public:
    explicit Minimap(Ui& ui) : ui_(ui) {}

    static constexpr float kHeight = 20;  // design px
    // `box` is as wide as the time axis. Clicks and drags move `view`.
    void draw(figure::Box box, const std::vector<figure::TimelineRun>& runs, session::RunsVersion version,
              ViewControl& view);

private:
    void draw_legend(figure::Box box, const std::vector<figure::TimelineRun>& runs, figure::TimelineView view);

    Ui& ui_;
    gfx::Layer legend_;
    std::vector<std::vector<float>> heights_;  // per run
    session::RunsVersion version_;
    figure::TimelineView whole_;
    int columns_ = 0;
    bool held_ = false;
    double grip_ns_ = 0;  // from the view's middle to where it was grabbed
};

}  // namespace headway::ui
