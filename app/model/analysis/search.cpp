#include "app/model/analysis/search.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <tuple>
#include <utility>

#include "engine/core/time_budget.h"

namespace headway::model {
namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

core::Error unclear(std::string_view word, std::string_view why) {
    return {core::ErrorKind::usage, "'" + std::string(word) + "' " + std::string(why), {}, 0, 0};
}

std::optional<std::uint32_t> number(std::string_view text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
        return std::nullopt;
    }
    return value;
}

// Parses "100us", "1.5ms", "20ns" (no space) into nanoseconds.
std::optional<double> duration(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || !std::isfinite(value) || value < 0) {
        return std::nullopt;
    }
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    struct Unit {
        std::string_view name;
        double ns;
    };
    for (const Unit& known : {Unit{"ns", 1}, Unit{"us", 1e3}, Unit{"µs", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}}) {
        if (unit == known.name) {
            return value * known.ns;
        }
    }
    return std::nullopt;
}

bool holds(const std::string& name, const std::vector<std::string>& words) {
    return std::all_of(words.begin(), words.end(),
                       [&](const std::string& word) { return name.find(word) != std::string::npos; });
}

bool at_line(core::Line line, const std::optional<std::uint32_t>& wanted) {
    return !wanted || core::number_of(line) == *wanted;
}

// Order by time, ops before waits, then by index.
bool earlier(const Found& a, const Found& b) {
    return std::tuple(a.ns, a.wait, a.op) < std::tuple(b.ns, b.wait, b.op);
}

}  // namespace

bool Query::empty() const {
    return words.empty() && kind.empty() && !line && !lane && !minibatch && op == 0 && ops && waits && least_ns == 0 &&
           most_ns == INT64_MAX;
}

core::Result<Query> parse_query(std::string_view text) {
    Query query;
    while (!text.empty()) {
        const auto space = std::min(text.find_first_of(" \t\n\r\f\v"), text.size());
        const std::string_view word = text.substr(0, space);
        text.remove_prefix(std::min(space + 1, text.size()));
        if (word.empty()) {
            continue;
        }
        const auto colon = word.find(':');
        if (word[0] == '>' || word[0] == '<') {
            const bool more = word[0] == '>', equal = word.size() > 1 && word[1] == '=';
            const auto limit = duration(word.substr(equal ? 2 : 1));
            if (!limit) {
                return unclear(word, "is not a time: write >100us, <=2ms or >1s");
            }
            const double ns = std::min(*limit, 9e18);
            if (more) {
                query.least_ns = static_cast<std::int64_t>(equal ? std::ceil(ns) : std::floor(ns) + 1);
            } else {
                query.most_ns = static_cast<std::int64_t>(equal ? std::floor(ns) : std::ceil(ns) - 1);
            }
        } else if (word[0] == '#' || colon != std::string_view::npos) {
            const std::string_view key = word[0] == '#' ? "op" : word.substr(0, colon);
            const std::string_view value = word.substr(word[0] == '#' ? 1 : colon + 1);
            const auto n = number(value);
            if (key == "kind" && !value.empty()) {
                query.kind = lower(value);
            } else if (key == "is" && value == "op") {
                query.waits = false;
            } else if (key == "is" && value == "wait") {
                query.ops = false;
            } else if (key == "line" && n) {
                query.line = n;
            } else if (key == "lane" && n) {
                query.lane = n;
            } else if (key == "batch" && n) {
                query.minibatch = n;
            } else if (key == "op" && n && *n != 0) {
                query.op = *n;
            } else if (key == "line" || key == "lane" || key == "batch" || key == "op") {
                return unclear(word, "needs a whole number after '" + std::string(key) + ":'");
            } else {
                return unclear(word, "is unknown; use kind: line: lane: batch: op: is:op is:wait or >100us");
            }
        } else {
            query.words.push_back(lower(word));
        }
    }
    return query;
}

SearchWalk::SearchWalk(const Run& run, Query query, std::size_t limit)
    : run_(run), query_(std::move(query)), limit_(limit) {
    if (query_.empty()) {
        return;
    }
    if (query_.ops) {
        next_op_ = std::max<OpId>(1, query_.op);
        last_op_ =
            static_cast<OpId>(query_.op != 0 ? std::min<std::size_t>(query_.op, run.op_count()) : run.op_count());
    }
    waits_ = query_.waits && query_.op == 0 && !query_.lane ? run.waits().size() : 0;
}

