#include "app/ui/shell/top_bar.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cstring>
#include <string>
#include <vector>

#include "app/ui/widgets/menu.h"
#include "app/ui/widgets/widgets.h"
#include "engine/trace/barrier_names.h"

namespace headway::ui {
namespace {

using trace::BarrierNames;
using trace::kOfferedBarriers;

constexpr float kBarGap = 8, kGroupGap = 26;
constexpr float kBarrierMenu = 320;
constexpr float kWholeTitle = FLT_MAX;
constexpr float kRoomyTitle = 150, kLeastTitle = 56;  // enough to recognise a lesson; for its number alone
constexpr float kRunWidth = 86, kPauseWidth = 82, kResetWidth = 66;

// "CUDA". The simulated device is always labelled as simulated.
std::string kind_label(const std::string& kind) {
    return kind == "cpu" ? "CPU" : kind == "cuda" ? "CUDA" : kind == "simulated" ? "SIMULATED" : kind;
}
// "CPU · Xeon": without the words that every processor name contains.
std::string device_label(const session::ListedDevice& device) {
    std::string name = device.name == device.kind ? std::string() : device.name;
    for (const char* noise : {"(R)", "(TM)", " Processor", " CPU"}) {
        for (std::size_t at = name.find(noise); at != std::string::npos; at = name.find(noise)) {
            name.erase(at, std::strlen(noise));
        }
    }
    return kind_label(device.kind) + (name.empty() ? "" : " · " + name);
}

std::vector<std::string> barrier_names(const char* BarrierNames::*name) {
    std::vector<std::string> names;
    for (const trace::BarrierPolicy policy : kOfferedBarriers) {
        names.push_back(name_of(policy, name));
    }
    return names;
}
std::vector<std::string> barrier_labels() {
    return barrier_names(&BarrierNames::button);
}
std::string menu_label(const std::string& barrier) {
    return "Barrier: " + barrier;
}

}  // namespace

std::string TopBar::command_label(const char* text, std::string_view id) const {
    return std::string(text) + "   " + ui_.keys_of(id);
}

void TopBar::draw(ImVec2 min, ImVec2 max) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_ground(ui_, list, min, max, t.panel);
    const float line = std::max(1.0f, std::floor(ui_.fonts.scale()));
    list->AddRectFilled({min.x, max.y - line}, max, colour(t.border));
    top_ = min.y;
    const float y = min.y + ui_.px(13);
    const float width = max.x - min.x;

    // From the right: export, theme, device. The rest shares the remaining width.
    const ButtonLook menu{.icon = 'v'};
    const float export_width = button_width(ui_, "Export", menu);
    float right = max.x - ui_.px(width / ui_.fonts.scale() > 1500 ? 20 : 12);
    draw_export(right - export_width, y, export_width);
    right -= export_width + ui_.px(kBarGap);
    const bool roomy = width / ui_.fonts.scale() > 1500;
    // In a narrow window the modes are a menu, and what is needed least is left out; its commands still work.
    narrow_ = width / ui_.fonts.scale() < 1150;
    if (!narrow_) {
        draw_theme(right - ui_.px(34), y);
        right -= ui_.px(34) + ui_.px(kBarGap);
    }
    const float run_width = ui_.px(kRunWidth + kPauseWidth + kBarGap) + (narrow_ ? 0 : ui_.px(kResetWidth + kBarGap));
    const float group_gap = ui_.px(roomy ? kGroupGap : 14);
    // The device button always has room for the longest kind, so that nothing moves when another device is chosen. The
    // device's name is shown if there is room.
    float least_device = device_width(kind_label(state_.session.settings.device));
    for (const auto& device : state_.session.devices()) {
        least_device = std::max(least_device, device_width(kind_label(device.kind)));
    }
    const auto room = [&](bool whole_title) {
        return right -
               (min.x + ui_.px(24) +
                title_width(whole_title ? kWholeTitle
                            : roomy     ? kRoomyTitle
                                        : kLeastTitle) +
                ui_.px(16)) -
               run_width - 3 * group_gap - modes_width(roomy) - least_device;
    };
    // When room is short: narrower barrier buttons first, then a shorter title, then a menu. Each form names the
    // barrier: "None" alone says nothing.
    struct Choice {
        BarrierForm form;
        bool whole_title;
    };
    BarrierForm form{false, 0};
    for (const auto& choice : {Choice{{true, 14}, true}, Choice{{true, 10}, true}, Choice{{true, 7}, true},
                               Choice{{true, 10}, false}, Choice{{true, 7}, false}, Choice{{true, 5}, false}}) {
        if (barrier_width(choice.form) <= room(choice.whole_title)) {
            form = choice.form;
            break;
        }
    }
    const float fixed = modes_width(roomy) + group_gap + run_width + group_gap + barrier_width(form) + group_gap;
    // By design the buttons are next to the panel's edge; they move left if the rest would not fit.
    float x = std::max(std::min(min.x + ui_.px(500), right - fixed - least_device), min.x + ui_.px(24));
    draw_title(min.x + ui_.px(24), x - min.x - ui_.px(24) - ui_.px(16));
    draw_modes(x, y, roomy);
    x += group_gap;
    draw_run_buttons(x, y);
    x += group_gap;
    draw_barrier(x, y, form);
    x += group_gap;
    draw_device(x, y, std::clamp(right - x, least_device, std::max(least_device, ui_.px(340))));
}

