// Boxes of one colour, or from one at the top to another at the bottom.
layout(location = 0) in vec4 box_px;
layout(location = 1) in vec4 top_colour;
layout(location = 2) in vec4 bottom_colour;
out vec4 fill;

void main() {
    fill = (gl_VertexID & 2) == 0 ? top_colour : bottom_colour;
    gl_Position = clip_position(corner_px(box_px));
}
