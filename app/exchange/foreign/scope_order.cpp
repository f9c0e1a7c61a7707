#include "app/exchange/foreign/scope_order.h"

#include <algorithm>
#include <cstddef>

namespace headway::exchange {

using trace::FrontendKind;

void add_scopes(const std::vector<model::Scope>& scopes, std::vector<ScopeEvent>& events) {
    std::vector<std::uint32_t> open;
    const auto end = [&](std::size_t place) {
        events.push_back({0, scopes[open[place]].end_ns, FrontendKind::scope_end, open[place]});
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
    };
    // Among the open scopes that end at or before `ns`, the earliest; for equal ends the innermost.
    const auto next_end = [&](std::int64_t ns) {
        std::size_t found = open.size();
        for (std::size_t i = open.size(); i-- > 0;) {
            const std::int64_t end_ns = scopes[open[i]].end_ns;
            if (end_ns <= ns && (found == open.size() || end_ns < scopes[open[found]].end_ns)) {
                found = i;
            }
        }
        return found;
    };
    for (std::size_t i = 0; i < scopes.size(); ++i) {
        const auto depth = static_cast<std::size_t>(std::max(scopes[i].depth, 0));
        while (true) {
            const std::size_t place = next_end(scopes[i].begin_ns);
            if (place == open.size() || (scopes[open[place]].end_ns == scopes[i].begin_ns && open.size() <= depth)) {
                break;
            }
            end(place);
        }
        events.push_back({0, scopes[i].begin_ns, FrontendKind::scope_begin, static_cast<std::uint32_t>(i)});
        open.push_back(static_cast<std::uint32_t>(i));
    }
    while (!open.empty()) {
        const std::size_t place = next_end(model::kPending - 1);
        if (place == open.size()) {
            return;  // these never ended
        }
        end(place);
    }
}

}  // namespace headway::exchange