// Width of logo, number and arrow, and of the title, of which this much is shown.
float TopBar::title_width(float most) {
    const lesson::Lesson* lesson = state_.programs.lesson();
    float width = ui_.px(48);
    if (lesson != nullptr) {
        width += ui_.px(30);
        width +=
            lesson->number > 0 ? text_width(ui_, Face::mono_bold, 15, std::to_string(lesson->number)) + ui_.px(10) : 0;
        width += std::min(text_width(ui_, Face::semibold, 16, lesson->title), ui_.px(most));
    }
    return width;
}

namespace {

std::vector<std::string> mode_labels() {
    return {"Map", name_of(Mode::learn), name_of(Mode::step), name_of(Mode::compare)};
}
float mode_padding(bool roomy) {
    return roomy ? 14 : 9;
}

}  // namespace

float TopBar::modes_width(bool roomy) {
    if (narrow_) {
        return button_width(ui_, name_of(Mode::compare), {.icon = 'v'});
    }
    return segments_width(ui_, mode_labels(), 14, mode_padding(roomy));
}

void TopBar::draw_modes(float& x, float y, bool roomy) {
    const auto labels = mode_labels();
    const int shown = state_.look.map ? 0 : 1 + static_cast<int>(state_.look.mode);
    const auto show = [this](std::size_t index) {
        ui_.run_command(index == 0 ? std::string("window.map")
                                   : std::string("mode.") + word_of(static_cast<Mode>(index - 1)));
    };
    if (narrow_) {
        if (button(ui_, "mode", labels[static_cast<std::size_t>(shown)], {x, y},
                   {.width = modes_width(roomy), .icon = 'v'})) {
            ImGui::OpenPopup("modes");
        }
        if (begin_menu(ui_, "modes", {x, y + ui_.px(34)}, ui_.px(140))) {
            for (std::size_t i = 0; i < labels.size(); ++i) {
                if (menu_row(ui_, "mode/" + labels[i], labels[i], {}, true, ui_.px(140))) {
                    show(i);
                }
            }
            end_menu();
        }
        x += modes_width(roomy);
        return;
    }
    const int clicked = segments(ui_, "mode", labels, shown, {x, y}, ui_.theme->issue, 14, 0, mode_padding(roomy));
    if (clicked >= 0) {
        show(static_cast<std::size_t>(clicked));
    }
    x += modes_width(roomy);
}

float TopBar::device_width(const std::string& label) {
    return std::ceil(text_width(ui_, Face::medium, 14, label)) + ui_.px(55);
}

