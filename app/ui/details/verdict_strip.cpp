#include "app/ui/details/verdict_strip.h"

#include <algorithm>

#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

constexpr float kVerdictText = 13.5f, kVerdictLine = 19, kLines = 3, kButton = 28, kPad = 5, kEdge = 14;

}  // namespace

VerdictStrip::Contents VerdictStrip::contents(float width) {
    Contents c;
    c.tone = ui_.theme->text;
    if (const session::Rounds* rounds = state_.comparing.rounds()) {
        c.words = "Comparing: " + rounds->progress();
        c.button = "Stop";
        c.help = "Stop comparing; completed runs count";
        c.share = rounds->share();
        return c;
    }
    if (!has_ops(state_.session.b())) {
        return c;
    }
    const bool both = has_ops(state_.session.a());
    const std::string earlier = state_.comparing.earlier();
    const comparison::Verdict* verdict = both ? state_.comparing.verdict() : nullptr;
    if (!earlier.empty()) {
        c.words = (both ? "These runs are " : "This run is ") + earlier + ". Run starts a new one. ";
        c.tone = ui_.theme->warning;
    }
    if (verdict != nullptr) {
        c.evidence = verdict->evidence;
    }
    if (const auto sides = state_.comparing.sides()) {
        c.button = verdict != nullptr && verdict->runs > 1 && earlier.empty() ? "Compare again" : "Compare";
        const bool exact = sides->a.device == "simulated" && sides->b.device == "simulated";
        const bool shown = both && same_run(sides->b, state_.session.b()->settings);
        c.help = std::string(shown ? "Run A and B in turn" : "Run what is shown (A) and what is set now (B) in turn") +
                 (exact ? ", once each: on the simulated device that is exact (Shift C)"
                        : ", at least 5 times each after a warm-up where that takes less than 20 s (Shift C)");
        // Simulated runs are exact, so one of each is enough.
        if (exact && shown) {
            c.button.clear();
        }
    }
    if (verdict != nullptr) {
        const std::string before = c.words;
        c.words = c.whole = before + verdict->sentence;
        for (std::size_t n = verdict->clauses.size(); n > 1 && words_height(c, width) > ui_.px(kLines * kVerdictLine);
             --n) {
            c.words = before + comparison::sentence_of(*verdict, n - 1) + " …";
        }
    }
    return c;
}

float VerdictStrip::room_for_words(const Contents& c, float width) const {
    const ButtonLook look{.height = ui_.px(kButton), .text_px = 13};
    return width - 2 * ui_.px(kEdge) - (c.button.empty() ? 0 : button_width(ui_, c.button, look) + ui_.px(16));
}

float VerdictStrip::words_height(const Contents& c, float width) const {
    return draw_wrapped(ui_, nullptr, {}, room_for_words(c, width), Face::semibold, kVerdictText, kVerdictLine, c.tone,
                        c.words);
}

float VerdictStrip::height(float width) {
    const Contents c = contents(width);
    if (c.words.empty() && c.button.empty()) {
        return 0;
    }
    return std::max(std::min(words_height(c, width), ui_.px(kLines * kVerdictLine)), ui_.px(kButton)) +
           2 * ui_.px(kPad);
}

void VerdictStrip::draw(ImVec2 min, ImVec2 max) {
    const Contents c = contents(max.x - min.x);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const figure::Theme& t = *ui_.theme;
    const bool judged = c.share < 0 && c.tone != t.warning && !c.words.empty();
    draw_ground(ui_, list, min, max, judged ? figure::mixed(t.background, t.good, t.dark ? 0.12 : 0.1) : t.raised);
    ui_.rects.insert_or_assign("verdict/strip", WidgetRect{min.x, min.y, max.x, max.y});
    const float middle = (min.y + max.y) / 2;
    if (!c.button.empty()) {
        const ButtonLook look{.kind = state_.comparing.rounds() != nullptr ? ButtonKind::plain : ButtonKind::primary,
                              .height = ui_.px(kButton),
                              .text_px = 13};
        const float wide = button_width(ui_, c.button, look);
        if (button(ui_, "compare", c.button, {max.x - ui_.px(kEdge) - wide, middle - ui_.px(kButton / 2)}, look)) {
            state_.comparing.rounds() != nullptr ? state_.comparing.stop() : state_.comparing.start();
        }
        tooltip(ui_, c.help);
    }
    const float left = min.x + ui_.px(kEdge), room = room_for_words(c, max.x - min.x);
    float used = 0;
    if (!c.words.empty()) {
        const float shown = words_height(c, max.x - min.x), top = std::round(middle - shown / 2);
        draw_wrapped(ui_, list, {left, top}, room, Face::semibold, kVerdictText, kVerdictLine, c.tone, c.words);
        used = std::min(room, text_width(ui_, Face::semibold, kVerdictText, c.words));
        if (c.share < 0) {
            const std::string help = c.words != c.whole ? c.whole + "\n" + c.evidence : c.evidence;
            tooltip_over(ui_, "verdict", {left, top}, {left + room, top + shown}, help, shown);
        }
    }
    if (c.share >= 0) {
        const float x = left + used + ui_.px(20), wide = left + room - x, half = ui_.exact_px(3);
        if (wide > ui_.px(40)) {
            list->AddRectFilled({x, middle - half}, {x + wide, middle + half},
                                colour(figure::mixed(t.raised, t.text, 0.15)), half);
            list->AddRectFilled({x, middle - half}, {x + wide * static_cast<float>(c.share), middle + half},
                                colour(t.issue), half);
        }
    }
}

}  // namespace headway::ui
