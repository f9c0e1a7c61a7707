#include "app/ui/shell/commands.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

namespace headway::ui {

using gfx::Key;

namespace {

struct NamedKey {
    std::string_view label;
    Key key;
};
// Keys whose label is not their name in lower case.
constexpr std::array<NamedKey, 8> kLabels{{{"←", Key::left},
                                           {"→", Key::right},
                                           {"↑", Key::up},
                                           {"↓", Key::down},
                                           {"Del", Key::del},
                                           {"Esc", Key::escape},
                                           {"+", Key::equal},
                                           {"−", Key::minus}}};

// The key of the keypad that means the same.
std::optional<Key> second_key(Key key) {
    switch (key) {
        case Key::enter:
            return Key::keypad_enter;
        case Key::equal:
            return Key::keypad_add;
        case Key::minus:
            return Key::keypad_subtract;
        default:
            return std::nullopt;
    }
}

std::optional<Key> key_of(std::string_view label) {
    const auto* const named =
        std::find_if(kLabels.begin(), kLabels.end(), [label](const NamedKey& key) { return key.label == label; });
    if (named != kLabels.end()) {
        return named->key;
    }
    std::string name(label);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return gfx::key_named(name);
}

bool was_typed(char c) {
    const auto& typed = ImGui::GetIO().InputQueueCharacters;
    return std::find(typed.begin(), typed.end(), static_cast<ImWchar>(c)) != typed.end();
}

Chord chord_of(std::string_view text) {
    Chord chord;
    std::string_view rest = text;
    for (const auto& [word, held] : {std::pair{std::string_view("Ctrl "), &chord.ctrl},
                                     {std::string_view("Shift "), &chord.shift},
                                     {std::string_view("Alt "), &chord.alt}}) {
        if (rest.starts_with(word)) {
            *held = true;
            rest.remove_prefix(word.size());
        }
    }
    if (rest == "?") {
        chord.key = Key::slash;
        chord.shift = true;
        chord.typed = '?';
        return chord;
    }
    const std::optional<Key> key = key_of(rest);
    if (!key) {
        std::fprintf(stderr, "headway: a command has the keys '%.*s', which do not exist\n",
                     static_cast<int>(text.size()), text.data());
        std::abort();
    }
    chord.key = *key;
    constexpr std::string_view kPunctuation = "/[].,=-";
    if (rest.size() == 1 && kPunctuation.find(rest[0]) != std::string_view::npos) {
        chord.typed = rest[0];
    }
    return chord;
}

}  // namespace

bool Chord::types_text() const {
    return !ctrl && !alt && (key == Key::space || (key >= Key::a && key <= Key::bracket_right));
}

bool Chord::pressed(bool repeats) const {
    const ImGuiIO& io = ImGui::GetIO();
    if (typed != 0 && was_typed(typed)) {
        return true;  // with whatever modifiers this keyboard needs for it
    }
    if (io.KeyCtrl != ctrl || io.KeyAlt != alt) {
        return false;
    }
    // Ctrl + is Ctrl Shift = on many keyboards.
    const bool any_shift = ctrl && (key == Key::equal || key == Key::minus);
    if (io.KeyShift != shift && !any_shift) {
        return false;
    }
    if (const std::optional<Key> second = second_key(key); second && gfx::key_pressed(*second, repeats)) {
        return true;
    }
    // Some keyboards type '/' with Shift and the key of '?'.
    return !(typed == '?' && was_typed('/')) && gfx::key_pressed(key, repeats);
}

std::vector<Chord> chords_of(std::string_view keys) {
    constexpr std::string_view kBetween = ", ";
    std::vector<Chord> chords;
    while (!keys.empty()) {
        const std::size_t end = std::min(keys.find(kBetween, 1), keys.size());
        chords.push_back(chord_of(keys.substr(0, end)));
        keys.remove_prefix(std::min(end + kBetween.size(), keys.size()));
    }
    return chords;
}

CommandTable::CommandTable(std::vector<Command> commands) : commands_(std::move(commands)) {
    chords_.reserve(commands_.size());
    for (const Command& command : commands_) {
        chords_.push_back(chords_of(command.keys));
    }
}

const Command* CommandTable::find(std::string_view id) const {
    const auto found = std::find_if(commands_.begin(), commands_.end(), [id](const Command& c) { return c.id == id; });
    return found == commands_.end() ? nullptr : &*found;
}

void CommandTable::handle_keys(bool typing, bool list_of_keys) const {
    if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel)) {
        return;
    }
    if (!handle_scope(typing, list_of_keys, true)) {
        handle_scope(typing, list_of_keys, false);
    }
}

// True: a command was run.
bool CommandTable::handle_scope(bool typing, bool list_of_keys, bool replay) const {
    bool ran = false;
    for (std::size_t i = 0; i < commands_.size(); ++i) {
        const Command& command = commands_[i];
        if ((command.scope == Command::Scope::replay) != replay ||
            (command.scope != Command::Scope::anywhere && (typing || list_of_keys))) {
            continue;
        }
        const bool pressed = std::any_of(chords_[i].begin(), chords_[i].end(), [&](const Chord& chord) {
            const bool blocked = chord.types_text() && (typing || (list_of_keys && chord.typed != '?'));
            return !blocked && chord.pressed(command.repeats);
        });
        if (pressed && command.can_run()) {
            command.run();
            ran = true;
        }
    }
    return ran;
}

}  // namespace headway::ui
