// Reads the painter's output back and checks its pixels.
#include "app/ui/widgets/draw_list_painter.h"

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "app/ui/widgets/text_measure.h"
#include "tests/ui/window/window_fixture.h"

namespace headway::ui::test {
namespace {

class PainterTest : public ::testing::Test {
protected:
    static constexpr int kWidth = 200, kHeight = 100;
    void SetUp() override {
        auto opened = platform::open_offscreen({kWidth, kHeight});
        if (!opened) {
            GTEST_SKIP() << opened.error().message;
        }
        platform = std::move(*opened);
        auto drawer = gfx::Renderer::open();
        ASSERT_TRUE(drawer) << drawer.error().message;
        renderer = std::move(*drawer);
        fonts = std::make_unique<gfx::Fonts>();
    }
    void TearDown() override {
        layer.reset();
        renderer.reset();
        platform.reset();
    }
    void draw(const figure::DisplayList& list, ImVec2 offset = {0, 0}, int frames = 4) {
        for (int i = 0; i < frames; ++i) {  // drawn, cached, copied
            if (fonts->bake()) {
                renderer->fonts_changed();
            }
            platform->begin_frame(platform::Platform::Pace::animate, 0);
            renderer->begin_frame();
            ImGui::NewFrame();
            if (!layer) {
                layer = std::make_unique<gfx::Layer>();
            }
            if (i == 0 || fonts->generation() != painted) {
                painted = fonts->generation();
                layer->begin({0, 0, kWidth, kHeight}, 0xFF000000);
                paint(list, *layer, *fonts, offset);
                layer->end();
            }
            layer->show(ImGui::GetBackgroundDrawList());
            if (after) {
                after(*ImGui::GetBackgroundDrawList());
            }
            ImGui::Render();
            renderer->draw(platform->framebuffer(), kWidth, kHeight, {});
            platform->end_frame();
        }
        image = gfx::Renderer::read_pixels(platform->framebuffer(), kWidth, kHeight);
    }
    [[nodiscard]] figure::Rgba at(int x, int y) const {
        const std::size_t i = (static_cast<std::size_t>(y) * kWidth + static_cast<std::size_t>(x)) * 4;
        return {image[i], image[i + 1], image[i + 2]};
    }
    gfx::ImGuiContextOwner imgui;
    std::unique_ptr<platform::Platform> platform;
    std::unique_ptr<gfx::Renderer> renderer;
    std::unique_ptr<gfx::Fonts> fonts;
    std::unique_ptr<gfx::Layer> layer;
    std::uint64_t painted = 0;  // the font generation it was painted with
    std::vector<std::uint8_t> image;
    std::function<void(ImDrawList&)> after;  // draws after the layer, in the same list
};

constexpr figure::Rgba kRed = figure::rgb(0xFF0000), kBlue = figure::rgb(0x0000FF), kBlack = figure::rgb(0);

TEST_F(PainterTest, FillsRectanglesToThePixel) {
    figure::DisplayList list;
    list.add(figure::Rect{{10, 20, 30, 40}, kRed});
    draw(list);
    EXPECT_EQ(at(10, 20), kRed);
    EXPECT_EQ(at(29, 39), kRed);
    EXPECT_EQ(at(9, 20), kBlack);
    EXPECT_EQ(at(30, 39), kBlack);
    EXPECT_EQ(at(29, 40), kBlack);
    draw(list, {100, 5});
    EXPECT_EQ(at(110, 25), kRed);
    EXPECT_EQ(at(10, 25), kBlack);
}

TEST_F(PainterTest, CommandsAfterALayerAreDrawnCompletely) {
    figure::DisplayList list;
    for (int i = 0; i < 20; ++i) {
        list.add(figure::Rect{{100, 60, 110, 70}, kBlue});
        list.add(figure::Text{{100, 90}, "ink of the layer", kBlue, 12, figure::FontRole::ui, figure::Anchor::middle});
    }
    // After one layer, and after another that is redrawn in every frame, as highlights are.
    std::unique_ptr<gfx::Layer> marks;
    after = [&](ImDrawList& same) {
        same.AddRectFilled({40, 20}, {60, 40}, IM_COL32(255, 0, 0, 255));
        marks = std::make_unique<gfx::Layer>();
        marks->begin({0, 0, kWidth, kHeight}, 0);
        paint(list, *marks, *fonts, {0, -20});
        marks->end();
        marks->show(&same);
        same.AddRectFilled({10, 20}, {30, 40}, IM_COL32(255, 0, 0, 255));
    };
    for (const int frames : {1, 2, 3}) {  // drawn, cached, copied
        layer.reset();
        draw(list, {0, 0}, frames);
        EXPECT_EQ(at(10, 20), kRed) << frames;
        EXPECT_EQ(at(29, 39), kRed) << frames;
        EXPECT_EQ(at(30, 39), kBlack) << frames;
        EXPECT_EQ(at(40, 20), kRed) << frames;
        EXPECT_EQ(at(59, 39), kRed) << frames;
    }
    marks.reset();
}

TEST_F(PainterTest, StripesLieInPhaseAndInTheirBox) {
    figure::DisplayList list;
    figure::Hatch hatch;
    hatch.box = {20, 10, 180, 50};
    hatch.ground = kBlue;
    hatch.stripe = kRed;
    hatch.border = {0, 0, 0, 0};
    hatch.border_px = 0;
    hatch.period_px = 10;
    hatch.stripe_px = 5;
    list.add(hatch);
    draw(list);
    int red = 0, blue = 0;
    for (int y = 12; y < 48; ++y) {
        for (int x = 22; x < 178; ++x) {
            red += at(x, y).r > 200;
            blue += at(x, y).b > 200;
            if (x + 1 < 178 && y > 12) {
                // Renderers differ in the least significant bits.
                EXPECT_NEAR(at(x, y).r, at(x + 1, y - 1).r, 3) << "stripes rise to the right";
                EXPECT_NEAR(at(x, y).b, at(x + 1, y - 1).b, 3) << "stripes rise to the right";
            }
        }
    }
    EXPECT_NEAR(static_cast<double>(red) / (red + blue), 0.5, 0.06);
    EXPECT_EQ(at(19, 30), kBlack);
    EXPECT_EQ(at(180, 30), kBlack);
    EXPECT_EQ(at(100, 9), kBlack);
    EXPECT_EQ(at(100, 50), kBlack);
}

TEST_F(PainterTest, AreasReachFromCurveToBase) {
    figure::DisplayList list;
    figure::Area area;
    area.first = list.first_point();
    list.point(20, 80);
    list.point(100, 20);
    list.point(180, 80);
    area.count = 3;
    area.base_y = 80;
    area.gradient_y0 = 20;
    area.top = kRed;
    area.bottom = kBlue;
    list.add(area);
    draw(list);
    EXPECT_EQ(at(100, 85), kBlack);
    EXPECT_EQ(at(30, 40), kBlack);
    EXPECT_GT(at(100, 25).r, at(100, 70).r);
    EXPECT_GT(at(100, 70).b, at(100, 25).b);
}

TEST_F(PainterTest, AreasOfManyPointsAreComplete) {
    figure::DisplayList list;
    figure::Area area;
    area.first = list.first_point();
    constexpr int kPoints = 50000;  // more than a 16-bit index can address
    for (int i = 0; i < kPoints; ++i) {
        list.point(static_cast<float>(i) * kWidth / (kPoints - 1), 10);
    }
    area.count = kPoints;
    area.base_y = 90;
    area.gradient_y0 = 10;
    area.top = area.bottom = kRed;
    list.add(area);
    draw(list);
    for (int x = 0; x < kWidth; ++x) {
        EXPECT_EQ(at(x, 50), kRed) << x;
    }
}

TEST_F(PainterTest, DashesLeaveGaps) {
    figure::DisplayList list;
    list.add(figure::Line{{0, 50}, {200, 50}, kRed, 3, 10, 10});
    draw(list);
    int drawn = 0;
    for (int x = 0; x < kWidth; ++x) {
        drawn += at(x, 50).r > 128;
    }
    EXPECT_NEAR(drawn, 100, 12);
}

TEST_F(PainterTest, ClipsNest) {
    figure::DisplayList list;
    list.add(figure::ClipPush{{0, 0, 100, 100}});
    list.add(figure::ClipPush{{50, 0, 200, 100}});
    list.add(figure::Rect{{0, 0, 200, 100}, kRed});
    list.add(figure::ClipPop{});
    list.add(figure::ClipPop{});
    list.add(figure::Rect{{150, 0, 160, 10}, kBlue});
    draw(list);
    EXPECT_EQ(at(75, 50), kRed);
    EXPECT_EQ(at(25, 50), kBlack);
    EXPECT_EQ(at(125, 50), kBlack);
    EXPECT_EQ(at(155, 5), kBlue);
}

TEST_F(PainterTest, TextStandsOnItsBaselineWithTheMeasuredWidth) {
    figure::DisplayList list;
    list.add(figure::Text{{100, 60}, "HHHH", kRed, 20, figure::FontRole::ui_semibold, figure::Anchor::middle});
    draw(list);
    int left = kWidth, right = 0, top = kHeight, bottom = 0;
    for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
            if (at(x, y).r > 100) {
                left = std::min(left, x);
                right = std::max(right, x);
                top = std::min(top, y);
                bottom = std::max(bottom, y);
            }
        }
    }
    EXPECT_NEAR(bottom, 59, 1);
    EXPECT_NEAR(bottom - top + 1, 20 * 0.73, 1.6);  // cap height
    const float width = TextMeasure(*fonts).width(figure::FontRole::ui_semibold, 20, "HHHH");
    EXPECT_NEAR(right - left, width, 5);
    EXPECT_NEAR((left + right) / 2.0, 100, 2);
}

