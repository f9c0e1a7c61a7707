#include "app/ui/state/view/view_control.h"

#include <algorithm>
#include <cmath>

namespace headway::ui {
namespace {

constexpr double kLeastSpan_ns = 5;

}  // namespace

void ViewControl::set_whole(View whole) {
    if (whole.span_ns() < kLeastSpan_ns) {
        whole.end_ns = whole.begin_ns + kLeastSpan_ns;
    }
    if (whole == whole_) {
        return;
    }
    whole_ = whole;
    if (!following_) {
        return;
    }
    // A view at rest grows with the run at once; a view that is moving still arrives on time.
    if (elapsed_ >= kSeconds && whole.end_ns >= target_.end_ns) {
        now_ = from_ = target_ = whole_;
    } else if (elapsed_ >= kSeconds) {
        aim(whole_);
    } else {
        target_ = whole_;
    }
}

ViewControl::View ViewControl::within_reach(View view) const {
    // A little beyond both ends, but at most a multiple of the whole range.
    const double span = std::clamp(view.span_ns(), kLeastSpan_ns, whole_.span_ns() * 1.5);
    const double middle = (view.begin_ns + view.end_ns) / 2;
    const double least = whole_.begin_ns - span * 0.5, most = whole_.end_ns + span * 0.5;
    const double begin = std::clamp(middle - span / 2, least, std::max(least, most - span));
    return {begin, begin + span};
}

void ViewControl::aim(View target) {
    if (target == target_) {
        return;
    }
    from_ = now_;
    target_ = target;
    elapsed_ = 0;
}

void ViewControl::remember() {
    if (elapsed_ < kSeconds) {
        return;  // still moving: this is part of the same move
    }
    future_.clear();
    if (past_.empty() || !(past_.back() == target_)) {
        past_.push_back(target_);
        if (past_.size() > kMostRemembered) {
            past_.erase(past_.begin());
        }
    }
}

void ViewControl::go(std::vector<View>& from, std::vector<View>& to) {
    if (from.empty()) {
        return;
    }
    following_ = false;
    to.push_back(target_);
    aim(within_reach(from.back()));
    from.pop_back();
}

void ViewControl::back() {
    go(past_, future_);
}

void ViewControl::forth() {
    go(future_, past_);
}

void ViewControl::begin_pan() {
    remember();
}

void ViewControl::zoom(double at_ns, double factor) {
    remember();
    following_ = false;
    // The moment that is now under the pointer must stay there, even if the target changes again.
    const double share = (at_ns - now_.begin_ns) / now_.span_ns();
    const double span = std::clamp(target_.span_ns() * factor, kLeastSpan_ns, whole_.span_ns() * 1.5);
    const double begin = at_ns - share * span;
    aim(within_reach({begin, begin + span}));
}

void ViewControl::pan(double by_ns, bool eased) {
    following_ = false;
    const View moved = within_reach({target_.begin_ns + by_ns, target_.end_ns + by_ns});
    if (eased) {
        remember();
        aim(moved);
        return;
    }
    const double step = moved.begin_ns - target_.begin_ns;
    for (View* view : {&now_, &from_, &target_}) {
        view->begin_ns += step;
        view->end_ns += step;
    }
}

void ViewControl::bring_in(double at_ns) {
    const double span = target_.span_ns();
    const double first = std::min(whole_.begin_ns, at_ns);
    const double last = std::max(first, std::max(whole_.end_ns, at_ns) - span);
    pan(std::clamp(at_ns - span / 2, first, last) - target_.begin_ns, true);
}

void ViewControl::fit() {
    remember();
    following_ = false;
    aim(whole_);
}

void ViewControl::show(View view) {
    remember();
    following_ = false;
    const double margin = std::max(view.span_ns() * 0.6, kLeastSpan_ns);
    aim(within_reach({view.begin_ns - margin, view.end_ns + margin}));
}

void ViewControl::follow() {
    remember();
    following_ = true;
    aim(whole_);
}

void ViewControl::restart() {
    following_ = true;
    now_ = from_ = target_ = whole_;
    elapsed_ = kSeconds;
    past_.clear();
    future_.clear();
}

bool ViewControl::advance(double seconds) {
    if (elapsed_ >= kSeconds) {
        now_ = target_;
        return false;
    }
    elapsed_ = std::min(kSeconds, elapsed_ + seconds);
    const double left = 1 - elapsed_ / kSeconds;
    const double share = 1 - left * left * left;
    // Spans change by equal factors, so that zooming looks uniform.
    const double from_span = from_.span_ns(), to_span = target_.span_ns();
    const double span = from_span * std::pow(to_span / from_span, share);
    if (std::abs(to_span - from_span) > 1e-9 * from_span) {
        // The fixed point of the zoom stays fixed.
        const double move = (span - from_span) / (to_span - from_span);
        now_.begin_ns = from_.begin_ns + (target_.begin_ns - from_.begin_ns) * move;
    } else {
        now_.begin_ns = from_.begin_ns + (target_.begin_ns - from_.begin_ns) * share;
    }
    now_.end_ns = now_.begin_ns + span;
    if (elapsed_ >= kSeconds) {
        now_ = target_;
    }
    return true;
}

}  // namespace headway::ui
