// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::check {

/// A store that puts back what was loaded from its own address with something done to it: x[0] = x[0] + 1.
struct Update {
  uint32_t load = 0;       ///< instruction of the function
  const char *atomic = ""; ///< the function that does the same without losing anything
};

/// Nothing for stores that are no update, or one that no atomic does.
std::optional<Update> updateOf(const ptx::Function &function, uint32_t store);

/// Whether a load or a store is half of an update that this atomic would do.
bool isHalfOfUpdate(const ptx::Function &function, uint32_t instr, std::string_view atomic);

} // namespace heddle::check
