#include "app/ui/timeline/hover_card.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/model/analysis/idle.h"
#include "app/model/analysis/wait_details.h"
#include "app/model/run/devices.h"
#include "app/model/run/queries.h"
#include "app/render/format.h"
#include "app/render/label_lines.h"
#include "app/render/utf8.h"
#include "app/timeline/op_words.h"
#include "app/ui/timeline/op_card.h"
#include "app/ui/widgets/widgets.h"
#include "engine/trace/wait_names.h"

namespace headway::ui {
namespace {

using figure::bytes_text;
using figure::count_text;
using figure::duration_text;
using figure::ops_text;
using figure::place_text;
using Tone = CardLine::Tone;

// "the GPU", "both devices, last the CPU", "all 5 devices, last GPU 3"; empty if the run has only one.
std::string devices_waited_for(const model::Run& run, const model::Wait& wait) {
    if (run.devices().size() < 2 || wait.kind == trace::WaitKind::paused) {
        return {};
    }
    if (const int device = device_of(run, wait); device >= 0) {
        return device_phrase(run, static_cast<std::size_t>(device));
    }
    const core::OpId last = model::ended_by(run, wait);
    return all_devices(run) + (last == 0 ? "" : ", last " + device_phrase(run, device_of_lane(run, run.op(last).lane)));
}

// "matmul ×38 81 %, add ×38 12 %, 2 other kinds 7 %": how much of a wait's time each op name took.
std::string shares_text(const model::WaitDetails& details) {
    if (details.many) {
        return "more than " + count_text(model::kWaitShares) + " ops";
    }
    const auto& shares = details.shares;
    std::int64_t all_ns = 0;
    std::size_t ops = 0;
    for (const auto& share : shares) {
        all_ns += share.ns;
        ops += share.ops;
    }
    if (ops < 2 || all_ns <= 0) {
        return {};
    }
    constexpr std::size_t kShown = 3;
    std::string text;
    const auto percent = [all_ns](std::int64_t ns) {
        return figure::percent_text(static_cast<double>(ns) / static_cast<double>(all_ns));
    };
    const std::size_t shown = shares.size() <= kShown + 1 ? shares.size() : kShown;
    for (std::size_t i = 0; i < shown; ++i) {
        const auto& share = shares[i];
        text += (i == 0 ? "" : ", ") + share.name + (share.ops > 1 ? " ×" + count_text(share.ops) : "") + " " +
                percent(share.ns);
    }
    if (shown < shares.size()) {
        std::int64_t rest_ns = 0;
        for (std::size_t i = shown; i < shares.size(); ++i) {
            rest_ns += shares[i].ns;
        }
        text += ", " + count_text(shares.size() - shown) + " other kinds " + percent(rest_ns);
    }
    return text;
}

std::uint64_t whole(std::int64_t value) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, value));
}

// A curve's extremes within the pixel around a moment.
model::Extremes extremes_at(const model::Curve& curve, std::int64_t ns, double ns_per_px) {
    const auto half = static_cast<std::int64_t>(ns_per_px / 2);
    return curve.extremes(ns - half, ns + std::max<std::int64_t>(half, 1));
}