void TopBar::draw_title(float x, float room) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float s = ui_.fonts.scale(), y = top_;
    const ImU32 c = colour(t.issue);
    const float stroke = 3 * s;
    const auto p = [&](float dx, float dy) { return ImVec2(x - 24 * s + dx * s, y + dy * s); };
    const auto logo_line = [&](ImVec2 a, ImVec2 b) {
        list->AddLine(a, b, c, stroke);
        list->AddCircleFilled(a, stroke / 2, c, 12);
        list->AddCircleFilled(b, stroke / 2, c, 12);
    };
    logo_line(p(24, 20), p(24, 36));
    logo_line(p(24, 28), p(40, 28));
    logo_line(p(40, 20), p(40, 36));
    logo_line(p(46, 28), p(58, 28));
    logo_line(p(53, 23), p(58, 28));
    logo_line(p(58, 28), p(53, 33));
    const float baseline = y + ui_.px(34);
    float left = x + ui_.px(48);
    const float end = x + room;
    // The program's name is dropped if the lesson's title needs the room.
    const float name = text_width(ui_, Face::bold, 19, "Headway") + ui_.px(12);
    if (title_width(kWholeTitle) + name <= room) {
        left += draw_text(ui_, list, left, baseline, Face::bold, 19, t.text, "Headway") + ui_.px(12);
    }
    const lesson::Lesson* lesson = state_.programs.lesson();
    if (lesson == nullptr) {
        return;
    }
    // Clicking the title opens the list of lessons.
    const ImVec2 at{left - ui_.px(6), y + ui_.px(12)};
    const float width = end - at.x;
    if (width < ui_.px(40)) {
        return;
    }
    const std::string number = lesson->number > 0 ? std::to_string(lesson->number) : std::string();
    const float number_width = number.empty() ? 0 : text_width(ui_, Face::mono_bold, 15, number) + ui_.px(10);
    const float title_room = width - number_width - ui_.px(30) + 1;
    const std::string title = elided(ui_, Face::semibold, 16, lesson->title, title_room);
    const float shown_width = text_width(ui_, Face::semibold, 16, title);
    const float all = number_width + shown_width + ui_.px(30);
    ImGui::SetCursorScreenPos(at);
    if (ImGui::InvisibleButton("lesson", {std::max(all, 1.0f), ui_.px(32)})) {
        ImGui::OpenPopup("lessons");
    }
    register_item(ui_, "lesson");
    tooltip(ui_, title == lesson->title ? std::string() : lesson->title);
    if (ImGui::IsItemHovered()) {
        list->AddRectFilled(at, {at.x + all, at.y + ui_.px(32)}, colour(figure::mixed(t.panel, t.text, 0.08)),
                            ui_.exact_px(6));
    }
    draw_text(ui_, list, left, baseline, Face::mono_bold, 15, t.faint, number);
    draw_text(ui_, list, left + number_width, baseline, Face::semibold, 16, t.text, title);
    const float arrow = left + number_width + shown_width + ui_.px(11), r = ui_.exact_px(4);
    list->AddTriangleFilled({arrow - r, baseline - ui_.px(7)}, {arrow + r, baseline - ui_.px(7)},
                            {arrow, baseline - ui_.px(2)}, colour(t.faint));
    lessons_popup();
}

void TopBar::lessons_popup() {
    if (!begin_menu(ui_, "lessons", {ui_.px(60), top_ + ui_.px(50)}, ui_.px(400))) {
        return;
    }
    const auto& lessons = state_.programs.lessons();
    for (std::size_t i = 0; i < lessons.size(); ++i) {
        const std::string number = lessons[i].number > 0 ? std::to_string(lessons[i].number) : "•";
        const std::string title = number + "   " + lessons[i].title;
        if (menu_row(ui_, "lesson/" + lessons[i].id, title, {}, true, ui_.px(400))) {
            state_.programs.go_to(static_cast<int>(i));
        }
    }
    if (menu_row(ui_, "lessons/exercises", "Exercises…", "tasks that are checked", true, ui_.px(400))) {
        ui_.run_command("exercise.open");
    }
    if (menu_row(ui_, "lessons/open", command_label("Open…", "source.open"), "a program or a lesson from disk", true,
                 ui_.px(400))) {
        ui_.run_command("source.open");
    }
    end_menu();
}

void TopBar::draw_run_buttons(float& x, float y) {
    const auto& session = state_.session;
    const bool live = session.live();
    const bool paused = session.paused();
    ButtonLook look{
        .kind = ButtonKind::primary, .enabled = !session.settings.program.empty(), .width = ui_.px(kRunWidth)};
    look.icon = live ? '#' : '>';
    look.accent = live ? ui_.theme->wait : ui_.theme->issue;
    if (button(ui_, live ? "stop" : "run", live ? "Stop" : "Run", {x, y}, look)) {
        live ? state_.stop() : state_.run();
    }
    tooltip_of_command(ui_, live ? "End the program at its next op" : "Run the program",
                       live ? "run.stop" : "run.toggle");
    x += ui_.px(kRunWidth + kBarGap);
    ButtonLook pause{.enabled = live, .width = ui_.px(kPauseWidth)};
    pause.icon = paused ? '>' : '=';
    pause.kind = paused ? ButtonKind::selected : ButtonKind::plain;
    if (button(ui_, "pause", paused ? "Resume" : "Pause", {x, y}, pause)) {
        state_.run_or_pause();
    }
    tooltip_of_command(ui_, "Pause the frontend; the backend executes the ops already queued", "run.toggle");
    x += ui_.px(kPauseWidth);
    if (narrow_) {
        return;
    }
    x += ui_.px(kBarGap);
    ButtonLook reset{.enabled = session.a() != nullptr || session.b() != nullptr, .width = ui_.px(kResetWidth)};
    if (button(ui_, "reset", "Reset", {x, y}, reset)) {
        state_.reset();
    }
    tooltip(ui_, "Forget both runs");
    x += ui_.px(kResetWidth);
}

