#include "app/ui/shell/status_bar.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "app/render/format.h"
#include "app/timeline/op_words.h"
#include "app/ui/dialogs/confinement_note.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/count_text.h"

namespace headway::ui {

namespace {

// The ops that are not executed yet in a run in progress whose program has failed.
std::optional<std::uint64_t> open_after_failure(const AppState& state) {
    const session::Execution* run = state.session.b();
    if (run == nullptr || run->early_failure().empty()) {
        return std::nullopt;
    }
    return run->run()->op_count() - run->run()->ended_count();
}

}  // namespace

std::string phase_text(const AppState& state) {
    using session::Phase;
    const session::Execution* run = state.session.b();
    if (run == nullptr) {
        return "ready";
    }
    std::string ended;  // the verdict, if it says more than the phase; else empty
    if (!run->grows() && !run->lags() && run->run() != nullptr) {
        const auto verdict = run->run()->end().verdict;
        if (verdict != model::Verdict::complete && verdict != model::Verdict::unknown) {
            ended = model::word_of(verdict);
        }
    }
    const auto word = [&ended](const char* usual) { return ended.empty() ? usual : ended; };
    switch (run->phase()) {
        case Phase::starting:
            return "starting";
        case Phase::running:
            return open_after_failure(state) ? "failed" : "recording";
        case Phase::paused:
            return "paused";
        case Phase::finished:
            return word("finished");
        case Phase::failed:
            return word("failed");
        case Phase::stopped:
            return word("stopped");
        case Phase::killed:
            return word("crashed");
        case Phase::recorded:
            return ended.empty() ? "recorded" : "recorded: " + ended;
    }
    return "";
}

std::vector<std::string> status_parts(const AppState& state) {
    const session::Execution* run = state.session.b();
    std::vector<std::string> parts;
    if (run != nullptr && run->run() != nullptr) {
        const auto& info = run->run()->info();
        if (info.simulated) {
            parts.emplace_back("SIMULATED");
        }
        if (!info.torch.empty()) {
            parts.push_back(info.torch == "Headway's dialect" ? "torch: " + info.torch : info.torch);
        }
        if (!info.timing.empty()) {
            parts.push_back("GPU times from " + std::string(info.timing == "cupti" ? "CUPTI" : info.timing) + " ± " +
                            figure::duration_text(static_cast<double>(info.timing_uncertainty_ns)));
        }
        if (auto profile = model::profile_words(info); !profile.empty()) {
            parts.push_back(std::move(profile));
        }
        const auto ops = run->run()->op_count();
        const auto measured = run->numbers().ops;
        const bool differ = measured != ops && measured != 0 && !run->grows();
        parts.push_back(figure::ops_text(run->run()->capabilities(), ops) +
                        (differ ? ", " + figure::count_text(measured) + " of them measured" : ""));
        const auto damaged = [run] { return !run->grows() && run->run()->end().verdict == model::Verdict::damaged; };
        if (const auto lost = run->numbers().lost_records; lost != 0 && !damaged()) {
            parts.push_back(figure::count_text(lost) + (lost == 1 ? " record" : " records") +
                            " lost: the trace was full");
        }
    }
    const bool being_read = run != nullptr && run->lags();
    const auto open = open_after_failure(state);
    parts.emplace_back(being_read ? run->reading_text()
                       : open     ? "failed, " + core::counted(*open, "op") + " still to execute"
                                  : phase_text(state));
    return parts;
}

void StatusBar::draw(ImVec2 min, ImVec2 max) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_ground(ui_, list, min, max, t.panel);
    const float line = std::max(1.0f, std::floor(ui_.fonts.scale()));
    list->AddRectFilled(min, {max.x, min.y + line}, colour(t.border));
    const float y = min.y + ui_.px(20);
    auto parts = status_parts(state_);
    // If there is no room, drops whole parts from the left, but never the one that says that times are simulated.
    const auto joined = [&parts] {
        std::string text;
        for (const auto& part : parts) {
            text += (text.empty() ? "" : " · ") + part;
        }
        return text;
    };
    const float room = max.x - min.x - ui_.px(40);
    while (parts.size() > 1 && text_width(ui_, Face::medium, 12.5f, joined()) > room) {
        parts.erase(parts.begin() + (parts.front() == "SIMULATED" ? 1 : 0));
    }
    const float right_width = draw_text_right(ui_, list, max.x - ui_.px(20), y, Face::medium, 12.5f, t.faint, joined());
    float end = max.x - ui_.px(44) - right_width;
    // What the program may do to this machine is always said.
    if (!state_.session.settings.program.empty()) {
        const float room = std::min(ui_.px(360), end - min.x - ui_.px(40));
        end -= draw_confinement_note(state_, ui_, end + ui_.px(10), y, room) + ui_.px(14);
    }
    float x = min.x + ui_.px(20);
    const bool following = state_.timeline.view.following() || state_.session.b() == nullptr;
    struct Hint {
        std::string key;
        const char* what;
    };
    const auto& key = ui_.keys_of;
    std::vector<Hint> hints{{"Space", "run, pause"}};
    if (!following && state_.session.live()) {
        hints.push_back({"End", "follow the run"});
    }
    if (!state_.look.map) {  // of the timeline
        for (const Hint& h : {Hint{key("mode.next"), "mode"}, Hint{"Wheel", "zoom"}, Hint{"Right drag", "pan"},
                              Hint{"Drag", "measure"}, Hint{key("timeline.fit"), "fit"},
                              Hint{key("export.figure"), "figure"}, Hint{key("window.legend"), "legend"}}) {
            hints.push_back(h);
        }
    }
    hints.push_back({"?", "all keys"});
    for (const auto& hint : hints) {
        const float width = text_width(ui_, Face::semibold, 12.5f, hint.key) + ui_.px(5) +
                            text_width(ui_, Face::medium, 12.5f, hint.what);
        if (x + width > end) {
            break;
        }
        x += draw_text(ui_, list, x, y, Face::semibold, 12.5f, t.dim, hint.key) + ui_.px(5);
        x += draw_text(ui_, list, x, y, Face::medium, 12.5f, t.faint, hint.what) + ui_.px(18);
    }
}

}  // namespace headway::ui