bool SearchWalk::fits(const Op& op) {
    if (op.signature >= named_.size()) {
        named_.resize(std::size_t{op.signature} + 1, -1);
    }
    signed char& named = named_[op.signature];
    if (named < 0) {
        const std::string name = lower(run_.signature(op.signature).name);
        named = (query_.kind.empty() || name == query_.kind) && holds(name, query_.words) ? 1 : 0;
    }
    const bool ran = op.begin_ns != kPending && op.end_ns != kPending;
    const std::int64_t took = ran ? op.end_ns - op.begin_ns : 0;
    const bool any_time = query_.least_ns == 0 && query_.most_ns == INT64_MAX;
    return named == 1 && at_line(op.line, query_.line) && (!query_.lane || op.lane == *query_.lane) &&
           (!query_.minibatch || op.minibatch == static_cast<std::int64_t>(*query_.minibatch)) &&
           (any_time || (ran && took >= query_.least_ns && took <= query_.most_ns));
}

bool SearchWalk::fits(const Wait& wait) const {
    const std::string name = lower(wait.name);
    const std::int64_t took = wait.waited_ns();
    const auto in_batch = [&] {
        const auto& batches = run_.minibatches();
        return *query_.minibatch < batches.size() && wait.begin_ns >= batches[*query_.minibatch].issue_begin_ns &&
               wait.begin_ns < batches[*query_.minibatch].issue_end_ns;
    };
    return (query_.kind.empty() || name == query_.kind) && holds(name, query_.words) &&
           at_line(wait.line, query_.line) && (!query_.minibatch || in_batch()) && took >= query_.least_ns &&
           took <= query_.most_ns;
}

void SearchWalk::add(const Found& found) {
    ++count_;
    if (latest_ && !earlier(found, *latest_)) {
        return;
    }
    found_.push_back(found);
    if (found_.size() >= 2 * std::max<std::size_t>(limit_, 1)) {
        const auto end = found_.begin() + static_cast<std::ptrdiff_t>(limit_);
        std::nth_element(found_.begin(), end, found_.end(), earlier);
        latest_ = *end;
        found_.erase(end, found_.end());
    }
}

bool SearchWalk::step(double budget_ms) {
    if (done_) {
        return false;
    }
    const core::TimeBudget budget(budget_ms);
    constexpr std::size_t kBetweenLooks = 4096;  // items between two checks of the time budget
    std::size_t looked = 0;
    const auto spent = [&] { return ++looked % kBetweenLooks == 0 && budget.spent(); };
    // A run that was read again (Run::rescaled()) may be shorter than before.
    last_op_ = std::min(last_op_, static_cast<OpId>(run_.op_count()));
    waits_ = std::min(waits_, run_.waits().size());
    for (; next_op_ <= last_op_; ++next_op_) {
        if (spent()) {
            return true;
        }
        if (const OpId known = std::min(run_.next_known(next_op_), last_op_ + 1); known != next_op_) {
            not_searched_ += known - next_op_;
            next_op_ = known - 1;
            continue;
        }
        if (const Op& op = run_.op(next_op_); fits(op)) {
            add({next_op_, -1, op.begin_ns != kPending ? op.begin_ns : op.issue_begin_ns});
        }
    }
    for (; next_wait_ < waits_; ++next_wait_) {
        if (spent()) {
            return true;
        }
        if (run_.waits().is_folded(next_wait_)) {
            const std::size_t known = std::min(run_.waits().after(next_wait_), waits_);
            not_searched_ += known - next_wait_;
            next_wait_ = known - 1;
            continue;
        }
        if (const Wait& wait = run_.waits()[next_wait_]; fits(wait)) {
            add({0, static_cast<std::int32_t>(next_wait_), wait.begin_ns});
        }
    }
    std::sort(found_.begin(), found_.end(), earlier);
    found_.resize(std::min(found_.size(), limit_));
    done_ = true;
    return false;
}

std::vector<Found> search(const Run& run, const Query& query, std::size_t limit, std::size_t* count) {
    SearchWalk walk(run, query, limit);
    walk.step(0);
    if (count != nullptr) {
        *count = walk.count();
    }
    return walk.found();
}

}  // namespace headway::model
