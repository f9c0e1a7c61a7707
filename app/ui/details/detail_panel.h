// The panel under the timeline, with tabs: the numbers of both runs, the dependency graph, the two threads, and lists.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "app/ui/details/alive_panel.h"
#include "app/ui/details/bookmark_panel.h"
#include "app/ui/details/comparison_panel.h"
#include "app/ui/details/graph_panel.h"
#include "app/ui/details/measure_panel.h"

namespace headway::ui {

class DetailPanel {
public:
    DetailPanel(AppState& state, Ui& ui, TimelinePanel& timeline);

    // The preferred height in a window centre of this size; 0: nothing to show.
    [[nodiscard]] float height(float centre_width, float centre_height);
    void draw(ImVec2 min, ImVec2 max);
    [[nodiscard]] bool moving() const { return graph_.moving() || alive_.moving() || comparison_.moving(); }

    struct Tab {
        const char *id, *title;
        bool lasting;                   // false: shown for the moment
        std::function<bool()> offered;  // empty: always
        std::function<void(ImVec2 min, ImVec2 max)> draw;
        // Its height without the tabs, at most `room`; empty: all of the room.
        std::function<float(float width, float room)> height;
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
    [[nodiscard]] float height_of(const Tab& tab, float width, float room) const;

    AppState& state_;
    Ui& ui_;
    TimelinePanel& timeline_;
    ComparisonPanel comparison_;
    GraphPanel graph_;
    MeasurePanel measure_;
    BookmarkPanel bookmarks_;
    AlivePanel alive_;
    std::vector<Tab> tabs_;
};

}  // namespace headway::ui
