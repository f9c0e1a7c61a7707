// The row of a run's minibatches and scopes, above its other rows.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/run/queries.h"
#include "app/render/format.h"
#include "app/timeline/timeline_rows.h"

namespace headway::figure {
namespace {

// Figures hide a run's only scope if it spans nearly the whole run: the header already says the same.
bool is_shown(const model::Run& run, const model::Scope& scope, const TimelineStyle& style) {
    const auto span = static_cast<double>(std::min(scope.end_ns, run.now_ns()) - scope.begin_ns);
    return style.whole_scopes || run.scopes().size() > 1 ||
           span < 0.97 * static_cast<double>(run.end_ns() - run.measure_begin_ns());
}

// The visible part of a minibatch, in px.
struct Batch {
    float x0 = 0, x1 = 0;
    std::uint32_t index = 0;
    bool cut = false;  // clipped by an end of the axis
};

// The x of the label's centre, kept inside the axis. Empty if only a clipped part is visible and the label would
// overlap its neighbour.
std::optional<float> label_middle(const RowPen& pen, const Batch& batch, float width) {
    if (batch.cut && width > batch.x1 - batch.x0) {
        return std::nullopt;
    }
    const float least = pen.map().x0() + width / 2;
    return std::clamp((batch.x0 + batch.x1) / 2, least, std::max(least, pen.right() - width / 2));
}

// The least step (1, 2, 5, 10 …) such that the labels of all minibatches divisible by it fit, at least `gap_px` apart;
// 0 if there is none.
std::uint32_t numbered_every(const RowPen& pen, const std::vector<Batch>& batches, float size, float gap_px) {
    const auto all_have_room = [&](std::uint32_t step) {
        float free_from = pen.map().x0() - 1;
        for (const Batch& batch : batches) {
            if (batch.index % step != 0) {
                continue;
            }
            const float width = pen.width(FontRole::ui, size, std::to_string(batch.index));
            const auto middle = label_middle(pen, batch, width);
            if (middle && *middle - width / 2 < free_from) {
                return false;
            }
            free_from = middle ? *middle + width / 2 + gap_px : free_from;
        }
        return true;
    };
    constexpr std::uint32_t kMost = 1'000'000'000;
    for (std::uint32_t power = 1; power < kMost; power *= 10) {
        for (const std::uint32_t factor : {1U, 2U, 5U}) {
            if (all_have_room(factor * power)) {
                return factor * power;
            }
        }
    }
    return 0;
}

void draw_minibatches(const RowPen& pen, Box line) {
    const auto& all = pen.run.minibatches();
    const Theme& theme = pen.theme();
    const float size = std::min(pen.px(pen.style().inside_px), line.height());
    const std::int64_t end_ns = pen.now_ns();
    const float right = pen.right();
    // The first minibatch in view; they are ordered by time.
    const double left_ns = pen.run_ns_from_x_px(pen.map().x0());
    auto it = std::lower_bound(all.begin(), all.end(), left_ns, [&](const model::Minibatch& m, double ns) {
        return static_cast<double>(std::min(m.issue_end_ns, end_ns)) < ns;
    });
    std::vector<Batch> batches;
    for (; it != all.end() && pen.x(it->issue_begin_ns) < right;
         it = all.begin() + static_cast<std::ptrdiff_t>(all.after(static_cast<std::size_t>(it - all.begin())))) {
        const float x0 = std::max(pen.x(it->issue_begin_ns), pen.map().x0());
        const float x1 = std::max(x0 + 1, std::min(pen.x(std::min(it->issue_end_ns, end_ns)), right));
        const bool cut = pen.x(it->issue_begin_ns) < x0 || pen.x(std::min(it->issue_end_ns, end_ns)) > x1;
        batches.push_back({x0, x1, static_cast<std::uint32_t>(std::max(it->index, 0)), cut});
    }
    if (batches.empty()) {  // the view lies between two minibatches, in a barrier for example
        if (it != all.begin()) {
            pen.text(pen.map().x0() + pen.px(4), (line.y0 + line.y1) / 2 + size * kCapHeightEm / 2,
                     "after minibatch " + std::to_string(std::max(std::prev(it)->index, 0)), theme.faint, size,
                     FontRole::ui, Anchor::start);
        }
        return;
    }
    const Box whole{batches.front().x0, line.y0, std::min(batches.back().x1, right), line.y1};
    const Rgba even = mixed(theme.background, theme.dim, 0.16);
    const Rgba odd = mixed(theme.background, theme.dim, 0.30);
    if (whole.width() < pen.px(4) * static_cast<float>(batches.size())) {  // too many to tell apart
        pen.list().add(Rect{whole, even, pen.px(2)});
        pen.tag(count_text(batches.size()) + " minibatches", whole, theme.dim, even, size, FontRole::ui);
        return;
    }
    // Write "minibatch 3" if that fits into every fully visible one.
    const float words_px = pen.width(FontRole::ui, size, "minibatch " + std::to_string(batches.back().index));
    const bool in_words = words_px <= whole.width() && std::all_of(batches.begin(), batches.end(), [&](const Batch& b) {
                              return b.cut || words_px <= b.x1 - b.x0 - pen.px(6);
                          });
    // Else label every k-th one, at a constant step.
    const std::uint32_t step = in_words ? 1 : numbered_every(pen, batches, size, pen.px(6));
    for (const Batch& batch : batches) {
        const float width = batch.x1 - batch.x0;
        pen.list().add(Rect{
            {batch.x0, line.y0, batch.x1 - pen.gap_px(width), line.y1}, batch.index % 2 == 0 ? even : odd, pen.px(2)});
    }
    for (const Batch& batch : batches) {
        if (step == 0 || batch.index % step != 0) {
            continue;
        }
        const std::string label = in_words ? "minibatch " + std::to_string(batch.index) : std::to_string(batch.index);
        const float width = pen.width(FontRole::ui, size, label);
        if (const auto middle = label_middle(pen, batch, width)) {
            if (width > batch.x1 - batch.x0) {  // cover box edges under the label
                const float half = width / 2 + pen.px(1);
                pen.list().add(Rect{{*middle - half, line.y0, *middle + half, line.y1}, even, pen.px(2)});
            }
            pen.text(*middle, (line.y0 + line.y1) / 2 + size * kCapHeightEm / 2, label, theme.dim, size, FontRole::ui,
                     Anchor::middle);
        }
    }
}

// The bracket of a scope, and the position of its label.
struct Bracket {
    float x0 = 0, x1 = 0;
    const model::Scope* scope = nullptr;
    bool begins = true, ends = true;           // in view
    std::vector<const model::Scope*> under{};  // scopes that overlap it on the screen
    std::string label{};
    enum class Place { none, inside, right, left } place = Place::none;
    float label_x = 0;     // left end of a label outside the bracket
    std::string before{};  // names of unlabelled brackets to the left, written at the left end of this one's line
};

constexpr float kLeader = 5;  // gap between a bracket and a label outside it

void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
    }
}

