#include "app/ui/shell/overlays/tour.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "app/gfx/imgui_compat.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

using gfx::Key;

// A card, and the widget that it is about (empty: the window).
struct TourCard {
    const char *widget, *title, *text;
};
constexpr std::array<TourCard, 7> kCards{{
    {"lesson/column", "The lesson",
     "Read the text, answer the questions, then run. After the run this column says what happened, and why."},
    {"source", "The program", "This is the lesson's program. You may change it; the original is kept."},
    {"run", "Run",
     "Run starts the program. If you do not press it now, the tour runs the program before the next card, "
     "and forgets this run at its end."},
    {"timeline/all", "The timeline",
     "The frontend's row shows issuing in blue and waits hatched. Below it are the ops that each lane of the backend "
     "executes, and the memory that is held. Turn the wheel to zoom; point at anything to read about it."},
    {"barrier", "The barrier",
     "The barrier decides when the frontend waits. Choose another one and run again: both runs stand on one time "
     "axis."},
    {"mode", "Map and modes",
     "Map shows all lessons. Learn has the lesson. Step goes through a program line by line, and back. Compare puts "
     "two runs side by side."},
    {"", "Everything else", "These keys show the rest of Headway."},
}};
// The widget's place; of a row of buttons, all of it. Empty: it is not shown.
std::optional<WidgetRect> place_of(const WidgetRects& rects, const std::string& widget) {
    if (const auto found = rects.find(widget); found != rects.end()) {
        return found->second;
    }
    std::optional<WidgetRect> all;
    for (const auto& [id, rect] : rects) {
        if (!id.starts_with(widget + "/") || widget.empty()) {
            continue;
        }
        all = all ? WidgetRect{std::min(all->x0, rect.x0), std::min(all->y0, rect.y0), std::max(all->x1, rect.x1),
                               std::max(all->y1, rect.y1)}
                  : WidgetRect{rect.x0, rect.y0, rect.x1, rect.y1};
    }
    return all;
}

constexpr const char* kLesson = "matmul";
constexpr std::size_t kRunsAfter = 2;  // the card after which the program has been run

}  // namespace

void Tour::start() {
    const auto& lessons = state_.programs.lessons();
    const auto found =
        std::find_if(lessons.begin(), lessons.end(), [](const lesson::Lesson& l) { return l.id == kLesson; });
    if (found != lessons.end()) {
        state_.programs.go_to(static_cast<int>(found - lessons.begin()));
    }
    state_.look.map = false;
    state_.look.mode = Mode::learn;
    card_ = 0;
    on_ = true;
    ran_ = 0;
}

void Tour::leave() {
    on_ = false;
    // Remove the tour's own run, so that the lesson's questions can still be answered before the first run.
    if (ran_ != 0 && ran_ == state_.session.started()) {
        state_.reset();
    }
    ran_ = 0;
}

void Tour::next() {
    if (card_ == kRunsAfter && state_.session.b() == nullptr && state_.programs.lesson() != nullptr) {
        state_.run();
        ran_ = state_.session.started();
    }
    if (++card_ == kCards.size()) {
        leave();
    }
}

void Tour::handle_keys() {
    if (gfx::key_pressed(Key::escape)) {
        leave();
    } else if (gfx::key_pressed(Key::enter) || gfx::key_pressed(Key::space) || gfx::key_pressed(Key::right)) {
        next();
    } else if (gfx::key_pressed(Key::left) && card_ > 0) {
        --card_;
    }
}

