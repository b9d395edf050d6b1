// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"

#include <cstdint>

namespace heddle::check {

/// Whether a load or an atomic is a poll: it is executed again and again at one address, and what it returns
/// decides whether the thread goes on. That is how a flag is waited for, a lock taken:
///     while (*flag == 0);          while (atomicCAS(lock, 0, 1) != 0);
/// A loop that also stores to the address with ordinary stores works on data, and is none.
bool isPoll(const ptx::Function &function, uint32_t instr);

/// Whether an instruction reads the result of this atomic. Without that, what its thread does next does not depend on
/// which atomics came before.
bool isResultRead(const ptx::Function &function, uint32_t instr);

} // namespace heddle::check
