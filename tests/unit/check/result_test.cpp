#include "app/check/result.h"

#include <gtest/gtest.h>

#include "app/json/json.h"

namespace headway::check {
namespace {

CheckReport some_report() {
    CheckReport report;
    report.exercise = "halves";
    report.title = "Half the work";
    report.version = "3";
    report.hash = "0123456789abcdef";
    report.program = "a/\"b\".py";
    report.program_hash = "fedcba9876543210";
    report.headway = "0.1.0";
    report.verdict = Verdict::failed;
    report.sentence = "1 of 3 checks passes. Line <4> waits & waits.";
    report.cases = 3;
    report.cases_run = 2;
    report.points = 1;
    report.most = 4;
    report.notes = {"not confined"};
    report.checks.push_back({"runs", "It runs", "", Outcome::passed, "", 0, 0, "", false, 0, 0, {}});
    report.checks.push_back({"waits",
                             "No wait",
                             "Waits cost time.",
                             Outcome::failed,
                             "Line <4> waits & waits.",
                             4,
                             7,
                             "#7 matmul",
                             false,
                             0,
                             3,
                             {"Look.", "Look at line 4."}});
    report.checks.push_back({"time",
                             "Fast",
                             "Time is short.",
                             Outcome::not_reached,
                             "First this must hold: No wait.",
                             0,
                             0,
                             "",
                             true,
                             0,
                             1,
                             {}});
    return report;
}

TEST(Result, JsonIsReadAgain) {
    const CheckReport report = some_report();
    const auto again = report_from(as_json(report));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(as_json(*again), as_json(report));
    EXPECT_EQ(again->checks[1].hints.size(), 2u);
    EXPECT_FALSE(report_from("{}"));
    EXPECT_FALSE(report_from("no JSON"));
}

TEST(Result, TextHasHintsAsWanted) {
    const std::string text = as_text(some_report(), 1);
    EXPECT_NE(text.find("FAIL  No wait"), std::string::npos) << text;
    EXPECT_NE(text.find("(\"b\".py:4, op #7 matmul)"), std::string::npos) << text;
    EXPECT_NE(text.find("Hint 1 of 2: Look.\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("Look at line 4"), std::string::npos) << text;
    EXPECT_NE(as_text(some_report(), 5).find("Hint 2 of 2: Look at line 4."), std::string::npos);
    EXPECT_EQ(as_text(some_report(), 0).find("Hint"), std::string::npos);
}

TEST(Result, TextNamesAPlaceOnce) {
    const auto text_with = [](const std::string& sentence) {
        CheckReport report = some_report();
        report.program = "a.py";
        report.checks[1].sentence = sentence;
        report.checks[1].op = 0;
        return as_text(report, 0);
    };
    EXPECT_EQ(text_with("No such thing, at a.py:4.").find("(a.py:4)"), std::string::npos);
    EXPECT_NE(text_with("No such thing, at a.py:41.").find("(a.py:4)"), std::string::npos);
}

TEST(Result, JUnitIsXml) {
    const std::string text = as_junit({some_report()});
    EXPECT_NE(text.find("tests=\"3\" failures=\"1\" skipped=\"1\""), std::string::npos) << text;
    EXPECT_NE(text.find("message=\"Line &lt;4&gt; waits &amp; waits.\""), std::string::npos) << text;
    EXPECT_NE(text.find("name=\"a/&quot;b&quot;.py\""), std::string::npos) << text;
}

TEST(Result, CsvQuotesAndDoesNotCompute) {
    CheckReport report = some_report();
    report.sentence = "=1+1";
    const std::string text = as_csv({report});
    EXPECT_EQ(text.substr(0, text.find('\n')),
              "program,exercise,version,hash,verdict,points,of,sentence,runs,waits,time");
    EXPECT_NE(text.find("\"a/\"\"b\"\".py\",halves,3,0123456789abcdef,failed,1,4,'=1+1,passed,failed,not reached"),
              std::string::npos)
        << text;
}

TEST(Result, ASpreadsheetComputesNoFieldInQuotes) {
    CheckReport report = some_report();
    report.sentence = "=SUM(A1,A2)";
    EXPECT_NE(as_csv({report}).find(",\"'=SUM(A1,A2)\","), std::string::npos) << as_csv({report});
}

TEST(Result, GradescopeHasScores) {
    const json::Document document(as_gradescope(some_report(), 1));
    EXPECT_EQ(document.root()["score"].number(), 1);
    const auto tests = document.root()["tests"].elements();
    ASSERT_EQ(tests.size(), 3u);
    EXPECT_EQ(tests[1]["max_score"].number(), 3);
    EXPECT_EQ(tests[1]["status"].text(), "failed");
    EXPECT_EQ(tests[1]["output"].text(), "Line <4> waits & waits. (line 4, op #7 matmul)\nHint: Look.");
}

TEST(Result, WordsAreReadAgain) {
    for (const auto verdict : {Verdict::passed, Verdict::failed, Verdict::refused, Verdict::endless_loop,
                               Verdict::endless_output, Verdict::out_of_memory, Verdict::crashed, Verdict::forged}) {
        EXPECT_EQ(verdict_called(word_of(verdict)), verdict);
    }
    EXPECT_FALSE(verdict_called("excellent"));
}

}  // namespace
}  // namespace headway::check
