#include "app/timeline/fold.h"

#include "app/model/run/queries.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>
#include <utility>

namespace headway::figure {
namespace {

using devices::Family;

using Span = model::SpanIndex::Span;  // flagged: it failed

// The kinds of rows behind one interface: begins ascend, and a later begin has a later end.
// Ops of a lane, or copies on a link.
template <class Row>
struct OpSpans {
    const model::Run& run;
    const Row& lane;
    static constexpr bool kFlagHides = false;
    [[nodiscard]] std::size_t size() const { return lane.ops.size(); }
    [[nodiscard]] const model::SpanIndex& index() const { return lane.index; }
    [[nodiscard]] auto times() const {
        return [this](std::size_t i) {
            const model::Op& op = run.op(lane.ops[i]);
            return std::pair{op.begin_ns, op.end_ns};
        };
    }
};

using LaneSpans = OpSpans<model::Lane>;
using LinkSpans = OpSpans<model::Link>;

// Ops of other programs whose issue was not recorded are `flagged` and not shown here.
struct IssueSpans {
    const model::Run& run;
    static constexpr bool kFlagHides = true;
    [[nodiscard]] std::size_t size() const { return run.op_count(); }
    [[nodiscard]] const model::SpanIndex& index() const { return run.issue_index(); }
    [[nodiscard]] auto times() const {
        return [this](std::size_t i) {
            const auto id = static_cast<core::OpId>(i + 1);
            const std::int64_t begin_ns = run.op(id).issue_begin_ns;
            return std::pair{begin_ns, begin_ns + issue_ns_of(run, id)};
        };
    }
};

// Launches, waits, or the program's own work.
template <auto kItems, auto kIndex>
struct EventSpans {
    const model::Run& run;
    static constexpr bool kFlagHides = false;
    [[nodiscard]] std::size_t size() const { return (run.*kItems)().size(); }
    [[nodiscard]] const model::SpanIndex& index() const { return (run.*kIndex)(); }
    [[nodiscard]] auto times() const {
        return [this](std::size_t i) {
            const auto& item = (run.*kItems)()[i];
            return std::pair{item.begin_ns, item.end_ns};
        };
    }
};
using LaunchSpans = EventSpans<&model::Run::launches, &model::Run::launch_index>;
using WaitSpans = EventSpans<&model::Run::waits, &model::Run::wait_index>;
using WorkSpans = EventSpans<&model::Run::works, &model::Run::work_index>;

template <class Spans>
Span span_at(const Spans& spans, std::size_t i) {
    return spans.index().at(i, spans.times());
}

template <class Spans>
IndexRange touching(const Spans& spans, std::int64_t begin_ns, std::int64_t end_ns) {
    std::size_t first = spans.index().first_from(begin_ns, spans.times());
    while (first > 0 && span_at(spans, first - 1).end_ns >= begin_ns) {
        first = spans.index().item(first - 1).first;
    }
    const std::size_t last = spans.index().first_from(end_ns == INT64_MAX ? end_ns : end_ns + 1, spans.times());
    return {first, std::max(first, last)};
}

// Collects the spans that are too narrow to draw, one pixel column at a time.
class Sliver {
public:
    Sliver(const FoldOptions& options, std::vector<Piece>& pieces) : o_(options), pieces_(pieces) {}

    void add(std::size_t index, const Span& span, std::int64_t column) {
        begin(index, span, column);
        ++count_;
        end_ns_ = span.end_ns;
        time_[static_cast<std::size_t>(span.family)] += static_cast<std::uint64_t>(span.end_ns - span.begin_ns);
        failed_ = failed_ || span.flagged;
    }
    // `count` of them at once, the first at `index`.
    void add_sums(std::size_t index, std::uint32_t count, const model::SpanSums& sums, const Span& first,
                  std::int64_t last_end_ns, bool failed, std::int64_t column) {
        begin(index, first, column);
        count_ += count;
        end_ns_ = last_end_ns;
        for (std::size_t family = 0; family < time_.size(); ++family) {
            time_[family] += sums.busy_ns[family];
        }
        failed_ = failed_ || failed;
    }

