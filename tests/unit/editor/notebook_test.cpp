#include "app/editor/notebook.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace headway::editor {
namespace {

const char* const kNotebook = R"({"cells": [
 {"cell_type": "markdown", "source": ["# Words"]},
 {"cell_type": "code", "execution_count": 3, "metadata": {}, "outputs": [1], "source": ["x = 1\n", "%time\n", "x"]},
 {"cell_type": "code", "metadata": {}, "outputs": [], "source": "y = 2"}],
 "metadata": {"kernelspec": {"name": "python3"}}, "nbformat": 4, "nbformat_minor": 5})";

TEST(Notebook, IsOneTextWithMarkers) {
    EXPECT_EQ(*text_of_notebook(kNotebook), "# %%\nx = 1\n%time\nx\n# %%\ny = 2");
}

TEST(Notebook, IsUpdatedFromTheText) {
    const auto same = notebook_with(kNotebook, *text_of_notebook(kNotebook));
    ASSERT_TRUE(same);
    EXPECT_EQ(nlohmann::json::parse(*same), nlohmann::json::parse(kNotebook));
    const auto changed = notebook_with(kNotebook, "# %%\nx = 10\n# %%\ny = 2\n# %%\nz = 3\n");
    ASSERT_TRUE(changed);
    const auto json = nlohmann::json::parse(*changed);
    ASSERT_EQ(json["cells"].size(), 4u);
    EXPECT_EQ(json["cells"][0]["cell_type"], "markdown");
    EXPECT_EQ(json["cells"][1]["source"], (nlohmann::json{"x = 10"}));
    EXPECT_EQ(json["cells"][1]["outputs"], (nlohmann::json{1}));
    EXPECT_EQ(json["cells"][2]["source"], "y = 2");
    EXPECT_EQ(json["cells"][3]["source"], (nlohmann::json{"z = 3\n"}));
    EXPECT_EQ(*text_of_notebook(*changed), "# %%\nx = 10\n# %%\ny = 2\n# %%\nz = 3\n");
    const auto fewer = nlohmann::json::parse(*notebook_with(kNotebook, "# %%\nx"));
    EXPECT_EQ(fewer["cells"].size(), 2u);
}

TEST(Notebook, KeepsLinesOfACellThatReadLikeMarkers) {
    const std::string notebook = R"({"cells": [{"cell_type": "code", "source": "a\n# %% two\n# \\%%\n# %5\nb"},)"
                                 R"( {"cell_type": "code", "source": "# %%"}]})";
    const std::string text = *text_of_notebook(notebook);
    EXPECT_EQ(text, "# %%\na\n# \\%% two\n# \\\\%%\n# %5\nb\n# %%\n# \\%%");
    EXPECT_EQ(nlohmann::json::parse(*notebook_with(notebook, text)), nlohmann::json::parse(notebook));
    const auto changed = nlohmann::json::parse(*notebook_with(notebook, text + "\nc"));
    EXPECT_EQ(changed["cells"][1]["source"], (nlohmann::json{"# %%\n", "c"}));
}

TEST(Notebook, KeepsWhatDoesNotChangeAsItIsWritten) {
    const std::string start = "{\n \"cells\": [\n  ";
    const std::string first =
        "{\n   \"outputs\": [123456789012345678901234567890],\n   \"cell_type\": \"code\",\n   \"source\": ";
    const std::string end = "\n  }\n ],\n \"nbformat\":  4\n}\n";
    const auto changed = notebook_with(start + first + "[\n    \"x\"\n   ]" + end, "# %%\ny = \"ü\"\nz");
    ASSERT_TRUE(changed) << changed.error().message;
    EXPECT_EQ(*changed, start + first + "[\n    \"y = \\\"ü\\\"\\n\",\n    \"z\"\n   ]" + end);
    EXPECT_EQ(*notebook_with(*changed, *text_of_notebook(*changed)), *changed);
    // A code cell without a source gets one.
    const auto given = notebook_with(R"({"cells": [{"cell_type": "code"}]})", "# %%\nx");
    ASSERT_TRUE(given);
    EXPECT_EQ(*text_of_notebook(*given), "# %%\nx");
    EXPECT_EQ(nlohmann::json::parse(*given)["cells"][0]["cell_type"], "code");
    // Removing all cells leaves a list.
    EXPECT_EQ(
        *notebook_with(R"({"cells": [], "nbformat": 4})", "# %%\nx"),
        "{\"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"metadata\": {},\n   "
        "\"outputs\": [],\n   \"source\": [\n    \"x\"\n   ]\n  }\n ], \"nbformat\": 4}");
}

TEST(Notebook, NamesTheLineThatIsNotJson) {
    EXPECT_EQ(text_of_notebook("{\"cells\": [\n{]\n}").error().message,
              "this is not a notebook: it is not JSON at line 2");
}

TEST(Notebook, RejectsOtherFiles) {
    for (const char* text :
         {"", "3", "{", "[]", "{\"cells\": [3]}", "{\"cells\": 3}", "{\"cells\": [{\"cell_type\": \"markdown\"}]}"}) {
        const auto read = text_of_notebook(text);
        ASSERT_FALSE(read) << text;
        EXPECT_NE(read.error().message.find("not a notebook"), std::string::npos);
    }
}

}  // namespace
}  // namespace headway::editor
