// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many registers per thread a kernel is assumed to have.
#pragma once

#include "arch/Arch.h"
#include "vm/Launch.h"

#include <algorithm>

namespace heddle::cudart {

/// The estimate from the PTX within what ptxas keeps to: never fewer than 8, never more than a thread can
/// have, and so few that as many threads and blocks as the kernel's launch bounds promise fit (it spills the
/// rest).
inline unsigned registersOf(const arch::Arch &arch, const vm::KernelInfo &info) {
  constexpr unsigned fewest = 8, granularity = 8;
  const unsigned threads = (info.maxThreads + 31) / 32 * 32 * std::max(1u, info.minBlocks);
  unsigned most = arch.maxRegistersPerThread;
  if (threads > 0)
    most = std::min(most, arch.registersPerSm / threads / granularity * granularity);
  return std::clamp(info.registers, fewest, std::max(fewest, most));
}

} // namespace heddle::cudart
