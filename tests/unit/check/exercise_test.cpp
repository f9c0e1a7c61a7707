#include "app/check/exercise.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/check/exercise_text.h"

namespace headway::check {
namespace {

std::string refusal(const std::string& from, const std::string& to) {
    const auto exercise = parse_exercise(exercise_with(from, to), "exercise.md");
    return exercise ? "accepted" : std::to_string(exercise.error().line) + ": " + exercise.error().message;
}

TEST(Exercise, IsRead) {
    const auto exercise = parse_exercise(kExercise, "exercise.md");
    ASSERT_TRUE(exercise) << exercise.error().message;
    EXPECT_EQ(exercise->id, "halves");
    EXPECT_EQ(exercise->version, "3");
    EXPECT_EQ(exercise->streams, 2u);
    EXPECT_EQ(exercise->results, std::vector<std::string>{"upper"});
    ASSERT_EQ(exercise->cases.size(), 2u);
    EXPECT_FALSE(exercise->cases[0].hidden);
    EXPECT_TRUE(exercise->cases[1].hidden);
    EXPECT_EQ(exercise->cases[1].choices[0].most, 60);
    ASSERT_EQ(exercise->checks.size(), 2u);
    EXPECT_TRUE(exercise->checks[0].partial);
    EXPECT_EQ(exercise->checks[0].hints.size(), 2u);
    EXPECT_EQ(exercise->checks[1].needs, std::vector<std::string>{"products"});
    EXPECT_EQ(exercise->points(), 3);
    EXPECT_EQ(exercise->equivalents.size(), 2u);
    EXPECT_EQ(exercise->task, "**Task.** Compute two halves.\n");
    EXPECT_EQ(exercise->limits.time_ms, 5000u);
}

TEST(Exercise, SaysWhatIsWrongAndWhere) {
    EXPECT_EQ(refusal("id: halves", "id: Halves"), "2: id must be made of the letters a to z, digits and dashes");
    EXPECT_EQ(refusal("version: 3\n", ""), "2: the exercise has no version");
    EXPECT_EQ(refusal("streams: 2", "streams: 0").substr(0, 40), "6: streams must be a whole number from 1");
    EXPECT_EQ(refusal("size: 20..60", "size: 60..20"), "10: size must be like 5..40");
    EXPECT_EQ(refusal("size: 32", "size: [32, 33]"), "9: size must have one value, as the case is not hidden");
    EXPECT_EQ(refusal("{size: 32, t1: 5}", "{hidden: true}"), "9: the first case must not be hidden");
    EXPECT_EQ(refusal("count(products) == 2", "count(product) == 2"),
              "17: pass of check products, column 7: there is no fact called product");
    EXPECT_EQ(refusal("count(products) == 2", "count(products) = 2"),
              "17: pass of check products, column 17: two values are compared with ==, not with =");
    EXPECT_EQ(refusal("{first(waits).name}", "{first(waits}"),
              "26: fail of check waits, column 12: in the braces, column 12: here ) is missing");
    EXPECT_EQ(refusal("needs: [products]", "needs: [product]"),
              "28: check waits needs \"product\", which is not a check before it");
    EXPECT_EQ(refusal("id: waits", "id: products"), "22: the id products is used twice");
    EXPECT_EQ(refusal("    hints: [Look at the row of the frontend.]\n", ""), "22: check waits has no hints");
    EXPECT_EQ(refusal("products: \"", "ops: \""), "12: \"ops\" is already a fact");
    EXPECT_EQ(refusal("partial: true", "partial: maybe"), "21: partial must be true or false");
    EXPECT_EQ(refusal("**Task.** Compute two halves.\n", ""), "2: the exercise has no text after its front matter");
    EXPECT_EQ(refusal("title: Half", "titel: Half").substr(0, 40), "4: \"titel\" is not known in an exercise (");
}

TEST(Exercise, HasOnlyAFrontMatterThatEnds) {
    EXPECT_EQ(parse_exercise("", "e.md").error().message, "the first line must be --- and begin the front matter");
    EXPECT_EQ(parse_exercise("---\nid: x\n", "e.md").error().message, "the front matter is not closed by a line ---");
    EXPECT_EQ(parse_exercise("---\n- x\n---\ntext", "e.md").error().message,
              "the front matter must be a list of names with values");
    const auto nested = parse_exercise("---\nid: " + std::string(5000, '[') + "\n---\ntext", "e.md");
    EXPECT_EQ(nested.error().message, "the front matter has too many brackets");
}

TEST(Exercise, ThoseOfHeadwayAreRead) {
    std::vector<core::Error> refused;
    const auto exercises = load_exercises(std::filesystem::path(HEADWAY_SOURCE_ASSETS) / "exercises", &refused);
    for (const auto& error : refused) {
        ADD_FAILURE() << error.file << ":" << error.line << ": " << error.message;
    }
    EXPECT_GE(exercises.size(), 9u);
    for (const auto& exercise : exercises) {
        const auto solutions = load_solutions(exercise);
        ASSERT_TRUE(solutions) << solutions.error().file << ": " << solutions.error().message;
        EXPECT_GE(solutions->size(), 6u) << exercise.id;
        EXPECT_EQ(exercise.hash.size(), 16u);
    }
}

}  // namespace
}  // namespace headway::check
