// Scripted input: steps that act on the window as a learner would. Used for pictures and tests.
//
//     run  wait  stop  pause  reset  compare  frames:N  seconds:S  lesson:ID  open:PATH  tab:ID  device:KIND
//     barrier:WORD  budget:BYTES  set:NAME=VALUE  theme:NAME  scale:FACTOR  click:WIDGET  double:WIDGET
//     point:WIDGET  move:X,Y  wheel:N  key:NAME  command:ID  text:WORDS  drag:X,Y,X,Y  right-drag:X,Y,X,Y
//     hover-op:RUN,ID  hover-wait:RUN,INDEX  picture:FILE  words:FILE
//
// `wait` waits for runs, checks and files that are being written. X and Y are pixels. WIDGET is a widget's id. `key`
// takes modifiers: ctrl+shift+p. `words` writes the panels' texts, one per line: x, y, text.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "app/ui/shell/app.h"
#include "engine/core/result.h"

namespace headway::ui {

class Script {
public:
    // `frame` makes and draws one frame; `picture` saves the current frame as an image.
    Script(AppState& state, App& app, std::function<void()> frame,
           std::function<core::Result<void>(const std::string&)> picture)
        : state_(state), app_(app), frame_(std::move(frame)), picture_(std::move(picture)) {}

    core::Result<void> run(const std::vector<std::string>& steps);
    core::Result<void> step(const std::string& step);

private:
    // One kind of step: `action(script, what)` returns nothing or a Result; `what` follows the colon, "" without one.
    struct Step {
        template <class Action>
        Step(std::string_view step_verb, int step_frames, Action action)
            : verb(step_verb), frames_after(step_frames), act([action](Script& script, const std::string& what) {
                  if constexpr (std::is_void_v<decltype(action(script, what))>) {
                      action(script, what);
                      return core::Result<void>();
                  } else {
                      return action(script, what);
                  }
              }) {}

        std::string_view verb;
        int frames_after;  // drawn if the step succeeds
        std::function<core::Result<void>(Script&, const std::string& what)> act;
    };
    static std::span<const Step> steps();

    core::Result<void> wait();
    void seconds(double seconds);
    core::Result<void> compare();
    core::Result<void> lesson(const std::string& id);
    core::Result<void> set(const std::string& setting);
    core::Result<void> theme(const std::string& name);
    core::Result<void> device(const std::string& kind);
    core::Result<void> barrier(const std::string& word);
    core::Result<void> move_to(const std::string& where);
    core::Result<void> point(const std::string& widget);
    core::Result<void> click(const std::string& widget, int times);
    core::Result<void> drag(const std::string& where, int button);
    core::Result<void> hover(const std::string& what, bool op);
    core::Result<void> key(const std::string& name);
    core::Result<void> command(const std::string& id);
    core::Result<void> words(const std::string& path);
    void move(float x, float y);
    void frames(int n);

    AppState& state_;
    App& app_;
    std::function<void()> frame_;
    std::function<core::Result<void>(const std::string&)> picture_;
};

}  // namespace headway::ui
