#include "app/ui/state/comparison.h"

namespace headway::ui {

std::string short_barrier_label(trace::BarrierPolicy policy) {
    switch (policy.kind) {
        case trace::BarrierKind::none:
            return "no barrier";
        case trace::BarrierKind::op:
            return "every op";
        case trace::BarrierKind::minibatch:
            return "minibatch";
        case trace::BarrierKind::behind:
            return std::to_string(policy.behind) + " behind";
        case trace::BarrierKind::as_written:
            break;
    }
    return "as written";
}

}  // namespace headway::ui
