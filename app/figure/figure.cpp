#include "app/figure/figure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/figure/figure_parts.h"
#include "app/figure/words.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/render/format.h"
#include "app/timeline/highlights/highlights.h"
#include "app/timeline/timeline.h"

namespace headway::figure {
namespace {

using model::Numbers;
using model::Run;

// The duration at the right of a run's header; empty where the file does not hold the whole run.
std::string total_of(const Run& run, const Numbers& numbers) {
    return model::has_all_records(run) ? duration_text(static_cast<double>(numbers.total_ns)) : "";
}

class FigureBuilder {
public:
    FigureBuilder(const Run& a, const Run* b, const FigureOptions& options, const TextMeasure& measure)
        : a_(a),
          b_(b),
          o_(options),
          t_(theme(options.theme)),
          look_(look_of(options.size)),
          measure_(measure),
          na_(numbers_of(a)) {
        if (b_ != nullptr) {
            nb_ = numbers_of(*b_);
            verdict_ = o_.verdict ? *o_.verdict
                                  : comparison::verdict_of(comparison::side_of(a_, na_), comparison::side_of(*b_, nb_));
        }
        shown_.push_back({&a_, b_ != nullptr ? 'A' : '\0', run_label(a_, b_), total_of(a_, na_), -1});
        shown_.back().bookmarks = o_.bookmarks_a;
        if (b_ != nullptr) {
            shown_.push_back({b_, 'B', run_label(*b_, &a_), total_of(*b_, nb_), -1});
            shown_.back().bookmarks = o_.bookmarks_b;
        }
        view_ = view();
        occurring_ = occurring_in(shown_, view_);
    }

    // Without `until_ns`: the whole figure. With it: only what happened until then.
    DisplayList build(std::optional<double> until_ns = std::nullopt) {
        choose_scale();
        until_ns_ = until_ns;
        list_ = {};
        list_.width_px = width_;
        list_.items.emplace_back(Rect{});  // placeholder for the background, which needs the height
        const float legend_y = draw_errors(draw_titles());
        DisplayList above = std::move(list_);
        const float below = height_below();

        TimelineOptions timeline = timeline_options();
        // The legend explains only what the timeline shows, but whether items are folded is known only after the
        // layout.
        TimelineLayout layout;
        const auto lay_out = [&](const InShort& in_short) {
            list_ = {};
            timeline.area.y0 = draw_legend(pen(), legend_y, occurring_, in_short);
            timeline.area.y1 = std::max(height_ - below, timeline.area.y0 + timeline_least_height(shown_, timeline));
            layout = layout_timeline(shown_, timeline);
        };
        if (!in_short_) {  // from the whole figure, so that the legend is the same at all moments
            lay_out({});
            in_short_ = in_short(layout);
        }
        lay_out(*in_short_);
        if (until_ns) {
            timeline.until_ns = *until_ns;
            layout = layout_timeline(shown_, timeline);
        }
        add_races(layout, t_, timeline.scale, layout.list);
        list_ = std::move(above);
        draw_legend(pen(), legend_y, occurring_, *in_short_);
        take_grid(layout);
        append(std::move(layout.list));
        if (until_ns) {
            cover_what_is_later(layout, *until_ns);
        }
        const float table_y =
            std::max(layout.rows.empty() ? timeline.area.y0 : layout.rows.back().box.y1, height_ - below) + 4;
        float end = draw_table(pen(), table_y, shown_, until_ns ? columns_at(shown_, *until_ns) : columns());
        if (until_ns) {
            end = table_y + table_height();
        }
        const std::vector<std::string> caption = caption_lines();
        list_.height_px = std::max(height_, std::ceil(end + look_.below_px + caption_height(caption) + look_.foot_px));
        draw_caption(caption);
        // covers the last, partial pixel
        list_.items.front() = Rect{{0, 0, width_ + 2, list_.height_px + 2}, t_.background};
        const bool grew = list_.height_px > std::ceil(height_) + 0.01F;
        if (scale_ != 1) {
            scale(list_, scale_);
        }
        list_.width_px = figure_width();
        list_.height_px = std::ceil(list_.height_px - 0.01F);
        if (look_.height_px > 0 && !grew) {
            list_.height_px = look_.height_px;
        } else if (o_.size == FigureSize::window && !grew) {
            list_.height_px = o_.height_px;
        }
        return std::move(list_);
    }
    [[nodiscard]] TimelineView shown_view() const { return view_; }

private:
    static InShort in_short(const TimelineLayout& layout) {
        return {std::any_of(layout.counts.begin(), layout.counts.end(),
                            [](const DrawnCounts& n) {
                                return n.ops_folded + n.issues_folded + n.waits_folded + n.works_folded > 0;
                            }),
                layout.curves_in_columns};
    }

