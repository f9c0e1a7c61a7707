// The list of all keys, on a card over the window.
#pragma once

#include "app/ui/shell/commands.h"
#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

void draw_keys_help(AppState& state, Ui& ui, const CommandTable& commands);

}  // namespace headway::ui
