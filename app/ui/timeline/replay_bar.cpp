#include "app/ui/timeline/replay_bar.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/render/format.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

constexpr float kButton = 26, kReplayText = 12.5f;

}  // namespace

bool ReplayBar::put(float& x, float y, const char* id, const char* label, const char* help, const char* command,
                    bool selected, char icon) {
    ButtonLook look{.enabled = state_.replay.possible(), .height = ui_.px(kButton), .text_px = kReplayText};
    look.kind = selected ? ButtonKind::selected : ButtonKind::plain;
    look.icon = icon;
    look.width =
        *label != '\0' ? std::ceil(text_width(ui_, Face::semibold, kReplayText, label)) + ui_.px(16) : ui_.px(32);
    const bool clicked = button(ui_, id, label, {x, y}, look);
    tooltip_of_command(ui_, help, command);
    x += look.width + ui_.px(4);
    return clicked;
}

// The track counts events, not time: in a run with a long pause all events can still be reached.
void ReplayBar::draw_track(float left, float right, float middle) {
    Replay& replay = state_.replay;
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float width = std::max(ui_.px(20), right - left), r = ui_.exact_px(7), half = ui_.exact_px(3);
    ImGui::SetCursorScreenPos({left, middle - ui_.px(13)});
    ImGui::InvisibleButton("replay/track", {width, ui_.px(26)});
    register_item(ui_, "replay/track");
    if (ImGui::IsItemActivated() && !replay.on()) {
        replay.to_end();
    }
    const std::uint64_t all = replay.on() ? std::max<std::uint64_t>(replay.events(), 1) : 1;
    if (ImGui::IsItemActive() && replay.on()) {
        const double share = std::clamp(static_cast<double>((ImGui::GetIO().MousePos.x - left) / width), 0.0, 1.0);
        const auto wanted = static_cast<std::uint64_t>(std::llround(share * static_cast<double>(all)));
        if (replay.playing()) {
            replay.play_or_pause();
        }
        replay.go_to(replay.ns_of_event(wanted));
    }
    tooltip(ui_, "Drag: everything shows that moment. Each event has the same length on the track");
    const float share =
        replay.on() ? static_cast<float>(static_cast<double>(replay.event()) / static_cast<double>(all)) : 1;
    const float knob = left + width * std::min(share, 1.0f);
    const figure::Rgba empty = figure::mixed(t.background, t.text, 0.18);
    constexpr std::uint64_t kMostSegments = 40;
    if (replay.on() && all <= kMostSegments) {  // a segment for each event
        const float segment = width / static_cast<float>(all), gap = std::min(ui_.exact_px(4), segment / 4);
        for (std::uint64_t i = 0; i < all; ++i) {
            const float x = left + segment * static_cast<float>(i);
            list->AddRectFilled({x, middle - half}, {x + segment - gap, middle + half},
                                colour(x + segment * 0.5f < knob ? t.issue : empty), half);
        }
    } else {
        list->AddRectFilled({left, middle - half}, {left + width, middle + half}, colour(empty), half);
        list->AddRectFilled({left, middle - half}, {knob, middle + half}, colour(t.issue), half);
    }
    list->AddCircleFilled({knob, middle}, r, colour(replay.on() ? t.text : t.dim));
}

void ReplayBar::draw(ImVec2 min, ImVec2 max) {
    Replay& replay = state_.replay;
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    ui_.rects.insert_or_assign("replay", WidgetRect{min.x, min.y, max.x, max.y});
    const float middle = std::round((min.y + max.y) / 2), y = middle - ui_.px(kButton / 2);
    float x = min.x + ui_.px(14);
    if (put(x, y, "replay/back", "Back", "Show the previous event. The picture goes back, the program does not",
            "replay.step-back")) {
        replay.step(-1);
    }
    if (put(x, y, "replay/forward", "Forward", "Step to the next event", "replay.forward")) {
        replay.step(1);
    }
    if (put(x, y, "replay/play", "", replay.playing() ? "Pause" : "Play the run again, slowly", "", replay.playing(),
            replay.playing() ? '=' : '>')) {
        replay.play_or_pause();
    }
    if (put(x, y, "replay/slower", "−", "Ten times slower", "replay.slower")) {
        replay.set_slower(1);
    }
    const std::string speed = "1:" + figure::count_text(static_cast<std::uint64_t>(replay.slowdown()));
    const float speed_width = text_width(ui_, Face::mono, kReplayText, "1:1,000,000");
    draw_text(ui_, list, x + (speed_width - text_width(ui_, Face::mono, kReplayText, speed)) / 2, middle + ui_.px(4),
              Face::mono, kReplayText, replay.on() ? t.text : t.faint, speed);
    x += speed_width + ui_.px(4);
    if (put(x, y, "replay/faster", "+", "Ten times faster", "replay.faster")) {
        replay.set_slower(-1);
    }
    float right = max.x - ui_.px(14);
    std::string words = !state_.session.live() ? "the end of the run" : replay.possible() ? "now" : "the run is going";
    if (replay.on()) {
        const ButtonLook look{.height = ui_.px(kButton), .text_px = kReplayText};
        const float wide = button_width(ui_, "Leave", look);
        right -= wide;
        if (button(ui_, "replay/leave", "Leave", {right, y}, look)) {
            replay.leave();
            return;
        }
        tooltip_of_command(ui_, "Show the whole run again", "replay.leave");
        right -= ui_.px(10);
        words = "event " + figure::count_text(replay.event()) + " of " + figure::count_text(replay.events()) + " · " +
                figure::duration_text(replay.passed_ns());
    }
    // As wide as it can become, so that the track keeps its place.
    const std::string all = replay.on() ? figure::count_text(replay.events()) : std::string("100");
    const float words_width =
        text_width(ui_, Face::medium, kReplayText, "event " + all + " of " + all + " · 00.0 ms ");
    if (right - x - words_width > ui_.px(140)) {
        draw_text_right(ui_, list, right, middle + ui_.px(4), Face::medium, kReplayText, replay.on() ? t.text : t.faint,
                        words);
        right -= words_width + ui_.px(14);
    }
    draw_track(x + ui_.px(12), right - ui_.px(10), middle);
}

}  // namespace headway::ui
