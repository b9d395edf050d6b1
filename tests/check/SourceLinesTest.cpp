// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/SourceLines.h"

#include "support/Paths.h"

#include <gtest/gtest.h>

#include <fstream>

namespace heddle::check {
namespace {

SourceLocation at(std::string file, unsigned line, std::string text = "") {
  return {std::move(file), line, 1, 0, std::move(text)};
}

/// A file of two lines, one of them with the line end of Windows.
struct SourceLines : testing::Test {
  SourceLines() { std::ofstream(file) << "first\r\nsecond\n"; }
  TemporaryFolder folder;
  std::string file = (folder.path() / "k.cu").string();
};

TEST_F(SourceLines, AreReadFromTheFileWhereTheFinderHadNone) {
  std::vector<Finding> list(1);
  list[0].location = at(file, 1);
  list[0].notes = {
      {at(file, 2, "known"), ""}, {at(file, 9), "beyond the end"}, {at("no/such/file.cu", 1), ""}};
  addSourceLines(list);
  EXPECT_EQ(list[0].location.sourceLine, "first");
  EXPECT_EQ(list[0].notes[0].location.sourceLine, "known");
  EXPECT_EQ(list[0].notes[1].location.sourceLine, "");
  EXPECT_EQ(list[0].notes[2].location.sourceLine, "");
}

TEST_F(SourceLines, OfReasonsAreReadToo) {
  StaticResult result;
  result.findings.resize(1);
  result.findings[0].location = at(file, 2);
  result.undecided.resize(1);
  result.undecided[0].location = at(file, 1);
  result.undecided[0].notes = {{at(file, 2), "because of this"}};
  addSourceLines(result);
  EXPECT_EQ(result.findings[0].location.sourceLine, "second");
  EXPECT_EQ(result.undecided[0].location.sourceLine, "first");
  EXPECT_EQ(result.undecided[0].notes[0].location.sourceLine, "second");
}

} // namespace
} // namespace heddle::check
