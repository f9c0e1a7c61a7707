#include "app/ui/lesson/time_bar.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/render/format.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

figure::Rgba colour_of(const figure::Theme& t, std::size_t part) {
    return part == 0 ? t.good : part % 2 == 1 ? t.wait : figure::mixed(t.panel, t.wait, 0.55);
}

void draw_part(Ui& ui, ImDrawList* list, ImVec2 min, ImVec2 max, std::size_t part, bool negative) {
    const ImU32 c = colour(colour_of(*ui.theme, part));
    if (negative) {
        list->AddRect(min, max, c, 0, 0, std::max(1.0f, ui.px(1)));
    } else {
        list->AddRectFilled(min, max, c);
    }
}

}  // namespace

void draw_time_bar(Ui& ui, ImDrawList* list, ImVec2 at, float width, float height, const model::TimeBar& bar) {
    if (bar.parts.empty()) {
        return;
    }
    const auto whole = static_cast<float>(std::max({bar.measured_ns, bar.parts[0].ns, std::int64_t{1}}));
    const auto x_px = [&](std::int64_t ns) {
        return at.x + width * std::clamp(static_cast<float>(ns) / whole, 0.0f, 1.0f);
    };
    std::int64_t so_far_ns = 0;
    for (std::size_t i = 0; i < bar.parts.size(); ++i) {
        const std::int64_t ns = bar.parts[i].ns, end_ns = so_far_ns + ns;
        if (ns != 0) {
            draw_part(ui, list, {x_px(std::min(so_far_ns, end_ns)), at.y},
                      {x_px(std::max(so_far_ns, end_ns)), at.y + height}, i, ns < 0);
        }
        so_far_ns = end_ns;
    }
}

float draw_time_bar_with_parts(Ui& ui, ImDrawList* list, ImVec2 at, float width, const model::TimeBar& bar) {
    const figure::Theme& t = *ui.theme;
    constexpr float kWords = 13;
    const float height = ui.px(12), line = ui.px(20), swatch = ui.px(9);
    draw_time_bar(ui, list, at, width, height, bar);
    float y = at.y + height + ui.px(4);
    const auto row = [&](std::string_view name, std::int64_t ns) {
        const float baseline = y + line * 0.5f + ui.exact_px(kWords * 0.36f);
        const std::string value = figure::duration_text(static_cast<double>(ns));
        const float room = width - ui.px(16) - text_width(ui, Face::mono_medium, kWords, value) - ui.px(8);
        draw_text_right(ui, list, at.x + width, baseline, Face::mono_medium, kWords, t.text, value);
        y += draw_wrapped(ui, list, {at.x + ui.px(16), y}, room, Face::regular, kWords, 20, t.dim, name);
    };
    for (std::size_t i = 0; i < bar.parts.size(); ++i) {
        const auto& part = bar.parts[i];
        if (i > 0 && part.ns == 0) {
            continue;
        }
        const float top = std::round(y + (line - swatch) / 2);
        draw_part(ui, list, {at.x, top}, {at.x + swatch, top + swatch}, i, part.ns < 0);
        row((i == 0 ? "" : part.ns < 0 ? "− " : "+ ") + part.name, std::abs(part.ns));
    }
    draw_text(ui, list, at.x, y + line * 0.5f + ui.exact_px(kWords * 0.36f), Face::regular, kWords, t.dim, "=");
    row("measured", bar.measured_ns);
    return y - at.y;
}

}  // namespace headway::ui
