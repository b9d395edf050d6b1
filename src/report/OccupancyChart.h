// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Occupancy.h"

#include <string>

namespace heddle::report {

/// Occupancy over threads per block and over registers per thread, with the kernel's own point in each. Where
/// `kernel.threadsPerBlock` is 0 the block is not known: the first chart alone, without a point.
std::string occupancyHtml(const arch::Arch &arch, const arch::KernelResources &kernel);

} // namespace heddle::report
