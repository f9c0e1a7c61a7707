#include "app/figure/formula.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "app/render/format.h"

namespace headway::figure {
namespace {

using model::StagedRun;
using model::Stages;

struct ValueWords {
    const char *symbol, *meaning;
};
constexpr std::array<ValueWords, kStageValues> kValues{
    {{"N", "ops"}, {"S", "lanes"}, {"t₁", "issue"}, {"h", "hand-over"}, {"t₂", "execute"}, {"t₃", "return"}}};

// A sum of times as a bar: "t₁ + N·t₂".
struct Term {
    std::string words;
    double ns;
    enum class Stage { issue, hand_over, execute, give_back } stage;
};

std::string number(int n) {
    return count_text(static_cast<std::uint64_t>(n));
}

// "3·t₂"; "t₂" for one.
std::string times(int n, const char* symbol) {
    return n == 1 ? symbol : number(n) + "·" + symbol;
}

// With all digits that tell the sliders' values apart, without zeros at the end: "10.95 µs", "8 µs".
std::string exact_text(double ns) {
    const std::string text = place_text(ns, std::max(ns / 2000, 1.0));
    const std::size_t unit = text.find(' '), point = text.find('.');
    if (unit == std::string::npos || point > unit) {
        return text;
    }
    const std::size_t last = text.find_last_not_of('0', unit - 1);
    return text.substr(0, last == point ? point : last + 1) + text.substr(unit);
}

constexpr const char *kLonger = "longer sum", *kShorter = "shorter sum";

class FormulaPainter {
public:
    FormulaPainter(const Stages& stages, const FormulaOptions& options) : s_(stages), o_(options), t_(*options.theme) {}

