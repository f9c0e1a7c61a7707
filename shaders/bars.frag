uniform usampler2D columns;  // x: from and to below the box's top edge, in 1/16 px; y: the colour

in float y_px;
flat in int texel_before;
out vec4 pixel;

void main() {
    int texel = texel_before + int(gl_FragCoord.x);
    uvec2 column = texelFetch(columns, ivec2(texel & 2047, texel >> 11), 0).xy;
    vec2 reach = vec2(column.x & 0xFFFFu, column.x >> 16) * 0.0625;
    float covered = clamp(min(y_px + 0.5, reach.y) - max(y_px - 0.5, reach.x), 0.0, 1.0);
    uvec4 bytes = uvec4(column.y, column.y >> 8, column.y >> 16, 0u) & 0xFFu;
    pixel = vec4(vec3(bytes.xyz) * (1.0 / 255.0), covered);
}
