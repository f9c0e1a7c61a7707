// What is looked up about the wait that a hand is on: of a run of many ops beside the frames, one wait after the other.
//
// Threads: the UI's; the looking up has one of its own.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <optional>

#include "app/model/analysis/wait_details.h"

namespace headway::ui {

class WaitDetailsLookup {
public:
    using Run = std::shared_ptr<const model::Run>;
    static constexpr std::size_t kMostAtOnce = 100'000;  // ops of a run whose waits are looked up between two frames

    // The hand is on this wait of the run (or on none: -1). A run that `grows` is not read beside the frames: of a long
    // one only what is quick is told meanwhile. `revision` changes when anything in the run does, and never when it
    // does not.
    void look(const Run& run, int wait, bool grows, std::uint64_t revision);
    void forget();  // other runs are shown, or none

    [[nodiscard]] bool busy() const { return coming_.valid(); }
    // Changes with what is found.
    [[nodiscard]] std::uint64_t found() const { return found_; }
    // Null until it has been looked up.
    [[nodiscard]] const model::WaitDetails* details() const { return details_ ? &*details_ : nullptr; }

private:
    struct Asked {
        Run run;
        int wait = -1;
        bool grows = false;
        std::uint64_t revision = 0;
        friend bool operator==(const Asked&, const Asked&) = default;
    };

    Asked asked_, coming_for_;
    std::future<model::WaitDetails> coming_;
    std::optional<model::WaitDetails> details_;
    std::uint64_t found_ = 0;
};

}  // namespace headway::ui
