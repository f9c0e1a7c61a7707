#include "app/ui/lesson/explanation_lookup.h"

#include <chrono>
#include <utility>

namespace headway::ui {

void ExplanationLookup::forget() {
    run_.reset();
    coming_for_.reset();  // the result of a computation in progress is dropped
    explanation_ = {};
}

void ExplanationLookup::look(const Run& run, const model::Numbers& numbers) {
    if (coming_.valid() && coming_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
        model::Explanation explanation = coming_.get();
        if (coming_for_ != nullptr && (run == nullptr || coming_for_ == run)) {
            run_ = coming_for_;
            explanation_ = std::move(explanation);
        }
        coming_for_.reset();
    }
    if (run == nullptr || run == run_ || coming_.valid()) {
        return;
    }
    if (run->op_count() <= kMostAtOnce) {
        explanation_ = model::explain(*run, numbers);
        run_ = run;
    } else {
        coming_for_ = run;
        coming_ = std::async(std::launch::async, [run, numbers] { return model::explain(*run, numbers); });
    }
}

}  // namespace headway::ui