void describe_wait(const model::Run& run, const model::Wait& wait, int index, double ns_per_px,
                   const model::WaitDetails* details, Card& card) {
    const bool open = static_cast<std::size_t>(index) >= run.waits().size();
    card.title = wait.name;
    const trace::WaitKind kind = wait.kind;
    card.detail = kind == trace::WaitKind::paused        ? "you"
                  : kind == trace::WaitKind::queue_limit ? "the queue limit"
                                                         : trace::names_of(kind).cause;
    if (card.title.find(card.detail) != std::string::npos) {
        card.detail.clear();
    }
    const bool by_learner = kind == trace::WaitKind::paused;
    std::string text = (by_learner ? "for      "
                        : open     ? "waits    "
                                   : "waited   ") +
                       duration_text(static_cast<double>(wait.waited_ns()));
    text += open ? " so far" : "";
    if (wait.line != 0) {
        text += "   at " + run.line_text(wait.line);
    }
    card.lines.push_back({Tone::wait, text});
    card.lines.push_back(
        {Tone::dim, "from     " + place_text(run.program_time().program_ns(wait.begin_ns), ns_per_px)});
    if (by_learner) {
        card.lines.push_back({Tone::dim, "not counted as the program's time"});
        return;  // for the learner, not for ops
    }
    if (!run.capabilities().issues) {
        return;  // the trace has no dependencies
    }
    if (details == nullptr) {
        card.lines.push_back({Tone::dim, "for      being looked up…"});
        return;
    }
    card.lines.push_back({Tone::dim, details->causes.empty()
                                         ? "for      nothing: all ops had finished"
                                         : "for      " + list_of(details->causes, details->count, details->at_least)});
    if (const std::string devices = devices_waited_for(run, wait); !devices.empty()) {
        card.lines.push_back({Tone::dim, "of       " + devices});
    }
    if (!details->split) {
        return;
    }
    const model::WaitSplit& split = *details->split;
    const auto ops = [](std::size_t count) { return count_text(count) + (count == 1 ? " op" : " ops"); };
    std::string parts;
    if (split.before_ops > 0) {
        parts = duration_text(static_cast<double>(split.before_ns)) + " for " + ops(split.before_ops) +
                (split.own_ops > 0 || wait.line != 0 ? " issued before this line" : "");
    }
    if (split.own_ops > 0) {
        parts += (parts.empty() ? "" : ", ") + duration_text(static_cast<double>(split.own_ns)) + " for its own" +
                 (split.before_ops > 0 ? "" : " " + ops(split.own_ops));
    }
    if (split.held_ns > 0) {
        parts += (parts.empty() ? "" : ", ") + duration_text(static_cast<double>(split.held_ns)) + " held by you";
    }
    if (split.handover_ns * 100 > wait.end_ns - wait.begin_ns) {
        parts += (parts.empty() ? "" : ", ") + duration_text(static_cast<double>(split.handover_ns)) +
                 " waiting for lanes to wake up";
    }
    if (split.return_ns * 100 > wait.end_ns - wait.begin_ns) {
        parts += ", " + duration_text(static_cast<double>(split.return_ns)) + " to return";
    }
    card.lines.push_back({Tone::wait, "of it    " + parts});
    if (const std::string shares = shares_text(*details); !shares.empty()) {
        card.lines.push_back({Tone::dim, "spent on " + shares});
    }
    if (details->without_ns) {
        const std::int64_t saved_ns = details->total_ns - *details->without_ns;
        card.lines.push_back(
            {Tone::dim,
             "without  the run would take " + duration_text(static_cast<double>(*details->without_ns)) +
                 (saved_ns > 0 ? ", " + duration_text(static_cast<double>(saved_ns)) + " less" : ", no less") +
                 " (computed)"});
    } else if (details->too_long) {
        card.lines.push_back(
            {Tone::dim, "without  not computed for more than " + count_text(model::kReplayed) + " ops"});
    }
}

// The duration of a scope or minibatch that has ended, without the learner's pauses.
std::string program_time_text(const model::Run& run, std::int64_t begin_ns, std::int64_t end_ns) {
    return duration_text(static_cast<double>(model::unpaused_ns(run.pauses(), begin_ns, end_ns)));
}

void describe_work(const model::Run& run, int index, double ns_per_px, Card& card) {
    const model::Work& work = run.works()[static_cast<std::size_t>(index)];
    card.title = work.name;
    card.detail = "the frontend's own work";
    std::string text = "took     " + duration_text(static_cast<double>(work.end_ns - work.begin_ns));
    if (work.line != 0) {
        text += "   at " + run.line_text(work.line);
    }
    card.lines.push_back({Tone::issue, text});
    card.lines.push_back(
        {Tone::dim, "from     " + place_text(run.program_time().program_ns(work.begin_ns), ns_per_px)});
    card.lines.push_back({Tone::dim, "no op: it runs at once, and nothing is issued meanwhile"});
}

