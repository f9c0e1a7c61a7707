#include "app/comparison/sample.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "app/model/analysis/overlap.h"

namespace headway::comparison {
namespace {

constexpr std::size_t kMostOps = 20'000;  // limit per run

double median_of(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

Ended ended_of(const model::Run& run, const model::Numbers& numbers) {
    switch (run.end().verdict) {
        case model::Verdict::damaged:
            return Ended::damaged;
        case model::Verdict::failed:
            return Ended::failed;
        case model::Verdict::crashed:
            return Ended::crashed;
        case model::Verdict::stopped:
            return Ended::stopped;
        case model::Verdict::overflowed:
            return Ended::cut_off;
        case model::Verdict::complete:
        case model::Verdict::unknown:
            break;
    }
    if (numbers.cut_off) {
        return Ended::cut_off;
    }
    return numbers.paused_ns > 0 ? Ended::paused_or_stepped : Ended::finished;
}

}  // namespace

const char* words_of(Ended ended) {
    switch (ended) {
        case Ended::finished:
            break;
        case Ended::damaged:
            return "is damaged";
        case Ended::failed:
            return "failed";
        case Ended::crashed:
            return "crashed";
        case Ended::stopped:
            return "was stopped";
        case Ended::paused_or_stepped:
            return "was paused or stepped";
        case Ended::cut_off:
            return "was cut off";
    }
    return "";
}

OpTimes op_times(const model::Run& run) {
    const auto part = run.measured();
    if (part.last < part.first) {
        return {};
    }
    const std::size_t count = part.last - part.first + 1;
    const std::size_t step = (count + kMostOps - 1) / kMostOps;
    std::map<std::uint16_t, std::vector<double>> by_signature;
    std::mt19937_64 random;  // the same numbers each time
    for (std::size_t begin = 0; begin < count; begin += step) {
        // Not each step-th op: that would be the same place of a loop every time.
        const std::size_t i = begin + random() % std::min(step, count - begin);
        const model::Op& op = run.op(part.first + static_cast<core::OpId>(i));
        if (!op.folded && op.begin_ns != model::kPending && op.end_ns != model::kPending && !op.failed) {
            by_signature[op.signature].push_back(static_cast<double>(op.end_ns - op.begin_ns));
        }
    }
    std::map<std::uint16_t, std::size_t> counts;
    for (const model::Lane& lane : run.lanes()) {
        const auto issued_through = [&lane](core::OpId id) {  // ids ascend in a lane
            return static_cast<std::size_t>(std::upper_bound(lane.ops.begin(), lane.ops.end(), id) - lane.ops.begin());
        };
        const auto at = [&](std::size_t i) {
            const model::Op& op = run.op(lane.ops[i]);
            return std::pair{std::uint32_t{op.signature}, op.end_ns - op.begin_ns};
        };
        for (const auto& sum : lane.kinds.between(issued_through(part.first - 1), issued_through(part.last), at)) {
            counts[static_cast<std::uint16_t>(sum.kind)] += sum.count;
        }
    }
    OpTimes times;
    for (auto& [id, values] : by_signature) {
        const model::Signature& signature = run.signature(id);
        times[signature.name + " " + signature.shapes] = {counts[id], median_of(values)};
    }
    return times;
}

Sample sample_of(const model::Run& run, const model::Numbers& numbers, bool with_ops) {
    Sample sample;
    sample.numbers = numbers;
    sample.ended = ended_of(run, numbers);
    if (run.error()) {
        sample.error = run.error()->message;
    }
    sample.races = run.has_races();
    sample.unfinished = model::unfinished_at_begin(run) > 0;
    const auto part = run.measured();
    const auto kinds = run.wait_kinds().between(part.first_wait, part.waits_end, [&run](std::size_t i) {
        const model::Wait& wait = run.waits()[i];
        return std::pair{static_cast<std::uint32_t>(wait.kind), wait.waited_ns()};
    });
    for (const auto& sum : kinds) {
        const auto kind = static_cast<trace::WaitKind>(sum.kind);
        sample.waits += trace::is_barrier(kind) || trace::is_blocker(kind) ? sum.count : 0;
    }
    if (with_ops) {
        sample.ops = op_times(run);
    }
    return sample;
}

Side side_of(const model::Run& run, const model::Numbers& numbers) {
    return {run.info(), {sample_of(run, numbers, false)}, false};
}

MedianAndRange median_and_range(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return {(values[(n - 1) / 2] + values[n / 2]) / 2, values.front(), values.back()};
}

std::size_t middle_of(std::span<const std::int64_t> totals_ns) {
    std::vector<std::size_t> order(totals_ns.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return totals_ns[a] < totals_ns[b]; });
    return order[(order.size() - 1) / 2];
}

}  // namespace headway::comparison
