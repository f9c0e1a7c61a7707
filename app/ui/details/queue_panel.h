// Each lane's queue as objects: what runs, what waits and for which ops; at the replayed moment, else now.
#pragma once

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class QueuePanel {
public:
    QueuePanel(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    void draw(ImVec2 min, ImVec2 max);

private:
    float draw_lane(const model::Run& run, const model::Moment& moment, std::size_t lane, ImVec2 at, float width);
    void draw_op(const model::Run& run, core::OpId op, const std::string& state, figure::Rgba tone, ImVec2 at,
                 float width);

    AppState& state_;
    Ui& ui_;
};

// "needs #1, #2"; "ready" if all that it needs has ended.
std::string needs_text(const model::Run& run, core::OpId op, std::int64_t ns);

}  // namespace headway::ui