    void flush() {
        if (count_ == 0) {
            return;
        }
        // From the first span's begin to the last span's end, at least a pixel.
        const float x = o_.x_px_from_run_ns(begin_ns_);
        const float x0 = std::clamp(x, o_.map.x0(), o_.map.x1() - 1);
        const float x1 = std::clamp(o_.x_px_from_run_ns(end_ns_), x0 + 1, o_.map.x1());
        std::uint64_t all = 0;
        std::size_t most = 0;
        for (std::size_t f = 0; f < time_.size(); ++f) {
            all += time_[f];
            most = time_[f] > time_[most] ? f : most;
        }
        Piece& piece = pieces_.emplace_back();
        piece.x0 = x0;
        piece.x1 = x1;
        piece.first = first_;
        piece.count = count_;
        if (count_ > 1) {
            const double span_ns = static_cast<double>(x1 - x0) * ns_per_px_;
            piece.share = static_cast<float>(std::min(1.0, static_cast<double>(all) / span_ns));
        }
        // Spans of zero duration still need a colour.
        piece.family = time_[most] > 0 ? static_cast<Family>(most) : first_family_;
        piece.failed = failed_;
        time_ = {};
        count_ = 0;
        failed_ = false;
    }

    [[nodiscard]] std::int64_t column_of(std::int64_t run_ns) const {
        const auto column =
            static_cast<std::int64_t>(std::floor((o_.x_px_from_run_ns(run_ns) - o_.map.x0()) / o_.column_px));
        return std::clamp<std::int64_t>(column, 0, last_column());
    }
    [[nodiscard]] std::int64_t last_column() const {
        const auto columns = static_cast<std::int64_t>(std::ceil((o_.map.x1() - o_.map.x0()) / o_.column_px));
        return std::max<std::int64_t>(0, columns - 1);
    }

private:
    void begin(std::size_t index, const Span& first, std::int64_t column) {
        if (count_ > 0 && column != column_) {
            flush();
        }
        if (count_ == 0) {
            column_ = column;
            first_ = static_cast<std::uint32_t>(index);
            first_family_ = first.family;
            begin_ns_ = first.begin_ns;
        }
    }

    const FoldOptions& o_;
    const double ns_per_px_ = o_.map.ns_per_px();
    std::vector<Piece>& pieces_;
    Family first_family_ = Family::other;
    std::int64_t column_ = 0, begin_ns_ = 0, end_ns_ = 0;
    std::uint32_t first_ = 0, count_ = 0;
    std::array<std::uint64_t, model::kSpanFamilies> time_{};
    bool failed_ = false;
};

template <class Spans>
class Folder {
public:
    Folder(const Spans& spans, const FoldOptions& options) : spans_(spans), o_(options), sliver_(o_, pieces_) {}

    std::vector<Piece> fold() {
        const IndexRange range =
            touching(spans_, static_cast<std::int64_t>(std::floor(o_.run_ns_from_x_px(o_.map.x0()))),
                     static_cast<std::int64_t>(std::ceil(o_.run_ns_from_x_px(o_.map.x1()))));
        const auto columns = static_cast<std::size_t>(sliver_.last_column() + 1);
        constexpr std::size_t kWorthWalking = 8;  // spans per column; above that a binary search is cheaper
        if (range.last - range.first <= columns * kWorthWalking) {
            for (std::size_t i = range.first; i < range.last;) {
                i = take(i);
            }
        } else {
            pieces_.reserve(columns);
            step(range, columns);
        }
        sliver_.flush();
        return std::move(pieces_);
    }

private:
    // Whether the span is drawn individually; does not depend on the scroll position.
    [[nodiscard]] bool wide(const Span& span) const {
        return o_.time->program_ns(span.end_ns) - o_.time->program_ns(span.begin_ns) >= least_ns_;
    }

