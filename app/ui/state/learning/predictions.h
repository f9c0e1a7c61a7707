// What the learner predicts for the lesson's next run, and what the run answers. A guess counts for runs that are
// started after it.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "app/questions/judge.h"
#include "app/session/session.h"
#include "app/ui/state/program/programs.h"
#include "app/ui/state/view/notices.h"

namespace headway::ui {

class Predictions {
public:
    Predictions(session::Session& session, Programs& programs, Notices& notices)
        : session_(session), programs_(programs), notices_(notices) {}

    // Once a frame: follows the chosen lesson and its runs.
    void update();

    [[nodiscard]] const std::vector<questions::Question>& questions() const { return questions_; }
    void guess(std::size_t question, questions::Guess guess);
    // The guess for the next run, or the one that the shown run was started with.
    [[nodiscard]] const std::optional<questions::Guess>& guess_of(std::size_t question) const {
        return guesses_[question].guess;
    }
    // The same for a question whose guesses are of this kind.
    template <class Kind>
    [[nodiscard]] std::optional<Kind> guess_as(std::size_t question) const {
        const auto& guess = guess_of(question);
        return guess && std::holds_alternative<Kind>(*guess) ? std::optional<Kind>(std::get<Kind>(*guess))
                                                             : std::nullopt;
    }
    // The run's answer, to a guess that was made before it; null: none yet.
    [[nodiscard]] const questions::RunAnswer* answer_of(std::size_t question) const;
    [[nodiscard]] bool all_guessed() const;
    // What to do next; "": every question has its answer.
    [[nodiscard]] const char* hint() const;

private:
    struct Made {
        std::optional<questions::Guess> guess;
        std::uint64_t before_run = 0;  // the number of the first run that it counts for
    };
    void judge();

    session::Session& session_;
    Programs& programs_;
    Notices& notices_;
    int lesson_ = kNoLessonYet;
    std::uint64_t revision_ = 0;
    std::vector<questions::Question> questions_;
    std::vector<Made> guesses_;
    std::vector<questions::RunAnswer> answers_;  // of the run with the number answered_; empty: none
    std::uint64_t answered_ = 0;
};

}  // namespace headway::ui