// "← prepare, train"
std::string pointing_at(const std::vector<std::string>& names) {
    std::string text = "← ";
    for (const std::string& name : names) {
        text += (&name == &names.front() ? "" : ", ") + name;
    }
    return text;
}

// Puts each name into its bracket if it fits, else next to it. Narrow neighbouring brackets share one label after the
// last of them, in which each name stands once.
void place_names(const RowPen& pen, std::vector<Bracket>& brackets, float size) {
    const auto& measure = *pen.options.measure;
    const float lead = pen.px(kLeader) + pen.px(4), apart = pen.px(9);
    const auto width_of = [&](const std::string& words) { return pen.width(FontRole::ui, size, words); };
    float taken_to = pen.map().x0();  // right end of the previous label
    const model::Holds pauses = pauses_until_now(pen.run);
    std::vector<std::string> unnamed;  // names of preceding brackets without a label
    const auto add_under = [](std::vector<std::string>& names, const Bracket& b) {
        for (const model::Scope* scope : b.under) {
            add_once(names, scope->name);
        }
    };
    for (std::size_t i = 0; i < brackets.size(); ++i) {
        Bracket& b = brackets[i];
        const std::int64_t end_ns = std::min(b.scope->end_ns, pen.now_ns());
        const std::string& name = b.scope->name;
        const std::int64_t took_ns = unpaused_ns(pauses, b.scope->begin_ns, end_ns);
        const std::string words = name + "  " + duration_text(static_cast<double>(took_ns));
        const float inside = b.x1 - b.x0 - pen.px(24);
        const float right = (i + 1 < brackets.size() ? brackets[i + 1].x0 - apart : pen.right()) - b.x1 - lead;
        const float left = b.x0 - lead - taken_to;
        const auto put = [&](const std::string& text, Bracket::Place place, float x) {
            b.place = place;
            b.label = text;
            b.label_x = x;
        };
        const bool alone = unnamed.empty() && b.under.empty();
        std::vector<std::string> all = unnamed;
        add_once(all, name);
        add_under(all, b);
        const std::string together = pointing_at(all);
        if (width_of(words) <= inside) {
            put(words, Bracket::Place::inside, 0);
        } else if (width_of(name) <= inside) {
            put(name, Bracket::Place::inside, 0);
        } else if (!alone && width_of(together) <= right) {
            put(together, Bracket::Place::right, b.x1 + lead);
        } else if (alone && std::min(width_of(words), width_of(name)) <= right) {
            put(width_of(words) <= right ? words : name, Bracket::Place::right, b.x1 + lead);
        } else if (alone && width_of(name) <= left) {
            const std::string& fits = width_of(words) <= left ? words : name;
            put(fits, Bracket::Place::left, b.x0 - lead - width_of(fits));
        } else if (const std::string part = shortened(name, inside, FontRole::ui, size, measure);
                   part.size() > std::string_view("Ben…").size()) {  // shorter ones are not recognisable
            put(part, Bracket::Place::inside, 0);
        }
        if (b.place == Bracket::Place::inside && !unnamed.empty()) {
            const float room = (b.x1 - b.x0 - width_of(b.label)) / 2 - pen.px(20);
            const std::string before = pointing_at(unnamed);
            b.before = width_of(before) <= room ? before : std::string();
        }
        unnamed = b.place == Bracket::Place::none ? all : std::vector<std::string>();
        if (b.place == Bracket::Place::inside) {
            add_under(unnamed, b);
        }
        taken_to = b.x1 + apart;
        if (b.place == Bracket::Place::right) {
            taken_to = b.label_x + width_of(b.label) + apart;
        }
    }
}

