#include "app/ui/details/graph_panel.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/figure/threads.h"
#include "app/ui/widgets/draw_list_painter.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

constexpr std::size_t kMostNodes = 40, kMostInThreads = 12;
constexpr float kMostZoom = 2;

}  // namespace

// The page of the hovered op, else of the selected op, else of the op that the backend has reached.
void GraphPanel::choose_page(const model::Run& run, const Moment& moment) {
    const bool threads = state_.details.shown == "threads";
    core::OpId anchor = moment.op;
    if (anchor == 0 && state_.timeline.selection.any() && state_.timeline.selection.run == moment.run &&
        state_.timeline.selection.op <= run.op_count()) {
        anchor = state_.timeline.selection.op;
    }
    if (anchor == 0) {
        anchor = std::max<core::OpId>(1, model::op_of_moment(run, moment.ns));
        // What follows the last minibatch (for example reading the results) is not part of the training loop.
        if (!run.minibatches().empty() && anchor > run.minibatches().back().last && run.minibatches().back().last > 0) {
            anchor = run.minibatches().back().last;
        }
    }
    anchor_ = anchor;
    const session::Execution *a = state_.session.a(), *b = state_.session.b();
    const bool ended = (a != nullptr && a->run() == &run) || (b != nullptr && b->run() == &run && !b->grows());
    Key key{&run, state_.session.started(), run.op_count(), anchor, state_.details.graph_line, threads, ended};
    if (graph_.first <= anchor && anchor <= graph_.last) {
        key.anchor = key_.anchor;  // the page shown stays, even if pages of an ended run overlap
    }
    if (key == key_ && !graph_.empty()) {
        return;
    }
    key.anchor = anchor;
    const core::OpId first_before = graph_.first;
    const bool same_run = key_.run == key.run && key_.started == key.started && key_.threads == threads;
    key_ = key;
    model::Graph graph = model::graph_of(
        run, {anchor, threads ? 0 : state_.details.graph_line, threads ? kMostInThreads : kMostNodes, ended});
    if (!same_run || graph.first != first_before) {
        settled_ = touched_ = false;
    }
    if (graph.nodes != graph_.nodes || graph.edges != graph_.edges || cells_.empty()) {
        cells_ = figure::layout_graph(graph);
    }
    graph_ = std::move(graph);
}

// The heading and the choice of ops; returns where the graph may begin.
float GraphPanel::draw_head(const model::Run& run, ImVec2 min, ImVec2 max) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float height = ui_.px(24), pad = ui_.px(14);
    float right = max.x - pad;
    if (state_.details.shown == "graph") {
        const ButtonLook look{ButtonKind::quiet, true, 0, height, 12.5f, {}, 0};
        right -= button_width(ui_, "Save SVG", look);
        if (button(ui_, "graph/save", "Save SVG", {right, min.y + ui_.px(5)}, look)) {
            save(run);
        }
        tooltip(ui_, "Save this graph as a file, in the folder for pictures");
        const std::uint32_t line = core::number_of(run.op(std::max<core::OpId>(1, anchor_)).line);
        const std::array<std::string, 2> choices{"All ops", state_.details.graph_line != 0
                                                                ? "Line " + std::to_string(state_.details.graph_line)
                                                                : "This line"};
        right -= segments_width(ui_, choices, 12.5f, 9) + ui_.px(8);
        const int clicked = segments(ui_, "graph/ops", choices, state_.details.graph_line != 0 ? 1 : 0,
                                     {right, min.y + ui_.px(5)}, t.issue, 12.5f, height, 9);
        if (clicked == 0) {
            state_.details.graph_line = 0;
        } else if (clicked == 1) {
            state_.details.graph_line = state_.details.graph_line != 0 ? 0 : line;
        }
    }
    std::string words = figure::graph_caption(run, graph_);
    if (state_.details.graph_line != 0 && state_.details.shown == "graph") {
        words = graph_.empty() ? "line " + std::to_string(state_.details.graph_line) + " issued no ops near here"
                               : "line " + std::to_string(state_.details.graph_line) + ": " + words;
    }
    float x = min.x + pad;
    float baseline = min.y + ui_.px(21);
    float end = min.y + height + ui_.px(8);
    const float simulated = run.info().simulated ? text_width(ui_, Face::semibold, 12.5f, "SIMULATED") + ui_.px(10) : 0;
    const float wanted = simulated + text_width(ui_, Face::medium, 13, words);
    if (right < max.x - pad && right - x - ui_.px(12) < wanted) {  // no room beside the buttons
        right = max.x - pad;
        baseline += height;
        end += height;
    }
    if (run.info().simulated) {
        x += draw_text(ui_, list, x, baseline, Face::semibold, 12.5f, t.warning, "SIMULATED") + ui_.px(10);
    }
    const float room = right - x;
    if (text_width(ui_, Face::medium, 13, words) <= room) {
        draw_text(ui_, list, x, baseline, Face::medium, 13, t.dim, words);
        return end;
    }
    if (run.info().simulated) {  // on lines of their own
        x = min.x + pad;
        baseline += ui_.px(18);
        end += ui_.px(18);
    }
    const float lines =
        draw_wrapped(ui_, list, {x, baseline - ui_.px(14)}, max.x - pad - x, Face::medium, 13, 18, t.dim, words);
    return end + lines - ui_.px(18);
}

