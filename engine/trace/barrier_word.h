// A barrier policy as text, for the command line, recordings and reports.
#pragma once

#include <string>

#include "engine/trace/format.h"

namespace headway::trace {

// "none", "op", "minibatch", "behind:K", "as-written".
inline std::string word_of(BarrierPolicy policy) {
    switch (policy.kind) {
        case BarrierKind::none:
            return "none";
        case BarrierKind::op:
            return "op";
        case BarrierKind::minibatch:
            return "minibatch";
        case BarrierKind::behind:
            return "behind:" + std::to_string(policy.behind);
        case BarrierKind::as_written:
            break;
    }
    return "as-written";
}

}  // namespace headway::trace
