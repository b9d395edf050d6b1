// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Registry.h"

namespace heddle::transform {

/// For `auto`: whether one warp in the place of a block would pay, and why or why not.
std::variant<Suggestion, Needs> suggestConsolidation(Context &context);

/// The first pass of `consolidate`: with nothing set, calls it off where it would not pay. Any
/// setting says that it is wanted.
PassResult chooseToConsolidate(Context &context);

} // namespace heddle::transform
