// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"

#include <cstdint>
#include <vector>

namespace heddle::counts {

/// The access that a load of shared memory becomes in the machine code.
struct MergedLoad {
  static constexpr uint8_t Alone = 0xff;
  uint8_t bytes =
      Alone; ///< of all loads that are one there, for the one with the lowest address; 0 for the others

  bool isAlone() const { return bytes == Alone; }
  bool isPartOfAnother() const { return bytes == 0; }
};

/// By instruction: ptxas makes one load of 8 or 16 bytes of loads of neighbouring words of shared memory, if it can see that the
/// address is aligned.
std::vector<MergedLoad> mergedLoads(const ptx::Function &function);

} // namespace heddle::counts
