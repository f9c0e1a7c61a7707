// A question that is answered by drawing an interval, or a moment, into an empty timeline: by dragging, or with the
// arrow keys. After the run, what is right is drawn as the timeline draws it, with the learner's as an outline over it.
#pragma once

#include <cstddef>
#include <optional>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class DrawnQuestion {
public:
    DrawnQuestion(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    // Returns the height. The question must be a drawn one.
    float draw(std::size_t question, ImVec2 at, float width);

private:
    // What a drag moves: one end, the whole interval, or what is drawn anew.
    enum class Part { from, to, whole, fresh };
    struct Drag {
        std::size_t question = 0;
        Part part = Part::fresh;
        double from_percent = 0;      // of the pointer, when the drag began
        questions::DrawnGuess guess;  // at that time
        bool moved = false;
    };
    struct Row {
        float left = 0, right = 0, top = 0, bottom = 0;
        [[nodiscard]] float x_px(double percent) const {
            return left + static_cast<float>(percent / 100) * (right - left);
        }
        [[nodiscard]] double percent(float x_px) const {
            return static_cast<double>((x_px - left) / (right - left)) * 100;
        }
    };

    std::optional<questions::DrawnGuess> take_input(std::size_t question, const Row& row);
    [[nodiscard]] std::optional<questions::DrawnGuess> take_keys(std::size_t question, const Row& row);
    [[nodiscard]] std::optional<questions::DrawnGuess> dragged(double percent, bool moment) const;
    void draw_meaning(const questions::Drawn& drawn, const Row& row, const questions::DrawnGuess& guess);
    void draw_outline(const questions::Drawn& drawn, const Row& row, const questions::DrawnGuess& guess, bool handles);
    void draw_row(std::size_t question, const Row& row);
    float draw_axis(std::size_t question, const Row& row);
    float draw_legend(std::size_t question, ImVec2 at);

    AppState& state_;
    Ui& ui_;
    std::optional<Drag> drag_;
};

}  // namespace headway::ui
