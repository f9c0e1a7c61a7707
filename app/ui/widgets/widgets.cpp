#include "app/ui/widgets/widgets.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/gfx/imgui_compat.h"
#include "app/render/display_list.h"
#include "app/render/utf8.h"
#include "app/ui/widgets/paragraph.h"

namespace headway::ui {

namespace {

constexpr float kButtonHeight = 30, kButtonPadding = 14, kIconWidth = 16;

void draw_icon(Ui& ui, ImDrawList* list, char icon, float x, float y, ImU32 c) {
    const float r = ui.exact_px(4.5f);
    switch (icon) {
        case '>':
            list->AddTriangleFilled({x - r * 0.8f, y - r}, {x - r * 0.8f, y + r}, {x + r * 1.1f, y}, c);
            break;
        case '=':
            list->AddRectFilled({x - r, y - r}, {x - r * 0.35f, y + r}, c);
            list->AddRectFilled({x + r * 0.35f, y - r}, {x + r, y + r}, c);
            break;
        case '#':
            list->AddRectFilled({x - r * 0.9f, y - r * 0.9f}, {x + r * 0.9f, y + r * 0.9f}, c, r * 0.2f);
            break;
        case 'v': {
            const float s = r * 0.8f;
            list->AddTriangleFilled({x - s, y - s * 0.5f}, {x + s, y - s * 0.5f}, {x, y + s * 0.7f}, c);
            break;
        }
        default:
            break;
    }
}

}  // namespace

float text_width(Ui& ui, Face face, float size_px, std::string_view text) {
    return ui.fonts.width(face, size_px, text);
}

std::string elided(Ui& ui, Face face, float size_px, std::string_view text, float room_px) {
    if (text_width(ui, face, size_px, text) <= room_px) {
        return std::string(text);
    }
    const float dots = text_width(ui, face, size_px, "…");
    std::size_t fits = 0, end = 0;
    while (end < text.size()) {
        end += figure::next_char(text.substr(end)).bytes;
        if (text_width(ui, face, size_px, text.substr(0, end)) + dots > room_px) {
            break;
        }
        fits = end;
    }
    fits = figure::word_end(text, fits);
    return fits == 0 ? std::string() : std::string(text.substr(0, fits)) + "…";
}

float draw_text(Ui& ui, ImDrawList* list, float x, float baseline_y, Face face, float size_px, figure::Rgba c,
                std::string_view text, float room_px) {
    if (text.empty()) {
        return 0;
    }
    std::string cut;
    if (room_px > 0) {
        cut = elided(ui, face, size_px, text, room_px);
        text = cut;
    }
    ImFont* font = ui.fonts.get(face, size_px);
    const float size = ui.fonts.imgui_size(face, size_px);
    const float ascent = std::round(gfx::ascent_of(font) * size / gfx::size_of(font));
    list->AddText(font, size, {std::round(x), std::round(baseline_y) - ascent}, colour(c), text.data(),
                  text.data() + text.size());
    const bool visible = baseline_y > list->GetClipRectMin().y && baseline_y - ascent < list->GetClipRectMax().y;
    if (ui.words != nullptr && visible) {
        *ui.words += std::to_string(std::lround(x)) + '\t' + std::to_string(std::lround(baseline_y)) + '\t';
        *ui.words += text;
        *ui.words += '\n';
    }
    return text_width(ui, face, size_px, text);
}

float draw_text_right(Ui& ui, ImDrawList* list, float right_x, float baseline_y, Face face, float size_px,
                      figure::Rgba c, std::string_view text) {
    const float width = text_width(ui, face, size_px, text);
    draw_text(ui, list, right_x - width, baseline_y, face, size_px, c, text);
    return width;
}

namespace {

void draw_border(Ui& ui, ImDrawList* list, ImVec2 min, ImVec2 max, float radius) {
    list->AddRect(min, max, colour(ui.theme->border), ui.exact_px(radius), 0,
                  std::max(1.0f, std::floor(ui.fonts.scale())));
}

}  // namespace

void draw_round(Ui& ui, ImDrawList* list, ImVec2 middle, RoundSign sign, figure::Rgba ink) {
    const float radius = ui.exact_px(7), line = std::max(1.0f, ui.exact_px(1.5f)), s = ui.exact_px(3);
    if (sign == RoundSign::empty || sign == RoundSign::chosen) {
        list->AddCircle(middle, radius, colour(ink), 24, line);
        if (sign == RoundSign::chosen) {
            list->AddCircleFilled(middle, radius * 0.5f, colour(ink));
        }
        return;
    }
    list->AddCircleFilled(middle, radius, colour(ink));
    const ImU32 on = colour(ui.theme->panel);
    if (sign == RoundSign::done) {
        const ImVec2 corner{middle.x - s * 0.2f, middle.y + s * 0.8f};
        list->AddLine({middle.x - s, middle.y}, corner, on, line * 1.2f);
        list->AddLine(corner, {middle.x + s, middle.y - s * 0.8f}, on, line * 1.2f);
    } else {
        list->AddLine({middle.x - s, middle.y - s}, {middle.x + s, middle.y + s}, on, line * 1.2f);
        list->AddLine({middle.x - s, middle.y + s}, {middle.x + s, middle.y - s}, on, line * 1.2f);
    }
}

void draw_card(Ui& ui, ImDrawList* list, ImVec2 min, ImVec2 max, figure::Rgba fill, float radius) {
    list->AddRectFilled(min, max, colour(fill), ui.exact_px(radius));
    draw_border(ui, list, min, max, radius);
}

figure::Rgba sunken(const figure::Theme& theme) {
    return theme.dark ? figure::mixed(theme.background, theme.panel, 0.4) : theme.background;
}

void draw_ground(Ui& ui, ImDrawList* list, ImVec2 min, ImVec2 max, figure::Rgba fill, float radius) {
    if (ui.ground == nullptr) {
        list->AddRectFilled(min, max, colour(fill), ui.exact_px(radius));
        return;
    }
    gfx::SpanLook look;
    look.fill = colour(fill);
    look.radius_px = ui.exact_px(radius);
    ui.ground->shapes().span({min.x, min.y, max.x, max.y}, look);
}

void draw_ground_card(Ui& ui, ImDrawList* list, ImVec2 min, ImVec2 max, figure::Rgba fill, float radius) {
    draw_ground(ui, list, min, max, fill, radius);
    draw_border(ui, list, min, max, radius);
}

float button_width(Ui& ui, std::string_view label, const ButtonLook& look) {
    const float text =
        text_width(ui, look.kind == ButtonKind::plain ? Face::medium : Face::semibold, look.text_px, label);
    return std::ceil(text) + ui.px(2 * kButtonPadding) + (look.icon != 0 ? ui.px(kIconWidth) : 0);
}

bool row_button(Ui& ui, float& x, float y, const char* id, std::string_view label, ButtonKind kind) {
    const ButtonLook look{.kind = kind};
    const bool clicked = button(ui, id, label, {x, y}, look);
    x += button_width(ui, label, look) + ui.px(8);
    return clicked;
}

bool button(Ui& ui, const char* id, std::string_view label, ImVec2 at, const ButtonLook& look) {
    const figure::Theme& t = *ui.theme;
    const bool strong = look.kind == ButtonKind::primary || look.kind == ButtonKind::selected;
    const Face face = strong ? Face::semibold : Face::medium;
    const float width = look.width > 0 ? look.width : button_width(ui, label, look);
    const float height = look.height > 0 ? look.height : ui.px(kButtonHeight);
    ImGui::SetCursorScreenPos(at);
    ImGui::PushID(id);
    const bool clicked = ImGui::InvisibleButton("button", {width, height}) && look.enabled;
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered() && look.enabled, held = ImGui::IsItemActive() && look.enabled;
    register_item(ui, id, look.enabled);

    figure::Rgba fill = t.raised, text = t.text;
    if (strong) {
        fill = look.accent.a != 0 ? look.accent : t.issue;
        text = ui.on_accent();
    } else if (look.kind == ButtonKind::quiet) {
        fill = figure::faded(t.raised, 0);
        text = t.dim;
    }
    if (hovered || held) {
        fill = look.kind == ButtonKind::quiet ? figure::mixed(t.panel, t.text, held ? 0.16 : 0.08)
                                              : figure::mixed(fill, t.text, held ? 0.2 : 0.1);
    }
    if (!look.enabled) {
        fill = strong ? figure::mixed(t.panel, fill, 0.45) : t.panel;
        text = strong ? text : t.faint;
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 end{at.x + width, at.y + height};
    const float radius = ui.exact_px(6);
    list->AddRectFilled(at, end, colour(fill), radius);
    if (!strong && look.kind != ButtonKind::quiet) {
        list->AddRect(at, end, colour(t.border), radius, 0, std::max(1.0f, std::floor(ui.fonts.scale())));
    }
    const float icon_width = look.icon != 0 ? ui.px(kIconWidth) : 0;
    const float room = width - icon_width - ui.px(8);
    const float text_px = std::min(text_width(ui, face, look.text_px, label), room);
    const float left = at.x + (width - text_px - icon_width) / 2;
    const bool icon_after = look.icon == 'v';
    const float baseline = at.y + height / 2 + ui.exact_px(look.text_px * 0.36f);
    draw_text(ui, list, left + (icon_after ? 0 : icon_width), baseline, face, look.text_px, text, label, room + 1);
    if (look.icon != 0) {
        draw_icon(ui, list, look.icon, icon_after ? left + text_px + icon_width * 0.6f : left + icon_width * 0.35f,
                  at.y + height / 2, colour(text));
    }
    return clicked;
}

void tooltip(Ui& ui, std::string_view text, float spare_above) {
    if (!text.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) && GImGui->HoveredIdTimer >= 0.4f) {
        show_tooltip(ui, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), text, spare_above);
    }
}

