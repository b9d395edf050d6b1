// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// Whether a warp may do blocks of this kernel one after the other; a refusal is in the context where
/// not. On entry a block is to be one warp.
///
/// Refused: blocks of other sizes, barriers of more than a warp, lanes that return while others still come to
/// a barrier (they would run ahead into the next block), blocks that may wait for each other, clusters,
/// assembly that asks for the block's number, lambdas that cannot see the task.
bool mayDelegate(Context &context, const Kernel &kernel);

} // namespace heddle::transform
