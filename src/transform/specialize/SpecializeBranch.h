// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// Carries out `specialize by=branch`: warps execute one kind of work each, where a kernel decides by a switch
/// or an if-chain what a thread has to do.
///
///     int i = blockIdx.x * blockDim.x + threadIdx.x;     const auto kindOf = [&](const uint3 threadIdx) ...
///     if (i >= n) return;                           =>   const auto work = [&](const uint3 threadIdx) {
///     switch (kind[i]) {                                   all of it, as it was
///     case 0: ...                                        };
///     }                                                  heddle::workByKind(queues, ..., work);
///
/// The work of a thread is done by another thread of its block, so nothing may depend on which one that is: it refuses barriers, warp
/// functions and assembly in that work, functions that ask for threadIdx, values
/// that differ by thread or are changed and are declared outside of it. A loop over items (one that counts,
/// in the kernel's own body) is done in rounds, a round an item a thread; its items must not hand values on.
///
/// A branch that all threads of a warp take alike is left as it is, with a remark.
PassResult specializeByBranch(Context &context);

} // namespace heddle::transform
