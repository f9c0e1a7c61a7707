#include "app/ui/lesson/confinement_note.h"

#include <algorithm>

#include "app/confinement/confinement.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

std::string confinement_words(bool confined, int landlock_version) {
    return landlock_version == 0 ? "not confined" : confined ? "writes in its folder only" : "may write anywhere";
}

std::string confinement_sentences(bool confined, int landlock_version, const std::string& folder, bool writable) {
    if (landlock_version == 0) {
        return "This machine's kernel cannot confine programs (no Landlock): they may do whatever you may. Run what "
               "you "
               "trust.\nA program cannot crash the window: each program runs in a process of its own.";
    }
    std::string text;
    if (confined) {
        text = folder.empty() || !writable
                   ? "The program may write only in a temporary folder, which goes when the window closes."
                   : "The program may write only in " + folder +
                         ", and in a temporary folder that goes when the window "
                         "closes.";
        if (!folder.empty() && !writable) {
            text += " " + folder + " holds too much of yours to be written to.";
        }
        text +=
            landlock_version >= 6 ? "\nIt can end no process but its own." : "\nIt can end other processes of yours.";
        if (landlock_version < 3) {
            text += " This kernel lets it empty files elsewhere.";
        }
    } else {
        text = "Programs may write wherever you may, and end what you may.";
    }
    return text + "\nNot confined: what it reads, the network, how much memory and time it takes.";
}

void draw_confinement_note(AppState& state, Ui& ui, float right, float baseline, float room) {
    const figure::Theme& t = *ui.theme;
    static const int version = confinement::support().version;  // constant while the kernel runs
    auto& settings = state.session.settings;
    const std::string words = elided(ui, Face::regular, 12, confinement_words(settings.confined, version), room);
    const float width = text_width(ui, Face::regular, 12, words);
    const ImVec2 at{right - width, baseline - ui.px(14)};
    ImGui::SetCursorScreenPos(at);
    if (ImGui::InvisibleButton("confinement", {std::max(width, 1.0f), ui.px(20)})) {
        ImGui::OpenPopup("confinement");
    }
    mark_item(ui, "confinement");
    const bool hovered = ImGui::IsItemHovered();
    draw_text(ui, ImGui::GetWindowDrawList(), at.x, baseline, Face::regular, 12, hovered ? t.text : t.faint, words);
    tooltip(ui, "What the program may do to this machine");

    const float inner = ui.px(330), edge = ui.px(16);
    const auto [folder, writable] = state.programs.working_folder();
    const std::string sentences = confinement_sentences(settings.confined, version, folder, writable);
    ui.fonts.cover(sentences);
    const float height = draw_wrapped(ui, nullptr, {}, inner, Face::regular, 13, 19, t.text, sentences);
    const bool choice = version != 0;
    const ImVec2 size{inner + 2 * edge, height + 2 * edge + (choice ? ui.px(44) : 0)};
    ImGui::SetNextWindowPos({std::max(ui.px(8), right - size.x), baseline - ui.px(20) - size.y});
    ImGui::SetNextWindowSize(size);
    if (!ImGui::BeginPopup("confinement", ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoScrollbar)) {
        return;
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
    ImGui::EndPopup();
}

}  // namespace headway::ui
