// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>

namespace heddle::transform {

/// How warps take roles: what the directive asked for, or what was chosen.
struct RoleShape {
  enum class Copy { Ld, CpAsync, Bulk };
  enum class Barrier { Named, Mbarrier };

  std::array<int64_t, 3> block = {1, 1, 1}; ///< of the original kernel
  unsigned producers = 1;                   ///< warps
  unsigned consumers = 1;                   ///< groups of as many threads as the block had
  unsigned buffers = 2;
  Copy copy = Copy::Ld;
  Barrier barrier = Barrier::Named;
  /// Registers that a producer's thread keeps and a consumer's has from then on; 0 where none move.
  unsigned producerRegisters = 0, consumerRegisters = 0;

  int64_t groupThreads() const { return block[0] * block[1] * block[2]; }
  int64_t threads() const { return groupThreads() * consumers + producerThreads(); }
  int64_t producerThreads() const { return int64_t(producers) * 32; }
  bool isFlat() const { return block[1] == 1 && block[2] == 1; }
  /// Each producer thread loads for one thread of the original block.
  bool isOneToOne() const { return producerThreads() == groupThreads(); }
};

} // namespace heddle::transform
