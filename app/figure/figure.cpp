#include "app/figure/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/figure/format.h"
#include "app/figure/timeline.h"
#include "app/figure/words.h"

namespace headway::figure {
namespace {

using devices::Family;
using model::Numbers;
using model::Run;

constexpr float kMargin = 60;
class FigureBuilder {
public:
    FigureBuilder(const Run& a, const Run* b, const FigureOptions& options, const TextMeasure& measure)
        : a_(a), b_(b), o_(options), t_(theme(options.theme)), measure_(measure), na_(a.numbers()) {
        if (b_ != nullptr) {
            nb_ = b_->numbers();
        }
        shown_.push_back(
            {&a_, b_ != nullptr ? 'A' : '\0', run_label(a_, b_), duration_text(static_cast<double>(na_.total_ns)), -1});
        shown_.back().bookmarks = o_.bookmarks_a;
        if (b_ != nullptr) {
            shown_.push_back({b_, 'B', run_label(*b_, &a_), duration_text(static_cast<double>(nb_.total_ns)), -1});
            shown_.back().bookmarks = o_.bookmarks_b;
        }
    }

    DisplayList build() {
        // Small figures are laid out larger and scaled down: then there is room for all that they have to say.
        constexpr float kLeastLayout = 1200;
        const float scaled = std::min(1.0F, std::max(o_.width_px, 200.0F) / kLeastLayout);
        width_ = std::max(o_.width_px, 200.0F) / scaled;
        height_ = o_.height_px / scaled;
        occurring_ = occurring();
        left_ = kMargin;
        right_ = width_ - kMargin;
        list_.width_px = width_;
        list_.items.emplace_back(Rect{});  // the ground, once the height is known

        float y = draw_titles();
        y = draw_errors(y);

        // Below the timeline: the table and the caption. Measure the table by laying it out apart.
        DisplayList above = std::move(list_);
        list_ = {};
        const float table_height = draw_table(0);
        const float below = table_height + 54;

        TimelineOptions timeline;
        timeline.theme = &t_;
        timeline.measure = &measure_;
        timeline.style = figure_style();
        timeline.view = view();
        const float legend_y = y;
        timeline.area = {left_, 0, right_, 0};
        // The legend says what occurs, and whether something is folded is known only after the layout; its lines do not
        // depend on that last entry but for narrow figures, so lay out the legend with it.
        list_ = {};
        const float timeline_y = draw_legend(legend_y, true);
        timeline.area.y0 = timeline_y;
        timeline.area.y1 = std::max(height_ - below, timeline_y + timeline_least_height(shown_, timeline));
        TimelineLayout layout = layout_timeline(shown_, timeline);
        bool folded = false;
        for (const DrawnCounts& n : layout.counts) {
            folded = folded || n.ops_folded + n.issues_folded + n.waits_folded + n.works_folded > 0;
        }
        list_ = std::move(above);
        draw_legend(legend_y, folded);
        append(std::move(layout.list));
        const float table_y =
            std::max(layout.rows.empty() ? timeline_y : layout.rows.back().box.y1, height_ - below) + 4;
        const float end = draw_table(table_y);
        list_.height_px = std::max(height_, std::ceil(end + 50));
        draw_caption(list_.height_px - 18);
        list_.items.front() = Rect{{0, 0, width_, list_.height_px}, t_.background};
        if (scaled < 1) {
            scale(list_, scaled);
            list_.height_px = std::ceil(list_.height_px - 0.01F);
        }
        return std::move(list_);
    }

private:
    float text_width(FontRole role, float size, std::string_view words) const {
        return measure_.width(role, size, words);
    }

    void text(float x, float y, std::string words, Rgba colour, float size, FontRole role,
              Anchor anchor = Anchor::start) {
        if (!words.empty()) {
            list_.add(Text{{x, y}, std::move(words), colour, size, role, anchor});
        }
    }

