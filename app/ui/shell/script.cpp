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
#include "engine/core/device_kinds.h"
#include "engine/trace/barrier_names.h"

namespace headway::ui {
namespace {

using gfx::Key;

core::Error refused(const std::string& why) {
    return {core::ErrorKind::usage, why};
}

core::Error misread(const std::string& step) {
    return refused("the step '" + step + "' has a wrong argument");
}

// Calls call(number) with the number that the text is.
template <class Call>
core::Result<void> with_number(const std::string& text, Call call) {
    char* end = nullptr;
    const float number = std::strtof(text.c_str(), &end);
    if (text.empty() || *end != '\0') {
        return refused("'" + text + "' is not a number");
    }
    call(number);
    return {};
}

core::Result<void> ok_unless(const std::string& problem) {
    return problem.empty() ? core::Result<void>() : refused(problem);
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

core::Result<void> Script::move_to(const std::string& where) {
    float x = 0, y = 0;
    if (std::sscanf(where.c_str(), "%f,%f", &x, &y) != 2) {
        return misread("move:" + where);
    }
    move(x, y);
    return {};
}

core::Result<void> Script::point(const std::string& widget) {
    const auto found = app_.rects().find(widget);
    if (found == app_.rects().end()) {
        return refused("the window has no widget '" + widget + "'");
    }
    move(found->second.centre_x(), found->second.centre_y());
    return {};
}

core::Result<void> Script::click(const std::string& widget, int times) {
    if (auto pointed = point(widget); !pointed) {
        return pointed;
    }
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
        return misread("key:" + name);
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
        return misread((button == 0 ? "drag:" : "right-drag:") + where);
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
        return refused("cannot write " + path);
    }
    return {};
}

core::Result<void> Script::wait() {
    if (state_.session.b() == nullptr && state_.session.a() == nullptr) {
        return refused("'wait' waits for a run, and there is none: 'run' comes first");
    }
    while (outside_work(state_)) {
        if (state_.session.stopped() && state_.session.b()->phase() == session::Phase::paused) {
            return refused("'wait' would never end: the run is paused, and only 'pause' resumes it");
        }
        frames(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(4));
    }
    frames(30);  // lets animations finish
    return {};
}

void Script::seconds(double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
        frames(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(8));
    }
}

core::Result<void> Script::lesson(const std::string& id) {
    return ok_unless(state_.programs.choose(id) ? "" : "there is no lesson called " + id);
}

core::Result<void> Script::set(const std::string& setting) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
        return refused("'set' takes NAME=VALUE, not '" + setting + "'");
    }
    const std::string name = setting.substr(0, equals);
    if (const lesson::Lesson* lesson = state_.programs.lesson()) {
        for (const lesson::Parameter& parameter : lesson->parameters) {
            if (parameter.name == name) {
                return ok_unless(state_.settings.set_parameter(parameter, setting.substr(equals + 1)));
            }
        }
    }
    return refused("the lesson has no parameter " + name);
}

core::Result<void> Script::hover(const std::string& what, bool op) {
    int run = 0;
    unsigned id = 0;
    if (std::sscanf(what.c_str(), "%d,%u", &run, &id) != 2) {
        return misread((op ? "hover-op:" : "hover-wait:") + what);
    }
    const auto& layout = app_.timeline().layout();
    const auto box = op ? layout.box_of_op(run, id) : layout.box_of_wait(run, static_cast<int>(id));
    if (!box) {
        return refused("nothing is drawn for " + what);
    }
    move((box->x0 + box->x1) / 2, (box->y0 + box->y1) / 2);
    return {};
}

core::Result<void> Script::command(const std::string& id) {
    const Command* command = app_.commands().find(id);
    if (command == nullptr) {
        return refused("the window has no command '" + id + "'");
    }
    if (!command->can_run()) {
        return refused("the command '" + id + "' cannot run now");
    }
    command->run();
    return {};
}

core::Result<void> Script::compare() {
    if (!state_.comparing.sides()) {
        return refused("'compare' needs two runs, or one run and settings that differ from its own");
    }
    state_.comparing.start();
    return {};
}

