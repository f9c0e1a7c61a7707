#include "app/ui/shell/keys_help.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

struct Entry {
    std::string keys, what;
};
struct Group {
    std::string title;
    std::vector<Entry> entries;
};

// What the pointer and the editor do; all else is a command.
struct Gesture {
    const char *group, *keys, *what;
};
constexpr std::array<Gesture, 14> kGestures{{{"Source", "Ctrl Z, Ctrl Y", "undo, redo"},
                                             {"Source", "Tab, Shift Tab", "indent, unindent"},
                                             {"Source", "Ctrl /", "toggle comment"},
                                             {"Timeline", "Wheel", "zoom at the pointer"},
                                             {"Timeline", "Ctrl, Shift wheel", "finer (pinch), coarser"},
                                             {"Timeline", "Alt wheel", "left, right (or two fingers)"},
                                             {"Timeline", "Left drag", "measure; Alt: without snapping"},
                                             {"Timeline", "Right drag", "pan"},
                                             {"Timeline", "Double click", "fit the op; all"},
                                             {"Ops", "Click", "select an op or a wait"},
                                             {"Lanes", "Drag a label", "move the lane"},
                                             {"Window", "F12 F12", "export again, the same way"},
                                             {"Window", "Tab, Shift Tab", "from control to control"},
                                             {"Window", "Enter, Space", "click it; arrows: its neighbours"}}};

// "Alt →" after "Alt ←" is "→".
std::string without_modifiers_of(const std::string& keys, const std::string& before) {
    for (const std::string arrow : {"→", "↓"}) {
        const std::string modifiers =
            keys.ends_with(arrow) ? keys.substr(0, keys.size() - arrow.size()) : std::string();
        if (!modifiers.empty() && before.starts_with(modifiers)) {
            return arrow;
        }
    }
    return keys;
}

// The groups in the order of their commands.
std::vector<Group> groups_of(const CommandTable& commands) {
    std::vector<Group> groups;
    for (const Command& command : commands.all()) {
        if (command.help.empty()) {
            continue;
        }
        if (groups.empty() || groups.back().title != command.group) {
            groups.push_back({command.group, {}});
        }
        auto& entries = groups.back().entries;
        if (command.help == "-" && !entries.empty()) {
            entries.back().keys += "  " + without_modifiers_of(command.keys, entries.back().keys);
        } else {
            entries.push_back({command.keys, command.help});
        }
    }
    for (const Gesture& gesture : kGestures) {
        const auto group =
            std::find_if(groups.begin(), groups.end(), [&gesture](const Group& g) { return g.title == gesture.group; });
        if (group != groups.end()) {
            group->entries.push_back({gesture.keys, gesture.what});
        }
    }
    return groups;
}

constexpr float kHeadingLines = 1.9f;  // of a heading and the gap above it
constexpr std::size_t kColumns = 3;
using Columns = std::array<std::vector<Group>, kColumns>;

float lines_of(const std::vector<Group>& column) {
    float lines = 0;
    for (const Group& group : column) {
        lines += static_cast<float>(group.entries.size()) + kHeadingLines;
    }
    return lines;
}

// Groups stay whole; each goes to the column that has the fewest lines.
Columns columns_of(std::vector<Group> groups) {
    std::stable_sort(groups.begin(), groups.end(),
                     [](const Group& a, const Group& b) { return a.entries.size() > b.entries.size(); });
    Columns columns;
    for (Group& group : groups) {
        std::min_element(columns.begin(), columns.end(), [](const auto& a, const auto& b) {
            return lines_of(a) < lines_of(b);
        })->push_back(std::move(group));
    }
    return columns;
}

}  // namespace

void draw_keys_help(AppState& state, Ui& ui, const CommandTable& commands) {
    if (!state.look.show_keys) {
        return;
    }
    const figure::Theme& t = *ui.theme;
    const ImVec2 frame = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(frame);
    ImGui::SetNextWindowFocus();
    ImGui::Begin("keys", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled({0, 0}, frame, colour(figure::faded(t.background, t.dark ? 0.7 : 0.75)));
    constexpr float kColumn = 376, kKeys = 136, kMostLine = 24;
    static const Columns columns = columns_of(groups_of(commands));
    float lines = 0;
    for (const auto& column : columns) {
        lines = std::max(lines, lines_of(column));
    }
    // The line height, reduced if the lines would not fit.
    const float line = std::min(kMostLine, (frame.y / ui.fonts.scale() - 86) / std::max(1.0f, lines));
    // Also reduces the size, so that all words stay readable.
    const float fit = std::min(1.0f, (frame.x - ui.px(16)) / ui.px(kColumns * (kColumn + 10) + 62));
    const auto px = [&](float length) { return ui.px(length * fit); };
    const ImVec2 size{px(kColumns * (kColumn + 10) + 62), ui.px(lines * line + 66)};
    const ImVec2 a{std::floor((frame.x - size.x) / 2), std::floor((frame.y - size.y) / 2)};
    const ImVec2 b{a.x + size.x, a.y + size.y};
    draw_card(ui, list, a, b, t.raised, 10);
    ui.rects.insert_or_assign("keys", WidgetRect{a.x, a.y, b.x, b.y});
    draw_text(ui, list, a.x + ui.px(28), a.y + ui.px(38), Face::bold, 18, t.text, "Keys");
    for (std::size_t c = 0; c < kColumns; ++c) {
        const float x = a.x + px(28) + static_cast<float>(c) * px(kColumn + 10);
        float y = a.y + ui.px(74);
        for (const auto& group : columns[c]) {
            draw_text(ui, list, x, y, Face::semibold, 13 * fit, t.issue, group.title);
            y += ui.px(line);
            for (const auto& entry : group.entries) {
                draw_text(ui, list, x, y, Face::semibold, 13 * fit, t.text, keys_here(ui, entry.keys), px(kKeys - 6));
                draw_text(ui, list, x + px(kKeys), y, Face::regular, 13.5f * fit, t.dim, entry.what,
                          px(kColumn - kKeys - 4));
                y += ui.px(line);
            }
            y += ui.px(line * 0.7f);
        }
    }
    ImGui::SetCursorScreenPos({0, 0});
    if (ImGui::InvisibleButton("close", frame)) {
        state.look.show_keys = false;
    }
    ImGui::End();
}

}  // namespace headway::ui
