// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Suggest.h"

#include "support/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

std::optional<std::string> probablyMeant(std::string_view wanted, const std::vector<std::string> &names) {
  if (wanted.empty())
    return std::nullopt;
  // One letter in three may be wrong: "corsen" is "coarsen", "run" is not "tune".
  const unsigned most = std::max<unsigned>(1, unsigned(wanted.size()) / 3);
  std::optional<std::string> best;
  unsigned bestDistance = most + 1;
  for (const std::string &name : names) {
    // A beginning that was typed is better than any misspelling; among several the shortest name.
    const bool isBeginning = wanted.size() >= 2 && name.starts_with(wanted);
    const unsigned distance = isBeginning ? 0 : editDistance(wanted, name);
    if (distance < bestDistance || (isBeginning && bestDistance == 0 && name.size() < best->size())) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

std::string didYouMean(std::string_view wanted, const std::vector<std::string> &names) {
  const std::optional<std::string> meant = probablyMeant(wanted, names);
  return meant ? fmt::format("did you mean '{}'?", *meant) : "";
}

} // namespace heddle
