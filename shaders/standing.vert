// Bars side by side as in bars.vert, that all stand on the box's bottom edge: a texel holds their colour and, in place of
// the opacity, how far below the box's top edge they begin, as a share of its height.
uniform vec2 texture_size;

layout(location = 0) in vec4 box_px;
layout(location = 1) in vec2 texel;

out float from_top_px;
out vec2 at_texel;
out float height_px;

void main() {
    vec2 at = corner_px(box_px);
    from_top_px = at.y - box_px.y + 0.5;
    height_px = box_px.w - box_px.y;
    at_texel = vec2(texel.x + at.x - box_px.x, texel.y + 0.5) / texture_size;
    gl_Position = clip_position(at);
}
