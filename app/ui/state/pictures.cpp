#include "app/ui/state/pictures.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "app/figure/animation.h"
#include "app/gfx/png.h"
#include "app/process/tool.h"
#include "app/render/fonts.h"
#include "app/render/writers.h"
#include "engine/core/system/output_file.h"

namespace headway::ui {
namespace {

using core::Error;
using core::ErrorKind;
using core::Result;

// The tool that copies a picture to the clipboard here.
struct Clipboard {
    std::string program;
    std::vector<std::string> arguments;
};
Result<Clipboard> clipboard() {
    const auto is_set = [](const char* name) {
        const char* value = std::getenv(name);
        return value != nullptr && *value != '\0';
    };
    const bool wayland = is_set("WAYLAND_DISPLAY");
    if (wayland) {
        if (auto tool = process::find_tool("wl-copy")) {
            return Clipboard{*tool, {"--type", "image/png"}};
        }
    }
    if (is_set("DISPLAY")) {  // also on Wayland, where Xwayland passes the clipboard on
        if (auto tool = process::find_tool("xclip")) {
            return Clipboard{*tool, {"-selection", "clipboard", "-target", "image/png", "-in"}};
        }
    } else if (!wayland) {
        return Error{ErrorKind::unavailable, "There is no display, and so no clipboard to copy a picture to."};
    }
    return Error{ErrorKind::unavailable, wayland
                                             ? "Copying a picture needs wl-copy, which is not installed: it is in "
                                               "the package wl-clipboard."
                                             : "Copying a picture needs xclip, which is not installed: it is in the "
                                               "package xclip."};
}

Result<std::string> copied(const std::string& png) {
    auto to = clipboard();
    if (!to) {
        return to.error();
    }
    auto tool = process::Tool::start(to->program, to->arguments);
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

// Failing to save the choice is not an error: the next start begins with the default.
void Pictures::keep(const std::filesystem::path& file, const std::string& choice) {
    if (file.empty()) {
        return;
    }
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    [[maybe_unused]] const auto kept = core::write_whole(file.string(), choice);
}

Result<void> Pictures::begin(std::string what, BackgroundJob::Work work) {
    if (!job_.start(std::move(what), std::move(work))) {
        return Error{ErrorKind::usage, "Another picture is being written. Try again when it is done."};
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
    options.bookmarks_a = of.bookmarks_a;
    options.bookmarks_b = of.bookmarks_b;
    options.arrangement = of.arrangement;
    options.verdict = of.verdict;
    if (choice_.what == ExportChoice::What::view) {
        options.view = of.view;
    }
    return options;
}

// The runs as the picture reads them: the run itself, or, if it still grows, a separate copy of its recording.
struct Pictures::Sources {
    struct Source {
        std::shared_ptr<const model::Run> run;
        std::shared_ptr<model::Run> own;  // null if the run does not grow
        std::size_t known = 0;            // number of its ops when the picture was requested
        bool live = false;

        Source() = default;
        Source(const std::shared_ptr<const model::Run>& shown, bool grows, bool goes_on) : run(shown), live(goes_on) {
            if (grows) {
                known = shown->op_count();
                run = own = shown->another();
            }
        }
        // On the job's thread. False: cancelled.
        bool read(const BackgroundJob::Progress& progress, double from, double to) const {
            constexpr double kAtOnce_ms = 30;
            while (own != nullptr && own->op_count() < known) {
                const bool more = own->update(kAtOnce_ms);
                const double share = static_cast<double>(own->op_count()) / static_cast<double>(known);
                if (!progress(from + (to - from) * std::min(1.0, share))) {
                    return false;
                }
                if (!more) {
                    break;
                }
            }
            if (own != nullptr) {
                own->update();  // up to a moment that covers everything the picture shows
                if (!live) {
                    own->close();
                }
            }
            return true;
        }
    };
    Source a, b;

    [[nodiscard]] bool grow() const { return a.own != nullptr || b.own != nullptr; }
    bool read(const BackgroundJob::Progress& progress, double to) const {
        return a.read(progress, 0, to / 2) && b.read(progress, to / 2, to);
    }
    [[nodiscard]] const model::Run* second() const { return b.run.get(); }
};

Pictures::Sources Pictures::sources_of(const PictureOf& of, bool alone) {
    const bool a_is_last = of.b == nullptr;
    Sources sources;
    if (alone) {
        sources.a = {of.b, of.b_grows, of.live};
        return sources;
    }
    sources.a = {of.a, of.a_grows, of.live && a_is_last};
    if (of.b != nullptr) {
        sources.b = {of.b, of.b_grows, of.live};
    }
    return sources;
}

namespace {

Error given_up() {
    return {ErrorKind::failed, "Cancelled; nothing was written."};
}

Result<std::string> said(const Result<void>& done, const std::string& path) {
    return done ? Result<std::string>("The figure is in " + path) : Result<std::string>(done.error());
}

// A run that grows is read a second time, beside the window.
Result<void> check_readable(const PictureOf& of) {
    const bool lost = (of.a_grows && !of.a->can_be_read_again()) || (of.b_grows && !of.b->can_be_read_again());
    return lost ? Result<void>(core::Error{core::ErrorKind::failed,
                                           "The run is so long that its beginning is only known as sums: save it "
                                           "when the run has ended"})
                : Result<void>();
}

}  // namespace

Result<void> Pictures::write(const PictureOf& of, const std::string& path) {
    if (auto readable = check_readable(of); !readable) {
        return readable;
    }
    figure::FigureOptions options = options_for(of);
    const bool alone = choice_.what == ExportChoice::What::run && of.b != nullptr;
    if (alone) {
        options.bookmarks_a = of.bookmarks_b;
        options.bookmarks_b.clear();
    }
    const bool animated = choice_.animated();
    if (auto known = animated ? figure::check_animation_path(path) : figure::check_figure_path(path); !known) {
        return known;
    }
    const figure::AnimationOptions animation{static_cast<double>(choice_.seconds), 0};
    return begin(animated ? "Drawing the frames" : "Writing the figure",
                 [=, sources = sources_of(of, alone), file = file_,
                  choice = text_of(choice_)](const BackgroundJob::Progress& progress) -> Result<std::string> {
                     keep(file, choice);
                     // For an animation the frames take longest; for a picture, reading.
                     const double read = !sources.grow() ? 0 : animated ? 0.1 : 0.8;
                     if (!sources.read(progress, read)) {
                         return given_up();
                     }
                     if (!animated) {
                         return said(figure::write_figure(path, *sources.a.run, sources.second(), options), path);
                     }
                     return said(
                         figure::write_animation(path, *sources.a.run, sources.second(), options, animation,
                                                 [&](double share) { return progress(read + (1 - read) * share); }),
                         path);
                 });
}

Result<void> Pictures::copy(const PictureOf& of) {
    if (auto readable = check_readable(of); !readable) {
        return readable;
    }
    if (auto to = clipboard(); !to) {
        return to.error();
    }
    figure::FigureOptions options = options_for(of);
    options.view = of.view;
    options.scale = static_cast<float>(choice_.scale);
    return begin("Copying the picture",
                 [=, sources = sources_of(of, false)](const BackgroundJob::Progress& progress) -> Result<std::string> {
                     if (!sources.read(progress, sources.grow() ? 0.8 : 0)) {
                         return given_up();
                     }
                     const figure::FontSet fonts;
                     const auto png = figure::png_bytes(
                         figure::figure(*sources.a.run, sources.second(), options, fonts), options.scale, fonts);
                     return png ? copied(*png) : Result<std::string>(png.error());
                 });
}

Result<void> Pictures::write_recording(const PictureOf& of, const std::string& path, Recorder recorder) {
    if (auto readable = check_readable(of); !readable) {
        return readable;
    }
    const auto source = sources_of(of, of.b != nullptr).a;
    return begin(
        "Writing the recording",
        [source, path, recorder = std::move(recorder)](const BackgroundJob::Progress& progress) -> Result<std::string> {
            constexpr double kRead = 0.5;  // share of the progress; how long writing takes is not known in advance
            if (!source.read(progress, 0, kRead)) {
                return given_up();
            }
            auto done = recorder(*source.run, path, [&progress] { return progress(kRead); });
            return done ? Result<std::string>("The recording is in " + path) : Result<std::string>(done.error());
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
