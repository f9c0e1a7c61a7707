// TimelinePanel: order, height and names of the rows, changed by their labels and by keys.
#include "app/ui/timeline/timeline_panel.h"

#include <imgui_stdlib.h>

#include <cmath>

#include "app/gfx/imgui_compat.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

using figure::RowBox;

namespace {

constexpr float kGrip = 4;  // design px above and below a row's lower edge that can be dragged

}  // namespace

// The arrangement with every shown row in it, so that one of them can be moved.
model::Arrangement TimelinePanel::whole_arrangement() const {
    model::Arrangement whole;
    const auto add = [&whole](const model::RowSetting& setting) {
        if (model::setting_of(whole, setting.row) == nullptr) {
            whole.push_back(setting);
        }
    };
    for (const RowBox& row : layout_.rows) {
        if (const std::string key = figure::row_key(row.kind, row.lane); row.run >= 0 && !key.empty()) {
            const auto* known = model::setting_of(state_.arrangement.shown(), key);
            add(known != nullptr ? *known : model::RowSetting{key, 0, false, false, ""});
        }
    }
    for (const auto& setting : state_.arrangement.shown()) {
        add(setting);  // settings of rows that this run does not have are preserved
    }
    return whole;
}

void TimelinePanel::change_row(std::size_t row, const std::function<void(model::RowSetting&)>& change) {
    if (row >= layout_.rows.size()) {
        return;
    }
    const std::string key = figure::row_key(layout_.rows[row].kind, layout_.rows[row].lane);
    model::Arrangement whole = whole_arrangement();
    for (auto& setting : whole) {
        if (setting.row == key) {
            change(setting);
        }
    }
    state_.arrangement.set(std::move(whole));
}

// Moves the row in front of `before`, a row of the same run; to the end of its run if that does not exist.
void TimelinePanel::move_row(std::size_t row, std::size_t before) {
    if (row >= layout_.rows.size()) {
        return;
    }
    const auto key_at = [this](std::size_t i) {
        return i < layout_.rows.size() ? figure::row_key(layout_.rows[i].kind, layout_.rows[i].lane) : std::string();
    };
    const std::string key = key_at(row), next = key_at(before);
    if (key.empty() || key == next) {
        return;
    }
    model::Arrangement whole = whole_arrangement();
    const auto at = std::find_if(whole.begin(), whole.end(), [&](const auto& s) { return s.row == key; });
    model::RowSetting moved = *at;
    whole.erase(at);
    auto place = std::find_if(whole.begin(), whole.end(), [&](const auto& s) { return s.row == next; });
    if (place == whole.end() || next.empty()) {
        place = whole.end();
    } else {
        moved.pinned = place->pinned;  // a row dropped among pinned rows is pinned
    }
    whole.insert(place, std::move(moved));
    state_.arrangement.set(std::move(whole));
}

void TimelinePanel::shift_row(int direction) {
    const std::size_t row = hold_cursor().row;
    if (row >= layout_.rows.size() || figure::row_key(layout_.rows[row].kind, layout_.rows[row].lane).empty()) {
        return;
    }
    const int run = layout_.rows[row].run;
    const auto movable = [&](std::size_t i) {
        return i < layout_.rows.size() && layout_.rows[i].run == run &&
               !figure::row_key(layout_.rows[i].kind, layout_.rows[i].lane).empty();
    };
    if (direction < 0 && row > 0 && movable(row - 1)) {
        move_row(row, row - 1);
        state_.timeline.cursor->row = row - 1;
    } else if (direction > 0 && movable(row + 1)) {
        // Down by one: in front of the row after the next.
        move_row(row + 1, row);
        state_.timeline.cursor->row = row + 1;
    }
}

void TimelinePanel::pin_row() {
    change_row(hold_cursor().row, [](model::RowSetting& s) { s.pinned = !s.pinned; });
}

void TimelinePanel::collapse_row() {
    change_row(hold_cursor().row, [](model::RowSetting& s) { s.collapsed = !s.collapsed; });
}

void TimelinePanel::resize_row(float factor) {
    const std::size_t row = hold_cursor().row;
    if (row < layout_.rows.size()) {
        const float now = layout_.rows[row].box.height() / ui_.fonts.scale();
        change_row(row, [&](model::RowSetting& s) {
            s.collapsed = false;
            s.height_px = std::clamp(now * factor, 15.0f, 800.0f);
        });
    }
}

void TimelinePanel::rename_row() {
    const std::size_t row = hold_cursor().row;
    if (row < layout_.rows.size() && !figure::row_key(layout_.rows[row].kind, layout_.rows[row].lane).empty()) {
        const auto* setting = model::setting_of(state_.arrangement.shown(),
                                                figure::row_key(layout_.rows[row].kind, layout_.rows[row].lane));
        renaming_ = Renaming{row, setting != nullptr ? setting->name : std::string(), true};
    }
}

void TimelinePanel::reset_rows() {
    state_.arrangement.set({});
}

