#include "app/check/run_functions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/check/run_facts.h"
#include "app/model/numbers/format.h"

namespace headway::check {

using expression::Value;

namespace {

using Arguments = std::span<const Value>;
using Computed = core::Result<Value>;
using Ranges = std::vector<std::pair<double, double>>;

core::Result<double> time_of(const expression::Record& record, const char* name) {
    auto value = record.field(name);
    if (!value || (*value && (**value).number() == nullptr)) {
        return expression::sentence(expression::with_article(record.kind()) + " has no times");
    }
    if (!*value) {
        return value->error();
    }
    return *(**value).number();
}

// The time ranges of a list of records, sorted and joined.
core::Result<Ranges> ranges_of(const Value& list) {
    if (list.list() == nullptr) {
        return expression::sentence("a list of ops, waits or scopes is needed, not " + list.type_words());
    }
    Ranges ranges;
    for (const Value& value : *list.list()) {
        if (value.record() == nullptr) {
            return expression::sentence("a list of ops, waits or scopes is needed, not one with " + value.type_words());
        }
        auto begin = time_of(*value.record(), "begin_ns");
        auto end = time_of(*value.record(), "end_ns");
        if (!begin || !end) {
            return !begin ? begin.error() : end.error();
        }
        ranges.emplace_back(*begin, *end);
    }
    std::sort(ranges.begin(), ranges.end());
    Ranges joined;
    for (const auto& range : ranges) {
        if (!joined.empty() && range.first <= joined.back().second) {
            joined.back().second = std::max(joined.back().second, range.second);
        } else {
            joined.push_back(range);
        }
    }
    return joined;
}

Computed busy_ns(Arguments a) {
    auto ranges = ranges_of(a[0]);
    if (!ranges) {
        return ranges.error();
    }
    double sum = 0;
    for (const auto& [begin, end] : *ranges) {
        sum += end - begin;
    }
    return Value(sum);
}

Computed overlap_ns(Arguments a) {
    auto one = ranges_of(a[0]);
    auto other = ranges_of(a[1]);
    if (!one || !other) {
        return !one ? one.error() : other.error();
    }
    double sum = 0;
    for (std::size_t i = 0, j = 0; i < one->size() && j < other->size();) {
        const auto& [begin, end] = (*one)[i];
        const auto& [other_begin, other_end] = (*other)[j];
        sum += std::max(0.0, std::min(end, other_end) - std::max(begin, other_begin));
        end < other_end ? ++i : ++j;
    }
    return Value(sum);
}

Computed depends(Arguments a) {
    const Event later = a[0].record() != nullptr ? event_of(*a[0].record()) : Event{};
    const Event earlier = a[1].record() != nullptr ? event_of(*a[1].record()) : Event{};
    if (later.op == 0 || earlier.op == 0 || later.data != earlier.data) {
        return expression::sentence("two ops of the same run are needed");
    }
    const model::Run& run = *later.data->run;
    std::vector<bool> seen(later.op + 1, false);
    std::vector<core::OpId> todo{later.op}, found;
    while (!todo.empty()) {
        const core::OpId id = todo.back();
        todo.pop_back();
        run.dependencies(id, found);
        for (const core::OpId need : found) {
            if (need == earlier.op) {
                return Value(true);
            }
            // Ops that are older than the wanted one cannot need it.
            if (need > earlier.op && need < seen.size() && !seen[need]) {
                seen[need] = true;
                todo.push_back(need);
            }
        }
    }
    return Value(false);
}

Computed time_words(Arguments a) {
    if (a[0].number() == nullptr) {
        return expression::sentence("a number of nanoseconds is needed, not " + a[0].type_words());
    }
    return Value(model::duration_text(*a[0].number()));
}

Computed bytes_words(Arguments a) {
    if (a[0].number() == nullptr || *a[0].number() < 0 || *a[0].number() > 1e18) {
        return expression::sentence("a number of bytes is needed, not " + a[0].type_words());
    }
    return Value(model::bytes_text(static_cast<std::uint64_t>(*a[0].number())));
}

constexpr expression::Function kFunctions[] = {{"busy_ns", 1, 1, busy_ns},
                                               {"bytes", 1, 1, bytes_words},
                                               {"depends", 2, 2, depends},
                                               {"overlap_ns", 2, 2, overlap_ns},
                                               {"time", 1, 1, time_words}};

}  // namespace

std::span<const expression::Function> run_functions() {
    return kFunctions;
}

}  // namespace headway::check
