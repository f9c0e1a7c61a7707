#include "app/ui/focus_ring.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/gfx/imgui_compat.h"

namespace headway::ui {
namespace {

constexpr int kClickFrames = 4;  // the pointer comes, the button goes down, and up, and the pointer goes back

}  // namespace

std::vector<std::string> FocusRing::order(const Marks& marks) {
    int layer = 0;
    for (const auto& [id, mark] : marks) {
        layer = mark.control ? std::max(layer, mark.layer) : layer;
    }
    std::vector<const Marks::value_type*> all;
    for (const auto& entry : marks) {
        const Mark& mark = entry.second;
        if (mark.control && mark.enabled && mark.layer == layer && mark.x1 > mark.x0 && mark.y1 > mark.y0) {
            all.push_back(&entry);
        }
    }
    // Lines of controls, each from left to right: those whose middles are within half a height.
    std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) {
        return a->second.centre_y() < b->second.centre_y();
    });
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < all.size();) {
        std::size_t end = i + 1;
        const Mark& first = all[i]->second;
        while (end < all.size() && all[end]->second.centre_y() - first.centre_y() < (first.y1 - first.y0) / 2) {
            ++end;
        }
        std::stable_sort(all.begin() + static_cast<std::ptrdiff_t>(i), all.begin() + static_cast<std::ptrdiff_t>(end),
                         [](const auto* a, const auto* b) { return a->second.x0 < b->second.x0; });
        for (; i < end; ++i) {
            ids.push_back(all[i]->first);
        }
    }
    return ids;
}

void FocusRing::step(const Marks& marks, int direction) {
    const auto ids = order(marks);
    if (ids.empty()) {
        at_.clear();
        return;
    }
    const auto found = std::find(ids.begin(), ids.end(), at_);
    const std::size_t n = ids.size();
    const auto i = static_cast<std::size_t>(found - ids.begin());
    at_ = found == ids.end() ? (direction > 0 ? ids.front() : ids.back())
                             : ids[(i + (direction > 0 ? 1 : n - 1)) % n];
}

void FocusRing::go(const Marks& marks, int dx, int dy) {
    const auto here = marks.find(at_);
    if (here == marks.end()) {
        return;
    }
    const Mark& from = here->second;
    std::string best;
    float least = INFINITY;
    for (const auto& id : order(marks)) {
        const Mark& to = marks.find(id)->second;
        const float x = to.centre_x() - from.centre_x(), y = to.centre_y() - from.centre_y();
        const float along = dx != 0 ? x * static_cast<float>(dx) : y * static_cast<float>(dy);
        // What lies beside the way counts as farther, unless the boxes are in one line.
        const bool in_line = dx != 0 ? to.y0 < from.y1 && to.y1 > from.y0 : to.x0 < from.x1 && to.x1 > from.x0;
        const float distance = along + 3 * (in_line ? 0 : std::abs(dx != 0 ? y : x));
        if (along > 2 && distance < least) {
            least = distance;
            best = id;
        }
    }
    if (!best.empty()) {
        at_ = best;
    }
}

void FocusRing::settle(const Marks& marks) {
    const auto found = marks.find(at_);
    if (found == marks.end() || !found->second.control) {
        at_.clear();
    }
}

void FocusRing::click(const Marks& marks) {
    if (const auto found = marks.find(at_); found != marks.end() && frames_left_ == 0) {
        x_ = found->second.centre_x();
        y_ = found->second.centre_y();
        mouse_x_ = ImGui::GetIO().MousePos.x;
        mouse_y_ = ImGui::GetIO().MousePos.y;
        frames_left_ = kClickFrames;
    }
}

void FocusRing::feed() {
    if (frames_left_ == 0) {
        return;
    }
    --frames_left_;
    if (frames_left_ == 0) {
        gfx::inject::mouse_position(mouse_x_, mouse_y_);
        return;
    }
    gfx::inject::mouse_position(x_, y_);
    gfx::inject::mouse_button(0, frames_left_ == kClickFrames - 2);
}

}  // namespace headway::ui