    DisplayList paint() {
        const StagedRun each = staged_run(s_, model::StagedWaits::each),
                        once = staged_run(s_, model::StagedWaits::once);
        longest_ns_ = std::max({each.total_ns, once.total_ns, 1.0});
        const float curve = std::max(o_.area.height() * 0.3F, px(96));
        const float gap = px(14), runs = o_.area.height() - curve - 2 * gap;
        const float lanes = static_cast<float>(s_.lanes);
        // Each run: a heading, the frontend, the lanes, and one or two sums.
        const float heading = px(24), between = px(4);
        const float fixed = 2 * heading + between * (2 * lanes + 7);
        row_ = std::clamp((runs - fixed) / (2 * (1 + lanes) + 3 * 0.8F), px(7), px(46));
        const float sum = row_ * 0.8F;
        float y = o_.area.y0;
        y = draw_run("Waiting for each op", "N·(t₁+h+t₂+t₃)", model::waiting_each_ns(s_), each, t_.run_b, y, heading,
                     between);
        draw_sum({{times(s_.ops, "t₁"), s_.ops * s_.t1_ns, Term::Stage::issue},
                  {times(s_.ops, "h"), s_.ops * s_.h_ns, Term::Stage::hand_over},
                  {times(s_.ops, "t₂"), s_.ops * s_.t2_ns, Term::Stage::execute},
                  {times(s_.ops, "t₃"), s_.ops * s_.t3_ns, Term::Stage::give_back}},
                 "as a sum", {x0(), y, x1(), y + sum});
        y += sum + gap;
        y = draw_run("Waiting once", once_formula(), model::waiting_once_ns(s_), once, t_.run_a, y, heading, between);
        const int longest = (s_.ops + s_.lanes - 1) / s_.lanes, lanes_with = s_.ops - (longest - 1) * s_.lanes;
        const double by_lane = lanes_with * s_.t1_ns + longest * s_.t2_ns, by_issue = s_.ops * s_.t1_ns + s_.t2_ns;
        const Term hand_over{"h", s_.h_ns, Term::Stage::hand_over}, give_back{"t₃", s_.t3_ns, Term::Stage::give_back};
        draw_sum({{times(lanes_with, "t₁"), lanes_with * s_.t1_ns, Term::Stage::issue},
                  {times(longest, "t₂"), longest * s_.t2_ns, Term::Stage::execute},
                  hand_over,
                  give_back},
                 by_lane >= by_issue ? kLonger : kShorter, {x0(), y, x1(), y + sum});
        y += sum + between;
        draw_sum({{times(s_.ops, "t₁"), s_.ops * s_.t1_ns, Term::Stage::issue},
                  {"t₂", s_.t2_ns, Term::Stage::execute},
                  hand_over,
                  give_back},
                 by_issue >= by_lane ? kLonger : kShorter, {x0(), y, x1(), y + sum});
        draw_curve({o_.area.x0, y + sum + gap, o_.area.x1, o_.area.y1});
        return std::move(list_);
    }

private:
    [[nodiscard]] float px(float size) const { return size * o_.scale; }
    [[nodiscard]] float line_px(float width) const { return width * o_.scale * t_.line_scale; }
    [[nodiscard]] float x0() const { return o_.area.x0 + px(96); }
    [[nodiscard]] float x1() const { return o_.area.x1 - px(8); }
    [[nodiscard]] float x(double ns) const { return x0() + static_cast<float>(ns / longest_ns_) * (x1() - x0()); }
    [[nodiscard]] float width(const std::string& text, float size, FontRole role) const {
        return o_.measure->width(role, size, text);
    }
    void text(float x, float y, std::string words, Rgba colour, float size, FontRole role = FontRole::ui,
              Anchor anchor = Anchor::start) {
        list_.add(Text{{x, y}, std::move(words), colour, size, role, anchor});
    }
    [[nodiscard]] static float centred(const Box& box, float size) {
        return (box.y0 + box.y1) / 2 + size * kCapHeightEm / 2;
    }
    [[nodiscard]] std::string once_formula() const {
        return s_.lanes == 1 ? "max(t₁+N·t₂, N·t₁+t₂)+h+t₃" : "max(m·t₁+⌈N/S⌉·t₂, N·t₁+t₂)+h+t₃";
    }
    [[nodiscard]] std::pair<Rgba, Rgba> colours(Term::Stage stage) const {
        constexpr auto kFamily = devices::Family::elementwise;
        switch (stage) {
            case Term::Stage::issue:
                return {t_.issue, t_.dark ? t_.background : rgb(0xFFFFFF)};
            case Term::Stage::execute:
                return {t_.family(kFamily), t_.on(kFamily)};
            case Term::Stage::hand_over:
                return {mixed(t_.background, t_.dim, 0.35), t_.text};
            case Term::Stage::give_back:
                break;
        }
        return {t_.wait_ground, t_.wait_text};
    }
    // A filled box with its words, if they fit.
    void draw_box(Box box, Term::Stage stage, const std::string& words, double opacity = 1) {
        const auto [fill, ink] = colours(stage);
        const float gap = box.width() > px(4) ? line_px(1) : 0;
        box.x1 -= gap;
        const Rgba border = stage == Term::Stage::give_back ? faded(t_.wait, opacity) : Rgba{0, 0, 0, 0};
        list_.add(Rect{box, faded(fill, opacity), px(2), border, stage == Term::Stage::give_back ? line_px(1) : 0});
        const float size = std::min(px(12), box.height() * 0.8F);
        if (size >= px(8) && width(words, size, FontRole::ui_semibold) + px(4) <= box.width()) {
            text((box.x0 + box.x1) / 2, centred(box, size), words, opacity < 1 ? t_.dim : ink, size,
                 FontRole::ui_semibold, Anchor::middle);
        }
    }

