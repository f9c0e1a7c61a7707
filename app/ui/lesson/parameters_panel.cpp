#include "app/ui/lesson/parameters_panel.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/render/format.h"
#include "app/ui/widgets/slider.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/system/machine_memory.h"
#include "engine/devices/simulated/cost_model.h"

namespace headway::ui {
namespace {

constexpr float kRow = 32, kFieldWidth = 104, kResetWidth = 26;
constexpr float kNarrow = 330, kLabelRow = 24;  // in a narrow column a parameter's label stands above its slider

float label_width(Ui& ui, float width) {
    return std::min(ui.px(150), std::floor(width * 0.34f));
}

double number_of(const std::string& text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::string budget_words(const session::Settings& settings) {
    return settings.budget_bytes == 0                 ? "the default budget"
           : settings.budget_bytes == core::kNoBudget ? "no budget"
                                                      : "budget " + figure::budget_text(settings.budget_bytes);
}

// The settings under "Engine": those that are not the usual ones, as many as fit, else what there is to set.
std::string engine_words(Ui& ui, const session::Settings& settings, float room) {
    std::vector<std::string> parts;
    if (settings.issue == "graph") {
        parts.emplace_back("issued as graphs");
    }
    if (settings.queue_limit != 0) {
        parts.push_back("queue limit " + figure::count_text(settings.queue_limit));
    }
    if (settings.budget_bytes != 0) {
        parts.push_back(budget_words(settings));
    }
    if (!settings.free_policy.empty()) {
        parts.push_back("free at " + settings.free_policy);
    }
    if (settings.seed != 0) {
        parts.push_back("seed " + std::to_string(settings.seed));
    }
    if (parts.empty()) {
        return "memory, limits, seed";
    }
    for (std::size_t shown = parts.size();; --shown) {
        std::string words;
        for (std::size_t i = 0; i < shown; ++i) {
            words += (i == 0 ? "" : " · ") + parts[i];
        }
        words += shown < parts.size() ? " + " + std::to_string(parts.size() - shown) + " more" : "";
        if (shown <= 1 || text_width(ui, Face::regular, 12.5f, words) <= room) {
            return words;
        }
    }
}

}  // namespace

void ParametersPanel::draw(float width) {
    if (lesson_ != state_.programs.index()) {
        lesson_ = state_.programs.index();
        fields_.clear();
    }
    const lesson::Lesson* lesson = state_.programs.lesson();
    if (lesson != nullptr && !lesson->parameters.empty()) {
        const bool changed = std::any_of(lesson->parameters.begin(), lesson->parameters.end(),
                                         [this](const auto& p) { return !state_.settings.at_default(p); });
        section("Parameters", width, changed);
        for (const auto& parameter : lesson->parameters) {
            parameter_row(parameter, width);
        }
        ImGui::Dummy({width, ui_.px(8)});
    }
    engine_rows(width);
}

bool ParametersPanel::editing() const {
    return std::any_of(fields_.begin(), fields_.end(), [](const auto& field) { return field.second.editing; });
}

bool ParametersPanel::refused() const {
    return std::any_of(fields_.begin(), fields_.end(), [](const auto& field) { return !field.second.problem.empty(); });
}

void ParametersPanel::section(const char* title, float width, bool can_reset) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(ui_, list, at.x, at.y + ui_.px(16), Face::semibold, 13, ui_.theme->dim, title);
    if (can_reset) {
        const ButtonLook look{.kind = ButtonKind::quiet, .height = ui_.px(24), .text_px = 12.5f};
        const float w = button_width(ui_, "Reset to defaults", look);
        if (button(ui_, "parameters/reset", "Reset to defaults", {at.x + width - w, at.y}, look)) {
            state_.settings.reset_parameters(state_.programs.lesson());
            fields_.clear();
        }
    }
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({width, ui_.px(26)});
}

void ParametersPanel::row_label(const std::string& label, const std::string& help, float room) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    float size = 14;
    while (size > 11 && text_width(ui_, Face::regular, size, label) > room) {
        size -= 1;
    }
    ImGui::Dummy({room, ui_.px(kRow - 4)});
    tooltip(ui_, text_width(ui_, Face::regular, size, label) > room ? label + "\n" + help : help);
    draw_text(ui_, ImGui::GetWindowDrawList(), at.x, at.y + ui_.px(19), Face::regular, size, ui_.theme->text, label,
              room);
}

