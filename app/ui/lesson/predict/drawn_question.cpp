#include "app/ui/lesson/predict/drawn_question.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "app/render/format.h"
#include "app/ui/lesson/predict/lesson_sizes.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

using questions::Drawn;
using questions::DrawnGuess;

constexpr float kDrawnRow = 28, kDrawnGap = 4, kLabel = 12.5f, kGrab = 7;
// A click on the empty row, or a key, draws an interval of this width. All in percent of the axis.
constexpr double kFirst = 20, kLeast = 1;

std::string id_of(std::size_t question) {
    return "predict/" + std::to_string(question + 1);
}

DrawnGuess on_axis(double from, double to) {
    return {std::clamp(std::round(from), 0.0, 100.0), std::clamp(std::round(to), 0.0, 100.0)};
}

// An interval with its ends in order; of at least the least width.
DrawnGuess interval(double a, double b) {
    DrawnGuess guess = on_axis(std::min(a, b), std::max(a, b));
    if (guess.to - guess.from < kLeast) {
        guess.to = std::min(100.0, guess.from + kLeast);
        guess.from = guess.to - kLeast;
    }
    return guess;
}

DrawnGuess shifted(const DrawnGuess& guess, double by) {
    const double shift = std::clamp(std::round(by), -guess.from, 100 - guess.to);
    return {guess.from + shift, guess.to + shift};
}

DrawnGuess around(double percent) {
    const double from = std::clamp(percent - kFirst / 2, 0.0, 100 - kFirst);
    return interval(from, from + kFirst);
}

figure::Rgba colour_of(const figure::Theme& t, const Drawn& drawn) {
    switch (drawn.what) {
        case Drawn::What::wait:
            return t.wait;
        case Drawn::What::issue:
            return t.issue;
        case Drawn::What::work:
            return t.work;
        case Drawn::What::op:
            break;
    }
    return t.family(drawn.family);
}

// Stripes as those of the timeline's waits.
void fill_hatched(Ui& ui, ImDrawList* list, ImVec2 min, ImVec2 max, figure::Rgba ground, figure::Rgba stripe) {
    constexpr float kRoot2 = 1.41421356f;
    const float step = ui.exact_px(9) * kRoot2, thick = ui.exact_px(3) * kRoot2, height = max.y - min.y;
    list->AddRectFilled(min, max, colour(ground));
    list->PushClipRect(min, max, true);
    for (float sum = std::floor((min.x + min.y) / step) * step; sum < max.x + max.y; sum += step) {
        const float x = sum - max.y;  // where x + y is `sum` on the lower edge
        list->AddQuadFilled({x, max.y}, {x + height, min.y}, {x + height + thick, min.y}, {x + thick, max.y},
                            colour(stripe));
    }
    list->PopClipRect();
    list->AddRect(min, max, colour(stripe), 0, 0, std::max(1.0f, ui.exact_px(0.8f)));
}

}  // namespace

float DrawnQuestion::draw(std::size_t question, ImVec2 at, float width) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto& drawn = std::get<Drawn>(state_.predictions.questions()[question].kind);
    const auto name_of = [&](std::size_t row) { return row == 0 ? std::string("Frontend") : drawn.lanes[row - 1]; };
    float labels = 0;
    for (std::size_t i = 0; i <= drawn.lanes.size(); ++i) {
        ui_.fonts.cover(name_of(i));
        labels = std::max(labels, text_width(ui_, Face::medium, kLabel, name_of(i)));
    }
    labels = std::min(labels, std::floor(width * 0.34f));
    Row row{at.x + labels + ui_.px(10), at.x + width - ui_.px(2), at.y + ui_.px(4), 0};
    for (std::size_t i = 0; i <= drawn.lanes.size(); ++i) {
        row.bottom = row.top + ui_.px(kDrawnRow);
        const bool here = i == drawn.row;
        draw_text(ui_, list, at.x, (row.top + row.bottom) / 2 + ui_.exact_px(kLabel * 0.36f), Face::medium, kLabel,
                  here ? t.text : t.dim, name_of(i), labels + 1);
        list->AddRectFilled({row.left, row.top}, {row.right, row.bottom}, colour(sunken(t)), ui_.exact_px(3));
        list->AddRect({row.left, row.top}, {row.right, row.bottom},
                      colour(here ? figure::mixed(t.border, t.text, 0.35) : t.border), ui_.exact_px(3), 0,
                      std::max(1.0f, std::floor(ui_.fonts.scale())));
        if (here) {
            draw_row(question, row);
        }
        row.top = row.bottom + ui_.px(kDrawnGap);
    }
    row.top -= ui_.px(kDrawnGap);
    return row.top + draw_axis(question, row) - at.y;
}

