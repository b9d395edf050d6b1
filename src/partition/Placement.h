// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where transfers go: the row of shared memory, and the round. A round of a warp is what it does between two
// boundaries; all that is sent at the end of round r can be read in round r + 1. Phases become one round each
// where rows suffice; where they do not, a phase is cut into several rounds, passes through the same rows.
#pragma once

#include "partition/Transfers.h"
#include "support/Diagnostics.h"

namespace heddle::partition {

struct Slot {
  unsigned row = 0;
  unsigned putFrom = 0;   ///< the first round in which the row may be written
  unsigned round = 0;     ///< written before the end of this one
  unsigned readRound = 0; ///< the first in which it is read
  unsigned lastRead = 0;  ///< the last in which the row still holds it
  bool stays = false;     ///< the row holds it as long as anybody wants it
  /// The transfer that had the row before, for which this one must wait until all have read it.
  std::optional<unsigned> after;
};

struct Slots {
  std::vector<Slot> of; ///< of each transfer
  unsigned rows = 0;
  unsigned rounds = 1;
};

/// Falls back, with a warning, to a placement that needs fewer rows; refuses where even that does not fit.
std::optional<Slots> placeTransfers(const Graph &graph, const Mapping &mapping, const Transfers &transfers,
                                    const PartitionOptions &options, Diagnostics &diagnostics);

} // namespace heddle::partition