void show_tooltip(Ui& ui, ImVec2 min, ImVec2 max, std::string_view text, float spare_above) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(10), ui.px(8)});
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const ImVec2 frame = ImGui::GetIO().DisplaySize;
    const float wrap = ui.px(text.find('\n') == std::string_view::npos ? 320 : 520);
    ImVec2 size;
    {
        const FontScope font(ui, Face::regular, 13);
        size = ImGui::CalcTextSize(text.data(), text.data() + text.size(), false, wrap);
    }
    // Below the area, or above it if there is no room below.
    const float below = max.y + ui.px(8);
    const float height = size.y + ui.px(20);
    const bool above = spare_above > 0 || below + height > frame.y;
    ImGui::SetNextWindowPos({std::min(mouse.x + ui.px(8), frame.x - size.x - ui.px(28)),
                             above ? min.y - spare_above - ui.px(4) - height : below});
    ImGui::BeginTooltip();
    {  // ImGui compares the font stack at the end of the tooltip
        const FontScope font(ui, Face::regular, 13);
        ImGui::PushTextWrapPos(wrap);
        ImGui::TextUnformatted(text.data(), text.data() + text.size());
        ImGui::PopTextWrapPos();
    }
    ImGui::EndTooltip();
    ImGui::PopStyleVar();
}

