// Boxes with round corners.
layout(location = 0) in vec4 box_px;    // what of it is drawn
layout(location = 1) in vec4 shape_px;  // the whole of it
layout(location = 2) in vec4 colour;
layout(location = 3) in float radius_px;  // at least 1

out vec2 from_middle;
out vec2 straight;  // half of what lies between the corners
out float radius;
out vec4 fill;

void main() {
    vec2 at = corner_px(box_px);
    from_middle = at - 0.5 * (shape_px.xy + shape_px.zw);
    straight = 0.5 * (shape_px.zw - shape_px.xy) - radius_px;
    radius = radius_px + 0.5;
    fill = colour;
    gl_Position = clip_position(at);
}