// Eases to the view that fits everything, so that nothing jumps when the graph grows.
void GraphPanel::settle_view(const figure::Box& area) {
    moving_ = false;
    if (touched_) {
        return;
    }
    const figure::GraphView target = figure::fit_graph(cells_, area, ui_.fonts.scale());
    if (!settled_ || !(area == area_)) {
        view_ = target;
        area_ = area;
        settled_ = true;
        return;
    }
    const float step = 1 - std::exp(-ImGui::GetIO().DeltaTime * 12);
    const auto glide = [&](float& from, float to, float least) {
        const bool there = std::abs(to - from) < least;
        from = there ? to : from + (to - from) * step;
        moving_ = moving_ || !there;
    };
    glide(view_.zoom, target.zoom, 0.002f);
    glide(view_.origin.x, target.origin.x, 0.5f);
    glide(view_.origin.y, target.origin.y, 0.5f);
}

void GraphPanel::handle_mouse(const model::Run& run, const figure::Box& area, bool hovered) {
    const ImGuiIO& io = ImGui::GetIO();
    const ImVec2 at = io.MousePos;
    hovered_ = hovered && !panning_ ? picture_.hit(at.x, at.y) : 0;
    const bool graph = state_.details.shown == "graph";
    if (panning_) {
        if (!ImGui::IsMouseDown(ImGuiMouseButton_Left) && !ImGui::IsMouseDown(ImGuiMouseButton_Right)) {
            panning_ = false;
        } else {
            view_.origin.x += io.MouseDelta.x;
            view_.origin.y += io.MouseDelta.y;
        }
    } else if (hovered && graph &&
               (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4) ||
                ImGui::IsMouseDragging(ImGuiMouseButton_Right, 2)) &&
               ImGui::IsItemActive()) {
        panning_ = touched_ = true;
    }
    if (!hovered) {
        return;
    }
    if (graph && io.MouseWheel != 0) {
        const float before = view_.zoom;
        view_.zoom = std::clamp(before * std::pow(1.2f, io.MouseWheel), figure::kLeastGraphZoom * 0.6f, kMostZoom);
        const float factor = view_.zoom / before;
        view_.origin.x = at.x + (view_.origin.x - at.x) * factor;
        view_.origin.y = at.y + (view_.origin.y - at.y) * factor;
        touched_ = true;
    }
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        if (hovered_ != 0) {
            timeline_.choose(run_, hovered_, true);
        } else {
            touched_ = false;
        }
    } else if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && hovered_ != 0) {
        timeline_.choose(run_, hovered_, false);
    }
    // The card of the selected op is already shown in the timeline.
    const bool card_shown = state_.timeline.selection.run == run_ && state_.timeline.selection.op == hovered_ &&
                            timeline_.layout().box_of_op(run_, hovered_).has_value();
    if (hovered_ != 0 && !card_shown && !state_.look.palette_open) {
        figure::Hit hit;
        hit.run = run_;
        hit.op = hovered_;
        const ImVec2 frame = io.DisplaySize;
        draw_hover_card(ui_, ImGui::GetForegroundDrawList(), describe(run, hit), at, {area.x0, ui_.px(60)},
                        {frame.x - ui_.px(8), frame.y - ui_.px(8)});
    }
}