// Items added later are drawn above earlier ones, however shapes are grouped for drawing.
TEST_F(PainterTest, RandomShapesAreDrawnInTheirOrder) {
    std::mt19937 random(7);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int round = 0; round < 12; ++round) {
        figure::DisplayList list;
        std::vector<figure::Rgba> expected(static_cast<std::size_t>(kWidth * kHeight), kBlack);
        std::vector<bool> sure(expected.size(), true);  // false near round corners and stripes
        for (int i = 0; i < 120; ++i) {
            const int x0 = below(kWidth), y0 = below(kHeight);
            const bool narrow = below(3) > 0;
            const int x1 = std::min(kWidth, x0 + 1 + below(narrow ? 4 : 60));
            const int y1 = std::min(kHeight, y0 + 1 + below(40));
            const figure::Rgba c{static_cast<std::uint8_t>(below(256)), static_cast<std::uint8_t>(below(256)),
                                 static_cast<std::uint8_t>(below(256))};
            const figure::Box box{static_cast<float>(x0), static_cast<float>(y0), static_cast<float>(x1),
                                  static_cast<float>(y1)};
            const int kind = below(4);
            figure::Hatch hatch;
            hatch.box = box;
            hatch.ground = hatch.stripe = hatch.border = c;
            if (kind == 0) {
                list.add(hatch);
            } else {
                list.add(figure::Rect{box, c, kind == 1 ? 3.0f : 0.0f});
            }
            for (int y = y0; y < y1; ++y) {
                for (int x = x0; x < x1; ++x) {
                    const std::size_t at = static_cast<std::size_t>(y * kWidth + x);
                    const bool dot = kind == 1 && x1 - x0 == y1 - y0;
                    const bool corner = dot || (kind < 2 && x1 - x0 >= 5 && std::min(x - x0, x1 - 1 - x) < 4 &&
                                                std::min(y - y0, y1 - 1 - y) < 4);
                    sure[at] = !corner;
                    expected[at] = c;
                }
            }
        }
        draw(list);
        int wrong = 0;
        for (int y = 0; y < kHeight; ++y) {
            for (int x = 0; x < kWidth; ++x) {
                const std::size_t i = static_cast<std::size_t>(y * kWidth + x);
                const figure::Rgba a = at(x, y), b = expected[i];
                wrong += sure[i] && (std::abs(a.r - b.r) > 2 || std::abs(a.g - b.g) > 2 || std::abs(a.b - b.b) > 2);
            }
        }
        EXPECT_EQ(wrong, 0) << "round " << round;
    }
}

