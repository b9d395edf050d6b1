// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// `specialize`: a kernel that loads a tile, meets, computes and meets becomes one in which some warps load
/// and the others compute, with a ring of buffers between them.
PassResult specializeTiles(Context &context);

} // namespace heddle::transform
