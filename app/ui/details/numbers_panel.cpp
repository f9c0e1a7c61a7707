#include "app/ui/details/numbers_panel.h"

#include <algorithm>
#include <cmath>

#include "app/comparison/naming.h"
#include "app/figure/words.h"
#include "app/render/format.h"
#include "app/timeline/timeline.h"
#include "app/ui/details/time_words.h"
#include "app/ui/widgets/widgets.h"
#include "engine/trace/barrier_names.h"

namespace headway::ui {
namespace {

constexpr float kNumberText = 13, kNumberRow = 22, kSmallRow = 18, kSmall = 12;

std::string time_text(double ns) {
    return figure::duration_text(ns);
}

}  // namespace

bool NumbersPanel::computing() const {
    return std::any_of(idle_.begin(), idle_.end(), [](const Idle& idle) { return idle.busy; });
}

const model::IdleCauses* NumbersPanel::idle_of(const session::Execution& execution) {
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

// The verdict over many runs; null if the numbers are those of a single run.
const comparison::Verdict* NumbersPanel::verdict_of_many() {
    return state_.comparing.runs_behind() > 1 ? state_.comparing.verdict() : nullptr;
}

void NumbersPanel::add_numbers(std::vector<Row>& rows, const session::Execution& run, std::size_t side) {
    const model::Numbers& n = run.numbers();
    const model::TraceCapabilities& has = n.capabilities;
    const std::string letter(1, side == 0 ? 'A' : 'B');
    // One pair of measured runs says nothing about time, and little about how far the frontend runs ahead: numbers have
    // a ratio only where they are exact, or medians of many runs.
    const session::Execution *a = state_.session.a(), *b = state_.session.b();
    const bool exact = has_ops(a) && has_ops(b) && a->run()->info().simulated && b->run()->info().simulated;
    const bool whole = run.grows() || model::has_all_records(*run.run());
    std::size_t row = 0;
    const auto add = [&](const char* name, const char* help, bool recorded, std::string text, double value = -1,
                         std::string id = {}, std::string more = {}, bool small = false) {
        if (row == rows.size()) {
            rows.push_back({name, help, {}, small});
        }
        rows[row++].cells[side] = recorded && whole ? Cell{std::move(text), value, std::move(id), std::move(more)}
                                                    : Cell{small ? "" : "–", -1, {}, {}};
    };
    const auto time = [&](const char* name, const char* help, bool recorded, double ns) {
        add(name, help, recorded, time_text(ns), exact ? ns : -1);
    };
    const comparison::Verdict* many = verdict_of_many();
    if (many != nullptr) {
        const comparison::MedianAndRange& of = many->time.of[side];
        const bool differ = many->time.claim == comparison::Claim::more;  // otherwise a ratio would be noise
        add("total", "Median of all runs", true, time_text(of.median), differ ? of.median : -1);
        add("", "", true, time_text(of.least) + "–" + time_text(of.most), -1, {}, {}, true);
    } else {
        time("total", "From the first measured moment to the last, without your pauses", true,
             static_cast<double>(n.total_ns));
    }
    time("predicted", "The same ops, dependencies, durations and waits, with the median hand-over and return",
         has.issues && n.predicted, static_cast<double>(n.predicted_ns));
    const bool frontend_known = has.issues && !run.grows();
    // The first sums of a long run come after a while.
    const auto summed = [&run](std::int64_t ns) { return ns != 0 || !run.sums_of_total_ns(); };
    add("issue",
        "The engine's share of the calls that issue ops. The whole calls take t₁ each: with the language's share and "
        "the recording",
        has.issues && summed(n.frontend.issue_ns), time_text(static_cast<double>(n.frontend.issue_ns)),
        exact ? static_cast<double>(n.frontend.issue_ns) : -1, letter + "/frontend",
        frontend_known ? long_frontend(n.frontend) : std::string());
    time("blocked", "The frontend's time in waits", has.waits && summed(n.blocked_ns),
         static_cast<double>(n.blocked_ns));
    const auto idle = model::idle_share(n);
    const model::IdleCauses* causes =
        n.backend_idle_ns > 0 && has.tensors && run.run()->folded_parts().empty() ? idle_of(run) : nullptr;
    add("backend idle", "The share of the lanes' time in which they ran nothing", has.backend && idle.has_value(),
        idle ? figure::percent_text(*idle) : std::string(), -1, letter + "/idle",
        causes != nullptr ? long_idle(*causes) : std::string());
    add("", "", true, causes != nullptr ? short_idle(*causes) : std::string(), -1, {}, {}, true);
    rows[row - 1].wide = true;
    const bool has_ratio = many != nullptr || exact;
    double headway = static_cast<double>(n.headway_max), memory = static_cast<double>(n.live_bytes_peak);
    if (many != nullptr) {
        headway = std::round(many->headway.of[side].median);
        memory = std::round(many->memory.of[side].median);
    }
    add("max headway", "The most ops that were issued and not finished at one moment", has.issues,
        figure::count_text(static_cast<std::uint64_t>(headway)) + (has_ops(a) && has_ops(b) ? ""
                                                                   : headway == 1           ? " op"
                                                                                            : " ops"),
        has_ratio ? headway : -1);
    add("peak memory", "The most bytes that tensors held at one moment", has.memory,
        figure::bytes_text(static_cast<std::uint64_t>(memory)), has_ratio ? memory : -1);
    time("t₁ issue", "Median time that the frontend needs to issue one op", has.issues && n.t1.count > 0, n.t1_ns);
    time("t₂ execute", "Median time that a lane needs to execute one op", has.backend && n.t2.count > 0, n.t2_ns);
    time("t₃ return", "Median time from the last op's end to the end of the wait for it", has.issues && n.t3.count > 0,
         n.t3_ns);
}

// The barrier policy, and in what else the run differs from the other.
std::string NumbersPanel::label_of(const session::Execution& run, const session::Execution* other) const {
    const model::RunInfo& info = run.run()->info();
    std::string label;
    if (run.numbers().capabilities.settings) {
        const auto acting = comparison::acting_barriers(info);
        const auto cell = [&run](const std::string& word) {
            const auto policy = trace::barrier_called(word);
            return trace::name_of(policy ? *policy : run.settings.barrier, &trace::BarrierNames::cell);
        };
        label = cell(acting.front().barrier);
        if (acting.size() > 1) {
            label += (acting.size() > 2 ? " … → " : " → ") + cell(acting.back().barrier);
        }
    } else {
        label = figure::barrier_label(*run.run());
    }
    if (other != nullptr) {
        const model::RunInfo& theirs = other->run()->info();
        const std::string differs = comparison::parameters_of(info, theirs);
        label += differs.empty() ? "" : ", " + differs;
        for (const auto& [of_this, of_that] : {std::pair{info.device_kind, theirs.device_kind},
                                               {info.tab, theirs.tab},
                                               {info.frontend, theirs.frontend}}) {
            label = of_this == of_that || of_this.empty() ? label : of_this + ", " + label;
        }
    }
    return label;
}

// Says which runs or which part of a run the numbers are from; "" for whole single runs.
std::string NumbersPanel::note() {
    std::vector<const session::Execution*> older;  // whose sums are older than the other numbers
    int runs = 0;
    for (const auto* run : {state_.session.a(), state_.session.b()}) {
        runs += has_ops(run) ? 1 : 0;
        if (has_ops(run) && run->sums_of_total_ns()) {
            older.push_back(run);
        }
    }
    if (!older.empty()) {
        const std::string first =
            "the first " + figure::duration_text(static_cast<double>(*older.front()->sums_of_total_ns()));
        const std::string whose = older.size() == 2 ? "A's and B's" : std::string(1, older.front()->letter) + "'s";
        return runs == 2 ? whose + " sums: " + first : "sums of " + first;
    }
    if (state_.comparing.runs_behind() > 1 && runs == 2) {
        return "total, headway, memory: medians of " + figure::count_text(state_.comparing.runs_behind()) + " runs";
    }
    return {};
}

// "A  none   SIMULATED", a line for each run unless one has room for both. Returns the height.
float NumbersPanel::draw_labels(const std::vector<Column>& columns, ImVec2 at, float width) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    // Simulated numbers are always labelled, and the label is never cut.
    constexpr const char* kSimulated = "SIMULATED";
    const float simulated_width = text_width(ui_, Face::bold, 11, kSimulated) + ui_.px(10), gap = ui_.px(22);
    const auto tag_width = [simulated_width](const Column& column) {
        return column.run->run()->info().simulated ? simulated_width : 0;
    };
    float all = 0;
    for (const Column& column : columns) {
        all += text_width(ui_, Face::semibold, kNumberText, column.label) + tag_width(column) + gap;
    }
    const bool one_line = all - gap <= width;
    float x = at.x, y = at.y;
    for (const Column& column : columns) {
        const std::string label = elided(ui_, Face::semibold, kNumberText, column.label, width - tag_width(column));
        x += draw_text(ui_, list, x, y + ui_.px(15), Face::semibold, kNumberText, column.tone, label);
        if (tag_width(column) > 0) {
            draw_text(ui_, list, x + ui_.px(10), y + ui_.px(15), Face::bold, 11, t.warning, kSimulated);
        }
        x = one_line ? x + tag_width(column) + gap : at.x;
        y += one_line && &column != &columns.back() ? 0 : ui_.px(20);
    }
    if (const std::string words = note(); !words.empty()) {
        y += draw_wrapped(ui_, list, {at.x, y}, width, Face::medium, kSmall, 17, t.faint, words);
    }
    return y - at.y + ui_.px(4);
}

// The words of each run over the whole width, wrapped; once if they are the same. Returns the height.
float NumbersPanel::draw_wide(const Row& row, const std::vector<Column>& columns, ImVec2 at, float width) {
    const figure::Theme& t = *ui_.theme;
    const bool same = row.cells[0].text == row.cells[1].text;
    float x = at.x + ui_.px(10), y = at.y;
    for (const Column& column : columns) {
        const Cell& cell = row.cells[column.run == state_.session.a() ? 0 : 1];
        if (cell.text.empty()) {
            continue;
        }
        if (columns.size() > 1) {
            x += draw_text(ui_, ImGui::GetWindowDrawList(), x, y + ui_.px(12), Face::semibold, kSmall, column.tone,
                           column.run == state_.session.a() ? "A" : "B") +
                 ui_.px(6);
        }
        if (same && &column != &columns.back()) {
            continue;
        }
        y += draw_wrapped(ui_, ImGui::GetWindowDrawList(), {x, y}, at.x + width - x, Face::regular, kSmall, 16, t.dim,
                          cell.text);
        x = at.x + ui_.px(10);
    }
    return y - at.y + ui_.px(3);
}

void NumbersPanel::draw(ImVec2 min, ImVec2 max) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* ground = ImGui::GetWindowDrawList();
    draw_ground_card(ui_, ground, min, max, t.raised, 8);
    ui_.rects.insert_or_assign("comparison", WidgetRect{min.x, min.y, max.x, max.y});
    std::vector<Row> rows;
    std::vector<Column> columns;
    const session::Execution *a = state_.session.a(), *b = state_.session.b();
    const bool both = has_ops(a) && has_ops(b);
    const comparison::Verdict* verdict = both ? state_.comparing.verdict() : nullptr;  // null while B is in progress
    const bool may_compare = both && (verdict == nullptr || verdict->compares());
    for (const session::Execution* run : {a, b}) {
        if (has_ops(run)) {
            const std::size_t side = run == a ? 0 : 1;
            add_numbers(rows, *run, side);
            const std::string label = label_of(*run, both ? (side == 0 ? b : a) : nullptr);
            columns.push_back({run, both ? std::string(side == 0 ? "A  " : "B  ") + label : label,
                               both ? (side == 0 ? t.run_a : t.run_b) : t.text});
        }
    }
    if (columns.empty()) {
        draw_wrapped(ui_, ground, {min.x + ui_.px(16), min.y + ui_.px(12)}, max.x - min.x - ui_.px(32), Face::regular,
                     kNumberText, 19, t.faint,
                     b != nullptr && b->run() != nullptr && !b->live()
                         ? "This run issued no ops, so there is nothing to count."
                         : "The run's numbers appear here.");
        return;
    }
    std::erase_if(rows,
                  [](const Row& row) { return row.small && row.cells[0].text.empty() && row.cells[1].text.empty(); });

