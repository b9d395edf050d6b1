// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace heddle {

unsigned editDistance(std::string_view a, std::string_view b) {
  std::vector<unsigned> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0u);
  for (size_t i = 1; i <= a.size(); ++i) {
    unsigned diagonal = row[0];
    row[0] = unsigned(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      unsigned substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

std::vector<std::string> nearestFirst(std::string_view wanted, std::vector<std::string> names) {
  std::stable_sort(names.begin(), names.end(), [&](const std::string &a, const std::string &b) {
    return editDistance(wanted, a) < editDistance(wanted, b);
  });
  return names;
}

std::string joinAnd(const std::vector<std::string> &words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

std::string counted(size_t n, std::string_view singular, std::string_view plural) {
  if (n == 1)
    return fmt::format("1 {}", singular);
  return plural.empty() ? fmt::format("{} {}s", n, singular) : fmt::format("{} {}", n, plural);
}

std::string inWords(uint64_t count) {
  if (count < 100000)
    return std::to_string(count);
  return count < 10000000000 ? fmt::format("{:.1f} million", double(count) / 1e6)
                             : fmt::format("{:.1f} billion", double(count) / 1e9);
}

} // namespace heddle
