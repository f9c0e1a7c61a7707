#include "app/ui/lesson/stages_panel.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/render/format.h"
#include "app/ui/lesson/time_bar.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

std::string prediction_verdict(const session::Execution& run) {
    switch (run.phase()) {
        case session::Phase::starting:
        case session::Phase::running:
        case session::Phase::paused:
            return "so far";
        case session::Phase::failed:
        case session::Phase::killed:
            return "until it failed";
        case session::Phase::stopped:
            return "until it was stopped";
        case session::Phase::finished:
        case session::Phase::recorded:
            break;
    }
    if (run.run() != nullptr && run.run()->error()) {
        return run.run()->error()->stopped() ? "until it was stopped" : "until it failed";
    }
    return run.sums_of_total_ns() && run.numbers().capabilities.issues ? "being summed up"
                                                                       : prediction_verdict(run.numbers());
}

std::string prediction_verdict(const model::Numbers& n) {
    if (!n.capabilities.issues) {
        return "issues not in this trace";
    }
    if (!n.predicted || n.total_ns <= 0) {
        return {};
    }
    const double apart = std::abs(static_cast<double>(n.total_ns) - static_cast<double>(n.predicted_ns)) /
                         static_cast<double>(n.total_ns);
    return n.total_ns == n.predicted_ns ? "exactly as predicted" : figure::percent_text(apart) + " apart";
}

std::string prediction_parts_text(const model::Numbers& n) {
    const auto time = [](std::int64_t ns) { return figure::duration_text(static_cast<double>(ns)); };
    std::string text = "Predicted " + time(n.predicted_ns) +
                       ": the same ops, dependencies, durations and waits, with the median hand-over and return.";
    for (const model::PredictionPart& part : n.prediction_parts) {
        if (part.ns != 0) {
            text += std::string("\n") + (part.ns > 0 ? "+ " : "− ") + time(std::abs(part.ns)) + " " + part.name;
        }
    }
    text += "\n= " + time(n.total_ns) + " measured";
    if (!n.prediction_formula.empty()) {
        text += "\n" + n.prediction_formula + " gives " + time(n.formula_ns) + ", with h = " + time(n.h_ns) +
                ", the hand-over to the lane.";
    } else if (!n.no_formula.empty()) {
        text += "\nThe chapter's formula does not apply: " + n.no_formula + ".";
    }
    return text;
}

std::string stages_heading(const session::Execution* run) {
    const bool any = run != nullptr && run->run() != nullptr && run->run()->op_count() > 0;
    std::string text = any && run->run()->info().simulated ? "Three stages, SIMULATED" : "Three stages, measured";
    const auto of = any ? run->sums_of_total_ns() : std::nullopt;
    if (any && (run->live() || of)) {
        text += of ? ", after " + figure::duration_text(static_cast<double>(*of)) : std::string(", so far");
    }
    return text;
}

namespace {

// Only the number of "1,170 ops", if there is no room for more; a time keeps its unit.
std::string without_ops(const std::string& value) {
    return value.substr(0, value.rfind(" op"));
}

}  // namespace