void Tour::draw() {
    if (!on_) {
        return;
    }
    handle_keys();
    if (!on_) {
        return;
    }
    const figure::Theme& t = *ui_.theme;
    const ImVec2 frame = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(frame);
    ImGui::SetNextWindowFocus();
    ImGui::PushStyleColor(ImGuiCol_WindowBg, IM_COL32_BLACK_TRANS);
    ImGui::Begin("tour", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    ImGui::PopStyleColor();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const TourCard& card = kCards[card_];
    const std::optional<WidgetRect> place = place_of(ui_.rects, card.widget);
    const bool points = place.has_value();
    ImVec2 a{frame.x / 2, frame.y / 2}, b = a;
    const ImU32 shade = colour(figure::faded(t.background, t.dark ? 0.72 : 0.78));
    if (points) {
        const float gap = ui_.px(4);
        a = {std::max(0.0f, place->x0 - gap), std::max(0.0f, place->y0 - gap)};
        b = {std::min(frame.x, place->x1 + gap), std::min(frame.y, place->y1 + gap)};
        list->AddRectFilled({0, 0}, {frame.x, a.y}, shade);
        list->AddRectFilled({0, b.y}, frame, shade);
        list->AddRectFilled({0, a.y}, {a.x, b.y}, shade);
        list->AddRectFilled({b.x, a.y}, {frame.x, b.y}, shade);
        list->AddRect(a, b, colour(t.issue), ui_.exact_px(6), 0, std::max(1.0f, ui_.px(2)));
    } else {
        list->AddRectFilled({0, 0}, frame, shade);
    }

    const float width = ui_.px(360), pad = ui_.px(18);
    std::string keys;
    if (!points) {
        for (const auto& [command, what] : {std::pair{"window.palette", "every command"},
                                            {"window.keys", "all keys"},
                                            {"window.legend", "colours"},
                                            {"window.map", "the map"}}) {
            keys += (keys.empty() ? "" : "\n") + ui_.keys_of(command) + ": " + what;
        }
    }
    const auto wrapped = [&](ImDrawList* to, ImVec2 at, Face face, figure::Rgba ink, std::string_view text) {
        return text.empty() ? 0 : draw_wrapped(ui_, to, at, width - 2 * pad, face, 14, 20, ink, text);
    };
    const float text = wrapped(nullptr, {}, Face::regular, t.text, card.text);
    const float more = wrapped(nullptr, {}, Face::medium, t.issue, keys);
    const float height = ui_.px(46) + text + (more > 0 ? more + ui_.px(8) : 0) + ui_.px(56);
    // Beside the widget, where there is room; else over its middle.
    ImVec2 at{(a.x + b.x - width) / 2, (a.y + b.y - height) / 2};
    const float gap = ui_.px(14);
    if (points && b.y + gap + height <= frame.y) {
        at.y = b.y + gap;
    } else if (points && b.x + gap + width <= frame.x) {
        at.x = b.x + gap;
    } else if (points && a.y - gap - height >= 0) {
        at.y = a.y - gap - height;
    } else if (points && a.x - gap - width >= 0) {
        at.x = a.x - gap - width;
    }
    at = {std::floor(std::clamp(at.x, gap, frame.x - width - gap)),
          std::floor(std::clamp(at.y, gap, frame.y - height - gap))};
    draw_card(ui_, list, at, {at.x + width, at.y + height}, t.raised, 10);
    ui_.rects.insert_or_assign("tour", WidgetRect{at.x, at.y, at.x + width, at.y + height});
    draw_text(ui_, list, at.x + pad, at.y + ui_.px(30), Face::bold, 16, t.text, card.title);
    draw_text_right(ui_, list, at.x + width - pad, at.y + ui_.px(30), Face::mono, 12, t.faint,
                    std::to_string(card_ + 1) + " of " + std::to_string(kCards.size()));
    float y = at.y + ui_.px(46);
    y += wrapped(list, {at.x + pad, y}, Face::regular, t.text, card.text);
    if (more > 0) {
        wrapped(list, {at.x + pad, y + ui_.px(8)}, Face::medium, t.issue, keys);
    }
    const float buttons = at.y + height - ui_.px(44);
    const bool last = card_ + 1 == kCards.size();
    if (!last && button(ui_, "tour/leave", "Skip", {at.x + pad, buttons}, {.kind = ButtonKind::quiet})) {
        leave();
    }
    const ButtonLook look{.kind = ButtonKind::primary, .accent = t.good};
    const char* label = last ? "Done" : "Next";
    if (button(ui_, "tour/next", label, {at.x + width - pad - button_width(ui_, label, look), buttons}, look)) {
        next();
    }
    ImGui::End();
}

}  // namespace headway::ui
