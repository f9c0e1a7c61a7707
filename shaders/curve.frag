uniform sampler2D reaches;  // from and to below the box's top edge, in 1/16 px: two bytes each, the lower one first

in float y_px;
in vec2 at_texel;
in vec4 fill;
out vec4 pixel;

void main() {
    vec4 bytes = texture(reaches, at_texel);
    vec2 reach = bytes.xz * (255.0 / 16.0) + bytes.yw * (255.0 * 256.0 / 16.0);
    float covered = clamp(min(y_px + 0.5, reach.y) - max(y_px - 0.5, reach.x), 0.0, 1.0);
    pixel = vec4(fill.rgb, fill.a * covered);
}
