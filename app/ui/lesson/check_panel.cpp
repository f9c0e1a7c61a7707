#include "app/ui/lesson/check_panel.h"

#include <algorithm>
#include <string>

#include "app/ui/lesson/predict/lesson_sizes.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
void CheckPanel::draw(float width) {
    const lesson::Lesson* lesson = state_.programs.lesson();
    if (lesson == nullptr || lesson->exercise.empty()) {
        return;
    }
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 start = ImGui::GetCursorScreenPos();
    const Checking& checking = state_.checking;
    const check::CheckReport* report = checking.report();
    float y = start.y;
    draw_text(ui_, list, start.x, y + ui_.px(19), Face::semibold, 15, t.text, "Check");
    const char* label = checking.busy() ? "Checking…" : report != nullptr ? "Check again" : "Check my program";
    ButtonLook look{.kind = ButtonKind::primary, .enabled = !checking.busy(), .height = ui_.px(26), .text_px = 13};
    const float button_px = button_width(ui_, label, look);
    if (button(ui_, "check/start", label, {start.x + width - button_px, y}, look)) {
        state_.checking.start();
    }
    y += ui_.px(34);
    if (report == nullptr) {
        y += draw_wrapped(ui_, list, {start.x, y}, width, Face::regular, kLessonText, kLessonLine, t.dim,
                          "Edit the program below until it does what the task asks. It is run with the values that you "
                          "see and with others.");
    } else {
        ui_.fonts.cover(report->sentence);
        const std::string verdict = (checking.outdated() ? "Before your last change: " : "") + report->sentence;
        y += draw_wrapped(ui_, list, {start.x, y}, width, Face::semibold, kLessonText, kLessonLine,
                          checking.outdated() ? t.dim
                          : report->passed()  ? t.good
                                              : t.text,
                          verdict);
        y += ui_.px(6);
        for (std::size_t i = 0; i < report->checks.size(); ++i) {
            y += draw_check(i, {start.x, y}, width);
        }
    }
    ui_.rects.insert_or_assign("check", WidgetRect{start.x, start.y, start.x + width, y});
    ImGui::SetCursorScreenPos(start);
    ImGui::Dummy({width, y - start.y + ui_.px(12)});
}

float CheckPanel::draw_check(std::size_t index, ImVec2 at, float width) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const check::CheckResult& check = state_.checking.report()->checks[index];
    const bool passed = check.outcome == check::Outcome::passed, failed = check.outcome == check::Outcome::failed;
    const float indent = ui_.px(kLessonIndent), room = width - indent, pad = ui_.px(3);
    float y = at.y + pad;
    draw_round(ui_, list, {at.x + ui_.px(9), y + ui_.px(kLessonLine) * 0.5f},
               passed   ? RoundSign::done
               : failed ? RoundSign::wrong
                        : RoundSign::empty,
               passed   ? t.good
               : failed ? t.warning
                        : t.dim);
    const auto line = [&](Face face, figure::Rgba ink, const std::string& text) {
        ui_.fonts.cover(text);
        y += draw_wrapped(ui_, list, {at.x + indent, y}, room, face, kLessonText, kLessonLine, ink, text);
    };
    line(failed ? Face::semibold : Face::regular, passed ? t.dim : t.text, check.title);
    if (!passed) {
        line(Face::regular, t.dim, check.sentence);
    }
    if (failed) {
        line(Face::regular, t.dim, "Why: " + check.why);
        const std::size_t shown = std::min(state_.checking.hints_shown(index), check.hints.size());
        for (std::size_t i = 0; i < shown; ++i) {
            line(Face::regular, t.text, "Hint " + std::to_string(i + 1) + ": " + check.hints[i]);
        }
        if (shown < check.hints.size()) {
            const ButtonLook look{.kind = ButtonKind::quiet, .height = ui_.px(24), .text_px = 13};
            const std::string label = shown == 0 ? "Show a hint" : "Show another hint";
            if (button(ui_, ("check/hint/" + std::to_string(index + 1)).c_str(), label, {at.x + indent, y}, look)) {
                state_.checking.show_hint(index);
            }
            y += ui_.px(26);
        }
    }
    return y + pad - at.y;
}

}  // namespace headway::ui
