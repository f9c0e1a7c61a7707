#include "app/figure/fold.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headway::figure {
namespace {

using devices::Family;

struct Span {
    std::int64_t begin_ns = 0, end_ns = 0;
    Family family = Family::other;
    bool failed = false;
};

// Three kinds of rows behind one shape: size(), begin(i), end(i), span(i); begins ascend, and what comes later ends
// later.
struct LaneSpans {
    const model::Run& run;
    const model::Lane& lane;
    [[nodiscard]] std::size_t size() const { return lane.ops.size(); }
    [[nodiscard]] std::int64_t begin(std::size_t i) const { return run.op(lane.ops[i]).begin_ns; }
    [[nodiscard]] std::int64_t end(std::size_t i) const { return std::min(run.op(lane.ops[i]).end_ns, run.now_ns()); }
    [[nodiscard]] Span span(std::size_t i) const {
        const model::Op& op = run.op(lane.ops[i]);
        return {op.begin_ns, std::min(op.end_ns, run.now_ns()), run.signature(op.signature).family, op.failed};
    }
};

struct IssueSpans {
    const model::Run& run;
    [[nodiscard]] std::size_t size() const { return run.op_count(); }
    [[nodiscard]] const model::Op& op(std::size_t i) const { return run.op(static_cast<core::OpId>(i + 1)); }
    [[nodiscard]] std::int64_t begin(std::size_t i) const { return op(i).issue_begin_ns; }
    [[nodiscard]] std::int64_t end(std::size_t i) const { return op(i).issue_end_ns; }
    [[nodiscard]] Span span(std::size_t i) const { return {begin(i), end(i), Family::other, false}; }
};

struct WaitSpans {
    const model::Run& run;
    [[nodiscard]] std::size_t size() const { return run.waits().size(); }
    [[nodiscard]] std::int64_t begin(std::size_t i) const { return run.waits()[i].begin_ns; }
    [[nodiscard]] std::int64_t end(std::size_t i) const { return std::min(run.waits()[i].end_ns, run.now_ns()); }
    [[nodiscard]] Span span(std::size_t i) const { return {begin(i), end(i), Family::other, false}; }
};

// The first index in [from, size) whose begin is at least `ns`. It is looked for around `guess`, in steps that double,
// so that a good guess makes it cheap: each look is likely to miss the cache.
template <class Spans>
std::size_t first_at_or_after(const Spans& spans, std::size_t from, std::int64_t ns, std::size_t guess = 0) {
    std::size_t low = from;  // all before it begin earlier
    std::size_t high = spans.size();
    if (low >= high) {
        return high;
    }
    guess = std::clamp(guess, low, high - 1);
    std::size_t step = 4;
    if (spans.begin(guess) < ns) {
        for (low = guess + 1; guess + step < high; step *= 2) {
            if (spans.begin(guess + step) >= ns) {
                high = guess + step;
                break;
            }
            low = guess + step + 1;
        }
    } else {
        for (high = guess; guess >= from + step; step *= 2) {
            if (spans.begin(guess - step) < ns) {
                low = guess - step + 1;
                break;
            }
            high = guess - step;
        }
    }
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (spans.begin(middle) < ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

template <class Spans>
IndexRange touching(const Spans& spans, std::int64_t begin_ns, std::int64_t end_ns) {
    std::size_t first = first_at_or_after(spans, 0, begin_ns);
    while (first > 0 && spans.end(first - 1) >= begin_ns) {
        --first;
    }
    return {first, first_at_or_after(spans, first, end_ns == INT64_MAX ? end_ns : end_ns + 1)};
}

// Gathers what is too narrow, one column at a time.
class Sliver {
public:
    Sliver(const FoldOptions& options, std::vector<Piece>& pieces) : o_(options), pieces_(pieces) {}

    void add(std::size_t index, std::uint32_t count, const Span& span, std::int64_t column) {
        if (count_ > 0 && column != column_) {
            flush();
        }
        if (count_ == 0) {
            column_ = column;
            first_ = static_cast<std::uint32_t>(index);
            begin_ns_ = span.begin_ns;
        }
        count_ += count;
        end_ns_ = span.end_ns;
        busy(span.family, static_cast<double>(span.end_ns - span.begin_ns), span.failed);
    }
    // `ns` of work in this column, besides what add() counted.
    void busy(Family family, double ns, bool failed) {
        time_[static_cast<std::size_t>(family)] += std::max(ns, 1.0);  // even no time at all has a colour
        failed_ = failed_ || failed;
    }

    void flush() {
        if (count_ == 0) {
            return;
        }
        // From the first one's begin to the last one's end, at least a pixel.
        const float x = o_.map.x_px_from_ns(static_cast<double>(begin_ns_ - o_.origin_ns));
        Piece piece{std::clamp(x, o_.map.x0(), o_.map.x1() - 1), 0, first_, count_, 1, Family::other, failed_};
        const float x1 = o_.map.x_px_from_ns(static_cast<double>(end_ns_ - o_.origin_ns));
        piece.x1 = std::clamp(x1, piece.x0 + 1, o_.map.x1());
        double all = 0;
        std::size_t most = 0;
        for (std::size_t f = 0; f < time_.size(); ++f) {
            all += time_[f];
            most = time_[f] > time_[most] ? f : most;
        }
        piece.family = static_cast<Family>(most);
        if (count_ > 1) {
            const double span_ns = static_cast<double>(piece.x1 - piece.x0) * o_.map.ns_per_px();
            piece.share = static_cast<float>(std::min(1.0, all / span_ns));
        }
        pieces_.push_back(piece);
        time_ = {};
        count_ = 0;
        failed_ = false;
    }

    [[nodiscard]] std::int64_t column_of(double ns) const {
        const auto column =
            static_cast<std::int64_t>(std::floor((o_.map.x_px_from_ns(ns) - o_.map.x0()) / o_.column_px));
        return std::clamp<std::int64_t>(column, 0, last_column());
    }
    [[nodiscard]] std::int64_t last_column() const {
        const auto columns = static_cast<std::int64_t>(std::ceil((o_.map.x1() - o_.map.x0()) / o_.column_px));
        return std::max<std::int64_t>(0, columns - 1);
    }

private:
    const FoldOptions& o_;
    std::vector<Piece>& pieces_;
    std::int64_t column_ = 0, begin_ns_ = 0, end_ns_ = 0;
    std::uint32_t first_ = 0, count_ = 0;
    std::array<double, kFamilies> time_{};
    bool failed_ = false;
};

template <class Spans>
class Folder {
public:
    Folder(const Spans& spans, const FoldOptions& options) : spans_(spans), o_(options), sliver_(o_, pieces_) {}

    std::vector<Piece> fold() {
        const double begin = o_.map.ns_from_x_px(o_.map.x0());
        const double end = o_.map.ns_from_x_px(o_.map.x1());
        const auto origin = static_cast<double>(o_.origin_ns);
        const IndexRange range = touching(spans_, static_cast<std::int64_t>(std::floor(begin + origin)),
                                          static_cast<std::int64_t>(std::ceil(end + origin)));
        const auto columns = static_cast<std::size_t>(sliver_.last_column() + 1);
        constexpr std::size_t kWorthWalking = 24;  // per column; beyond, searching and sampling is cheaper
        if (o_.exact || range.last - range.first <= columns * kWorthWalking) {
            for (std::size_t i = range.first; i < range.last; ++i) {
                take(i);
            }
        } else {
            step(range, columns);
        }
        sliver_.flush();
        return std::move(pieces_);
    }

private:
    void take(std::size_t i) {
        const Span span = spans_.span(i);
        const auto begin = static_cast<double>(span.begin_ns - o_.origin_ns);
        const float x0 = o_.map.x_px_from_ns(begin);
        const float x1 = o_.map.x_px_from_ns(static_cast<double>(span.end_ns - o_.origin_ns));
        if (x1 - x0 < o_.least_px) {
            sliver_.add(i, 1, span, sliver_.column_of(begin));
            return;
        }
        sliver_.flush();
        const float left = std::clamp(x0, o_.map.x0(), o_.map.x1() - 1);
        pieces_.push_back({left, std::max(std::min(x1, o_.map.x1()), left + 1), static_cast<std::uint32_t>(i), 1, 1,
                           span.family, span.failed});
    }

    // Column by column: counts are exact, shares and colours are from a sample where more than that share a column.
    void step(IndexRange range, std::size_t columns) {
        constexpr std::size_t kSample = 6;
        const std::size_t stride = std::max<std::size_t>(1, (range.last - range.first) / columns);
        std::size_t at = range.first;
        for (std::size_t column = 0; column < columns && at < range.last; ++column) {
            const double column_end = o_.map.ns_from_x_px(o_.map.x0() + static_cast<float>(column + 1) * o_.column_px) +
                                      static_cast<double>(o_.origin_ns);
            const std::size_t next =
                column + 1 == columns
                    ? range.last
                    : std::min(
                          range.last,
                          first_at_or_after(spans_, at, static_cast<std::int64_t>(std::ceil(column_end)), at + stride));
            const std::size_t n = next - at;
            if (n <= 2 * kSample) {
                for (; at < next; ++at) {
                    take(at);
                }
                continue;
            }
            // The last one may reach far beyond the column; the others cannot.
            const std::size_t inner = n - 1;
            const double weight = static_cast<double>(inner) / kSample;
            for (std::size_t k = 0; k < kSample; ++k) {
                const Span span = spans_.span(at + inner * k / kSample);
                if (k == 0) {
                    sliver_.add(at, static_cast<std::uint32_t>(inner), span, static_cast<std::int64_t>(column));
                    sliver_.busy(span.family, static_cast<double>(span.end_ns - span.begin_ns) * (weight - 1),
                                 span.failed);
                } else {
                    sliver_.busy(span.family, static_cast<double>(span.end_ns - span.begin_ns) * weight, span.failed);
                }
            }
            take(next - 1);
            at = next;
        }
    }

    const Spans& spans_;
    FoldOptions o_;
    std::vector<Piece> pieces_;
    Sliver sliver_;
};

}  // namespace

std::vector<Piece> fold_lane(const model::Run& run, const model::Lane& lane, const FoldOptions& options) {
    const LaneSpans spans{run, lane};
    return Folder(spans, options).fold();
}

std::vector<Piece> fold_issues(const model::Run& run, const FoldOptions& options) {
    const IssueSpans spans{run};
    return Folder(spans, options).fold();
}

std::vector<Piece> fold_waits(const model::Run& run, const FoldOptions& options) {
    const WaitSpans spans{run};
    return Folder(spans, options).fold();
}

IndexRange lane_range(const model::Run& run, const model::Lane& lane, std::int64_t begin_ns, std::int64_t end_ns) {
    return touching(LaneSpans{run, lane}, begin_ns, end_ns);
}
IndexRange issue_range(const model::Run& run, std::int64_t begin_ns, std::int64_t end_ns) {
    return touching(IssueSpans{run}, begin_ns, end_ns);
}
IndexRange wait_range(const model::Run& run, std::int64_t begin_ns, std::int64_t end_ns) {
    return touching(WaitSpans{run}, begin_ns, end_ns);
}

}  // namespace headway::figure
