// The dependency graph of a page of ops, or the same ops as the two threads hand them over. Both
// show the run's state at the moment under the pointer in the timeline, else at the view's end.
//
// A click selects the op here, in the timeline and in the source. The card at the pointer is the timeline's. The wheel
// zooms, a drag pans, a double click on the background fits.
#pragma once

#include <vector>

#include "app/figure/graph.h"
#include "app/gfx/layer.h"
#include "app/ui/state/app_state.h"
#include "app/ui/timeline/hover_card.h"
#include "app/ui/timeline/timeline_panel.h"
#include "app/ui/widgets/text_measure.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class GraphPanel {
public:
    GraphPanel(AppState& state, Ui& ui, TimelinePanel& timeline)
        : state_(state), ui_(ui), timeline_(timeline), measure_(ui.fonts) {}

    void draw(ImVec2 min, ImVec2 max);
    [[nodiscard]] bool moving() const { return moving_; }

    [[nodiscard]] const model::Graph& graph() const { return graph_; }
    [[nodiscard]] const figure::OpsPicture& picture() const { return picture_; }

private:
    void choose_page(const model::Run& run, const Moment& moment);
    float draw_head(const model::Run& run, ImVec2 min, ImVec2 max);
    void settle_view(const figure::Box& area);
    void handle_mouse(const model::Run& run, const figure::Box& area, bool hovered);
    void save(const model::Run& run);

    AppState& state_;
    Ui& ui_;
    TimelinePanel& timeline_;
    TextMeasure measure_;
    struct Key {
        const model::Run* run = nullptr;
        std::uint64_t started = 0, ops = 0;
        core::OpId anchor = 0;  // the op that the page was chosen for
        std::uint32_t line = 0;
        bool threads = false, ended = false;
        friend bool operator==(const Key&, const Key&) = default;
    };
    Key key_;
    core::OpId anchor_ = 0;
    model::Graph graph_;
    std::vector<figure::GraphCell> cells_;
    figure::OpsPicture picture_;
    gfx::Layer layer_;
    figure::GraphView view_;
    figure::Box area_;      // the area that view_ was computed for
    bool settled_ = false;  // view_ shows this page
    bool touched_ = false;  // moved by the user: it no longer fits itself
    bool moving_ = false, panning_ = false;
    int run_ = 0;
    core::OpId hovered_ = 0;
};

}  // namespace headway::ui
