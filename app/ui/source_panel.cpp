#include "app/ui/source_panel.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "app/figure/format.h"
#include "app/lesson/assets.h"
#include "app/ui/widgets.h"

namespace headway::ui {
namespace {

constexpr float kRow = 20, kHeader = 24, kGutter = 46, kCosts = 118;
constexpr std::size_t kMostBytes = 1 << 20;

// Where the sources of the built-in programs lie: beside the executable in a build, or installed.
std::filesystem::path built_in_source(const std::string& program) {
    std::error_code ignored;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    for (const auto& folder : {here / "programs", here / ".." / "share" / "headway" / "programs"}) {
        const auto path = folder / (program + ".cpp");
        if (std::filesystem::is_regular_file(path, ignored)) {
            return path;
        }
    }
    return {};
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_keyword(std::string_view word) {
    static constexpr std::array<std::string_view, 44> kWords{
        "and", "as",     "auto",  "bool",   "break",  "class",   "const",     "continue", "def",
        "del", "elif",   "else",  "except", "False",  "finally", "float",     "for",      "from",
        "if",  "import", "in",    "int",    "is",     "lambda",  "namespace", "None",     "not",
        "or",  "pass",   "raise", "return", "struct", "throw",   "True",      "true",     "false",
        "try", "using",  "void",  "while",  "with",   "yield",   "global",    "override"};
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

}  // namespace

bool SourcePanel::available() {
    load();
    return !lines_.empty();
}

void SourcePanel::load() {
    const lesson::Lesson* lesson = state_.lesson();
    std::filesystem::path wanted;
    if (lesson != nullptr) {
        wanted = lesson->python_file();
        steps_ = !wanted.empty();
        if (wanted.empty()) {
            wanted = built_in_source(lesson->program);
        }
    }
    if (wanted.string() == path_) {
        return;
    }
    path_ = wanted.string();
    lines_.clear();
    shown_line_ = 0;
    state_.session.clear_breakpoints();
    std::ifstream file(wanted, std::ios::binary);
    std::size_t bytes = 0;
    for (std::string line; std::getline(file, line) && bytes < kMostBytes; bytes += line.size()) {
        if (line.ends_with('\r')) {
            line.pop_back();
        }
        ui_.fonts.cover(line);
        lines_.push_back(std::move(line));
    }
}

void SourcePanel::weigh() {
    const session::Execution* b = state_.session.b();
    const std::uint64_t revision = b != nullptr ? b->revision() : 0;
    if (weighed_run_ == state_.session.started() && weighed_ == revision) {
        return;
    }
    // Costs of a long run are summed when it is over; while it goes on, only as long as that is quick.
    if (b != nullptr && b->live() && b->run() != nullptr && b->run()->op_count() > 200'000 && !costs_.empty() &&
        weighed_run_ == state_.session.started()) {
        return;
    }
    weighed_run_ = state_.session.started();
    weighed_ = revision;
    costs_.clear();
    if (b == nullptr || b->run() == nullptr) {
        return;
    }
    const std::string name = std::filesystem::path(path_).filename().string();
    std::int64_t most = 1;
    for (const auto& cost : b->run()->line_costs()) {
        if (b->run()->file(core::file_of(cost.line)) == name) {
            costs_[core::number_of(cost.line)].of = cost;
            most = std::max({most, cost.issue_ns, cost.blocked_ns});
        }
    }
    for (auto& [line, cost] : costs_) {
        cost.issue = static_cast<double>(cost.of.issue_ns) / static_cast<double>(most);
        cost.blocked = static_cast<double>(cost.of.blocked_ns) / static_cast<double>(most);
    }
}

void SourcePanel::draw_code(ImDrawList* list, const std::string& text, float x, float y, float cell, float room) {
    const figure::Theme& t = *ui_.theme;
    const auto columns = static_cast<std::size_t>(std::max(0.0f, room / cell));
    std::size_t at = 0;
    const auto put = [&](std::size_t end, figure::Rgba c) {
        end = std::min(end, text.size());
        if (at < columns && end > at) {
            const std::size_t shown = std::min(end, columns) - at;
            draw_text(ui_, list, x + static_cast<float>(at) * cell, y, Face::mono, 13.5f, c,
                      std::string_view(text).substr(at, shown));
        }
        at = end;
    };
    while (at < text.size()) {
        const char c = text[at];
        if (c == '#' || (c == '/' && at + 1 < text.size() && text[at + 1] == '/')) {
            put(text.size(), t.faint);
        } else if (c == '"' || c == '\'') {
            std::size_t end = at + 1;
            while (end < text.size() && text[end] != c) {
                end += text[end] == '\\' ? 2 : 1;
            }
            put(end + 1, t.good);
        } else if (is_word(c)) {
            std::size_t end = at;
            while (end < text.size() && is_word(text[end])) {
                ++end;
            }
            const auto word = std::string_view(text).substr(at, end - at);
            const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
            put(end, is_keyword(word) ? t.issue : number ? t.run_b : t.text);
        } else {
            std::size_t end = at;
            while (end < text.size() && !is_word(text[end]) && text[end] != '#' && text[end] != '"' &&
                   text[end] != '\'' && !(text[end] == '/' && end + 1 < text.size() && text[end + 1] == '/')) {
                ++end;
            }
            put(std::max(end, at + 1), t.text);
        }
    }
}

void SourcePanel::draw_line(ImDrawList* list, std::uint32_t number, float y, float left, float right, float cell) {
    const figure::Theme& t = *ui_.theme;
    const auto& session = state_.session;
    const bool here = session.live() && core::number_of(session.current_line()) == number;
    const model::Run* run = session.b() != nullptr ? session.b()->run() : nullptr;
    const bool failed = run != nullptr && run->error() && run->error()->line == number &&
                        run->error()->file == std::filesystem::path(path_).filename().string();
    if (here || failed) {
        const figure::Rgba mark = failed ? t.warning : t.run_b;
        list->AddRectFilled({left, y}, {right, y + ui_.px(kRow)}, colour(figure::faded(mark, 0.16)));
        list->AddRectFilled({left, y}, {left + ui_.px(3), y + ui_.px(kRow)}, colour(mark));
    }
    if (number == core::number_of(state_.selected_line())) {
        list->AddRectFilled({left, y}, {right, y + ui_.px(kRow)}, colour(figure::faded(t.issue, 0.14)));
        list->AddRectFilled({left, y}, {left + ui_.px(3), y + ui_.px(kRow)}, colour(t.issue));
    }
    const float baseline = y + ui_.px(15);
    if (steps_) {
        // The gutter: a click sets a breakpoint.
        ImGui::SetCursorScreenPos({left, y});
        ImGui::PushID(static_cast<int>(number));
        const bool marked = session.breakpoints().count(number) != 0;
        if (ImGui::InvisibleButton("gutter", {ui_.px(kGutter - 8), ui_.px(kRow)})) {
            state_.session.set_breakpoint(number, !marked);
        }
        mark_item(ui_, "gutter/" + std::to_string(number));
        const bool hovered = ImGui::IsItemHovered();
        ImGui::PopID();
        if (marked || hovered) {
            list->AddCircleFilled({left + ui_.px(11), y + ui_.px(kRow / 2)}, ui_.exact_px(4.5f),
                                  colour(marked ? t.warning : figure::faded(t.warning, 0.35)));
        }
    }
    draw_text_right(ui_, list, left + ui_.px(kGutter - 10), baseline, Face::mono, 12.5f, here ? t.text : t.faint,
                    std::to_string(number));
    draw_code(list, lines_[number - 1], left + ui_.px(kGutter), baseline, cell,
              right - left - ui_.px(kGutter + kCosts));
    const auto found = costs_.find(number);
    if (found == costs_.end()) {
        return;
    }
    const Cost& cost = found->second;
    const float bar = ui_.px(44), top = y + ui_.px(6), bottom = y + ui_.px(kRow - 6);
    const float issue_x = right - ui_.px(kCosts - 10), blocked_x = right - ui_.px(54);
    const auto draw_bar = [&](float x, double share, figure::Rgba c) {
        if (share > 0) {
            const float width = std::max(1.0f, static_cast<float>(share) * bar);
            list->AddRectFilled({x, top}, {x + width, bottom}, colour(c), ui_.exact_px(1.5f));
        }
    };
    draw_bar(issue_x, cost.issue, t.issue);
    draw_bar(blocked_x, cost.blocked, t.wait);
    if (ImGui::IsMouseHoveringRect({issue_x, y}, {right, y + ui_.px(kRow)}) && ImGui::IsWindowHovered()) {
        ImGui::BeginTooltip();
        const FontScope font(ui_, Face::regular, ui_.px(13));
        ImGui::Text("line %u: %s ops, issued in %s, blocked %s, own work %s", number, figure::count_text(cost.of.ops).c_str(),
                    figure::duration_text(static_cast<double>(cost.of.issue_ns)).c_str(),
                    figure::duration_text(static_cast<double>(cost.of.blocked_ns)).c_str(),
                    figure::duration_text(static_cast<double>(cost.of.work_ns)).c_str());
        ImGui::EndTooltip();
    }
}

void SourcePanel::follow_selection(float row, float scroll, float height) {
    std::uint32_t line = 0;
    if (const std::uint32_t selected = core::number_of(state_.selected_line()); selected != shown_selection_) {
        shown_selection_ = selected;
        line = selected;
    } else if (!state_.session.live() && !costs_.empty() && shown_costs_ != state_.session.started()) {
        shown_costs_ = state_.session.started();
        line = ~std::uint32_t{0};
        for (const auto& [number, cost] : costs_) {
            line = std::min(line, number);
        }
    }
    const float y = static_cast<float>(line) * row - row;
    if (line != 0 && line <= lines_.size() && (y < scroll || y + 2 * row > scroll + height)) {
        ImGui::SetScrollY(std::max(0.0f, y - 2 * row));
    }
}

void SourcePanel::draw(ImVec2 min, ImVec2 max) {
    load();
    weigh();
    const figure::Theme& t = *ui_.theme;
    ImDrawList* outer = ImGui::GetWindowDrawList();
    const float baseline = min.y + ui_.px(14);
    draw_text(ui_, outer, min.x + ui_.px(12), baseline, Face::mono, 13, t.dim,
              std::filesystem::path(path_).filename().string());
    draw_text_right(ui_, outer, max.x - ui_.px(70), baseline, Face::mono, 12, t.faint, "issue");
    draw_text_right(ui_, outer, max.x - ui_.px(10), baseline, Face::mono, 12, t.faint, "blocked");
    const ImVec2 a{min.x, min.y + ui_.px(kHeader)};
    draw_card(ui_, outer, a, max, t.dark ? figure::mixed(t.background, t.panel, 0.4) : t.background);
    ui_.marks.insert_or_assign("source", Mark{a.x, a.y, max.x, max.y});
    ImGui::SetCursorScreenPos({a.x + ui_.px(1), a.y + ui_.px(4)});
    ImGui::BeginChild("source", {max.x - a.x - ui_.px(2), max.y - a.y - ui_.px(8)}, false, 0);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float row = ui_.px(kRow);
    const float cell = text_width(ui_, Face::mono, 13.5f, "0000000000") / 10;
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const float right = origin.x + ImGui::GetContentRegionAvail().x;
    const float scroll = ImGui::GetScrollY(), height = ImGui::GetWindowHeight();
    const auto first = static_cast<std::uint32_t>(std::max(0.0f, scroll / row));
    const auto last = std::min<std::uint32_t>(static_cast<std::uint32_t>(lines_.size()),
                                              first + static_cast<std::uint32_t>(height / row) + 2);
    for (std::uint32_t i = first; i < last; ++i) {
        draw_line(list, i + 1, origin.y + static_cast<float>(i) * row, origin.x, right, cell);
    }
    ImGui::SetCursorScreenPos(origin);
    ImGui::Dummy({1, row * static_cast<float>(lines_.size())});
    follow_selection(row, scroll, height);
    // The line that is current stays in view.
    const auto current = state_.session.live() ? core::number_of(state_.session.current_line()) : 0;
    if (current != 0 && current != shown_line_ && state_.session.standing()) {
        const float y = static_cast<float>(current - 1) * row;
        if (y < scroll || y + 2 * row > scroll + height) {
            ImGui::SetScrollY(std::max(0.0f, y - height / 2));
        }
        shown_line_ = current;
    }
    ImGui::EndChild();
}

}  // namespace headway::ui
