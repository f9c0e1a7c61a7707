#include "app/ui/state/exports.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>

namespace headway::ui {

std::string picture_name(const std::string& program, const std::string& extension) {
    std::string name = "headway";
    if (!program.empty()) {
        name += "-";
        // A program from disk is named after its file.
        for (const char c : program.starts_with('/') ? program.substr(program.rfind('/') + 1) : program) {
            const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                               c == '_' || c == '-';
            name += plain ? c : '_';
        }
    }
    std::array<char, 32> stamp{};
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    std::strftime(stamp.data(), stamp.size(), "-%Y%m%d-%H%M%S.", &local);
    return name + stamp.data() + extension;
}

Exports::Exports(const Shown& shown, Notices& notices, std::function<void()> wake)
    : pictures(std::move(wake)), shown_(shown), notices_(notices) {
    std::error_code ignored;
    folder = std::filesystem::current_path(ignored);
    if (access(folder.c_str(), W_OK) != 0) {
        if (const char* home = std::getenv("HOME")) {
            folder = home;
        }
    }
}

std::optional<PictureOf> Exports::picture_of() const {
    const session::Execution *a = shown_.session.a(), *b = shown_.session.b();
    const session::Execution* first = has_ops(a) ? a : has_ops(b) ? b : nullptr;
    if (first == nullptr) {
        return std::nullopt;
    }
    PictureOf of;
    if (first == a && has_ops(b)) {
        if (const comparison::Verdict* verdict = shown_.comparing.verdict()) {
            of.verdict = *verdict;
        }
    }
    of.a = first->shared_run();
    of.b = first == a && has_ops(b) ? b->shared_run() : nullptr;
    of.program = first->settings.program;
    of.arrangement = shown_.arrangement.shown();
    of.view = shown_.timeline.view.view();
    of.bookmarks_a = shown_.bookmarks.of(of.a.get());
    of.bookmarks_b = of.b != nullptr ? shown_.bookmarks.of(of.b.get()) : std::vector<model::Bookmark>();
    of.width_px = shown_.look.width_px;
    of.height_px = shown_.look.height_px;
    of.a_grows = first->grows();
    of.b_grows = of.b != nullptr && b->grows();
    of.live = shown_.session.live();
    return of;
}

namespace {

// A file name that is not taken, also for two pictures in the same second.
std::filesystem::path unused(const std::filesystem::path& folder, const std::string& name, const std::string& end) {
    const std::string stem = name.substr(0, name.size() - end.size());
    for (int n = 1;; ++n) {
        auto path = folder / (stem + (n == 1 ? "" : "-" + std::to_string(n)) + end);
        std::error_code ignored;
        if (!std::filesystem::exists(path, ignored)) {
            return path;
        }
    }
}

}  // namespace

std::string Exports::new_path() {
    const ExportChoice& chosen = choice();
    const auto of = picture_of();
    const std::filesystem::path place = chosen.folder.empty() ? folder : std::filesystem::path(chosen.folder);
    const std::string end = std::string(".") + extension_of(chosen.format);
    const std::string name =
        picture_name(of ? of->program : shown_.session.settings.program, extension_of(chosen.format));
    if (chosen.format == ExportChoice::Format::frames) {
        return (unused(place, name.substr(0, name.size() - end.size()), "") / "frame-%04d.png").string();
    }
    return unused(place, name, end).string();
}

void Exports::began(const core::Result<void>& begun) {
    if (!begun) {
        notices_.add(Notice::Kind::file, Notice::Tone::bad, begun.error().message);
        return;
    }
    notices_.dismiss(Notice::Kind::file);
    progress_.begin();
}

void Exports::write(const std::string& path) {
    if (const auto of = picture_of()) {
        began(pictures.write(*of, path));
    } else {
        notices_.add(Notice::Kind::file, Notice::Tone::info, "There is no run yet to make a figure of.");
    }
}

void Exports::write_as(const std::string& extension) {
    for (const auto format : {ExportChoice::Format::png, ExportChoice::Format::svg, ExportChoice::Format::pdf}) {
        if (extension == extension_of(format)) {
            choice().format = format;
        }
    }
    write_again();
}

void Exports::copy() {
    if (const auto of = picture_of()) {
        began(pictures.copy(*of));
    } else {
        notices_.add(Notice::Kind::file, Notice::Tone::info, "There is no run yet to copy a picture of.");
    }
}

void Exports::save_recording() {
    const session::Execution* last = shown_.session.b();
    if (last == nullptr || last->run() == nullptr || !write_recording) {
        notices_.add(Notice::Kind::file, Notice::Tone::info,
                     last == nullptr ? "There is no run to save yet."
                     : last->live()  ? "The run has not begun to record yet."
                                     : "The last run ended before it recorded anything: there is nothing to save.");
        return;
    }
    PictureOf of;
    of.a = last->shared_run();
    of.a_grows = last->grows();
    of.live = last->live();
    const auto path = unused(folder, picture_name(last->settings.program, "json.gz"), ".json.gz");
    began(pictures.write_recording(of, path.string(), write_recording));
}

void Exports::write_window(std::vector<std::uint8_t> rgba, int width, int height) {
    const std::string& program = shown_.session.settings.program;
    const auto path = unused(folder, picture_name(program.empty() ? "window" : program + "-window", "png"), ".png");
    began(pictures.write_pixels(path.string(), std::move(rgba), width, height));
}

// While a picture takes long, its notice shows the progress; closing the notice cancels the picture.
bool Exports::poll() {
    if (!pictures.job().busy()) {
        return false;
    }
    if (const auto done = pictures.take()) {
        progress_.end();
        notices_.add(Notice::Kind::file, *done ? Notice::Tone::good : Notice::Tone::bad,
                     *done ? **done : done->error().message);
        return true;
    }
    return progress_.show(
        pictures.job().what(), pictures.job().percent(), [this] { pictures.cancel(); },
        closing ? "the window closes when this is done; close it again to stop and keep no file"
                : "close this to cancel");
}

}  // namespace headway::ui