    // Words in as many lines as they need, at most `most`; returns the baseline after the last.
    float paragraph(float y, const std::string& words, Rgba colour, float size, FontRole role, float pitch, int most) {
        const float room = right_ - left_;
        std::string line;
        std::size_t at = 0;
        int lines = 0;
        while (at < words.size()) {
            std::size_t space = words.find(' ', at);
            space = space == std::string::npos ? words.size() : space;
            const std::string word = words.substr(at, space - at);
            const std::string longer = line.empty() ? word : line + " " + word;
            if (!line.empty() && text_width(role, size, longer) > room) {
                if (++lines == most) {
                    text(left_, y, shortened(line + " " + words.substr(at), room, role, size, measure_), colour, size,
                         role);
                    return y + pitch;
                }
                text(left_, y, line, colour, size, role);
                y += pitch;
                line = word;
            } else {
                line = longer;
            }
            at = space + 1;
        }
        text(left_, y, shortened(line, room, role, size, measure_), colour, size, role);
        return y + pitch;
    }

    float draw_titles() {
        const std::string title = o_.title.empty() ? finding_of(a_, na_, b_, nb_, {}) : o_.title;
        float size = 27;
        while (size > 20 && text_width(FontRole::ui_bold, size, title) > right_ - left_) {
            size -= 1;
        }
        float y = paragraph(66 - (27 - size) * 0.3F, title, t_.text, size, FontRole::ui_bold, 32, 2);
        if (a_.info().simulated || (b_ != nullptr && b_->info().simulated)) {
            // Not measured: said as loudly as the finding.
            const bool both = b_ == nullptr || (a_.info().simulated && b_->info().simulated);
            const std::string words = both ? "SIMULATED: times come from a cost model, not from a clock."
                                           : std::string("SIMULATED: run ") + (a_.info().simulated ? "A" : "B") +
                                                 "'s times come from a cost model, not from a clock.";
            y = paragraph(y, words, t_.warning, 17, FontRole::ui_bold, 26, 1);
        }
        return paragraph(y, o_.subtitle.empty() ? subtitle_of(a_, b_) : o_.subtitle, t_.dim, 17, FontRole::ui, 24, 2) +
               6;
    }

