// The palettes of all themes, as people with normal and with colour-blind eyes see them.
//
// Colour blindness is simulated in linear sRGB by the matrices of G. M. Machado, M. M. Oliveira and L. A. F. Fernandes,
// "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG 15 (2009), at severity 1.0.
// Differences are CIEDE2000 (ISO/CIE 11664-6) in CIELAB under D65; the implementation is checked against pairs of G.
// Sharma, W. Wu and E. N. Dalal, "The CIEDE2000 Color-Difference Formula", Color Res. Appl. 30 (2005), table 1.
// Contrast is WCAG 2.1's ratio of relative luminances.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include "app/render/theme.h"

namespace headway::figure {
namespace {

using devices::Family;
using Triple = std::array<double, 3>;

double linear(std::uint8_t channel) {
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

Triple linear(Rgba c) {
    return {linear(c.r), linear(c.g), linear(c.b)};
}

Triple times(const std::array<Triple, 3>& m, const Triple& v) {
    Triple out{};
    for (std::size_t i = 0; i < 3; ++i) {
        out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
    }
    return out;
}

struct Eye {
    const char* name;
    std::array<Triple, 3> matrix;
};
const std::array<Eye, 4> kEyes{
    {{"normal", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
     {"protanopia",
      {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
     {"deuteranopia",
      {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
     {"tritanopia",
      {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}}};

// Linear sRGB to CIELAB under D65, clipped to the gamut as on a screen.
Triple lab(Triple rgb) {
    for (double& c : rgb) {
        c = std::min(1.0, std::max(0.0, c));
    }
    const Triple xyz = times(
        {{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}},
        rgb);
    const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    const double x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double ciede2000(const Triple& p, const Triple& q) {
    constexpr double kDegree = std::numbers::pi / 180;
    const auto power7 = [](double c) { return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7))); };
    const double mean = (std::hypot(p[1], p[2]) + std::hypot(q[1], q[2])) / 2;
    const double g = 0.5 * (1 - power7(mean));
    const double a1 = (1 + g) * p[1], a2 = (1 + g) * q[1];
    const double c1 = std::hypot(a1, p[2]), c2 = std::hypot(a2, q[2]);
    const auto hue = [](double a, double b) {
        const double h = a == 0 && b == 0 ? 0 : std::atan2(b, a) / kDegree;
        return h < 0 ? h + 360 : h;
    };
    const double h1 = hue(a1, p[2]), h2 = hue(a2, q[2]);
    const double dl = q[0] - p[0], dc = c2 - c1;
    double dh = h2 - h1;
    dh = c1 * c2 == 0 ? 0 : dh > 180 ? dh - 360 : dh < -180 ? dh + 360 : dh;
    const double dbig = 2 * std::sqrt(c1 * c2) * std::sin(dh / 2 * kDegree);
    const double lm = (p[0] + q[0]) / 2, cm = (c1 + c2) / 2;
    double hm = h1 + h2;
    if (c1 * c2 != 0) {
        hm = std::abs(h1 - h2) <= 180 ? hm / 2 : hm < 360 ? (hm + 360) / 2 : (hm - 360) / 2;
    }
    const double t = 1 - 0.17 * std::cos((hm - 30) * kDegree) + 0.24 * std::cos(2 * hm * kDegree) +
                     0.32 * std::cos((3 * hm + 6) * kDegree) - 0.20 * std::cos((4 * hm - 63) * kDegree);
    const double sl = 1 + 0.015 * (lm - 50) * (lm - 50) / std::sqrt(20 + (lm - 50) * (lm - 50));
    const double sc = 1 + 0.045 * cm, sh = 1 + 0.015 * cm * t;
    const double rt = -std::sin(60 * std::exp(-std::pow((hm - 275) / 25, 2)) * kDegree) * 2 * power7(cm);
    return std::sqrt(std::pow(dl / sl, 2) + std::pow(dc / sc, 2) + std::pow(dbig / sh, 2) +
                     rt * (dc / sc) * (dbig / sh));
}

double luminance(Rgba c) {
    const Triple rgb = linear(c);
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
}
double contrast(Rgba a, Rgba b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

std::vector<const Theme*> themes() {
    return {&theme(ThemeName::dark), &theme(ThemeName::light), &theme(ThemeName::projector)};
}

TEST(Colours, DifferencesMatchThePublishedTable) {
    for (const auto& [p, q, expected] :
         {std::tuple{Triple{50, 2.6772, -79.7751}, Triple{50, 0, -82.7485}, 2.0425},
          {Triple{50, -1, 2}, Triple{50, 0, 0}, 2.3669},
          {Triple{50, 2.5, 0}, Triple{73, 25, -18}, 27.1492},
          {Triple{50, 2.5, 0}, Triple{58, 24, 15}, 19.4535},
          {Triple{60.2574, -34.0099, 36.2677}, Triple{60.4626, -34.1751, 39.4387}, 1.2644},
          {Triple{2.0776, 0.0795, -1.1350}, Triple{0.9033, -0.0636, -0.5514}, 0.9082}}) {
        EXPECT_NEAR(ciede2000(p, q), expected, 5e-5);
        EXPECT_NEAR(ciede2000(q, p), expected, 5e-5);
    }
    const Triple white = lab(linear(rgb(0xFFFFFF)));
    EXPECT_NEAR(white[0], 100, 0.01);
    EXPECT_NEAR(contrast(rgb(0), rgb(0xFFFFFF)), 21, 1e-9);
    // Grey is unchanged for every kind of vision.
    for (const Eye& eye : kEyes) {
        EXPECT_LT(ciede2000(lab(times(eye.matrix, linear(rgb(0x808080)))), lab(linear(rgb(0x808080)))), 0.1)
            << eye.name;
    }
}

// A difference of about 1 is just visible between adjacent patches. Families appear in separate slivers, perhaps on a
// poor projector, so they need far more.
constexpr double kLeastDifference = 8;

TEST(Colours, FamiliesAreDistinctForEveryKindOfVision) {
    for (const Theme* t : themes()) {
        for (const Eye& eye : kEyes) {
            for (std::size_t i = 0; i < kFamilies; ++i) {
                for (std::size_t k = i + 1; k < kFamilies; ++k) {
                    const double apart = ciede2000(lab(times(eye.matrix, linear(t->families[i]))),
                                                   lab(times(eye.matrix, linear(t->families[k]))));
                    EXPECT_GE(apart, kLeastDifference)
                        << t->name << ", " << eye.name << ": " << label_of(static_cast<Family>(i)) << " and "
                        << label_of(static_cast<Family>(k));
                }
            }
        }
    }
}

// The colours of the frontend's row and of the names of runs A and B.
TEST(Colours, IssueWaitAndWorkAreDistinctForEveryKindOfVision) {
    for (const Theme* t : themes()) {
        for (const Eye& eye : kEyes) {
            const auto apart = [&](Rgba a, Rgba b) {
                return ciede2000(lab(times(eye.matrix, linear(a))), lab(times(eye.matrix, linear(b))));
            };
            EXPECT_GE(apart(t->issue, t->wait), kLeastDifference) << t->name << ", " << eye.name;
            EXPECT_GE(apart(t->issue, t->work), kLeastDifference) << t->name << ", " << eye.name;
            EXPECT_GE(apart(t->work, t->wait), kLeastDifference) << t->name << ", " << eye.name;
            EXPECT_GE(apart(t->run_a, t->run_b), kLeastDifference) << t->name << ", " << eye.name;
            EXPECT_GE(apart(t->headway, t->memory), kLeastDifference) << t->name << ", " << eye.name;
        }
    }
}

TEST(Colours, TextContrastsWithItsBackground) {
    constexpr double kLeast = 4.5;
    for (const Theme* t : themes()) {
        const auto check = [&](const char* what, Rgba text, Rgba ground) {
            EXPECT_GE(contrast(text, ground), kLeast) << t->name << ": " << what;
        };
        for (const auto& [name, ground] :
             {std::pair{"background", t->background}, {"panel", t->panel}, {"raised", t->raised}}) {
            const std::string on = std::string(" on ") + name;
            check(("text" + on).c_str(), t->text, ground);
            check(("dim" + on).c_str(), t->dim, ground);
            check(("faint" + on).c_str(), t->faint, ground);
            check(("warning" + on).c_str(), t->warning, ground);
            check(("run A" + on).c_str(), t->run_a, ground);
            check(("run B" + on).c_str(), t->run_b, ground);
        }
        check("wait's text on its label", t->wait_text, t->wait_label_ground);
        check("wait's text", t->wait_text, t->background);
        check("headway", t->headway, t->background);
        check("memory's text", t->memory_text, t->background);
        check("good", t->good, t->background);
        check("work", t->on_work, t->work);
        for (std::size_t i = 0; i < kFamilies; ++i) {
            check(label_of(static_cast<Family>(i)), t->on_family[i], t->families[i]);
        }
    }
}

}  // namespace
}  // namespace headway::figure
