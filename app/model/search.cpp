#include "app/model/search.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

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

// "100us", "1.5ms", "20 ns" without the space; nanoseconds.
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
                return unclear(word, "is no time: write >100us, <=2ms or >1s");
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
                return unclear(word, "wants a whole number after '" + std::string(key) + ":'");
            } else {
                return unclear(word, "is not known: there are kind: line: lane: batch: op: is:op is:wait and >100us");
            }
        } else {
            query.words.push_back(lower(word));
        }
    }
    return query;
}

std::vector<Found> search(const Run& run, const Query& query, std::size_t limit, std::size_t* count) {
    std::vector<Found> found;
    if (!query.empty() && query.ops) {
        // Names are looked at once per signature.
        std::vector<signed char> named;  // -1: not yet
        const auto fits_name = [&](std::uint16_t id) {
            if (id >= named.size()) {
                named.resize(std::size_t{id} + 1, -1);
            }
            if (named[id] < 0) {
                const std::string name = lower(run.signature(id).name);
                named[id] = (query.kind.empty() || name == query.kind) && holds(name, query.words) ? 1 : 0;
            }
            return named[id] == 1;
        };
        const auto last = static_cast<OpId>(run.op_count());
        for (OpId id = query.op != 0 ? query.op : 1; id <= (query.op != 0 ? std::min(query.op, last) : last); ++id) {
            const Op& op = run.op(id);
            const bool ran = op.begin_ns != kPending && op.end_ns != kPending;
            const std::int64_t took = ran ? op.end_ns - op.begin_ns : 0;
            const bool timed = query.least_ns == 0 && query.most_ns == INT64_MAX;
            if (fits_name(op.signature) && at_line(op.line, query.line) && (!query.lane || op.lane == *query.lane) &&
                (!query.minibatch || op.minibatch == static_cast<std::int64_t>(*query.minibatch)) &&
                (timed || (ran && took >= query.least_ns && took <= query.most_ns))) {
                found.push_back({id, -1, op.begin_ns != kPending ? op.begin_ns : op.issue_begin_ns});
            }
        }
    }
    if (!query.empty() && query.waits && query.op == 0 && !query.lane) {
        for (std::size_t i = 0; i < run.waits().size(); ++i) {
            const Wait& wait = run.waits()[i];
            const std::string name = lower(wait.name);
            const std::int64_t took = wait.end_ns - wait.begin_ns;
            const auto in_batch = [&] {
                const auto& batches = run.minibatches();
                return *query.minibatch < batches.size() && wait.begin_ns >= batches[*query.minibatch].issue_begin_ns &&
                       wait.begin_ns < batches[*query.minibatch].issue_end_ns;
            };
            if ((query.kind.empty() || name == query.kind) && holds(name, query.words) &&
                at_line(wait.line, query.line) && (!query.minibatch || in_batch()) && took >= query.least_ns &&
                took <= query.most_ns) {
                found.push_back({0, static_cast<std::int32_t>(i), wait.begin_ns});
            }
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.ns < b.ns; });
    if (count != nullptr) {
        *count = found.size();
    }
    found.resize(std::min(found.size(), limit));
    return found;
}

}  // namespace headway::model
