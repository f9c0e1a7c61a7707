#include "app/ui/shell/script.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "app/gfx/imgui_compat.h"
#include "app/ui/state/outside_work.h"
#include "engine/trace/barrier_names.h"

namespace headway::ui {
namespace {

using gfx::Key;

core::Error wrong(const std::string& step) {
    return {core::ErrorKind::usage, "a script has no step '" + step + "'"};
}

}  // namespace

core::Result<void> Script::run(const std::vector<std::string>& steps) {
    for (const auto& s : steps) {
        if (auto done = step(s); !done) {
            return done;
        }
    }
    return {};
}

void Script::frames(int n) {
    for (int i = 0; i < n; ++i) {
        frame_();
    }
}

void Script::move(float x, float y) {
    gfx::inject::mouse_position(x, y);
    frames(1);
}

core::Result<void> Script::click(const std::string& mark, int times) {
    const auto found = app_.rects().find(mark);
    if (found == app_.rects().end()) {
        return core::Error{core::ErrorKind::usage, "the window has no widget '" + mark + "'"};
    }
    move(found->second.centre_x(), found->second.centre_y());
    for (int i = 0; i < times; ++i) {
        gfx::inject::mouse_button(0, true);
        frames(1);
        gfx::inject::mouse_button(0, false);
        frames(1);
    }
    frames(1);
    return {};
}

core::Result<void> Script::key(const std::string& name) {
    // "ctrl+shift+=": the modifiers go down first and up last.
    std::vector<Key> held;
    std::string rest = name;
    constexpr std::array<std::pair<std::string_view, Key>, 3> kModifiers{
        {{"ctrl+", Key::left_ctrl}, {"shift+", Key::left_shift}, {"alt+", Key::left_alt}}};
    const auto next = [&] {
        return std::find_if(kModifiers.begin(), kModifiers.end(),
                            [&](const auto& modifier) { return rest.starts_with(modifier.first); });
    };
    for (const auto* modifier = next(); modifier != kModifiers.end(); modifier = next()) {
        held.push_back(modifier->second);
        rest.erase(0, modifier->first.size());
    }
    const std::optional<Key> found = gfx::key_named(rest);
    if (!found) {
        return wrong("key:" + name);
    }
    for (const Key modifier : held) {
        gfx::inject::key(modifier, true);
    }
    gfx::inject::key(*found, true);
    frames(1);
    gfx::inject::key(*found, false);
    for (const Key modifier : held) {
        gfx::inject::key(modifier, false);
    }
    frames(2);
    return {};
}

core::Result<void> Script::drag(const std::string& where, int button) {
    float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    if (std::sscanf(where.c_str(), "%f,%f,%f,%f", &x0, &y0, &x1, &y1) != 4) {
        return wrong("drag:" + where);
    }
    move(x0, y0);
    gfx::inject::mouse_button(button, true);
    frames(1);
    constexpr int kSteps = 8;
    for (int i = 1; i <= kSteps; ++i) {
        const float share = static_cast<float>(i) / kSteps;
        move(x0 + (x1 - x0) * share, y0 + (y1 - y0) * share);
    }
    gfx::inject::mouse_button(button, false);
    frames(2);
    return {};
}

core::Result<void> Script::words(const std::string& path) {
    std::string words;
    app_.write_words_to(&words);
    frames(1);
    app_.write_words_to(nullptr);
    std::ofstream file(path, std::ios::binary);
    file << words;
    file.close();
    if (!file) {
        return core::Error{core::ErrorKind::usage, "cannot write " + path};
    }
    return {};
}

core::Result<void> Script::step(const std::string& step) {
    const std::size_t colon = std::min(step.find(':'), step.size());
    const std::string verb = step.substr(0, colon), what = colon < step.size() ? step.substr(colon + 1) : std::string();
    if (verb == "run") {
        state_.run();
        frames(1);
    } else if (verb == "compare") {
        if (!state_.comparing.sides()) {
            return core::Error{core::ErrorKind::usage,
                               "'compare' needs two runs, or one run and settings that differ from its own"};
        }
        state_.comparing.start();
        frames(1);
    } else if (verb == "pause") {
        state_.run_or_pause();
        frames(2);
    } else if (verb == "stop") {
        state_.stop();
        frames(1);
    } else if (verb == "reset") {
        state_.reset();
        frames(2);
    } else if (verb == "wait") {
        if (state_.session.b() == nullptr && state_.session.a() == nullptr) {
            return core::Error{core::ErrorKind::usage, "'wait' waits for a run, and there is none: 'run' comes first"};
        }
        while (outside_work(state_)) {
            if (state_.session.standing() && state_.session.b()->phase() == session::Phase::paused) {
                return core::Error{core::ErrorKind::usage,
                                   "'wait' would never end: the run is paused, and only 'pause' resumes it"};
            }
            frames(1);
            std::this_thread::sleep_for(std::chrono::milliseconds(4));
        }
        frames(30);  // lets animations finish
    } else if (verb == "frames") {
        frames(std::atoi(what.c_str()));
    } else if (verb == "seconds") {
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(what.c_str()));
        while (std::chrono::steady_clock::now() < end) {
            frames(1);
            std::this_thread::sleep_for(std::chrono::milliseconds(8));
        }
    } else if (verb == "lesson") {
        if (!state_.programs.choose(what)) {
            return core::Error{core::ErrorKind::usage, "there is no lesson called " + what};
        }
        frames(2);
    } else if (verb == "open") {
        if (auto opened = state_.programs.open(what); !opened) {
            return opened;
        }
        frames(2);
    } else if (verb == "tab") {
        state_.source.set_tab(what);
        frames(2);
    } else if (verb == "device") {
        state_.settings.set_device(what);
        frames(1);
    } else if (verb == "barrier") {
        auto policy = trace::barrier_from_word(what);
        if (!policy) {
            return policy.error();
        }
        state_.settings.set_barrier(*policy);
        frames(1);
    } else if (verb == "budget") {
        if (const std::string problem = state_.settings.set_budget(what); !problem.empty()) {
            return core::Error{core::ErrorKind::usage, problem};
        }
    } else if (verb == "set") {
        const std::size_t equals = what.find('=');
        const lesson::Lesson* lesson = state_.programs.lesson();
        const lesson::Parameter* parameter = nullptr;
        for (std::size_t i = 0; lesson != nullptr && i < lesson->parameters.size(); ++i) {
            if (lesson->parameters[i].name == what.substr(0, equals)) {
                parameter = &lesson->parameters[i];
            }
        }
        if (parameter == nullptr || equals == std::string::npos) {
            return core::Error{core::ErrorKind::usage, "the lesson has no parameter " + what.substr(0, equals)};
        }
        if (const std::string problem = state_.settings.set_parameter(*parameter, what.substr(equals + 1));
            !problem.empty()) {
            return core::Error{core::ErrorKind::usage, problem};
        }
    } else if (verb == "theme") {
        const auto theme = figure::theme_called(what);
        if (!theme) {
            return wrong(step);
        }
        state_.look.theme = *theme;
        frames(2);
    } else if (verb == "scale") {
        state_.look.user_scale = static_cast<float>(std::atof(what.c_str()));
        frames(3);
    } else if (verb == "click" || verb == "double") {
        return click(what, verb == "double" ? 2 : 1);
    } else if (verb == "point") {
        const auto found = app_.rects().find(what);
        if (found == app_.rects().end()) {
            return core::Error{core::ErrorKind::usage, "the window has no widget '" + what + "'"};
        }
        move(found->second.centre_x(), found->second.centre_y());
        frames(40);
    } else if (verb == "move") {
        float x = 0, y = 0;
        if (std::sscanf(what.c_str(), "%f,%f", &x, &y) != 2) {
            return wrong(step);
        }
        move(x, y);
        frames(1);
    } else if (verb == "wheel") {
        gfx::inject::mouse_wheel(static_cast<float>(std::atof(what.c_str())));
        frames(25);
    } else if (verb == "key") {
        return key(what);
    } else if (verb == "command") {
        const Command* command = app_.commands().find(what);
        if (command == nullptr) {
            return core::Error{core::ErrorKind::usage, "the window has no command '" + what + "'"};
        }
        if (!command->can_run()) {
            return core::Error{core::ErrorKind::usage, "the command '" + what + "' cannot run now"};
        }
        command->run();
        frames(2);
    } else if (verb == "text") {
        gfx::inject::text(what.c_str());
        frames(2);
    } else if (verb == "drag" || verb == "right-drag") {
        return drag(what, verb == "drag" ? 0 : 1);
    } else if (verb == "hover-op" || verb == "hover-wait") {
        int run = 0;
        unsigned id = 0;
        if (std::sscanf(what.c_str(), "%d,%u", &run, &id) != 2) {
            return wrong(step);
        }
        const auto& layout = app_.timeline().layout();
        const auto box = verb == "hover-op" ? layout.box_of_op(run, id) : layout.box_of_wait(run, static_cast<int>(id));
        if (!box) {
            return core::Error{core::ErrorKind::usage, "nothing is drawn for " + what};
        }
        move((box->x0 + box->x1) / 2, (box->y0 + box->y1) / 2);
        frames(2);
    } else if (verb == "picture") {
        return picture_(what);
    } else if (verb == "words") {
        return words(what);
    } else {
        return wrong(step);
    }
    return {};
}

}  // namespace headway::ui