void draw_bracket(const RowPen& pen, const Bracket& b, Box line, float size) {
    const Theme& theme = pen.theme();
    const float stroke = pen.line_px(1);
    const float y = (line.y0 + line.y1) / 2, baseline = y + size * kCapHeightEm / 2;
    const float width = b.label.empty() ? 0 : pen.width(FontRole::ui, size, b.label);
    float from = b.x0, to = b.x1;  // ends of the bracket's horizontal line
    if (b.place == Bracket::Place::right) {
        to = b.x1 + pen.px(kLeader);
    } else if (b.place == Bracket::Place::left) {
        from = b.x0 - pen.px(kLeader);
    }
    if (!b.before.empty()) {
        const float at = b.x0 + pen.px(8);
        pen.list().add(Line{{b.x0, y}, {at - pen.px(4), y}, theme.faint, stroke});
        pen.text(at, baseline, b.before, theme.dim, size, FontRole::ui, Anchor::start);
        from = at + pen.width(FontRole::ui, size, b.before) + pen.px(5);
    }
    if (b.place == Bracket::Place::inside) {
        const float middle = (b.x0 + b.x1) / 2, half = width / 2 + pen.px(5);
        pen.list().add(Line{{from, y}, {middle - half, y}, theme.faint, stroke});
        pen.list().add(Line{{middle + half, y}, {b.x1, y}, theme.faint, stroke});
        pen.text(middle, baseline, b.label, theme.dim, size, FontRole::ui, Anchor::middle);
    } else {
        pen.list().add(Line{{from, y}, {to, y}, theme.faint, stroke});
        pen.text(b.label_x, baseline, b.label, theme.dim, size, FontRole::ui, Anchor::start);
    }
    if (b.begins) {
        pen.list().add(Line{{b.x0 + stroke / 2, y}, {b.x0 + stroke / 2, line.y1}, theme.faint, stroke});
    }
    if (b.ends) {
        pen.list().add(Line{{b.x1 - stroke / 2, y}, {b.x1 - stroke / 2, line.y1}, theme.faint, stroke});
    }
}

