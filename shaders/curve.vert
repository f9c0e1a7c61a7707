// Curves, and what lies under them: each column of pixels is filled from one height to another, as its texel says, in a
// colour that runs from the one at the top of the gradient to the one at its bottom.
layout(location = 0) in vec4 box_px;
layout(location = 1) in vec4 top_colour;
layout(location = 2) in vec4 bottom_colour;
layout(location = 3) in vec2 gradient_px;
layout(location = 4) in int first;  // texel of the column at the box's left edge

out float y_px;
out vec4 fill;
flat out int texel_before;  // of column 0

void main() {
    vec2 at = corner_px(box_px);
    y_px = at.y - box_px.y;
    fill = mix(top_colour, bottom_colour, (at.y - gradient_px.x) / (gradient_px.y - gradient_px.x));
    texel_before = first - int(box_px.x);
    gl_Position = clip_position(at);
}
