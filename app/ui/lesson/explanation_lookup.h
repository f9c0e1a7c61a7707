// Explains the last run that has ended. For runs with many ops this happens on another thread, one run at a time.
//
// Threads: the UI's. The lookup has a thread of its own.
#pragma once

#include <cstddef>
#include <future>
#include <memory>

#include "app/model/description/numbers.h"
#include "app/model/explanation/explanation.h"

namespace headway::ui {

class ExplanationLookup {
public:
    using Run = std::shared_ptr<const model::Run>;
    static constexpr std::size_t kMostAtOnce = 20'000;  // ops in a run that is explained at once, on the UI's thread

    // `run` has ended and been read completely, and these are its numbers. Null: no such run at present; the
    // explanation of the one before stays.
    void look(const Run& run, const model::Numbers& numbers);
    void forget();

    [[nodiscard]] bool busy() const { return coming_.valid(); }
    // The run that explanation() is of; null: none.
    [[nodiscard]] const model::Run* run() const { return run_.get(); }
    [[nodiscard]] const model::Explanation& explanation() const { return explanation_; }

private:
    Run run_, coming_for_;
    model::Explanation explanation_;
    std::future<model::Explanation> coming_;
};

}  // namespace headway::ui
