#include "app/ui/pictures.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "app/figure/fonts.h"
#include "app/figure/movie.h"
#include "app/figure/tool.h"
#include "app/figure/writers.h"
#include "app/gfx/png.h"
#include "engine/core/whole_file.h"

namespace headway::ui {
namespace {

using core::Error;
using core::ErrorKind;
using core::Result;

// What takes a picture into the clipboard here.
struct Clipboard {
    std::string program;
    std::vector<std::string> arguments;
};
Result<Clipboard> clipboard() {
    const char* wayland = std::getenv("WAYLAND_DISPLAY");
    if (wayland != nullptr && *wayland != '\0') {
        if (auto tool = figure::find_tool("wl-copy")) {
            return Clipboard{*tool, {"--type", "image/png"}};
        }
    }
    const char* display = std::getenv("DISPLAY");
    if (display == nullptr || *display == '\0') {
        return Error{ErrorKind::unavailable, wayland != nullptr && *wayland != '\0'
                                                 ? "Copying a picture needs wl-copy (package wl-clipboard), which is "
                                                   "not installed."
                                                 : "There is no display, and so no clipboard to copy a picture to."};
    }
    if (auto tool = figure::find_tool("xclip")) {
        return Clipboard{*tool, {"-selection", "clipboard", "-target", "image/png", "-in"}};
    }
    return Error{ErrorKind::unavailable, "Copying a picture needs xclip, which is not installed."};
}

Result<std::string> copied(const std::string& png) {
    auto to = clipboard();
    if (!to) {
        return to.error();
    }
    auto tool = figure::Tool::start(to->program, to->arguments);
    if (!tool) {
        return tool.error();
    }
    tool->write(png);
    if (auto done = tool->finish(); !done) {
        return done.error();
    }
    return std::string("The picture is in the clipboard");
}

}  // namespace

void Pictures::remember_in(std::filesystem::path file) {
    if (file_ == file) {
        return;
    }
    file_ = std::move(file);
    std::ifstream in(file_);
    std::ostringstream text;
    if (in && text << in.rdbuf()) {
        choice_ = export_choice_from(text.str());
    }
}

Result<void> Pictures::begin(std::string what, BackgroundJob::Work work) {
    if (!job_.start(std::move(what), std::move(work))) {
        return Error{ErrorKind::usage, "Another picture is being written; this one would have to wait for it."};
    }
    return {};
}

figure::FigureOptions Pictures::options_for(const PictureOf& of) const {
    figure::FigureOptions options;
    options.size = choice_.size;
    options.theme = choice_.theme;
    options.scale = choice_.has_pixels() ? static_cast<float>(choice_.scale) : 1;
    if (choice_.size == figure::FigureSize::window) {
        options.width_px = of.width_px;
        options.height_px = of.height_px;
    }
    options.bookmarks_a = of.marks_a;
    options.bookmarks_b = of.marks_b;
    options.arrangement = of.arrangement;
    if (choice_.what == ExportChoice::What::view) {
        options.view = of.view;
    }
    return options;
}

Result<void> Pictures::write(const PictureOf& of, const std::string& path) {
    figure::FigureOptions options = options_for(of);
    const bool alone = choice_.what == ExportChoice::What::run && of.b != nullptr;
    const auto a = alone ? of.b : of.a;
    const auto b = alone ? nullptr : of.b;
    if (alone) {
        options.bookmarks_a = of.marks_b;
        options.bookmarks_b.clear();
    }
    if (!file_.empty()) {
        std::error_code ignored;
        std::filesystem::create_directories(file_.parent_path(), ignored);
        // Only a convenience: where it cannot be kept, the next start begins with the first choice again.
        if (auto kept = core::write_whole(file_.string(), text_of(choice_)); !kept) {
            file_.clear();
        }
    }
    if (choice_.moving()) {
        if (of.growing) {
            return Error{ErrorKind::usage, "A moving figure can be made once the run is over."};
        }
        if (auto possible = figure::check_movie_path(path); !possible) {
            return possible;
        }
        const figure::MovieOptions movie{static_cast<double>(choice_.seconds), 0};
        return begin("Drawing the frames", [=](const BackgroundJob::Progress& progress) -> Result<std::string> {
            auto done = figure::write_movie(path, *a, b.get(), options, movie, progress);
            return done ? Result<std::string>("The figure is in " + path) : Result<std::string>(done.error());
        });
    }
    if (auto known = figure::check_figure_path(path); !known) {
        return known;
    }
    if (of.growing) {
        auto fonts = std::make_shared<figure::FontSet>();
        auto drawn = std::make_shared<figure::DrawnFigure>(figure::draw_figure(*a, b.get(), options, *fonts));
        return begin("Writing the figure", [=](const BackgroundJob::Progress&) -> Result<std::string> {
            auto done = figure::write_drawn(path, *drawn, options.scale, *fonts);
            return done ? Result<std::string>("The figure is in " + path) : Result<std::string>(done.error());
        });
    }
    return begin("Writing the figure", [=](const BackgroundJob::Progress&) -> Result<std::string> {
        auto done = figure::write_figure(path, *a, b.get(), options);
        return done ? Result<std::string>("The figure is in " + path) : Result<std::string>(done.error());
    });
}

Result<void> Pictures::copy(const PictureOf& of) {
    if (auto to = clipboard(); !to) {
        return to.error();
    }
    figure::FigureOptions options = options_for(of);
    options.view = of.view;
    options.scale = static_cast<float>(choice_.scale);
    auto fonts = std::make_shared<figure::FontSet>();
    std::shared_ptr<figure::DisplayList> laid_out;
    if (of.growing) {
        laid_out = std::make_shared<figure::DisplayList>(figure::figure(*of.a, of.b.get(), options, *fonts));
    }
    return begin("Copying the picture", [=](const BackgroundJob::Progress&) -> Result<std::string> {
        const auto png =
            figure::png_bytes(laid_out != nullptr ? *laid_out : figure::figure(*of.a, of.b.get(), options, *fonts),
                              options.scale, *fonts);
        return png ? copied(*png) : Result<std::string>(png.error());
    });
}

Result<void> Pictures::write_pixels(const std::string& path, std::vector<std::uint8_t> rgba, int width, int height) {
    return begin("Writing the picture",
                 [path, rgba = std::move(rgba), width, height](const BackgroundJob::Progress&) -> Result<std::string> {
                     auto done = gfx::write_png(path, rgba, width, height);
                     return done ? Result<std::string>("The picture is in " + path) : Result<std::string>(done.error());
                 });
}

std::string size_text(const ExportChoice& choice, float window_width_px, float window_height_px) {
    const figure::FigureLook& look = figure::look_of(choice.size);
    const float width = look.width_px > 0 ? look.width_px : window_width_px;
    const float height = look.width_px > 0 ? look.height_px : window_height_px;
    const auto number = [](float value) { return std::to_string(std::lround(value)); };
    if (choice.has_pixels()) {
        const auto scale = static_cast<float>(choice.scale);
        return number(width * scale) + (height > 0 ? " × " + number(height * scale) + " pixels" : " pixels wide");
    }
    const float mm = 25.4f / 96;
    return number(width * mm) + (height > 0 ? " × " + number(height * mm) + " mm" : " mm wide");
}

}  // namespace headway::ui
