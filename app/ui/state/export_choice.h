// What a picture is to be: what it shows, of which kind and how large. Remembered from one time to the next.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>

#include "app/figure/figure.h"

namespace headway::ui {

struct ExportChoice {
    enum class What { view, run, both } what = What::both;  // what is in view; the whole of the last run; A|B
    enum class Format { png, svg, pdf, gif, mp4, frames } format = Format::png;
    figure::FigureSize size = figure::FigureSize::slide;
    figure::ThemeName theme = figure::ThemeName::light;
    int scale = 2;       // pixels of a PNG per px, 1 to 8
    int seconds = 8;     // of a moving one
    std::string folder;  // empty: the window's own for pictures

    [[nodiscard]] bool moving() const { return format >= Format::gif; }
    [[nodiscard]] bool has_pixels() const { return format != Format::svg && format != Format::pdf; }
    friend bool operator==(const ExportChoice&, const ExportChoice&) = default;
};

const char* label_of(ExportChoice::What what);
const char* label_of(ExportChoice::Format format);
const char* label_of(figure::FigureSize size);
// "png"; of frames, too.
const char* extension_of(ExportChoice::Format format);
// "PNG for a slide, light": what the next one will be, in few words.
std::string words_of(const ExportChoice& choice);

// One "name=value" a line. What is missing or not understood is left as it is.
std::string text_of(const ExportChoice& choice);
ExportChoice export_choice_from(std::string_view text);

}  // namespace headway::ui
