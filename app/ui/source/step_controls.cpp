#include "app/ui/source/step_controls.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/render/format.h"
#include "app/ui/widgets/slider.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

constexpr float kRowHeight = 30, kButton = 24, kPadding = 7, kControlText = 12.5f;
constexpr float kLeastSlider = 130, kMostSlider = 250;  // design pixels, with its words
constexpr float kOff = 0.06f;                           // the slider's left end: slow motion off
constexpr double kLeast_ms = 1, kDecades = 4;

}  // namespace

std::uint64_t delay_ns_at(float share) {
    if (share < kOff) {
        return 0;
    }
    const double along = std::min(1.0, static_cast<double>((share - kOff) / (1 - kOff)));
    const double ms = kLeast_ms * std::pow(10.0, along * kDecades);
    // Two significant digits: the slider is not more precise than that.
    const double unit = std::pow(10.0, std::floor(std::log10(ms)) - 1);
    return static_cast<std::uint64_t>(std::llround(std::round(ms / unit) * unit * 1e6));
}

float share_of_delay(std::uint64_t delay_ns) {
    if (delay_ns == 0) {
        return 0;
    }
    const double along = std::log10(std::max(kLeast_ms, static_cast<double>(delay_ns) / 1e6) / kLeast_ms) / kDecades;
    return kOff + (1 - kOff) * static_cast<float>(std::min(1.0, along));
}

bool StepControls::put(ImVec2& at, const char* id, const char* label, bool enabled, const char* help, bool selected,
                       char icon) {
    ButtonLook look{.enabled = enabled, .height = ui_.px(kButton), .text_px = kControlText};
    look.kind = selected ? ButtonKind::selected : ButtonKind::plain;
    look.icon = icon;
    const float text = *label != '\0' ? text_width(ui_, Face::semibold, kControlText, label) : 0;
    look.width = std::ceil(text) + ui_.px(*label != '\0' ? 2 * kPadding : 30);
    make_room(at, look.width);
    const bool clicked = button(ui_, id, label, at, look);
    tooltip(ui_, help);
    at.x += look.width + ui_.px(4);
    return clicked;
}

void StepControls::frontend(ImVec2& at, std::uint32_t line) {
    const auto& session = state_.session;
    const bool lines = state_.lines.can_step(), ready = !session.settings.program.empty();
    const char* no_lines = "This program is in C++ and can only be stepped by ops";
    if (put(at, "step/line", "Line", lines, lines ? "Step: to the next line (F10)" : no_lines)) {
        state_.step_line();
    }
    if (put(at, "step/over", "Over", lines, lines ? "Step over: calls run without stopping (Ctrl F10)" : no_lines)) {
        state_.step_line(trace::LineMode::over);
    }
    if (put(at, "step/op", "Op", ready, "Step: issue one op, then pause (F11)")) {
        state_.step_op();
    }
    if (put(at, "step/cursor", "To cursor", lines, lines ? "Run to the line with the cursor (Ctrl F11)" : no_lines)) {
        state_.run_to_line(line);
    }
}

void StepControls::backend(ImVec2& at) {
    const figure::Theme& t = *ui_.theme;
    auto& session = state_.session;
    const auto width = [this](Face face, const char* words) { return text_width(ui_, face, kControlText, words); };
    make_room(at, width(Face::medium, "Backend") + width(Face::semibold, "Hold") + width(Face::semibold, "+1 op") +
                      ui_.px(4 * kPadding + 7 + 4));
    at.x += draw_text(ui_, ImGui::GetWindowDrawList(), at.x, at.y + ui_.px(17), Face::medium, kControlText, t.dim,
                      "Backend") +
            ui_.px(7);
    const bool held = session.backend_held();
    if (put(at, "backend/hold", "Hold", true,
            held ? "The lanes start no new ops; click to release them (H)"
                 : "Hold the backend: the lanes start no new ops, the frontend continues to issue (H)",
            held)) {
        session.hold_backend(!held);
    }
    if (put(at, "backend/step", "+1 op", held && session.live(), "Let the held backend start one more op (Shift H)")) {
        state_.step_backend();
    }
}

void StepControls::slow_motion(float x, float y, float right) {
    const figure::Theme& t = *ui_.theme;
    auto& session = state_.session;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const std::uint64_t delay = session.line_delay_ns();
    x += draw_text(ui_, list, x, y + ui_.px(17), Face::medium, kControlText, t.dim, "Slow") + ui_.px(8);
    const std::string value = delay == 0 ? "off" : figure::duration_text(static_cast<double>(delay));
    const float value_width = text_width(ui_, Face::mono, kControlText, "10.0 ms") + ui_.px(4);
    const float end = std::min(right - value_width - ui_.px(6), x + ui_.px(180));
    const float width = std::max(ui_.px(40), end - x), knob = ui_.px(7);
    if (const auto share = slider(ui_, "slow", {x + knob, y + ui_.px(kButton / 2)}, width - 2 * knob,
                                  static_cast<double>(share_of_delay(delay)), {.ink = t.issue, .set = delay != 0})) {
        if (const auto wanted = delay_ns_at(static_cast<float>(*share)); wanted != delay) {
            session.set_line_delay(wanted);
        }
    }
    tooltip(ui_, "Slow motion: a pause after each line and each op, from 1 ms to 10 s; the lanes are slowed alike");
    draw_text(ui_, list, x + width + ui_.px(6), y + ui_.px(17), Face::mono, kControlText, delay == 0 ? t.faint : t.text,
              value);
}

// To the next row if this much does not fit into this one.
void StepControls::make_room(ImVec2& at, float width) const {
    if (at.x > left_ && at.x + width > right_) {
        at = {left_, at.y + ui_.px(kRowHeight)};
    }
}

float StepControls::draw(ImVec2 at, float width, std::uint32_t line) {
    const float top = at.y;
    left_ = at.x;
    right_ = at.x + width;
    frontend(at, line);
    at.x += ui_.px(8);
    backend(at);
    at.x += ui_.px(8);
    if (right_ - at.x >= ui_.px(kLeastSlider)) {
        slow_motion(at.x, at.y, std::min(right_, at.x + ui_.px(kMostSlider)));
    }
    return at.y + ui_.px(kRowHeight) - top;
}

}  // namespace headway::ui
