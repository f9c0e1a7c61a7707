// AppState: exporting pictures: which runs, which file, and the notices.
#include <algorithm>
#include <array>
#include <ctime>

#include "app/ui/state/app_state.h"

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

std::optional<PictureOf> AppState::picture_of() const {
    const session::Execution *a = session.a(), *b = session.b();
    const auto usable = [](const session::Execution* execution) {
        return execution != nullptr && execution->run() != nullptr && execution->run()->op_count() > 0;
    };
    const session::Execution* first = usable(a) ? a : usable(b) ? b : nullptr;
    if (first == nullptr) {
        return std::nullopt;
    }
    PictureOf of;
    if (first == a && usable(b) && verdict_) {
        of.verdict = *verdict_;
    }
    of.a = first->shared_run();
    of.b = first == a && usable(b) ? b->shared_run() : nullptr;
    of.program = first->settings.program;
    of.arrangement = arrangement();
    of.view = timeline.view.view();
    of.marks_a = bookmarks.of(of.a.get());
    of.marks_b = of.b != nullptr ? bookmarks.of(of.b.get()) : std::vector<model::Bookmark>();
    of.width_px = look.width_px;
    of.height_px = look.height_px;
    of.a_grows = first->grows();
    of.b_grows = of.b != nullptr && b->grows();
    of.live = session.live();
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

std::string AppState::picture_path() {
    const ExportChoice& choice = picture_choice();
    const auto of = picture_of();
    const std::filesystem::path folder = choice.folder.empty() ? picture_folder : std::filesystem::path(choice.folder);
    const std::string end = std::string(".") + extension_of(choice.format);
    const std::string name = picture_name(of ? of->program : session.settings.program, extension_of(choice.format));
    if (choice.format == ExportChoice::Format::frames) {
        return (unused(folder, name.substr(0, name.size() - end.size()), "") / "frame-%04d.png").string();
    }
    return unused(folder, name, end).string();
}

void AppState::began(const core::Result<void>& begun) {
    if (!begun) {
        notices.add(Notice::Kind::file, Notice::Tone::bad, begun.error().message);
        return;
    }
    notices.dismiss(Notice::Kind::file);
    picture_begun_ = std::chrono::steady_clock::now();
    picture_percent_ = -1;
}

void AppState::export_to(const std::string& path) {
    if (const auto of = picture_of()) {
        began(pictures.write(*of, path));
    } else {
        notices.add(Notice::Kind::file, Notice::Tone::info, "There is no run yet to make a figure of.");
    }
}

void AppState::export_figure(const std::string& extension) {
    for (const auto format : {ExportChoice::Format::png, ExportChoice::Format::svg, ExportChoice::Format::pdf}) {
        if (extension == extension_of(format)) {
            picture_choice().format = format;
        }
    }
    export_again();
}

void AppState::copy_picture() {
    if (const auto of = picture_of()) {
        began(pictures.copy(*of));
    } else {
        notices.add(Notice::Kind::file, Notice::Tone::info, "There is no run yet to copy a picture of.");
    }
}

void AppState::save_recording() {
    const auto of = picture_of();
    if (!of || !write_recording) {
        notices.add(Notice::Kind::file, Notice::Tone::info, "There is no run yet to save.");
        return;
    }
    const auto path = unused(picture_folder, picture_name(of->program, "json"), ".json");
    began(pictures.write_recording(*of, path.string(), write_recording));
}

void AppState::write_window(std::vector<std::uint8_t> rgba, int width, int height) {
    const std::string& program = session.settings.program;
    const auto path =
        unused(picture_folder, picture_name(program.empty() ? "window" : program + "-window", "png"), ".png");
    began(pictures.write_pixels(path.string(), std::move(rgba), width, height));
}

// While a picture takes long, its notice shows the progress; closing the notice cancels the picture.
bool AppState::poll_pictures() {
    if (!pictures.job().busy()) {
        return false;
    }
    if (const auto done = pictures.take()) {
        notices.add(Notice::Kind::file, *done ? Notice::Tone::good : Notice::Tone::bad,
                    *done ? **done : done->error().message);
        return true;
    }
    if (std::chrono::steady_clock::now() - picture_begun_ < std::chrono::milliseconds(400)) {
        return false;
    }
    const bool there = notices.has(Notice::Kind::file);
    if (picture_percent_ >= 0 && !there) {
        pictures.cancel();
        return false;
    }
    if (picture_percent_ == pictures.job().percent()) {
        return false;
    }
    picture_percent_ = pictures.job().percent();
    notices.add(Notice::Kind::file, Notice::Tone::info,
                pictures.job().what() + ": " + std::to_string(picture_percent_) + " % (close this to cancel)");
    return true;
}

}  // namespace headway::ui
