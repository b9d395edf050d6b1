// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::ptx {

/// Where the static shared variables of one kernel lie. Only those count that the kernel, or a function it
/// may call, names; through a pointer it may call any function whose address is taken. Dynamic shared memory
/// (extern arrays without a length) begins at `dynamicOffset`.
struct SharedLayout {
  std::vector<std::pair<uint32_t, uint64_t>> offsets; ///< (Module::variables, byte); extern arrays last
  uint64_t staticBytes = 0;
  uint64_t dynamicOffset = 0; ///< staticBytes rounded up to the strictest extern array, at least 16

  /// The byte where a variable lies, for extern arrays dynamicOffset; ~0 where the kernel does not use it.
  uint64_t offsetOf(uint32_t variable) const;
};

SharedLayout layoutShared(const Module &module, uint32_t kernel);

/// The functions that `function` may reach by calls, itself included, in rising order.
std::vector<uint32_t> reachableFrom(const Module &module, uint32_t function);

} // namespace heddle::ptx
