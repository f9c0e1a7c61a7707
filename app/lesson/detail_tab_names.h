// The lasting tabs of the window's details. Lessons name them: which one is shown first, and where a link leads.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace headway::lesson {

struct DetailTabName {
    const char *id, *title;
};

// In the order in which the window shows them.
inline constexpr std::array<DetailTabName, 5> kDetailTabs{
    {{"numbers", "Numbers"}, {"output", "Output"}, {"queue", "Queue"}, {"graph", "Graph"}, {"threads", "Threads"}}};

[[nodiscard]] inline bool is_detail_tab(std::string_view id) {
    return std::any_of(kDetailTabs.begin(), kDetailTabs.end(), [id](const DetailTabName& tab) { return tab.id == id; });
}

}  // namespace headway::lesson