    // Width of the finished figure, in px.
    [[nodiscard]] float figure_width() const {
        return look_.width_px > 0 ? look_.width_px : std::max(o_.width_px, 200.0F);
    }

    // Chooses the scale from layout to figure and thereby the layout's own size.
    void choose_scale() {
        const float width = figure_width();
        if (o_.size == FigureSize::page) {
            // Lay small figures out larger and scale them down, so that there is room for all text.
            constexpr float kLeastLayout = 1200;
            set_scale(std::min(1.0F, width / kLeastLayout), width, o_.height_px);
            if (o_.fit_height) {
                height_ = std::min(height_, filled_height());
            }
            return;
        }
        // as high as its content needs, at most a page unless even the least rows need more
        if (look_.width_px > 0 && look_.height_px == 0) {
            constexpr float kPageHeight = 240 * 96 / 25.4F;
            set_scale(1, width, 0);
            height_ = std::min(needed_height(1), std::max(kPageHeight, needed_height(0)));
            return;
        }
        const float height = look_.height_px > 0 ? look_.height_px : o_.height_px;
        constexpr float kStep = 0.94F;
        for (float s = look_.most_scale;; s *= kStep) {
            set_scale(std::max(s, look_.least_scale), width, height);
            if (s <= look_.least_scale || needed_height(0.4F) <= height_) {
                break;
            }
        }
    }
    void set_scale(float scale, float width, float height) {
        scale_ = scale;
        width_ = width / scale;
        height_ = height / scale;
        left_ = look_.margin_px;
        right_ = width_ - look_.margin_px;
    }
    // The height with rows at their least height (comfort 0) to their natural height (comfort 1).
    float needed_height(float comfort) {
        const TimelineOptions timeline = timeline_options();
        const float least = timeline_least_height(shown_, timeline),
                    natural = timeline_natural_height(shown_, timeline);
        return std::ceil(height_above() + least + comfort * std::max(0.0F, natural - least) + height_below());
    }
    // The height that the rows fill when each has grown as far as it may.
    float filled_height() {
        return std::ceil(height_above() + timeline_most_height(shown_, timeline_options()) + height_below());
    }
    float height_above() {
        list_ = {};
        const float y = draw_legend(pen(), draw_errors(draw_titles()), occurring_, {true, true});
        list_ = {};
        return y;
    }
    float table_height() {
        DisplayList saved = std::move(list_);
        list_ = {};
        const float height = draw_table(pen(), 0, shown_, columns());
        list_ = std::move(saved);
        return height;
    }
    float height_below() {
        return table_height() + 4 + look_.below_px + caption_height(caption_lines()) + look_.foot_px;
    }
    TimelineOptions timeline_options() const {
        TimelineOptions timeline;
        timeline.theme = &t_;
        timeline.measure = &measure_;
        timeline.style = look_.timeline;
        timeline.style.whole_scopes = shows_scopes(shown_, look_.timeline);
        timeline.view = view_;
        timeline.area = {left_, 0, right_, 0};
        timeline.arrangement = &o_.arrangement;
        return timeline;
    }

    [[nodiscard]] FigurePen pen() { return {list_, t_, look_, measure_, left_, right_}; }
    float text_width(FontRole role, float size, std::string_view words) const {
        return measure_.width(role, size, words);
    }
    void text(float x, float y, std::string words, Rgba colour, float size, FontRole role) {
        pen().text(x, y, std::move(words), colour, size, role);
    }

