// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/coarsen/CoarsenOpportunities.h"

#include <fmt/format.h>

namespace heddle::transform {
namespace {

using analysis::Array;

bool mayShareLoads(const KernelFacts &facts, unsigned axis) {
  for (Array::Space space : {Array::Space::Shared, Array::Space::Global})
    if (auto loads = facts.reuse.loads(space, axis, 2, analysis::Map::Blocked); loads && loads->saved() > 0)
      return true;
  return false;
}

} // namespace

std::vector<Opportunity> coarsenOpportunities(const KernelFacts &facts) {
  std::vector<Opportunity> all;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (facts.reuse.isAlong(axis) && mayShareLoads(facts, axis)) {
      const std::string merged = fmt::format("coarsen {}=2 map=blocked", "xyz"[axis]);
      all.push_back({{merged, merged + "; scalar-replace"},
                     fmt::format("neighbours along {} load the same elements", "xyz"[axis]),
                     true});
    }
  return all;
}

} // namespace heddle::transform
