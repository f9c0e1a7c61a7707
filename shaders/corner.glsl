// What all three share: a box of pixels (left, top, right, bottom; the origin at the top left) becomes two triangles,
// drawn as a strip of four corners. What is the same at all of them is handed on all the same without `flat`: software
// OpenGL would else not see that they are one rectangle.
uniform vec2 viewport_px;

vec2 corner_px(vec4 box_px) {
    return vec2((gl_VertexID & 1) == 0 ? box_px.x : box_px.z, (gl_VertexID & 2) == 0 ? box_px.y : box_px.w);
}

vec4 clip_position(vec2 px) {
    return vec4(px.x / viewport_px.x * 2.0 - 1.0, 1.0 - px.y / viewport_px.y * 2.0, 0.0, 1.0);
}
