// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelFacts.h"
#include "model/WorkCost.h"
#include "transform/work/WorkPlan.h"

namespace heddle::transform {

/// One original thread's work, as it is where `plan` is null, or as merged along `axes` (map interleaved), by the
/// costs of `arch`. A coarse measure, to distinguish kernels that coarsening relieves from those it does not.
model::Work estimateWork(const KernelFacts &facts, const arch::Arch &arch, const WorkPlan *plan = nullptr,
                         const std::vector<Axis> &axes = {});

} // namespace heddle::transform