void tooltip_of_command(Ui& ui, std::string_view text, std::string_view command) {
    if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
        return;
    }
    const std::string keys = ui.keys_of ? ui.keys_of(command) : std::string();
    tooltip(ui, std::string(text) + (keys.empty() || text.empty() ? "" : " (" + keys + ")"));
}

void tooltip_over(Ui& ui, const std::string& id, ImVec2 min, ImVec2 max, std::string_view text, float spare_above) {
    if (max.x - min.x < 1 || max.y - min.y < 1) {
        return;  // a size of 0 means all available space to ImGui
    }
    ImGui::SetCursorScreenPos(min);
    ImGui::InvisibleButton(id.c_str(), {max.x - min.x, max.y - min.y});
    ui.rects.insert_or_assign(id, WidgetRect{min.x, min.y, max.x, max.y});
    tooltip(ui, text, spare_above);
}

float segments_width(Ui& ui, std::span<const std::string> labels, float text_px, float padding) {
    float width = 0;
    for (const auto& label : labels) {
        width += std::ceil(text_width(ui, Face::semibold, text_px, label)) + ui.px(2 * padding) + ui.px(4);
    }
    return width - ui.px(4);
}

int segments(Ui& ui, const char* id, std::span<const std::string> labels, int selected, ImVec2 at, figure::Rgba accent,
             float text_px, float height, float padding, std::span<const std::string> tips) {
    int clicked = -1;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        ButtonLook look;
        look.kind = static_cast<int>(i) == selected ? ButtonKind::selected : ButtonKind::plain;
        look.accent = accent;
        look.text_px = text_px;
        look.height = height;
        look.width = std::ceil(text_width(ui, Face::semibold, text_px, labels[i])) + ui.px(2 * padding);
        const std::string name = std::string(id) + "/" + labels[i];
        if (button(ui, name.c_str(), labels[i], at, look)) {
            clicked = static_cast<int>(i);
        }
        if (i < tips.size()) {
            tooltip(ui, tips[i]);
        }
        at.x += look.width + ui.px(4);
    }
    return clicked;
}