// A time range in which a lane ran nothing, and its causes, the longest first.
void describe_gap(const model::Run& run, std::size_t lane, const model::IdleGap& gap, Card& card) {
    card.title = !run.capabilities().backend ? "No span" : shares_stream(run, lane) ? "No op here" : "Idle";
    card.detail = stream_name(run, lane);
    std::string text = "for      " + duration_text(static_cast<double>(gap.end_ns - gap.begin_ns));
    if (gap.next != 0) {
        text += "   until " + run.signature(run.op(gap.next).signature).name + " " + named(gap.next);
    } else if (run.state() == trace::RunState::running) {
        text += " so far";
    }
    card.lines.push_back({Tone::plain, text});
    if (!run.capabilities().tensors) {
        return;  // the causes are not known
    }
    struct Cause {
        std::int64_t ns;
        Tone tone;
        const char* words;
    };
    const model::IdleCauses& c = gap.causes;
    const bool issued = gap.next != 0;
    std::array<Cause, 9> causes{
        {{c.barrier_ns, Tone::wait, issued ? "its next op was not issued: a barrier" : "nothing was issued: a barrier"},
         {c.blocker_ns, Tone::wait,
          issued ? "its next op was not issued: the program waited for a value"
                 : "nothing was issued: the program waited for a value"},
         {c.limit_ns, Tone::wait,
          issued ? "its next op was not issued: a limit of ops or memory"
                 : "nothing was issued: a limit of ops or memory"},
         {c.paused_ns, Tone::dim, "you had paused the run, or held the backend"},
         {c.frontend_ns, Tone::issue,
          issued ? "its next op was not issued: the frontend was at work" : "nothing was issued for it"},
         {c.dependency_ns, Tone::execute, "its next op waited for ops on other lanes"},
         {c.link_ns, Tone::execute, "its next op, a copy, waited for a link that carried another one"},
         {c.handover_ns, Tone::dim, "waiting for the worker to wake up"},
         {c.done_ns, Tone::dim, "all ops were issued, and none was left for it"}}};
    std::stable_sort(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) { return a.ns > b.ns; });
    for (const Cause& cause : causes) {
        if (cause.ns > 0) {
            const std::string time = duration_text(static_cast<double>(cause.ns));
            std::size_t width = 0;
            figure::each_char(time, [&width](char32_t, std::string_view) { ++width; });
            card.lines.push_back({cause.tone, time + std::string(width < 9 ? 9 - width : 1, ' ') + cause.words});
        }
    }
}

// What the learner's pauses cut out of the axis, where the hit is near a cut.
void describe_cuts(const model::Run& run, const figure::Hit& hit, Card& card) {
    constexpr double kNearPx = 4;
    const double near_ns = kNearPx * hit.ns_per_px;
    const auto cuts = run.program_time().cuts_between(hit.ns - near_ns, hit.ns + near_ns);
    if (cuts.empty()) {
        return;
    }
    std::int64_t ns = 0;
    for (const model::TimeCut& cut : cuts) {
        ns += cut.duration_ns();
    }
    if (card.title.empty()) {
        card.title = "Paused";
    }
    const std::string times = cuts.size() == 1 ? "" : count_text(cuts.size()) + " times, ";
    card.lines.push_back({Tone::dim, "here you paused or held the run " + times + "for " +
                                         duration_text(static_cast<double>(ns)) + "; not on the axis"});
}

}  // namespace

