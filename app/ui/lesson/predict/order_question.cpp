#include "app/ui/lesson/predict/order_question.h"

#include <algorithm>
#include <string>
#include <variant>

#include "app/render/format.h"
#include "app/ui/lesson/predict/lesson_sizes.h"
#include "app/ui/widgets/paragraph.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

// A card: its place in the order at the left of it, a grip, the text, two buttons.
constexpr float kNumber = 24, kGrip = 20, kOrderButton = 22, kOrderPad = 5, kOrderGap = 4;

std::string id_of(std::size_t question, std::size_t event) {
    return "predict/" + std::to_string(question + 1) + "/event/" + std::to_string(event + 1);
}

float text_room(Ui& ui, float width) {
    return width - ui.px(kNumber + kGrip + 2 * kOrderButton + 8);
}

std::vector<std::size_t> moved(std::vector<std::size_t> events, std::size_t from, std::size_t to) {
    const auto at = [&](std::size_t index) { return events.begin() + static_cast<std::ptrdiff_t>(index); };
    if (from < to) {
        std::rotate(at(from), at(from + 1), at(to + 1));
    } else {
        std::rotate(at(to), at(from), at(from + 1));
    }
    return events;
}

}  // namespace

float OrderQuestion::draw(std::size_t question, ImVec2 at, float width) {
    const auto& order = std::get<questions::Order>(state_.predictions.questions()[question].kind);
    const auto guess = state_.predictions.guess_as<questions::OrderGuess>(question);
    const std::vector<std::size_t> events = guess ? guess->events : order.shown;
    const float top = at.y + ui_.px(2);
    const std::vector<Card> cards = place(question, events, top, width);

    std::optional<std::vector<std::size_t>> now;
    for (std::size_t i = 0; i < cards.size(); ++i) {
        if (const auto to = take_input(question, cards, i, at, width)) {
            now = moved(events, i, *to);
        }
    }

    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const questions::RunAnswer* answer = state_.predictions.answer_of(question);
    const bool judged = answer != nullptr && answer->problem.empty() && guess;
    const std::vector<bool> right = judged ? questions::in_place(*answer, *guess) : std::vector<bool>();
    const Card* lifted = nullptr;
    for (std::size_t i = 0; i < cards.size(); ++i) {
        const float middle = cards[i].top + cards[i].height / 2;
        if (judged) {
            draw_round(ui_, list, {at.x + ui_.px(9), middle}, right[i] ? RoundSign::done : RoundSign::wrong,
                       right[i] ? t.good : t.warning);
        } else {
            draw_text(ui_, list, at.x + ui_.px(5), middle + ui_.exact_px(kLessonText * 0.36f), Face::semibold,
                      kLessonText, guess ? t.text : t.dim, std::to_string(i + 1));
        }
        if (drag_ && drag_->moved && drag_->question == question && drag_->event == cards[i].event) {
            lifted = &cards[i];
        } else {
            draw_item(question, cards[i], {at.x, cards[i].top}, width, false);
        }
    }
    const float bottom = cards.back().top + cards.back().height;
    if (lifted != nullptr) {
        const float wanted = ImGui::GetIO().MousePos.y - drag_->grab_y;
        draw_item(question, *lifted, {at.x, std::clamp(wanted, top, bottom - lifted->height)}, width, true);
    }
    if (drag_ && drag_->question == question && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
        if (!guess && !now) {
            now = events;  // a card was lifted and put back: the learner accepts the order shown
        }
        drag_.reset();
    }
    float y = bottom;
    if (!guess) {
        draw_text(ui_, list, at.x + ui_.px(kNumber), y + ui_.px(17), Face::regular, kLessonText - 1.5f, t.dim,
                  "drag the cards, or use their arrows");
        y += ui_.px(22);
    }
    if (judged && !questions::is_right(state_.predictions.questions()[question], *answer, *guess)) {
        y += draw_right_order(question, {at.x, y + ui_.px(6)}, width) + ui_.px(6);
    }
    if (now) {
        state_.predictions.guess(question, questions::OrderGuess{*now});
    }
    return y - at.y + ui_.px(2);
}

