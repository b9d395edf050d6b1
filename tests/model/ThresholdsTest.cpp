// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of thresholds is worth what its last column is worth: rows that claim a measurement must name one that is here, and
// the page that people read must be what the code decides by.
#include "model/Thresholds.h"

#include "TestPaths.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace heddle::model {
namespace {

namespace fs = std::filesystem;

std::string textOf(const fs::path &file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Paths of this repository that a text mentions.
std::vector<std::string> pathsIn(const std::string &text) {
  static const std::regex path(R"((bench|docs|tests|arch)/[\w./-]*\w)");
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), path), end; at != end; ++at)
    found.push_back(at->str());
  return found;
}

TEST(Thresholds, EachHasANameOfItsOwn) {
  std::set<std::string> names;
  for (const Threshold &row : thresholds())
    EXPECT_TRUE(names.insert(std::string(row.group) + "." + std::string(row.name)).second)
        << row.group << "." << row.name;
}

TEST(Thresholds, EachSaysItsUnitWhatItDecidesAndWhereItComesFrom) {
  for (const Threshold &row : thresholds()) {
    EXPECT_FALSE(row.unit.empty()) << row.name;
    EXPECT_FALSE(row.decides.empty()) << row.name;
    EXPECT_FALSE(row.where.empty()) << row.name;
  }
}

TEST(Thresholds, RowsOfAGroupAreTogether) {
  std::set<std::string_view> ended;
  std::string_view group;
  for (const Threshold &row : thresholds()) {
    if (row.group != group)
      EXPECT_TRUE(ended.insert(row.group).second) << row.group;
    group = row.group;
  }
}

TEST(Thresholds, WhatIsCalledMeasuredOrCheckedNamesAFileThatIsHere) {
  for (const Threshold &row : thresholds()) {
    const std::vector<std::string> paths = pathsIn(std::string(row.where));
    if (row.origin == Origin::Measured || row.origin == Origin::Checked)
      EXPECT_FALSE(paths.empty()) << row.group << "." << row.name << ": " << row.where;
    for (const std::string &path : paths)
      EXPECT_TRUE(fs::exists(fs::path(HEDDLE_SOURCE_DIR) / path))
          << row.group << "." << row.name << ": " << path;
  }
}

/// HEDDLE_UPDATE_DOCS=1 rewrites the page.
TEST(Thresholds, ThePageShowsThem) {
  const fs::path page = fs::path(HEDDLE_SOURCE_DIR) / "docs/thresholds.md";
  const std::string mark = "<!-- thresholds -->\n", text = textOf(page);
  const size_t begin = text.find(mark), end = text.rfind(mark);
  ASSERT_NE(begin, std::string::npos) << page;
  ASSERT_NE(begin, end) << page;
  const std::string wanted = text.substr(0, begin) + mark + "\n" + thresholdsPage() + "\n" + text.substr(end);
  if (std::getenv("HEDDLE_UPDATE_DOCS"))
    std::ofstream(page) << wanted;
  else
    EXPECT_EQ(text, wanted) << "HEDDLE_UPDATE_DOCS=1 writes docs/thresholds.md anew";
}

} // namespace
} // namespace heddle::model
