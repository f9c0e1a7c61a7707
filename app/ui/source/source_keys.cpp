// SourceEditor: keyboard input.
#include <imgui_internal.h>

#include <string>

#include "app/gfx/imgui_compat.h"
#include "app/ui/source/source_editor.h"
#include "engine/core/utf8.h"

namespace headway::ui {

using editor::Move;
using gfx::Key;

void SourceEditor::keys(std::uint32_t page_lines) {
    // A text field, a menu or the list of keys has the focus.
    const ImGuiID active = ImGui::GetActiveID();
    if ((active != 0 && active != ImGui::GetID("code") && active != ImGui::GetID("gutter")) || state_.look.show_keys ||
        ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel)) {
        return;
    }
    const std::uint64_t before = document().text.revision();
    move_keys(page_lines);
    clipboard_keys();
    if (!document().read_only()) {
        edit_keys();
    }
    if (document().text.revision() != before) {
        touched_ = ImGui::GetTime();
        reveal_ = false;
    }
    if (gfx::key_pressed(Key::escape)) {
        if (document().text.has_selection()) {
            document().text.place(document().text.caret());
        } else {
            focused_ = false;
        }
    }
}

void SourceEditor::move_keys(std::uint32_t page_lines) {
    const ImGuiIO& io = ImGui::GetIO();
    auto& text = document().text;
    const bool select = io.KeyShift, control = io.KeyCtrl;
    if (io.KeyAlt) {
        return;
    }
    const auto go = [&](Key key, Move plain, Move with_control, std::uint32_t times = 1) {
        if (gfx::key_pressed(key, true)) {
            text.move(control ? with_control : plain, select, times);
            touched_ = ImGui::GetTime();
        }
    };
    go(Key::left, Move::left, Move::word_left);
    go(Key::right, Move::right, Move::word_right);
    go(Key::up, Move::up, Move::up);
    go(Key::down, Move::down, Move::down);
    go(Key::page_up, Move::up, Move::up, page_lines);
    go(Key::page_down, Move::down, Move::down, page_lines);
    go(Key::home, Move::line_begin, Move::text_begin);
    go(Key::end, Move::line_end, Move::text_end);
}

void SourceEditor::clipboard_keys() {
    const ImGuiIO& io = ImGui::GetIO();
    auto& text = document().text;
    if (!io.KeyCtrl || io.KeyAlt) {
        return;
    }
    const bool writable = !document().read_only();
    if (gfx::key_pressed(Key::a)) {
        text.select_all();
    } else if (gfx::key_pressed(Key::c) || (gfx::key_pressed(Key::x) && !writable)) {
        if (text.has_selection()) {
            ImGui::SetClipboardText(text.text(text.selection()).c_str());
        }
    } else if (gfx::key_pressed(Key::x)) {
        if (const std::string cut = text.cut(); !cut.empty()) {
            ImGui::SetClipboardText(cut.c_str());
        }
    } else if (gfx::key_pressed(Key::v, true) && writable) {
        if (const char* pasted = ImGui::GetClipboardText()) {
            text.paste(pasted);
        }
    } else if (gfx::key_pressed(Key::z, true) && writable) {
        io.KeyShift ? text.redo() : text.undo();
    } else if (gfx::key_pressed(Key::y, true) && writable) {
        text.redo();
    } else if (gfx::key_pressed(Key::slash, true) && writable) {
        text.toggle_comment();
    }
}

void SourceEditor::edit_keys() {
    ImGuiIO& io = ImGui::GetIO();
    auto& text = document().text;
    if (!io.KeyCtrl && !io.KeyAlt) {
        if (gfx::key_pressed(Key::enter, true) || gfx::key_pressed(Key::keypad_enter, true)) {
            text.newline();
        } else if (gfx::key_pressed(Key::tab, true)) {
            io.KeyShift ? text.outdent() : text.indent();
        }
    }
    if (gfx::key_pressed(Key::backspace, true)) {
        text.backspace(io.KeyCtrl);
    } else if (gfx::key_pressed(Key::del, true)) {
        text.erase(io.KeyCtrl);
    }
    // Ctrl and Alt together are AltGr, which types characters.
    if (io.KeyCtrl == io.KeyAlt) {
        std::string typed;
        for (const ImWchar c : io.InputQueueCharacters) {
            const auto code = static_cast<unsigned>(c);
            if (code >= 0x20 && code != 0x7f && (code < 0xd800 || code >= 0xe000)) {
                core::append_utf8(typed, code);
            }
        }
        if (!typed.empty()) {
            ui_.fonts.cover(typed);
            text.type(typed);
        }
    }
    io.InputQueueCharacters.resize(0);
}

}  // namespace headway::ui
