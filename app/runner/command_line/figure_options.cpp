#include "app/runner/command_line/figure_options.h"
#include "app/runner/execution/words.h"

#include <tuple>
#include <utility>

namespace headway::runner {

void add_figure_options(CLI::App& app, RawFigureOptions& raw, const std::string& prefix) {
    app.add_option(
        "--" + prefix + "size", raw.size,
        "slide, column, two-columns, poster, or WIDTHxHEIGHT in px of 1/96 inch, at least 640x360 (default: 1600 wide, "
        "and as high as its rows need, at most 900 unless they need more)");
    app.add_option("--" + prefix + "theme", raw.theme, "light, dark or projector (default: light)");
    app.add_option("--" + prefix + "scale", raw.scale, "1 to 8: a PNG's pixels per px (default: 1)");
    app.add_option("--" + prefix + "from", raw.from, "TIME where the axis begins: 12ms, 800us (default: all)");
    app.add_option("--" + prefix + "to", raw.to, "TIME where it ends");
    app.add_option("--" + prefix + "title", raw.title, "in place of the finding");
    app.add_option(
        "--" + prefix + "lanes", raw.lanes,
        "window: arranged as the window's are; or FILE.json, a copy of its lanes.json (default: as they ran)");
    app.add_option("--" + prefix + "seconds", raw.seconds, "how long an animation lasts (default: 8)");
    app.add_option("--" + prefix + "fps", raw.fps, "its frames a second (default: 25, of a GIF 12)");
}

core::Result<FigureRequest> checked(const RawFigureOptions& raw, const std::string& prefix, bool has_figure) {
    for (const auto& [value, name] :
         {std::pair{&raw.size, "size"}, std::pair{&raw.theme, "theme"}, std::pair{&raw.scale, "scale"},
          std::pair{&raw.from, "from"}, std::pair{&raw.to, "to"}, std::pair{&raw.title, "title"},
          std::pair{&raw.lanes, "lanes"}, std::pair{&raw.seconds, "seconds"}, std::pair{&raw.fps, "fps"}}) {
        if (!has_figure && !value->empty()) {
            return usage_error("--" + prefix + name + " is for --figure, which is not given");
        }
    }
    FigureRequest request;
    request.title = raw.title;
    request.lanes = raw.lanes;
    if (raw.size == "slide" || raw.size == "column" || raw.size == "two-columns" || raw.size == "poster") {
        request.size = raw.size;
    } else if (!raw.size.empty()) {
        const auto cross = raw.size.find('x');
        const std::string option = "--" + prefix + "size";
        // A smaller figure would not be readable.
        auto width = parse_count(raw.size.substr(0, cross), option, 640, 10'000);
        auto height = parse_count(cross == std::string::npos ? "" : raw.size.substr(cross + 1), option, 360, 10'000);
        if (!width || !height) {
            return usage_error(option +
                               " must be slide, column (for a narrow one), two-columns, poster or WIDTHxHEIGHT "
                               "(640x360 to 10000x10000), not \"" +
                               raw.size.substr(0, 60) + "\"");
        }
        request.width_px = static_cast<double>(*width);
        request.height_px = static_cast<double>(*height);
        request.fit_height = false;
    }
    if (!raw.theme.empty() && raw.theme != "light" && raw.theme != "dark" && raw.theme != "projector") {
        return usage_error("--" + prefix + "theme must be light, dark or projector, not \"" + raw.theme.substr(0, 60) +
                           "\"");
    }
    request.theme = raw.theme.empty() ? request.theme : raw.theme;
    struct Number {
        const std::string& text;
        std::string option;
        double least, most;
        double& value;
    };
    for (const Number& number : {Number{raw.scale, "--" + prefix + "scale", 1, 8, request.scale},
                                 Number{raw.seconds, "--" + prefix + "seconds", 0.1, 600, request.seconds},
                                 Number{raw.fps, "--" + prefix + "fps", 1, 60, request.fps}}) {
        if (!number.text.empty()) {
            auto value = parse_number(number.text, number.option, number.least, number.most);
            if (!value) {
                return value.error();
            }
            number.value = *value;
        }
    }
    for (const auto& [text, name, to] :
         {std::tuple{&raw.from, "from", &request.from_ns}, std::tuple{&raw.to, "to", &request.to_ns}}) {
        if (!text->empty()) {
            auto time = parse_time(*text, "--" + prefix + name);
            if (!time) {
                return time.error();
            }
            *to = *time;
        }
    }
    if (request.from_ns && request.to_ns && *request.from_ns >= *request.to_ns) {
        return usage_error("--" + prefix + "from must lie before --" + prefix + "to");
    }
    return request;
}

}  // namespace headway::runner
