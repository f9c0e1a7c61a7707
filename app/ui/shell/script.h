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
#include <string>
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
    core::Result<void> click(const std::string& mark, int times);
    core::Result<void> key(const std::string& name);
    core::Result<void> words(const std::string& path);
    core::Result<void> drag(const std::string& where, int button);
    void move(float x, float y);
    void frames(int n);

    AppState& state_;
    App& app_;
    std::function<void()> frame_;
    std::function<core::Result<void>(const std::string&)> picture_;
};

}  // namespace headway::ui
