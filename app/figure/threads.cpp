#include "app/figure/threads.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/model/analysis/wait_details.h"
#include "app/model/run/devices.h"
#include "app/render/format.h"

namespace headway::figure {
namespace {

using core::OpId;
using model::kPending;

constexpr float kLeastBeside = 430;  // the width of a picture with names beside the rows
constexpr float kNameAbove = 17;

// The width of an interval: grows by one step per tenfold duration, within limits.
float weight_of(std::int64_t ns) {
    return ns <= 0 ? 0 : std::clamp(static_cast<float>(std::log10(static_cast<double>(ns))) - 1, 1.0F, 2.6F);
}

// Maps time to pixels: piecewise linear between events, each interval as wide as its weight.
class SqueezedAxis {
public:
    SqueezedAxis(std::vector<std::int64_t> times, float x0, float x1) : times_(std::move(times)) {
        std::sort(times_.begin(), times_.end());
        times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
        float at = 0;
        for (std::size_t i = 0; i < times_.size(); ++i) {
            at += i == 0 ? 0 : weight_of(times_[i] - times_[i - 1]);
            x_.push_back(at);
        }
        for (float& x : x_) {
            x = at > 0 ? x0 + x / at * (x1 - x0) : x0;
        }
    }
    [[nodiscard]] float x(std::int64_t ns) const {
        const auto after = std::upper_bound(times_.begin(), times_.end(), ns);
        if (after == times_.begin()) {
            return x_.empty() ? 0 : x_.front();
        }
        const auto i = static_cast<std::size_t>(after - times_.begin()) - 1;
        if (i + 1 == times_.size()) {
            return x_.back();
        }
        const double share = static_cast<double>(ns - times_[i]) / static_cast<double>(times_[i + 1] - times_[i]);
        return x_[i] + static_cast<float>(share) * (x_[i + 1] - x_[i]);
    }

private:
    std::vector<std::int64_t> times_;
    std::vector<float> x_;
};

class ThreadsPainter {
public:
    ThreadsPainter(const model::Run& run, const ThreadsOptions& options) : run_(run), o_(options), t_(*options.theme) {}

    OpsPicture paint() {
        out_.list.add(ClipPush{o_.area});
        gather();
        place();
        draw_one_at_a_time();
        draw_frontend();
        draw_lanes();
        for (OpId id = o_.first; id <= o_.last; ++id) {
            draw_launch_arrow(id);
        }
        draw_return();
        draw_words();
        out_.list.add(ClipPop{});
        return std::move(out_);
    }

private:
    [[nodiscard]] float px(float size) const { return size * o_.scale; }
    [[nodiscard]] float line_px(float width) const { return width * o_.scale * t_.line_scale; }

    void gather() {
        std::vector<std::int64_t>& times = times_;
        const auto add = [&times](std::int64_t begin, std::int64_t end) {
            times.push_back(begin);
            if (end != kPending) {
                times.push_back(end);
            }
        };
        for (OpId id = o_.first; id <= o_.last; ++id) {
            const model::Op& op = run_.op(id);
            add(op.issue_begin_ns, op.issue_end_ns);
            if (op.begin_ns != kPending) {
                add(op.begin_ns, op.end_ns == kPending ? run_.now_ns() : op.end_ns);
            }
            lanes_[op.lane] = {};  // add the row before the op runs, so that rows do not appear later
        }
        const std::int64_t begin_ns = run_.op(o_.first).issue_begin_ns;
        const std::int64_t end_ns = o_.last < run_.op_count() ? run_.op(o_.last + 1).issue_begin_ns : kPending;
        const auto& waits = run_.waits();
        auto wait = std::lower_bound(waits.begin(), waits.end(), begin_ns,
                                     [](const model::Wait& w, std::int64_t ns) { return w.begin_ns < ns; });
        for (; wait != waits.end() && wait->begin_ns < end_ns && waits_.size() < kMostWaits; ++wait) {
            if (wait->kind != trace::WaitKind::paused) {  // pauses by the user are not shown
                waits_.push_back(&*wait);
                add(wait->begin_ns, wait->end_ns);
            }
        }
    }

