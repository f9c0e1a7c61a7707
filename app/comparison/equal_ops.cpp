#include "app/comparison/equal_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace headway::comparison {
namespace {

// The medians of one signature in two runs, and how often a run has it.
struct Matched {
    std::string signature;
    double a_ns = 0, b_ns = 0;  // medians over the runs
    double count = 0;           // ops per run
    [[nodiscard]] double weight() const { return count * (a_ns + b_ns); }
};

std::vector<double> medians(const Side& side, const std::string& signature, double& count) {
    std::vector<double> values;
    for (const Sample& sample : side.samples) {
        const auto found = sample.ops.find(signature);
        if (found == sample.ops.end()) {
            return {};
        }
        values.push_back(found->second.median_ns);
        count = std::max(count, static_cast<double>(found->second.count));
    }
    return values;
}

std::vector<Matched> matched(const Side& a, const Side& b) {
    std::vector<Matched> all;
    if (a.samples.empty() || b.samples.empty()) {
        return all;
    }
    for (const auto& [signature, time] : a.samples.front().ops) {
        double count = 0;
        const auto of_a = medians(a, signature, count), of_b = medians(b, signature, count);
        if (of_a.empty() || of_b.empty()) {
            continue;
        }
        const Matched one{signature, median_and_range(of_a).median, median_and_range(of_b).median, count};
        if (one.a_ns > 0 && one.b_ns > 0) {
            all.push_back(one);
        }
    }
    return all;
}

// The value with half of the weight on either side.
double weighted_median(std::vector<std::pair<double, double>> values) {
    std::sort(values.begin(), values.end());
    double all = 0, seen = 0;
    for (const auto& [value, weight] : values) {
        all += weight;
    }
    for (const auto& [value, weight] : values) {
        seen += weight;
        if (seen >= all / 2) {
            return value;
        }
    }
    return values.empty() ? 1 : values.back().first;
}

// The typical factor between a run's op durations and the average of both sides.
double pace_of(const Sample& sample, const std::vector<Matched>& ops) {
    std::vector<std::pair<double, double>> values;
    for (const Matched& op : ops) {
        values.emplace_back(sample.ops.at(op.signature).median_ns / std::sqrt(op.a_ns * op.b_ns), op.weight());
    }
    return weighted_median(std::move(values));
}

}  // namespace

EqualOps equal_ops(const Side& a, const Side& b) {
    const auto ops = matched(a, b);
    EqualOps found;
    found.matched = ops.size();
    if (ops.empty()) {
        return found;
    }
    std::vector<std::pair<double, double>> logs;  // logarithms treat both sides alike
    for (const Matched& op : ops) {
        logs.emplace_back(std::log(op.a_ns / op.b_ns), op.weight());
    }
    std::vector<std::pair<double, double>> turned = logs;
    for (auto& [value, weight] : turned) {
        value = -value;
    }
    const double ratio = (weighted_median(logs) - weighted_median(turned)) / 2;
    found.ratio = std::exp(std::abs(ratio));
    found.slower = ratio >= 0 ? 'A' : 'B';
    const Side& slow = ratio >= 0 ? a : b;
    const Side& fast = ratio >= 0 ? b : a;
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const Sample& sample : slow.samples) {
        least = std::min(least, pace_of(sample, ops));
    }
    for (const Sample& sample : fast.samples) {
        most = std::max(most, pace_of(sample, ops));
    }
    found.in_every_run = least > most;
    return found;
}

double excess_ns(const Side& a, const Side& b) {
    double sum = 0;
    for (const Matched& op : matched(a, b)) {
        sum += op.count * (op.a_ns - op.b_ns);
    }
    return std::abs(sum);
}

}  // namespace headway::comparison