core::Result<void> Script::theme(const std::string& name) {
    const auto theme = figure::theme_called(name);
    if (!theme) {
        return misread("theme:" + name);
    }
    state_.look.theme = *theme;
    return {};
}

core::Result<void> Script::device(const std::string& kind) {
    if (!core::is_device_kind(kind)) {
        return refused(std::string("'device' takes ") + core::kDeviceKinds + ", not '" + kind + "'");
    }
    state_.settings.set_device(kind);
    return {};
}

core::Result<void> Script::barrier(const std::string& word) {
    const auto policy = trace::barrier_called(word);
    if (!policy) {
        return policy.error();
    }
    state_.settings.set_barrier(*policy);
    return {};
}

std::span<const Script::Step> Script::steps() {
    using What = const std::string&;
    static const std::array kSteps{
        Step("run", 1, [](Script& s, What) { s.state_.run(); }),
        Step("wait", 0, [](Script& s, What) { return s.wait(); }),
        Step("stop", 1, [](Script& s, What) { s.state_.stop(); }),
        Step("pause", 2, [](Script& s, What) { s.state_.run_or_pause(); }),
        Step("reset", 2, [](Script& s, What) { s.state_.reset(); }),
        Step("compare", 1, [](Script& s, What) { return s.compare(); }),
        Step(
            "frames", 0,
            [](Script& s, What count) { return with_number(count, [&s](float n) { s.frames(static_cast<int>(n)); }); }),
        Step("seconds", 0,
             [](Script& s, What seconds) { return with_number(seconds, [&s](float n) { s.seconds(n); }); }),

        Step("lesson", 2, [](Script& s, What id) { return s.lesson(id); }),
        Step("open", 2, [](Script& s, What path) { return s.state_.programs.open(path); }),
        Step("tab", 2, [](Script& s, What id) { s.state_.source.set_tab(id); }),
        Step("device", 1, [](Script& s, What kind) { return s.device(kind); }),
        Step("barrier", 1, [](Script& s, What word) { return s.barrier(word); }),
        Step("budget", 0, [](Script& s, What bytes) { return ok_unless(s.state_.settings.set_budget(bytes)); }),
        Step("set", 0, [](Script& s, What setting) { return s.set(setting); }),
        Step("theme", 2, [](Script& s, What name) { return s.theme(name); }),
        Step("scale", 3,
             [](Script& s, What factor) {
                 return with_number(factor, [&s](float n) { s.state_.look.user_scale = n; });
             }),

        Step("click", 0, [](Script& s, What widget) { return s.click(widget, 1); }),
        Step("double", 0, [](Script& s, What widget) { return s.click(widget, 2); }),
        Step("point", 40, [](Script& s, What widget) { return s.point(widget); }),
        Step("move", 1, [](Script& s, What where) { return s.move_to(where); }),
        Step("wheel", 25,
             [](Script&, What notches) { return with_number(notches, [](float n) { gfx::inject::mouse_wheel(n); }); }),
        Step("drag", 0, [](Script& s, What where) { return s.drag(where, 0); }),
        Step("right-drag", 0, [](Script& s, What where) { return s.drag(where, 1); }),
        Step("hover-op", 2, [](Script& s, What what) { return s.hover(what, true); }),
        Step("hover-wait", 2, [](Script& s, What what) { return s.hover(what, false); }),
        Step("key", 0, [](Script& s, What name) { return s.key(name); }),
        Step("text", 2, [](Script&, What text) { gfx::inject::text(text.c_str()); }),
        Step("command", 2, [](Script& s, What id) { return s.command(id); }),

        Step("picture", 0, [](Script& s, What path) { return s.picture_(path); }),
        Step("words", 0, [](Script& s, What path) { return s.words(path); }),
    };
    return kSteps;
}

core::Result<void> Script::step(const std::string& step) {
    const std::size_t colon = std::min(step.find(':'), step.size());
    const std::string what = colon < step.size() ? step.substr(colon + 1) : std::string();
    const auto known = steps();
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const Step& one) { return one.verb == step.substr(0, colon); });
    if (found == known.end()) {
        return refused("a script has no step '" + step + "'");
    }
    auto done = found->act(*this, what);
    if (done) {
        frames(found->frames_after);
    }
    return done;
}

}  // namespace headway::ui
