#include "app/ui/shell/overlays/palette.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/gfx/imgui_compat.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

using gfx::Key;

constexpr std::size_t kRows = 12;
constexpr float kWidth = 620, kRow = 32;

char lower(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

bool begins_word(std::string_view name, std::size_t at) {
    return at == 0 || std::isalnum(static_cast<unsigned char>(name[at - 1])) == 0;
}

// How well the name matches: larger is better, negative means no match.
int score(std::string_view name, std::string_view typed) {
    int total = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < typed.size();) {
        if (typed[i] == ' ') {
            ++i;
            continue;
        }
        // The longest part of the rest of `typed` that occurs in the name, preferably at the beginning of a word.
        std::size_t best_at = std::string_view::npos, best = 0;
        int best_points = -1;
        for (std::size_t from = at; from < name.size(); ++from) {
            std::size_t n = 0;
            while (from + n < name.size() && i + n < typed.size() && typed[i + n] != ' ' &&
                   lower(name[from + n]) == lower(typed[i + n])) {
                ++n;
            }
            const int points = static_cast<int>(n * n) * 2 + (begins_word(name, from) ? 6 : 0) + (from == 0 ? 3 : 0);
            if (n > 0 && points > best_points) {
                best_at = from, best = n, best_points = points;
            }
        }
        if (best == 0) {
            return -1;
        }
        total += best_points;
        at = best_at + best;
        i += best;
    }
    return total;
}

}  // namespace

std::vector<std::size_t> rank_names(std::span<const std::string> names, std::string_view typed) {
    std::vector<std::pair<int, std::size_t>> fits;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (const int points = score(names[i], typed); points >= 0) {
            fits.emplace_back(-points, i);
        }
    }
    std::stable_sort(fits.begin(), fits.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::size_t> order;
    for (const auto& fit : fits) {
        if (fit.first * 3 <= fits.front().first) {  // scattered letters are dropped if a word matches
            order.push_back(fit.second);
        }
    }
    return order;
}

void Palette::open(std::vector<PaletteEntry> entries) {
    entries_ = std::move(entries);
    names_.clear();
    for (const auto& entry : entries_) {
        names_.push_back(entry.name);
    }
    typed_.clear();
    shown_ = rank_names(names_, typed_);
    at_ = first_ = 0;
    open_ = focus_ = true;
}

void Palette::choose(std::size_t index) {
    if (!entries_[index].enabled) {
        return;
    }
    open_ = false;
    // The command may open the palette again, with other commands.
    const auto act = entries_[index].run;
    act();
}

void Palette::draw() {
    if (!open_) {
        return;
    }
    const figure::Theme& t = *ui_.theme;
    const ImVec2 frame = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(frame);
    if (focus_) {
        ImGui::SetNextWindowFocus();
    }
    ImGui::PushStyleColor(ImGuiCol_WindowBg, colour4(figure::faded(t.background, t.dark ? 0.5 : 0.4)));
    ImGui::Begin("palette", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    ImGui::PopStyleColor();
    ImDrawList* list = ImGui::GetWindowDrawList();

    const std::size_t rows = std::min(kRows, std::max<std::size_t>(1, shown_.size()));
    const float width = std::min(ui_.px(kWidth), frame.x - ui_.px(32));
    const ImVec2 a{std::floor((frame.x - width) / 2), ui_.px(70)};
    const ImVec2 b{a.x + width, a.y + ui_.px(58) + static_cast<float>(rows) * ui_.px(kRow) + ui_.px(8)};
    draw_card(ui_, list, a, b, t.raised, 10);
    ui_.rects.insert_or_assign("palette", WidgetRect{a.x, a.y, b.x, b.y});

    ImGui::SetCursorScreenPos({a.x + ui_.px(14), a.y + ui_.px(12)});
    {
        const FontScope font(ui_, Face::regular, 15);
        ImGui::SetNextItemWidth(width - ui_.px(28));
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                            {ui_.px(10), std::floor((ui_.px(36) - ImGui::GetFontSize()) / 2)});
        if (focus_) {
            ImGui::SetKeyboardFocusHere();
            focus_ = false;
        }
        if (ImGui::InputTextWithHint("##typed", "What do you want to do?", &typed_)) {
            shown_ = rank_names(names_, typed_);
            at_ = first_ = 0;
        }
        ImGui::PopStyleVar();
        register_item(ui_, "palette/typed");
    }

    if (!shown_.empty()) {
        if (gfx::key_pressed(Key::down, true)) {
            at_ = at_ + 1 < shown_.size() ? at_ + 1 : 0;
        } else if (gfx::key_pressed(Key::up, true)) {
            at_ = at_ > 0 ? at_ - 1 : shown_.size() - 1;
        }
    }
    const float wheel = ImGui::GetIO().MouseWheel;
    if (wheel != 0 && shown_.size() > kRows) {
        const auto most = static_cast<float>(shown_.size() - kRows);
        first_ = static_cast<std::size_t>(std::clamp(static_cast<float>(first_) - wheel * 3, 0.0f, most));
    } else if (at_ < first_) {
        first_ = at_;
    } else if (at_ >= first_ + kRows) {
        first_ = at_ + 1 - kRows;
    }

    float y = a.y + ui_.px(58);
    if (shown_.empty()) {
        draw_text(ui_, list, a.x + ui_.px(24), y + ui_.px(21), Face::regular, 14, t.dim, "No matching entry.");
    }
    std::size_t chosen = entries_.size();
    for (std::size_t row = first_; row < std::min(shown_.size(), first_ + kRows); ++row, y += ui_.px(kRow)) {
        const PaletteEntry& entry = entries_[shown_[row]];
        const ImVec2 from{a.x + ui_.px(8), y}, to{b.x - ui_.px(8), y + ui_.px(kRow)};
        ImGui::SetCursorScreenPos(from);
        ImGui::PushID(static_cast<int>(row));
        if (ImGui::InvisibleButton("row", {to.x - from.x, to.y - from.y})) {
            chosen = shown_[row];
        }
        ImGui::PopID();
        register_item(ui_, "palette/" + entry.name, entry.enabled);
        const bool hovered = ImGui::IsItemHovered();
        if (hovered && (ImGui::GetIO().MouseDelta.x != 0 || ImGui::GetIO().MouseDelta.y != 0)) {
            at_ = row;
        }
        if (row == at_) {
            list->AddRectFilled(from, to, colour(figure::faded(t.issue, t.dark ? 0.22 : 0.16)), ui_.exact_px(6));
        }
        const float keys = entry.keys.empty() ? 0 : text_width(ui_, Face::semibold, 12.5f, entry.keys);
        draw_text(ui_, list, from.x + ui_.px(16), y + ui_.px(21), Face::medium, 14, entry.enabled ? t.text : t.faint,
                  entry.name, to.x - from.x - keys - ui_.px(48));
        draw_text_right(ui_, list, to.x - ui_.px(14), y + ui_.px(21), Face::semibold, 12.5f, t.dim, entry.keys);
    }
    if (gfx::key_pressed(Key::enter)) {
        focus_ = true;  // Enter took the focus from the field
        chosen = at_ < shown_.size() ? shown_[at_] : chosen;
    }
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool outside = mouse.x < a.x || mouse.x > b.x || mouse.y < a.y || mouse.y > b.y;
    if (gfx::key_pressed(Key::escape) || (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && outside)) {
        open_ = false;
    }
    ImGui::End();
    if (chosen < entries_.size()) {
        choose(chosen);
    }
}

}  // namespace headway::ui