void DrawnQuestion::draw_row(std::size_t question, const Row& row) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto& drawn = std::get<Drawn>(state_.predictions.questions()[question].kind);
    if (const auto made = take_input(question, row)) {
        state_.predictions.guess(question, *made);
    }
    const auto guess = state_.predictions.guess_as<DrawnGuess>(question);
    if (!guess) {
        const char* hint = drawn.to ? "drag here" : "click here";
        draw_text(ui_, list, (row.left + row.right - text_width(ui_, Face::regular, kLabel, hint)) / 2,
                  (row.top + row.bottom) / 2 + ui_.exact_px(kLabel * 0.36f), Face::regular, kLabel, t.dim, hint);
        return;
    }
    const questions::RunAnswer* answer = state_.predictions.answer_of(question);
    if (answer == nullptr || !answer->problem.empty()) {
        draw_meaning(drawn, row, *guess);
        draw_outline(drawn, row, *guess, true);
    } else {
        draw_meaning(drawn, row, std::get<DrawnGuess>(*answer->right));
        draw_outline(drawn, row, *guess, false);
    }
}

std::optional<DrawnGuess> DrawnQuestion::take_input(std::size_t question, const Row& row) {
    const auto& drawn = std::get<Drawn>(state_.predictions.questions()[question].kind);
    const auto guess = state_.predictions.guess_as<DrawnGuess>(question);
    const std::string id = id_of(question);
    ImGui::SetCursorScreenPos({row.left, row.top});
    ImGui::PushID(id.c_str());
    ImGui::InvisibleButton("drawn", {std::max(row.right - row.left, 1.0f), row.bottom - row.top});
    ImGui::PopID();
    register_item(ui_, id);
    const float x = ImGui::GetIO().MousePos.x;
    const double percent = std::clamp(row.percent(x), 0.0, 100.0);
    const bool moment = !drawn.to;
    const auto near_end = [&](double end) { return std::abs(x - row.x_px(end)) <= ui_.px(kGrab); };
    Part part = Part::fresh;
    if (guess && !moment) {
        // Of two ends at the same place, the one on whose side the pointer is.
        const bool nearer_to = std::abs(percent - guess->to) < std::abs(percent - guess->from) || percent > guess->to;
        if (near_end(guess->from) && !(near_end(guess->to) && nearer_to)) {
            part = Part::from;
        } else if (near_end(guess->to)) {
            part = Part::to;
        } else if (percent > guess->from && percent < guess->to) {
            part = Part::whole;
        }
    }
    if (ImGui::IsItemHovered() && !state_.look.palette_open) {
        ImGui::SetMouseCursor(part == Part::whole ? ImGuiMouseCursor_Hand : ImGuiMouseCursor_ResizeEW);
    }
    if (ImGui::IsItemActivated()) {
        drag_ = Drag{question, part, percent, guess.value_or(DrawnGuess{percent, percent}), false};
    }
    std::optional<DrawnGuess> made;
    if (drag_ && drag_->question == question) {
        const bool click = !drag_->moved && !ImGui::IsItemActive();
        drag_->moved = drag_->moved || std::abs(x - row.x_px(drag_->from_percent)) > ui_.px(kClick);
        if (moment || drag_->moved) {
            made = dragged(percent, moment);
        } else if (click && !guess) {
            made = around(percent);
        }
        if (!ImGui::IsItemActive()) {
            drag_.reset();
        }
    }
    if (!made) {
        made = take_keys(question, row);
    }
    return made && guess != made ? made : std::nullopt;
}

