#include "app/ui/details/detail_panel.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

constexpr float kTabs = 24, kGap = 6;

}  // namespace

float DetailPanel::height(float centre_width, float centre_height) {
    return comparison_.height(centre_width) <= 0 ? 0 : height_of(state_.detail, centre_width, centre_height);
}

float DetailPanel::height_of(AppState::Detail detail, float centre_width, float centre_height) {
    using Detail = AppState::Detail;
    const float tabs = ui_.px(kTabs + kGap);
    const float large = std::clamp(centre_height * 0.34f, ui_.px(196), ui_.px(360));
    switch (detail) {
        case Detail::numbers:
            return comparison_.height(centre_width) + tabs;
        case Detail::measured: {
            // The panel does not grow during a drag, so that nothing moves under the pointer.
            const float before = height_of(state_.detail_before, centre_width, centre_height);
            return timeline_.measuring() ? before
                                         : std::clamp(tabs + measure_.wanted_height(centre_width), before,
                                                      std::max(before, tabs + large));
        }
        case Detail::bookmarks:
            return std::clamp(tabs + ui_.px(40 + 26 * static_cast<float>(bookmarks_.count())),
                              comparison_.height(centre_width) + tabs,
                              std::max(comparison_.height(centre_width) + tabs, tabs + large));
        case Detail::graph:
        case Detail::threads:
        case Detail::alive:
            break;
    }
    return tabs + large;
}

void DetailPanel::draw(ImVec2 min, ImVec2 max) {
    using Detail = AppState::Detail;
    std::vector<std::string> names{"Numbers", "Graph", "Threads"};
    std::vector<Detail> details{Detail::numbers, Detail::graph, Detail::threads};
    const auto offer = [&](const char* name, Detail detail) {
        names.emplace_back(name);
        details.push_back(detail);
    };
    if (timeline_.has_measure()) {
        offer("Measured", Detail::measured);
    }
    if (bookmarks_.count() > 0 || state_.detail == Detail::bookmarks) {
        offer("Bookmarks", Detail::bookmarks);
    }
    if (timeline_.alive_moment() || state_.detail == Detail::alive) {
        offer("Tensors", Detail::alive);
    }
    const auto shown = std::find(details.begin(), details.end(), state_.detail);
    if (shown == details.end()) {
        state_.detail = state_.detail_before;
    }
    const int clicked = segments(ui_, "detail", names, static_cast<int>(shown - details.begin()), min, ui_.theme->issue,
                                 12.5f, ui_.px(kTabs), 10);
    if (clicked >= 0) {
        state_.show_detail(details[static_cast<std::size_t>(clicked)]);
    }
    const ImVec2 top{min.x, min.y + ui_.px(kTabs + kGap)};
    switch (state_.detail) {
        case Detail::numbers:
            comparison_.draw(top, max);
            break;
        case Detail::graph:
        case Detail::threads:
            graph_.draw(top, max);
            break;
        case Detail::measured:
            measure_.draw(top, max);
            break;
        case Detail::bookmarks:
            bookmarks_.draw(top, max);
            break;
        case Detail::alive:
            alive_.draw(top, max);
            break;
    }
}

}  // namespace headway::ui
