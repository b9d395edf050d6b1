// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/JoinRanges.h"

namespace heddle::chem {

void joinEqualRanges(std::vector<Nasa7Range> &ranges) {
  std::vector<Nasa7Range> joined;
  for (const Nasa7Range &range : ranges)
    if (!joined.empty() && joined.back().a == range.a && joined.back().high == range.low)
      joined.back().high = range.high;
    else
      joined.push_back(range);
  ranges = std::move(joined);
}

} // namespace heddle::chem
