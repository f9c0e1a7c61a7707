// One group of tabs: the numbers of both runs, the output, the dependency graph, the two threads, and lists.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "app/ui/details/alive_panel.h"
#include "app/ui/details/bookmark_panel.h"
#include "app/ui/details/graph_panel.h"
#include "app/ui/details/measure_panel.h"
#include "app/ui/details/numbers_panel.h"
#include "app/ui/details/output_panel.h"
#include "app/ui/details/queue_panel.h"

namespace headway::ui {

class DetailPanel {
public:
    // `draw_source`: for a tab with the source, in the mode that has no pane for it.
    DetailPanel(AppState& state, Ui& ui, TimelinePanel& timeline,
                const std::function<void(ImVec2 min, ImVec2 max)>& draw_source);

    void draw(ImVec2 min, ImVec2 max);
    // A panel computes, or moves its view, over several frames: the window must draw the next one without waiting for
    // input.
    [[nodiscard]] bool computing() const { return graph_.moving() || alive_.computing() || numbers_.computing(); }

    struct Tab {
        const char *id, *title;
        bool lasting;                   // false: temporary, there only while it has something to show
        std::function<bool()> offered;  // empty: always
        std::function<void(ImVec2 min, ImVec2 max)> draw;
    };
    [[nodiscard]] std::span<const Tab> tabs() const { return tabs_; }
    void show(const Tab& tab);
    void next();  // among the lasting tabs

    [[nodiscard]] GraphPanel& graph() { return graph_; }
    [[nodiscard]] const AlivePanel& alive() const { return alive_; }
    [[nodiscard]] const MeasurePanel& measure() const { return measure_; }

private:
    // The tab with this id; the first if there is none.
    [[nodiscard]] const Tab& tab(std::string_view id) const;
    [[nodiscard]] bool is_offered(const Tab& tab) const { return !tab.offered || tab.offered(); }
    void draw_tabs(ImVec2 at, float width);

    AppState& state_;
    Ui& ui_;
    NumbersPanel numbers_;
    OutputPanel output_;
    QueuePanel queue_;
    GraphPanel graph_;
    MeasurePanel measure_;
    BookmarkPanel bookmarks_;
    AlivePanel alive_;
    std::vector<Tab> tabs_;
};

}  // namespace headway::ui
