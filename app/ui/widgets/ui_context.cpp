#include "app/ui/widgets/ui_context.h"

#include "app/gfx/imgui_compat.h"

namespace headway::ui {

FontScope::FontScope(Ui& ui, Face face, float size_px) {
    gfx::push_font(ui.fonts.get(face, size_px));
}

FontScope::~FontScope() {
    ImGui::PopFont();
}

void apply_style(const figure::Theme& theme, float scale) {
    ImGuiStyle style;  // default style: scaling twice would accumulate
    style.WindowPadding = ImVec2(0, 0);
    style.WindowRounding = 0;
    style.WindowBorderSize = 0;
    style.ChildRounding = 0;
    style.ChildBorderSize = 0;
    style.PopupRounding = 6;
    style.PopupBorderSize = 1;
    style.FramePadding = ImVec2(8, 4);
    style.FrameRounding = 5;
    style.FrameBorderSize = 1;
    style.ItemSpacing = ImVec2(8, 6);
    style.ItemInnerSpacing = ImVec2(6, 4);
    style.ScrollbarSize = 10;
    style.ScrollbarRounding = 5;
    style.GrabMinSize = 12;
    style.GrabRounding = 4;
    style.ScaleAllSizes(scale);
    style.WindowMinSize = ImVec2(1, 1);  // ImGui asserts on smaller values

    const auto set = [&style](ImGuiCol index, figure::Rgba c) { style.Colors[index] = colour4(c); };
    const figure::Rgba hover = figure::mixed(theme.raised, theme.text, 0.08);
    const figure::Rgba active = figure::mixed(theme.raised, theme.text, 0.16);
    const figure::Rgba field = theme.dark ? figure::mixed(theme.background, theme.panel, 0.4) : theme.background;
    const figure::Rgba none{0, 0, 0, 0};
    set(ImGuiCol_Text, theme.text);
    set(ImGuiCol_TextDisabled, theme.faint);
    set(ImGuiCol_WindowBg, none);
    set(ImGuiCol_ChildBg, none);
    set(ImGuiCol_PopupBg, theme.raised);
    set(ImGuiCol_Border, theme.border);
    set(ImGuiCol_BorderShadow, none);
    set(ImGuiCol_FrameBg, field);
    set(ImGuiCol_FrameBgHovered, hover);
    set(ImGuiCol_FrameBgActive, hover);
    set(ImGuiCol_ScrollbarBg, none);
    set(ImGuiCol_ScrollbarGrab, figure::mixed(theme.panel, theme.text, 0.2));
    set(ImGuiCol_ScrollbarGrabHovered, figure::mixed(theme.panel, theme.text, 0.3));
    set(ImGuiCol_ScrollbarGrabActive, figure::mixed(theme.panel, theme.text, 0.4));
    set(ImGuiCol_CheckMark, theme.issue);
    set(ImGuiCol_SliderGrab, theme.issue);
    set(ImGuiCol_SliderGrabActive, theme.issue);
    set(ImGuiCol_Button, theme.raised);
    set(ImGuiCol_ButtonHovered, hover);
    set(ImGuiCol_ButtonActive, active);
    set(ImGuiCol_Header, hover);
    set(ImGuiCol_HeaderHovered, hover);
    set(ImGuiCol_HeaderActive, active);
    set(ImGuiCol_Separator, theme.border);
    set(ImGuiCol_TextSelectedBg, figure::faded(theme.issue, 0.35));
    set(ImGuiCol_NavHighlight, none);
    set(ImGuiCol_ModalWindowDimBg, figure::faded(theme.background, 0.6));
    ImGui::GetStyle() = style;
}

}  // namespace headway::ui