    float draw_errors(float y) {
        for (const TimelineRun& shown : shown_) {
            const auto& error = shown.run->error();
            if (!error) {
                continue;
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
            y = paragraph(y, words + ": " + error->message, t_.warning, 16, FontRole::ui_semibold, 22, 2);
        }
        return y;
    }

    // The view ends at a round number when that is near.
    TimelineView view() const {
        TimelineView v = whole_view(shown_, o_.with_warmup);
        const Ticks ticks = ticks_for(v.span_ns(), v.span_ns() / 12);
        const double round = std::ceil(v.end_ns / ticks.step_ns) * ticks.step_ns;
        v.end_ns = round - v.end_ns <= 0.06 * v.span_ns() ? round : v.end_ns + 0.01 * v.span_ns();
        return v;
    }

    struct Occurring {
        std::array<bool, kFamilies> families{};
        bool issues = false, waits = false, works = false, failed = false, pending = false;
    };
    Occurring occurring() const {
        Occurring o;
        for (const TimelineRun& shown : shown_) {
            const Run& run = *shown.run;
            for (std::size_t id = 1; id <= run.op_count(); ++id) {
                const model::Op& op = run.op(static_cast<core::OpId>(id));
                if (op.begin_ns == model::kPending) {
                    continue;
                }
                (op.failed ? o.failed : o.families[static_cast<std::size_t>(run.signature(op.signature).family)]) =
                    true;
            }
            o.issues = o.issues || run.op_count() > 0;
            o.waits = o.waits || !run.waits().empty();
            o.works = o.works || !run.works().empty();
            o.pending = o.pending || run.pending_bytes().most() > 0;
        }
        return o;
    }

    // Swatches with words; returns where the timeline may begin.
    float draw_legend(float y, bool folded) {
        constexpr float kSize = 15;
        constexpr float kSwatch = 22;
        const Occurring& o = occurring_;
        float x = left_;
        const auto entry = [&](const std::string& words, auto swatch) {
            const float width = kSwatch + 8 + text_width(FontRole::ui, kSize, words);
            if (x > left_ && x + width > right_) {
                x = left_;
                y += 24;
            }
            swatch(Box{x, y, x + kSwatch, y + 14});
            text(x + kSwatch + 8, y + 13, words, t_.dim, kSize, FontRole::ui);
            x += width + 26;
        };
        const auto plain = [&](Rgba colour) { return [this, colour](Box box) { list_.add(Rect{box, colour, 3}); }; };
        if (o.issues) {
            entry("issue", plain(t_.issue));
        }
        if (o.works) {
            entry("frontend's own work", [&](Box box) {
                list_.add(Rect{{box.x0, box.y0 + 3, box.x1, box.y1 - 3}, t_.work, 2});
            });
        }
        if (o.waits) {
            entry("wait", [&](Box box) { list_.add(Hatch{box, t_.wait_ground, t_.wait, t_.wait, 9, 3, 3, 0.8F}); });
        }
        constexpr Family kOrder[] = {Family::matmul, Family::elementwise, Family::reduce, Family::update,
                                     Family::random, Family::copy,        Family::create, Family::other};
        for (Family family : kOrder) {
            if (o.families[static_cast<std::size_t>(family)]) {
                entry(label_of(family), plain(t_.family(family)));
            }
        }
        if (o.failed) {
            entry("failed", plain(t_.warning));
        }
        if (o.pending) {
            entry("held for ops not yet run", [&](Box box) {
                list_.add(Rect{box, faded(t_.memory, 0.28), 0});
                list_.add(Line{{box.x0, box.y1}, {box.x1, box.y1}, t_.pending, 1});
                list_.add(Line{{box.x0, box.y0}, {box.x1, box.y0}, t_.memory, 2});
            });
        }
        if (folded) {
            entry("many at once (height: share of time)", [&](Box box) {
                constexpr float kHeights[] = {7, 11, 8, 10};
                for (int i = 0; i < 4; ++i) {
                    const float x0 = box.x0 + static_cast<float>(i) * 5.5F;
                    list_.add(Rect{{x0, box.y1 - 3 - kHeights[i], x0 + 5.5F, box.y1 - 3}, t_.dim});
                }
                list_.add(Rect{{box.x0, box.y1 - 1.5F, box.x1, box.y1}, t_.faint});
            });
        }
        return y + 14 + 10;
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

    struct Column {
        std::string head;
        std::vector<std::string> cells;
        bool words = false;  // not a number
        float width = 0;
    };

    std::vector<Column> columns() const {
        std::vector<Column> all;
        const auto add = [&](const char* head, auto cell, bool words = false) {
            Column column{head, {}, words, 0};
            column.cells.push_back(cell(a_, na_));
            if (b_ != nullptr) {
                column.cells.push_back(cell(*b_, nb_));
            }
            all.push_back(std::move(column));
        };
        const auto time = [](double ns) { return duration_text(ns); };
        add("total", [&](const Run&, const Numbers& n) { return time(static_cast<double>(n.total_ns)); });
        add("issue", [&](const Run&, const Numbers& n) { return time(static_cast<double>(n.issue_ns)); });
        add("blocked", [&](const Run&, const Numbers& n) { return time(static_cast<double>(n.blocked_ns)); });
        if (na_.work_ns + nb_.work_ns > 0) {
            add("own work", [&](const Run&, const Numbers& n) { return time(static_cast<double>(n.work_ns)); });
        }
        add("backend idle", [&](const Run&, const Numbers& n) {
            const auto all_ns = static_cast<double>(n.backend_busy_ns + n.backend_idle_ns);
            return all_ns > 0 ? percent_text(static_cast<double>(n.backend_idle_ns) / all_ns) : std::string("–");
        });
        add("max headway", [](const Run&, const Numbers& n) {
            return count_text(n.headway_max) + (n.headway_max == 1 ? " op" : " ops");
        });
        add("peak memory", [](const Run&, const Numbers& n) { return bytes_text(n.live_bytes_peak); });
        add("t₁ issue", [&](const Run&, const Numbers& n) { return time(n.t1_ns); });
        add("t₂ execute", [&](const Run&, const Numbers& n) { return time(n.t2_ns); });
        add("t₃ return", [&](const Run&, const Numbers& n) { return time(n.t3_ns); });
        add("predicted", [&](const Run&, const Numbers& n) { return time(static_cast<double>(n.predicted_ns)); });
        add(
            "regime",
            [](const Run&, const Numbers& n) {
                return std::string(n.regime == model::Regime::issue_bound ? "issue-bound" : "execution-bound");
            },
            true);
        return all;
    }

    // The numbers of both runs on a panel; returns its lower edge. Columns that do not fit side by side go on below.
    float draw_table(float y) {
        constexpr float kHead = 13;
        constexpr float kCell = 15;
        constexpr float kGap = 22;
        constexpr float kRow = 25;
        constexpr float kInset = 18;
        const float room = right_ - left_ - 2 * kInset;
        std::vector<Column> all = columns();
        for (Column& column : all) {
            column.width = text_width(FontRole::ui_semibold, kHead, column.head);
            for (const std::string& cell : column.cells) {
                column.width = std::max(column.width,
                                        text_width(column.words ? FontRole::ui_semibold : FontRole::mono, kCell, cell));
            }
        }
        float names = 0;
        for (const TimelineRun& shown : shown_) {
            names = std::max(names, text_width(FontRole::ui_bold, kCell, row_name(shown)));
        }
        names = std::min(names, room * 0.3F);
        // Bands of columns: as few as fit, evenly filled.
        std::vector<std::pair<std::size_t, std::size_t>> bands;
        for (std::size_t count = 1; count <= all.size(); ++count) {
            bands.clear();
            const std::size_t each = (all.size() + count - 1) / count;
            bool fits = true;
            for (std::size_t at = 0; at < all.size(); at += each) {
                const std::size_t end = std::min(at + each, all.size());
                float width = names;
                for (std::size_t i = at; i < end; ++i) {
                    width += kGap + all[i].width;
                }
                fits = fits && width <= room;
                bands.emplace_back(at, end);
            }
            if (fits) {
                break;
            }
        }
        const float band_height = 26 + kRow * static_cast<float>(shown_.size());
        const float height = 12 + band_height * static_cast<float>(bands.size()) + 4;
        list_.add(Rect{{left_, y, right_, y + height}, t_.raised, 8, t_.border, 1});
        float top = y + 10;
        for (const auto& [first, last] : bands) {
            float used = names;
            for (std::size_t i = first; i < last; ++i) {
                used += all[i].width;
            }
            const float gap = std::min(60.0F, (room - used) / static_cast<float>(last - first));
            for (std::size_t r = 0; r < shown_.size(); ++r) {
                const Rgba colour = shown_[r].letter == 'A' ? t_.run_a : shown_[r].letter == 'B' ? t_.run_b : t_.text;
                text(left_ + kInset, top + 26 + kRow * static_cast<float>(r) + kCell * 0.85F,
                     shortened(row_name(shown_[r]), names + 1, FontRole::ui_bold, kCell, measure_), colour, kCell,
                     FontRole::ui_bold);
            }
            float x = left_ + kInset + names + gap;
            for (std::size_t i = first; i < last; ++i) {
                text(x, top + kHead, all[i].head, t_.faint, kHead, FontRole::ui_semibold);
                for (std::size_t r = 0; r < all[i].cells.size(); ++r) {
                    text(x, top + 26 + kRow * static_cast<float>(r) + kCell * 0.85F, all[i].cells[r], t_.text, kCell,
                         all[i].words ? FontRole::ui_semibold : FontRole::mono);
                }
                x += all[i].width + gap;
            }
            top += band_height;
        }
        return y + height;
    }

    static std::string row_name(const TimelineRun& shown) {
        return shown.letter == 0 ? shown.label : std::string(1, shown.letter) + "  " + shown.label;
    }

    // Everything that says where the numbers come from, in one line.
    void draw_caption(float y) {
        std::vector<std::string> parts;
        const auto both = [&](auto part) {
            const std::string of_a = part(a_, na_);
            const std::string of_b = b_ != nullptr ? part(*b_, nb_) : of_a;
            return of_a == of_b ? of_a : of_a + " / " + of_b;
        };
        const auto add = [&](std::string words) {
            if (!words.empty()) {
                parts.push_back(std::move(words));
            }
        };
        add(both([](const Run& r, const Numbers&) {
            return r.info().version.empty() ? "Headway" : "Headway " + r.info().version;
        }));
        add(both([](const Run& r, const Numbers&) { return r.info().program; }));
        add(both([](const Run& r, const Numbers&) { return device_of(r.info()); }));
        if (a_.info().simulated || (b_ != nullptr && b_->info().simulated)) {
            add("SIMULATED");
        }
        add(both([](const Run& r, const Numbers&) {
            return r.info().cpu.empty() || r.info().device_name.find(r.info().cpu) != std::string::npos ? std::string()
                                                                                                        : r.info().cpu;
        }));
        add("seed " + both([](const Run& r, const Numbers&) { return std::to_string(r.info().seed); }));
        add(both([](const Run& r, const Numbers&) {
            return r.info().free_policy.empty() ? std::string() : "free policy " + r.info().free_policy;
        }));
        const bool budget = a_.info().budget > 0 || (b_ != nullptr && b_->info().budget > 0);
        const bool limit = a_.info().queue_limit > 0 || (b_ != nullptr && b_->info().queue_limit > 0);
        add(both([&](const Run& r, const Numbers&) {
            return !budget                ? std::string()
                   : r.info().budget == 0 ? "no budget"
                                          : "budget " + bytes_text(r.info().budget);
        }));
        add(both([&](const Run& r, const Numbers&) {
            return !limit                      ? std::string()
                   : r.info().queue_limit == 0 ? "no queue limit"
                                               : "queue limit " + count_text(r.info().queue_limit);
        }));
        add("recorder " + both([](const Run&, const Numbers& n) {
                return n.total_ns > 0
                           ? percent_text(static_cast<double>(n.recorder_ns) / static_cast<double>(n.total_ns))
                           : "0 %";
            }));
        add(both([](const Run& r, const Numbers&) { return r.info().date.substr(0, 10); }));
        std::string line;
        for (const std::string& part : parts) {
            line += (line.empty() ? "" : " · ") + part;
        }
        float size = 13.5F;
        while (size > 10 && text_width(FontRole::ui, size, line) > right_ - left_) {
            size -= 0.5F;
        }
        text(left_, y, shortened(line, right_ - left_, FontRole::ui, size, measure_), t_.dim, size, FontRole::ui);
    }

    const Run& a_;
    const Run* b_;
    const FigureOptions& o_;
    const Theme& t_;
    const TextMeasure& measure_;
    Numbers na_, nb_;
    std::vector<TimelineRun> shown_;
    Occurring occurring_;
    DisplayList list_;
    float width_ = 0, height_ = 0, left_ = 0, right_ = 0;
};

}  // namespace

DisplayList figure(const Run& a, const Run* b, const FigureOptions& options, const TextMeasure& measure) {
    return FigureBuilder(a, b, options, measure).build();
}

std::string finding(const Run& a, const Run* b) {
    return finding_of(a, a.numbers(), b, b != nullptr ? b->numbers() : Numbers{}, {});
}

std::string finding(const Run& a, const Numbers& na, const Run& b, const Numbers& nb, Clear clear) {
    return finding_of(a, na, &b, nb, clear);
}

}  // namespace headway::figure
