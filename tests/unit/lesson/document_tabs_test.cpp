#include "app/lesson/document_tabs.h"

#include <gtest/gtest.h>

namespace headway::lesson {
namespace {

using Tabs = std::vector<std::string>;

TEST(DocumentTabs, ComeFromMarksInPythonBlocks) {
    EXPECT_EQ(document_tabs("Words\n```python\nx = 1\n```\n"), Tabs{});
    EXPECT_EQ(document_tabs("```python\n#@tab pytorch\nx\n```\n```python\n#@tab mxnet, tensorflow\nx\n```\n"),
              (Tabs{"mxnet", "pytorch", "tensorflow"}));
    // If some blocks have a mark, those without one are for MXNet.
    EXPECT_EQ(document_tabs("```{.python .input}\nx\n```\n```{.python .input}\n#@tab pytorch\nx\n```\n"),
              (Tabs{"mxnet", "pytorch"}));
    EXPECT_EQ(document_tabs("```python\n# For PyTorch users\nx\n# For MXNet\ny\n```\n"), (Tabs{"mxnet", "pytorch"}));
}

TEST(DocumentTabs, IgnoreOtherBlocksAndText) {
    EXPECT_EQ(document_tabs("#@tab mxnet\n# For PyTorch users\n"), Tabs{});
    EXPECT_EQ(document_tabs("```sh\n#@tab mxnet\n```\n"), Tabs{});
    // The mark is not in the block's first line.
    EXPECT_EQ(document_tabs("````python\n```\n#@tab mxnet\n````\n"), Tabs{});
    EXPECT_EQ(document_tabs("```python\n#@tab jax\nx\n```\n"), Tabs{});
    EXPECT_EQ(document_tabs("```python\n# For pytorchvision\n```"), Tabs{});
    EXPECT_EQ(document_tabs(""), Tabs{});
}

TEST(DocumentTabs, DialectsComeFromImports) {
    EXPECT_EQ(dialect_of("# words\nfrom mxnet import np\nimport torch\n"), "mxnet");
    EXPECT_EQ(dialect_of("import time\nimport torch.nn as nn\n"), "pytorch");
    EXPECT_EQ(dialect_of("import os, torch as t\n"), "pytorch");
    EXPECT_EQ(dialect_of("from d2l import mxnet as d2l, torch\nfrom d2l.mxnet import Timer\n"), "");
    EXPECT_EQ(dialect_of("import headway as hw\n"), "");
    EXPECT_EQ(dialect_label("tensorflow"), "TensorFlow");
    EXPECT_EQ(dialect_label(""), "Headway");
}

}  // namespace
}  // namespace headway::lesson
