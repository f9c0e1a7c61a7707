#include "app/ui/comparison_panel.h"

#include <algorithm>
#include <array>
#include <vector>

#include "app/figure/format.h"
#include "app/figure/timeline.h"
#include "app/figure/words.h"
#include "app/ui/comparison.h"
#include "app/ui/widgets.h"

namespace headway::ui {
namespace {

bool shown(const session::Execution* e) {
    return e != nullptr && e->run() != nullptr && e->run()->op_count() > 0;
}

// A dash for what the trace does not tell of.
std::string if_told(bool told, std::string words) {
    return told ? std::move(words) : std::string("–");
}

figure::Rgba tone(const figure::Theme& t, Verdict::Tone tone) {
    return tone == Verdict::Tone::good ? t.good : tone == Verdict::Tone::bad ? t.wait : t.dim;
}

struct IdleWords {
    std::int64_t ns;
    const char *word, *sentence;
};

// The longest first.
std::vector<IdleWords> words_of(const model::IdleCauses& c) {
    std::vector<IdleWords> words{{c.frontend_ns, "frontend", "the frontend was at work and had not issued the next op"},
                                 {c.barrier_ns, "barriers", "the frontend stood in a barrier"},
                                 {c.blocker_ns, "blockers", "the frontend waited for a value"},
                                 {c.limit_ns, "limits", "the frontend was held by a limit of ops or memory"},
                                 {c.paused_ns, "pauses", "you had paused the run"},
                                 {c.dependency_ns, "dependencies", "the next op waited for ops on other lanes"},
                                 {c.handover_ns, "waking", "all was there, and the lane was being woken"},
                                 {c.done_ns, "the end", "all was issued, and nothing was left for the lane"}};
    std::erase_if(words, [](const IdleWords& w) { return w.ns <= 0; });
    std::stable_sort(words.begin(), words.end(), [](const auto& x, const auto& y) { return x.ns > y.ns; });
    return words;
}

// "mostly barriers", "barriers, waking"; empty where nothing stood idle.
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

// "Lanes stood idle for 93.2 ms in all:" and a line for each cause.
std::string long_idle(const model::IdleCauses& causes) {
    std::string text =
        "Lanes stood idle for " + figure::duration_text(static_cast<double>(causes.all_ns())) + " in all:";
    for (const IdleWords& w : words_of(causes)) {
        text += "\n" + figure::duration_text(static_cast<double>(w.ns)) + "  " +
                figure::percent_text(static_cast<double>(w.ns) / static_cast<double>(causes.all_ns())) + "  " +
                w.sentence;
    }
    return text;
}

}  // namespace

bool ComparisonPanel::moving() const {
    return std::any_of(idle_.begin(), idle_.end(), [](const Idle& idle) { return idle.busy; });
}

const model::IdleCauses* ComparisonPanel::idle_of(const session::Execution& execution) {
    constexpr double kBudgetMs = 3;  // of a frame
    Idle& idle = idle_[&execution == state_.session.a() ? 0 : 1];
    if (execution.grows() || execution.lags()) {
        idle.run = nullptr;
        idle.walk.reset();
        idle.busy = false;
        return nullptr;
    }
    const std::uint64_t revision = execution.revision() * 31 + state_.session.started();
    if (idle.run != execution.run() || idle.revision != revision) {
        idle.run = execution.run();
        idle.revision = revision;
        idle.walk.emplace(*idle.run);
        idle.busy = true;
    }
    idle.busy = idle.busy && idle.walk->step(kBudgetMs);
    return idle.busy ? nullptr : &idle.walk->causes();
}

int ComparisonPanel::rows() const {
    return (shown(state_.session.a()) ? 1 : 0) + (shown(state_.session.b()) ? 1 : 0);
}

float ComparisonPanel::height() const {
    return rows() == 0 ? 0 : ui_.px(44 + 26 * static_cast<float>(rows()));
}

void ComparisonPanel::draw(ImVec2 min, ImVec2 max) {
    if (rows() == 0) {
        return;
    }
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_ground_card(ui_, list, min, max, t.raised, 8);
    ui_.marks.insert_or_assign("comparison", Mark{min.x, min.y, max.x, max.y});

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
        const auto policy = session::barrier_from_word(run->run()->info().barrier);
        std::string barrier = n.told.settings ? short_barrier_label(policy ? *policy : run->settings.barrier)
                                              : figure::barrier_label(*run->run());
        if (const auto& changes = run->run()->info().barrier_changes; !changes.empty()) {
            if (const auto last = session::barrier_from_word(changes.back().barrier)) {
                barrier += (changes.size() > 1 ? " … → " : " → ") + short_barrier_label(*last);
            }
        }
        if (both) {
            const auto* other = a ? state_.session.b() : state_.session.a();
            const std::string differs = figure::other_parameters(*run->run(), *other->run());
            barrier += differs.empty() ? "" : ", " + differs;
        }
        const model::IdleCauses* causes = n.backend_idle_ns > 0 && n.told.tensors ? idle_of(*run) : nullptr;
        all.push_back(
            {run,
             (a ? "A  " : "B  ") + barrier,
             run->run()->info().simulated,
             a ? t.run_a : t.run_b,
             {time(n.total_ns), if_told(n.told.issues, time(n.issue_ns)), if_told(n.told.waits, time(n.blocked_ns)),
              if_told(n.told.backend, idle ? figure::percent_text(*idle) : std::string("–")),
              if_told(n.told.issues, figure::count_text(n.headway_max) + (n.headway_max == 1 ? " op" : " ops")),
              if_told(n.told.memory, figure::bytes_text(n.live_bytes_peak))},
             causes,
             causes != nullptr ? short_idle(*causes) : std::string()});
    }
    Verdict verdict;
    if (both) {
        verdict = compare(*state_.session.a(), *state_.session.b());
    }
    constexpr std::array<const char*, 6> kHeads{"total",        "issue",       "blocked",
                                                "backend idle", "max headway", "peak memory"};
    constexpr float kHead = 12.5f, kCell = 14, kWords = 13, kMark = 11.5f, kWhy = 12.5f;
    std::vector<const session::Execution*> older;  // whose sums are older than the rest
    for (const Row& row : all) {
        if (row.run->sums_of_total_ns()) {
            older.push_back(row.run);
        }
    }
    if (!older.empty()) {
        const std::int64_t of_ns = *older.front()->sums_of_total_ns();
        const std::string first = "the first " + figure::duration_text(static_cast<double>(of_ns));
        const std::string whose = older.size() == 2 ? "A's, B's" : std::string(1, older.front()->letter) + "'s";
        verdict = {};
        verdict.time = both ? whose + " issue, blocked and idle:" : "sums of " + first;
        verdict.memory = !both ? std::string() : older.size() == 2 ? "being summed up" : first;
    }
    const float pad = ui_.px(20);
    const float words = std::max(text_width(ui_, Face::semibold, kWords, verdict.time),
                                 text_width(ui_, Face::semibold, kWords, verdict.memory));
    // Where numbers are simulated the word stands beside them, whole.
    constexpr const char* kSimulated = "SIMULATED";
    const float mark = text_width(ui_, Face::bold, kMark, kSimulated) + ui_.px(10);
    float label = ui_.px(90);
    for (const auto& row : all) {
        label = std::max(label, text_width(ui_, Face::semibold, kCell, row.label) + (row.simulated ? mark : 0));
    }
    // As wide as what is in them, and what is left shared among them.
    std::array<float, 6> widths{};
    float used = 0;
    for (std::size_t i = 0; i < kHeads.size(); ++i) {
        widths[i] = text_width(ui_, Face::semibold, kHead, kHeads[i]);
        for (const auto& row : all) {
            widths[i] = std::max(widths[i], text_width(ui_, Face::mono_medium, kCell, row.cells[i]));
        }
        used += widths[i];
    }
    // Why the backend was idle stands beside how much, where there is room.
    const float of_idle = widths[3];
    float with_why = of_idle;
    for (const auto& row : all) {
        if (!row.why_idle.empty()) {
            with_why = std::max(with_why, text_width(ui_, Face::mono_medium, kCell, row.cells[3]) + ui_.px(8) +
                                              text_width(ui_, Face::regular, kWhy, row.why_idle));
        }
    }
    // Where that is too much, what says least is left out whole, column by column, then the verdict.
    const float all_room = max.x - min.x - 2 * pad - label;
    float room = all_room - (words > 0 ? words + ui_.px(16) : 0);
    std::array<bool, 6> dropped{};
    std::size_t columns = kHeads.size();
    const auto fits = [&] { return used + ui_.px(10) * static_cast<float>(columns) <= room + 1; };
    constexpr int kIdle = 3, kIssue = 1, kBlocked = 2, kHeadway = 4, kMemory = 5, kVerdict = -1;
    for (const int least : {kIdle, kIssue, kBlocked, kVerdict, kHeadway, kMemory}) {
        if (fits()) {
            break;
        }
        if (least == kVerdict) {
            verdict = {};
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
            if (i == kIdle && row.idle != nullptr) {
                tooltip_over(ui_, row.label.substr(0, 1) + "/idle", {x, y - ui_.px(18)}, {x + widths[i], y + ui_.px(7)},
                             long_idle(*row.idle), y - min.y);
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
    if (both && older.empty() && !verdict.memory.empty() && !state_.session.live()) {
        draw_text_right(ui_, list, max.x - ui_.px(14), top, Face::semibold, kHead, t.faint, "one run each");
    }
    draw_text_right(ui_, list, max.x - ui_.px(14), top + ui_.px(26), Face::semibold, kWords, tone(t, verdict.time_tone),
                    verdict.time);
    draw_text_right(ui_, list, max.x - ui_.px(14), top + ui_.px(52), Face::semibold, kWords,
                    tone(t, verdict.memory_tone), verdict.memory);
}

}  // namespace headway::ui
