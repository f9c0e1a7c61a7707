#include "app/ui/dialogs/dialogs.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "app/gfx/imgui_compat.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostChoices = 200, kMostEntries = 20'000;

bool can_be_opened(const fs::path& path) {
    const std::string end = path.extension().string();
    return editor::Document::is_program(path) || end == ".json" || end == ".gz";
}

}  // namespace

bool begin_dialog(Ui& ui, const char* id, ImVec2 size) {
    const figure::Theme& t = *ui.theme;
    const ImVec2 frame = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos(
        {std::floor((frame.x - size.x) / 2), std::floor(std::max(ui.px(70), (frame.y - size.y) / 3))});
    ImGui::SetNextWindowSize(size);
    ImGui::PushStyleColor(ImGuiCol_PopupBg, colour4(t.raised));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui.exact_px(10));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.0f, std::floor(ui.fonts.scale())));
    const bool open = ImGui::BeginPopupModal(id, nullptr,
                                             ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
    return open;
}

std::string without_tilde(const std::string& path) {
    const char* home = std::getenv("HOME");
    if (home != nullptr && !path.empty() && path[0] == '~' && (path.size() == 1 || path[1] == '/')) {
        return home + path.substr(1);
    }
    return path;
}

std::vector<std::string> path_choices(const std::string& begin) {
    const std::size_t slash = begin.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : begin.substr(0, slash + 1);
    const std::string name = slash == std::string::npos ? begin : begin.substr(slash + 1);
    std::vector<std::string> folders, files;
    std::error_code problem;
    const fs::path where = folder.empty() ? fs::path(".") : fs::path(without_tilde(folder));
    std::size_t seen = 0;
    for (fs::directory_iterator entry(where, fs::directory_options::skip_permission_denied, problem), last;
         !problem && entry != last && seen < kMostEntries; entry.increment(problem), ++seen) {
        const std::string own = entry->path().filename().string();
        if (!own.starts_with(name) || (own.starts_with('.') && name.empty())) {
            continue;
        }
        std::error_code ignored;
        if (entry->is_directory(ignored)) {
            folders.push_back(folder + own + "/");
        } else if (can_be_opened(entry->path())) {
            files.push_back(folder + own);
        }
    }
    std::sort(folders.begin(), folders.end());
    std::sort(files.begin(), files.end());
    folders.insert(folders.end(), files.begin(), files.end());
    folders.resize(std::min(folders.size(), kMostChoices));
    return folders;
}

void OpenDialog::choose(const std::string& path) {
    std::error_code ignored;
    const fs::path full = without_tilde(path);
    // Lists a folder's contents, unless the folder is a lesson.
    if (fs::is_directory(full, ignored) && !fs::exists(full / "lesson.md", ignored)) {
        path_ = path.ends_with('/') ? path : path + "/";
        return;
    }
    if (auto opened = state_.programs.open(full); !opened) {
        problem_ = opened.error().message;
        path_ = path;
        return;
    }
    ImGui::CloseCurrentPopup();
}

