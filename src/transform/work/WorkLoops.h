// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Code.h"
#include "source/Kernel.h"
#include "transform/work/ItemIndices.h"
#include "transform/work/WorkPlan.h"

namespace heddle::transform {

/// A kernel's body as a plan has it, braces included.
struct WorkLoops {
  Code body;
  unsigned count = 0; ///< of the work loops in it
};

std::variant<WorkLoops, Diagnostic> writeWorkLoops(const Kernel &kernel, const WorkPlan &plan,
                                                   const ItemIndices &indices, const CallChanges &calls,
                                                   Names &names);

} // namespace heddle::transform
