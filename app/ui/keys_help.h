// Every key, on one card over the window.
#pragma once

#include "app/ui/app_state.h"
#include "app/ui/ui_context.h"

namespace headway::ui {

void draw_keys_help(AppState& state, Ui& ui);

}  // namespace headway::ui
