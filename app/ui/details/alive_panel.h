// The tensors that are alive at the moment selected on a memory curve, grouped by the line that created them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/model/analysis/memory/alive.h"
#include "app/ui/timeline/timeline_panel.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class AlivePanel {
public:
    AlivePanel(AppState& state, Ui& ui, TimelinePanel& timeline) : state_(state), ui_(ui), timeline_(timeline) {}

    void draw(ImVec2 min, ImVec2 max);
    [[nodiscard]] bool computing() const { return walking_; }
    [[nodiscard]] const model::AliveWalk* walk() const { return walk_ ? &*walk_ : nullptr; }

private:
    void follow_choice();

    AppState& state_;
    Ui& ui_;
    TimelinePanel& timeline_;
    const model::Run* run_ = nullptr;  // the walk's run
    std::uint64_t started_ = 0;        // runs started by then: a later run may have the same address
    std::optional<model::AliveWalk> walk_;
    bool walking_ = false;
    std::size_t chosen_ = 0, at_ = 0;  // the line clicked last, and the index into its ops
};

}  // namespace headway::ui