    // Wraps text into at most `most` lines; the rest is cut with "…".
    std::vector<std::string> lines_of(const std::string& words, float size, FontRole role, int most) const {
        const float room = right_ - left_;
        std::vector<std::string> lines;
        std::string line;
        std::size_t at = 0;
        while (at < words.size()) {
            std::size_t space = words.find(' ', at);
            space = space == std::string::npos ? words.size() : space;
            const std::string word = words.substr(at, space - at);
            const std::string longer = line.empty() ? word : line + " " + word;
            if (!line.empty() && text_width(role, size, longer) > room) {
                if (static_cast<int>(lines.size()) + 1 == most) {
                    lines.push_back(shortened(line + " " + words.substr(at), room, role, size, measure_));
                    return lines;
                }
                lines.push_back(line);
                line = word;
            } else {
                line = longer;
            }
            at = space + 1;
        }
        lines.push_back(shortened(line, room, role, size, measure_));
        return lines;
    }
    // Draws wrapped text; returns the baseline after the last line.
    float paragraph(float y, const std::string& words, Rgba colour, float size, FontRole role, float pitch, int most) {
        for (const std::string& line : lines_of(words, size, role, most)) {
            text(left_, y, line, colour, size, role);
            y += pitch;
        }
        return y;
    }

    // The finding, with as many clauses of the verdict as fit.
    std::string finding_words() const {
        if (b_ == nullptr) {
            return finding_of(a_, na_);
        }
        std::size_t clauses = verdict_.clauses.size();
        const auto fits = [this](const std::string& words) {
            constexpr int kMany = 100;
            return lines_of(words, look_.title_least_px, FontRole::ui_bold, kMany).size() <=
                   static_cast<std::size_t>(look_.title_lines);
        };
        while (clauses > 1 && !fits(comparison::sentence_of(verdict_, clauses))) {
            --clauses;
        }
        return comparison::sentence_of(verdict_, clauses);
    }

    float draw_titles() {
        const std::string title = o_.title.empty() ? finding_words() : o_.title;
        float size = look_.title_px;
        while (size > look_.title_least_px && text_width(FontRole::ui_bold, size, title) > right_ - left_) {
            size -= 1;
        }
        const std::size_t title_begins = list_.items.size();
        float y = paragraph(look_.top_px - (look_.title_px - size) * 0.3F, title, t_.text, size, FontRole::ui_bold,
                            look_.title_pitch_px, look_.title_lines);
        if (until_ns_ && o_.title.empty()) {  // the finding is not known yet, but its space is reserved
            list_.items.resize(title_begins, Rect{});
            const std::string runs = heading_of(a_, b_);
            const auto lines = lines_of(title, size, FontRole::ui_bold, look_.title_lines).size();
            paragraph(look_.top_px - (look_.title_px - size) * 0.3F, runs, t_.text, size, FontRole::ui_bold,
                      look_.title_pitch_px, static_cast<int>(lines));
        }
        if (a_.info().simulated || (b_ != nullptr && b_->info().simulated)) {
            // Times that were not measured are announced as prominently as the finding.
            const bool both = b_ == nullptr || (a_.info().simulated && b_->info().simulated);
            // With --order, times are random and no cost model is recorded.
            const auto is_random = [](const model::Run* run) {
                return run != nullptr && run->info().simulated && run->info().cost_models.empty();
            };
            const std::string times =
                both ? "times" : std::string("run ") + (a_.info().simulated ? "A" : "B") + "'s times";
            const std::string words = "SIMULATED: " + times +
                                      (is_random(&a_) || is_random(b_) ? " do not come from a clock."
                                                                       : " come from a cost model, not from a clock.");
            y = paragraph(y, words, t_.warning, look_.subtitle_px, FontRole::ui_bold, look_.subtitle_pitch_px + 2,
                          look_.title_lines);
        }
        std::string words = o_.subtitle.empty() ? subtitle_of(a_, b_) : o_.subtitle;
        if (o_.view) {
            const double shown_ns = view_.span_ns() / 100;
            words +=
                " Shown: " + place_text(view_.begin_ns, shown_ns) + " to " + place_text(view_.end_ns, shown_ns) + ".";
        }
        return paragraph(y, words, t_.dim, look_.subtitle_px, FontRole::ui, look_.subtitle_pitch_px,
                         look_.subtitle_lines) +
               6;
    }

