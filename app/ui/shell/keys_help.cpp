#include "app/ui/shell/keys_help.h"

#include <algorithm>
#include <array>
#include <vector>

#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

struct Entry {
    const char *keys, *what;
};
struct Group {
    const char* title;
    std::vector<Entry> entries;
};

const std::vector<Group>& columns_of_groups(int column) {
    static const std::vector<Group> left{{"Run",
                                          {{"Space, F5", "run; during a run: pause, resume"},
                                           {"B", "next barrier policy, at once"},
                                           {"G", "numbers, graph, threads below"},
                                           {"Ctrl Enter", "run what is in the editor"},
                                           {"Shift F5", "stop"},
                                           {"Shift C", "compare: run both in turn, several times"},
                                           {"F10, Ctrl F10", "step a line; over calls"},
                                           {"F11, Ctrl F11", "step an op; run to the cursor"},
                                           {"F9", "breakpoint at the cursor"},
                                           {"F12, F12 F12", "export a figure; repeat"}}},
                                         {"Source",
                                          {{"Ctrl O, Ctrl S", "open, save"},
                                           {"Ctrl F, F3", "find, find the next"},
                                           {"Ctrl Z, Ctrl Y", "undo, redo"},
                                           {"Tab, Shift Tab", "indent, unindent"},
                                           {"Ctrl /", "toggle comment"},
                                           {"Ctrl E", "wide or narrow source"}}}};
    static const std::vector<Group> middle{{"Timeline",
                                            {{"Wheel", "zoom at the pointer"},
                                             {"Ctrl, Shift wheel", "finer (pinch), coarser"},
                                             {"Alt wheel", "left, right (or two fingers)"},
                                             {"W  S", "zoom in, out"},
                                             {"A  D", "left, right"},
                                             {"Right drag", "pan"},
                                             {"Left drag, R", "measure; the selection"},
                                             {"Alt, Shift R", "no snapping: while held; toggle"},
                                             {"←  →  ↑  ↓", "the cursor, by time, by row"},
                                             {"Ctrl, Shift ←  →", "to the next edge; measure"},
                                             {"Enter", "select what is at the cursor"},
                                             {"M, Shift M", "add a bookmark; list them"},
                                             {"J, Shift J, Del", "next, previous; delete it"},
                                             {"F, double click", "fit the selection; all"},
                                             {"Y", "lock vertical movement"},
                                             {"O", "overview of the whole run"},
                                             {"I, click", "tensors alive there, by line"},
                                             {"C", "critical path; without barriers; both"},
                                             {"End, L", "follow the run again"},
                                             {"Alt ←  Alt →", "previous, next view"},
                                             {"/,  N  Shift N", "find; next, previous"}}}};
    static const std::vector<Group> right{{"Window",
                                           {{"T", "next theme"},
                                            {"Ctrl +  Ctrl −", "larger, smaller"},
                                            {"Ctrl 0", "size of the screen"},
                                            {"Tab, Shift Tab", "from control to control"},
                                            {"Enter, Space", "click it; arrows: its neighbours"},
                                            {"Ctrl Shift P", "everything, by name"},
                                            {"Shift F12", "picture of the window"},
                                            {"Ctrl Shift C", "copy the view as an image"},
                                            {"?", "this list"}}},
                                          {"Lanes",
                                           {{"Alt ↑  Alt ↓", "up, down (or drag the label)"},
                                            {"P,  K,  F2", "pin, collapse, rename"},
                                            {"=  -", "taller, shorter"}}},
                                          {"Ops",
                                           {{"Click", "select an op or a wait"},
                                            {".  ,", "next, previous op in its lane"},
                                            {"[  ]", "its dependencies, its dependents"},
                                            {"X", "the same op in the other run"},
                                            {"Esc", "deselect"}}}};
    return column == 0 ? left : column == 1 ? middle : right;
}

}  // namespace

void draw_keys_help(AppState& state, Ui& ui) {
    if (!state.show_keys) {
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
    constexpr int kColumns = 3;
    float lines = 0;
    for (int c = 0; c < kColumns; ++c) {
        float n = 0;
        for (const auto& group : columns_of_groups(c)) {
            n += static_cast<float>(group.entries.size()) + 1.9f;
        }
        lines = std::max(lines, n);
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
    for (int c = 0; c < kColumns; ++c) {
        const float x = a.x + px(28) + static_cast<float>(c) * px(kColumn + 10);
        float y = a.y + ui.px(74);
        for (const auto& group : columns_of_groups(c)) {
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
        state.show_keys = false;
    }
    ImGui::End();
}

}  // namespace headway::ui