bool ParametersPanel::reset_button(const std::string& id, ImVec2 at) {
    ImGui::SetCursorScreenPos(at);
    ImGui::PushID(id.c_str());
    const bool clicked = ImGui::InvisibleButton("reset", {ui_.px(kResetWidth), ui_.px(28)});
    ImGui::PopID();
    register_item(ui_, id);
    const bool hovered = ImGui::IsItemHovered();
    tooltip(ui_, "Reset to the default");
    // An arrow in a circle.
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 c{at.x + ui_.px(13), at.y + ui_.px(14)};
    const float r = ui_.exact_px(5);
    const ImU32 ink = colour(hovered ? ui_.theme->text : ui_.theme->dim);
    list->PathArcTo(c, r, -2.4f, 2.6f, 20);
    list->PathStroke(ink, 0, ui_.exact_px(1.5f));
    const ImVec2 tip{c.x + r * std::cos(-2.4f), c.y + r * std::sin(-2.4f)};
    const float h = ui_.exact_px(3.4f);
    list->AddTriangleFilled({tip.x - h * 0.9f, tip.y + h * 0.7f}, {tip.x + h * 0.9f, tip.y + h * 0.9f},
                            {tip.x - h * 0.2f, tip.y - h * 1.1f}, ink);
    return clicked;
}

bool ParametersPanel::field(const std::string& id, const std::string& value, float width, Field& state) {
    if (!state.editing && state.problem.empty()) {
        state.text = value;
    }
    const FontScope font(ui_, Face::mono, 13);
    const bool wrong = !state.problem.empty();
    if (wrong) {
        ImGui::PushStyleColor(ImGuiCol_Border, colour4(ui_.theme->warning));
    }
    ImGui::SetNextItemWidth(width);
    const float text_height = ImGui::GetFontSize();
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui_.px(8), std::floor((ui_.px(28) - text_height) / 2)});
    ImGui::PushID(id.c_str());
    const bool entered = ImGui::InputText("##field", &state.text,
                                          ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::PopID();
    ImGui::PopStyleVar();
    if (wrong) {
        ImGui::PopStyleColor();
    }
    register_item(ui_, id);
    state.editing = ImGui::IsItemActive();
    return (entered || ImGui::IsItemDeactivatedAfterEdit()) && state.text != value;
}

void ParametersPanel::problem_line(const Field& field, float width) {
    if (field.problem.empty()) {
        return;
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = draw_wrapped(ui_, ImGui::GetWindowDrawList(), at, width, Face::regular, 12.5f, 17,
                                      ui_.theme->warning, field.problem);
    ImGui::Dummy({width, height + ui_.px(4)});
}

void ParametersPanel::parameter_row(const lesson::Parameter& parameter, float width) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string id = "parameter/" + parameter.name;
    const std::string value = state_.settings.parameter(parameter.name);
    const std::string help = parameter.help + (parameter.help.empty() ? "" : "\n") + lesson::range_of(parameter);
    const bool narrow = width < ui_.px(kNarrow);
    row_label(parameter.label.empty() ? parameter.name : parameter.label, help,
              narrow ? width : label_width(ui_, width) - ui_.px(8));
    const float left = narrow ? at.x : at.x + label_width(ui_, width), right = at.x + width - ui_.px(kResetWidth);
    const float top = narrow ? at.y + ui_.px(kLabelRow) : at.y;
    Field& f = fields_[parameter.name];
    if (!parameter.choices.empty()) {
        const auto chosen = std::find(parameter.choices.begin(), parameter.choices.end(), value);
        const int clicked =
            segments(ui_, id.c_str(), parameter.choices, static_cast<int>(chosen - parameter.choices.begin()),
                     {left, top}, ui_.theme->issue, 13, ui_.px(28), 10);
        if (clicked >= 0) {
            state_.settings.set_parameter(parameter, parameter.choices[static_cast<std::size_t>(clicked)]);
        }
    } else {
        const float field_width = ui_.px(kFieldWidth);
        const float slider_width = right - left - field_width - ui_.px(10);
        if (slider_width > ui_.px(60) && parameter.most > parameter.least) {
            // Sliders over wide ranges are logarithmic.
            const bool logarithmic = parameter.least > 0 && parameter.most / parameter.least >= 100;
            const double least = logarithmic ? std::log(parameter.least) : parameter.least;
            const double most = logarithmic ? std::log(parameter.most) : parameter.most;
            const double now = number_of(value);
            const double share =
                ((logarithmic ? std::log(std::max(now, parameter.least)) : now) - least) / (most - least);
            const float knob = ui_.px(7);
            if (const auto moved = slider(ui_, id + "/slider", {left + knob, top + ui_.px(14)}, slider_width - 2 * knob,
                                          share, {.ink = ui_.theme->issue})) {
                double wanted = least + *moved * (most - least);
                wanted = logarithmic ? std::exp(wanted) : wanted;
                if (logarithmic) {  // two digits are precise enough for a slider
                    const double unit = std::pow(10.0, std::floor(std::log10(wanted)) - 1);
                    wanted = std::round(wanted / unit) * unit;
                }
                wanted = std::clamp(parameter.whole ? std::round(wanted) : wanted, parameter.least, parameter.most);
                state_.settings.set_parameter(parameter, lesson::text_of(wanted));
                f.problem.clear();
            }
        }
        ImGui::SetCursorScreenPos({right - field_width, top});
        if (field(id, value, field_width, f)) {
            f.problem = state_.settings.set_parameter(parameter, f.text);
        }
    }
    if (!state_.settings.at_default(parameter) || !f.problem.empty()) {
        if (reset_button(id + "/reset", {right, top})) {
            state_.settings.set_parameter(parameter, parameter.value);
            f = {};
        }
    }
    ImGui::SetCursorScreenPos({at.x, top + ui_.px(kRow)});
    problem_line(f, width);
}

