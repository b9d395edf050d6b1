// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/Manifest.h"

#include <cstdint>
#include <vector>

namespace heddle::replay {

/// A value of 8 bytes that points into a variable of the captured program.
struct PointerIntoVariable {
  uint64_t offset = 0; ///< of the value, in what was searched
  size_t variable = 0; ///< of the manifest
  uint64_t delta = 0;  ///< from the variable's beginning to where the value points
};

/// Memory has its captured address in a replay; variables do not, since each module has its own. Values that point into
/// one are found by the addresses that the manifest has, to be changed for each module. Like the search of `heddle
/// capture` this takes every value that looks like such an address for one.
class VariableSearch {
public:
  explicit VariableSearch(const capture::Manifest &manifest);

  bool isNeeded() const { return !ranges.empty(); }
  /// Adds what is found among values that begin at multiples of `step`; `base` is added to their offsets.
  void search(const uint8_t *data, uint64_t bytes, uint64_t step, uint64_t base,
              std::vector<PointerIntoVariable> &found) const;

private:
  struct Range {
    uint64_t begin, end;
    size_t variable;
  };
  std::vector<Range> ranges;
  uint64_t least = ~uint64_t(0), greatest = 0;
};

} // namespace heddle::replay
