#include "app/ui/state/saved/window_memory.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "app/json/json_file.h"
#include "engine/core/system/output_file.h"

namespace headway::ui {
namespace {

std::string number(float value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g", static_cast<double>(value));
    return text.data();
}

// Sets `to` to the number if it is between `least` and `most`.
void take(const json::Value& value, float least, float most, float& to) {
    if (const auto read = value.number();
        read && *read >= static_cast<double>(least) && *read <= static_cast<double>(most)) {
        to = static_cast<float>(*read);
    }
}

std::string text_of(const Look& look, const std::string& lesson) {
    std::string text = "{\n \"mode\": " + json::quoted(word_of(look.mode)) +
                       ",\n \"theme\": " + json::quoted(figure::theme(look.theme).name) +
                       ",\n \"scale\": " + number(look.user_scale) + ",\n \"lesson\": " + json::quoted(lesson) +
                       ",\n \"panes\": {";
    const char* comma = "";
    for (const Mode mode : {Mode::learn, Mode::step, Mode::compare}) {
        const PaneShares& shares = look.shares[static_cast<std::size_t>(mode)];
        text += comma + json::quoted(word_of(mode)) + ": [" + number(shares.lesson) + ", " + number(shares.source) +
                ", " + number(shares.left) + "]";
        comma = ", ";
    }
    return text + "}\n}\n";
}

}  // namespace

void WindowMemory::use_folder(const std::filesystem::path& folder, Look& look) {
    file_ = folder / "window.json";
    const auto read = json::read_file(file_);
    if (!read || !*read) {
        return;
    }
    const json::Value root = (*read)->root();
    look.mode = mode_called(root["mode"].text(), look.mode);
    look.theme = figure::theme_called(root["theme"].text()).value_or(look.theme);
    take(root["scale"], 0.5f, 4, look.user_scale);
    lesson_ = root["lesson"].text();
    for (const Mode mode : {Mode::learn, Mode::step, Mode::compare}) {
        const auto shares = root["panes"][word_of(mode)].elements();
        if (shares.size() == 3) {
            PaneShares& to = look.shares[static_cast<std::size_t>(mode)];
            take(shares[0], 0.05f, 0.95f, to.lesson);
            take(shares[1], 0.05f, 0.95f, to.source);
            take(shares[2], 0.05f, 0.95f, to.left);
        }
    }
    written_ = text_of(look, lesson_);
}

core::Result<void> WindowMemory::save(const Look& look, const std::string& lesson) {
    if (file_.empty()) {
        return {};
    }
    lesson_ = lesson;
    std::string text = text_of(look, lesson);
    if (text == written_) {
        return {};
    }
    written_ = std::move(text);
    std::error_code ignored;
    std::filesystem::create_directories(file_.parent_path(), ignored);
    return core::write_whole(file_.string(), written_);
}

}  // namespace headway::ui
