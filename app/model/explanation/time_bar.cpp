#include <cmath>

#include "app/model/explanation/explanation.h"
#include "app/model/numbers/format.h"

namespace headway::model {

TimeBar time_bar(const Numbers& numbers) {
    TimeBar bar;
    bar.measured_ns = numbers.total_ns;
    if (!numbers.predicted) {
        return bar;
    }
    bar.parts.push_back({"predicted", numbers.predicted_ns});
    for (const PredictionPart& part : numbers.prediction_parts) {
        bar.parts.push_back({part.name, part.ns});
    }
    return bar;
}

std::string text_of(const TimeBar& bar) {
    std::string text;
    for (const TimeBar::Part& part : bar.parts) {
        if (part.ns == 0 && !text.empty()) {
            continue;
        }
        text += text.empty() ? "" : part.ns > 0 ? " + " : " − ";
        text += part.name + " " + duration_text(std::abs(static_cast<double>(part.ns)));
    }
    return text.empty() ? text : text + " = measured " + duration_text(static_cast<double>(bar.measured_ns));
}

}  // namespace headway::model
