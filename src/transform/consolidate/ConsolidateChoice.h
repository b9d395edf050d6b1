// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Registry.h"

namespace heddle::transform {

/// Whether one warp in the place of a block would pay, and why or why not, for the report.
struct ConsolidateChoice {
  bool pays = false;
  std::string why;
};

/// From what is known of the kernel: barriers and the work between them, registers and occupancy before and
/// after, the size of the grid. Carries the first pass out on a copy of the text to see what it would be.
ConsolidateChoice weighConsolidation(Context &context);

/// The same for `auto`.
std::variant<Suggestion, Needs> suggestConsolidation(Context &context);

/// The first pass of `consolidate`: with nothing set, calls it off where it would not pay. Any
/// setting says that it is wanted.
PassResult chooseToConsolidate(Context &context);

} // namespace heddle::transform
