// The names of rows and the headers of runs.
#include <algorithm>

#include "app/model/run/devices.h"
#include "app/model/run/queries.h"
#include "app/render/format.h"
#include "app/timeline/op_words.h"
#include "app/timeline/timeline_rows.h"

namespace headway::figure {

namespace {

// A prefix for the total if the axis shows more than it contains: pauses during which lanes executed ops, or time after
// the measured part. Empty if they differ by less than a hundredth.
std::string before_total(const model::Run& run, double total_ns) {
    const model::ProgramTime& time = run.program_time();
    const auto measured = run.measured();
    const double measured_ns = time.program_ns(measured.end_ns) - time.program_ns(measured.begin_ns);
    const double rest_ns = time.program_ns(run.end_ns()) - time.program_ns(measured.end_ns);
    const double least_ns = total_ns / 100;
    return paused_ns_of(run) > 0 && measured_ns - total_ns > least_ns ? "without pauses "
           : measured.has_end && rest_ns > least_ns                   ? "measured part "
                                                                      : "";
}

void draw_header(const RowPen& pen, const RowBox& row) {
    const TimelineRun& shown = pen.shown;
    const model::Run& run = pen.run;
    const float size = pen.px(pen.style().header_px);
    const float baseline = row.box.y1 - (pen.px(pen.style().header_row_px) - size * kCapHeightEm) / 2 +
                           std::max(0.0F, pen.px(pen.style().header_row_px) - row.box.height()) / 2;
    // At the right: the note. At the left: letter, label, then the warnings about the run.
    const float small = pen.px(pen.style().sublabel_px);
    const auto measured = run.measured();
    const double total =
        static_cast<double>(shown.total_ns >= 0 ? shown.total_ns : measured.end_ns - measured.begin_ns);
    const std::string note = !shown.note.empty()           ? shown.note
                             : model::has_all_records(run) ? before_total(run, total) + duration_text(total)
                                                           : std::string();
    const FontRole note_role = shown.note.empty() || pen.style().ruler_below ? FontRole::mono_bold : FontRole::ui;
    const float note_width = pen.width(note_role, size, note) + pen.px(16);
    // "SIMULATED" is never shortened; the label, and then the note, are shortened to make room for it.
    const std::string simulated = run.info().simulated ? "SIMULATED" : "";
    const float simulated_width = simulated.empty() ? 0 : pen.width(FontRole::ui_bold, small, simulated) + pen.px(14);
    const std::string letter = shown.letter == 0 ? "" : std::string(1, shown.letter) + "   ";
    const float letter_width = pen.width(FontRole::ui_bold, size, letter);
    const bool noted = row.box.width() > letter_width + simulated_width + note_width;
    if (noted) {
        pen.text(row.box.x1, baseline, note,
                 shown.note.empty() || pen.style().ruler_below ? pen.theme().text : pen.theme().faint, size, note_role,
                 Anchor::end);
    }
    float x = row.box.x0;
    const float right = row.box.x1 - (noted ? note_width : 0);
    const auto put = [&](const std::string& words, Rgba colour, FontRole role, float word_size, float end) {
        const std::string fit = shortened(words, end - x, role, word_size, *pen.options.measure);
        pen.text(x, baseline, fit, colour, word_size, role);
        x += fit.empty() ? 0 : pen.width(role, word_size, fit) + pen.px(14);
    };
    const std::string label = shown.label.empty() ? barrier_label(run) : shown.label;
    const Rgba colour_of_run = shown.letter == 'A'   ? pen.theme().run_a
                               : shown.letter == 'B' ? pen.theme().run_b
                                                     : pen.theme().text;
    put(letter + label, colour_of_run, FontRole::ui_bold, size, right - simulated_width);
    if (!simulated.empty()) {
        pen.text(x, baseline, simulated, pen.theme().warning, small, FontRole::ui_bold);
        x += simulated_width;
    }
    if (run.info().file_cut_off) {
        put("file cut off", pen.theme().warning, FontRole::ui_semibold, small, right);
    }
    if (run.lost_records() > 0) {
        put(count_text(run.lost_records()) + (run.lost_records() == 1 ? " record lost" : " records lost"),
            pen.theme().warning, FontRole::ui_semibold, small, right);
    }
    if (pen.options.until_ns < run.program_time().program_ns(run.end_ns())) {
        return;  // the outcome is not known yet
    }
    if (const std::int64_t paused = paused_ns_of(run); paused > 0) {  // pauses are on the axis but not in the total
        put("paused " + duration_text(static_cast<double>(paused)), pen.theme().dim, FontRole::ui_semibold, small,
            right);
    }
    if (run.end().verdict == model::Verdict::crashed) {
        put("crashed", pen.theme().warning, FontRole::ui_semibold, small, right);
    } else if (run.error()) {
        const std::string& why = run.error()->message;
        const bool stopped = run.error()->stopped();
        put(stopped                       ? why
            : pen.style().error_in_header ? "failed: " + why
                                          : "failed",
            stopped ? pen.theme().dim : pen.theme().warning, FontRole::ui_semibold, small, right);
    }
}

// At the height of the minibatches, which are the last line of their row.
void draw_scope_label(const RowPen& pen, const RowBox& row) {
    const model::Run& run = pen.run;
    const float line = row.box.height() / static_cast<float>(scope_lines(run, pen.options.style));
    const float size = std::min(pen.px(pen.style().sublabel_px), line * 0.85F);
    if (!run.minibatches().empty()) {
        pen.text(row.box.x0, row.box.y1 - line / 2 + size * kCapHeightEm / 2,
                 shortened("minibatches", pen.layout.axis.x0 - row.box.x0 - pen.px(8), FontRole::ui, size,
                           *pen.options.measure),
                 pen.theme().dim, size, FontRole::ui);
    }
}

// "1,204 issues, 12 waits", or the part of it that the trace contains, from the longest text to the shortest.
std::vector<std::string> frontend_totals(const RowPen& pen) {
    const auto words = [](std::size_t count, const char* one) {
        return count_text(count) + " " + one + (count == 1 ? "" : "s");
    };
    const std::size_t issues = pen.run.capabilities().issues ? issues_of(pen) : 0, waits = waits_of(pen);
    std::vector<std::string> totals;
    if (issues > 0 && waits > 0) {
        totals.push_back(words(issues, "issue") + ", " + words(waits, "wait"));
    }
    if (issues > 0 || waits > 0) {
        totals.push_back(issues > 0 ? words(issues, "issue") : words(waits, "wait"));
    }
    return totals;
}

// "GPU 1", or "GPU 1 (speed 0.25)"; "" if the run has one device.
std::string device_words(const model::Run& run, std::size_t device) {
    const double speed = speed_of(run, device);
    return device_phrase(run, device) + (speed == 1 ? "" : " (speed " + devices::text_of_speeds({speed}) + ")");
}

}  // namespace

void draw_label(const RowPen& pen, const RowBox& row) {
    std::string name;
    std::string below;
    std::vector<std::string> totals;  // totals instead of a sublabel: the first that fits
    const model::Run& run = pen.run;
    switch (row.kind) {
        case RowKind::ruler:
            return;
        case RowKind::scopes:
            draw_scope_label(pen, row);
            return;
        case RowKind::header:
            draw_header(pen, row);
            return;
        case RowKind::bookmarks:
            name = "Bookmarks";
            break;
        case RowKind::frontend:
            name = "Frontend";
            below = run.capabilities().issues ? "issues, waits" : "waits";
            totals = frontend_totals(pen);
            break;
        case RowKind::headway:
            name = "Headway";
            below = "ops queued";
            break;
        case RowKind::launch:
            name = "Launch";
            below = "to the driver";
            break;
        case RowKind::lane: {
            const std::string device = device_words(run, device_of_lane(run, static_cast<std::size_t>(row.lane)));
            name = run.lanes()[static_cast<std::size_t>(row.lane)].name;
            below = !run.capabilities().backend ? ops_word(run.capabilities(), 2)
                    : device.empty()            ? "executes"
                                                : device + " executes";
            const auto lane = static_cast<std::size_t>(row.lane);
            const bool unused = run.lanes()[lane].ops.empty() && run.running(lane) == nullptr;
            if (const std::size_t count = ops_of(pen, row.lane); count > 0 || unused) {
                const std::string words =
                    unused ? std::string("no ") + ops_word(run.capabilities(), 0) : ops_text(run.capabilities(), count);
                totals = {words};
                if (run.capabilities().backend && device.empty()) {
                    totals = {"executes " + words, words};
                } else if (run.capabilities().backend) {  // several devices may have a lane of this name
                    totals = {below + " " + words, device + ", " + words, device};
                }
            }
            break;
        }
        case RowKind::link: {
            const model::Link& link = run.links()[static_cast<std::size_t>(row.lane)];
            name = link.name;
            below = "copies";
            if (const model::CopySum sum = copies_on(run, link, pen.now_ns()); sum.copies > 0) {
                totals = {copies_text(sum), bytes_text(sum.bytes)};
            }
            break;
        }
        case RowKind::memory:
            name = "Memory";
            below = row.lane < 0 ? "live bytes" : "on " + device_phrase(run, static_cast<std::size_t>(row.lane));
            break;
    }
    if (pen.options.arrangement != nullptr) {
        const auto* setting = model::setting_of(*pen.options.arrangement, row_key(row.kind, row.lane));
        if (setting != nullptr && !setting->name.empty()) {
            if (row.kind == RowKind::lane) {  // the kind of lane, below its name
                below = name;
                const std::string count = totals.empty() ? std::string() : totals.back();
                totals = count.empty() ? totals : std::vector{name + ", " + count};
            }
            name = setting->name;
        }
    }
    const float height = row.box.height();
    const float size = std::min(pen.px(pen.style().label_px), height * 0.8F);
    const float small = pen.px(pen.style().sublabel_px);
    const float pitch = size * 0.3F + small;
    const bool two = height >= size + pitch + pen.px(7);
    if (!two && row.kind == RowKind::memory && row.lane >= 0 && name == "Memory") {
        name = device_name(run, static_cast<std::size_t>(row.lane)) + " memory";  // one row per device
    }
    if (!two && row.kind == RowKind::lane && name == run.lanes()[static_cast<std::size_t>(row.lane)].name) {
        name = stream_name(run, static_cast<std::size_t>(row.lane));  // one row per stream
    }
    const float middle = (row.box.y0 + row.box.y1) / 2;
    const float baseline = middle + size * kCapHeightEm / 2 - (two ? pitch / 2 + pen.px(1) : 0);
    // In curve rows the scale's numbers are drawn next to the axis.
    const bool scaled = row.kind == RowKind::headway || row.kind == RowKind::memory;
    const float room = pen.layout.axis.x0 - row.box.x0 - pen.px(scaled ? pen.style().scale_room_px : 8);
    // Shrink the text a little before shortening it.
    constexpr float kSmallest = 0.72F, kStep = 0.96F;
    float fitted = size;
    while (fitted > size * kSmallest && pen.width(FontRole::ui_semibold, fitted, name) > room) {
        fitted *= kStep;
    }
    if (pen.width(FontRole::ui_semibold, fitted, name) > room) {
        fitted = size;
    }
    pen.text(row.box.x0, baseline, shortened(name, room, FontRole::ui_semibold, fitted, *pen.options.measure),
             pen.theme().text, fitted, FontRole::ui_semibold);
    if (two) {
        const auto total = std::find_if(totals.begin(), totals.end(), [&](const std::string& words) {
            return pen.width(FontRole::ui, small, words) <= room;
        });
        below = total != totals.end() ? *total : below;
        pen.text(row.box.x0, baseline + pitch + pen.px(2),
                 shortened(below, room, FontRole::ui, small, *pen.options.measure), pen.theme().dim, small,
                 FontRole::ui);
    }
    if (pen.style().row_lines) {
        const float y = row.box.y1 - 0.5F;
        pen.list().add(Line{{row.box.x0, y}, {row.box.x1, y}, pen.theme().border, pen.line_px(1)});
    }
}

}  // namespace headway::figure