std::optional<DrawnGuess> DrawnQuestion::dragged(double percent, bool moment) const {
    if (moment) {
        return on_axis(percent, percent);
    }
    switch (drag_->part) {
        case Part::from:
            return interval(percent, drag_->guess.to);
        case Part::to:
            return interval(drag_->guess.from, percent);
        case Part::whole:
            return shifted(drag_->guess, percent - drag_->from_percent);
        case Part::fresh:
            break;
    }
    return interval(drag_->from_percent, percent);
}

// With the row in focus, arrow keys move the whole guess; each end of an interval is a control of its own.
std::optional<DrawnGuess> DrawnQuestion::take_keys(std::size_t question, const Row& row) {
    const auto& drawn = std::get<Drawn>(state_.predictions.questions()[question].kind);
    const auto guess = state_.predictions.guess_as<DrawnGuess>(question);
    std::optional<DrawnGuess> made;
    if (const int steps = arrow_steps(ui_, id_of(question), ArrowKeys::sideways); steps != 0) {
        made = guess ? shifted(*guess, steps) : drawn.to ? around(50) : DrawnGuess{50, 50};
    }
    if (!guess || !drawn.to) {
        return made;
    }
    for (const bool left : {true, false}) {
        const float x = row.x_px(left ? guess->from : guess->to), half = ui_.px(4);
        const std::string id = id_of(question) + (left ? "/from" : "/to");
        register_rect(ui_, id, {x - half, row.top}, {x + half, row.bottom});
        if (const int steps = arrow_steps(ui_, id, ArrowKeys::sideways); steps != 0) {
            made = left ? interval(std::min(guess->from + steps, guess->to - kLeast), guess->to)
                        : interval(guess->from, std::max(guess->to + steps, guess->from + kLeast));
        }
    }
    return made;
}

// Draws the right answer, or the guess before the run, as the timeline draws such an event.
void DrawnQuestion::draw_meaning(const Drawn& drawn, const Row& row, const DrawnGuess& guess) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const figure::Rgba ink = colour_of(t, drawn);
    const float inset = ui_.px(drawn.what == Drawn::What::work ? 6 : 3);
    const float x0 = row.x_px(guess.from), x1 = std::max(row.x_px(guess.to), x0 + ui_.exact_px(2));
    const ImVec2 min{x0, row.top + inset}, max{x1, row.bottom - inset};
    if (!drawn.to) {
        // Begins here, and lasts for an unknown time.
        const float end = std::min(x0 + ui_.px(26), row.right - 1);
        const ImU32 full = colour(figure::faded(ink, 0.75)), none = colour(figure::faded(ink, 0));
        if (end > x0) {
            list->AddRectFilledMultiColor(min, {end, max.y}, full, none, none, full);
        }
        list->AddRectFilled({x0 - ui_.exact_px(1.5f), row.top}, {x0 + ui_.exact_px(1.5f), row.bottom}, colour(ink));
    } else if (drawn.what == Drawn::What::wait) {
        fill_hatched(ui_, list, min, max, t.wait_ground, t.wait);
    } else {
        list->AddRectFilled(min, max, colour(ink), ui_.exact_px(3));
    }
}

// Draws the outline of the learner's guess over the row's whole height, with handles where it can be dragged.
void DrawnQuestion::draw_outline(const Drawn& drawn, const Row& row, const DrawnGuess& guess, bool handles) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float line = std::max(1.0f, ui_.exact_px(1.6f)), half = ui_.exact_px(2), knob = ui_.exact_px(4.5f);
    const float x0 = row.x_px(guess.from), x1 = row.x_px(guess.to), middle = (row.top + row.bottom) / 2;
    if (!handles && drawn.to) {
        list->AddRect({x0, row.top}, {std::max(x1, x0 + 2 * line), row.bottom}, colour(t.text), ui_.exact_px(2), 0,
                      line);
        return;
    }
    for (const float x : {x0, x1}) {
        if (handles && drawn.to) {
            list->AddRectFilled({x - half, row.top}, {x + half, row.bottom}, colour(t.text), half);
        } else {
            list->AddRectFilled({x - line / 2, row.top}, {x + line / 2, row.bottom}, colour(t.text));
            list->AddCircleFilled({x, handles ? middle : row.top}, knob, colour(t.text));
        }
    }
}

