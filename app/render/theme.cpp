#include "app/render/theme.h"

#include <algorithm>

namespace headway::figure {
namespace {

using devices::Family;

void set(Theme& t, Family family, std::uint32_t colour, std::uint32_t on) {
    t.families[static_cast<std::size_t>(family)] = rgb(colour);
    t.on_family[static_cast<std::size_t>(family)] = rgb(on);
}

Theme make_dark() {
    Theme t;
    t.name = "dark";
    t.dark = true;
    t.background = rgb(0x0D1117);
    t.panel = rgb(0x151B23);
    t.raised = rgb(0x1C232D);
    t.border = rgb(0x2A323D);
    t.grid = rgb(0x1F2630);
    t.text = rgb(0xE6EDF3);
    t.dim = rgb(0x9AA7B5);
    t.faint = rgb(0x7F8B9A);
    t.issue = rgb(0x56B4E9);
    t.work = rgb(0x31628C);
    t.on_work = rgb(0xFFFFFF);
    t.wait = rgb(0xE5673A);
    t.wait_ground = rgb(0x3A1F17);
    t.wait_text = rgb(0xFFC9B0);
    t.wait_label_ground = rgb(0x1A1310);
    set(t, Family::create, 0x97ABC4, 0x10151C);
    set(t, Family::elementwise, 0x2BB58A, 0x06231A);
    set(t, Family::matmul, 0xE69F00, 0x2B1D00);
    set(t, Family::reduce, 0xE8DC5A, 0x2B2800);
    set(t, Family::update, 0xCD76A4, 0x1D0F17);
    set(t, Family::copy, 0xB38C66, 0x21160B);
    set(t, Family::random, 0x8E7FE0, 0x0F0B2A);
    set(t, Family::other, 0x747D87, 0x0B0F14);
    t.headway = rgb(0x56B4E9);
    t.memory = rgb(0xCC79A7);
    t.memory_text = rgb(0xF0C6DC);
    t.pending = rgb(0xF0C6DC);
    t.warning = rgb(0xFF6B57);
    t.good = rgb(0x2BB58A);
    t.run_a = rgb(0x56B4E9);
    t.run_b = rgb(0xE69F00);
    return t;
}

Theme make_light() {
    Theme t;
    t.name = "light";
    t.background = rgb(0xFFFFFF);
    t.panel = rgb(0xF6F8FA);
    t.raised = rgb(0xF1F4F7);
    t.border = rgb(0xD9DFE6);
    t.grid = rgb(0xEEF1F4);
    t.text = rgb(0x14181D);
    t.dim = rgb(0x5A6673);
    t.faint = rgb(0x65707C);
    t.issue = rgb(0x1E74AE);
    t.work = rgb(0xA9C6DE);
    t.on_work = rgb(0x10212E);
    t.wait = rgb(0xC8461B);
    t.wait_ground = rgb(0xFBE7DF);
    t.wait_text = rgb(0xB83C14);
    t.wait_label_ground = rgb(0xFFFFFF);
    set(t, Family::create, 0x8894A0, 0x10151C);
    set(t, Family::elementwise, 0x078563, 0xFFFFFF);
    set(t, Family::matmul, 0xD88900, 0x2B1A00);
    set(t, Family::reduce, 0xD4BC0E, 0x2B2600);
    set(t, Family::update, 0xAE5597, 0xFFFFFF);
    set(t, Family::copy, 0x8C5A2B, 0xFFFFFF);
    set(t, Family::random, 0x6A51B8, 0xFFFFFF);
    set(t, Family::other, 0x5F6B77, 0xFFFFFF);
    t.headway = rgb(0x1E74AE);
    t.memory = rgb(0xA84F85);
    t.memory_text = rgb(0x98437B);
    t.pending = rgb(0x7A2F62);
    t.warning = rgb(0xC4161C);
    t.good = rgb(0x0E7A5B);
    t.run_a = rgb(0x1E74AE);
    t.run_b = rgb(0x9E6000);
    return t;
}

// For projectors in bright rooms: black on white, no pale greys, thicker lines.
Theme make_projector() {
    Theme t = make_light();
    t.name = "projector";
    t.panel = rgb(0xFFFFFF);
    t.raised = rgb(0xF2F4F6);
    t.border = rgb(0x9AA5B1);
    t.grid = rgb(0xDCE2E8);
    t.text = rgb(0x000000);
    t.dim = rgb(0x2B333C);
    t.faint = rgb(0x48525D);
    t.issue = t.headway = t.run_a = rgb(0x0B5C99);
    t.wait = rgb(0xB8360B);
    t.wait_text = rgb(0x9A2C08);
    t.memory = rgb(0x8E3A72);
    t.memory_text = rgb(0x7A2F62);
    t.run_b = rgb(0x995C00);
    t.line_scale = 1.5F;
    t.ui_scale = 1.2F;
    return t;
}

}  // namespace

const Theme& theme(ThemeName name) {
    static const Theme dark = make_dark(), light = make_light(), projector = make_projector();
    switch (name) {
        case ThemeName::dark:
            return dark;
        case ThemeName::projector:
            return projector;
        case ThemeName::light:
            break;
    }
    return light;
}

std::optional<ThemeName> theme_called(std::string_view name) {
    const auto* found = std::find_if(kThemes.begin(), kThemes.end(), [&](ThemeName t) { return name == theme(t).name; });
    return found != kThemes.end() ? std::optional(*found) : std::nullopt;
}

const char* label_of(devices::Family family) {
    switch (family) {
        case Family::create:
            return "create";
        case Family::elementwise:
            return "elementwise";
        case Family::matmul:
            return "matmul";
        case Family::reduce:
            return "reduce";
        case Family::update:
            return "update";
        case Family::copy:
            return "copy";
        case Family::random:
            return "random";
        case Family::other:
            break;
    }
    return "other";
}

}  // namespace headway::figure
