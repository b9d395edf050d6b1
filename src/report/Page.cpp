// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/Page.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::report {

void Page::line(std::string_view label, std::string_view text) {
  std::string row = fmt::format("  {:<12}{}", label, text);
  row.erase(row.find_last_not_of(' ') + 1);
  text_ += row + "\n";
}

void Page::table(std::string_view label, const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> widths;
  for (const auto &row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto &row : rows) {
    std::string text;
    for (size_t i = 0; i < row.size(); ++i)
      text += fmt::format("{:<{}}{}", row[i], widths[i], i + 1 < row.size() ? "  " : "");
    line(&row == &rows.front() ? label : "", text);
  }
}

} // namespace heddle::report
