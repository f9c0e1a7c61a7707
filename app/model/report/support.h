// What a run's recording can support: values of a report that it cannot are null.
#pragma once

#include <nlohmann/json.hpp>

#include "app/model/run/run.h"

namespace headway::model {

// Null if the trace does not contain the value.
template <class Value>
nlohmann::ordered_json if_recorded(bool recorded, const Value& value) {
    return recorded ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

// What a run's recording can support. Everything that is computed from more than one record (sums, counts, medians,
// peaks, times between two records) goes through all(), at each depth of the report: it is null if records are missing
// or wrong. if_recorded() is for settings and for values of a single record.
class Support {
public:
    explicit Support(const Run& run) : has(run.capabilities()), whole_(has_all_records(run)) {}

    [[nodiscard]] bool whole() const { return whole_; }
    template <class Value>
    [[nodiscard]] nlohmann::ordered_json all(bool recorded, const Value& value) const {
        return if_recorded(whole_ && recorded, value);
    }
    template <class Value>
    [[nodiscard]] nlohmann::ordered_json all(const Value& value) const {
        return all(true, value);
    }

    const TraceCapabilities has;

private:
    const bool whole_;
};

}  // namespace headway::model
