#include "app/ui/lesson/explain_panel.h"

#include <imgui_internal.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "app/ui/lesson/predict/lesson_sizes.h"
#include "app/ui/lesson/prediction_words.h"
#include "app/ui/lesson/show_places.h"
#include "app/ui/lesson/time_bar.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

// "2 of your 3 predictions were right …"; empty if the run answers none.
std::string score_of(const Predictions& predictions) {
    std::size_t right = 0, answered = 0;
    for (std::size_t i = 0; i < predictions.questions().size(); ++i) {
        if (const questions::RunAnswer* answer = predictions.answer_of(i);
            answer != nullptr && answer->problem.empty()) {
            ++answered;
            right += questions::is_right(predictions.questions()[i], *answer, *predictions.guess_of(i)) ? 1 : 0;
        }
    }
    if (answered == 0) {
        return "";
    }
    const std::string words = answered == 1
                                  ? (right == 1 ? "Your prediction was right" : "Your prediction was not right")
                                  : std::to_string(right) + " of your " + std::to_string(answered) +
                                        (right == 1 ? " predictions was right" : " predictions were right");
    return words + ". Predict, above, says why.";
}

}  // namespace

bool ExplainPanel::stale() const {
    const session::Execution* b = state_.session.b();
    return b == nullptr || b->run() != lookup_.run();
}

void ExplainPanel::update() {
    const session::Execution* b = state_.session.b();
    if (b == nullptr) {
        lookup_.forget();
    } else {
        const bool ended = b->run() != nullptr && !b->live() && !b->grows() && !b->lags();
        const model::Run* before = lookup_.run();
        // The explanation of another program's run is removed at once, also while the new run is in progress.
        if (shown_program_ != b->settings.program) {
            lookup_.forget();
        }
        lookup_.look(ended ? b->shared_run() : nullptr, b->numbers());
        shown_program_ = b->settings.program;
        if (lookup_.run() != before) {
            state_.timeline.sentence = state_.timeline.look = -1;
            read_ = false;
            // Scroll to the explanation of a lesson's first run only: after that the learner knows where it is.
            if (shown_lesson_ != state_.programs.index() && b->phase() != session::Phase::recorded &&
                state_.comparing.other_program(b).empty()) {
                shown_lesson_ = state_.programs.index();
                scroll_to_ = true;
            }
        }
    }
    const auto count = static_cast<int>(lookup_.explanation().sentences.size());
    if (stale() || state_.timeline.sentence >= count) {
        state_.timeline.sentence = -1;
    }
    state_.timeline.places = state_.timeline.look >= 0 ? state_.timeline.look_places : std::vector<model::Place>();
    if (state_.timeline.sentence >= 0) {
        point_at(static_cast<std::size_t>(state_.timeline.sentence));
    }
}

// In place of the explanation, until an ended run has been read.
void ExplainPanel::draw_reading(float width) {
    const session::Execution* b = state_.session.b();
    if (b == nullptr || !b->lags()) {
        return;
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string text = "Headway is " + b->reading_text() + ". What happened is explained after that.";
    const float height = draw_wrapped(ui_, ImGui::GetWindowDrawList(), at, width, Face::regular, kLessonText,
                                      kLessonLine, ui_.theme->dim, text);
    ui_.rects.insert_or_assign("explain/reading", WidgetRect{at.x, at.y, at.x + width, at.y + height});
    ImGui::Dummy({width, height + ui_.px(12)});
}

void ExplainPanel::draw(float width, bool may_scroll) {
    draw_reading(width);
    if (!any()) {
        return;
    }
    scroll_to_ = scroll_to_ && (may_scroll || state_.timeline.sentence >= 0);
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 start = ImGui::GetCursorScreenPos();
    const auto scroll_here = [this](float y) {
        if (scroll_to_) {
            ImGui::SetScrollFromPosY(y - ImGui::GetWindowPos().y, 0);
            scroll_to_ = false;
        }
    };
    const bool simulated = lookup_.run()->info().simulated;
    const std::string program = state_.comparing.other_program(state_.session.b());
    const std::string heading = !program.empty()                                 ? "What happened in " + program
                                : stale() || !state_.comparing.earlier().empty() ? "What happened in the earlier run"
                                : simulated                                      ? "What happened, SIMULATED"
                                                                                 : "What happened";
    float room = width;
    if (const std::string keys = ui_.keys_of ? ui_.keys_of("explain.next") : ""; !keys.empty() && !stale()) {
        room -= ui_.px(8) + draw_text_right(ui_, list, start.x + width, start.y + ui_.px(17), Face::regular, 12.5f,
                                            t.faint, keys + ": next");
    }
    if (state_.timeline.sentence < 0) {
        scroll_here(start.y - ui_.px(6));
    }
    float y = start.y;
    draw_text(ui_, list, start.x, y + ui_.px(17), Face::semibold, 15, t.text, heading, room);
    y += ui_.px(28);
    if (const std::string score = stale() ? "" : score_of(state_.predictions); !score.empty()) {
        y += draw_wrapped(ui_, list, {start.x, y}, width, Face::medium, kLessonText, kLessonLine, t.text, score) +
             ui_.px(4);
        ui_.rects.insert_or_assign("explain/score", WidgetRect{start.x, y - ui_.px(kLessonLine), start.x + width, y});
    }
    for (std::size_t i = 0; i < lookup_.explanation().sentences.size(); ++i) {
        if (state_.timeline.sentence == static_cast<int>(i)) {
            scroll_here(y - ui_.px(6));
        }
        y += draw_sentence(i, {start.x, y}, width);
    }
    if (const model::TimeBar& bar = lookup_.explanation().bar; !bar.parts.empty()) {
        y += ui_.px(10);
        y += draw_bar({start.x, y}, width, bar);
    }
    ui_.rects.insert_or_assign("explain", WidgetRect{start.x, start.y, start.x + width, y});
    ImGui::SetCursorScreenPos(start);
    ImGui::Dummy({width, y - start.y + ui_.px(12)});
}

// How far the prediction is off, the bar with its parts, and the chapter's formula in the tooltip.
float ExplainPanel::draw_bar(ImVec2 at, float width, const model::TimeBar& bar) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float baseline = at.y + ui_.px(14), top = at.y + ui_.px(22);
    draw_text(ui_, list, at.x, baseline, Face::semibold, 13, t.dim, "Headway's prediction");
    const session::Execution* b = state_.session.b();
    if (!stale()) {
        draw_text_right(ui_, list, at.x + width, baseline, Face::regular, 13, t.dim, prediction_verdict(*b));
    }
    const float bottom = top + draw_time_bar_with_parts(ui_, list, {at.x, top}, width, bar);
    ui_.rects.insert_or_assign("explain/bar", WidgetRect{at.x, top, at.x + width, bottom});
    if (!stale()) {
        tooltip_over(ui_, "stage/predicted", {at.x, top}, {at.x + width, bottom}, prediction_parts_text(b->numbers()));
    }
    return bottom - at.y;
}