// Draws the brackets of one depth. The narrowest are widened to `least`; scopes that this would cover are named
// together with them.
void draw_scope_line(const RowPen& pen, Box line, int depth) {
    const float size = std::min(pen.px(pen.style().inside_px), line.height());
    const float right = pen.right(), least = pen.px(4);
    constexpr std::size_t kNamed = 12;  // per bracket; a longer list of names would not be readable
    std::vector<Bracket> brackets;
    std::uint64_t unnamed = 0;
    const auto& scopes = pen.run.scopes();
    for (std::size_t i = 0; i < scopes.size(); i = scopes.after(i)) {
        const model::Scope& scope = scopes[i];
        if (scope.depth != depth || !is_shown(pen.run, scope, pen.style())) {
            continue;
        }
        float x0 = std::max(pen.x(scope.begin_ns), pen.map().x0());
        float x1 = std::min(pen.x(std::min(scope.end_ns, pen.run.now_ns())), right);
        if (x1 < pen.map().x0() || x0 >= right) {
            continue;
        }
        if (!brackets.empty() && x0 < brackets.back().x1) {
            if (x1 < brackets.back().x1 + least) {
                Bracket& over = brackets.back();
                over.under.size() < kNamed ? over.under.push_back(&scope) : void(++unnamed);
                continue;
            }
            x0 = brackets.back().x1;
        }
        x1 = std::max(x1, x0 + least);
        if (x1 > pen.map().x1()) {
            x1 = pen.map().x1();
            x0 = brackets.empty() ? x1 - least : std::max(std::min(x0, x1 - least), brackets.back().x1);
        }
        const std::int64_t end_ns = std::min(scope.end_ns, pen.run.now_ns());
        brackets.push_back(
            {x0, x1, &scope, pen.x(scope.begin_ns) >= pen.map().x0() - 1, pen.x(end_ns) <= pen.map().x1() + 1});
    }
    place_names(pen, brackets, size);
    float free_from = pen.map().x0();
    for (const Bracket& bracket : brackets) {
        draw_bracket(pen, bracket, line, size);
        free_from = bracket.place == Bracket::Place::right
                        ? bracket.label_x + pen.width(FontRole::ui, size, bracket.label)
                        : bracket.x1;
    }
    if (unnamed > 0) {  // say how many were left out
        const std::string more = "+ " + count_text(unnamed) + (unnamed == 1 ? " scope" : " scopes");
        if (free_from + pen.width(FontRole::ui, size, more) + pen.px(8) < right) {
            pen.text(right - pen.px(2), (line.y0 + line.y1) / 2 + size * kCapHeightEm / 2, more, pen.theme().faint,
                     size, FontRole::ui, Anchor::end);
        }
    }
}

constexpr int kMostDepths = 3;

// The number of lines of scopes, at most kMostDepths.
int depths_of(const model::Run& run, const TimelineStyle& style) {
    int depths = 0;
    for (std::size_t i = 0; i < run.scopes().size(); i = run.scopes().after(i)) {
        const model::Scope& scope = run.scopes()[i];
        if (!is_shown(run, scope, style)) {
            continue;
        }
        depths = std::max(depths, scope.depth + 1);
        if (depths >= kMostDepths) {
            break;
        }
    }
    return std::min(depths, kMostDepths);
}

}  // namespace

int scope_lines(const model::Run& run, const TimelineStyle& style) {
    return (run.minibatches().empty() ? 0 : 1) + depths_of(run, style);
}

bool shows_scopes(std::span<const TimelineRun> runs, const TimelineStyle& style) {
    return std::any_of(runs.begin(), runs.end(),
                       [&style](const TimelineRun& shown) { return depths_of(*shown.run, style) > 0; });
}

void draw_scopes(const RowPen& pen, const RowBox& row) {
    const int lines = scope_lines(pen.run, pen.style());
    const float height = row.content.height() / static_cast<float>(lines);
    Box line = row.content;
    line.y1 = line.y0 + height - pen.px(2);
    const int depths = lines - (pen.run.minibatches().empty() ? 0 : 1);
    for (int depth = 0; depth < depths; ++depth) {
        pen.layout.scope_lines.push_back({pen.index, depth, line});
        draw_scope_line(pen, line, depth);
        line.y0 += height;
        line.y1 += height;
    }
    if (!pen.run.minibatches().empty()) {
        // Minibatches are the last line, because scopes enclose them.
        line = {line.x0, row.content.y1 - height + pen.px(1), line.x1, row.content.y1 - pen.px(1)};
        pen.layout.scope_lines.push_back({pen.index, -1, line});
        draw_minibatches(pen, line);
    }
}

}  // namespace headway::figure
