#include "app/ui/details/line_waits.h"

#include <algorithm>
#include <filesystem>

#include "app/render/format.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

constexpr float kWaitText = 13, kWaitRow = 22;

// The run, if its waits are known; else null.
const session::Execution* with_waits(const session::Execution* e) {
    return has_ops(e) && e->run()->capabilities().waits ? e : nullptr;
}

// The source text of a run's line, without its indentation; empty if the editor shows another text.
std::string code_of(const AppState& state, const session::Execution& run, const LineWaits& row) {
    const editor::Document* document = state.source.document();
    if (document == nullptr || run.settings.text.empty() || run.settings.text != state.source.text() ||
        row.line.substr(0, row.line.rfind(':')) != document->path().filename().string()) {
        return {};
    }
    const auto& lines = document->text.lines();
    for (std::uint32_t i = 0; i < lines.size(); ++i) {
        if (document->run_line(i + 1) == row.number) {
            const std::size_t begin = lines[i].find_first_not_of(" \t");
            return begin == std::string::npos ? std::string() : lines[i].substr(begin);
        }
    }
    return {};
}

}  // namespace

std::vector<LineWaits> waits_by_line(const session::Execution* a, const session::Execution* b) {
    std::vector<LineWaits> rows;
    const std::array<const session::Execution*, 2> runs{a, b};
    for (std::size_t side = 0; side < runs.size(); ++side) {
        if (runs[side] == nullptr) {
            continue;
        }
        for (const model::LineCost& cost : runs[side]->line_costs()) {
            if (cost.blocked_ns <= 0 || cost.line == 0) {
                continue;
            }
            std::string line = runs[side]->run()->line_text(cost.line);
            auto row = std::find_if(rows.begin(), rows.end(), [&](const LineWaits& r) { return r.line == line; });
            if (row == rows.end()) {
                row = rows.insert(rows.end(), {std::move(line), core::number_of(cost.line), {}});
            }
            row->ns[side] += cost.blocked_ns;
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const LineWaits& x, const LineWaits& y) {
        return std::max(x.ns[0], x.ns[1]) > std::max(y.ns[0], y.ns[1]);
    });
    return rows;
}

void draw_line_waits(const AppState& state, Ui& ui, ImVec2 min, ImVec2 max) {
    const figure::Theme& t = *ui.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float pad = ui.px(16), left = min.x + pad, right = max.x - pad;
    float y = min.y + ui.px(12);
    const char* const kHint = "Point at an op, a wait or a curve: its details appear here.";
    const session::Execution *a = with_waits(state.session.a()), *b = with_waits(state.session.b());
    const bool both = a != nullptr && b != nullptr;
    const bool same = !both || (a->settings.program == b->settings.program && a->settings.tab == b->settings.tab &&
                                a->settings.text == b->settings.text);
    const std::vector<LineWaits> rows = same && !state.session.live() ? waits_by_line(a, b) : std::vector<LineWaits>();
    const float hint = draw_wrapped(ui, nullptr, {}, right - left, Face::regular, kWaitText, 19, t.faint, kHint);
    const float bottom = max.y - ui.px(8) - hint;
    if (rows.empty() || bottom - y < ui.px(3 * kWaitRow)) {
        draw_wrapped(ui, list, {left, y}, right - left, Face::regular, kWaitText, 19, t.faint, kHint);
        return;
    }
    draw_text(ui, list, left, y + ui.px(12), Face::semibold, kWaitText, t.text, "Time in waits, by line");
    const float column = text_width(ui, Face::mono_medium, kWaitText, "000.0 ms") + ui.px(12);
    const int columns = both ? 2 : 1;
    if (both) {
        draw_text_right(ui, list, right - column, y + ui.px(12), Face::semibold, kWaitText, t.run_a, "A");
        draw_text_right(ui, list, right, y + ui.px(12), Face::semibold, kWaitText, t.run_b, "B");
    }
    y += ui.px(kWaitRow);
    ui.rects.insert_or_assign("card/lines", WidgetRect{left, y, right, bottom});
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const LineWaits& row = rows[i];
        const bool last = y + ui.px(2 * kWaitRow) > bottom;
        const float baseline = y + ui.px(16);
        if (last && i + 1 < rows.size()) {
            const std::size_t more = rows.size() - i;
            draw_text(ui, list, left, baseline, Face::regular, kWaitText, t.faint,
                      "and " + figure::count_text(more) + " more lines with shorter waits");
            break;
        }
        std::string code = code_of(state, b != nullptr ? *b : *a, row);
        const float room = right - left - static_cast<float>(columns) * column;
        if (code.empty()) {
            draw_text(ui, list, left, baseline, Face::regular, kWaitText, t.dim, row.line, room);
        } else {
            const float number =
                draw_text(ui, list, left, baseline, Face::mono, kWaitText, t.faint, std::to_string(row.number) + "  ");
            draw_text(ui, list, left + number, baseline, Face::mono, kWaitText, t.text, code, room - number);
        }
        for (int side = !both && b != nullptr ? 1 : 0, at = 0; at < columns; ++side, ++at) {
            const std::int64_t ns = row.ns[static_cast<std::size_t>(side)];
            draw_text_right(ui, list, right - static_cast<float>(columns - 1 - at) * column, baseline,
                            Face::mono_medium, kWaitText, ns > 0 ? t.wait_text : t.faint,
                            ns > 0 ? figure::duration_text(static_cast<double>(ns)) : "–");
        }
        y += ui.px(kWaitRow);
    }
    draw_wrapped(ui, list, {left, bottom}, right - left, Face::regular, kWaitText, 19, t.faint, kHint);
}

}  // namespace headway::ui