// The sentence's numbers stand out, and are not broken.
std::vector<TextPiece> ExplainPanel::pieces_of(const model::Sentence& sentence) const {
    const figure::Theme& t = *ui_.theme;
    const figure::Rgba words = stale() ? t.faint : t.dim, digits = stale() ? t.dim : t.text;
    std::vector<TextPiece> pieces;
    std::string_view rest = sentence.text;
    for (const model::SentenceNumber& number : sentence.numbers) {
        const std::size_t at = rest.find(number.text);
        if (at == std::string_view::npos) {
            break;
        }
        pieces.push_back({rest.substr(0, at), Face::regular, kLessonText, words});
        pieces.push_back({rest.substr(at, number.text.size()), Face::semibold, kLessonText, digits, true});
        rest.remove_prefix(at + number.text.size());
    }
    pieces.push_back({rest, Face::regular, kLessonText, words});
    return pieces;
}

float ExplainPanel::draw_sentence(std::size_t index, ImVec2 at, float width) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const model::Sentence& sentence = lookup_.explanation().sentences[index];
    const std::vector<TextPiece> pieces = pieces_of(sentence);
    const float pad = ui_.px(5), indent = ui_.px(26), overhang = ui_.px(8);
    const float text = draw_paragraph(ui_, nullptr, at, width - indent, kLessonLine, pieces);
    const float height = text + 2 * pad;
    const std::string number = std::to_string(index + 1), id = "explain/" + number;
    ImGui::SetCursorScreenPos({at.x - overhang, at.y});
    ImGui::PushID(id.c_str());
    const bool clicked = ImGui::InvisibleButton("sentence", {width + 2 * overhang, height});
    ImGui::PopID();
    const bool active = !stale() && !sentence.places.empty();
    register_item(ui_, id, active);
    const bool hovered = active && ImGui::IsItemHovered() && !state_.look.palette_open;
    const bool chosen = state_.timeline.sentence == static_cast<int>(index);
    if (hovered) {
        constexpr float kRest = 0.5f;  // seconds
        read_ = read_ || GImGui->HoveredIdTimer > kRest;
        point_at(index);
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    }
    if (hovered || chosen) {
        const ImVec2 min{at.x - overhang, at.y}, max{at.x + width + overhang, at.y + height};
        const ImVec2 clip_min = list->GetClipRectMin(), clip_max = list->GetClipRectMax();
        list->PushClipRect({clip_min.x - overhang, clip_min.y}, {clip_max.x + overhang, clip_max.y});
        list->AddRectFilled(min, max, colour(t.raised), ui_.exact_px(6));
        list->AddRect(min, max, colour(chosen ? t.issue : t.border), ui_.exact_px(6), 0, std::max(1.0f, ui_.px(1)));
        list->PopClipRect();
    }
    draw_text(ui_, list, at.x, at.y + pad + ui_.px(kLessonLine) * 0.5f + ui_.exact_px(kLessonText * 0.36f),
              Face::semibold, kLessonText, stale() ? t.faint : t.issue, number);
    draw_paragraph(ui_, list, {at.x + indent, at.y + pad}, width - indent, kLessonLine, pieces);
    if (clicked && active) {
        choose(index);
    }
    return height + ui_.px(2);
}

void ExplainPanel::point_at(std::size_t index) {
    state_.timeline.places = lookup_.explanation().sentences[index].places;
}

void ExplainPanel::choose(std::size_t index) {
    const int chosen = static_cast<int>(index);
    read_ = true;
    state_.timeline.selection = {};
    if (state_.timeline.sentence == chosen) {
        state_.timeline.sentence = -1;
        state_.timeline.view.fit();
        return;
    }
    state_.timeline.sentence = chosen;
    state_.timeline.look = -1;
    const std::vector<model::Place>& places = lookup_.explanation().sentences[index].places;
    if (!places.empty()) {
        show_places(state_.timeline.view, *lookup_.run(), places);
    }
}

void ExplainPanel::step(int direction) {
    if (!any() || stale()) {
        return;
    }
    const auto count = static_cast<int>(lookup_.explanation().sentences.size());
    const int now = state_.timeline.sentence;
    const int next = now < 0 ? (direction > 0 ? 0 : count - 1) : (now + direction + count) % count;
    if (next != now) {
        choose(static_cast<std::size_t>(next));
    }
    scroll_to_ = true;
}

}  // namespace headway::ui