Card describe(const model::Run& run, const figure::Hit& hit, const CardDetails& details) {
    Card card;
    const auto ns = static_cast<std::int64_t>(run.program_time().run_ns(hit.ns));
    if (hit.only_sums) {
        card.title = count_text(hit.folded) + (hit.row == figure::RowKind::frontend ? " events" : " ops");
        card.detail = "folded";
        card.lines.push_back({Tone::dim, "The run is too long to keep each of them: only their sums"});
        card.lines.push_back({Tone::dim, "at       " + place_text(hit.ns, hit.ns_per_px)});
    } else if (hit.op != 0 && hit.op <= run.op_count()) {
        describe_op(run, hit.op, hit.ns_per_px, details, card);
        describe_launch(run, hit.op, card);
        if (!run.parts(hit.op).empty()) {
            describe_part(run, hit.op, hit.part, card);
        }
        if (hit.folded > 1) {
            card.lines.push_back(
                {Tone::dim, ops_text(run.capabilities(), hit.folded) + " in this sliver; zoom in to see each"});
        }
    } else if (const model::Wait* wait = hit.wait < 0 ? nullptr : run.wait_at(static_cast<std::size_t>(hit.wait))) {
        describe_wait(run, *wait, hit.wait, hit.ns_per_px, details.wait, card);
        if (hit.folded > 1) {
            card.lines.push_back({Tone::dim, count_text(hit.folded) + " waits in this sliver; zoom in to see each"});
        }
    } else if (hit.work >= 0 && hit.work < static_cast<int>(run.works().size())) {
        describe_work(run, hit.work, hit.ns_per_px, card);
        if (hit.folded > 1) {
            card.lines.push_back(
                {Tone::dim, count_text(hit.folded) + " times of own work in this sliver; zoom in to see each"});
        }
    } else if (hit.row == figure::RowKind::lane && hit.lane >= 0) {
        const auto lane = static_cast<std::size_t>(hit.lane);
        if (const auto gap = model::idle_gap(run, lane, ns)) {
            describe_gap(run, lane, *gap, card);
        }
    } else if (hit.row == figure::RowKind::link && hit.lane >= 0) {
        const model::Link& link = run.links()[static_cast<std::size_t>(hit.lane)];
        card.title = link.name;
        card.lines.push_back({Tone::execute, "carried  " + figure::copies_text(copies_on(run, link, model::kPending))});
        card.lines.push_back({Tone::dim, "idle at  " + place_text(hit.ns, hit.ns_per_px)});
    } else if (hit.row == figure::RowKind::headway) {
        card.title = "Headway";
        const auto ahead = static_cast<std::uint64_t>(std::max<std::int64_t>(0, run.headway().at(ns)));
        card.lines.push_back({Tone::issue, (run.headway().exact_at(ns) ? "" : "at most ") + count_text(ahead) +
                                               (ahead == 1 ? " op" : " ops") + " issued and not finished" +
                                               (run.devices().size() > 1 ? ", on " + all_devices(run) : "")});
        if (const auto in_pixel = extremes_at(run.headway(), ns, hit.ns_per_px); in_pixel.least != in_pixel.most) {
            card.lines.push_back({Tone::dim, "between  " + count_text(whole(in_pixel.least)) + " and " +
                                                 count_text(whole(in_pixel.most)) + " in this pixel"});
        }
        card.lines.push_back({Tone::dim, "at       " + place_text(hit.ns, hit.ns_per_px)});
    } else if (hit.row == figure::RowKind::memory) {
        const auto bytes = [ns](const model::Curve& curve) {
            return (curve.exact_at(ns) ? "" : "at most ") +
                   bytes_text(static_cast<std::uint64_t>(std::max<std::int64_t>(0, curve.at(ns))));
        };
        const auto device = static_cast<std::size_t>(std::max(hit.lane, 0));
        card.title = hit.lane < 0 ? "Memory" : device_name(run, device) + " memory";
        card.detail = hit.lane < 0 ? "" : run.devices()[device].name;
        card.lines.push_back({Tone::memory, "live     " + bytes(live_bytes(run, device))});
        if (const auto in_pixel = extremes_at(live_bytes(run, device), ns, hit.ns_per_px);
            in_pixel.least != in_pixel.most) {
            card.lines.push_back({Tone::dim, "between  " + bytes_text(whole(in_pixel.least)) + " and " +
                                                 bytes_text(whole(in_pixel.most)) + " in this pixel"});
        }
        if (pending_bytes(run, device).size() > 0) {
            card.lines.push_back(
                {Tone::dim, "pending  " + bytes(pending_bytes(run, device)) + ", held by ops that have not run"});
        }
        if (reserved_bytes(run, device).most() > 0) {
            card.lines.push_back({Tone::dim, "reserved " + bytes(reserved_bytes(run, device)) + ", by the allocator"});
        }
        card.lines.push_back({Tone::dim, "at       " + place_text(hit.ns, hit.ns_per_px)});
    } else if (hit.scope >= 0 && hit.scope < static_cast<int>(run.scopes().size())) {
        const auto& scope = run.scopes()[static_cast<std::size_t>(hit.scope)];
        card.title = scope.name;
        card.lines.push_back({Tone::dim, scope.end_ns == model::kPending
                                             ? "running"
                                             : "took     " + program_time_text(run, scope.begin_ns, scope.end_ns)});
    } else if (hit.minibatch >= 0 && hit.minibatch < static_cast<int>(run.minibatches().size())) {
        const auto& batch = run.minibatches()[static_cast<std::size_t>(hit.minibatch)];
        card.title = "Minibatch " + count_text(static_cast<std::uint64_t>(batch.index));
        if (batch.last >= batch.first && batch.first != 0 && run.capabilities().issues) {
            card.lines.push_back({Tone::issue, "ops      " + named(batch.first) + " to " + named(batch.last)});
        }
        if (batch.issue_end_ns != model::kPending) {
            card.lines.push_back(
                {Tone::dim,
                 "took     " + program_time_text(run, batch.issue_begin_ns, batch.issue_end_ns) + " on the frontend"});
        }
    }
    describe_cuts(run, hit, card);
    if (!card.empty() && run.info().simulated) {
        card.lines.push_back({Tone::warning, "SIMULATED"});
    }
    return card;
}