std::vector<OrderQuestion::Card> OrderQuestion::place(std::size_t question, const std::vector<std::size_t>& events,
                                                      float top, float width) {
    const auto& order = std::get<questions::Order>(state_.predictions.questions()[question].kind);
    const figure::Rgba ink = ui_.theme->text;
    std::vector<Card> cards;
    for (const std::size_t event : events) {
        const std::string& text = order.events[event].text;
        ui_.fonts.cover(text);
        const float height = draw_paragraph(ui_, nullptr, {}, text_room(ui_, width), kLessonLine,
                                            text_with_code(text, kLessonText, ink, ink)) +
                             2 * ui_.px(kOrderPad);
        cards.push_back({event, top, height});
        top += height + ui_.px(kOrderGap);
    }
    return cards;
}

std::optional<std::size_t> OrderQuestion::take_input(std::size_t question, const std::vector<Card>& cards,
                                                     std::size_t place, ImVec2 at, float width) {
    const Card& card = cards[place];
    const bool first = place == 0, last = place + 1 == cards.size();
    const std::string id = id_of(question, card.event);
    std::optional<std::size_t> to;
    ImGui::SetCursorScreenPos({at.x, card.top});
    ImGui::PushID(id.c_str());
    ImGui::InvisibleButton("card", {std::max(width - ui_.px(2 * kOrderButton + 4), 1.0f), card.height});
    ImGui::PopID();
    register_item(ui_, id);
    const float mouse_y = ImGui::GetIO().MousePos.y;
    if (ImGui::IsItemActivated()) {
        drag_ = Drag{question, card.event, mouse_y - card.top, mouse_y};
    }
    if (ImGui::IsItemHovered() && !state_.look.palette_open) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    }
    if (ImGui::IsItemActive() && drag_ && drag_->question == question && drag_->event == card.event) {
        drag_->moved = drag_->moved || std::abs(mouse_y - drag_->from_y) > ui_.px(kClick);
        // Changes places with a neighbour when its middle passes that of the neighbour.
        const float middle = mouse_y - drag_->grab_y + card.height / 2;
        const auto middle_of = [](const Card& other) { return other.top + other.height / 2; };
        if (!last && middle > middle_of(cards[place + 1])) {
            to = place + 1;
        } else if (!first && middle < middle_of(cards[place - 1])) {
            to = place - 1;
        }
    }
    const int steps = arrow_steps(ui_, id, ArrowKeys::upright);
    const float button_y = card.top + (card.height - ui_.px(kOrderButton)) / 2;
    const float right = at.x + width - ui_.px(4);
    const bool up = draw_button(question, card.event, true, !first, {right - 2 * ui_.px(kOrderButton), button_y});
    const bool down = draw_button(question, card.event, false, !last, {right - ui_.px(kOrderButton), button_y});
    if ((up || steps < 0) && !first) {
        to = place - 1;
    } else if ((down || steps > 0) && !last) {
        to = place + 1;
    }
    return to;
}

// Only its input and place: draw_item() draws the card's background later.
bool OrderQuestion::draw_button(std::size_t question, std::size_t event, bool up, bool enabled, ImVec2 at) {
    const std::string id = id_of(question, event) + (up ? "/up" : "/down");
    ImGui::SetCursorScreenPos(at);
    ImGui::PushID(id.c_str());
    const bool clicked = ImGui::InvisibleButton("button", {ui_.px(kOrderButton), ui_.px(kOrderButton)}) && enabled;
    ImGui::PopID();
    register_item(ui_, id, enabled);
    return clicked;
}

