#include "app/ui/lesson/now_box.h"

#include <algorithm>

#include "app/ui/lesson/predict/lesson_sizes.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

namespace {

// "Stopped before line 6, “if z:”."
std::string stopped_at(const AppState& state, std::uint32_t line) {
    const bool within = state.session.stop_position() == trace::StopPosition::within_line;
    std::string text = std::string("Stopped ") + (within ? "in" : "before") + " line " + std::to_string(line);
    const auto& lines = state.source.document()->text.lines();
    if (line <= lines.size()) {
        const std::string& code = lines[line - 1];
        const std::size_t begin = std::min(code.find_first_not_of(" \t"), code.size());
        constexpr std::size_t kMost = 60;
        if (begin < code.size() && code.size() - begin <= kMost) {
            return text + ", “" + code.substr(begin) + "”.";
        }
    }
    return text + ".";
}

}  // namespace

NowText now_text(AppState& state) {
    if (state.replay.on()) {
        const model::Run& run = state.replay.run();
        const model::Moment& moment = state.replay.moment();
        return {model::frontend_sentence(run, moment) + " " + model::backend_sentence(run, moment),
                state.session.live() ? "→ shows the next event, ← the one before, Esc what is now. The program "
                                       "stays where it is."
                                     : "→ shows the next event, ← the one before, Esc the whole run."};
    }
    const session::Session& session = state.session;
    const session::Execution* b = session.b();
    const bool held = session.backend_held(), paused = session.paused();
    if (b == nullptr || b->run() == nullptr || !session.live() || !(held || paused)) {
        return {};
    }
    const model::Run& run = *b->run();
    const model::Moment moment = model::moment_at(run, run.now_ns(), 1);
    NowText text;
    // A paused program stands before a line or an op; its last event may belong to an earlier line.
    const std::uint32_t line = state.lines.current();
    const bool at_line = paused && moment.wait < 0 && line != 0;
    text.sentence = (at_line ? stopped_at(state, line) : model::frontend_sentence(run, moment)) + " " +
                    model::backend_sentence(run, moment);
    if (held) {
        text.sentence += " You hold the backend.";
        core::OpId next = 0;
        for (const model::LaneMoment& lane : moment.lanes) {
            if (lane.running == 0 && !lane.waiting.empty() && (next == 0 || lane.waiting.front() < next)) {
                next = lane.waiting.front();
            }
        }
        text.hint = next != 0 ? "+1 op lets the backend start one op; Hold releases it."
                              : "Line (F10) runs the frontend to the next line; Hold releases the backend.";
    } else {
        text.hint = state.lines.can_step()
                        ? "Line (F10) runs to the next line, Op (F11) to the next op; Resume continues the run."
                        : "Op (F11) runs to the next op; Resume continues the run.";
    }
    return text;
}

float draw_now_box(AppState& state, Ui& ui, ImVec2 at, float width) {
    const NowText text = now_text(state);
    if (text.sentence.empty()) {
        return 0;
    }
    const figure::Theme& t = *ui.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float pad = ui.px(12), room = width - 2 * pad;
    const auto wrapped = [&](ImDrawList* to, ImVec2 place, Face face, figure::Rgba tone, const std::string& words) {
        return draw_wrapped(ui, to, place, room, face, kLessonText, kLessonLine, tone, words);
    };
    ui.fonts.cover(text.sentence);
    const float sentence = wrapped(nullptr, {}, Face::regular, t.text, text.sentence);
    const float hint = wrapped(nullptr, {}, Face::medium, t.good, text.hint);
    const float height = ui.px(28) + sentence + ui.px(6) + hint + ui.px(10);
    draw_card(ui, list, at, {at.x + width, at.y + height}, figure::mixed(t.panel, t.good, t.dark ? 0.12 : 0.08), 8);
    list->AddRect(at, {at.x + width, at.y + height}, colour(figure::mixed(t.panel, t.good, 0.6)), ui.exact_px(8));
    draw_text(ui, list, at.x + pad, at.y + ui.px(20), Face::semibold, 13, t.good,
              state.replay.on() ? "At this moment" : "Now");
    wrapped(list, {at.x + pad, at.y + ui.px(28)}, Face::regular, t.text, text.sentence);
    wrapped(list, {at.x + pad, at.y + ui.px(34) + sentence}, Face::medium, t.good, text.hint);
    ui.rects.insert_or_assign("now", WidgetRect{at.x, at.y, at.x + width, at.y + height});
    return height;
}

}  // namespace headway::ui