    // The heading, the frontend and the lanes; returns where the sums begin.
    float draw_run(const char* name, const std::string& formula, double total_ns, const StagedRun& run, Rgba tone,
                   float y, float heading, float between) {
        const float baseline = y + px(15);
        text(o_.area.x0, baseline, name, tone, px(14), FontRole::ui_semibold);
        const std::string total = " = " + exact_text(total_ns);
        text(x1(), baseline, formula + total, t_.text, px(13), FontRole::mono, Anchor::end);
        y += heading;
        const Box frontend{x0(), y, x1(), y + row_};
        text(o_.area.x0, centred(frontend, px(12)), "Frontend", t_.dim, px(12));
        for (const StagedRun::Op& op : run.ops) {
            draw_box({x(op.issue_begin_ns), y, x(op.issue_end_ns), y + row_}, Term::Stage::issue, "t₁");
        }
        for (const StagedRun::Wait& wait : run.waits) {
            if (x(wait.ready_ns) > x(wait.begin_ns)) {
                list_.add(Hatch{{x(wait.begin_ns), y, x(wait.ready_ns), y + row_},
                                t_.wait_ground,
                                t_.wait,
                                t_.wait,
                                px(9),
                                px(3),
                                px(2),
                                line_px(1)});
            }
            draw_box({x(wait.ready_ns), y, x(wait.end_ns), y + row_}, Term::Stage::give_back, "t₃");
        }
        y += row_ + between;
        for (int lane = 0; lane < s_.lanes; ++lane) {
            const Box row{x0(), y, x1(), y + row_};
            list_.add(Rect{row, faded(t_.grid, 0.5), px(2)});
            text(o_.area.x0, centred(row, px(12)), s_.lanes == 1 ? "Lane" : "Lane " + std::to_string(lane), t_.dim,
                 std::min(px(12), row_ * 0.9F));
            for (const StagedRun::Op& op : run.ops) {
                if (op.lane != lane) {
                    continue;
                }
                if (op.begin_ns > op.issue_end_ns &&
                    s_.h_ns > 0) {  // the hand-over, as far as the lane was free for it
                    const float from = std::max(x(op.issue_end_ns), x(op.begin_ns - s_.h_ns));
                    list_.add(
                        Line{{from, row.y1 - line_px(1)}, {x(op.begin_ns), row.y1 - line_px(1)}, t_.dim, line_px(2)});
                }
                draw_box({x(op.begin_ns), y, x(op.end_ns), y + row_}, Term::Stage::execute, "t₂");
            }
            y += row_ + between;
        }
        return y;
    }

    // The bars of one sum, one behind the other; the shorter one of two is pale.
    void draw_sum(const std::vector<Term>& terms, const std::string& name, Box box) {
        const double opacity = name == kShorter ? 0.35 : 1;
        double at_ns = 0;
        for (const Term& term : terms) {
            if (term.ns > 0) {
                draw_box({x(at_ns), box.y0, x(at_ns + term.ns), box.y1}, term.stage, term.words, opacity);
            }
            at_ns += term.ns;
        }
        text(o_.area.x0, centred(box, px(11)), name, name == kShorter ? t_.faint : t_.dim,
             std::min(px(11), box.height()));
    }

