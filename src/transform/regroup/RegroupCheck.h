// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// Whether threads of this kernel may do each other's work, from any block to any other; a refusal is in
/// the context where not.
///
/// Refused is what ties a thread to its neighbours: barriers, shared memory, warp functions, elements that
/// one thread writes and another touches, loops that wait for other threads, assembly that asks for a thread's
/// index.
bool mayRegroup(Context &context, const Kernel &kernel);

} // namespace heddle::transform
