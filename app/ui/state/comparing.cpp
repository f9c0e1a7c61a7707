#include "app/ui/state/comparing.h"

#include <string_view>
#include <utility>

#include "app/model/description/sentence.h"

namespace headway::ui {

namespace fs = std::filesystem;
using session::Execution;
using session::Phase;
using session::Settings;

namespace {

constexpr std::string_view kUnknownProgram = "another program";

}  // namespace

std::string Comparing::earlier() const {
    const Execution* shown = session_.b() != nullptr ? session_.b() : session_.a();
    const Settings& now = session_.settings;
    if (shown == nullptr || shown->live() || now.program.empty()) {
        return {};
    }
    const Settings& then = shown->settings;
    if (const std::string other = other_program(shown); !other.empty()) {
        return "of " + (other == kUnknownProgram ? other : "“" + other + "”");
    }
    if (shown->phase() == Phase::recorded) {
        return {};
    }
    if (then.tab != now.tab) {
        return "of another tab";
    }
    if (!then.text.empty() && then.text != source_.text()) {
        return "from before the program was edited";
    }
    if (then.parameters != now.parameters) {
        return "from before the parameters were changed";
    }
    if (then.device != now.device) {
        return "from before the device was changed";
    }
    return {};
}

std::string Comparing::other_program(const Execution* run) const {
    const std::string& now = session_.settings.program;
    if (run == nullptr || now.empty() || run->settings.program == now ||
        (run->phase() == Phase::recorded && programs_.lesson() != nullptr &&
         run->settings.program == programs_.lesson()->id)) {
        return {};
    }
    const std::string name = programs_.name_of(run->settings.program);
    return name.empty() ? std::string(kUnknownProgram) : name;
}

std::optional<Comparing::Sides> Comparing::sides() const {
    const Execution *a = session_.a(), *b = session_.b();
    // A run of another program cannot run again: the text and the folder shown are not its own.
    const auto can_run_again = [this](const Execution* run) {
        return run != nullptr && run->comparable() && run->phase() != Phase::recorded &&
               run->settings.program == session_.settings.program;
    };
    if (session_.live() || !can_run_again(b)) {
        return std::nullopt;
    }
    Settings now = session_.settings;
    now.text = source_.text();
    if (!same_run(b->settings, now)) {
        return Sides{b->settings, now};
    }
    if (can_run_again(a)) {
        return Sides{a->settings, b->settings};
    }
    return std::nullopt;
}

// The settings with a file that holds their text, even if the editor's text has changed since.
core::Result<Settings> Comparing::runnable(Settings settings, const char* side) const {
    const editor::Document* shown = source_.document();
    if (settings.tab == source_.tab() && settings.text == source_.text()) {
        settings.source = session_.settings.source;  // as in a run of the editor's text
        return settings;
    }
    if (settings.tab != source_.tab() || settings.text.empty() || shown == nullptr || shown->read_only()) {
        return settings;  // as it was run
    }
    const auto folder = session_.temporary_folder(std::string("compared-") + side);
    if (!folder) {
        return folder.error();
    }
    const fs::path file = *folder / shown->path().filename();
    if (auto written = shown->write_text_to(settings.text, file); !written) {
        return written.error();
    }
    settings.source = file.string();
    return settings;
}

void Comparing::start() {
    const auto both = sides();
    if (!both) {
        notices_.add(
            Notice::Kind::run, Notice::Tone::info,
            "There is nothing to compare: run the program, change the barrier, a parameter or the program, and "
            "compare.");
        return;
    }
    notices_.dismiss(Notice::Kind::run);
    notices_.dismiss(Notice::Kind::file);
    if (auto ready = source_.prepare_run(); !ready) {
        notices_.add(Notice::Kind::run, Notice::Tone::bad, ready.error().message);
        return;
    }
    auto a = runnable(both->a, "a"), b = runnable(both->b, "b");
    for (auto* side : {&a, &b}) {
        if (!*side) {
            notices_.add(Notice::Kind::run, Notice::Tone::bad,
                         model::sentence_of("These runs cannot be compared: " + side->error().message));
            return;
        }
        (*side)->folder = session_.settings.folder;
        (*side)->folder_writable = session_.settings.folder_writable;
    }
    rounds_ = std::make_unique<session::Rounds>(session_.options(), std::move(*a), std::move(*b));
}

void Comparing::stop() {
    if (rounds_) {
        rounds_->stop();
        show_compared();
    }
}

bool Comparing::poll(double budget_ms) {
    if (!rounds_) {
        return false;
    }
    const bool changed = rounds_->poll(budget_ms);
    if (rounds_->over()) {
        show_compared();
    }
    return changed;
}

void Comparing::show_compared() {
    const auto rounds = std::exchange(rounds_, nullptr);
    const std::string shortfall = rounds->shortfall();
    auto result = rounds->take();
    if (!result) {
        notices_.add(Notice::Kind::run, Notice::Tone::bad, rounds->problem());
        return;
    }
    const std::string text = result->run_b->settings.text;
    session_.show_pair(std::move(result->run_a), std::move(result->run_b));
    selection_ = {};
    compared_ = Compared{session_.started(), std::move(result->a), std::move(result->b)};
    if (text == source_.text() && session_.b()->settings.tab == source_.tab()) {
        lines_.note_run();  // its lines match the document's
    }
    if (!shortfall.empty()) {
        notices_.add(Notice::Kind::run, Notice::Tone::info, shortfall);
    }
}

std::size_t Comparing::runs_behind() const {
    return compared_ && compared_->started == session_.started() ? compared_->a.samples.size() : 0;
}

const comparison::Verdict* Comparing::verdict() {
    const Execution *a = session_.a(), *b = session_.b();
    const auto ready = [](const Execution* run) { return has_ops(run) && !run->live() && !run->lags(); };
    if (!ready(a) || !ready(b)) {
        verdict_.reset();
        judged_ = {};
        return nullptr;
    }
    const Judged now{a, b, session_.version()};
    if (!verdict_ || !(judged_ == now)) {
        judged_ = now;
        if (runs_behind() > 0) {
            verdict_ = comparison::verdict_of(compared_->a, compared_->b);
        } else {
            comparison::Side of_a = comparison::side_of(*a->run(), a->numbers()),
                             of_b = comparison::side_of(*b->run(), b->numbers());
            for (const auto& [side, run] : {std::pair{&of_a, a}, {&of_b, b}}) {
                comparison::Ended& ended = side->samples.front().ended;
                if (ended == comparison::Ended::finished && !run->comparable()) {
                    ended = run->phase() == Phase::stopped  ? comparison::Ended::stopped
                            : run->phase() == Phase::failed ? comparison::Ended::failed
                            : run->phase() == Phase::killed ? comparison::Ended::crashed
                                                            : comparison::Ended::paused_or_stepped;
                }
            }
            verdict_ = comparison::verdict_of(of_a, of_b);
        }
    }
    return &*verdict_;
}

}  // namespace headway::ui
