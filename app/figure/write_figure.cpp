#include "app/figure/figure.h"
#include "app/figure/formula.h"
#include "app/figure/graph.h"
#include "app/render/writers.h"

namespace headway::figure {
namespace {

enum class Format { none, png, svg, pdf };

Format format_of(const std::string& path) {
    const auto dot = path.find_last_of("./");
    if (dot == std::string::npos || path[dot] == '/' || dot == 0 || path[dot - 1] == '/') {
        return Format::none;
    }
    std::string extension = path.substr(dot + 1);
    for (char& c : extension) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return extension == "png"   ? Format::png
           : extension == "svg" ? Format::svg
           : extension == "pdf" ? Format::pdf
                                : Format::none;
}

core::Result<void> write_list(const std::string& path, const DisplayList& list, const FileNotes& notes, float scale,
                              const FontSet& fonts) {
    core::Result<std::string> bytes = std::string();
    switch (format_of(path)) {
        case Format::png:
            bytes = png_bytes(list, scale, fonts);
            break;
        case Format::pdf:
            bytes = pdf_bytes(list, notes, fonts);
            break;
        case Format::svg:
        case Format::none:
            bytes = svg_text(list, notes);
            break;
    }
    return bytes ? write_whole(path, *bytes) : core::Result<void>(bytes.error());
}

}  // namespace

core::Result<void> check_figure_path(const std::string& path) {
    if (format_of(path) == Format::none) {
        return core::Error{core::ErrorKind::usage, "A figure's file ends in .png, .svg or .pdf, not '" + path + "'."};
    }
    return {};
}

DrawnFigure draw_figure(const model::Run& a, const model::Run* b, const FigureOptions& options, const FontSet& fonts) {
    const model::RunInfo& info = b != nullptr ? b->info() : a.info();
    const std::string title = !options.title.empty()                        ? options.title
                              : b != nullptr && options.verdict.has_value() ? options.verdict->sentence
                                                                            : finding(a, b);
    return {figure(a, b, options, fonts), title, "Headway " + info.version, info.date};
}

core::Result<void> write_drawn(const std::string& path, const DrawnFigure& drawn, float scale, const FontSet& fonts) {
    return write_list(path, drawn.list, {drawn.title, drawn.author, drawn.date}, scale, fonts);
}

core::Result<void> write_figure(const std::string& path, const model::Run& a, const model::Run* b,
                                const FigureOptions& options) {
    if (auto known = check_figure_path(path); !known) {
        return known;
    }
    const FontSet fonts;
    return write_drawn(path, draw_figure(a, b, options, fonts), options.scale, fonts);
}

core::Result<void> write_graph(const std::string& path, const model::Run& run, const model::Graph& graph,
                               ThemeName name, float scale) {
    if (auto known = check_figure_path(path); !known) {
        return known;
    }
    const FontSet fonts;
    const FileNotes notes{"Dependencies of " + graph_caption(run, graph), "Headway " + run.info().version,
                          run.info().date};
    return write_list(path, graph_figure(run, graph, theme(name), fonts), notes, scale, fonts);
}

core::Result<void> write_formula(const std::string& path, const model::Stages& stages, FormulaOptions options,
                                 ThemeName name, float scale) {
    if (auto known = check_figure_path(path); !known) {
        return known;
    }
    const FontSet fonts;
    options.theme = &theme(name);
    options.measure = &fonts;
    return write_list(path, formula_figure(stages, options), {formula_sentence(stages), "Headway", ""}, scale, fonts);
}

}  // namespace headway::figure
