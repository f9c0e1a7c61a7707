#include "app/model/numbers/prediction.h"

#include <algorithm>

#include "app/model/replay/replay.h"
#include "app/model/run/queries.h"

namespace headway::model {

// Two replays: one with recorded hand-overs and median returns, which also measures the hand-overs; then one with
// medians for both.
struct PredictionWalk::State {
    explicit State(const Run& of)
        : run(of),
          returns(typical_returns(of)),
          recorded(std::make_unique<Replay>(of, Replay::Options{{}, nullptr, chosen_returns(), &handovers, true})) {}

    // On the simulated device the duration of a return follows from the device model. With two devices a single
    // median would be wrong for one of them.
    [[nodiscard]] const TypicalOverheads* chosen_returns() const { return run.info().simulated ? nullptr : &returns; }

    const Run& run;
    TypicalOverheads returns, handovers;
    std::unique_ptr<Replay> recorded, typical, without_holds;
    std::int64_t with_recorded_handovers_ns = 0, predicted_ns = 0, chain_ns = 0;
    std::int64_t held_ns = 0;  // the cost of the learner's holds beyond the frontend's waits for them
    bool done = false;
};

PredictionWalk::PredictionWalk(const Run& run) : state_(std::make_unique<State>(run)) {}
PredictionWalk::~PredictionWalk() = default;

bool PredictionWalk::step(double budget_ms) {
    State& s = *state_;
    while (!s.done) {
        if (s.recorded != nullptr) {
            if (s.recorded->step(budget_ms)) {
                return true;
            }
            s.with_recorded_handovers_ns = s.recorded->total_ns();
            s.chain_ns = s.recorded->longest_chain_ns();
            s.recorded.reset();
            s.typical =
                std::make_unique<Replay>(s.run, Replay::Options{{}, &s.handovers, s.chosen_returns(), nullptr, false});
        } else if (s.without_holds != nullptr) {
            if (s.without_holds->step(budget_ms)) {
                return true;
            }
            s.held_ns = total_ns_of(s.run) - s.without_holds->total_ns();
            s.without_holds.reset();
            s.done = true;
        } else {
            if (s.typical->step(budget_ms)) {
                return true;
            }
            s.predicted_ns = s.typical->total_ns();
            s.typical.reset();
            if (s.run.holds().list().empty()) {
                s.done = true;
            } else {
                s.without_holds = std::make_unique<Replay>(s.run, Replay::Options{});
            }
        }
        if (budget_ms > 0) {
            break;
        }
    }
    return !s.done;
}

std::int64_t PredictionWalk::predicted_ns() const {
    return state_->predicted_ns;
}

std::vector<PredictionPart> PredictionWalk::parts() const {
    const State& s = *state_;
    std::vector<PredictionPart> parts{
        {"hand-overs beyond their median", s.with_recorded_handovers_ns - s.predicted_ns},
        {"returns beyond their median", total_ns_of(s.run) - s.held_ns - s.with_recorded_handovers_ns}};
    if (!s.run.holds().list().empty()) {
        parts.push_back({"held by the learner", s.held_ns});
    }
    return parts;
}

std::int64_t PredictionWalk::held_ns() const {
    return state_->held_ns;
}

std::int64_t PredictionWalk::longest_chain_ns() const {
    return state_->chain_ns;
}

std::int64_t PredictionWalk::handover_ns() const {
    const auto& of_device = state_->handovers.handover_ns[0];
    const bool asleep = state_->handovers.from_frontend_asleep > state_->handovers.from_frontend_awake;
    return std::max<std::int64_t>(of_device[asleep ? 2 : 1], 0);
}

}  // namespace headway::model
