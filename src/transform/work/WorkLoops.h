// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Kernel.h"
#include "source/Render.h"
#include "transform/work/ItemIndices.h"
#include "transform/work/WorkPlan.h"

namespace heddle::transform {

/// The kernel's body as the plan has it: text for everything between and including its braces.
source::Rendered writeWorkLoops(const source::Kernel &kernel, const WorkPlan &plan,
                                const ItemIndices &indices, const CallChanges &calls, Names &names);

} // namespace heddle::transform