    float draw_errors(float y) {
        for (const TimelineRun& shown : shown_) {
            const std::size_t begins = list_.items.size();
            y = draw_error(shown, y);
            const auto total_ns = shown.run->program_time().program_ns(shown.run->end_ns());
            if (until_ns_ && *until_ns_ < total_ns) {  // the error has not happened yet, but its space is reserved
                list_.items.resize(begins, Rect{});
            }
        }
        return y;
    }

    float draw_error(const TimelineRun& shown, float y) {
        const auto& error = shown.run->error();
        if (!error) {
            const model::RunEnd end = shown.run->end();
            const bool partial = end.verdict == model::Verdict::crashed || end.verdict == model::Verdict::stopped ||
                                 end.verdict == model::Verdict::overflowed;
            return partial ? paragraph(y, (shown.letter == 0 ? "" : std::string(1, shown.letter) + ": ") + end.text(),
                                       t_.dim, std::max(look_.subtitle_px * 0.94F, look_.legend_px), FontRole::ui,
                                       look_.subtitle_pitch_px * 0.92F, look_.subtitle_lines)
                           : y;
        }
        if (error->stopped()) {  // not a failure; the message says where
            const std::string who = shown.letter == 0 ? "The run was " : std::string("Run ") + shown.letter + " was ";
            return paragraph(y, who + error->message + ".", t_.dim,
                             std::max(look_.subtitle_px * 0.94F, look_.legend_px), FontRole::ui,
                             look_.subtitle_pitch_px * 0.92F, look_.subtitle_lines);
        }
        std::string words = "Failed";
        if (shown.letter != 0) {
            words = "Run ? failed";
            words[4] = shown.letter;
        }
        if (!error->file.empty()) {
            words.append(" at ").append(error->file, error->file.find_last_of('/') + 1);
            if (error->line > 0) {
                words.append(":").append(std::to_string(error->line));
            }
        }
        if (error->op > 0) {
            words.append(", op ").append(count_text(error->op));
        }
        return paragraph(y, words + ": " + error->message, t_.warning,
                         std::max(look_.subtitle_px * 0.94F, look_.legend_px), FontRole::ui_semibold,
                         look_.subtitle_pitch_px * 0.92F, look_.subtitle_lines);
    }

    // Rounds the end of the view up when a round number is near.
    TimelineView view() const {
        if (o_.view && o_.view->span_ns() > 0) {
            return *o_.view;
        }
        TimelineView v = whole_view(shown_, o_.with_warmup);
        const Ticks ticks = ticks_for(v.span_ns(), v.span_ns() / 12);
        const double round = std::ceil(v.end_ns / ticks.step_ns) * ticks.step_ns;
        v.end_ns = round - v.end_ns <= 0.06 * v.span_ns() ? round : v.end_ns + 0.01 * v.span_ns();
        return v;
    }

    void append(DisplayList part) {
        const auto offset = list_.first_point();
        list_.points.insert(list_.points.end(), part.points.begin(), part.points.end());
        for (Item& item : part.items) {
            if (auto* line = std::get_if<Polyline>(&item)) {
                line->first += offset;
            } else if (auto* area = std::get_if<Area>(&item)) {
                area->first += offset;
            }
            list_.items.push_back(std::move(item));
        }
    }

