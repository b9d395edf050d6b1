// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelFacts.h"

namespace heddle::analysis {

/// A launch that is made twice leaves what it leaves once: nothing that the kernel writes is read by it, and
/// there are no atomics.
bool mayRunTwice(const KernelFacts &facts);

} // namespace heddle::analysis
