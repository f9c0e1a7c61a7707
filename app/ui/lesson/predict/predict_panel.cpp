#include "app/ui/lesson/predict/predict_panel.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "app/ui/lesson/predict/lesson_sizes.h"
#include "app/ui/widgets/paragraph.h"
#include "app/ui/widgets/slider.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

constexpr float kPad = 4;

std::vector<TextPiece> pieces_of(std::string_view text, figure::Rgba ink, figure::Rgba code) {
    return text_with_code(text, kLessonText, ink, code);
}

// A guess is given in steps that a learner can tell apart.
double step_of(const questions::Number& number) {
    return std::pow(10, std::floor(std::log10((number.most - number.least) / 50)));
}
double rounded(double value, const questions::Number& number) {
    const double step = step_of(number);
    return std::clamp(std::round(value / step) * step, number.least, number.most);
}

}  // namespace

void PredictPanel::draw(float width) {
    const auto& questions = state_.predictions.questions();
    if (questions.empty()) {
        return;
    }
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 start = ImGui::GetCursorScreenPos();
    float y = start.y;
    draw_text(ui_, list, start.x, y + ui_.px(17), Face::semibold, 15, t.text, "Predict");
    const char* hint = state_.predictions.hint();
    draw_text_right(ui_, list, start.x + width, y + ui_.px(17), Face::regular, 12.5f, t.dim, hint);
    y += ui_.px(28);
    for (std::size_t i = 0; i < questions.size(); ++i) {
        y += draw_question(i, {start.x, y}, width) + ui_.px(10);
    }
    ui_.rects.insert_or_assign("predict", WidgetRect{start.x, start.y, start.x + width, y});
    // A click here gives the focus to ImGui's window, and Tab would go to a parameter's field instead of the next
    // control.
    const bool clicked = ImGui::IsMouseReleased(ImGuiMouseButton_Left) && ImGui::IsWindowFocused();
    if (clicked && !ImGui::GetIO().WantTextInput && ImGui::IsMouseHoveringRect(start, {start.x + width, y})) {
        ImGui::SetWindowFocus(nullptr);
    }
    ImGui::SetCursorScreenPos(start);
    ImGui::Dummy({width, y - start.y + ui_.px(6)});
}

float PredictPanel::draw_question(std::size_t index, ImVec2 at, float width) {
    const figure::Theme& t = *ui_.theme;
    const questions::Question& question = state_.predictions.questions()[index];
    ui_.fonts.cover(question.ask);
    float y = at.y;
    y += draw_paragraph(ui_, ImGui::GetWindowDrawList(), {at.x, y}, width, kLessonLine,
                        pieces_of(question.ask, t.text, t.text));
    y += ui_.px(4);
    if (const auto* choices = std::get_if<questions::Choices>(&question.kind)) {
        for (std::size_t i = 0; i < choices->size(); ++i) {
            y += draw_choice(index, i, {at.x, y}, width);
        }
    } else if (std::holds_alternative<questions::Number>(question.kind)) {
        y += draw_number(index, {at.x, y}, width);
    } else if (std::holds_alternative<questions::Order>(question.kind)) {
        y += order_.draw(index, {at.x, y}, width);
    } else {
        y += drawn_.draw(index, {at.x, y}, width);
    }
    y += draw_answer(index, {at.x, y}, width);
    return y - at.y;
}

float PredictPanel::draw_choice(std::size_t question, std::size_t choice, ImVec2 at, float width) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const questions::Choice& shown =
        std::get<questions::Choices>(state_.predictions.questions()[question].kind)[choice];
    ui_.fonts.cover(shown.text);
    const questions::Guess this_one = questions::ChoiceGuess{choice};
    const bool chosen = state_.predictions.guess_of(question) == this_one;
    const questions::RunAnswer* answer = state_.predictions.answer_of(question);
    if (answer != nullptr && !answer->problem.empty()) {
        answer = nullptr;
    }
    const bool right = answer != nullptr && answer->right == this_one;
    const float indent = ui_.px(kLessonIndent), pad = ui_.px(kPad), overhang = ui_.px(8);
    const auto words = pieces_of(shown.text, chosen || right ? t.text : t.dim, t.text);
    const float height = draw_paragraph(ui_, nullptr, at, width - indent, kLessonLine, words) + 2 * pad;
    const std::string id = "predict/" + std::to_string(question + 1) + "/" + std::to_string(choice + 1);
    ImGui::SetCursorScreenPos({at.x - overhang, at.y});
    ImGui::PushID(id.c_str());
    const bool clicked = ImGui::InvisibleButton("choice", {width + 2 * overhang, height});
    ImGui::PopID();
    register_item(ui_, id);
    const bool hovered = ImGui::IsItemHovered() && !state_.look.palette_open;
    if (hovered) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        list->AddRectFilled({at.x - overhang, at.y}, {at.x + width, at.y + height}, colour(t.raised), ui_.exact_px(6));
    }
    if (clicked) {
        state_.predictions.guess(question, this_one);
    }
    const bool wrong = answer != nullptr && chosen && !right;
    draw_round(ui_, list, {at.x + ui_.px(9), at.y + pad + ui_.px(kLessonLine) * 0.5f},
               right    ? RoundSign::done
               : wrong  ? RoundSign::wrong
               : chosen ? RoundSign::chosen
                        : RoundSign::empty,
               right     ? t.good
               : wrong   ? t.warning
               : chosen  ? t.issue
               : hovered ? t.text
                         : t.dim);
    draw_paragraph(ui_, list, {at.x + indent, at.y + pad}, width - indent, kLessonLine, words);
    return height;
}