    // Both totals over the swept value.
    void draw_curve(Box box) {
        const float left = x0(), right = x1() - px(118), top = box.y0 + px(8), bottom = box.y1 - px(34);
        const double least = o_.swept_least, most = std::max(o_.swept_most, least + 1e-9);
        const bool counts = o_.swept == StageValue::ops || o_.swept == StageValue::lanes;
        const auto steps = static_cast<int>(counts ? most - least : 120);
        double highest_ns = 1;
        std::array<std::vector<Point>, 2> curves;
        for (int i = 0; i <= steps; ++i) {
            const double value = least + (most - least) * i / std::max(steps, 1);
            const Stages at = with(s_, o_.swept, value);
            const std::array<double, 2> totals{model::waiting_each_ns(at), model::waiting_once_ns(at)};
            for (std::size_t k = 0; k < 2; ++k) {
                highest_ns = std::max(highest_ns, totals[k]);
                curves[k].push_back({static_cast<float>(value), static_cast<float>(totals[k])});
            }
        }
        const auto place_x = [&](double value) {
            return left + static_cast<float>((value - least) / (most - least)) * (right - left);
        };
        const auto place_y = [&](double ns) { return bottom - static_cast<float>(ns / highest_ns) * (bottom - top); };
        list_.add(Line{{left, bottom}, {right, bottom}, t_.border, line_px(1)});
        list_.add(Line{{left, top}, {left, bottom}, t_.border, line_px(1)});
        text(left - px(8), top + px(10), exact_text(highest_ns), t_.dim, px(11), FontRole::mono, Anchor::end);
        text(left - px(8), bottom, "0", t_.dim, px(11), FontRole::mono, Anchor::end);
        text(left, bottom + px(15), text_of(o_.swept, least), t_.dim, px(11), FontRole::mono);
        text(right, bottom + px(15), text_of(o_.swept, most), t_.dim, px(11), FontRole::mono, Anchor::end);
        text((left + right) / 2, bottom + px(30),
             std::string("total time over ") + symbol_of(o_.swept) + ", " + meaning_of(o_.swept), t_.dim, px(12),
             FontRole::ui, Anchor::middle);
        draw_limit_change(least, most, place_x, top, bottom);
        const std::array<Rgba, 2> tones{t_.run_b, t_.run_a};
        const std::array<double, 2> totals{model::waiting_each_ns(s_), model::waiting_once_ns(s_)};
        const std::array<const char*, 2> names{"for each", "once"};
        std::array<float, 2> ends{};
        for (std::size_t k = 0; k < 2; ++k) {
            const std::uint32_t first = list_.first_point();
            for (const Point& point : curves[k]) {
                list_.point(place_x(static_cast<double>(point.x)), place_y(static_cast<double>(point.y)));
            }
            list_.add(Polyline{first, static_cast<std::uint32_t>(curves[k].size()), tones[k], line_px(2)});
            ends[k] = place_y(static_cast<double>(curves[k].back().y));
        }
        if (ends[1] - ends[0] < px(16)) {  // the two names side by side would overlap
            const float middle = (ends[0] + ends[1]) / 2;
            ends = {middle - px(8), middle + px(8)};
        }
        const double now = std::clamp(value_of(s_, o_.swept), least, most);
        for (std::size_t k = 0; k < 2; ++k) {
            text(right + px(10), ends[k] + px(4), std::string("waiting ") + names[k], tones[k], px(12),
                 FontRole::ui_semibold);
            const float radius = px(5), cx = place_x(now), cy = place_y(totals[k]);
            list_.add(Rect{
                {cx - radius, cy - radius, cx + radius, cy + radius}, tones[k], radius, t_.background, line_px(1.5F)});
        }
    }

    // The value at which the frontend stops being the limit, and the lanes begin to be (or the reverse).
    template <class PlaceX>
    void draw_limit_change(double least, double most, const PlaceX& place_x, float top, float bottom) {
        double change = -1;
        if (o_.swept == StageValue::t2 && s_.ops > s_.lanes) {
            change = s_.lanes * s_.t1_ns;
        } else if (o_.swept == StageValue::t1 && s_.ops > s_.lanes) {
            change = s_.t2_ns / s_.lanes;
        }
        if (change <= least || change >= most) {
            return;
        }
        list_.add(Line{{place_x(change), top}, {place_x(change), bottom}, t_.dim, line_px(1), px(4), px(3)});
        const std::string words = s_.lanes == 1 ? "t₂ = t₁" : "t₂ = S·t₁";
        const bool room = place_x(change) + px(8) + width(words, px(11), FontRole::ui) < x1() - px(118);
        text(place_x(change) + (room ? px(5) : -px(5)), top + px(9), words, t_.dim, px(11), FontRole::ui,
             room ? Anchor::start : Anchor::end);
    }

