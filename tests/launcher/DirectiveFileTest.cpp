// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launcher/DirectiveFile.h"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::launcher;

TEST(DirectiveFile, HasALineForEachKernel) {
  Diagnostics diagnostics;
  const auto all = readDirectiveFile("d.txt",
                                     "# comment\n\n"
                                     "saxpy: coarsen x=4\n"
                                     "  ns::scan<int, 4>: coarsen x=2; launch-bounds\r\n"
                                     "*: coarsen x=2",
                                     diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].kernel, "saxpy");
  EXPECT_EQ(all[0].str(), "coarsen x=4");
  EXPECT_EQ(all[0].location.line, 3u);
  EXPECT_EQ(all[1].kernel, "ns::scan<int, 4>");
  EXPECT_EQ(all[2].name, "launch-bounds");
  EXPECT_EQ(all[2].kernel, "ns::scan<int, 4>");
  EXPECT_EQ(all[3].kernel, "*");
}

TEST(DirectiveFile, SaysWhereItIsWrong) {
  Diagnostics diagnostics;
  EXPECT_TRUE(
      readDirectiveFile("d.txt", "coarsen x=2\nsaxpy: coarsn x=2\n: coarsen\nns::k\n", diagnostics).empty());
  ASSERT_EQ(diagnostics.all().size(), 4u);
  EXPECT_EQ(diagnostics.all()[0].location.str(), "d.txt:1:1");
  EXPECT_EQ(diagnostics.all()[0].text, "a line is KERNEL: DIRECTIVE");
  EXPECT_EQ(diagnostics.all()[1].location.str(), "d.txt:2:8");
  EXPECT_EQ(diagnostics.all()[3].location.line, 4u);
}
