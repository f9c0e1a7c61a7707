uniform usampler2D columns;  // x: from and to below the box's top edge, in 1/16 px

in float y_px;
in vec4 fill;
flat in int texel_before;
out vec4 pixel;

void main() {
    int texel = texel_before + int(gl_FragCoord.x);
    uint column = texelFetch(columns, ivec2(texel & 2047, texel >> 11), 0).x;
    vec2 reach = vec2(column & 0xFFFFu, column >> 16) * 0.0625;
    float covered = clamp(min(y_px + 0.5, reach.y) - max(y_px - 0.5, reach.x), 0.0, 1.0);
    pixel = vec4(fill.rgb, fill.a * covered);
}
