// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table in docs/check.md says what the static check decides; each of its rows names a file with a kernel for each
// decision, and the decisions are those.
#include "StaticRunner.h"
#include "TestPaths.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

namespace heddle::check::test {
namespace {

namespace fs = std::filesystem;

struct Row {
  std::string property, file;
};

std::vector<Row> tableRows() {
  std::ifstream page(fs::path(HEDDLE_SOURCE_DIR) / "docs/check.md");
  const std::regex row(R"(^\| ([a-z -]+) \|.*\| `(tests/check/covers/[a-z-]+\.ptx)` \|$)");
  std::vector<Row> rows;
  std::smatch found;
  for (std::string line; std::getline(page, line);)
    if (std::regex_match(line, found, row))
      rows.push_back({found[1], found[2]});
  return rows;
}

StaticResult resultOf(const fs::path &file, const std::string &kernel) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  Diagnostics problems;
  ptx::Module module = ptx::parse(text.str(), file.string(), problems);
  EXPECT_TRUE(problems.empty()) << textOf(problems);
  StaticOptions options;
  options.block = {64, 1, 1};
  if (kernel == "violated")
    options.grid = vm::Dim3{4, 1, 1};
  return checkStatic(module, kernel, options);
}

TEST(CoverageTable, decidesEachRowAsThePageSays) {
  std::set<std::string> seen;
  for (const Row &row : tableRows())
    for (unsigned p = 0; p < Properties; ++p)
      if (nameOf(Property(p)) == row.property) {
        seen.insert(row.property);
        for (Decision decision : {Decision::Proved, Decision::Violated, Decision::Undecided}) {
          SCOPED_TRACE(row.file + ": " + std::string(nameOf(decision)));
          expectDecision(decision, Property(p),
                         resultOf(fs::path(HEDDLE_SOURCE_DIR) / row.file, std::string(nameOf(decision))));
        }
      }
  EXPECT_EQ(seen.size(), Properties) << "a property has no row";
}

} // namespace
} // namespace heddle::check::test