Card describe(const model::Bookmark& bookmark, double ns_per_px) {
    Card card;
    card.title = bookmark.text.empty() ? "Bookmark" : bookmark.text;
    card.lines.push_back({Tone::dim, "at       " + place_text(static_cast<double>(bookmark.begin_ns), ns_per_px)});
    if (bookmark.end_ns > bookmark.begin_ns) {
        card.lines.push_back(
            {Tone::dim, "over     " + duration_text(static_cast<double>(bookmark.end_ns - bookmark.begin_ns))});
    }
    return card;
}

figure::Box place_of_card(figure::Point at, float width, float height, const figure::Box& room, float gap,
                          std::span<const figure::Box> spare) {
    const float right = at.x + gap, left = at.x - gap - width, below = at.y + gap, above = at.y - gap - height;
    const bool right_fits = right + width <= room.x1, below_fits = below + height <= room.y1;
    const auto at_side = [&](bool to_right, bool under) {
        const float x = std::round(std::max(to_right ? right : left, room.x0));
        const float y = std::round(std::max(under ? below : above, room.y0));
        return figure::Box{x, y, x + width, y + height};
    };
    const figure::Box usual = at_side(right_fits, below_fits);
    const auto covered = [&](const figure::Box& place) {
        float area = 0;
        for (const figure::Box& box : spare) {
            area += std::max(0.0F, std::min(box.x1, place.x1) - std::max(box.x0, place.x0)) *
                    std::max(0.0F, std::min(box.y1, place.y1) - std::max(box.y0, place.y0));
        }
        return area;
    };
    figure::Box best = usual;
    float least = covered(usual);
    const std::array<std::pair<bool, bool>, 3> others{
        {{!right_fits, below_fits}, {right_fits, !below_fits}, {!right_fits, !below_fits}}};
    for (const auto& [to_right, under] : others) {
        const figure::Box place = at_side(to_right, under);
        const bool inside = place.x1 <= room.x1 && place.y1 <= room.y1 && !place.contains(at.x, at.y);
        // Changes sides only if that covers at most half as much, to avoid flicker.
        if (const float area = covered(place); inside && 2 * area < least) {
            best = place;
            least = area;
        }
    }
    return best;
}

namespace {

constexpr float kCardTitle = 13, kCardText = 12, kCardLine = 18;

// The card with lines that fit into `room`.
Card fitted(Ui& ui, const Card& card, float room) {
    constexpr std::size_t kLabel = 9;  // "spent on "
    const float most = std::max(room / text_width(ui, Face::mono_medium, kCardText, "0"), 24.0F);
    Card all{card.title, card.detail, {}};
    for (const CardLine& line : card.lines) {
        for (std::string& part : figure::label_lines(line.text, kLabel, static_cast<std::size_t>(most))) {
            all.lines.push_back({line.tone, std::move(part)});
        }
    }
    return all;
}

// The title and the detail do not fit in one line.
bool detail_is_below(Ui& ui, const Card& card, float room) {
    const float detail = card.detail.empty() ? 0 : ui.px(12) + text_width(ui, Face::semibold, kCardTitle, card.detail);
    return text_width(ui, Face::semibold, kCardTitle, card.title) + detail > room;
}

}  // namespace