void OrderQuestion::draw_item(std::size_t question, const Card& card, ImVec2 at, float width, bool lifted) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto& order = std::get<questions::Order>(state_.predictions.questions()[question].kind);
    const ImVec2 min{at.x + ui_.px(kNumber), at.y}, max{at.x + width, at.y + card.height};
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool hovered = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) && !drag_ &&
                         mouse.x >= min.x && mouse.x < max.x && mouse.y >= min.y && mouse.y < max.y;
    draw_card(ui_, list, min, max, lifted || hovered ? figure::mixed(t.raised, t.text, 0.06) : t.raised);
    if (lifted) {
        list->AddRect(min, max, colour(t.issue), ui_.exact_px(6), 0, std::max(1.0f, ui_.exact_px(1.5f)));
    }
    const float middle = at.y + card.height / 2, dot = ui_.exact_px(1.4f);
    for (int row = -1; row <= 1; ++row) {
        for (int column = 0; column < 2; ++column) {
            list->AddCircleFilled({min.x + ui_.exact_px(8 + 5 * static_cast<float>(column)),
                                   middle + ui_.exact_px(5 * static_cast<float>(row))},
                                  dot, colour(hovered || lifted ? t.dim : t.faint), 8);
        }
    }
    draw_paragraph(ui_, list, {min.x + ui_.px(kGrip), at.y + ui_.px(kOrderPad)}, text_room(ui_, width), kLessonLine,
                   text_with_code(order.events[card.event].text, kLessonText, t.text, t.text));
    for (const bool up : {true, false}) {
        const auto place = ui_.rects.find(id_of(question, card.event) + (up ? "/up" : "/down"));
        if (place == ui_.rects.end()) {
            continue;
        }
        const bool enabled = place->second.enabled;
        const float x = max.x - ui_.px(4) - ui_.px(kOrderButton) * (up ? 1.5f : 0.5f), s = ui_.exact_px(4.5f);
        const bool over = enabled && hovered && std::abs(mouse.x - x) < ui_.px(kOrderButton) / 2;
        const ImU32 ink = colour(!enabled ? figure::mixed(t.raised, t.faint, 0.4) : over ? t.issue : t.dim);
        const float tip = up ? middle - s * 0.6f : middle + s * 0.6f, base = up ? middle + s * 0.6f : middle - s * 0.6f;
        list->AddTriangleFilled({x - s, base}, {x + s, base}, {x, tip}, ink);
    }
}

// The events in the run's order, with their times.
float OrderQuestion::draw_right_order(std::size_t question, ImVec2 at, float width) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto& order = std::get<questions::Order>(state_.predictions.questions()[question].kind);
    const questions::RunAnswer& answer = *state_.predictions.answer_of(question);
    const auto& right = std::get<questions::OrderGuess>(*answer.right).events;
    float y = at.y, times = 0;
    for (const double ns : answer.at_ns) {
        times = std::max(times, text_width(ui_, Face::mono_medium, kLessonText - 1, figure::duration_text(ns)));
    }
    draw_text(ui_, list, at.x, y + ui_.px(15), Face::medium, kLessonText - 1, t.dim, "In this run:");
    y += ui_.px(22);
    const float indent = ui_.px(kNumber), room = width - indent - times - ui_.px(12);
    std::size_t place = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
        // Events at the same time have the same place.
        place = i > 0 && answer.at_ns[right[i]] == answer.at_ns[right[i - 1]] ? place : i + 1;
        const float baseline = y + ui_.px(kLessonLine) * 0.5f + ui_.exact_px(kLessonText * 0.36f);
        draw_text(ui_, list, at.x + ui_.px(5), baseline, Face::semibold, kLessonText, t.good, std::to_string(place));
        draw_text_right(ui_, list, at.x + width, baseline, Face::mono_medium, kLessonText - 1, t.text,
                        figure::duration_text(answer.at_ns[right[i]]));
        y += draw_paragraph(ui_, list, {at.x + indent, y}, room, kLessonLine,
                            text_with_code(order.events[right[i]].text, kLessonText, t.text, t.text)) +
             ui_.px(2);
    }
    ui_.rects.insert_or_assign("predict/" + std::to_string(question + 1) + "/right-order",
                               WidgetRect{at.x, at.y, at.x + width, y});
    return y - at.y;
}

}  // namespace headway::ui
