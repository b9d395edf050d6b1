// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify/SameFindings.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace heddle::verify {
namespace {

/// The rule and the lines of a finding.
using Key = std::tuple<check::Rule, std::string, std::multiset<std::string>>;

std::string trimmed(const std::string &line) {
  constexpr const char *blanks = " \t\r\n\v\f";
  const size_t begin = line.find_first_not_of(blanks);
  return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(blanks) + 1 - begin);
}

/// Nothing where a line is not known: such a finding is like no other.
std::optional<Key> findingKey(const check::Finding &finding) {
  std::multiset<std::string> others;
  for (const check::Finding::Note &note : finding.notes)
    if (note.location.isKnown())
      others.insert(trimmed(note.location.sourceLine));
  if (finding.location.sourceLine.empty() || others.contains(""))
    return std::nullopt;
  return Key{finding.rule, trimmed(finding.location.sourceLine), others};
}

} // namespace

Sameness compareFindings(const std::string &kernel, const check::StaticResult &emitted,
                         const std::vector<LaunchChecks::Kernel> &original) {
  Sameness sameness;
  std::multiset<Key> known;
  for (const LaunchChecks::Kernel &each : original) {
    if (each.name != kernel || each.result.verdict != check::Verdict::Fails)
      continue;
    sameness.originalFails = true;
    for (const check::Finding &finding : each.result.findings)
      if (std::optional<Key> key = findingKey(finding))
        known.insert(*key);
  }
  sameness.areAllKnown = sameness.originalFails && !emitted.findings.empty() &&
                         std::ranges::all_of(emitted.findings, [&](const check::Finding &finding) {
                           const std::optional<Key> key = findingKey(finding);
                           auto same = key ? known.find(*key) : known.end();
                           if (same == known.end())
                             return false;
                           known.erase(same); // each of the original's explains one
                           return true;
                         });
  return sameness;
}

} // namespace heddle::verify
