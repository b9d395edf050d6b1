// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// Rewrites every launch of the target in the file for a persistent kernel. `launches` gets their
/// number.
///
///     k<<<grid, block, bytes, stream>>>(a, n)   =>   heddle::delegate(k, grid, block, bytes, stream)(a, n)
///
/// False, with a refusal, for launches of all blocks at once, by a cudaLaunchConfig_t or through a pointer,
/// and where the kernel's address is taken.
bool delegateLaunches(Context &context, unsigned &launches);

/// A function of runtime/heddle that launches in the place of `<<<...>>>`.
struct LaunchHelper {
  std::string function;  ///< "heddle::delegate"
  std::string byAddress; ///< the one for arguments by address, in the place of cudaLaunchKernel; empty: none
  std::string behindKernel; ///< a further argument after the kernel; empty: none
};
/// The same for any such function.
bool launchThrough(Context &context, const LaunchHelper &helper, unsigned &launches);

} // namespace heddle::transform