void draw_hover_card(Ui& ui, ImDrawList* list, const Card& whole, ImVec2 at, ImVec2 min, ImVec2 max,
                     std::span<const figure::Box> spare) {
    if (whole.empty()) {
        return;
    }
    const figure::Theme& t = *ui.theme;
    const float pad = ui.px(14), line = ui.px(kCardLine), gap = ui.px(12);
    const float most = std::min(ui.px(760), max.x - min.x) - 2 * pad;
    const Card card = fitted(ui, whole, most);
    const float title = text_width(ui, Face::semibold, kCardTitle, card.title);
    const float detail = card.detail.empty() ? 0 : gap + text_width(ui, Face::semibold, kCardTitle, card.detail);
    const bool detail_below = detail_is_below(ui, card, most);
    float width = detail_below ? std::max(title, detail - gap) : title + detail;
    for (const auto& l : card.lines) {
        width = std::max(width, text_width(ui, Face::mono_medium, kCardText, l.text));
    }
    width = std::min(width, most) + 2 * pad;
    const float height =
        2 * ui.px(10) +
        line * static_cast<float>(card.lines.size() + (card.title.empty() ? 0u : 1u) + (detail_below ? 1u : 0u)) +
        ui.px(2);
    const figure::Box place =
        place_of_card({at.x, at.y}, width, height, {min.x, min.y, max.x, max.y}, ui.px(14), spare);
    const ImVec2 a{place.x0, place.y0}, b{place.x1, place.y1};
    const float r = ui.exact_px(6);
    const figure::Rgba ground = t.dark ? figure::mixed(t.background, figure::rgb(0), 0.3) : figure::rgb(0xFFFFFF);
    list->AddRectFilled({a.x + ui.px(2), a.y + ui.px(3)}, {b.x + ui.px(2), b.y + ui.px(4)},
                        colour({0, 0, 0, static_cast<std::uint8_t>(t.dark ? 90 : 40)}), r);
    list->AddRectFilled(a, b, colour(ground), r);
    list->AddRect(a, b, colour(figure::mixed(t.border, t.text, 0.15)), r, 0, std::max(1.0f, ui.fonts.scale()));
    draw_hover_card_text(ui, list, card, {a.x + pad, a.y + ui.px(10)}, most);
}

void draw_hover_card_text(Ui& ui, ImDrawList* list, const Card& whole, ImVec2 at, float room) {
    const Card card = fitted(ui, whole, room);
    const figure::Theme& t = *ui.theme;
    const float line = ui.px(kCardLine), gap = ui.px(12), x = at.x;
    const float title = text_width(ui, Face::semibold, kCardTitle, card.title);
    const bool detail_below = detail_is_below(ui, card, room);
    float y = at.y + ui.px(13);
    if (!card.title.empty()) {
        draw_text(ui, list, x, y, Face::semibold, kCardTitle, t.text, card.title, room);
        if (detail_below) {
            y += line;
        }
        draw_text(ui, list, detail_below ? x : x + title + gap, y, Face::medium, kCardTitle, t.dim, card.detail, room);
        y += line + ui.px(2);
    }
    for (const auto& l : card.lines) {
        figure::Rgba c = t.text;
        switch (l.tone) {
            case Tone::issue:
                c = t.issue;
                break;
            case Tone::execute:
                c = t.good;
                break;
            case Tone::wait:
                c = t.wait;
                break;
            case Tone::memory:
                c = t.memory_text;
                break;
            case Tone::dim:
                c = t.dim;
                break;
            case Tone::warning:
                c = t.warning;
                break;
            case Tone::plain:
                break;
        }
        draw_text(ui, list, x, y, Face::mono_medium, kCardText, c, l.text, room);
        y += line;
    }
}

}  // namespace headway::ui
