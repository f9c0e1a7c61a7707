in vec2 from_middle;
in vec2 straight;
in float radius;
in vec4 fill;
out vec4 pixel;

void main() {
    vec2 beyond = max(abs(from_middle) - straight, 0.0);
    pixel = vec4(fill.rgb, fill.a * clamp(radius - length(beyond), 0.0, 1.0));
}
