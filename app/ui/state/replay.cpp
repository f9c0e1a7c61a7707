#include "app/ui/state/replay.h"

#include <algorithm>
#include <cmath>

namespace headway::ui {

bool Replay::possible() const {
    const session::Execution* b = session_.b();
    if (b == nullptr || b->run() == nullptr || b->run()->op_count() == 0) {
        return false;
    }
    return b->live() ? b->phase() == session::Phase::paused : !b->grows() && !b->lags();
}

bool Replay::on() const {
    const session::Execution* b = session_.b();
    return on_ && version_.started == session_.started() && b != nullptr && b->run() != nullptr;
}

void Replay::measure() {
    const model::Run& shown = run();
    const auto measured = shown.measured();
    begin_ns_ = measured.begin_ns;
    end_ns_ = std::max(session_.live() ? shown.now_ns() : measured.end_ns, begin_ns_ + 1);
    before_ = model::events_until(shown, begin_ns_ - 1);
    events_ = model::events_until(shown, end_ns_) - before_;
    version_ = session_.version();
}

double Replay::passed_ns() const {
    const model::ProgramTime& time = run().program_time();
    return time.program_ns(ns_) - time.program_ns(begin_ns_);
}

void Replay::start() {
    if (!possible()) {
        return;
    }
    measure();
    const model::ProgramTime& time = run().program_time();
    const double all_ns = time.program_ns(end_ns_) - time.program_ns(begin_ns_);
    // So slow that the whole run takes some seconds.
    constexpr double kSeconds = 12;
    slowdown_ = 1;
    while (slowdown_ < 1'000'000 && all_ns * 1e-9 * static_cast<double>(slowdown_) < kSeconds / 3) {
        slowdown_ *= 10;
    }
    on_ = true;
    playing_ = false;
    go_to(begin_ns_);
}

void Replay::leave() {
    on_ = playing_ = false;
    moment_.reset();
}

bool Replay::start_if_off() {
    if (!on()) {
        start();
    }
    return on();
}

void Replay::go_to(std::int64_t ns) {
    if (start_if_off()) {
        ns_ = std::clamp(ns, begin_ns_, end_ns_);
        passed_ns_ = passed_ns();
        moment_.reset();
    }
}

void Replay::step(int direction) {
    if (!on()) {
        start();
        if (!on() || direction > 0) {
            return;  // the first step shows the beginning
        }
        ns_ = end_ns_ + 1;
    }
    playing_ = false;
    const auto to = direction > 0 ? model::next_event_ns(run(), ns_) : model::previous_event_ns(run(), ns_);
    go_to(to ? *to : direction > 0 ? end_ns_ : begin_ns_);
}

void Replay::to_begin() {
    if (start_if_off()) {
        go_to(begin_ns_);
        playing_ = false;
    }
}

void Replay::to_end() {
    if (start_if_off()) {
        go_to(end_ns_);
        playing_ = false;
    }
}

void Replay::play_or_pause() {
    if (!start_if_off()) {
        return;
    }
    if (!playing_ && ns_ >= end_ns_) {
        go_to(begin_ns_);
    }
    playing_ = !playing_;
}

void Replay::set_slower(int direction) {
    slowdown_ =
        direction > 0 ? std::min<std::int64_t>(slowdown_ * 10, 1'000'000) : std::max<std::int64_t>(slowdown_ / 10, 1);
}

const model::Moment& Replay::moment() {
    if (!moment_) {
        moment_ = model::moment_at(run(), ns_);
    }
    return *moment_;
}

std::uint64_t Replay::event() const {
    return model::events_until(run(), ns_) - before_;
}

std::int64_t Replay::ns_of_event(std::uint64_t event) const {
    std::int64_t low = begin_ns_, high = end_ns_;
    while (event > 0 && low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (model::events_until(run(), middle) < before_ + event) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool Replay::advance(double seconds) {
    if (on_ && (!on() || !possible())) {
        leave();  // another run is shown, or the paused run goes on
    } else if (on_ && !(version_ == session_.version())) {
        const bool stays_at_end = at_end();
        measure();  // the lanes of a paused run go on, unless they are held
        go_to(stays_at_end ? end_ns_ : ns_);
    }
    if (!on_ || !playing_) {
        return false;
    }
    // A slow frame does not skip more than a tenth of a second.
    const double passed = passed_ns_ + std::min(seconds, 0.1) * 1e9 / static_cast<double>(slowdown_);
    const model::ProgramTime& time = run().program_time();
    const auto to = static_cast<std::int64_t>(std::floor(time.run_ns(time.program_ns(begin_ns_) + passed)));
    go_to(to);
    passed_ns_ = passed;
    if (to >= end_ns_) {
        playing_ = false;
    }
    return true;
}

}  // namespace headway::ui