// A track from least to most; the knob is where the learner put it, and a tick where the run is.
float PredictPanel::draw_number(std::size_t question, ImVec2 at, float width) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const questions::Question& asked = state_.predictions.questions()[question];
    const auto& number = std::get<questions::Number>(asked.kind);
    const auto guess = state_.predictions.guess_as<questions::NumberGuess>(question);
    const questions::RunAnswer* answer = state_.predictions.answer_of(question);
    const float value_width = ui_.px(92), height = ui_.px(30), y = at.y + height / 2;
    const float left = at.x + ui_.px(8), right = at.x + width - value_width;
    const auto share_of = [&number](double value) { return (value - number.least) / (number.most - number.least); };
    const std::string id = "predict/" + std::to_string(question + 1);
    SliderLook look{.ink = t.issue, .set = guess.has_value(), .filled = false};
    if (answer != nullptr && answer->problem.empty()) {
        const double exact = std::get<questions::NumberGuess>(*answer->right).value;
        look.right = {share_of(exact - number.within), share_of(exact), share_of(exact + number.within)};
    }
    const double share = guess ? share_of(guess->value) : 0.5;
    if (const auto moved = slider(ui_, id, {left, y}, right - left, share, look)) {
        const double value = rounded(number.least + *moved * (number.most - number.least), number);
        if (!guess || guess->value != value) {
            state_.predictions.guess(question, questions::NumberGuess{value});
        }
    }
    if (const int steps = arrow_steps(ui_, id, ArrowKeys::sideways); steps != 0) {
        const double from = guess ? guess->value : (number.least + number.most) / 2;
        state_.predictions.guess(question, questions::NumberGuess{rounded(from + steps * step_of(number), number)});
    }
    draw_text_right(ui_, list, at.x + width, y + ui_.exact_px(kLessonText * 0.36f),
                    guess ? Face::semibold : Face::regular, kLessonText, guess ? t.text : t.dim,
                    guess ? questions::words_of(asked, *guess) : "drag");
    return height;
}

// Right or not, why the chosen answer is not, and what the run says.
float PredictPanel::draw_answer(std::size_t index, ImVec2 at, float width) {
    const questions::RunAnswer* answer = state_.predictions.answer_of(index);
    if (answer == nullptr) {
        return 0;
    }
    const figure::Theme& t = *ui_.theme;
    const questions::Question& question = state_.predictions.questions()[index];
    const questions::Guess& guess = *state_.predictions.guess_of(index);
    std::vector<TextPiece> words;
    std::string why;
    if (!answer->problem.empty()) {
        words = pieces_of(answer->problem, t.dim, t.text);
    } else {
        const bool right = questions::is_right(question, *answer, guess);
        words.push_back(
            {right ? "Right. " : "Not right. ", Face::semibold, kLessonText, right ? t.good : t.warning, true});
        if (!right) {
            why = questions::why_not(*answer, guess);
            why += why.empty() ? "" : " ";
        }
        for (const std::string* text : {&std::as_const(why), &answer->sentence}) {
            ui_.fonts.cover(*text);
            for (const TextPiece& piece : pieces_of(*text, t.dim, t.text)) {
                words.push_back(piece);
            }
        }
    }
    const float indent = ui_.px(std::holds_alternative<questions::Choices>(question.kind) ? kLessonIndent : 0);
    const float height = draw_paragraph(ui_, ImGui::GetWindowDrawList(), {at.x + indent, at.y + ui_.px(4)},
                                        width - indent, kLessonLine, words);
    ui_.rects.insert_or_assign("predict/" + std::to_string(index + 1) + "/answer",
                               WidgetRect{at.x + indent, at.y, at.x + width, at.y + ui_.px(8) + height});
    return height + ui_.px(8);
}

}  // namespace headway::ui
