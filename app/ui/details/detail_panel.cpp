#include "app/ui/details/detail_panel.h"

#include <algorithm>
#include <string>

#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

constexpr float kTabs = 24, kGap = 6;

}  // namespace

DetailPanel::DetailPanel(AppState& state, Ui& ui, TimelinePanel& timeline)
    : state_(state),
      ui_(ui),
      timeline_(timeline),
      comparison_(state, ui),
      graph_(state, ui, timeline),
      measure_(state, ui, timeline),
      bookmarks_(state, ui, timeline),
      alive_(state, ui, timeline) {
    const auto graph = [this](ImVec2 min, ImVec2 max) { graph_.draw(min, max); };
    const auto numbers_height = [this](float width, float) { return comparison_.height(width); };
    tabs_ = {
        {"numbers",
         "Numbers",
         true,
         {},
         [this](ImVec2 min, ImVec2 max) { comparison_.draw(min, max); },
         numbers_height},
        {"graph", "Graph", true, {}, graph, {}},
        {"threads", "Threads", true, {}, graph, {}},
        {"measured", "Measured", false, [this] { return state_.timeline.measured.has_value(); },
         [this](ImVec2 min, ImVec2 max) { measure_.draw(min, max); },
         [this](float width, float room) {
             // The panel does not grow during a drag, so that nothing moves under the pointer.
             const float before = height_of(tab(state_.details.lasting), width, room);
             return state_.timeline.measuring
                        ? before
                        : std::clamp(measure_.wanted_height(width), before, std::max(before, room));
         }},
        {"bookmarks", "Bookmarks", false,
         [this] { return bookmarks_.count() > 0 || state_.details.shown == "bookmarks"; },
         [this](ImVec2 min, ImVec2 max) { bookmarks_.draw(min, max); },
         [this, numbers_height](float width, float room) {
             const float least = numbers_height(width, room);
             return std::clamp(ui_.px(40 + 26 * static_cast<float>(bookmarks_.count())), least, std::max(least, room));
         }},
        {"alive",
         "Tensors",
         false,
         [this] { return state_.timeline.alive.has_value() || state_.details.shown == "alive"; },
         [this](ImVec2 min, ImVec2 max) { alive_.draw(min, max); },
         {}},
    };
}

const DetailPanel::Tab& DetailPanel::tab(std::string_view id) const {
    const auto found = std::find_if(tabs_.begin(), tabs_.end(), [id](const Tab& tab) { return tab.id == id; });
    return found == tabs_.end() ? tabs_.front() : *found;
}

void DetailPanel::show(const Tab& tab) {
    tab.lasting ? state_.details.show(tab.id) : state_.details.show_for_now(tab.id);
}

void DetailPanel::next() {
    const auto index = static_cast<std::size_t>(&tab(state_.details.shown) - tabs_.data());
    for (std::size_t i = 1; i <= tabs_.size(); ++i) {
        const Tab& next = tabs_[(index + i) % tabs_.size()];
        if (next.lasting) {
            show(next);
            return;
        }
    }
}

float DetailPanel::height_of(const Tab& tab, float width, float room) const {
    return tab.height ? tab.height(width, room) : room;
}

float DetailPanel::height(float centre_width, float centre_height) {
    if (comparison_.height(centre_width) <= 0) {
        return 0;
    }
    const float room = std::clamp(centre_height * 0.34f, ui_.px(196), ui_.px(360));
    return ui_.px(kTabs + kGap) + height_of(tab(state_.details.shown), centre_width, room);
}

void DetailPanel::draw(ImVec2 min, ImVec2 max) {
    if (!is_offered(tab(state_.details.shown))) {
        state_.details.shown = state_.details.lasting;
    }
    std::vector<std::string> titles;
    std::vector<const Tab*> offered;
    int shown = 0;
    for (const Tab& tab : tabs_) {
        if (is_offered(tab)) {
            if (tab.id == state_.details.shown) {
                shown = static_cast<int>(offered.size());
            }
            titles.emplace_back(tab.title);
            offered.push_back(&tab);
        }
    }
    const int clicked = segments(ui_, "detail", titles, shown, min, ui_.theme->issue, 12.5f, ui_.px(kTabs), 10);
    if (clicked >= 0) {
        show(*offered[static_cast<std::size_t>(clicked)]);
    }
    tab(state_.details.shown).draw({min.x, min.y + ui_.px(kTabs + kGap)}, max);
}

}  // namespace headway::ui