void OpenDialog::draw() {
    if (wanted_) {
        wanted_ = false;
        if (path_.empty()) {
            std::error_code ignored;
            path_ = fs::current_path(ignored).string() + "/";
        }
        problem_.clear();
        listed_ = "\n";  // differs from every path
        opened_ = true;
        ImGui::OpenPopup("open");
    }
    const ImVec2 size{std::min(ui_.px(640), ImGui::GetIO().DisplaySize.x - ui_.px(40)), ui_.px(420)};
    if (!begin_dialog(ui_, "open", size)) {
        return;
    }
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetWindowPos();
    const float left = at.x + ui_.px(22), width = size.x - ui_.px(44);
    draw_text(ui_, list, left, at.y + ui_.px(34), Face::bold, 17, t.text, "Open a program, a lesson or a recording");
    draw_text(ui_, list, left, at.y + ui_.px(56), Face::regular, 13, t.dim,
              ".py, .ipynb, .md, a lesson's folder, or a trace. Opening a file does not run it.", width);
    std::array<char, 4096> buffer{};
    std::strncpy(buffer.data(), path_.c_str(), buffer.size() - 1);
    ImGui::SetCursorScreenPos({left, at.y + ui_.px(70)});
    const float open_width = button_width(ui_, "Open", {.kind = ButtonKind::primary});
    const float cancel_width = button_width(ui_, "Cancel", {});
    ImGui::SetNextItemWidth(width - open_width - cancel_width - ui_.px(16));
    if (opened_) {
        ImGui::SetKeyboardFocusHere();
        opened_ = false;
    }
    bool entered = false;
    {
        const FontScope font(ui_, Face::mono, 14);
        entered = ImGui::InputText("##path", buffer.data(), buffer.size(), ImGuiInputTextFlags_EnterReturnsTrue);
    }
    register_item(ui_, "open/path");
    if (path_ != buffer.data()) {
        path_ = buffer.data();
        problem_.clear();
    }
    const std::string before = path_;
    const ImVec2 button_at{left + width - open_width - cancel_width - ui_.px(8), at.y + ui_.px(69)};
    if (button(ui_, "open/open", "Open", button_at, {.kind = ButtonKind::primary}) || entered) {
        choose(path_);
    }
    if (button(ui_, "open/cancel", "Cancel", {left + width - cancel_width, at.y + ui_.px(69)}, {}) ||
        gfx::key_pressed(gfx::Key::escape)) {
        ImGui::CloseCurrentPopup();
    }
    float y = at.y + ui_.px(110);
    if (!problem_.empty()) {
        ui_.fonts.cover(problem_);
        y += draw_wrapped(ui_, list, {left, y}, width, Face::medium, 13, 18, t.wait_text, problem_) + ui_.px(6);
        ui_.rects.insert_or_assign("open/problem", WidgetRect{left, at.y + ui_.px(110), left + width, y});
    }
    if (listed_ != path_) {
        listed_ = path_;
        choices_ = path_choices(path_);
        for (const auto& choice : choices_) {
            ui_.fonts.cover(choice);
        }
    }
    ImGui::SetCursorScreenPos({left - ui_.px(6), y});
    ImGui::BeginChild("choices", {width + ui_.px(12), at.y + size.y - y - ui_.px(14)}, false, 0);
    ImDrawList* inner = ImGui::GetWindowDrawList();
    const float row = ui_.px(26);
    std::string chosen;
    for (const auto& choice : choices_) {
        const ImVec2 place = ImGui::GetCursorScreenPos();
        ImGui::PushID(choice.c_str());
        if (ImGui::InvisibleButton("choice", {width, row - ui_.px(1)})) {
            chosen = choice;
        }
        ImGui::PopID();
        register_item(ui_, "open/choice/" + choice);
        if (ImGui::IsItemHovered()) {
            inner->AddRectFilled(place, {place.x + width, place.y + row - ui_.px(1)},
                                 colour(figure::mixed(t.raised, t.text, 0.08)), ui_.exact_px(4));
        }
        const bool folder = choice.ends_with('/');
        const std::size_t slash = choice.rfind('/', choice.size() - 2);
        draw_text(ui_, inner, place.x + ui_.px(8), place.y + ui_.px(17), Face::mono, 13, folder ? t.dim : t.text,
                  slash == std::string::npos ? choice : choice.substr(slash + 1), width - ui_.px(16));
        ImGui::SetCursorScreenPos({place.x, place.y + row});
    }
    if (choices_.empty()) {
        const ImVec2 place = ImGui::GetCursorScreenPos();
        draw_text(ui_, inner, place.x + ui_.px(8), place.y + ui_.px(17), Face::regular, 13, t.faint,
                  "No matching file that can be opened");
    }
    ImGui::EndChild();
    if (!chosen.empty()) {
        choose(chosen);
    }
    if (path_ != before) {
        // The field shows the chosen path; while it has the focus, ImGui would keep its old text.
        ImGui::ClearActiveID();
        opened_ = true;
    }
    ImGui::EndPopup();
}

CloseDialog::Edits CloseDialog::edits() const {
    Edits edits;
    for (const auto* document : state_.source.files.unsaved()) {
        edits.emplace_back(document, document->text.revision());
    }
    return edits;
}

bool CloseDialog::may_close() const {
    if (!wanted_ || open_) {
        return false;
    }
    const Edits now = edits();
    return now.empty() || now == given_up_;
}

void CloseDialog::open() {
    wanted_ = true;
    given_up_.clear();
    open_ = !edits().empty();
}

void CloseDialog::draw() {
    if (wanted_ && !state_.exports.pictures.job().busy() && !may_close()) {
        open_ = true;
    }
    if (!open_) {
        return;
    }
    const auto unsaved = state_.source.files.unsaved();
    if (!ImGui::IsPopupOpen("close")) {
        ImGui::OpenPopup("close");
    }
    const ImVec2 size{std::min(ui_.px(520), ImGui::GetIO().DisplaySize.x - ui_.px(40)), ui_.px(170)};
    if (!begin_dialog(ui_, "close", size)) {
        return;
    }
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetWindowPos();
    const float left = at.x + ui_.px(22), width = size.x - ui_.px(44);
    draw_text(ui_, list, left, at.y + ui_.px(36), Face::bold, 17, t.text, "Some edits are not saved");
    std::string names;
    for (const auto* document : unsaved) {
        names += (names.empty() ? "" : ", ") + document->name();
    }
    draw_text(ui_, list, left, at.y + ui_.px(64), Face::mono, 13, t.dim, names, width);
    const float y = at.y + size.y - ui_.px(52);
    float x = left;
    bool stay = gfx::key_pressed(gfx::Key::escape), done = false;
    if (row_button(ui_, x, y, "close/save", "Save and close", ButtonKind::primary)) {
        for (auto* document : unsaved) {
            if (auto saved = state_.source.files.save(*document); !saved) {
                state_.notices.add(Notice::Kind::file, Notice::Tone::bad, saved.error().message);
                stay = true;  // saving failed: the window stays open
            }
        }
        done = true;
    }
    if (row_button(ui_, x, y, "close/discard", "Close without saving", ButtonKind::plain)) {
        given_up_ = edits();
        done = true;
    }
    if (row_button(ui_, x, y, "close/stay", "Stay", ButtonKind::plain)) {
        stay = true;
    }
    if (stay || done) {
        open_ = false;
        wanted_ = !stay;
        ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
}

}  // namespace headway::ui
