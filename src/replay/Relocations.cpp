// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/Relocations.h"

#include <algorithm>
#include <cstring>

namespace heddle::replay {

VariableSearch::VariableSearch(const capture::Manifest &manifest) {
  const std::vector<std::string> &pointed = manifest.pointsIntoVariables;
  for (size_t i = 0; i < manifest.variables.size(); ++i) {
    const capture::Variable &variable = manifest.variables[i];
    if (!variable.address || std::find(pointed.begin(), pointed.end(), variable.name) == pointed.end())
      continue;
    ranges.push_back({variable.address, variable.address + variable.bytes, i});
    least = std::min(least, ranges.back().begin);
    greatest = std::max(greatest, ranges.back().end);
  }
}

void VariableSearch::search(const uint8_t *data, uint64_t bytes, uint64_t step, uint64_t base,
                            std::vector<PointerIntoVariable> &found) const {
  for (uint64_t at = 0; at + 8 <= bytes; at += step) {
    uint64_t value = 0;
    std::memcpy(&value, data + at, sizeof value);
    if (value < least || value >= greatest)
      continue;
    for (const Range &range : ranges)
      if (value >= range.begin && value < range.end)
        found.push_back({base + at, range.variable, value - range.begin});
  }
}

} // namespace heddle::replay
