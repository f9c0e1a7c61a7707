// What an exported picture shows, its format and its size. Remembered for the next export.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>

#include "app/figure/figure.h"

namespace headway::ui {

struct ExportChoice {
    enum class What { view, run, both } what = What::both;  // the visible range; the whole of the last run; A and B
    enum class Format { png, svg, pdf, gif, mp4, frames } format = Format::png;
    figure::FigureSize size = figure::FigureSize::slide;
    figure::ThemeName theme = figure::ThemeName::light;
    int scale = 2;       // pixels of a PNG per px, 1 to 8
    int seconds = 8;     // duration of an animation
    std::string folder;  // empty: the window's default for pictures

    [[nodiscard]] bool animated() const { return format >= Format::gif; }
    [[nodiscard]] bool has_pixels() const { return format != Format::svg && format != Format::pdf; }
    friend bool operator==(const ExportChoice&, const ExportChoice&) = default;
};

const char* label_of(ExportChoice::What what);
const char* label_of(ExportChoice::Format format);
const char* label_of(figure::FigureSize size);
// "png", also for frames.
const char* extension_of(ExportChoice::Format format);
// "PNG for a slide, light": the next export in a few words.
std::string words_of(const ExportChoice& choice);

// One "name=value" per line. Missing or invalid entries keep their defaults.
std::string text_of(const ExportChoice& choice);
ExportChoice export_choice_from(std::string_view text);

}  // namespace headway::ui