// The axis with the names of its ends; after the run also the tolerance and the legend. Returns the height.
float DrawnQuestion::draw_axis(std::size_t question, const Row& row) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto& drawn = std::get<Drawn>(state_.predictions.questions()[question].kind);
    const questions::RunAnswer* answer = state_.predictions.answer_of(question);
    const bool judged = answer != nullptr && answer->problem.empty();
    float y = row.bottom + ui_.px(5);
    const float line = std::max(1.0f, std::floor(ui_.fonts.scale())), tick = ui_.px(4);
    list->AddRectFilled({row.left, y}, {row.right, y + line}, colour(t.dim));
    for (const float x : {row.left, row.right - line}) {
        list->AddRectFilled({x, y - tick}, {x + line, y + tick}, colour(t.dim));
    }
    if (judged) {
        const auto& right = std::get<DrawnGuess>(*answer->right);
        for (const double end : {right.from, right.to}) {
            const float x0 = row.x_px(std::max(end - drawn.within, 0.0));
            const float x1 = row.x_px(std::min(end + drawn.within, 100.0));
            list->AddRectFilled({x0, y - ui_.exact_px(1)}, {x1, y + ui_.exact_px(2)}, colour(t.good));
        }
    }
    y += ui_.px(6);
    ui_.fonts.cover(drawn.left + drawn.right);
    const auto wide = [this](const std::string& text) { return text_width(ui_, Face::regular, kLabel, text); };
    const float width = row.right - row.left, apart = ui_.px(12);
    const bool one_line = wide(drawn.left) + wide(drawn.right) + apart <= width;
    std::string length = judged ? ", " + figure::duration_text(*answer->axis_ns) : "";
    if (wide(drawn.right + length) + (one_line ? wide(drawn.left) + apart : 0) > width) {
        length.clear();
    }
    draw_text(ui_, list, row.left, y + ui_.px(13), Face::regular, kLabel, t.dim, drawn.left);
    y += one_line ? 0 : ui_.px(17);
    draw_text_right(ui_, list, row.right, y + ui_.px(13), Face::regular, kLabel, t.dim, drawn.right + length);
    y += ui_.px(20);
    if (judged) {
        y += draw_legend(question, {row.left, y});
    }
    return y - row.bottom;
}

// The swatches "this run" and "yours". Returns the height.
float DrawnQuestion::draw_legend(std::size_t question, ImVec2 at) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto& drawn = std::get<Drawn>(state_.predictions.questions()[question].kind);
    const float swatch = ui_.px(16), line = std::max(1.0f, ui_.exact_px(1.6f));
    const float top = at.y + ui_.px(2), bottom = top + ui_.px(12);
    float x = at.x;
    const auto name = [&](const char* words) {
        x += swatch + ui_.px(6);
        x += draw_text(ui_, list, x, at.y + ui_.px(13), Face::regular, kLabel, t.dim, words) + ui_.px(14);
    };
    if (drawn.to && drawn.what == Drawn::What::wait) {
        fill_hatched(ui_, list, {x, top}, {x + swatch, bottom}, t.wait_ground, t.wait);
    } else {
        list->AddRectFilled({x, top}, {x + swatch, bottom}, colour(colour_of(t, drawn)), ui_.exact_px(2));
    }
    name("this run");
    if (drawn.to) {
        list->AddRect({x, top}, {x + swatch, bottom}, colour(t.text), ui_.exact_px(2), 0, line);
    } else {
        const float middle = x + swatch / 2;
        list->AddRectFilled({middle - line / 2, top}, {middle + line / 2, bottom}, colour(t.text));
        list->AddCircleFilled({middle, top + ui_.exact_px(1)}, ui_.exact_px(3.5f), colour(t.text));
    }
    name("yours");
    return ui_.px(20);
}

}  // namespace headway::ui
