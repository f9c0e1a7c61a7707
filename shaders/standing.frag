uniform sampler2D colours;

in float from_top_px;
in vec2 at_texel;
in float height_px;
out vec4 pixel;

void main() {
    vec4 bar = texture(colours, at_texel);
    pixel = vec4(bar.rgb, clamp(from_top_px - bar.a * height_px, 0.0, 1.0));
}
