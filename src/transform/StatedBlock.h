// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// For --block: the normalization that compares it with the block of each launch of the target that is known only at run time.
/// Refused where a launch cannot be compared; nothing where there is no --block, or all launches are known or compared already.
std::optional<PassResult> compareStatedBlock(Context &context);

/// A launch in the file whose block is known, and is not that of --block; null where there is none.
const source::Launch *launchWithOtherBlock(const Context &context);

/// What `heddle::statedBlock` of a launch compares, as it was written; empty where the launch has none.
std::string comparedBlock(const Context &context, const source::LaunchShape &shape);

} // namespace heddle::transform
