// The list of bookmarks.
#pragma once

#include "app/ui/timeline/timeline_panel.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class BookmarkPanel {
public:
    BookmarkPanel(AppState& state, Ui& ui, TimelinePanel& timeline) : state_(state), ui_(ui), timeline_(timeline) {}
    [[nodiscard]] std::size_t count() const;
    void draw(ImVec2 min, ImVec2 max);

private:
    AppState& state_;
    Ui& ui_;
    TimelinePanel& timeline_;
};

}  // namespace headway::ui
