// The command palette: everything that the window can do, filtered by typing and started with Enter.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

struct PaletteEntry {
    std::string name;  // "Barrier: after every minibatch"
    std::string keys;  // "B", or ""
    std::function<void()> run;
    bool enabled = true;
};

// Indices of the names that match `typed`, best first. All letters must occur in order; whole words and beginnings of
// words rank above scattered letters. If nothing was typed: all names, in their order.
std::vector<std::size_t> rank_names(std::span<const std::string> names, std::string_view typed);

class Palette {
public:
    explicit Palette(Ui& ui) : ui_(ui) {}

    void open(std::vector<PaletteEntry> entries);
    void close() { open_ = false; }
    [[nodiscard]] bool is_open() const { return open_; }
    // Draws over the whole window while the palette is open. Keys: up, down, Enter, Esc.
    void draw();

private:
    void choose(std::size_t index);

    Ui& ui_;
    bool open_ = false, focus_ = false;
    std::vector<PaletteEntry> entries_;
    std::vector<std::string> names_;
    std::string typed_;
    std::vector<std::size_t> shown_;
    std::size_t at_ = 0, first_ = 0;
};

}  // namespace headway::ui
