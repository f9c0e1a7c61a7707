// Colours by meaning. One meaning has one colour everywhere (window, figures), close to Okabe and Ito's palette. Any
// two families differ by at least 8 (CIEDE2000) for normal vision and for the three kinds of colour blindness, and text
// has a contrast of at least 4.5 : 1 to its background; a test computes both. Hatching, shape and labels carry the same
// information without colour.
//
// Threads: any; themes never change.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "app/render/display_list.h"
#include "engine/devices/op.h"

namespace headway::figure {

inline constexpr std::size_t kFamilies = 8;

// A member for each meaning.
struct Theme {
    const char* name = "";
    bool dark = false;
    // Surfaces, lines, text.
    Rgba background, panel, raised, border, grid;
    Rgba text, dim, faint;
    // The frontend.
    Rgba issue, work, on_work, wait, wait_ground, wait_text, wait_label_ground;
    // The backend, by devices::Family; on_family is the colour of text on them.
    std::array<Rgba, kFamilies> families{};
    std::array<Rgba, kFamilies> on_family{};
    // Curves.
    Rgba headway, memory, memory_text, pending;
    // Verdicts.
    Rgba warning, good;
    // Runs.
    Rgba run_a, run_b;
    float line_scale = 1;  // multiplies the widths of lines
    float ui_scale = 1;    // multiplies everything in the window

    [[nodiscard]] Rgba family(devices::Family f) const { return families[static_cast<std::size_t>(f)]; }
    [[nodiscard]] Rgba on(devices::Family f) const { return on_family[static_cast<std::size_t>(f)]; }
};

enum class ThemeName : std::uint8_t { dark, light, projector };
inline constexpr std::array kThemes{ThemeName::dark, ThemeName::light, ThemeName::projector};

const Theme& theme(ThemeName name);
// The one whose name this is: "dark", "light" or "projector".
std::optional<ThemeName> theme_called(std::string_view name);

// The family's name in legends.
const char* label_of(devices::Family family);

}  // namespace headway::figure
