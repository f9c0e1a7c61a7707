#include "app/ui/timeline/op_details.h"

namespace headway::ui {
namespace {

constexpr double kBudgetMs = 3;  // per frame

}  // namespace

void OpDetails::leave_op() {
    if (walk_ || match_run_ >= 0) {
        ++found_;
    }
    walk_.reset();
    walked_.reset();
    buffers_.reset();
    match_ = match_of_ = 0;
    match_run_ = match_of_run_ = -1;
    walking_ = ordering_ = false;
}

void OpDetails::forget() {
    leave_op();
    orders_.clear();
}

void OpDetails::look(const Runs& runs, int run, core::OpId op, session::RunsVersion version) {
    orders_.resize(runs.size() == 2 ? 2 : 0);
    for (std::size_t i = 0; i < orders_.size(); ++i) {
        if (orders_[i].run != runs[i]) {
            orders_[i] = {runs[i], nullptr};
        }
    }
    if (run < 0 || static_cast<std::size_t>(run) >= runs.size() || op == 0) {
        leave_op();
        return;
    }
    look_for_holdings(runs[static_cast<std::size_t>(run)], op, version);
    look_for_match(runs, run, op);
}

void OpDetails::look_for_holdings(const std::shared_ptr<const model::Run>& run, core::OpId op,
                                  session::RunsVersion version) {
    const bool same = walk_ && walked_ == run && walk_->op() == op;
    if (!same) {
        buffers_.reset();
        ++found_;
    }
    // While a run is recording, a walk finishes before it starts again.
    if (!same || (!walking_ && !(walk_version_ == version))) {
        walked_ = run;
        walk_.emplace(*run, op);
        walk_version_ = version;
        walking_ = true;
    }
    if (walking_ && !walk_->step(kBudgetMs)) {
        walking_ = false;
        buffers_.reset();
        if (walk_->known()) {
            buffers_ = walk_->retained();
        }
        ++found_;
    }
}

void OpDetails::look_for_match(const Runs& runs, int run, core::OpId op) {
    ordering_ = false;
    if (runs.size() != 2) {
        match_run_ = -1;
        return;
    }
    for (Order& order : orders_) {
        if (!order.issues) {
            order.issues = std::make_unique<model::IssueOrder>(*order.run);
        }
        ordering_ = order.issues->update(kBudgetMs) || ordering_;
    }
    const int other = 1 - run;
    const auto& of = *orders_[static_cast<std::size_t>(run)].issues;
    const auto& in = *orders_[static_cast<std::size_t>(other)].issues;
    const core::OpId match = ordering_ ? 0 : model::matching_op(of, op, in);
    const int match_run = ordering_ ? -1 : other;
    const bool by_order = !ordering_ && !of.has_lines_of(in);
    if (match != match_ || by_order != by_order_ || match_run != match_run_ || match_of_ != op ||
        match_of_run_ != run) {
        match_ = match;
        match_run_ = match_run;
        by_order_ = by_order;
        match_of_ = op;
        match_of_run_ = run;
        ++found_;
    }
}

}  // namespace headway::ui
