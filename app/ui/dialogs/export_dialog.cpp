#include "app/ui/dialogs/export_dialog.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <span>
#include <vector>

#include "app/figure/animation.h"
#include "app/gfx/imgui_compat.h"
#include "app/ui/dialogs/dialogs.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

using Format = ExportChoice::Format;
using What = ExportChoice::What;
using figure::FigureSize;

namespace {

constexpr float kName = 84, kRow = 42;
constexpr std::array kWhats{What::view, What::run, What::both};
constexpr std::array kFormats{Format::png, Format::svg, Format::pdf, Format::gif, Format::mp4, Format::frames};
constexpr std::array kSizes{FigureSize::slide, FigureSize::column, FigureSize::two_columns, FigureSize::poster,
                            FigureSize::window};
constexpr std::array kThemeOrder{figure::ThemeName::light, figure::ThemeName::dark, figure::ThemeName::projector};
constexpr std::array kScales{1, 2, 3, 4, 6, 8};
constexpr std::array kSeconds{4, 8, 15, 30, 60};

template <class Choices, class Value>
int index_of(const Choices& choices, const Value& value) {
    const auto found = std::find(choices.begin(), choices.end(), value);
    return found == choices.end() ? -1 : static_cast<int>(found - choices.begin());
}

// A remark on the format: the smallest text, or what an animated format needs.
const char* remark_of(const ExportChoice& choice) {
    switch (choice.format) {
        case Format::gif:
            return "the run as it grows, 12 frames a second; needs ffmpeg";
        case Format::mp4:
            return "the run as it grows, 25 frames a second; needs ffmpeg";
        case Format::frames:
            return "the run as it grows: 25 numbered PNGs for each second";
        default:
            break;
    }
    return choice.size == FigureSize::column || choice.size == FigureSize::two_columns ? "no text below 8 pt" : "";
}

}  // namespace

void ExportDialog::name(float y, const char* words) {
    draw_text(ui_, ImGui::GetWindowDrawList(), left_, y + ui_.px(20), Face::medium, 14, ui_.theme->dim, words);
}

void ExportDialog::renew_path() {
    problem_.clear();
    replaces_.clear();
    if (!own_path_) {
        path_ = state_.exports.new_path();
        return;
    }
    // If only the format changes, keeps the path and replaces the extension.
    const ExportChoice& choice = state_.exports.choice();
    const std::filesystem::path typed = path_;
    path_ = (typed.parent_path() / typed.stem()).string() + "." + extension_of(choice.format);
    if (choice.format == Format::frames && path_.find('%') == std::string::npos) {
        path_ = (typed.parent_path() / (typed.stem().string() + "-%04d.png")).string();
    }
}

// One row of buttons, one per choice. A click sets `chosen`. Returns whether there was one.
template <class Choices, class Value, class Label>
bool ExportDialog::choose(float& y, const char* words, const char* id, const Choices& choices, Value& chosen,
                          Label label, float pad) {
    std::vector<std::string> labels;
    for (const auto& choice : choices) {
        labels.emplace_back(label(choice));
    }
    name(y, words);
    const int clicked =
        segments(ui_, id, labels, index_of(choices, chosen), {left_ + ui_.px(kName), y}, ui_.theme->issue, 14, 0, pad);
    y += ui_.px(kRow);
    if (clicked >= 0) {
        chosen = choices[static_cast<std::size_t>(clicked)];
    }
    return clicked >= 0;
}

float ExportDialog::draw_choices(float y) {
    ExportChoice& choice = state_.exports.choice();
    const auto label = [](auto value) { return label_of(value); };
    const auto of = state_.exports.picture_of();
    const bool two = of && of->b != nullptr;
    What shown = !two && choice.what == What::both ? What::run : choice.what;
    if (choose(y, "Show", "export/what", std::span(kWhats).first(two ? 3 : 2), shown, label)) {
        choice.what = shown;
    }
    if (choose(y, "Kind", "export/format", kFormats, choice.format, label)) {
        renew_path();
    }
    choose(y, "Size", "export/size", kSizes, choice.size, label, 11);
    if (choice.has_pixels()) {
        choose(y, "Scale", "export/scale", kScales, choice.scale, [](int n) { return std::to_string(n) + "×"; });
    }
    choose(y, "Theme", "export/theme", kThemeOrder, choice.theme, [](figure::ThemeName theme) {
        std::string words = figure::theme(theme).name;
        words[0] = static_cast<char>(words[0] - 'a' + 'A');
        return words;
    });
    if (choice.animated()) {
        choose(y, "Lasts", "export/seconds", kSeconds, choice.seconds, [](int n) { return std::to_string(n) + " s"; });
    }
    return y;
}

