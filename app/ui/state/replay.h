// Replay: the window shows run B as it was at one moment, and the moment moves: step by step, or with time. B has
// ended, or is paused; then its last moment is now.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <cstdint>
#include <optional>

#include "app/model/moment/moment.h"
#include "app/session/session.h"

namespace headway::ui {

class Replay {
public:
    explicit Replay(session::Session& session) : session_(session) {}

    // The run has ended and is completely read, or it is paused.
    [[nodiscard]] bool possible() const;
    // Only while the run that it was started with is shown.
    [[nodiscard]] bool on() const;
    void start();  // at the beginning of the measured part
    void leave();
    // Both start the replay if it is off.
    void step(int direction);  // to the next or the previous event
    void go_to(std::int64_t ns);
    void to_begin();
    void to_end();

    [[nodiscard]] bool playing() const { return playing_; }
    void play_or_pause();
    // How many times slower than the program's time passes: a power of ten from 1 to 10^6.
    [[nodiscard]] std::int64_t slowdown() const { return slowdown_; }
    void set_slower(int direction);

    // In the run's time. Only while it is on.
    [[nodiscard]] std::int64_t ns() const { return ns_; }
    [[nodiscard]] std::int64_t begin_ns() const { return begin_ns_; }
    [[nodiscard]] std::int64_t end_ns() const { return end_ns_; }
    // The program's time from the beginning to the moment: without the learner's pauses.
    [[nodiscard]] double passed_ns() const;
    [[nodiscard]] bool at_end() const { return on() && ns_ >= end_ns_; }
    [[nodiscard]] const model::Run& run() const { return *session_.b()->run(); }
    [[nodiscard]] const model::Moment& moment();
    [[nodiscard]] std::uint64_t event() const;  // events that have happened since the beginning
    [[nodiscard]] std::uint64_t events() const { return events_; }
    // The moment at which this many of them have happened.
    [[nodiscard]] std::int64_t ns_of_event(std::uint64_t event) const;

    // Once a frame. True while it moves.
    bool advance(double seconds);

private:
    bool start_if_off();  // whether it is on then
    // Takes the beginning, the end and the number of events from the run.
    void measure();

    session::Session& session_;
    bool on_ = false, playing_ = false;
    session::RunsVersion version_;  // of the runs when they were measured
    std::int64_t ns_ = 0, begin_ns_ = 0, end_ns_ = 0, slowdown_ = 1000;
    double passed_ns_ = 0;                   // playing: the exact program time of the moment
    std::uint64_t before_ = 0, events_ = 0;  // events before the beginning; from there to the end
    std::optional<model::Moment> moment_;    // at ns_
};

}  // namespace headway::ui
