// Which view the details show.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace headway::ui {

struct DetailTabs {
    // The tab shown, by its id in app/ui/details/detail_panel.cpp, and the lasting one to return to from a temporary
    // one.
    std::string shown = "numbers", lasting = "numbers";
    std::uint32_t graph_line = 0;  // the graph shows this line's ops; 0: all

    void show(std::string id) { shown = lasting = std::move(id); }
    void show_temporarily(std::string id) { shown = std::move(id); }
    // Hides a temporary one; the others stay.
    void hide(std::string_view id) {
        if (shown == id) {
            shown = lasting;
        }
    }
};

}  // namespace headway::ui