float ExportDialog::draw_file(float y) {
    name(y, "File");
    std::array<char, 4096> buffer{};
    std::strncpy(buffer.data(), path_.c_str(), buffer.size() - 1);
    ImGui::SetCursorScreenPos({left_ + ui_.px(kName), y});
    ImGui::SetNextItemWidth(right_ - left_ - ui_.px(kName));
    {
        const FontScope font(ui_, Face::mono, 13);
        ui_.fonts.cover(path_);
        entered_ = ImGui::InputText("##path", buffer.data(), buffer.size(), ImGuiInputTextFlags_EnterReturnsTrue);
    }
    register_item(ui_, "export/path");
    if (path_ != buffer.data()) {
        path_ = buffer.data();
        own_path_ = true;
        problem_.clear();
        replaces_.clear();
    }
    return y + ui_.px(kRow);
}

bool ExportDialog::write() {
    const std::string path = without_tilde(path_);
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::absolute(path, error).parent_path();
    const bool makes_folder = state_.exports.choice().format == Format::frames;
    if (!makes_folder && !std::filesystem::is_directory(folder, error)) {
        problem_ = "There is no folder " + folder.string();
        return false;
    }
    const std::string first = makes_folder ? figure::first_frame(path) : path;
    if (std::filesystem::is_directory(first, error)) {
        problem_ = std::filesystem::path(first).filename().string() + " is a folder";
        return false;
    }
    if (std::filesystem::exists(first, error) && replaces_ != path) {
        problem_ = std::filesystem::path(first).filename().string() + " exists; Export again replaces it";
        replaces_ = path;
        return false;
    }
    if (own_path_ && std::filesystem::path(path).is_absolute() && !makes_folder) {
        state_.exports.choice().folder = folder.string();
    }
    state_.exports.write(path);
    return true;
}

void ExportDialog::draw(bool enter_exports) {
    // True from the first frame on: a second key that follows quickly belongs to the dialog.
    shown_ = wanted_ || ImGui::IsPopupOpen("export");
    if (wanted_) {
        wanted_ = false;
        own_path_ = false;
        replaces_.clear();
        renew_path();
        ImGui::OpenPopup("export");
    }
    const ExportChoice before = state_.exports.choice();
    const int rows = 5 + (before.has_pixels() ? 1 : 0) + (before.animated() ? 1 : 0);
    const ImVec2 size{std::min(ui_.px(660), ImGui::GetIO().DisplaySize.x - ui_.px(40)),
                      ui_.px(60 + 28 + 62) + static_cast<float>(rows) * ui_.px(kRow)};
    if (!begin_dialog(ui_, "export", size)) {
        return;
    }
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetWindowPos();
    left_ = at.x + ui_.px(22);
    right_ = at.x + size.x - ui_.px(22);
    draw_text(ui_, list, left_, at.y + ui_.px(36), Face::bold, 17, t.text, "Export a figure");
    float y = draw_file(draw_choices(at.y + ui_.px(56)));
    const ExportChoice& choice = state_.exports.choice();
    std::string words = size_text(choice, state_.look.width_px, state_.look.height_px);
    if (const char* remark = remark_of(choice); *remark != '\0') {
        words += std::string("; ") + remark;
    }
    draw_text(ui_, list, left_ + ui_.px(kName), y + ui_.px(10), Face::regular, 13, problem_.empty() ? t.dim : t.warning,
              problem_.empty() ? words : problem_, right_ - left_ - ui_.px(kName));

    y = at.y + size.y - ui_.px(50);
    float x = left_;
    const bool keyed =
        shown_ && (gfx::key_pressed(gfx::Key::f12) || (enter_exports && gfx::key_pressed(gfx::Key::enter)) ||
                   (enter_exports && gfx::key_pressed(gfx::Key::keypad_enter)));
    bool close = false;
    if (row_button(ui_, x, y, "export/write", "Export", ButtonKind::primary) || entered_ || keyed) {
        close = write();
    }
    if (row_button(ui_, x, y, "export/copy", "Copy", ButtonKind::plain)) {
        state_.exports.copy();
        close = true;
    }
    tooltip_of_command(ui_, "Copy the view as a PNG to the clipboard", "export.copy");
    if (row_button(ui_, x, y, "export/cancel", "Cancel", ButtonKind::plain) || gfx::key_pressed(gfx::Key::escape)) {
        close = true;
    }
    if (close) {
        ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
}

}  // namespace headway::ui
