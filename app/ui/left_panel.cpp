#include "app/ui/left_panel.h"

#include <algorithm>

namespace headway::ui {

void LeftPanel::draw(ImVec2 min, ImVec2 max) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(min, max, colour(t.panel));
    const float line = std::max(1.0f, std::floor(ui_.fonts.scale()));
    list->AddRectFilled({max.x - line, min.y}, max, colour(t.border));

    const float edge = ui_.px(12), height = max.y - min.y;
    const float stages_top = max.y - ui_.px(StagesPanel::kHeight);
    const float output_height = std::clamp(height * 0.15f, ui_.px(96), ui_.px(190));
    const float output_top = stages_top - ui_.px(14) - output_height;
    stages_.draw({min.x + edge, stages_top}, {max.x - edge, max.y});
    output_.draw({min.x + edge, output_top}, {max.x - edge, stages_top - ui_.px(14)});

    // The source has a place of its own where there is room for it, else it scrolls with the text.
    const bool tall = height > ui_.px(820);
    float text_bottom = output_top;
    if (source_.available() && tall) {
        const float source_height = std::clamp(height * 0.27f, ui_.px(200), ui_.px(420));
        const float source_top = output_top - ui_.px(14) - source_height;
        source_.draw({min.x + edge, source_top}, {max.x - edge, output_top - ui_.px(14)});
        text_bottom = source_top;
    }

    const ImVec2 top{min.x + ui_.px(24), min.y + ui_.px(1)};
    const ImVec2 size{max.x - top.x - ui_.px(4), text_bottom - top.y - ui_.px(10)};
    ImGui::SetCursorScreenPos(top);
    ImGui::BeginChild("text", size, false, 0);
    // Room for the scroll bar, always, so that nothing jumps when it comes.
    const float width = size.x - ui_.px(20);
    ImGui::Dummy({width, ui_.px(18)});
    lesson_.draw(width);
    ImGui::Dummy({width, ui_.px(8)});
    parameters_.draw(width);
    if (source_.available() && !tall) {
        ImGui::Dummy({width, ui_.px(8)});
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const ImVec2 end{at.x + width, at.y + ui_.px(260)};
        source_.draw(at, end);
        ImGui::SetCursorScreenPos(at);
        ImGui::Dummy({width, ui_.px(264)});
    }
    if (ImGui::GetScrollY() < ImGui::GetScrollMaxY() - 1) {
        // What goes on below fades out.
        const float fade = ui_.px(30), bottom = top.y + size.y;
        const ImU32 clear = colour(figure::faded(t.panel, 0)), full = colour(t.panel);
        ImGui::GetWindowDrawList()->AddRectFilledMultiColor({top.x, bottom - fade}, {top.x + width, bottom}, clear,
                                                            clear, full, full);
    }
    ImGui::EndChild();
}

}  // namespace headway::ui
