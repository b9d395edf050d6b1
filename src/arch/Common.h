// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"

namespace heddle::arch {

/// What can be relied on where no GPU is named, from the tables of all generations.
struct CommonLimits {
  unsigned maxThreadsPerBlock = 0;          ///< no generation has larger blocks
  std::array<unsigned, 3> maxBlockDim = {}; ///< along an axis
  unsigned staticSharedBytes = 0;           ///< every generation grants a block so much without asking
};
const CommonLimits &commonLimits();

/// The generation that is meant where none is named.
const Arch &defaultArch();

} // namespace heddle::arch
