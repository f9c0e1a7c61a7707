#include "engine/devices/op.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace headway::devices {
namespace {

TEST(Op, FormatsShapesForErrorsAndForTheTimeline) {
    EXPECT_EQ(to_string(Shape{1024, 512}), "(1024, 512)");
    EXPECT_EQ(to_string(Shape{7}), "(7,)");
    EXPECT_EQ(to_string(Shape{}), "()");
    EXPECT_EQ(to_label(Shape{1024, 512, 3}), "1024×512×3");
    EXPECT_EQ(to_label(Shape{7}), "7");
    EXPECT_EQ(to_label(Shape{}), "scalar");
}

TEST(Op, EveryKindAndFamilyHasAUniqueName) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < kOpKinds; ++i) {
        names.insert(name_of(static_cast<OpKind>(i)));
    }
    EXPECT_EQ(names.size(), kOpKinds);
    EXPECT_EQ(names.count("unknown"), 0u);
    EXPECT_STREQ(name_of(OpKind::fill), "fill");
    EXPECT_STREQ(name_of(OpKind::add), "add");
    EXPECT_STREQ(name_of(OpKind::equal_scalar), "equal_scalar");
    EXPECT_STREQ(name_of(OpKind::copy), "copy");
    EXPECT_STREQ(name_of(OpKind::matmul), "matmul");
    EXPECT_STREQ(name_of(OpKind::host_call), "host_call");
    EXPECT_STREQ(name_of(OpKind::count_), "unknown");
    EXPECT_STREQ(name_of(Family::matmul), "matmul");
    EXPECT_STREQ(name_of(Family::other), "other");
}

TEST(Op, TheHashChangesWithNamesAndOrder) {
    auto ops = kOps;
    std::swap(ops[1], ops[2]);
    EXPECT_NE(hash_of(ops), hash_of(kOps));
    ops = kOps;
    ops.back().name = "grap";
    EXPECT_NE(hash_of(ops), hash_of(kOps));
    EXPECT_NE(hash_of(std::span(kOps).first(kOpKinds - 1)), hash_of(kOps));
}

}  // namespace
}  // namespace headway::devices
