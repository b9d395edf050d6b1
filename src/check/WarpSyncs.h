// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Reporter.h"

#include <cstdint>
#include <vector>

namespace heddle::check {

/// Masks of _sync operations: lanes that a mask names and that never come. A lane that others wait for is gone
/// when it was seen doing something else meanwhile and the others went on without it.
class WarpSyncs {
public:
  void begin(unsigned warps) { masks.assign(warps, {}); }

  void acted(unsigned warp, uint32_t mask) { masks[warp].busy |= masks[warp].awaited & mask; }
  /// Lanes synchronize or begin to wait; reports what is wrong with the mask. Returns whether they synchronized.
  bool sync(const Where &at, const vm::WarpSyncEvent &event, uint32_t alive, Reporter &reporter);

private:
  struct Masks {
    uint32_t awaited = 0; ///< lanes that others of the warp wait for
    uint32_t busy = 0;    ///< those of them that were seen doing something else meanwhile
  };
  std::vector<Masks> masks; ///< by warp
};

} // namespace heddle::check