    const Stages& s_;
    const FormulaOptions& o_;
    const Theme& t_;
    double longest_ns_ = 1;
    float row_ = 0;
    DisplayList list_;
};

}  // namespace

const char* symbol_of(StageValue value) {
    return kValues[static_cast<std::size_t>(value)].symbol;
}

const char* meaning_of(StageValue value) {
    return kValues[static_cast<std::size_t>(value)].meaning;
}

double value_of(const Stages& s, StageValue value) {
    switch (value) {
        case StageValue::ops:
            return s.ops;
        case StageValue::lanes:
            return s.lanes;
        case StageValue::t1:
            return s.t1_ns;
        case StageValue::h:
            return s.h_ns;
        case StageValue::t2:
            return s.t2_ns;
        case StageValue::t3:
            break;
    }
    return s.t3_ns;
}

Stages with(Stages s, StageValue value, double to) {
    const int count = std::max(1, static_cast<int>(std::lround(to)));
    const double ns = std::max(0.0, to);
    switch (value) {
        case StageValue::ops:
            s.ops = count;
            break;
        case StageValue::lanes:
            s.lanes = count;
            break;
        case StageValue::t1:
            s.t1_ns = ns;
            break;
        case StageValue::h:
            s.h_ns = ns;
            break;
        case StageValue::t2:
            s.t2_ns = ns;
            break;
        case StageValue::t3:
            s.t3_ns = ns;
            break;
    }
    return s;
}

std::string text_of(StageValue value, double number) {
    return value == StageValue::ops || value == StageValue::lanes
               ? count_text(static_cast<std::uint64_t>(std::llround(number)))
               : exact_text(number);
}

DisplayList draw_formula(const Stages& stages, const FormulaOptions& options) {
    return FormulaPainter(stages, options).paint();
}

std::string formula_sentence(const Stages& s) {
    const double each = model::waiting_each_ns(s), once = model::waiting_once_ns(s);
    const std::string t1 = exact_text(s.t1_ns), t2 = exact_text(s.t2_ns);
    const std::string lanes = s.lanes == 1 ? "t₁" : number(s.lanes) + "·t₁";
    std::string text;
    if (s.ops <= s.lanes) {
        text = "Each op has a lane of its own, so only issuing makes the run longer. ";
    } else if (model::execution_bound(s)) {
        text = "Execution-bound: t₂ = " + t2 + " is longer than " + lanes + " = " + exact_text(s.lanes * s.t1_ns) +
               ", so the next op is there before " + (s.lanes == 1 ? "the lane" : "a lane") + " has ended one. ";
    } else {
        text = "Issue-bound: t₂ = " + t2 + " is not longer than " + lanes + " = " + exact_text(s.lanes * s.t1_ns) +
               ", so " + (s.lanes == 1 ? "the lane" : "a lane") + " has ended each op when the next one arrives. ";
    }
    if (s.lanes == 1 && s.ops > 1 && model::chapters_condition(s) && !model::execution_bound(s) && s.t2_ns < s.t1_ns) {
        text += "The book's condition N·t₂ > (N−1)·t₁ holds, and yet t₁ + N·t₂ + t₃ is too short by " +
                exact_text(once - s.h_ns - (s.t1_ns + s.ops * s.t2_ns + s.t3_ns)) + ". ";
    }
    text += "Waiting once takes " + exact_text(once);
    return text + (each > once ? ", " + percent_text((each - once) / each) + " less than waiting for each op (" +
                                     exact_text(each) + ")."
                               : ", as long as waiting for each op.");
}

DisplayList formula_figure(const Stages& stages, const FormulaOptions& options) {
    constexpr float kWidth = 1200, kHeight = 720, kMargin = 40, kTop = 104;
    FormulaOptions inner = options;
    inner.scale = 1;
    inner.area = {kMargin, kTop, kWidth - kMargin, kHeight - 24};
    DisplayList list;
    const Theme& t = *options.theme;
    list.add(Rect{{0, 0, kWidth, kHeight}, t.background});
    const float room = kWidth - 2 * kMargin;
    const auto line = [&](float y, const std::string& words, Rgba colour, float size, FontRole role) {
        list.add(Text{{kMargin, y}, shortened(words, room, role, size, *options.measure), colour, size, role});
    };
    std::string values;
    for (int i = 0; i < kStageValues; ++i) {
        const auto value = static_cast<StageValue>(i);
        values += std::string(i > 0 ? ", " : "") + symbol_of(value) + " = " + text_of(value, value_of(stages, value));
    }
    line(38, "Waiting for each op, or once: the chapter's formulas", t.text, 20, FontRole::ui_bold);
    line(62, values + "; computed, not measured", t.dim, 14, FontRole::ui);
    line(84, formula_sentence(stages), t.text, 14, FontRole::ui);
    const DisplayList picture = draw_formula(stages, inner);
    // Items refer to points by index. The page's own items have none, so the picture's indices stay valid.
    list.points = picture.points;
    list.items.insert(list.items.end(), picture.items.begin(), picture.items.end());
    list.width_px = kWidth;
    list.height_px = kHeight;
    return list;
}

}  // namespace headway::figure
