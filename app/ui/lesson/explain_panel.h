// What happened in the last run, sentence by sentence, and predicted + named parts = measured.
//
// Pointing at a sentence highlights what it is about in the timeline and in the source; a click zooms to it, and keeps
// it highlighted until Esc, another click or another run.
#pragma once

#include <cstdint>
#include <vector>

#include "app/ui/lesson/explanation_lookup.h"
#include "app/ui/state/app_state.h"
#include "app/ui/widgets/paragraph.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class ExplainPanel {
public:
    ExplainPanel(AppState& state, Ui& ui) : state_(state), ui_(ui) {}

    // Looks for a run to explain, and highlights the places of the chosen sentence. Once a frame, before draw() and the
    // timeline, whether the panel is drawn or not.
    void update();
    // Draws from ImGui's cursor down, and moves the cursor below. `may_scroll`: scrolls to the explanation of a
    // lesson's first run.
    void draw(float width, bool may_scroll);
    // Chooses the next sentence (or the previous one) as a click on it does, and scrolls to it.
    void step(int direction);
    [[nodiscard]] bool any() const { return lookup_.run() != nullptr && !lookup_.explanation().sentences.empty(); }
    // Whether the learner has looked at this explanation: chosen a sentence of it, rested on one, or asked for it.
    [[nodiscard]] bool read() const { return read_; }
    void set_read() { read_ = any(); }
    [[nodiscard]] bool busy() const { return lookup_.busy(); }
    [[nodiscard]] const model::Explanation& explanation() const { return lookup_.explanation(); }

private:
    // The explained run is not the one that is shown: a new one is in progress.
    [[nodiscard]] bool stale() const;
    void draw_reading(float width);
    float draw_bar(ImVec2 at, float width, const model::TimeBar& bar);
    float draw_sentence(std::size_t index, ImVec2 at, float width);
    [[nodiscard]] std::vector<TextPiece> pieces_of(const model::Sentence& sentence) const;
    void point_at(std::size_t index);
    void choose(std::size_t index);

    AppState& state_;
    Ui& ui_;
    ExplanationLookup lookup_;
    std::string shown_program_;
    bool read_ = false;
    int shown_lesson_ = kNoLessonYet;  // the lesson whose first explanation was scrolled to
    bool scroll_to_ = false;           // scroll to the heading, or to the chosen sentence, in the next frame drawn
};

}  // namespace headway::ui