    // Adds the item at `i`, and returns the next one.
    std::size_t take(std::size_t i) {
        Span span = span_at(spans_, i);
        const auto item = spans_.index().item(i);
        if (item.count() > 1) {
            take_folded(item, span);
            return item.end;
        }
        if (Spans::kFlagHides) {
            if (span.flagged) {
                return item.end;
            }
            span.flagged = false;
        }
        if (!wide(span)) {
            sliver_.add(i, span, sliver_.column_of(span.begin_ns));
            return item.end;
        }
        sliver_.flush();
        const float x0 = o_.x_px_from_run_ns(span.begin_ns);
        const float x1 = o_.x_px_from_run_ns(span.end_ns);
        const float left = std::clamp(x0, o_.map.x0(), o_.map.x1() - 1);
        pieces_.push_back({left, std::max(std::min(x1, o_.map.x1()), left + 1), static_cast<std::uint32_t>(i), 1, 1,
                           span.family, span.flagged});
        return item.end;
    }

    // Spans of which only sums are left: one sliver, however wide.
    void take_folded(const model::SpanIndex::Item& item, const Span& all) {
        const model::SpanSums sums = spans_.index().sums(item, spans_.times());
        const std::uint64_t hidden = Spans::kFlagHides ? sums.flagged : 0;
        if (wide(all)) {
            sliver_.flush();
        }
        sliver_.add_sums(item.first, static_cast<std::uint32_t>(item.count() - hidden), sums, all, all.end_ns,
                         !Spans::kFlagHides && sums.flagged > 0, sliver_.column_of(all.begin_ns));
        if (wide(all)) {
            sliver_.flush();
        }
    }

    // Folds column by column, from the index. Among the spans that begin in a column, only the last can extend beyond
    // it, and the first may be as wide as the column or begin before the view; all others are too narrow to be drawn
    // individually.
    void step(IndexRange range, std::size_t columns) {
        const model::SpanIndex& index = spans_.index();
        std::vector<std::int64_t> ends(columns - 1);  // of every column except the last
        for (std::size_t column = 0; column + 1 < columns; ++column) {
            const float end_px = o_.map.x0() + static_cast<float>(column + 1) * o_.column_px;
            ends[column] = static_cast<std::int64_t>(std::ceil(o_.run_ns_from_x_px(end_px)));
        }
        std::vector<std::size_t> blocks;
        index.blocks_near(ends, blocks);
        model::SpanSums so_far;
        std::size_t summed = SIZE_MAX;  // number of columns summed
        std::size_t at = range.first;
        for (std::size_t column = 0; column < columns && at < range.last; ++column) {
            const std::size_t next =
                column + 1 == columns
                    ? range.last
                    : std::clamp(index.first_from(ends[column], blocks[column], spans_.times()), at, range.last);
            if (next - at <= kWalked || index.item(at).end >= next) {
                while (at < next) {
                    at = take(at);
                }
                continue;
            }
            Span first = span_at(spans_, at);
            const Span last = span_at(spans_, next - 1);
            const auto by_itself = [&](const Span& span) { return wide(span) || (Spans::kFlagHides && span.flagged); };
            const std::size_t to = by_itself(last) ? index.item(next - 1).first : next;
            if (summed != at) {
                so_far = index.first(at, spans_.times());
            }
            if (by_itself(first)) {
                at = take(at);
                so_far = index.first(at, spans_.times());
                first = span_at(spans_, at);
            }
            const model::SpanSums up_to = index.first(to, spans_.times());
            const model::SpanSums sums = up_to.since(so_far);
            const std::uint64_t hidden = Spans::kFlagHides ? sums.flagged : 0;
            if (const auto count = static_cast<std::uint32_t>(to - at - hidden); count > 0) {
                sliver_.add_sums(at, count, sums, first, span_at(spans_, to - 1).end_ns,
                                 !Spans::kFlagHides && sums.flagged > 0, sliver_.column_of(first.begin_ns));
            }
            so_far = up_to;
            summed = to;
            at = to;
            while (at < next) {
                at = take(at);
            }
        }
    }

