// How the frontend's thread hands ops to the backend's: the launches, the ops, an arrow from each launch to its op, the
// wait and what it waited for. Above them, the same launches and ops as if each op were waited for.
//
// Time runs to the right on a non-linear axis: every interval between two events gets about the same width, so that a
// launch of a microsecond is visible next to a wait of a millisecond. The order is exact, the widths are not.
//
// Threads: any that may read the run.
#pragma once

#include "app/model/run/run.h"
#include "app/render/theme.h"
#include "app/timeline/ops_picture.h"

namespace headway::figure {

struct ThreadsOptions {
    Box area;  // in px
    const Theme* theme = nullptr;
    const TextMeasure* measure = nullptr;
    float scale = 1;
    core::OpId first = 0, last = 0;   // the ops to show; readable up to about a dozen
    std::int64_t now_ns = INT64_MAX;  // run time; what begins later is paler
    core::OpId selected = 0, hovered = 0;
};

OpsPicture draw_threads(const model::Run& run, const ThreadsOptions& options);

}  // namespace headway::figure
