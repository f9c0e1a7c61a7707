#include "app/ui/shell/lesson_column.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "app/ui/lesson/now_box.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

void LessonColumn::draw(ImVec2 min, ImVec2 max) {
    draw_ground(ui_, ImGui::GetWindowDrawList(), min, max, ui_.theme->panel);
    const float line = std::max(1.0f, std::floor(ui_.fonts.scale()));
    ImGui::GetWindowDrawList()->AddRectFilled({max.x - line, min.y}, max, colour(ui_.theme->border));
    ui_.rects.insert_or_assign("lesson/column", WidgetRect{min.x, min.y, max.x, max.y});
    draw_text(min, max);
}

// Whether the last run has finished and was of something else than the lesson's program with its parameters, or had
// other settings than the run that it is compared with.
bool LessonColumn::changed_something() const {
    const session::Execution* b = state_.session.b();
    const lesson::Lesson* lesson = state_.programs.lesson();
    if (b == nullptr || lesson == nullptr || b->live() || b->phase() != session::Phase::finished ||
        !state_.comparing.earlier().empty()) {
        return false;
    }
    const auto& ran_with = b->settings.parameters;
    const session::Execution* a = state_.session.a();
    return (state_.source.document() != nullptr && state_.source.document()->differs_from_lesson()) ||
           std::any_of(lesson->parameters.begin(), lesson->parameters.end(),
                       [&](const lesson::Parameter& p) {
                           return std::find(ran_with.begin(), ran_with.end(), std::pair(p.name, p.value)) ==
                                  ran_with.end();
                       }) ||
           (a != nullptr && a->settings.program == b->settings.program && a->settings.tab == b->settings.tab &&
            !same_run(a->settings, b->settings));
}

float LessonColumn::draw_steps(ImVec2 at, float width) {
    struct Step {
        const char *id, *title;
        bool offered, done;
        Part part;
    };
    const session::Execution* b = state_.session.b();
    const bool own = state_.comparing.other_program(b).empty();  // the run shown is of this program
    const bool ran = own && b != nullptr && b->run() != nullptr && !b->live();
    const bool predicts = !state_.predictions.questions().empty();
    const bool exercise = state_.programs.lesson() != nullptr && !state_.programs.lesson()->exercise.empty();
    const bool passed = state_.checking.report() != nullptr && state_.checking.report()->passed();
    const lesson::Lesson* lesson = state_.programs.lesson();
    const bool tries = lesson != nullptr && !lesson->try_text.empty();
    if (tries && tried_lesson_ != lesson->id && changed_something()) {
        tried_lesson_ = lesson->id;
    }
    const std::array<Step, 6> steps{{{"read", "Read", true, true, Part::text},
                                     {"predict", "Predict", predicts, state_.predictions.all_guessed(), Part::predict},
                                     {"run", "Run", true, ran, Part::text},
                                     {"explain", "Explain", explain_.any(), own && explain_.read(), Part::explain},
                                     {"try", "Try", tries, tries && tried_lesson_ == lesson->id, Part::tries},
                                     {"check", "Check", exercise, passed, Part::check}}};
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float height = ui_.px(28);
    // All names if there is room, else only that of the step that comes next.
    const auto left_out = [](const Step& step) {
        return !step.offered && (step.part == Part::predict || step.part == Part::tries || step.part == Part::check);
    };
    float circle = ui_.px(20), gap = ui_.px(18);
    const auto fits = [&] {
        float all = -gap;
        for (const Step& step : steps) {
            all += left_out(step) ? 0 : circle + text_width(ui_, Face::medium, 13, step.title) + gap;
        }
        return all <= width;
    };
    bool names = fits();
    if (!names) {
        circle = ui_.px(18);
        gap = ui_.px(7);
        names = fits();
    }
    float x = at.x;
    bool next = false;  // the first step that is not done comes next
    for (const Step& step : steps) {
        if (left_out(step)) {
            continue;
        }
        const bool is_next = !step.done && !std::exchange(next, next || !step.done);
        const bool named = names || is_next || (!next && step.part == Part::check);
        const float text = named ? text_width(ui_, Face::medium, 13, step.title) : 0;
        const ImVec2 end{x + circle + text, at.y + height};
        ImGui::SetCursorScreenPos({x, at.y});
        ImGui::PushID(step.id);
        const bool clicked = ImGui::InvisibleButton("step", {end.x - x, height});
        ImGui::PopID();
        const std::string id = std::string("step/") + step.id;
        register_item(ui_, id, step.offered);
        if (step.done) {
            ui_.rects.insert_or_assign(id + "/done", WidgetRect{x, at.y, end.x, end.y, false});
        }
        const bool hovered = step.offered && ImGui::IsItemHovered();
        if (clicked && step.offered) {
            if (step.part == Part::check && !state_.checking.busy()) {
                state_.checking.start();
            }
            if (step.part == Part::explain) {
                explain_.set_read();
            }
            if (std::string_view(step.id) != "run") {
                scroll_to_ = step.part;
                scroll_ = true;
            } else if (!state_.session.live()) {
                state_.run();
            }
        }
        const ImVec2 middle{x + ui_.px(8), at.y + height / 2};
        draw_round(ui_, list, middle,
                   step.done ? RoundSign::done
                   : is_next ? RoundSign::chosen
                             : RoundSign::empty,
                   step.done            ? t.good
                   : is_next || hovered ? t.issue
                                        : t.dim);
        if (named) {
            ui::draw_text(ui_, list, x + circle, middle.y + ui_.exact_px(4.7f), Face::medium, 13,
                          hovered || is_next ? t.text : t.dim, step.title);
        } else {
            tooltip(ui_, step.title);
        }
        x = end.x + gap;
    }
    return height;
}