float TopBar::barrier_width(const BarrierForm& form) {
    if (form.padding <= 0) {
        float widest = 0;
        for (const std::string& label : barrier_labels()) {
            widest = std::max(widest, button_width(ui_, menu_label(label), {.icon = 'v'}));
        }
        return widest;
    }
    return segments_width(ui_, barrier_labels(), 14, form.padding) +
           (form.labelled ? text_width(ui_, Face::medium, 14, "Barrier") + ui_.px(14) : 0);
}

void TopBar::draw_barrier(float& x, float y, const BarrierForm& form) {
    const figure::Theme& t = *ui_.theme;
    const auto* const chosen =
        std::find(kOfferedBarriers.begin(), kOfferedBarriers.end(), state_.session.settings.barrier);
    const int selected = chosen == kOfferedBarriers.end() ? -1 : static_cast<int>(chosen - kOfferedBarriers.begin());
    const float width = barrier_width(form);
    int clicked = -1;
    if (form.padding <= 0) {
        const std::string now = name_of(state_.session.settings.barrier, &BarrierNames::button);
        if (button(ui_, "barrier", menu_label(now), {x, y},
                   {.kind = ButtonKind::selected, .width = width, .accent = t.run_b, .icon = 'v'})) {
            ImGui::OpenPopup("barriers");
        }
        if (begin_menu(ui_, "barriers", {x, y + ui_.px(34)}, ui_.px(kBarrierMenu))) {
            for (std::size_t i = 0; i < kOfferedBarriers.size(); ++i) {
                const std::string label = name_of(kOfferedBarriers[i], &BarrierNames::button);
                const bool now_chosen = static_cast<int>(i) == selected;
                if (menu_row(ui_, "barrier/" + label, label, name_of(kOfferedBarriers[i], &BarrierNames::tip), true,
                             ui_.px(kBarrierMenu), now_chosen ? &t.run_b : nullptr)) {
                    clicked = static_cast<int>(i);
                }
            }
            end_menu();
        }
    } else {
        if (form.labelled) {
            draw_text(ui_, ImGui::GetWindowDrawList(), x, y + ui_.px(20), Face::medium, 14, t.dim, "Barrier");
        }
        const auto labels = barrier_labels();
        clicked =
            segments(ui_, "barrier", labels, selected, {x + width - segments_width(ui_, labels, 14, form.padding), y},
                     t.run_b, 14, 0, form.padding, barrier_names(&BarrierNames::tip));
    }
    if (clicked >= 0) {
        state_.settings.set_barrier(kOfferedBarriers[static_cast<std::size_t>(clicked)]);
    }
    x += width;
}

void TopBar::draw_device(float x, float y, float width) {
    const figure::Theme& t = *ui_.theme;
    const auto& devices = state_.session.devices();
    const auto chosen = std::find_if(devices.begin(), devices.end(),
                                     [this](const auto& d) { return d.kind == state_.session.settings.device; });
    const bool available = chosen != devices.end() && chosen->available;
    const std::string full = chosen != devices.end() ? device_label(*chosen) : state_.session.settings.device;
    // If the name does not fit, only the kind of device is shown.
    const float room = width - ui_.px(54);
    const std::string label = device_width(full) <= width || chosen == devices.end() ? full : kind_label(chosen->kind);
    const ImVec2 at{x, y};
    ImGui::SetCursorScreenPos(at);
    if (ImGui::InvisibleButton("device", {width, ui_.px(30)})) {
        ImGui::OpenPopup("devices");
    }
    register_item(ui_, "device");
    const bool hovered = ImGui::IsItemHovered();
    tooltip(ui_, full);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_card(ui_, list, at, {x + width, y + ui_.px(30)}, hovered ? figure::mixed(t.raised, t.text, 0.1) : t.raised);
    list->AddCircleFilled({x + ui_.px(16), y + ui_.px(15)}, ui_.exact_px(5), colour(available ? t.good : t.warning));
    draw_text(ui_, list, x + ui_.px(30), y + ui_.px(20), Face::medium, 14, t.text, label, room);
    const float r = ui_.exact_px(4), ax = x + width - ui_.px(14), ay = y + ui_.px(15);
    list->AddTriangleFilled({ax - r, ay - r * 0.5f}, {ax + r, ay - r * 0.5f}, {ax, ay + r * 0.7f}, colour(t.dim));
    device_popup();
}

