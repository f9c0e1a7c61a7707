// The whole run in one slim strip over the timeline: how far the frontend was ahead (where nothing was issued: how busy
// the lanes were), and where the view is. It costs by its pixels.
#pragma once

#include <cstdint>
#include <vector>

#include "app/timeline/timeline.h"
#include "app/ui/state/view_control.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// One height in [0, 1] for each column over `whole`, the most that the curve reaches in it.
std::vector<float> minimap_heights(const model::Run& run, figure::TimelineView whole, int columns);

class Minimap {
public:
    explicit Minimap(Ui& ui) : ui_(ui) {}

    static constexpr float kHeight = 20;  // design px
    // In the box, which is as wide as the axis. `revision` changes with the runs. The view is moved by the hand.
    void draw(figure::Box box, const std::vector<figure::TimelineRun>& runs, std::uint64_t revision, ViewControl& view);

private:
    Ui& ui_;
    std::vector<std::vector<float>> heights_;  // per run
    std::uint64_t revision_ = ~std::uint64_t{0};
    figure::TimelineView whole_;
    int columns_ = 0;
    bool held_ = false;
    double grip_ns_ = 0;  // from the view's middle to where the hand holds it
};

}  // namespace headway::ui
