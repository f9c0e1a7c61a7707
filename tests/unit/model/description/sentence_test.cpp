#include "app/model/description/sentence.h"

#include <gtest/gtest.h>

namespace headway::model {
namespace {

TEST(SentenceOf, BeginsWithACapitalAndEndsWithAFullStop) {
    EXPECT_EQ(sentence_of("out of memory at op 203"), "Out of memory at op 203.");
    EXPECT_EQ(sentence_of("is it over?"), "Is it over?");
    EXPECT_EQ(sentence_of("ended"), "Ended.");
    EXPECT_EQ(sentence_of(""), "");
}

TEST(SentenceOf, KeepsANameBeforeAColon) {
    EXPECT_EQ(sentence_of("matmul: needs two matrices"), "matmul: needs two matrices.");
    EXPECT_EQ(sentence_of("np.l2_loss: needs a batch"), "np.l2_loss: needs a batch.");
    EXPECT_EQ(sentence_of("op 3: it failed"), "Op 3: it failed.");
}

}  // namespace
}  // namespace headway::model
