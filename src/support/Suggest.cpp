// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Suggest.h"

#include "support/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

namespace {

/// Two neighbours that are swapped, TORE for TROE, are one mistake of a typist, not two.
bool isSwapped(std::string_view a, std::string_view b) {
  if (a.size() != b.size())
    return false;
  const auto first = size_t(std::ranges::mismatch(a, b).in1 - a.begin());
  return first + 1 < a.size() && a[first] == b[first + 1] && a[first + 1] == b[first] &&
         a.substr(first + 2) == b.substr(first + 2);
}

} // namespace

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
    const unsigned distance = isBeginning ? 0 : isSwapped(wanted, name) ? 1 : editDistance(wanted, name);
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

std::string choicesFor(std::string_view wanted, const std::vector<std::string> &names) {
  const std::string question = didYouMean(wanted, names);
  if (names.size() == 1)
    return question.empty() ? "there is " + names.front() : question;
  return fmt::format("{}{}", question.empty() ? "there are " : question + " There are ",
                     joinAnd(nearestFirst(wanted, names)));
}

} // namespace heddle