void GraphPanel::save(const model::Run& run) {
    const auto path = state_.exports.folder / picture_name(run.info().program + "-graph", "svg");
    const bool dark = state_.look.theme == figure::ThemeName::dark;
    const auto written =
        figure::write_graph(path.string(), run, graph_, dark ? figure::ThemeName::dark : figure::ThemeName::light);
    state_.notices.add(Notice::Kind::file, written ? Notice::Tone::good : Notice::Tone::bad,
                       written ? "The graph is in " + path.string() : written.error().message);
}

void GraphPanel::draw(ImVec2 min, ImVec2 max) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_ground_card(ui_, list, min, max, sunken(t), 8);
    ui_.rects.insert_or_assign("graph", WidgetRect{min.x, min.y, max.x, max.y});
    picture_ = {};
    hovered_ = 0;
    moving_ = false;
    const Moment moment = timeline_.moment();
    const model::Run* run = timeline_.run_at(moment.run);
    run_ = moment.run;
    if (run == nullptr || run->op_count() == 0) {
        graph_ = {};
        cells_.clear();
        draw_text(ui_, list, min.x + ui_.px(14), min.y + ui_.px(21), Face::medium, 13, t.dim,
                  "No op has been issued yet");
        return;
    }
    const bool threads = state_.details.shown == "threads";
    if (const model::TraceCapabilities capabilities = run->capabilities();
        threads ? !capabilities.issues : !capabilities.tensors) {
        graph_ = {};
        cells_.clear();
        draw_text(ui_, list, min.x + ui_.px(14), min.y + ui_.px(21), Face::medium, 13, t.dim,
                  threads ? "This trace has no issue times" : "This trace has no dependency data",
                  max.x - min.x - ui_.px(28));
        return;
    }
    choose_page(*run, moment);
    const float top = draw_head(*run, min, max);
    const float legend = threads ? 0 : ui_.px(22);
    const figure::Box area{min.x + ui_.px(threads ? 14 : 6), top, max.x - ui_.px(6),
                           std::max(top + 1, max.y - ui_.px(4) - legend)};
    ImGui::SetCursorScreenPos({area.x0, area.y0});
    ImGui::InvisibleButton("graph/area", {std::max(1.0f, area.width()), std::max(1.0f, area.height())},
                           ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
    const bool hovered = ImGui::IsItemHovered() || ImGui::IsItemActive();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const core::OpId selected = state_.timeline.selection.run == run_ ? state_.timeline.selection.op : 0;
    const auto paint_page = [&](core::OpId pointed) {
        if (threads) {
            if (!graph_.empty()) {
                picture_ = figure::draw_threads(*run, {area, &t, &measure_, ui_.fonts.scale(), graph_.first,
                                                       graph_.last, moment.ns, selected, pointed});
            }
        } else {
            picture_ = figure::draw_graph(
                *run, graph_, cells_, {area, &t, &measure_, ui_.fonts.scale(), view_, moment.ns, selected, pointed});
        }
    };
    if (!threads) {
        settle_view(area);
    }
    paint_page(moment.op);
    if (const core::OpId pointed = hovered ? picture_.hit(mouse.x, mouse.y) : 0; pointed != 0) {
        paint_page(pointed);
    }
    layer_.begin({min.x, min.y, max.x, max.y}, 0);
    paint(picture_.list, layer_, ui_.fonts);
    if (!threads) {
        figure::DisplayList words;
        figure::draw_graph_legend(words, min.x + ui_.px(14), max.y - legend / 2 - ui_.px(3), max.x - ui_.px(10), t,
                                  measure_, ui_.fonts.scale());
        paint(words, layer_, ui_.fonts);
    }
    layer_.end();
    layer_.show(list);
    for (const auto& shown : picture_.boxes) {
        if (!area.contains((shown.box.x0 + shown.box.x1) / 2, (shown.box.y0 + shown.box.y1) / 2)) {
            continue;  // outside the visible part
        }
        ui_.rects.try_emplace("graph/op/" + std::to_string(shown.op),
                              WidgetRect{shown.box.x0, shown.box.y0, shown.box.x1, shown.box.y1});
    }
    handle_mouse(*run, area, hovered);
}

}  // namespace headway::ui
