#include "app/ui/state/app_state.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>

#include "app/lesson/assets.h"
#include "app/model/user_data/user_data.h"
#include "app/timeline/timeline.h"
#include "engine/trace/barrier_names.h"

namespace headway::ui {

using session::Phase;

AppState::AppState(session::Session& s, std::vector<lesson::Lesson> lessons, std::function<void()> wake)
    : session(s),
      sources(wake),
      pictures(wake),
      lessons_(std::move(lessons)),
      places_(lessons_.size()),
      recordings_(lesson::find_recordings()) {
    sources.home = default_home();
    std::error_code ignored;
    picture_folder = std::filesystem::current_path(ignored);
    if (access(picture_folder.c_str(), W_OK) != 0) {
        if (const char* home = std::getenv("HOME")) {
            picture_folder = home;
        }
    }
}

const lesson::Lesson* AppState::lesson() const {
    return lesson_ >= 0 ? &lessons_[static_cast<std::size_t>(lesson_)] : nullptr;
}

void AppState::choose_lesson(int index) {
    if (index >= 0 && index < static_cast<int>(lessons_.size())) {
        rounds_.reset();  // they belong to another lesson
        if (auto kept = sources.save_copies(); !kept) {
            notices.add(Notice::Kind::file, Notice::Tone::bad, kept.error().message);
        }
        lesson_ = index;
        take_lesson_settings(*lesson());
        take_source();
    }
}

bool AppState::choose_lesson(std::string_view id) {
    const auto found = std::find_if(lessons_.begin(), lessons_.end(),
                                    [id](const auto& l) { return l.id == id && !l.program.empty(); });
    if (found == lessons_.end()) {
        return false;
    }
    choose_lesson(static_cast<int>(found - lessons_.begin()));
    return true;
}

void AppState::take_lesson_settings(const lesson::Lesson& lesson) {
    session.settings.program = lesson.program.empty() ? "" : place().empty() ? lesson.id : place().string();
    graph_line = 0;
    show_detail(lesson.view);
    set_device(lesson.device);
    if (auto policy = trace::barrier_from_word(lesson.barrier)) {
        session.settings.barrier = *policy;
    }
    session.settings.costs = lesson.costs;
    session.settings.streams = lesson.streams;
    reset_parameters();
}

std::string AppState::parameter(std::string_view name) const {
    for (const auto& [key, value] : session.settings.parameters) {
        if (key == name) {
            return value;
        }
    }
    return {};
}

std::string AppState::set_parameter(const lesson::Parameter& parameter, std::string_view text) {
    auto value = lesson::accept_value(parameter, text);
    if (!value) {
        return value.error().message;
    }
    for (auto& [key, old] : session.settings.parameters) {
        if (key == parameter.name) {
            old = *value;
        }
    }
    return {};
}

bool AppState::at_default(const lesson::Parameter& parameter) const {
    return this->parameter(parameter.name) == parameter.value;
}

void AppState::reset_parameters() {
    session.settings.parameters.clear();
    if (lesson() != nullptr) {
        for (const auto& p : lesson()->parameters) {
            session.settings.parameters.emplace_back(p.name, p.value);
        }
    }
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
    rounds_.reset();
    notices.dismiss(Notice::Kind::run);
    notices.dismiss(Notice::Kind::file);
    timeline.selection = {};
    if (auto ready = prepare_run(); !ready) {
        notices.add(Notice::Kind::run, Notice::Tone::bad, ready.error().message);
        return;
    }
    if (session.live()) {
        session.stop_at_once();  // breakpoints now apply to the next run
    }
    hand_over_breakpoints();
    start();
    note_run();
}

void AppState::note_run() {
    if (document() != nullptr) {
        document()->note_run();
    }
    ran_ = document();
    ran_tab_ = tab();
    ran_started_ = session.started();
}

void AppState::run_or_pause() {
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
    if (session.live()) {
        session.step_line(mode);
    } else if (can_step_lines()) {
        begin([this, mode] { session.step_line(mode); });
    }
}

void AppState::step_op() {
    if (session.live()) {
        session.step_op();
    } else {
        begin([this] { session.step_op(); });
    }
}

void AppState::run_to_line(std::uint32_t line) {
    if (!can_step_lines()) {
        return;
    }
    if (!session.live()) {
        begin([this, line] { session.run_to_line(line); });
    } else if (const auto run_line = ran_document() ? document()->run_line(line) : 0; run_line != 0) {
        session.run_to_line(run_line);
    }
}

void AppState::reset() {
    rounds_.reset();
    compared_.reset();
    session.reset();
    timeline.selection = {};
    notices.clear();
    timeline.view.set_whole(whole_view());
    timeline.view.restart();
}

void AppState::set_barrier(trace::BarrierPolicy policy) {
    session.set_barrier(policy);
}

void AppState::set_device(std::string_view kind) {
    // Until the runner has reported its devices, the choice is remembered and applied then.
    wanted_device_ = session.looking_for_devices() ? kind : std::string_view();
    for (const auto& device : session.devices()) {
        if (device.kind == kind && device.available) {
            session.settings.device = device.kind;
            wanted_device_.clear();
        }
    }
}

std::string AppState::set_budget(const std::string& text) {
    auto bytes = session::bytes_from_text(text);
    if (!bytes) {
        return bytes.error().message;
    }
    session.set_budget(*bytes);
    return {};
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

void AppState::show_detail(std::string id) {
    detail = lasting_detail = std::move(id);
}

void AppState::show_detail_for_now(std::string id) {
    detail = std::move(id);
}

void AppState::hide_detail(std::string_view id) {
    if (detail == id) {
        detail = lasting_detail;
    }
}

void AppState::use_data_folder(const std::filesystem::path& folder) {
    bookmarks.folder = folder;
    pictures.remember_in(folder / "picture.txt");
    std::vector<std::string> remarks;
    if (auto read = model::read_arrangements(model::arrangement_file(folder), &remarks)) {
        arrangements_ = std::move(*read);
        kept_arrangement_ = ++arrangement_revision_;
        if (!remarks.empty()) {
            notices.add(Notice::Kind::file, Notice::Tone::info,
                        remarks.front() +
                            (remarks.size() > 1 ? " (and " + std::to_string(remarks.size() - 1) + " more)" : "") + ".");
        }
    } else {
        notices.add(Notice::Kind::file, Notice::Tone::bad, read.error().message);
    }
}

// Program and kind of device of the last run, or, if none is shown, of the current settings.
std::pair<std::string, std::string> AppState::arranged() const {
    for (const auto* execution : {session.b(), session.a()}) {
        if (execution != nullptr && execution->run() != nullptr) {
            return {execution->run()->info().program, execution->run()->info().device_kind};
        }
    }
    return {std::filesystem::path(session.settings.program).filename().string(), session.settings.device};
}

const model::Arrangement& AppState::arrangement() const {
    const auto [program, device] = arranged();
    return arrangements_.of(program, device);
}

void AppState::set_arrangement(model::Arrangement arrangement) {
    if (const auto [program, device] = arranged(); arrangement != arrangements_.of(program, device)) {
        arrangements_.set(program, device, std::move(arrangement));
        ++arrangement_revision_;
    }
}

std::string AppState::save_arrangement() {
    if (bookmarks.folder.empty() || kept_arrangement_ == arrangement_revision_) {
        return {};
    }
    kept_arrangement_ = arrangement_revision_;
    const auto written = model::write_arrangements(model::arrangement_file(bookmarks.folder), arrangements_);
    return written ? std::string() : "The arrangement of the lanes could not be saved:  " + written.error().message;
}

figure::TimelineView AppState::whole_view() const {
    std::vector<figure::TimelineRun> runs;
    // A failed, stopped or stepped run uses the other run's axis once it has ended.
    const session::Execution* b = session.b();
    const bool by_a = session.a() != nullptr && b != nullptr && !b->live() && !b->whole();
    for (const auto* execution : {by_a ? nullptr : b, session.a()}) {
        if (execution != nullptr && execution->run() != nullptr) {
            runs.push_back({execution->run(), execution->letter, {}, {}, -1});
        }
    }
    if (runs.empty()) {
        return {0, 1e6};
    }
    figure::TimelineView whole = figure::whole_view(runs, false);
    if (session.running()) {
        whole.end_ns += whole.span_ns() * 0.05;  // room to grow
    }
    return whole;
}

bool AppState::poll(double budget_ms) {
    bool changed = session.poll(budget_ms);
    changed = sources.poll() || changed;
    changed = poll_pictures() || changed;
    changed = poll_comparing(budget_ms) || changed;
    if (!wanted_device_.empty() && !session.looking_for_devices()) {
        set_device(std::string(wanted_device_));
    }
    if (document() != nullptr && document()->settle()) {
        hand_over_breakpoints();
    }
    if (session.started() != last_started_) {
        last_started_ = session.started();
        last_phase_ = Phase::starting;
        if (session.b() != nullptr && session.b()->phase() == Phase::recorded && document() != nullptr) {
            note_run();  // a recording of the shown program: its lines are taken for the document's
        }
        timeline.view.set_whole(whole_view());
        timeline.view.restart();
    }
    if (changed || session.live()) {
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
        notices.add(Notice::Kind::device, Notice::Tone::bad, session.device_problem());
    }
    return changed;
}

}  // namespace headway::ui
