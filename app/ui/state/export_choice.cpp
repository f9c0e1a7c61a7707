#include "app/ui/state/export_choice.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace headway::ui {
namespace {

using What = ExportChoice::What;
using Format = ExportChoice::Format;

struct WhatWord {
    What what;
    const char *word, *label;
};
constexpr std::array<WhatWord, 3> kWhats{
    {{What::view, "view", "The view"}, {What::run, "run", "The whole run"}, {What::both, "both", "A | B"}}};
struct FormatWord {
    Format format;
    const char *word, *label, *extension;
};
constexpr std::array<FormatWord, 6> kFormats{{{Format::png, "png", "PNG", "png"},
                                              {Format::svg, "svg", "SVG", "svg"},
                                              {Format::pdf, "pdf", "PDF", "pdf"},
                                              {Format::gif, "gif", "GIF", "gif"},
                                              {Format::mp4, "mp4", "MP4", "mp4"},
                                              {Format::frames, "frames", "Frames", "png"}}};

const FormatWord& entry_of(Format format) {
    return kFormats[static_cast<std::size_t>(format)];
}

void take_number(std::string_view text, int least, int most, int& value) {
    int number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem == std::errc() && end == text.data() + text.size() && number >= least && number <= most) {
        value = number;
    }
}

}  // namespace

const char* label_of(What what) {
    return kWhats[static_cast<std::size_t>(what)].label;
}
const char* label_of(Format format) {
    return entry_of(format).label;
}
const char* label_of(figure::FigureSize size) {
    using figure::FigureSize;
    switch (size) {
        case FigureSize::slide:
            return "Slide 16:9";
        case FigureSize::column:
            return "One column";
        case FigureSize::two_columns:
            return "Two columns";
        case FigureSize::poster:
            return "Poster";
        case FigureSize::window:
            return "As the window";
        case FigureSize::page:
            break;
    }
    return "Page";
}
const char* extension_of(Format format) {
    return entry_of(format).extension;
}

std::string words_of(const ExportChoice& choice) {
    std::string words = std::string(label_of(choice.format)) + ", " + label_of(choice.size) + ", ";
    return words +
           (choice.what == What::both  ? "A | B"
            : choice.what == What::run ? "the whole run"
                                       : "the view") +
           (choice.theme == figure::ThemeName::light ? "" : std::string(", ") + figure::theme(choice.theme).name);
}

std::string text_of(const ExportChoice& choice) {
    return std::string("what=") + kWhats[static_cast<std::size_t>(choice.what)].word +
           "\nformat=" + entry_of(choice.format).word + "\nsize=" + word_of(choice.size) +
           "\ntheme=" + figure::theme(choice.theme).name + "\nscale=" + std::to_string(choice.scale) +
           "\nseconds=" + std::to_string(choice.seconds) + "\nfolder=" + choice.folder + "\n";
}

ExportChoice export_choice_from(std::string_view text) {
    ExportChoice choice;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos) {
            continue;
        }
        const std::string_view name = line.substr(0, equals), value = line.substr(equals + 1);
        if (name == "what") {
            for (const auto& known : kWhats) {
                choice.what = value == known.word ? known.what : choice.what;
            }
        } else if (name == "format") {
            for (const auto& known : kFormats) {
                choice.format = value == known.word ? known.format : choice.format;
            }
        } else if (name == "size") {
            const auto size = figure::figure_size_called(value).value_or(choice.size);
            choice.size = size == figure::FigureSize::page ? choice.size : size;  // not offered in the window
        } else if (name == "theme") {
            choice.theme = figure::theme_called(value).value_or(choice.theme);
        } else if (name == "scale") {
            take_number(value, 1, 8, choice.scale);
        } else if (name == "seconds") {
            take_number(value, 1, 600, choice.seconds);
        } else if (name == "folder" && value.starts_with('/')) {
            choice.folder = std::string(value);
        }
    }
    return choice;
}

}  // namespace headway::ui
