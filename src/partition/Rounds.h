// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which round each operation is done: after all that it reads has come, before what it makes is sent.
#pragma once

#include "partition/Placement.h"

namespace heddle::partition {

struct Rounds {
  std::vector<unsigned> of;     ///< each mapped operation
  std::vector<unsigned> lastOf; ///< the latest round that it could be done in
};

Rounds chooseRounds(const Graph &graph, const Mapping &mapping, const Transfers &transfers,
                    const Slots &slots);

/// A term that stays in its row to the end is not added as it comes but with all others of its result, in the
/// last round: sum after sum, which is the same code for all warps and takes one register.
bool isAddedLast(const Graph &graph, unsigned sum, const Slot &slot);

/// The slot of each value that is sent, and of each partial (by sum and warp).
class SlotIndex {
public:
  SlotIndex(const Graph &graph, const Transfers &transfers, unsigned warps);

  std::optional<unsigned> ofValue(unsigned value) const { return values[value]; }
  std::optional<unsigned> ofPartial(unsigned sum, unsigned warp) const {
    return partials[sum * warps + warp];
  }

private:
  unsigned warps;
  std::vector<std::optional<unsigned>> values, partials;
};

} // namespace heddle::partition
