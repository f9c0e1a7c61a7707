#include "app/ui/dialogs/confinement_note.h"

#include <algorithm>

#include "app/confinement/explanation.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

std::string confinement_sentences(const session::Settings& settings, const confinement::Support& kernel,
                                  const std::string& folder, bool writable) {
    confinement::Permissions permissions{settings.confined, {}, settings.network};
    if (writable && !folder.empty()) {
        permissions.folders.push_back(folder);
    }
    permissions.folders.emplace_back("a temporary folder that is removed when the window closes");
    std::string text = confinement::explanation(permissions, kernel);
    if (settings.confined && kernel.writes() && !writable && !folder.empty()) {
        text += " " + folder + " holds too many of your own files, so the program may not write there.";
    }
    const std::string limits = confinement::words_of(settings.limits);
    return limits.empty() ? text : text + "\nA run takes " + limits + ".";
}

float draw_confinement_note(AppState& state, Ui& ui, float right, float baseline, float room) {
    const figure::Theme& t = *ui.theme;
    static const confinement::Support kernel = confinement::support();  // constant while the kernel runs
    auto& settings = state.session.settings;
    const auto [folder, writable] = state.source.working_folder();
    const std::vector<std::string> own = writable && !folder.empty() ? std::vector{folder} : std::vector<std::string>{};
    const std::string words =
        elided(ui, Face::regular, 12,
               "program: " + confinement::summary({settings.confined, own, settings.network}, kernel), room);
    const float width = text_width(ui, Face::regular, 12, words);
    const ImVec2 at{right - width, baseline - ui.px(14)};
    ImGui::SetCursorScreenPos(at);
    if (ImGui::InvisibleButton("confinement", {std::max(width, 1.0f), ui.px(20)})) {
        ImGui::OpenPopup("confinement");
    }
    register_item(ui, "confinement");
    const bool hovered = ImGui::IsItemHovered();
    draw_text(ui, ImGui::GetWindowDrawList(), at.x, baseline, Face::regular, 12, hovered ? t.text : t.faint, words);
    tooltip(ui, "What the program may do to this machine");

    const float inner = ui.px(330), edge = ui.px(16);
    const std::string sentences = confinement_sentences(settings, kernel, folder, writable);
    ui.fonts.cover(sentences);
    const float height = draw_wrapped(ui, nullptr, {}, inner, Face::regular, 13, 19, t.text, sentences);
    const bool choice = kernel.writes(), network = choice && settings.confined;
    const ImVec2 size{inner + 2 * edge, height + 2 * edge + ui.px(44) * static_cast<float>(choice + network)};
    ImGui::SetNextWindowPos({std::max(ui.px(8), right - size.x), baseline - ui.px(20) - size.y});
    ImGui::SetNextWindowSize(size);
    if (!ImGui::BeginPopup("confinement", ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoScrollbar)) {
        return width;
    }
    const ImVec2 corner = ImGui::GetWindowPos();
    draw_wrapped(ui, ImGui::GetWindowDrawList(), {corner.x + edge, corner.y + edge}, inner, Face::regular, 13, 19,
                 t.text, sentences);
    if (choice) {
        const char* label = settings.confined ? "Let programs write anywhere" : "Confine programs again";
        if (button(ui, "confinement/allow", label, {corner.x + edge, corner.y + edge + height + ui.px(12)})) {
            settings.confined = !settings.confined;  // applies to the next run
        }
    }
    if (network) {
        const char* label = settings.network ? "Deny the network again" : "Allow the network";
        if (button(ui, "confinement/network", label, {corner.x + edge, corner.y + edge + height + ui.px(56)})) {
            settings.network = !settings.network;
        }
    }
    ImGui::EndPopup();
    return width;
}

}  // namespace headway::ui
