// Looks up details of the hovered wait. For runs with many ops this happens on another thread, one wait at a time.
//
// Threads: the UI's. The lookup has a thread of its own.
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
    // ops in a run whose waits are looked up at once, on the UI's thread
    static constexpr std::size_t kMostAtOnce = 100'000;

    // The hovered wait of the run (-1: none). A run that `grows` cannot be read from another thread: if it is long,
    // only what can be computed quickly is available until it ends. `revision` changes when and only when the run does.
    void look(const Run& run, int wait, bool grows, std::uint64_t revision);
    void forget();  // other runs are shown, or none

    [[nodiscard]] bool busy() const { return coming_.valid(); }
    // Changes whenever the results do.
    [[nodiscard]] std::uint64_t found() const { return found_; }
    // Null until the lookup is done.
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