    // Collects the x of the grid lines, which are the first items of the layout.
    void take_grid(const TimelineLayout& layout) {
        grid_x_.clear();
        for (const Item& item : layout.list.items) {
            const auto* line = std::get_if<Line>(&item);
            if (line == nullptr || line->colour != t_.grid) {
                break;
            }
            grid_x_.push_back(line->from.x);
        }
    }
    // Covers everything after `ns` with the background, then redraws the grid and the lines between rows.
    void cover_what_is_later(const TimelineLayout& layout, double ns) {
        const float x = std::clamp(layout.map.x_px_from_ns(ns), layout.axis.x0, layout.axis.x1);
        float top = layout.axis.y1;
        for (const RowBox& row : layout.rows) {
            const bool header = row.kind == RowKind::header;
            if (row.kind == RowKind::ruler || row.kind == RowKind::bookmarks || row.run < 0) {
                continue;
            }
            const model::Run& run = *shown_[static_cast<std::size_t>(row.run)].run;
            if (header) {  // the total is not known before the run's end
                if (run.program_time().program_ns(run.end_ns()) <= ns) {
                    continue;
                }
                const float width = text_width(FontRole::mono_bold, look_.timeline.header_px,
                                               shown_[static_cast<std::size_t>(row.run)].note) +
                                    4;
                list_.add(Rect{{row.box.x1 - width, row.box.y0, row.box.x1 + 1, row.box.y1}, t_.background});
                continue;
            }
            top = std::min(top, row.box.y0);
            list_.add(Rect{{x, row.box.y0, row.box.x1 + 1, row.box.y1}, t_.background});
            for (const float tick_x : grid_x_) {
                if (tick_x > x) {
                    list_.add(Line{{tick_x, row.box.y0}, {tick_x, row.box.y1}, t_.grid, t_.line_scale});
                }
            }
            if (row.kind != RowKind::scopes) {
                const float y = row.box.y1 - 0.5F;
                list_.add(Line{{x, y}, {row.box.x1, y}, t_.border, t_.line_scale});
            }
        }
        list_.add(Line{{x, top}, {x, layout.axis.y1}, t_.text, 1.5F * t_.line_scale});
    }
    [[nodiscard]] std::vector<FigureColumn> columns() const {
        return b_ != nullptr ? total_columns(shown_, {na_, nb_}, look_.short_table)
                             : total_columns(shown_, {na_}, look_.short_table);
    }

    // The largest text size at which the caption fits into its lines.
    [[nodiscard]] float caption_size(const std::string& words) const {
        float size = look_.caption_px;
        const float room = (right_ - left_) * static_cast<float>(look_.caption_lines) * 0.96F;
        while (size > look_.caption_least_px &&
               text_width(FontRole::ui, size, words) > (look_.caption_lines == 1 ? right_ - left_ : room)) {
            size -= 0.5F;
        }
        return std::max(size, look_.caption_least_px);
    }
    [[nodiscard]] std::vector<std::string> caption_lines() const {
        const std::string words = caption_of(a_, na_, b_, nb_, verdict_.evidence);
        return lines_of(words, caption_size(words), FontRole::ui, look_.caption_lines);
    }
    // The height of all lines before the last.
    [[nodiscard]] float caption_height(const std::vector<std::string>& lines) const {
        return static_cast<float>(lines.size() - 1) * look_.caption_px * 1.3F;
    }
    void draw_caption(const std::vector<std::string>& lines) {
        const float size = caption_size(caption_of(a_, na_, b_, nb_, verdict_.evidence));
        float y = list_.height_px - look_.foot_px - caption_height(lines);
        for (const std::string& line : lines) {
            text(left_, y, line, t_.dim, size, FontRole::ui);
            y += look_.caption_px * 1.3F;
        }
    }

    const Run& a_;
    const Run* b_;
    const FigureOptions o_;
    const Theme& t_;
    const FigureLook& look_;
    const TextMeasure& measure_;
    Numbers na_, nb_;
    comparison::Verdict verdict_;  // of a comparison
    std::vector<TimelineRun> shown_;
    Occurring occurring_;
    TimelineView view_;
    std::optional<double> until_ns_;
    std::optional<InShort> in_short_;  // computed from the whole figure
    DisplayList list_;
    std::vector<float> grid_x_;
    float scale_ = 1, width_ = 0, height_ = 0, left_ = 0, right_ = 0;
};

}  // namespace

DisplayList figure(const Run& a, const Run* b, const FigureOptions& options, const TextMeasure& measure) {
    return FigureBuilder(a, b, options, measure).build();
}

class Replay::Parts {
public:
    FigureBuilder builder;
};

Replay::Replay(const Run& a, const Run* b, const FigureOptions& options, const TextMeasure& measure)
    : parts_(new Parts{FigureBuilder(a, b, options, measure)}) {}
Replay::~Replay() = default;

DisplayList Replay::at(double share) {
    if (share >= 1) {
        return parts_->builder.build();
    }
    const TimelineView view = parts_->builder.shown_view();
    return parts_->builder.build(view.begin_ns + std::max(0.0, share) * view.span_ns());
}

std::string finding(const Run& a, const Run* b) {
    const auto side = [](const Run& run) { return comparison::side_of(run, numbers_of(run)); };
    return b == nullptr ? finding_of(a, numbers_of(a)) : comparison::verdict_of(side(a), side(*b)).sentence;
}

}  // namespace headway::figure