float draw_wrapped(Ui& ui, ImDrawList* list, ImVec2 at, float width, Face face, float size_px, float line_px,
                   figure::Rgba c, std::string_view text) {
    float y = at.y;
    const float line_height = ui.px(line_px);
    const auto put = [&](std::string_view line) {
        if (list != nullptr) {
            draw_text(ui, list, at.x, y + line_height * 0.5f + ui.exact_px(size_px * 0.36f), face, size_px, c, line);
        }
        y += line_height;
    };
    while (!text.empty()) {
        const std::size_t newline = std::min(text.find('\n'), text.size());
        std::string_view paragraph = text.substr(0, newline);
        text.remove_prefix(std::min(newline + 1, text.size()));
        std::size_t line_end = 0, at_char = 0;
        while (at_char < paragraph.size()) {
            std::size_t next = paragraph.find(' ', at_char);
            next = next == std::string_view::npos ? paragraph.size() : next;
            const std::size_t after =
                next < paragraph.size() ? std::min(paragraph.find(' ', next + 1), paragraph.size()) : next;
            if (next < after && stay_together(paragraph.substr(at_char, next - at_char),
                                              paragraph.substr(next + 1, after - next - 1))) {
                next = after;
            }
            if (line_end > 0 && text_width(ui, face, size_px, paragraph.substr(0, next)) > width) {
                put(paragraph.substr(0, line_end));
                paragraph.remove_prefix(std::min(line_end + 1, paragraph.size()));
                line_end = at_char = 0;
                continue;
            }
            line_end = next;
            at_char = next + 1;
        }
        put(paragraph);
    }
    return y - at.y;
}

void register_item(Ui& ui, std::string_view id, bool enabled) {
    register_rect(ui, id, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), enabled);
}

void register_rect(Ui& ui, std::string_view id, ImVec2 min, ImVec2 max, bool enabled) {
    // Only what is visible in a panel that scrolls: a click elsewhere would hit something else.
    const ImRect clip = ImGui::GetCurrentWindow()->ClipRect;
    min = {std::max(min.x, clip.Min.x), std::max(min.y, clip.Min.y)};
    max = {std::min(max.x, clip.Max.x), std::min(max.y, clip.Max.y)};
    ui.rects.insert_or_assign(std::string(id), WidgetRect{min.x, min.y, max.x, max.y, enabled, true,
                                                          ImGui::GetCurrentContext()->BeginPopupStack.Size});
}

int arrow_steps(Ui& ui, std::string_view id, ArrowKeys keys) {
    constexpr int kWithShift = 5;
    if (const auto found = ui.rects.find(id); found != ui.rects.end()) {
        found->second.arrows = keys;
    }
    return ui.arrow.control == id ? ui.arrow.step * (ui.arrow.shift ? kWithShift : 1) : 0;
}

bool menu_open() {
    return !ImGui::GetCurrentContext()->OpenPopupStack.empty() && ImGui::GetTopMostPopupModal() == nullptr;
}

bool close_popups() {
    if (!menu_open()) {
        return false;
    }
    ImGui::ClosePopupToLevel(0, true);
    return true;
}

std::string keys_here(const Ui& ui, std::string_view keys) {
    if (!ui.key_label) {
        return std::string(keys);
    }
    std::string here;
    for (std::size_t i = 0; i < keys.size();) {
        std::size_t end = std::min(keys.find(' ', i), keys.size());
        std::string_view word = keys.substr(i, end - i);
        // "/," is the slash key followed by the list's comma.
        const bool listed = word.size() == 2 && word[1] == ',';
        if (word == "?") {
            here += ui.key_label('/') == "/" ? "?" : "Shift " + ui.key_label('/');
        } else if ((word.size() == 1 || listed) && static_cast<unsigned char>(word[0]) < 0x80 &&
                   (word[0] < 'a' || word[0] > 'z')) {  // "a" is a word
            here += ui.key_label(word[0]) + (listed ? "," : "");
        } else {
            here += word;
        }
        for (; end < keys.size() && keys[end] == ' '; ++end) {
            here += ' ';
        }
        i = end;
    }
    return here;
}

}  // namespace headway::ui
