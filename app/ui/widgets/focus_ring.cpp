#include "app/ui/widgets/focus_ring.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/gfx/imgui_compat.h"

namespace headway::ui {
namespace {

constexpr int kClickFrames = 4;  // the pointer moves there, press, release, the pointer moves back

}  // namespace

std::vector<std::string> FocusRing::order(const WidgetRects& rects) {
    int layer = 0;
    for (const auto& [id, rect] : rects) {
        layer = rect.control ? std::max(layer, rect.layer) : layer;
    }
    std::vector<const WidgetRects::value_type*> all;
    for (const auto& entry : rects) {
        const WidgetRect& rect = entry.second;
        if (rect.control && rect.enabled && rect.layer == layer && rect.x1 > rect.x0 && rect.y1 > rect.y0) {
            all.push_back(&entry);
        }
    }
    // Groups controls into rows, each from left to right: two are in the same row if their middles are within half a
    // height.
    std::stable_sort(all.begin(), all.end(),
                     [](const auto* a, const auto* b) { return a->second.centre_y() < b->second.centre_y(); });
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < all.size();) {
        std::size_t end = i + 1;
        const WidgetRect& first = all[i]->second;
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

void FocusRing::step(const WidgetRects& rects, int direction) {
    const auto ids = order(rects);
    if (ids.empty()) {
        at_.clear();
        return;
    }
    const auto found = std::find(ids.begin(), ids.end(), at_);
    const std::size_t n = ids.size();
    const auto i = static_cast<std::size_t>(found - ids.begin());
    at_ = found == ids.end() ? (direction > 0 ? ids.front() : ids.back()) : ids[(i + (direction > 0 ? 1 : n - 1)) % n];
}

void FocusRing::go(const WidgetRects& rects, int dx, int dy) {
    const auto here = rects.find(at_);
    if (here == rects.end()) {
        return;
    }
    const WidgetRect& from = here->second;
    std::string best;
    float least = INFINITY;
    for (const auto& id : order(rects)) {
        const WidgetRect& to = rects.find(id)->second;
        const float x = to.centre_x() - from.centre_x(), y = to.centre_y() - from.centre_y();
        const float along = dx != 0 ? x * static_cast<float>(dx) : y * static_cast<float>(dy);
        // Sideways distance counts as more, unless the boxes overlap in that direction.
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

void FocusRing::settle(const WidgetRects& rects) {
    const auto found = rects.find(at_);
    if (found == rects.end() || !found->second.control) {
        at_.clear();
    }
}

void FocusRing::click(const WidgetRects& rects) {
    if (const auto found = rects.find(at_); found != rects.end() && frames_left_ == 0) {
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
