#include "app/ui/op_findings.h"

namespace headway::ui {
namespace {

constexpr double kBudgetMs = 3;  // of a frame

}  // namespace

void OpFindings::forget() {
    walk_.reset();
    walked_ = nullptr;
    walking_ = ordering_ = false;
    orders_.clear();
    twin_ = twin_of_ = 0;
    twin_run_ = twin_of_run_ = -1;
    ++found_;
}

void OpFindings::look(const std::vector<figure::TimelineRun>& runs, int run, core::OpId op, std::uint64_t revision) {
    if (run < 0 || static_cast<std::size_t>(run) >= runs.size() || op == 0) {
        if (walk_ || twin_run_ >= 0) {
            walk_.reset();
            twin_ = twin_of_ = 0;
            twin_run_ = twin_of_run_ = -1;
            ++found_;
        }
        walking_ = ordering_ = false;
        return;
    }
    const model::Run* of = runs[static_cast<std::size_t>(run)].run;
    const bool same = walk_ && walked_ == of && walk_->op() == op;
    // A run that goes on is walked over to the end before it is walked over again.
    if (!same || (!walking_ && walk_revision_ != revision)) {
        walk_.emplace(*of, op);
        walked_ = of;
        walk_revision_ = revision;
        walking_ = true;
    }
    if (walking_) {
        walking_ = walk_->step(kBudgetMs);
        ++found_;
    }

    if (runs.size() != 2) {
        ordering_ = false;
        twin_run_ = -1;
        return;
    }
    orders_.resize(runs.size());
    ordering_ = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!orders_[i] || &orders_[i]->run() != runs[i].run) {
            orders_[i] = std::make_unique<model::IssueOrder>(*runs[i].run);
        }
        ordering_ = orders_[i]->update(kBudgetMs) || ordering_;
    }
    const int other = 1 - run;
    const core::OpId twin = ordering_ ? 0
                                      : model::twin_of(*orders_[static_cast<std::size_t>(run)], op,
                                                       *orders_[static_cast<std::size_t>(other)]);
    const int twin_run = ordering_ ? -1 : other;
    if (twin != twin_ || twin_run != twin_run_ || twin_of_ != op || twin_of_run_ != run) {
        twin_ = twin;
        twin_run_ = twin_run;
        twin_of_ = op;
        twin_of_run_ = run;
        ++found_;
    }
}

}  // namespace headway::ui
