// Bars side by side, too narrow for boxes of their own. From where to where each column of pixels is filled, and with
// what, lies in textures, one texel for each column.
uniform vec2 texture_size;

layout(location = 0) in vec4 box_px;
layout(location = 1) in vec2 texel;  // of the column at the box's left edge: its column and row in the textures

out float y_px;
out vec2 at_texel;

void main() {
    vec2 at = corner_px(box_px);
    y_px = at.y - box_px.y;
    at_texel = vec2(texel.x + at.x - box_px.x, texel.y + 0.5) / texture_size;
    gl_Position = clip_position(at);
}
