// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelFacts.h"
#include "analysis/WorkSite.h"
#include "analysis/loops/LoopLegality.h"

namespace heddle::transform {

/// Why the work of these items may not be done by other threads of the block than those that have it; nothing
/// where it may.
LegalityFailure whyNotByKind(const analysis::WorkSite &site, const analysis::KernelFacts &facts);

} // namespace heddle::transform
