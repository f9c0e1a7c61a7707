in vec2 from_middle;
flat in vec2 straight;
flat in float radius;
flat in vec4 fill;
out vec4 pixel;

void main() {
    vec2 beyond = max(abs(from_middle) - straight, 0.0);
    pixel = vec4(fill.rgb, fill.a * clamp(radius - length(beyond), 0.0, 1.0));
}
