#include "app/ui/state/learning/predictions.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/ui/state/learning/run_data.h"

namespace headway::ui {
namespace {

// A part of a run answers nothing: what is asked about may have come after it.
bool complete(const session::Execution& run) {
    return run.run() != nullptr && run.run()->end().complete();
}

}  // namespace

void Predictions::update() {
    if (lesson_ != programs_.index() || revision_ != programs_.revision()) {
        lesson_ = programs_.index();
        revision_ = programs_.revision();
        questions_.clear();
        answers_.clear();
        if (const lesson::Lesson* lesson = programs_.lesson()) {
            auto loaded = questions::load_questions(std::filesystem::path(lesson->file).parent_path());
            if (loaded) {
                questions_ = std::move(*loaded);
            } else {
                notices_.add(
                    Notice::Kind::file, Notice::Tone::bad,
                    loaded.error().file + ":" + std::to_string(loaded.error().line) + ": " + loaded.error().message);
            }
        }
        guesses_.assign(questions_.size(), {});
    }
    judge();
}

void Predictions::judge() {
    const session::Execution* run = session_.b();
    const lesson::Lesson* lesson = programs_.lesson();
    const bool ended = run != nullptr && run->run() != nullptr && !run->grows() && !run->lags() &&
                       run->phase() != session::Phase::recorded && complete(*run);
    if (questions_.empty() || lesson == nullptr || !ended || run->settings.program != session_.settings.program) {
        answers_.clear();
        return;
    }
    if (!answers_.empty() && answered_ == session_.started()) {
        return;
    }
    answered_ = session_.started();
    answers_.clear();
    const auto data = data_of(*run);
    const auto facts = check::make_run_facts(data);
    for (const questions::Question& question : questions_) {
        answers_.push_back(questions::answer_of(question, *facts, questions::time_axis_of(*data->run)));
    }
}

void Predictions::guess(std::size_t question, questions::Guess guess) {
    guesses_[question] = {std::move(guess), session_.started() + 1};
}

const questions::RunAnswer* Predictions::answer_of(std::size_t question) const {
    const Made& made = guesses_[question];
    return answers_.empty() || !made.guess || made.before_run > answered_ ? nullptr : &answers_[question];
}

bool Predictions::all_guessed() const {
    return std::all_of(guesses_.begin(), guesses_.end(), [](const Made& made) { return made.guess.has_value(); });
}

const char* Predictions::hint() const {
    std::size_t answered = 0, waiting = 0;  // waiting: guessed in time for the live run
    for (std::size_t i = 0; i < guesses_.size(); ++i) {
        answered += answer_of(i) != nullptr ? 1 : 0;
        waiting += guesses_[i].guess && guesses_[i].before_run <= session_.started() ? 1 : 0;
    }
    if (session_.live()) {
        return waiting > 0 ? "answered when the run has ended" : "for the next run";
    }
    if (const session::Execution* run = session_.b(); run != nullptr && !complete(*run) && waiting > 0) {
        return "the run is not complete: run it again";
    }
    const bool ran = !answers_.empty();
    return answered == guesses_.size() ? ""
           : all_guessed()             ? ran ? "now run it again" : "now run it"
           : ran                       ? "before the next run"
                                       : "before you run it";
}

}  // namespace headway::ui
