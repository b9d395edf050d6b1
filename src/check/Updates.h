// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"

#include <optional>

namespace heddle::check {

/// A store that puts back what was loaded from its own address with something done to it: x[0] = x[0] + 1.
struct Update {
  uint32_t load = 0;       ///< instruction of the function
  const char *atomic = ""; ///< the function that does the same without losing anything
};

/// Nothing for stores that are no update, or one that no atomic does.
std::optional<Update> updateOf(const ptx::Function &function, uint32_t store);

} // namespace heddle::check
