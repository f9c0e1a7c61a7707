#include "app/gfx/layer.h"

#include "app/gfx/imgui_compat.h"
#include "app/gfx/renderer.h"

namespace headway::gfx {
namespace {

std::uint64_t next_revision() {
    static std::uint64_t last = 0;
    return ++last;
}

}  // namespace

Layer::Layer() : ink_(ImGui::GetDrawListSharedData()) {}

void Layer::begin(const PixelBox& bounds, Colour ground) {
    bounds_ = bounds;
    ground_ = ground;
    shape_ranges_.clear();
    ink_before_ = -1;
    shapes_.clear();
    shapes_.clip(bounds);
    ink_._ResetForNewFrame();
    push_font_texture(ink_);
    ink_.PushClipRect({bounds.x0, bounds.y0}, {bounds.x1, bounds.y1});
}

Shapes& Layer::shapes() {
    if (ink_.VtxBuffer.Size != ink_before_) {
        ink_before_ = ink_.VtxBuffer.Size;
        if (!shape_ranges_.empty()) {
            shape_ranges_.back().last = shapes_.parts().size();
        }
        shapes_.cut();
        shape_ranges_.push_back({this, shapes_.parts().size(), 0});
        ink_.AddCallback(Renderer::draw_shapes, &shape_ranges_.back());
        ink_.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
    }
    return shapes_;
}

void Layer::end() {
    if (!shape_ranges_.empty()) {
        shape_ranges_.back().last = shapes_.parts().size();
    }
    shapes_.sort();
    ink_.PopClipRect();
    pop_font_texture(ink_);
    revision_ = next_revision();
}

void Layer::show(ImDrawList* to) {
    to->AddCallback(Renderer::draw_layer, this);
    to->AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

}  // namespace headway::gfx