    void place() {
        narrow_ = o_.area.width() < px(kLeastBeside);
        label_width_ = narrow_ ? 0 : px(148);
        const float x0 = o_.area.x0 + label_width_;
        axis_ = SqueezedAxis(times_, x0, o_.area.x1 - px(12));
        const auto rows = static_cast<float>(std::max<std::size_t>(1, lanes_.size()));
        const float words = px(20);
        const float height = o_.area.height() - words;
        // Heights of the bars, and of the gaps for the arrows between frontend and backend.
        const float names = narrow_ ? px(kNameAbove) * (rows + 2) : 0, room = std::max(0.0F, height - names);
        const float bar = std::clamp(room / (rows * 1.25F + 3.4F), px(14), px(40));
        const float gap = std::max(px(6), (room - bar * (rows * 1.25F + 2)) / 2.6F);
        float y = o_.area.y0 + std::max(0.0F, (room - (bar * (rows * 1.25F + 2) + gap * 2)) / 2);
        const auto row = [&](float below, bool lane = false) {
            y += narrow_ && !lane ? px(kNameAbove) : 0;
            const Box box{x0, std::round(y), o_.area.x1, std::round(y + bar)};
            y += bar + below + (narrow_ && lane ? px(kNameAbove) : 0);
            return box;
        };
        one_at_a_time_ = row(gap * 0.8F);
        frontend_ = row(gap * 1.2F);
        for (auto& [lane, box] : lanes_) {
            box = row(bar * 0.25F, true);
        }
        bottom_ = y;
    }

    void label(const Box& row, const std::string& name, const std::string& below) {
        const float room = label_width_ - px(8);
        const float size = std::min(px(13.5F), row.height() * 0.7F);
        const bool two = row.height() >= px(28);
        const float middle = (row.y0 + row.y1) / 2;
        const float baseline = two ? middle - px(2) : middle + size * kCapHeightEm / 2;
        const auto put = [&](float y, const std::string& words, Rgba colour, float text_px, FontRole role) {
            out_.list.add(
                Text{{o_.area.x0, y}, shortened(words, room, role, text_px, *o_.measure), colour, text_px, role});
        };
        if (narrow_) {  // both above the row; of a lane, below it, because arrows come from above
            const bool lane = row.y0 > frontend_.y0;
            const float above = lane ? row.y1 + px(13) : row.y0 - px(4), name_px = px(12);
            const float width = o_.measure->width(FontRole::ui_semibold, name_px, name);
            out_.list.add(Text{{o_.area.x0, above}, name, t_.text, name_px, FontRole::ui_semibold});
            const float x = o_.area.x0 + width + px(7);
            out_.list.add(Text{{x, above},
                               shortened(below, o_.area.x1 - x, FontRole::ui, px(11.5F), *o_.measure),
                               t_.dim,
                               px(11.5F),
                               FontRole::ui});
            return;
        }
        put(baseline, name, t_.text, size, FontRole::ui_semibold);
        if (two) {
            put(middle + px(13), below, t_.dim, px(11.5F), FontRole::ui);
        }
        out_.list.add(Line{{row.x0, row.y1 + px(3)}, {row.x1, row.y1 + px(3)}, t_.grid, line_px(1)});
    }

    // Paler if it begins after `now_ns`.
    [[nodiscard]] Rgba lit(Rgba colour, std::int64_t begin_ns) const {
        return begin_ns <= o_.now_ns ? colour : mixed(t_.background, colour, 0.22);
    }

    // Text that fits into `room`: complete at `size` or a little smaller (then `size` is changed), else shortened, or
    // empty if too little would be left to recognise.
    [[nodiscard]] std::string fitted(const std::string& words, float room, float& size) const {
        constexpr float kSmallest = 0.8F, kStep = 0.95F;
        const float usual = size;
        for (; size >= usual * kSmallest; size *= kStep) {
            if (o_.measure->width(FontRole::ui_semibold, size, words) <= room) {
                return words;
            }
        }
        size = usual;
        std::string fit = shortened(words, room, FontRole::ui_semibold, size, *o_.measure);
        constexpr std::size_t kCut = 3, kEnough = 8;  // bytes of "…", and of a recognisable rest
        const std::size_t kept = fit.size() - std::min(fit.size(), kCut);
        return kept >= kEnough || 2 * kept >= words.size() ? fit : std::string();
    }