    ImGui::SetCursorScreenPos({min.x + ui_.px(2), min.y + ui_.px(4)});
    ImGui::BeginChild("numbers", {max.x - min.x - ui_.px(4), max.y - min.y - ui_.px(8)}, false, 0);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 start = ImGui::GetCursorScreenPos();
    const float pad = ui_.px(12), width = std::min(ImGui::GetContentRegionAvail().x, ui_.px(620)) - ui_.px(14);
    // Names at the left, values aligned at the right of equal columns; the ratio last if two runs are compared.
    const float names = text_width(ui_, Face::regular, kNumberText, "peak memory") + ui_.px(12);
    const auto ratio_of = [may_compare](const Row& row) {
        return may_compare ? model::larger_text(row.cells[0].value, row.cells[1].value) : std::string();
    };
    const bool compares = std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return !ratio_of(row).empty(); });
    float widest = 0, ratio = compares ? text_width(ui_, Face::semibold, kSmall, "larger") : 0;
    for (const Row& row : rows) {
        for (const Column& c : columns) {
            const std::string& text = row.cells[c.run == a ? 0 : 1].text;
            widest = row.wide || row.small ? widest
                                           : std::max(widest, text_width(ui_, Face::mono_medium, kNumberText, text));
        }
        ratio = std::max(ratio, text_width(ui_, Face::mono_medium, kNumberText, ratio_of(row)));
    }
    float left = start.x + pad + names, most = start.x + width - pad - left;
    const auto columns_count = static_cast<float>(columns.size());
    widest += ui_.px(6);
    // In a narrow panel the ratio stands below the values, so that these are not cut.
    const bool narrow = compares && columns_count * widest + ratio + ui_.px(10) > most;
    if (columns_count * widest > most) {  // a cut name can be guessed, a cut number cannot
        left -= columns_count * widest - most;
        most = columns_count * widest;
    }
    const float column = (most - (compares && !narrow ? ratio + ui_.px(10) : 0)) / columns_count;
    // The labels are the columns' headings where they fit.
    bool headings = both && note().empty();
    for (const Column& c : columns) {
        headings = headings && !c.run->run()->info().simulated &&
                   text_width(ui_, Face::semibold, kSmall, c.label) <= column - ui_.px(8);
    }
    float y = start.y;
    if (!headings) {
        y += draw_labels(columns, {start.x + pad, start.y}, width - 2 * pad);
    }
    if (both) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            draw_text_right(ui_, list, left + column * static_cast<float>(i + 1), y + ui_.px(14), Face::semibold,
                            kSmall, columns[i].tone,
                            headings ? columns[i].label
                            : i == 0 ? "A"
                                     : "B");
        }
        if (compares && !narrow) {
            draw_text_right(ui_, list, start.x + width - pad, y + ui_.px(14), Face::semibold, kSmall, t.faint,
                            "larger");
        }
        y += ui_.px(kSmallRow);
    }
    for (const Row& row : rows) {
        if (row.wide) {
            y += draw_wide(row, columns, {start.x + pad, y}, width - 2 * pad);
            continue;
        }
        const float height = ui_.px(row.small ? kSmallRow : kNumberRow), baseline = y + height - ui_.px(6);
        const float name = draw_text(ui_, list, start.x + pad, baseline, Face::regular, kNumberText, t.dim, row.name,
                                     left - start.x - pad - ui_.px(6));
        if (*row.help != '\0') {
            tooltip_over(ui_, std::string("numbers/") + row.name, {start.x + pad, y},
                         {start.x + pad + name, y + height}, row.help);
        }
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const Cell& cell = row.cells[columns[i].run == a ? 0 : 1];
            const float end = left + column * static_cast<float>(i + 1);
            const Face face = row.small ? Face::regular : Face::mono_medium;
            const float size = row.small ? kSmall : kNumberText;
            const std::string text = elided(ui_, face, size, cell.text, column - ui_.px(6));
            const float wide = draw_text_right(ui_, list, end, baseline, face, size, row.small ? t.dim : t.text, text);
            if (!cell.help.empty()) {
                tooltip_over(ui_, cell.id, {end - wide, y}, {end, y + height}, cell.help, ui_.px(40));
            } else if (text != cell.text) {
                tooltip_over(ui_, std::string("numbers/cut/") + row.name + std::to_string(i), {end - wide, y},
                             {end, y + height}, cell.text);
            }
        }
        y += height;
        if (const std::string larger = ratio_of(row); narrow && !larger.empty() && larger != "equal") {
            draw_text_right(ui_, list, start.x + width - pad, y + ui_.px(10), Face::regular, kSmall, t.dim,
                            "larger: " + larger);
            y += ui_.px(kSmallRow);
        } else if (!narrow) {
            draw_text_right(ui_, list, start.x + width - pad, baseline, Face::mono_medium, kNumberText, t.text, larger);
        }
    }
    ImGui::SetCursorScreenPos(start);
    ImGui::Dummy({1, y - start.y + ui_.px(4)});
    ImGui::EndChild();
}

}  // namespace headway::ui