// Of a lesson about the formula.
void LessonColumn::draw_formula_button(float width) {
    if (const lesson::Lesson* lesson = state_.programs.lesson(); lesson == nullptr || lesson->view != "formula") {
        return;
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (button(ui_, "lesson/formula", state_.formula.shown ? "Hide the formula" : "Draw the formula", at)) {
        ui_.run_command("formula.show");
    }
    tooltip_of_command(ui_, "The formula as bars, with sliders for its values", "formula.show");
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({width, ui_.px(42)});
}

// The lesson's text, its parameters, and what happened in the last run.
void LessonColumn::draw_text(ImVec2 min, ImVec2 max) {
    const figure::Theme& t = *ui_.theme;
    ImVec2 top{min.x + ui_.px(24), min.y + ui_.px(1)};
    const float steps_width = max.x - top.x - ui_.px(24);
    if (state_.programs.lesson() != nullptr && steps_width > 1 && max.y - top.y > ui_.px(100)) {
        top.y += draw_steps({top.x, top.y + ui_.px(8)}, steps_width) + ui_.px(8);
    }
    if (const float now = draw_now_box(state_, ui_, {top.x, top.y + ui_.px(4)}, steps_width); now > 0) {
        top.y += now + ui_.px(12);
    }
    const ImVec2 size{max.x - top.x - ui_.px(4), max.y - top.y - ui_.px(8)};
    if (size.x < 1 || size.y < 1) {
        return;  // a size of 0 means all available space to ImGui
    }
    ImGui::SetCursorScreenPos(top);
    ImGui::BeginChild("text", size, false, 0);
    if (shown_lesson_ != state_.programs.index()) {
        shown_lesson_ = state_.programs.index();
        ImGui::SetScrollY(0);
    }
    if (std::exchange(checking_, state_.checking.busy()) && !checking_) {
        scroll_to_ = Part::check;
        scroll_ = true;
    }
    const auto scroll_here = [this](Part part) {
        if (scroll_ && scroll_to_ == part) {
            scroll_ = false;
            ImGui::SetScrollFromPosY(
                ImGui::GetCursorScreenPos().y - ui_.px(part == Part::text ? 40 : 4) - ImGui::GetWindowPos().y, 0);
        }
    };
    // Always leaves room for the scroll bar, so that nothing moves when it appears.
    const float width = size.x - ui_.px(20);
    ImGui::Dummy({width, ui_.px(8)});
    scroll_here(Part::text);
    lesson_.update();
    lesson_.draw_intro(width);
    // What a run shows would tell what is to be predicted: it comes after the run, unless the learner asks for it.
    const bool claim_first = state_.predictions.questions().empty() || lesson_.claim_shown();
    const bool claim_later =
        !claim_first && explain_.any() && state_.comparing.other_program(state_.session.b()).empty();
    if (claim_first) {
        lesson_.draw_claim(width);
    }
    ImGui::Dummy({width, ui_.px(8)});
    scroll_here(Part::predict);
    predict_.draw(width);
    scroll_here(Part::check);
    check_.draw(width);
    scroll_here(Part::parameters);
    const float parameters_top = ImGui::GetCursorScreenPos().y;
    parameters_.draw(width);
    if (!claim_first && !claim_later && lesson_.draw_claim_button(width)) {
        scroll_to_ = Part::text;  // where the claim appears
        scroll_ = true;
    }
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
        ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
        ImGui::GetIO().MousePos.y >= parameters_top && ImGui::GetIO().MousePos.y < ImGui::GetCursorScreenPos().y) {
        edited_lesson_ = state_.programs.index();
    }
    scroll_here(Part::explain);
    explain_.draw(width, edited_lesson_ != state_.programs.index());
    ImGui::Dummy({width, ui_.px(4)});
    if (claim_later) {
        lesson_.draw_claim(width);
    }
    draw_formula_button(width);
    scroll_here(Part::tries);
    lesson_.draw_try(width);
    if (lesson_.take_parameters_request()) {
        scroll_to_ = Part::parameters;
        scroll_ = true;
    }
    if (ImGui::GetScrollY() < ImGui::GetScrollMaxY() - 1) {
        // Fades out at the bottom if there is more text below.
        const float fade = ui_.px(30), bottom = top.y + size.y;
        const ImU32 clear = colour(figure::faded(t.panel, 0)), full = colour(t.panel);
        ImGui::GetWindowDrawList()->AddRectFilledMultiColor({top.x, bottom - fade}, {top.x + width, bottom}, clear,
                                                            clear, full, full);
    }
    ImGui::EndChild();
}

}  // namespace headway::ui
