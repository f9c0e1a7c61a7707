// Curves, and what lies under them: each column of pixels is filled from one height to another, as its texel says, in a
// colour that runs from the one at the top of the gradient to the one at its bottom.
uniform vec2 texture_size;

layout(location = 0) in vec4 box_px;
layout(location = 1) in vec2 texel;  // of the column at the box's left edge: its column and row in the texture
layout(location = 2) in vec4 top_colour;
layout(location = 3) in vec4 bottom_colour;
layout(location = 4) in vec2 gradient_px;

out float y_px;
out vec2 at_texel;
out vec4 fill;

void main() {
    vec2 at = corner_px(box_px);
    y_px = at.y - box_px.y;
    at_texel = vec2(texel.x + at.x - box_px.x, texel.y + 0.5) / texture_size;
    fill = mix(top_colour, bottom_colour, (at.y - gradient_px.x) / (gradient_px.y - gradient_px.x));
    gl_Position = clip_position(at);
}
