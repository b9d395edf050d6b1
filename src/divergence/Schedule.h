// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heddle::divergence {

/// Where and when each thread block ran.
struct Scheduled {
  double end = 0;             ///< when the last block is done
  std::vector<unsigned> sm;   ///< by block
  std::vector<double> starts; ///< by block
};

/// Dynamic round robin: blocks go out in order, one to each multiprocessor in turn until all hold
/// `blocksPerSm`, and from then on to whichever is first to have room; where several have at the same time,
/// again one to each in turn.
///
/// The latency of a block (4) is what it takes of a multiprocessor that works for it alone. Blocks that share
/// one get equal parts of it: with occupancy 1 this is the paper's figure 4, and with any occupancy equal
/// blocks that fill the device take what (5) says.
Scheduled schedule(std::span<const double> blockLatencies, unsigned sms, unsigned blocksPerSm);

} // namespace heddle::divergence
