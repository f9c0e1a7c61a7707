// Bars side by side, too narrow for boxes of their own. From where to where each column of pixels is filled, and with
// what, lies in a texture, one texel for each column.
layout(location = 0) in vec4 box_px;
layout(location = 1) in int first;  // texel of the column at the box's left edge

out float y_px;
flat out int texel_before;  // of column 0

void main() {
    vec2 at = corner_px(box_px);
    y_px = at.y - box_px.y;
    texel_before = first - int(box_px.x);
    gl_Position = clip_position(at);
}
