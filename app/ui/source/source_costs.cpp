// The columns at the right of the editor: what each line cost.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/render/format.h"
#include "app/ui/source/source_editor.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

constexpr float kColumn = 53, kOps = 56;
// In a panel below kNarrow both costs share one column, one bar above the other, so that the code has 60 columns.
constexpr float kNarrow = 800, kNarrowColumn = 36, kNarrowOps = 46;

// "12", "1,204", "12k", "3M": at most five characters.
std::string short_count(std::uint64_t n) {
    return n < 10'000       ? figure::count_text(n)
           : n < 10'000'000 ? std::to_string(n / 1000) + "k"
                            : std::to_string(n / 1'000'000) + "M";
}

// "999", "1.2k", "12k", "3M": at most four characters.
std::string shorter_count(std::uint64_t n) {
    const auto tenths = [](std::uint64_t value, const char* unit) {
        return std::to_string(value / 10) + "." + std::to_string(value % 10) + unit;
    };
    return n < 1000         ? std::to_string(n)
           : n < 10'000     ? tenths(n / 100, "k")
           : n < 1'000'000  ? std::to_string(n / 1000) + "k"
           : n < 10'000'000 ? tenths(n / 100'000, "M")
                            : std::to_string(n / 1'000'000) + "M";
}

std::string duration(std::int64_t ns) {
    return figure::duration_text(static_cast<double>(ns));
}

}  // namespace

std::string text_of(std::uint32_t line, const model::LineCost& cost) {
    std::string text = "line " + std::to_string(line) + ": " + figure::count_text(cost.ops) +
                       (cost.ops == 1 ? " op" : " ops") + ", issued in " + duration(cost.issue_ns) + ", blocked " +
                       duration(cost.blocked_ns) + ", own work " + duration(cost.recorded_work_ns);
    if (cost.backward_ops > 0) {
        text += "\nits backward pass: " + figure::count_text(cost.backward_ops) +
                (cost.backward_ops == 1 ? " op" : " ops") + ", executed in " + duration(cost.backward_ns);
    }
    return text;
}

float SourceEditor::costs_px(float width) const {
    return ui_.px(width < ui_.px(kNarrow) ? kNarrowColumn + kNarrowOps : 2 * kColumn + kOps);
}

void SourceEditor::draw_heads(float left, float right, float baseline) {
    costs_width_ = costs_px(right - left);
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool narrow = costs_width_ < ui_.px(2 * kColumn);
    const float x = right - costs_width_ + ui_.px(2), size = narrow ? 10.0f : 11.5f;
    if (narrow) {  // one above the other, like the bars
        draw_text(ui_, list, x, baseline - ui_.px(6), Face::mono, size, t.issue, "issue");
        draw_text(ui_, list, x, baseline + ui_.px(5), Face::mono, size, t.wait_text, "wait");
    } else {
        draw_text(ui_, list, x, baseline, Face::mono, size, t.issue, "issue");
        draw_text(ui_, list, x + ui_.px(kColumn), baseline, Face::mono, size, t.wait_text, "blocked");
    }
    draw_text_right(ui_, list, right - ui_.px(13), baseline, Face::mono, size, t.dim, "ops");
}

void SourceEditor::compute_cost_shares() {
    const session::Execution* b = state_.lines.ran_document() ? state_.session.b() : nullptr;
    const std::uint64_t revision = b != nullptr ? b->revision() : 0;
    const std::uint64_t run = b != nullptr ? state_.session.started() : 0;
    if (costs_of_run_ == run && costs_of_revision_ == revision) {
        return;
    }
    costs_of_run_ = run;
    costs_of_revision_ = revision;
    costs_.clear();
    if (b == nullptr || b->run() == nullptr) {
        return;
    }
    const auto name = document().path().filename();
    std::int64_t most = 1;
    std::optional<std::uint32_t> file;  // the previous line's file: costs are sorted by file
    bool shown = false;
    for (const auto& cost : b->line_costs()) {
        if (file != core::file_of(cost.line)) {
            file = core::file_of(cost.line);
            shown = std::filesystem::path(b->run()->file(*file)).filename() == name;
        }
        if (shown) {
            costs_[core::number_of(cost.line)].of = cost;
            most = std::max({most, cost.issue_ns, cost.blocked_ns});
        }
    }
    for (auto& [line, cost] : costs_) {
        cost.issue = static_cast<double>(cost.of.issue_ns) / static_cast<double>(most);
        cost.blocked = static_cast<double>(cost.of.blocked_ns) / static_cast<double>(most);
    }
}

void SourceEditor::draw_costs(const Frame& f, std::uint32_t index, float y) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const std::uint32_t run_line = costs_.empty() ? 0 : document().run_line(index + 1);
    const auto found = costs_.find(run_line);
    if (run_line == 0 || found == costs_.end()) {
        return;
    }
    const Cost& cost = found->second;
    const bool narrow = costs_width_ < ui_.px(2 * kColumn);
    const float column = ui_.px(narrow ? kNarrowColumn : kColumn);
    const float bar = column - ui_.px(4), edge = ui_.px(narrow ? 3 : 6), middle = y + row_ / 2;
    const float left = f.max.x - costs_width_ + ui_.px(2);
    const auto draw_bar = [&](float x, float top, float bottom, double share, figure::Rgba c) {
        if (share > 0) {
            const float width = std::max(1.0f, static_cast<float>(share) * bar);
            list->AddRectFilled({x, top}, {x + width, bottom}, colour(c), ui_.exact_px(1.5f));
        }
    };
    const float top = y + edge, bottom = y + row_ - edge, gap = ui_.px(0.75f);
    draw_bar(left, top, narrow ? middle - gap : bottom, cost.issue, t.issue);
    draw_bar(narrow ? left : left + column, narrow ? middle + gap : top, bottom, cost.blocked, t.wait);
    if (cost.of.ops > 0) {
        const std::string count = narrow ? shorter_count(cost.of.ops) : short_count(cost.of.ops);
        const float right = f.max.x - ui_.px(12);
        const float width = draw_text_right(ui_, list, right, y + ui_.px(15), Face::mono, 12, t.dim, count);
        // Records the widest place of the bars, and the count's, for tests.
        const std::string number = std::to_string(index + 1);
        ui_.rects.insert_or_assign("costs/" + number,
                                   WidgetRect{left, y, left + (narrow ? 0 : column) + bar, y + row_});
        ui_.rects.insert_or_assign("ops/" + number, WidgetRect{right - width, y, right, y + row_});
    }
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect({left, y}, {f.max.x, y + row_})) {
        show_tooltip(ui_, {left, y}, {f.max.x, y + row_}, text_of(index + 1, cost.of));
    }
}

}  // namespace headway::ui
