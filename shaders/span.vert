// Spans: boxes with round corners, a border inside of them, and stripes.
layout(location = 0) in vec4 box_px;    // what of it is drawn
layout(location = 1) in vec4 shape_px;  // the whole of it
layout(location = 2) in vec4 fill_colour;
layout(location = 3) in vec4 border_colour;
layout(location = 4) in vec4 stripe_colour;
layout(location = 5) in vec2 round_px;     // radius of the corners, width of the border
layout(location = 6) in vec3 stripe_level;  // along x + y: where one begins, from one to the next, how wide; 0: none

out vec2 px;
out vec4 shape, fill, border, stripe;
out vec2 rounding;
out vec3 level;

void main() {
    px = corner_px(box_px);
    shape = shape_px;
    fill = fill_colour;
    border = border_colour;
    stripe = stripe_colour;
    rounding = round_px;
    level = stripe_level;
    gl_Position = clip_position(px);
}