void ParametersPanel::engine_rows(float width) {
    session::Settings& settings = state_.session.settings;
    if (settings.program.empty()) {
        return;  // a recording cannot be run
    }
    const figure::Theme& t = *ui_.theme;
    // A heading that expands; while collapsed, it summarises the settings.
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (std::exchange(scroll_to_engine_, false)) {
        ImGui::SetScrollFromPosY(at.y - ImGui::GetWindowPos().y, 0);
    }
    if (ImGui::InvisibleButton("engine", {width, ui_.px(26)})) {
        engine_open_ = !engine_open_;
    }
    register_item(ui_, "engine");
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool hovered = ImGui::IsItemHovered();
    const figure::Rgba ink = hovered ? t.text : t.dim;
    const float title = draw_text(ui_, list, at.x, at.y + ui_.px(16), Face::semibold, 13, ink, "Engine");
    const float ax = at.x + title + ui_.px(12), ay = at.y + ui_.px(12), r = ui_.exact_px(4);
    if (engine_open_) {
        list->AddTriangleFilled({ax - r, ay - r * 0.5f}, {ax + r, ay - r * 0.5f}, {ax, ay + r * 0.7f}, colour(ink));
    } else {
        list->AddTriangleFilled({ax - r * 0.5f, ay - r}, {ax - r * 0.5f, ay + r}, {ax + r * 0.7f, ay}, colour(ink));
        draw_text(ui_, list, ax + ui_.px(14), at.y + ui_.px(16), Face::regular, 12.5f, t.faint,
                  engine_words(ui_, settings, at.x + width - ax - ui_.px(14)));
    }
    if (!engine_open_) {
        return;
    }
    const float left = at.x + label_width(ui_, width);
    const float field_width = ui_.px(kFieldWidth);
    const auto row = [&](const std::string& label, const std::string& help) {
        const ImVec2 top = ImGui::GetCursorScreenPos();
        row_label(label, help, label_width(ui_, width) - ui_.px(8));
        ImGui::SetCursorScreenPos({left, top.y});
        return top;
    };
    const auto next = [&](ImVec2 top, const Field* f) {
        ImGui::SetCursorScreenPos({top.x, top.y + ui_.px(kRow)});
        if (f != nullptr) {
            problem_line(*f, width);
        }
    };
    // Buttons for the words `value` may be, or "" for the first; below the label where there is no room beside it.
    const auto choice_row = [&](const char* id, const char* label, const char* help,
                                const std::vector<std::string>& words, std::string& value,
                                bool first_is_empty = false) {
        ImVec2 top = row(label, help);
        const bool below = segments_width(ui_, words, 13, 10) > at.x + width - left;
        top.y += below ? ui_.px(kLabelRow) : 0;
        const auto found = std::find(words.begin(), words.end(), value);
        const auto chosen = found != words.end() ? found - words.begin() : 0;
        const int clicked = segments(ui_, id, words, static_cast<int>(chosen), {below ? top.x : left, top.y}, t.issue,
                                     13, ui_.px(28), 10);
        if (clicked >= 0) {
            value = clicked == 0 && first_is_empty ? std::string() : words[static_cast<std::size_t>(clicked)];
        }
        next(top, nullptr);
    };
    choice_row("free_policy", "Free policy",
               "When the memory of a released tensor can be used again. finish: when its last reader has finished; "
               "stream: at once, by ops that are issued later; lazy: the same as finish, and an op takes its memory "
               "only when it starts. default: as in the program's framework",
               {"default", "finish", "stream", "lazy"}, settings.free_policy, true);
    {
        const ImVec2 top = row("Memory budget",
                               "Bytes that tensors may take: 512M, 2G, or none; empty for the default: half of the "
                               "machine's memory; on cuda no limit. Acts at once.");
        Field& f = fields_["!budget"];
        const std::string value = settings.budget_bytes == 0 ? "default"
                                  : settings.budget_bytes == core::kNoBudget
                                      ? "none"
                                      : figure::budget_text(settings.budget_bytes);
        if (field("budget", value, field_width, f)) {
            f.problem = state_.settings.set_budget(f.text);
        }
        next(top, &f);
    }
    // Number fields; the default is written as 0 or empty.
    const auto number_row = [&](const char* id, const char* label, const char* help, std::uint64_t now,
                                const char* zero, std::uint64_t most, auto accept) {
        const ImVec2 top = row(label, help);
        Field& f = fields_[std::string("!") + id];
        const std::string value = now != 0 || *zero == 0 ? std::to_string(now) : zero;
        if (field(id, value, field_width, f)) {
            std::uint64_t wanted = 0;
            const char* end = f.text.data() + f.text.size();
            const auto [rest, problem] = std::from_chars(f.text.data(), end, wanted);
            if (f.text.empty() || f.text == zero) {
                f.problem.clear();
                accept(std::uint64_t{0});
            } else if (problem != std::errc{} || rest != end || wanted > most) {
                f.problem = std::string(label) + " is a whole number up to " + figure::count_text(most) +
                            (*zero != 0 ? std::string(", or ") + zero : std::string());
            } else {
                f.problem.clear();
                accept(wanted);
            }
        }
        next(top, &f);
    };
    number_row("queue_limit", "Queue limit", "How many ops may be issued and not finished. Acts at once.",
               settings.queue_limit, "none", 1u << 24,
               [&](std::uint64_t n) { state_.session.set_queue_limit(static_cast<std::uint32_t>(n)); });
    if (settings.device == "cpu") {
        number_row("workers", "Workers", "CPU lanes: threads that execute ops", settings.workers, "default",
                   core::kMaxLanesOfDevice, [&](std::uint64_t n) { settings.workers = static_cast<std::uint32_t>(n); });
    } else {
        number_row("streams", "Streams", "GPU lanes; default: as many as the program's framework has", settings.streams,
                   "default", core::kMaxLanesOfDevice,
                   [&](std::uint64_t n) { settings.streams = static_cast<std::uint32_t>(n); });
        number_row("gpus", "GPUs", "GPUs of the run, for programs that use several; default: 1", settings.gpus,
                   "default", core::kMaxGpus, [&](std::uint64_t n) { settings.gpus = static_cast<std::uint32_t>(n); });
    }
    if (settings.device == "simulated" && settings.gpus > 1) {
        choice_row("links", "Links",
                   "What joins the simulated GPUs: pcie, one bus for all; pairs of NVLink, and the bus; or a ring of "
                   "NVLink, and the bus",
                   {"pcie", "pairs", "ring"}, settings.links);
        const ImVec2 top = row("Speeds", "Of each simulated GPU, relative to the cost model: 1, 0.5; default: all 1");
        Field& f = fields_["!speeds"];
        const bool own = settings.gpu_speeds.size() == settings.gpus;
        if (field("speeds", own ? devices::text_of_speeds(settings.gpu_speeds) : "default", field_width, f)) {
            f.problem = state_.settings.set_gpu_speeds(f.text);
        }
        next(top, &f);
    }
    if (settings.device == "simulated") {
        const ImVec2 top = row("Costs",
                               "What steps take on the simulated device: t1=1us,t2=0.95us,t3=1us; also line and "
                               "print of the frontend. Empty: its cost models");
        Field& f = fields_["!costs"];
        if (field("costs", settings.costs, field_width, f)) {
            settings.costs = f.text;
        }
        next(top, &f);
    }
    choice_row(
        "issue", "Issue",
        "Op by op, or as graphs: everything the program requests between two waits is collected and issued as one op",
        {"op", "graph"}, settings.issue);
    if (settings.device == "cuda") {
        choice_row(
            "launch", "Launch",
            "The thread that hands ops to the GPU's driver: one of the engine's own, as in MXNet, or the frontend, as "
            "in PyTorch, where issuing an op also launches it",
            {"engine", "frontend"}, settings.launch);
        choice_row("copies", "Copies",
                   "Host memory that values are copied through: pinned, or pageable, where an asynchronous copy waits "
                   "after all",
                   {"pinned", "pageable"}, settings.copies);
        choice_row("products", "Products", "TF32 rounds factors to 10 bits of mantissa and uses the tensor cores",
                   {"float32", "tf32"}, settings.products);
    }
    number_row("seed", "Seed", "The same seed gives the same values", settings.seed, "", (std::uint64_t{1} << 63) - 1,
               [&](std::uint64_t n) { settings.seed = n; });
}

}  // namespace headway::ui