void TopBar::device_popup() {
    const WidgetRect& below = ui_.rects["device"];
    const float width = ui_.px(380);
    if (!begin_menu(ui_, "devices", {below.x0, below.y1 + ui_.px(4)}, width)) {
        return;
    }
    for (const auto& device : state_.session.devices()) {
        const std::string detail = device.available ? "" : device.reason;
        const figure::Rgba dot = device.available ? ui_.theme->good : ui_.theme->faint;
        if (menu_row(ui_, "device/" + device.kind, device_label(device), detail, device.available, width, &dot)) {
            state_.settings.set_device(device.kind);
        }
    }
    // Recordings are labelled, because they ran at another time and possibly on another machine.
    for (const auto& path : state_.included.recordings()) {
        std::string name = path.filename().string();
        name.resize(name.size() - std::strlen(".json.gz"));
        if (menu_row(ui_, "recording/" + name, "RECORDED · " + name, "a recorded run, possibly from another machine",
                     static_cast<bool>(state_.programs.open_recording), width, &ui_.theme->dim)) {
            if (auto opened = state_.programs.open_recording(path.string()); !opened) {
                state_.notices.add(Notice::Kind::file, Notice::Tone::bad, opened.error().message);
            }
        }
    }
    end_menu();
}

void TopBar::draw_theme(float x, float y) {
    const figure::Theme& t = *ui_.theme;
    const ButtonLook look{.width = ui_.px(34)};
    if (button(ui_, "theme", "", {x, y}, look)) {
        state_.look.next_theme();
    }
    tooltip_of_command(ui_, std::string("Theme: ") + t.name, "window.theme");
    // The theme icon: a half-filled disc.
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 centre{x + ui_.px(17), y + ui_.px(15)};
    const float r = ui_.exact_px(7);
    list->AddCircle(centre, r, colour(t.text), 24, ui_.exact_px(1.5f));
    list->PathArcTo(centre, r, -1.5708f, 1.5708f, 16);
    list->PathFillConvex(colour(t.text));
}

void TopBar::draw_export(float x, float y, float width) {
    if (button(ui_, "export", "Export", {x, y}, {.width = width, .icon = 'v'})) {
        ImGui::OpenPopup("exports");
    }
    export_popup();
}

void TopBar::export_popup() {
    const float width = ui_.px(300);
    const WidgetRect& below = ui_.rects["export"];
    if (!begin_menu(ui_, "exports", {below.x1 - width - ui_.px(12), below.y1 + ui_.px(4)}, width)) {
        return;
    }
    if (menu_row(ui_, "export/dialog", command_label("Figure…", "export.figure"),
                 "PNG, SVG, PDF or animated; for a slide, a paper, a poster", true, width)) {
        ui_.run_command("export.figure");
    }
    const std::string key = ui_.keys_of("export.figure");
    if (menu_row(ui_, "export/again", "Again   " + key + " " + key, words_of(state_.exports.choice()), true, width)) {
        state_.exports.write_again();
    }
    if (menu_row(ui_, "export/copy-view", command_label("Copy the view", "export.copy"),
                 "as an image, to the clipboard", true, width)) {
        ui_.run_command("export.copy");
    }
    if (menu_row(ui_, "export/window", command_label("Picture of this window", "export.window"), "as it is now, PNG",
                 true, width)) {
        ui_.run_command("export.window");
    }
    if (menu_row(ui_, "export/recording", "Recording", "all events, for Headway, Perfetto and others", true, width)) {
        ui_.run_command("export.recording");
    }
    end_menu();
}

}  // namespace headway::ui
