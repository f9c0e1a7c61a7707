#include <gtest/gtest.h>

#include "tests/unit/expression/facts.h"

namespace headway::expression {
namespace {

TEST(Expression, ComputesNumbers) {
    EXPECT_EQ(evaluated("1 + 2 * 3"), "7");
    EXPECT_EQ(evaluated("(1 + 2) * 3"), "9");
    EXPECT_EQ(evaluated("10 - 4 - 3"), "3");
    EXPECT_EQ(evaluated("12 / 4 / 3"), "1");
    EXPECT_EQ(evaluated("-n + 2"), "-10");
    EXPECT_EQ(evaluated("2 * -3"), "-6");
    EXPECT_EQ(evaluated("0.5 + 0.25"), "0.75");
    EXPECT_EQ(evaluated("-0"), "0");
    EXPECT_EQ(evaluated("1e3"), "1000");
}

TEST(Expression, KnowsUnits) {
    EXPECT_EQ(evaluated("5us + 3ns"), "5003");
    EXPECT_EQ(evaluated("2ms / 1us"), "2000");
    EXPECT_EQ(evaluated("1.5s"), "1500000000");
    EXPECT_EQ(evaluated("64KiB"), "65536");
    EXPECT_EQ(evaluated("2MB"), "2000000");
    EXPECT_EQ(evaluated("5apples"), "error: column 2: the units are ns, us, ms, s, B, kB, MB, GB, KiB, MiB and GiB");
}

TEST(Expression, ComparesAndJoins) {
    EXPECT_EQ(evaluated("n == 12 and not (n < 3) or false"), "yes");
    EXPECT_EQ(evaluated("not n == 12"), "no");
    EXPECT_EQ(evaluated("'a' < 'b' and 'a' != 'b'"), "yes");
    EXPECT_EQ(evaluated("[1, 2] == [1, 2]"), "yes");
    EXPECT_EQ(evaluated("[1, 2] == [1]"), "no");
    EXPECT_EQ(evaluated("ops[0] == ops[0] and ops[0] != ops[2]"), "yes");
    EXPECT_EQ(evaluated("n == 'twelve'"), "error: column 3: a number cannot be compared with a text");
    EXPECT_EQ(evaluated("1 < 2 < 3"), "error: column 7: comparisons cannot be chained; join two of them with and");
    EXPECT_EQ(evaluated("n = 12"), "error: column 3: two values are compared with ==, not with =");
}

TEST(Expression, DoesNotComputeWhatIsNotNeeded) {
    EXPECT_EQ(evaluated("yes or 1 / 0 == 1"), "yes");
    EXPECT_EQ(evaluated("not yes and 1 / 0 == 1"), "no");
    EXPECT_EQ(evaluated("if(count(empty) == 0, 'none', first(empty))"), "none");
}

TEST(Expression, GoesOverLists) {
    EXPECT_EQ(evaluated("count(ops)"), "3");
    EXPECT_EQ(evaluated("count(o in ops where o.name == word)"), "2");
    EXPECT_EQ(evaluated("[o in ops -> o.id]"), "1, 2 and 3");
    EXPECT_EQ(evaluated("sum(o in ops where o.id > 1 -> o.ns)"), "60");
    EXPECT_EQ(evaluated("all(o in ops -> o.ns >= 10)"), "yes");
    EXPECT_EQ(evaluated("any(o in ops -> o.ns > 60)"), "no");
    EXPECT_EQ(evaluated("[i in range(3) -> [j in range(i) -> i * 10 + j]][2]"), "20 and 21");
    EXPECT_EQ(evaluated("ops[-1].id"), "3");
    EXPECT_EQ(evaluated("sum(slice(o in ops -> o.ns, 1))"), "60");
    EXPECT_EQ(evaluated("sum(slice([o in ops -> o.ns], 1))"), "60");
    EXPECT_EQ(evaluated("slice([1, 2, 3, 4], -2, -1)"), "3");
    EXPECT_EQ(evaluated("slice([1, 2], 5, 9)"), "none");
}

TEST(Expression, AVariableHidesAFact) {
    EXPECT_EQ(evaluated("[n in [1, 2] -> n] + [n]"), "1, 2 and 12");
}

TEST(Expression, HasFunctions) {
    EXPECT_EQ(evaluated("min(3, 1, 2) + max([4, 5])"), "6");
    EXPECT_EQ(evaluated("median([5, 1, 9, 3])"), "4");
    EXPECT_EQ(evaluated("mean(1, 2, 6)"), "3");
    EXPECT_EQ(evaluated("sorted(['b', 'a'])"), "a and b");
    EXPECT_EQ(evaluated("unique([2, 1, 2])"), "1 and 2");
    EXPECT_EQ(evaluated("reversed([1, 2, 3])"), "3, 2 and 1");
    EXPECT_EQ(evaluated("contains(word, 'mul') and contains([1, 2], 2) and starts_with(word, 'mat')"), "yes");
    EXPECT_EQ(evaluated("mod(-1, 3) + floor(1.7) + ceil(0.2) + round(2.5) + abs(-4) + sqrt(9)"), "14");
    EXPECT_EQ(evaluated("plural(1, 'op') + ', ' + plural(3, 'op') + ', ' + plural(2, 'copy', 'copies')"),
              "1 op, 3 ops, 2 copies");
    EXPECT_EQ(evaluated("lower('ABC') + text(12)"), "abc12");
}

TEST(Expression, SameToleratesRounding) {
    EXPECT_EQ(evaluated("same(1, 1.00001)"), "yes");
    EXPECT_EQ(evaluated("same(1, 1.01)"), "no");
    EXPECT_EQ(evaluated("same(1000, 1001, 0.01)"), "yes");
    EXPECT_EQ(evaluated("same([1, [2]], [1, [2.00001]])"), "yes");
    EXPECT_EQ(evaluated("same([1], [1, 1])"), "no");
    EXPECT_EQ(evaluated("same(1, 'one')"), "no");
    EXPECT_EQ(evaluated("same('one', 'one')"), "yes");
}

TEST(Expression, SaysWhatIsWrong) {
    EXPECT_EQ(evaluated(""), "error: column 1: the expression is empty");
    EXPECT_EQ(evaluated("1 +"), "error: column 4: the expression ends too early");
    EXPECT_EQ(evaluated("(1"), "error: column 3: here ) is missing");
    EXPECT_EQ(evaluated("1 2"), "error: column 3: the expression should end here");
    EXPECT_EQ(evaluated("'open"), "error: column 1: this text has no closing quote");
    EXPECT_EQ(evaluated("a $ b"), "error: column 3: this character has no meaning in an expression");
    EXPECT_EQ(evaluated("opps"), "error: column 1: there is no fact called opps");
    EXPECT_EQ(evaluated("unknown"), "error: column 1: this is not known");
    EXPECT_EQ(evaluated("forget(1)"), "error: column 1: there is no function called forget");
    EXPECT_EQ(evaluated("count()"), "error: column 1: count takes 1 argument, not 0");
    EXPECT_EQ(evaluated("same(1)"), "error: column 1: same takes 2 to 3 arguments, not 1");
    EXPECT_EQ(evaluated("ops.id"), "error: column 5: a list has no fields");
    EXPECT_EQ(evaluated("ops[0].size"), "error: column 8: an op has no field size; it has: id, name, ns");
    EXPECT_EQ(evaluated("ops[7]"), "error: column 4: the list has no element 7: it has 3");
    EXPECT_EQ(evaluated("ops[0.5]"), "error: column 4: the list has no element 0.5: it has 3");
    EXPECT_EQ(evaluated("first(empty)"), "error: column 1: first: the list is empty");
    EXPECT_EQ(evaluated("1 / 0"), "error: column 3: a division by zero");
    EXPECT_EQ(evaluated("1e308 * 10"), "error: column 7: the result is out of range");
    EXPECT_EQ(evaluated("n and yes"), "error: column 1: a yes or no is needed here, not a number");
    EXPECT_EQ(evaluated("if(yes, 1)"), "error: column 1: if is written if(condition, value, other value)");
}

TEST(Expression, ErrorsHaveALine) {
    const auto expression = Expression::parse("1 +\n  opps");
    ASSERT_TRUE(expression);
    const auto value = expression->evaluate(facts());
    ASSERT_FALSE(value);
    EXPECT_EQ(value.error().line, 2u);
    EXPECT_EQ(value.error().message, "column 3: there is no fact called opps");
}

TEST(Expression, Ends) {
    EXPECT_EQ(evaluated("count([i in range(100000) -> range(100000)])"),
              "error: column 30: the expression takes more than 5000000 steps");
    EXPECT_EQ(evaluated("count([i in range(9999) -> [j in range(9999) -> 1]])").substr(0, 40),
              "error: column 34: the expression takes m");
    EXPECT_EQ(evaluated("range(1e9)"), "error: column 1: range: at most 100000 numbers");
    EXPECT_EQ(evaluated(std::string(1000, '(') + "1" + std::string(1000, ')')).substr(0, 7), "error: ");
    EXPECT_EQ(evaluated(std::string(1000, '-') + "1").substr(0, 7), "error: ");
    std::string sum = "1";
    for (int i = 0; i < 5000; ++i) {
        sum += " + 1";
    }
    EXPECT_EQ(evaluated(sum).substr(0, 7), "error: ");
    EXPECT_EQ(evaluated(std::string(30'000, ' ') + "1").substr(0, 7), "error: ");
}

TEST(Expression, NamesItsFacts) {
    const auto expression = Expression::parse("count(o in ops where o.ns > n) + n");
    ASSERT_TRUE(expression);
    EXPECT_EQ(expression->names(), (std::vector<std::string>{"ops", "n"}));
    const std::vector<std::string> some{"ops"};
    const auto known = expression->check_names(some);
    ASSERT_FALSE(known);
    EXPECT_EQ(known.error().message, "column 29: there is no fact called n");
}

TEST(Expression, WantsATruth) {
    const auto expression = Expression::parse("n");
    ASSERT_TRUE(expression);
    ASSERT_FALSE(expression->truth(facts()));
    EXPECT_EQ(expression->truth(facts()).error().message, "column 1: a yes or no is needed, not a number");
}

}  // namespace
}  // namespace headway::expression
