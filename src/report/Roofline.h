// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"
#include "counts/FloatOperations.h"

#include <string>

namespace heddle::report {

/// What a kernel does in a time, for its point under the roofs of a device.
struct RooflineWork {
  counts::FloatOperations operations;
  double dramBytes = 0, l2Bytes = 0;
  double micros = 0;
  bool isPredicted = true; ///< the time is the cost model's
};

/// A roofline: FLOP/s against FLOP per byte, below what the device's DRAM, its L2 and its arithmetic units allow by
/// arch/*.json. Limits that the table does not have are not drawn, and the caption names them.
std::string rooflineHtml(const arch::Arch &arch, const RooflineWork &work);

} // namespace heddle::report