    void bar_text(const Box& box, const std::string& words, Rgba colour) {
        float size = std::min(px(11.5F), box.height() * 0.7F);
        const std::string fit = fitted(words, box.width() - px(5), size);
        if (!fit.empty()) {
            out_.list.add(Text{{(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2 + size * kCapHeightEm / 2},
                               fit,
                               colour,
                               size,
                               FontRole::ui_semibold,
                               Anchor::middle});
        }
    }

    // "matmul 3.1 µs", or only the name if that does not fit.
    [[nodiscard]] std::string with_time(const std::string& name, std::int64_t ns, const Box& box) const {
        const std::string words = name + "  " + duration_text(static_cast<double>(ns));
        const float size = std::min(px(11.5F), box.height() * 0.7F);
        return o_.measure->width(FontRole::ui_semibold, size, words) <= box.width() - px(5) ? words : name;
    }

    void draw_launch(const Box& box, OpId id, bool with_duration, bool can_hit) {
        const model::Op& op = run_.op(id);
        out_.list.add(Rect{box, lit(t_.issue, op.issue_begin_ns), px(3)});
        const std::string& name = run_.signature(op.signature).name;
        bar_text(box, with_duration ? with_time(name, op.issue_end_ns - op.issue_begin_ns, box) : name,
                 lit(t_.dark ? rgb(0x06202F) : rgb(0xFFFFFF), op.issue_begin_ns));
        finish(box, id, can_hit);
    }

    void draw_op(const Box& box, OpId id, bool with_duration, bool can_hit) {
        const model::Op& op = run_.op(id);
        const model::Signature& signature = run_.signature(op.signature);
        out_.list.add(Rect{box, lit(op.failed ? t_.warning : t_.family(signature.family), op.begin_ns), px(3)});
        const std::int64_t end_ns = std::min(op.end_ns, run_.now_ns());
        const std::string name = op.failed ? signature.name + " failed" : signature.name;
        bar_text(box, with_duration ? with_time(name, end_ns - op.begin_ns, box) : name,
                 lit(op.failed ? rgb(0xFFFFFF) : t_.on(signature.family), op.begin_ns));
        finish(box, id, can_hit);
    }

    void finish(const Box& box, OpId id, bool can_hit) {
        if (!can_hit) {
            return;
        }
        if (id == o_.selected || id == o_.hovered) {
            const float d = px(2);
            out_.list.add(Rect{
                {box.x0 - d, box.y0 - d, box.x1 + d, box.y1 + d}, Rgba{0, 0, 0, 0}, px(4), t_.text, line_px(1.8F)});
        }
        out_.boxes.push_back({id, box});
    }

    void draw_hatch(const Box& box, const std::string& words, std::int64_t begin_ns) {
        out_.list.add(Hatch{box, lit(t_.wait_ground, begin_ns), lit(t_.wait, begin_ns), lit(t_.wait, begin_ns), px(9),
                            px(3), std::min(px(3), box.width() / 4), px(0.8F)});
        float size = std::min(px(11.5F), box.height() * 0.7F);
        const std::string fit = fitted(words, box.width() - px(14), size);
        if (fit.empty()) {
            return;
        }
        const float half = o_.measure->width(FontRole::ui_semibold, size, fit) / 2 + px(5);
        const Point m{(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2};
        out_.list.add(
            Rect{{m.x - half, std::max(box.y0, m.y - size * 0.8F), m.x + half, std::min(box.y1, m.y + size * 0.8F)},
                 t_.wait_label_ground,
                 px(3)});
        out_.list.add(Text{{m.x, m.y + size * kCapHeightEm / 2},
                           fit,
                           lit(t_.wait_text, begin_ns),
                           size,
                           FontRole::ui_semibold,
                           Anchor::middle});
    }

    // Launch, op, launch, op: not recorded, but what the same launches and ops would look like if each op were waited
    // for.
    void draw_one_at_a_time() {
        label(one_at_a_time_, "One at a time", "if each were waited for");
        std::vector<float> widths;
        float sum = 0;
        for (OpId id = o_.first; id <= o_.last; ++id) {
            const model::Op& op = run_.op(id);
            widths.push_back(weight_of(op.issue_end_ns - op.issue_begin_ns));
            const bool ran = op.begin_ns != kPending;
            widths.push_back(weight_of(ran ? std::min(op.end_ns, run_.now_ns()) - op.begin_ns : 1));
            sum += widths[widths.size() - 2] + widths.back();
        }
        const bool waited = !waits_.empty();
        sum += waited ? 1.6F : 0;
        const float unit = sum > 0 ? (one_at_a_time_.width() - px(12)) / sum : 0;
        float x = one_at_a_time_.x0;
        const auto next = [&](float weight) {
            const Box box{x, one_at_a_time_.y0, x + weight * unit - px(1), one_at_a_time_.y1};
            x += weight * unit;
            return box;
        };
        for (OpId id = o_.first; id <= o_.last; ++id) {
            const std::size_t i = 2 * (id - o_.first);
            draw_launch(next(widths[i]), id, false, false);
            const Box box = next(widths[i + 1]);
            if (run_.op(id).begin_ns != kPending) {
                draw_op(box, id, false, false);
            } else {
                out_.list.add(Rect{box, Rgba{0, 0, 0, 0}, px(3), t_.border, line_px(1)});
            }
        }
        if (waited) {
            draw_hatch(next(1.6F), waits_.back()->name, waits_.back()->begin_ns);
        }
    }

    [[nodiscard]] Box bar(const Box& row, std::int64_t begin_ns, std::int64_t end_ns) const {
        const float x0 = axis_.x(begin_ns);
        return {x0, row.y0, std::max(x0 + px(2), axis_.x(end_ns) - px(1)), row.y1};
    }

    void draw_frontend() {
        label(frontend_, "Frontend", "thread: issues, waits");
        for (OpId id = o_.first; id <= o_.last; ++id) {
            const model::Op& op = run_.op(id);
            draw_launch(bar(frontend_, op.issue_begin_ns, op.issue_end_ns), id, true, true);
        }
        for (const model::Wait* wait : waits_) {
            const Box box = bar(frontend_, wait->begin_ns, wait->end_ns);
            draw_hatch(box, with_time(wait->name, wait->waited_ns(), {box.x0 + px(14), 0, box.x1, box.height()}),
                       wait->begin_ns);
        }
    }

    void draw_lanes() {
        for (const auto& [lane, row] : lanes_) {
            label(row, lane < run_.lanes().size() ? stream_name(run_, lane) : "Backend", "thread: executes");
        }
        for (OpId id = o_.first; id <= o_.last; ++id) {
            const model::Op& op = run_.op(id);
            if (op.begin_ns != kPending) {
                draw_op(bar(lanes_.at(op.lane), op.begin_ns, std::min(op.end_ns, run_.now_ns())), id, true, true);
            }
        }
    }

    void draw_launch_arrow(OpId id) {
        const model::Op& op = run_.op(id);
        if (op.begin_ns == kPending) {
            return;
        }
        const Box& row = lanes_.at(op.lane);
        const Point from{(axis_.x(op.issue_begin_ns) + axis_.x(op.issue_end_ns)) / 2, frontend_.y1 + px(1)};
        const Point to{(axis_.x(op.begin_ns) + axis_.x(std::min(op.end_ns, run_.now_ns()))) / 2, row.y0 - px(1)};
        const float bend = (to.y - from.y) * 0.45F;
        const bool marked = id == o_.hovered || id == o_.selected;
        out_.list.add(Arrow{{from, Point{from.x, from.y + bend}, Point{to.x, to.y - bend}, to},
                            marked ? t_.text : lit(t_.issue, op.begin_ns),
                            line_px(1.6F),
                            0,
                            0,
                            px(7)});
    }

    // Draws the arrow from the op that a wait waited for to the wait's end.
    void draw_return() {
        for (const model::Wait* wait : waits_) {
            const OpId id = model::ended_by(run_, *wait);
            if (id < o_.first || id > o_.last) {
                continue;
            }
            const model::Op& op = run_.op(id);
            const Box& row = lanes_.at(op.lane);
            const Point from{axis_.x(op.end_ns), (row.y0 + row.y1) / 2};
            const Point to{axis_.x(wait->end_ns) - px(2), frontend_.y1 + px(1)};
            const Point corner{std::max(to.x, from.x + px(10)), from.y};
            out_.list.add(Arrow{{from, corner, Point{to.x, (from.y + to.y) / 2}, to},
                                lit(t_.wait, wait->end_ns),
                                line_px(1.8F),
                                px(5),
                                px(4),
                                px(8)});
        }
    }

    void draw_words() {
        if (bottom_ > o_.area.y1 - px(16)) {
            return;  // no room below the rows
        }
        const float size = px(11.5F);
        const std::string words =
            narrow_ ? "Not to scale; the order is exact."
                    : "Time runs to the right; widths are squeezed so that all can be read, the order is exact.";
        out_.list.add(Text{{o_.area.x0 + label_width_, o_.area.y1 - px(5)},
                           shortened(words, o_.area.width() - label_width_, FontRole::ui, size, *o_.measure),
                           t_.faint,
                           size,
                           FontRole::ui});
    }

    static constexpr std::size_t kMostWaits = 12;

    const model::Run& run_;
    const ThreadsOptions& o_;
    const Theme& t_;
    OpsPicture out_;
    std::vector<std::int64_t> times_;
    std::vector<const model::Wait*> waits_;
    std::map<std::size_t, Box> lanes_;
    SqueezedAxis axis_{{}, 0, 0};
    Box one_at_a_time_, frontend_;
    float label_width_ = 0;
    float bottom_ = 0;     // of the rows
    bool narrow_ = false;  // names stand above the rows
};

}  // namespace

OpsPicture draw_threads(const model::Run& run, const ThreadsOptions& options) {
    if (options.first == 0 || options.first > options.last || options.last > run.op_count()) {
        return {};
    }
    return ThreadsPainter(run, options).paint();
}

}  // namespace headway::figure
