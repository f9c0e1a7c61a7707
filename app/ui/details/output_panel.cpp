#include "app/ui/details/output_panel.h"

#include <algorithm>
#include <cmath>

#include "app/render/format.h"
#include "app/render/utf8.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

const session::OutputLines& OutputPanel::lines_so_far() {
    const model::Run& run = state_.replay.run();
    const model::ProgramOutput& output = run.program_output();
    const std::size_t writes = output.until(state_.replay.ns());
    if (so_far_run_ != state_.session.started() || writes < so_far_writes_) {
        so_far_run_ = state_.session.started();
        so_far_ = {};
        so_far_writes_ = 0;
        ++so_far_revision_;
    }
    for (; so_far_writes_ < writes; ++so_far_writes_, ++so_far_revision_) {
        const auto& written = output.written()[so_far_writes_];
        so_far_.add(output.text(written), written.error);
    }
    return so_far_;
}

void OutputPanel::wrap(const std::deque<session::OutputLine>& lines, std::uint64_t revision, float width) {
    if (wrapped_ == revision && wrapped_run_ == state_.session.started() && wrapped_width_ == width &&
        wrapped_fonts_ == ui_.fonts.generation()) {
        return;
    }
    wrapped_ = revision;
    wrapped_run_ = state_.session.started();
    wrapped_width_ = width;
    wrapped_fonts_ = ui_.fonts.generation();
    rows_.clear();
    const float cell = std::max(1.0f, text_width(ui_, Face::mono, 13, "0000000000") / 10);
    const auto columns = static_cast<std::size_t>(std::max(8.0f, std::floor(width / cell)));
    std::uint32_t index = 0;
    for (const auto& line : lines) {
        ui_.fonts.cover(line.text);
        // Breaks after a word if there are several on the row; the next row starts with the next word.
        std::size_t from = 0, at = 0, filled = 0;
        std::size_t after_word = 0, filled_by_word = 0;
        while (at < line.text.size()) {
            const figure::Utf8Char c = figure::next_char(std::string_view(line.text).substr(at));
            const std::size_t cells = c.code >= 0x1100 ? 2 : 1;  // wide characters, such as Chinese, take two cells
            if (filled + cells > columns) {
                const bool word = after_word > from && filled_by_word * 2 > columns;
                const std::size_t end = word ? after_word : at;
                rows_.push_back({index, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(end - from)});
                from = end;
                filled = word ? filled - filled_by_word : 0;
            }
            filled += cells;
            if (c.code == ' ') {
                after_word = at + c.bytes;
                filled_by_word = filled;
            }
            at += c.bytes;
        }
        rows_.push_back({index, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(at - from)});
        ++index;
    }
}

void OutputPanel::draw(ImVec2 min, ImVec2 max) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const session::Execution* run = state_.session.b();
    // At a replayed moment: what is recorded, unless nothing is.
    const bool at_moment = run != nullptr && state_.replay.on() &&
                           (run->output().empty() || !run->run()->program_output().written().empty());
    const session::OutputLines* so_far = at_moment ? &lines_so_far() : nullptr;
    const bool lacking = at_moment && run->run()->program_output().may_lack(so_far_writes_);
    const std::string earlier = state_.comparing.earlier();
    const std::string program = state_.comparing.other_program(run);
    const std::string said = run == nullptr       ? std::string()
                             : !program.empty()   ? "Output of " + program
                             : !earlier.empty()   ? "Output of the earlier run"
                             : lacking            ? "Written first; what followed is not recorded"
                             : at_moment          ? "Written up to this moment"
                             : state_.replay.on() ? "Everything it wrote; when is not recorded"
                                                  : std::string();
    const float note = said.empty() ? 0 : ui_.px(20);
    if (note > 0) {
        draw_text(ui_, list, min.x + ui_.px(12), min.y + ui_.px(14), Face::semibold, 12.5f,
                  earlier.empty() && program.empty() ? t.dim : t.warning, said, max.x - min.x - ui_.px(24));
    }
    const ImVec2 a{min.x, min.y + note};
    draw_ground_card(ui_, list, a, max, sunken(t));
    ui_.rects.insert_or_assign("output", WidgetRect{a.x, a.y, max.x, max.y});
    if (run == nullptr) {
        return;
    }
    if (seen_run_ != state_.session.started()) {
        seen_run_ = state_.session.started();
        at_end_ = true;
    }
    ImGui::SetCursorScreenPos({a.x + ui_.px(2), a.y + ui_.px(4)});
    ImGui::BeginChild("output", {max.x - a.x - ui_.px(4), max.y - a.y - ui_.px(8)}, false, 0);
    const std::uint64_t cut_lines = so_far != nullptr ? so_far->cut() : run->output_cut();
    const auto& lines = so_far != nullptr ? so_far->lines() : run->output();
    // Odd at a replayed moment, even otherwise, so that the two kinds of revisions are never equal.
    const std::uint64_t revision = at_moment ? 2 * so_far_revision_ + 1 : 2 * run->revision();
    const float line = ui_.px(20);
    ImDrawList* inner = ImGui::GetWindowDrawList();
    if (lines.empty()) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        draw_text(ui_, inner, at.x + ui_.px(14), at.y + ui_.px(16), Face::regular, 13, t.faint,
                  run->live() || at_moment                   ? "Nothing written yet"
                  : run->phase() == session::Phase::recorded ? "This recording holds nothing that the program wrote"
                                                             : "The program wrote nothing");
    }
    const float margin = ui_.px(14);
    wrap(lines, revision, ImGui::GetContentRegionAvail().x - 2 * margin);
    const int cut = cut_lines > 0 ? 1 : 0;
    ImGuiListClipper clipper;
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    clipper.Begin(static_cast<int>(rows_.size()) + cut, line);
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const float y = origin.y + static_cast<float>(i) * line + ui_.px(15);
            if (i < cut) {
                draw_text(ui_, inner, origin.x + margin, y, Face::regular, 12.5f, t.faint,
                          figure::count_text(cut_lines) +
                              (cut_lines == 1 ? " earlier line is not kept" : " earlier lines are not kept"));
                continue;
            }
            const Row& row = rows_[static_cast<std::size_t>(i - cut)];
            const auto& l = lines[row.line];
            ui_.rects.insert_or_assign("output/" + std::to_string(i - cut),
                                       WidgetRect{origin.x + margin, y - line, max.x, y});
            draw_text(ui_, inner, origin.x + margin, y, Face::mono, 13, l.error ? t.wait_text : t.dim,
                      std::string_view(l.text).substr(row.from, row.length));
        }
    }
    clipper.End();
    ImGui::SetCursorScreenPos(origin);
    ImGui::Dummy({1, line * static_cast<float>(static_cast<int>(rows_.size()) + cut)});
    // Follows the end, unless the user has scrolled up.
    if (seen_ != revision) {
        seen_ = revision;
        if (at_end_) {
            ImGui::SetScrollHereY(1.0f);
        }
    } else {
        at_end_ = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - line;
    }
    ImGui::EndChild();
}

}  // namespace headway::ui