    static constexpr std::size_t kWalked = 8;  // spans in a column; visiting that few is as cheap as the index

    const Spans& spans_;
    FoldOptions o_;
    double least_ns_ = static_cast<double>(o_.least_px) * o_.map.ns_per_px();
    std::vector<Piece> pieces_;
    Sliver sliver_;
};

}  // namespace

std::vector<Piece> fold_lane(const model::Run& run, const model::Lane& lane, const FoldOptions& options) {
    const LaneSpans spans{run, lane};
    return Folder(spans, options).fold();
}

std::vector<Piece> fold_link(const model::Run& run, const model::Link& link, const FoldOptions& options) {
    const LinkSpans spans{run, link};
    return Folder(spans, options).fold();
}

LanesFolding::LanesFolding(const model::Run& run, std::vector<int> lanes, const FoldOptions& options)
    : run_(run), lanes_(std::move(lanes)), options_(options), folded_(lanes_.size()) {
    // Starting a thread costs as much as folding one or two lanes with many ops.
    constexpr std::size_t kWorthAThread = 8, kManyOps = 20'000;
    const std::size_t most = run_.op_count() < kManyOps ? 1 : lanes_.size() / kWorthAThread;
    const std::size_t workers =
        std::clamp<std::size_t>(most, 1, std::clamp(std::thread::hardware_concurrency(), 1u, 4u));
    for (std::size_t worker = 1; worker < workers; ++worker) {
        workers_.push_back(std::async(std::launch::async, [this] { fold_rest(); }));
    }
}

LanesFolding::~LanesFolding() = default;  // the destructor of a std::async future waits

std::vector<Piece>& LanesFolding::pieces(std::size_t i) {
    fold_rest();
    for (auto& worker : workers_) {
        worker.get();
    }
    workers_.clear();
    return folded_[i];
}

void LanesFolding::fold_rest() {
    for (std::size_t i = next_++; i < lanes_.size(); i = next_++) {
        folded_[i] = fold_lane(run_, run_.lanes()[static_cast<std::size_t>(lanes_[i])], options_);
    }
}

std::vector<Piece> fold_issues(const model::Run& run, const FoldOptions& options) {
    const IssueSpans spans{run};
    return Folder(spans, options).fold();
}

std::vector<Piece> fold_works(const model::Run& run, const FoldOptions& options) {
    const WorkSpans spans{run};
    return Folder(spans, options).fold();
}

std::vector<Piece> fold_launches(const model::Run& run, const FoldOptions& options) {
    const LaunchSpans spans{run};
    return Folder(spans, options).fold();
}

std::vector<Piece> fold_waits(const model::Run& run, const FoldOptions& options) {
    const WaitSpans spans{run};
    return Folder(spans, options).fold();
}

IndexRange lane_range(const model::Run& run, const model::Lane& lane, std::int64_t begin_ns, std::int64_t end_ns) {
    return touching(LaneSpans{run, lane}, begin_ns, end_ns);
}
IndexRange link_range(const model::Run& run, const model::Link& link, std::int64_t begin_ns, std::int64_t end_ns) {
    return touching(LinkSpans{run, link}, begin_ns, end_ns);
}
IndexRange issue_range(const model::Run& run, std::int64_t begin_ns, std::int64_t end_ns) {
    return touching(IssueSpans{run}, begin_ns, end_ns);
}
IndexRange work_range(const model::Run& run, std::int64_t begin_ns, std::int64_t end_ns) {
    return touching(WorkSpans{run}, begin_ns, end_ns);
}
IndexRange launch_range(const model::Run& run, std::int64_t begin_ns, std::int64_t end_ns) {
    return touching(LaunchSpans{run}, begin_ns, end_ns);
}
IndexRange wait_range(const model::Run& run, std::int64_t begin_ns, std::int64_t end_ns) {
    return touching(WaitSpans{run}, begin_ns, end_ns);
}

}  // namespace headway::figure
