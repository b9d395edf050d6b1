// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// `auto`: asks each directive of the registry that can estimate whether it is profitable, in order, and carries out the first that does.
/// Leaves a kernel as it is, with a remark that says why, where nothing is to be gained. Needs the block:
/// from a launch, or --block.
PassResult chooseAutomatically(Context &context);

} // namespace heddle::transform
