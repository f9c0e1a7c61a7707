#include "app/ui/detail_panel.h"

#include <algorithm>
#include <array>

#include "app/ui/widgets.h"

namespace headway::ui {
namespace {

constexpr float kTabs = 24, kGap = 6;

}  // namespace

float DetailPanel::height(float centre_height) const {
    const float table = comparison_.height();
    if (table <= 0) {
        return 0;
    }
    const float tabs = ui_.px(kTabs + kGap);
    if (state_.detail == AppState::Detail::numbers) {
        return table + tabs;
    }
    return tabs + std::clamp(centre_height * 0.34f, ui_.px(196), ui_.px(360));
}

void DetailPanel::draw(ImVec2 min, ImVec2 max) {
    static const std::array<std::string, 3> kNames{"Numbers", "Graph", "Threads"};
    const int clicked = segments(ui_, "detail", kNames, static_cast<int>(state_.detail), min, ui_.theme->issue, 12.5f,
                                 ui_.px(kTabs), 10);
    if (clicked >= 0) {
        state_.detail = static_cast<AppState::Detail>(clicked);
    }
    const ImVec2 top{min.x, min.y + ui_.px(kTabs + kGap)};
    if (state_.detail == AppState::Detail::numbers) {
        comparison_.draw(top, max);
    } else {
        graph_.draw(top, max);
    }
}

}  // namespace headway::ui