TEST_F(PainterTest, NarrowBarsStandWhereTheyShould) {
    figure::DisplayList list;
    std::mt19937 random(3);
    std::vector<int> top(kWidth, kHeight);
    for (int x = 3; x + 4 < kWidth; x += 1 + static_cast<int>(random() % 5)) {
        const int width = 1 + static_cast<int>(random() % 4);
        const int y0 = 10 + static_cast<int>(random() % 70);
        list.add(
            figure::Rect{{static_cast<float>(x), static_cast<float>(y0), static_cast<float>(x + width), 90}, kRed});
        for (int i = x; i < x + width; ++i) {
            top[static_cast<std::size_t>(i)] = y0;
        }
        x += width;
    }
    draw(list);
    for (int x = 0; x < kWidth; ++x) {
        for (int y = 0; y < kHeight; ++y) {
            // Heights are stored in 255ths of the tallest, here a third of a pixel.
            const bool bar = y >= top[static_cast<std::size_t>(x)] && y < 90;
            EXPECT_NEAR(at(x, y).r, bar ? 255 : 0, 90) << x << ", " << y;
        }
    }
}

TEST_F(PainterTest, CurvesKeepTheirExtremesInEveryColumn) {
    figure::DisplayList list;
    figure::Polyline line;
    line.first = list.first_point();
    list.point(0, 90);
    list.point(100.2f, 90);  // a spike of a tenth of a pixel
    list.point(100.2f, 10);
    list.point(100.3f, 10);
    list.point(100.3f, 90);
    list.point(200, 90);
    line.count = 6;
    line.colour = kRed;
    line.width_px = 1.3f;
    list.add(line);
    draw(list);
    for (int y = 12; y < 89; ++y) {
        EXPECT_GT(at(100, y).r, 250) << y;
        EXPECT_EQ(at(97, y), kBlack) << y;
        EXPECT_EQ(at(103, y), kBlack) << y;
    }
    EXPECT_GT(at(50, 89).r + at(50, 90).r, 250);
    EXPECT_EQ(at(100, 7), kBlack);
}

TEST_F(PainterTest, CachedPixelsEqualThoseDrawn) {
    figure::DisplayList list;
    list.add(figure::Rect{{10, 10, 190, 90}, kBlue, 6, kRed, 2});
    list.add(figure::Text{{100, 60}, "kept", kRed, 20, figure::FontRole::ui_semibold, figure::Anchor::middle});
    draw(list);  // after this the fonts are baked and the pixels are cached
    const auto copied = image;
    layer.reset();
    draw(list, {0, 0}, 1);
    EXPECT_EQ(image, copied);
    list.add(figure::Rect{{0, 0, 5, 5}, kRed});
    draw(list, {0, 0}, 1);  // a different picture than the cached one
    EXPECT_EQ(at(2, 2), kRed);
}

TEST_F(PainterTest, MeasuresAllCharactersOfChineseText) {
    const TextMeasure measure(*fonts);
    fonts->cover("时间线");
    draw({});
    const float one = measure.width(figure::FontRole::ui, 20, "时");
    EXPECT_NEAR(measure.width(figure::FontRole::ui, 20, "时间线"), 3 * one, 1);
    EXPECT_GT(one, 8);
}

}  // namespace
}  // namespace headway::ui::test
