// The window's commands: one table, from which the palette, the bindings of the keys, the list of keys and the keys in
// tooltips come.
//
// Threads: the UI's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gfx/imgui_compat.h"

namespace headway::ui {

struct Command {
    // Where its keys work. Never while a popup is open.
    enum class Scope : std::uint8_t {
        anywhere,  // also while text is typed (unless they type text), and over the list of keys
        window,    // not while text is typed
        replay,    // the same, only while a run is replayed: such a command takes its keys from the others
    };

    std::string id;     // "timeline.fit"
    std::string group;  // its heading in the list of keys; not in the list if `help` is empty
    std::string title;  // in the palette
    // Chords, separated by ", ": "Space, Ctrl Shift P". Modifiers first, in the order Ctrl, Shift, Alt. As on an
    // American keyboard. Empty: no keys.
    std::string keys;
    // In the list of keys. "-": listed together with the command before it.
    std::string help;
    Scope scope = Scope::window;
    bool repeats = false;  // while the key is held down
    std::function<void()> run;
    std::function<bool()> enabled;  // empty: always

    [[nodiscard]] bool can_run() const { return !enabled || enabled(); }
};

// A key with its modifiers.
struct Chord {
    gfx::Key key{};
    // The character that is typed with it; 0: none. Punctuation is recognised by the character, because its keys differ
    // between keyboards.
    char typed = 0;
    bool ctrl = false, shift = false, alt = false;

    // Never a command while text is typed.
    [[nodiscard]] bool types_text() const;

    // Whether it was pressed in this frame of ImGui.
    [[nodiscard]] bool pressed(bool repeats) const;
    bool operator==(const Chord&) const = default;
};
// The chords of a command's keys. Stops the program on keys that do not exist.
std::vector<Chord> chords_of(std::string_view keys);

class CommandTable {
public:
    explicit CommandTable(std::vector<Command> commands);
    [[nodiscard]] const std::vector<Command>& all() const { return commands_; }
    // Null: there is no such command.
    [[nodiscard]] const Command* find(std::string_view id) const;
    // Runs the commands whose keys were pressed in this frame. `typing`: text is typed; `list_of_keys`: it covers the
    // window.
    void handle_keys(bool typing, bool list_of_keys) const;

private:
    bool handle_scope(bool typing, bool list_of_keys, bool replay) const;
    std::vector<Command> commands_;
    std::vector<std::vector<Chord>> chords_;  // of each command
};

}  // namespace headway::ui
