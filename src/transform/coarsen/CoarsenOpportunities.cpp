// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/coarsen/CoarsenOpportunities.h"

#include "support/Text.h"

#include <fmt/format.h>

namespace heddle::transform {
namespace {

using analysis::Array;

/// "25 % of shared loads", for two neighbours along an axis.
std::vector<std::string> savings(const KernelFacts &facts, unsigned axis) {
  std::vector<std::string> parts;
  for (Array::Space space : {Array::Space::Shared, Array::Space::Global})
    if (auto loads = facts.reuse.loads(space, axis, 2, analysis::Map::Blocked); loads && loads->saved() > 0)
      parts.push_back(fmt::format("{:.0f} % of {} loads", 100 * loads->saved(), nameOf(space)));
  return parts;
}

} // namespace

std::vector<Suggestion> coarsenOpportunities(const KernelFacts &facts) {
  std::vector<Suggestion> suggestions;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (!facts.reuse.isAlong(axis))
      continue;
    if (std::vector<std::string> parts = savings(facts, axis); !parts.empty())
      suggestions.push_back(
          {fmt::format("coarsen {}=2 map=blocked", "xyz"[axis]),
           fmt::format("merging two neighbours along {} saves {}", "xyz"[axis], joinAnd(parts))});
  }
  return suggestions;
}

} // namespace heddle::transform