void StagesPanel::draw(ImVec2 min, ImVec2 max, bool with_total) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const session::Execution* run = state_.session.b();
    const bool any = run != nullptr && run->run() != nullptr && run->run()->op_count() > 0;
    const model::Numbers numbers = any ? run->numbers() : model::Numbers{};
    draw_text(ui_, list, min.x + ui_.px(12), min.y + ui_.px(14), Face::semibold, 13, t.dim,
              any && !state_.comparing.earlier().empty() ? std::string("Three stages, of the earlier run")
                                                         : stages_heading(run));
    struct StageCard {
        const char *id, *label;
        std::string value;
        figure::Rgba c;
    };
    const std::string kNone = "–";
    const bool issues = numbers.capabilities.issues;  // without issue records, only the execution stage can be measured
    const auto time = [any, &kNone](double ns) { return any ? figure::duration_text(ns) : kNone; };
    const std::string headway =
        any && issues ? figure::count_text(numbers.headway_max) + (numbers.headway_max == 1 ? " op" : " ops") : kNone;
    std::array<StageCard, 4> cards{
        {{"stage/t1", "t₁ issue", issues ? time(numbers.t1_ns) : kNone, t.issue},
         {"stage/t2", "t₂ execute", numbers.capabilities.backend && numbers.t2.count > 0 ? time(numbers.t2_ns) : kNone,
          t.good},
         {"stage/t3", "t₃ return", issues && numbers.t3_ns > 0 ? time(numbers.t3_ns) : kNone, t.wait},
         {"stage/headway", "max headway", headway, t.text}}};
    const float gap = ui_.px(7), width = std::floor((max.x - min.x - 3 * gap) / 4);
    const float top = min.y + ui_.px(24), height = ui_.px(62);
    const float pad = ui_.px(width > ui_.px(100) ? 12 : 8), inside = width - 2 * pad;
    // One text size for all cards, reduced if words or digits would be cut.
    float label_px = 12.5f, value_px = 19;
    for (auto& card : cards) {
        if (text_width(ui_, Face::mono_bold, 12, card.value) > inside) {
            card.value = without_ops(card.value);
        }
        while (value_px > 9 && text_width(ui_, Face::mono_bold, value_px, card.value) > inside) {
            value_px -= 1;
        }
        // "max headway" may be cut to "headway".
        while (card.label[0] == 't' && label_px > 10.5f &&
               text_width(ui_, Face::medium, label_px, card.label) > inside + ui_.px(4)) {
            label_px -= 0.5f;
        }
    }
    float x = min.x;
    for (const auto& card : cards) {
        const ImVec2 a{x, top}, b{x + width, top + height};
        draw_ground_card(ui_, list, a, b, t.raised);
        const std::string_view label = card.label;
        const bool whole = text_width(ui_, Face::medium, label_px, label) <= inside + ui_.px(4);
        const std::size_t space = label.find(' ');
        draw_text(ui_, list, x + pad, top + ui_.px(22), Face::medium, label_px, t.dim,
                  whole                    ? label
                  : label.starts_with("t") ? label.substr(0, space)
                                           : label.substr(space + 1));
        draw_text(ui_, list, x + pad, top + ui_.px(49), Face::mono_bold, value_px,
                  any && card.value != kNone ? card.c : t.faint, card.value);
        ui_.rects.insert_or_assign(card.id, WidgetRect{a.x, a.y, b.x, b.y});
        x += width + gap;
    }
    if (!any || !with_total) {
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
        draw_text(ui_, list, x_rest, y, Face::regular, kWords, t.dim,
                  fitting(ui_, Face::regular, kWords, rest, ", ", left + room - x_rest));
    };
    const std::string regime = numbers.regime_even ? "frontend ≈ backend" : model::regime_word(numbers);
    const bool predicted = issues && numbers.predicted;
    if (predicted) {
        line(y1, "predicted", numbers.predicted_ns, regime);
        const std::string formula =
            numbers.prediction_formula.empty()
                ? "from its ops, dependencies and waits"
                : numbers.prediction_formula + " = " + figure::duration_text(static_cast<double>(numbers.formula_ns));
        draw_text(ui_, list, left, y2, Face::regular, 12.5f, t.faint,
                  fitting(ui_, Face::regular, 12.5f, formula, ", ", room));
        tooltip_over(ui_, "stage/predicted", {left, y1 - ui_.px(14)}, {left + room, y3 + ui_.px(16)},
                     prediction_parts_text(numbers));
    }
    const std::string verdict = prediction_verdict(*run);
    line(predicted ? y3 : y1, "measured", numbers.total_ns, verdict.empty() ? regime : verdict);
    if (predicted && numbers.total_ns > 0) {
        draw_time_bar(ui_, list, {left, y3 + ui_.px(8)}, room, ui_.px(5), model::time_bar(numbers));
    }
}

}  // namespace headway::ui