// The labels at the left. Dragging a label moves the row; dragging its lower edge resizes it; a double click collapses
// it; a right click opens a menu with all of these.
bool TimelinePanel::handle_labels(bool hovered, ImVec2 at) {
    const ImGuiIO& io = ImGui::GetIO();
    const bool held = ImGui::IsMouseDown(ImGuiMouseButton_Left);
    if (label_drag_ && !held) {
        const LabelDrag done = *label_drag_;
        label_drag_.reset();
        if (!done.resize && done.moved && done.before != done.row && done.before != done.row + 1) {
            const int run = layout_.rows[done.row].run;
            move_row(done.row, done.before < layout_.rows.size() && layout_.rows[done.before].run == run
                                   ? done.before
                                   : layout_.rows.size());
        }
        return true;
    }
    if (label_drag_) {
        label_drag_->moved = label_drag_->moved || std::abs(io.MousePos.y - label_drag_->from_y) > ui_.px(4);
        if (label_drag_->resize && label_drag_->moved) {
            const float height = (label_drag_->height + io.MousePos.y - label_drag_->from_y) / ui_.fonts.scale();
            change_row(label_drag_->row, [&](model::RowSetting& s) {
                s.collapsed = false;
                s.height_px = std::clamp(std::round(height), 15.0f, 800.0f);
            });
        } else if (label_drag_->moved) {
            const int run = layout_.rows[label_drag_->row].run;
            label_drag_->before = label_drag_->row;
            for (std::size_t i = 0; i < layout_.rows.size(); ++i) {
                const RowBox& row = layout_.rows[i];
                if (row.run != run || figure::row_key(row.kind, row.lane).empty()) {
                    continue;
                }
                const bool above = at.y < (row.box.y0 + row.box.y1) / 2;
                if (above) {
                    label_drag_->before = i;
                    break;
                }
                label_drag_->before = i + 1;
            }
        }
        ImGui::SetMouseCursor(label_drag_->resize ? ImGuiMouseCursor_ResizeNS : ImGuiMouseCursor_Hand);
        return true;
    }
    if (!hovered || at.x >= layout_.axis.x0) {
        return false;
    }
    for (std::size_t i = 0; i < layout_.rows.size(); ++i) {
        const RowBox& row = layout_.rows[i];
        const bool edge = std::abs(at.y - row.box.y1) <= ui_.px(kGrip);
        if (row.run < 0 || figure::row_key(row.kind, row.lane).empty() ||
            !((at.y >= row.box.y0 && at.y < row.box.y1) || edge)) {
            continue;
        }
        if (edge) {
            ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
        }
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
            change_row(
                i, [edge](model::RowSetting& s) { edge ? void(s.height_px = 0) : void(s.collapsed = !s.collapsed); });
            return true;
        }
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
            label_drag_ = LabelDrag{i, i, io.MousePos.y, row.box.height(), edge, false};
        } else if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
            hold_cursor().row = i;
            lane_menu_wanted_ = true;
        }
        return ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Right);
    }
    return false;
}

void TimelinePanel::draw_label_drag(ImDrawList* list, float scroll) {
    if (!label_drag_ || label_drag_->resize || !label_drag_->moved || label_drag_->row >= layout_.rows.size()) {
        return;
    }
    const RowBox& row = layout_.rows[label_drag_->row];
    list->AddRectFilled({row.box.x0, row.box.y0 - scroll}, {row.box.x1, row.box.y1 - scroll},
                        colour(figure::faded(ui_.theme->issue, 0.12)));
    const std::size_t before = label_drag_->before;
    const float y = (before < layout_.rows.size() && layout_.rows[before].run == row.run
                         ? layout_.rows[before].box.y0
                         : layout_.rows[std::max<std::size_t>(1, before) - 1].box.y1) -
                    scroll;
    list->AddRectFilled({row.box.x0, y - ui_.px(1)}, {row.box.x1, y + ui_.px(2)}, colour(ui_.theme->issue));
}

void TimelinePanel::draw_lane_items() {
    const FontScope font(ui_, Face::regular, 14);
    const auto item = [&](const char* name, const char* keys, auto act) {
        if (ImGui::MenuItem(name, keys)) {
            act();
        }
        register_item(ui_, std::string("lane/") + name);
    };
    item("Up", "Alt ↑", [this] { shift_row(-1); });
    item("Down", "Alt ↓", [this] { shift_row(1); });
    item("Pin / unpin", "P", [this] { pin_row(); });
    item("Collapse / expand", "K", [this] { collapse_row(); });
    item("Taller", "=", [this] { resize_row(1.25f); });
    item("Shorter", "-", [this] { resize_row(0.8f); });
    item("Rename…", "F2", [this] { rename_row(); });
    ImGui::Separator();
    item("Reset all lanes", "", [this] { reset_rows(); });
}

void TimelinePanel::draw_lane_menu() {
    if (lane_menu_wanted_) {
        lane_menu_wanted_ = false;
        ImGui::OpenPopup("lane");
    }
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui_.px(8), ui_.px(8)});
    if (ImGui::BeginPopup("lane")) {
        draw_lane_items();
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar();
}

void TimelinePanel::draw_renaming(float scroll) {
    if (!renaming_ || renaming_->row >= layout_.rows.size()) {
        renaming_.reset();
        return;
    }
    const RowBox& row = layout_.rows[renaming_->row];
    const float height = ui_.px(26), y = (row.box.y0 + row.box.y1 - height) / 2 - scroll;
    ImGui::SetCursorScreenPos({row.box.x0 - ui_.px(4), y});
    const FontScope font(ui_, Face::semibold, 13);
    ImGui::SetNextItemWidth(layout_.axis.x0 - row.box.x0);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui_.px(6), std::floor((height - ImGui::GetFontSize()) / 2)});
    if (renaming_->focus) {
        ImGui::SetKeyboardFocusHere();
        renaming_->focus = false;
    }
    const bool entered =
        ImGui::InputTextWithHint("##rename", "its own name", &renaming_->text,
                                 ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    const bool left = ImGui::IsItemDeactivated();
    ImGui::PopStyleVar();
    register_item(ui_, "lane/name");
    if (entered || left) {
        const Renaming done = *renaming_;
        renaming_.reset();
        if (!gfx::key_pressed(gfx::Key::escape)) {
            change_row(done.row, [&](model::RowSetting& s) { s.name = done.text; });
        }
    }
}

}  // namespace headway::ui
