// What the measured time range contains, in each run shown: ops by kind and by lane, issues, waits by cause.
#pragma once

#include <cstdint>
#include <vector>

#include "app/model/analysis/time_range_summary.h"
#include "app/ui/timeline/timeline_panel.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// One line of the table: label, count, total time, and its share of the time range.
struct MeasureCell {
    std::string label;
    std::uint64_t count = 0;
    std::int64_t ns = 0;
    figure::Rgba colour;
    bool head = false;       // a sum, or a lane
    bool all_lanes = false;  // its share is of all lanes' time
};
// At most `room` lines, the sums and the waits first; the rest is summed up in one line.
std::vector<MeasureCell> measure_cells(const model::Run& run, const model::TimeRangeSummary& summary,
                                       const figure::Theme& theme, std::size_t room);

class MeasurePanel {
public:
    MeasurePanel(AppState& state, Ui& ui, TimelinePanel& timeline) : state_(state), ui_(ui), timeline_(timeline) {}

    void draw(ImVec2 min, ImVec2 max);
    // The summary of the run at this index, as last drawn.
    [[nodiscard]] const model::TimeRangeSummary* summary(int run) const;

private:
    [[nodiscard]] int columns(float width) const;

    AppState& state_;
    Ui& ui_;
    TimelinePanel& timeline_;
    std::vector<model::TimeRangeSummary> summaries_;
};

}  // namespace headway::ui
