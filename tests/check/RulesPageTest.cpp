// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table at the end of docs/check.md has a row for each rule, with its sentence, and no others.
#include "TestPaths.h"
#include "check/Finding.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace heddle::check::test {
namespace {

/// "| race/shared | ... |", without the marks of code.
std::vector<std::string> rowsOfPage() {
  std::ifstream page(std::filesystem::path(HEDDLE_SOURCE_DIR) / "docs/check.md");
  std::vector<std::string> rows;
  bool isTable = false;
  for (std::string line; std::getline(page, line);) {
    isTable |= line == "## All rules";
    if (!isTable || !line.starts_with("| `"))
      continue;
    std::erase(line, '`');
    rows.push_back(line);
  }
  return rows;
}

TEST(RulesPage, hasEveryRuleWithItsSentence) {
  std::vector<std::string> rules;
  for (unsigned rule = 0; rule < check::Rules; ++rule)
    rules.push_back("| " + std::string(idOf(Rule(rule))) + " | " + std::string(aboutOf(Rule(rule))) + " |");
  EXPECT_EQ(rowsOfPage(), rules);
}

} // namespace
} // namespace heddle::check::test
