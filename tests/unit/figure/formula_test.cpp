// The drawn formulas: what is drawn where, and what the sentence says.
#include "app/figure/formula.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "app/render/fonts.h"

namespace headway::figure {
namespace {

class FormulaPicture : public ::testing::Test {
protected:
    [[nodiscard]] FormulaOptions options(float width, float height, const Theme& of = theme(ThemeName::dark)) const {
        return {{20, 30, 20 + width, 30 + height}, &of, &fonts, 1, StageValue::t2, 0, 20'000};
    }
    [[nodiscard]] static std::vector<std::string> words(const DisplayList& list) {
        std::vector<std::string> all;
        for (const Item& item : list.items) {
            if (const auto* text = std::get_if<Text>(&item)) {
                all.push_back(text->text);
            }
        }
        return all;
    }
    [[nodiscard]] static bool has(const std::vector<std::string>& all, const std::string& part) {
        return std::any_of(all.begin(), all.end(),
                           [&](const std::string& text) { return text.find(part) != std::string::npos; });
    }
    FontSet fonts;
    const model::Stages stages{8, 1, 5'000, 0, 8'000, 3'000};
};

TEST_F(FormulaPicture, EverythingIsWithinItsArea) {
    std::mt19937 random(4);
    for (const auto& [width, height] : {std::pair{700.0F, 460.0F}, {1200.0F, 800.0F}, {420.0F, 380.0F}}) {
        for (int round = 0; round < 60; ++round) {
            const auto below = [&](unsigned n) { return static_cast<double>(random() % n); };
            const model::Stages s{static_cast<int>(random() % 40 + 1),
                                  static_cast<int>(random() % 4 + 1),
                                  below(20'000),
                                  below(5'000),
                                  below(20'000),
                                  below(20'000)};
            FormulaOptions o = options(width, height);
            o.swept = static_cast<StageValue>(random() % kStageValues);
            o.swept_least = o.swept == StageValue::ops || o.swept == StageValue::lanes ? 1 : 0;
            o.swept_most = o.swept == StageValue::ops ? 40 : o.swept == StageValue::lanes ? 4 : 20'000;
            for (const Item& item : draw_formula(s, o).items) {
                Box box{o.area};
                if (const auto* rect = std::get_if<Rect>(&item)) {
                    box = rect->box;
                } else if (const auto* text = std::get_if<Text>(&item)) {
                    box = box_of(*text, fonts);
                }
                EXPECT_GE(box.x0, o.area.x0 - 1);
                EXPECT_LE(box.x1, o.area.x1 + 1);
                EXPECT_GE(box.y0, o.area.y0 - 1);
                EXPECT_LE(box.y1, o.area.y1 + 1);
            }
        }
    }
}

TEST_F(FormulaPicture, ShowsBothFormulasWithTheirTotals) {
    const auto all = words(draw_formula(stages, options(1000, 700)));
    EXPECT_TRUE(has(all, "N·(t₁+h+t₂+t₃) = 128 µs"));          // 8 * (5 + 8 + 3)
    EXPECT_TRUE(has(all, "max(t₁+N·t₂, N·t₁+t₂)+h+t₃ = 72 µs"));  // 5 + 64 + 3
}

TEST_F(FormulaPicture, TheBarsOfASumAreAsLongAsItsRun) {
    const DisplayList list = draw_formula(stages, options(1000, 700));
    float wait_ends = 0, sum_ends = 0;
    const Theme& t = theme(ThemeName::dark);
    for (const Item& item : list.items) {
        const auto* rect = std::get_if<Rect>(&item);
        if (rect != nullptr && rect->stroke == t.wait) {  // what is returned, opaque: the runs' and the longest sums'
            (wait_ends == 0 ? wait_ends : sum_ends) = std::max(wait_ends == 0 ? wait_ends : sum_ends, rect->box.x1);
            wait_ends = std::max(wait_ends, rect->box.x1);
        }
    }
    EXPECT_GT(sum_ends, 0);
    EXPECT_NEAR(wait_ends, sum_ends, 1);
}

TEST_F(FormulaPicture, TheSentenceNamesTheLimit) {
    EXPECT_NE(formula_sentence(stages).find("Execution-bound"), std::string::npos);
    EXPECT_NE(formula_sentence(stages).find("Waiting once takes 72 µs, 44 % less than waiting for each op (128 µs)"),
              std::string::npos)
        << formula_sentence(stages);
    const std::string issue_bound = formula_sentence({10, 1, 1000, 0, 950, 1000});
    EXPECT_NE(issue_bound.find("Issue-bound"), std::string::npos);
    EXPECT_NE(issue_bound.find("too short by 450 ns"), std::string::npos) << issue_bound;
    EXPECT_EQ(formula_sentence({10, 1, 1000, 0, 500, 1000}).find("condition"), std::string::npos);
    EXPECT_NE(formula_sentence({1, 1, 10, 0, 10, 10}).find("as long"), std::string::npos);
}

TEST_F(FormulaPicture, ValuesAreSetWithinReason) {
    EXPECT_EQ(with(stages, StageValue::ops, 0.2).ops, 1);
    EXPECT_EQ(with(stages, StageValue::lanes, 2.6).lanes, 3);
    EXPECT_EQ(with(stages, StageValue::t3, -5).t3_ns, 0);
    for (int i = 0; i < kStageValues; ++i) {
        const auto value = static_cast<StageValue>(i);
        EXPECT_EQ(value_of(with(stages, value, 7), value), 7);
    }
}

}  // namespace
}  // namespace headway::figure
