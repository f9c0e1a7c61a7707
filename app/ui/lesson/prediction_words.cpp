#include "app/ui/lesson/prediction_words.h"

#include <cmath>

#include "app/render/format.h"

namespace headway::ui {

std::string prediction_verdict(const session::Execution& run) {
    switch (run.phase()) {
        case session::Phase::starting:
        case session::Phase::running:
        case session::Phase::paused:
            return "so far";
        case session::Phase::failed:
            return "until it failed";
        case session::Phase::killed:
            return "until it crashed";
        case session::Phase::stopped:
            return "until it was stopped";
        case session::Phase::finished:
        case session::Phase::recorded:
            break;
    }
    if (run.run() != nullptr && run.run()->error()) {
        return run.run()->error()->stopped() ? "until it was stopped" : "until it failed";
    }
    return run.sums_of_total_ns() && run.numbers().capabilities.issues ? "being summed up"
                                                                       : prediction_verdict(run.numbers());
}

std::string prediction_verdict(const model::Numbers& n) {
    if (!n.capabilities.issues) {
        return "issues not in this trace";
    }
    if (!n.predicted || n.total_ns <= 0) {
        return {};
    }
    const double apart = std::abs(static_cast<double>(n.total_ns) - static_cast<double>(n.predicted_ns)) /
                         static_cast<double>(n.total_ns);
    return n.total_ns == n.predicted_ns ? "exactly as predicted" : figure::percent_text(apart) + " apart";
}

std::string prediction_parts_text(const model::Numbers& n) {
    const auto time = [](std::int64_t ns) { return figure::duration_text(static_cast<double>(ns)); };
    std::string text = "Predicted " + time(n.predicted_ns) +
                       ": the same ops, dependencies, durations and waits, with the median hand-over and return.";
    for (const model::PredictionPart& part : n.prediction_parts) {
        if (part.ns != 0) {
            text += std::string("\n") + (part.ns > 0 ? "+ " : "− ") + time(std::abs(part.ns)) + " " + part.name;
        }
    }
    text += "\n= " + time(n.total_ns) + " measured";
    if (!n.prediction_formula.empty()) {
        text += "\n" + n.prediction_formula + " gives " + time(n.formula_ns) + ", with h = " + time(n.h_ns) +
                ", the hand-over to the lane.";
    } else if (!n.no_formula.empty()) {
        text += "\nThe chapter's formula does not apply: " + n.no_formula + ".";
    }
    return text;
}

}  // namespace headway::ui
