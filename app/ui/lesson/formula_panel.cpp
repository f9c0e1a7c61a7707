#include "app/ui/lesson/formula_panel.h"

#include <algorithm>
#include <array>
#include <string>

#include "app/ui/widgets/draw_list_painter.h"
#include "app/ui/widgets/slider.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

using figure::StageValue;

constexpr float kSide = 236, kEdge = 20;

figure::Rgba ink_of(StageValue value, const figure::Theme& t) {
    switch (value) {
        case StageValue::t1:
            return t.issue;
        case StageValue::t2:
            return t.family(devices::Family::elementwise);
        case StageValue::t3:
            return t.wait;
        default:
            return t.dim;
    }
}

}  // namespace

const model::Numbers* FormulaPanel::run_numbers() const {
    const session::Execution* b = state_.session.b();
    const bool ended = b != nullptr && b->run() != nullptr && !b->live();
    return ended && FormulaState::fits(b->numbers()) ? &b->numbers() : nullptr;
}

void FormulaPanel::take_run() {
    if (const model::Numbers* numbers = run_numbers()) {
        state_.formula.take(*numbers);
    }
}

figure::FormulaOptions FormulaPanel::options() const {
    const FormulaState& f = state_.formula;
    return {{}, ui_.theme, &measure_, ui_.fonts.scale(), f.swept, f.least_of(f.swept), f.most_of(f.swept)};
}

void FormulaPanel::save() {
    const auto path = state_.exports.folder / picture_name("formula", "svg");
    const auto written = figure::write_formula(path.string(), state_.formula.stages, options(), state_.look.theme);
    state_.notices.add(Notice::Kind::file, written ? Notice::Tone::good : Notice::Tone::bad,
                       written ? "The picture is in " + path.string() : written.error().message);
}

void FormulaPanel::draw_head(ImVec2 min, ImVec2 max) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ButtonLook look{.height = ui_.px(28), .text_px = 13};
    float right = max.x - ui_.px(kEdge);
    const auto at_right = [&](const char* id, const char* label) {
        right -= button_width(ui_, label, look);
        const bool clicked = button(ui_, id, label, {right, min.y + ui_.px(12)}, look);
        right -= ui_.px(8);
        return clicked;
    };
    if (at_right("formula/close", "Close")) {
        state_.formula.shown = false;
    }
    tooltip(ui_, "Back to the timeline and the source (Esc)");
    if (at_right("formula/save", "Save SVG")) {
        save();
    }
    tooltip(ui_, "Save this picture as a file, in the folder for pictures");
    if (run_numbers() != nullptr) {
        if (at_right("formula/take", "This run's times")) {
            take_run();
        }
        tooltip(ui_, "Set the sliders to the medians of the last run");
    }
    const float x = min.x + ui_.px(kEdge);
    draw_text(ui_, list, x, min.y + ui_.px(27), Face::bold, 17, t.text, "The formula, drawn");
    const std::string origin = state_.formula.origin.empty() ? "your values" : state_.formula.origin;
    draw_text(ui_, list, x, min.y + ui_.px(46), Face::regular, 13, t.dim, "computed, not measured, from " + origin,
              right - x);
}

float FormulaPanel::draw_value(StageValue value, ImVec2 at, float width) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    FormulaState& f = state_.formula;
    const std::string id = "formula/" + std::to_string(static_cast<int>(value));
    const double least = f.least_of(value), most = f.most_of(value), now = value_of(f.stages, value);
    const float name = draw_text(ui_, list, at.x, at.y + ui_.px(15), Face::semibold, 15, t.text, symbol_of(value));
    draw_text(ui_, list, at.x + std::max(name, ui_.px(18)) + ui_.px(8), at.y + ui_.px(15), Face::regular, 13, t.dim,
              meaning_of(value));
    const ButtonLook look{.kind = ButtonKind::quiet, .width = ui_.px(22), .height = ui_.px(22), .text_px = 14};
    float right = at.x + width - look.width;
    const auto step = [&](const char* way, const char* label, double by) {
        if (button(ui_, (id + way).c_str(), label, {right, at.y}, look)) {
            f.set(value, now + by);
        }
        right -= look.width;
    };
    const double by = f.step_of(value) * (f.step_of(value) == 1 ? 1 : 4);
    step("/more", "+", by);
    step("/less", "−", -by);
    draw_text_right(ui_, list, right + look.width - ui_.px(6), at.y + ui_.px(15), Face::mono, 13, t.text,
                    text_of(value, now));
    if (const auto share = slider(ui_, id, {at.x + ui_.px(7), at.y + ui_.px(34)}, width - ui_.px(14),
                                  (now - least) / (most - least), {.ink = ink_of(value, t)})) {
        f.set(value, least + *share * (most - least));
    }
    return ui_.px(54);
}

void FormulaPanel::draw(ImVec2 min, ImVec2 max) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    ui_.rects.insert_or_assign("formula", WidgetRect{min.x, min.y, max.x, max.y});
    draw_head(min, max);
    const float top = min.y + ui_.px(64), edge = ui_.px(kEdge), side = ui_.px(kSide);
    float y = top;
    for (int i = 0; i < figure::kStageValues; ++i) {
        y += draw_value(static_cast<StageValue>(i), {min.x + edge, y}, side);
    }
    draw_text(ui_, list, min.x + edge, y + ui_.px(14), Face::regular, 13, t.dim, "The curve is over");
    std::array<std::string, figure::kStageValues> names;
    for (int i = 0; i < figure::kStageValues; ++i) {
        names[static_cast<std::size_t>(i)] = symbol_of(static_cast<StageValue>(i));
    }
    const int clicked = segments(ui_, "formula/swept", names, static_cast<int>(state_.formula.swept),
                                 {min.x + edge, y + ui_.px(22)}, t.issue, 13, ui_.px(26), 9);
    if (clicked >= 0) {
        state_.formula.swept = static_cast<StageValue>(clicked);
    }
    const ImVec2 picture_min{min.x + edge + side + ui_.px(28), top}, picture_max{max.x - edge, max.y - ui_.px(14)};
    const std::string sentence = figure::formula_sentence(state_.formula.stages);
    const float room = picture_max.x - picture_min.x;
    const float words = draw_wrapped(ui_, list, picture_min, room, Face::regular, 15, 22, t.text, sentence);
    figure::FormulaOptions options = this->options();
    options.area = {picture_min.x, picture_min.y + words + ui_.px(10), picture_max.x, picture_max.y};
    if (options.area.width() < ui_.px(160) || options.area.height() < ui_.px(160)) {
        return;
    }
    layer_.begin({min.x, min.y, max.x, max.y}, 0);
    paint(figure::draw_formula(state_.formula.stages, options), layer_, ui_.fonts);
    layer_.end();
    layer_.show(list);
}

}  // namespace headway::ui
