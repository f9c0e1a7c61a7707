#include "app/ui/stages_panel.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/figure/format.h"
#include "app/ui/widgets.h"

namespace headway::ui {

std::string prediction_verdict(const model::Numbers& n) {
    std::string text;
    if (n.predicted_ns > 0 && n.total_ns > 0) {
        const double apart = std::abs(static_cast<double>(n.total_ns) - static_cast<double>(n.predicted_ns)) /
                             static_cast<double>(n.total_ns);
        text = n.total_ns == n.predicted_ns ? "exactly, " : figure::percent_text(apart) + " apart, ";
    }
    return text + (n.regime == model::Regime::issue_bound ? "issue-bound" : "execution-bound");
}

void StagesPanel::draw(ImVec2 min, ImVec2 max) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const session::Execution* run = state_.session.b();
    const bool any = run != nullptr && run->run() != nullptr && run->run()->op_count() > 0;
    const bool simulated = any && run->run()->info().simulated;
    const model::Numbers numbers = any ? run->numbers() : model::Numbers{};
    draw_text(ui_, list, min.x + ui_.px(12), min.y + ui_.px(14), Face::semibold, 13, t.dim,
              simulated ? "Three stages, SIMULATED" : "Three stages, measured");
    struct StageCard {
        const char *id, *label;
        std::string value;
        figure::Rgba c;
    };
    const auto time = [any](double ns) { return any ? figure::duration_text(ns) : std::string("–"); };
    const std::array<StageCard, 4> cards{
        {{"stage/t1", "t₁ issue", time(numbers.t1_ns), t.issue},
         {"stage/t2", "t₂ execute", time(numbers.t2_ns), t.good},
         {"stage/t3", "t₃ return", numbers.t3_ns > 0 ? time(numbers.t3_ns) : "–", t.wait},
         {"stage/headway", "headway", any ? figure::count_text(numbers.headway_max) + (numbers.headway_max == 1 ? " op" : " ops") : std::string("–"),
          t.text}}};
    const float gap = ui_.px(7), width = std::floor((max.x - min.x - 3 * gap) / 4);
    const float top = min.y + ui_.px(24), height = ui_.px(62);
    float x = min.x;
    for (const auto& card : cards) {
        const ImVec2 a{x, top}, b{x + width, top + height};
        draw_card(ui_, list, a, b, t.raised);
        const float pad = ui_.px(width > ui_.px(100) ? 12 : 8);
        draw_text(ui_, list, x + pad, top + ui_.px(22), Face::medium, 12.5f, t.dim, card.label, width - 2 * pad);
        float size = 19;
        while (size > 12 && text_width(ui_, Face::mono_bold, size, card.value) > width - 2 * pad) {
            size -= 1;
        }
        draw_text(ui_, list, x + pad, top + ui_.px(49), Face::mono_bold, size, any ? card.c : t.faint, card.value,
                  width - 2 * pad + 1);
        ui_.marks.insert_or_assign(card.id, Mark{a.x, a.y, b.x, b.y});
        x += width + gap;
    }
    if (!any) {
        return;
    }
    const float left = min.x + ui_.px(12), room = max.x - left - ui_.px(4);
    constexpr float kWords = 13;
    const float column = text_width(ui_, Face::regular, kWords, "predicted") + ui_.px(14);
    const float value = text_width(ui_, Face::mono_medium, kWords, "000 ms") + ui_.px(20);
    const float y1 = top + height + ui_.px(22), y2 = y1 + ui_.px(19), y3 = y2 + ui_.px(21);
    const auto line = [&](float y, const char* name, std::int64_t ns, const std::string& rest) {
        draw_text(ui_, list, left, y, Face::regular, kWords, t.dim, name);
        const float used = draw_text(ui_, list, left + column, y, Face::mono_medium, kWords, t.text,
                                     figure::duration_text(static_cast<double>(ns)));
        const float x_rest = left + column + std::max(value, used + ui_.px(10));
        draw_text(ui_, list, x_rest, y, Face::regular, kWords, t.dim, rest, left + room - x_rest);
    };
    if (numbers.predicted_ns > 0) {
        line(y1, "predicted", numbers.predicted_ns, {});
        draw_text(ui_, list, left, y2, Face::regular, 12.5f, t.faint, numbers.prediction_formula, room);
        ImGui::SetCursorScreenPos({left, y1 - ui_.px(14)});
        ImGui::Dummy({room, y2 + ui_.px(4) - y1 + ui_.px(14)});
        tooltip(ui_, numbers.prediction_formula);
    }
    line(y3, "measured", numbers.total_ns, run->live() ? "so far" : prediction_verdict(numbers));
}

}  // namespace headway::ui
