#include "app/ui/state/app_state.h"

#include "app/model/description/sentence.h"
#include "app/timeline/timeline.h"
#include "engine/trace/barrier_names.h"

namespace headway::ui {

using session::Phase;

AppState::AppState(session::Session& s, std::vector<lesson::Lesson> lessons, const std::function<void()>& wake)
    : session(s),
      arrangement(s),
      settings(s),
      source(s, notices, wake),
      programs(s, notices, source, std::move(lessons)),
      replay(s),
      lines(s, source, replay, timeline),
      predictions(s, programs, notices),
      checking(s, programs, source, notices),
      comparing(s, programs, source, lines, notices, timeline.selection),
      exports({s, comparing, arrangement, bookmarks, timeline, look}, notices, wake) {
    programs.on_choice = [this](const lesson::Lesson& lesson) {
        comparing.drop();  // its runs belong to another lesson
        take_settings(lesson);
    };
    source.on_change = [this] { lines.hand_over_breakpoints(); };
}

void AppState::take_settings(const lesson::Lesson& lesson) {
    details.graph_line = 0;
    details.show(lesson.view);
    settings.set_device(lesson.device);
    if (auto policy = trace::barrier_called(lesson.barrier)) {
        session.settings.barrier = *policy;
    }
    session.settings.costs = lesson.costs;
    session.settings.streams = lesson.streams;
    session.settings.gpus = lesson.gpus > 1 ? lesson.gpus : 0;
    session.settings.links = lesson.links;
    session.settings.gpu_speeds = lesson.gpu_speeds;
    settings.reset_parameters(&lesson);
}

void AppState::run() {
    begin([this] {
        if (auto started = session.start(); !started) {
            notices.add(Notice::Kind::run, Notice::Tone::bad,
                        session.b() != nullptr ? session.b()->ending() : started.error().message);
        }
    });
}

void AppState::begin(const std::function<void()>& start) {
    if (session.settings.program.empty()) {
        return;
    }
    replay.leave();
    comparing.drop();
    notices.dismiss(Notice::Kind::run);
    notices.dismiss(Notice::Kind::file);
    timeline.selection = {};
    if (auto ready = source.prepare_run(); !ready) {
        notices.add(Notice::Kind::run, Notice::Tone::bad, ready.error().message);
        return;
    }
    if (session.live()) {
        session.stop_at_once();  // breakpoints now apply to the next run
    }
    lines.hand_over_breakpoints();
    last_phase_ = Phase::starting;  // if it cannot be started, poll() says why, each time
    start();
    lines.note_run();
}

void AppState::run_or_pause() {
    replay.leave();
    if (session.live()) {
        session.toggle_pause();
    } else {
        run();
    }
}

void AppState::stop() {
    session.stop();
}

void AppState::step_line(trace::LineMode mode) {
    replay.leave();
    if (session.live()) {
        session.step_line(mode);
    } else if (lines.can_step()) {
        begin([this, mode] { session.step_line(mode); });
    }
}

void AppState::step_op() {
    replay.leave();
    if (session.live()) {
        session.step_op();
    } else {
        begin([this] { session.step_op(); });
    }
}

void AppState::run_to_line(std::uint32_t line) {
    if (!lines.can_step()) {
        return;
    }
    replay.leave();
    if (!session.live()) {
        begin([this, line] { session.run_to_line(line); });
    } else if (const auto run_line = lines.ran_document() ? source.document()->run_line(line) : 0; run_line != 0) {
        session.run_to_line(run_line);
    }
}

void AppState::step_backend() {
    replay.leave();
    session.step_backend();
}

void AppState::step_back() {
    if (replay.possible()) {
        replay.step(-1);
        return;
    }
    const session::Execution* b = session.b();
    const bool no_ops = b != nullptr && b->run() != nullptr && b->run()->op_count() == 0;
    notices.add(Notice::Kind::run, Notice::Tone::info,
                b == nullptr        ? "There is no run to step back in: run the program first (F5)."
                : session.running() ? "Pause the run to step back in it (Space)."
                : no_ops ? (b->live() ? "This run has issued no ops yet, so there is nothing to step back to."
                                      : "This run issued no ops, so there is nothing to step back to.")
                         : "Stepping back is possible once the recording has been read.");
}

void AppState::reset() {
    replay.leave();
    comparing.drop();
    comparing.forget();
    session.reset();
    timeline.selection = {};
    notices.clear();
    timeline.view.set_whole(whole_view());
    timeline.view.restart();
}

void AppState::next_overlay() {
    const bool path = timeline.show_path;
    timeline.show_path = !path;
    timeline.show_what_if = timeline.show_what_if != path;
    const session::Execution* shown = session.b();
    if ((timeline.show_path || timeline.show_what_if) && shown != nullptr && shown->run() != nullptr &&
        !shown->run()->capabilities().tensors) {
        notices.add(Notice::Kind::run, Notice::Tone::info,
                    "This trace has no dependency data, so no critical path can be shown.");
    }
}

void AppState::use_data_folder(const std::filesystem::path& folder) {
    bookmarks.folder = folder;
    exports.pictures.remember_in(folder / "picture.txt");
    if (const auto read = progress.use_folder(folder); !read) {
        notices.add(Notice::Kind::start, Notice::Tone::info, read.error().message);
    }
    const auto remarks = arrangement.use_folder(folder);
    if (!remarks) {
        notices.add(Notice::Kind::file, Notice::Tone::bad, remarks.error().message);
    } else if (!remarks->empty()) {
        notices.add(Notice::Kind::file, Notice::Tone::info,
                    remarks->front() +
                        (remarks->size() > 1 ? " (and " + std::to_string(remarks->size() - 1) + " more)" : "") + ".");
    }
}

figure::TimelineView AppState::whole_view() const {
    std::vector<figure::TimelineRun> runs;
    // A failed, stopped or stepped run uses the other run's axis once it has ended.
    const session::Execution* b = session.b();
    const bool only_b = look.mode == Mode::step && b != nullptr && b->run() != nullptr;
    const bool by_a = !only_b && session.a() != nullptr && b != nullptr && !b->live() && !b->whole();
    for (const auto* execution : {by_a ? nullptr : b, only_b ? nullptr : session.a()}) {
        if (execution != nullptr && execution->run() != nullptr) {
            runs.push_back({execution->run(), execution->letter, {}, {}, -1});
        }
    }
    if (runs.empty()) {
        return {0, 1e6};
    }
    figure::TimelineView whole = figure::whole_view(runs, false);
    if (session.live()) {
        // Room to grow; and, while the learner steps or holds, for what is queued.
        const model::Run* run = b->run();
        const bool steps = run != nullptr && (run->paused_or_held() || run->stopped_by_learner());
        whole.end_ns += whole.span_ns() * (steps ? 0.6 : 0.05);
    }
    return whole;
}

// Says that a program has failed as soon as it has, while the ops that it issued are still being executed.
void AppState::note_failure() {
    const session::Execution* b = session.b();
    if (b == nullptr || early_failure_of_ == session.started()) {
        return;
    }
    if (const std::string failure = b->early_failure(); !failure.empty()) {
        early_failure_of_ = session.started();
        notices.add(Notice::Kind::run, Notice::Tone::bad,
                    failure + " Ops that it had issued are still to be executed; Stop drops them.");
    }
}

// Only what the learner has done in a lesson that is on the map.
void AppState::note_progress() {
    const lesson::Lesson* lesson = programs.lesson();
    if (lesson != nullptr && lesson->part > 0 && !look.map) {
        progress.note(lesson->id, Progress::Step::opened);
        const session::Execution* b = session.b();
        const bool ran = b != nullptr && b->phase() == Phase::finished && !b->live() && comparing.earlier().empty();
        if (ran && b->settings.program == session.settings.program) {
            progress.note(lesson->id, Progress::Step::ran);
        }
        if (!predictions.questions().empty() && predictions.all_guessed()) {
            progress.note(lesson->id, Progress::Step::predicted);
        }
    }
    if (checking.report() != nullptr && checking.report()->passed() && lesson != nullptr && !lesson->exercise.empty()) {
        progress.note_solved(lesson->exercise);
    }
    if (const auto saved = progress.save(); !saved) {
        notices.add(Notice::Kind::file, Notice::Tone::bad, saved.error().message);
    }
}

bool AppState::poll(double budget_ms) {
    bool changed = session.poll(budget_ms);
    changed = source.files.poll() || changed;
    changed = exports.poll() || changed;
    changed = comparing.poll(budget_ms) || changed;
    settings.poll();
    predictions.update();
    changed = checking.poll() || changed;
    if (source.document() != nullptr && source.document()->settle()) {
        lines.hand_over_breakpoints();
    }
    if (session.started() != last_started_) {
        last_started_ = session.started();
        last_phase_ = Phase::starting;
        if (session.b() != nullptr && session.b()->phase() == Phase::recorded && source.document() != nullptr) {
            lines.note_run();  // a recording of the shown program: its line numbers are used as the document's
        }
        timeline.view.set_whole(whole_view());
        timeline.view.restart();
    }
    if (changed || session.live() || last_mode_ != look.mode) {
        last_mode_ = look.mode;
        timeline.view.set_whole(whole_view());
    }
    std::vector<Bookmarks::Shown> shown;
    for (const auto* execution : {session.b(), session.a()}) {
        if (execution != nullptr && execution->run() != nullptr) {
            shown.push_back({execution->run(), !execution->live() && !session.behind()});
        }
    }
    if (const std::string problem = bookmarks.watch(shown); !problem.empty()) {
        notices.add(Notice::Kind::file, Notice::Tone::bad, problem);
    }
    note_progress();
    note_failure();
    const Phase phase = session.b() != nullptr ? session.b()->phase() : Phase::finished;
    if (phase != last_phase_) {
        last_phase_ = phase;
        timeline.view.set_whole(whole_view());
        if (session.b() != nullptr && !session.b()->ending().empty()) {
            notices.add(Notice::Kind::run, phase == Phase::stopped ? Notice::Tone::info : Notice::Tone::bad,
                        session.b()->ending());
        }
    }
    if (!session.device_problem().empty() && last_device_problem_ != session.device_problem()) {
        last_device_problem_ = session.device_problem();
        notices.add(Notice::Kind::device, Notice::Tone::bad, model::sentence_of(session.device_problem()));
    }
    return changed;
}

}  // namespace headway::ui
