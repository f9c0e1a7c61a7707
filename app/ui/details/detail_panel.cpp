#include "app/ui/details/detail_panel.h"

#include <algorithm>
#include <array>
#include <string>

#include "app/lesson/detail_tab_names.h"
#include "app/ui/widgets/menu.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

constexpr float kTabs = 24, kGap = 6;

}  // namespace

DetailPanel::DetailPanel(AppState& state, Ui& ui, TimelinePanel& timeline,
                         const std::function<void(ImVec2 min, ImVec2 max)>& draw_source)
    : state_(state),
      ui_(ui),
      numbers_(state, ui),
      output_(state, ui),
      queue_(state, ui),
      graph_(state, ui, timeline),
      measure_(state, ui, timeline),
      bookmarks_(state, ui, timeline),
      alive_(state, ui, timeline) {
    const auto graph = [this](ImVec2 min, ImVec2 max) { graph_.draw(min, max); };
    const auto lasting = std::to_array<std::function<void(ImVec2 min, ImVec2 max)>>({
        [this](ImVec2 min, ImVec2 max) { numbers_.draw(min, max); },
        [this](ImVec2 min, ImVec2 max) { output_.draw(min, max); },
        [this](ImVec2 min, ImVec2 max) { queue_.draw(min, max); },
        graph,
        graph,
    });
    static_assert(std::tuple_size_v<decltype(lasting)> == lesson::kDetailTabs.size());
    for (std::size_t i = 0; i < lasting.size(); ++i) {
        tabs_.push_back({lesson::kDetailTabs[i].id, lesson::kDetailTabs[i].title, true, {}, lasting[i]});
    }
    const std::vector<Tab> temporary{
        {"source", "Source", false,
         [this] { return state_.look.mode == Mode::compare && state_.source.document() != nullptr; }, draw_source},
        {"measured", "Measured", false, [this] { return state_.timeline.measured.has_value(); },
         [this](ImVec2 min, ImVec2 max) { measure_.draw(min, max); }},
        {"bookmarks", "Bookmarks", false,
         [this] { return bookmarks_.count() > 0 || state_.details.shown == "bookmarks"; },
         [this](ImVec2 min, ImVec2 max) { bookmarks_.draw(min, max); }},
        {"alive", "Tensors", false,
         [this] { return state_.timeline.alive.has_value() || state_.details.shown == "alive"; },
         [this](ImVec2 min, ImVec2 max) { alive_.draw(min, max); }},
    };
    tabs_.insert(tabs_.end(), temporary.begin(), temporary.end());
}

const DetailPanel::Tab& DetailPanel::tab(std::string_view id) const {
    const auto found = std::find_if(tabs_.begin(), tabs_.end(), [id](const Tab& tab) { return tab.id == id; });
    return found == tabs_.end() ? tabs_.front() : *found;
}

void DetailPanel::show(const Tab& tab) {
    tab.lasting ? state_.details.show(tab.id) : state_.details.show_temporarily(tab.id);
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

void DetailPanel::draw(ImVec2 min, ImVec2 max) {
    if (!is_offered(tab(state_.details.shown))) {
        state_.details.shown = state_.details.lasting;
    }
    draw_tabs(min, max.x - min.x);
    tab(state_.details.shown).draw({min.x, min.y + ui_.px(kTabs + kGap)}, max);
}

// As many tabs as fit, the one shown among them; the others are in a menu at the end.
void DetailPanel::draw_tabs(ImVec2 at, float width) {
    std::vector<const Tab*> row, rest;
    for (const Tab& tab : tabs_) {
        if (is_offered(tab)) {
            row.push_back(&tab);
        }
    }
    const auto titles = [](const std::vector<const Tab*>& tabs) {
        std::vector<std::string> all;
        for (const Tab* tab : tabs) {
            all.emplace_back(tab->title);
        }
        return all;
    };
    constexpr float kText = 12.5f;
    float padding = 10;
    const float more = ui_.px(36);
    const auto fits = [&] {
        return segments_width(ui_, titles(row), kText, padding) + (rest.empty() ? 0 : more) <= width;
    };
    while (padding > 5 && !fits()) {
        padding -= 1;
    }
    while (row.size() > 1 && !fits()) {
        // The last one that is not shown goes to the menu.
        const bool last_shown = row.back()->id == state_.details.shown;
        const auto moved = row.end() - (last_shown ? 2 : 1);
        rest.insert(rest.begin(), *moved);
        row.erase(moved);
    }
    const auto found =
        std::find_if(row.begin(), row.end(), [this](const Tab* tab) { return tab->id == state_.details.shown; });
    const int shown = found == row.end() ? -1 : static_cast<int>(found - row.begin());
    const int clicked =
        segments(ui_, "detail", titles(row), shown, at, ui_.theme->issue, kText, ui_.px(kTabs), padding);
    if (clicked >= 0) {
        show(*row[static_cast<std::size_t>(clicked)]);
    }
    if (rest.empty()) {
        return;
    }
    const float x = at.x + segments_width(ui_, titles(row), kText, padding) + ui_.px(6);
    if (button(ui_, "detail/more", "…", {x, at.y}, {.width = ui_.px(30), .height = ui_.px(kTabs), .text_px = kText})) {
        ImGui::OpenPopup("details");
    }
    tooltip(ui_, "More views");
    if (begin_menu(ui_, "details", {x, at.y + ui_.px(kTabs + 4)}, ui_.px(180))) {
        for (const Tab* tab : rest) {
            if (menu_row(ui_, std::string("detail/") + tab->title, tab->title, {}, true, ui_.px(180))) {
                show(*tab);
            }
        }
        end_menu();
    }
}

}  // namespace headway::ui
