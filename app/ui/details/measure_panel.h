// What the measured stretch of time holds, in each run that is shown: ops by kind and by lane, issues, waits by cause.
#pragma once

#include <cstdint>
#include <vector>

#include "app/model/analysis/time_range_summary.h"
#include "app/ui/timeline/timeline_panel.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// Shorter than "minibatch barrier": "barrier", "blocker", "queue limit", "memory", "paused".
const char* cause_word(trace::WaitKind kind);

// One line of the table: what, how many, how long; what of the stretch that is.
struct MeasureCell {
    std::string label;
    std::uint64_t count = 0;
    std::int64_t ns = 0;
    figure::Rgba colour;
    bool head = false;       // a sum, or a lane
    bool all_lanes = false;  // its share is one of all lanes' time
};
// At most `room` lines, the sums and the waits first of all; what has no room is summed up in a line of its own.
std::vector<MeasureCell> measure_cells(const model::Run& run, const model::TimeRangeSummary& summary,
                                       const figure::Theme& theme, std::size_t room);

class MeasurePanel {
public:
    MeasurePanel(Ui& ui, TimelinePanel& timeline) : ui_(ui), timeline_(timeline) {}

    // How tall all of it would be.
    [[nodiscard]] float wanted_height(float width) const;
    void draw(ImVec2 min, ImVec2 max);
    // Of the run at this place, as drawn last.
    [[nodiscard]] const model::TimeRangeSummary* summary(int run) const;

private:
    [[nodiscard]] int columns(float width) const;

    Ui& ui_;
    TimelinePanel& timeline_;
    std::vector<model::TimeRangeSummary> summaries_;
};

}  // namespace headway::ui
