#include "app/ui/details/comparison_panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "app/comparison/naming.h"
#include "app/figure/words.h"
#include "app/render/format.h"
#include "app/timeline/timeline.h"
#include "app/ui/widgets/widgets.h"
#include "engine/trace/barrier_names.h"

namespace headway::ui {
namespace {

bool shown(const session::Execution* e) {
    return e != nullptr && e->run() != nullptr && e->run()->op_count() > 0;
}

// `words`, or a dash if the trace has no such data.
std::string if_recorded(bool recorded, std::string words) {
    return recorded ? std::move(words) : std::string("–");
}

struct IdleWords {
    std::int64_t ns;
    const char *word, *sentence;
};

// The longest first.
std::vector<IdleWords> words_of(const model::IdleCauses& c) {
    std::vector<IdleWords> words{{c.frontend_ns, "frontend", "the frontend was at work and had not issued the next op"},
                                 {c.barrier_ns, "barriers", "the frontend was waiting in a barrier"},
                                 {c.blocker_ns, "blockers", "the frontend waited for a value"},
                                 {c.limit_ns, "limits", "the frontend was held by a limit of ops or memory"},
                                 {c.dependency_ns, "dependencies", "the next op waited for ops on other lanes"},
                                 {c.handover_ns, "waking", "waiting for the worker to wake up"},
                                 {c.done_ns, "the end", "all ops were issued, and none was left for the lane"}};
    std::erase_if(words, [](const IdleWords& w) { return w.ns <= 0; });
    std::stable_sort(words.begin(), words.end(), [](const auto& x, const auto& y) { return x.ns > y.ns; });
    return words;
}

// "mostly barriers", "barriers, waking"; empty if nothing was idle.
std::string short_idle(const model::IdleCauses& causes) {
    const auto words = words_of(causes);
    if (words.empty()) {
        return {};
    }
    if (2 * words.front().ns >= causes.all_ns() || words.size() == 1) {
        return std::string("mostly ") + words.front().word;
    }
    return std::string(words[0].word) + ", " + words[1].word;
}

// "Lanes were idle for 93.2 ms in all:" and a line for each cause.
std::string long_idle(const model::IdleCauses& causes) {
    std::string text =
        "Lanes were idle for  " + figure::duration_text(static_cast<double>(causes.all_ns())) + " in all:";
    for (const IdleWords& w : words_of(causes)) {
        text += "\n" + figure::duration_text(static_cast<double>(w.ns)) + "  " +
                figure::percent_text(static_cast<double>(w.ns) / static_cast<double>(causes.all_ns())) + "  " +
                w.sentence;
    }
    if (causes.paused_ns > 0) {
        text += "\nIn addition, " + figure::duration_text(static_cast<double>(causes.paused_ns)) +
                " while you had paused the run, or held the backend.";
    }
    return text;
}

// "The frontend's 12.3 ms:" and a line for each part, the longest first; the unnamed rest last.
std::string long_frontend(const model::FrontendTime& f) {
    std::vector<std::pair<std::int64_t, const char*>> parts{
        {f.issue_ns, "issuing ops"},
        {f.work_ns, "the program's own work"},
        {f.drop_ns, "releasing tensors"},
        {f.wait_ns, "waiting"},
        {f.record_ns, "recording"},
        {f.descheduled_ns, "descheduled: other programs had the core"},
        {f.paused_ns, "paused or held by you, not in the total"}};
    std::erase_if(parts, [](const auto& part) { return part.first == 0; });
    std::stable_sort(parts.begin(), parts.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
    parts.emplace_back(f.unnamed_ns, "other");
    const auto all = static_cast<double>(std::max<std::int64_t>(f.sum_ns(), 1));
    std::string text = "The frontend's " + figure::duration_text(static_cast<double>(f.sum_ns())) + ":";
    for (const auto& [ns, words] : parts) {
        text += "\n" + figure::duration_text(static_cast<double>(ns)) + "  " +
                figure::percent_text(static_cast<double>(ns) / all) + "  " + words;
    }
    return text;
}

}  // namespace

bool ComparisonPanel::moving() const {
    return std::any_of(idle_.begin(), idle_.end(), [](const Idle& idle) { return idle.busy; });
}

const model::IdleCauses* ComparisonPanel::idle_of(const session::Execution& execution) {
    constexpr double kBudgetMs = 3;  // per frame
    Idle& idle = idle_[&execution == state_.session.a() ? 0 : 1];
    if (execution.grows() || execution.lags()) {
        idle.run = nullptr;
        idle.walk.reset();
        idle.busy = false;
        return nullptr;
    }
    if (idle.run != execution.run() || idle.revision != execution.revision() ||
        idle.started != state_.session.started()) {
        idle.run = execution.run();
        idle.revision = execution.revision();
        idle.started = state_.session.started();
        idle.walk.emplace(*idle.run);
        idle.busy = true;
    }
    idle.busy = idle.busy && idle.walk->step(kBudgetMs);
    return idle.busy ? nullptr : &idle.walk->causes();
}

int ComparisonPanel::rows() const {
    return (shown(state_.session.a()) ? 1 : 0) + (shown(state_.session.b()) ? 1 : 0);
}

float ComparisonPanel::height(float width) {
    return rows() == 0 ? 0 : ui_.px(44 + 26 * static_cast<float>(rows())) + strip_height(width);
}

namespace {
constexpr float kStripText = 13.5f, kStripLine = 19, kStripButton = 28, kStripPad = 10;
}  // namespace

// The strip above the table: the verdict in words, or the progress of a comparison, or which run the numbers belong to;
// with a button.
ComparisonPanel::Strip ComparisonPanel::strip() {
    Strip strip;
    if (const session::Rounds* rounds = state_.comparing.rounds()) {
        strip.words = "Comparing: " + rounds->progress();
        strip.tone = ui_.theme->text;
        strip.button = "Stop";
        strip.help = "Stop comparing; completed runs count";
        strip.share = rounds->share();
        return strip;
    }
    const bool both = rows() == 2;
    const std::string earlier = state_.comparing.earlier();
    const comparison::Verdict* verdict = both ? state_.comparing.verdict() : nullptr;
    strip.tone = ui_.theme->text;
    if (!earlier.empty()) {
        strip.words = (both ? "These runs are " : "This run is ") + earlier + ". ";
        strip.tone = ui_.theme->warning;
    }
    if (verdict != nullptr) {
        strip.words += verdict->sentence;
        strip.evidence = verdict->evidence;
    }
    if (const auto sides = state_.comparing.sides()) {
        strip.button = verdict != nullptr && verdict->runs > 1 && earlier.empty() ? "Compare again" : "Compare";
        const bool exact = sides->a.device == "simulated" && sides->b.device == "simulated";
        const bool shown = both && same_run(sides->b, state_.session.b()->settings);
        strip.help =
            std::string(shown ? "Run A and B in turn" : "Run what is shown (A) and what is set now (B) in turn") +
            (exact ? ", once each: on the simulated device that is exact (Shift C)"
                   : ", at least 5 times each after a warm-up where that takes less than 20 s (Shift C)");
        // Simulated runs are exact, so one of each is enough.
        if (exact && shown) {
            strip.button.clear();
        }
    }
    return strip;
}

float ComparisonPanel::strip_height(float width) {
    const Strip strip = this->strip();
    if (strip.words.empty() && strip.button.empty()) {
        return 0;
    }
    const float words = draw_wrapped(ui_, nullptr, {0, 0}, strip_room(strip, width), Face::semibold, kStripText,
                                     kStripLine, strip.tone, strip.words);
    return std::max(words, strip.button.empty() ? 0 : ui_.px(kStripButton)) + ui_.px(kStripPad);
}

float ComparisonPanel::strip_room(const Strip& strip, float width) const {
    const ButtonLook look{.height = ui_.px(kStripButton), .text_px = 13};
    return width - ui_.px(36) - (strip.button.empty() ? 0 : button_width(ui_, strip.button, look) + ui_.px(16));
}

void ComparisonPanel::draw_strip(ImVec2 min, ImVec2 max) {
    const Strip strip = this->strip();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const figure::Theme& t = *ui_.theme;
    if (!strip.button.empty()) {
        const ButtonLook look{.kind = state_.comparing.rounds() != nullptr ? ButtonKind::plain : ButtonKind::primary,
                              .height = ui_.px(kStripButton),
                              .text_px = 13};
        const float wide = button_width(ui_, strip.button, look);
        if (button(ui_, "compare", strip.button, {max.x - ui_.px(14) - wide, min.y + ui_.px(8)}, look)) {
            state_.comparing.rounds() != nullptr ? state_.comparing.stop() : state_.comparing.start();
        }
        tooltip(ui_, strip.help);
    }
    const float left = min.x + ui_.px(20), room = strip_room(strip, max.x - min.x);
    if (!strip.words.empty()) {
        const float top = min.y + ui_.px(10);
        const float height =
            draw_wrapped(ui_, list, {left, top}, room, Face::semibold, kStripText, kStripLine, strip.tone, strip.words);
        if (strip.share < 0) {
            tooltip_over(ui_, "verdict", {left, top}, {left + room, top + height}, strip.evidence, height);
        }
    }
    if (strip.share >= 0) {
        const float x = left + ui_.px(330), y = min.y + ui_.px(19), wide = std::max(ui_.px(40), left + room - x);
        const float half = ui_.exact_px(3);
        list->AddRectFilled({x, y - half}, {x + wide, y + half}, colour(figure::mixed(t.raised, t.text, 0.15)), half);
        list->AddRectFilled({x, y - half}, {x + wide * static_cast<float>(strip.share), y + half}, colour(t.issue),
                            half);
    }
}

// The verdict over many runs; null if the numbers are those of a single run.
const comparison::Verdict* ComparisonPanel::verdict_of_many() {
    return state_.comparing.runs_behind() > 1 ? state_.comparing.verdict() : nullptr;
}

// The median and spread of all runs, or the run's own total.
std::string ComparisonPanel::total_text(const session::Execution& run, bool a) {
    const auto time = [](double ns) { return figure::duration_text(ns); };
    const comparison::Verdict* verdict = verdict_of_many();
    if (verdict == nullptr) {
        return time(static_cast<double>(run.numbers().total_ns));
    }
    const comparison::Spread& of = verdict->time.of[a ? 0 : 1];
    return time(of.median) + " (" + time(of.least) + "–" + time(of.most) + ")";
}

void ComparisonPanel::draw(ImVec2 min, ImVec2 max) {
    if (rows() == 0) {
        return;
    }
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_ground_card(ui_, list, min, max, t.raised, 8);
    ui_.rects.insert_or_assign("comparison", WidgetRect{min.x, min.y, max.x, max.y});
    const float strip = strip_height(max.x - min.x);
    if (strip > 0) {
        draw_strip(min, max);
        min.y += strip;
    }

    struct Row {
        const session::Execution* run;
        std::string label;
        bool simulated;
        figure::Rgba c;
        std::vector<std::string> cells;
        const model::IdleCauses* idle;
        std::string why_idle;
    };
    std::vector<Row> all;
    const bool both = rows() == 2;
    for (const auto* run : {state_.session.a(), state_.session.b()}) {
        if (!shown(run)) {
            continue;
        }
        const model::Numbers& n = run->numbers();
        const auto time = [](std::int64_t ns) { return figure::duration_text(static_cast<double>(ns)); };
        const auto idle = model::idle_share(n);
        const bool a = run == state_.session.a();
        const model::RunInfo& info = run->run()->info();
        const auto policy = trace::barrier_from_word(comparison::acting_barrier(info, info.barrier));
        std::string barrier = n.capabilities.settings
                                  ? trace::name_of(policy ? *policy : run->settings.barrier, &trace::BarrierNames::cell)
                                  : figure::barrier_label(*run->run());
        if (const auto& changes = run->run()->info().barrier_changes; !changes.empty()) {
            if (const auto last = trace::barrier_from_word(comparison::acting_barrier(info, changes.back().barrier))) {
                barrier += (changes.size() > 1 ? " … → " : " → ") + trace::name_of(*last, &trace::BarrierNames::cell);
            }
        }
        if (both) {
            const auto* other = a ? state_.session.b() : state_.session.a();
            const auto& mine = run->run()->info();
            const auto& theirs = other->run()->info();
            const std::string differs = comparison::parameters_of(mine, theirs);
            barrier += differs.empty() ? "" : ", " + differs;
            for (const auto& [of_this, of_that] : {std::pair{mine.device_kind, theirs.device_kind},
                                                   {mine.tab, theirs.tab},
                                                   {mine.frontend, theirs.frontend}}) {
                barrier = of_this == of_that || of_this.empty() ? barrier : of_this + ", " + barrier;
            }
        }
        std::uint64_t headway = n.headway_max, memory = n.live_bytes_peak;
        if (const comparison::Verdict* verdict = verdict_of_many()) {
            headway = static_cast<std::uint64_t>(std::llround(verdict->headway.of[a ? 0 : 1].median));
            memory = static_cast<std::uint64_t>(std::llround(verdict->memory.of[a ? 0 : 1].median));
        }
        const model::IdleCauses* causes =
            n.backend_idle_ns > 0 && n.capabilities.tensors && run->run()->folded_parts().empty() ? idle_of(*run)
                                                                                                  : nullptr;
        all.push_back(
            {run,
             (both ? a ? "A  " : "B  " : "") + barrier,
             run->run()->info().simulated,
             a ? t.run_a : t.run_b,
             {total_text(*run, a), if_recorded(n.capabilities.issues, time(n.frontend.issue_ns)),
              if_recorded(n.capabilities.waits, time(n.blocked_ns)),
              if_recorded(n.capabilities.backend, idle ? figure::percent_text(*idle) : std::string("–")),
              if_recorded(n.capabilities.issues, figure::count_text(headway) + (headway == 1 ? " op" : " ops")),
              if_recorded(n.capabilities.memory, figure::bytes_text(memory))},
             causes,
             causes != nullptr ? short_idle(*causes) : std::string()});
    }
    constexpr std::array<const char*, 6> kHeads{"total",        "issue",       "blocked",
                                                "backend idle", "max headway", "peak memory"};
    constexpr float kHead = 12.5f, kCell = 14, kMark = 11.5f, kWhy = 12.5f;
    std::string note;                              // right of the headings
    std::vector<const session::Execution*> older;  // whose sums are older than the other numbers
    for (const Row& row : all) {
        if (row.run->sums_of_total_ns()) {
            older.push_back(row.run);
        }
    }
    if (!older.empty()) {
        const std::int64_t of_ns = *older.front()->sums_of_total_ns();
        const std::string first = "the first " + figure::duration_text(static_cast<double>(of_ns));
        const std::string whose = older.size() == 2 ? "A's and B's" : std::string(1, older.front()->letter) + "'s";
        note = both ? whose + " sums: " + first : "sums of " + first;
    } else if (state_.comparing.runs_behind() > 1 && both) {
        note = "total, headway, memory: medians of " + figure::count_text(state_.comparing.runs_behind()) + " runs";
    }
    const float pad = ui_.px(20);
    const float words = text_width(ui_, Face::semibold, kHead, note);
    // Simulated numbers are always labelled, and the label is never cut.
    constexpr const char* kSimulated = "SIMULATED";
    const float mark = text_width(ui_, Face::bold, kMark, kSimulated) + ui_.px(10);
    float label = ui_.px(90);
    for (const auto& row : all) {
        label = std::max(label, text_width(ui_, Face::semibold, kCell, row.label) + (row.simulated ? mark : 0));
    }
    // Columns as wide as their contents; the remaining width is shared equally.
    std::array<float, 6> widths{};
    float used = 0;
    for (std::size_t i = 0; i < kHeads.size(); ++i) {
        widths[i] = text_width(ui_, Face::semibold, kHead, kHeads[i]);
        for (const auto& row : all) {
            widths[i] = std::max(widths[i], text_width(ui_, Face::mono_medium, kCell, row.cells[i]));
        }
        used += widths[i];
    }
    // Why the backend was idle is written next to how long, if there is room.
    const float of_idle = widths[3];
    float with_why = of_idle;
    for (const auto& row : all) {
        if (!row.why_idle.empty()) {
            with_why = std::max(with_why, text_width(ui_, Face::mono_medium, kCell, row.cells[3]) + ui_.px(8) +
                                              text_width(ui_, Face::regular, kWhy, row.why_idle));
        }
    }
    // If it does not fit, whole parts are dropped, the least important first: the note, then column by column.
    const float all_room = max.x - min.x - 2 * pad - label;
    float room = all_room - (words > 0 ? words + ui_.px(16) : 0);
    std::array<bool, 6> dropped{};
    std::size_t columns = kHeads.size();
    const auto fits = [&] { return used + ui_.px(10) * static_cast<float>(columns) <= room + 1; };
    constexpr int kIdle = 3, kIssue = 1, kBlocked = 2, kHeadway = 4, kMemory = 5, kNote = -1;
    for (const int least : {kNote, kIdle, kIssue, kBlocked, kHeadway, kMemory}) {
        if (fits()) {
            break;
        }
        if (least == kNote) {
            note.clear();
            room = all_room;
        } else {
            dropped[static_cast<std::size_t>(least)] = true;
            used -= widths[static_cast<std::size_t>(least)];
            --columns;
        }
    }
    const bool says_why =
        !dropped[kIdle] && used - of_idle + with_why + ui_.px(14) * static_cast<float>(columns) <= room;
    if (says_why) {
        used += with_why - of_idle;
        widths[kIdle] = with_why;
    }
    const float gap = std::clamp((room - used) / static_cast<float>(columns), ui_.px(10), ui_.px(130));
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < kHeads.size(); ++i) {
        if (!dropped[i]) {
            order.push_back(i);
        }
    }
    const float top = min.y + ui_.px(26);
    float x = min.x + pad + label + gap;
    for (const std::size_t i : order) {
        draw_text(ui_, list, x, top, Face::semibold, kHead, t.faint, kHeads[i]);
        float y = top + ui_.px(26);
        for (const auto& row : all) {
            const float written = draw_text(ui_, list, x, y, Face::mono_medium, kCell, t.text, row.cells[i]);
            if (i == kIdle && says_why) {
                draw_text(ui_, list, x + written + ui_.px(8), y, Face::regular, kWhy, t.dim, row.why_idle);
            }
            if (i == kIssue && row.run->numbers().capabilities.issues && !row.run->grows()) {
                tooltip_over(ui_, std::string(row.label.starts_with("A") ? "A" : "B") + "/frontend",
                             {x, y - ui_.px(18)}, {x + widths[i], y + ui_.px(7)},
                             long_frontend(row.run->numbers().frontend), y - min.y);
            }
            if (i == kIdle && row.idle != nullptr) {
                tooltip_over(ui_, std::string(row.label.starts_with("A") ? "A" : "B") + "/idle", {x, y - ui_.px(18)},
                             {x + widths[i], y + ui_.px(7)}, long_idle(*row.idle), y - min.y);
            }
            y += ui_.px(26);
        }
        x += widths[i] + gap;
    }
    float y = top + ui_.px(26);
    for (const auto& row : all) {
        const float named = draw_text(ui_, list, min.x + pad, y, Face::semibold, kCell, row.c, row.label);
        if (row.simulated) {
            draw_text(ui_, list, min.x + pad + named + ui_.px(10), y, Face::bold, kMark, t.warning, kSimulated);
        }
        y += ui_.px(26);
    }
    draw_text_right(ui_, list, max.x - ui_.px(14), top, Face::semibold, kHead, t.faint, note);
}

}  // namespace headway::ui
