in vec2 px;
in vec4 shape, fill, border, stripe;
in vec2 rounding;
in vec3 level;
out vec4 pixel;

// `over` on `under`, neither multiplied by its opacity.
vec4 laid_over(vec4 over, vec4 under) {
    float a = over.a + under.a * (1.0 - over.a);
    return a <= 0.0 ? vec4(0.0) : vec4((over.rgb * over.a + under.rgb * under.a * (1.0 - over.a)) / a, a);
}

void main() {
    vec4 ground = fill;
    if (level.y > 0.0) {
        // How far x + y is from the middle of the nearest stripe; a pixel across is sqrt(2) of that.
        float at = mod(px.x + px.y - level.x - 0.5 * level.z + 0.5 * level.y, level.y) - 0.5 * level.y;
        ground = mix(fill, stripe, stripe.a * clamp((0.5 * level.z - abs(at)) * 0.70710678 + 0.5, 0.0, 1.0));
    }
    // The signed distance to the edge, negative inside.
    vec2 q = abs(px - 0.5 * (shape.xy + shape.zw)) - 0.5 * (shape.zw - shape.xy) + rounding.x;
    float d = min(max(q.x, q.y), 0.0) + length(max(q, 0.0)) - rounding.x;
    float outer = clamp(0.5 - d, 0.0, 1.0);
    float inner = rounding.y > 0.0 ? clamp(0.5 - d - rounding.y, 0.0, 1.0) : outer;
    pixel = laid_over(vec4(border.rgb, border.a * (outer - inner)), vec4(ground.rgb, ground.a * outer));
}
