#include "app/figure/figure_numbers.h"

#include <algorithm>

#include "app/model/analysis/time_range_summary.h"
#include "app/render/format.h"

namespace headway::figure {

using model::Numbers;
using model::Run;

std::vector<FigureColumn> total_columns(std::span<const TimelineRun> runs, const std::vector<Numbers>& numbers,
                                        bool few) {
    std::vector<FigureColumn> all;
    // A dash where one run's trace lacks the data; no column where all do.
    const auto add_if_recorded = [&](const char* head, bool model::TraceCapabilities::*recorded, auto cell,
                                     bool words = false) {
        FigureColumn column{head, {}, words, 0};
        bool any = false;
        for (std::size_t i = 0; i < runs.size() && i < numbers.size(); ++i) {
            const bool in_trace = recorded == nullptr || numbers[i].capabilities.*recorded;
            const bool known = in_trace && model::has_all_records(*runs[i].run);
            any = any || in_trace;
            column.cells.push_back(known ? cell(numbers[i]) : std::string("–"));
        }
        if (any) {
            all.push_back(std::move(column));
        }
    };
    const auto add = [&](const char* head, auto cell) { add_if_recorded(head, nullptr, cell); };
    using model::TraceCapabilities;
    const auto time = [](auto ns) { return duration_text(static_cast<double>(ns)); };
    add("total", [&](const Numbers& n) { return time(n.total_ns); });
    if (!few) {
        add_if_recorded("issue", &TraceCapabilities::issues,
                        [&](const Numbers& n) { return time(n.frontend.issue_ns); });
    }
    add_if_recorded("blocked", &TraceCapabilities::waits, [&](const Numbers& n) { return time(n.blocked_ns); });
    if (!few && std::any_of(numbers.begin(), numbers.end(), [](const Numbers& n) { return n.recorded_work_ns > 0; })) {
        add_if_recorded("own work", &TraceCapabilities::settings,
                        [&](const Numbers& n) { return time(n.frontend.work_ns); });
    }
    add_if_recorded("backend idle", &TraceCapabilities::backend, [](const Numbers& n) {
        const auto share = model::idle_share(n);
        return share ? percent_text(*share) : std::string("–");
    });
    add_if_recorded("max headway", &TraceCapabilities::issues,
                    [](const Numbers& n) { return count_text(n.headway_max) + (n.headway_max == 1 ? " op" : " ops"); });
    add_if_recorded("peak memory", &TraceCapabilities::memory,
                    [](const Numbers& n) { return bytes_text(n.live_bytes_peak); });
    if (few) {
        return all;
    }
    const auto median = [&](const model::Spread& spread) {
        return spread.count > 0 ? time(static_cast<double>(spread.median)) : std::string("–");
    };
    add_if_recorded("t₁ issue", &TraceCapabilities::issues, [&](const Numbers& n) { return median(n.t1); });
    add_if_recorded("t₂ execute", &TraceCapabilities::backend, [&](const Numbers& n) { return median(n.t2); });
    add_if_recorded("t₃ return", &TraceCapabilities::issues, [&](const Numbers& n) { return median(n.t3); });
    add_if_recorded("predicted", &TraceCapabilities::issues, [&](const Numbers& n) {
        return n.predicted ? time(static_cast<double>(n.predicted_ns)) : std::string("–");
    });
    add_if_recorded(
        "regime", &TraceCapabilities::issues,
        [](const Numbers& n) { return *model::regime_word(n) != '\0' ? model::regime_word(n) : std::string("–"); },
        true);
    return all;
}

std::vector<FigureColumn> columns_at(std::span<const TimelineRun> runs, double ns) {
    std::vector<FigureColumn> all;
    const auto add = [&](const char* head, bool model::TraceCapabilities::*recorded, auto cell) {
        FigureColumn column{head, {}, false, 0};
        bool any = false;
        for (const TimelineRun& shown : runs) {
            const model::ProgramTime& time = shown.run->program_time();
            const double end_ns = time.program_ns(shown.run->end_ns());
            const bool known = recorded == nullptr || shown.run->capabilities().*recorded;
            any = any || known;
            column.cells.push_back(known
                                       ? cell(*shown.run, static_cast<std::int64_t>(time.run_ns(std::min(ns, end_ns))))
                                       : std::string("–"));
        }
        if (any) {
            all.push_back(std::move(column));
        }
    };
    add("time", nullptr, [](const Run& r, std::int64_t at) { return duration_text(r.program_time().program_ns(at)); });
    add("issued", &model::TraceCapabilities::issues, [](const Run& r, std::int64_t at) {
        std::size_t first = 0, last = r.op_count();  // ops are issued in the order of their ids
        while (first < last) {
            const std::size_t middle = (first + last) / 2;
            if (r.op(static_cast<core::OpId>(middle + 1)).issue_end_ns <= at) {
                first = middle + 1;
            } else {
                last = middle;
            }
        }
        const auto measured = r.measured();  // ops before measuring are not counted
        first = std::min<std::size_t>(first, measured.last);
        return count_text(model::issued_ops(r, measured.first, static_cast<core::OpId>(first)));
    });
    add("headway", &model::TraceCapabilities::issues, [](const Run& r, std::int64_t at) {
        const auto ahead = static_cast<std::uint64_t>(std::max<std::int64_t>(0, r.headway().at(at)));
        return count_text(ahead) + (ahead == 1 ? " op" : " ops");
    });
    add("live memory", &model::TraceCapabilities::memory, [](const Run& r, std::int64_t at) {
        return bytes_text(static_cast<std::uint64_t>(std::max<std::int64_t>(0, r.live_bytes().at(at))));
    });
    return all;
}

}  // namespace headway::figure
